# SPDX-License-Identifier: GPL-3.0-or-later
"""`springbench compare` as a user types it: which cases it takes for the same, what it calls equal, slower, worse, in
which words, and the exit status of each."""
import hashlib
import json

import world
from world import World, forge_digest, sweep

METHODS = """springbench: 1
name: named
driver: blowup
timed: false
defaults: {scene: rope, nodes: 4, frames: 4%s}
methods:
  rough: {integrator: explicit_euler, substeps: 16%s}
  fine: {integrator: symplectic_euler, substeps: 32}
sweep:
  - grid: {method: [rough, fine], %s}
tables: [{id: t, title: T, rows: [%s], columns: method, cell: status}]
"""


class Compared(World):
    def compare(self, a, b, *options, status=0):
        return json.loads(self.call("compare", a, b, "--format", "json", *options, status=status).stdout)

    def says(self, a, b, *options, status=0, words=()):
        """The text, in which these words stand, and those behind a "!" do not."""
        told = self.call("compare", a, b, *options, status=status).stdout
        for word in words:
            self.assertEqual(word.lstrip("!") in told, not word.startswith("!"), word + " in\n" + told)
        return told


class Compare(Compared):
    """Sweeps as they were run."""

    @classmethod
    def make_shared(cls, maker):
        """The same sweep run twice, A and B, and one that names its sets of options."""
        path = sweep(cls.shared / "small.yaml")
        cls.a, cls.b = maker.run_sweep(path, "A"), maker.run_sweep(path, "B")
        cls.methods = maker.named("methods", "", "", "stiffness: [50, 60]")

    def named(self, out, defaults, rough, axes, rows="stiffness"):
        path = self.folder / (out + ".yaml")
        path.write_text(METHODS % (defaults, rough, axes, rows))
        return self.run_sweep(path, out)

    def test_the_same_sweep_twice(self):
        told = self.compare(self.a, self.b, "--bitwise")
        summary = told["summary"]
        self.assertEqual([summary[name] for name in ("compared", "by_key", "bits_equal", "bits_differ", "worse")],
                         [6, 6, 6, 0, 0])
        self.assertTrue(all(case["bits"]["text"] == "bitwise equal" and "largest_difference" not in case
                            for case in told["cases"]))
        self.assertFalse(summary["regression"] or summary["different_machines"] or told["settings"])
        text = self.says(self.a, self.b, words=["no regression (threshold 5 %)"])
        self.assertEqual(text.count("bitwise equal"), 7)  # a line a case, and the sum
        self.says(self.a, self.b, "--changed", words=["nothing changed in 6 cases", "!substeps=4"])
        rows = self.compare(self.a, self.b, "steps_done")["cases"]
        self.assertEqual({(row["bits"]["text"], row["options"]["substeps"]) for row in rows},
                         {("bitwise equal", substeps) for substeps in (4, 9, 64)})
        for row in rows:
            self.assertEqual(*row["columns"]["steps_done"])
        markdown = self.says(self.a, self.b, "--format", "md")
        self.assertEqual([len(rows), markdown.count("\n| ")], [6, 7])

    def test_settings_paired_by_what_varies(self):
        other = self.run_sweep(sweep(self.folder / "other.yaml", defaults=", integrator: explicit_euler"), "other")
        told = self.compare(self.a, other, status=3)  # 9 and 64 substeps stand here and not there
        self.assertEqual((told["summary"]["compared"], told["summary"]["by_key"]), (6, 0))
        self.assertEqual(told["settings"]["integrator"], ["symplectic_euler", "explicit_euler"])
        self.assertEqual(told["summary"]["bits_equal"], 0)
        self.assertEqual({case["bits"]["text"] for case in told["cases"]},  # most end at steps of their own
                         {"differs from the start", "differs (no step after the start is recorded in both)"})
        self.says(self.a, other, status=3, words=["6 of 6 cases have other keys",
                  "not the same setting: integrator: symplectic_euler → explicit_euler"])

    def test_a_file_of_other_contents_is_another_setting(self):
        for number, (option, _, name, *contents) in list(enumerate(world.INPUTS))[1:3]:  # a side file, and data beside a mesh
            with self.subTest(option):
                a, b = (self.run_sweep(world.inputs(self.folder / f"in{side}{number}", number, side), f"{side}{number}")
                        for side in (0, 1))
                told = self.compare(a, b)
                self.assertEqual((told["summary"]["compared"], told["summary"]["by_key"]), (4, 0))
                self.assertEqual(len(told["settings"]), 1, told["settings"])
                before, after = told["settings"][option.split(", ")[-1].split(":")[0]]
                self.assertNotEqual(before, after)
                digest = hashlib.sha256(contents[0].encode()).hexdigest()[:12]
                self.assertEqual(before, f"{name.replace('.ele', '.node')} (digest {digest}…)")
                self.says(a, b, words=["not the same setting: ", after])

    def test_bits_are_equal_until_the_motions_part(self):
        floor = ", integrator: symplectic_euler, substeps: 64, collider: 'plane:point=[0,150,0],normal=[0,1,0]', contact: penalty"
        free = ", integrator: symplectic_euler, substeps: 64"
        axes = "stiffness: [50, 100]"
        table = {"rows": "stiffness", "cells": "[{label: steps, value: steps_done}]"}
        a = self.run_sweep(sweep(self.folder / "a.yaml", "parting", "trajectory", free, axes, **table), "a")
        b = self.run_sweep(sweep(self.folder / "b.yaml", "parting", "trajectory", floor, axes, **table), "b")
        self.assertEqual(self.compare(a, b, "--bitwise", status=3)["summary"]["worse"], 2)
        for case in self.compare(a, b)["cases"]:  # other settings: other bits are no regression
            states = [self.states(path, key) for path, key in zip((a, b), case["key"])]
            equal = [step for (step, x), (_, y) in zip(*states) if x == y]
            self.assertTrue(0 < max(equal) < states[0][-1][0])
            self.assertEqual(case["bits"]["equal_until"], max(equal))
            self.assertEqual(case["bits"]["text"], f"bitwise equal until step {max(equal)}")

    def states(self, directory, key):
        import h5py
        with h5py.File(directory / "cases" / (key + ".h5")) as file:
            told = file["observables/state_digest"]
            return list(zip(map(int, told["step"][()]), told["value"][()]))

    def test_a_part_of_the_sweep(self):
        part = self.run_sweep(self.shared / "small.yaml", "part", "-f", "stiffness == 50")
        told = self.compare(self.a, part)
        self.assertEqual(told["summary"]["compared"], 3)
        self.assertEqual([one["stiffness"] for one in told["A"]["only_here"]], [100, 100, 100])
        self.assertEqual(told["B"]["only_here"], [])
        self.says(self.a, part, words=["only in A (3): stiffness=100, substeps=4;"])

    def test_markdown_has_texts_as_they_are(self):
        path = sweep(self.folder / "named.yaml", axes="gravity: ['[0,-1,0]', '[0,-2,0]'], substeps: [4, 9]", rows="substeps",
                     cells="gravity, cell: steps_done")
        whole, part = self.run_sweep(path, "whole"), self.run_sweep(path, "part", "-p", "gravity=[0,-1,0]")
        self.says(whole, part, "--format", "md", words=["only in A (2): gravity=\\[0,-2,0\\], substeps=4; "])
        other = self.run_sweep(path, "other", "-p", "gravity=[0,-3,0]")
        self.says(part, other, "--format", "md",
                  words=["not the same setting: gravity: \\[0,-1,0\\] → \\[0,-3,0\\]"])

    def test_other_bits_of_the_same_build_are_not_reproducible(self):
        key = self.rows(self.a / "results.csv")[0]["key"]
        forged = self.copy(self.b, "forged")
        self.edit_journal(forged, forge_digest(key))
        told = self.compare(self.a, forged, status=3)
        self.assertEqual([case["worse"] for case in told["cases"]], [["bits"]] + [[]] * 5)
        self.assertEqual(told["cases"][0]["key"][0], key)
        self.says(self.a, forged, status=3, words=["not reproducible", "!reproducible;"])
        self.says(self.a, forged, "--bitwise", status=3, words=["bits differ"])
        for what in ("build", "machine"):
            def change(event, forge=forge_digest(key)):
                event = forge(event)
                event[what] = "another"
                return event
            other = self.copy(self.b, what)
            self.edit_journal(other, change)
            told = self.compare(self.a, other)
            self.assertEqual((told["summary"]["bits_differ"], told["B"][what]), (1, "another"))
            self.assertEqual(told["summary"]["different_machines"], what == "machine")
        self.says(self.a, self.folder / "machine", words=["different machines"])

    def test_a_damaged_file_is_not_read(self):
        damaged = self.copy(self.b, "damaged")
        path = next((damaged / "cases").glob("*.h5"))
        path.write_bytes(path.read_bytes()[:-1] + b"x")
        done = self.call("compare", self.a, damaged, status=2)
        self.assertIn(f"{path} is damaged", done.stderr)
        self.assertIn("1 case files do not match their checksums", done.stdout)
        self.assertIn("6 cases compared", done.stdout)

    def test_a_set_of_options_is_known_by_its_name(self):
        b = self.named("b", ", seed: 7", ", drag: 0.01", "stiffness: [50, 60]")
        told = self.compare(self.methods, b)
        self.assertEqual([told["summary"][name] for name in ("compared", "by_key")], [4, 0])
        self.assertEqual(told["settings"], {"seed": ["1", "7"], "drag": ["0", "0.01"]})
        rows = [case["options"] for case in told["cases"]]
        self.assertEqual({(row["method"], row["stiffness"]) for row in rows},
                         {(m, s) for m in ("rough", "fine") for s in (50, 60)})
        self.assertFalse({"integrator", "substeps", "drag"} & set(rows[0]))  # the name stands for them

    def test_an_axis_beside_the_names_tells_cases_apart(self):
        b = self.named("b", "", "", "stiffness: [50, 60], substeps: [32, 48]", "stiffness, substeps")
        told = self.compare(self.methods, b)
        paired = {tuple(case["key"]) for case in told["cases"]}
        self.assertEqual(len(paired), told["summary"]["compared"])
        self.assertEqual(told["summary"]["compared"], 2)  # fine at 32 substeps; rough has 16 in A and none in B
        self.assertEqual([one["substeps"] for one in told["A"]["only_here"]], [16, 16])
        self.assertEqual(len(told["B"]["only_here"]), 6)

    def test_single_cases_have_keys_and_many_of_one_side_are_counted(self):
        a = self.run_sweep(self.shared / "methods.yaml", "one", "-f", "stiffness == 50 and method == rough")
        b = self.run_sweep(self.shared / "methods.yaml", "other", "-f", "stiffness == 60 and method == fine")
        self.says(a, b, words=["1 case compared", "not the same setting: ", self.rows(a / "results.csv")[0]["key"],
                               "integrator: explicit_euler → symplectic_euler"])  # nothing varies in either
        b = self.named("b", "", "", "stiffness: [50, 60, 70, 80, 90, 100, 110, 120, 130]")
        self.says(self.methods, b, words=["only in B (14): method=rough, stiffness=70; ", "; and 4 more\n"])

    def test_what_cannot_be_compared(self):
        other = self.run_sweep(sweep(self.folder / "o.yaml", axes="stiffness: [70, 80], substeps: [5]"), "other")
        self.assertIn("no case of it is in", self.call("compare", self.a, other, status=2).stderr)
        self.assertIn("is nowhere a results directory", self.call("compare", self.a, "nowhere", status=2).stderr)
        self.assertIn("did you mean 'steps_done'", self.call("compare", self.a, self.b, "step_done", status=2).stderr)
        self.call("compare", self.a, self.a / "results.csv", status=2)
        self.call("compare", self.a, status=2)
        self.assertIn("Exit status", self.call("compare", "--help").stdout)
        for wrong, answer in [(["--threshold", "1001%"], "at most 1000%"), (["--threshold", "%"], "got '%'"),
                              (["--threshold", ""], "got ''"), (["--threshold", "5x"], "got '5x'"),
                              (["--threshold=-1"], "got '-1'"), (["--threshold", "5%%"], "got '5%%'"),
                              (["--seed=-1"], "--seed takes a whole number from 0"), (["--seed", "x"], "got 'x'"),
                              (["--format", "texts"], "--format takes text, md or json; got 'texts'"),
                              (["--no-such"], "unrecognized option")]:
            with self.subTest(wrong):
                self.assertIn(answer, self.call("compare", self.a, self.a, *wrong, status=2).stderr)


