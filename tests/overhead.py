# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost of the harness in addition to its cases: a plan of 100 000 of them; a small case from fork to published
file, by itself and in a sweep, compared with the time that merely loading the libraries takes. Medians; nothing is
asserted. `many_cases.py` of part `storing` times results.h5 of 10 000 cases.

usage: overhead.py PROGRAM [CASES]
"""
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM, CASES = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
REPEATS = 9
HEAD = "springbench: 1\nname: {}\ndriver: trajectory\ndefaults: {{scene: {}, save: none}}\nsweep:\n"


def measure(*command):
    """Seconds of wall and of processor."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([PROGRAM, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def say(what, seen, cases=1):
    wall, processor = (statistics.median(column) for column in zip(*seen))
    print(f"{what}: {1e3 * wall / cases:.0f} ms, {1e3 * processor / cases:.0f} ms of processor time", flush=True)


def values(first, count):
    """A list of numbers of a sweep file, by lines of twenty."""
    lines = (", ".join(map(str, range(a, min(a + 20, first + count)))) for a in range(first, first + count, 20))
    return "[" + ",\n      ".join(lines) + "]"


def main():
    with tempfile.TemporaryDirectory(prefix="springbench-overhead-") as folder:
        folder = pathlib.Path(folder)
        plan, many = folder / "plan.yaml", folder / "many.yaml"
        plan.write_text(HEAD.format("plan", "rope") + f"  - grid:\n      nodes: {values(2, 100)}\n"
                        f"      stiffness: {values(1, -(-CASES // 100))}\n")
        many.write_text(HEAD.format("many", "oscillator") + f"  - grid:\n      seed: {values(1, 20)}\n")
        say(f"plan of {CASES} cases", [measure("plan", plan) for _ in range(3)])
        say("loading the libraries", [measure("--version") for _ in range(REPEATS)])
        say("an oscillator by itself", [measure("case", "scene=oscillator", "-o", folder / "case.h5") for _ in range(REPEATS)])
        runs = [measure("run", many, "-j", 1, "-o", folder / f"run{n}") for n in range(3)]
        say("an oscillator in a sweep of 20", runs, 20)


if __name__ == "__main__":
    main()
