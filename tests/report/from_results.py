# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of curves, pages and plans made from real results: what stands in a case's file stands in the figure's data,
a figure that was not drawn says so where it would stand, notes and titles are there.

usage: from_results.py PROGRAM"""
import hashlib
import json
import pathlib
import re
import shutil
import sys

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import Program, main

SWEEP = """springbench: 1
name: curves
question: How do they converge?
driver: convergence
timed: false
defaults: {scene: cloth, start: coast, linear: cholesky, max_iterations: 3, frames: 4}
methods:
  newton: {minimizer: newton, hessian: projected}
  alternating: {minimizer: local_global}
sweep:
  - grid: {method: [newton, alternating], grid: 2, measure_frames: ["2", "1:3"]}
exclude: [{when: method == alternating and not measure_frames ~ ':', because: it is the same}]
tables:
  - {id: errors, title: Errors, rows: measure_frames, columns: method, cell: error_1, note: Of <one> solve.}
  - {id: best, rows: [measure_frames, method], columns: [{value: error_1, best: smallest}]}
  - {id: nothing, rows: measure_frames, columns: method, cell: error_1, where: error_1 > 1e9}
figures:
  - {id: means, title: They converge, note: Marks <stand> by., script: own.gp, data: curves,
     where: "measure_frames ~ ':'"}
  - {id: all, script: own.gp, data: curves}
  - {id: rest, script: own.gp, data: curves, where: error_1 > 1e9}
animations:
  - {id: moves, title: "It <moves>", where: "method == newton and measure_frames ~ ':'"}
