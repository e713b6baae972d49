# SPDX-License-Identifier: GPL-3.0-or-later
"""TERM, INT, HUP, USR1 and XCPU, once or twice, at random moments of a run, from where it begins to listen to its last report:
exit 75 within 5 s (0 where all was done), the running case marked, the journal whole, and the same command completes.

usage: stop_signals.py PROGRAM [TRIALS]
"""
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from trials import Trials, World, events, expect, published

SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGXCPU]
LIMIT = 5
for number in SIGNALS:  # under nohup, or behind a shell's &, some are ignored, and so they would be by the runs
    signal.signal(number, signal.SIG_DFL)


def wait_until_caught(process, number):
    """Before its command has begun, a signal ends the process as it ends any; how long that takes is the loader's."""
    while process.poll() is None:
        found = re.search(r"SigCgt:\s*([0-9a-f]+)", pathlib.Path(f"/proc/{process.pid}/status").read_text())
        if found and int(found.group(1), 16) >> (number - 1) & 1:
            return
        time.sleep(0.001)


def stop(world, number, delay, twice):
    """Status, seconds from the signal to the end, words."""
    process = subprocess.Popen(world.command(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wait_until_caught(process, number)
    time.sleep(delay)
    process.send_signal(number)
    asked = time.monotonic()
    if twice:
        time.sleep(0.01)
        process.send_signal(number)
    _, said = process.communicate()
    return process.returncode, time.monotonic() - asked, said


def main():
    program, wanted = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
    draw = random.Random(8)
    with tempfile.TemporaryDirectory(prefix="springbench-signals-") as folder:
        world = World(program, folder, cases=8)
        began = time.monotonic()
        expected = world.record()
        whole = time.monotonic() - began
        trials, worst, interrupted, stopped = Trials("Signals that ask to stop"), 0, 0, 0
        while trials.trials < wanted:
            world.clear()
            finished = set()
            number = SIGNALS[trials.trials % len(SIGNALS)]
            for attempt in range(100):
                code, seconds, said = stop(world, number, draw.uniform(0, 0.9 * whole), attempt % 3 == 2)
                what = f"{number.name}, attempt {attempt}"
                trials.trials += 1
                worst = max(worst, seconds if code == 75 else 0)
                if code == 0:
                    break
                stopped += 1
                if code != 75 or seconds > LIMIT or "the same command continues" not in said:
                    trials.note("crashes" if code < 0 else "other", f"{what}: status {code}, {seconds:.1f} s: {said}")
                now = set(published(world.out))
                if not finished <= now:
                    trials.note("lost", f"{what}: {finished - now}")
                finished = now
                interrupted += sum(event["event"] == "interrupt" for event in events(world.out)[-2:])
                world.check_files(trials, what)
                # These are files of cases; the next run removes an index that was being written.
                left = [path.name for path in (world.out / "tmp").glob(f"{'[0-9a-f]' * 16}.*.h5*")]
                if left:
                    trials.note("other", f"{what}: left in tmp: {left}")
            done = world.run()
            expect(done.returncode == 0, done.stderr)
            world.check_resumed(trials, number.name, expected, finished)
        expect(interrupted > 0 and stopped > 0, "no case was interrupted")
        print(f"  {stopped} runs stopped, {interrupted} cases marked interrupted, at most {worst:.1f} s to exit 75")
        return trials.end()


if __name__ == "__main__":
    sys.exit(main())
