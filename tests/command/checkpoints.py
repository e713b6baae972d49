# SPDX-License-Identifier: GPL-3.0-or-later
"""A case that is stopped on its way (SIGUSR1, --stop-after) stores its state and continues to the bit: its row, its
digest and its file are those of a case that was not stopped, for every integrator, minimiser, backend and contact. A
case that cannot be stored starts again. A run passes the signal to its cases. A sample (program.py) has half of the
rows, among them rows of each method and each kind. Arguments: the program. Run by the Python that has Debian's h5py."""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import PROGRAM, Program, main, makes_trial

ALONE = dict(OMPI_MCA_ess_singleton_isolated="1", OMPI_MCA_btl="self", OMPI_MCA_pml="ob1", OMPI_MCA_osc="^ucx",
             OMPI_MCA_coll="^hcoll,tuned,ucc", OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", OMP_THREAD_LIMIT="1",
             GOMP_SPINCOUNT="3000", OMPI_MCA_orte_create_session_dirs="0")  # else every case is executed twice
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_", "PETSC_"))}
INTERRUPTED = 75
OF_THE_PROCESS = ("wall_s", "max_rss_bytes", "continued")
TIMES = ("step_s",)
NET = ["scene=cloth", "grid=4", "stiffness=50", "h=0.001", "duration=0.04", "save=every:3"]
SWING = ["scene=cloth", "grid=4", "stiffness=200", "h=0.02", "duration=0.5", "integrator=implicit_euler", "save=none",
         "gravity=[0,0,-30]"]
FORCES = ["wind=expression:x=sin(5*t),y=x*t,z=0", "pin_path=oscillation:amplitude=[0,0,0.1],frequency=1"]
DAMPING = ["drag=0.01", "damping_rate=0.1", "spring_damping=0.01"]
OWN_DAMPING = {"position_verlet": ["verlet_damping=0.01"]}  # instead of those
OWN = {"implicit_euler": ["max_iterations=2"]}
BALL = ["contact=combined", "contact_stiffness=100", "friction=0.3", "collider=sphere:centre=[0.3,0.3,-0.1],radius=0.15",
        "pins=none"]
SWEEP = """springbench: 1
name: small
question: Does it run?
source: this test
driver: trajectory
timed: false
defaults: {scene: cloth, grid: 30, h: 0.0002, duration: 0.6, integrator: velocity_verlet, save: "every:5"}
sweep:
  - grid: {grid: [30, 31, 32]}
"""


class Stops(Program):
    def call(self, *arguments, **more):
        return super().call(*arguments, env={**CLEAN, **ALONE}, **more)

    def names(self, family):
        return [entry["name"] for entry in json.loads(self.call("list", family, "--json").stdout)[family]
                if "moves particles of a fluid, not nets" not in entry["claims"]]

    def row(self, text):
        row = json.loads(text)
        return {name: value for name, value in row.items() if name not in OF_THE_PROCESS}

    def content(self, name):
        """Every value of a case file that equal runs share."""
        values = {}

        def visit(path, item):
            if path.split("/")[0] in ("timing", "provenance"):
                return
            values.update({f"{path}@{key}": str(value) for key, value in item.attrs.items() if key != "particles_group"})
            if isinstance(item, h5py.Dataset):
                values[path] = item[()].tobytes()

        with h5py.File(self.folder / name) as file:
            file.visititems(visit)
        return values

    def start(self, *options):
        """In the background; its log is a file, which never blocks it."""
        with open(self.folder / "log.txt", "w") as log:
            return subprocess.Popen([PROGRAM, *map(str, options)], cwd=self.folder, stdout=log, stderr=log, text=True,
                                    env={**CLEAN, **ALONE})

    def check(self, *options, stops=(3, 17), may_be_refused=False):
        """Stopped after these steps and continued each time; the row without times, which are blank then. None: refused."""
        first = self.call("case", "--json", *options, "-o", "whole.h5", status=None if may_be_refused else 0)
        if first.returncode == 2:
            return None
        self.assertEqual(first.returncode, 0, (options, first.stderr))
        whole = self.row(first.stdout)
        for step in stops:
            said = self.call("case", *options, "-o", "parts.h5", "--stop-after", step, status=INTERRUPTED).stderr
            self.assertRegex(said, r"stopped after step \d+; the same case continues from there")
            self.assertFalse((self.folder / "parts.h5").exists())
        done = self.call("case", "--json", *options, "-o", "parts.h5").stdout
        self.assertEqual(json.loads(done)["continued"], len(stops))
        self.assertIsNone(json.loads(done)["wall_s"])
        parts = self.row(done)
        for name in TIMES:
            whole["columns"].pop(name, None)
            self.assertIsNone(parts["columns"].pop(name, None))
        self.assertEqual(parts, whole, options)
        self.assertEqual(self.content("parts.h5"), self.content("whole.h5"), options)
        self.assertEqual([path.name for path in self.folder.glob("parts.h5*")], ["parts.h5"])
        (self.folder / "parts.h5").unlink()
        return whole


