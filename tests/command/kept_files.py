# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a results directory that somebody else than springbench has changed. A run makes again those that are made from
results. All others are named, also by a dry run. kept_files.py PROGRAM [TEST ...]"""
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from program import Program, main, makes_trial

SWEEP = """springbench: 1
name: demo
question: How large is the error?
answer: "At most {max(energy_error_max)} J."
driver: trajectory
timed: false
defaults: {scene: oscillator, vertex_mass: 1, stiffness: 4, amplitude: 0.1, duration: 1}
sweep: [{grid: {integrator: [explicit_euler, symplectic_euler], h: [0.1, 0.05]}}]
tables: [{id: energy, title: T, rows: h, columns: integrator, cell: energy_error_max}]
figures: [{id: energy, title: F, kind: curves, x: h, y: energy_error_max, series: integrator}]
expect: [{claim: small, test: energy_error_max < 10}]
"""


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def truncate(path):
    path.write_bytes(path.read_bytes()[:path.stat().st_size // 2])


def empty(path):
    path.write_bytes(b"")


def garbage(path):
    path.write_bytes(bytes(range(256)) * 4)


def folder(path):
    path.unlink()
    path.mkdir()


WAYS = (flip, truncate, empty, garbage, folder)
# Made from the results: a run makes them again. A folder in the place of one is named.
OUTPUTS = ("made.json", "results.csv", "results.h5", "report.md", "report.html", "tables.tex", "tables/energy.csv",
           "tables/energy.md", "tables/energy.txt", "tables/energy.tex", "figures/energy.svg", "figures/energy.png",
           "figures/energy.pdf", "figures/energy.dat", "../index.md", "../report.html")
# Without their mark they are somebody's own.
MARKED = ("report.md", "report.html", "tables.tex", "../index.md", "../report.html")
# Written by runs and read by commands.
INPUTS = ("plan.json", "request.json", "journal.jsonl", "cases/KEY.h5")
# Those that a run makes again, and those that are refused before anything is changed.
REMADE, REFUSED = ("plan.json", "journal.jsonl", "cases/KEY.h5"), ("request.json",)


class KeptFiles(Program):
    shares_folder = True

    @classmethod
    def prepare(cls):
        (cls.folder / "demo.yaml").write_text(SWEEP)
        cls.call("run", "demo.yaml", "-p", "h+=0.025", "-o", "whole/results/demo", "--progress", "none")
        # Pages of the parent are wanted in a folder called results.
        cls.whole = cls.folder / "whole"

    def copy(self):
        """A copy in which every file is as it was made."""
        place = self.folder / "results"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.whole / "results", place)
        return place / "demo"

    def path(self, demo, name):
        return demo / name.replace("KEY", min((demo / "cases").glob("*.h5")).stem)

    def text(self, demo, name):
        """The contents, without what differs from run to run."""
        return re.sub(rb"/CreationDate \([^)]*\)|/ID \[[^]]*\]", b"", self.path(demo, name).read_bytes())

    def named(self, done, demo, name):
        path = self.path(demo, name)
        return path.name in done.stderr or path.parent.name + "/" + path.name in done.stderr

    def test_a_run_with_nothing_to_do_is_silent(self):
        demo = self.copy()
        before = {path: path.stat().st_mtime_ns for path in demo.rglob("*") if path.is_file()}
        self.assertNotIn("changed", self.call("run", demo, "--progress", "none").stderr)
        after = {path: path.stat().st_mtime_ns for path in demo.rglob("*") if path.is_file()}
        self.assertEqual({p.name for p in after if after[p] != before.get(p)} - {"lock", "journal.jsonl"}, set())

    def test_outputs_are_made_again(self):
        """Each in five ways, alone; what is made again is what was there before."""
        number = 0
        for name in OUTPUTS:
            for way in WAYS:
                number += 1
                if not makes_trial(number, 6) and (name, way) != ("results.csv", flip):
                    continue
                demo = self.copy()
                wanted, path = self.text(demo, name), self.path(demo, name)
                way(path)
                done = self.call("run", demo, "--progress", "none", status=None)
                with self.subTest(name=name, way=way.__name__):
                    if way is folder:
                        self.assertTrue(self.named(done, demo, name), done.stderr)
                        continue
                    self.assertEqual(done.returncode, 0, done.stderr)
                    if name == "made.json":
                        self.assertIn(b'"check"', path.read_bytes())
                    else:
                        self.assertIn("outputs are made again", done.stderr)
                        self.assertTrue(self.named(done, demo, name), done.stderr)
                    if name in MARKED and way in (flip, garbage) and b"made by springbench" not in self.text(demo, name):
                        self.assertIn("was not made by springbench and is not changed", done.stderr)
                    elif name not in ("made.json", "results.h5") and "report." not in name:
                        self.assertEqual(self.text(demo, name), wanted)
                    done = self.call("run", demo, "--progress", "none")
                    self.assertNotIn("made again", done.stderr)

    def test_several_are_one_line(self):
        demo = self.copy()
        for name in ("results.csv", "tables/energy.csv", "tables/energy.txt", "report.md"):
            self.path(demo, name).write_text("1\n")
        lines = [line for line in self.call("run", demo, "--progress", "none").stderr.splitlines() if "made again" in line]
        self.assertEqual(len(lines), 2, lines)
        self.assertTrue(any("results.csv was changed since it was made; outputs are made again" in line for line in lines))
        self.assertTrue(any("and 2 more were changed since they were made; outputs are made again" in line for line in lines))

    def test_other_commands_may_make_outputs(self):
        """The commands plot, report and verify write files again, which counts as no change."""
        demo = self.copy()
        self.call("plot", demo)
        self.call("report", demo)
        self.call("report", demo.parent)
        self.call("verify", demo.parent, status=None)
        self.assertNotIn("made again", self.call("run", demo, "--progress", "none").stderr)

    def test_inputs_are_named(self):
        """By a dry run, a plan, a run, and by what reads results; nothing that was whole is lost."""
        number = 0
        for name in INPUTS:
            for way in WAYS:
                number += 1
                if not makes_trial(number, 3) and (name, way) != ("plan.json", flip):
                    continue
                demo = self.copy()
                way(self.path(demo, name))
                said = self.path(demo, name)
                for line in (["run", demo, "--verify", "--dry-run"], ["run", "demo.yaml", "-p", "h+=0.025", "-o", demo,
                             "--verify", "--dry-run"], ["plan", demo], ["status", demo], ["table", demo], ["verify", demo],
                             ["run", demo, "--verify", "--progress", "none"]):
                    if "cases" in name and line[0] in ("plan", "status", "table", "verify"):
                        continue  # they read no case file
                    with self.subTest(name=name, way=way.__name__, line=" ".join(map(str, line))):
                        done = self.call(*line, status=None)
                        self.assertIn(done.returncode, range(10), done.stderr)
                        self.assertTrue(self.named(done, demo, name), "%d: %s" % (done.returncode, done.stderr))
                if name in REFUSED or way is folder:
                    self.assertTrue(said.exists())
                    continue
                with self.subTest(name=name, way=way.__name__, line="again"):
                    done = self.call("run", demo, "--verify", "--progress", "none")
                    self.assertFalse(re.search("damaged|cannot be read|does not (match|list)", done.stderr), done.stderr)
                    self.assertEqual(self.call("table", demo).stdout, self.call("table", self.whole / "results/demo").stdout)

    def test_a_state_is_named(self):
        """A checkpoint that cannot be read: the case starts again and says why."""
        line = ["case", "scene=rope", "nodes=6", "h=0.01", "duration=1", "save=final", "-o", "a.h5", "--json"]
        whole = self.call(*line).stdout
        digest = re.search('"digest": *"([^"]*)"', whole)[1]
        for way in WAYS:
            for path in self.folder.glob("a.*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            self.call(*line, "--stop-after", "20", status=75)
            way(self.folder / "a.h5.checkpoint")
            with self.subTest(way=way.__name__):
                done = self.call(*line, status=None)
                self.assertIn("a.h5.checkpoint", done.stderr)
                if way is not folder:
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(re.search('"digest": *"([^"]*)"', done.stdout)[1], digest)


main()
