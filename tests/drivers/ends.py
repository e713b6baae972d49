# SPDX-License-Identifier: GPL-3.0-or-later
"""Column ended: minimum or saddle, against eigenvalues computed here, and option leave_saddles.

The input is a flat sheet whose springs are 1.2 times too long: no force points out of its plane, in which it is stuck.
"""
import csv
import functools
import pathlib
import sys
import tempfile
import unittest

import h5py
import numpy

import case as program

case = functools.partial(program.case, "integrator=implicit_euler")
GRID, STIFFNESS, H = 10, 3000, 0.05
LBFGS = ["minimizer=lbfgs", "gradient_tolerance=1e-6", "max_iterations=3000"]
CG = ["minimizer=newton_cg", "gradient_tolerance=1e-6"]
BETWEEN = "collider=plane:point=[0,0,0.001],normal=[0,0,1];plane:point=[0,0,-0.001],normal=[0,0,-1]"


def springs(grid):
    """Triangulated: rows of (first, second, 1.2 times the length)."""
    at = lambda row, column: row * (grid + 1) + column
    for row in range(grid + 1):
        for column in range(grid + 1):
            if column < grid:
                yield at(row, column), at(row, column + 1), 1.2 / grid
            if row < grid:
                yield at(row, column), at(row + 1, column), 1.2 / grid
            if row < grid and column < grid:
                yield at(row, column + 1), at(row + 1, column), 1.2 * 2**0.5 / grid


def energy_and_hessian(x, pressed=0):
    """Elastic energy, and M/h^2 + H over vertices off the pinned edge; `pressed`: N/m across the plane."""
    energy, hessian = 0, numpy.zeros((len(x), 3, len(x), 3))
    for i, j, rest in springs(GRID):
        d = x[j] - x[i]
        length = numpy.linalg.norm(d)
        energy += STIFFNESS / 2 * (length - rest) ** 2
        block = STIFFNESS * ((1 - rest / length) * numpy.eye(3) + rest / length**3 * numpy.outer(d, d))
        for a, b, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
            hessian[a, :, b, :] += sign * block
    for i in range(len(x)):
        hessian[i, :, i, :] += numpy.diag([0, 0, pressed]) + numpy.eye(3) / len(x) / H**2
    size = 3 * (len(x) - GRID - 1)
    return energy, hessian[GRID + 1:, :, GRID + 1:, :].reshape(size, size)