# Without penalty contact as a lagged force.
ENDS_ALONE = ("position_verlet", "bdf2", "sdirk2", "implicit_midpoint")


class Methods(Stops):
    def test_every_integrator(self):
        for number, name in enumerate(self.names("integrators")):
            own = [f"integrator={name}", *OWN.get(name, [])]
            ball = ["contact=cancel_velocity", *BALL[2:]] if name in ENDS_ALONE else BALL
            rows = [([*NET, *FORCES, *OWN_DAMPING.get(name, DAMPING)], {}),
                    ([*NET, *ball, "self_contact=vertices", "thickness=0.1"], {}),
                    (["scene=rope", "substeps=20", "frames=5", "save=every:2"], {"stops": (7, 31, 40)}),
                    ([*NET[:-1], "driver=blowup", "save=every:3"], {}),
                    (NET, {})]
            for k, (row, stops) in enumerate(rows):
                if makes_trial(number + k, 2):
                    with self.subTest(integrator=name, row=row):
                        self.check(*row, *own, **stops)

    def test_every_minimizer(self):
        implicit = ["contact=penalty", *BALL[1:2], *BALL[3:], "contact_implicit=true"]
        for number, name in enumerate(self.names("minimizers")):
            own = [*SWING, f"minimizer={name}", "max_iterations=4"]
            rows = [["start=previous", *(implicit if name != "local_global" else [])], ["step_tolerance=1e-4"]]
            for k, row in enumerate(rows):
                if makes_trial(number + k, 2):
                    with self.subTest(minimizer=name, row=row):
                        self.check(*own, *row)

    def test_every_accelerator_metric_and_backend(self):
        made = []
        for i, metric in enumerate(self.names("metrics")):
            for k, accelerator in enumerate(self.names("accelerators")):
                own = [*SWING, "minimizer=gradient_descent", f"metric={metric}", f"accelerator={accelerator}", "step=armijo"]
                if makes_trial(i + k, 2):
                    with self.subTest(metric=metric, accelerator=accelerator):
                        made += [metric, accelerator] if self.check(*own, "max_iterations=4", may_be_refused=True) else []
        self.assertLessEqual({*self.names("metrics"), "none", "lbfgs", "ncg"}, set(made))
        for number, backend in enumerate(self.names("linear")):
            for k, minimizer in enumerate(("newton", "local_global")):
                if makes_trial(number + k, 2):
                    with self.subTest(backend=backend, minimizer=minimizer):
                        self.check(*SWING, f"linear={backend}", f"minimizer={minimizer}", "max_iterations=4")

    def test_texts_of_petsc_continue_or_start_again(self):
        """Never do they continue with other bits."""
        presets = ["cg_jacobi", "cg_block_jacobi", "cg_icc", "cg_hypre", "gmres_ilu", "-ksp_type minres -pc_type sor"]
        newton = [*SWING, "minimizer=newton", "max_iterations=4", "linear=petsc"]
        for text in presets:
            with self.subTest(text=text):
                self.check(*newton, f"petsc={text}")
        self.check(*SWING, "minimizer=local_global", "max_iterations=4", "linear=petsc", "petsc=cg_gamg")
        again = [[*newton, "petsc=cg_gamg"], [*newton, "petsc=-ksp_guess_type fischer"],
                 [*SWING, "minimizer=petsc_nonlinear", "petsc_nonlinear=-snes_type qn"],
                 [*NET, "integrator=petsc_ts", "petsc_ts=-ts_type alpha2"]]
        for options in again:
            with self.subTest(options=options):
                said = self.call("case", *options, "-o", "a.h5", "--stop-after", 3, status=None).stderr
                self.assertRegex(said, "--stop-after has no effect: the case stores no state: .* may keep data of earlier steps")

    def test_contact_of_layers(self):
        """The deepest contact, and how often layers met, are those of the whole run, with the part before a stop."""
        corners = ["scene=cloth", "grid=4", "pins=corners4", "pin_path=expression:x=-2*x*t,y=-2*y*t", "thickness=0.1",
                   "duration=1"]
        for own in (["self_contact=surfaces", "h=0.001"],
                    ["self_contact=barrier", "h=0.01", "integrator=implicit_euler"]):
            with self.subTest(own=own):
                row = self.check(*corners, *own, stops=(3, 10, 20))
                self.assertEqual(row["status"], "contact_unresolved")
        drop = ["scene=cloth", "grid=6", "pins=none", "h=0.002", "duration=0.5", "contact=penalty", "contact_stiffness=100",
                "collider=sphere:centre=[0.1,0.1,-0.3],radius=0.2"]
        row = self.check(*drop, stops=(240,))
        self.assertGreater(row["columns"]["penetration_max"], 0)

    def test_fluids(self):
        flow = ["driver=flow", "h=0.002", "duration=0.06", "save=every:2"]
        for scene in ("dam_break", "standing_wave", "taylor_green", "column"):
            with self.subTest(scene=scene):
                self.check(*flow, f"scene={scene}")
        self.check("driver=flow", "scene=dam_break", "integrator=symplectic_euler", "h=0.0005", "duration=0.02",
                   "sound_speed=20")

    def test_a_run_that_diverges_and_a_long_one(self):
        rope = ["scene=rope", "driver=blowup", "integrator=explicit_euler", "substeps=64", "save=every:40"]
        self.assertEqual(self.check(*rope, "frames=400", stops=(100, 600))["status"], "diverged")
        blocks = ["scene=rope", "integrator=rk4", "substeps=40", "frames=700", "save=every:100"]  # of 512 frames
        self.check(*blocks, stops=(24000, 26007))



