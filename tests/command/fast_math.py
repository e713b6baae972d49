# SPDX-License-Identifier: GPL-3.0-or-later
"""A build that takes NaN for finite refuses to start, whatever it is asked: status 4, one line, nothing written; `doctor`
says what is wrong. (The sound build does all of it.)"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import HEAD, Program, main

BLIND = sys.argv[2]
SWEEP = HEAD + "  - grid: {integrator: [symplectic_euler], substeps: [4]}\n"


class FastMath(Program):
    @classmethod
    def prepare(cls):
        (cls.folder / "tiny.yaml").write_text(SWEEP)

    COMMANDS = [["case", "scene=rope", "nodes=4", "frames=1", "-o", "one.h5"], ["run", "tiny.yaml", "-o", "out"],
                ["check", "tiny.yaml"], ["plan", "tiny.yaml"]]

    def test_blind_builds_refuse(self):
        for command in self.COMMANDS:
            done = self.call(*command, program=BLIND, status=4)
            self.assertIn("does not detect NaN", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertEqual(done.stdout, "")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["tiny.yaml"])

    def test_doctor_says_why(self):
        self.assertRegex(self.call("doctor", program=BLIND, status=4).stdout, r"isfinite +is blind in this build")

    def test_sound_builds_do_not(self):
        for command in self.COMMANDS:
            self.call(*command)


main(2)
