# SPDX-License-Identifier: GPL-3.0-or-later
"""A failure inside a case is a result with its reason, and no file has a value that is not a number: every integrator
made to diverge, a spring that collapses, an error inside PETSc between two good cases of a sweep. Files are read by
h5py."""
import csv
import json
import os
import pathlib
import sys

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import PROGRAM, Program, main

IMPLICIT = ("implicit_euler", "bdf2", "sdirk2", "implicit_midpoint", "petsc_ts")
SWEEP = """springbench: 1
name: singular
question: Does a sweep go on after an error inside PETSc?
source: this test
driver: trajectory
timed: false
defaults: {scene: oscillator, amplitude: -0.5, integrator: implicit_euler, minimizer: newton, hessian: exact,
           start: previous, max_iterations: 1, duration: 1, linear: petsc,
           petsc: -ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod}
sweep:
  - grid: {h: [0.25, 0.5, 0.125]}
expect:
  - {claim: no run gets far, test: abs(last_x) < 100}
  - {claim: no run that ended gets far, test: abs(last_x) < 100, where: status == ok}
  - {claim: no run takes nine steps, test: steps_done < 9}
"""


class Honesty(Program):
    def case(self, *pairs):
        return json.loads(self.call("case", *pairs, "save=every:1", "--json", "-o", "case.h5").stdout)

    def assert_finite(self, path):
        """Every number of every dataset and attribute; how many datasets of reals there were."""
        found = []

        def look(name, thing):
            values = [thing.attrs[key] for key in thing.attrs]
            if isinstance(thing, h5py.Dataset):
                values.append(thing[()])
                found.append(name)
            for value in map(numpy.asarray, values):
                fields = [value[field] for field in value.dtype.names] if value.dtype.names else [value]
                for one in fields:
                    if one.dtype.kind == "f":
                        self.assertTrue(numpy.isfinite(one).all(), name)

        with h5py.File(path) as file:
            file.visititems(look)
        self.assertGreater(len(found), 10)

    def integrators(self):
        names = [entry["name"] for entry in json.loads(self.call("list", "integrators", "--json").stdout)["integrators"]
                 if "moves particles of a fluid, not nets" not in entry["claims"]]
        self.assertGreater(len(names), 7)
        return names

    def test_every_integrator_by_a_field_without_values(self):
        for name in self.integrators():
            row = self.case("scene=cloth", "grid=3", "stiffness=50", "h=0.01", "duration=0.3", f"integrator={name}",
                            "wind=expression:z=sqrt(0.105-t)")
            implicit = name in IMPLICIT
            self.assertEqual(row["status"], "not_converged" if implicit else "diverged", name)
            self.assertIs(row["broke_off"], True, name)
            self.assertRegex(row["reason"], r"^step 1[12] \(t = 0\.1[12] s\): ")
            if not implicit:
                self.assertRegex(row["reason"], r"spring \d+ \(\d+-\d+\)")
            self.assert_finite(self.folder / "case.h5")
            with h5py.File(self.folder / "case.h5") as file:
                self.assertIn(file["particles/all/position/step"][-1], (10, 11), name)

    def test_every_explicit_integrator_by_a_step_too_large(self):
        for name in self.integrators():
            if name in (*IMPLICIT, "position_verlet"):
                continue
            for driver in ("trajectory", "blowup") if name == "symplectic_euler" else ("trajectory",):
                row = self.case("scene=rope", "nodes=8", "frame_seconds=1", "frames=400", "substeps=4",
                                f"integrator={name}", f"driver={driver}")
                self.assertEqual(row["status"], "diverged", name)
                self.assertRegex(row["reason"], r"^step \d+ .*vertex \d+ .*; .*spring \d+ \(\d+-\d+\)")
                self.assert_finite(self.folder / "case.h5")
                step = int(row["reason"].split()[1])
                with h5py.File(self.folder / "case.h5") as file:
                    last = file["particles/all/position/step"][-1]
                    self.assertLess(last, step)
                    self.assertGreaterEqual(last, step - 4)

    def test_a_collapsed_spring_is_named(self):
        fall = ["scene=oscillator", "amplitude=0", "initial_velocity=[-4,0,0]", "integrator=explicit_euler", "h=0.25",
                "duration=1"]
        row = self.case(*fall)
        self.assertEqual((row["status"], row["broke_off"]), ("not_converged", True))
        self.assertEqual(row["reason"], "step 1 (t = 0.25 s): zero length: spring 0 (0-1) has 0 of its rest length")
        self.assert_finite(self.folder / "case.h5")
        stored = json.loads(self.call("export", "case.h5", "--to", "json").stdout)["row"]
        self.assertIs(stored["broke_off"], True)
        with h5py.File(self.folder / "case.h5", "r+") as file:
            del file["result"].attrs["broke_off"]  # as in a file of an earlier version
        del stored["broke_off"]
        self.assertEqual(json.loads(self.call("export", "case.h5", "--to", "json").stdout)["row"], stored)
        row = self.case(*fall, "allow_zero_length=true")
        self.assertEqual((row["status"], row["broke_off"]), ("ok", False))

    def test_a_sweep_goes_on_after_an_error_inside_petsc(self):
        (self.folder / "singular.yaml").write_text(SWEEP)
        told = {"ASAN_OPTIONS": "fast_unwind_on_malloc=0:malloc_context_size=12"}  # leaks of PETSc, by their callers
        self.call("run", "singular.yaml", "-o", "out", env={**os.environ, **told})
        with open(self.folder / "out/results.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["status"] for row in rows], ["ok", "not_converged", "ok"])
        self.assertRegex(rows[1]["reason"], r"^step 1 \(t = 0\.5 s\): linear solve \w+: PETSc error")
        self.assertEqual([row["broke_off"] for row in rows], ["false", "true", "false"])
        said = self.call("verify", "out", status=3).stdout  # a run that broke off meets no bound
        self.assertRegex(said, r"(?m)^NOT REPRODUCED +no run gets far .*undecided: 1 case did not end with status ok")
        self.assertRegex(said, r"(?m)^reproduced +no run that ended gets far ")
        self.assertRegex(said, r"(?m)^reproduced +no run takes nine steps ")
        for path in (self.folder / "out/cases").glob("*.h5"):
            self.assert_finite(path)

    def test_memory_is_that_of_the_case(self):
        """The kernel's ru_maxrss of a process begins with that of its parent."""
        cloth = ["scene=cloth", "grid=4", "integrator=symplectic_euler", "h=1e-4", "duration=1e-3"]
        small = [self.case(*cloth, f"ranks={ranks}")["max_rss_bytes"] for ranks in (1, 2)]
        large = b"x" * (500 << 20)
        beside = [self.case(*cloth, f"ranks={ranks}")["max_rss_bytes"] for ranks in (1, 2)]
        self.assertEqual(large[-1], ord("x"))
        for one, other in zip(small, beside):
            self.assertLess(abs(one - other), 0.1 * one)
        self.assertGreater(small[1], 1.5 * small[0])  # the sum over ranks

    def test_a_vertex_takes_as_much_memory_as_its_method_needs(self):
        """No copy of the net is left over from the set-up, or from the integrator of the warm-up, and no matrix is made
        twice: bytes per vertex."""
        if b"__asan_init" in pathlib.Path(PROGRAM).read_bytes():
            self.skipTest("freed memory stays in a sanitizer's quarantine")
        timing = ["case", "driver=timing", "scene=square", "save=none", "steps=1", "h=1e-4", "--json"]
        implicit = ["integrator=implicit_euler", "max_iterations=1", "linear=petsc",
                    "petsc=-ksp_type cg -pc_type jacobi"]
        for most, method in ((370, ["integrator=symplectic_euler"]),
                             (780, [*implicit, "minimizer=local_global"]), (1850, [*implicit, "minimizer=newton"])):
            small, large = (json.loads(self.call(*timing, *method, f"grid={grid}").stdout)["max_rss_bytes"]
                            for grid in (9, 299))
            self.assertLess((large - small) / 300**2, most, method)

    def test_a_step_tolerance_says_nothing_of_the_gradient(self):
        small = ["scene=cloth", "grid=4", "perturbation=0.05", "minimizer=local_global", "gradient_tolerance=1e-12"]
        for driver, more in (("trajectory", ["integrator=implicit_euler", "h=0.05", "duration=0.05"]),
                             ("timing", ["integrator=implicit_euler", "h=0.05", "duration=0.05"]),
                             ("accuracy", ["integrator=implicit_euler", "h=0.05", "duration=0.05"]),
                             ("convergence", ["frames=3", "frame_seconds=0.05", "substeps=1"])):
            row = self.case(f"driver={driver}", *small, *more, "step_tolerance=1e-2")
            self.assertEqual((row["status"], row["accuracy_ok"]), ("ok", False), driver)

    def test_steps_that_met_no_tolerance(self):
        cloth = ["scene=cloth", "grid=3", "perturbation=0.05", "h=0.01", "duration=0.1"]
        chain = ["scene=chain", "nodes=3", "amplitude=1e-3", "h=0.1", "duration=20"]
        for driver, scene in (("trajectory", cloth), ("accuracy", cloth), ("blowup", cloth), ("dispersion", chain),
                              ("timing", cloth)):
            row = self.case(f"driver={driver}", *scene, "integrator=implicit_euler", "max_iterations=1",
                            "gradient_tolerance=1e-30")
            self.assertEqual((row["status"], row["broke_off"]), ("not_converged", False), driver)  # made all steps
            self.assertIs(row["accuracy_ok"], False, driver)

    def test_iterations_past_rounding(self):
        """A Krylov method that goes on past it blames the matrix, here M + h^2 L, which is definite by construction."""
        for method in ("cg", "cr", "gmres", "minres"):
            row = self.case("scene=cloth", "grid=2", "integrator=implicit_euler", "minimizer=local_global", "h=0.01",
                            "duration=0.05", "max_iterations=10", "linear=petsc", "linear_max_iterations=200",
                            "linear_tolerance=0", f"petsc=-ksp_type {method} -pc_type jacobi")
            self.assertEqual(row["status"], "ok", f"{method}: {row['reason']}")

    def test_zero_is_no_solution(self):
        for text in ("-ksp_atol 1e10 -ksp_rtol 0.1", "-ksp_type richardson -ksp_norm_type none -ksp_max_it 3 -ksp_rtol 0.2"):
            row = self.case("scene=cloth", "grid=4", "integrator=implicit_euler", "h=0.01", "duration=0.05",
                            "max_iterations=10", "linear=petsc", f"petsc={text}")
            self.assertEqual(row["status"], "not_converged", text)
            self.assertIn("the solution is not better than zero", row["reason"])

    def test_a_reference_that_diverges(self):
        row = self.case("driver=accuracy", "scene=cloth", "grid=3", "stiffness=1e9", "integrator=implicit_euler",
                        "h=0.01", "duration=0.1")
        self.assertEqual(row["status"], "not_converged")
        self.assertRegex(row["reason"], r"^no reference: rk4 with h/16, step \d+ .*vertex \d+")
        self.assert_finite(self.folder / "case.h5")

    def test_an_error_is_told_and_not_the_warning_before_it(self):
        dispersion = ["driver=dispersion", "scene=chain", "amplitude=1e-3", "h=0.2"]
        for pairs, code in ((["driver=statics", "scene=cloth", "grid=3", "stiffness=0"], "E208"),
                            ([*dispersion, "nodes=5", "ends=free_free", "duration=40", "stiffness=0"], "E104"),
                            ([*dispersion, "nodes=2", "duration=0.2"], "E104")):
            done = self.call("case", *pairs, status=2)
            self.assertRegex(done.stderr, rf"error: .*\[{code}\]")
            self.assertNotIn("warning", done.stderr)


main(2)