"""


class Drawn(Program):
    shares_folder = True

    @classmethod
    def prepare(cls):
        cls.sweep, cls.out = cls.folder / "curves.yaml", cls.folder / "out"
        cls.sweep.write_text(SWEEP)
        (cls.folder / "own.gp").write_text("# Data: curves; columns method, measure_frames, relative_error.\n"
                                           "eval page(8, 5)\nplot data using 'iteration':'relative_error'\n")
        cls.call("run", cls.sweep, "-o", cls.out, "--progress", "none", status=None)

    def data(self, name, out=None):
        """The blocks of a figure's data, each a list of rows."""
        head, _, rest = ((out or self.out) / "figures" / (name + ".dat")).read_text().partition("\n")
        blocks = [block.splitlines() for block in rest.rstrip("\n").split("\n\n\n")] if rest else []
        return [[dict(zip(head.split("\t"), line.split("\t"))) for line in block] for block in blocks]

    def test_curves_are_those_of_the_files(self):
        *blocks, skipped = sorted(self.data("all"), key=lambda block: block[0]["status"])
        self.assertEqual([(row["status"], row["run"], row["iteration"], row["last"]) for row in skipped],
                         [("skipped", "?", "?", "1")])
        self.assertEqual(len(blocks), 3)
        for block in blocks:
            key = block[0]["key"]
            self.assertEqual([row["last"] for row in block], ["0", "0", "0", "1"])
            self.assertEqual({row["run"] for row in block}, {"mean"})
            self.assertEqual({row["status"] for row in block}, {"ok"})
            with h5py.File(self.out / "cases" / (key + ".h5")) as file:
                for name, values in file["convergence/mean"].items():
                    if name != "seconds":
                        self.assertEqual([float(row[name]) for row in block], [float(v) for v in values[()]])
        means = self.data("means")
        self.assertEqual({block[0]["method"] for block in means}, {"newton", "alternating"})
        self.assertEqual({block[0]["measure_frames"] for block in means}, {"[1:3]"})
        self.assertEqual(self.data("rest"), [])

    def test_runs_without_a_mean_and_cases_without_a_file(self):
        out = pathlib.Path(shutil.copytree(self.out, self.folder / "less"))
        first, second, third = (block[0]["key"] for block in self.data("all") if block[0]["status"] == "ok")
        with h5py.File(out / "cases" / (first + ".h5"), "r+") as file:
            del file["convergence/mean"]
            runs = {name: {column: values[()].tolist() for column, values in run.items()}
                    for name, run in file["convergence"].items()}
        changed = out / "cases" / (first + ".h5")
        self.assertIn("is damaged: its checksum disagrees", self.call("plot", "--trust", out, "all", status=5).stderr)
        journal = [json.loads(line) for line in (out / "journal.jsonl").read_text().splitlines()]
        for event in journal:
            event.pop("check", None)  # without its seal a line is taken as it stands
            if event.get("key") == first and event["event"] == "publish":
                event["sha256"] = hashlib.sha256(changed.read_bytes()).hexdigest()
        (out / "journal.jsonl").write_text("".join(json.dumps(event) + "\n" for event in journal))
        (out / "cases" / (second + ".h5")).unlink()
        self.call("plot", "--trust", out, "all", "--term", "dumb", status=None)  # whether it can be drawn is its script's matter
        blocks = {block[0]["key"] + block[0]["run"]: block for block in self.data("all", out)}
        for name, run in runs.items():
            block = blocks[first + name]
            self.assertEqual([float(row["objective"]) for row in block], run["objective"])
            self.assertEqual({row["relative_error"] for row in block}, {"?"})  # only means have it
        lost = blocks[second + "?"]
        self.assertEqual(len(lost), 1)
        self.assertEqual((lost[0]["iteration"], lost[0]["last"], lost[0]["method"] != "?"), ("?", "1", True))
        self.assertIn(third + "mean", blocks)

    def test_a_case_file_that_is_none_is_named(self):
        out = pathlib.Path(shutil.copytree(self.out, self.folder / "broken"))
        path = sorted((out / "cases").glob("*.h5"))[0]
        path.write_bytes(b"no case")
        done = self.call("plot", "--trust", out, "all", status=5)
        self.assertIn(path.name, done.stderr)

    def test_the_page(self):
        page = (self.out / "report.html").read_text()
        self.assertIn("Marks &lt;stand&gt; by.", page)
        self.assertIn("It &lt;moves&gt;", page)
        self.assertIn("Of &lt;one&gt; solve.", page)
        self.assertIn("<strong>", page)
        self.assertIn("<small>Bold: ", page)
        out = pathlib.Path(shutil.copytree(self.out, self.folder / "paged"))
        (out / "figures/means.svg").unlink()
        for form in ("svg", "png"):
            (out / f"figures/all.{form}").unlink(missing_ok=True)
        key = self.data("means")[0][0]["key"]
        shutil.copy(out / "animations/moves.gif", out / f"animations/{key}.gif")
        shutil.copy(out / "animations/moves.gif", out / "animations/other.gif")
        self.call("report", out)
        page = (out / "report.html").read_text()

        def of(name):
            return page.split(f'<a id="figure-{name}"></a>')[1].split("<small>")[0]
        self.assertIn("data:image/png", of("means"))  # no drawing is left: the other form
        self.assertIn("This figure has not been drawn", of("all"))
        self.assertNotIn("This figure has not been drawn", of("means"))
        self.assertEqual(page.count("data:image/gif"), 3)

    def test_plan_tells_how_long_and_how_much(self):
        shard = self.folder / "part"
        self.call("run", self.sweep, "-o", shard, "-f", "method == alternating", "--progress", "none", status=None)
        text = self.call("plan", self.sweep, "-o", shard).stdout
        self.assertIn("because: it is the same", text)
        self.assertIn("2 to run, 1 done, 1 skipped", text)
        self.assertRegex(text, r", about \d+ s by the mean of those done")
        self.sweep.with_name("still.yaml").write_text(SWEEP.split("animations:")[0])
        sizes = {}
        for save in ("none", "final", "every:2"):
            said = self.call("plan", self.sweep.with_name("still.yaml"), "-p", f"save={save}", "-p", "grid=60", "-p",
                             "frames=40").stdout
            sizes[save] = float(re.search(r"about ([\d.]+) MB to store", said)[1])
        frame = 3 * (61 * 61 * 72 + 4000) * 1e-6  # MB: positions, velocities, strains and names of three cases
        self.assertAlmostEqual(sizes["final"] - sizes["none"], frame, delta=0.11)
        self.assertAlmostEqual(sizes["every:2"] - sizes["none"], 21 * frame, delta=0.11)

    def test_tables(self):
        text = self.call("table", self.out, "errors").stdout
        self.assertIn("Of <one> solve.", text)
        cells = {row["method"]: row for row in json.loads(self.call("export", self.out, "--to=json").stdout)["cases"]}
        self.assertLess(cells["newton"]["error_1"], cells["alternating"]["error_1"])
        text = self.call("table", self.out, "best").stdout
        self.assertRegex(text, r"\[1:3\] +Newton +\S+\*\n")
        self.assertRegex(text, r"\[1:3\] +alternating +[\d.e-]+\n")


main()
