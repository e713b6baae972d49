# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of docs/reference are what `springbench list` prints. Arguments: the program, the source folder; with --write
the pages are renewed (build target `reference`)."""
import json
import os
import pathlib
import subprocess
import sys

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
folder = root / "docs/reference"
NOT_A_PAGE = {"sweeps"}  # README.md tells of them


def listed(*arguments):
    """A list without the plug-ins and simulators of who makes the pages."""
    own = {name: value for name, value in os.environ.items() if name not in ("SPRINGBENCH_PLUGINS", "SPRINGBENCH_SIMULATORS")}
    return subprocess.run([program, "list", *arguments], capture_output=True, text=True, check=True, env=own).stdout


pages = {f"{topic}.md": listed(topic, "--markdown") for topic in json.loads(listed("--json")) if topic not in NOT_A_PAGE}
if "--write" in sys.argv:
    folder.mkdir(exist_ok=True)
    for name, text in pages.items():
        (folder / name).write_text(text)
there = {path.name: path.read_text() for path in folder.glob("*.md")}
bad = [f"docs/reference/{name}" for name in sorted(pages.keys() | there.keys()) if pages.get(name) != there.get(name)]
bad += [f"docs/README.md does not name reference/{name}" for name in sorted(pages)
        if f"(reference/{name})" not in (root / "docs/README.md").read_text()]
if bad:
    print("\n".join(bad), "differ from what the program lists; renew them with\n    cmake --build build/dev --target reference",
          sep="\n")
sys.exit(bool(bad))
