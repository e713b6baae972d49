"""What `springbench compare` says in words, and which cases it takes for the same: sets of options by their names,
cases of indexes by what both know, and none that could be several."""
import csv
import io
import json
import pathlib
import shutil
import tempfile
import unittest

import world
from world import World

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
NINE = "stiffness: [50, 60, 70, 80, 90, 100, 110, 120, 130]"


class Pairs(World):
    """Real results, of sweeps that name their sets of options."""

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp())
        maker = cls("runTest")
        maker.folder = cls.shared
        cls.a = maker.named("a", "", "", "stiffness: [50, 60]")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared)

    def runTest(self):
        pass

    def named(self, out, defaults, rough, axes, rows="stiffness"):
        path = self.folder / (out + ".yaml")
        path.write_text(METHODS % (defaults, rough, axes, rows))
        return self.run_sweep(path, out)

    def compare(self, a, b, *options, status=0):
        return json.loads(self.call("compare", a, b, "--format", "json", *options, status=status).stdout)

    def test_a_set_of_options_is_known_by_its_name(self):
        b = self.named("b", ", seed: 7", ", drag: 0.01", "stiffness: [50, 60]")
        told = self.compare(self.a, b)
        self.assertEqual([told["summary"][name] for name in ("compared", "by_key")], [4, 0])
        self.assertEqual(told["settings"], {"seed": ["1", "7"], "drag": ["0", "0.01"]})
        rows = list(csv.DictReader(io.StringIO(self.call("compare", self.a, b, "--format", "csv").stdout)))
        self.assertEqual({(row["method"], row["stiffness"]) for row in rows},
                         {(m, s) for m in ("rough", "fine") for s in ("50", "60")})
        self.assertFalse({"integrator", "substeps", "drag"} & set(rows[0]))  # the name stands for them

    def test_an_axis_beside_the_names_tells_cases_apart(self):
        b = self.named("b", "", "", "stiffness: [50, 60], substeps: [32, 48]", "stiffness, substeps")
        told = self.compare(self.a, b)
        paired = {tuple(case["key"]) for case in told["cases"]}
        self.assertEqual(len(paired), told["summary"]["compared"])
        self.assertEqual(told["summary"]["compared"], 2)  # fine at 32 substeps; rough has 16 in A and none in B
        self.assertEqual([one["substeps"] for one in told["A"]["only_here"]], [16, 16])
        self.assertEqual(len(told["B"]["only_here"]), 6)

    def test_single_cases_are_told_by_their_keys(self):
        a = self.run_sweep(self.shared / "a.yaml", "one", "-f", "stiffness == 50 and method == rough")
        b = self.run_sweep(self.shared / "a.yaml", "other", "-f", "stiffness == 60 and method == fine")
        text = self.call("compare", a, b).stdout  # nothing varies in either
        self.assertIn("1 case compared", text)
        self.assertIn("not the same setting: ", text)
        self.assertIn("integrator: explicit_euler → symplectic_euler", text)
        self.assertIn(self.rows(a / "results.csv")[0]["key"], text)

    def test_many_cases_of_one_side_are_counted(self):
        b = self.named("b", "", "", NINE)
        text = self.call("compare", self.a, b).stdout
        self.assertIn("only in B (14): method=rough, stiffness=70; ", text)
        self.assertRegex(text, r"; and \d+ more\n")

    def test_an_index_knows_less_than_its_directory(self):
        index = self.write_rows(self.folder / "few.csv", [
            {name: row[name] for name in ("key", "method", "status", "digest")}
            for row in self.rows(self.a / "results.csv")])
        told = self.compare(self.a, index)
        self.assertEqual((told["summary"]["compared"], told["summary"]["by_key"]), (4, 4))
        rows = self.rows(index)
        for i, row in enumerate(rows):
            row["key"] = f"{i:016x}"
        self.write_rows(index, rows)  # two rows of a method each: which is which nobody can tell
        self.assertIn("no case of", self.call("compare", self.a, index, status=2).stderr)
        self.write_rows(index, rows[:1] + rows[2:3])  # methods vary in A: stiffness does too, and is not known here
        self.assertIn("no case of", self.call("compare", self.a, index, status=2).stderr)


