# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/tutorial.md, typed: each block of yaml is written into the file that its first line names, each block of sh is run
in the same folder and has to end with 0, and each line of a block of text has to be one of those printed last, but for
a tenth of its numbers: what grows from rounding differs from compiler to compiler."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root, program = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
blocks = re.findall(r"^```(yaml|sh|text)\n(.*?)^```$", (root / "docs" / "tutorial.md").read_text(), re.M | re.S)
number = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?")


def alike(wanted, line):
    if number.sub("#", wanted).split() != number.sub("#", line).split():
        return False
    return all(abs(float(a) - float(b)) <= 0.1 * abs(float(a))
               for a, b in zip(number.findall(wanted), number.findall(line)))


bad, printed = [], ""
with tempfile.TemporaryDirectory() as folder:
    for kind, text in blocks:
        if kind == "yaml":
            (pathlib.Path(folder) / re.match(r"# (\S+)", text).group(1)).write_text(text)
        elif kind == "sh":
            done = subprocess.run(["bash", "-euc", text], cwd=folder, capture_output=True, text=True,
                                  env={**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"})
            printed = done.stdout + done.stderr
            bad += [f"status {done.returncode} of: {text}{printed}"] if done.returncode else []
        else:
            bad += [f"not printed: {line}" for line in text.splitlines()
                    if not any(alike(line, other) for other in printed.splitlines())]
print("\n".join(bad) if bad else f"{len(blocks)} blocks")
sys.exit(bool(bad) or len(blocks) < 10)
