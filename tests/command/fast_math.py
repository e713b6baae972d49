"""A build that takes NaN for finite refuses to start, whatever it is asked: status 4, one line, nothing written; `doctor`
says what is wrong. (The sound build does all of it.)"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOUND, BLIND = sys.argv[1:3]
SWEEP = """springbench: 1
name: tiny
question: Does it start?
source: this test
driver: trajectory
timed: false
defaults: {scene: rope, nodes: 4, frames: 1, substeps: 4}
sweep:
  - grid: {integrator: [symplectic_euler]}
"""


class FastMath(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        (self.folder / "tiny.yaml").write_text(SWEEP)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def call(self, program, *arguments):
        return subprocess.run([program, *arguments], capture_output=True, text=True, cwd=self.folder, timeout=120)

    COMMANDS = [["case", "scene=rope", "nodes=4", "frames=1", "-o", "one.h5"], ["run", "tiny.yaml", "-o", "out"],
                ["check", "tiny.yaml"], ["plan", "tiny.yaml"]]

    def test_blind_builds_refuse(self):
        for command in self.COMMANDS:
            done = self.call(BLIND, *command)
            self.assertEqual(done.returncode, 4, (command, done.stdout, done.stderr))
            self.assertIn("takes NaN for finite", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertEqual(done.stdout, "")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["tiny.yaml"])

    def test_doctor_says_why(self):
        done = self.call(BLIND, "doctor")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stdout, r"isfinite +is blind in this build")

    def test_sound_builds_do_not(self):
        for command in self.COMMANDS:
            self.assertEqual(self.call(SOUND, *command).returncode, 0, command)


unittest.main(argv=sys.argv[:1])
