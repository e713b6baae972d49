# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps, directories and forgeries that the tests of `compare` and `merge` share."""
import csv
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv[1]
SWEEP = """springbench: 1
name: {name}
driver: {driver}
timed: false
defaults: {{scene: rope, nodes: 8, frames: 20{defaults}}}
sweep:
  - grid: {{{axes}}}
tables: [{{id: times, title: Times, rows: {rows}, columns: {cells}}}]
"""


def sweep(path, name="small", driver="blowup", defaults=", integrator: symplectic_euler",
          axes="stiffness: [50, 100], substeps: [4, 9, 64]", rows="substeps", cells="stiffness, cell: steps_done"):
    path.write_text(SWEEP.format(name=name, driver=driver, defaults=defaults, axes=axes, rows=rows, cells=cells))
    return path


# Each kind of file that a case may name, with two contents of it: its option, the files that both contents share, the
# one that changes, and these.
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n"
NODES = "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n"
INPUTS = [
    ("mesh: net.obj", {}, "net.obj", OBJ, OBJ.replace("v 0 0 1", "v 0 0 1.1")),
    ("mesh: net.node", {"net.node": NODES}, "net.ele", "1 4 0\n0 0 1 2 3\n", "2 3 0\n0 0 1 2\n1 0 1 3\n"),
    ("mesh: net.obj, vertex_data: masses.csv", {"net.obj": OBJ}, "masses.csv", "vertex,mass\n1,2\n", "vertex,mass\n1,3\n"),
    ("mesh: net.obj, spring_data: springs.csv", {"net.obj": OBJ}, "springs.csv", "first,second,stiffness\n0,1,20\n",
     "first,second,stiffness\n0,1,30\n"),
]


def inputs(folder, number, content):
    """A sweep of four cases in a folder of its own, whose file has its first content (0) or its second (1)."""
    options, shared, name, *contents = INPUTS[number]
    folder.mkdir()
    for path, text in (*shared.items(), (name, contents[content])):
        (folder / path).write_text(text)
    axes = "stiffness: [50, 100], integrator: [implicit_euler, symplectic_euler]"
    (folder / "net.yaml").write_text(SWEEP.format(
        name="net", driver="trajectory", defaults="", axes=axes, rows="stiffness", cells="integrator, cell: energy_final"
    ).replace("scene: rope, nodes: 8, frames: 20", f"scene: mesh, {options}, h: 0.01, duration: 0.02"))
    return folder / "net.yaml"


class World(unittest.TestCase):
    """A folder for each test, and one for what those of a class share, where its make_shared() wants one."""
    @classmethod
    def setUpClass(cls):
        if hasattr(cls, "make_shared"):
            maker = cls()
            cls.shared = maker.folder = pathlib.Path(tempfile.mkdtemp())
            cls.make_shared(maker)

    @classmethod
    def tearDownClass(cls):
        if hasattr(cls, "make_shared"):
            shutil.rmtree(cls.shared)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())

    def tearDown(self):
        shutil.rmtree(self.folder)

    def call(self, *arguments, status=0, **more):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder,
                              timeout=300, **more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def run_sweep(self, path, out, *options, status=0):
        self.call("run", path, "-o", self.folder / out, "--progress", "none", *options, status=status)
        return self.folder / out

    def copy(self, directory, name):
        return pathlib.Path(shutil.copytree(directory, self.folder / name))

    def edit_journal(self, directory, change):
        """Rewrites every event by change(event), which may return None to drop it. Lines then carry no seal."""
        path = directory / "journal.jsonl"
        events = [json.loads(line) for line in path.read_text().splitlines()]
        for event in events:
            event.pop("check", None)
        path.write_text("".join(json.dumps(event) + "\n" for event in map(change, events) if event))

    def rows(self, path):
        with open(path) as file:
            return list(csv.DictReader(file))

    def tree(self, directory, but=("lock",)):
        return {str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in sorted(directory.rglob("*")) if path.is_file() and path.name not in but}


def forge_digest(key):
    """For edit_journal: the case says that other bits came out."""
    def change(event):
        if event.get("key") == key and event["event"] == "publish":
            event["row"]["digest"] = re.sub(".", "7", event["row"]["digest"])
        return event
    return change


def main():
    """All tests, or those named behind the program."""
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
