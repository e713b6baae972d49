"""How commands answer: what a results directory does not have, what cannot be exported, help in every spelling,
progress in a log and on a terminal. One sweep of four cases serves all.

usage: answers.py PROGRAM [TEST ...]"""
import fcntl
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

from small_sweep import HEAD

PROGRAM = sys.argv[1]
SWEEP = HEAD + """  - grid: {integrator: [explicit_euler, symplectic_euler], substeps: [4, 64]}
tables: [{id: times, title: Times, rows: substeps, columns: integrator, cell: blowup_time}]
"""


class Answers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.sweep, cls.out = cls.folder / "small.yaml", cls.folder / "results" / "small"
        cls.sweep.write_text(SWEEP)
        cls.call(cls("run_nothing"), "run", cls.sweep, "-o", cls.out)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def run_nothing(self):
        pass

    def call(self, *arguments, status=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder,
                              timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def test_a_script_of_ones_own_is_kept_with_the_results(self):
        own, out = self.folder / "own", self.folder / "own_results"
        own.mkdir()
        (own / "mine.gp").write_text("eval page(8, 5)\nplot [0:1] x\n")
        (own / "own.yaml").write_text(SWEEP + "figures: [{id: mine, script: mine.gp}]\n")
        self.call("run", own / "own.yaml", "-o", out)
        self.assertTrue((out / "figures" / "mine.svg").stat().st_size)
        shutil.rmtree(own)
        (out / "figures" / "mine.svg").unlink()
        self.call("plot", out)
        self.assertTrue((out / "figures" / "mine.svg").stat().st_size)

    def test_help_in_further_spellings(self):
        for name in "list", "plan", "run", "case", "animate", "compare", "merge", "doctor":
            self.assertIn("Usage: springbench " + name, self.call(name, "-h").stdout)
        self.assertEqual(self.call("help", "run").stdout, self.call("run", "--help").stdout)
        self.assertIn("Usage: springbench check", self.call("check", "x", "--help").stdout)

    def test_a_table_of_a_sweep_that_has_none(self):
        bare, out = self.folder / "bare.yaml", self.folder / "bare"
        bare.write_text(HEAD + "  - grid: {substeps: [4]}\n")
        self.call("run", bare, "-o", out, status=0)
        self.assertIn("this sweep has no tables", self.call("table", out, "nosuch", status=2).stderr)

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
        self.assertIn("not all tables, figures and pages could be made; the results are stored", said)
        said = self.call("table", out, status=2).stderr
        self.assertIn("several cases share a cell (row 1, integrator = explicit Euler)", said)
        self.assertRegex(said, r"the axis that tells them apart \(drag\) under rows")
        self.assertIn("this sweep has no figures", self.call("plot", out).stderr)
        self.assertIn("its sweep has no animations [W117]", self.call("animate", out).stderr)
        self.call("animate", out, "swing", status=2)
        self.assertIn("option", self.call("animate", out, "--stills", "3", status=2).stderr)
        self.call("animate", self.folder, status=2)
        self.call("verify", self.folder / "absent", status=2)
        self.call("report", self.folder / "absent", status=2)
        self.call("report", bare, status=2)
        for command in ("check", "status", "show", "report"):
            for wrong in ([],) if command in ("check", "status") else ([], ["a", "b"], ["--what"]):
                self.assertIn(f"usage: springbench {command}", self.call(command, *wrong, status=2).stderr)

    def test_help_in_every_spelling(self):
        whole = self.call("--help").stdout
        for word in ("-h", "help"):
            self.assertEqual(self.call(word).stdout, whole)
        for word in ("--help", "-h", "-?"):
            self.assertIn("Usage: springbench table ", self.call("table", word).stdout)
        self.assertIn("sage: springbench list", self.call("list", "scenes", "cloth", "more", status=2).stderr)
        self.assertIn("\n## explicit_euler\n", self.call("list", "integrators", "--markdown").stdout)

    def test_lines_for_a_log_and_a_bar_for_a_terminal(self):
        arguments = ["run", str(self.sweep), "-j", "1", "-f", "substeps == 4", "--rerun", "all"]
        self.assertNotIn("1/2 ", self.call(*arguments, "-o", self.folder / "log").stderr)
        said = self.call(*arguments, "-v", "-o", self.folder / "log").stderr
        lines = [line for line in said.splitlines() if line.startswith(("1/2 ", "2/2 "))]
        self.assertEqual(len(lines), 2, said)
        for line in lines:
            self.assertRegex(line, r"^[12]/2 integrator=\w+_euler: diverged \([\d.e-]+ s\)")
        self.assertNotIn("\033", said)
        ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 30, 0, 0))
        done = subprocess.Popen([PROGRAM, *arguments, "-o", str(self.folder / "screen")], stderr=theirs,
                                stdout=subprocess.DEVNULL, cwd=self.folder)
        os.close(theirs)
        told = b""
        try:
            while part := os.read(ours, 4096):
                told += part
        except OSError:
            pass  # nobody writes any more
        self.assertEqual(done.wait(), 0)
        os.close(ours)
        bars = [bar for bar in told.decode().split("\r\033[K") if re.match(r"\d/2", bar)]
        self.assertTrue(bars[0].startswith("0/2: "), told)
        self.assertTrue(any(bar.startswith("1/2, ") and " left: " in bar for bar in bars), told)
        self.assertTrue(all(len(bar) <= 29 for bar in bars), bars)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
