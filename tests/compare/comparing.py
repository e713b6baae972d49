"""`springbench compare` as a user types it: what it calls equal, slower, worse, and the exit status of each."""
import csv
import hashlib
import io
import json
import pathlib
import shutil
import tempfile
import unittest

import world
from world import World, forge_digest, sweep


class Compare(World):
    @classmethod
    def setUpClass(cls):
        """The same sweep run twice: A and B."""
        cls.shared = pathlib.Path(tempfile.mkdtemp())
        maker = cls("runTest")
        maker.folder = cls.shared
        path = sweep(cls.shared / "small.yaml")
        cls.a, cls.b = maker.run_sweep(path, "A"), maker.run_sweep(path, "B")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared)

    def runTest(self):
        pass

    def compare(self, a, b, *options, status=0):
        return json.loads(self.call("compare", a, b, "--format", "json", *options, status=status).stdout)

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

    def test_changed_leaves_out_what_is_the_same(self):
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
        self.assertIn("Exit status", self.call("compare", "--help").stdout)

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

    def test_what_cannot_be_compared(self):
        other = self.run_sweep(sweep(self.folder / "o.yaml", axes="stiffness: [70, 80], substeps: [5]"), "other")
        self.assertIn("no case of", self.call("compare", self.a, other, status=2).stderr)
        self.assertIn("is nowhere a results directory", self.call("compare", self.a, "nowhere", status=2).stderr)
        self.assertIn("did you mean 'steps_done'", self.call("compare", self.a, self.b, "step_done", status=2).stderr)
        for wrong in (["--threshold", "5x"], ["--threshold=-1"], ["--format", "tex"], ["--seed", "x"]):
            self.call("compare", self.a, self.b, *wrong, status=2)
        self.call("compare", self.a, status=2)
        text = self.folder / "text.csv"
        text.write_text("a,b\n1,2\n")
        self.assertIn("no index of results", self.call("compare", self.a, text, status=2).stderr)


class Times(World):
    """Indexes alone, with times put in by hand: nothing here depends on how quick this machine is."""

    def setUp(self):
        super().setUp()
        rows = [{"key": f"{i:016x}", "status": "ok", "reason": "", "accuracy_ok": "true", "grid": str(10 + i),
                 "step_median_s": 1e-3, "step_q1_s": 0.98e-3, "step_q3_s": 1.02e-3, "samples": 100, "setup_s": 0.1,
                 "residual_worst": 1e-12, "wall_s": 1, "digest": f"{i:032x}", "command": "-"} for i in range(4)]
        self.base, self.a = rows, self.write_rows(self.folder / "a.csv", rows)

    def against(self, expected, *options, row=1, **changes):
        rows = [dict(one) for one in self.base]
        for name, value in changes.items():
            rows[row][name] = value(rows[row][name]) if callable(value) else value
        b = self.write_rows(self.folder / "b.csv", rows)
        return json.loads(self.call("compare", self.a, b, "--format", "json", *options, status=expected).stdout)

    def scaled(self, factor):
        return {name: lambda x: x * factor for name in ("step_median_s", "step_q1_s", "step_q3_s")}

    def test_nothing(self):
        told = self.against(0)
        self.assertEqual((told["summary"]["same"], told["summary"]["bits_equal"]), (4, 4))
        self.assertEqual({case["time"]["change"] for case in told["cases"]}, {"same within noise"})

    def test_slower_beyond_the_threshold(self):
        told = self.against(3, **self.scaled(1.2))
        self.assertEqual(told["cases"][0]["worse"], ["time"])
        self.assertEqual(told["cases"][0]["key"][0], self.base[1]["key"])  # the worst comes first
        self.assertAlmostEqual(told["cases"][0]["time"]["ratio"], 1.2, 12)
        self.against(0, "--threshold", "25%", **self.scaled(1.2))
        self.against(0, "--threshold", "0.25", **self.scaled(1.2))

    def test_slower_by_less_than_the_threshold_or_not_surely_by_more(self):
        told = self.against(0, **self.scaled(1.03))
        self.assertEqual((told["cases"][0]["time"]["change"], told["cases"][0]["worse"]), ("slower", []))
        told = self.against(0, **self.scaled(1.055))  # beyond, but its interval reaches below
        self.assertEqual(told["summary"]["slower"], 1)
        self.assertEqual(self.against(0, **self.scaled(1.002))["summary"]["same"], 4)

    def test_noise_floor_and_noisy_cases(self):
        for one in self.base:
            one.update(noise_floor=0.02, noisy="")
        self.write_rows(self.a, self.base)
        told = self.against(0, **self.scaled(1.06))
        self.assertEqual((told["summary"]["slower"], told["summary"]["noise_floor"]), (1, 0.02))
        told = self.against(0, "--threshold", "0.1%", noise_floor=0.07, noisy="steal", **self.scaled(1.06))
        self.assertEqual((told["summary"]["slower"], told["summary"]["same"], told["summary"]["noisy"]), (0, 4, 1))
        self.assertNotIn("largest_difference", told["cases"][0])
        self.assertEqual(self.against(3, noise_floor=0.07, **self.scaled(1.2))["summary"]["slower"], 1)

    def test_faster_is_no_regression(self):
        self.assertEqual(self.against(0, **self.scaled(0.7))["summary"]["faster"], 1)

    def test_too_few_samples_say_nothing(self):
        told = self.against(0, samples=2, **self.scaled(3))
        self.assertEqual(told["summary"]["slower"], 0)
        self.assertIn("too few samples to say", {case["time"]["change"] for case in told["cases"]})

    def test_status(self):
        for status in ("diverged", "not_converged", "timeout", "skipped", ""):
            told = self.against(3, status=status)
            self.assertEqual((told["cases"][0]["worse"], told["summary"]["status_changed"]), (["status"], 1))
        self.base[1]["status"] = "diverged"
        self.write_rows(self.a, self.base)
        self.against(0, status="ok")
        self.against(3, status="crashed")

    def test_accuracy(self):
        self.assertEqual(self.against(3, accuracy_ok="false")["cases"][0]["worse"], ["accuracy"])
        self.against(0, accuracy_ok="")  # no tolerance was set: nothing lost
        self.base[1]["accuracy_ok"] = "false"
        self.write_rows(self.a, self.base)
        self.against(0, accuracy_ok="true")

    def test_bits(self):
        told = self.against(0, digest="f" * 32)  # an index does not say of which build
        self.assertEqual((told["summary"]["bits_differ"], told["summary"]["bits_equal"]), (1, 3))
        self.assertEqual(self.against(3, "--bitwise", digest="f" * 32)["cases"][0]["worse"], ["bits"])

    def test_columns(self):
        told = self.against(0, residual_worst=4e-12)
        self.assertEqual(told["cases"][0]["largest_difference"],
                         {"column": "residual_worst", "relative": 0.75, "values": [1e-12, 4e-12]})
        self.assertNotIn("largest_difference", self.against(0, setup_s=9)["cases"][0])  # a timing
        told = self.against(0, "setup_s", residual_worst=4e-12, setup_s=9)
        self.assertEqual([case["columns"]["setup_s"] for case in told["cases"]].count([0.1, 9]), 1)
        self.assertNotIn("largest_difference", told["cases"][0])  # only what was asked for


