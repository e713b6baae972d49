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
        """Returns the numbers of the directory's table and figure."""
        return [(out / name).read_text() for name in ("tables/errors.csv", "figures/errors.dat")]

    def kept(self, out):
        """The files that a refused run must leave as they are."""
        return {path: path.read_bytes() for path in out.rglob("*") if path.is_file() and path.name != "made.json"}

    def test_other_values_are_another_request(self):
        """It has a directory of its own, so that the sweep's is neither changed nor refused. -o meets another request
        before anything runs."""
        path, out = self.sweep("0.001, 0.002"), self.folder / "results" / "steps"
        self.call("run", path)
        made, before = self.numbers(out), self.kept(out)
        said = self.call("run", path, "-p", "duration=1e1").stderr
        own = out.with_name("steps.duration-10")
        self.assertIn("steps: a request of its own (-p 'duration=10'): results/steps.duration-10", said)
        self.assertEqual(json.loads((own / "request.json").read_text())["set"], {"duration": ["10"]})
        self.assertIn("asked with -p 'duration=10'\n", self.call("status", own).stdout)
        self.assertIn("Asked with `-p 'duration=10'`.", (own / "report.md").read_text())
        self.assertEqual(before, self.kept(out))
        self.assertNotEqual(self.numbers(own), made)
        for words in ((path, "-o", own), (path, "-o", own, "-p", "duration=5"), (path, "-o", out, "-p", "duration=5")):
            for command in ("run",), ("run", "--dry-run"), ("plan", "--slurm", "2"), ("plan",):
                there = self.kept(self.folder)
                said = self.call(*command, *words, status=2).stderr
                self.assertRegex(said, r"its results are of another request \(duration(=10| of the file) there, duration"
                                       r"(=5| of the file) here\); leave -o out .* add --replace: .* \[E114\]")
                self.assertEqual(there, self.kept(self.folder))
        self.assertIn("E114", self.call("collect", path, "-o", out, "-p", "duration=10", own / "cases", status=2).stderr)
        self.call("run", path)  # neither this nor the next is refused, whatever was tried meanwhile
        self.call("run", path, "-p", "duration=10")
        self.assertNotIn("a request of its own", self.call("run", own).stderr)  # it is that of the directory
        self.assertEqual(before, self.kept(out))

    def test_a_directory_remembers_its_request(self):
        path, out = self.sweep("0.001, 0.002, 0.004"), self.folder / "out"
        self.call("run", path, "-o", out, "-p", "duration=10", "-f", "h < 0.003")
        self.call("run", out, "-p", "h+=0.005")  # additions go on in place
        rows = lambda: [line.split(",")[0] for line in self.numbers(out)[0].splitlines()[1:]]
        self.assertEqual(rows(), ["0.001", "0.002", "0.004", "0.005"])
        request = (out / "request.json").read_text()
        for again in (out,), (out / "sweep.yaml", "-o", out), (path, "-o", out, "-p", "duration=10"):
            self.assertIn("4 done, 0 skipped, 0 to run", self.call("run", *again, "-v").stderr)
            self.assertEqual((out / "request.json").read_text(), request)
        for name in "sweep.yaml", "./sweep.yaml":  # from inside the directory
            self.assertIn("4 done, 0 skipped, 0 to run", self.call("run", name, "-o", ".", "-v", cwd=out).stderr)
        self.call("run", path, "-o", out, "-p", "duration=10", "-p", "h+=0.002,0.01")
        self.assertEqual(json.loads((out / "request.json").read_text())["more"], {"h": ["0.002", "0.005", "0.01"]})
        self.assertEqual(rows(), ["0.001", "0.002", "0.004", "0.005", "0.01"])
        self.assertIn("has no axis 'nodes' to which values could be added; -p nodes=5 sets it",
                      self.call("run", out, "-p", "nodes+=5", status=2).stderr)
        text = (out / "request.json").read_text()
        for damage in text.replace('"10"', '"11"'), text[:40], "[]", "{}":
            (out / "request.json").write_text(damage)
            for command in ("run", out), ("run", path, "-o", out), ("verify", out), ("table", out), ("merge", "new", out):
                said = self.call(*command, status=2).stderr
                self.assertRegex(said, r"out/request.json: error: damaged: .* collect SWEEP -p … -o NEW .*E110")
            self.assertEqual((out / "request.json").read_text(), damage)
        (out / "request.json").unlink()
        (out / "request.json").symlink_to("request.json")  # there, but it cannot be read
        for command in ("run", out), ("run", path, "-o", out), ("verify", out):
            self.assertRegex(self.call(*command, status=2).stderr, r"out/request.json: error: cannot read: .*E100")

    def test_a_request_replaces_another(self):
        """Nothing is deleted: what the new request makes counts, the rest counts again when it is asked for."""
        path, out = self.sweep("0.001, 0.002"), self.folder / "out"
        self.call("run", path, "-o", out)
        made = self.numbers(out)
        said = self.call("run", path, "-o", out, "-p", "duration=10", "--replace").stderr
        self.assertIn("the request is another one: 2 earlier cases are left out (their files stay)", said)
        note = "2 results are not of its request and count nowhere"
        for text in said, self.call("status", out).stdout:
            self.assertIn(f"{note}; springbench forget {out} lists them\n", text)
        self.assertIn(f"{note}; `springbench forget` lists them.", (out / "report.md").read_text())
        self.assertNotIn(made[0].splitlines()[1], self.numbers(out)[0])
        self.assertEqual(len(list((out / "cases").glob("*.h5"))), 4)
        said = self.call("run", path, "-o", out, "--replace", "-v").stderr
        self.assertIn("2 done, 0 skipped, 0 to run", said)
        self.assertEqual(self.numbers(out), made)
        self.assertFalse((out / "request.json").exists())
        self.call("run", out, "-p", "duration=10", "--replace")
        self.assertIn("duration", (out / "request.json").read_text())
        self.call("run", out, "-p", "duration=20", "--replace")  # in place of the other value
        self.assertEqual(json.loads((out / "request.json").read_text())["set"], {"duration": ["20"]})

    def test_a_page_has_the_request_even_if_no_row_changes(self):
        path, out = self.sweep("0.001, 0.002"), self.folder / "out"
        self.call("run", path, "-o", out)
        self.call("run", path, "-o", out, "-p", "h=0.001,0.002", "--replace")
        self.assertIn("Asked with `-p 'h=0.001,0.002'`.", (out / "report.md").read_text())

    def test_a_part_of_a_directory_is_asked_for_anew(self):
        """By --shard, --save or --method: of all cases of the request, not of those that were asked for so far."""
        path, out = self.folder / "methods.yaml", self.folder / "out"
        path.write_text(METHODS)
        self.call("run", path, "-o", out, "-f", "method == fine")
        self.assertIn("methods: 1 cases into", self.call("plan", out).stdout)
        for words, cases, to_run in ((("--shard", "1/2"), 2, None), (("--save", "every:2"), 2, 2),
                                     (("--method", "mine: {h: 0.05}"), 3, 2)):
            said = self.call("plan", out, *words).stdout
            self.assertIn(f"methods: {cases} cases into", said)
            if to_run is not None:
                self.assertIn(f"\n{to_run} to run", said)

    def test_additions_to_an_axis_that_the_file_no_longer_has(self):
        """They are left out, as are other cases that an edited file does not make; --replace is not needed."""
        path, out = self.folder / "sheets.yaml", self.folder / "out"
        path.write_text(SHEETS.replace("{stiffness: [100, 200]}", "{stiffness: [100, 200], h: [0.01, 0.005]}"))
        self.call("run", path, "-o", out, "-p", "stiffness+=300", "-p", "h+=0.002")
        path.write_text(SHEETS.replace("{stiffness: [100, 200]}", "{h: [0.01, 0.005]}"))
        said = self.call("run", path, "-o", out).stderr
        self.assertIn("the sweep file has no axis 'stiffness' any more: what was added to it is left out", said)
        self.assertIn("the sweep file was changed: 9 earlier cases are left out (their files stay)", said)
        self.assertEqual(json.loads((out / "request.json").read_text())["more"], {"h": ["0.002"]})
        self.assertIn("sheets: 3 cases: 3 ok", said)

    def test_a_request_is_stored_before_the_plan(self):
        """So that readers leave out what it does not make, if the run ends in between; and what it adds is kept."""
        path, out = self.sweep("0.001, 0.002"), self.folder / "out"
        self.call("run", path, "-o", out)
        plan = (out / "plan.json").read_bytes()
        self.call("run", path, "-o", out, "-p", "duration=10", "-p", "h+=0.004", "--replace")
        request = (out / "request.json").read_bytes()
        (out / "plan.json").write_bytes(plan)  # as a kill leaves it
        self.assertIn("not of its request", self.call("status", out).stdout)
        (out / "plan.json").unlink()
        self.assertIn("E114", self.call("run", path, "-o", out, status=2).stderr)
        self.call("run", path, "-o", out, "-p", "duration=10")
        self.assertEqual((out / "request.json").read_bytes(), request)

    def test_shards_of_a_request_are_merged(self):
        path, parts, both = self.sweep("0.001, 0.002"), ("part1", "part2"), self.folder / "both"
        for number, part in enumerate(parts, 1):
            self.call("run", path, "-p", "duration=10,20", "--shard", f"{number}/2", "-o", part)
        self.call("run", path, "-o", "plain")
        said = self.call("merge", both, "part1", "plain", status=2).stderr
        self.assertRegex(said, r"plain: error: its results are of another request \(duration of the file there, "
                               r"duration=10,20 here\); .*E114")
        self.assertFalse((both / "plan.json").exists())
        self.call("merge", both, *parts)
        self.assertEqual([line.split(",")[:2] for line in self.numbers(both)[0].splitlines()[1:]],
                         [[d, h] for d in ("10", "20") for h in ("0.001", "0.002")])
        self.assertIn("E114", self.call("merge", both, "plain", status=2).stderr)
        self.call("run", path, "-o", "more", "-p", "h+=0.004")
        self.call("merge", "plain", "more")  # additions are joined
        self.assertEqual(len(self.numbers(self.folder / "plain")[0].splitlines()), 4)
        self.call("run", path, "-o", "third")
        self.call("merge", "more", "third")  # those of OUT stay
        self.assertEqual(json.loads((self.folder / "more/request.json").read_text())["more"], {"h": ["0.004"]})
        self.assertEqual(len(self.numbers(self.folder / "more")[0].splitlines()), 4)
        self.call("collect", path, "-p", "duration=10,20", "-o", "taken", both / "cases")
        self.assertEqual(self.numbers(self.folder / "taken"), self.numbers(both))

    def test_another_problem_is_a_row_of_an_axis_of_problems(self):
        """The options that its name stands for have values that no other problem has."""
        path, out = self.folder / "problems.yaml", self.folder / "out"
        path.write_text("springbench: 1\nname: problems\nquestion: Which?\ndriver: trajectory\ntimed: false\n"
                        "sweep: [{grid: {problem: [easy_rope_16_2]}}]\n"
                        "tables: [{id: t, rows: problem, columns: [{label: k, value: kinetic_max}]}]\n")
        self.call("run", path, "-o", out)
        self.call("run", path, "-o", out, "-p", "problem+=easy_rope_16_8")
        rows = [line.split(",")[0] for line in (out / "tables/t.csv").read_text().splitlines()]
        self.assertEqual(rows, ["problem", "easy_rope_16_2", "easy_rope_16_8"])

    def test_results_of_another_request_are_forgotten(self):
        path, out = self.sweep("0.001, 0.002"), self.folder / "results" / "steps"
        self.call("run", path)

        def pages():
            """But for when it was run last."""
            return [re.sub(r"\*(last )?run:\*.*", "", (out / name).read_text())
                    for name in ("results.csv", "report.md", "plan.json")]

        before = pages()
        self.assertIn("all of its results are of its request", self.call("forget", out, status=7).stderr)
        self.call("run", path, "-o", out, "-p", "duration=10", "--replace")
        self.call("run", path, "-o", out, "--replace")
        self.assertIn("2 cases\n", self.call("status", out).stdout)
        shown = self.call("forget", out)
        self.assertEqual(shown.stdout.count("duration=10"), 2)
        self.assertIn("2 of 4 cases would be dropped; nothing was changed; --yes drops them", shown.stderr)
        logs = lambda: {path.stem for path in (out / "logs").glob("*.txt")}
        self.assertEqual(len(logs()), 4)
        self.assertEqual(self.call("forget", out, "--yes").stdout, shown.stdout)
        self.assertEqual(pages(), before)
        self.assertEqual(len(list((out / "cases").glob("*.h5"))), 2)
        self.assertEqual(logs(), {path.stem for path in (out / "cases").glob("*.h5")})
        # By an expression on results; the sweep's own are run again.
        said = self.call("forget", out, "-f", "error_position > 0 and h == 0.002", "--yes")
        self.assertEqual(said.stdout.count("\n"), 1)
        self.assertIn("1 of 2 cases are forgotten", said.stderr)
        self.assertIn("1 case (the whole sweep has 2)", self.call("status", out).stdout)
        self.assertIn("1 done, 0 skipped, 1 to run", self.call("run", path, "--progress", "lines").stderr)
        for wrong, status, says in ((("-f", "h == 7"), 7, "no case matches"), (("-f", "hh == 7"), 2, "unknown column 'hh'"),
                                    (("-f", "h =="), 2, "expected a value"), (("more",), 2, "one directory at a time")):
            self.assertIn(says, self.call("forget", out, *wrong, status=status).stderr)
        self.assertIn("sweep.yaml", self.call("forget", self.folder, status=2).stderr)

    def test_results_of_earlier_versions(self):
        """They had cases of -p in the plan: these are set aside, and collected into a directory of their own."""
        path, out, other = self.sweep("0.001, 0.002"), self.folder / "out", self.folder / "other"
        self.call("run", path, "-o", out)
        made = self.numbers(out)
        self.call("run", path, "-o", other, "-p", "duration=10")
        plan, more = (json.loads((folder / "plan.json").read_text()) for folder in (out, other))
        plan["cases"] += more["cases"]
        del plan["check"]
        (out / "plan.json").write_text(json.dumps(plan))
        with open(out / "journal.jsonl", "a") as journal:
            lines = (other / "journal.jsonl").read_text().splitlines(keepends=True)
            journal.writelines(line for line in lines if '"publish"' in line)
        for file in (other / "cases").glob("*.h5"):
            shutil.copy(file, out / "cases")
        self.assertIn("2 results are not of its request", self.call("status", out).stdout)
        self.assertEqual(self.call("table", out, "errors", "--format", "csv").stdout, made[0])
        said = self.call("run", out).stderr
        self.assertIn("the request does not make all of the stored cases: 2 earlier cases are left out", said)
        self.assertEqual(self.numbers(out), made)
        self.call("collect", path, "-p", "duration=10", "-o", "moved", out / "cases", status=2)  # two are not asked for
        self.assertEqual(self.numbers(self.folder / "moved"), self.numbers(other))

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
        words, told, _ = self.verdicts("part2", status=3)  # these cases are enough for a verdict
        self.assertEqual(words[0], "NOT REPRODUCED")
        self.assertTrue(told[0].endswith("or more; judged on 2 of 4 cases"), told[0])
        self.call("merge", "both", "part1", "part2")
        words, told, last = self.verdicts("both", status=3)
        self.assertEqual(words, ["NOT REPRODUCED", "reproduced", "reproduced", "NOT REPRODUCED", "reproduced"])
        self.assertTrue(all(text.endswith("judged on 4 of 4 cases") for text in (told[0], told[3])), told)
        self.assertTrue(all(text.endswith("rests on 4 of 4 cases") for text in told[1:3]), told)
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
        """Cases that diverged drop out of no maximum, mean or slope, unless the claim names the status."""
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

    def shipped(self, **texts):
        """These sweeps come with springbench."""
        data = self.folder / "data"
        (data / "experiments").mkdir(parents=True, exist_ok=True)
        (data / "results").mkdir(exist_ok=True)
        for name in "plots", "results/published":
            if not (data / name).exists():
                (data / name).symlink_to(EXPERIMENTS.parent / name)
        for name, text in texts.items():
            (data / "experiments" / f"{name}.yaml").write_text(text)
        os.environ["SPRINGBENCH_DATA"] = str(data)
        self.addCleanup(os.environ.pop, "SPRINGBENCH_DATA", None)

    def test_a_finding_is_judged_by_keys(self):
        """By the claims of the shipped sweep, over the results that have its cases: neither another setting nor an edited
        file nor another name answers, and additions change nothing."""
        self.shipped(sheets=SHEETS)
        path, folder = self.folder / "sheets.yaml", self.folder / "results"
        path.write_text(SHEETS)
        fresh = lambda: shutil.rmtree(folder, ignore_errors=True)
        self.call("run", path, "-p", "vertex_mass=0.01")
        self.finding(folder, "– not tested", "none of its 2 cases is here")
        self.assertNotIn("rope-explicit-growth", self.call("verify", folder / "sheets.vertex_mass-0.01").stdout)
        self.call("run", path)
        self.finding(folder, "✓ reproduced", "rests on 2 of 2 cases")
        fresh()
        path.write_text(SHEETS.replace("kinetic_max > 0}", "kinetic_max > 1}"))  # words and claims do not matter
        self.call("run", path, "-p", "stiffness+=1e9", "-p", "stiffness+=300")
        self.finding(folder, "✓ reproduced", "rests on 2 of 2 cases", status=3)  # our own claim fails
        fresh()
        path.write_text(SHEETS.replace("h: 0.01", "h: 0.005"))
        self.call("run", path)
        self.finding(folder, "– not tested", "none of its 2 cases is here")
        fresh()
        edited = SHEETS.replace("h: 0.01", "h: 0.005").replace("growth, test: kinetic_max > 0", "growth, test: kinetic_max > 1")
        path.write_text(edited)
        self.call("run", path)  # the edited file's claim on the finding is its own
        self.finding(folder, "– not tested", "none of its 2 cases is here", status=3)
        fresh()
        path.write_text(SHEETS.replace("[100, 200]", "[200, 400]"))
        self.call("run", path)
        self.finding(folder, "– not tested", "holds so far, in 1 of its 2 cases; 1 is not here")
        fresh()
        self.call("new", "copy", "--from", path)
        self.assertNotIn("finding:", (self.folder / "copy.yaml").read_text())
        path.write_text(SHEETS.replace("name: sheets", "name: others"))
        self.call("run", path)
        self.finding(folder, "– not tested", "not run here: sheets")

    def test_quick_parts_of_two_directories(self):
        """As much of one is no reason to leave out the other, nor is more of another request."""
        quick = SHEETS + "quick: {stiffness: [100]}\n"
        self.shipped(sheets=quick)
        path, folder = self.folder / "sheets.yaml", self.folder / "results"
        path.write_text(quick)
        for name in "a", "b":
            self.call("run", path, "--quick", "-o", folder / name)
        self.finding(folder, "– not tested", "holds so far, in 1 of its 2 cases; 1 is not here")
        shutil.rmtree(folder)
        path.write_text(quick.replace("our own, test: kinetic_max > 0", "our own, test: kinetic_max > 1"))
        self.call("run", path, "--quick", "-p", "stiffness=100", "-o", folder / "part")
        self.assertEqual(self.call("verify", folder, status=3).stdout.count("NOT REPRODUCED  our own"), 1)
        path.write_text(quick)
        self.call("run", path, "-o", folder / "whole")
        self.assertEqual(self.call("verify", folder, status=3).stdout.count("NOT REPRODUCED  our own"), 1)

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
        self.assertIn("undecided: of its 2 cases 1 is not here", told[0])
        self.assertEqual(self.by_method(out), {"fine": before["fine"]})

    def test_merged_rows_have_the_names_of_the_first_sweep(self):
        path = self.folder / "methods.yaml"
        swapped = METHODS.replace("fine: {h: 0.001}, coarse: {h: 0.1}", "fine: {h: 0.1}, coarse: {h: 0.001}")
        for part, text, h in (1, METHODS, 0.001), (2, swapped, 0.1):
            path.write_text(text)
            self.call("run", path, "-f", f"h == {h}", "-o", f"part{part}")
        self.call("merge", "out", "part1", "part2")
        with open(self.folder / "out/results.csv") as file:
            self.assertEqual({(row["method"], row["h"]) for row in csv.DictReader(file)}, {("fine", "0.001"), ("coarse", "0.1")})

    def test_merged_results_are_those_that_the_first_sweep_makes(self):
        for name, steps in ("one", "0.001, 0.002"), ("two", "0.001, 0.002, 0.004"):
            self.call("run", self.sweep(steps), "-o", name)
        said = self.call("merge", "out", "one", "two").stderr
        self.assertIn("the sweep files of one and two differ; the first is kept", said)
        self.assertIn("2 cases in out: 2 taken", said)
        self.assertNotIn("not of its request", self.call("status", "out").stdout)
        self.assertEqual(len(list((self.folder / "out/cases").glob("*.h5"))), 2)

    def by_method(self, out):
        """Returns the numbers of the table, by method."""
        lines = self.call("table", out, "--format", "csv").stdout.splitlines()[1:]
        return {line.split(",")[0]: float(line.split(",")[1]) for line in lines}

    def test_a_file_that_has_changed_makes_other_cases(self):
        mesh = self.folder / "net.obj"
        mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n")
        out = self.sheets(("scene: cloth, grid: 2", "scene: mesh, mesh: net.obj"))
        self.assertEqual(self.verdicts(out)[0], ["reproduced"] * 2)
        mesh.write_text(mesh.read_text().replace("v 0 0 1", "v 0 0 2"))
        words, told, _ = self.verdicts(out)
        self.assertEqual((words, told[1]), (["not tested"] * 2, "our own [exact]: none of its 2 cases is here"))
        self.call("report", out)
        note = "2 of 2 cases were computed with other contents of mesh=net.obj than it has now"
        self.assertIn(f"{note}; springbench run {out}/sweep.yaml -o {out} computes them again\n", self.call("status", out).stdout)
        self.assertIn(note, (out / "report.md").read_text())
        self.call("run", out / "sweep.yaml", "-o", out)
        self.assertEqual(self.verdicts(out)[0], ["reproduced"] * 2)
        self.assertNotIn(note, self.call("status", out).stdout + (out / "report.md").read_text())

    def finding(self, folder, verdict, *told, status=0):
        """Checks the finding's verdict in verify, its page and the page of the folder."""
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
        self.shipped()
        for name, least in ("holds", "0"), ("fails", "1"):
            (self.folder / f"{name}.yaml").write_text(ANSWERS.replace("NAME", name).replace("LEAST", least))
        run = lambda name, out: self.call("run", self.folder / f"{name}.yaml", "-o", out)
        run("holds", folder / "holds")
        self.finding(folder, "– not tested", "no sweep with a claim on it has run")
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
        # a directory that cannot be read makes a contradiction no better
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
