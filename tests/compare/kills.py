"""`springbench merge` killed with SIGKILL at every call that writes, links, renames, syncs or unlinks: the same command
goes on and ends with what an undisturbed merge ends with."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import world
from world import PROGRAM, World, sweep

CALLS = ["openat", "write", "pwrite64", "ftruncate", "fsync", "rename", "renameat2", "link", "unlink", "close", "flock"]
if not shutil.which("strace"):
    sys.exit(77)


class Kills(World):
    def setUp(self):
        super().setUp()
        path = sweep(self.folder / "small.yaml", axes="stiffness: [50, 100], substeps: [9, 64]")
        self.parts = [self.run_sweep(path, f"part{i}", "--shard", f"{i}/2") for i in (1, 2)]

    def merge(self, *strace):
        return subprocess.run([*strace, PROGRAM, "merge", "out", *map(str, self.parts)], cwd=self.folder,
                              capture_output=True, text=True)

    def index(self):
        rows = self.rows(self.folder / "out" / "results.csv")
        return [(row["key"], row["status"], row["digest"]) for row in rows]

    def test_every_call(self):
        log = self.folder / "calls"
        done = self.merge("strace", "-o", str(log), "-e", "trace=" + ",".join(CALLS))
        self.assertEqual(done.returncode, 0, done.stderr)
        # Up to the index; what comes after, tables and pages, are made again by the next.
        lines = log.read_text().splitlines()
        from_here = next(i for i, line in enumerate(lines) if '"out/lock"' in line)
        until = max(i for i, line in enumerate(lines) if re.match(r'rename\w*\(.*"out/results.h5"', line)) + 2
        expected, counts, killed, resumed = self.index(), {}, 0, 0
        shown = self.tree(self.folder / "out", ("lock", "report.html", "report.md", "results.h5"))
        for i, line in enumerate(lines[:until]):
            call = line.split("(")[0]
            counts[call] = counts.get(call, 0) + 1
            if i < from_here or call not in CALLS:
                continue
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            done = self.merge("strace", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                              f"inject={call}:signal=KILL:when={counts[call]}")
            killed += done.returncode != 0
            left = self.folder / "out" / "cases"
            resumed += left.is_dir() and bool(os.listdir(left))
            done = self.merge()
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")
            self.assertEqual(self.index(), expected, line)
            tree = self.tree(self.folder / "out", ("lock", "report.html", "report.md", "results.h5", "journal.jsonl"))
            self.assertEqual(tree, {name: shown[name] for name in tree}, line)
            self.assertEqual(len(tree), len(shown) - 1, line)
            self.assertEqual(os.listdir(self.folder / "out" / "tmp"), [], line)
        print(f"{killed} kills, {resumed} of them with cases joined before; 0 cases lost, 0 left aside", file=sys.stderr)
        self.assertGreater(killed, 50)


if __name__ == "__main__":
    world.main()
