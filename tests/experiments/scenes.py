"""Every scene runs as it stands, untouched, to a sensible end: status ok, and a table of what it takes."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

PROGRAM = sys.argv[1]
MESH = pathlib.Path(__file__).parent.parent / "model" / "meshes" / "two.obj"


def run(*pairs):
    started = time.monotonic()
    done = subprocess.run([PROGRAM, "case", *pairs, "--json"], capture_output=True, text=True, timeout=280)
    return time.monotonic() - started, json.loads(done.stdout) if done.returncode == 0 else {"status": done.stderr}


def names():
    listed = subprocess.run([PROGRAM, "list", "scenes", "--json"], capture_output=True, text=True, check=True)
    return [scene["name"] for scene in json.loads(listed.stdout)["scenes"]]


class Scenes(unittest.TestCase):
    def test_defaults(self):
        scenes = names()
        self.assertGreaterEqual(len(scenes), 10)
        pairs = {scene: [f"scene={scene}"] + ([f"mesh={MESH}"] if scene == "mesh" else []) for scene in scenes}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            ended = dict(zip(scenes, pool.map(lambda scene: run(*pairs[scene]), scenes)))
        for scene, (seconds, row) in ended.items():
            print(f"{scene:16} {row['status']:14} {seconds:6.1f} s")
        self.assertEqual([scene for scene in scenes if ended[scene][1]["status"] != "ok"], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
