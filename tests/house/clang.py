# SPDX-License-Identifier: GPL-3.0-or-later
"""Every source passes clang with the warnings of the house, as errors. It reads them only: what clang would generate and
link, nobody runs. Argument: the build folder, whose compile_commands.json has the options; every source of the tree has
to be in it."""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Linked into all programs of a configuration, or compiled by tests as users do: read here with the options of a test.
IN_NO_TARGET = ("tests/coverage/exit.c", "tests/sanitized.c", "examples/cloth_from_arrays.c", "examples/own_avbd.c",
                "examples/own_projective.c", "examples/own_solver.c", "examples/own_vbd.c", "examples/own_xpbd.c",
                "tests/device/broken_driver.c", "tests/device/races/races.c", "tests/drivers/simulator.c", "tests/library/host.c",
                "tests/library/own_passes.c")
commands = {}
for entry in json.loads((pathlib.Path(sys.argv[1]) / "compile_commands.json").read_text()):
    commands.setdefault(os.path.relpath(os.path.realpath(entry["file"]), ROOT), entry)
for source in IN_NO_TARGET:
    donor = commands["tests/run/world.c"]
    folders = "".join(f"-I{ROOT}/{folder} " for folder in ("library", "base", "examples/simulators"))
    installed = donor["command"].replace(" ", f" {folders}", 1)  # headers as installed
    commands.setdefault(source, {**donor, "command": installed, "file": str(ROOT / source)})
sources = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("[!.]*/**/*.c")}
unread = sorted(source for source in sources - set(commands) if not source.startswith("build/"))


def complaints(entry):
    words = shlex.split(entry["command"].replace("\\$$", "$"))  # CMake writes it for Ninja and the shell
    options = words[1:words.index("-o")] + [entry["file"]]
    done = subprocess.run(["clang", "-fsyntax-only", "-Werror", *options], cwd=entry["directory"], capture_output=True,
                          text=True)
    return done.stderr or f"{entry['file']}: status {done.returncode}\n" if done.returncode else ""


with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
    bad = list(filter(None, pool.map(complaints, commands.values())))
bad += [f"{source}: this configuration compiles it in no target\n" for source in unread]
print("".join(bad) if bad else f"{len(commands)} sources")
sys.exit(bool(bad) or len(commands) < 100)
