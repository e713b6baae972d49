# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases that workers fork: they have the results of programs of their own and of cases by hand, and nothing is lost when
workers, cases or the runner are killed. usage: workers.py PROGRAM [TEST ...]
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from program import PROGRAM, Program, main  # noqa: E402

METHODS = """springbench: 1
name: methods
question: Do forked cases have the same bits?
source: this test
driver: trajectory
timed: false
defaults: {scene: cloth, grid: 6, h: 0.005, duration: 0.05, save: every:2}
methods:
  explicit: {integrator: symplectic_euler}
  runge_kutta: {integrator: rk4}
  newton: {integrator: implicit_euler, minimizer: newton}
  newton_petsc: {integrator: implicit_euler, minimizer: newton, linear: petsc, petsc: -ksp_type cg -pc_type jacobi}
  projective: {integrator: implicit_euler, minimizer: local_global}
  lbfgs: {integrator: implicit_euler, minimizer: lbfgs}
  threads: {integrator: implicit_euler, minimizer: local_global, threads: 2}
  ranks: {integrator: symplectic_euler, ranks: 2}
  log: {integrator: implicit_euler, minimizer: newton, linear: petsc, petsc: -log_view}
  time_log: {integrator: petsc_ts, petsc_ts: -ts_type alpha2 -log_view}
sweep:
  - grid:
      method: [explicit, runge_kutta, newton, newton_petsc, projective, lbfgs, threads, ranks, log, time_log]
"""
OWN_PROGRAM = 3  # of these methods: ranks, log and time_log
# Cases of some tenths of a second.
SLOW = """springbench: 1
name: slow
question: Is a case lost?
source: this test
driver: trajectory
timed: false
defaults: {scene: cloth, grid: 16, integrator: implicit_euler, minimizer: newton, h: 0.01, duration: 0.2, save: final}
sweep:
  - grid:
      stiffness: [50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 160]
"""