STEPS, CASES = 40, 3
TIMED = """springbench: 1
name: timed
driver: timing
defaults: {scene: cloth, integrator: implicit_euler, linear: cholesky, h: 0.01, duration: 0.1, max_iterations: 2}
sweep:
  - grid: {grid: [2, 3, 4]}
tables: [{id: times, title: Times, rows: grid, columns: [{label: steps, value: steps_done}]}]
"""


def disturb(samples, noise):
    """The second repetition is slower, and was not quiet."""
    samples["seconds"][samples["repetition"] == 1] *= 3
    noise["broken"][noise["repetition"] == 1] = 1
    return samples


def disturb_all(samples, noise):
    noise["broken"] = 1
    return samples


def one(factor=1, **more):
    """A copy in which the second case alone is other than in `plain`, whose samples it has."""
    return dict(factor=factor, cases=[1], **more)


BUSY = {"columns": {"noisy": "load 7"}}
LOST = dict(slower=3, worse=0, not_decided=CASES, regression=False)
SLOW = [  # A, B, options, status, what the summary has, what the first of the list has, what is said or, behind "!", not
    ({}, {}, [], 0, dict(same=CASES), {}, ["!only one valid repetition"]),
    ({}, one(1.2), [], 3, dict(slower=1, same=2, worse=1), dict(worse=["time"], ratio=1.2),
     ["SLOWER by over 5 %", "1 slower, 0 faster, 2 same within noise;", "3 cases compared",
      "worse: 1 case, first in the list\n"]),
    ({}, one(1.2), ["--threshold", "10 %", "--changed"], 3, {}, {},
     ["SLOWER by over 10 %", "nothing changed in 2 cases\n"]),
    ({}, one(1.2), ["--threshold", "25%"], 0, {}, {}, []),
    ({}, one(1.2), ["--threshold", "0.25"], 0, {}, {}, []),
    ({}, one(1.03), ["--changed"], 0, {}, dict(change="slower", worse=[]), ["nothing changed in 2 cases"]),
    # Beyond, but its interval reaches below.
    ({}, one(1.053), [], 0, dict(slower=1), dict(ratio=1.053, worse=[]), []),
    ({}, one(1.0002), [], 0, dict(same=CASES), {}, []),
    ({}, one(0.5), ["--changed"], 0, dict(faster=1), {}, ["faster", "no regression"]),
    ({}, one(5e-7), [], 0, {}, {}, ["ns"]),
    ({}, one(5e-3), [], 0, {}, {}, ["µs"]),
    ({}, one(5e3), ["--threshold", "1000%"], 3, {}, {}, [" s"]),
    ({}, one(3, change=lambda samples, noise: samples[[0, 1, 2]]), [], 0, dict(slower=0),
     dict(change="too few samples to decide"), ["!(95 % interval"]),
    ({}, dict(seed=2, change=disturb), [], 0, dict(slower=0), dict(samples=[STEPS, STEPS // 2]), []),
    ({}, dict(seed=2, change=disturb_all), [], 0, {}, dict(samples=[STEPS, STEPS]), []),
    # Two runs of one program on a busy machine: slower by far, and no contradiction on either side's word.
    (BUSY, dict(factor=1.3, seed=2), [], 0, LOST, dict(worse=[]), []),
    ({}, dict(factor=1.3, seed=2, **BUSY), [], 0, LOST, dict(worse=[]),
     ["not decided: noisy: all together slower by more than 5 %"]),
    ({}, one(2, **BUSY), ["--threshold", "50%"], 0, {}, {},
     [f"1 of {CASES} cases was timed while the machine was noisy", "slower, not decided: noisy",
      "not decided: noisy: 1 case slower by over 50 %\n", "!SLOWER", "!no regression"]),
    ({}, one(2, status="diverged", **BUSY), [], 3, {}, {}, ["worse: 1 case"]),
    # Without samples no time is compared, so that it does not matter that the machine was noisy.
    ({}, one(change=lambda samples, noise: samples[:0], **BUSY), [], 0, dict(slower=0), {},
     ["!while the machine was noisy"]),
    # Many small losses are a loss together.
    (dict(scatter=0.02), dict(factor=1.088, scatter=0.02, seed=4), [], 3, dict(worse=0), {},
     ["all together slower by more than 5 %"]),
    (dict(runs=1), dict(seed=2, runs=1), [], 0, {}, {}, ["only one valid repetition"]),
]
ENDS = [({}, one(status=status, reason="for 3 s"), ["--changed"], 3, dict(status_changed=1), dict(worse=["status"]),
         [f"status: ok → {status} (for 3 s)" if status else "status: ok → not run", "nothing changed in 2 cases"])
        for status in ("diverged", "not_converged", "skipped", "timeout", "")] + [
    (one(status="diverged"), {}, [], 0, dict(status_changed=1), {}, []),
    # A case that missed its tolerance did other work: its time is not compared, nor is it in the mean, unless both
    # sides missed it by the same work.
    ({}, one(0.5, status="not_converged"), [], 3, dict(faster=0, not_compared=1, same=2),
     dict(change="not compared: ended otherwise"),
     ["; 1 not compared: they did not end ok and did different work;", "mean of 2:"]),
    (one(2, status="not_converged"), one(1, status="not_converged"), [], 0, dict(faster=1, not_compared=0), {}, []),
    (one(status="not_converged"), one(2, status="not_converged"), [], 3, dict(slower=1, worse=1, not_compared=0),
     dict(worse=["time"]), ["SLOWER by over 5 %", "mean of 3:"]),
    # For two builds, whose bits differ, the iterations decide.
    (one(status="not_converged"), one(2, status="not_converged", build="new", digest="7" * 32), [], 3,
     dict(slower=1, bits_differ=1, not_compared=0), dict(worse=["time"]), []),
    (one(status="not_converged"), one(2, status="not_converged", build="new", digest="7" * 32,
                                      columns={"minimizer_iterations_mean": 9}), ["--changed"], 0,
     dict(slower=0, bits_differ=1, not_compared=1), dict(change="not compared: different work"), ["!SLOWER"]),
    (one(status="diverged"), one(status="timeout"), [], 3, {}, {}, []),
    (one(accuracy_ok=True), one(accuracy_ok=False), ["--changed"], 3, dict(accuracy_changed=1),
     dict(worse=["accuracy"]), ["tolerances met before, not now"]),
    (one(accuracy_ok=False), one(accuracy_ok=True), ["--changed"], 0, {}, {},
     ["tolerances not met before, met now"]),
    (one(accuracy_ok=True), one(accuracy_ok=None), [], 0, {}, {}, []),  # no tolerance was set: nothing lost
]


class Forged(Compared):
    """Real results in which times, ends and columns were put in by hand: nothing here depends on how quick this machine
    is, or how quiet."""

    @classmethod
    def make_shared(cls, maker):
        path = cls.shared / "timed.yaml"
        path.write_text(TIMED)
        plain = maker.run_sweep(path, "plain")
        cls.keys = [row["key"] for row in maker.rows(plain / "results.csv")]
        maker.plain, maker.made = plain, 0
        cls.plain = maker.forge()

    def setUp(self):
        super().setUp()
        self.made = 0

    def forge(self, factor=1, scatter=0.003, runs=2, seed=1, cases=range(CASES), phase="step", change=None, columns={},
              build=None, **row):
        """A copy. Steps take 1 ms, normally scattered; in `cases` those times the factor, and what the row says."""
        import h5py
        import numpy
        self.made += 1
        directory, sums = self.copy(self.plain, f"forged{self.made}"), {}
        for number, key in enumerate(self.keys):
            path, random = directory / "cases" / (key + ".h5"), numpy.random.default_rng([seed, number])
            with h5py.File(path, "r+") as file:
                samples = numpy.zeros(2 * STEPS, file["timing/samples"].dtype)
                samples["phase"] = [b"step"] * STEPS + [b"forces"] * STEPS
                samples["repetition"] = [i * runs // STEPS for i in range(STEPS)] * 2
                samples["seconds"] = 1e-3 * numpy.exp(scatter * random.standard_normal(2 * STEPS))
                if number in cases:
                    samples["seconds"][samples["phase"] == phase.encode()] *= factor
                noise = numpy.zeros(runs, file["timing/noise"].dtype)
                noise["repetition"] = range(runs)
                if change:
                    samples = change(samples, noise)
                del file["timing/samples"], file["timing/noise"]
                file["timing/samples"], file["timing/noise"] = samples, noise
            sums[key] = hashlib.sha256(path.read_bytes()).hexdigest()

        def agree(event):
            if event["event"] != "publish":
                return None if event["event"] == "floor" else event
            event["sha256"] = sums[event["key"]]
            event["row"]["columns"]["noisy"] = None
            event["build"] = build or event["build"]
            if self.keys.index(event["key"]) in cases:
                event["row"].update(row)
                event["row"]["columns"].update(columns)
                event["event"] = "fail" if event["row"]["status"] == "timeout" else "publish"
            return event if event["row"]["status"] else None
        self.edit_journal(directory, agree)
        return directory

    def expect(self, table):
        for a, b, options, status, summary, first, words in table:
            with self.subTest(a=a, b=b, options=options):
                a, b = (self.forge(**made) if made else self.plain for made in (a, b))
                told = self.compare(a, b, *options, status=status)
                self.assertEqual({name: told["summary"][name] for name in summary}, summary)
                case = {**told["cases"][0], **told["cases"][0]["time"]}
                for name, value in first.items():
                    (self.assertAlmostEqual if name == "ratio" else self.assertEqual)(case[name], value)
                self.says(a, b, *options, status=status, words=words)

    def test_slow(self):
        self.expect(SLOW)

    def test_ends(self):
        self.expect(ENDS)

    def test_samples_of_steps_are_compared(self):
        slower = self.forge(1.3, seed=2)
        self.assertEqual(self.compare(self.plain, self.plain)["summary"]["same"], CASES)
        told = self.compare(self.plain, slower, status=3)
        self.assertEqual([case["worse"] for case in told["cases"]], [["time"]] * CASES)
        for case in told["cases"]:
            self.assertTrue(case["time"]["low"] < 1.3 < case["time"]["high"])
            self.assertTrue(1.2 < case["time"]["low"] and case["time"]["high"] < 1.4)
            self.assertEqual(case["time"]["runs"], [2, 2])
        mean = told["summary"]["geometric_mean"]
        self.assertTrue(1.25 < mean["low"] < mean["ratio"] < mean["high"] < 1.35)
        self.assertEqual(self.compare(self.plain, self.forge(0.8, seed=3))["summary"]["faster"], CASES)
        self.assertEqual(self.compare(self.plain, self.forge(2, phase="forces"))["summary"]["slower"], 0)
        self.assertEqual(told, self.compare(self.plain, slower, status=3))  # the resampling is seeded

    def test_within_the_noise_floor_of_a_sweep(self):
        a, b = self.forge(), self.forge(1.2, seed=2)
        self.assertEqual(self.compare(a, b, status=3)["summary"]["noise_floor"], 0)
        event = json.loads((a / "journal.jsonl").read_text().splitlines()[-1])
        with open(a / "journal.jsonl", "a") as journal:
            for i in range(7):
                journal.write(json.dumps({"event": "floor", "at": f"2001-02-03T04:05:0{i}Z", "case": self.keys[0],
                                          "seconds": 1 + 0.05 * i, "noisy": "", "build": event["build"],
                                          "machine": event["machine"]}) + "\n")
        told = self.compare(a, b)
        self.assertAlmostEqual(told["summary"]["noise_floor"], 0.3, 12)
        self.assertEqual(told["summary"]["same"], CASES)
        self.says(a, b, words=["3 same within noise (noise floor up to 30 %)"])

    def test_times_of_two_builds_on_one_side(self):
        def change(event):
            return {**event, "build": "other"} if event.get("key") == self.keys[1] else event
        mixed = self.forge()
        self.edit_journal(mixed, change)
        self.says(self.plain, mixed, words=["!warning: of A", "warning: of B 1 of 3 cases was run by another build than "
                                            "the rest (1 by other; the rest by "])

    def test_columns(self):
        a, b = self.forge(**one(columns={"flops_factor": 1e-12})), self.forge(
            **one(columns={"flops_factor": 4e-12, "setup_s": 9}))
        self.assertEqual(self.compare(a, b)["cases"][0]["largest_difference"],
                         {"column": "flops_factor", "relative": 0.75, "values": [1e-12, 4e-12]})
        timing = self.forge(**one(columns={"flops_factor": 1e-12, "setup_s": 9}))
        self.assertTrue(all("largest_difference" not in case for case in self.compare(a, timing)["cases"]))
        told = self.compare(a, b, "setup_s")
        self.assertEqual([case["columns"]["setup_s"][1] for case in told["cases"]].count(9), 1)
        self.assertTrue(all("largest_difference" not in case for case in told["cases"]))  # only what was asked for
        close = self.forge(**one(columns={"flops_factor": 1.0000000001e-12}))
        self.says(a, close, "--changed", words=["flops_factor: 1e-12 → 1.0000000001e-12 (+1e-08 %)"])
        a = self.forge(**one(columns={"flops_factor": 1e-12}, accuracy_ok=True))
        b = self.forge(**one(columns={"flops_factor": None}, reason="why", accuracy_ok=True))
        self.says(a, b, "flops_factor", "accuracy_ok", "reason",
                  words=["flops_factor: 1e-12 → -; accuracy_ok = true; reason: - → why"])


if __name__ == "__main__":
    world.main()
