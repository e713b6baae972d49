# SPDX-License-Identifier: GPL-3.0-or-later
"""Every call by which a case process of a 30-case sweep writes its file: it fails, is cut short, or the process is killed
there. Kills, interruptions and short writes hit one call in every case of a sweep; after errors that end a sweep it is
continued, with the next fault in its second case.

usage: every_case_call.py PROGRAM PRELOAD [--stride N]
"""
import argparse
import sys
import tempfile

from every_call import CHANGES, WRITES
from trials import Trials, World, events, expect, is_crash, published, results_of

GOES_ON = {"EINTR": WRITES | {"fsync", "fdatasync", "open", "open_to_read"}, "SHORT": WRITES, "KILL_BEFORE": None,
           "KILL_INSIDE": WRITES, "KILL_AFTER": CHANGES}
# HDF5 does not make an interrupted ftruncate again; no signal that a case handles can interrupt one, some file systems do.
ENDS = {"EINTR": {"ftruncate"}, "ENOSPC": WRITES | {"open", "rename"}, "ENOSPC+": WRITES, "EIO": CHANGES | {"open", "close"}, "EIO+": WRITES}


def calls_of_cases(world):
    """The calls of each case process, in the order of their starts: [[name, …], …]."""
    log, cases = world.root / "calls", []
    log.unlink(missing_ok=True)
    world.clear()
    expect(world.run(log=log).returncode == 0, "a counted run")
    for line in log.read_text().splitlines():
        kind, number, name, _ = line.split(" ", 3)
        if kind != "case" or name == "H5Fopen":
            continue
        if int(number) == 1:
            cases.append([])
        cases[-1].append(name)
    return cases


def statuses(world):
    return {key: row[0]["status"] for key, row in results_of(world.out).items()}


def sweeps_that_go_on(world, trials, expected, cases, stride):
    """Sweep n: in every case, the n-th call is hit (as far as the fault applies to it)."""
    for fault, names in GOES_ON.items():
        for number in range(1, max(map(len, cases)) + 1, stride):
            hit = [case for case, calls in enumerate(cases, 1)
                   if number <= len(calls) and (names is None or calls[number - 1] in names)]
            if not hit:
                continue
            what = f"call {number} of {len(hit)} cases: {fault}"
            world.clear()
            done = world.run(fault=";".join(f"case {case} {number} {fault}" for case in hit))
            trials.trials += len(hit)
            if is_crash(done.returncode, False):
                trials.note("crashes", f"{what}: signal {-done.returncode}: {done.stderr}")
            killed = fault.startswith("KILL")
            if done.returncode != (1 if killed else 0):
                trials.note("other", f"{what}: status {done.returncode}: {done.stderr}")
                if not killed:
                    continue
            found = statuses(world)
            if killed and sum(status == "crashed" for status in found.values()) != len(hit):
                trials.note("false_ok", f"{what}: {found}")
            if killed:
                again = world.run("--rerun", "failed")
                expect(again.returncode == 0, what, again.stderr)
            world.check_resumed(trials, what, expected, [])


def sweeps_that_end(world, trials, expected, cases, stride):
    faults = [(number, fault) for fault, names in ENDS.items()
              for number, name in enumerate(cases[1], 1) if name in names][::stride]
    world.clear()
    for number, fault in faults:
        what = f"call {number} of the second case: {fault}"
        done = world.run(fault=f"case 2 {number} {fault}")
        if done.returncode == 0:  # fewer than two cases were left
            world.check_resumed(trials, what, expected, [])
            world.clear()
            continue
        trials.trials += 1
        if is_crash(done.returncode, False):
            trials.note("crashes", f"{what}: signal {-done.returncode}: {done.stderr}")
        elif done.returncode != 5 or done.stderr.count(": error: ") < 1:
            crashed = [event["row"]["reason"] for event in events(world.out) if event["event"] == "fail"]
            trials.note("other", f"{what}: status {done.returncode}: {done.stderr} {crashed}")
        if fault.startswith("ENOSPC") and "No space left on device" not in done.stderr:
            trials.note("other", f"{what}: no cause: {done.stderr}")
        left = list((world.out / "tmp").iterdir())
        if left:
            trials.note("other", f"{what}: left {left}")
        world.check_files(trials, what)
        expect(published(world.out), "nothing was published")
    expect(world.run("--rerun", "failed").returncode == 0, "the last sweep")
    world.check_resumed(trials, "the last sweep", expected, [])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("preload")
    parser.add_argument("--stride", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="springbench-case-calls-") as folder:
        world = World(given.program, folder, given.preload)
        expected = world.record()
        cases = calls_of_cases(world)
        print(f"  {len(cases)} cases of {min(map(len, cases))} to {max(map(len, cases))} calls")
        expect(len(cases) == 30 and min(map(len, cases)) > 50, "too few calls are seen")
        trials = Trials("Faults at the calls of cases")
        sweeps_that_go_on(world, trials, expected, cases, given.stride)
        sweeps_that_end(world, trials, expected, cases, given.stride)
        return trials.end(world.injected())


if __name__ == "__main__":
    sys.exit(main())
