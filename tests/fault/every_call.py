# SPDX-License-Identifier: GPL-3.0-or-later
"""Every call by which the runner of a 30-case sweep changes its results directory, one at a time: it fails with ENOSPC,
EIO or EINTR, once or from then on, writes half, or the runner is killed before, inside or after it. Then the same command
again. Cases are replayed by a stand-in from an undisturbed run (--real: run by the program itself).

usage: every_call.py PROGRAM PRELOAD STAND_IN [--stride N] [--offset N] [--real]
"""
import argparse
import collections
import sys
import tempfile

from trials import Trials, World, expect, is_crash, published, results_of

WRITES = {"write", "pwrite"}
CHANGES = WRITES | {"fsync", "fdatasync", "ftruncate", "rename", "unlink", "link"}
FAULTS = {"ENOSPC": WRITES | {"open", "mkdir", "rename", "fsync", "fdatasync"}, "ENOSPC+": WRITES | {"open", "mkdir", "rename"},
          "EIO": CHANGES | {"open", "open_to_read"}, "EIO+": CHANGES,
          "EINTR": WRITES | {"fsync", "fdatasync", "ftruncate", "open", "open_to_read"}, "SHORT": WRITES,
          "KILL_BEFORE": None, "KILL_INSIDE": WRITES, "KILL_AFTER": CHANGES}


def calls_of(world, replayed):
    """The runner's calls in their order: (number, name, place)."""
    log = world.root / "calls"
    log.unlink(missing_ok=True)
    world.clear()
    expect(world.run(log=log, replayed=replayed).returncode == 0, "a counted run")
    lines = [line.split(" ", 3) for line in log.read_text().splitlines()]
    return [(int(number), name, place) for kind, number, name, place in lines if kind == "runner" and name != "H5Fopen"]


def faults_of(calls):
    """Fault by fault. Call by call they repeat with each case, and a stride that fits would choose one place again and
    again."""
    return [(number, name, place, fault) for fault, names in FAULTS.items() for number, name, place in calls
            if names is None or name in names]


def check_ended(trials, what, done, fault, name, expected, world):
    killed = fault.startswith("KILL")
    if is_crash(done.returncode, killed):
        trials.note("crashes", f"{what}: signal {-done.returncode}: {done.stderr}")
    elif killed and done.returncode != -9:
        trials.note("other", f"{what}: not killed but status {done.returncode}")
    elif not killed and done.returncode not in (0, 2, 5):
        trials.note("other", f"{what}: status {done.returncode}: {done.stderr}")
    elif done.returncode in (2, 5) and ": error: " not in done.stderr:
        trials.note("other", f"{what}: status {done.returncode} without a word: {done.stderr}")
    if fault in ("EINTR", "SHORT") and done.returncode != 0:
        trials.note("other", f"{what}: was to go on: {done.stderr}")
    if done.returncode == 0 and results_of(world.out) != expected:
        trials.note("false_ok", f"{what}: status 0 with other results")
    if fault == "ENOSPC+" and done.returncode == 5 and "No space left on device" not in done.stderr:
        trials.note("other", f"{what}: no cause: {done.stderr}")


def try_one(world, trials, expected, fault_at, replayed):
    number, name, place, fault = fault_at
    what = f"call {number}, {name} {place}: {fault}"
    world.clear()
    done = world.run(fault=f"runner 1 {number} {fault}", replayed=replayed)
    trials.trials += 1
    check_ended(trials, what, done, fault, name, expected, world)
    world.wait_for_the_dead()
    world.check_files(trials, what)
    finished = set(published(world.out))
    again = world.run(replayed=replayed)
    if again.returncode != 0:
        trials.note("crashes" if again.returncode < 0 else "other",
                    f"{what}: then status {again.returncode}: {again.stderr}")
    else:
        world.check_resumed(trials, what, expected, finished)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("preload")
    parser.add_argument("stand_in")
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--real", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="springbench-every-call-") as folder:
        world = World(given.program, folder, given.preload, given.stand_in)
        expected = world.record()
        possible = faults_of(calls_of(world, not given.real))
        faults = possible[given.offset::given.stride]
        trials = Trials("Faults at the runner's calls" + (", real cases" if given.real else ""))
        for fault_at in faults:
            try_one(world, trials, expected, fault_at, not given.real)
        counts = collections.Counter(fault for _, _, _, fault in faults)
        often = [fault for fault, n in collections.Counter(fault for *_, fault in possible).items() if n >= given.stride]
        expect(set(often) <= set(counts), "not tried:", set(often) - set(counts))
        print("  " + ", ".join(f"{fault} {count}" for fault, count in counts.items()))
        expect(trials.trials > 1000 / given.stride, "too few trials")
        return trials.end(world.injected())


if __name__ == "__main__":
    sys.exit(main())
