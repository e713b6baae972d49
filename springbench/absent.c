/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linked only into the light program (full_program.h), in place of the libraries that it lacks. link_light.sh writes a
 * function, or an array for data, for each symbol; all of them end here. */
#include <stdio.h>
#include <stdlib.h>

extern const char sb_absent_libraries[];
const char        sb_absent_libraries[] = "PETSc, SLEPc, MPI, SuiteSparse and the BLAS";

_Noreturn void sb_absent(const char *symbol);
_Noreturn void sb_absent(const char *symbol)
{
  fflush(stdout);
  fprintf(
      stderr,
      "springbench: error: this command called %s, but this program lacks %s. Set `full` in the table of the command "
      "(harness/commands/command.h). Until then springbench-cases runs it.\n",
      symbol, sb_absent_libraries);
  abort();
}

/* HDF5 asks these before everything else. */
int MPI_Initialized(int *flag);
int MPI_Initialized(int *flag)
{
  *flag = 0;
  return 0;
}

int MPI_Finalized(int *flag);
int MPI_Finalized(int *flag) { return MPI_Initialized(flag); }
