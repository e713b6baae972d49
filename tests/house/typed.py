# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of the pages, typed: usage: typed.py ROOT PROGRAM [installed]

Blocks marked `sh run` are run, each page's in one folder with copies of the examples, and have to end with 0. With an
installed program so are blocks marked `sh installed`, which build or load the library, and docs/tutorial.md: there each
block of yaml is written into the file that its first line names, and each line of a block of text has to be one of
those printed last, but for a tenth of its numbers: what grows from rounding differs from compiler to compiler."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root, program = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
installed = sys.argv[3:] == ["installed"]
pages = [root / "README.md", root / "examples" / "README.md", *sorted((root / "docs").glob("*.md"))]
number = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?")


def surroundings(folder):
    """The environment of an installation, or of a build, of which only the headers are used. Blanks and quotes in
    paths are no matter of pkg-config's, so a link leads to them."""
    prefix, added = pathlib.Path(folder) / "prefix", {"PATH": str(program.parent)}
    if installed and program.parent != pathlib.Path("/usr/bin"):
        prefix.symlink_to(program.parents[1])
        added |= {"PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig", "LD_LIBRARY_PATH": f"{prefix}/lib",
                  "PYTHONPATH": f"{prefix}/share/springbench/python"}
    elif not installed:
        prefix.mkdir()
        (prefix / "springbench.pc").write_text("Name: springbench\nDescription: headers\nVersion: 1\n"
                                               f"Cflags: -I{root / 'base'}\n")
        added["PKG_CONFIG_PATH"] = str(prefix)
    return os.environ | added | {"PATH": f"{added['PATH']}:/usr/bin:{os.environ['PATH']}"}


def alike(wanted, line):
    if number.sub("#", wanted).split() != number.sub("#", line).split():
        return False
    return all(abs(float(a) - float(b)) <= 0.1 * abs(float(a))
               for a, b in zip(number.findall(wanted), number.findall(line)))


def faults_of(page, kinds, folder, environment, printed=""):
    for kind, text in re.findall(rf"^```({'|'.join(kinds)})\n(.*?)^```$", page.read_text(), re.M | re.S):
        count[0] += 1
        if kind == "yaml":
            (folder / re.match(r"# (\S+)", text).group(1)).write_text(text)
        elif kind == "text":
            yield from (f"{page.name}: not printed: {line}" for line in text.splitlines()
                        if not any(alike(line, other) for other in printed.splitlines()))
        else:
            done = subprocess.run(["bash", "-euc", text], cwd=folder, capture_output=True, text=True, env=environment)
            printed = done.stdout + done.stderr
            if done.returncode:
                yield f"{page.name}: status {done.returncode} of: {text}{printed}"


bad, count = [], [0]
for page in pages:
    kinds = ["sh run", "sh installed"] if installed else ["sh run"]
    with tempfile.TemporaryDirectory() as above:
        folder, tutorial = pathlib.Path(above) / "typed", page.name == "tutorial.md"
        if tutorial and not installed:
            continue
        shutil.copytree(root / "examples", folder)
        bad += faults_of(page, ["yaml", "sh", "text"] if tutorial else kinds, folder, surroundings(above))
print("\n".join(bad) if bad else f"{count[0]} blocks")
sys.exit(bool(bad) or count[0] < (20 if installed else 3))
