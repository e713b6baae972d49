# SPDX-License-Identifier: GPL-3.0-or-later
"""A runner that is killed, crashes or aborts while a case computes: the processes of case and worker end with it.
(dead_rank.py has cases on several ranks.)

usage: left_alone.py PROGRAM
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from dead_rank import LIMIT, descendants, wait_until_gone
from trials import Trials, events, expect, is_case, runs, writers

SWEEP = """springbench: 1
name: alone
question: Does a case outlive its runner?
source: this test
driver: trajectory
timed: false
defaults: {scene: cloth, grid: 40, h: 0.01, integrator: implicit_euler, save: none}
sweep:
  - grid: {duration: [10000]}
"""


def cases_of(runner, out, limit=60):
    """Its worker and its case, once there are both."""
    end = time.monotonic() + limit
    while time.monotonic() < end and runner.poll() is None:
        if writers(out):
            return [pid for pid, _ in descendants(runner.pid) if is_case(pid)]
        time.sleep(0.01)
    raise SystemExit(f"no case was started: {runner.communicate()}")


def try_one(program, folder, number, trials):
    sweep, out = folder / "alone.yaml", folder / "results" / number.name
    sweep.write_text(SWEEP)
    command = [program, "run", str(sweep), "-o", str(out), "--progress", "none"]
    runner = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    cases = cases_of(runner, out)
    trials.trials += 1
    os.kill(runner.pid, number)
    runner.communicate()
    expect(runner.returncode != 0, number.name)
    seconds = wait_until_gone(cases)
    print(f"  {number.name}: {len(cases)} processes gone after {seconds:.1f} s", flush=True)
    for pid in filter(runs, cases):
        trials.note("other", f"{number.name}: case {pid} lives on after {LIMIT} s")
        os.kill(pid, signal.SIGKILL)
    if any(event["event"] == "publish" for event in events(out)):
        trials.note("false_ok", f"{number.name}: a case that did not end is published")


def main():
    with tempfile.TemporaryDirectory(prefix="springbench-alone-") as folder:
        trials = Trials("A runner that leaves its case alone")
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT):
            try_one(sys.argv[1], pathlib.Path(folder), number, trials)
        return trials.end()


if __name__ == "__main__":
    sys.exit(main())
