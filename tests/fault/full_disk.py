# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk that fills up while a sweep runs, at places given by how many pages are left: the run ends with status 5 and a
line that names path, cause, needed and free (E107 when there was too little from the start); no temporary file is left;
every finished case is intact; and the same command completes after room is made. Needs a mount of its own; ends with 77
where that is not permitted.

usage: full_disk.py PROGRAM [TRIALS]
"""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

from trials import Trials, World, expect, is_crash, published

SIZE = 6 << 20


def mount(folder, size=SIZE):
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True)
    return done.returncode == 0


def fill(folder, pages_left):
    """Takes all room but so many pages."""
    room = os.statvfs(folder)
    ballast = folder / "ballast"
    with open(ballast, "wb", buffering=0) as file:  # a buffered rest would fail again at the close
        for _ in range(max(0, room.f_bavail - pages_left)):
            try:
                file.write(bytes(room.f_frsize))
            except OSError:
                break
    return ballast


def lines_about(stderr):
    return [line for line in stderr.splitlines() if ": error: " in line]


def check(world, trials, what, done):
    if is_crash(done.returncode, False):
        trials.note("crashes", f"{what}: signal {-done.returncode}: {done.stderr}")
    if done.returncode != 5:
        trials.note("false_ok", f"{what}: status {done.returncode}: {done.stderr}")
        return
    lines = lines_about(done.stderr)
    told = (re.escape(str(world.out)), "No space left on device|not room enough", "needed|needs about", "free")
    named = [line for line in lines if all(re.search(words, line) for words in told)]
    if not named:
        trials.note("other", f"{what}: no line with path, cause, needed and free: {done.stderr}")
    if len(lines) != 1:
        trials.note("other", f"{what}: {len(lines)} lines: {done.stderr}")
    # A case in the journal awaits its rename there if its side-car had no room; the next run renames it.
    waiting = published(world.out)
    left = [path for path in (world.out / "tmp").glob("*") if path.name.split(".")[0] not in waiting]
    if left:
        trials.note("other", f"{what}: left in tmp: {left}")
    world.check_files(trials, what)


def fill_while_running(world, after, pages_left, trials, what):
    """The ballast goes in when so many cases are published."""
    process = subprocess.Popen(world.command(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and len(published(world.out)) < after:
        time.sleep(0.002)
    ballast = fill(world.results, pages_left)
    _, said = process.communicate()
    check(world, trials, what, subprocess.CompletedProcess([], process.returncode, "", said))
    return ballast


def main():
    program, wanted = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
    draw = random.Random(3)
    with tempfile.TemporaryDirectory(prefix="springbench-full-") as folder:
        world = World(program, folder)
        expected = world.record()
        world.clear()
        world.results.mkdir()
        if os.geteuid() != 0 or not mount(world.results):
            return 77
        subprocess.run(["umount", str(world.results)], check=True)
        trials = Trials("A full disk")
        for _ in range(wanted):
            after, pages_left = draw.randrange(0, 25), draw.choice([0, 1, 2, 3, 5, 8, 10, 12, 15, 20, 25, 30])
            what = f"after {after} cases, {pages_left} pages left"
            expect(mount(world.results), "a mount")
            try:
                trials.trials += 1
                ballast = fill_while_running(world, after, pages_left, trials, what)
                finished = set(published(world.out))
                ballast.unlink()
                again = world.run()
                if again.returncode != 0:
                    trials.note("other", f"{what}: then status {again.returncode}: {again.stderr}")
                else:
                    world.check_resumed(trials, what, expected, finished)
            finally:
                subprocess.run(["umount", str(world.results)], check=True)
        return trials.end()


if __name__ == "__main__":
    sys.exit(main())
