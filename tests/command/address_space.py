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
# Not ours to say: the loader finds no room for a library, or OpenBLAS none for the stack of a thread before main.
BEFORE_MAIN = {127: "error while loading shared libraries", 130: "pthread_create failed"}
OUT_OF_MEMORY = 8


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
    def least(self):
        """In MB, the first of these limits under which a case begins, from below: libraries differ."""
        return next(limit for limit in range(340, 1000, 20)
                    if self.outcome(f"-v {limit * 1024}", "linear=jacobi", grid=4) == 0)

    def test_cases_are_out_of_memory_or_well(self):
        least = self.least()
        self.assertEqual(self.outcome(f"-v {(least - 40) * 1024}", SOLVERS[0], grid=4), OUT_OF_MEMORY)
        found = {solver: [self.outcome(f"-v {(least + more) * 1024}", solver) for more in (0, 30)] for solver in SOLVERS}
        self.assertEqual(found["linear=cholesky"], [OUT_OF_MEMORY] * 2)
        self.assertEqual(self.outcome(f"-v {(least + 500) * 1024}", "linear=cholesky"), 0)
        for megabytes in (20, 140, 160, 240):
            self.outcome(f"-d {megabytes * 1024}", SOLVERS[0], grid=60)

    def test_other_commands_do_not_hang(self):
        for megabytes in (150, 170, 200, 250):
            done = self.under(f"-v {megabytes * 1024}", "list scenes")
            self.assertIn(done.returncode, (0, *BEFORE_MAIN), done.stderr)

    def test_a_sweep_goes_on(self):
        (self.folder / "limited.yaml").write_text(SWEEP)
        done = self.under(f"-v {(self.least() + 60) * 1024}", "run limited.yaml -j 1")
        self.assertEqual(done.returncode, 1, done.stderr)
        with open(self.folder / "results/limited/results.csv", encoding="utf-8") as file:
            rows = {row["grid"]: row for row in csv.DictReader(file)}
        self.assertEqual([rows["4"]["status"], rows["300"]["status"]], ["ok", "oom"], rows)
        self.assertIn("out of memory", rows["300"]["reason"])


program.main()
