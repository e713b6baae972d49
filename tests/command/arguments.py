# SPDX-License-Identifier: GPL-3.0-or-later
"""Every argument of run, plan, plot, table, verify and export: what is wrong is refused with status 2 and says
what would be right, and writes nothing; what is right does it. One sweep of four cases serves all.

usage: arguments.py PROGRAM
"""
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import termios
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import HEAD, PROGRAM, Program, main

SWEEP = HEAD + """  - grid: {integrator: [explicit_euler, symplectic_euler], substeps: [4, 64]}
tables: [{id: times, title: Times, rows: substeps, columns: integrator, cell: blowup_time},
         {id: states, title: States, rows: substeps, columns: integrator, cell: status}]
figures: [{id: survival, title: Survival, kind: curves, x: substeps, y: blowup_time, logarithmic: xy,
           series: integrator, failed: status == timeout, above: {where: status == ok, label: survived}}]
expect:
  - {claim: symplectic Euler stands 64, test: "status[substeps=64] == ok", where: integrator == symplectic_euler}
  - {claim: all of it diverges, test: status == diverged}
"""
# Arguments of `run` behind the sweep, and a part of the answer.
REFUSED_BY_RUN = [
    (["--ranks", "0"], "--ranks takes a whole number from 1 to 4096; got '0'"),
    (["--jobs", "many"], "--jobs takes a whole number from 1 to 4096; got 'many'"),
    (["--repetitions", "0"], "--repetitions takes a whole number from 1 to 1000"),
    (["--warm-up", "-1"], "--warm-up takes a whole number from 0"),
    (["--order-seed", "1e3"], "--order-seed takes a whole number"),
    (["--time-limit", "5 parsecs"], "--time-limit takes a time such as 90s, 1m30s, 2h; got '5 parsecs'"),
    (["--memory-limit", "4X"], "--memory-limit takes bytes such as 512M, 4G, 4GiB, from 1 to 1e18; got '4X'"),
    (["-m", "1e30GiB"], "--memory-limit takes bytes such as 512M, 4G, 4GiB, from 1 to 1e18; got '1e30GiB'"),
    (["-m", "0.1"], "--memory-limit takes bytes such as 512M, 4G, 4GiB, from 1 to 1e18; got '0.1'"),
    (["--rerun", "some"], "--rerun takes failed, stale, noisy or all; got 'some'"),
    (["--shard", "3/2"], "--shard takes I/N with 1 <= I <= N; got '3/2'"),
    (["--shard", "1/2x"], "--shard takes I/N"),
    (["--progress", "song"], "--progress takes auto, bar, lines, failures or none; got 'song'"),
    (["-p", "substeps"], "substeps"),
    (["-p", "driver=timing"], "the driver of a sweep cannot be overridden"),
    (["--filter", "substeps >"], "in the expression 'substeps >': expected a value"),
    (["another.yaml"], "another.yaml: error: cannot read"),
    (["--no-such"], "unrecognized option"),
] + [(["-p", "seed=1"] * 300, "-p options")]
# Cases that run on one rank only, and the reason that `case` gives on two.
ONE_RANK_ONLY = [
    ("scene=cloth grid=4 air_resistance=1.2", "air_resistance runs on one rank only; got ranks 2"),
    ("scene=cloth grid=4 self_contact=vertices thickness=0.02", "self_contact runs on one rank only; got ranks 2"),
    ("scene=column spacing=0.1 integrator=isph driver=flow", "scenes of particles run on one rank only; got ranks 2"),
    ("scene=column spacing=0.1 integrator=symplectic_euler sound_speed=20 driver=flow",
     "scenes of particles run on one rank only; got ranks 2"),
]


