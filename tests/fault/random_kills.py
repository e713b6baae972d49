# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 at random moments of a sweep of 30 cases, each time the same command again until the sweep is complete. Half of
the kills hit the runner. The others hit a worker, which is to be replaced, or a case, which alone is to be missing.

usage: random_kills.py PROGRAM [KILLS]
"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from trials import Trials, World, events, expect, is_case, published, writers


def start(world):
    return subprocess.Popen(world.command(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def kill_after(process, seconds):
    """Its status and what it said."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    _, said = process.communicate()
    return process.returncode, said


def kill_child(world, process, seconds, of_case):
    """Kills a case or a worker after that time, and lets the runner end: status, what it said, and the number killed."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass
    killed, end = 0, time.monotonic() + 10
    while not killed and process.poll() is None and time.monotonic() < end:
        for pid in writers(world.out) if of_case else workers(process.pid):
            os.kill(pid, signal.SIGKILL)
            killed = 1
            break
    _, said = process.communicate()
    return process.returncode, said, killed


FORKED = 0x40  # the kernel's flag of a process that has not executed a program


def workers(runner):
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == runner and not int(fields[6]) & FORKED and is_case(int(path.parts[2])):
            yield int(path.parts[2])


def disturb_children(world, draw, whole, expected, trials):
    """One sweep whose worker is killed, and one whose case is: the first is complete, the second but for that case."""
    for of_case in (False, True):
        world.clear()
        code, said, killed = kill_child(world, start(world), draw.uniform(0, whole / 2), of_case)
        trials.trials += killed
        lost = {event["key"] for event in events(world.out) if event["event"] == "fail"}
        most = killed if of_case else 0  # none if the case had just ended
        if code != (1 if lost else 0) or len(lost) > most or len(published(world.out)) != world.cases - len(lost):
            trials.note("lost", f"a {'case' if of_case else 'worker'} killed: status {code}, failed {lost}: {said}")
        finished = set(published(world.out))
        done = world.run("--rerun", "failed")
        expect(done.returncode == 0, done.stderr)
        world.check_resumed(trials, "children killed", expected, finished)


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
                code, said = kill_after(start(world), draw.uniform(0, whole / 3))
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
            for _ in range(max(1, attempt // 2)):
                disturb_children(world, draw, whole, expected, trials)
        print(f"  {sweeps} sweeps")
        return trials.end()


if __name__ == "__main__":
    sys.exit(main())
