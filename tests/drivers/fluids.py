# SPDX-License-Identifier: GPL-3.0-or-later
"""Fluids, as `springbench case` moves them: what they keep, what they weigh, and going on to the bit. Arguments: the
program."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy

from case import PROGRAM, case


def last(path):
    with h5py.File(path) as file:
        particles = file["particles/all"]
        return [particles[name + "/value"][-1] for name in ("position", "velocity", "pressure", "density")]


class Fluids(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)

    def path(self, name):
        return str(self.folder / name)

    def test_momentum_stays_in_a_periodic_box(self):
        """By every solver, with viscosity, and where particles are shifted."""
        for more in ([], ["pressure_solver=projected_gauss_seidel", "shifting=0"], ["pressure_solver=dfsph"],
                     ["pressure_solver=unbounded", "linear=petsc", "petsc=cg_icc"], ["pressure_matrix=free"],
                     ["pressure_target=constant_density", "pressure_solver=projected_jacobi"],
                     ["integrator=symplectic_euler", "sound_speed=20", "h=0.0005"]):
            columns = case("scene=taylor_green", "spacing=1/16", "duration=0.05", "pressure_max_iterations=200",
                           *more)["columns"]
            self.assertLessEqual(columns["momentum_change"], 1e-14, more)
            self.assertGreater(columns["kinetic_ratio"], 0.1, more)
            self.assertLess(columns["kinetic_ratio"], 1.05, more)

    def test_gradients_of_differences_keep_no_momentum(self):
        """So that the check above can fail."""
        columns = case("scene=taylor_green", "spacing=1/16", "duration=0.05", "laplacian=one_ring",
                       "pressure_solver=unbounded", "linear=petsc", "petsc=cg_icc")["columns"]
        self.assertGreater(columns["momentum_change"], 1e-9)

    def test_a_column_carries_its_weight(self):
        """The walls push up with the weight of the fluid, and pressures are those of depth: p = q rho^2/m, 0 in
        walls."""
        row = case("scene=column", "spacing=0.1", "duration=5", "save=every:50", "-o", self.path("column.h5"))
        columns = row["columns"]
        self.assertLess(columns["kinetic_weight"], 1e-4)
        position, _, pressure, density = last(self.path("column.h5"))
        free = density > 0
        self.assertEqual(int(free.sum()), 100)
        self.assertTrue((pressure[~free] == 0).all())
        self.assertTrue((pressure >= 0).all())
        upper, lower = position[:, 1] > 0.5, position[:, 1] < 0.5
        self.assertGreater(pressure[free & lower].mean(), 2 * pressure[free & upper].mean())
        self.assertLess(abs(pressure[free].mean() / 500 - 1), 0.3)  # rho g H/2, with the wall's layer

    def test_solvers_move_the_fluid_alike(self):
        """Solved to the end, all that know bounds take the same steps."""
        rows = []
        for solver in ("projected_jacobi", "projected_gauss_seidel", "tao", "active_set"):
            case("scene=dam_break", "spacing=0.1", "duration=0.05", "disorder=0.2", "relaxation=20",
                 "pressure_tolerance=1e-8", "pressure_max_iterations=100000", f"pressure_solver={solver}", "-o",
                 self.path(solver + ".h5"))
            rows.append(last(self.path(solver + ".h5")))
        for other in rows[1:]:
            for mine, theirs, scale in zip(rows[0][:2], other[:2], (1e-8, 1e-6)):  # 0.05 m and 0.05 m/s of fall
                self.assertLessEqual(abs(mine - theirs).max(), scale)

    def test_a_run_that_goes_on_is_one_run_to_the_bit(self):
        for more in (["pressure_solver=projected_gauss_seidel", "h=0.005"], ["pressure_solver=tao", "courant=0.02", "h=0.005"],
                     ["integrator=velocity_verlet", "sound_speed=20", "h=0.001"]):
            scene = ["scene=dam_break", "spacing=0.1", *more]
            h = float(more[-1][2:])
            case(*scene, f"duration={40 * h}", "-o", self.path("whole.h5"))
            case(*scene, f"duration={15 * h}", "-o", self.path("part.h5"))
            done = subprocess.run([PROGRAM, "case", "--continue", self.path("part.h5"), f"duration={40 * h}", "-o",
                                   self.path("rest.h5")], capture_output=True, text=True, timeout=200)
            self.assertEqual(done.returncode, 0, done.stderr)
            for whole, parts in zip(last(self.path("whole.h5")), last(self.path("rest.h5"))):
                self.assertTrue((whole == parts).all(), more)

    def test_a_ball_in_the_way_of_a_dam(self):
        """Particles would run through where it lies; filters keep them out, and springs nearly."""
        nearest = {}
        for contact, more in (("none", []), ("cancel_velocity", []), ("penalty", ["contact_stiffness=100000"])):
            ball = [] if contact == "none" else ["collider=sphere:centre=[1.5,0,0],radius=0.4", f"contact={contact}", *more]
            case("scene=dam_break", "spacing=0.1", "duration=1.5", "save=every:10", *ball, "-o", self.path(contact))
            with h5py.File(self.path(contact)) as file:
                position, density = (file["particles/all"][name + "/value"][...] for name in ("position", "density"))
            free = density[-1] > 0
            nearest[contact] = numpy.hypot(position[:, free, 0] - 1.5, position[:, free, 1]).min()
        self.assertLess(nearest["none"], 0.2)
        self.assertGreater(nearest["cancel_velocity"], 0.4 - 1e-9)
        self.assertGreater(nearest["penalty"], 0.37)
        self.assertLess(nearest["penalty"], 0.4)

    def test_an_exact_solve_leaves_no_divergence(self):
        """D v = 0 after a step but for its mean, with D of where the step began, by another program; with bounds no
        density rises."""
        def rates(position, velocity):  # sum_j m (v_i - v_j).grad W_ij, Wendland C2, but for constants
            apart = position[:, None] - position[None]
            apart -= numpy.round(apart)
            q = numpy.sqrt((apart ** 2).sum(axis=2)) / (2.4 / 16)
            slope = numpy.where(q < 1, -20 * (1 - q) ** 3, 0)
            return ((velocity[:, None] - velocity[None]) * apart * slope[:, :, None]).sum(axis=(1, 2))

        for bounds in (False, True):
            solver = ["pressure_solver=active_set"] if bounds else ["pressure_solver=unbounded"]
            case("scene=taylor_green", "spacing=1/16", "viscosity=0", "duration=0.005", "pressure_tolerance=1e-10",
                 "linear_tolerance=1e-12", "linear=petsc", "petsc=cg_icc", *solver, "save=every:1", "-o", self.path("one"))
            with h5py.File(self.path("one")) as file:
                position, velocity = (file["particles/all"][name + "/value"][...] for name in ("position", "velocity"))
            before, after = (rates(position[0], velocity[step]) for step in (0, 1))
            before, after = before - before.mean(), after - before.mean()
            left = abs(after if not bounds else numpy.maximum(after, 0)).max()
            self.assertGreater(abs(before).max(), 1e-3)
            self.assertLess(left, 1e-7 * abs(before).max(), solver)

    def test_a_courant_number_cuts_steps(self):
        """Parts of a step are steps: of a block that falls freely, and of a dam, whose pressures they have a part in."""
        fall = ["scene=column", "spacing=0.1", "gravity=[0,-1,0]", "viscosity=0", "driver=flow", "initial_velocity=[0,1,0]"]
        dam = ["scene=dam_break", "spacing=0.1", "disorder=0.2", "relaxation=20", "pressure_tolerance=1e-12",
               "pressure_solver=active_set"]
        for scene, courant, speed, parts in ((fall, 0.025, 1.01, 5), (dam, 0.0003, 0.01, 4)):
            self.assertEqual(int(numpy.ceil(speed * 0.01 / (courant * 0.1))), parts)
            case(*scene, "h=0.01", "duration=0.01", f"courant={courant}", "-o", self.path("cut.h5"))
            case(*scene, f"h={0.01 / parts}", "duration=0.01", "courant=10", "-o", self.path("small.h5"))
            for one, other in zip(last(self.path("cut.h5"))[:3], last(self.path("small.h5"))[:3]):
                self.assertLessEqual(abs(one - other).max(), 1e-10 * max(1, abs(one).max()))

    def test_a_moving_frame_changes_nothing(self):
        """Vortices in a box that moves with 3 m/s along x and -2 m/s along y: shifts and parts of a step are those of
        the box at rest, and gravity, which moves all of it, cuts no step."""
        def columns(*more):
            return case("scene=taylor_green", "spacing=1/16", "duration=0.1", "h=0.01", "relaxation=20",
                        "pressure_tolerance=1e-10", *more)["columns"]

        moving, falling = "initial_velocity=[3,-2,0]", "gravity=[0,-10,0]"
        for common, others in (([], [[moving]]), (["courant=0.1"], [[moving], [falling], [moving, falling]])):
            rest = columns(*common)
            self.assertLess(rest["kinetic_ratio"], 0.99)
            for more in others:
                row = columns(*common, *more)
                for name in ("kinetic_ratio", "density_mean", "density_max", "courant_max"):
                    self.assertLessEqual(abs(row[name] - rest[name]), 1e-7, (common, more, name))

    def test_vortices_start_without_divergence(self):
        """In boxes of any shape the first step takes no energy but that of viscosity, at a rate of 2 nu (kx^2 + ky^2)."""
        for width, depth in ((1, 1), (2, 1), (0.5, 2)):
            box = ["scene=taylor_green", "spacing=1/32", f"width={width}", f"depth={depth}", "disorder=0", "shifting=0"]
            for viscosity in (0, 0.05):
                columns = case(*box, f"viscosity={viscosity}", "h=0.001", "duration=0.001")["columns"]
                rate = 8 * numpy.pi ** 2 * viscosity * (1 / width ** 2 + 1 / depth ** 2)
                self.assertAlmostEqual(columns["kinetic_exact"], numpy.exp(-0.001 * rate), delta=1e-12)
                self.assertLessEqual(abs(columns["kinetic_ratio"] - columns["kinetic_exact"]), 2e-3 + 2e-4 * rate,
                                     (width, depth, viscosity))

    def test_two_dimensions_are_a_plane(self):
        """Options that would move particles out of the plane are refused, but not in 3 dimensions."""
        for option, value in (("gravity", "[0,-1,0.5]"), ("initial_velocity", "[0,0,0.1]")):
            scene = ["case", "scene=column", "spacing=0.25", "duration=0.005", f"{option}={value}"]
            flat = subprocess.run([PROGRAM, *scene], capture_output=True, text=True, timeout=200)
            self.assertEqual(flat.returncode, 2, flat.stderr)
            self.assertRegex(flat.stderr, rf"command line:4: error: a fluid of 2 dimensions .* {option} .*\[E104\]")
            deep = subprocess.run([PROGRAM, *scene, "dimensions=3", "breadth=1"], capture_output=True, text=True,
                                  timeout=200)
            self.assertEqual(deep.returncode, 0, deep.stderr)

    def test_fluids_that_are_lost_are_not_ok(self):
        """Above the limit of explicit viscosity a dam bursts through its walls, which a warning foretells: the limit,
        0.177 dx^2/nu, is 4.4 ms. Well below it stays."""
        dam = [PROGRAM, "case", "scene=dam_break", "spacing=0.1", "viscosity=0.4", "duration=2", "save=every:1",
               "--json", "-o"]
        done = subprocess.run([*dam, self.path("lost"), "h=0.005"], capture_output=True, text=True, timeout=200)
        row = json.loads(done.stdout)
        self.assertRegex(done.stderr, r"h 0.005 s is above .* 0.0044\d s .*\[W220\]")
        self.assertEqual((row["status"], row["broke_off"]), ("not_converged", False))  # it made all its steps
        self.assertRegex(row["reason"], r"particles left the tank, up to \d+ of 200 .* limit of explicit viscosity")
        with h5py.File(self.path("lost")) as file:
            position, density = (file["particles/all"][name + "/value"][...] for name in ("position", "density"))
        x, y = position[:, density[-1] > 0, 0], position[:, density[-1] > 0, 1]
        lost = ((x < -0.05) | (x > 6.05) | (y < -0.05)).sum(axis=1)
        self.assertGreater(lost.max(), 10)
        self.assertEqual(row["columns"]["lost"], lost.max())
        self.assertGreater(row["columns"]["energy_gained"], 1)
        done = subprocess.run([*dam, self.path("kept"), "h=0.0025"], capture_output=True, text=True, timeout=200)
        row = json.loads(done.stdout)
        self.assertNotIn("W220", done.stderr)
        self.assertEqual((row["status"], row["columns"]["lost"]), ("ok", 0))
        self.assertLess(row["columns"]["energy_gained"], 1e-3)

    def test_energy_from_nothing_is_not_ok(self):
        """Disorder that is kept at its density is pushed apart in the first step; what is kept free of divergence only
        loses energy."""
        vortices = [PROGRAM, "case", "scene=taylor_green", "spacing=1/16", "duration=0.1", "--json"]
        for target, status in (("constant_density", "not_converged"), ("divergence_free", "ok")):
            done = subprocess.run([*vortices, f"pressure_target={target}"], capture_output=True, text=True, timeout=200)
            row = json.loads(done.stdout)
            self.assertEqual(row["status"], status)
            self.assertIsNone(row["columns"]["lost"])
            if status == "ok":
                self.assertLess(row["columns"]["energy_gained"], 1e-3)
            else:
                self.assertIn("which no force explains", row["reason"])
                self.assertGreater(row["columns"]["energy_gained"], 0.05)

    def test_energy_without_a_scale_is_not_judged(self):
        """Disorder at rest without weight: there is no energy to compare with."""
        row = case("scene=column", "spacing=0.1", "gravity=[0,0,0]", "disorder=0.2", "duration=0.05")
        self.assertEqual(row["status"], "ok")
        self.assertIsNone(row["columns"]["energy_gained"])

    def test_solvers_depend_on_no_units(self):
        """One problem in m, mm and km, s and 1000 s, kg/m^2 and others: as many iterations, and one answer but for
        rounding, which solvers enlarge."""
        solvers = [["pressure_solver=" + name] for name in ("projected_jacobi", "projected_gauss_seidel", "active_set",
                                                            "dfsph", "unbounded")]
        solvers += [["pressure_solver=tao", "pressure_tao=" + name] for name in ("blmvm", "gpcg", "bqpip")]
        for solver in solvers:
            for target in ("constant_density", "divergence_free"):
                rows = []
                for metre, second, density in ((1, 1, 1000), (1e-3, 1, 1000), (1e3, 1e3, 1e-3), (1e-3, 1e-3, 7.3)):
                    scene = {"spacing": 0.1 * metre, "width": metre, "depth": metre, "h": 0.01 * second,
                             "duration": 0.01 * second, "density": density, "gravity": f"[0,{-metre / second ** 2},0]"}
                    done = subprocess.run(
                        [PROGRAM, "case", "driver=pressure", "scene=column", "support=2", "disorder=0.2",
                         "relaxation=30", "pressure_tolerance=1e-5", "pressure_max_iterations=2000",
                         f"pressure_target={target}", *solver, *(f"{name}={value}" for name, value in scene.items()), "--json"],
                        capture_output=True, text=True, timeout=200)
                    self.assertIn('"columns"', done.stdout, done.stderr)
                    rows.append(json.loads(done.stdout))
                for row in rows:
                    self.assertEqual(row["status"], "ok" if solver[0] != "pressure_solver=dfsph" else "not_converged")
                    for name in ("iterations", "linear_iterations", "iterations_to_1e1", "iterations_to_1e3"):
                        self.assertEqual(row["columns"][name], rows[0]["columns"][name], (solver, target, name))
                    for name in ("unbalanced", "density_excess", "negative_share"):
                        off = abs(row["columns"][name] - rows[0]["columns"][name])
                        self.assertLessEqual(off, 1e-8 * rows[0]["columns"]["unbalanced"], (solver, target, name))

    def test_unconverged_steps_are_steps(self):
        """Steps are counted, not their substeps."""
        row = case("scene=dam_break", "spacing=0.1", "h=0.01", "duration=0.04", "courant=0.002",
                   "pressure_max_iterations=1", "pressure_tolerance=1e-9")
        self.assertEqual(row["status"], "not_converged")
        self.assertEqual(row["reason"], "4 of 4 steps missed the tolerance")
        self.assertEqual(row["columns"]["unconverged_steps"], 4)
        self.assertGreater(row["columns"]["residual_worst"], 1e-9)

    def test_a_residual_is_of_solves_that_were_to_meet_one(self):
        """A solve that ends by its density tolerance, or at rounding, leaves q = 0, whose residual is 1."""
        fall = case("scene=column", "spacing=0.1", "gravity=[0,-1,0]", "initial_velocity=[0,1,0]", "viscosity=0",
                    "duration=0.05")
        density = case("scene=dam_break", "spacing=0.1", "duration=0.1", "pressure_target=constant_density",
                       "pressure_solver=projected_jacobi", "density_tolerance=1e-3", "pressure_tolerance=1e-6")
        for row in (fall, density):
            self.assertEqual(row["columns"]["unconverged_steps"], 0)
            self.assertIsNone(row["columns"]["residual_worst"])
        vortices = case("scene=taylor_green", "spacing=1/16", "duration=0.05", "pressure_tolerance=1e-2")
        self.assertLessEqual(vortices["columns"]["residual_worst"], 1e-2)
        self.assertIsNone(vortices["columns"]["front_end"])  # there is no front in a box without sides
        self.assertIsNotNone(density["columns"]["front_end"])

    def test_a_compressible_fluid_keeps_its_energy(self):
        """That of motion, of the state equation and of weight, without viscosity: as exactly as the integrator's order."""
        for scene in (["scene=column", "spacing=0.2", "gravity=[0,-1,0]"], ["scene=taylor_green", "spacing=1/16"]):
            for integrator, order in (("symplectic_euler", 1), ("velocity_verlet", 2)):
                drifts = []
                for h in (4e-4, 2e-4):
                    case(*scene, "disorder=0", "relaxation=0", "viscosity=0", "sound_speed=20", f"integrator={integrator}",
                         f"h={h}", "duration=0.1", "save=every:50", "-o", self.path("wave.h5"))
                    with h5py.File(self.path("wave.h5")) as file:
                        kinetic, elastic, gravity, total = (file[f"observables/energy_{name}/value"][...] for name in
                                                            ("kinetic", "elastic", "gravity", "total"))
                        mass, position, density = (file["particles/all"][name][...] for name in
                                                   ("mass", "position/value", "density/value"))
                    numpy.testing.assert_allclose(total, kinetic + elastic + gravity, rtol=1e-14)
                    if scene[0] == "scene=column":  # walls have masses and no part in sums
                        free = density[-1] > 0
                        weight = (mass * position[0, :, 1])[free].sum()
                        self.assertLess(abs(gravity[0] / weight - 1), 1e-12)
                        self.assertLess(free.sum(), len(free))
                    self.assertGreater(elastic.max() - elastic.min(), 0.1 * kinetic.max())
                    drifts.append(abs(total - total[0]).max() / kinetic.max())
                self.assertLess(drifts[0], 1e-2, (scene, integrator))
                self.assertLess(abs(numpy.log2(drifts[0] / drifts[1]) - order), 0.1, (scene, integrator))

    def test_solves_start_from_the_last_pressures(self):
        """In a column at rest the last pressures are nearly the next ones."""
        iterations = [case("scene=column", "spacing=0.1", "duration=2", f"pressure_start={part}")["columns"]["iterations_mean"]
                      for part in (0, 0.5, 0.9)]
        self.assertLess(iterations[1], 0.9 * iterations[0])
        self.assertLess(iterations[2], 0.7 * iterations[1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
