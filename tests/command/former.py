# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of version 1.0 with minimizer hybrid, which this version lacks: their rows load, verify and merge with their
keys; a new case is refused, with the method that takes its place. former.py PROGRAM [TEST ...]"""
import pathlib
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from program import Program, main


class Former(Program):
    def setUp(self):
        super().setUp()
        with tarfile.open(HERE / "former.tar.xz") as stored:
            stored.extractall(self.folder)

    def test_rows_are_read(self):
        self.call("verify", "former")
        self.assertIn("2  ok", self.call("status", "former").stdout)
        self.call("report", "former")
        self.assertRegex(self.call("export", "former").stdout, r"\n\w{16},ok,.*hybrid")

    def test_rows_are_merged(self):
        merged = self.call("merge", "both", "former")
        self.assertIn("2 taken", merged.stdout + merged.stderr)

    def test_new_cases_are_refused(self):
        line = "case scene=oscillator integrator=implicit_euler h=0.1 steps=1 minimizer=hybrid".split()
        for refused in (self.call(*line, status=None), self.call("run", "former/sweep.yaml", "-o", "other", status=None)):
            self.assertEqual(refused.returncode, 2)
            self.assertIn("unknown minimizer 'hybrid'; did you mean 'auto'?", refused.stderr)


if __name__ == "__main__":
    main()