def family(runner):
    """The workers and the cases of a runner: (pid, True if it is a case). Both have the command line of a worker."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            forked = int((entry / "stat").read_text().rpartition(")")[2].split()[6]) & 0x40
        except OSError:
            continue
        if state not in "ZX" and b"--serve" in words and int(parent) == runner:
            found.append((int(entry.name), bool(forked)))
    return found


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.005)
    raise AssertionError("nothing happened")


class Results(Program):
    def rows(self, directory):
        return {event["key"]: event for event in self.events(self.folder / directory, "publish")}

    def test_are_those_of_a_program_and_of_a_case_by_hand(self):
        (self.folder / "methods.yaml").write_text(METHODS)
        self.call("run", "methods.yaml", "-o", "forked")
        self.call("run", "methods.yaml", "-o", "executed", "--exec")
        forked, executed = self.rows("forked"), self.rows("executed")
        self.assertEqual(10, len(forked))
        self.assertEqual(10 - OWN_PROGRAM, sum(event["start"] == "worker" for event in forked.values()))
        self.assertEqual({"program"}, {event["start"] for event in executed.values()})
        for key, event in forked.items():
            files = [h5py.File(self.folder / directory / "cases" / f"{key}.h5") for directory in ("forked", "executed")]
            with self.subTest(key=key):
                self.assertEqual(event["row"]["digest"], executed[key]["row"]["digest"])
                self.assertGreater(event["row"]["max_rss_bytes"], 1e6)
                for name in ("position", "velocity"):
                    values = [file[f"particles/all/{name}/value"][:] for file in files]
                    self.assertGreater(len(values[0]), 2)
                    self.assertTrue(numpy.array_equal(*values))
        for command in self.call("run", "methods.yaml", "-o", "other", "--dry-run").stdout.splitlines():
            row = json.loads(self.shell(command + " --json").stdout.splitlines()[-1])
            self.assertEqual(row["digest"], forked[row["key"]]["row"]["digest"], command)

    def test_of_times_and_memory_are_a_program_of_their_own(self):
        for name, before, after in (("timed", "timed: false", "timed: true\nrepetitions: 2"), ("memory", "sweep:", "expect: "
                                    "[{claim: it is small, test: max(max_rss_bytes) < 1e12}]\nsweep:")):
            text = METHODS.replace(before, after).replace("method: [explicit, runge", "method: [explicit] #")
            (self.folder / f"{name}.yaml").write_text(text.replace("driver: trajectory", "driver: timing")
                                                      .replace(", duration: 0.05, save: every:2", "")
                                                      if name == "timed" else text)
            self.call("run", f"{name}.yaml", "-o", name)
            self.assertEqual({"program"}, {event["start"] for event in self.rows(name).values()}, name)
        for look, start in (["--quick"], "worker"), (["-r", "2"], "program"):  # the second takes the times again
            self.call("run", "timed.yaml", "-o", "both", *look)
            self.assertEqual({start}, {event["start"] for event in self.rows("both").values()})


class Killed(Program):
    def start(self, text=SLOW, *options):
        (self.folder / "slow.yaml").write_text(text)
        return subprocess.Popen([PROGRAM, "run", "slow.yaml", "-o", "slow", "-j2", *options], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self, runner):
        said = runner.communicate(timeout=300)
        self.assertEqual([], family(runner.pid))
        return runner.returncode, said

    def test_worker_is_replaced(self):
        runner, draw, killed = self.start(), random.Random(40), set()
        while runner.poll() is None and len(killed) < 5:
            workers = [pid for pid, is_case in family(runner.pid) if not is_case and pid not in killed]
            if workers:
                os.kill(workers[0], signal.SIGKILL)
                killed.add(workers[0])
            time.sleep(draw.uniform(0.1, 0.3))
        status, said = self.finish(runner)
        self.assertEqual(0, status, said)
        self.assertGreater(len(killed), 2)
        events = self.events(self.folder / "slow", "publish")
        self.assertEqual(12, len({event["key"] for event in events}))
        self.assertEqual(12, len(events))

    def test_case_leaves_the_worker(self):
        runner = self.start()
        case = wait_for(lambda: [pid for pid, is_case in family(runner.pid) if is_case])[0]
        workers = {pid for pid, is_case in family(runner.pid) if not is_case}
        os.kill(case, signal.SIGKILL)
        wait_for(lambda: len(self.events(self.folder / "slow", "publish")) > 2)
        self.assertEqual(workers, {pid for pid, is_case in family(runner.pid) if not is_case})
        status, said = self.finish(runner)
        self.assertEqual(1, status, said)
        failed = self.events(self.folder / "slow", "fail")
        self.assertEqual(["crashed"], [event["row"]["status"] for event in failed])
        self.assertIn("KILL", failed[0]["row"]["reason"])
        self.assertEqual(11, len(self.events(self.folder / "slow", "publish")))

    def stop_worker(self, runner):
        """When it has forked a case. Its number."""
        everybody = wait_for(lambda: (lambda all: any(is_case for _, is_case in all) and all)(family(runner.pid)))
        worker = next(pid for pid, is_case in everybody if not is_case)
        os.kill(worker, signal.SIGSTOP)
        return worker

    def test_stopped_worker_does_not_keep_the_run(self):
        for number in signal.SIGTERM, signal.SIGUSR1:
            with self.subTest(number=number):
                runner = self.start()
                self.stop_worker(runner)
                wait_for(lambda: not any(is_case for _, is_case in family(runner.pid)))  # the next ones are asked for
                time.sleep(1)  # so that mostly both are
                runner.send_signal(number)
                said = runner.communicate(timeout=40)  # a worker has 60 s to be up
                self.assertEqual(75, runner.returncode, said)
                self.assertEqual([], family(runner.pid))
                self.assertIn(len(self.events(self.folder / "slow", "interrupt")), (1, 2))
                shutil.rmtree(self.folder / "slow")

    def test_worker_that_is_stopped_at_its_start(self):
        runner = self.start()
        os.kill(wait_for(lambda: family(runner.pid))[0][0], signal.SIGSTOP)
        runner.terminate()
        runner.communicate(timeout=40)
        self.assertIn(runner.returncode, (75, -signal.SIGTERM))
        self.assertEqual([], family(runner.pid))

    def test_limits_hold_while_a_worker_does_not_answer(self):
        runner = self.start(SLOW.replace("stiffness: [50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 160]",
                                         "duration: [1000, 0.2, 0.21, 0.22]"), "-t", "3s")
        worker = self.stop_worker(runner)
        fails = wait_for(lambda: self.events(self.folder / "slow", "fail"), seconds=40)
        self.assertEqual("timeout", fails[0]["row"]["status"], fails)
        wait_for(lambda: worker not in [pid for pid, _ in family(runner.pid)])  # it is replaced
        status, said = self.finish(runner)
        self.assertEqual(1, status, said)
        self.assertEqual(3, len(self.events(self.folder / "slow", "publish")))

    def test_runner_takes_all_with_it(self):
        runner = self.start(SLOW.replace("duration: 0.2", "duration: 1000"))  # longer than this test waits
        everybody = wait_for(lambda: (lambda all: len(all) == 3 and all)(family(runner.pid)))
        runner.kill()
        runner.communicate()
        wait_for(lambda: not [pid for pid, _ in everybody if pathlib.Path(f"/proc/{pid}").exists()])
        self.assertNotEqual([], list((self.folder / "slow" / "tmp").iterdir()))
        self.call("run", "slow.yaml", "-o", "slow", "-f", "stiffness == 50", "-t", "1s", status=1)
        self.assertEqual([], list((self.folder / "slow" / "tmp").iterdir()))


main()
