# SPDX-License-Identifier: GPL-3.0-or-later
"""The scripts of `plan --slurm`, run as Slurm would run them, without it: commands of Slurm are stand-ins that note how they
were called. tests/slurm.sh has a real one. Shards are of equal cost. Arguments: the program."""
import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import HEAD, Program, main

ROPES = HEAD + """  - grid: {integrator: [explicit_euler, symplectic_euler], substeps: [4, 9, 64]}
"""
SHEETS = """springbench: 1
name: sheets
question: Does it run?
source: this test
driver: trajectory
timed: false
defaults: {scene: cloth, h: 0.0002, duration: 1, integrator: velocity_verlet, save: "every:50"}
sweep:
  - grid: {grid: [4, 5, 40]}
"""
OF_THE_PROCESS = ("wall_s", "max_rss_bytes", "continued")


class SlurmScripts(Program):
    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        for name, says in (("sbatch", "7;cluster"), ("scontrol", "")):
            stand_in = self.folder / "bin" / name
            stand_in.write_text(f'#!/bin/sh\necho "{name} $*" >> "{self.folder}/calls.txt"\necho "{says}"\n')
            stand_in.chmod(0o755)

    def sweep(self, text, name):
        (self.folder / f"{name}.yaml").write_text(text)
        return f"{name}.yaml"

    def calls(self):
        path = self.folder / "calls.txt"
        return path.read_text().splitlines() if path.exists() else []

    def task(self, name, number=1, restarts=0):
        """In the background."""
        environment = dict(os.environ, PATH=f"{self.folder}/bin:{os.environ['PATH']}", SLURM_ARRAY_JOB_ID="9",
                           SLURM_ARRAY_TASK_ID=str(number), SLURM_RESTART_COUNT=str(restarts))
        with open(self.folder / "log.txt", "a") as log:
            return subprocess.Popen(["sh", f"{name}.sh"], cwd=self.folder, env=environment, stdout=log, stderr=log)

    def rows(self, directory):
        return {event["key"]: {name: value for name, value in event["row"].items() if name not in OF_THE_PROCESS}
                for event in self.events(self.folder / directory, "publish")}

    def test_tasks_run_shards_and_are_merged(self):
        sweep = self.sweep(ROPES, "small")
        options = ["-p", "frames=10,20", "-x", "substeps == 9"]
        self.call("run", sweep, "-o", "whole", *options)
        said = self.call("plan", sweep, "--slurm", 3, "-o", "it's here", *options, "--sbatch=--partition=long").stdout
        self.assertIn("3 tasks of 1 x 1 processors", said)
        (self.folder / "it's here.slurm").rename(self.folder / "moved")  # the scripts have absolute paths
        (self.folder / "moved").rename(self.folder / "it's here.slurm")
        for number in (1, 2, 3):
            self.assertEqual(self.task("it's here.slurm/array", number).wait(timeout=300), 0)
        parts = [self.rows(f"it's here.slurm/part-{number}") for number in (1, 2, 3)]
        self.assertEqual(sum(map(len, parts)), 8)
        self.assertEqual(self.task("it's here.slurm/merge").wait(timeout=300), 0)
        self.assertEqual(self.rows("it's here"), self.rows("whole"))
        script = (self.folder / "it's here.slurm/array.sh").read_text()
        for line in ("--array=1-3", "--ntasks=1", "--cpus-per-task=1", "--requeue", "--open-mode=append", "--partition=long"):
            self.assertIn(f"#SBATCH {line}\n", script)
        self.assertNotIn("--exclusive", script)
        self.assertEqual(self.calls(), [])

    def test_a_task_that_is_warned_stores_states_and_is_requeued(self):
        sweep = self.sweep(SHEETS, "sheets")
        self.call("run", sweep, "-o", "whole")
        self.call("plan", sweep, "--slurm", 2, "-o", "out")
        task = self.task("out.slurm/array")
        while not list(self.folder.glob("out.slurm/part-1/tmp/*.part")):
            self.assertIsNone(task.poll())
            time.sleep(0.02)
        time.sleep(0.2)
        task.send_signal(signal.SIGUSR1)
        self.assertEqual(task.wait(timeout=100), 75)
        self.assertEqual(self.calls(), ["scontrol requeue 9_1"])
        self.assertEqual(len(list(self.folder.glob("out.slurm/part-1/tmp/*.checkpoint"))), 1)
        self.assertEqual(self.task("out.slurm/array", restarts=1).wait(timeout=300), 0)
        self.assertEqual(self.task("out.slurm/merge").wait(timeout=300), 0)  # the second one never ran
        self.assertEqual(len(self.rows("out")), 1)
        self.assertEqual(self.task("out.slurm/array", 2).wait(timeout=300), 0)
        self.assertEqual(self.task("out.slurm/merge").wait(timeout=300), 0)
        self.assertEqual(self.rows("out"), self.rows("whole"))

    def test_several_sweeps_and_what_an_allocation_has(self):
        several = [self.sweep(ROPES, "small"), self.sweep(SHEETS.replace("40]", "6]"), "sheets")]
        said = self.call("plan", *several, "--slurm", 2, "-o", "all", "-p", "threads=2", "-j", 3).stdout
        self.assertIn("2 tasks of 1 x 6 processors", said)
        self.call("plan", self.sweep(ROPES.replace("timed: false", "timed: true"), "timed"), "--slurm", 2, "-n", 4, "-o",
                  "timed")
        script = (self.folder / "timed.slurm/array.sh").read_text()
        for line in ("--exclusive", "--ntasks=4", "--nodes=1"):
            self.assertIn(f"#SBATCH {line}\n", script)
        self.call("plan", *several, "--slurm", 2, "-o", "all")
        for number in (1, 2):
            self.assertEqual(self.task("all.slurm/array", number).wait(timeout=300), 0)
        self.assertEqual(self.task("all.slurm/merge").wait(timeout=300), 0)
        self.assertEqual([len(self.rows(f"all/{name}")) for name in ("small", "sheets")], [6, 3])
        done = subprocess.run(["sh", "all.slurm/submit.sh", "--qos=low"], cwd=self.folder, text=True, capture_output=True,
                              env=dict(os.environ, PATH=f"{self.folder}/bin:{os.environ['PATH']}"))
        self.assertEqual((done.returncode, done.stdout), (0, "array 7, merge 7\n"))
        folder = (self.folder / "all.slurm").resolve()
        self.assertEqual(self.calls(), [f"sbatch --parsable --qos=low {folder}/array.sh",
                                        f"sbatch --parsable --dependency=afterany:7 {folder}/merge.sh"])

    def test_any_folder_is_one_word(self):
        """tests/slurm.sh shows that Slurm reads these lines so."""
        sweep = self.sweep(ROPES, "small")
        for name, quoted in (("a #b'c\"d%e", "a #b'c\\\"d%%e"), ("f\\g h", None), ("i\ntouch ran\n# h", None)):
            with self.subTest(name):
                self.call("plan", sweep, "--slurm", 2, "-o", name)
                folder = (self.folder / f"{name}.slurm").resolve()
                for script, log in (("array", "task-%a.txt"), ("merge", "merge.txt")):
                    line = (folder / f"{script}.sh").read_text().splitlines()[2]
                    written = f'"{folder.parent}/{quoted}.slurm/{log}"' if quoted else "/dev/null"
                    self.assertEqual(line, f"#SBATCH --output={written}")
                for number in (1, 2):
                    self.assertEqual(self.task(folder / "array", number).wait(timeout=300), 0)
                self.assertEqual(self.task(folder / "merge").wait(timeout=300), 0)
                self.assertEqual(6, len(self.rows(name)))
        self.assertIn("3 of 6 cases", (folder / "task-1.txt").read_text())  # its own log
        self.assertFalse((self.folder / "ran").exists())

    def test_shards_are_of_equal_cost(self):
        """Every case in one shard; by index every second one, all large ones were in the same."""
        sweep = self.sweep(SHEETS.replace("grid: [4, 5, 40]", "duration: [1, 2, 3, 4], grid: [20, 80]"), "sheets")
        every = [case["seconds"] for case in json.loads(self.call("plan", sweep, "--format", "json").stdout)]
        self.assertGreater(sum(every[1::2]), 3 * sum(every[::2]))
        cost, keys = [], collections.Counter()
        for shard in (1, 2):
            cases = json.loads(self.call("plan", sweep, "--shard", f"{shard}/2", "--format", "json").stdout)
            cost.append(sum(case["seconds"] for case in cases))
            keys.update(case["key"] for case in cases)
        self.assertEqual((len(keys), set(keys.values())), (8, {1}))
        self.assertLess(max(cost), 1.3 * min(cost))
        more = [json.loads(self.call("plan", sweep, "--shard", f"{shard}/11", "--format", "json").stdout)
                for shard in range(1, 12)]
        self.assertEqual([len(cases) for cases in more], [1] * 8 + [0] * 3)
        self.call("run", sweep, "--shard", "11/11", "-o", "none")


main()
