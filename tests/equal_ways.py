# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests and stored frames of some 200 cases, over all entries of the lists of methods, by three ways: forked by a worker,
as programs of the runner (--exec), and by hand. Differences of any bit are printed, and end with status 1.

usage: equal_ways.py PROGRAM [FOLDER]: FOLDER keeps the two results directories and the files made by hand
"""
import csv
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

import h5py

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
SKIPPED_SCENES = {"mesh", "net"}  # need a file, and a program that links the library
NET = "scene: cloth, grid: 5, h: 0.005"
IMPLICIT = NET + ", integrator: implicit_euler"
DESCENT = IMPLICIT + ", minimizer: gradient_descent"
FLUID = "scene: column, spacing: 0.1, h: 0.01"
# The family of a block's axis, its option, and what its cases have besides.
NETS = [
    ("integrators", "integrator", "scene: rope, nodes: 8, h: 0.01"),
    ("integrators", "integrator", "scene: rope, nodes: 8, h: 0.01, drag: 0.1"),
    ("integrators", "integrator", NET),
    ("integrators", "integrator", NET + ", threads: 2"),
    ("minimizers", "minimizer", IMPLICIT),
    ("minimizers", "minimizer", IMPLICIT + ", threads: 2"),
    ("minimizers", "minimizer", "scene: curtain, grid: 4, max_iterations: 8"),
    ("minimizers", "minimizer", "scene: curtain, grid: 4, max_iterations: 8, pin_method: penalty"),
    ("linear", "linear", IMPLICIT + ", minimizer: newton, hessian: projected"),
    ("linear", "linear", IMPLICIT + ", minimizer: local_global, max_iterations: 5"),
    ("metrics", "metric", DESCENT + ", accelerator: none, step: armijo"),
    ("accelerators", "accelerator", DESCENT + ", metric: laplacian, step: unit"),
    ("steps", "step", DESCENT + ", metric: laplacian, accelerator: none"),
    ("springs", "springs", NET),
    ("pins", "pins", NET),
    ("scenes", "scene", ""),
    ("integrators", "integrator", NET + ", air_resistance: 0.1"),
    ("minimizers", "minimizer", "scene: rope, nodes: 8, h: 0.01, integrator: implicit_euler, damping_rate: 1"),
    ("linear", "linear", IMPLICIT + ", minimizer: newton, hessian: projected, pin_method: penalty"),
    ("springs", "springs", IMPLICIT + ", minimizer: lbfgs"),
]
FLUIDS = [("bounded", "pressure_solver", FLUID), ("smoothings", "smoothing", FLUID), ("scenes", "scene", "")]
TIMED = {"/timing", "/provenance"}


def listed(family):
    return [entry["name"] for entry in json.loads(call("list", family, "--json"))[family]]


def call(*arguments, cwd=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=True).stdout


def sweep(name, driver, blocks):
    lines = ["springbench: 1", f"name: {name}", "question: Do three ways to start a case give the same bits?", f"driver: {driver}",
             "timed: false", "skip_refused: true", "limits: {time: 2m}", "defaults: {save: 'every:3'}", "sweep:"]
    for steps, (family, option, rest) in enumerate(blocks, 6):  # no two blocks have the same case
        names = [name for name in listed(family) if name not in SKIPPED_SCENES]
        lines += [f"  - grid: {{{option}: [{', '.join(names)}]}}",
                  f"    defaults: {{{rest}{', ' if rest else ''}steps: {steps}}}"]
    return "\n".join(lines) + "\n"


def numbers(path):
    """Every dataset and attribute of a case file that is not about time or machine."""
    found = {}

    def visit(name, item):
        if any(("/" + name).startswith(part) for part in TIMED) or name.startswith("VTKHDF"):
            return
        if isinstance(item, h5py.Dataset):
            found[name] = item[()].tobytes() if item.dtype.kind in "fiu" else repr(item[()])

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


def results(folder):
    with open(folder / "results.csv", encoding="utf-8", newline="") as file:
        return {row["key"]: row for row in csv.DictReader(line for line in file if not line.startswith("#"))}


def compare(folder, name):
    """The differences between the cases of a sweep, and how many cases there are, with frames, and skipped."""
    forked, executed = results(folder / "worker" / name), results(folder / "exec" / name)
    different, frames, hands = [], 0, folder / "hand"
    hands.mkdir(exist_ok=True)
    ran = {key: row for key, row in forked.items() if row["status"] != "skipped"}
    for key, row in ran.items():
        by_hand = hands / f"{key}.h5"
        if not by_hand.exists():
            words = shlex.split(row["command"])
            subprocess.run([PROGRAM, *words[1:], "-o", by_hand], cwd=folder, capture_output=True, check=False)
        files = [folder / way / name / "cases" / f"{key}.h5" for way in ("worker", "exec")] + [by_hand]
        if not all(path.exists() for path in files):
            different.append(f"{key} ({row['command']}): stored {[path.exists() for path in files]}")
            continue
        if (row["digest"], row["status"]) != (executed[key]["digest"], executed[key]["status"]):
            different.append(f"{key} ({row['command']}): digest {row['digest']} forked, {executed[key]['digest']} executed")
        seen = [numbers(path) for path in files]
        frames += len(seen[0].get("particles/all/position/value", b"")) > 0
        for way, other in zip(("--exec", "by hand"), seen[1:]):
            names = sorted(name for name in seen[0].keys() | other.keys() if seen[0].get(name) != other.get(name))
            if names:
                different.append(f"{key} ({row['command']}): {way} has another {', '.join(names[:5])}")
    return different, len(ran), frames, len(forked) - len(ran)


def main():
    with tempfile.TemporaryDirectory(prefix="springbench-ways-") as folder:
        folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else folder).resolve()
        folder.mkdir(exist_ok=True)
        (folder / "nets.yaml").write_text(sweep("nets", "trajectory", NETS))
        (folder / "fluids.yaml").write_text(sweep("fluids", "flow", FLUIDS))
        for way, more in ("worker", []), ("exec", ["--exec"]):
            subprocess.run([PROGRAM, "run", "nets.yaml", "fluids.yaml", "-o", way, *more], cwd=folder, check=False)
        wrong = False
        for name in "nets", "fluids":
            different, cases, frames, skipped = compare(folder, name)
            print(f"{name}: {cases} cases, {frames} with frames, {skipped} skipped; {len(different)} differences", *different,
                  sep="\n")
            wrong = wrong or bool(different)
        return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
