/* `springbench case KEY=VALUE … [-o FILE]`: one case, in this process. The only command that starts MPI and PETSc. */
#pragma once

#include "harness/store/session.h"

/* argv[0] is the command's name. Returns the exit status of docs/results.md (0, 1, 2, 4, 5); after an error that leaves
 * libraries in doubt the process ends here with that status. May execute the program again, under mpiexec for several
 * ranks. */
int sb_case_command_main(int argc, char **argv, const sb_session *session);
