#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How well noise is noticed: runs of one timed case, pinned to a core, with a busy loop on the same core and without.

    tests/noise.py PROGRAM [RUNS] [CORE]

Asks for what docs/robustness.md promises: every run beside a busy loop flagged; of the others, at most one in
twenty flagged without cause. A machine is never idle for long, and a neighbour of a virtual one is not seen, so a cause
is looked for in the times themselves. The steps are the same bit for bit in all runs. The undisturbed time of a step on
this machine is the least of its times over the runs. A run was disturbed when its steps took longer by SLOWED: the
median of either half of the run, or the mean of all; or when the kernel counted what the host took (steal). A flag on
another run is a false alarm. Exit status 0: as promised; 1: not."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
CORE = int(sys.argv[3]) if len(sys.argv) > 3 else max(os.sched_getaffinity(0))
SLOWED = 1.03
calibrations = []  # of all runs so far
CASES = {
    "rope, some 10 ms of calibration and steps": ["scene=rope", "nodes=16", "integrator=symplectic_euler", "frames=20"],
    "cloth, some 150 ms": ["scene=cloth", "grid=20", "integrator=implicit_euler", "minimizer=local_global",
                           "frames=100"],
    "cloth, Newton": ["scene=cloth", "grid=12", "integrator=implicit_euler", "minimizer=newton", "frames=60"],
}


def pinned(command, **options):
    return subprocess.run(["taskset", "-c", str(CORE), *command], capture_output=True, text=True, **options)


def timed(options, folder):
    """Why this run is flagged ("" when it is not), and the seconds of its steps. As `run` does, it is told how long the
    calibration loop takes when nothing disturbs."""
    file = folder / "case.h5"
    known = ["--calibration", str(numpy.quantile(calibrations, 0.1))] if calibrations else []
    done = pinned([PROGRAM, "case", "driver=timing", "save=none", *options, "--json", *known, "-o", file])
    if done.returncode != 0:
        sys.exit(f"the case failed: {done.stderr}")
    with h5py.File(file) as case:
        samples = case["timing/samples"][:]
    file.unlink()
    steps = samples["seconds"][samples["phase"] == b"step"]
    timing = json.loads(done.stdout.splitlines()[-1])["timing"]
    calibrations.append(timing["calibration_s"])
    return timing["noisy"], steps


def slowdowns(seconds):
    """For each run (rows: runs, columns: steps), how much longer its steps took than undisturbed ones."""
    ratio = seconds / seconds.min(axis=0)
    halves = [half for half in numpy.array_split(ratio, 2, axis=1) if half.shape[1] > 0]
    return numpy.max([numpy.median(half, axis=1) for half in halves] + [ratio.mean(axis=1)], axis=0)


def beside_a_loop(name, options, folder):
    flagged = [verdict for verdict, _ in (timed(options, folder) for _ in range(RUNS)) if verdict]
    print(f"  {name}: {len(flagged)} of {RUNS} flagged" + (f"; such as: {flagged[-1]}" if flagged else ""), flush=True)
    return len(flagged) == RUNS


def alone(name, options, folder):
    verdicts, seconds = zip(*(timed(options, folder) for _ in range(RUNS)))
    flagged, slow = numpy.array([verdict != "" for verdict in verdicts]), slowdowns(numpy.array(seconds))
    stolen = numpy.array(["steal" in verdict for verdict in verdicts])
    false, missed = flagged & ~stolen & (slow <= SLOWED), ~flagged & (slow > SLOWED)
    print(f"  {name}: {flagged.sum()} of {RUNS} flagged, {false.sum()} without cause; {missed.sum()} slowed and not "
          f"flagged" + (f" (at most by {slow[missed].max() - 1:.1%})" if missed.any() else ""))
    for i in numpy.flatnonzero(flagged):
        print(f"    slowed by {slow[i] - 1:.1%}: {verdicts[i]}")
    sys.stdout.flush()
    return false.sum() <= max(1, RUNS // 20)


def doctor():
    answer = subprocess.run([PROGRAM, "doctor", "--strict", "--seconds", "1"], capture_output=True, text=True)
    print("".join(f"  {line}\n" for line in answer.stdout.splitlines() if "core " in line or "load" in line), end="")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        print(f"a busy loop on the same core ({CORE}):")
        busy = subprocess.Popen(["taskset", "-c", str(CORE), sys.executable, "-c", "while True: pass"])
        try:
            noticed = all([beside_a_loop(case, options, folder) for case, options in CASES.items()])
        finally:
            busy.kill()
            busy.wait()
        print("nothing beside it:")
        doctor()
        quiet = all([alone(case, options, folder) for case, options in CASES.items()])
    print("as promised" if noticed and quiet else "not as promised")
    return 0 if noticed and quiet else 1


sys.exit(main())