STEPS = 40
TIMED = """springbench: 1
name: timed
driver: timing
defaults: {scene: cloth, integrator: implicit_euler, linear: cholesky, h: 0.01, duration: 0.1, max_iterations: 2}
sweep:
  - grid: {grid: [2, 3, 4, 5]}
tables: [{id: times, title: Times, rows: grid, columns: [{label: steps, value: steps_done}]}]
"""


class Samples(World):
    """Real case files whose timed steps were put in by hand."""

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp())
        maker = cls("runTest")
        maker.folder = cls.shared
        path = cls.shared / "timed.yaml"
        path.write_text(TIMED)
        cls.plain = maker.run_sweep(path, "plain", "--quick")  # the first two

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared)

    def runTest(self):
        pass

    def timed(self, name, factor, scatter=0.01, runs=2, seed=1, phase="step", change=None, noisy=None):
        """A copy whose steps take 1 ms times the factor, and normally scattered, on a machine that was quiet whatever
        this one is."""
        import h5py
        import numpy
        directory = self.copy(self.plain, name)
        random = numpy.random.default_rng(seed)
        for path in (directory / "cases").glob("*.h5"):
            with h5py.File(path, "r+") as file:
                samples = numpy.zeros(2 * STEPS, file["timing/samples"].dtype)
                samples["phase"] = [b"step"] * STEPS + [b"forces"] * STEPS
                samples["repetition"] = [i * runs // STEPS for i in range(STEPS)] * 2
                samples["seconds"] = 1e-3
                samples["seconds"][samples["phase"] == phase.encode()] *= factor
                samples["seconds"] *= numpy.exp(scatter * random.standard_normal(2 * STEPS))
                noise = numpy.zeros(runs, file["timing/noise"].dtype)
                noise["repetition"] = range(runs)
                if change:
                    change(samples, noise)
                del file["timing/samples"], file["timing/noise"]
                file["timing/samples"], file["timing/noise"] = samples, noise
        sums = {path.stem: hashlib.sha256(path.read_bytes()).hexdigest() for path in (directory / "cases").glob("*.h5")}

        def agree(event):
            if event["event"] == "publish":
                event["sha256"] = sums[event["key"]]
                event["row"]["columns"]["noisy"] = noisy
            return event
        self.edit_journal(directory, agree)
        return directory

    def against(self, a, b, status):
        return json.loads(self.call("compare", a, b, "--format", "json", status=status).stdout)

    def test_the_samples_of_steps_are_compared(self):
        a, slower, quicker = self.timed("a", 1), self.timed("s", 1.3, seed=2), self.timed("q", 0.8, seed=3)
        self.assertEqual(self.against(a, a, 0)["summary"]["same"], 2)
        told = self.against(a, slower, 3)
        self.assertEqual([case["worse"] for case in told["cases"]], [["time"]] * 2)
        for case in told["cases"]:
            self.assertTrue(case["time"]["low"] < 1.3 < case["time"]["high"])
            self.assertTrue(1.2 < case["time"]["low"] and case["time"]["high"] < 1.4)
            self.assertEqual(case["time"]["runs"], [2, 2])
        mean = told["summary"]["geometric_mean"]
        self.assertTrue(1.25 < mean["low"] < mean["ratio"] < mean["high"] < 1.35)
        self.assertEqual(self.against(a, quicker, 0)["summary"]["faster"], 2)
        self.assertEqual(self.against(a, self.timed("f", 2, phase="forces"), 0)["summary"]["slower"], 0)
        self.assertEqual(told, self.against(a, slower, 3))  # the resampling is seeded

    def test_repetitions_that_were_not_quiet_do_not_count(self):
        def disturb(samples, noise):
            samples["seconds"][samples["repetition"] == 1] *= 3
            noise["broken"][noise["repetition"] == 1] = 1
        a, disturbed = self.timed("a", 1), self.timed("n", 1, seed=2, change=disturb)
        told = self.against(a, disturbed, 0)
        self.assertEqual(told["summary"]["slower"], 0)
        self.assertEqual({tuple(case["time"]["samples"]) for case in told["cases"]}, {(STEPS, STEPS // 2)})
        everything = self.timed("e", 1, seed=2, change=lambda samples, noise: noise["broken"].fill(1))
        self.assertEqual({tuple(case["time"]["samples"]) for case in self.against(a, everything, 0)["cases"]},
                         {(STEPS, STEPS)})

    def test_noisy_times_decide_nothing(self):
        """Two runs of one program on a busy machine: slower by far, and no contradiction on either side's word."""
        a, slower = self.timed("a", 1), self.timed("s", 1.3, seed=2)
        for noisy in (self.against(self.timed("an", 1, noisy="load 7"), slower, 0),
                      self.against(a, self.timed("sn", 1.3, seed=2, noisy="load 7"), 0)):
            self.assertEqual((noisy["summary"]["worse"], noisy["summary"]["not_decided"]), (0, 2))
            self.assertEqual([case["worse"] for case in noisy["cases"]], [[], []])
            self.assertFalse(noisy["summary"]["regression"])

    def test_many_small_losses_are_a_loss_together(self):
        a, b = self.timed("a", 1, 0.05), self.timed("b", 1.13, 0.05, seed=4)
        told = self.against(a, b, 3)
        self.assertEqual(told["summary"]["worse"], 0)
        self.assertGreater(told["summary"]["geometric_mean"]["low"], 1.05)
        self.assertIn("all together slower by more than 5 %", self.call("compare", a, b, status=3).stdout)

    def test_within_the_noise_floor_of_a_sweep(self):
        a, b = self.timed("a", 1), self.timed("b", 1.2, seed=2)
        self.assertEqual(self.against(a, b, 3)["summary"]["noise_floor"], 0)
        key = json.loads((a / "plan.json").read_text())["cases"][0]["key"]
        event = json.loads((a / "journal.jsonl").read_text().splitlines()[-1])
        with open(a / "journal.jsonl", "a") as journal:
            for i in range(7):
                journal.write(json.dumps({"event": "floor", "at": f"2001-02-03T04:05:0{i}Z", "case": key,
                                          "seconds": 1 + 0.05 * i, "noisy": "", "build": event["build"],
                                          "machine": event["machine"]}) + "\n")
        told = self.against(a, b, 0)
        self.assertAlmostEqual(told["summary"]["noise_floor"], 0.3, 12)
        self.assertEqual(told["summary"]["same"], 2)

    def test_one_run_is_said_to_know_little(self):
        a, b = self.timed("a", 1, runs=1), self.timed("b", 1, seed=2, runs=1)
        self.assertIn("one repetition alone counts", self.call("compare", a, b).stdout)
        two = self.timed("two", 1)
        self.assertNotIn("one repetition alone counts", self.call("compare", two, two).stdout)


if __name__ == "__main__":
    world.main()
