# SPDX-License-Identifier: GPL-3.0-or-later
"""Side-cars of published cases: they come and go with their cases, whatever becomes of these, and are made anew where they
are missing. Argument: the program."""
import os
import pathlib
import subprocess
import sys
import tempfile

import h5py

from side_car import side_car

PROGRAM = sys.argv[1]
SWEEP = """springbench: 1
name: small
question: Is there a side-car?
source: this test
driver: trajectory
timed: false
defaults: {h: 0.01, duration: 0.05, integrator: symplectic_euler, save: "every:2"}
sweep:
  - grid: {scene: [rope, cloth], seed: [1, 2]}
"""


def call(*arguments, status=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=250,
                          env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done


def cases(out):
    return sorted((out / "cases").glob("*.h5"))


def texts(out):
    """Returns the texts of all side-cars, and checks that each fits its case."""
    assert not list((out / "tmp").iterdir())
    assert len(list((out / "cases").iterdir())) == 2 * len(cases(out))
    return {path.stem: side_car(path)["text"] for path in cases(out)}


def come_with_their_cases(sweep, out):
    call("run", sweep, "-o", out)
    every = texts(out)
    assert len(every) == 4
    call("run", sweep, "-o", out, "-p", "save=every:1", "--rerun", "all")
    assert set(texts(out)) == set(every) and not set(texts(out).values()) & set(every.values())
    call("run", sweep, "-o", out, "-p", "save=none", "--rerun", "all")
    assert len(cases(out)) == 4 == len(list((out / "cases").iterdir()))
    call("run", sweep, "-o", out)
    assert texts(out) == every


def go_with_their_cases(sweep, out):
    """A case that fails when it is run again has none; nothing else was there that could have gone with it."""
    # Long enough that the runner is sure to see the time limit before the case ends.
    long = ("-p", "scene=rope", "-p", "duration=500", "-p", "save=every:10000")
    call("run", sweep, "-o", out, *long)
    assert len(texts(out)) == 2
    call("run", sweep, "-o", out, *long, "--rerun", "all", "-t", "0.001s", status=1)
    assert not list((out / "cases").iterdir())


def are_made_anew(sweep, out):
    call("run", sweep, "-o", out)
    before = texts(out)
    files = {path: path.stat().st_mtime_ns for path in cases(out)}
    first, second = cases(out)[:2]
    for path in (first, second):
        path.with_suffix(".xdmf").unlink()
    content = second.read_bytes()
    second.write_bytes(content[:-1] + b"x")
    call("run", sweep, "-o", out)
    assert side_car(first)["text"] == before[first.stem]
    assert not second.with_suffix(".xdmf").exists(), "HDF5 is not to see what is damaged"
    call("run", sweep, "-o", out, "--verify")
    assert texts(out) == before and second.stat().st_mtime_ns != files[second]
    assert all(path.stat().st_mtime_ns == files[path] for path in cases(out) if path != second)


def come_along_when_directories_are_joined(sweep, out):
    """Also from a directory of an earlier version, which had none."""
    parts = [out.with_name(f"part{i}") for i in (1, 2)]
    for i, part in enumerate(parts, 1):
        call("run", sweep, "-o", part, "--shard", f"{i}/2")
    for path in cases(parts[0]):
        path.with_suffix(".xdmf").unlink()
    call("merge", out, *parts)
    assert len(texts(out)) == 4


def are_printed_from_older_files(sweep, out):
    """Which have no strains, and whose observables lie deeper."""
    call("run", sweep, "-o", out)
    path = out.with_name("older.h5")
    path.write_bytes(cases(out)[0].read_bytes())
    told = [call("export", path, "--to", form).stdout for form in ("csv", "json")]
    with h5py.File(path, "r+") as file:
        del file["springs/strain"]
        file.move("observables", "older")
        file.create_group("observables")
        file.move("older", "observables/all")
    assert [call("export", path, "--to", form).stdout for form in ("csv", "json")] == told
    text = call("export", path, "--to", "xdmf").stdout
    assert "/position" in text and "stiffness" in text and "strain" not in text


with tempfile.TemporaryDirectory(prefix="springbench-side-cars-") as folder:
    (pathlib.Path(folder) / "small.yaml").write_text(SWEEP)
    for number, check in enumerate((come_with_their_cases, go_with_their_cases, are_made_anew,
                                    come_along_when_directories_are_joined, are_printed_from_older_files)):
        check(pathlib.Path(folder) / "small.yaml", pathlib.Path(folder) / f"{number}" / "small")
        print(check.__name__, flush=True)
