# SPDX-License-Identifier: GPL-3.0-or-later
"""Stiffnesses along warp, weft and bias, and rest lengths of another mesh, against theory computed here.

The energy per area of the families with both diagonals is (k_warp e_xx^2 + k_weft e_yy^2 + k_bias ((e_xx + e_yy)^2 +
g^2))/2: each spring of strain a.e a, with a its direction, has k (length strain)^2/2.
"""
import functools
import pathlib
import sys
import tempfile
import unittest

import h5py
import numpy

import case as program

case = functools.partial(program.case, "driver=statics")
N, WARP, WEFT, BIAS = 4, 400, 100, 50
DIRECTED = [f"stiffness_warp={WARP}", f"stiffness_weft={WEFT}", f"stiffness_bias={BIAS}"]
PLACES = numpy.array([(i, j, 0) for j in range(N + 1) for i in range(N + 1)], float)


def springs():
    """(first, second, stiffness) of a crossed sheet."""
    for v, (i, j) in enumerate(PLACES[:, :2]):
        if i < N:
            yield v, v + 1, WARP
        if j < N:
            yield v, v + N + 1, WEFT
        if i < N and j < N:
            yield v, v + N + 2, BIAS
            yield v + 1, v + N + 1, BIAS


def displacements(pinned, force):
    """Small displacements in the plane: K u = f, with K the sum of k a a^T."""
    matrix = numpy.zeros((len(PLACES), 2, len(PLACES), 2))
    for first, second, k in springs():
        a = (PLACES[second] - PLACES[first])[:2]
        block = k * numpy.outer(a, a) / (a @ a)
        for p, q, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
            matrix[p, :, q, :] += sign * block
    free = numpy.setdiff1d(numpy.arange(len(PLACES)), pinned)
    u = numpy.zeros((len(PLACES), 2))
    matrix = matrix[free][:, :, free].reshape(2 * len(free), -1)
    u[free] = numpy.linalg.solve(matrix, numpy.tile(force, len(free))).reshape(-1, 2)
    return u


