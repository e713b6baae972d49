# SPDX-License-Identifier: GPL-3.0-or-later
"""Helpers of the trials of storing: a sweep of 30 small ropes, a run of it with faults, and the conditions that must
hold afterwards.

Identical results are meant as docs/results_directory.md means them: the same keys and statuses, equal digests of every
dataset and attribute outside /timing, /provenance and /h5md/author, and of every column that is no timing."""
import csv
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import h5py
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "store"))
from side_car import side_car  # noqa: E402: it is found there

SWEEP = """springbench: 1
name: thirty
question: Is anything lost?
source: this test
driver: trajectory
timed: false
defaults: {{scene: rope, nodes: 4, h: 0.01, duration: 0.05, integrator: symplectic_euler, save: final}}
sweep:
  - grid: {{seed: [{seeds}]}}
"""
# Timed columns of the trajectory driver and of the index; the others depend only on the case.
TIMED_COLUMNS = {"wall_s", "max_rss_bytes"}
WHOLE_MINUTES = 600


class Failure(Exception):
    pass


def expect(truth, *words):
    if not truth:
        raise Failure(" ".join(map(str, words)))


def digest_of_attributes(name, thing, digest):
    for key in sorted(thing.attrs):
        digest.update(f"{name}@{key}={numpy.asarray(thing.attrs[key]).tolist()!r}\n".encode())


def digest_of_case(path, known={}):
    """The digest of everything in a case file outside /timing and /provenance, cached by the file's bytes."""
    content = path.read_bytes()
    mark = hashlib.sha256(content).digest()
    if mark not in known:
        digest = hashlib.sha256()

        def visit(name, thing):
            if name.split("/")[0] in ("timing", "provenance") or name == "h5md/author":
                return
            digest_of_attributes(name, thing, digest)
            if isinstance(thing, h5py.Dataset):
                digest.update(f"{name} {thing.shape} {thing.dtype}\n".encode())
                digest.update(thing[()].tobytes() if thing.dtype.kind != "O" else repr(thing[()]).encode())

        with h5py.File(path, "r") as file:
            file.visititems(visit)
        known[mark] = digest.hexdigest()
    return known[mark]


def events(directory):
    """The whole lines of the journal."""
    path = directory / "journal.jsonl"
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def published(directory):
    """Key -> checksum of what the journal says is there."""
    found = {}
    for event in events(directory):
        if event["event"] == "publish":
            found[event["key"]] = event["sha256"]
        elif event["event"] in ("retire", "fail"):
            found.pop(event["key"], None)
    return found


