# SPDX-License-Identifier: GPL-3.0-or-later
"""Laws of springs and damping inside the step, against closed forms: laws.py PROGRAM [TEST …]."""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

from case import PROGRAM, case

IMPLICIT = ["implicit_euler", "bdf2", "sdirk2", "implicit_midpoint"]
EXPLICIT = ["explicit_euler", "symplectic_euler", "velocity_verlet", "stoermer_verlet", "midpoint", "rk4"]
FORMULA = ["law=formula", "law_energy=k*l^2*(cosh(r/l - 1) - 1)", "law_force=k*l*sinh(r/l - 1)", "law_stiffness=k*cosh(r/l - 1)"]
SOME = (["law=hooke"], ["law=tension"], FORMULA)  # by vectors, and spring by spring
LAWS = {"tension": ["law=tension"], "cubic": ["law=cubic", "law_cubic=5"], "piecewise": ["law=piecewise", "law_knee=0.1", "law_ratio=6"],
        "exponential": ["law=exponential", "law_exponent=4"], "formula": FORMULA}


def mean_of(a, b):
    """The arithmetic-geometric mean."""
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return a


def bisected(function, low, high):
    """The root of a function that rises."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return (low + high) / 2


class Laws(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_case(self, *pairs, name="case", **more):
        """The row, and places and velocities of the stored frames."""
        path = self.folder / f"{name}.h5"
        path.unlink(missing_ok=True)
        row = case(*pairs, "-o", str(path), **more)
        self.assertEqual(row["status"], "ok", (pairs, row["reason"]))
        with h5py.File(path) as file:
            return row, *(file[f"particles/all/{part}/value"][()] for part in ("position", "velocity"))

    def spring_data(self, net, length):
        """Rest lengths of all springs of a net: their share of its own."""
        self.run_case(*net, "steps=1", "driver=trajectory", "integrator=symplectic_euler", name="net")
        with h5py.File(self.folder / "net.h5") as file:
            rows = zip(file["connectivity/springs"][()], file["springs/rest_length"][()])
            lines = [f"{a},{b},{length * l!r}\n" for (a, b), l in rows]
        path = self.folder / "springs.csv"
        path.write_text("first,second,rest_length\n" + "".join(lines))
        return f"spring_data={path}"

    # Laws
    def test_duffings_period_is_the_elliptic_integral(self):
        """m e'' = -k (e + c e^3) from A at rest: e = A cn(w t), w^2 = k (1 + c A^2)/m, the parameter m = k c A^2/(2 w^2), and
        the period 4 K(m)/w with K(m) = pi/(2 agm(1, sqrt(1 - m)))."""
        for c in (2, 0.5, -0.4):
            for amplitude in (0.02, 0.3, 0.9):
                rate = math.sqrt(4 * (1 + c * amplitude**2))
                parameter = 2 * c * amplitude**2 / rate**2
                period = 2 * math.pi / mean_of(1, math.sqrt(1 - parameter)) / rate
                steps = 8000
                row, x, v = self.run_case("scene=oscillator", f"amplitude={amplitude}", "law=cubic", f"law_cubic={c}",
                                          "integrator=rk4", f"h={period / steps!r}", f"steps={steps}", f"save=every:{steps // 4}")
                top = amplitude * rate * math.sqrt(1 - parameter)  # |e'| where e = 0: energy
                want = np.array([(1, 0), (0, -1), (-1, 0), (0, 1), (1, 0)])
                self.assertLess(np.abs(x[:, 1, 0] - 1 - amplitude * want[:, 0]).max(), 1e-12, (c, amplitude))
                self.assertLess(np.abs(v[:, 1, 0] - top * want[:, 1]).max(), 4e-12, (c, amplitude))
                self.assertLess(row["columns"]["energy_error_max"], 1e-12)

    def test_a_string_stretches_by_its_law(self):
        """Each segment by the strain whose force is the weight below."""
        k, nodes = 100.0, 9
        l, b = 1 / (nodes - 1), 4
        strains = {"tension": lambda f: f, "exponential": lambda f: math.log1p(b * f) / b,
                   "cubic": lambda f: bisected(lambda e: e + 5 * e**3 - f, 0, 10),
                   "piecewise": lambda f: f if f < 0.1 else 0.1 + (f - 0.1) / 6, "formula": math.asinh}
        for law, strain in strains.items():
            columns = case("driver=statics", "scene=rope", f"nodes={nodes}", "rope_from=[0,0,0]", "rope_to=[0,-1,0]", *LAWS[law],
                           f"stiffness={k}", "gradient_tolerance=1e-10")["columns"]
            forces = [below / (k * l) for below in range(1, nodes)]
            self.assertAlmostEqual(columns["sag"], l * sum(map(strain, forces)), delta=1e-10, msg=law)
            self.assertAlmostEqual(columns["strain_max"], strain(forces[-1]), delta=1e-10, msg=law)
            self.assertAlmostEqual(columns["pin_force"], nodes - 1, delta=1e-8, msg=law)

    def test_a_spring_may_have_parameters_of_its_own(self):
        """A string of three stretches by three laws. The option holds where the file names no spring."""
        rope = ["driver=statics", "scene=rope", "nodes=4", "rope_from=[0,0,0]", "rope_to=[0,-3,0]", "stiffness=10", "law=cubic",
                "gradient_tolerance=1e-10", "save=final"]
        data = self.folder / "springs.csv"
        for ranks in ([], ["ranks=3"]):
            data.write_text("law_knee,first,second,law_cubic\n9,2,1,50\n9,2,3,0\n")
            _, x, _ = self.run_case(*rope, f"spring_data={data}", "law_cubic=2", *ranks)
            forces = [f / 10 for f in (3, 2, 1)]
            want = np.cumsum([1 + bisected(lambda e: e + c * e**3 - f, 0, 10) for f, c in zip(forces, (2, 50, 0))])
            self.assertLess(np.abs(x[-1, 1:, 1] + want).max(), 1e-10, ranks)
        for text, place, what in (("first,second,law_ratio\n0,1,-2\n", "2", "law_ratio is in [0,1e9]; got -2"),
                                  ("first,second,law_cubi\n0,1,2\n", "1:14", "law_cubi"), ("first,second\n0,1\n", "1", "law's parameter")):
            data.write_text(text)
            error = case(*rope[:-3], f"spring_data={data}", "law=piecewise", status=2)
            self.assertIn(f"{data}:{place}: error: ", error)
            self.assertIn(what, error)
        data.write_text("first,second,law_cubic\n0,1,-2\n1,2,2\n")
        net = ["scene=rope", "nodes=4", "integrator=implicit_euler", "law=cubic", f"spring_data={data}", "h=0.01", "steps=1"]
        self.assertIn("E106", case(*net, "minimizer=local_global", status=2))
        self.assertIn("E106", case(*net, "minimizer=admm", "law_cubic=0", status=2))
        data.write_text("first,second,law_cubic\n0,1,-2\n1,2,0\n")
        case(*net, "minimizer=local_global", "law_cubic=0")
        data.write_text("first,second,law_ratio\n0,1,9\n1,2,1\n")  # local-global with the bounds of each spring
        places = [self.run_case(*net[:3], f"spring_data={data}", "h=0.1", "steps=9", "law=piecewise", "law_ratio=0.5", "law_knee=0",
                                "gradient_tolerance=1e-9", *more)[1][-1]
                  for more in ([], ["minimizer=local_global", "max_iterations=9000"])]
        self.assertLess(np.abs(places[1] - places[0]).max(), 1e-9)

    def catenary(self, springs, span, k, l):
        """Places of a rope of unit masses between pins at the same height: the tension along x is the same everywhere, that
        along y differs by a weight from spring to spring."""
        heights = np.arange(springs) - (springs - 1) / 2
        parts = lambda pull: (l / np.hypot(pull, heights) + 1 / k)
        pull = bisected(lambda pull: (pull * parts(pull)).sum() - span, 1e-9, 1e9)
        return np.cumsum([[0, 0], *zip(pull * parts(pull), heights * parts(pull))], axis=0)

    def test_a_rope_without_compression_is_a_catenary(self):
        rope = ["scene=rope", "nodes=12", "rope_from=[0,0,0]", "rope_to=[1,0,0]", "pins=[0,11]", "stiffness=2000"]
        data = self.spring_data(rope, 1.4)
        want = self.catenary(11, 1, 2000, 1.4 / 11)
        for more in ([], ["minimizer=local_global", "max_iterations=2000"], ["minimizer=newton_cg"], ["hessian=exact"]):
            _, x, _ = self.run_case("driver=statics", *rope, data, "law=tension", "gradient_tolerance=1e-9", *more, "save=final")
            self.assertLess(np.abs(x[-1, :, :2] - want).max(), 1e-9, more)

    def test_a_slack_sheet_has_no_force(self):
        """It falls as its vertices would alone, whatever its shape, by every method."""
        sheet = ["scene=cloth", "grid=3", "pins=none", "perturbation=0.05", "law=tension", "h=0.01", "steps=5", "save=every:1",
                 "initial_velocity=[1,2,3]"]
        data, h, n = self.spring_data(sheet[:3], 1.5), 0.01, np.arange(6)[:, None, None]
        fall = {"explicit_euler": n * (n - 1), "velocity_verlet": n * n, "stoermer_verlet": n * n, "midpoint": n * n, "rk4": n * n}
        methods = [[f"integrator={name}"] for name in EXPLICIT] + [["integrator=implicit_euler", f"minimizer={name}"] for name in minimizers()]
        for method in methods:
            row, x, _ = self.run_case(*sheet, data, *method)
            square = fall.get(method[0].split("=")[1], n * (n + 1))
            want = x[0] + n * h * np.array([1, 2, 3]) + square / 2 * h * h * np.array([0, 0, -9.8])
            self.assertLess(np.abs(x - want).max(), 1e-14, method)
            with h5py.File(self.folder / "case.h5") as file:
                self.assertEqual(np.abs(file["observables/energy_elastic/value"][()]).max(), 0)
        pressed = self.run_case(*[pair for pair in sheet if pair != "law=tension"], data, "stiffness=10")[1]
        self.assertGreater(np.abs(pressed - want).max(), 0.01)

    def test_cloth_without_compression_has_one_minimum(self):
        cloth = ["driver=statics", "scene=cloth", "grid=5", "springs=crossed", "law=tension", "gradient_tolerance=1e-10", "save=final"]
        energies = []
        for more in ([], ["perturbation=0.2"], ["perturbation=0.3", "seed=7"], ["perturbation=0.2", "minimizer=lbfgs", "max_iterations=1000"]):
            columns = self.run_case(*cloth, *more)[0]["columns"]
            energies.append(columns["energy_elastic"] + columns["energy_gravity"])
        self.assertLess(max(energies) - min(energies), 1e-11 * abs(energies[0]), energies)

    def test_laws_without_a_bound_are_compared_in_the_same_unit(self):
        """Flops of an iteration of local-global depend on the net alone, so that a factorisation costs the same work."""
        net = ["scene=cloth", "grid=4", "perturbation=0.1", "steps=2", "h=0.03"]
        prices = []
        for law in (["law=hooke"], ["law=exponential", "law_exponent=20"], ["law=cubic", "law_cubic=50"], FORMULA):
            columns = case("driver=convergence", *net, *law, "minimizer=newton", "hessian=blended", "step=armijo")["columns"]
            self.assertLess(columns["place_error_final"], 1e-9, law)
            moved = case("driver=motion", *net[:3], "frame_seconds=0.03", "frames=2", "substeps=1", *law, "integrator=implicit_euler",
                         "minimizer=newton", "max_iterations=1", "gradient_tolerance=0", "hessian=exact")["columns"]
            prices.append((columns["setup_work"], moved["work_per_frame"]))
        self.assertEqual(len(set(prices)), 1, prices)

    # Damping inside the step
    def chain(self, *pairs):
        """Amplitudes of a mode of a chain between fixed ends, frame by frame, and its rate squared."""
        n, mode = 6, 3
        _, x, _ = self.run_case("scene=chain", "ends=fixed_fixed", f"nodes={n}", f"initial_mode={mode}", "amplitude=0.4", "save=every:1",
                                *pairs)
        order, shape = np.argsort(x[0, :, 0]), np.sin(np.pi * mode * np.arange(n + 2) / (n + 1))
        return (x[:, order, 0] - x[0, order, 0].round()) @ shape, 4 * math.sin(math.pi * mode / (2 * (n + 1))) ** 2

    def factor(self, *pairs):
        """Returns that of the amplitude per step: a_n a_(n+2) - a_(n+1)^2 of two terms changes by its square."""
        a, square = self.chain(*pairs, "steps=3")
        return math.sqrt((a[1] * a[3] - a[2] ** 2) / (a[0] * a[2] - a[1] ** 2)), square

    def test_a_mode_is_braked_as_by_theory(self):
        beta = 0.3
        for h in (1, 0.5, 0.2, 0.1, 0.05):
            pairs, newton = [f"h={h}", f"damping_in_step={beta}"], f"gradient_tolerance={1e-14 * (1 + 1 / h**2)!r}"
            for method in ([newton], ["minimizer=local_global", "max_iterations=20"]):
                got, square = self.factor(*pairs, "integrator=implicit_euler", *method)
                self.assertAlmostEqual(got, (1 + h * (h + beta) * square) ** -0.5, delta=1e-10, msg=(h, method))
            self.assertAlmostEqual(self.factor(*pairs, "integrator=symplectic_euler")[0], (1 - h * beta * square) ** 0.5, delta=1e-10)
            got = self.factor(*pairs, "integrator=implicit_midpoint", newton)[0]
            x, y = h * h * square / 4, h * beta * square / 2
            self.assertAlmostEqual(got, ((1 - y + x) / (1 + y + x)) ** 0.5, delta=1e-10, msg=h)
        for h in (0.01, 0.005):
            got, square = self.factor(f"h={h}", f"damping_in_step={beta}", "integrator=implicit_euler", "minimizer=local_global",
                                      "max_iterations=20")
            self.assertAlmostEqual(math.log(got) / h, -beta * square / 2, delta=h * (square + (beta * square) ** 2) / 2)

    def test_free_fall_is_not_braked(self):
        """A sheet at rest in itself: momentum m g t to rounding by every method."""
        sheet = ["scene=cloth", "grid=4", "pins=none", "stiffness=10", "h=0.001", "steps=50", "damping_in_step=0.02",
                 "initial_velocity=[0.5,0,0]"]
        for method in [[f"integrator={name}"] for name in EXPLICIT + IMPLICIT] + \
                [["integrator=implicit_euler", f"minimizer={name}", "max_iterations=5", "gradient_tolerance=0"] for name in minimizers()]:
            _, _, v = self.run_case(*sheet, *method, "save=final")
            self.assertLess(np.abs(v[-1] - [0.5, 0, -9.8 * 0.05]).max(), 1e-10, method)

    def test_the_force_of_damping_keeps_momentum(self):
        """A strained sheet: momentum by methods that converge, angular momentum by those that keep it."""
        sheet = ["scene=cloth", "grid=3", "pins=none", "perturbation=0.1", "stiffness=200", "steps=20", "gravity=[0,0,0]",
                 "initial_velocity=[1,-2,0.5]"]
        newton = ["h=0.01", "gradient_tolerance=4e-12"]
        for law in (["law=hooke"], *LAWS.values()):
            for method, turns in ((["integrator=implicit_euler", *newton], False), (["integrator=implicit_midpoint", *newton], True),
                                  (["integrator=symplectic_euler", "h=0.002"], True)):
                energies = []
                for beta in (0, 0.01):
                    row, _, _ = self.run_case(*sheet, *law, *method, f"damping_in_step={beta}")
                    energies.append(row["columns"]["energy_final"])
                    with h5py.File(self.folder / "case.h5") as file:
                        for name in ["momentum"] + ["angular_momentum"] * turns:
                            value = file[f"observables/{name}/value"][()]
                            self.assertLess(np.abs(value - value[0]).max(), 1e-11, (law, method, beta, name))
                self.assertLess(energies[1], energies[0], (law, method))

    def test_turning_is_not_braked(self):
        """A mass on a spring round a pin, in balance with the centrifugal force: its speed stays."""
        a = 0.25
        speed = math.sqrt(4 * a * (1 + a))
        for integrator, more in (("implicit_midpoint", ["gradient_tolerance=1e-11"]), ("symplectic_euler", []), ("rk4", [])):
            row, x, v = self.run_case("scene=oscillator", f"amplitude={a}", f"initial_velocity=[0,{speed!r},0]", "damping_in_step=0.5",
                                      f"integrator={integrator}", *more, "h=0.01", "steps=400", "save=every:400")
            turned = np.cross(x[:, 1], v[:, 1])[:, 2]
            self.assertAlmostEqual(turned[1], turned[0], delta=1e-7 if integrator == "rk4" else 1e-12)
            self.assertAlmostEqual(np.linalg.norm(x[1, 1]), 1 + a, delta=0.05)

    def test_other_methods_on_the_net_leave_the_damping_alone(self):
        """Driver motion makes steps of the method in turn with those of a reference, whose damping is a force."""
        net = ["scene=curtain", "grid=4", "stiffness=300", "damping_in_step=0.02", "frames=3", "frame_seconds=0.01", "substeps=5"]
        for method in (["integrator=implicit_euler"], ["integrator=sdirk2", "law=tension"], ["integrator=rk4"]):
            places = [self.run_case(*net, *method, "save=final", f"driver={driver}")[1][-1] for driver in ("trajectory", "motion")]
            np.testing.assert_array_equal(*places, str(method))

    # Ranks, threads, runs in two parts
    def test_ranks_and_threads_agree(self):
        sheet = ["scene=cloth", "grid=4", "stiffness=300", "perturbation=0.1", "steps=10", "save=final", "pins=corners2",
                 "damping_in_step=0.01"]
        for law in SOME:
            for method in (["integrator=symplectic_euler", "h=0.002"], ["integrator=rk4", "h=0.002"],
                           ["integrator=implicit_euler", "h=0.01", "gradient_tolerance=1e-11"],
                           ["integrator=implicit_euler", "h=0.01", "gradient_tolerance=1e-11", "minimizer=newton_cg"]):
                row, x, v = self.run_case(*sheet, *law, *method)
                for more in (["threads=3"], ["ranks=2"], ["ranks=3"]):
                    other, y, w = self.run_case(*sheet, *law, *method, *more)
                    if more == ["threads=3"]:
                        self.assertEqual(row["digest"], other["digest"], (law, method))
                    self.assertLess(np.abs(x - y).max(), 1e-12, (law, method, more))
                    self.assertLess(np.abs(v - w).max(), 1e-10, (law, method, more))
                    for name in ("energy_final", "strain_max"):
                        self.assertAlmostEqual(row["columns"][name], other["columns"][name], delta=1e-11, msg=(law, method, more))

    def test_a_run_goes_on_with_the_same_bits(self):
        sheet = ["scene=cloth", "grid=3", "stiffness=300", "perturbation=0.1", "h=0.005", "save=final", "damping_in_step=0.01"]
        for law in SOME:
            for integrator in ("symplectic_euler", "implicit_euler", "bdf2", "implicit_midpoint"):
                pairs = [*sheet, *law, f"integrator={integrator}"]
                whole = self.run_case(*pairs, "steps=8")[1:]
                self.run_case(*pairs, "steps=4", name="half")
                on = self.run_case(*pairs, "steps=8", f"restart={self.folder / 'half.h5'}")[1:]
                np.testing.assert_array_equal(np.array(whole)[:, -1], np.array(on)[:, -1], str((law, integrator)))


def minimizers():
    listed = subprocess.run([PROGRAM, "list", "minimizers", "--json"], capture_output=True, text=True, check=True).stdout
    return [entry["name"] for entry in json.loads(listed)["minimizers"]]


unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
