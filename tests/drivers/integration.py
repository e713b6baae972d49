# SPDX-License-Identifier: GPL-3.0-or-later
"""Drivers accuracy, motion and dispersion, and what a trajectory says of falls, against theory worked out here."""
import math
import pathlib
import sys
import tempfile
import unittest

import h5py

from case import case


class Accuracy(unittest.TestCase):
    def test_oscillator_is_compared_with_the_exact_motion(self):
        """Symplectic Euler on the oscillator has a closed form: u = A cos(n t) + B sin(n t), t = 2 asin(z/2)."""
        columns = case("driver=accuracy", "scene=oscillator", "integrator=symplectic_euler", "h=0.01", "duration=2.7",
                       "amplitude=0.1", "initial_velocity=[0.05,0,0]")["columns"]
        h, omega, a, v0, n = 0.01, 2.0, 0.1, 0.05, 270
        theta = 2 * math.asin(h * omega / 2)
        first = a + h * (v0 - h * omega**2 * a)
        b = (first - a * math.cos(theta)) / math.sin(theta)
        position = a * math.cos(n * theta) + b * math.sin(n * theta)
        exact = a * math.cos(omega * 2.7) + v0 / omega * math.sin(omega * 2.7)
        self.assertEqual(columns["reference"], "exact")
        self.assertIsNone(columns["reference_error"])
        self.assertLessEqual(abs(columns["error_position"] - abs(position - exact)), 1e-13)

    def test_anything_more_is_compared_with_fine_steps(self):
        """With drag the exact motion is known here, not there: the reference must agree with it."""
        columns = case("driver=accuracy", "scene=oscillator", "integrator=explicit_euler", "h=0.02", "duration=1",
                       "drag=0.5")["columns"]
        a, rate, omega = 0.1, 0.25, math.sqrt(4 - 0.25**2)
        exact = a * math.exp(-rate) * (math.cos(omega) + rate / omega * math.sin(omega))
        x, v = a, 0.0
        for _ in range(50):
            x, v = x + 0.02 * v, v + 0.02 * (-4 * x - 0.5 * v)
        self.assertEqual(columns["reference"], "rk4")
        self.assertLessEqual(abs(columns["error_position"] - abs(x - exact)), 1e-10)
        self.assertLessEqual(columns["reference_error"], 1e-11)

    def test_a_reference_with_a_damping_rate_knows_its_order(self):
        """A factor a step makes rk4 a method of order 2 in the positions of what starts at rest, else of order 1; the
        exact motion is known here, not there."""
        def rk4_is_wrong_by(h, duration, a, v0, rate):
            force = lambda x: -4 * x
            x, v = a, v0
            for _ in range(round(duration / h)):
                k1, l1 = v, force(x)
                k2, l2 = v + h / 2 * l1, force(x + h / 2 * k1)
                k3, l3 = v + h / 2 * l2, force(x + h / 2 * k2)
                k4, l4 = v + h * l3, force(x + h * k3)
                x, v = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), (v + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)) * math.exp(-rate * h)
            omega = math.sqrt(4 - rate**2 / 4)
            exact = math.exp(-rate / 2 * duration) * (a * math.cos(omega * duration) +
                                                      (v0 + rate / 2 * a) / omega * math.sin(omega * duration))
            return abs(x - exact)

        for rate, v0, order in ((0.5, 0, 2), (0.5, 0.1, 1), (2, 0, 2), (1e-3, 0, 2)):
            columns = case("driver=accuracy", "scene=oscillator", "integrator=symplectic_euler", "h=0.04", "duration=4",
                           f"damping_rate={rate}", f"initial_velocity=[{v0},0,0]")["columns"]
            wrong = rk4_is_wrong_by(0.04 / 64, 4, 0.1, v0, rate)
            self.assertEqual(columns["reference"], "rk4")
            self.assertLessEqual(abs(columns["reference_error"] / wrong - 1), 0.05, (rate, v0))
            self.assertLessEqual(abs(columns["reference_order"] - order), 0.05, (rate, v0))

    def test_a_spring_of_another_length_is_not_the_exact_motion(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as data:
            data.write("first,second,stiffness,rest_length\n0,1,4,1.3\n")
            data.flush()
            columns = case("driver=accuracy", "scene=oscillator", "integrator=rk4", "h=0.01", "duration=2.7",
                           f"spring_data={data.name}")["columns"]
        self.assertEqual(columns["reference"], "rk4")
        self.assertLessEqual(columns["error_position"], 1e-8)

    def test_orders_on_a_sheet(self):
        sheet = ["driver=accuracy", "scene=cloth", "grid=2", "stiffness=10", "duration=0.1", "initial_velocity=[0.5,0.3,0]"]
        for integrator, order in (("explicit_euler", 1), ("velocity_verlet", 2), ("rk4", 4)):
            coarse, fine = (case(*sheet, f"integrator={integrator}", f"h={h}")["columns"] for h in ("0.005", "0.0025"))
            for error in ("error_position", "error_velocity"):
                self.assertLessEqual(abs(math.log2(coarse[error] / fine[error]) - order), 0.15, integrator)

    def test_what_leaves_its_bounds_is_not_compared(self):
        row = case("driver=accuracy", "scene=rope", "integrator=explicit_euler", "substeps=4", "frames=20")
        self.assertEqual(row["status"], "diverged")
        self.assertIsNone(row["columns"]["error_position"])

    def test_a_factor_a_step_has_no_limit(self):
        said = case("driver=accuracy", "scene=oscillator", "velocity_factor=0.9", status=2)
        self.assertIn("give damping_rate instead", said)


class Motion(unittest.TestCase):
    SHEET = ["scene=cloth", "grid=3", "stiffness=50", "frames=6", "frame_seconds=0.05", "initial_velocity=[0.5,0.3,0]"]

    def test_error_of_the_true_motion(self):
        """rk4 with twice the steps' length is off by the error of truth and 15 times that; with contact by twice that."""
        sheet = ["driver=motion", "scene=cloth", "grid=4", "stiffness=100", "integrator=rk4", "frames=30",
                 "frame_seconds=1/30", "initial_velocity=[0.5,0.3,0]"]
        ball = ["contact=cancel_velocity", "collider=sphere:centre=[0,0,-0.5],radius=0.4"]
        for more, share in (([], 15), (ball, 1)):
            steps = case(*sheet, "substeps=16", *more)["columns"]["truth_steps"]
            columns = case(*sheet, f"substeps={steps / 2:.0f}", *more)["columns"]
            self.assertGreater(columns["error"], 0)
            self.assertLessEqual(abs(columns["truth_error"] * share / columns["error"] - 1), 1e-9, more)

    def test_steps_of_an_oscillator(self):
        """A step of implicit or symplectic Euler has a closed form there, and is minimised at once."""
        h, omega, a = 0.05, 2.0, 0.1
        given = ["driver=motion", "scene=oscillator", f"amplitude={a}", "frames=20", "frame_seconds=0.1", "substeps=2"]
        for integrator, implicit in (("implicit_euler", True), ("symplectic_euler", False)):
            u, v, errors, moved = a, 0.0, [0.0], [0.0]
            for step in range(1, 41):
                v = (v - h * omega**2 * u) / (1 + (h * omega)**2 * implicit)
                u += h * v
                exact = a * math.cos(omega * step * h)
                if step % 2 == 0:
                    errors.append(abs(u - exact))
                    moved.append(abs(exact - a))
            columns = case(*given, f"integrator={integrator}")["columns"]
            motion = max(moved)
            self.assertLessEqual(abs(columns["motion"] - motion), 1e-9)
            self.assertLessEqual(abs(columns["error"] - max(errors) / motion), 1e-7)
            self.assertLessEqual(abs(columns["error_final"] - errors[-1] / motion), 1e-7)
            self.assertGreater(columns["floor"], 1e-11)
            self.assertLess(columns["floor"], 1e-8)
            self.assertLess(columns["truth_error"], 1e-8)
            if implicit:
                self.assertLessEqual(columns["error_solver"], 1e-12)
                self.assertLessEqual(abs(columns["error_steps"] - columns["error"]), 1e-11)
            else:  # forces of one spring and two vertices; the unit is a spring's local step and three solves of 1 x 1
                self.assertIsNone(columns["error_solver"])
                self.assertIsNone(columns["error_steps"])
                self.assertAlmostEqual(columns["work_per_frame"], 2 * (21 + 2 * 9) / (21 + 12), 12)

    def states(self, folder, *pairs):
        path = f"{folder}/{len(list(pathlib.Path(folder).iterdir()))}.h5"
        case("driver=trajectory", *self.SHEET, *pairs, "save=every:1", "-o", path)
        with h5py.File(path) as file:
            return [file[f"frames/{frame}/position"][...] for frame in sorted(file["frames"], key=int)]

    def test_errors_are_those_of_stored_motions(self):
        loose = ["integrator=implicit_euler", "minimizer=local_global", "max_iterations=2", "substeps=2"]
        with tempfile.TemporaryDirectory() as folder:
            own = self.states(folder, *loose)
            exact = self.states(folder, "integrator=implicit_euler", "minimizer=newton", "hessian=blended", "step=armijo",
                                "max_iterations=500", "gradient_tolerance=1e-9", "substeps=2")
            truth = self.states(folder, "integrator=rk4", "substeps=256")
        def apart(a, b):
            return max(abs(p - q).max() for p, q in zip(a, b))
        motion = apart(truth, [truth[0]] * len(truth))
        for more in ([], ["ranks=2"]):
            columns = case("driver=motion", *self.SHEET, *loose, *more)["columns"]
            for name, a, b in (("error", own, truth), ("error_solver", own, exact), ("error_steps", exact, truth)):
                self.assertLessEqual(abs(columns[name] - apart(a, b) / motion), 1e-7, name)
            self.assertLessEqual(abs(columns["error_final"] - apart(own[-1:], truth[-1:]) / motion), 1e-7)
            self.assertEqual(columns["steps_done"], 12)
            self.assertEqual(columns["minimizer_iterations_mean"], 2)

    def test_cases_share_all_motions_but_their_own(self):
        """Whoever reads them has the bits of whoever computes them; half a run stores nothing."""
        pairs = ["integrator=implicit_euler", "max_iterations=2", "minimizer="]
        with tempfile.TemporaryDirectory() as folder:
            def digest(method, *more):
                return case("driver=motion", *self.SHEET, *pairs[:-1], pairs[-1] + method, *more)["digest"]
            shared = f"--shared={folder}"
            case("driver=motion", *self.SHEET, "integrator=explicit_euler", "vertex_mass=1e-6", shared)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])
            for method, motions in (("local_global", 1), ("nonlinear_cg", 1), ("newton", 1)):
                self.assertEqual(digest(method, shared), digest(method), method)
                self.assertEqual(len(list(pathlib.Path(folder).iterdir())), motions, method)
            digest("newton", "start=coast", shared)
            self.assertEqual(len(list(pathlib.Path(folder).iterdir())), 2)

    def test_only_the_case_is_timed(self):
        row = case("driver=motion", *self.SHEET, "integrator=implicit_euler")
        self.assertGreater(row["columns"]["frame_s"], 0)
        self.assertLess(6 * row["columns"]["frame_s"], row["wall_s"])
        self.assertIsNone(case("driver=motion", *self.SHEET, "--untimed")["columns"]["frame_s"])

    def test_what_there_is_nothing_to_compare_with(self):
        self.assertIn("give damping_rate instead", case("driver=motion", *self.SHEET, "velocity_factor=0.9", status=2))
        self.assertIn("makes them rigid", case("driver=motion", *self.SHEET, "integrator=position_verlet", status=2))
        row = case("driver=motion", *self.SHEET, "integrator=symplectic_euler", "substeps=1", "vertex_mass=1e-6")
        self.assertEqual(row["status"], "diverged")


