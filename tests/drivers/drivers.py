# SPDX-License-Identifier: GPL-3.0-or-later
"""Each driver on a small case, against what theory says of it."""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy

from case import PROGRAM, case

EPSILON = 2.0**-52


class Drivers(unittest.TestCase):
    def test_blowup_predicts_and_measures(self):
        row = case("driver=blowup", "scene=rope", "integrator=explicit_euler", "substeps=64", "frames=20", "drag=0.001")
        self.assertEqual(row["status"], "diverged")
        columns = row["columns"]
        self.assertLessEqual(abs(columns["omega_max"] - 19.8974), 1e-4)
        self.assertLessEqual(abs(columns["limit_h"] - 2 / columns["omega_max"]), 1e-12)
        self.assertLessEqual(abs(columns["blowup_time"] - 10.6), 0.02 * 10.6)
        z = columns["omega_max"] / 64
        growth = math.log(math.sqrt(1 - 0.001 / 64 + z * z))
        latest = math.log(0.01 / EPSILON) / growth / 64
        self.assertLessEqual(columns["onset_predicted"], 1.0001 * latest)
        self.assertGreaterEqual(columns["onset_predicted"], 0.9 * latest)
        self.assertLess(columns["onset_time"], columns["onset_predicted"])
        self.assertLess(columns["onset_time"], columns["blowup_time"])
        self.assertLess(abs(math.log(columns["growth_measured"]) / growth - 1), 0.02)

    def test_h_over_its_limit(self):
        rope = ["driver=blowup", "scene=rope", "nodes=16", "integrator=symplectic_euler", "steps=300"]
        over = case(*rope, "h_over_limit=0.75")
        h = over["columns"]["h_seconds"]
        self.assertEqual(h, 0.75 * over["columns"]["limit_h"])
        self.assertEqual(over["digest"], case(*rope, f"h={h!r}")["digest"])
        for factor in (0.999, 1.001):
            b = max(1, 2 * factor**2 - 1)
            growth = case(*rope, f"h_over_limit={factor}")["columns"]["growth_predicted"]
            self.assertLess(abs(growth - b - math.sqrt(b * b - 1)), 1e-9)
        for pairs in (["stiffness=0"], ["stiffness=1e-30"]):
            said = case(*rope, *pairs, "h_over_limit=0.5", status=2)
            self.assertIn("error: h_over_limit=0.5, but no h is too long: ", said)
            self.assertIn(" [E104]", said)
            self.assertNotIn(".c:", said)
        self.assertIsNone(case(*rope[:-1], "stiffness=0", "h=0.5", "steps=2")["columns"]["limit_h"])

    def test_onset_of_an_excited_mode_is_that_of_linear_theory(self):
        """A chain in its fastest mode: 1 % of strain is where the amplitude times the growth a step says."""
        for nodes, h in ((15, 0.1), (6, 0.2)):
            row = case("driver=blowup", "scene=chain", "integrator=explicit_euler", f"nodes={nodes}",
                       f"initial_mode={nodes}", "amplitude=1e-6", f"h={h}", f"duration={500 * h}")
            columns = row["columns"]
            q = nodes * math.pi / (nodes + 1)
            shape = [math.sin(q * p) for p in range(nodes + 2)]
            strain = 1e-6 * max(abs(shape[p + 1] - shape[p]) for p in range(nodes + 1))
            steps = math.log(0.01 / strain) / (0.5 * math.log(1 + (2 * h * math.sin(q / 2)) ** 2))
            self.assertLessEqual(abs(columns["onset_predicted"] - steps * h), 1e-6 * steps * h)
            self.assertLessEqual(abs(columns["onset_time"] - steps * h), 2 * h)
            self.assertLessEqual(abs(columns["growth_measured"] - columns["growth_predicted"]), 1e-6)

    def test_onset_is_seen_however_the_net_has_turned(self):
        """A falling rope: its fastest mode is that of the initial pose, along x, and it has turned by 90 degrees."""
        turned = case("driver=blowup", "scene=rope", "integrator=explicit_euler", "substeps=512", "drag=0.1", "frames=100")
        straight = case("driver=blowup", "scene=rope", "integrator=explicit_euler", "substeps=512", "drag=0.1",
                        "frames=100", "rope_to=[0,-200,0]")
        for row in (turned, straight):
            theory = math.log(row["columns"]["growth_predicted"])
            self.assertLess(abs(math.log(row["columns"]["growth_measured"]) / theory - 1), 0.02)

    def test_what_is_gone_before_its_onset_is_seen_had_it_in_its_last_steps(self):
        """It is looked for a thousand times a run; this one is gone before the first."""
        columns = case("driver=blowup", "scene=rope", "integrator=explicit_euler", "substeps=4", "frames=50000")["columns"]
        self.assertLess(columns["steps_done"], 4 * 50000 / 1000)
        self.assertEqual(columns["onset_time"], columns["blowup_time"])
        self.assertIsNone(columns["growth_measured"])

    def test_stand_ins_arrive_where_we_do(self):
        """After three steps, to rounding; one whose state is another's is an error, and so is a method that it is not."""
        net = ["driver=peer", "scene=square", "springs=crossed+bending", "grid=4", "stiffness=1000", "total_mass=1",
               "initial_velocity=[0.1,0.2,0.3]"]
        implicit = ["integrator=implicit_euler", "h=0.01", "duration=0.05", "pin_method=penalty", "pin_weight=1e7"]
        projective = net + implicit + ["minimizer=local_global", "max_iterations=3"]
        newton = net + implicit + ["minimizer=newton", "gradient_tolerance=0", "max_iterations=2"]
        inexact = net + implicit + ["minimizer=newton_cg", "max_iterations=4"]
        explicit = net + ["integrator=symplectic_euler", "h=0.001", "duration=0.5"]
        for peer, pairs, bound in (("eigen_nxn_llt", projective, 1e-12), ("eigen_nxn_ldlt", projective, 1e-12),
                                   ("eigen_nxn_llt_float", projective, 1e-5), ("eigen_3n_ldlt", projective, 1e-12),
                                   ("eigen_3n_llt_float", projective, 1e-5), ("eigen_newton", newton, 1e-12),
                                   ("eigen_newton_float", newton, 1e-5), ("cholmod_newton", newton, 1e-12),
                                   ("eigen_newton_cg", inexact, 1e-12), ("textbook_explicit", explicit, 1e-15)):
            for start in ("inertial", "previous"):
                row = case(*pairs, f"peer={peer}", f"start={start}")
                if row["status"] == "skipped":
                    self.assertIn("libeigen3-dev", row["reason"])
                    continue
                self.assertEqual(row["status"], "ok")
                self.assertFalse(row["columns"]["peer_difference"] > bound, peer)
                self.assertGreater(row["columns"]["step_median_s"], 0)
                if "float" not in peer:
                    self.assertIn("diagonals from our own",
                                  case(*pairs, f"peer={peer}", f"start={start}", "drag=0.01", status=2))
        self.assertIn("set minimizer=newton", case(*projective, "peer=eigen_newton", status=2))
        self.assertIn("set pin_method=penalty", case(*net, "integrator=implicit_euler", "h=0.01", "duration=0.05", "minimizer=local_global",
                                                       "peer=eigen_nxn_llt", status=2))
        self.assertIn("set ranks=1", case(*projective, "peer=eigen_nxn_llt", "ranks=2", status=2))
        own, timed = case(*explicit), case(*["driver=timing", *explicit[1:]])
        self.assertIsNone(own["columns"].pop("peer_difference"))
        of_devices = {"device_used", "device_gpu", "kernels_s", "to_device_s", "from_device_s", "launches", "device_bytes",
                      "bound_s"}
        self.assertEqual(own["columns"].keys() | of_devices, timed["columns"].keys())

    def test_two_masses_a_cell_have_two_branches(self):
        """omega^2 of both branches at a wave number add up to 2k(1/m1 + 1/m2), times one another 4k^2 sin^2(q)/(m1 m2)."""
        def square(mode):
            columns = case("driver=dispersion", "scene=chain", "nodes=7", "vertex_mass=2", "second_mass=3", "stiffness=5",
                           f"initial_mode={mode}", "amplitude=1e-4", "integrator=rk4", "h=0.01", "duration=40")["columns"]
            self.assertLess(abs(columns["frequency_measured"] / columns["frequency_exact"] - 1), 1e-6)
            self.assertLess(columns["mode_leak"], 1e-8)
            return columns["frequency_measured"] ** 2
        for mode in (1, 2, 3):
            acoustic, optical, q = square(mode), square(8 - mode), mode * math.pi / 8
            self.assertLess(abs((acoustic + optical) / (2 * 5 * (1 / 2 + 1 / 3)) - 1), 1e-6)
            self.assertLess(abs(acoustic * optical / (4 * 25 * math.sin(q) ** 2 / 6) - 1), 1e-6)
        self.assertLess(abs(square(4) - 2 * 5 / 2), 1e-5)  # q = pi/2: the second masses rest

    def test_a_mode_is_measured_beside_others(self):
        """A push of all masses starts all symmetric modes. With the masses, and not without, they are orthogonal."""
        columns = case("driver=dispersion", "scene=chain", "nodes=7", "vertex_mass=2", "second_mass=30", "stiffness=5",
                       "initial_mode=3", "amplitude=1e-3", "integrator=rk4", "h=0.01", "duration=40",
                       "initial_velocity=[1e-5,0,0]")["columns"]
        self.assertGreater(columns["mode_leak"], 0.01)
        self.assertLess(columns["fit_residual"], 1e-9)
        self.assertLess(abs(columns["frequency_measured"] / columns["frequency_numerical"] - 1), 1e-9)

    def test_a_rope_hangs_from_when_it_stays(self):
        """A pendulum of two nodes under drag: the time is that of the height; one that still swings has none."""
        rope = ["scene=rope", "nodes=2", "stiffness=1000", "rope_to=[20,0,0]", "rope_from=[0,0,0]", "integrator=rk4", "substeps=50"]
        columns = case(*rope, "drag=0.1", "frames=400")["columns"]
        self.assertLess(abs(columns["hang_time"] - math.log(100) / 0.1), 10)
        self.assertLess(columns["hang_time"], columns["settle_time"])
        self.assertIsNone(case(*rope, "drag=0.1", "frames=60")["columns"]["hang_time"])
        self.assertIsNone(case(*rope, "frames=300")["columns"]["hang_time"])

    def test_times_of_falls_and_of_rest_are_those_of_the_frames(self):
        """hang_time, settle_time, falls and fall_time are worked out here from the stored energies of every frame: of
        a pendulum that swings long, of one that comes to rest just before and just after half the run, of a rope."""
        pendulum = ["nodes=2", "stiffness=1000", "rope_to=[20,0,0]", "rope_from=[0,0,0]", "integrator=rk4", "substeps=50"]
        for rope, hangs in ((pendulum + ["frames=300"], False), (pendulum + ["drag=0.1", "frames=94"], False),
                            (pendulum + ["drag=0.1", "frames=97"], True), (pendulum + ["drag=0.1", "frames=400"], True),
                            (pendulum + ["drag=0.02", "frames=900"], True),
                            (pendulum + ["drag=1", "frames=200", "initial_velocity=[0,14,0]"], True),  # up first
                            (["nodes=4", "integrator=rk4", "substeps=64", "drag=0.1", "frames=300"], True)):
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, "rope.h5")
                columns = case("scene=rope", *rope, "-o", file)["columns"]
                csv = subprocess.run([PROGRAM, "export", file, "--to", "csv"], capture_output=True, text=True, check=True)
            frames = list(map(dict, (zip(csv.stdout.splitlines()[0].split(","), map(float, line.split(",")))
                                     for line in csv.stdout.splitlines()[1:])))
            time, height, kinetic = ([frame[name] for frame in frames]
                                     for name in ("time", "energy_gravity", "energy_kinetic"))
            hundredth = 0.01 * (max(height) - min(height))
            stays = next(t for i, t in enumerate(time) if max(abs(h - height[-1]) for h in height[i:]) <= hundredth)
            self.assertEqual(time[-1] - stays >= time[-1] / 2, hangs, rope)
            self.assertEqual(columns["hang_time"], stays if hangs else None, rope)
            still = [t for i, t in enumerate(time) if max(kinetic[i:]) <= 1e-4 * max(kinetic)]
            self.assertEqual(columns["settle_time"], still[0] if still else None, rope)
            falls, turn, lows = 0, 0, []  # turn: the frame of the last high or low that counts
            for i in range(len(time)):
                if falls == len(lows):  # since a high: until it has fallen by a hundredth
                    turn = i if height[i] >= height[turn] else turn
                    if height[i] < height[turn] - hundredth:
                        falls, turn = falls + 1, i
                else:
                    turn = i if height[i] <= height[turn] else turn
                    if height[i] > height[turn] + hundredth:
                        lows.append(height[turn])
                        turn = i
            lows += [height[turn]] * (falls - len(lows))
            self.assertEqual(columns["falls"], falls, rope)
            self.assertEqual(columns["fall_time"], next(t for t, h in zip(time, height) if h <= lows[0] + hundredth), rope)

    def test_energy_from_nothing_ends_a_run(self):
        """Springs of a ball that lands snap: 0.01 s is too long for those of 10 000 N/m, 0.005 s is not. If an outside
        force does work, more energy than at the start is no fault."""
        ball = ["scene=sphere", "step=armijo", "stiffness=10000", "duration=0.5"]
        row = case(*ball, "h=0.01")
        self.assertEqual((row["status"], row["broke_off"]), ("not_converged", True))
        self.assertIn("which no force explains", row["reason"])
        columns = row["columns"]
        self.assertEqual(columns["end_time"], columns["steps_done"] * 0.01)
        self.assertLess(columns["end_time"], 0.45)
        self.assertEqual(columns["energy_final"], columns["energy_max"])  # the frame that shows it is kept
        row = case(*ball, "h=0.005")
        self.assertEqual((row["status"], row["columns"]["end_time"]), ("ok", 0.5))
        self.assertLess(row["columns"]["energy_max"], row["columns"]["energy_start"] + 1e-9)
        cloth = ["scene=cloth", "grid=4", "integrator=implicit_euler", "h=0.01", "duration=0.5"]
        for work in ("wind=uniform:acceleration=[0,0,20]", "pin_path=linear:velocity=[0,0,5]",
                     "air_resistance=1 air_velocity=[0,0,20]"):
            row = case(*cloth, *work.split())
            self.assertEqual(row["status"], "ok", row["reason"])
            self.assertGreater(row["columns"]["energy_max"], row["columns"]["energy_start"] + 1)
        row = case("scene=cloth", "grid=4", "integrator=implicit_euler", "h=0.01", "duration=0.5", "gravity=[0,0,0]")
        self.assertEqual(row["status"], "ok", row["reason"])  # at rest, to rounding

    def test_a_burst_is_not_ok(self):
        """A heavy cloth bursts below the limit of small vibrations and stays within 100 diagonals. At a shorter step it
        does not; at a longer one the bounds decide first."""
        cloth = ["scene=cloth", "grid=10", "gravity=[0,0,-500]", "duration=7.2"]
        row = case("driver=blowup", *cloth, "h=0.0018")
        self.assertGreater(row["columns"]["limit_h_any_stretch"], 0.0018)
        self.assertEqual((row["status"], row["broke_off"], row["columns"]["steps_done"]), ("diverged", True, 4000))
        self.assertRegex(row["reason"], "^burst: at t = [0-9.]+ s the net had .* J more than it began with")
        self.assertTrue(1 < row["columns"]["blowup_time"] < 7.2)
        moved = case("driver=trajectory", "frames=40", "substeps=100", "frame_seconds=0.18", *cloth[:3])
        self.assertEqual((moved["status"], moved["columns"]["end_time"]), ("diverged", 7.2))
        self.assertLess(abs(float(moved["reason"].split()[4]) - row["columns"]["blowup_time"]), 0.18)
        self.assertEqual(case("driver=timing", *cloth[:3], "h=0.0018", "steps=4000")["status"], "diverged")
        self.assertEqual(case("driver=blowup", *cloth, "h=0.0016")["status"], "ok")
        self.assertIn("initial diagonals", case("driver=blowup", *cloth, "h=0.002")["reason"])

    def test_energy_that_was_given_is_no_burst(self):
        """Each net gets more than 100 times the energy at the start, of springs twice as long as at rest (187 J), and of a
        fall by the diagonal (14 J). The force of the last one is 0 in every frame."""
        cloth = ["scene=cloth", "grid=4", "frame_seconds=0.05", "substeps=50", "stiffness=100"]
        for work in (["pin_path=expression:z=1500*t^2", "frames=10"],
                     ["wind=centrifugal:rate=10", "gravity=[0,0,0]", "pins=none", "perturbation=1e-3", "frames=140"],
                     ["air_resistance=1", "air_velocity=[0,0,300]", "pins=none", "frames=40"],
                     ["wind=expression:x=5000*sin(62.8318530717959*t)^2", "gravity=[0,0,0]", "pins=none", "frames=8"]):
            row = case(*cloth, *work)
            self.assertEqual(row["status"], "ok", row["reason"])
            columns = row["columns"]
            self.assertGreater(columns["energy_max"] - columns["energy_start"], 100 * (columns["energy_start"] + 201))

    def test_errors_of_order_1_are_no_burst(self):
        """Explicit Euler gains 1/2 M g^2 h t in free fall, which is more than 100 times the scale of a small net."""
        row = case("scene=cloth", "grid=1", "extent=0.1", "stiffness=1", "pins=none", "integrator=explicit_euler",
                   "frame_seconds=1", "substeps=20", "frames=100")
        self.assertEqual(row["status"], "ok", row["reason"])
        self.assertGreater(row["columns"]["energy_error_max"], 200)

    def test_what_a_barrier_stored_is_not_from_nothing(self):
        """A sheet that falls onto its own pinned edge crumples and springs back, out of layers that were pressed together."""
        row = case("scene=cloth", "grid=6", "pins=first_edge", "integrator=implicit_euler", "self_contact=barrier", "h=0.002",
                   "thickness=0.15", "contact_stiffness=10", "stiffness=5", "gravity=[0,-9.8,0]", "perturbation=0.01",
                   "duration=1")
        self.assertEqual(row["status"], "ok", row["reason"])

    def test_penetration_counts_the_start(self):
        """A sheet starts 0.3 m deep in the ground and leaves it: no step finds it so deep, nor does a second part."""
        sheet = ["scene=cloth", "grid=2", "pins=none", "gravity=[0,0,0]", "initial_velocity=[0,0,10]",
                 "collider=plane:point=[0,0,0.3]", "contact=cancel_velocity", "h=0.01"]
        with tempfile.TemporaryDirectory() as folder:
            for driver in ("trajectory", "blowup"):
                first, more = pathlib.Path(folder) / f"{driver}.h5", [f"driver={driver}", *sheet]
                self.assertEqual(case(*more, "duration=0.02", "-o", first)["columns"]["penetration_max"], 0.3)
                again = case("--continue", first, "duration=0.05")["columns"]["penetration_max"]
                self.assertLess(abs(again - 0.1), 1e-12)

    def test_every_driver_stores_frames_or_refuses(self):
        """save=every:K changes neither digest nor last state; frames of a pass of its own are those of trajectory."""
        cloth = ["scene=cloth", "grid=3", "h=0.01", "duration=0.07"]
        rope = ["scene=rope", "nodes=5", "substeps=16", "frames=10"]
        gone = ["scene=rope", "nodes=8", "frames=20", "integrator=explicit_euler", "substeps=64", "drag=0.001"]
        chain = ["scene=chain", "nodes=3", "amplitude=1e-3", "h=0.1", "duration=20"]
        fluid = ["scene=taylor_green", "spacing=1/16", "duration=0.05"]
        net = ["scene=square", "grid=4", "stiffness=1000", "total_mass=1", "h=1e-3", "duration=7e-3"]
        frames = {"trajectory": [cloth], "blowup": [rope, gone, [*rope, "integrator=position_verlet"]], "timing": [cloth, rope],
                  "accuracy": [cloth], "dispersion": [chain], "peer": [[*net, "integrator=symplectic_euler"]],
                  "motion": [cloth], "convergence": [["scene=cloth", "grid=3", "frames=3", "frame_seconds=0.01", "substeps=1"]], "flow": [fluid],
                  "statics": [["scene=cloth", "grid=3"]]}
        still = {"factor_solve": net, "limits": net, "pressure": ["scene=column", "spacing=0.2"], "smoothing": fluid,
                 "peer peer=textbook_explicit": [*net, "integrator=symplectic_euler"]}
        names = {entry["name"] for entry in json.loads(subprocess.run([PROGRAM, "list", "drivers", "--json"], check=True,
                                                                      capture_output=True, text=True).stdout)["drivers"]}
        self.assertEqual(names, {"external", *frames, *(name.split()[0] for name in still)})  # external.py has its own

        def run(*pairs):
            with tempfile.TemporaryDirectory() as folder:
                row = case(*pairs, "-o", folder + "/a.h5")
                with h5py.File(folder + "/a.h5") as file:
                    kept = file["particles/all/position"]
                    return row, list(kept["step"][...]), kept["value"][...]

        for driver, scenes in frames.items():
            for scene in scenes:
                row, steps, states = run(f"driver={driver}", *scene, "save=final")
                every, all_steps, all_states = run(f"driver={driver}", *scene, "save=every:2")
                self.assertEqual(len(steps), 1)
                self.assertEqual((every["status"], every["digest"]), (row["status"], row["digest"]), driver)
                self.assertEqual(all_steps[-1], steps[-1])
                self.assertTrue((all_states[-1] == states[-1]).all(), driver)
                if driver == "statics":
                    continue  # the start and what is found
                self.assertGreaterEqual(len(all_steps), 3, driver)
                if driver not in ("blowup", "timing", "accuracy"):
                    continue
                _, theirs, places = run("driver=trajectory", *scene, "save=every:2")
                both = [step for step in all_steps if step in theirs]
                self.assertGreater(len(both), len(theirs) - 2, driver)
                for step in both:
                    self.assertTrue((all_states[all_steps.index(step)] == places[theirs.index(step)]).all(), (driver, step))
        for driver, scene in still.items():
            pairs = [f"driver={driver.split()[0]}", *driver.split()[1:], *scene]
            said = case(*pairs, "save=every:2", status=2)
            self.assertRegex(said, rf"^command line:{len(pairs) + 1}: error: .*no frames for save=every:2.*\[E106\]", driver)

    def test_a_motion_that_ends_early_has_no_error(self):
        """The error of the part before the divergence would be smaller than most."""
        cloth = ["driver=motion", "scene=cloth", "grid=3", "integrator=symplectic_euler"]
        blank, given = case(*cloth, "h=0.5", "duration=10"), case(*cloth, "h=1e-3", "duration=0.01")
        self.assertEqual((blank["status"], given["status"]), ("diverged", "ok"))
        for name in ("error", "error_final", "floor", "truth_error", "motion", "strain_max", "strain_true", "energy_lost"):
            self.assertIsNone(blank["columns"][name], name)
            self.assertIsNotNone(given["columns"][name], name)
        self.assertEqual(blank["columns"]["steps_done"], 2)

    def test_blowup_leaves_stable_runs_blank(self):
        row = case("driver=blowup", "scene=cloth", "grid=2", "stiffness=100", "h=0.01", "duration=1")
        self.assertEqual(row["status"], "ok")
        self.assertIsNone(row["columns"]["blowup_time"])
        self.assertIsNone(row["columns"]["onset_predicted"])
        self.assertLessEqual(abs(row["columns"]["limit_h"] - 0.0300373), 1e-6)
        self.assertLessEqual(abs(row["columns"]["limit_h_any_stretch"] - 0.0250231), 1e-6)

    def test_blowup_predicts_with_damping(self):
        """Drag makes symplectic Euler blow up below 2/omega, a velocity factor keeps it stable beyond."""
        def radius(h, drag, factor):
            kick = [-factor * (2 * h) ** 2, factor * (1 - h * drag)]
            return max(abs(numpy.linalg.eigvals([[1 + kick[0], kick[1]], kick])))
        oscillator = ["driver=blowup", "scene=oscillator", "amplitude=1e-8", "integrator=symplectic_euler"]
        growth = radius(0.9, 1.2, 1)
        predicted = 0.9 * math.log(0.01 / 1e-8) / math.log(growth)
        for brake in ("drag=1.2", "spring_damping=1.2"):  # along the spring they are the same
            row = case(*oscillator, "h=0.9", "duration=900", brake)
            self.assertEqual(row["status"], "diverged")
            self.assertLessEqual(abs(row["columns"]["growth_predicted"] - growth), 1e-9 * growth)
            self.assertLessEqual(abs(row["columns"]["onset_predicted"] - predicted), 1e-6 * predicted)
            self.assertLessEqual(abs(row["columns"]["onset_time"] - predicted), 2 * 0.9)
        factor = math.exp(-2 * 1.15)
        self.assertLess(radius(1.15, 0, factor), 1)
        for brake in ("damping_rate=2", f"velocity_factor={factor}"):
            row = case(*oscillator, "h=1.15", "duration=115", brake)
            self.assertEqual((row["status"], row["columns"]["onset_predicted"]), ("ok", None))
            self.assertLess(row["columns"]["limit_h"], 1.15)

    def test_a_timed_run_that_diverges_is_a_result(self):
        """Velocities and energies that are no numbers, in methods of every kind: the last state within bounds is kept."""
        cases = [("explicit_euler", "x=t>0.02?sqrt(-1-y*0):0", 60), ("stoermer_verlet", "x=t>0.02?sqrt(-1-y*0):0", 60),
                 ("symplectic_euler", "x=t>0.02?1e170:0", 4), ("implicit_euler", "x=t>0.02?1e170:0", 4)]
        with tempfile.TemporaryDirectory() as folder:
            for integrator, wind, grid in cases:
                file = pathlib.Path(folder) / f"{integrator}.h5"
                row = case("driver=timing", "scene=cloth", f"grid={grid}", "stiffness=100", "pins=none", "h=0.01",
                           "duration=0.1", f"integrator={integrator}", f"wind=expression:{wind}", "-o", file,
                           *["max_iterations=3"] * (integrator == "implicit_euler"))
                self.assertEqual(row["status"], "diverged", row)
                with h5py.File(file) as stored:
                    steps = stored["particles/all/position/step"][:]
                    self.assertEqual(steps[-1], row["columns"]["steps_done"] - 1)
                    for name in ("position", "velocity"):
                        self.assertLess(numpy.abs(stored[f"particles/all/{name}/value"][-1]).max(), 100)

    def test_a_diverged_run_ends_with_what_is_stored(self):
        row = case("scene=cloth", "grid=4", "stiffness=1000", "integrator=explicit_euler", "frame_seconds=0.5",
                   "substeps=10", "frames=6")
        self.assertEqual((row["status"], row["columns"]["center_z"], row["columns"]["last_z"]), ("diverged", 0, 0))

    def test_convergence_falls_and_newton_is_there_first(self):
        motion = ["driver=convergence", "scene=curtain", "grid=6", "frames=4", "start=coast", "measure_frames=2:4"]
        slow = case(*motion, "minimizer=local_global", "max_iterations=100")["columns"]
        fast = case(*motion, "minimizer=newton", "hessian=blended", "step=armijo", "max_iterations=20")["columns"]
        self.assertEqual(slow["frames_measured"], 3)
        self.assertTrue(1 > slow["error_1"] > slow["error_10"] > slow["error_100"] > 0)
        self.assertLessEqual(fast["error_final"], 1e-12)
        self.assertLess(fast["iterations_to_1e6"], slow["iterations_to_1e6"] or 101)
        self.assertLessEqual(slow["reference_gradient"], 1e-9)
        single = [case(*motion[:-1], f"measure_frames={frame}", "minimizer=local_global", "max_iterations=100")["columns"]
                  ["error_10"] for frame in (2, 3, 4)]
        for statistic, value in (("_least", min(single)), ("_median", sorted(single)[1]), ("_largest", max(single)),
                                 ("", sum(single) / 3)):
            self.assertAlmostEqual(slow[f"error_10{statistic}"] / value, 1, delta=1e-12)

    def test_convergence_says_where_it_stopped_and_when_it_passed_each_power_of_ten(self):
        motion = ["driver=convergence", "scene=curtain", "grid=6", "frames=4", "start=coast", "measure_frames=2:4"]
        row = case(*motion, "minimizer=local_global", "max_iterations=100")["columns"]
        errors = [row[f"error_{k}"] for k in (1, 2, 3, 4, 5, 6, 7, 10, 20, 50, 100)]
        self.assertEqual(errors, sorted(errors, reverse=True))
        self.assertEqual(row["error_final"], errors[-1])
        crossings = [row[f"iterations_to_1e{power}"] for power in range(1, 9)]
        known = [k for k in crossings if k is not None]
        self.assertEqual(known, sorted(known))
        self.assertEqual(len(known), sum(errors[-1] <= 10.0**-power for power in range(1, 9)))
        self.assertTrue(row["error_20"] <= 1e-1 < row["error_1"] and 1 < crossings[0] <= 20)

    def test_convergence_knows_how_far_it_still_is(self):
        motion = ["driver=convergence", "scene=square", "grid=5", "frames=20", "step_tolerance=1e-5"]
        loose = case(*motion, "minimizer=local_global", "max_iterations=5")
        exact = case(*motion, "minimizer=newton", "hessian=blended", "step=armijo", "max_iterations=20")
        self.assertEqual((loose["status"], exact["status"]), ("not_converged", "ok"))
        self.assertGreater(loose["columns"]["deviation_final"], 1e-4)
        self.assertLess(exact["columns"]["deviation_final"], 1e-5)

    def test_convergence_knows_the_price_of_a_factorisation_and_the_stiffness(self):
        # Two free vertices and five springs: columns of 6 to 1 entries. It is the same for methods without a factor.
        for method in ("newton", "newton_cg", "local_global", "xpbd"):
            columns = case("driver=convergence", "scene=curtain", "grid=1", "h=0.02", "duration=0.02", "total_mass=2",
                           "stiffness=70", "stiffness_shear=20", f"minimizer={method}")["columns"]
            self.assertEqual(columns["factor_price"], (60 * 5 + 3 * 4 + 91) / (23 * 5 + (24 + 27) * 4))
            self.assertAlmostEqual(columns["h2k_over_m"], 0.02**2 * (4 * 70 + 20) / 5 / 0.5, 12)

    def test_convergence_has_no_error_where_the_start_is_the_minimum(self):
        """At rest, falling freely, without a force: g0 - g* is rounding, and so would be every ratio to it."""
        for scene in (["scene=cloth", "grid=4", "gravity=[0,0,0]"], ["scene=cloth", "grid=4", "pins=none"],
                      ["scene=oscillator", "amplitude=0"]):
            row = case("driver=convergence", *scene, "integrator=implicit_euler", "minimizer=newton", "h=0.01",
                       "duration=0.03", "measure_frames=2:3")
            columns = row["columns"]
            self.assertEqual((row["status"], columns["frames_measured"], columns["frames_at_minimum"]), ("ok", 0, 2))
            self.assertTrue(all(columns[f"error_{k}"] is None for k in (1, 1000, "final")), columns)

    def test_convergence_needs_a_minimum_to_measure_from(self):
        """Forces of 1e11 N/m times a meter cancel to their rounding. A step of 10 s starts 980 m below stiff springs."""
        square = ["driver=convergence", "scene=square", "grid=8", "h=0.01", "duration=0.03", "measure_frames=3",
                  "integrator=implicit_euler", "minimizer=newton", "step=armijo", "max_iterations=50"]
        stiff = case(*square, "stiffness=1e11")
        lost = case("driver=convergence", "scene=cloth", "grid=4", "h=10", "duration=10", "stiffness=1e9",
                    "minimizer=local_global", "max_iterations=1")
        self.assertEqual(stiff["status"], "ok")
        self.assertGreater(stiff["columns"]["reference_gradient"], 1e-9)
        self.assertEqual((lost["status"], lost["columns"]["frames_measured"]), ("not_converged", 0))
        self.assertIn("reference minimum is only known to", lost["reason"])

    def test_a_reference_is_found_where_decreases_drown_in_rounding(self):
        """Lengths of 0.5 m, squares of 1e-7 m and stiffnesses of 1e5 N/m: g is off by far more than 1e-13 of itself."""
        for pairs in (("h=0.005", "grid=2"), ("h=0.02", "grid=2"), ("h=0.005", "grid=6")):
            row = case("driver=convergence", "scene=square", *pairs, "duration=0.1", "minimizer=local_global",
                       "max_iterations=1")
            self.assertEqual((pairs, row["status"]), (pairs, "ok"))
            self.assertLessEqual(row["columns"]["reference_gradient"], 1e-9)

    def test_accuracy_is_told_where_it_was_asked_for(self):
        cloth = ["scene=cloth", "grid=4", "integrator=implicit_euler", "h=0.05", "duration=0.2"]
        loose = [*cloth, "minimizer=local_global", "max_iterations=1"]
        exact = [*cloth, "minimizer=newton", "hessian=adaptive", "gradient_tolerance=1e-6"]
        self.assertIsNone(case(*loose)["accuracy_ok"])
        self.assertIsNone(case(*loose, "linear=jacobi", "linear_tolerance=0", "linear_max_iterations=1")["accuracy_ok"])
        self.assertIs(case(*loose, "gradient_tolerance=1e-6")["accuracy_ok"], False)
        self.assertIs(case(*exact)["accuracy_ok"], True)

    def test_projected_hessians_are_counted(self):
        """A crushed sheet has indefinite Hessians, a stretched one has none; projected ones are not asked about."""
        square = ["scene=square", "grid=5", "h=0.1", "duration=1", "integrator=implicit_euler", "minimizer=newton",
                  "step=armijo", "max_iterations=30", "step_tolerance=1e-6"]
        for driver in ("trajectory", "timing"):
            adaptive = case(*square, f"driver={driver}", "hessian=adaptive")["columns"]
            self.assertGreater(adaptive["projected_mean"], 0, driver)
            self.assertLessEqual(adaptive["projected_mean"], adaptive["minimizer_iterations_mean"])
            self.assertIsNone(case(*square, f"driver={driver}", "hessian=projected")["columns"]["projected_mean"])
        self.assertGreater(case(*square, "driver=convergence", "measure_frames=1:10", "hessian=blended")["columns"]["projected_mean"], 0)

    def test_every_method_meets_the_same_states(self):
        motion = ["driver=convergence", "scene=curtain", "grid=4", "frames=3", "measure_frames=3", "start=coast",
                  "hessian=projected"]
        direct = case(*motion, "minimizer=newton", "step=armijo", "max_iterations=1")["columns"]
        iterative = case(*motion, "minimizer=newton", "step=armijo", "max_iterations=1", "linear=petsc",
                         "linear_tolerance=1e-13")["columns"]
        self.assertLessEqual(abs(direct["error_1"] - iterative["error_1"]), 1e-9)
        self.assertEqual(direct["reference_gradient"], iterative["reference_gradient"])

    def test_convergence_refuses_substeps(self):
        self.assertIn("one step per frame", case("driver=convergence", "scene=curtain", "grid=4", "substeps=2", status=2))

    def test_timing_counts_what_it_times(self):
        row = case("driver=timing", "scene=cloth", "grid=4", "integrator=implicit_euler", "minimizer=local_global",
                   "max_iterations=3", "h=0.01", "duration=0.2")["columns"]
        self.assertEqual((row["samples"], row["steps_done"], row["minimizer_iterations_mean"]), (15, 20, 3))
        self.assertTrue(0 < row["step_min_s"] <= row["step_q1_s"] <= row["step_median_s"] <= row["step_q3_s"])
        self.assertEqual((row["vertices"], row["spring_count"]), (25, 2 * 4 * 5 + 16))
        self.assertLessEqual(row["residual_worst"], 1e-12)

    def test_timing_asks_for_phases_in_steps_that_it_does_not_time(self):
        """Every fourth step has phases, the first ones left out; every other is rid of what its own checks took."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "case.h5"
            row = case("driver=timing", "scene=cloth", "grid=4", "integrator=implicit_euler", "minimizer=local_global",
                       "max_iterations=3", "h=0.01", "duration=0.2", "-o", file)["columns"]
            samples = h5py.File(file)["timing"]["samples"][:]
        steps = {phase: list(samples["step"][samples["phase"] == phase]) for phase in (b"step", b"solve", b"check")}
        self.assertEqual(steps[b"solve"], [4, 8, 12, 16])
        self.assertEqual(steps[b"check"], list(range(1, 20)))
        self.assertEqual(steps[b"step"], [step for step in range(20) if step % 4])
        self.assertTrue(0 < row["check_s"] and 0 < row["solve_s"] < row["step_median_s"])
        seconds = samples["seconds"][samples["phase"] == b"step"]
        self.assertAlmostEqual(row["step_p95_s"], numpy.quantile(seconds, 0.95), delta=1e-9 * seconds.max())
        self.assertAlmostEqual(row["realtime_factor"] * seconds.mean() / 0.01, 1, delta=1e-9)
        self.assertTrue(0 < row["front_s"] < row["step_median_s"])
        alone = case("driver=timing", "scene=cloth", "grid=4", "integrator=implicit_euler", "minimizer=local_global",
                     "h=0.01", "duration=0.01")["columns"]
        self.assertEqual(alone["samples"], 1)
        self.assertTrue(0 < alone["solve_s"] < alone["step_median_s"])

    def test_timing_of_a_method_that_misses_its_tolerance_is_no_result(self):
        options = ["driver=timing", "scene=cloth", "grid=8", "integrator=implicit_euler", "h=0.01", "duration=0.05"]
        missed = case(*options, "minimizer=local_global", "max_iterations=5", "gradient_tolerance=1e-6")
        self.assertEqual((missed["status"], missed["accuracy_ok"]), ("not_converged", False))
        self.assertIn("5 of 5 steps missed the tolerance", missed["reason"])
        self.assertGreater(missed["columns"]["step_median_s"], 0)
        met = case(*options, "minimizer=newton", "hessian=blended", "gradient_tolerance=1e-6")
        self.assertEqual((met["status"], met["accuracy_ok"]), ("ok", True))

    def test_a_second_repetition_is_judged_by_the_first_too(self):
        """Calibrations are held against the first decile of all repetitions."""
        with tempfile.TemporaryDirectory() as folder:
            first, second = pathlib.Path(folder) / "a.h5", pathlib.Path(folder) / "b.h5"
            options = ["driver=timing", "scene=rope", "duration=0.2", "h=0.01"]
            case(*options, "-o", first)
            case(*options, "--repetition", "1", "--samples-from", first, "-o", second)
            stored = [h5py.File(path)["timing"] for path in (first, second)]
            loops = [timing["samples"][timing["samples"]["phase"] == b"calibration"] for timing in stored]
            noise = stored[1]["noise"][:]
            self.assertEqual(list(noise["repetition"]), [0, 1])
            earlier = loops[1][loops[1]["repetition"] == 0]
            self.assertEqual(list(earlier["seconds"]), list(loops[0]["seconds"]))
            self.assertGreater(len(loops[1]), len(earlier))
            fast = numpy.quantile(loops[1]["seconds"], 0.1)
            self.assertAlmostEqual(noise["calibration_fast_s"][1] / fast, 1, delta=1e-12)

    def test_a_case_is_held_against_what_others_saw_of_the_machine(self):
        """The quiet time of the loop may be given; the time in the row is the case's own."""
        options = ["driver=timing", "scene=rope", "duration=0.2", "h=0.01"]
        own = case(*options)["timing"]["calibration_s"]
        told = case(*options, "--calibration", str(own / 100))
        self.assertRegex(told["columns"]["noisy"], r"calibration [\d.e+]+ times a quiet one")
        self.assertGreater(told["timing"]["calibration_s"], own / 10)
        self.assertNotRegex(case(*options, "--calibration", "1e9")["columns"]["noisy"] or "", r"calibration \d\d")

    def test_a_supernodal_factorisation_starts_no_threads_of_its_own(self):
        """CHOLMOD asks OpenMP for four, which only OMP_THREAD_LIMIT holds back (a supernode of 64 rows is needed)."""
        free = {name: value for name, value in os.environ.items() if name != "OMP_THREAD_LIMIT"}
        counts = []
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "case.h5"
            for method in (["scene=rope"], ["scene=curtain", "grid=20", "integrator=implicit_euler", "minimizer=newton",
                                            "max_iterations=1", "linear=cholesky"]):
                subprocess.run([PROGRAM, "case", "driver=timing", "h=0.01", "duration=0.02", *method, "-o", file],
                               env=free, stdout=subprocess.DEVNULL, check=True, timeout=200)
                with h5py.File(file) as stored:
                    counts.append(stored["provenance"].attrs["threads_running"])
        self.assertGreaterEqual(counts[0], 1)
        self.assertEqual(counts[0], counts[1])

    def test_a_second_thread_changes_no_more_than_rounding(self):
        """At 61x61 there is work for two in the solves, and in Newton's factorisation."""
        with tempfile.TemporaryDirectory() as folder:
            for minimizer in (["local_global", "max_iterations=10"], ["newton", "max_iterations=2"]):
                ends = []
                for threads in (1, 2, 2):
                    file = pathlib.Path(folder) / "case.h5"
                    case("scene=cloth", "grid=60", "stiffness=1000", "integrator=implicit_euler", "h=0.01",
                         "duration=0.05", "linear=panel", f"threads={threads}", f"minimizer={minimizer[0]}",
                         minimizer[1], "-o", file)
                    with h5py.File(file) as stored:
                        last = max(stored["frames"], key=int)
                        ends.append(stored[f"frames/{last}/position"][:])
                        running = stored["provenance"].attrs["threads_running"]
                        if threads == 2:
                            self.assertGreater(running, alone)
                        alone = running if threads == 1 else alone
                moved = numpy.abs(ends[0] - ends[1]).max()
                self.assertGreater(moved, 0)  # it is another order of sums
                self.assertLess(moved, 1e-12)
                self.assertTrue((ends[1] == ends[2]).all())

    def test_factor_solve_takes_both_matrices(self):
        size = 21 * 21 - 2
        for minimizer, rows in (("local_global", size), ("newton", 3 * size)):
            counts = {}
            for linear in ("panel", "cholesky", "lu"):
                row = case("driver=factor_solve", "scene=cloth", "grid=20", "h=0.01", "duration=0.03",
                           "perturbation=1e-3", f"minimizer={minimizer}", f"linear={linear}")
                columns = row["columns"]
                self.assertEqual(row["status"], "ok")
                self.assertEqual(columns["rows"], rows)
                self.assertLess(columns["residual_worst"], 1e-12)
                for name in ("analyze_s", "factor_s", "solve_s"):
                    self.assertGreater(columns[name], 0)
                self.assertEqual(columns["solve_columns_s"] is None, minimizer == "newton")
                counts[linear] = columns["nnz_factor"]
            self.assertLessEqual(counts["cholesky"], counts["panel"])
            self.assertLess(counts["panel"], 1.2 * counts["cholesky"])
            self.assertLess(1.5 * counts["cholesky"], counts["lu"])

    def test_factor_solve_knows_no_analysis_of_petsc(self):
        columns = case("driver=factor_solve", "scene=cloth", "grid=5", "h=0.01", "duration=0.03", "linear=petsc",
                       "minimizer=newton", "petsc=-ksp_type preonly -pc_type cholesky")["columns"]
        self.assertIsNone(columns["analyze_s"])
        self.assertTrue(columns["factor_s"] > 0 and columns["solve_s"] > 0)

    def test_factor_solve_says_what_did_not_end(self):
        row = case("driver=factor_solve", "scene=cloth", "grid=5", "h=1", "duration=2", "minimizer=local_global",
                   "linear=petsc", "petsc=-ksp_type cg -pc_type none", "linear_max_iterations=2")
        self.assertEqual(row["status"], "not_converged")

    def test_limits_counts_and_bounds_every_kernel(self):
        vertices, springs, unknown = 21 * 21, 2 * 20 * 21 + 20 * 20, 21 * 21 - 2
        counts = {"forces": (20 * springs, 16 * springs + 48 * vertices, springs),
                  "energy": (13 * springs, 16 * springs + 24 * vertices, 0),
                  "local_step": (19 * springs + 6 * unknown, 8 * springs + 24 * vertices + 48 * unknown, springs),
                  "step": (20 * springs + 21 * vertices, 16 * springs + 80 * vertices, springs)}
        net = ["driver=limits", "scene=square", "springs=triangulated", "grid=20", "stiffness=1000", "total_mass=1",
               "h=0.01", "duration=0.01"]
        for kernel in (*counts, "hessian", "scalar_factor", "scalar_solve", "block_factor", "block_solve"):
            for instructions in ("best", "portable"):
                row = case(*net, f"kernel={kernel}", f"instruction_set={instructions}")
                columns = row["columns"]
                self.assertEqual(row["status"], "ok")
                if kernel in counts:
                    found = (columns["operations"], columns["traffic"], columns["quotients"])
                    self.assertEqual(found, counts[kernel], kernel)
                self.assertGreater(columns["kernel_s"], 0)
                bounds = {"bytes": columns["traffic"] / columns["bandwidth"],
                          "operations": columns["operations"] / columns["peak"],
                          "quotients": columns["quotients"] / columns["quotient_rate"]}
                self.assertEqual(columns["bound_by"], max(bounds, key=bounds.get))
                self.assertAlmostEqual(columns["bound_s"] / max(bounds.values()), 1)
        self.assertIn("set ranks=1", case(*net, "kernel=forces", "ranks=2", status=2))
        row = case(*net, "kernel=step", "spring_damping=1")
        self.assertEqual(row["status"], "skipped")
        self.assertIn("it has other forces than springs, gravity and drag", row["reason"])

    def test_trajectory_of_an_oscillator_keeps_its_energy(self):
        row = case("scene=oscillator", "integrator=velocity_verlet", "h=0.001", "duration=5")["columns"]
        self.assertLessEqual(abs(row["energy_final"] - 0.02), 1e-6 * 0.02)
        self.assertLessEqual(abs(row["last_x"] - (1 + 0.1 * math.cos(10))), 1e-5)

    def test_sums_over_particles_are_those_over_all_of_them(self):
        """The values of `smoothing` are computed here from the stored places without neighbours: each particle with
        each, by the nearest image. On a lattice it is what another program has (results/published/kernel_sums.csv)."""
        box = ["driver=smoothing", "scene=taylor_green", "spacing=1/16", "smoothing=wendland_c2", "relaxation=0"]
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "box.h5")
            columns = case(*box, "support=3", "disorder=0.3", "-o", file)["columns"]
            with h5py.File(file) as stored:
                place = stored["particles/all/position/value"][-1][:, :2]
        support, cell = 3 / 16, 1 / 256
        apart = place[:, None] - place[None]
        apart -= numpy.round(apart)
        q = numpy.minimum(numpy.hypot(*apart.T).T / support, 1)
        kernel = 7 / (math.pi * support**2) * (1 - q) ** 4 * (1 + 4 * q)
        slope = apart * (-140 / (math.pi * support**4) * (1 - q) ** 3)[:, :, None]
        density = kernel.sum(1)  # for equal masses of 1
        k = 2 * math.pi
        x, y = k * place.T
        f, exact = numpy.sin(x) * numpy.cos(y), k * numpy.array([numpy.cos(x) * numpy.cos(y), -numpy.sin(x) * numpy.sin(y)]).T
        difference = numpy.einsum("j,ijc->ic", f / density, slope) - f[:, None] * numpy.einsum("j,ijc->ic", 1 / density, slope)
        one = density[:, None] * numpy.einsum("ij,ijc->ic", density[:, None] ** -2 + density**-2, slope)
        symmetric = density[:, None] * numpy.einsum("ij,ijc->ic", (f / density**2)[:, None] + f / density**2, slope)
        rms = lambda a: math.sqrt(numpy.sum(a**2) / len(a))
        gradient = -cell * (apart[:, :, 1] * slope[:, :, 1]).sum(1)
        for name, value in (("kernel_sum", cell * density.mean()), ("kernel_sum_spread", cell * density.std()),
                            ("gradient_sum", gradient.mean()), ("gradient_sum_spread", gradient.std()),
                            ("neighbours", (q < 1).sum() / len(q) - 1), ("constant_error", support * rms(one)),
                            ("value_error", rms(kernel @ (f / density) - f) / rms(f)),
                            ("difference_error", rms(difference - exact) / rms(exact)),
                            ("symmetric_error", rms(symmetric - exact) / rms(exact))):
            self.assertFalse(not abs(columns[name] / value - 1) <= 1e-11, name)
        self.assertIsNone(columns["kernel_sum_error"])
        lattice = case(*box, "support=2.4", "disorder=0")["columns"]
        self.assertFalse(not abs(lattice["kernel_sum"] - 1.01795) <= 1e-5)
        self.assertFalse(not abs(lattice["gradient_sum"] - 0.96385) <= 1e-5)
        self.assertFalse(not max(lattice["kernel_sum_error"], lattice["gradient_sum_error"]) <= 1e-12)
        self.assertIn("periodic on all sides", case("driver=smoothing", "scene=standing_wave", status=2))


unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
