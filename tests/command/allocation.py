# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs and cases in a part of a machine or in a job of a batch system: their processors, launchers, environment, and
what results tell of them. usage: allocation.py PROGRAM [TEST ...]
"""
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from program import WATCHED, PROGRAM, Program, main  # noqa: E402

SWEEP = """springbench: 1
name: allocated
question: Where does it run?
source: this test
driver: trajectory
timed: false
defaults: {scene: cloth, grid: 4, h: 0.005, duration: 0.05}
sweep:
  - grid: GRID
"""
SLOW = SWEEP.replace("grid: 4", "grid: 16, integrator: implicit_euler").replace("duration: 0.05", "duration: 0.1")
CORES = sorted(os.sched_getaffinity(0))
CASE = ("case", "scene=cloth", "grid=4", "h=0.005", "duration=0.05")
# A launcher that notes how it was called, and one that calls mpiexec then.
NOTES = '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.words"\nenv > "$0.environment"\n'
STARTS = """ranks=1
for word; do case $word in --ntasks=*) ranks=${word#*=};; esac; done
while case $1 in -*) true;; *) false;; esac; do shift; done
exec MPIEXEC --oversubscribe --allow-run-as-root -n $ranks "$@"
"""
OUTSIDE = {name: value for name, value in os.environ.items()
           if not name.startswith(("SLURM", "PMI", "OMPI", "PBS", "LSB", "SPRINGBENCH"))}


def on(*cores):
    """For a process that may use these processors alone."""
    return lambda: os.sched_setaffinity(0, cores)


class Allocation(Program):
    def write(self, grid, text=SWEEP, name="allocated.yaml"):
        (self.folder / name).write_text(text.replace("GRID", grid))

    def launcher(self, name, then=""):
        """A program of this name for PATH."""
        (self.folder / name).write_text(NOTES + then.replace("MPIEXEC", shutil.which("mpiexec")))
        (self.folder / name).chmod(0o755)
        return {**OUTSIDE, "PATH": f"{self.folder}:{os.environ['PATH']}"}

    def noted(self, name):
        words = (self.folder / f"{name}.words").read_text().splitlines()
        lines = (self.folder / f"{name}.environment").read_text().splitlines()
        return words, dict(line.split("=", 1) for line in lines if "=" in line)


class Processors(Allocation):
    def places(self, runner):
        """The processors of each process that the runner started, by its number: worker and cases."""
        found = {}
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == runner:
                    found[entry.name] = frozenset(os.sched_getaffinity(int(entry.name)))
            except OSError:
                continue
        return found

    @unittest.skipIf(len(CORES) < 2, "there is one processor")
    def test_two_runs_in_disjoint_masks_share_none(self):
        self.write("{stiffness: [50, 60, 70, 80, 90, 100]}", SLOW)
        runs = [subprocess.Popen([PROGRAM, "run", "allocated.yaml", "-o", f"on{core}"], cwd=self.folder,
                                 preexec_fn=on(core), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for core in CORES[:2]]
        seen = {core: {} for core in CORES[:2]}  # last: libpsm2 of Debian 13 visits processor 0 while it is loaded
        while any(run.poll() is None for run in runs):
            for core, run in zip(CORES, runs):
                seen[core] |= self.places(run.pid)
        for core, run in zip(CORES, runs):
            self.assertEqual(0, run.returncode)
            self.assertEqual({frozenset([core])}, set(seen[core].values()))
            events = self.events(self.folder / f"on{core}", "publish")
            self.assertEqual([("worker", 1)] * 6, [(event["start"], event["jobs"]) for event in events])

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_of_others_are_never_entered(self):
        self.write("{stiffness: [50, 60]}")
        for start in ([], ["--exec"]):
            self.call("run", "allocated.yaml", "-o", f"traced{len(start)}", *start, preexec_fn=on(CORES[-1]),
                      env=os.environ | WATCHED, before=[
                "strace", "-f", "-k", "-qq", "-e", "signal=none", "-e", "trace=sched_setaffinity",
                "-o", self.folder / "calls.txt"])
            # Ours: libpsm2 and libucs of Debian 13 call it too, while they are loaded and in a thread that waits.
            calls = re.findall(r"sched_setaffinity\(.*, \[(.*)\]\).*\n(?: > .*\n)*? > .*/springbench(?:-cases)?\(",
                               (self.folder / "calls.txt").read_text())
            self.assertEqual({str(CORES[-1])}, set(calls))
            self.assertGreaterEqual(len(calls), 2)

    def test_limit_threads_and_ranks_where_a_case_starts(self):
        one = on(CORES[0])
        self.write("{threads: [5]}")
        for count in ("threads=5", "ranks=5", "ranks=64"):
            self.assertIn("on 1 processors that this process may use (allowed: 4 threads for each) [E104]",
                          self.call(*CASE, count, status=2, preexec_fn=one).stderr)
        self.call(*CASE, "threads=4", preexec_fn=one)
        self.assertIn("allocated.yaml:9:", self.call("run", "allocated.yaml", status=2, preexec_fn=one).stderr)
        self.assertFalse((self.folder / "results").exists())
        if len(CORES) > 1:  # finished work needs no processors
            self.call("run", "allocated.yaml", "-o", "done")
            self.call("run", "done", preexec_fn=one)

    def test_of_another_machine_are_planned_for(self):
        self.write("{ranks: [64, 4096], stiffness: [50, 60]}")
        one = on(CORES[0])
        self.assertIn("4 to run", self.call("plan", "allocated.yaml", preexec_fn=one).stdout)
        self.assertIn("4 cases", self.call("check", "allocated.yaml", preexec_fn=one).stdout)
        self.assertEqual(4, len(self.call("run", "allocated.yaml", "--dry-run", preexec_fn=one).stdout.splitlines()))
        self.assertIn("ranks=64", self.call("run", "allocated.yaml", status=2, preexec_fn=one).stderr)


class Launchers(Allocation):
    def test_srun_starts_the_ranks(self):
        environment = {**self.launcher("srun", STARTS), "SLURM_JOB_ID": "7", "SLURM_NTASKS": "2", "UCX_TLS": "tcp"}
        self.write("{ranks: [1, 2]}")
        self.call("run", "allocated.yaml", "-o", "by_srun", "--launcher", "srun", env=environment)
        words, seen = self.noted("srun")
        self.assertLess({"--ntasks=2", "--cpus-per-task=1", "--mpi=pmix", "--kill-on-bad-exit=1"}, set(words))
        self.assertEqual(["7", "2", "tcp"], [seen[name] for name in ("SLURM_JOB_ID", "SLURM_NTASKS", "UCX_TLS")])
        self.assertEqual([], [name for name in seen if name.startswith(("OMPI_MCA_btl", "OMPI_MCA_pml"))])
        self.call("run", "allocated.yaml", "-o", "by_mpiexec", env=OUTSIDE)
        results = [sorted((event["key"], event["row"]["digest"]) for event in self.events(self.folder / name, "publish"))
                   for name in ("by_srun", "by_mpiexec")]
        self.assertEqual(2, len(results[0]))
        self.assertEqual(*results)
        self.assertEqual(["srun"], [event["launcher"] for event in self.events(self.folder / "by_srun", "run")])

    def test_force_no_transport_between_nodes(self):
        environment = self.launcher("mpiexec")
        for more, forced in (({}, "self,vader"), ({"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "1"}, "self,vader"),
                             ({"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "2"}, None), ({"PBS_NODEFILE": "/nodes"}, None),
                             ({"OMPI_MCA_btl": "self,tcp"}, "self,tcp")):
            self.call(*CASE, "ranks=2", env={**environment, **more})
            words, seen = self.noted("mpiexec")
            self.assertEqual("2", words[words.index("-n") + 1])
            self.assertEqual(forced, seen.get("OMPI_MCA_btl"), more)

    def test_of_no_kind_are_refused(self):
        self.write("{ranks: [1, 2]}")
        for command in (("run", "allocated.yaml"), (*CASE, "ranks=2")):
            self.assertIn("--launcher none starts no ranks", self.call(*command, "--launcher", "none", status=2).stderr)
        self.call("run", "allocated.yaml", "--launcher", "none", "-f", "ranks == 1")
        self.assertIn("--launcher takes mpiexec, srun or none; got 'ssh'", self.call(*CASE, "--launcher=ssh", status=2).stderr)

    def test_that_started_this_process_say_how_many_ranks_there_are(self):
        step = {**OUTSIDE, "SLURM_STEP_NUM_TASKS": "2", "SLURM_NTASKS": "8"}
        self.assertIn("ranks=3, but srun started 2 [E104]",
                      self.call(*CASE, "ranks=3", status=2, env={**step, "PMIX_RANK": "0"}).stderr)
        self.assertIn("srun started 2 tasks without MPI; srun --mpi=pmix makes them ranks",
                      self.call(*CASE, "ranks=2", status=2, env=step).stderr)
        # Open MPI would end a single process that it takes for a task of srun.
        slurm = {**step, "SLURM_STEP_NUM_TASKS": "1", "SLURM_JOBID": "7", "SLURM_JOB_ID": "7", "SLURM_STEPID": "0",
                 "SLURM_STEP_ID": "0", "SLURM_PROCID": "0", "SLURM_NODELIST": "n1", "SLURM_TASKS_PER_NODE": "1"}
        for environment in (slurm, {**step, "SLURM_STEP_NUM_TASKS": ""}):
            row = json.loads(self.call(*CASE, "--json", env=environment).stdout)
            self.assertEqual("ok", row["status"])


class Environment(Allocation):
    def test_tells_libraries_of_file_systems_without_locks(self):
        self.call(*CASE, "-o", "first.h5")
        self.write("{restart: [first.h5]}", SWEEP.replace("0.05", "0.1"))
        with open(self.folder / "first.h5", "rb+") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.call("run", "allocated.yaml", env={**OUTSIDE, "HDF5_USE_FILE_LOCKING": "FALSE"})

    def test_tells_the_job(self):
        self.write("{stiffness: [50]}")
        slurm = {"SLURM_JOB_ID": "7", "SLURMD_NODENAME": "n9"}
        for more, node, job in ((slurm, "n9", "slurm 7"),
                                ({**slurm, "SLURM_ARRAY_JOB_ID": "6", "SLURM_ARRAY_TASK_ID": "4"}, "n9", "slurm 6_4"),
                                ({"PBS_JOBID": "5.head"}, "", "pbs 5.head"), ({"SPRINGBENCH_JOB": "make 3"}, "", "make 3"),
                                ({}, "", "")):
            for start in ([], ["--exec"]):
                name = f"out{len(list(self.folder.iterdir()))}"
                self.call("run", "allocated.yaml", "-o", name, *start, env={**OUTSIDE, **more})
                [event], [run] = self.events(self.folder / name, "publish"), self.events(self.folder / name, "run")
                with h5py.File(self.folder / event["file"].replace("cases", f"{name}/cases")) as file:
                    stored = file["provenance"].attrs
                    for told in (event, run):
                        self.assertEqual([node, job], [told.get("node", ""), told.get("job", "")])
                    self.assertEqual([node, job], [stored["node"].decode(), stored["job"].decode()])
                    for what in ("host", "build", "machine"):
                        self.assertEqual(event[what], stored[what].decode())
                page = (self.folder / name / "report.md").read_text()
                self.assertEqual(bool(job), f"*job:* {job}" in page)
                self.assertIn(f"*host:* {event['host']}", page)


if __name__ == "__main__":
    main()
