# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems by their names: the options that they stand for, sweeps over `every` name, and combinations that are refused."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from xxh3 import digest  # noqa: E402

PROGRAM = sys.argv[1]
KNOWN = pathlib.Path(__file__).parent.parent / "known" / "problems.csv"
LARGE = ("typical_curtain_81", "typical_curtain_161")
HEAD = "springbench: 1\nname: s\ndriver: convergence\ntimed: false\n"


def springbench(*arguments, status=0, **more):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=400, **more)
    assert done.returncode == status, done.stderr
    return done


def case(*pairs):
    return json.loads(springbench("case", "driver=convergence", *pairs, "--json").stdout)


def entries(of):
    return json.loads(springbench("list", of, "--json").stdout)[of]


def problems():
    return {entry["name"]: entry["summary"].split() for entry in entries("problems")}


def run_sweep(folder, text, *arguments):
    """The rows of the results."""
    path = pathlib.Path(folder) / "s.yaml"
    path.write_text(HEAD + text)
    springbench("run", path, "-o", pathlib.Path(folder) / "out", "-j", "2", *arguments)
    with open(pathlib.Path(folder) / "out" / "results.csv", newline="") as file:
        return list(csv.DictReader(file))


class Problems(unittest.TestCase):
    def test_a_problem_is_its_options(self):
        name = "typical_curtain_11_4"
        short = case(f"problem={name}", "minimizer=local_global", "budget=20")
        long = case(*problems()[name], "minimizer=local_global", "budget=20")
        self.assertEqual(short["key"], long["key"])
        other = case(f"problem={name}", "minimizer=local_global", "budget=20", "grid=5")
        self.assertNotEqual(other["key"], short["key"])
        self.assertLess(other["columns"]["nnz_factor"], short["columns"]["nnz_factor"])

    def test_a_budget_ends_a_curve(self):
        for budget in (10, 40):
            row = case("problem=stiff_curtain_21_4", "minimizer=local_global", f"budget={budget}")
            self.assertGreaterEqual(row["columns"]["work_final"], budget)
            self.assertLess(row["columns"]["work_final"], budget + 1.2)  # one iteration more, and its vectors
        row = case("problem=stiff_curtain_21_4", "minimizer=newton", "budget=100000")
        self.assertEqual(row["status"], "ok")
        self.assertLessEqual(row["columns"]["place_error_final"], 1e-6)
        self.assertLessEqual(row["columns"]["residual_final"], 1e-6)
        self.assertLessEqual(row["columns"]["error_final"], 1e-8)
        self.assertLess(row["columns"]["iterations_final"], 20)

    def test_work_counts_what_the_targets_cost(self):
        columns = case("problem=easy_cloth_11_20", "minimizer=local_global", "budget=1000")["columns"]
        self.assertLess(abs(columns["work_to_1e2"] / columns["iterations_to_1e2"] / 1.1 - 1), 0.1)
        self.assertEqual(columns["solves"], 3 * columns["iterations_final"])
        self.assertEqual(columns["passes"], columns["iterations_final"])
        self.assertEqual(columns["factorizations"], 0)  # it was done before
        self.assertGreater(columns["setup_work"], 0)

    def test_every_problem_has_a_reference(self):
        """There are sixty and more, of five strata, each with a minimum to measure from and a way to go to it."""
        known = problems()
        self.assertGreaterEqual(len(known), 60)
        self.assertEqual({name.split("_")[0] for name in known},
                         {"easy", "typical", "stiff", "compressed", "contact"})
        chosen = [name for name in known if not name.startswith(LARGE)]
        with tempfile.TemporaryDirectory() as folder:
            rows = run_sweep(folder, f"defaults: {{minimizer: newton, hessian: adaptive, budget: 1, start: coast}}\n"
                                     f"sweep: [{{grid: {{problem: [{', '.join(chosen)}]}}}}]\n")
        self.assertEqual(len(rows), len(chosen))
        for row in rows:
            self.assertEqual(row["status"], "ok", row)
            self.assertEqual(row["frames_measured"], "1", row["problem"])
        self.compare_with_known(rows, set(known))

    def compare_with_known(self, rows, names):
        """Version 3 of the set is these minima: another one would be another set, to be called so. No reference is
        higher: version 1 had a saddle, version 2 the higher of two minima of compressed_bar_3_2, by 9.7 J."""
        with open(KNOWN, newline="") as file:
            stored = {row["problem"]: row for row in csv.DictReader(file)}
        self.assertEqual(set(stored), names)
        for row in rows:
            for column in ("reference_objective", "motion"):
                want, got = float(stored[row["problem"]][column]), float(row[column])
                self.assertLessEqual(abs(got - want), 1e-6 * abs(want), (row["problem"], column, got, want))
            known = float(stored[row["problem"]]["reference_objective"])
            self.assertLessEqual(float(row["reference_objective"]), known * (1 + 4e-9) + 1e-13, row["problem"])

    def test_a_reference_is_a_minimum_and_the_same_for_every_case(self):
        """On typical_curtain_21_8 Newton's method from x + h v ends at a saddle, 1.7e-8 J above a minimum."""
        pairs = ("problem=typical_curtain_21_8", "minimizer=newton", "hessian=blended", "budget=3000")
        row = case(*pairs, "start=coast", "step=armijo")["columns"]
        self.assertGreaterEqual(row["reference_saddles"], 1)
        self.assertEqual([row["indefinite_final"], row["other_minimum"], row["ended_lower"]], [1, 0, 0])
        self.assertLess(row["force_final"], 1e-9)
        self.assertIsNone(row.get("work_to_force_1e3"))
        self.assertEqual(row["below_reference"], 0)
        self.assertGreater(row["error_final"], 5.5e-8)  # 1.67e-8 J of 0.283 J
        self.assertLess(row["error_final"], 6.5e-8)
        other = case(*pairs[:2], "budget=1", "start=previous")["columns"]
        self.assertEqual(other["reference_objective"], row["reference_objective"])

    def test_the_reference_is_the_deepest_of_several_minima(self):
        """For compressed_bar_3_2 Newton's method from x + h v finds a minimum 9.7 J above that of Newton-CG, in which a
        motion continues: measurements on it do not change it."""
        for method, elsewhere in (("newton", 1), ("newton_cg", 0)):
            row = case("problem=compressed_bar_3_2", f"minimizer={method}", "start=coast", "budget=3000")["columns"]
            self.assertEqual(row["reference_saddles"], 0)
            self.assertEqual([row["other_minimum"], row["indefinite_final"], row["below_reference"]], [elsewhere, 0, 0])
            self.assertAlmostEqual(row["objective_final"] - row["reference_objective"], 9.74357 * elsewhere, delta=1e-5)
        for frames in ("last", "[1,2,3]"):
            row = case("problem=compressed_bar_3_2", "frames=3", f"measure_frames={frames}", "budget=1")["columns"]
            self.assertAlmostEqual(row["reference_objective"], 9.473220001025613, delta=1e-9)

    def test_fewer_searches_find_a_higher_minimum(self):
        """On compressed_bar_3_2 the search that advances the motion ends 9.7 J above truncated Newton from y."""
        one, two, all_of_them = (case("problem=compressed_bar_3_2", "minimizer=newton", "budget=1", *more)["columns"]
                                 for more in (["reference_searches=1"], ["reference_searches=2"], []))
        self.assertAlmostEqual(one["reference_objective"] - all_of_them["reference_objective"], 9.74357, delta=1e-5)
        self.assertAlmostEqual(two["reference_objective"], all_of_them["reference_objective"], delta=1e-9)

    def test_a_budget_may_be_that_of_factorisations(self):
        pairs = ("problem=stiff_curtain_21_4", "minimizer=local_global", "budget=10")
        short, long = (case(*pairs, *more)["columns"] for more in ((), ("budget_factorizations=2",)))
        newton = case(*pairs[:1], "minimizer=newton", "budget=1", "max_iterations=1")["columns"]
        self.assertLess(short["work_final"], 12)
        self.assertLess(abs(long["work_final"] / (2 * newton["work_final"]) - 1), 0.1)

    def test_the_gradient_is_measured_by_the_external_force(self):
        """On whatever start: |grad g| <= 1e-3 |f_ext| is |m (z - y)/h^2 - f| of a thousandth of the weight."""
        for start in ("coast", "inertial", "previous"):
            row = case("problem=easy_cloth_11_20", "minimizer=newton", f"start={start}", "budget=100")["columns"]
            self.assertGreater(row["work_to_force_1e3"], 0)
            self.assertLess(row["force_final"], 1e-6)
        start = case("problem=easy_cloth_11_20", "stiffness=1e-9", "frames=1", "minimizer=gradient_descent",
                     "start=coast", "budget=0", "max_iterations=1", "step=fixed", "step_length=1e-9")["columns"]
        self.assertAlmostEqual(start["force_final"], 1, delta=1e-6)  # x + h v is off by gravity alone

    def test_untimed_cases_have_the_same_results(self):
        timed, untimed = (case("problem=easy_rope_16_8", "minimizer=nonlinear_cg", "budget=50", *more)
                          for more in ((), ("--untimed",)))
        self.assertEqual(timed["digest"], untimed["digest"])
        self.assertGreater(timed["columns"]["seconds_final"], 0)
        self.assertIsNone(untimed["columns"].get("seconds_final"))

    def test_cases_share_the_motion_of_their_reference(self):
        """Whoever reads it has the bits of whoever searches, and a file that is not the motion of the case is not read."""
        motion = ("problem=contact_cloth_11_14", "budget=5")
        newton = ("minimizer=newton", "hessian=projected")
        lbfgs = ("minimizer=lbfgs", "window=7")
        alone = {method: case(*motion, *method) for method in (newton, lbfgs)}
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)

            def shared(method, *more):
                return case(*motion, *method, *more, f"--shared={folder}")

            self.assertEqual(shared(newton)["digest"], alone[newton]["digest"])
            self.assertEqual([path.suffix for path in folder.iterdir()], [".motion"])
            self.assertEqual(shared(lbfgs)["digest"], alone[lbfgs]["digest"])
            stored, = folder.iterdir()
            whole = stored.read_bytes()
            at = whole.rindex(b"report->saddles") + len("report->saddles")
            for what, seal, saddles in (("of this case", digest, 7), ("damaged", lambda text: "0" * 32, 0)):
                told = whole[:at] + (7).to_bytes(4, "little") + whole[at + 4:-32]
                stored.write_bytes(told + seal(told).encode())
                self.assertEqual(shared(lbfgs)["columns"]["reference_saddles"], saddles, what)
            self.assertEqual(stored.read_bytes(), whole)
            shared(newton, "stiffness=1001")
            self.assertEqual(len(list(folder.iterdir())), 2)
            sweep = "defaults: {problem: easy_rope_16_2, budget: 5}\nsweep: [{grid: {minimizer: [newton, lbfgs, nesterov]}}]\n"
            rows = run_sweep(folder, sweep)
            self.assertEqual({row["status"] for row in rows}, {"ok"})
            self.assertEqual(list((folder / "out" / "tmp").iterdir()), [])
            for row in rows[1:]:
                (folder / "out" / "cases" / f"{row['key']}.h5").unlink()
            for row, motions in zip(rows[1:], (1, 0)):  # it is kept for whoever waits for a result
                springbench("run", folder / "out", "-f", f"minimizer == {row['minimizer']}")
                self.assertEqual(len(list((folder / "out" / "tmp").iterdir())), motions)

    def test_every_name_and_what_is_refused(self):
        methods = [entry["name"] for entry in entries("minimizers")]
        with tempfile.TemporaryDirectory() as folder:
            rows = run_sweep(folder, "skip_refused: true\ndefaults: {budget: 1}\n"
                                     "sweep: [{grid: {problem: [easy_rope_16_2, contact_cloth_11_14], minimizer: every}}]\n")
        self.assertEqual([row["minimizer"] for row in rows[:len(methods)]], methods)
        status = {(row["problem"], row["minimizer"]): row["status"] for row in rows}
        self.assertEqual(status["contact_cloth_11_14", "local_global"], "skipped")
        self.assertEqual(status["contact_cloth_11_14", "newton"], "ok")
        self.assertEqual(status["easy_rope_16_2", "local_global"], "ok")
        reason = next(row["reason"] for row in rows if row["status"] == "skipped")
        self.assertIn("contact_implicit=true", reason)
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(AssertionError):
                run_sweep(folder, "sweep: [{grid: {problem: contact_cloth_11_14, minimizer: every}}]\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
