"""Every source passes clang with the warnings of the house, as errors. It reads them only: what clang would generate and
link, nobody runs. Argument: the build folder, whose compile_commands.json has the options."""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

commands = {}
for entry in json.loads((pathlib.Path(sys.argv[1]) / "compile_commands.json").read_text()):
    commands.setdefault(entry["file"], entry)


def complaints(entry):
    words = shlex.split(entry["command"].replace("\\$$", "$"))  # CMake writes it for Ninja and the shell
    options = words[1:words.index("-o")] + [entry["file"]]
    done = subprocess.run(["clang", "-fsyntax-only", "-Werror", *options], cwd=entry["directory"], capture_output=True,
                          text=True)
    return done.stderr or f"{entry['file']}: status {done.returncode}\n" if done.returncode else ""


with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
    bad = list(filter(None, pool.map(complaints, commands.values())))
print("".join(bad) if bad else f"{len(commands)} sources")
sys.exit(bool(bad) or len(commands) < 100)
