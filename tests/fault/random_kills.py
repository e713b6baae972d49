"""kill -9 at random moments of a sweep of 30 cases, each time the same command again until the sweep is complete.

usage: random_kills.py PROGRAM [KILLS]
"""
import random
import signal
import subprocess
import sys
import tempfile
import time

from trials import Trials, World, expect, published


def start(world):
    return subprocess.Popen(world.command(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def kill_after(world, process, seconds):
    """Whether it was still running then."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    _, said = process.communicate()
    return process.returncode, said


def main():
    program, wanted = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    draw = random.Random(20)
    with tempfile.TemporaryDirectory(prefix="springbench-kills-") as folder:
        world = World(program, folder)
        began = time.monotonic()
        expected = world.record()
        whole = time.monotonic() - began
        trials, sweeps = Trials("kill -9 at random moments"), 0
        while trials.trials < wanted:
            world.clear()
            sweeps += 1
            finished = set()
            for attempt in range(1000):
                code, said = kill_after(world, start(world), draw.uniform(0, whole / 3))
                if code == 0:
                    break
                trials.trials += 1
                what = f"sweep {sweeps}, kill {attempt + 1}"
                if code != -9:
                    trials.note("crashes" if code < 0 else "other", f"{what}: status {code}: {said}")
                world.wait_for_the_dead()
                now = set(published(world.out))
                if not finished <= now:
                    trials.note("lost", f"{what}: {sorted(finished - now)}")
                finished = now
                world.check_files(trials, what)
            expect(code == 0, "the sweep never became complete")
            world.check_resumed(trials, f"sweep {sweeps}", expected, finished)
        print(f"  {sweeps} sweeps")
        return trials.end()


if __name__ == "__main__":
    sys.exit(main())
