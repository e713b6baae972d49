# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases that other engines run: the lines that `plan` writes for them, and what `collect` takes in. usage: engines.py
PROGRAM [TEST ...]
"""
import hashlib
import json
import os
import pathlib
import shutil
import sys
import unittest

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from program import Program, main  # noqa: E402
from xxh3 import digest  # noqa: E402

# Words that a shell, make or xargs would read in their own way, cases that are skipped, and a file that cases name.
SWEEP = """springbench: 1
name: engines
question: Are the results those of a run?
source: this test
driver: trajectory
timed: false
defaults: {scene: rope, nodes: 6, h: 0.01, duration: 0.1, save: final}
sweep:
  - grid:
      integrator: [symplectic_euler, rk4]
      stiffness: [50, 100]
      wind: [none, "expression:x=t<0.05?0:1,y=0.5*sin(3*t)"]
  - grid:
      integrator: [implicit_euler]
      stiffness: [50]
      spring_data: [stiff springs.csv]
      petsc: ["-ksp_type cg -pc_type jacobi"]
      linear: [petsc]
exclude:
  - {when: stiffness == 100 and integrator == rk4, because: it is not asked}
tables:
  - {id: energies, title: Energies, rows: [stiffness, integrator], columns: wind, cell: energy_final}
"""
DATA = "first,second,stiffness\n0,1,75\n"


class Engines(Program):
    shares_folder = True

    @classmethod
    def prepare(cls):
        (cls.folder / "sweep").mkdir()
        (cls.folder / "sweep/engines.yaml").write_text(SWEEP)
        (cls.folder / "sweep/stiff springs.csv").write_text(DATA)
        cls.call("run", "sweep/engines.yaml", "-o", "run")
        cls.digests = {event["key"]: event["row"]["digest"] for event in cls.events(cls.folder / "run", "publish")}

    def engine(self, name, line):
        """Returns the files that an engine makes from the plan, in a folder of its own."""
        (self.folder / name).mkdir()
        self.shell(f"cd {name} && {line}")
        return sorted((self.folder / name).glob("*.h5"))


class Lines(Engines):
    def test_are_the_cases_to_run(self):
        lines = self.call("plan", "sweep/engines.yaml", "-o", "new", "--format", "commands").stdout.splitlines()
        self.assertEqual(7, len(lines))
        self.assertEqual(7, len(self.digests))
        self.assertEqual(set(self.digests), {line.rpartition("-o ")[2].removesuffix(".h5") for line in lines})
        self.assertEqual("", self.call("plan", "sweep/engines.yaml", "-o", "run", "--format", "commands").stdout)
        self.assertFalse((self.folder / "new").exists())

    def test_tell_what_a_case_is(self):
        cases = json.loads(self.call("plan", "sweep/engines.yaml", "-o", "new", "--format", "json").stdout)
        self.assertEqual(["missing"] * 7 + ["skipped"] * 2, sorted(case["state"] for case in cases))
        for case in cases:
            skipped = case["state"] == "skipped"
            self.assertEqual("it is not asked" if skipped else "", case["reason"])
            self.assertEqual([1, 1], [case["ranks"], case["threads"]])
            self.assertEqual(skipped, case["seconds"] == 0 and case["command"] is None)
            self.assertEqual(skipped, case["bytes"] < 65536)
        longer = json.loads(self.call("plan", "sweep/engines.yaml", "-o", "new", "--format", "json", "-p", "nodes=6,6000")
                            .stdout)
        seconds = {case["options"]["nodes"]: case["seconds"] for case in longer if case["state"] == "missing"}
        self.assertGreater(seconds["6000"], seconds["6"])
        done = json.loads(self.call("plan", "sweep/engines.yaml", "-o", "run", "--format", "json").stdout)
        self.assertEqual(["done"] * 7 + ["skipped"] * 2, sorted(case["state"] for case in done))

    def test_start_ranks_as_the_run_would(self):
        lines = self.call("plan", "sweep/engines.yaml", "-o", "new", "-p", "ranks=1,64", "-w", "7", "--launcher", "srun",
                          "--format", "commands").stdout.splitlines()
        self.assertEqual([(False, False)] * 7 + [(True, True)] * 7,
                         sorted((" ranks=64 " in line, " --launcher=srun " in line) for line in lines))
        self.assertEqual(14, sum(" --warm-up=7 " in line for line in lines))
        self.assertIn("7 to run", self.call("plan", "sweep/engines.yaml", "-o", "new", "-n", "64").stdout)

    def test_of_several_sweeps_name_theirs(self):
        cases = json.loads(self.call("plan", "sweep/engines.yaml", "rope_blowup", "--format", "json").stdout)
        self.assertEqual({"engines", "rope_blowup"}, {case["sweep"] for case in cases})
        named = [case["command"] for case in cases if case["command"] and "SPRINGBENCH_INPUTS=" in case["command"]]
        self.assertEqual(1, len(named))
        self.assertIn(f"SPRINGBENCH_INPUTS={self.folder.resolve()}/sweep ", named[0])


    def test_have_no_line_break(self):
        folder = self.folder / "a\ntouch ran\n#"
        shutil.copytree(self.folder / "sweep", folder)
        done = self.call("plan", folder / "engines.yaml", "--format", "commands", status=2)
        self.assertEqual("", done.stdout)
        self.assertIn("a path in the line of a case has a line break", done.stderr)
        self.assertIn("[E109]", done.stderr)
        cases = json.loads(self.call("plan", folder / "engines.yaml", "--format", "json").stdout)  # a text has its end
        self.assertEqual(1, sum("\n" in (case["command"] or "") for case in cases))


SNAKEFILE = """import json
CASES = {case["key"]: case for case in json.load(open("plan.json")) if case["command"]}
rule all:
    input: expand("{key}.h5", key=CASES)