def results_of(directory):
    """Key -> everything that must come out the same."""
    with open(directory / "results.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    found = {}
    for row in rows:
        path = directory / "cases" / f"{row['key']}.h5"
        columns = {name: value for name, value in row.items() if name not in TIMED_COLUMNS}
        found[row["key"]] = (columns, digest_of_case(path) if path.exists() else None)
    return found


def runs(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def is_case(pid):
    """Whether it runs as one; numbers are given again."""
    try:
        return runs(pid) and b"\0case\0" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def open_files(pid):
    """Paths of the files that a process has open; a process and its files may go while they are looked at."""
    folder = pathlib.Path(f"/proc/{pid}/fd")
    try:
        links = list(folder.iterdir())
    except OSError:
        return
    for link in links:
        try:
            yield os.readlink(link)
        except OSError:
            pass


def writers(folder):
    """The cases that have a file below `folder` open, as a log."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return {pid for pid in pids if any(path.startswith(f"{folder}/") for path in open_files(pid)) and is_case(pid)}


class Trials:
    """Counts what must not be, and says so at the end, or when told to end (SIGTERM): figures so far, status 1."""

    def __init__(self, title):
        self.title, self.started = title, time.monotonic()
        self.trials = self.lost = self.unreadable = self.false_ok = self.crashes = self.other = 0
        self.messages = []
        signal.signal(signal.SIGTERM, self.stopped)

    def stopped(self, *_):
        self.end()
        raise SystemExit("  that is not all: told to end")

    def note(self, kind, message):
        setattr(self, kind, getattr(self, kind) + 1)
        self.messages.append(f"{kind}: {message}")
        print(f"  {kind}: {message}", flush=True)

    def bad(self):
        return self.lost + self.unreadable + self.false_ok + self.crashes + self.other

    def end(self, injected=None):
        """`injected`: how many faults a preloaded library counted; None: the test made them itself."""
        if injected is not None:
            print(f"  faults injected: {injected}")
        # The last numbers of a run depend on how often the runner looked at its case: a few may not be met.
        if injected is not None and injected < 0.9 * self.trials:
            self.note("other", f"only {injected} faults in {self.trials} trials")
        print(f"{self.title}: {self.trials} trials, cases lost {self.lost}, files unreadable {self.unreadable}, "
              f"false ok {self.false_ok}, crashes {self.crashes}, other failures {self.other} "
              f"({time.monotonic() - self.started:.0f} s)", flush=True)
        return 1 if self.bad() else 0


class World:
    """A folder with the sweep and one results directory, results/thirty."""

    def __init__(self, program, root, preload=None, stand_in=None, cases=30):
        self.program, self.root = str(program), pathlib.Path(root)
        self.preload, self.stand_in = preload, stand_in
        self.sweep = self.root / "thirty.yaml"
        self.results = self.root / "results"
        self.out = self.results / "thirty"
        self.recorded = self.root / "recorded"
        self.starts = self.root / "starts"
        self.faults = self.root / "injected"
        self.sweep.write_text(SWEEP.format(seeds=", ".join(map(str, range(1, cases + 1)))))
        self.cases = cases

    def command(self, *more):
        # A preloaded library counts by process, and executes a stand-in in the place of cases.
        how = ["--exec"] if self.preload else []
        return [self.program, "run", str(self.sweep), "-o", str(self.out), "-j", "1", "--progress", "none", *how, *more]

    def environment(self, fault=None, log=None, replayed=False):
        environment = {**os.environ, "SB_FAULT_ROOT": str(self.results), "SB_FAULT_STARTS": str(self.starts),
                       "SB_FAULT_INJECTED": str(self.faults)}
        for name, value in (("SB_FAULT", fault), ("SB_FAULT_LOG", log and str(log)),
                            ("LD_PRELOAD", self.preload and str(self.preload)),
                            ("SB_FAULT_STAND_IN", self.stand_in and str(self.stand_in) if replayed else None),
                            ("SB_FAULT_RECORDED", str(self.recorded))):
            if value:
                environment[name] = value
        return environment

    def injected(self):
        return self.faults.stat().st_size if self.faults.exists() else 0

    def run(self, *more, fault=None, log=None, replayed=False):
        self.starts.unlink(missing_ok=True)
        return subprocess.run(self.command(*more), env=self.environment(fault, log, replayed), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=WHOLE_MINUTES, errors="replace")

    def record(self):
        """An undisturbed run: its results, and what a stand-in needs to repeat its cases."""
        done = self.run()
        expect(done.returncode == 0, done.stderr)
        shutil.rmtree(self.recorded, ignore_errors=True)
        self.recorded.mkdir()
        for event in events(self.out):
            if event["event"] == "publish":
                (self.recorded / f"{event['key']}.row").write_text(json.dumps(event["row"]) + "\n")
                shutil.copy(self.out / "cases" / f"{event['key']}.h5", self.recorded)
        self.side_cars = {path.stem: side_car(path)["text"] for path in (self.out / "cases").glob("*.h5")}
        expected = results_of(self.out)
        expect(len(expected) == self.cases, len(expected), "cases")
        return expected

    def clear(self):
        shutil.rmtree(self.results, ignore_errors=True)

    def wait_for_the_dead(self, limit=60):
        """A killed runner's children are told to die with it; on a busy machine that takes a moment."""
        end = time.monotonic() + limit
        while writers(self.out) and time.monotonic() < end:
            time.sleep(0.005)
        expect(not writers(self.out), "cases live on without their runner:", writers(self.out))

    def check_files(self, trials, what):
        """Every published file agrees with its checksum, and is there (or still aside, awaiting its rename). If it is
        there, so is its side-car; all other side-cars await the file of the same run."""
        for key, checksum in published(self.out).items():
            path = self.out / "cases" / f"{key}.h5"
            aside = list((self.out / "tmp").glob(f"{key}.*.h5"))
            found = [path] if path.exists() else aside
            sums = {hashlib.sha256(file.read_bytes()).hexdigest() for file in found}
            if not found:
                trials.note("lost", f"{what}: {key} is neither published nor aside")
            elif checksum not in sums:
                trials.note("unreadable", f"{what}: {path} does not agree with its checksum")
            if path.exists() and not path.with_suffix(".xdmf").exists():
                trials.note("lost", f"{what}: {path} has no side-car")
        for path in (self.out / "cases").glob("*.xdmf"):
            if path.read_text() != self.side_cars.get(path.stem):
                trials.note("unreadable", f"{what}: {path} is of another file")

    def check_resumed(self, trials, what, expected, finished):
        """The directory after the same command was run again without a fault."""
        again = {}
        for event in events(self.out):
            if event["event"] == "publish":
                again[event["key"]] = again.get(event["key"], 0) + 1
        for key in finished:
            if again.get(key, 0) != 1:
                trials.note("lost", f"{what}: finished case {key} was run again")
        self.check_files(trials, what)
        if results_of(self.out) != expected:
            trials.note("false_ok", f"{what}: other results after resuming")
        if list((self.out / "tmp").iterdir()):
            trials.note("other", f"{what}: left in tmp: {[p.name for p in (self.out / 'tmp').iterdir()]}")


def is_crash(code, killed):
    """A process ended by a signal that was not asked for."""
    return code < 0 and not (killed and code == -9)
