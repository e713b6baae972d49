# SPDX-License-Identifier: GPL-3.0-or-later
"""A case on two ranks of which a process is killed: either rank, mpiexec, or the runner itself, in the time loop; either
rank while a sheet is built in slabs, or while frames are gathered. The case ends within 30 s, is recorded as crashed,
the sweep goes on, and nothing of it runs any longer.

usage: dead_rank.py PROGRAM
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from trials import Trials, events, results_of, runs

SWEEP = """springbench: 1
name: ranks
question: Does a dead rank hold up the rest?
source: this test
driver: trajectory
timed: false
defaults: {scene: rope, nodes: 20000, h: 0.0001, integrator: symplectic_euler, save: none}
sweep:
  - zip: {ranks: [2, 1], duration: [100, 0.001]}
"""
SET_UP = SWEEP.replace("scene: rope, nodes: 20000, h: 0.0001", "scene: square, h: 0.00001").replace(
    "duration: [", "grid: [1500, 3], duration: [")
GATHER = SWEEP.replace("scene: rope, nodes: 20000", "scene: square, grid: 100").replace("save: none", "save: 'every:1'")
GATHER = GATHER.replace("[100,", "[1,")  # as large as a disk holds; it is killed after its first frames
LIMIT = 30


def descendants(pid):
    """[(pid, what it is)]: mpiexec, or the number of a rank."""
    found, parents = [], {pid}
    table = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                table[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                pass
    grew = True
    while grew:
        more = {child for child, parent in table.items() if parent in parents} - parents
        grew = bool(more)
        parents |= more
    for child in parents - {pid}:
        try:
            environment = (pathlib.Path("/proc") / str(child) / "environ").read_bytes().split(b"\0")
            name = (pathlib.Path("/proc") / str(child) / "comm").read_text().strip()
        except OSError:
            continue
        rank = [item.split(b"=")[1].decode() for item in environment if item.startswith(b"OMPI_COMM_WORLD_RANK=")]
        found.append((child, rank[0] if rank else name))
    return found


def wait_for_ranks(runner, seconds, limit=60):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        found = descendants(runner)
        if {"0", "1"} <= {what for _, what in found}:
            time.sleep(seconds)
            return descendants(runner)
        time.sleep(0.05)
    raise SystemExit(f"no two ranks: {found}")


def wait_for_frames(out, limit=60):
    """Waits until the case has written 4 MB."""
    end = time.monotonic() + limit
    while sum(path.stat().st_size for path in (out / "tmp").rglob("*") if path.is_file()) < 4e6:
        if time.monotonic() > end:
            raise SystemExit("no frames")
        time.sleep(0.05)


def wait_until_gone(pids, limit=LIMIT):
    began = time.monotonic()
    while any(map(runs, pids)) and time.monotonic() - began < limit:
        time.sleep(0.02)
    return time.monotonic() - began


def try_one(program, folder, victim, trials, name="step", text=SWEEP, seconds=1):
    sweep, out = folder / "ranks.yaml", folder / "results" / f"killed-{victim}-{name}"
    sweep.write_text(text)
    command = [program, "run", str(sweep), "-o", str(out), "-j", "1", "--progress", "none"]
    runner = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    processes = wait_for_ranks(runner.pid, seconds)
    if text is GATHER:
        wait_for_frames(out)
    pids = [pid for pid, _ in processes]
    trials.trials += 1
    os.kill(runner.pid if victim == "runner" else next(p for p, what in processes if what == victim), signal.SIGKILL)
    seconds = wait_until_gone(pids)
    if any(map(runs, pids)):
        trials.note("other", f"{victim}: still there after {seconds:.0f} s: {processes}")
    if victim == "runner":
        runner.communicate()
        print(f"  runner killed: its ranks were gone after {seconds:.1f} s")
        return
    _, said = runner.communicate(timeout=120)
    rows = {row[0]["ranks"]: row[0] for row in results_of(out).values()}
    print(f"  {victim} killed, {name}: it ended after {seconds:.1f} s: {rows['2']['status']}, {rows['2']['reason']}")
    if runner.returncode != 1 or rows["2"]["status"] != "crashed" or rows["1"]["status"] != "ok":
        trials.note("false_ok", f"{victim}: status {runner.returncode}: {rows} {said}")
    if [event["event"] for event in events(out)].count("fail") != 1:
        trials.note("other", f"{victim}: {events(out)}")
    if list((out / "tmp").iterdir()):
        trials.note("other", f"{victim}: left in tmp")


def main():
    with tempfile.TemporaryDirectory(prefix="springbench-ranks-") as folder:
        trials = Trials("A killed process of a case on two ranks")
        for victim in ("0", "1", "mpiexec", "runner"):
            try_one(sys.argv[1], pathlib.Path(folder), victim, trials)
        for victim in ("0", "1"):
            try_one(sys.argv[1], pathlib.Path(folder), victim, trials, "set-up", SET_UP, 0.3)
            try_one(sys.argv[1], pathlib.Path(folder), victim, trials, "gather", GATHER)
        return trials.end()


if __name__ == "__main__":
    sys.exit(main())
