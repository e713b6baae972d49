"""A part of a sweep is no whole: filters, shards, one of two shards joined, limits, --quick, and methods that fail.
parts.py PROGRAM EXPERIMENTS [TEST ...]"""
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from program import WATCHED, Program, main, memory_limit

EXPERIMENTS = pathlib.Path(sys.argv[2])
# Error in proportion to h, but for the largest steps, where explicit Euler diverges.
SWEEP = """springbench: 1
name: steps
question: How large is the error?
driver: accuracy
timed: false
defaults: {scene: oscillator, integrator: explicit_euler, duration: 20, initial_velocity: "[0.1,0,0]"}
sweep: [{grid: {h: [HS]}}]
quick: {h: [0.001, 0.002]}
expect:
  - {claim: small, test: "max(error_position) < 0.007"}
  - {claim: small in the mean, test: "mean(error_position) < 0.005"}
  - {claim: in proportion, test: "0.9 < slope(log(error_position), log(h_seconds)) < 1.1"}
  - {claim: small where it stands, test: "max(error_position) < 0.007", where: status == ok}
  - {claim: small at two, test: "error_position[h=0.001] < 0.007 and error_position[h=0.002] < 0.007"}
"""
CLOTH = ["scene=cloth", "integrator=implicit_euler", "max_iterations=1", "gradient_tolerance=0", "duration=0.001"]


class Parts(Program):
    def verdicts(self, directory, status=0):
        """The verdict and what is told of each claim, and the last line."""
        *lines, last = self.call("verify", directory, status=status).stdout.splitlines()
        words = ("NOT REPRODUCED", "not tested", "reproduced")
        told = [next((word, line[len(word):].strip()) for word in words if line.startswith(word)) for line in lines]
        return [word for word, _ in told], [text for _, text in told], last

    def sweep(self, steps):
        path = self.folder / "steps.yaml"
        path.write_text(SWEEP.replace("HS", steps))
        return path

    def test_two_of_126_ropes(self):
        out = self.folder / "results" / "rope_blowup"
        chosen = "integrator == explicit_euler and drag == 0.001 and substeps in [64,128]"
        said = self.call("run", EXPERIMENTS / "rope_blowup.yaml", "-f", chosen, "-o", out).stderr
        self.assertIn("rope_blowup: 2 of 126 cases: 2 diverged; 6 claims: 1 reproduced, 5 not tested; ", said)
        words, told, last = self.verdicts(out)
        self.assertEqual(words, ["not tested", "not tested", "reproduced"] + 3 * ["not tested"])
        self.assertTrue(told[2].endswith("; rests on 1 of 14 cases (1 diverged)"), told[2])  # which is about one of the two
        self.assertTrue(told[3].endswith("undecided: of its 7 cases 5 are not here"), told[3])
        self.assertEqual(last, "rope_blowup: 2 of 126 cases; 6 claims: 1 reproduced, 5 not tested")
        findings = (out.parent / "REPRODUCED.md").read_text()
        line = next(line for line in findings.splitlines() if "`rope-explicit-growth`" in line)
        self.assertTrue(line.startswith("| **– not tested** |"), line)
        self.assertIn("undecided: of its 7 cases 5 are not here", line)
        self.assertIn("rests on 1 of 14 cases (1 diverged)", findings)
        self.assertIn("| 2 of 126 cases: 2 diverged |", (out.parent / "index.md").read_text())
        for page in "report.md", "report.html":
            self.assertIn("undecided: of its 7 cases 5 are not here", (out / page).read_text())

    def test_shards(self):
        path = self.sweep("0.001, 0.008, 0.002, 0.004")
        for part in "1", "2":
            self.call("run", path, "--shard", f"{part}/2", "-o", f"part{part}")
        words, told, _ = self.verdicts("part1")  # 0.001 and 0.002: the claim is false of the others
        self.assertEqual(words, ["not tested"] * 4 + ["reproduced"])
        self.assertTrue(told[0].endswith("of its 4 cases 2 are not here"), told[0])
        self.assertTrue(told[4].endswith("rests on 2 of 4 cases"), told[4])
        self.call("merge", "one", "part1")
        self.assertEqual(self.verdicts("one")[0], words)
        words, told, _ = self.verdicts("part2", status=3)  # what it has is enough to say so
        self.assertEqual(words[0], "NOT REPRODUCED")
        self.assertTrue(told[0].endswith("or more; rests on 2 of 4 cases"), told[0])
        self.call("merge", "both", "part1", "part2")
        words, told, last = self.verdicts("both", status=3)
        self.assertEqual(words, ["NOT REPRODUCED", "reproduced", "reproduced", "NOT REPRODUCED", "reproduced"])
        self.assertTrue(all(text.endswith("rests on 4 of 4 cases") for text in told[:4]), told)
        self.assertTrue(told[4].endswith("rests on 2 of 4 cases"), told[4])  # it selects two
        self.assertEqual(last, "steps: 5 claims: 3 reproduced, 2 NOT REPRODUCED")

    def test_quick_is_a_part(self):
        path = self.sweep("0.001, 0.008, 0.002, 0.004")
        self.call("run", path, "--quick", "-o", "quick")
        words, told, _ = self.verdicts("quick")
        self.assertEqual(words, ["not tested"] * 4 + ["reproduced"])
        self.assertTrue(told[4].endswith("rests on 2 of 4 cases (quick)"), told[4])

    def test_failures_stay(self):
        """What diverges drops out of no maximum, mean or slope, unless the claim names the status."""
        self.call("run", self.sweep("0.001, 0.002, 0.004, 5, 10"), "-p", "duration=100", "-o", "out")
        words, told, _ = self.verdicts("out", status=3)
        self.assertEqual(words, ["NOT REPRODUCED"] * 3 + ["reproduced"] * 2)
        for text in told[:3]:
            self.assertIn("undecided: 2 cases did not end with status ok", text)
        self.assertIn("rests on 3 of 3 cases", told[3])

    def test_what_has_no_memory_is_not_known(self):
        path = self.sweep("0.001")
        path.write_text(path.read_text().replace("accuracy", "trajectory").split("quick:")[0].replace(
            "oscillator, integrator: explicit_euler, duration: 20, initial_velocity: \"[0.1,0,0]\"",
            ", ".join(CLOTH).replace("scene=", "").replace("=", ": ")).replace(
            "h: [0.001]", "h: [0.001], grid: [4, 8, 200]") + "expect:\n"
            "  - {claim: few, test: max(grid) < 100 or max(steps_done) < 1, where: status == ok}\n"
            "  - {claim: they end ok, test: status == ok}\n")
        case = self.call("case", *CLOTH, "grid=200", "h=0.001", "memory_limit=1", "--json")
        self.call("run", path, "-m", memory_limit(case.stdout, 1 / 2), "-o", "out", env={**os.environ, **WATCHED})
        words, told, _ = self.verdicts("out")
        self.assertEqual(words, ["not tested"] * 2, told)
        self.assertRegex(told[0], "undecided: of its 3 cases 1 was skipped")
        self.call("run", path, "-m", "4G", "-o", "out", "--rerun", "failed")
        self.assertEqual(self.verdicts("out", status=3)[0], ["NOT REPRODUCED", "reproduced"])


if __name__ == "__main__":
    main(2)
