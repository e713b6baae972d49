# SPDX-License-Identifier: GPL-3.0-or-later
"""Every write, fsync, ftruncate, rename, unlink, open and close of a sweep's runner, one at a time: it fails with
ENOSPC or EIO, is interrupted, or the runner is killed there. Whatever happens: no crash, never status 0 with a case
missing, no finished case run twice, and the same command afterwards completes with the results of an undisturbed run.

usage: faults.py small_sweep [stride]
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

SWEEP, STRIDE = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
CALLS = ["write", "fsync", "ftruncate", "renameat2", "rename", "unlink", "unlinkat", "openat", "mkdir", "close"]
# A close that fails or a fork that is refused is not among the faults of a disk; kills are tried at every call.
FAULTS = {"error=ENOSPC": {"write", "openat", "mkdir", "renameat2", "rename"},
          "error=EIO": {"write", "fsync", "ftruncate", "unlink", "renameat2", "rename"},
          "error=EINTR": {"write", "fsync", "openat", "ftruncate"},
          "signal=KILL": set(CALLS)}


def run(directory, *options):
    command = [*options, SWEEP, str(directory)]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finished(directory):
    """Keys with a publishing line in the journal."""
    journal = directory / "journal.jsonl"
    lines = journal.read_text().split("\n")[:-1] if journal.exists() else []
    return [m.group(1) for m in (re.search(r'"event":"publish".*?"key":"([0-9a-f]{16})"', x) for x in lines) if m]


def calls_of(directory):
    path = pathlib.Path(f"{directory}.calls")
    return collections.Counter(line.split()[0] for line in path.read_text().splitlines()) if path.exists() else {}


def runs(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def wait_for_the_dead(directory):
    """A killed runner's children are told to die with it; on a busy machine that takes a moment."""
    path = pathlib.Path(f"{directory}.calls")
    pids = [line.split()[-1] for line in path.read_text().splitlines()] if path.exists() else []
    while any(map(runs, pids)):
        time.sleep(0.01)


def results(directory):
    return {p.name: p.read_bytes() for p in (directory / "cases").iterdir()}


def count_calls(root):
    """How often the runner makes each call, and from which on it is about the results directory."""
    trace = root / "trace"
    run(root / "counted", "strace", "-y", "-o", str(trace), "-e", "trace=" + ",".join(CALLS))
    counts, first = collections.Counter(), {}
    for line in trace.read_text().splitlines():
        name = line.split("(")[0]
        if name not in CALLS:
            continue
        counts[name] += 1
        if str(root) in line:
            first.setdefault(name, counts[name])
    return {name: range(first[name], counts[name] + 1) for name in first}


def check(root, expected, call, number, fault):
    """Whether there was a fault: the number of calls varies by a few, with how often the runner looks at its cases."""
    directory, trace = root / "out", root / "trace"
    shutil.rmtree(directory, ignore_errors=True)
    pathlib.Path(f"{directory}.calls").unlink(missing_ok=True)
    hurt = run(directory, "strace", "-o", str(trace), "-e", f"trace={call}", "-e",
               f"inject={call}:{fault}:when={number}")
    injected = re.search(r"\(INJECTED\)|\+\+\+ killed by SIGKILL", trace.read_text())
    what = f"{call} number {number}, {fault}: status {hurt.returncode}: {hurt.stderr}"
    allowed = {0} if not injected else {-9, 137} if fault == "signal=KILL" else {0, 5, 2}
    assert hurt.returncode in allowed, what
    if fault == "error=EINTR" and call in ("write", "fsync"):
        assert hurt.returncode == 0, what
    assert hurt.returncode != 0 or results(directory) == expected, what
    wait_for_the_dead(directory)
    done, before = set(finished(directory)), calls_of(directory)
    again = run(directory)
    assert again.returncode == 0, f"{what}\nthen: {again.returncode}: {again.stderr}"
    after = calls_of(directory)
    assert all(after[key] == before[key] for key in done), f"{what}: a finished case was run again"
    assert results(directory) == expected, f"{what}: other results"
    assert not list((directory / "tmp").iterdir()), f"{what}: {list((directory / 'tmp').iterdir())}"
    return injected is not None


def main():
    with tempfile.TemporaryDirectory(prefix="springbench-faults-") as name:
        root = pathlib.Path(name)
        assert run(root / "undisturbed").returncode == 0
        expected, injected = results(root / "undisturbed"), []
        for call, numbers in count_calls(root).items():
            for fault, calls in FAULTS.items():
                for number in list(numbers)[::STRIDE] if call in calls else []:
                    injected.append(check(root, expected, call, number, fault))
        print(f"{sum(injected)} faults in {len(injected)} trials")
        assert sum(injected) > max(100 / STRIDE, 0.9 * len(injected))


if __name__ == "__main__":
    if not shutil.which("strace"):
        sys.exit("strace is missing")
    os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0")
    main()