class Directions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def near(self, got, want, share):
        self.assertTrue(abs(got - want) <= share * abs(want), f"{got} instead of {want}")

    def mesh(self, name, places, ends=None):
        path = self.folder / f"{name}.obj"
        lines = "".join(f"l {first + 1} {second + 1}\n" for first, second, *_ in ends or springs())
        path.write_text("".join("v {!r} {!r} {!r}\n".format(*map(float, p)) for p in places) + lines)
        return str(path)

    def end(self, *pairs, call=case, name="end"):
        """The row, and the last positions."""
        path = self.folder / f"{name}.h5"
        path.unlink(missing_ok=True)
        row = call(*pairs, "save=final", "-o", str(path))
        self.assertEqual(row["status"], "ok", row["reason"])
        with h5py.File(path) as file:
            return row, file["particles/all/position/value"][-1]

    def test_a_sheet_stretches_as_one_over_k(self):
        """Rows and columns that hang: m g/k sum(1 … N) at their ends, and 1 : 4 for 4 : 1."""
        for axis, k in enumerate((WARP, WEFT)):
            columns = case("scene=cloth", f"grid={N}", "springs=structural+bending", *DIRECTED, "stiffness_bending=0",
                           "vertex_mass=1", f"pins=min_{'xy'[axis]}", f"gravity=[{1 - axis},{axis},0]",
                           "gradient_tolerance=1e-9")["columns"]
            self.near(columns["sag"], N * (N + 1) / 2 / k, 1e-9)

    def test_small_displacements_with_the_bias_are_those_of_linear_theory(self):
        sheet = ["scene=cloth", f"extent={N}", f"grid={N}", "springs=crossed", *DIRECTED, "vertex_mass=1"]
        for axis in range(2):
            g = numpy.roll([1e-4, 0], axis)
            pinned = numpy.flatnonzero(PLACES[:, axis] == 0)
            pairs = [*sheet, f"pins=min_{'xy'[axis]}", f"gravity=[{g[0]},{g[1]},0]", "gradient_tolerance=1e-12"]
            want = displacements(pinned, g)
            for more in ([], ["ranks=2", "linear=petsc"]):
                u = self.end(*pairs, *more)[1] - PLACES + [N / 2, N / 2, 0]
                self.assertLess(numpy.abs(u[:, :2] - want).max(), 1e-4 * numpy.abs(want).max())

    def test_the_energy_of_a_mesh_is_that_of_theory(self):
        """Strained from its rest_mesh and held at its border; directions are those of rest_mesh, as the turn shows."""
        e, inside = 1e-5, {v for v, p in enumerate(PLACES) if 0 < p[0] < N and 0 < p[1] < N}
        pins = [f"pins=[{','.join(str(v) for v in range(len(PLACES)) if v not in inside)}]", "gravity=[0,0,0]"]
        rest, turn = self.mesh("flat", PLACES), numpy.array([(0, -1, 0), (1, 0, 0), (0, 0, 1)])
        for strain, warp, weft, bias in (((1 + e, 0, 1), N * (N + 1), 0, N * N), ((1, 0, 1 + e), 0, N * (N + 1), N * N),
                                         ((1, e, 1), 0, 0, N * N)):
            places = PLACES @ numpy.array([(strain[0], 0, 0), (strain[1], strain[2], 0), (0, 0, 1)])
            mesh = self.mesh("strained", places @ turn)
            pairs = ["scene=mesh", f"mesh={mesh}", f"rest_mesh={rest}", *pins, *DIRECTED]
            columns = case(*pairs, "warp_direction=[3,0,0]")["columns"]
            self.near(columns["energy_elastic"], e * e / 2 * (warp * WARP + weft * WEFT + bias * BIAS), 1e-4)
            columns = case(*pairs, "warp_direction=[0,-2,0]")["columns"]
            self.near(columns["energy_elastic"], e * e / 2 * (warp * WEFT + weft * WARP + bias * BIAS), 1e-4)

    def test_a_rest_mesh_gives_the_lengths_at_rest(self):
        mesh = ["scene=mesh", f"mesh={self.mesh('a', PLACES)}"]
        moving = [program.case("driver=trajectory", *mesh, *more)["digest"]
                  for more in ([], [f"rest_mesh={self.mesh('same', PLACES)}"], [f"rest_mesh={self.mesh('b', 0.9 * PLACES)}"])]
        self.assertEqual(moving[0], moving[1])
        self.assertNotEqual(moving[0], moving[2])
        row, places = self.end(*mesh, f"rest_mesh={self.folder / 'b.obj'}", "pins=first", "gravity=[0,0,0]")
        self.assertLess(row["columns"]["strain_max"], 1e-9)
        self.assertLess(numpy.abs(places - 0.9 * PLACES).max(), 1e-8)
        row, _ = self.end(*mesh, f"rest_mesh={self.folder / 'b.obj'}", "pins=min_x", "young=7", "gravity=[0,0,0]")
        self.assertGreater(row["columns"]["strain_max"], 0.01)

    def test_a_run_goes_on_with_the_same_rest_mesh_only(self):
        end, rest = functools.partial(self.end, call=program.case), self.mesh("rest", 0.9 * PLACES)
        pairs = ["driver=trajectory", "scene=mesh", f"mesh={self.mesh('a', PLACES)}", f"rest_mesh={rest}", "h=0.01"]
        end(*pairs, "duration=0.1", name="half")
        on = [*pairs, "duration=0.2", f"restart={self.folder / 'half.h5'}"]
        numpy.testing.assert_array_equal(end(*on)[1], end(*pairs, "duration=0.2")[1])
        self.mesh("rest", 0.8 * PLACES)
        self.assertIn("rest_mesh", program.case(*on, status=2))

    def test_what_does_not_fit_is_refused(self):
        mesh = ["scene=mesh", f"mesh={self.mesh('a', PLACES)}"]
        refused = functools.partial(case, status=2)
        ends = [s[:2] for s in springs()]
        for name, places, edges, words in (
                ("fewer", PLACES[:-1], [(0, 1)], "has 24 vertices"),
                ("less", PLACES, ends[:-1], "less.obj' has no edge between vertices 23 and 24, which '"),
                ("more", PLACES, [*ends, (0, 24)], "a.obj' has no edge between vertices 0 and 24, which '"),
                ("point", 0 * PLACES, ends, "allow_zero_rest")):
            self.assertIn(words, refused(*mesh, f"rest_mesh={self.mesh(name, places, edges)}"))
        self.assertIn("needs warp_direction", refused(*mesh, "stiffness_weft=1"))
        self.assertIn("no effect alone", refused(*mesh, "warp_direction=[1,0,0]"))
        self.assertIn("length 0", refused(*mesh, "warp_direction=[0,0,0]", "stiffness_warp=1"))
        self.assertIn("both state the diagonals", refused("scene=cloth", "stiffness_bias=1", "stiffness_shear=1"))
        self.assertIn("exclude each other", refused("scene=cloth", "stiffness_warp=1", "young=1"))
        for pair in ("stiffness_warp=1", "warp_direction=[1,0,0]", "rest_mesh=a.obj"):
            self.assertIn("has no option", refused("scene=rope", pair))


unittest.main(argv=[sys.argv[0]])
