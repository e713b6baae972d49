# SPDX-License-Identifier: GPL-3.0-or-later
"""The two programs: `springbench` loads neither PETSc nor MPI and executes `springbench-cases`, which lies beside it,
where a case is run.

usage: programs.py PROGRAM [TEST ...]"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import HEAD, PROGRAM, Program, main

HEAVY = re.compile(r"calling init: \S*/lib(petsc|slepc|hdf5|mpi|cholmod|umfpack|openblas|blas|lapack)[-_.0-9a-z]*so")
ROPE = ("case", "scene=rope", "nodes=4", "frames=1")
SWEEP = HEAD + """  - grid: {integrator: [explicit_euler, symplectic_euler], substeps: [4, 64]}
tables: [{id: times, title: Times, rows: substeps, columns: integrator, cell: blowup_time}]
figures: [{id: times, title: Times, data: rows, kind: scatter, x: substeps, y: blowup_time}]
expect: [{claim: it runs, test: "count(status) == 4"}]
"""


def spoilt(program):
    """With another build id, which follows the owner of the note."""
    place = program.index(b"GNU\0", program.index(bytes([4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0]))) + 4
    return program[:place] + bytes([program[place] ^ 1]) + program[place + 1:]


class Programs(Program):
    def setUp(self):
        super().setUp()
        (self.folder / "small.yaml").write_text(SWEEP)
        self.out = self.folder / "results" / "small"

    def loaded(self, *arguments, status=0):
        """The heavy libraries that this command's process loads, in all programs that it becomes, and those of the
        processes that it starts."""
        trace = self.folder / "trace"
        trace.mkdir()
        run = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=os.environ | {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(trace / "of")}, text=True)
        said = run.communicate(timeout=300)[1]
        self.assertEqual(run.returncode, status, said)
        found = {path.suffix[1:]: HEAVY.findall(path.read_text()) for path in trace.iterdir()}
        shutil.rmtree(trace)
        own = found.pop(str(run.pid))
        return own, sum(found.values(), [])

    def test_only_cases_load_petsc_hdf5_and_mpi(self):
        self.assertEqual(self.loaded("run", "small.yaml")[0], [])
        key = next((self.out / "cases").glob("*.h5")).stem
        for line in ("--help", "list", "list cholesky", "check small.yaml", "plan small.yaml",
                     "status results/small", f"show results/small/{key}", "table results/small", "verify results/small",
                     "verify results", "plot results/small", "compare results/small results/small", "report results/small",
                     "report results", "export results/small", f"export results/small/{key}", "doctor --seconds 0.01",
                     "merge results/joined results/small", "forget results/small -f substeps==4",
                     "plan small.yaml --format json", "collect small.yaml results/small/cases", "run small.yaml"):
            self.assertEqual(self.loaded(*line.split()), ([], []), line)
        of_case = self.loaded(*ROPE)[0]
        self.assertLessEqual({"petsc", "hdf5", "mpi", "cholmod"}, set(of_case))
        self.assertEqual(of_case.count("petsc"), 1)  # the environment is right before they are loaded

    def test_a_symbol_without_its_library_ends_the_program_with_its_name(self):
        """The objects that PROGRAM is linked with, in a program that reaches what no command does."""
        (self.folder / "reach.c").write_text("int main(int argc, char **argv) { (void)argv; int KSPCreate(void);"
                                             " extern int (*PetscTrFree)(void);"
                                             " return argc > 1 ? PetscTrFree() : KSPCreate(); }\n")
        objects = [PROGRAM + ".absent.o", pathlib.Path(__file__).parents[2] / "springbench/absent.c"]
        subprocess.run(["cc", "reach.c", *objects, "-o", "reach"], cwd=self.folder, check=True)
        for arguments, symbol in ((), "KSPCreate"), (("data",), "PetscTrFree"):
            done = self.call(*arguments, program=self.folder / "reach", status=-6)
            self.assertRegex(done.stderr, f"springbench: error: this command called {symbol}, but this program lacks PETSc")

    def test_without_the_program_of_cases_nothing_is_begun(self):
        program, cases = self.copies()
        cases.unlink()
        for line in (ROPE, ("run", "small.yaml")):
            said = self.call(*line, program=program, status=4).stderr
            self.assertIn(f"error: cannot execute {cases}: No such file or directory", said)
        self.assertFalse(self.out.exists())
        self.call("run", "small.yaml", "--dry-run", program=program)
        done = self.call("doctor", "--seconds", "0.01", program=program, status=4)
        self.assertRegex(done.stdout, f"UNFIT +program of cases +cannot execute {cases}: No such file")
        self.assertTrue(done.stdout.endswith("\nNo: cases cannot run.\n"))

    def test_a_sweep_ends_with_the_program_that_it_began_with(self):
        program, cases = self.copies()
        run = subprocess.Popen([program, *"run small.yaml -j 1 --progress lines".split()], cwd=self.folder,
                               stderr=subprocess.PIPE, text=True)
        for said in run.stderr:
            if said.startswith("1/"):
                break
        new = self.folder / "new"
        new.write_text("#!/bin/sh\nexit 1\n")
        new.chmod(0o755)
        new.rename(cases)
        said = run.communicate(timeout=300)[1]
        self.assertEqual((run.returncode, len(self.events(self.out, "publish"))), (0, 4), said)
        self.call(*ROPE, program=program, status=4)  # the new one

    def test_a_program_of_cases_of_another_build_is_refused(self):
        """One bit of the build id differs; or it is a copy of the light program, which would execute itself for ever."""
        for spoil in (lambda cases, light: cases.write_bytes(spoilt(cases.read_bytes())), lambda cases, light: shutil.copy(light, cases)):
            program, cases = self.copies()
            spoil(cases, program)
            for line in (ROPE, ("run", "small.yaml")):
                said = self.call(*line, program=program, status=4).stderr
                self.assertIn(f"error: cannot execute {cases}: it is not of the same build as springbench; ", said)
            self.assertFalse(self.out.exists())
            self.assertRegex(self.call("doctor", "--seconds", "0.01", program=program, status=4).stdout,
                             f"UNFIT +program of cases +cannot execute {cases}: it is not of the same build")
            self.assertIn("cholesky", self.call("list", "linear", program=program).stdout)
            shutil.rmtree(program.parent)

    def test_links_and_moves(self):
        program, cases = self.copies()
        (self.folder / "moved there").mkdir()
        program.parent.rename(self.folder / "moved there" / "bin")
        link = self.folder / "link"
        link.symlink_to(self.folder / "moved there" / "bin" / program.name)
        self.assertIn("status", self.call(*ROPE, program=link).stdout)
        self.assertIn("status", self.call(*ROPE, "ranks=2", program=link).stdout)
        told = self.call("doctor", "--seconds", "0.01", program=link).stdout
        for what, name in (("commands", program.name), ("cases", cases.name)):
            self.assertRegex(told, f"ok +program of {what} +{self.folder}/moved there/bin/{name}\n")


main()
