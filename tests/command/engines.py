"""Cases that other engines run: the lines that `plan` writes for them, and what `collect` takes in. usage: engines.py
PROGRAM [TEST ...]
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from program import PROGRAM, Program, main  # noqa: E402

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
HERE, DATA = "elsewhere", "first,second,stiffness\n0,1,75\n"


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
        """What an engine makes of the plan, in a folder of its own."""
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

    def test_of_several_sweeps_name_theirs(self):
        cases = json.loads(self.call("plan", "sweep/engines.yaml", "rope_blowup", "--format", "json").stdout)
        self.assertEqual({"engines", "rope_blowup"}, {case["sweep"] for case in cases})
        named = [case["command"] for case in cases if case["command"] and "SPRINGBENCH_INPUTS=" in case["command"]]
        self.assertEqual(1, len(named))
        self.assertIn(f"SPRINGBENCH_INPUTS={self.folder.resolve()}/sweep ", named[0])


if __name__ == "__main__":
    main()