class Words(World):
    """Of indexes made by hand."""

    def setUp(self):
        super().setUp()
        self.base = [{"key": f"{i:016x}", "status": "ok", "reason": "", "accuracy_ok": "true", "grid": str(10 + i),
                      "step_median_s": 1e-3, "step_q1_s": 0.98e-3, "step_q3_s": 1.02e-3, "samples": 100,
                      "residual_worst": 1e-12, "noise_floor": 0.02, "noisy": "", "digest": f"{i:032x}"}
                     for i in range(3)]
        self.a = self.write_rows(self.folder / "a.csv", self.base)

    def told(self, *options, ends=0, **changes):
        rows = [dict(one) for one in self.base]
        rows[1].update(changes)
        b = self.write_rows(self.folder / "b.csv", rows)
        return self.call("compare", self.a, b, *options, status=ends).stdout

    def slower(self, factor):
        return {"step_median_s": factor * 1e-3, "step_q1_s": factor * 0.98e-3, "step_q3_s": factor * 1.02e-3}

    def test_of_times(self):
        text = self.told("--threshold", "10 %", ends=3, **self.slower(2))
        self.assertIn("SLOWER by over 10 %", text)
        self.assertIn("1 slower, 0 faster, 2 same within noise (noise floor up to 2 %)", text)
        self.assertIn("worse: 1 case, first in the list\n", text)
        self.assertIn("3 cases compared", text)
        self.assertIn("faster", self.told("--changed", **self.slower(0.5)))
        self.assertIn("nothing changed in 2 cases", self.told("--changed", **self.slower(0.5)))
        self.assertIn("nothing changed in 3 cases", self.told("--changed"))
        self.assertIn("nothing changed in 2 cases", self.told("--changed", **self.slower(1.04)))  # within the threshold
        for seconds, unit in [(5e-10, "ns"), (5e-6, "µs"), (5, " s")]:
            self.assertIn(unit, self.told("--threshold", "1000%", step_median_s=seconds, step_q1_s=seconds,
                                          step_q3_s=seconds, ends=3 if seconds > 1 else 0))
        self.assertIn("1 case was timed on a machine that was not quiet", self.told(noisy="steal"))
        noisy = self.told(noisy="steal", **self.slower(2))  # status 0: that is no regression, whatever the machine did
        self.assertIn("slower, not decided: noisy", noisy)
        self.assertIn("not decided: noisy: 1 case slower by over 5 %\n", noisy)
        self.assertNotIn("SLOWER", noisy)
        self.assertNotIn("no regression", noisy)
        self.assertIn("worse: 1 case", self.told(noisy="steal", ends=3, status="timeout", **self.slower(2)))
        self.base[1]["noise_floor"] = 4.2
        self.write_rows(self.a, self.base)
        self.assertIn("(noise floor up to 420 %)", self.told(**self.slower(2)))
        self.base[1]["noise_floor"] = 0.02
        self.write_rows(self.a, self.base)
        self.assertEqual(self.told("--seed", "5", **self.slower(1.01)), self.told("--seed", "5", **self.slower(1.01)))

    def test_of_ends_and_accuracy(self):
        text = self.told("--changed", ends=3, status="timeout", reason="killed after 3 s")
        self.assertIn("status: ok → timeout (killed after 3 s)", text)
        self.assertIn("nothing changed in 2 cases", text)
        self.assertIn("status: ok → not run", self.told(ends=3, status=""))
        self.assertIn("tolerances met before, not now", self.told("--changed", ends=3, accuracy_ok="false"))
        self.base[1]["accuracy_ok"] = "false"
        self.write_rows(self.a, self.base)
        self.assertIn("tolerances not met before, met now", self.told("--changed", accuracy_ok="true"))

    def test_of_bits_and_columns(self):
        self.assertIn("nothing changed in 2 cases", self.told("--changed", digest="f" * 32))
        self.assertIn("bits differ", self.told("--changed", "--bitwise", ends=3, digest="f" * 32))
        text = self.told("--changed", residual_worst=1.0000000001e-12)
        self.assertIn("residual_worst: 1e-12 → 1.0000000001e-12 (+1e-08 %)", text)
        text = self.told("residual_worst", "accuracy_ok", "reason", residual_worst="", reason="why")
        self.assertIn("residual_worst: 1e-12 → -; accuracy_ok = yes; reason: - → why", text)

    def test_arguments(self):
        for wrong, answer in [(["--threshold", "1001%"], "at most 1000%"), (["--threshold", "%"], "got '%'"),
                              (["--threshold", ""], "got ''"), (["--seed=-1"], "--seed takes a whole number; got '-1'"),
                              (["--format", "texts"], "--format takes text, md, csv or json; got 'texts'"),
                              (["grid"] * 33, "more than 32 columns"), (["--no-such"], "unrecognized option")]:
            with self.subTest(wrong):
                self.assertIn(answer, self.call("compare", self.a, self.a, *wrong, status=2).stderr)


if __name__ == "__main__":
    world.main()
