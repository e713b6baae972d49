# SPDX-License-Identifier: GPL-3.0-or-later
"""A part of a sweep is no whole: filters, shards, one of two shards joined, limits, --quick, and methods that fail.
parts.py PROGRAM EXPERIMENTS [TEST ...]"""
import csv
import json
import os
import pathlib
import re
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from program import WATCHED, Program, main, memory_limit

EXPERIMENTS = pathlib.Path(sys.argv[2])
# Error in proportion to h, but for the largest steps, where explicit Euler diverges.
SWEEP = """springbench: 1
name: steps
question: How large is the error?
driver: accuracy
timed: false
defaults: {scene: oscillator, integrator: explicit_euler, duration: 20, initial_velocity: "[0.1,0,0]"}
sweep: [{grid: {h: [HS]}}]
quick: {h: [0.001, 0.002]}
tables: [{id: errors, title: Errors, rows: h, columns: [{label: e, value: error_position}]}]
figures: [{id: errors, title: Errors, kind: curves, x: h, y: error_position}]
expect:
  - {claim: small, test: "max(error_position) < 0.007"}
  - {claim: small in the mean, test: "mean(error_position) < 0.005"}
  - {claim: in proportion, test: "0.9 < slope(log(error_position), log(h_seconds)) < 1.1"}
  - {claim: small where it stands, test: "max(error_position) < 0.007", where: status == ok}
  - {claim: small at two, test: "error_position[h=0.001] < 0.007 and error_position[h=0.002] < 0.007"}
"""
# A finding and a claim of the sweep's own on the same two cases.
SHEETS = """springbench: 1
name: sheets
question: Whose cases are these?
driver: trajectory
timed: false
defaults: {scene: cloth, grid: 2, h: 0.01, duration: 0.05, integrator: symplectic_euler}
sweep: [{grid: {stiffness: [100, 200]}}]
expect:
  - {claim: published, finding: rope-explicit-growth, test: kinetic_max > 0}
  - {claim: our own, test: kinetic_max > 0}
"""
# Two sweeps that answer one published finding: the first holds, the second does not.
ANSWERS = """springbench: 1
name: NAME
question: Is it so?
driver: trajectory
timed: false
defaults: {scene: oscillator, amplitude: 0.1, h: 0.01, duration: 0.1}
sweep: [{grid: {stiffness: [4, 8]}}]
expect: [{claim: so, finding: rope-explicit-growth, kind: shape, test: "kinetic_max > LEAST"}]
"""
METHODS = """springbench: 1
name: methods
question: Which is better?
driver: accuracy
timed: false
defaults: {scene: oscillator, integrator: symplectic_euler, duration: 1}
methods: {fine: {h: 0.001}, coarse: {h: 0.1}}
sweep: [{grid: {method: [fine, coarse], initial_velocity: ["[0.1,0,0]"]}}]
tables: [{id: errors, rows: method, columns: [{label: e, value: error_position}]}]
expect:
  - {claim: fine is better, test: "error_position[method=fine] < error_position[method=coarse]"}
"""
CLOTH = ["scene=cloth", "integrator=implicit_euler", "max_iterations=1", "gradient_tolerance=0", "duration=0.001"]


