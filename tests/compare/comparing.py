"""`springbench compare` as a user types it: which cases it takes for the same, what it calls equal, slower, worse, in
which words, and the exit status of each."""
import csv
import hashlib
import io
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
        text = self.call("compare", self.a, self.b).stdout
        self.assertIn("no regression (threshold 5 %)", text)
        self.assertEqual(text.count("bitwise equal"), 7)  # a line a case, and the sum
        text = self.call("compare", self.a, self.b, "--changed").stdout
        self.assertIn("nothing changed in 6 cases", text)
        self.assertNotIn("substeps=4", text)

    def test_forms(self):
        told = self.call("compare", self.a, self.b, "steps_done", "--format", "csv").stdout
        rows = list(csv.DictReader(io.StringIO(told)))
        self.assertEqual(len(rows), 6)
        self.assertEqual({row["bits"] for row in rows}, {"bitwise equal"})
        self.assertEqual({row["substeps"] for row in rows}, {"4", "9", "64"})
        self.assertTrue(all(row["steps_done_a"] == row["steps_done_b"] for row in rows))
        markdown = self.call("compare", self.a, self.b, "--format", "md").stdout
        self.assertEqual(len([line for line in markdown.splitlines() if line.startswith("|")]), 8)

    def test_settings_paired_by_what_varies(self):
        other = self.run_sweep(sweep(self.folder / "other.yaml", defaults=", integrator: explicit_euler"), "other")
        told = self.compare(self.a, other, status=3)  # 9 and 64 substeps stand here and not there
        self.assertEqual((told["summary"]["compared"], told["summary"]["by_key"]), (6, 0))
        self.assertEqual(told["settings"]["integrator"], ["symplectic_euler", "explicit_euler"])
        self.assertEqual(told["summary"]["bits_equal"], 0)
        self.assertEqual({case["bits"]["text"] for case in told["cases"]}, {"differs from the start"})
        text = self.call("compare", self.a, other, status=3).stdout
        self.assertIn("not the same setting: integrator: symplectic_euler → explicit_euler", text)
        self.assertIn("6 of 6 cases have other keys", text)

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
            told = file["observables/all/state_digest"]
            return list(zip(map(int, told["step"][()]), told["value"][()]))

    def test_a_part_of_the_sweep(self):
        part = self.run_sweep(self.shared / "small.yaml", "part", "-f", "stiffness == 50")
        told = self.compare(self.a, part)
        self.assertEqual(told["summary"]["compared"], 3)
        self.assertEqual([one["stiffness"] for one in told["A"]["only_here"]], [100, 100, 100])
        self.assertEqual(told["B"]["only_here"], [])
        self.assertIn("only in A (3): stiffness=100, substeps=4;", self.call("compare", self.a, part).stdout)

    def test_other_bits_of_the_same_build_are_not_reproducible(self):
        key = self.rows(self.a / "results.csv")[0]["key"]
        forged = self.copy(self.b, "forged")
        self.edit_journal(forged, forge_digest(key))
        told = self.compare(self.a, forged, status=3)
        self.assertEqual([case["worse"] for case in told["cases"]], [["bits"]] + [[]] * 5)
        self.assertEqual(told["cases"][0]["key"][0], key)
        self.assertIn("not reproducible", self.call("compare", self.a, forged, status=3).stdout)
        self.assertIn("bits differ", self.call("compare", self.a, forged, "--bitwise", status=3).stdout)
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
        self.assertIn("different machines", self.call("compare", self.a, self.folder / "machine").stdout)

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
        rows = list(csv.DictReader(io.StringIO(self.call("compare", self.methods, b, "--format", "csv").stdout)))
        self.assertEqual({(row["method"], row["stiffness"]) for row in rows},
                         {(m, s) for m in ("rough", "fine") for s in ("50", "60")})
        self.assertFalse({"integrator", "substeps", "drag"} & set(rows[0]))  # the name stands for them

    def test_an_axis_beside_the_names_tells_cases_apart(self):
        b = self.named("b", "", "", "stiffness: [50, 60], substeps: [32, 48]", "stiffness, substeps")
        told = self.compare(self.methods, b)
        paired = {tuple(case["key"]) for case in told["cases"]}
        self.assertEqual(len(paired), told["summary"]["compared"])
        self.assertEqual(told["summary"]["compared"], 2)  # fine at 32 substeps; rough has 16 in A and none in B
        self.assertEqual([one["substeps"] for one in told["A"]["only_here"]], [16, 16])
        self.assertEqual(len(told["B"]["only_here"]), 6)

    def test_single_cases_are_told_by_their_keys(self):
        a = self.run_sweep(self.shared / "methods.yaml", "one", "-f", "stiffness == 50 and method == rough")
        b = self.run_sweep(self.shared / "methods.yaml", "other", "-f", "stiffness == 60 and method == fine")
        text = self.call("compare", a, b).stdout  # nothing varies in either
        self.assertIn("1 case compared", text)
        self.assertIn("not the same setting: ", text)
        self.assertIn("integrator: explicit_euler → symplectic_euler", text)
        self.assertIn(self.rows(a / "results.csv")[0]["key"], text)

    def test_many_cases_of_one_side_are_counted(self):
        b = self.named("b", "", "", "stiffness: [50, 60, 70, 80, 90, 100, 110, 120, 130]")
        text = self.call("compare", self.methods, b).stdout
        self.assertIn("only in B (14): method=rough, stiffness=70; ", text)
        self.assertRegex(text, r"; and \d+ more\n")

    def test_what_cannot_be_compared(self):
        other = self.run_sweep(sweep(self.folder / "o.yaml", axes="stiffness: [70, 80], substeps: [5]"), "other")
        self.assertIn("no case of it is one of", self.call("compare", self.a, other, status=2).stderr)
        self.assertIn("is nowhere a results directory", self.call("compare", self.a, "nowhere", status=2).stderr)
        self.assertIn("did you mean 'steps_done'", self.call("compare", self.a, self.b, "step_done", status=2).stderr)
        self.call("compare", self.a, self.a / "results.csv", status=2)
        self.call("compare", self.a, status=2)
        self.assertIn("Exit status", self.call("compare", "--help").stdout)
        for wrong, answer in [(["--threshold", "1001%"], "at most 1000%"), (["--threshold", "%"], "got '%'"),
                              (["--threshold", ""], "got ''"), (["--threshold", "5x"], "got '5x'"),
                              (["--threshold=-1"], "got '-1'"), (["--threshold", "5%%"], "got '5%%'"),
                              (["--seed=-1"], "--seed takes a whole number; got '-1'"), (["--seed", "x"], "got 'x'"),
                              (["--format", "texts"], "--format takes text, md, csv or json; got 'texts'"),
                              (["grid"] * 33, "more than 32 columns"), (["--no-such"], "unrecognized option")]:
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
              **row):
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
            if self.keys.index(event["key"]) in cases:
                event["row"].update(row)
                event["row"]["columns"].update(columns)
                event["event"] = "fail" if event["row"]["status"] == "timeout" else "publish"
            return event if event["row"]["status"] else None
        self.edit_journal(directory, agree)
        return directory

    def one(self, factor=1, **more):
        """A copy in which the second case alone is other than in `plain`, whose samples it has."""
        return self.forge(factor, cases=[1], **more)

    def told(self, b, *options, status=0, a=None):
        return self.call("compare", a or self.plain, b, *options, status=status).stdout

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

    def test_slower_by_more_than_the_threshold(self):
        b = self.one(1.2)
        told = self.compare(self.plain, b, status=3)
        self.assertEqual(told["cases"][0]["worse"], ["time"])
        self.assertEqual(told["cases"][0]["key"][0], self.keys[1])  # the worst comes first
        self.assertAlmostEqual(told["cases"][0]["time"]["ratio"], 1.2, 12)
        self.compare(self.plain, b, "--threshold", "25%")
        self.compare(self.plain, b, "--threshold", "0.25")
        text = self.told(b, "--threshold", "10 %", "--changed", status=3)
        for words in ("SLOWER by over 10 %", "1 slower, 0 faster, 2 same within noise;", "nothing changed in 2 cases\n",
                      "3 cases compared", "worse: 1 case, first in the list\n"):
            self.assertIn(words, text)

    def test_slower_by_less_or_not_surely_by_more(self):
        told = self.compare(self.plain, self.one(1.03))
        self.assertEqual((told["cases"][0]["time"]["change"], told["cases"][0]["worse"]), ("slower", []))
        self.assertIn("nothing changed in 2 cases", self.told(self.one(1.03), "--changed"))
        told = self.compare(self.plain, self.one(1.053))  # beyond, but its interval reaches below
        self.assertEqual(told["summary"]["slower"], 1)
        self.assertLess(told["cases"][0]["time"]["low"], 1.05)
        self.assertEqual(self.compare(self.plain, self.one(1.0002))["summary"]["same"], CASES)
        text = self.told(self.one(0.5), "--changed")
        self.assertIn("faster", text)
        self.assertIn("no regression", text)
        for seconds, unit in [(5e-10, "ns"), (5e-6, "µs"), (5, " s")]:
            self.assertIn(unit, self.told(self.one(1e3 * seconds), "--threshold", "1000%", status=3 if seconds > 1 else 0))

    def test_too_few_samples_say_nothing(self):
        few = self.one(3, change=lambda samples, noise: samples[[0, 1, 2]])
        told = self.compare(self.plain, few)
        self.assertEqual((told["summary"]["slower"], told["summary"]["geometric_mean"]["low"]), (0, None))
        self.assertEqual({case["time"]["change"] for case in told["cases"]}, {"too few samples to say"})

    def test_repetitions_that_were_not_quiet_do_not_count(self):
        def disturb(samples, noise):
            samples["seconds"][samples["repetition"] == 1] *= 3
            noise["broken"][noise["repetition"] == 1] = 1
            return samples

        def disturb_all(samples, noise):
            noise["broken"] = 1
            return samples
        told = self.compare(self.plain, self.forge(seed=2, change=disturb))
        self.assertEqual(told["summary"]["slower"], 0)
        self.assertEqual({tuple(case["time"]["samples"]) for case in told["cases"]}, {(STEPS, STEPS // 2)})
        told = self.compare(self.plain, self.forge(seed=2, change=disturb_all))
        self.assertEqual({tuple(case["time"]["samples"]) for case in told["cases"]}, {(STEPS, STEPS)})

    def test_noisy_times_decide_nothing(self):
        """Two runs of one program on a busy machine: slower by far, and no contradiction on either side's word."""
        busy = {"noisy": "load 7"}
        for a, b in ((self.forge(columns=busy), self.forge(1.3, seed=2)),
                     (self.plain, self.forge(1.3, seed=2, columns=busy))):
            told = self.compare(a, b)
            self.assertEqual((told["summary"]["worse"], told["summary"]["not_decided"]), (0, CASES))
            self.assertEqual([case["worse"] for case in told["cases"]], [[]] * CASES)
            self.assertFalse(told["summary"]["regression"])
        self.assertIn("not decided: noisy: all together slower by more than 5 %", self.told(b))
        text = self.told(self.one(2, columns=busy), "--threshold", "50%")
        for words in (f"1 of {CASES} cases was timed while the machine was noisy", "slower, not decided: noisy",
                      "not decided: noisy: 1 case slower by over 50 %\n"):
            self.assertIn(words, text)
        self.assertNotIn("SLOWER", text)
        self.assertNotIn("no regression", text)
        self.assertIn("worse: 1 case", self.told(self.one(2, columns=busy, status="diverged"), status=3))

    def test_many_small_losses_are_a_loss_together(self):
        a, b = self.forge(scatter=0.02), self.forge(1.093, scatter=0.02, seed=4)
        told = self.compare(a, b, status=3)
        self.assertEqual(told["summary"]["worse"], 0)
        self.assertGreater(told["summary"]["geometric_mean"]["low"], 1.05)
        self.assertIn("all together slower by more than 5 %", self.told(b, a=a, status=3))

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
        self.assertIn("3 same within noise (noise floor up to 30 %)", self.told(b, a=a))

    def test_one_run_is_said_to_know_little(self):
        a, b = self.forge(runs=1), self.forge(seed=2, runs=1)
        self.assertIn("one repetition alone counts", self.told(b, a=a))
        self.assertNotIn("one repetition alone counts", self.told(self.plain))

    def test_ends(self):
        for status in ("diverged", "not_converged", "skipped", "timeout", ""):
            b = self.one(status=status, reason="for 3 s")
            told = self.compare(self.plain, b, status=3)
            self.assertEqual((told["cases"][0]["worse"], told["summary"]["status_changed"]), (["status"], 1))
            text = self.told(b, "--changed", status=3)
            self.assertIn(f"status: ok → {status} (for 3 s)" if status else "status: ok → not run", text)
            self.assertIn("nothing changed in 2 cases", text)
        self.compare(self.one(status="diverged"), self.plain)
        self.compare(self.one(status="diverged"), self.one(status="timeout"), status=3)

    def test_accuracy(self):
        good, bad = self.one(accuracy_ok=True), self.one(accuracy_ok=False)
        self.assertEqual(self.compare(good, bad, status=3)["cases"][0]["worse"], ["accuracy"])
        self.assertIn("tolerances met before, not now", self.told(bad, "--changed", a=good, status=3))
        self.assertIn("tolerances not met before, met now", self.told(good, "--changed", a=bad))
        self.compare(good, self.one(accuracy_ok=None))  # no tolerance was set: nothing lost

    def test_columns(self):
        a, b = self.one(columns={"flops_factor": 1e-12}), self.one(columns={"flops_factor": 4e-12, "setup_s": 9})
        self.assertEqual(self.compare(a, b)["cases"][0]["largest_difference"],
                         {"column": "flops_factor", "relative": 0.75, "values": [1e-12, 4e-12]})
        timing = self.one(columns={"flops_factor": 1e-12, "setup_s": 9})
        self.assertTrue(all("largest_difference" not in case for case in self.compare(a, timing)["cases"]))
        told = self.compare(a, b, "setup_s")
        self.assertEqual([case["columns"]["setup_s"][1] for case in told["cases"]].count(9), 1)
        self.assertTrue(all("largest_difference" not in case for case in told["cases"]))  # only what was asked for
        close = self.one(columns={"flops_factor": 1.0000000001e-12})
        self.assertIn("flops_factor: 1e-12 → 1.0000000001e-12 (+1e-08 %)", self.told(close, "--changed", a=a))
        b = self.one(columns={"flops_factor": None}, reason="why", accuracy_ok=True)
        self.assertIn("flops_factor: 1e-12 → -; accuracy_ok = true; reason: - → why",
                      self.told(b, "flops_factor", "accuracy_ok", "reason",
                                a=self.one(columns={"flops_factor": 1e-12}, accuracy_ok=True)))


if __name__ == "__main__":
    world.main()
