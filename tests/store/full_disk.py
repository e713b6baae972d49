"""A disk that fills up at any page of a case file: status 5, one line with path and cause, nothing left, and after room
is made the same command completes. Needs a mount of its own; ends with 77 where that is not permitted.
Argument: an executable that runs `case` with the drivers of fixture.c."""
import os
import subprocess
import sys
import tempfile

PROBE = sys.argv[1]
PAGE = 4096


def case(folder):
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    path = os.path.join(folder, "a.h5")
    return path, subprocess.run([PROBE, "case", "scene=cloth", "grid=2", "stiffness=10", "h=0.5", "duration=3.5",
                                 "save=every:1", "-o", path], capture_output=True, text=True, env=environment)


def size_of_a_case(folder):
    path, done = case(folder)
    assert done.returncode == 0, done.stderr
    size = os.path.getsize(path)
    os.remove(path)
    return size


def mount(folder, size):
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True)
    return done.returncode == 0


def check_full(folder, size):
    assert mount(folder, size)
    try:
        path, done = case(folder)
        assert done.returncode == 5, (size, done)
        assert done.stderr.count("\n") == 1 and done.stdout == "", done
        assert path in done.stderr and "No space left on device" in done.stderr, done.stderr
        assert os.listdir(folder) == [], os.listdir(folder)
    finally:
        subprocess.run(["umount", folder], check=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() != 0 or not mount(folder, PAGE):
            sys.exit(77)
        subprocess.run(["umount", folder], check=True)
        pages = size_of_a_case(folder) // PAGE
        assert pages > 8
        for full in sorted({1, 2, 3, pages // 4, pages // 2, 3 * pages // 4, pages - 2, pages - 1, pages}):
            check_full(folder, full * PAGE)
        assert mount(folder, (pages + 4) * PAGE)
        try:
            assert case(folder)[1].returncode == 0
        finally:
            subprocess.run(["umount", folder], check=True)


main()