class Arguments(Program):
    shares_folder = True

    @classmethod
    def prepare(cls):
        cls.sweep, cls.out = cls.folder / "small.yaml", cls.folder / "results" / "small"
        cls.sweep.write_text(SWEEP)
        cls.made = cls.call("run", cls.sweep, "-o", cls.out, "--progress", "bar", "-j", "2", "-t", "1h", "-m", "2G",
                            "-w", "0", "-r", "auto", "--order-seed", "3")

    def test_a_case_of_one_rank_is_refused_on_two(self):
        for pairs, reason in ONE_RANK_ONLY:
            said = self.call("case", *pairs.split(), "ranks=2", status=2).stderr
            self.assertRegex(said, r"(?m)^command line:\d+: error: .*" + re.escape(reason) + r" \[E106\]$")

    def test_words_that_are_no_pair(self):
        for words, reason in ((["scene=rope", "output=a.h5"], "2: error: there is no option 'output'; -o FILE stores"),
                              (["scene=rope", "h=1", "ms"], "3: error: expected OPTION=VALUE; got 'ms'; a value with a blank "
                                                            "needs quotes: 'h=1 ms'"),
                              (["ms"], "1: error: expected OPTION=VALUE; got 'ms' [E101]")):
            self.assertIn(f"command line:{reason}", self.call("case", *words, status=2).stderr)
        case = sorted((self.out / "cases").glob("*.h5"))[0]
        self.assertIn(f"{case}: error: it is a file, not a results directory; `springbench show`",
                      self.call("verify", case, status=2).stderr)

    def test_the_bar_tells_how_far_it_is(self):
        self.assertIn("\033[K0/4: ", self.made.stderr)
        self.assertIn("substeps=64", self.made.stderr)

    def test_run_refuses(self):
        for arguments, answer in REFUSED_BY_RUN:
            with self.subTest(arguments[:2]):
                done = self.call("run", self.sweep, "-o", self.folder / "refused", *arguments, status=2)
                self.assertIn(answer, done.stderr)
                self.assertFalse((self.folder / "refused").exists())
        self.assertIn("is needed", self.call("run", status=2).stderr)

    def test_plan_tells_what_is_done(self):
        done = self.call("plan", self.sweep, "-o", self.out).stdout
        self.assertIn("0 to run, 4 done, 0 skipped", done)
        done = self.call("plan", self.sweep, "--shard", "1/2", "-p", "substeps=9").stdout
        self.assertIn("shard 1/2", done)
        self.assertIn("1 to run, 0 done", done)
        self.assertIn("no case", self.call("plan", self.sweep, "--filter", "substeps == 5", status=7).stderr)
        done = self.call("plan", self.sweep, "-p", "substeps=5,6,7", "-x", "substeps == 6").stdout
        self.assertEqual(done.count("missing"), 4)
        done = self.call("plan", self.sweep, "-o", self.out, "--rerun", "all").stdout
        self.assertEqual(done.count("  again "), 4)
        self.assertIn("4 to run, 0 done", done)
        done = self.call("plan", self.sweep, "-o", self.out, "--save", "every:1").stdout
        self.assertIn("4 to run, 0 done", done)  # as run does: the stored files have fewer frames
        for what in ("noisy", "failed", "stale"):
            self.assertIn("0 to run, 4 done", self.call("plan", self.out, "--rerun", what).stdout)

    def test_table(self):
        texts = {name: self.call("table", self.out, "times", "--format", name).stdout
                 for name in ("text", "md", "csv", "tex")}
        self.assertEqual(len(set(texts.values())), 4)
        self.assertIn("States", self.call("table", self.out).stdout)
        self.assertEqual(self.call("table", self.out, "times", "--format=csv").stdout, texts["csv"])
        self.assertIn("--format takes text, md, csv or tex; got 'xls'", self.call("table", self.out, "--format", "xls", status=2).stderr)
        self.assertIn("no table 'time'; there are: times states",
                      self.call("table", self.out, "time", status=2).stderr)
        self.call("table", self.folder / "absent", status=2)

    def test_plot(self):
        self.assertIn("survival.svg", self.call("plot", self.out, "survival", "--term=svg").stdout)
        self.assertIn("survival-latex.tex", self.call("plot", self.out, "survival", "--term", "tex").stdout)
        self.call("plot", self.out, "--term", "dumb")
        self.assertIn("--term takes svg, pdf, png, tex or dumb; got 'gif'", self.call("plot", self.out, "--term", "gif", status=2).stderr)
        shutil.copytree(self.out, self.folder / "two figures")
        sweep = self.folder / "two figures/sweep.yaml"
        sweep.write_text(sweep.read_text().replace("figures: [{", "figures: [{id: none, title: None, kind: curves, x: substeps, "
                                                   "y: blowup_time, where: substeps > 99}, {"))
        drawn = self.call("plot", self.folder / "two figures")
        self.assertIn("figure 'none' is left out", drawn.stderr)
        self.assertIn("survival.{svg,pdf,png}", drawn.stdout)
        self.assertIn("no figure 'f'; there are: survival", self.call("plot", self.out, "f", status=2).stderr)
        self.call("plot", self.folder / "absent", status=2)

    def test_findings_that_cannot_be_read(self):
        """A claim about a finding that nobody can look up is refused before anything is computed."""
        wondering, data = self.folder / "wondering.yaml", self.folder / "without_findings"
        wondering.write_text(SWEEP.replace("expect:\n", "expect:\n  - {claim: a, test: h > 0, finding: x}\n"))
        (data / "results/published").mkdir(parents=True)
        shutil.copytree(pathlib.Path(__file__).parents[2] / "plots", data / "plots")
        with unittest.mock.patch.dict("os.environ", SPRINGBENCH_DATA=str(data)):
            said = self.call("check", wondering, status=2).stderr
        self.assertRegex(said, r"\.yaml:\d+:\d+: error: cannot look up findings: .*findings.csv.*No such file.* \[E100\]")

    def test_a_sweep_by_its_name(self):
        for command in ("check", "plan"):
            self.assertIn("rope_blowup", self.call(command, "rope_blowup").stdout)
        self.assertRegex(self.call("plan", "rope_blowup").stdout, r"126 to run, .* typically \d+ s on two quiet cores")
        for word, meant in (("rope_blowp", "rope_blowup"), ("rope", "ropes"), ("rope_blowup.yaml", "rope_blowup")):
            said = self.call("run", word, status=2).stderr
            self.assertIn(f"{word}: error: cannot read: No such file or directory; did you mean '{meant}'?", said)
            self.assertEqual("`springbench list sweeps` lists those" in said, "." not in word)
        self.assertNotIn("did you mean", self.call("check", "no/rope_blowup", "entirely_else", status=2).stderr)
        (self.folder / "wind").write_text(SWEEP.replace("name: small", "name: mine"))  # a file comes first
        self.assertIn("4 cases into results/mine", self.call("plan", "wind").stdout)

    def test_a_new_sweep_runs_unchanged(self):
        """It has a table, a figure and claims that hold, and replaces nothing."""
        made = self.call("new", "mine/deeper", status=5).stderr
        self.assertIn("cannot write mine/deeper.yaml: No such file or directory", made)
        self.assertEqual(self.call("new", "of_mine.yaml").stdout, "of_mine.yaml\n")
        written = self.folder / "of_mine.yaml"
        self.assertIn("of_mine.yaml: 12 cases, 1 table, 1 figure, 0 animations, 2 claims", self.call("check", written).stdout)
        self.call("run", "of_mine.yaml", "--quick", "-o", "quick")
        self.assertEqual(len(re.findall("^reproduced", self.call("verify", "quick").stdout, re.M)), 2)
        self.assertRegex((self.folder / "quick/tables/energy.md").read_text(), r"velocity Verlet")
        self.assertIn("<svg", (self.folder / "quick/figures/energy.svg").read_text())
        written.write_text("of mine")
        self.assertIn("of_mine.yaml: error: the file exists and is left unchanged", self.call("new", "of_mine", status=2).stderr)
        self.assertEqual(written.read_text(), "of mine")
        for name, said in (("a b", "a sweep's name has letters"), ("rope_blowup", "comes with springbench"), ("ropes", "a topic")):
            self.assertIn(said, self.call("new", name, status=2).stderr)
            self.assertFalse((self.folder / f"{name}.yaml").exists())

    def test_first_command(self):
        """run_all.sh hands words and options to the program, in a tree that is built and has all packages."""
        tree, tools = self.folder / "tree", self.folder / "tools"
        (tree / "build/release/springbench").mkdir(parents=True)
        (tree / "build/release/springbench/springbench").symlink_to(PROGRAM)
        (tree / "build/release/build.ninja").touch()
        tools.mkdir()
        for name, said in (("cmake", ""), ("dpkg-query", "install ok installed")):
            (tools / name).write_text(f"#!/bin/sh\necho '{said}'\n")
            (tools / name).chmod(0o755)
        for name in ("run_all.sh", "packages.txt"):
            shutil.copy(pathlib.Path(__file__).parents[2] / name, tree)

        def first_command(*words):
            return subprocess.run([tree / "run_all.sh", *words], capture_output=True, text=True, cwd=self.folder, check=False,
                                  env={**os.environ, "PATH": f"{tools}:/usr/bin:/bin"})

        for words, said in ((["fluid"], "did you mean 'fluids'?"), (["ropes", "rope_blowp"], "did you mean 'rope_blowup'?"),
                            (["xyzzy"], "xyzzy: error: cannot read"), (["--quik"], "unrecognized option '--quik'"),
                            (["-j"], "option requires an argument -- 'j'"), (["test", "--quick"], "'test' takes nothing beside it")):
            done = first_command(*words)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(said, done.stderr)
        for word in ("--help", "-h"):
            done = first_command("ropes", word)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("./run_all.sh --quick", done.stdout)
        program = tree / "build/release/springbench/springbench"
        program.unlink()
        program.write_text("#!/bin/sh\necho \"$@\"\n")
        program.chmod(0o755)
        for words, default in (([], "core"), (["-v", "ropes"], "core"), (["-v", "--quick"], "tour"), (["--quick", "all"], "tour")):
            self.assertIn(" ".join(["run --default", default, *words]) + "\n", first_command(*words).stdout)
        self.first_command_installs(tree, tools, first_command)
        cache = tree / "build/release/CMakeCache.txt"
        for home, made_anew in ((tree, False), ("/elsewhere", True)):
            cache.write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={home}\n")
            self.assertEqual("was made in /elsewhere; making it anew" in first_command("ropes").stdout, made_anew)
            self.assertEqual(program.exists(), not made_anew)
        for words in ("--default rope_blowup", "rope_blowup --default all"):
            done = self.call("run", *words.split(), "--dry-run", "-f", "0 == 1", status=7)
            self.assertIn("no case of rope_blowup matches", done.stderr)

    def first_command_installs(self, tree, tools, first_command):
        """It says how much it installs; without a network it says one sentence, and of a failure what apt-get said. A
        user is given a line for root, which installs and does nothing else."""
        apt = """case "$*" in
            *update) cat archive ;;
            *--assume-no*) cat need; exit 1 ;;
            *) echo Setting up gcc; exit "$(cat ends)" ;;
            esac"""
        need = ("0 upgraded, 337 newly installed, 0 to remove.\nNeed to get 338 MB of archives.\n"
                "After this operation, 1,402 MB of additional disk space will be used.\n")
        for name, text in (("apt-get", apt), ("dpkg-query", ":"), ("id", "echo 1000")):
            (tools / name).write_text(f"#!/bin/sh\n{text}\n")
            (tools / name).chmod(0o755)
        done = first_command("ropes")
        self.assertEqual((done.returncode, done.stderr.splitlines()[1:]), (2, [f"  sudo {tree}/run_all.sh packages run"]))
        (tools / "id").write_text("#!/bin/sh\necho 0\n")
        for name, text in (("need", need), ("archive", "Err:1 http://there\n"), ("ends", "0")):
            (tree / name).write_text(text)
        done = first_command("ropes")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done)
        self.assertIn("no package archive answers", done.stderr)
        (tree / "archive").write_text("Err:1 http://there\nHit:2 http://elsewhere\n")
        done = first_command("ropes")
        self.assertIn("== Installing 337 packages, 338 MB to download, 1,402 MB on disk\n", done.stdout)
        self.assertIn("run --default core ropes\n", done.stdout)
        self.assertEqual("Setting up gcc\n", (tree / "build/packages.log").read_text())
        self.assertNotIn("run --default", first_command("packages", "run").stdout)
        (tree / "ends").write_text("100")
        done = first_command("ropes")
        self.assertEqual(1, done.returncode)
        self.assertIn("Setting up gcc\nrun_all.sh: ", done.stderr)
        (tools / "dpkg-query").write_text("#!/bin/sh\necho 'install ok installed'\n")

    def test_a_figure_that_needs_the_whole_sweep(self):
        """For a part of the sweep it is left out and nothing fails; for the whole sweep it is a failure."""
        data, source = self.folder / "data", pathlib.Path(__file__).parents[2]
        for folder in ("plots", "results/published"):
            shutil.copytree(source / folder, data / folder)
        with open(data / "plots/style.gp", "a") as style:
            style.write("set output id.'.svg'\nplot [0:1] x\nexit error 'no data'\n")
        out = self.folder / "results" / "part"
        with unittest.mock.patch.dict("os.environ", SPRINGBENCH_DATA=str(data)):
            done = self.call("run", self.sweep, "-o", out, "-f", "substeps == 4")
            self.assertIn("figure 'survival' is left out: gnuplot cannot draw it from these cases", done.stderr)
            self.assertNotIn("gnuplot failed", done.stderr)
            self.assertFalse((out / "figures/survival.svg").exists())
            done = self.call("run", self.sweep, "-o", out, status=5)
            self.assertIn("error: figure 'survival' is left out", done.stderr)
            self.assertIn("gnuplot failed", done.stderr)
            self.assertIn("some tables, figures or pages could not be made", done.stderr)

    def test_a_figure_of_cases_that_its_script_takes_for_one(self):
        """A line through two stiffnesses at once would be neither: the figure is left out, and the page says why."""
        out = self.folder / "results" / "stiffnesses"
        said = self.call("run", self.sweep, "-o", out, "-p", "stiffness=50,200").stderr
        why = "the cases also differ in stiffness, which the figure does not distinguish"
        self.assertIn(f"warning: figure 'survival' is left out: {why}", said)
        self.assertFalse((out / "figures/survival.svg").exists())
        self.assertIn(f"This figure has not been drawn: {why}", (out / "report.html").read_text())

    def test_a_table_tells_the_defaults_that_decide_its_numbers(self):
        """Nobody gave stiffness, mass, gravity or drag: they are the scene's, and the numbers are about them."""
        text = " ".join(self.call("table", self.out, "times").stdout.split())
        self.assertIn("Constant: scene = rope, nodes = 8, frames = 20, stiffness = 100 N/m, vertex mass = 1 kg, "
                      "gravity = [0,-1,0] m/s^2, drag = 0 kg/s", text)
        self.assertNotIn("minimizer", text)

    def test_a_table_tells_no_constant_that_a_file_replaces(self):
        """Springs with stiffnesses of their own do not have that of the option; rest lengths alone leave it to them."""
        ropes = [f"{vertex},{vertex + 1},1" for vertex in range(7)]
        for column, told in (("stiffness", False), ("rest_length", True)):
            (self.folder / f"{column}.csv").write_text("\n".join([f"first,second,{column}", *ropes, ""]))
            out = self.folder / "results" / column
            self.call("run", self.sweep, "-o", out, "-p", f"spring_data={column}.csv", "-f", "substeps == 4")
            text = " ".join(self.call("table", out, "times").stdout.split())
            self.assertEqual("stiffness = 100 N/m" in text, told)
            self.assertIn("vertex mass = 1 kg", text)
        (self.folder / "masses.csv").write_text("vertex,mass\n3,2\n")
        out = self.folder / "results" / "masses"
        self.call("run", self.sweep, "-o", out, "-p", "vertex_data=masses.csv", "-f", "substeps == 4")
        text = " ".join(self.call("table", out, "times").stdout.split())
        self.assertIn("stiffness = 100 N/m", text)
        self.assertNotIn("vertex mass =", text)

    def test_several_values_of_an_option_make_a_column(self):
        """Tables of the sweep file know nothing of what the command line varies."""
        out = self.folder / "results" / "varied"
        self.call("run", self.sweep, "-o", out, "-p", "nodes=4,8", "-f", "substeps == 4")
        table = self.call("table", out, "times", "--format", "csv").stdout
        numbers = [line.split(",")[:2] for line in table.splitlines() if line[0].isdigit()]
        self.assertEqual(numbers, [["4", "4"], ["8", "4"]])
        out = self.folder / "results" / "once"
        self.call("run", self.sweep, "-o", out, "-p", "nodes=4", "-f", "substeps == 4")
        self.assertNotIn("nodes,", self.call("table", out, "times", "--format", "csv").stdout)

    def test_what_a_scene_derives_makes_no_column(self):
        """A curtain's stiffness is 15 N/m times its grid: it varies, but the table's own axis tells the cases apart."""
        sweep, out = self.folder / "curtain.yaml", self.folder / "results" / "curtain"
        sweep.write_text(HEAD.replace("scene: rope, nodes: 8", "scene: curtain") + "  - grid: {grid: [2, 3]}\n"
                         "tables: [{id: t, rows: grid, columns: [{label: ends, value: status}, {value: stiffness}]}]\n")
        self.call("run", sweep, "-o", out)
        lines = self.call("table", out, "t", "--format", "csv").stdout.splitlines()
        self.assertEqual([line.split(",")[0] for line in lines[:3]], ["grid", "2", "3"])
        self.assertEqual([line.split(",")[-1] for line in lines[1:3]], ["30", "45"])

    def test_two_requests_side_by_side(self):
        """A table of several directories has a column for them, if their columns are the same."""
        other, name = self.folder / "results" / "stiff", "results/small"
        self.call("run", self.sweep, "-o", other, "-p", "stiffness=200", "-p", "substeps=4,64")
        lines = self.call("table", name, other, "times", "--format", "csv").stdout.splitlines()
        self.assertTrue(lines[0].startswith("results,substeps"))
        self.assertEqual([line.split(",")[0] for line in lines[1:]], 2 * [name] + 2 * [str(other)])
        self.assertEqual([line.split(",", 1)[1] for line in lines[1:3]],
                         self.call("table", name, "times", "--format", "csv").stdout.splitlines()[1:])
        text = self.call("table", name, other, "times").stdout
        self.assertIn(f"{other}: scene = rope", " ".join(text.split()).replace(" stiffness", " stiffness"))
        self.assertIn("no table 'other'; there are: times", self.call("table", name, other, "other", status=2).stderr)

    def test_verify_one_and_all(self):
        done = self.call("verify", self.out, "--no-time", status=3).stdout
        self.assertRegex(done, "NOT REPRODUCED +all of it diverges")
        self.assertIn("REPRODUCED.md", self.call("verify", self.out.parent, status=3).stderr)

    def test_a_key_of_earlier_versions_is_told_where_it_is_written(self):
        old, out = self.folder / "old.yaml", self.folder / "of earlier versions"
        old.write_text(SWEEP.replace("status == diverged}", "status == diverged, full: true}"))
        said = self.call("run", old, "-o", out).stderr
        self.assertRegex(said, r"old.yaml:\d+:5: warning: 'full' has no effect: every claim is about .* \[W120\]\n")
        self.assertNotIn("W120", self.call("verify", out, status=None).stderr)
        old.write_text(old.read_text().replace("full: true", "full: maybe"))
        self.assertIn("'full' is true or false; got 'maybe' [E102]", self.call("check", old, status=2).stderr)

    def test_export(self):
        table = json.loads(self.call("export", self.out, "--to", "json").stdout)
        self.assertEqual(len(table["cases"]), 4)
        key = sorted((self.out / "cases").glob("*.h5"))[0].stem
        self.assertEqual(json.loads(self.call("export", f"{self.out}/{key}", "--to", "json").stdout)["row"]["key"], key)
        for wrong in ([], ["--to"], [self.out, "--to", "xml"], [self.folder / "absent.h5"],
                      [f"{self.out}/ffffffffffff"]):
            self.assertTrue(self.call("export", *wrong, status=2).stderr)

    def test_a_script_of_ones_own_is_kept_with_the_results(self):
        own, out = self.folder / "own", self.folder / "own_results"
        own.mkdir()
        (own / "mine.gp").write_text("eval page(8, 5)\nplot [0:1] x\n")
        (own / "own.yaml").write_text(SWEEP.split("figures:")[0] + "figures: [{id: mine, script: mine.gp}]\n")
        self.call("run", own / "own.yaml", "-o", out)
        self.assertTrue((out / "figures" / "mine.svg").stat().st_size)
        shutil.rmtree(own)
        (out / "figures" / "mine.svg").unlink()
        self.call("plot", out, "--trust")
        self.assertTrue((out / "figures" / "mine.svg").stat().st_size)

    def test_a_script_in_a_results_directory_runs_only_where_it_is_trusted(self):
        own, out, mark = self.folder / "strange", self.folder / "strange_results", self.folder / "executed"
        own.mkdir()
        text = (own / "own.yaml", SWEEP.split("figures:")[0] + "figures: [{id: mine, script: mine.gp}]\n")
        text[0].write_text(text[1])
        (own / "mine.gp").write_text(f"eval page(8, 5)\nsystem(\"touch '{mark}'\")\nplot [0:1] x\n")
        self.call("run", own / "own.yaml", "-o", out)  # it stands beside the sweep file that was named
        self.assertTrue(mark.exists())
        mark.unlink()
        picture = (out / "figures/mine.svg").read_bytes()
        beside = self.folder / "strange_beside"
        shutil.copytree(out, beside)
        (beside / "figures/scripts/mine.gp").rename(beside / "mine.gp")
        (self.folder / "joined").mkdir()
        for line, status in ((("plot", out), 5), (("plot", beside), 5), (("merge", self.folder / "joined/a", out), 0),
                             (("run", out, "--rerun", "all"), 0), (("run", out / "sweep.yaml", "-o", out, "--rerun", "all"), 0)):
            done = self.call(*line, status=status)
            self.assertIn("its script 'mine.gp' is in the results directory", done.stderr, line)
            self.assertFalse(mark.exists(), line)
            if line[0] == "plot":
                self.assertEqual((out / "figures/mine.svg").read_bytes(), picture)
        self.assertIn("is in the results directory", (out / "report.md").read_text())
        for line in (("plot", out), ("plot", beside), ("merge", self.folder / "joined/b", out), ("run", out)):
            self.call(*line, "--trust")
            self.assertTrue(mark.exists(), line)
            mark.unlink()
            (out / "figures/mine.svg").unlink(missing_ok=True)
        # A copy of one that comes with springbench is no stranger.
        data = self.folder / "data_with_mine"
        (data / "plots").mkdir(parents=True)
        shutil.copy(pathlib.Path(__file__).parents[2] / "plots/style.gp", data / "plots")
        shutil.copy(out / "figures/scripts/mine.gp", data / "plots")
        with unittest.mock.patch.dict("os.environ", SPRINGBENCH_DATA=str(data)):
            self.call("plot", out)
        self.assertTrue(mark.exists())

    def test_an_export_that_is_not_possible(self):
        key = sorted((self.out / "cases").glob("*.h5"))[0].stem
        damaged = self.folder / "damaged"
        shutil.copytree(self.out, damaged)
        path = damaged / "cases" / (key + ".h5")
        path.write_bytes(path.read_bytes()[:-1] + b"x")
        self.assertIn("checksum", self.call("export", f"{damaged}/{key}", "--to=json", status=2).stderr)
        self.assertIn(key, self.call("animate", f"{damaged}/{key}", status=2).stderr)
        (self.folder / "text.h5").write_text("no case")
        self.assertIn("text.h5: file signature not found",
                      self.call("export", self.folder / "text.h5", "--to=json", status=2).stderr)
        import h5py  # of Debian's Python alone
        with h5py.File(self.folder / "foreign.h5", "w") as foreign:
            foreign["x"] = [1.0, 2.0]
        for form in ("csv", "json"):
            said = self.call("export", self.folder / "foreign.h5", f"--to={form}", status=2)
            self.assertEqual(("", True), (said.stdout, "no case of springbench has written it" in said.stderr))
        self.assertIn("--to csv or json; name a case", self.call("export", self.out, "--to=xdmf", status=2).stderr)
        self.assertIn("error", self.call("export", f"{self.folder}/absent/{key}", status=2).stderr)
        self.assertIn("error", self.call("export", self.folder, status=2).stderr)
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "export", str(self.out)], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, "cannot write to standard output: No space left" in done.stderr), (5, True))

    def test_what_a_sweep_does_not_have(self):
        bare = self.folder / "bare.yaml"
        bare.write_text(HEAD + "  - grid: {integrator: [explicit_euler, symplectic_euler], drag: [0, 0.1]}\n"
                        "tables: [{id: shared, rows: nodes, columns: integrator, cell: blowup_time}]\n")
        out = self.folder / "bare"
        said = self.call("run", bare, "-o", out, "--rerun", "all", status=5).stderr
        self.assertIn("several cases share a cell", said)
        self.assertIn("some tables, figures or pages could not be made; the results are stored", said)
        said = self.call("table", out, status=2).stderr
        self.assertIn("several cases share a cell (row 1, integrator = explicit Euler)", said)
        self.assertRegex(said, r"the axis that distinguishes them \(drag\) under rows")
        self.assertIn("this sweep has no figures", self.call("plot", out).stderr)
        self.assertIn("its sweep has no animations [W117]", self.call("animate", out).stderr)
        self.call("animate", out, "swing", status=2)
        self.assertIn("option", self.call("animate", out, "--stills", "3", status=2).stderr)
        self.call("animate", self.folder, status=2)
        self.call("verify", self.folder / "absent", status=2)
        self.call("report", self.folder / "absent", status=2)
        self.call("report", bare, status=2)

    def test_usage(self):
        for command in ("check", "status", "verify", "show", "report", "table", "plot"):
            several = command in ("check", "status", "verify", "table")
            for wrong in [], ["--what"], [] if several else ["a", "b", "c"]:
                said = self.call(command, *wrong, status=2).stderr
                self.assertIn(f"springbench {command} --help", said)
                self.assertEqual("unrecognized option '--what'" in said, "--what" in wrong)
                self.assertEqual("Usage: springbench" in said, "--what" not in wrong)

    def test_names_that_begin_with_a_dash(self):
        """Behind "--" every word is a name, in every command that takes names."""
        folder = self.folder / "dashes"
        folder.mkdir()
        (folder / "-s.yaml").write_text(SWEEP)
        shutil.copytree(self.out, folder / "-d")
        key = self.events(self.out, "publish")[0]["key"]
        for status, *words in ((0, "check", "-s.yaml"), (0, "plan", "-s.yaml"), (0, "run", "-d"), (0, "status", "-d"),
                               (0, "status", "-d", "-d"), (0, "show", f"-d/{key}"), (0, "table", "-d", "times"),
                               (0, "plot", "-d", "survival"), (3, "verify", "-d"), (0, "report", "-d"),
                               (0, "export", f"-d/{key}"), (0, "merge", "-e", "-d"), (0, "compare", "-d", "-e")):
            with self.subTest(command=words):
                self.call(words[0], "--", *words[1:], status=status, before=("env", "-C", folder))
        self.assertIn("invalid option -- 'd'", self.call("status", "-d", status=2, before=("env", "-C", folder)).stderr)
        self.assertIn("-1/sweep.yaml", self.call("status", "--", "-1", status=2, before=("env", "-C", folder)).stderr)

    def test_figures_whatever_the_environment_says_of_gnuplot(self):
        picture = self.out / "figures/survival.svg"
        drawn = picture.read_bytes()
        for name, value in (("GNUTERM", "no_such_terminal"), ("GNUPLOT_LIB", "/nowhere"), ("GDFONTPATH", "/nowhere"),
                            ("GNUPLOT_DEFAULT_GDFONT", "none"), ("FIT_LOG", "/nowhere/fit.log"), ("LC_ALL", "C")):
            picture.unlink()
            self.call("plot", self.out, "survival", env={**os.environ, name: value})
            self.assertEqual(picture.read_bytes(), drawn, name)

    def test_help_in_every_spelling(self):
        whole = self.call("--help").stdout
        for word in ("-h", "help"):
            self.assertEqual(self.call(word).stdout, whole)
        for name in "list", "plan", "run", "case", "animate", "compare", "merge", "doctor", "table":
            self.assertIn("Usage: springbench " + name, self.call(name, "-h").stdout)
        self.assertIn("Usage: springbench table ", self.call("table", "-?").stdout)
        self.assertEqual(self.call("help", "run").stdout, self.call("run", "--help").stdout)
        self.assertIn("Usage: springbench check", self.call("check", "x", "--help").stdout)
        self.assertIn("sage: springbench list", self.call("list", "scenes", "cloth", "more", status=2).stderr)

    def on_a_terminal(self, columns, *arguments, until=None):
        """Returns the text on a terminal of so many columns, and the standard output; `until` ends the program."""
        ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        done = subprocess.Popen([PROGRAM, *arguments], stderr=theirs, stdout=subprocess.PIPE, cwd=self.folder, text=True)
        os.close(theirs)
        told = b""
        try:
            while part := os.read(ours, 4096):
                told += part
                if until and re.search(until, told.decode()):
                    done.terminate()
        except OSError:
            pass  # nobody writes any more
        said = done.communicate()[0]
        self.assertEqual(done.returncode, -signal.SIGTERM if until else 0)
        os.close(ours)
        return told.decode(), said

    def test_a_case_tells_a_terminal_how_far_it_is(self):
        rope = ["case", "scene=rope", "nodes=4", "substeps=1000", "stiffness=0.001", "frame_seconds=1e-6"]
        endless = [*rope, "frames=1000000"]
        told = self.on_a_terminal(100, *endless, until=r"step \d")[0]
        self.assertRegex(told, r"^(\r\033\[Kstep \d+ of 1000000000 \(\d %\), [\d.e+]+ steps/s, [\d.]+ (s|min|h) left)+$")
        narrow = self.on_a_terminal(30, *endless, "driver=blowup", until=r"step \d")[0]
        self.assertTrue(all(len(bar) <= 29 for bar in narrow.split("\r\033[K")), narrow)
        # Records do not depend on it, and it disturbs nobody else; the case lasts until a line appears.
        told, frames = "", 100
        while "step" not in told:
            frames *= 2
            told, said = self.on_a_terminal(100, *rope, f"frames={frames}")
        piped = self.call(*rope, f"frames={frames}")
        recorded = re.search(r"^digest +(\w+)$", piped.stdout, re.M)
        self.assertIn(recorded[0], said)
        self.assertEqual(piped.stderr, "")
        told, said = self.on_a_terminal(100, *rope, f"frames={frames}", "--json")
        self.assertEqual((told, json.loads(said)["digest"]), ("", recorded[1]))

    def test_lines_for_a_log_and_a_bar_for_a_terminal(self):
        arguments = ["run", str(self.sweep), "-j", "1", "-f", "substeps == 4", "--rerun", "all"]
        self.assertNotIn("1/2 ", self.call(*arguments, "-o", self.folder / "log").stderr)
        said = self.call(*arguments, "-v", "-o", self.folder / "log").stderr
        lines = [line for line in said.splitlines() if line.startswith(("1/2 ", "2/2 "))]
        self.assertEqual(len(lines), 2, said)
        for line in lines:
            self.assertRegex(line, r"^[12]/2 integrator=\w+_euler: diverged \([\d.e-]+ s\)")
        self.assertNotIn("\033", said)
        told = self.on_a_terminal(30, *arguments, "-o", str(self.folder / "screen"))[0]
        bars = [bar for bar in told.split("\r\033[K") if re.match(r"\d/2", bar)]
        self.assertTrue(bars[0].startswith("0/2: "), told)
        self.assertTrue(any(bar.startswith("1/2, ") and " left: " in bar for bar in bars), told)
        self.assertTrue(all(len(bar) <= 29 for bar in bars), bars)


