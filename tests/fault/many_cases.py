# SPDX-License-Identifier: GPL-3.0-or-later
"""A sweep of 10 000 small cases: the runner's resident memory stays flat while they run (replayed by a stand-in, so that it
is about the runner), and a resume of all of them is ready quickly.

usage: many_cases.py PROGRAM PRELOAD STAND_IN [CASES]
"""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

from trials import SWEEP, Trials, expect, published

GROWTH_MAX = 0.05


def resident_kib(pid):
    try:
        found = re.search(r"VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return None
    return int(found.group(1)) if found else None


def count_lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def watch(process, journal, cases):
    """[(cases published, KiB)] while cases run."""
    seen = []
    while process.poll() is None:
        before, memory = count_lines(journal), resident_kib(process.pid)
        if memory and 0.01 * cases < before < cases:  # not the index that is written at the end
            seen.append((before, memory))
        time.sleep(0.02)  # 500 cases take a second
    return seen


def run_all(command, environment, out, cases, trials):
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    seen = watch(process, out / "journal.jsonl", cases)
    _, said = process.communicate()
    trials.trials += cases
    lost = cases - len(published(out))
    if process.returncode not in (0, 5) or lost:
        trials.note("lost", f"{lost} of {cases}; status {process.returncode}: {said}")
    expect(len(seen) > 10 and seen[-1][0] > 0.9 * cases, "too few looks at the memory:", seen[-1:])
    growth = seen[-1][1] / seen[0][1] - 1
    print(f"  resident memory of the runner: {seen[0][1] / 1024:.1f} MiB after {seen[0][0]} cases, "
          f"{seen[-1][1] / 1024:.1f} MiB after {seen[-1][0]}: {100 * growth:+.2f} %")
    if not growth < GROWTH_MAX:
        trials.note("other", f"the runner's memory grew by {100 * growth:.1f} %")


def measure_start(command, *more):
    """Seconds of wall and of processor until the run says what there is to do; it is killed there."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process = subprocess.Popen([*command, "--progress", "lines", *more], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    said = process.stderr.readline()
    wall = time.monotonic() - began
    process.kill()
    process.communicate()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    expect(" done, 0 skipped, 0 to run" in said, said)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    program, preload, stand_in = sys.argv[1:4]
    cases = int(sys.argv[4]) if len(sys.argv) > 4 else 10000
    with tempfile.TemporaryDirectory(prefix="springbench-many-") as folder:
        sweep, out = pathlib.Path(folder) / "many.yaml", pathlib.Path(folder) / "results" / "thirty"
        seeds = ",\n   ".join(", ".join(map(str, range(a, min(a + 20, cases + 1)))) for a in range(1, cases + 1, 20))
        sweep.write_text(SWEEP.replace("save: final", "save: none").format(seeds=seeds))
        command = [program, "run", str(sweep), "-o", str(out), "--exec"]
        environment = {**os.environ, "LD_PRELOAD": preload, "SB_FAULT_ROOT": "/nowhere", "SB_FAULT_STAND_IN": stand_in}
        trials = Trials(f"{cases} cases")
        run_all([*command, "--progress", "none"], environment, out, cases, trials)
        for what, more in (("start of a resume", ()), ("the same with --verify", ("--verify",))):
            wall, processor = min(measure_start(command, *more) for _ in range(3))
            print(f"  {what}: {wall:.2f} s ({processor:.2f} s of processor time)")
        (out / "results.h5").unlink()
        began = time.monotonic()
        subprocess.run([*command, "--progress", "none"], env=environment, stdout=subprocess.DEVNULL, check=True)
        print(f"  the same to its end, with results.h5 made anew: {time.monotonic() - began:.2f} s")
        expect((out / "results.h5").exists(), "results.h5 was not made anew")
        return trials.end()


if __name__ == "__main__":
    sys.exit(main())
