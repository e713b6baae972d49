# SPDX-License-Identifier: GPL-3.0-or-later
"""Every allocation that the program's own code makes in a sweep of one case, one at a time: it gets no memory, in the
runner, in what the runner forks until that is a case, or in the case's process. Then the same command again. --places:
of each line of the source, but for those of helpers, only the first and the last call.

usage: allocations.py PROGRAM ALLOCATIONS [--places] [--stride N] [--offset N] [--kind runner|case|launch]
"""
import argparse
import array
import collections
import subprocess
import sys
import tempfile

from trials import Trials, World, events, expect, published, results_of

DOCUMENTED = {0, 1, 2, 5, 8}
KINDS = ("runner", "case", "launch")
FRAMES = 10  # of allocations.c
HELPERS = {"allocate.c", "arena.c"}


class Memory(World):
    """One case, with the calls for memory counted and failed by the preloaded library."""

    def environment(self, fault=None, log=None, replayed=False):
        return {**super().environment(), **({"SB_MEMORY_CALLS": str(log)} if log else {}),
                **({"SB_MEMORY_FAULT": fault} if fault else {})}

    def calls(self):
        """Returns the callers, call by call: {"runner": [place, …], "case": […], "launch": […]}."""
        log = self.root / "calls"
        self.clear()
        expect(self.run(log=log).returncode == 0, "a counted run")
        numbers = array.array("l", log.read_bytes())
        calls = [tuple(numbers[i:i + 1 + FRAMES]) for i in range(0, len(numbers), 1 + FRAMES)]
        addresses = sorted({address for call in calls for address in call[1:] if address})
        said = subprocess.run(["addr2line", "-s", "-e", self.program], text=True, check=True, stdout=subprocess.PIPE,
                              input="\n".join(hex(address - 1) for address in addresses)).stdout.splitlines()
        places = {address: place.split(" ")[0] if "?" not in place else hex(address)
                  for address, place in zip(addresses, said)}
        return {kind: [place_of([places[address] for address in call[1:] if address])
                       for call in calls if call[0] == number] for number, kind in enumerate(KINDS)}


def place_of(frames):
    """The innermost place that is not in a function by which all others ask for memory."""
    return next((place for place in frames if place.split(":")[0] not in HELPERS), frames[0])


def results_or_none(world):
    return results_of(world.out) if (world.out / "results.csv").exists() else None


def check_failed(trials, what, done, expected, world):
    failures = [event for event in events(world.out) if event["event"] == "fail"]
    if done.returncode < 0:
        trials.note("crashes", f"{what}: signal {-done.returncode}: {done.stderr}")
    elif done.returncode not in DOCUMENTED:
        trials.note("other", f"{what}: status {done.returncode}: {done.stderr}")
    elif done.returncode == 1 and not any(event["row"]["reason"] for event in failures):
        trials.note("other", f"{what}: status 1, and no case says why")
    elif done.returncode > 1 and not done.stderr.strip():
        trials.note("other", f"{what}: status {done.returncode} without a word")
    elif done.returncode == 0 and results_or_none(world) != expected:
        trials.note("false_ok", f"{what}: status 0 with other results: {done.stderr}")
    for event in failures:
        if "killed by" in event["row"]["reason"]:
            trials.note("crashes", f"{what}: the case: {event['row']['reason']}")


def try_one(world, trials, expected, kind, number, place, seen):
    what = f"allocation {number} of the {kind}, {place}"
    world.clear()
    done = world.run(fault=f"{kind} {number}")
    trials.trials += 1
    seen[kind, done.returncode] += 1
    check_failed(trials, what, done, expected, world)
    world.wait_for_the_dead()
    world.check_files(trials, what)
    finished = set(published(world.out))
    again = world.run(*(("--rerun", "failed") if done.returncode == 1 else ()))
    if again.returncode != 0:
        trials.note("crashes" if again.returncode < 0 else "other",
                    f"{what}: then status {again.returncode}: {again.stderr}")
    else:
        world.check_resumed(trials, what, expected, finished)


def chosen(places, given):
    """[(number, place)]"""
    numbered = list(enumerate(places, 1))
    if given.places:
        ends = {place: number for number, place in numbered}
        starts = {place: number for number, place in reversed(numbered)}
        numbered = [(number, place) for number, place in numbered if number in (starts[place], ends[place])]
    return numbered[given.offset::given.stride]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("preload")
    parser.add_argument("--places", action="store_true")
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--kind", choices=KINDS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="springbench-allocations-") as folder:
        # The same objects as PROGRAM, without HDF5 among its own code.
        world = Memory(given.program + "-cases", folder, given.preload, cases=1)
        expected, calls = world.record(), world.calls()
        print("  allocations by own code: "
              f"{len(calls['runner'])} in the runner from {len(set(calls['runner']))} places, "
              f"{len(calls['case'])} in the case from {len(set(calls['case']))}, "
              f"{len(calls['launch'])} between the two", flush=True)
        expect(min(len(calls["runner"]), len(calls["case"])) > 50, "too few are seen")
        trials, seen = Trials("No memory at an allocation"), collections.Counter()
        for kind, places in calls.items():
            for number, place in chosen(places, given):
                if given.kind in (None, kind):
                    try_one(world, trials, expected, kind, number, place, seen)
        print("  exit statuses: " + ", ".join(f"{kind} {status}: {n}" for (kind, status), n in sorted(seen.items())))
        return trials.end(world.injected())


if __name__ == "__main__":
    sys.exit(main())