class Shipped(Program):
    """The sweeps that come with the program."""

    def test_a_new_sweep_of_any_driver(self):
        """A copy of one of ours, with another name and without its findings."""
        drivers = [entry["name"] for entry in json.loads(self.call("list", "drivers", "--json").stdout)["drivers"]]
        for driver in drivers:
            self.call("new", f"of_{driver}", "--driver", driver)
            text = (self.folder / f"of_{driver}.yaml").read_text()
            self.assertRegex(text, f"(?m)^name: of_{driver}$")
            self.assertRegex(text, f"(?m)^driver: {driver}$")
            self.assertNotRegex(text, "(?m)^(topic|core):|^ *finding:")
        checked = self.call("check", *(f"of_{driver}.yaml" for driver in drivers)).stdout
        self.assertEqual(len(checked.splitlines()), len(drivers))
        said = self.call("new", "other", "--driver", "timings", status=2).stderr
        self.assertIn("no sweep that comes with springbench has driver 'timings'", said)
        self.assertFalse((self.folder / "other.yaml").exists())

    def test_a_copy_of_any_sweep(self):
        """It plans the same cases, and answers no finding."""
        paths = sorted((pathlib.Path(__file__).parents[2] / "experiments").glob("*/*.yaml"))
        for path in paths:
            self.call("new", f"my_{path.stem}", "--from", f"{path.parent.name}/{path.stem}")
            text = (self.folder / f"my_{path.stem}.yaml").read_text()
            self.assertNotRegex(text, r"(?m)^(topic|core):|\bfinding: [a-z]")
            self.assertEqual(text.count("claim:"), path.read_text().count("claim:"))
        planned = [self.call("plan", *sweeps).stdout for sweeps in (paths, [f"my_{path.stem}.yaml" for path in paths])]
        self.assertEqual(*(re.findall(r"^  ([0-9a-f]{16}) ", text, re.M) for text in planned))

    def test_a_copy_has_the_files_of_the_sweep(self):
        """In a folder of its own, from a sweep whose keys are in braces, with a comment and other than plain characters."""
        (self.folder / "a").mkdir()
        (self.folder / "b").mkdir()
        (self.folder / "a" / "net.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        (self.folder / "a" / "own.gp").write_text("plot x\n")
        (self.folder / "a" / "s.yaml").write_text(
            "springbench: 1\ntopic: \"1 Ropes\"\n\"name\": 's'  # é\nquestion: finding: the way?\ntimed: false\n"
            "driver: trajectory\ndefaults: {scene: mesh, mesh: net.obj, integrator: symplectic_euler}\n"
            "figures: [{id: f, script: own.gp}]\nexpect:\n"
            "  - {claim: é, finding: rope-explicit-growth, test: kinetic_max > 0}\n"
            "  - {claim: \"b, finding: b\", test: kinetic_max > 0, finding: 'rope-explicit-growth'}\n"
            "  - finding: rope-explicit-growth\n    claim: c\n    test: kinetic_max > 0\n".replace(
                "question: finding: the way?", "question: \"finding: the way?\""))
        self.assertEqual(self.call("new", "b/t", "--from", "a/s.yaml").stdout, "b/t.yaml\n")
        text = (self.folder / "b/t.yaml").read_text()
        self.assertEqual(text, "# A copy of the sweep s; edit it for a question of your own.\n" + (
            self.folder / "a/s.yaml").read_text().replace("'s'", "t").replace("topic: \"1 Ropes\"\n", "").replace(
                ", finding: 'rope-explicit-growth'", "").replace("finding: rope-explicit-growth, ", "").replace(
                    "- finding: rope-explicit-growth\n", "-\n"))
        self.assertIn("b/t.yaml: 1 case,", self.call("check", "b/t.yaml").stdout)
        self.call("new", "c", "--from", "rope", "--driver", "blowup", status=2)
        self.assertIn("--from takes one sweep; ropes is a topic of", self.call("new", "c", "--from", "ropes", status=2).stderr)
        self.assertIn("cannot read", self.call("new", "c", "--from", "nothing", status=2).stderr)
        self.assertFalse((self.folder / "c.yaml").exists())

    def test_a_topic_is_all_of_its_sweeps(self):
        ropes = [path.stem for path in sorted((pathlib.Path(__file__).parents[2] / "experiments" / "ropes").glob("*.yaml"))]
        planned = re.findall(r"^(\w+): \d+ cases into", self.call("plan", "ropes", "rope_blowup_drag").stdout, re.M)
        self.assertEqual(planned, [*ropes, "rope_blowup_drag"])
        self.assertEqual(len(self.call("check", "ropes").stdout.splitlines()), len(ropes))
        both = self.call("check", "minimizers")
        self.assertGreater(len(both.stdout.splitlines()), 5)
        self.assertIn("minimizers/minimizers is the sweep of that name alone\n", both.stderr)
        alone = self.call("check", "minimizers/minimizers")
        self.assertRegex(alone.stdout, r"\A\S+/minimizers/minimizers.yaml: \d+ cases.*\n\Z")
        self.assertEqual(alone.stderr, "")
        (self.folder / "here" / "ropes").mkdir(parents=True)  # results of several sweeps, by `run ropes -o ropes`
        self.assertIn("rope_blowup", self.shell("cd here && springbench plan ropes").stdout)
        (self.folder / "here" / "ropes" / "sweep.yaml").write_text(SWEEP)  # the user's own comes first
        self.assertIn("4 cases", self.shell("cd here && springbench plan ropes").stdout)
        self.call("plan", "rope", status=2)

    def test_the_core_and_the_tour(self):
        """Sweeps by topics, whose numbers are their order; a file of such a name, as a crash leaves, is no sweep."""
        sweeps = {path.stem: path.read_text() for path in (pathlib.Path(__file__).parents[2] / "experiments").glob("*/*.yaml")}
        order = sorted(sweeps, key=lambda name: (int(re.search(r"^topic: (\d+)", sweeps[name], re.M)[1]), name))
        (self.folder / "here").mkdir(exist_ok=True)
        (self.folder / "here" / "core").write_text("\x7fELF")
        for key, least, most in (("core", 26, 40), ("tour", 20, 28)):
            planned = re.findall(r"^(\w+): \d+ cases into", self.shell(f"cd here && springbench plan {key}").stdout, re.M)
            self.assertEqual(planned, [name for name in order if f"\n{key}: true\n" in sweeps[name]])
            self.assertTrue(least <= len(planned) <= most, planned)


main()
