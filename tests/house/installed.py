# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: installed.py ROOT BUILD. `./run_all.sh`, then `cmake --install build/release`, as the pages promise: what is
installed of the build is made by the target that run_all.sh builds, or when CMake runs. tests/long.sh types the lines."""
import pathlib
import re
import subprocess
import sys

ROOT, BUILD = map(pathlib.Path, sys.argv[1:3])


def ninja(*words):
    """The files of its answer, without links to others."""
    done = subprocess.run(["ninja", "-C", BUILD, *words], capture_output=True, text=True, check=True)
    return {str(BUILD / re.sub(": .*", "", line)) for line in done.stdout.splitlines() if ": CMAKE_SYMLINK" not in line}


target = re.search(r"^ *build release --target (\w+)", (ROOT / "run_all.sh").read_text(), re.M).group(1)
wanted = [path for script in BUILD.rglob("cmake_install.cmake")
          for call in re.findall(r"file\(INSTALL DESTINATION [^()]*?\)", script.read_text()) if " OPTIONAL" not in call
          for path in re.findall(r'"([^"]+)"', call.partition(" FILES")[2]) if path.startswith(f"{BUILD}/")]
missing = (ninja("-t", "targets", "all") & set(wanted)) - ninja("-t", "inputs", target)
for path in missing:
    print(f"{path} is installed, but ./run_all.sh does not build it")
print(f"{len(wanted)} files of the build are installed")
sys.exit(1 if missing or len(wanted) < 4 else 0)
