# SPDX-License-Identifier: GPL-3.0-or-later
"""`springbench merge` as a user types it: parts of a sweep make the whole; what contradicts is refused; a damaged file, a
busy directory, a kill."""
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import world
from world import PROGRAM, World, forge_digest, sweep

SHARDS = 3


class Merge(World):
    @classmethod
    def make_shared(cls, maker):
        """A sweep run whole and in three parts, and the parts joined."""
        cls.sweep = sweep(cls.shared / "small.yaml")
        cls.whole = maker.run_sweep(cls.sweep, "whole")
        cls.parts = [maker.run_sweep(cls.sweep, f"part{i}", "--shard", f"{i}/{SHARDS}") for i in (1, 2, 3)]
        before = [maker.tree(part, ()) for part in cls.parts]
        cls.said = maker.call("merge", "joined", *cls.parts).stderr
        cls.joined = cls.shared / "joined"
        cls.sources_unchanged = before == [maker.tree(part, ()) for part in cls.parts]

    def events(self, directory):
        return [json.loads(line) for line in (directory / "journal.jsonl").read_text().splitlines()]

    def key_of(self, directory, number=0):
        return sorted(path.stem for path in (directory / "cases").glob("*.h5"))[number]

    def same_as_whole(self, joined):
        told = json.loads(self.call("compare", self.whole, joined, "--bitwise", "--format", "json").stdout)
        self.assertEqual([told["summary"][name] for name in ("compared", "bits_equal", "worse")], [6, 6, 0])
        self.assertEqual((told["A"]["only_here"], told["B"]["only_here"]), ([], []))
        timings = ("wall_s", "max_rss_bytes")
        whole, here = (self.rows(path / "results.csv") for path in (self.whole, joined))
        for row in whole + here:
            for name in timings:
                row.pop(name)
        self.assertEqual(whole, here)  # in the same order too
        files = sorted(path.name for path in (self.whole / "cases").iterdir())
        self.assertEqual(files, sorted(path.name for path in (joined / "cases").iterdir()))
        self.assertEqual(len(files), 12)
        for name in ("tables/times.csv", "tables/times.md", *(f"cases/{name}" for name in files if ".xdmf" in name)):
            self.assertEqual((self.whole / name).read_text(), (joined / name).read_text())

    def test_parts_make_the_whole(self):
        self.same_as_whole(self.joined)
        self.assertTrue(self.sources_unchanged)
        self.assertIn("6 cases in joined: 6 taken", self.said)
        done = self.call("run", self.sweep, "-o", self.joined, "--verify", "--progress", "lines")
        self.assertIn("6 cases: 6 done, 0 skipped, 0 to run", done.stderr)
        self.assertEqual(self.call("export", self.joined).stdout, (self.joined / "results.csv").read_text())
        told = json.loads(self.call("export", self.joined, "--to", "json").stdout)
        self.assertEqual([case["key"] for case in told["cases"]],
                         [row["key"] for row in self.rows(self.joined / "results.csv")])
        key = told["cases"][0]["key"]
        self.assertEqual(json.loads(self.call("export", self.joined / key[:8], "--to", "json").stdout)["row"]["key"], key)
        self.call("export", self.joined / "00000000", status=2)
        published = [event for event in self.events(self.joined) if event["event"] == "publish"]
        self.assertEqual(sorted({event["from"] for event in published}), sorted(map(str, self.parts)))
        self.assertEqual(len(published), 6)
        rows = {event["key"]: event["row"] for part in self.parts for event in self.events(part) if "row" in event}
        self.assertEqual([event["row"] for event in published], [rows[event["key"]] for event in published])

    def test_a_part_is_told_to_be_one(self):
        planned = self.call("plan", self.sweep, "--shard", "2/3", "-o", "new").stdout
        self.assertIn("6 cases into new; of them shard 2/3", planned)
        self.assertIn("2 to run, 0 done", planned)
        stored = [row["key"] for row in self.rows(self.parts[1] / "results.csv")]
        self.assertEqual([line.split()[0] for line in planned.splitlines()[1:-1]], stored)
        self.assertIn("2 cases (the whole sweep has 6)", self.call("status", self.parts[1]).stdout)
        self.assertNotIn("whole sweep", self.call("status", self.joined).stdout)
        done = self.call("run", self.sweep, "-o", self.copy(self.parts[1], "part"), "--shard", "2/3")
        self.assertIn("small: 2 of 6 cases: ", done.stderr)

    def test_scripts_of_one_s_own_come_along(self):
        """A part keeps a script before any case is run; what is joined draws by it when nothing else has it any more."""
        with open(sweep(self.folder / "drawn.yaml"), "a") as file:
            file.write("figures: [{id: drawn, script: own.gp}]\n")
        script = self.folder / "own.gp"
        script.write_text("plot data using 'substeps':'steps_done' with points\n")
        told = self.call("run", "drawn.yaml", "-o", "part1", "--shard", "1/2", status=5).stderr
        self.assertIn("gnuplot drew nothing; a script must begin its picture with `eval page(", told)
        script.write_text("eval page(8, 5)\n" + script.read_text())
        for part in "1", "2":
            self.call("run", "drawn.yaml", "-o", f"part{part}", "--shard", f"{part}/2")
        text = script.read_text()
        script.unlink()
        (self.folder / "drawn.yaml").unlink()
        for _ in range(2):  # the second changes nothing
            self.call("merge", "joined", "part1", "part2", "--trust")
            self.assertEqual((self.folder / "joined/figures/scripts/own.gp").read_text(), text)
        shutil.rmtree(self.folder / "part1")
        shutil.rmtree(self.folder / "part2")
        (self.folder / "joined/figures/drawn.svg").unlink()
        self.call("report", "joined")
        self.call("run", "joined", "--trust")
        self.assertTrue((self.folder / "joined/figures/drawn.svg").stat().st_size > 1000)

    def test_runs_and_timings_of_the_noise_floor_come_along(self):
        part, out = self.copy(self.parts[0], "part"), self.folder / "out"
        floors = [{"event": "floor", "at": "2001-02-03T04:05:06Z", "case": self.key_of(part), "seconds": seconds,
                   "noisy": "", "build": "b", "machine": "m"} for seconds in (0.5, 0.625)]
        with open(part / "journal.jsonl", "a") as journal:
            journal.writelines(json.dumps(floor) + "\n" for floor in floors)
        for _ in range(2):  # once, however often
            self.call("merge", out, part, self.parts[1])
            events = self.events(out)
            self.assertEqual([event["seconds"] for event in events if event["event"] == "floor"], [0.5, 0.625])
            self.assertEqual([event["from"] for event in events if event["event"] == "run"],
                             [str(part), str(self.parts[1])])

    def test_however_they_are_joined(self):
        joined = self.folder / "joined"
        for i, part in enumerate(self.parts):  # one after the other
            self.call("merge", joined, part)
            self.assertEqual(len(self.rows(joined / "results.csv")), 2 * (i + 1))
        before = self.tree(joined)
        self.assertIn("0 taken, 6 there already", self.call("merge", joined, *self.parts).stderr)
        self.assertEqual(before, self.tree(joined))
        (joined / "results.csv").unlink()  # as a kill before the index leaves it
        self.call("merge", joined, *self.parts)
        self.same_as_whole(joined)
        done = self.call("merge", "overlap", self.whole, *self.parts)
        self.assertIn("6 taken", done.stderr)
        self.assertIn("6 in several directories, taken once", done.stderr)
        self.same_as_whole(self.folder / "overlap")

    def test_order_of_rows_is_not_that_of_folders(self):
        """Also of cases that command lines added."""
        asked = ["-p", "stiffness+=104,7"], ["-p", "substeps+=9", "-p", "stiffness+=3"]
        parts = [self.folder / f"{word}-{i}" for word in range(2) for i in range(2)]
        for i, part in enumerate(parts):
            self.call("run", self.sweep, "-o", part, *asked[i // 2], "--shard", f"{i % 2 + 1}/2")
        for number, order in enumerate((parts, parts[::-1], parts[1:] + parts[:1])):
            self.call("merge", f"order{number}", *order)
        keys = [[row["key"] for row in self.rows(self.folder / f"order{i}/results.csv")] for i in range(3)]
        self.assertEqual(len(keys[0]), 15)
        self.assertEqual([keys[0]] * 3, keys)

    def test_contradictions(self):
        key, joined = self.key_of(self.whole), self.folder / "joined"
        forged = self.copy(self.whole, "forged")
        self.edit_journal(forged, forge_digest(key))
        done = self.call("merge", joined, self.whole, forged, status=2)
        for part in (key, str(self.whole), str(forged), "E115", "--prefer"):
            self.assertIn(part, done.stderr)
        self.assertFalse(joined.exists())
        target = self.copy(self.whole, "target")  # results in OUT count too
        before = self.tree(target)
        self.assertIn("E115", self.call("merge", target, forged, status=2).stderr)
        self.assertEqual(before, self.tree(target))
        for prefer, source in (("first", self.whole), ("last", forged)):
            out = self.folder / prefer
            for again in (False, True):
                done = self.call("merge", out, self.whole, forged, "--prefer", prefer)
                self.assertIn("0 taken" if again else "6 taken", done.stderr)
            held = [event for event in self.events(out) if event.get("key") == key]
            self.assertEqual([event["from"] for event in held], [str(source)])
        digests = {row["key"]: row["digest"] for row in self.rows(self.folder / "last" / "results.csv")}
        self.assertEqual(digests[key], "7" * 32)

    def test_failures_stand_until_there_is_a_result(self):
        failing = self.copy(self.parts[0], "failing")
        key = self.key_of(failing)

        def fail(event):
            if event.get("key") == key:
                event["event"] = "fail"
                event["row"].update(status="timeout", reason="over the limit")
            return event
        self.edit_journal(failing, fail)
        (failing / "cases" / (key + ".h5")).unlink()
        (failing / "logs" / (key + ".txt")).write_text("the end\n")
        out = self.folder / "out"
        done = self.call("merge", out, failing, status=1)
        self.assertIn("1 failed", done.stderr)
        self.assertIn("timeout  over the limit", self.call("status", out).stdout)
        self.assertIn("the end", self.call("show", out / key).stdout)
        lines = len(self.events(out))
        self.call("merge", out, failing, status=1)
        self.assertEqual(len(self.events(out)), lines)
        self.call("merge", out, failing, self.parts[0])
        self.assertNotIn("timeout", self.call("status", out).stdout)
        self.call("merge", "other", failing, self.parts[0])
        self.assertNotIn("timeout", self.call("status", "other").stdout)

    def test_a_damaged_file(self):
        damaged = self.copy(self.whole, "damaged")
        key = self.key_of(damaged)
        path = damaged / "cases" / (key + ".h5")
        path.write_bytes(path.read_bytes()[:-1] + b"x")
        done = self.call("merge", "out", damaged, status=5)
        self.assertIn(f"{path} is damaged", done.stderr)
        self.assertIn("5 taken", done.stderr)
        self.assertFalse((self.folder / "out/cases" / (key + ".h5")).exists())
        self.assertEqual(len(list((self.folder / "out/cases").glob("*.h5"))), 5)
        # another directory has it whole; that one is damaged is still told
        self.assertIn("6 taken", self.call("merge", "two", damaged, self.whole, status=5).stderr)
        self.same_as_whole(self.folder / "two")
        path.unlink()
        self.assertIn("1 missing", self.call("merge", "three", damaged, status=1).stderr)

    def test_busy(self):
        part = self.copy(self.parts[0], "part")
        out = self.folder / "out"
        out.mkdir()
        for holder, mode in ((part, fcntl.LOCK_EX), (out, fcntl.LOCK_EX), (out, fcntl.LOCK_SH)):
            with open(holder / "lock", "a") as lock:
                fcntl.flock(lock, mode)
                done = self.call("merge", out, part, status=6)
                self.assertIn(f"{holder} is in use by", done.stderr)
            self.assertEqual([path.name for path in out.iterdir() if path.name != "lock"], [])
        with open(part / "lock", "a") as lock:  # others may read too
            fcntl.flock(lock, fcntl.LOCK_SH)
            self.call("merge", out, part)

    def test_strangers(self):
        other = self.copy(self.parts[0], "other")
        text = (other / "sweep.yaml").read_text()
        (other / "sweep.yaml").write_text(text.replace("name: small", "name: large"))
        done = self.call("merge", "out", self.parts[1], other, status=2)
        for part in (str(other), "'large'", str(self.parts[1]), "'small'", "E114"):
            self.assertIn(part, done.stderr)
        self.assertIn("E114", self.call("merge", self.copy(self.whole, "target"), other, status=2).stderr)
        (other / "sweep.yaml").write_text(text)
        plan = json.loads((other / "plan.json").read_text())
        plan.pop("check", None)
        plan["springbench"] = 99
        (other / "plan.json").write_text(json.dumps(plan))
        done = self.call("merge", "out", self.parts[1], other, status=2)
        self.assertTrue("E114" in done.stderr and "format 99" in done.stderr and str(other) in done.stderr)
        self.assertIn("is nowhere a results directory", self.call("merge", "out", "nowhere", status=2).stderr)
        self.assertFalse((self.folder / "out").exists())
        (self.folder / "full").mkdir()
        (self.folder / "full" / "thesis.txt").write_text("mine")
        self.assertIn("thesis.txt", self.call("merge", "full", self.parts[0], status=2).stderr)
        self.assertEqual(os.listdir(self.folder / "full"), ["thesis.txt"])
        for wrong in ([], ["out"], ["out", self.whole, "--prefer", "newest"]):
            self.call("merge", *wrong, status=2)
        self.assertIn("cannot be one of the others", self.call("merge", self.whole, self.whole, status=2).stderr)
        self.assertIn("--shard 1/3", self.call("merge", "--help").stdout)

    def test_files_of_other_contents(self):
        """Cases that name one file are of one sweep only if it held the same, in the sources and in what is there."""
        for number, (option, _, name, *_) in enumerate(world.INPUTS):
            with self.subTest(option):
                here, there = (world.inputs(self.folder / f"{side}{number}", number, side) for side in (0, 1))
                one = self.run_sweep(here, f"one{number}", "--shard", "1/2")
                two = self.run_sweep(there, f"two{number}", "--shard", "2/2")
                option = option.split(", ")[-1].replace(": ", "=")
                said = self.call("merge", f"out{number}", one, two, status=2).stderr
                self.assertEqual(said, f"springbench: error: the cases of {one} and of {two} were computed with different "
                                 f"contents of {option}: nothing was joined; run the cases of one of them again with the file of the other [E114]\n")
                self.assertFalse((self.folder / f"out{number}").exists())
        self.call("merge", "out", one)
        before = self.tree(self.folder / "out")
        self.assertIn("[E114]", self.call("merge", "out", two, "--prefer", "last", status=2).stderr)
        self.assertEqual(before, self.tree(self.folder / "out"))
        (there.parent / name).write_text((here.parent / name).read_text())
        self.assertIn("2 taken", self.call("merge", "out", self.run_sweep(there, "again", "--shard", "2/2")).stderr)

    def test_restarts_from_other_states(self):
        begun = ["case", "scene=cloth", "grid=2", "h=0.01", "-o", "begun.h5"]
        parts = []
        for shard, duration in ((1, 0.02), (2, 0.03)):
            self.call(*begun, f"duration={duration}")
            path = self.folder / "on.yaml"
            path.write_text(world.SWEEP.format(name="on", driver="trajectory", axes="save: [none]", rows="driver",
                                               defaults="", cells="[{label: e, value: energy_final}]").replace(
                "scene: rope, nodes: 8, frames: 20", "scene: cloth, grid: 2, h: 0.01, restart: begun.h5").replace(
                "grid: {save: [none]}", "grid: {duration: [0.04, 0.05]}"))
            parts.append(self.run_sweep(path, f"part{shard}", "--shard", f"{shard}/2"))
        self.assertIn("different contents of restart=begun.h5", self.call("merge", "out", *parts, status=2).stderr)

    def test_other_file_system(self):
        memory = pathlib.Path("/dev/shm")
        if not memory.is_dir() or memory.stat().st_dev == self.folder.stat().st_dev:
            self.skipTest("no second file system")
        folder = pathlib.Path(tempfile.mkdtemp(dir=memory))
        try:
            self.assertNotIn("as links", self.call("merge", folder / "out", *self.parts).stderr)
            self.same_as_whole(folder / "out")
        finally:
            shutil.rmtree(folder)
        self.assertIn("as links", self.said)


CALLS = ["openat", "write", "pwrite64", "ftruncate", "fsync", "fdatasync", "rename", "renameat2", "link", "unlink", "close", "flock"]


class Kills(World):
    """Killed with SIGKILL at every call that writes, links, renames, syncs or unlinks: the same command goes on and ends
    with what an undisturbed merge ends with."""

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

    def test_cases_are_synced_together(self):
        """Files are synced together: 4000 of them, one by one, would take most of a minute."""
        path = sweep(self.folder / "many.yaml", axes="stiffness: [" + ", ".join(map(str, range(50, 90))) + "]")
        self.parts = [self.run_sweep(path, "many", "-j", "2")]
        log = self.folder / "calls"
        done = self.merge("strace", "-y", "-o", str(log), "-e", "trace=fsync")
        self.assertIn("40 taken", done.stderr)
        calls = log.read_text()
        self.assertLess(sum("journal.jsonl>" in line for line in calls.splitlines()), 5, calls)
        self.assertLess(sum("/cases>" in line for line in calls.splitlines()), 5, calls)

    def test_forgetting_at_every_call(self):
        """Half of the cases are forgotten; a kill at any moment loses nothing of the others."""
        self.assertEqual(self.merge().returncode, 0)
        out, whole = self.folder / "out", self.folder / "kept"
        out.rename(whole)

        def forget(*strace, yes=True):
            return subprocess.run([*strace, PROGRAM, "forget", "out", "-f", "stiffness == 50", *["--yes"] * yes],
                                  cwd=self.folder, capture_output=True, text=True)

        def restore():
            shutil.rmtree(out, ignore_errors=True)
            shutil.copytree(whole, out)

        restore()
        before = self.tree(out, ())
        said = forget(yes=False)
        self.assertEqual((said.returncode, said.stdout.count("substeps"), self.tree(out, ())), (0, 2, before))
        log = self.folder / "calls"
        done = forget("strace", "-o", str(log), "-e", "trace=" + ",".join(CALLS))
        self.assertEqual((done.returncode, done.stdout), (0, said.stdout))
        expected, lines = self.index(), log.read_text().splitlines()
        self.assertEqual(len(expected), 2)
        kept = {f"cases/{key}{end}": before[f"cases/{key}{end}"] for key, *_ in expected for end in (".h5", ".xdmf")}
        left = self.tree(out, ())
        self.assertEqual({name for name in left if name.startswith("cases/")}, set(kept))
        self.assertEqual({name for name in left if name.startswith("logs/")}, {f"logs/{key}.txt" for key, *_ in expected})
        from_here = next(i for i, line in enumerate(lines) if '"out/lock"' in line)
        until = next(i for i, line in enumerate(lines) if re.match(r'rename\w*\(.*"out/plan.json"', line)) + 2
        counts, killed = {}, 0
        for i, line in enumerate(lines[:until]):
            call = line.split("(")[0]
            counts[call] = counts.get(call, 0) + 1
            if i < from_here or call not in ("write", "fsync", "rename", "unlink", "ftruncate"):
                continue
            restore()
            killed += forget("strace", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                             f"inject={call}:signal=KILL:when={counts[call]}").returncode != 0
            there = self.tree(out, ())
            self.assertEqual({name: there.get(name) for name in kept}, kept, line)
            self.assertIn(forget().returncode, (0, 7), line)
            self.assertEqual(forget().returncode, 7, line)
            done = subprocess.run([PROGRAM, "run", "out", "--progress", "lines"], cwd=self.folder, capture_output=True, text=True)
            self.assertIn("2 cases: 2 done, 0 skipped, 0 to run", done.stderr, line)
            self.assertEqual(self.index(), expected, line)
            self.assertEqual({name: self.tree(out, ()).get(name) for name in kept}, kept, line)
        self.assertGreater(killed, 8)

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
    if "Kills" in sys.argv and not shutil.which("strace"):
        sys.exit(77)
    world.main()
