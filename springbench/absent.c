/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linked into the light program alone (full_program.h): what stands in place of the libraries that it does without.
 * link_light.sh writes a function, or an array for data, for each symbol; all of them end here. */
#include <stdio.h>
#include <stdlib.h>

extern const char sb_absent_libraries[];
const char        sb_absent_libraries[] = "PETSc, SLEPc, MPI, SuiteSparse and the BLAS";

_Noreturn void sb_absent(const char *symbol);
_Noreturn void sb_absent(const char *symbol)
{
  fflush(stdout);
  fprintf(stderr,
          "springbench: error: this command reached %s, a symbol of %s, without which it is linked: its entry in "
          "harness/commands/commands.def has to be FULL; springbench-cases does the same with them\n",
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