class Checkpoints(Stops):
    def test_what_is_not_the_same_case_starts_again(self):
        def refuse(*options):
            done = self.call("case", "--json", *options, "-o", "a.h5")
            self.assertRegex(done.stderr, "the case starts again: the state in 'a.h5.checkpoint' is not used: ")
            self.assertNotIn("continued", json.loads(done.stdout))
            self.assertEqual(sorted(path.name for path in self.folder.glob("a.h5*")), ["a.h5"])
            return done.stderr

        def stop():
            self.call("case", *NET, "-o", "a.h5", "--stop-after", 9, status=INTERRUPTED)
            return self.folder / "a.h5.checkpoint"

        stop()
        self.assertIn("it was stored with another key", refuse(*NET, "drag=0.5"))
        stop()
        self.assertIn("it was stored with another command line", refuse(*NET[:-1], "save=every:2"))
        whole = stop().read_bytes()
        for damaged in (whole[:-1], whole[:len(whole) // 2], whole[:20], b"text\n", b"",
                        whole[:900] + bytes([whole[900] ^ 1]) + whole[901:]):
            (self.folder / "a.h5.checkpoint").write_bytes(damaged)
            self.assertIn("it is not a complete checkpoint", refuse(*NET))
        other = whole.replace(b'"program":"', b'"program":"0', 1)
        (self.folder / "a.h5.checkpoint").write_bytes(other)
        self.assertIn("it was stored with another program", refuse(*NET))

    def test_forget_takes_the_state_along(self):
        (self.folder / "small.yaml").write_text(SWEEP)
        process = self.start("run", "small.yaml", "-o", "parts", "-j", 1)
        journal = self.folder / "parts/journal.jsonl"
        while not journal.exists() or '"publish"' not in journal.read_text():
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(process.wait(timeout=300), INTERRUPTED)
        self.assertEqual(len(list((self.folder / "parts/tmp").glob("*.checkpoint"))), 1)
        self.call("forget", "parts", "-f", "grid > 0", "--yes")
        self.assertEqual(list((self.folder / "parts/tmp").glob("*")), [])

    def test_other_drivers_leave_at_once_and_start_again(self):
        statics = ["case", "driver=convergence", "scene=cloth", "grid=60", "--json", "-o", "a.h5"]
        process = self.start(*statics)
        time.sleep(0.3)
        process.send_signal(signal.SIGUSR1)
        self.assertIn(process.wait(timeout=60), (INTERRUPTED, -signal.SIGUSR1, 0))
        self.assertEqual(list(self.folder.glob("*.checkpoint")), [])


class Signals(Stops):
    def stop_by(self, number, *options, after=0.0):
        process = self.start(*options)
        time.sleep(after)
        process.send_signal(number)
        return process.wait(timeout=300)

    def test_signals_at_any_moment_lose_nothing(self):
        """USR1 again and again, and KILL, also while the state is stored."""
        sheet = ["case", "scene=cloth", "grid=40", "h=0.0002", "duration=0.4", "integrator=velocity_verlet", "save=every:5",
                 "--json", "-o"]
        whole = self.row(self.call(*sheet, "whole.h5").stdout)
        draw, code, stored, checkpoint = random.Random(4), None, 0, self.folder / "parts.h5.checkpoint"
        for attempt in range(60):
            number = signal.SIGUSR1 if attempt % 3 else signal.SIGKILL
            before = checkpoint.exists()
            code = self.stop_by(number, *sheet, "parts.h5", after=draw.uniform(0.1, 0.4) * 1.1 ** attempt)
            if code == 0:
                break
            stored += code == INTERRUPTED and checkpoint.exists()
            self.assertIn(code, (INTERRUPTED, -signal.SIGKILL, -signal.SIGUSR1))  # the last: before it listens
            if before and not checkpoint.exists():  # killed behind its end
                self.assertEqual(self.content("parts.h5"), self.content("whole.h5"))
        done = (self.folder / "log.txt").read_text() if code == 0 else self.call(*sheet, "parts.h5").stdout
        self.assertGreater(stored, 0)
        self.assertEqual(self.row(done.splitlines()[-1]), whole)
        self.assertEqual(self.content("parts.h5"), self.content("whole.h5"))

    def rows(self, directory):
        return {event["key"]: {**event["row"], **dict.fromkeys(OF_THE_PROCESS)}
                for event in self.events(self.folder / directory, "publish")}

    def test_a_run_passes_it_to_its_cases(self):
        (self.folder / "small.yaml").write_text(SWEEP)
        self.call("run", "small.yaml", "-o", "whole", "-j", 2)
        parts, continued = self.folder / "parts", 0
        for attempt in range(100):
            process = self.start("run", "small.yaml", "-o", "parts", "-j", 2)
            time.sleep(0.4 * 1.15 ** attempt)  # on a busy machine the first may end before a step
            process.send_signal(signal.SIGUSR1)
            code = process.wait(timeout=300)
            if code == 0:
                break
            self.assertIn(code, (INTERRUPTED, -signal.SIGUSR1))
            continued += len(list(parts.glob("tmp/*.checkpoint")))
        self.assertEqual(code, 0)
        self.assertGreater(continued, 0)
        self.assertEqual(self.rows("parts"), self.rows("whole"))
        self.assertGreater(sum(event["row"].get("continued", 0) for event in self.events(parts, "publish")), 0)
        self.assertEqual(list(parts.glob("tmp/*")), [])
        self.call("compare", "whole", "parts")


main()
