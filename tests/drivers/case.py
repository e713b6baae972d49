# SPDX-License-Identifier: GPL-3.0-or-later
"""A case as a user types it, for tests that are given the program: FILE.py PROGRAM."""
import json
import subprocess
import sys

PROGRAM = sys.argv[1]


def case(*pairs, status=0):
    """Returns the case's JSON, or the messages if it must be refused."""
    done = subprocess.run([PROGRAM, "case", *pairs, "--json"], capture_output=True, text=True, timeout=200)
    assert done.returncode == status, (pairs, done.returncode, done.stderr)
    return json.loads(done.stdout) if status == 0 else done.stderr