class Dispersion(unittest.TestCase):
    def test_frequency_and_growth_of_every_kind_of_ends(self):
        n, j, h = 6, 3, 0.3
        for ends, q in (("fixed_fixed", j * math.pi / (n + 1)), ("fixed_free", (2 * j - 1) * math.pi / (2 * n + 1)),
                        ("free_free", j * math.pi / n)):
            omega = 2 * math.sqrt(8 / 2) * math.sin(q / 2)
            for integrator, theta, growth in (("velocity_verlet", 2 * math.asin(h * omega / 2), 1),
                                              ("explicit_euler", math.atan(h * omega), math.hypot(1, h * omega)),
                                              ("implicit_euler", math.atan(h * omega), 1 / math.hypot(1, h * omega))):
                columns = case("driver=dispersion", "scene=chain", f"nodes={n}", f"initial_mode={j}", f"ends={ends}",
                               "stiffness=8", "vertex_mass=2", "amplitude=1e-4", f"integrator={integrator}", f"h={h}",
                               "duration=30", *["max_iterations=3"] * (integrator == "implicit_euler"))["columns"]
                self.assertLessEqual(abs(columns["wave_number"] - q), 1e-14)
                self.assertLessEqual(abs(columns["frequency_exact"] - omega), 1e-14)
                self.assertLessEqual(abs(columns["frequency_measured"] - theta / h), 1e-8, (ends, integrator))
                self.assertLessEqual(abs(columns["frequency_numerical"] - theta / h), 1e-13, (ends, integrator))
                self.assertLessEqual(abs(columns["growth_measured"] - growth), 1e-8, (ends, integrator))
                self.assertLessEqual(abs(columns["growth_numerical"] - growth), 1e-13, (ends, integrator))

    def test_damping_shows_in_the_growth(self):
        """Drag c/m under symplectic Euler: the eigenvalues' product is 1 - h c/m."""
        columns = case("driver=dispersion", "scene=chain", "nodes=5", "initial_mode=2", "amplitude=1e-3", "drag=0.1",
                       "integrator=symplectic_euler", "h=0.5", "duration=40")["columns"]
        self.assertLessEqual(abs(columns["growth_measured"] - math.sqrt(1 - 0.5 * 0.1)), 1e-9)

    def test_what_it_cannot_measure_is_refused(self):
        self.assertIn("scene=rope", case("driver=dispersion", "scene=rope", status=2))
        self.assertIn("below 0.1 m", case("driver=dispersion", "scene=chain", "amplitude=0.2", status=2))
        chain = ["driver=dispersion", "scene=chain", "nodes=5", "amplitude=1e-3", "h=0.1"]
        self.assertIn("does not support gravity", case(*chain, "gravity=[0.001,0,0]", status=2))
        self.assertIn("does not support wind", case(*chain, "wind=uniform:acceleration=[1,0,0]", status=2))
        for name, text, words in (("vertex_data", "vertex,mass\n3,4\n", "masses differ"),
                                  ("spring_data", "first,second,stiffness\n1,2,2\n", "springs differ")):
            with tempfile.NamedTemporaryFile("w", suffix=".csv") as data:
                data.write(text)
                data.flush()
                self.assertIn(words, case(*chain, f"{name}={data.name}", status=2))


class Falls(unittest.TestCase):
    def test_a_pendulum_falls_twice_a_period(self):
        """A stiff rope of one segment, 400 m long, from the horizontal: T = 4 sqrt(l/g) K(sin 45 deg) = 148.3 s."""
        rope = ["scene=rope", "nodes=2", "stiffness=1000", "integrator=velocity_verlet", "substeps=16"]
        columns = case(*rope, "frames=296")["columns"]
        self.assertEqual(columns["falls"], 4)
        self.assertLessEqual(abs(columns["fall_time"] - 148.3 / 4), 6)
        self.assertEqual(case(*rope, "frames=3")["columns"]["falls"], 1)

    def test_what_only_bounces_does_not_fall_again(self):
        columns = case("scene=rope", "integrator=symplectic_euler", "drag=0.1", "frames=150")["columns"]
        self.assertEqual(columns["falls"], 1)
        self.assertTrue(40 < columns["fall_time"] < 90)

    def test_no_gravity_no_falls(self):
        self.assertIsNone(case("scene=oscillator", "duration=1")["columns"]["falls"])


unittest.main(argv=[sys.argv[0]])