class Ends(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.net = cls.sheet(GRID)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def sheet(cls, grid, steps=1):
        path = pathlib.Path(cls.folder.name, f"{grid}.csv")
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows([("first", "second", "rest_length"), *springs(grid)])
        return ["scene=cloth", "extent=1", f"grid={grid}", "springs=triangulated", f"spring_data={path}", "pins=min_y",
                f"stiffness={STIFFNESS}", "gravity=[0,0,0]", f"h={H}", f"steps={steps}"]

    def ends(self, *pairs, net=None):
        """(status, accuracy_ok, ended)"""
        row = case(*(net or self.net), *pairs)
        return row["status"], row["accuracy_ok"], row["columns"]["ended"]

    def last(self, *pairs, pressed=0):
        """(accuracy_ok, ended, elastic energy, number of negative eigenvalues) of the last state"""
        path = pathlib.Path(self.folder.name, "case.h5")
        row = case(*self.net, *pairs, "save=final", "-o", path)
        path.with_suffix(".xdmf").unlink(missing_ok=True)
        with h5py.File(path) as file:
            energy, hessian = energy_and_hessian(file["particles/all/position/value"][-1], pressed)
        path.unlink()
        return row["accuracy_ok"], row["columns"]["ended"], energy, int((numpy.linalg.eigvalsh(hessian) < 0).sum())

    def test_eigenvalues_agree(self):
        """By each kind of method, and with the penalty between two planes, which holds the sheet flat if it is stiff."""
        touching = ["contact=penalty", BETWEEN]
        for pairs, pressed in ((["minimizer=newton"], 0), (CG, 0), (LBFGS, 0),
                               ([*touching, "contact_implicit=true", "contact_stiffness=10"], 20)):
            ok, ended, energy, negative = self.last(*pairs, pressed=pressed)
            self.assertEqual((pairs, ok, ended), (pairs, False, "saddle"))
            self.assertAlmostEqual(energy, 11.19, delta=0.01)
            self.assertEqual(pressed > 0 or negative == 76, negative > 0, (pairs, negative))
        implicit = self.last(*touching, "contact_implicit=true", "contact_stiffness=1e5", pressed=2e5)
        self.assertEqual((implicit[0], implicit[1], implicit[3]), (True, "minimum", 0))
        self.assertEqual(self.ends(*touching, "contact_stiffness=1e5"), ("ok", False, "saddle"))  # it is not in g
        for pairs in (["perturbation=1e-9"], ["leave_saddles=true"], [*CG, "max_iterations=1000", "leave_saddles=true"]):
            ok, ended, energy, negative = self.last(*pairs)
            self.assertEqual((pairs, ok, ended, negative), (pairs, True, "minimum", 0))
            self.assertLess(energy, 7)

    def test_every_driver_of_steps(self):
        for driver in ("trajectory", "timing", "blowup", "motion", "convergence"):
            sheet = [f"driver={driver}", "minimizer=newton", "gradient_tolerance=1e-6"]
            self.assertEqual((driver, *self.ends(*sheet)), (driver, "ok", False, "saddle"))
            self.assertEqual((driver, *self.ends(*sheet, "perturbation=1e-9")), (driver, "ok", True, "minimum"))
        chain = ["scene=chain", "nodes=3", "h=0.1", "steps=40"]
        for driver, amplitude in (("dispersion", "amplitude=1e-3"), ("accuracy", "amplitude=1e-3")):
            self.assertEqual(self.ends(f"driver={driver}", amplitude, net=chain), ("ok", True, "minimum"))

    def test_ranks_and_pins(self):
        small = self.sheet(4)
        for pairs in (["ranks=2"], ["pin_method=penalty"], ["device=host", *CG]):
            self.assertEqual((pairs, self.ends(*pairs, net=small)), (pairs, ("ok", False, "saddle")))
        for pairs in (["ranks=2"], ["pin_method=penalty"]):
            row = self.ends(*pairs, "leave_saddles=true", net=small)
            self.assertEqual((pairs, row), (pairs, ("ok", True, "minimum")))

    def test_a_mode_without_stiffness(self):
        """A sheet that hangs from a corner may turn about it, if steps are so long that they have next to no inertia."""
        hanging = ["scene=cloth", "grid=4", "pins=corner1", "steps=1", "hessian=blended", "step=armijo"]
        self.assertEqual(self.ends("h=1", net=hanging), ("ok", True, "minimum"))
        self.assertEqual(self.ends("h=100", net=hanging), ("ok", True, "flat"))

    def test_blank_where_unknown(self):
        barrier = ["self_contact=barrier", "thickness=0.001", "gradient_tolerance=1e-4"]
        for pairs, ok in (
                (["minimizer=lbfgs"], None),  # no tolerance
                (["max_iterations=1"], False),  # which it missed
                (["minimizer=local_global", "gradient_tolerance=1e-5", "max_iterations=10000", "pin_method=row_replace",
                  "linear=lu"], True),
                (barrier, True)):
            row = case(*self.net, *pairs)
            self.assertEqual((pairs, row["accuracy_ok"], row["columns"]["ended"]), (pairs, ok, None))
        row = case(*self.net, "driver=convergence", "minimizer=newton", "max_iterations=100")
        self.assertEqual((row["accuracy_ok"], row["columns"]["ended"]), (None, "saddle"))  # no tolerance, still known
        row = case(*self.net, "driver=convergence", "minimizer=newton", "max_iterations=1")
        self.assertEqual((row["accuracy_ok"], row["columns"]["ended"]), (None, None))

    def test_blank_where_it_would_cost_more_than_the_case(self):
        """Two factorisations of 41x41 are more than a step of L-BFGS, and less than ten."""
        lbfgs = ["minimizer=lbfgs", "gradient_tolerance=1e-2", "max_iterations=3000"]
        self.assertEqual(self.ends(*lbfgs, net=self.sheet(40)), ("ok", True, None))
        long = [*self.sheet(40, 10), *lbfgs]
        whole = case(*long)
        self.assertEqual((whole["accuracy_ok"], whole["columns"]["ended"]), (False, "saddle"))
        path = pathlib.Path(self.folder.name, "parts.h5")
        case(*long, "-o", path, "--stop-after", "9", status=75)
        parts = case(*long, "-o", path)
        self.assertEqual((parts["continued"], parts["digest"]), (1, whole["digest"]))

    def test_leaving_is_refused(self):
        for pairs, word in ((["self_contact=barrier", "gradient_tolerance=1e-4"], "barrier"),
                            (["minimizer=lbfgs"], "gradient_tolerance"),
                            (["pin_method=row_replace", "linear=lu", "hessian=exact"], "symmetric"),
                            (["device=host", *CG], "device=none"),
                            (["driver=convergence", "gradient_tolerance=1e-6"], "'convergence'")):
            self.assertIn(word, case(*self.net, *pairs, "leave_saddles=true", status=2))

    def test_keys(self):
        self.assertEqual(case(*self.net)["key"], case(*self.net, "leave_saddles=false")["key"])
        self.assertNotEqual(case(*self.net)["key"], case(*self.net, "leave_saddles=true")["key"])


unittest.main(argv=[sys.argv[0]])
