# SPDX-License-Identifier: GPL-3.0-or-later
"""The program as a user starts it, for tests that are given its path: FILE.py PROGRAM [TEST ...]. A test has a folder of
its own, or, where `shares_folder`, all tests of a class have one."""
import json
import os
import pathlib
import pwd
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv[1]
# Under nohup, or behind a shell's &, these are ignored, and so they would be by the program.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    signal.signal(number, signal.SIG_DFL)
# Before a command that is to be refused what permissions forbid: root loses what overrides them, but remains the owner of
# what lies in a private home, where no other user could execute the program.
BOUND = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
if BOUND and subprocess.run([*BOUND, "true"], capture_output=True).returncode != 0:
    BOUND = []  # a root who may give nothing up, as in some containers, has nothing of it
# Added to the environment of cases whose memory is watched: the leak check of a build with sanitizers is, at the end of
# a case, a second process on the same memory, which would count twice.
WATCHED = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
SAMPLE = "SB_SAMPLE" in os.environ
# The beginning of a sweep of ropes, from its version to `sweep:`; a test adds its grid and what it is about.
HEAD = """springbench: 1
name: small
question: Does it run?
source: this test
driver: blowup
timed: false
defaults: {scene: rope, nodes: 8, frames: 20}
sweep:
"""


def makes_trial(number, of):
    """As sb_makes_trial (sample.h): whether the trial of this number is made; a sample has one in `of`."""
    return not SAMPLE or number % of == 0


def predicted(case):
    """MB that a case's factor takes, and that are in use before it, which differs from machine to machine. `case`: what
    `case … memory_limit=1 --json` printed."""
    row = json.loads(case)
    said = re.search(r"predicted to need ([\d.]+) MB in addition to the ([\d.]+) MB in use, over the limit of 1e-06 MB", row["reason"])
    assert row["status"] == "skipped", row
    return float(said[1]), float(said[2])


def author():
    """Whom a case file names when nobody is named."""
    try:
        account = pwd.getpwuid(os.geteuid())
    except KeyError:  # as in a container that is run as a number
        return "unknown"
    return account.pw_gecos.split(",")[0] or account.pw_name


def memory_limit(case, part):
    """The --memory-limit that has room for a part of the case's factor, beside what is in use before it."""
    factor, before = predicted(case)
    assert factor > 30, case
    return f"{(before + factor * part) * 1e3 / 1.024:.0f}K"


class Program(unittest.TestCase):
    shares_folder, environment = False, None

    @classmethod
    def prepare(cls):
        """Makes the files that a folder has before a test begins."""

    @classmethod
    def make_folder(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prepare()

    @classmethod
    def setUpClass(cls):
        if cls.shares_folder:
            cls.make_folder()

    def setUp(self):
        if not self.shares_folder:
            self.make_folder()

    @classmethod
    def call(cls, *arguments, status=0, program=PROGRAM, before=(), **more):
        """`status` None: any."""
        done = subprocess.run([*before, program, *map(str, arguments)], capture_output=True, text=True, timeout=500,
                              **{"env": cls.environment, "cwd": cls.folder, **more})
        assert status is None or done.returncode == status, (arguments, done.returncode, done.stdout + done.stderr)
        return done

    @classmethod
    def shell(cls, line, status=0):
        """Runs a line of bash in which `springbench` is the program; the status is that of the last pipe's first part.
        `status` None: any."""
        words = f'springbench() {{ {shlex.quote(PROGRAM)} "$@"; }}; {line}; exit ${{PIPESTATUS[0]}}'
        done = subprocess.run(["bash", "-c", words], capture_output=True, text=True, cwd=cls.folder, timeout=300)
        assert status is None or done.returncode == status, (line, done.returncode, done.stdout + done.stderr)
        return done

    @classmethod
    def copies(cls):
        """Copies of the two programs in a folder."""
        folder = cls.folder / "bin"
        folder.mkdir()
        return [pathlib.Path(shutil.copy2(program, folder)) for program in (PROGRAM, PROGRAM + "-cases")]

    @staticmethod
    def events(directory, kind):
        """Lines of a journal."""
        events = [json.loads(line) for line in (directory / "journal.jsonl").read_text().splitlines()]
        return [event for event in events if event["event"] == kind]


def main(given=1):
    """`given`: arguments before the names of tests. SB_FIRST_FAILURE in the environment: the first failure ends it."""
    unittest.main(argv=sys.argv[:1] + sys.argv[1 + given:], verbosity=1, failfast="SB_FIRST_FAILURE" in os.environ or None)
