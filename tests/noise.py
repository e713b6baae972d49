#!/usr/bin/env python3
"""How well noise is noticed: runs of one timed case, pinned to a core, with a busy loop on the same core and without.

    tests/noise.py PROGRAM [RUNS] [CORE]

Asks for what docs/robustness/timings.md promises: every disturbed run flagged, at most one undisturbed run in twenty.
The second half wants an idle machine; where `doctor` says that it is not idle it is reported, and not asked for.
Exit status 0: as promised; 1: not; 77: the undisturbed half could not be judged."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
CORE = int(sys.argv[3]) if len(sys.argv) > 3 else max(os.sched_getaffinity(0))
CASES = {
    "rope, some 10 ms of calibration and steps": ["scene=rope", "nodes=16", "integrator=symplectic_euler", "frames=20"],
    "cloth, some 150 ms": ["scene=cloth", "grid=20", "integrator=implicit_euler", "minimizer=local_global",
                           "frames=100"],
    "cloth, Newton": ["scene=cloth", "grid=12", "integrator=implicit_euler", "minimizer=newton", "frames=60"],
}


def pinned(command, **options):
    return subprocess.run(["taskset", "-c", str(CORE), *command], capture_output=True, text=True, **options)


def verdict(options, folder):
    """Why this run is flagged, "" when it is not."""
    done = pinned([PROGRAM, "case", "driver=timing", "save=none", *options, "--json", "-o", folder / "case.h5"])
    if done.returncode != 0:
        sys.exit(f"the case failed: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])["timing"]["noisy"]


def count(name, options, folder):
    verdicts = [verdict(options, folder) for _ in range(RUNS)]
    flagged = [v for v in verdicts if v]
    print(f"  {name}: {len(flagged)} of {RUNS} flagged" + (f"; such as: {flagged[-1]}" if flagged else ""), flush=True)
    return len(flagged)


def is_idle():
    answer = subprocess.run([PROGRAM, "doctor", "--strict", "--seconds", "1"], capture_output=True, text=True)
    print("".join(f"  {line}\n" for line in answer.stdout.splitlines() if "core " in line or "load" in line), end="")
    return answer.returncode == 0


def main():
    kept = True
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        print(f"a busy loop on the same core ({CORE}):")
        busy = subprocess.Popen(["taskset", "-c", str(CORE), sys.executable, "-c", "while True: pass"])
        try:
            kept = all([count(case, options, folder) == RUNS for case, options in CASES.items()])
        finally:
            busy.kill()
            busy.wait()
        print("nothing beside it:")
        idle = is_idle()
        quiet = all([count(case, options, folder) <= RUNS // 20 for case, options in CASES.items()])
    if not kept or (idle and not quiet):
        print("not as promised")
        return 1
    if not idle:
        print("noticed as promised; this machine is not idle, so false alarms were not judged")
        return 77
    print("as promised")
    return 0


sys.exit(main())
