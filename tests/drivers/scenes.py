# SPDX-License-Identifier: GPL-3.0-or-later
"""Every scene runs as it stands, untouched, to a sensible end: status ok, as the table in docs/model.md says. Arguments:
the program, the source; --write renews the table, times and all, which are the only thing in it that is not checked."""
import concurrent.futures
import json
import os
import pathlib
import resource
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1]
SOURCE = pathlib.Path(sys.argv[2])
PAGE, HEAD = SOURCE / "docs/model.md", "| scene as it stands | integrator | h (s) | steps | simulated (s) | ends | processor (s) |\n"
MESH = SOURCE / "tests/model/meshes/two.obj"


def call(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=280)


def scenes():
    """Name: integrator, of those that a command line can build."""
    listed = json.loads(call("list", "scenes", "--json").stdout)["scenes"]
    return {scene["name"]: next((pair.split("=")[1] for pair in scene["further defaults"]
                                 if pair.startswith("integrator=")), "symplectic_euler") for scene in listed if scene["name"] != "net"}


def run(scene):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = call("case", f"scene={scene}", *([f"mesh={MESH}"] if scene == "mesh" else []), "--json")
    assert done.returncode == 0, (scene, done.stderr)
    return json.loads(done.stdout) | {"processor": resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before}


def table_row(scene, integrator, row):
    steps, end = row["columns"]["steps_done"], row["columns"]["end_time"]
    return (f"| `{scene}` | `{integrator}` | {end / steps:.4g} | {steps:.0f} | {end:.4g} | {row['status']} "
            f"| {row['processor']:.1f} |\n")


def table():
    named = scenes()
    with concurrent.futures.ThreadPoolExecutor(1 if "--write" in sys.argv else len(os.sched_getaffinity(0))) as pool:
        rows = list(pool.map(run, named))
    return HEAD + "|:---|:---|---:|---:|---:|:---|---:|\n" + "".join(map(table_row, named, named.values(), rows))


class Scenes(unittest.TestCase):
    def test_defaults(self):
        made = table()
        print(made)
        printed = HEAD + PAGE.read_text().split(HEAD)[1].split("\n\n")[0] + "\n"

        def without_times(text):
            return [line.rsplit("|", 2)[0] for line in text.splitlines()]
        self.assertEqual(without_times(made), without_times(printed))
        ends = [line.split("|")[6].strip() for line in made.splitlines()[2:]]
        self.assertGreaterEqual(len(ends), 10)
        self.assertEqual(set(ends), {"ok"})


if __name__ == "__main__" and "--write" in sys.argv:
    before, after = PAGE.read_text().split(HEAD)
    PAGE.write_text(before + table() + "\n" + after.split("\n\n", 1)[1])
elif __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
