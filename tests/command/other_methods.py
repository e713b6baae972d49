# SPDX-License-Identifier: GPL-3.0-or-later
"""Methods that the sweep file does not have: those of --method, and those that -p makes of the sweep's. They have names
of their own in tables, figures and results, and leave the sweep's claims alone.

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
CHANGED = "projective with minimizer=newton"


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

    def claims(self):
        return [line.split("  ")[0] for line in self.call("verify", self.out).stdout.splitlines()[:2]]

    def test_p_over_what_a_method_sets_makes_another_method(self):
        claims = self.claims()
        said = self.call("run", self.sweep, "-o", self.out, "-p", "minimizer=newton").stderr
        self.assertIn(f"-p changes the method projective: in tables and figures it is '{CHANGED}'", said)
        self.assertEqual(sorted(self.methods()), [("", "newton")] * 2 + [("newton", "newton")] * 2 +
                         [("projective", "local_global")] * 2)
        self.assertEqual([row[1] for row in self.stubs("t")[1:4]], ["newton", "projective", CHANGED])
        self.assertIn("Projective dynamics with minimizer=newton", self.call("table", self.out, "t").stdout)
        self.assertEqual(len(self.stubs("p")[0]), 4)
        self.assertEqual([row[0] for row in self.stubs("n")[1:]], ["newton", "newton", CHANGED, CHANGED])
        for figure in "fg":  # a curve of its own, also where the sweep has a single one
            self.assertIn(CHANGED.replace("projective", "Projective dynamics"),
                          (self.out / "figures" / f"{figure}.gp").read_text())
        self.assertEqual(self.claims(), claims)
        self.assertEqual(claims, ["reproduced", "reproduced"])

    def test_figures_have_the_order_of_the_sweep_file_and_then_others(self):
        for more in (["-p", "minimizer=newton"], ["--method", "mine: {minimizer: newton, linear: lu}"]):
            self.call("run", self.sweep, "-o", self.out, *more)
        names = ["Newton", "Projective dynamics", "mine", "Projective dynamics with minimizer=newton"]
        for figure in "fh":
            script = (self.out / "figures" / f"{figure}.gp").read_text()
            places = [script.rindex(f"'{name}'") for name in names]
            self.assertEqual(places, sorted(places), figure)

    def test_the_same_value_changes_nothing(self):
        said = self.call("run", self.sweep, "-o", self.out, "-p", "max_iterations=10", "-f", "method == projective").stderr
        self.assertNotIn("-p changes", said)
        self.assertEqual(len(self.methods()), 4)

    def test_a_method_of_the_command_line_stands_beside_the_others(self):
        claims = self.claims()
        mine = ["--method", "mine: {minimizer: newton, linear: lu}"]
        self.call("run", self.sweep, "-o", self.out, *mine, "--quick")
        self.call("run", self.sweep, "-o", self.out, *mine)
        self.assertEqual(self.methods().count(("mine", "newton")), 2)
        self.assertEqual([row[1] for row in self.stubs("t")[1:4]], ["newton", "projective", "mine"])
        self.assertEqual(self.claims(), claims)
        self.assertIn("4 done", self.call("plan", self.sweep, "-o", self.out).stdout)
        for text, said in (("mine: {linear: jacobi}", "has results of a method 'mine' with other options"),
                           ("newton: {linear: jacobi}", "--method:1:1: error: there is a method 'newton' already")):
            for command in ("run", "run --dry-run"):
                self.assertIn(said, self.call(*command.split(), self.sweep, "-o", self.out, "--method", text,
                                              status=2).stderr)
        other = self.folder / "other"
        self.call("run", self.sweep, "-o", other, "--method", "mine: {minimizer: newton, linear: jacobi}")
        said = self.call("merge", self.folder / "merged", self.out, other, status=2).stderr
        self.assertIn("has results of a method 'mine' with other options", said)
        self.call("forget", self.out, "-f", "method == mine", "--yes")
        self.call("run", self.sweep, "-o", self.out, "--method", "mine: {minimizer: newton, linear: jacobi}")


main()
