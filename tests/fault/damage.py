# SPDX-License-Identifier: GPL-3.0-or-later
"""Decay of what is stored: flipped bits, truncations and zeroed pages of published case files, flipped bits of the journal
and of the stored plan. Every damage is reported before the file reaches the HDF5 library; no command shows other numbers.

usage: damage.py PROGRAM PRELOAD [FLIPS CUTS PAGES]
"""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from trials import Trials, expect, results_of

SWEEP = """springbench: 1
name: decay
question: Is damage noticed?
source: this test
driver: trajectory
timed: true
defaults: {scene: rope, nodes: 5, h: 0.01, duration: 0.1, integrator: symplectic_euler, save: "every:1"}
sweep:
  - grid: {seed: [1, 2, 3, 4], drag: [0, 0.125]}
tables: [{id: ends, title: Ends, rows: seed, columns: drag, cell: energy_final}]
figures: [{id: motion, title: Motion, kind: curves, data: frames, x: time, y: energy_total, series: [seed, drag]}]
"""
PAGE = 4096


def flip(content, draw):
    bit = draw.randrange(8 * len(content))
    content[bit // 8] ^= 1 << bit % 8
    return f"bit {bit}"


def cut(content, draw):
    length = draw.randrange(len(content))
    del content[length:]
    return f"cut to {length}"


def blank(content, draw):
    while True:
        start = PAGE * draw.randrange((len(content) + PAGE - 1) // PAGE)
        end = min(start + PAGE, len(content))
        if any(content[start:end]):
            content[start:end] = bytes(end - start)
            return f"page {start // PAGE} zeroed"


class Decay:
    def __init__(self, program, preload, folder):
        # The same objects with HDF5 as a shared library, of which calls can be seen.
        self.program, self.preload = program + "-cases", preload
        self.folder = pathlib.Path(folder)
        self.sweep = self.folder / "decay.yaml"
        self.out = self.folder / "results" / "decay"
        self.log = self.folder / "opened"
        self.sweep.write_text(SWEEP)
        done = self.call("run", self.sweep, "-o", self.out, "-r", "2", "--progress", "none")
        self.log.unlink(missing_ok=True)
        self.expected = results_of(self.out)
        expect(len(self.expected) == 8 and done.returncode in (0, 5), done.stderr)
        path = next((self.out / "cases").glob("*.h5"))
        expect(self.call("export", path).returncode == 0 and self.opened_by_hdf5(path), "a whole file is read by HDF5")

    def call(self, *arguments):
        environment = {**os.environ, "LD_PRELOAD": str(self.preload), "SB_FAULT_ROOT": str(self.folder),
                       "SB_FAULT_LOG": str(self.log)}
        return subprocess.run([self.program, *map(str, arguments)], capture_output=True, env=environment, timeout=300,
                              text=True, errors="replace")

    def opened_by_hdf5(self, path):
        """Whether a library call opened this file since the last look."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return any(" H5Fopen " in line and line.endswith("/" + path.name) for line in lines)

    def readers(self, path):
        """Every command that reads case files, each with whether it must refuse."""
        key = path.stem
        return [(("export", f"{self.out}/{key}", "--to", "csv"), True), (("export", path, "--to", "json"), True),
                (("export", path, "--to", "xdmf"), True), (("animate", f"{self.out}/{key}"), True),
                (("animate", path), True),
                (("case", f"--continue={path}", "duration=0.2"), True),
                (("plot", self.out), False), (("report", self.out), False), (("status", self.out), False),
                (("show", f"{self.out}/{key}"), False), (("table", self.out), False),
                (("compare", self.out, self.out), False), (("run", self.out, "--progress", "none"), False)]


def check(decay, trials, what, arguments, path, must_refuse):
    done = decay.call(*arguments)
    words = f"{what}: springbench {' '.join(map(str, arguments))}"
    if done.returncode < 0:
        trials.note("crashes", f"{words}: signal {-done.returncode}")
    if must_refuse and (done.returncode == 0 or path.name not in done.stdout + done.stderr):
        trials.note("false_ok", f"{words}: status {done.returncode}: {done.stderr}")
    if decay.opened_by_hdf5(path):
        trials.note("unreadable", f"{words}: HDF5 got to see the damaged file")
    return done


def damage_case_files(decay, trials, counts):
    draw = random.Random(4)
    files = sorted((decay.out / "cases").glob("*.h5"))
    number = 0
    for harm, count in zip((flip, cut, blank), counts):
        for _ in range(count):
            path = draw.choice(files)
            whole = path.read_bytes()
            content = bytearray(whole)
            what = f"{path.name}, {harm(content, draw)}"
            path.write_bytes(content)
            trials.trials += 1
            number += 1
            done = check(decay, trials, what, ("run", decay.out, "--verify", "--dry-run"), path, False)
            named = re.findall(r"cases/([0-9a-f]{16})\.h5 does not match its checksum", done.stderr)
            if named != [path.stem] or done.stdout.count("springbench case ") != 1:
                trials.note("false_ok", f"{what}: run --verify says {named}: {done.stderr}")
            readers = decay.readers(path)
            chosen = readers if number % 100 == 1 else [readers[number % 6]]
            for arguments, must_refuse in chosen:
                check(decay, trials, what, arguments, path, must_refuse)
            path.write_bytes(whole)
    done = decay.call("run", decay.out, "--verify", "--dry-run")
    expect("checksum" not in done.stderr and done.stdout == "", "the files restored:", done.stderr)


def damage_and_repair(decay, trials):
    """`run --verify` makes the damaged files again, and no others."""
    draw = random.Random(5)
    for path in sorted((decay.out / "cases").glob("*.h5"))[:3]:
        content = bytearray(path.read_bytes())
        flip(content, draw)
        path.write_bytes(content)
        trials.trials += 1
        done = decay.call("run", decay.out, "--verify", "-r", "2", "--progress", "none")
        if done.returncode not in (0, 5) or results_of(decay.out).keys() != decay.expected.keys():
            trials.note("other", f"{path.name} repaired: {done.stderr}")
        digests = {key: value[1] for key, value in results_of(decay.out).items()}
        if digests != {key: value[1] for key, value in decay.expected.items()}:
            trials.note("false_ok", f"{path.name}: repaired to something else")


def damage_texts(decay, trials, count):
    """The journal and the plan: a table shows the same numbers, or there is a word."""
    draw = random.Random(6)
    table = decay.call("table", decay.out, "--format", "csv").stdout
    expect(len(table.splitlines()) == 5, table)
    for name in ("journal.jsonl", "plan.json"):
        path = decay.out / name
        whole = path.read_bytes()
        for _ in range(count):
            content = bytearray(whole)
            what = f"{name}, {flip(content, draw)}"
            path.write_bytes(content)
            trials.trials += 1
            done = decay.call("table", decay.out, "--format", "csv")
            if done.returncode < 0:
                trials.note("crashes", f"{what}: {done.returncode}")
            if done.stdout != table and ": error: " not in done.stderr and "damaged" not in done.stderr:
                trials.note("false_ok", f"{what}: another table without a word: {done.stderr}{done.stdout}")
        path.write_bytes(whole)


def main():
    counts = list(map(int, sys.argv[3:6])) or [1000, 200, 200]
    with tempfile.TemporaryDirectory(prefix="springbench-damage-") as folder:
        decay = Decay(sys.argv[1], sys.argv[2], folder)
        trials = Trials("Damaged files")
        damage_case_files(decay, trials, counts)
        damage_and_repair(decay, trials)
        damage_texts(decay, trials, counts[0] // 4)
        return trials.end()


if __name__ == "__main__":
    sys.exit(main())
