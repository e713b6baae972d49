# SPDX-License-Identifier: GPL-3.0-or-later
"""A limit of address space (ulimit -v, ulimit -d) ends a case as `oom`, whatever it is, and never a program in a loop:
OpenBLAS asks for its buffers for ever where it gets none. Argument: the program."""
import csv
import functools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import program

SOLVERS = ("linear=cholesky", "linear=lu", "linear=jacobi", "linear=petsc petsc='-ksp_type cg -pc_type icc'",
           "linear=petsc petsc='-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps'",
           "linear=cholesky threads=2")
CLOTH = "scene=cloth integrator=implicit_euler minimizer=newton max_iterations=2 h=0.001 duration=0.001"
SWEEP = """springbench: 1
name: limited
timed: false
defaults: {scene: cloth, integrator: implicit_euler, max_iterations: 2, h: 0.001, duration: 0.001}
sweep: [{grid: {grid: [4, 300]}}]
"""
# Failures before main, which springbench cannot report: the loader finds no room for a library, or OpenBLAS none for
# the stack of a thread.
BEFORE_MAIN = {127: "error while loading shared libraries", 130: "pthread_create failed"}
OUT_OF_MEMORY = 8


def megabytes(flag, limit):
    return f"{flag} {limit * 1e3 / 1.024:.0f}"  # of 1024 bytes


class AddressSpace(program.Program):
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}

    def under(self, limit, line):
        done = self.shell(f"ulimit {limit}; timeout -s KILL 60 '{program.PROGRAM}' {line}", status=None)
        self.assertNotEqual(done.returncode, 137, (limit, line, "it hangs"))
        return done

    def outcome(self, limit, solver, grid=150):
        done = self.under(limit, f"case {CLOTH} grid={grid} {solver}")
        if done.returncode in BEFORE_MAIN:
            self.assertIn(BEFORE_MAIN[done.returncode], done.stderr)
        elif done.returncode == OUT_OF_MEMORY:
            self.assertIn("springbench: error: out of memory", done.stderr)
        elif done.returncode == 2:
            self.assertIn("does not fit into memory", done.stderr)
        else:
            self.assertEqual(done.returncode, 0, (limit, solver, done.stderr))
            self.assertIn("status                     ok", done.stdout, (limit, solver))
        return done.returncode

    @functools.cache
    def least(self, flag):
        """In MB, a limit under which a small case begins, and 5 MB less are too few: how much libraries take differs from
        machine to machine. Up to there it is out of memory, in words."""
        def small(limit):
            return self.outcome(megabytes(flag, limit), "linear=jacobi", grid=4)

        few, enough = 20, 30
        self.assertNotEqual(small(few), 0)
        while small(enough) != 0:
            few, enough = enough, 1.5 * enough
        while enough - few > 5:
            middle = (few + enough) / 2
            few, enough = (few, middle) if small(middle) == 0 else (middle, enough)
        self.assertEqual(small(few), OUT_OF_MEMORY)
        return enough

    def with_part(self, part, grid):
        """A limit that has room for all of a case but its factor, and for a part of that."""
        (factor, before), (_, small) = [program.predicted(self.call(
            "case", *CLOTH.split(), f"grid={n}", "memory_limit=1", "--json").stdout) for n in (grid, 4)]
        return megabytes("-v", self.least("-v") + before - small + part * factor)

    def test_cases_are_out_of_memory_or_well(self):
        self.least("-d")
        limits = [megabytes("-v", self.least("-v")), self.with_part(1 / 2, 150)]
        found = {solver: [self.outcome(limit, solver) for limit in limits] for solver in SOLVERS}
        self.assertNotEqual(found["linear=cholesky"][0], 0)
        self.assertEqual(found["linear=cholesky"][1], OUT_OF_MEMORY)
        self.assertEqual(self.outcome(self.with_part(4, 150), "linear=cholesky"), 0)

    def test_other_commands_do_not_hang(self):
        for part in (0.4, 0.45, 0.55, 0.7):
            done = self.under(megabytes("-v", part * self.least("-v")), "list scenes")
            self.assertIn(done.returncode, (0, *BEFORE_MAIN), done.stderr)

    def test_a_sweep_goes_on(self):
        (self.folder / "limited.yaml").write_text(SWEEP)
        done = self.under(self.with_part(1 / 2, 300), "run limited.yaml -j 1")
        self.assertEqual(done.returncode, 1, done.stderr)
        with open(self.folder / "results/limited/results.csv", encoding="utf-8") as file:
            rows = {row["grid"]: row for row in csv.DictReader(file)}
        self.assertEqual([rows["4"]["status"], rows["300"]["status"]], ["ok", "oom"], rows)
        self.assertIn("out of memory", rows["300"]["reason"])


program.main()
