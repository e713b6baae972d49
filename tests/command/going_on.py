# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that messages print as the way to continue are typed, and work: after runs whose options chose the
cases, into directories of any name.

usage: going_on.py PROGRAM [TEST ...]"""
import csv
import json
import pathlib
import re
import shlex
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import HEAD, Program, main

SWEEP = HEAD + """  - grid: {integrator: [explicit_euler, symplectic_euler], substeps: [4, 9, 64]}
"""
ASKED = [["-p", "substeps=8,16,32", "-f", "substeps < 32", "--save", "every:2"], ["--quick", "-p", "drag=0.1,0.2,0.3"],
         ["--shard", "2/3"], ["-x", "integrator == explicit_euler"], ["-p", "stiffness=50", "-t", "100s", "-m", "4G", "-j", "1"]]
PASSING = {"wall_s", "max_rss_bytes"}


class GoingOn(Program):
    def setUp(self):
        super().setUp()
        self.sweep, self.out = self.folder / "small.yaml", self.folder / "it's here"
        self.sweep.write_text(SWEEP)

    def advice(self, word):
        said = self.call("status", self.out).stdout
        found = re.search(rf"^{word}: (springbench .*)$", said, re.M)
        self.assertTrue(found, said)
        return found.group(1)

    def outcome(self):
        """Rows, and what each file says of its options, which has the command line."""
        with open(self.out / "results.csv") as file:
            rows = [{name: text for name, text in row.items() if name not in PASSING} for row in csv.DictReader(file)]
        return [(row, json.loads(self.call("export", f"{self.out}/{row['key']}", "--to", "json").stdout)["parameters"])
                for row in rows]

    def cut_short(self):
        """As a kill leaves it that comes after the first case."""
        journal = self.out / "journal.jsonl"
        lines = journal.read_text().splitlines(keepends=True)
        first = next(i for i, line in enumerate(lines) if '"publish"' in line)
        journal.write_text("".join(lines[:first + 1]))
        kept = json.loads(lines[first])["key"]
        for path in (self.out / "cases").glob("*.h5"):
            if path.stem != kept:
                path.unlink()

    def test_what_status_says_runs_the_missing_cases_and_no_other(self):
        for options in ASKED:
            self.call("run", self.sweep, "-o", self.out, *options)
            whole, published = self.outcome(), len(self.events(self.out, "publish"))
            self.assertGreater(published, 1)
            self.cut_short()
            asked = self.events(self.out, "run")[0]
            self.shell(self.advice("continue"))
            self.assertEqual(self.outcome(), whole, options)
            self.assertEqual(len(self.events(self.out, "publish")), published)
            for name in ("quick", "repetitions", "time_limit", "memory_limit", "jobs", "warm_up"):
                self.assertEqual(self.events(self.out, "run")[1][name], asked[name], name)
            self.assertNotIn("continue", self.call("status", self.out).stdout)
            self.assertIn(" 0 to run", self.call("run", self.out, "-v").stderr)
            self.assertIn(f"0 to run, {published} done", self.call("plan", self.out).stdout)
            shutil.rmtree(self.out)

    def test_what_two_runs_asked_for_is_gone_on_with_together(self):
        self.call("run", self.sweep, "-o", self.out, "-p", "substeps+=8,16", "-f", "substeps in [8, 16]")
        self.cut_short()
        self.call("run", self.sweep, "-o", self.out, "-f", "substeps == 9", "--save", "every:2")
        self.shell(self.advice("continue"))
        said = self.call("status", self.out).stdout
        self.assertIn("6 cases (the whole sweep has 10)\n", said)
        self.assertNotIn("not run yet", said)

    def test_the_whole_sweep_is_asked_for_as_status_says(self):
        self.call("run", self.sweep, "-o", self.out, "-f", "substeps == 9")
        self.shell(self.advice("the whole sweep"))
        said = self.call("status", self.out).stdout
        self.assertIn("6 cases\n", said)
        self.assertNotIn("springbench run", said)

    def test_what_merge_says(self):
        self.call("run", self.sweep, "-o", "part", "-p", "substeps=8,16")
        self.out, target = self.folder / "part", self.out
        self.cut_short()
        self.out = target
        said = self.call("merge", self.out, "part", status=1).stderr
        self.shell(re.search(r"^springbench: (springbench run .*) runs the missing cases$", said, re.M).group(1))
        self.assertNotIn("not run yet", self.call("status", self.out).stdout)

    def test_another_sweep_of_the_name_is_refused(self):
        """The directory has where its sweep file is. Only an edit of that file, wherever it has gone, may leave its cases
        out."""
        first, other, home = self.folder / "a" / "s.yaml", self.folder / "b" / "t.yaml", self.folder / "home"
        for path, values in (first, "[4, 9]"), (other, "[4, 16]"):
            path.parent.mkdir()
            path.write_text(SWEEP.replace("[4, 9, 64]", values))
        home.mkdir()
        out = home / "results" / "small"

        def refused(*words, at=home, names=("a/s.yaml", "t.yaml")):
            before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
            said = self.call(*words, cwd=at, status=2).stderr
            self.assertIn("[E114]", said)
            for name in names:
                self.assertIn(name, said)
            self.assertEqual(before, {path: path.read_bytes() for path in out.rglob("*") if path.is_file()})

        refused("run", first, other)  # at once, before the first has run
        self.assertFalse(out.exists())
        self.call("run", "../a/s.yaml", cwd=home)
        refused("run", "../b/t.yaml")
        refused("run", other, "-o", out, "--dry-run")
        refused("run", other, "-o", "small", at=out.parent)
        refused("collect", other, out / "cases")
        link = self.folder / "link.yaml"
        link.symlink_to(first)
        first.write_text(first.read_text().replace("[4, 9]", "[4, 25]"))
        self.assertIn("2 earlier cases are left out", self.call("run", link, cwd=home).stderr)
        first.rename(self.folder / "a" / "moved.yaml")  # nothing is where the file was
        first = self.folder / "a" / "moved.yaml"
        first.write_text(first.read_text().replace("[4, 25]", "[4, 36]"))
        self.call("run", first, cwd=home)
        copy = self.folder / "copy"
        for name in "a", "b", "home":
            shutil.copytree(self.folder / name, copy / name)
        mine = copy / "a" / "moved.yaml"
        mine.write_text(mine.read_text().replace("[4, 36]", "[4, 49]"))
        self.call("run", mine, cwd=copy / "home")
        out = copy / "home" / "results" / "small"
        refused("run", "../b/t.yaml", at=copy / "home", names=("../a/moved.yaml", "../b/t.yaml"))
        refused("run", first, at=copy / "home", names=("../a/moved.yaml",))
        mine.write_text(mine.read_text().replace("name: small", "name: large"))
        self.call("run", "../b/t.yaml", cwd=copy / "home")  # nobody else has the name

    def test_an_edited_sweep_is_planned_again(self):
        self.call("run", self.sweep, "-o", self.out, "-f", "substeps == 9")
        (self.out / "sweep.yaml").write_text(SWEEP.replace("64", "65"))
        self.assertIn("sweep.yaml was changed: its current cases are used", self.call("run", self.out).stderr)
        self.assertIn("6 cases\n", self.call("status", self.out).stdout)

    def test_a_file_that_has_changed_since(self):
        text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
        mesh = self.folder / "three.obj"
        mesh.write_text(text)
        self.sweep.write_text(SWEEP.replace("scene: rope, nodes: 8", "scene: mesh, mesh: three.obj"))
        self.call("run", self.sweep, "-o", self.out, "-f", "substeps == 9")
        mesh.write_text(text.replace("v 1 0 0", "v 2 0 0"))
        said = self.call("run", self.out, status=2).stderr
        advice = r"as a file that it names has \(three.obj\); (springbench run .*) leaves the earlier cases out .*E114"
        self.assertRegex(said, advice)
        sweep_again = f"springbench run {shlex.quote(str(self.sweep))} -o {shlex.quote(str(self.out))}"
        for again in sweep_again, re.search(advice, said).group(1):
            before = self.rows()
            said = self.shell(again).stderr
            mesh.write_text(text.replace("v 1 0 0", "v 3 0 0"))
            self.assertRegex(said, r"a file that they name was changed: \d earlier cases? .*left out|sweep.yaml was changed")
            self.assertFalse({row["key"] for row in before} & {row["key"] for row in self.rows()})
            self.assertEqual(len(self.rows()), 6)

    def test_files_beside_the_sweep_file(self):
        """Found from wherever it is run, and again when the results are gone on with, also after they were moved."""
        aside = self.folder / "aside"
        aside.mkdir()
        (aside / "three.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        (self.folder / "three.obj").write_text("no mesh\n")  # the current folder comes second
        (aside / "m.yaml").write_text(SWEEP.replace("scene: rope, nodes: 8", "scene: mesh, mesh: three.obj"))
        self.call("check", "aside/m.yaml")
        self.call("run", "aside/m.yaml", "-o", self.out, "-f", "substeps == 9")
        keys = {row["key"] for row in self.rows()}
        told = self.shell(f"cd / && springbench status {shlex.quote(str(self.out))}").stdout
        self.assertIn("2 cases (the whole sweep has 6)\n", told)  # commands that read the results find the files too
        self.out = self.out.rename(self.folder / "moved")
        self.assertIn(" 0 to run", self.call("run", self.out, "-v").stderr)
        self.call("run", self.out, "--rerun", "all")
        self.assertEqual(keys, {row["key"] for row in self.rows()})
        shutil.move(aside / "three.obj", self.folder / "three.obj")
        self.assertIn(" 0 to run", self.call("run", self.out, "-v").stderr)

    def rows(self):
        with open(self.out / "results.csv") as file:
            return list(csv.DictReader(file))

    def test_methods_that_are_renamed(self):
        """The sweep file decides who is called what, whatever the cases were called when they ran."""
        methods = "methods: {few: {substeps: 4}, many: {substeps: 64}}\n"
        head = SWEEP.split("sweep:")[0]
        self.sweep.write_text(head + methods + "sweep:\n  - grid: {method: [few, many], seed: [1, 2]}\n")
        self.call("run", self.sweep, "-o", self.out)
        before = {row["key"]: row["method"] for row in self.rows()}
        swapped = {"few": "many", "many": "few"}
        self.sweep.write_text(head + methods.replace("4}", "x}").replace("6x}", "4}").replace("x}", "64}")
                              + "sweep:\n  - grid: {method: [few, many], seed: [1, 2, 3]}\n")
        self.call("run", self.sweep, "-o", self.out, "-f", "seed == 3")
        self.assertEqual(len(self.rows()), 6)
        for row in self.rows():
            self.assertEqual(row["method"], swapped.get(before.get(row["key"]), row["method"]))
        self.assertEqual([row["method"] for row in self.rows()].count("few"), 3)
        self.call("run", self.sweep, "-o", self.out)
        self.assertEqual([row["method"] for row in self.rows()], ["few"] * 3 + ["many"] * 3)


main()
