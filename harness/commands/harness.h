/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of `springbench`, with the drivers of the experiments layer. */
#pragma once

#include "cases/store/driver.h"

/* Returns the process's exit status. Calls MPI_Init and PETSc only under the command `case`. */
int sb_harness_main(int argc, char **argv, const sb_vocabulary *vocabulary);
