# SPDX-License-Identifier: GPL-3.0-or-later
"""Storing that fails at any call or page of a case file: status 5, one line with path and cause, nothing left. Errors of
calls are injected by strace, the full disk is a mount of its own; ends with 77 where that is not permitted.
Arguments: an executable that runs `case` with the drivers of fixture.c, and "calls" or "disk"."""
import os
import subprocess
import sys
import tempfile

PROBE, WHAT = sys.argv[1:]
PAGE = 4096
# The leak checker cannot work under strace.
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "ASAN_OPTIONS": "detect_leaks=0"}


def case(path, before=()):
    return subprocess.run([*before, PROBE, "case", "scene=cloth", "grid=2", "stiffness=10", "h=0.5", "duration=3.5",
                           "save=every:1", "-o", path], capture_output=True, text=True, env=ENVIRONMENT)


def assert_refused(done, path, cause, folder, trial):
    assert done.returncode == 5 and done.stderr.count("\n") == 1 and done.stdout == "", (trial, done)
    assert path in done.stderr and cause in done.stderr, (trial, done)
    assert os.listdir(folder) == [], (trial, os.listdir(folder))


def around(count):
    """The first, the last, and some in between."""
    return sorted({1, 2, 3, count // 4, count // 2, 3 * count // 4, count - 1, count})


def count_calls(call):
    """How often a case makes the call on its own file: all calls counted, as the injection counts them."""
    done = case("a.h5", ["strace", "-f", "-o", "calls.txt", "-e", f"trace={call}"])
    if done.returncode != 0:
        sys.exit(77)
    with open("calls.txt", encoding="ascii", errors="replace") as file:
        calls = sum(call + "(" in line for line in file)
    for name in ("calls.txt", "a.h5", "a.xdmf"):
        os.remove(name)
    return calls


def calls(folder):
    os.chdir(folder)
    try:
        writes = count_calls("pwrite64")
    except FileNotFoundError:
        sys.exit(77)
    assert writes > 20
    for call, number in [*(("pwrite64", n) for n in around(writes)), ("ftruncate", 1), ("fsync", 1), ("fsync", 2),
                         ("rename", 1), ("rename", 2)]:
        inject = f"inject={call}:error=EIO:when={number}"
        done = case("a.h5", ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject])
        assert_refused(done, "cannot write 'a.h5'", "Input/output error", ".", (call, number))
    os.chdir("/")


def mount(folder, size):
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True)
    return done.returncode == 0


def disk(folder):
    """After room is made the same command completes."""
    path = os.path.join(folder, "a.h5")
    if os.geteuid() != 0 or not mount(folder, PAGE):
        sys.exit(77)
    subprocess.run(["umount", folder], check=True)
    assert case(path).returncode == 0
    side_car = path.replace(".h5", ".xdmf")
    pages = os.path.getsize(path) // PAGE + -(-os.path.getsize(side_car) // PAGE)
    os.remove(path)
    os.remove(side_car)
    assert pages > 8
    for full in [*around(pages), pages - 2, pages + 4]:
        assert mount(folder, full * PAGE)
        try:
            done = case(path)
            if full <= pages:
                assert_refused(done, path, "No space left on device", folder, full)
            else:
                assert done.returncode == 0, done
        finally:
            subprocess.run(["umount", folder], check=True)


with tempfile.TemporaryDirectory() as name:
    {"calls": calls, "disk": disk}[WHAT](name)
