# SPDX-License-Identifier: GPL-3.0-or-later
"""Methods that the sweep file does not have: those of --method stand behind the sweep's in tables, figures and results.
Under -p a method keeps its name, in a directory of its own.

usage: other_methods.py PROGRAM [TEST ...]"""
import csv
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import Program, main

SWEEP = """springbench: 1
name: names
question: Whose row is it?
driver: trajectory
timed: false
defaults: {scene: rope, nodes: 6, integrator: implicit_euler, h: 0.01, steps: 2, max_iterations: 20}
methods:
  newton: {minimizer: newton}
  projective: {minimizer: local_global, max_iterations: 10}
words: {projective: Projective dynamics}
sweep:
  - grid: {method: [newton, projective], stiffness: [100, 1000]}
tables:
  - {id: t, title: T, rows: [stiffness, method], columns: [{label: iterations, value: minimizer_iterations_mean}]}
  - {id: p, title: P, rows: stiffness, columns: method, cell: minimizer_iterations_mean}
  - {id: n, title: N, rows: stiffness, columns: minimizer, cell: minimizer_iterations_mean, where: minimizer == newton}
figures:
  - {id: f, title: F, kind: curves, x: stiffness, y: minimizer_iterations_mean, series: method}
  - {id: g, title: G, kind: curves, x: stiffness, y: minimizer_iterations_mean, where: minimizer == newton}
  - {id: h, title: H, kind: bars, x: method, y: minimizer_iterations_mean, where: stiffness == 100}
expect:
  - {claim: few, test: "minimizer_iterations_mean[method=newton, stiffness=stiffness] <= minimizer_iterations_mean"}
  - {claim: all, test: count(minimizer_iterations_mean) == 4}
"""


class OtherMethods(Program):
    def setUp(self):
        super().setUp()
        self.sweep, self.out = self.folder / "names.yaml", self.folder / "out"
        self.sweep.write_text(SWEEP)
        self.call("run", self.sweep, "-o", self.out)

    def methods(self):
        with open(self.out / "results.csv") as file:
            return [(row["method"], row["minimizer"]) for row in csv.DictReader(file)]

    def stubs(self, table):
        with open(self.out / "tables" / f"{table}.csv") as file:
            return list(csv.reader(file))

    def test_methods_that_become_equal_run_once(self):
        """Under the name of the first; the others keep their names."""
        self.out = self.folder / "results" / "names.minimizer-newton"
        self.call("run", self.sweep, "-p", "minimizer=newton")
        self.assertEqual(self.methods(), [("newton", "newton")] * 2 + [("projective", "newton")] * 2)
        self.out = self.out.with_name("names.max_iterations-10.minimizer-newton")
        self.call("run", self.sweep, "-p", "minimizer=newton", "-p", "max_iterations=10")
        self.assertEqual(self.methods(), [("newton", "newton")] * 2)
        self.assertEqual([row[1] for row in self.stubs("t")[1:]], ["newton", "newton"])

    def test_figures_have_the_order_of_the_sweep_file_and_then_others(self):
        self.sweep.write_text(SWEEP.replace("sweep:\n", "sweep:\n  - grid: {method: [newton], stiffness: [500]}\n"))
        for text in "mine: {minimizer: newton, linear: lu}", "yours: {minimizer: newton, linear: jacobi}":
            self.call("run", self.sweep, "-o", self.out, "--method", text)
        names = ["Newton", "Projective dynamics", "mine", "yours"]
        for figure in "fh":
            script = (self.out / "figures" / f"{figure}.gp").read_text()
            places = [script.rindex(f"'{name}'") for name in names]
            self.assertEqual(places, sorted(places), figure)
        self.assertEqual([row[1] for row in self.stubs("t")[1:5]], ["newton", "projective", "mine", "yours"])
        for figure, text in ("f", "Projective"), ("g", "mine"):  # a curve of its own, also where the sweep has a single one
            self.assertIn(text, (self.out / "figures" / f"{figure}.gp").read_text())

    def test_a_method_of_the_command_line_stands_beside_the_others(self):
        mine = ["--method", "mine: {minimizer: newton, linear: lu}"]
        self.call("run", self.sweep, "-o", self.out, *mine, "--quick")
        self.call("run", self.sweep, "-o", self.out, *mine)
        self.assertEqual(self.methods().count(("mine", "newton")), 2)
        self.assertEqual([row[1] for row in self.stubs("t")[1:4]], ["newton", "projective", "mine"])
        self.assertIn("count(minimizer_iterations_mean) = 6; judged on 6 of 6 cases",
                      self.call("verify", self.out, status=3).stdout)
        self.assertIn("6 done", self.call("plan", self.sweep, "-o", self.out).stdout)  # the directory remembers it
        for text, said in (("mine: {linear: jacobi}", "has results of a method 'mine' with other options"),
                           ("newton: {linear: jacobi}", "--method:1:1: error: there is a method 'newton' already")):
            for command in ("run", "run --dry-run"):
                self.assertIn(said, self.call(*command.split(), self.sweep, "-o", self.out, "--method", text,
                                              status=2).stderr)
        other = self.folder / "other"
        self.call("run", self.sweep, "-o", other, "--method", "mine: {minimizer: newton, linear: jacobi}")
        said = self.call("merge", self.folder / "merged", self.out, other, status=2).stderr
        self.assertIn("has results of a method 'mine' with other options", said)

    def test_a_method_that_the_file_gets_later_is_the_files(self):
        """No name is lost, and none has two meanings."""
        self.call("run", self.sweep, "-o", self.out, "--method", "mine: {minimizer: newton, max_iterations: 3}")
        self.sweep.write_text(SWEEP.replace("  projective:", "  mine: {minimizer: local_global, max_iterations: 1}\n  projective:")
                              .replace("[newton, projective]", "[newton, projective, mine]"))
        said = self.call("run", self.sweep, "-o", self.out).stderr
        self.assertIn("the sweep file has a method 'mine' of its own now: the one that --method added is left out", said)
        self.assertIn("the sweep file was changed: 2 earlier cases are left out", said)
        self.assertEqual([method for method, _ in self.methods()].count("mine"), 2)
        self.assertEqual(self.call("table", self.out, "t", "--format", "csv").stdout,
                         (self.out / "tables" / "t.csv").read_text())
        self.assertEqual([row[1] for row in self.stubs("t")[1:4]], ["newton", "projective", "mine"])
        self.assertFalse((self.out / "request.json").exists())

    def test_an_added_method_is_left_out_if_the_file_loses_its_axis(self):
        self.call("run", self.sweep, "-o", self.out, "--method", "mine: {minimizer: newton, max_iterations: 3}")
        self.sweep.write_text(SWEEP.split("methods:")[0] + "sweep: [{grid: {stiffness: [100, 1000]}}]\n")
        said = self.call("run", self.sweep, "-o", self.out).stderr
        self.assertIn("the sweep file has no axis 'method' any more: what was added to it is left out", said)
        self.assertIn("names: 2 cases: 2 ", said)
        self.assertFalse((self.out / "request.json").exists())


main()
