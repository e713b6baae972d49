# SPDX-License-Identifier: GPL-3.0-or-later
"""Promises that hold for any state of the program's standard streams, limits and working directory: closed, full, cut
off.

usage: streams.py PROGRAM [TEST ...]"""
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import socket
import subprocess
import sys
import tty

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import BOUND, HEAD, PROGRAM, Program, main

SWEEP = HEAD + """  - grid: {integrator: [explicit_euler, symplectic_euler], substeps: [4, 64]}
tables: [{id: times, title: Times, rows: substeps, columns: integrator, cell: blowup_time}]
expect: [{claim: it runs, test: "count(status) == 4"}]
"""
CASES = 4


class Streams(Program):
    def setUp(self):
        super().setUp()
        (self.folder / "results").mkdir()
        self.sweep, self.out = self.folder / "small.yaml", self.folder / "results" / "small"
        self.sweep.write_text(SWEEP)

    def assert_complete(self):
        self.assertEqual(len(self.events(self.out, "publish")), CASES)
        self.assertNotIn("not run yet", self.shell("springbench status results/small").stdout)

    def test_closed_streams_put_nothing_into_the_journal(self):
        for closed in ("1>&- 2>&-", "0<&- 1>&- 2>&-", "2>&-"):
            self.shell(f"springbench run small.yaml --progress bar {closed}")
            self.assert_complete()
            shutil.rmtree(self.out)

    def test_a_limit_of_file_size_is_a_storage_error_with_words(self):
        for blocks in (0, 2, 12):  # of 1024 bytes: no lock, no plan, no case
            said = self.shell(f"ulimit -f {blocks}; springbench run small.yaml --progress none", status=5).stderr
            self.assertIn("File too large", said)
            self.assertNotIn("free", said)  # which is not what is wrong
            self.shell("springbench run small.yaml --progress none")
            self.assert_complete()
            said = self.shell("rm results/small/results.h5; ulimit -f 16; springbench run small.yaml", status=5).stderr
            self.assertRegex(said, "error: .*results.h5.*File too large")
            said = self.shell("rm results/small/report.html; ulimit -f 16; springbench report results/small",
                              status=5).stderr
            self.assertRegex(said, "error: .*report.html.*File too large")
            shutil.rmtree(self.out)

    def test_a_reader_that_goes_away_ends_no_run(self):
        self.shell("springbench run small.yaml --progress lines 2>&1 | head -1")
        self.assert_complete()
        self.assertTrue((self.out / "report.html").exists() and (self.out / "results.csv").exists())
        self.shell("springbench merge results/joined results/small 2>&1 | (exec 0<&-; sleep 0.2)")
        self.assertTrue((self.folder / "results/joined/report.html").exists())
        self.shell("springbench run small.yaml --dry-run --rerun all | (exec 0<&-; sleep 0.2)", status=141)  # its product has no reader

    def test_output_that_is_lost_is_a_storage_error(self):
        self.shell("springbench run small.yaml --progress none")
        key = next((self.out / "cases").glob("*.h5")).stem
        case = "case scene=rope nodes=8 driver=blowup frames=3"
        for line in ("table results/small", "status results/small", f"show results/small/{key}", "plan small.yaml",
                     "run small.yaml --dry-run --rerun all", "list", "list --json", "list options", "verify results/small",
                     "compare results/small results/small", case, case + " --json", "--help", "--version", "check --help",
                     f"export results/small/{key} --to xdmf", f"export results/small/{key} --to json",
                     f"export results/small/cases/{key}.h5", "export results/small --to json", "export results/small"):
            for away in ("> /dev/full", "1>&-"):
                said = self.shell(f"springbench {line} {away}", status=5).stderr
                self.assertRegex(said, "error: cannot write to standard output(: No space left on device|"
                                 ": Bad file descriptor|; some of it is lost)\n")
                self.assertEqual(said.count("error"), 1)
        said = self.shell("springbench compare results/small results/small --json > /dev/full", status=2).stderr
        self.assertNotIn("standard output", said)  # which was given nothing
        over = case + " memory_limit=1 > /dev/full"
        self.assertIn("standard output", self.shell("springbench " + over, status=5).stderr)

    def test_a_program_that_is_replaced_ends_the_sweep_and_fails_no_case(self):
        (own, cases), line = self.copies(), "run small.yaml -o results/small --replace -n 2 -j 1 --progress lines".split()
        run = subprocess.Popen([own, *line], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        for said in run.stderr:
            if said.startswith("1/"):
                break
        shutil.copy2(cases, self.folder / "new")
        (self.folder / "new").rename(cases)
        said = run.communicate(timeout=300)[1]
        self.assertEqual(run.returncode, 4, said)
        self.assertIn("error: the program was replaced while the sweep ran", said)
        self.assertEqual(self.events(self.out, "fail"), [])
        subprocess.run([own, *line], cwd=self.folder, stderr=subprocess.PIPE, check=True, timeout=300)
        self.assert_complete()

    def test_a_program_that_may_not_be_executed_is_not_called_replaced(self):
        """As in a private home: a case of one process executes the file that runs, mpiexec needs its name."""
        cases = self.copies()[1]
        closed = cases.parent
        program = os.open(cases, os.O_PATH)
        closed.chmod(0)
        self.addCleanup(closed.chmod, 0o700)
        for ranks, status in ((1, 0), (2, 4)):
            line = [*BOUND, f"/proc/self/fd/{program}", "case", "scene=rope", "nodes=4", "frames=1", f"ranks={ranks}"]
            done = subprocess.run(line, cwd="/", pass_fds=[program], capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, f"springbench: error: mpiexec cannot execute {cases}: Permission denied\n")
        os.close(program)

    def test_without_mpiexec_no_case_fails(self):
        said = self.shell("PATH=/nowhere; springbench run small.yaml -o results/small --replace -n 2", status=4).stderr
        self.assertIn("error: cannot execute mpiexec: No such file", said)
        self.assertEqual(self.events(self.out, "fail"), [])

    def test_a_directory_that_is_moved_away_is_named(self):
        for replaced in (False, True):
            line = "run small.yaml -j 1 --progress lines".split()
            run = subprocess.Popen([PROGRAM, *line], cwd=self.folder, stderr=subprocess.PIPE, text=True)
            for said in run.stderr:
                if said.startswith("1/"):
                    break
            self.out.rename(self.folder / "results" / "elsewhere")
            if replaced:  # another run has taken the place
                shutil.copytree(self.folder / "results" / "elsewhere", self.out)
            said = run.communicate(timeout=300)[1]
            self.assertEqual(run.returncode, 5, said)
            self.assertIn("error: results/small no longer exists (moved or removed?)\n", said)
            self.assertNotIn("same command continues", said)
            shutil.rmtree(self.out, ignore_errors=True)
            self.shell("springbench run results/elsewhere --progress none")
            (self.folder / "results" / "elsewhere").rename(self.out)
            self.assert_complete()
            shutil.rmtree(self.out)

    def test_a_reader_is_not_called_by_the_name_of_the_dead(self):
        self.shell("springbench run small.yaml --progress none")
        dead = subprocess.Popen(["true"])
        dead.wait()
        own = {"host": socket.gethostname(), "pid": dead.pid, "boot_id": "", "at": "2020-01-01T00:00:00Z"}
        for pid, words in ((dead.pid, "another process"), (os.getpid(), f"process {os.getpid()} on host")):
            (self.out / "lock").write_text(json.dumps({**own, "pid": pid}))
            with open(self.out / "lock") as lock:
                fcntl.flock(lock, fcntl.LOCK_SH)
                said = self.shell("springbench run small.yaml", status=6).stderr
            self.assertIn(f"results/small is in use by {words}", said)

    def test_an_empty_name_is_no_directory(self):
        case = "case scene=rope nodes=8 driver=blowup frames=3"
        for line in ("run small.yaml -o ''", "plan small.yaml -o ''", "merge '' results/small", "merge results/joined ''",
                     case + " -o ''", "animate x.h5 -o ''", "run ''", "plan ''", "status ''", "table ''", "show ''",
                     "plot ''", "report ''", "verify ''", "compare '' ''", "export ''", "animate ''", "check ''"):
            said = self.shell("springbench " + line, status=2)
            self.assertNotIn("/sweep.yaml", said.stderr)
            self.assertTrue(said.stderr, line)

    def test_a_copy_made_of_links_is_a_copy(self):
        """By hard links, by symbolic links, by links to links: no command on it changes the original."""
        self.sweep.write_text(SWEEP + "figures: [{id: f, kind: curves, x: substeps, y: blowup_time, series: integrator}]\n")
        self.shell("springbench run small.yaml --progress none; springbench run small.yaml -p substeps+=12 -o results/other")
        key = self.events(self.out, "publish")[0]["key"]
        self.shell(f"cp -a results/small again; mkdir results/small/animations")
        for path in (*self.out.glob("logs/*"), *self.out.glob("figures/f.*"), self.out / f"animations/{key}.png",
                     self.out / f"cases/{key}.png"):
            path.write_text("of an earlier day\n")
        before = {path: path.read_bytes() for path in self.out.rglob("*") if path.is_file()}
        hard, symbolic = "cp -al results/small", "cp -as $PWD/results/small"
        commands = ["run copy --rerun all --progress none", "forget copy -f 'substeps == 4' --yes", "report copy",
                    "run copy -p drag=0.2 --replace --progress none", "merge copy results/other", "plot copy",
                    f"animate copy/{key} --strip", f"animate copy/cases/{key}.h5 --strip", "merge copy again",
                    "merge joined copy"]
        for made, some in [(f"{symbolic} copy", commands), (f"{hard} copy", [commands[0], *commands[6:9]]),
                           (f"{symbolic} one; cp -al one copy", commands[:1]), (f"{hard} one; cp -as $PWD/one copy", commands[:1]),
                           (f"{symbolic} one; cp -as $PWD/one copy", commands[:1])]:
            for does in some:
                self.shell(made)
                if does == "merge copy again":  # a case comes in, with a log in the place of another
                    (self.folder / f"copy/cases/{key}.h5").unlink()
                self.shell(f"springbench {does}")
                for path, content in before.items():
                    self.assertEqual(path.read_bytes(), content, (made, does, path))
                if does.startswith("run copy --rerun"):  # results are retired before they are replaced
                    lines = (self.folder / "copy/journal.jsonl").read_text().splitlines()
                    self.assertEqual(len(lines), 2 * (CASES + 1) + CASES)
                if does == "merge joined copy":
                    self.assertFalse([path for path in (self.folder / "joined").rglob("*") if path.is_symlink()])
                self.shell("rm -rf copy one joined")
        self.assertEqual(set(before), {path for path in self.out.rglob("*") if path.is_file()})

    def test_links_of_a_stranger_lead_nowhere(self):
        """A lock, a journal and folders that are symbolic links: nothing is written, made or removed at their ends."""
        self.sweep.write_text(SWEEP + "figures: [{id: f, kind: curves, x: substeps, y: blowup_time, series: integrator}]\n")
        self.shell("springbench run small.yaml --progress none; mkdir away; echo mine > away/notes.txt")
        key = self.events(self.out, "publish")[0]["key"]
        for end in ("notes.txt", "nothing"):
            self.shell(f"cp -a results/small copy; ln -sf $PWD/away/{end} copy/lock; springbench status copy; "
                       f"springbench run copy --rerun all --progress none; rm -rf copy")
            self.assertEqual([path.read_text() for path in (self.folder / "away").iterdir()], ["mine\n"])
        for name in ("cases", "logs", "tmp", "tables", "figures", "figures/scripts", "animations"):
            self.shell(f"cp -a results/small copy; mkdir -p copy/{name}; mv copy/{name} away/in; ln -s $PWD/away/in copy/{name}")
            before = {path: path.is_file() and path.read_bytes() for path in (self.folder / "away").rglob("*")}
            for does in ["run copy --rerun all", "run copy --dry-run", "merge copy results/small",
                         "forget copy -f 'substeps == 4' --yes"][:4 if name == "cases" else 1]:
                self.assertIn(f"copy/{name}: error: a folder of results is a symbolic link",
                              self.shell(f"springbench {does}", status=2).stderr)
            for does, what in ((f"animate copy/{key} --strip", "animations"), ("plot copy", "figures"), ("report copy", "cases")):
                if name == what:  # pages are in no folder
                    self.assertEqual(self.shell(f"springbench {does}", status=None).returncode == 0, name == "cases")
            self.assertEqual(before, {path: path.is_file() and path.read_bytes() for path in (self.folder / "away").rglob("*")})
            self.shell("rm -rf copy away/in")
        for known in ("../../outside", "/tmp/outside", ".hidden"):  # a key is the name of a file
            shutil.copytree(self.out, self.folder / "copy")
            event = self.events(self.out, "publish")[0]
            shutil.copy(self.out / event["file"], self.folder / "outside.h5")
            event.update(key=known, row={**event["row"], "key": known}), event.pop("check")
            with (self.folder / "copy/journal.jsonl").open("a") as journal:
                journal.write(json.dumps(event) + "\n")
            self.assertIn("1 damaged line", self.shell("springbench run copy --progress none").stderr)
            self.assertEqual([path.name for path in self.folder.glob("*outside*")], ["outside.h5"])
            self.shell("rm -rf copy outside.h5")

    def test_nothing_commands_the_terminal(self):
        """Neither the name of a directory nor a text of its journal or of a log, on whatever stream."""
        evil = "\x1b]0;title\x07\x1b[2J\u009b31m\u202egpj.\u2066\r"
        out = self.folder / "results" / f"d{evil}"
        self.call("run", self.sweep, "-o", out)
        lines = (out / "journal.jsonl").read_text().splitlines()
        event = next(json.loads(line) for line in lines if '"event":"publish"' in line)
        event.update(event="fail", row={**event["row"], "status": "crashed", "reason": f"it{evil} died"})
        event.update({name: f'{evil}<meta http-equiv="refresh" content="0;url=x">' for name in ("host", "node", "job")})
        del event["check"]
        with (out / "journal.jsonl").open("a") as journal:
            journal.write(json.dumps(event) + "\nno event\n")
        (out / f"logs/{event['key']}.txt").write_text(f"the log{evil}\n")
        bare = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u2066]")
        for words in (("status", out), ("show", f"{out}/{event['key']}"), ("verify", out), ("run", out), ("table", out),
                      ("check", f"{out}/s.yaml"), ("merge", self.folder / "m", out), (evil,), ("status", f"--{evil}"),
                      ("run", f"--{evil}"), ("compare", out, out), ("report", out), ("export", f"{out}/0000"),
                      ("animate", f"{out}/{event['key']}"), ("case", f"scene={evil}")):
            done = self.call(*words, status=None)
            self.assertEqual(bare.findall(done.stderr), [], words)
            if words[0] in ("status", "show", "verify"):
                self.assertEqual(bare.findall(done.stdout), [], words)
                self.assertIn("\\x1b", done.stdout + done.stderr)
            ours, theirs = pty.openpty()
            tty.setraw(theirs)
            subprocess.run([PROGRAM, *map(str, words)], stdout=theirs, stderr=theirs, cwd=self.folder, timeout=100)
            os.set_blocking(ours, False)
            told = os.read(ours, 1 << 16).decode()
            self.assertEqual(bare.findall(told.replace("\r\x1b[K", "")), [], words)
            os.close(ours), os.close(theirs)
        self.call("report", self.folder / "results")
        for page in (out / "report.md", out / "report.html", out.parent / "index.md", out.parent / "report.html"):
            self.assertEqual(bare.findall(page.read_text()), [], page)
            self.assertNotRegex(page.read_text(), r'(?<!\\)<meta http-equiv="refresh', page)

    def test_a_case_replaces_case_files_only(self):
        case = "springbench case scene=rope nodes=8 driver=blowup frames=3 -o "
        self.shell("mkfifo pipe; mkdir folder; echo mine > notes.txt; cp /bin/true foreign.h5; : > empty.h5")
        self.shell(case + "first.h5; ln -s first.h5 link.h5; ln -s nowhere dangling.h5")
        self.shell("springbench run small.yaml --progress none; cp results/small/results.h5 other.h5")
        before = {path: path.read_bytes() for path in self.folder.glob("*.*") if path.is_file()}
        for path in ("pipe", "folder", "link.h5", "dangling.h5"):
            self.assertRegex(self.shell(case + path, status=2).stderr, f"-o {path}: not a regular file.*E109")
        for path in ("notes.txt", "foreign.h5", "other.h5"):
            self.assertRegex(self.shell(case + path, status=2).stderr, f"-o {path}: the file exists and is not a case file.*E109")
        self.assertTrue((self.folder / "pipe").is_fifo())
        self.assertEqual(before, {path: path.read_bytes() for path in before})
        for path in ("first.h5", "empty.h5", "new.h5", "new.h5 ranks=2"):
            self.shell(case + path)


main()