class Parts(Program):
    def verdicts(self, directory, status=0):
        """The verdict and what is told of each claim, and the last line."""
        *lines, last = self.call("verify", directory, status=status).stdout.splitlines()
        words = ("NOT REPRODUCED", "not tested", "reproduced")
        told = [next((word, line[len(word):].strip()) for word in words if line.startswith(word)) for line in lines]
        return [word for word, _ in told], [text for _, text in told], last

    def sweep(self, steps):
        path = self.folder / "steps.yaml"
        path.write_text(SWEEP.replace("HS", steps))
        return path

    def numbers(self, out):
        """What table and figure of the directory are made of."""
        return [(out / name).read_text() for name in ("tables/errors.csv", "figures/errors.dat")]

    def test_tables_and_figures_are_of_the_sweeps_own_cases(self):
        path, out, more = self.sweep("0.001, 0.002"), self.folder / "results" / "steps", self.folder / "more"
        self.call("run", path)
        made, note = self.numbers(out), "2 of 4 cases are not the sweep's own and in no table, figure or film"
        self.assertNotIn("the sweep's own and", self.call("status", out).stdout)
        said = self.call("run", path, "-p", "duration=10").stderr
        self.assertIn(f"  {note}; springbench forget results/steps lists them\n", said)
        self.assertIn(f"{note}; springbench forget {out} lists them\n", self.call("status", out).stdout)
        self.assertIn(f"{note}; `springbench forget` lists them.", (out / "report.md").read_text())
        self.assertIn(note, (out.parent / "index.md").read_text())
        self.assertEqual(self.numbers(out), made)
        self.assertEqual(self.call("table", out, "errors", "--format", "csv").stdout, made[0])
        self.call("plot", out, "errors")
        self.assertEqual(self.numbers(out), made)
        # Values of an axis are further rows, also beside other cases.
        self.call("run", path, "-p", "h=0.004")
        self.assertEqual(len(self.numbers(out)[0].splitlines()), len(made[0].splitlines()) + 1)
        # Several values at once make an axis of the directory, also where the cases are there already.
        self.call("run", path, "-p", "h=0.001", "-p", "duration=5")
        self.assertNotIn("duration,", self.numbers(out)[0])
        self.call("run", path, "-p", "duration=10,5")
        rows = [line.split(",")[:2] for line in self.numbers(out)[0].splitlines()]
        self.assertEqual(rows[1:], [[d, h] for d in ("5", "10", "20") for h in ("0.001", "0.002", "0.004")
                                    if h != "0.004" or d == "20"])
        self.assertNotIn("the sweep's own and", self.call("status", out).stdout)
        # What is left when they are forgotten is as before.
        self.call("forget", out, "--yes")
        self.assertEqual(self.numbers(out), made)
        self.assertNotIn("varied", (out / "plan.json").read_text())

    def test_a_directory_of_other_cases_alone_shows_them(self):
        path, apart, parts = self.sweep("0.001, 0.002"), self.folder / "apart", ("part1", "part2")
        self.call("run", path, "-p", "duration=10", "-o", apart)
        self.assertEqual(self.numbers(apart)[0].count("\n0.00"), 2)
        self.assertNotIn("the sweep's own and", self.call("status", apart).stdout)
        # Shards of a column that the command line made, one of whose values is the sweep's own, and a merge of them.
        for number, part in enumerate(parts, 1):
            self.call("run", path, "-p", "duration=10,20", "--shard", f"{number}/2", "-o", part)
        self.call("merge", "both", *parts)
        self.assertEqual(self.numbers(self.folder / "both")[0].count("\n10,0.00"), 2)
        self.call("run", path, "-o", "both")
        self.assertEqual(self.numbers(self.folder / "both")[0].count("\n10,0.00"), 2)

    def test_physics_in_other_words_stays_in_tables(self):
        sheets = ("expect:", "tables: [{id: t, rows: stiffness, columns: [{label: k, value: kinetic_max}]}]\nexpect:")
        out = self.sheets(sheets, "-p", "vertex_mass=1/9", "-f", "stiffness == 100")
        path = self.folder / "sheets.yaml"
        self.call("run", path, "-o", out, "-f", "stiffness == 200")
        self.call("run", path, "-o", out, "-p", "vertex_mass=2/9")
        rows = [re.split("[ ,]", line)[0] for line in (out / "tables/t.csv").read_text().splitlines()]
        self.assertEqual(rows, ["stiffness", "100", "200"])

    def test_another_problem_is_a_row_of_an_axis_of_problems(self):
        """The options that its name stands for have values that no other problem has."""
        path, out = self.folder / "problems.yaml", self.folder / "out"
        path.write_text("springbench: 1\nname: problems\nquestion: Which?\ndriver: trajectory\ntimed: false\n"
                        "sweep: [{grid: {problem: [easy_rope_16_2]}}]\n"
                        "tables: [{id: t, rows: problem, columns: [{label: k, value: kinetic_max}]}]\n")
        self.call("run", path, "-o", out)
        self.call("run", path, "-o", out, "-p", "problem=easy_rope_16_8")
        self.call("run", path, "-o", out, "-p", "gravity=[0,-1,0]")
        rows = [line.split(",")[0] for line in (out / "tables/t.csv").read_text().splitlines()]
        self.assertEqual(sorted(rows), ["easy_rope_16_2", "easy_rope_16_8", "problem"])

    def test_cases_that_are_no_part_of_the_sweep_are_forgotten(self):
        path, out = self.sweep("0.001, 0.002"), self.folder / "results" / "steps"
        self.call("run", path)

        def pages():
            """But for when it was run last."""
            return [re.sub(r"\*(last )?run:\*.*", "", (out / name).read_text())
                    for name in ("results.csv", "report.md", "plan.json")]

        before = pages()
        self.assertIn("it has only cases that the sweep makes", self.call("forget", out, status=7).stderr)
        self.call("run", path, "-p", "duration=10")
        self.assertIn("4 cases", self.call("status", out).stdout)
        shown = self.call("forget", out)
        self.assertEqual(shown.stdout.count("duration=10"), 2)
        self.assertIn("2 of 4 cases would be dropped; nothing was changed; --yes drops them", shown.stderr)
        self.assertIn("4 cases", self.call("status", out).stdout)
        self.assertEqual(self.call("forget", out, "--yes").stdout, shown.stdout)
        self.assertEqual(pages(), before)
        self.assertEqual(len(list((out / "cases").glob("*.h5"))), 2)
        # By an expression on results; the sweep's own are run again.
        self.assertEqual(self.call("forget", out, "-f", "error_position > 0 and h == 0.002", "--yes").stdout.count("\n"), 1)
        self.assertIn("1 done, 0 skipped, 1 to run", self.call("run", path, "--progress", "lines").stderr)
        for wrong, status, says in ((("-f", "h == 7"), 7, "no case matches"), (("-f", "hh == 7"), 2, "unknown column 'hh'"),
                                    (("-f", "h =="), 2, "expected a value"), (("more",), 2, "one directory at a time")):
            self.assertIn(says, self.call("forget", out, *wrong, status=status).stderr)
        self.assertIn("sweep.yaml", self.call("forget", self.folder, status=2).stderr)

    def test_skipped_cases_are_left_out_and_forgotten_too(self):
        path, out = self.sweep("0.001, 0.002"), self.folder / "out"
        path.write_text(path.read_text().replace("expect:", "exclude: [{when: h == 0.002, because: not wanted}]\nexpect:"))
        self.call("run", path, "-o", out)
        plan, made = (out / "plan.json").read_text(), self.numbers(out)[0]
        self.assertIn("2 of 4 cases are not the sweep's own", self.call("run", path, "-o", out, "-p", "duration=10").stderr)
        self.assertEqual(self.numbers(out)[0], made)
        self.assertRegex(self.call("forget", out, "--yes").stdout, r"ok +h=0.001 duration=10\n.* skipped +h=0.002 duration=10\n")
        self.assertEqual((out / "plan.json").read_text(), plan)

    def test_two_of_126_ropes(self):
        out = self.folder / "results" / "rope_blowup"
        chosen = "integrator == explicit_euler and drag == 0.001 and substeps in [64,128]"
        said = self.call("run", "rope_blowup", "-f", chosen, "-o", out).stderr
        self.assertIn("rope_blowup: 2 of 126 cases: 2 diverged; 6 claims: 1 reproduced, 5 not tested (1 holds so far); ", said)
        words, told, last = self.verdicts(out)
        self.assertEqual(words, ["not tested", "not tested", "reproduced"] + 3 * ["not tested"])
        self.assertTrue(told[2].endswith("; rests on 1 of 14 cases (1 diverged)"), told[2])  # which is about one of the two
        self.assertTrue(told[3].endswith("undecided: of its 7 cases 5 are not here"), told[3])
        self.assertEqual(last, "rope_blowup: 2 of 126 cases; 6 claims: 1 reproduced, 5 not tested (1 holds so far)")
        findings = (out.parent / "REPRODUCED.md").read_text()
        line = next(line for line in findings.splitlines() if "`rope-explicit-growth`" in line)
        self.assertTrue(line.startswith("| **– not tested** |"), line)
        self.assertIn("undecided: of its 7 cases 5 are not here", line)
        self.assertIn("rests on 1 of 14 cases (1 diverged)", findings)
        index = (out.parent / "index.md").read_text()
        self.assertIn("| 2 of 126 cases: 2 diverged |", index)
        self.assertEqual(index.count("**– 5 not tested, 1 holds so far**"), 2)  # of all sweeps, and of this one
        for page in "report.md", "report.html":
            self.assertIn("undecided: of its 7 cases 5 are not here", (out / page).read_text())

    def test_shards(self):
        path = self.sweep("0.001, 0.008, 0.002, 0.004")
        self.call("run", path, "--shard", "1/4", "-o", "shard")  # 0.001, which takes longest, alone
        words, told, _ = self.verdicts("shard")
        self.assertEqual(words, ["not tested"] * 5)
        self.assertTrue(told[0].endswith("holds so far, in 1 of its 4 cases; 3 are not here"), told[0])
        for part, cases in ("1", "h < 0.003"), ("2", "h > 0.003"):
            self.call("run", path, "-f", cases, "-o", f"part{part}")
        words, told, _ = self.verdicts("part1")  # the claim is false of the others
        self.assertEqual(words, ["not tested"] * 4 + ["reproduced"])
        self.assertTrue(told[0].endswith("holds so far, in 2 of its 4 cases; 2 are not here"), told[0])
        self.assertTrue(told[4].endswith("rests on 2 of 4 cases"), told[4])
        self.call("merge", "one", "part1")
        self.assertEqual(self.verdicts("one")[0], words)
        words, told, _ = self.verdicts("part2", status=3)  # what it has is enough to say so
        self.assertEqual(words[0], "NOT REPRODUCED")
        self.assertTrue(told[0].endswith("or more; rests on 2 of 4 cases"), told[0])
        self.call("merge", "both", "part1", "part2")
        words, told, last = self.verdicts("both", status=3)
        self.assertEqual(words, ["NOT REPRODUCED", "reproduced", "reproduced", "NOT REPRODUCED", "reproduced"])
        self.assertTrue(all(text.endswith("rests on 4 of 4 cases") for text in told[:4]), told)
        self.assertTrue(told[4].endswith("rests on 2 of 4 cases"), told[4])  # it selects two
        self.assertEqual(last, "steps: 5 claims: 3 reproduced, 2 NOT REPRODUCED")

    def test_quick_is_a_part(self):
        path = self.sweep("0.001, 0.008, 0.002, 0.004")
        self.call("run", path, "--quick", "-o", "quick")
        words, told, _ = self.verdicts("quick")
        self.assertEqual(words, ["not tested"] * 4 + ["reproduced"])
        self.assertTrue(told[4].endswith("rests on 2 of 4 cases (quick)"), told[4])

    def test_a_whole_run_takes_over_what_a_quick_one_ran(self):
        """But for times, which it takes anew. With nothing left to run the directory is a whole one all the same."""
        def published():
            events = [json.loads(line) for line in (self.folder / "out/journal.jsonl").read_text().splitlines()]
            return [event["key"] for event in events if event["event"] == "publish"]
        for timed, again in ((True, 2), (False, 0)):
            path = self.sweep("0.001, 0.008, 0.002, 0.004")
            path.write_text(path.read_text().replace("timed: false", f"timed: {str(timed).lower()}"))
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            self.call("run", path, "--quick", "-o", "out")
            quick = published()
            self.assertEqual(len(quick), 2)
            self.assertIn("quick", self.call("status", "out").stdout)
            self.call("run", path, "-o", "out")
            self.assertEqual(len(published()), 4 + again)
            self.call("run", path, "-o", "out")
            self.assertEqual(len(published()), 4 + again)
            self.assertNotIn("quick", self.call("status", "out").stdout)
        path.write_text(re.sub("(?m)^quick: .*$", "quick: all", path.read_text()))
        shutil.rmtree(self.folder / "out")
        self.call("run", path, "--quick", "-o", "out")
        self.call("run", path, "-o", "out")
        self.assertEqual(len(published()), 4)
        self.assertNotIn("quick", self.call("status", "out").stdout)

    def test_failures_stay(self):
        """What diverges drops out of no maximum, mean or slope, unless the claim names the status."""
        self.call("run", self.sweep("0.001, 0.002, 0.004, 5, 10"), "-p", "duration=100", "-o", "out")
        words, told, _ = self.verdicts("out", status=3)
        self.assertEqual(words, ["NOT REPRODUCED"] * 3 + ["reproduced"] * 2)
        for text in told[:3]:
            self.assertIn("undecided: 2 cases did not end with status ok", text)
        self.assertIn("rests on 3 of 3 cases", told[3])

    def sheets(self, change=("", ""), *options):
        """Runs the sheets, changed in some text, by these options; gives the directory."""
        path, out = self.folder / "sheets.yaml", self.folder / "out"
        path.write_text(SHEETS.replace(*change))
        shutil.rmtree(out, ignore_errors=True)
        self.call("run", path, "-o", out, *options)
        return out

    def are_own(self, out, difference=""):
        """Whether the cases answer the finding, and how they differ from the sweep's own where they do not."""
        words, told, _ = self.verdicts(out)
        self.assertEqual(words, ["not tested" if difference else "reproduced", "reproduced"])
        self.assertRegex(told[0], f"not comparable: {difference}$" if difference else "rests on 2 of 2 cases$")
        self.assertRegex(told[1], (f"; with {difference}" if difference else "[0-9]") + "; rests on 2 of 2 cases$")

    def test_other_physics_is_not_the_sweeps_own(self):
        self.are_own(self.sheets(("", ""), "-p", "vertex_mass=0.01"), "vertex_mass=0.01 in place of total_mass=1")
        self.are_own(self.sheets(("", ""), "-p", "stiffness_shear=5"), "stiffness_shear=5 in place of unset")

    def test_physics_in_other_words_is_the_sweeps_own(self):
        out = self.sheets(("", ""), "-p", "vertex_mass=1/9")  # nine vertices share 1 kg
        self.are_own(out)
        text = (out / "sweep.yaml").read_text()
        (out / "sweep.yaml").write_text(text.replace("h: 0.01, duration: 0.05", "substeps: 1, frames: 5, frame_seconds: 0.01"))
        self.are_own(out)
        (out / "sweep.yaml").write_text(text.replace("duration: 0.05", "duration: 0.06"))
        self.are_own(out, "duration=0.05 in place of 0.06")

    def test_ranks_and_threads(self):
        """On two ranks block Jacobi has other blocks and takes other numbers of iterations. Threads decide no bit of an
        explicit step."""
        self.are_own(self.sheets(("", ""), "-p", "threads=2"))
        solved = ("integrator: symplectic_euler", "integrator: implicit_euler, linear: petsc, "
                  "petsc: -ksp_type cg -pc_type bjacobi -sub_pc_type icc")
        self.are_own(self.sheets(solved, "-p", "threads=2"), "threads=2 in place of 1")
        self.are_own(self.sheets(solved, "-n", "2"), "ranks=2 in place of 1")

    def test_a_row_belongs_to_the_method_whose_options_it_has(self):
        """Methods are identified by their options after an edit, not by the names that they had when the cases ran."""
        path, out = self.folder / "methods.yaml", self.folder / "out"
        path.write_text(METHODS)
        self.call("run", path, "-o", out)
        swapped = METHODS.replace("fine: {h: 0.001}, coarse: {h: 0.1}", "fine: {h: 0.1}, coarse: {h: 1e-3}")
        before = self.by_method(out)
        self.assertLess(before["fine"], before["coarse"])
        self.assertEqual(self.verdicts(out)[0], ["reproduced"])
        (out / "sweep.yaml").write_text(swapped)
        self.assertEqual(self.verdicts(out, status=3)[0], ["NOT REPRODUCED"])
        self.assertEqual(self.by_method(out), {"coarse": before["fine"], "fine": before["coarse"]})
        (out / "sweep.yaml").write_text(METHODS.replace("coarse: {h: 0.1}", "coarse: {h: 0.05}"))
        words, told, _ = self.verdicts(out)
        self.assertEqual(words, ["not tested"])
        self.assertIn("undecided: of its 3 cases 1 is not here", told[0])  # with the one that has no method now
        self.assertEqual(self.by_method(out), {"fine": before["fine"], "": before["coarse"]})

    def test_merged_rows_have_the_names_of_the_first_sweep(self):
        path = self.folder / "methods.yaml"
        swapped = METHODS.replace("fine: {h: 0.001}, coarse: {h: 0.1}", "fine: {h: 0.1}, coarse: {h: 0.001}")
        for part, text, h, *more in (1, METHODS, 0.001), (2, swapped, 0.1, "-p", "initial_velocity=[0.2,0,0]"):
            path.write_text(text)
            self.call("run", path, "-f", f"h == {h}", "-o", f"part{part}", *more)
        self.call("merge", "out", "part1", "part2")
        with open(self.folder / "out/results.csv") as file:
            self.assertEqual({(row["method"], row["h"]) for row in csv.DictReader(file)}, {("fine", "0.001"), ("coarse", "0.1")})

    def by_method(self, out):
        """What the table has."""
        lines = self.call("table", out, "--format", "csv").stdout.splitlines()[1:]
        return {line.split(",")[0]: float(line.split(",")[1]) for line in lines}

    def test_a_file_that_has_changed_makes_other_cases(self):
        mesh = self.folder / "net.obj"
        mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n")
        out = self.sheets(("scene: cloth, grid: 2", "scene: mesh, mesh: net.obj"))
        self.are_own(out)
        mesh.write_text(mesh.read_text().replace("v 0 0 1", "v 0 0 2"))
        self.are_own(out, "mesh=net.obj of other content")
        self.call("report", out)
        note = "2 of 2 cases were computed with other contents of mesh=net.obj than it has now"
        self.assertIn(f"{note}; springbench run {out}/sweep.yaml -o {out} computes them again\n", self.call("status", out).stdout)
        self.assertIn(note, (out / "report.md").read_text())
        self.call("run", out / "sweep.yaml", "-o", out)
        self.are_own(out)
        self.assertNotIn(note, self.call("status", out).stdout + (out / "report.md").read_text())

    def finding(self, folder, verdict, *told, status=0):
        """What verify, its page and the page of the folder say of the finding."""
        self.call("verify", folder, status=status)
        page = (folder / "REPRODUCED.md").read_text()
        line = next(line for line in page.splitlines() if "`rope-explicit-growth`" in line)
        self.assertTrue(line.startswith(f"| **{verdict}** |"), line)
        self.call("report", folder, status=status if status == 9 else 0)
        for text in told:
            self.assertIn(text, line)
        for name in ("fails",) if status == 9 else ():
            for other in page, (folder / "index.md").read_text():
                self.assertIn(f"**✗ `{name}` cannot be read, so its answers are unknown:**", other)
            self.assertIn("cannot be read, so its answers are unknown:", (folder / "report.html").read_text())

    def test_some_of_the_sweeps_that_answer(self):
        """A finding is not reproduced by one of two sweeps, whatever became of the other's results."""
        data, folder = self.folder / "data", self.folder / "results"
        (data / "experiments").mkdir(parents=True)
        (data / "results").mkdir()
        for name in "plots", "results/published":
            (data / name).symlink_to(EXPERIMENTS.parent / name)
        os.environ["SPRINGBENCH_DATA"] = str(data)
        self.addCleanup(os.environ.pop, "SPRINGBENCH_DATA")
        for name, least in ("holds", "0"), ("fails", "1"):
            (self.folder / f"{name}.yaml").write_text(ANSWERS.replace("NAME", name).replace("LEAST", least))
        run = lambda name, out: self.call("run", self.folder / f"{name}.yaml", "-o", out)
        run("holds", folder / "holds")
        self.finding(folder, "✓ reproduced")
        for name in "holds", "fails":  # both come with springbench, and one has not run
            shutil.copy(self.folder / f"{name}.yaml", data / "experiments")
        self.finding(folder, "◐ reproduced in part", "not run here: fails")
        run("fails", folder / "fails")
        whole = "✗ NOT REPRODUCED"
        self.finding(folder, whole, status=3)
        plan, sweep = ((folder / "fails" / name).read_text() for name in ("plan.json", "sweep.yaml"))
        for name, text in (("plan.json", "{"), ("plan.json", None), ("sweep.yaml", None),
                           ("sweep.yaml", sweep.replace("trajectory", "nothing"))):
            path = folder / "fails" / name
            path.unlink() if text is None else path.write_text(text)
            self.finding(folder, "◐ reproduced in part", "cannot be read: fails", status=9)
            path.write_text(plan if name == "plan.json" else sweep)
        self.finding(folder, whole, status=3)
        # what cannot be read makes a contradiction no better
        (folder / "holds" / "plan.json").write_text("{")
        self.assertIn("holds cannot be read", self.call("verify", folder, status=3).stdout)
        shutil.rmtree(folder / "holds")
        run("holds", folder / "holds")
        # links are followed, and neither round in circles nor twice to one place
        (folder / "fails").rename(self.folder / "elsewhere")
        (folder / "fails").symlink_to("../elsewhere")
        self.finding(folder, whole, status=3)
        (folder / "fails").unlink()
        (folder / "deep").mkdir()
        (folder / "deep" / "fails").symlink_to(self.folder / "elsewhere")
        for name, to in (("deep/up", ".."), ("top", "../.."), ("twice", "holds")):
            (folder / name).symlink_to(to)
        said = self.call("verify", folder, status=3)
        self.assertEqual(said.stderr.count("[W121]"), 3, said.stderr)
        self.assertIn(f"{folder}/twice: warning: the same directory as {folder}/holds", said.stderr)
        self.assertIn("2 claims", said.stdout)
        (folder / "deep" / "fails").unlink()
        (folder / "fails").symlink_to("nowhere")
        self.finding(folder, "◐ reproduced in part", "cannot be read: fails", status=9)

    def test_what_has_no_memory_is_not_known(self):
        path = self.sweep("0.001")
        path.write_text(path.read_text().replace("accuracy", "trajectory").split("quick:")[0].replace(
            "oscillator, integrator: explicit_euler, duration: 20, initial_velocity: \"[0.1,0,0]\"",
            ", ".join(CLOTH).replace("scene=", "").replace("=", ": ")).replace(
            "h: [0.001]", "h: [0.001], grid: [4, 8, 200]") + "expect:\n"
            "  - {claim: few, test: max(grid) < 100 or max(steps_done) < 1, where: status == ok}\n"
            "  - {claim: they end ok, test: status == ok}\n")
        case = self.call("case", *CLOTH, "grid=200", "h=0.001", "memory_limit=1", "--json")
        self.call("run", path, "-m", memory_limit(case.stdout, 1 / 2), "-o", "out", env={**os.environ, **WATCHED})
        words, told, _ = self.verdicts("out")
        self.assertEqual(words, ["not tested"] * 2, told)
        self.assertRegex(told[0], "undecided: of its 3 cases 1 was skipped")
        self.call("run", path, "-m", "4G", "-o", "out", "--rerun", "failed")
        self.assertEqual(self.verdicts("out", status=3)[0], ["NOT REPRODUCED", "reproduced"])


if __name__ == "__main__":
    main(2)