rule case:
    output: "{key}.h5"
    threads: lambda wildcards: CASES[wildcards.key]["ranks"] * CASES[wildcards.key]["threads"]
    params: command=lambda wildcards: CASES[wildcards.key]["command"]
    shell: "{params.command}"
"""


class Files(Engines):
    """An engine makes the same files from the plan as a run."""

    def check(self, name, line, what="commands"):
        plan = f"springbench plan ../sweep/engines.yaml --format {what}"
        files = self.engine(name, line.replace("PLAN", plan))
        self.assertEqual(set(self.digests), {file.stem for file in files})
        said = self.call("collect", "sweep/engines.yaml", "-o", f"{name}-results", name).stderr
        self.assertIn("9 cases in", said)
        self.assertIn("7 taken, 0 there already\n", said)
        events = self.events(self.folder / f"{name}-results", "publish")
        self.assertEqual(self.digests, {event["key"]: event["row"]["digest"] for event in events})
        self.assertEqual({"engine"}, {event["start"] for event in events})
        [run], [ours] = self.events(self.folder / "run", "run"), self.events(self.folder / f"{name}-results", "run")
        for event in events:
            self.assertEqual([run[what] for what in ("build", "machine", "host")],
                             [event[what] for what in ("build", "machine", "host")])
        self.assertEqual(*[self.call("table", folder).stdout for folder in ("run", f"{name}-results")])
        self.assertEqual("", self.call("plan", f"{name}-results", "--format", "commands").stdout)
        self.call("compare", "run", f"{name}-results", "--bitwise")
        self.assertEqual(ours["build"], run["build"])

    def test_of_xargs(self):
        self.check("xargs", "PLAN | xargs -d '\\n' -n 1 -P 2 sh -c > said.txt")

    @unittest.skipUnless(shutil.which("make"), "make is not installed")
    def test_of_make(self):
        rule = r"""sed 's/\$/$$/g; s/.* \([0-9a-f]*[.]h5\)$/all: \1\n\1:\n\t&/'"""
        self.check("make", f"PLAN | {rule} > Makefile && make -j 2 all > said.txt")

    @unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed")
    def test_of_parallel(self):
        self.check("parallel", "PLAN | parallel -j 2 > said.txt")

    @unittest.skipUnless(shutil.which("snakemake"), "Snakemake is not installed")
    def test_of_snakemake(self):
        (self.folder / "Snakefile").write_text(SNAKEFILE)
        self.check("snakemake", "PLAN > plan.json && snakemake -s ../Snakefile --cores 2 --quiet > said.txt 2>&1", "json")


class Collecting(Engines):
    @classmethod
    def prepare(cls):
        super().prepare()
        (cls.folder / "files").mkdir()
        cls.shell("cd files && springbench plan ../sweep/engines.yaml --format commands | "
                  "xargs -d '\\n' -n 1 sh -c > said.txt")

    def collect(self, out, *files, status=0, sweep="sweep/engines.yaml"):
        return self.call("collect", sweep, "-o", out, *files, status=status).stderr

    def copies(self, name):
        folder = self.folder / name
        shutil.copytree(self.folder / "files", folder)
        return folder, sorted(folder.glob("*.h5"))

    def taken(self, out):
        """Returns the events of a directory, and checks each file against its line."""
        events = {event["key"]: event for event in self.events(self.folder / out, "publish")}
        for event in events.values():
            content = (self.folder / out / event["file"]).read_bytes()
            self.assertEqual(event["sha256"], hashlib.sha256(content).hexdigest())
        self.assertEqual({key: self.digests[key] for key in events},
                         {key: event["row"]["digest"] for key, event in events.items()})
        return set(events)

    def test_names_count_for_nothing_and_files_stay(self):
        folder, files = self.copies("renamed")
        for number, file in enumerate(files):
            file.rename(folder / f"{number}.h5")
        before = {file.name: file.read_bytes() for file in folder.glob("*.h5")}
        self.assertIn("7 taken", self.collect("by_number", folder))
        self.assertEqual(set(self.digests), self.taken("by_number"))
        self.assertEqual(before, {file.name: file.read_bytes() for file in folder.glob("*.h5")})
        self.assertIn("0 taken, 7 there already", self.collect("by_number", folder))
        self.assertEqual(7, len(self.events(self.folder / "by_number", "publish")))

    def test_parts_come_one_after_another_and_a_run_does_the_rest(self):
        _, files = self.copies("parts")
        self.assertIn("3 taken, 0 there already; 4 missing", self.collect("parted", *files[:3], status=1))
        self.assertIn("3 taken, 1 there already; 1 missing",
                      self.call("collect", "parted", *files[2:6], status=1).stderr)
        self.assertIn("1 to run, 6 done, 2 skipped", self.call("plan", "parted").stdout)
        self.call("run", "parted")
        self.assertEqual(set(self.digests), self.taken("parted"))

    def test_every_damaged_bit_is_seen(self):
        folder, files = self.copies("damaged")
        victim, size = files[0], files[0].stat().st_size
        whole = victim.read_bytes()
        for number, place in enumerate((0, 100, size // 2, size - 200, size - 60, size - 2)):
            victim.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1:])
            out = f"damaged{number}"
            said = self.collect(out, folder, status=None)
            self.assertRegex(said, rf"damaged/{victim.name}: error: (damaged|not a complete case file): .*it is not taken \[E118\]")
            self.assertIn("6 taken, 0 there already; 1 files not taken; 1 missing", said)
            self.assertEqual(set(self.digests) - {victim.stem}, self.taken(out))
        for cut in (0, 1, size // 2, size - 1):
            victim.write_bytes(whole[:cut])
            self.assertIn("not taken [E118]", self.collect(f"cut{cut}", folder, status=2))
            self.assertEqual(set(self.digests) - {victim.stem}, self.taken(f"cut{cut}"))

    def sealed(self, path):
        """Seals a file anew, as somebody may who means it. h5py has cut off the seal that it had."""
        body = path.read_bytes().partition(b"\nspringbench-seal ")[0]
        path.write_bytes(body + b"\nspringbench-seal %s\n" % digest(body).encode())

    def test_of_others_are_refused(self):
        folder, files = self.copies("others")
        self.call("case", "driver=blowup", "scene=rope", "nodes=4", "frames=4", "-o", "others/driver.h5")
        self.call("case", "scene=rope", "nodes=7", "h=0.01", "duration=0.1", "-o", "others/sweep.h5")
        (folder / "text.h5").write_text("no case")
        os.mkfifo(folder / "pipe.h5")
        said = self.collect("from_others", folder, "nowhere.h5", status=2)
        for name, why in (("driver", "a case of driver 'blowup'; the sweep engines has driver 'trajectory'"),
                          ("sweep", "its case [0-9a-f]{16} is not one of those that were asked for"),
                          ("text", "not a complete case file"), ("pipe", "cannot read: not a regular file")):
            self.assertRegex(said, rf"others/{name}.h5: error: {why}.*; it is not taken \[E118\]")
        self.assertIn("nowhere.h5: error: cannot read: No such file", said)
        self.assertIn("7 taken, 0 there already; 5 files not taken", said)
        self.assertEqual(set(self.digests), self.taken("from_others"))

    def test_keys_that_do_not_follow_from_the_options_are_refused(self):
        folder, files = self.copies("keys")
        with h5py.File(files[0], "r+") as first, h5py.File(files[1], "r+") as second:
            first["result"].attrs.modify("key", second["result"].attrs["key"])
        with h5py.File(files[2], "r+") as third:
            third["parameters"].attrs["unheard_of"] = 1.0
        for file in files[:3]:
            self.sealed(file)
        said = self.collect("by_key", folder, status=2)
        self.assertRegex(said, f"{files[0].name}: error: its options are those of case {files[0].stem}, not of case "
                               f"{files[1].stem}; it is not taken")
        self.assertRegex(said, f"{files[2].name}: error: it has an option that this springbench does not know")
        self.assertEqual(set(self.digests) - {files[0].stem, files[2].stem}, self.taken("by_key"))

    def test_contradictions_are_refused(self):
        folder, files = self.copies("doubts")
        shutil.copy(files[0], folder / "again.h5")
        shutil.copy(files[1], folder / "other.h5")
        with h5py.File(folder / "other.h5", "r+") as other:
            other["result"].attrs.modify("digest", other["result"].attrs["digest"][::-1])
        self.sealed(folder / "other.h5")
        said = self.collect("doubtful", folder, status=2)
        self.assertIn(f"its result of case {files[1].stem} (ok, digest ", said)
        self.assertIn("6 taken, 0 there already; 2 further files of the same cases; 1 files not taken; 1 missing", said)
        self.assertEqual(set(self.digests) - {files[1].stem}, self.taken("doubtful"))
        self.collect("doubtful", files[1])
        self.assertIn("contradicts the one in doubtful", self.collect("doubtful", folder / "other.h5", status=2))
        self.assertEqual(set(self.digests), self.taken("doubtful"))

    def test_times_are_taken_once(self):
        text = SWEEP.replace("driver: trajectory\ntimed: false", "driver: timing\ntimed: true").partition("exclude:")[0]
        (self.folder / "sweep/times.yaml").write_text(text.replace("name: engines", "name: times")
                                                      .replace("duration: 0.1", "duration: 1"))
        self.engine("times", "springbench plan ../sweep/times.yaml -f 'integrator == rk4' --format commands | "
                             "sed 's/ -o / --repetition 4 -o /' | xargs -d '\\n' -n 1 sh -c > said.txt")
        said = self.call("collect", "sweep/times.yaml", "-f", "integrator == rk4", "-o", "timed", "times").stderr
        self.assertIn("warning: times of another engine were taken once", said)
        events = self.events(self.folder / "timed", "publish")
        self.assertEqual([(True, 1)] * 4, [(event["timed_once"], event["repetitions"]) for event in events])
        self.assertIn("4 to run", self.call("plan", "timed").stdout)

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_a_kill_loses_nothing(self):
        for call, number in (("fsync", 1), ("fsync", 3), ("renameat2", 1), ("renameat2", 4), ("renameat2", 7)):
            out = f"{call}{number}"
            killed = self.call("collect", "sweep/engines.yaml", "-o", out, "files", status=None, before=[
                "strace", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}"])
            self.assertEqual(-9, killed.returncode)
            self.collect(out, "files")
            self.assertEqual(set(self.digests), self.taken(out))
            self.assertEqual([], list((self.folder / out / "tmp").iterdir()))

    def test_arguments_are_refused_by_name(self):
        self.assertIn("case files, or folders of them, are needed", self.call("collect", "run", status=2).stderr)
        self.assertIn("one sweep is needed", self.call("collect", "ropes", "a.h5", status=2).stderr)


if __name__ == "__main__":
    main()
