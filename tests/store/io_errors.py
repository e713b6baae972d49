"""An I/O error at any call that writes a case file: status 5, one line with path and cause, nothing left. The errors are
injected by strace; ends with 77 where that is not permitted. Argument: an executable that runs `case` with the drivers
of fixture.c."""
import os
import subprocess
import sys
import tempfile

PROBE = sys.argv[1]
# The leak checker cannot work under strace.
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "ASAN_OPTIONS": "detect_leaks=0"}
CASE = [PROBE, "case", "scene=cloth", "grid=2", "stiffness=10", "h=0.5", "duration=3.5", "save=every:1", "-o", "a.h5"]


def run(*strace):
    return subprocess.run(["strace", "-f", *strace, *CASE], capture_output=True, text=True, env=ENVIRONMENT)


def count(call):
    """How often a case makes the call on its own file: all calls counted, as the injection counts them."""
    done = run("-o", "calls.txt", "-e", f"trace={call}")
    if done.returncode != 0:
        sys.exit(77)
    with open("calls.txt", encoding="ascii", errors="replace") as file:
        calls = sum(call + "(" in line for line in file)
    os.remove("calls.txt")
    os.remove("a.h5")
    return calls


def check(call, number):
    done = run("-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:error=EIO:when={number}")
    assert done.returncode == 5, (call, number, done)
    assert done.stderr.count("\n") == 1 and done.stdout == "", (call, number, done)
    assert "cannot write 'a.h5': Input/output error" in done.stderr, (call, number, done)
    assert os.listdir(".") == [], (call, number, os.listdir("."))


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            writes = count("pwrite64")
        except FileNotFoundError:
            sys.exit(77)
        assert writes > 20
        for number in sorted({1, 2, 3, writes // 4, writes // 2, 3 * writes // 4, writes - 1, writes}):
            check("pwrite64", number)
        check("ftruncate", 1)
        check("fsync", 1)
        check("rename", 1)
        os.chdir("/")


main()
