# SPDX-License-Identifier: GPL-3.0-or-later
"""Two runs on one directory: the second, from here and from another host's name, answers 6 and changes no byte; the lock of
a dead process is no lock; of many runs started at once one works at a time, and all is there in the end.

usage: two_runs.py PROGRAM [RACES]
"""
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time

from trials import Trials, World, expect, published


def snapshot(folder):
    """Names, sizes, times and bytes of everything."""
    found = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[str(path)] = (about.st_size, about.st_mtime_ns, about.st_ino, content)
    return found


def start(world):
    return subprocess.Popen(world.command(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def stop_group(process, number):
    """The runner, then its case: the other way round a new one might begin in between."""
    os.kill(process.pid, number)
    children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
    for pid in map(int, children):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def second_run(world, trials, prefix, what):
    first = start(world)
    while len(published(world.out)) < 3:
        time.sleep(0.002)
    stop_group(first, signal.SIGSTOP)
    time.sleep(0.5)
    before = snapshot(world.out)
    trials.trials += 1
    second = subprocess.run([*prefix, *world.command()], capture_output=True, text=True)
    if snapshot(world.out) != before:
        trials.note("other", f"{what}: bytes changed")
    words = f"in use by process {first.pid} on host {os.uname().nodename} since "
    if second.returncode != 6 or words not in second.stderr or "nothing was changed" not in second.stderr:
        trials.note("other", f"{what}: status {second.returncode}: {second.stderr}")
    stop_group(first, signal.SIGCONT)
    _, said = first.communicate()
    if first.returncode != 0:
        trials.note("other", f"{what}: the first run ended {first.returncode}: {said}")


def stale_lock(world, trials):
    """kill -9 leaves the text of the lock, not the lock; so does another host's runner that is gone."""
    world.clear()
    first = start(world)
    while len(published(world.out)) < 2:
        time.sleep(0.002)
    first.kill()
    first.communicate()
    world.wait_for_the_dead()
    expect(str(first.pid) in (world.out / "lock").read_text(), "the lock names its dead holder")
    for text in (None, '{"host": "elsewhere", "pid": 1, "boot_id": "x", "at": "then"}\n', "no JSON"):
        trials.trials += 1
        if text:
            (world.out / "lock").write_text(text)
        done = world.run()
        if done.returncode != 0:
            trials.note("other", f"stale lock {text}: {done.returncode} {done.stderr}")


def race(world, trials, number):
    world.clear()
    runs = [start(world) for _ in range(6)]
    codes = []
    for run in runs:
        run.communicate()
        codes.append(run.returncode)
    trials.trials += 1
    if set(codes) - {0, 6} or 0 not in codes:
        trials.note("other", f"race {number}: {codes}")


def main():
    program, races = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
    with tempfile.TemporaryDirectory(prefix="springbench-two-") as folder:
        world = World(program, folder)
        expected = world.record()
        trials = Trials("Two runs on one directory")
        world.clear()
        second_run(world, trials, [], "from this host")
        elsewhere = ["unshare", "--uts", "sh", "-c", 'hostname elsewhere && exec "$@"', "sh"]
        if subprocess.run([*elsewhere, "true"], capture_output=True).returncode == 0:
            world.clear()
            second_run(world, trials, elsewhere, "from a host of another name")
        stale_lock(world, trials)
        world.check_resumed(trials, "stale locks", expected, [])
        for number in range(races):
            race(world, trials, number)
            world.check_resumed(trials, f"race {number}", expected, expected)
        return trials.end()


if __name__ == "__main__":
    sys.exit(main())
