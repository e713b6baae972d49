/* How a case's process is started: on how many ranks, with which environment. Local; before MPI. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What a process of `threads` threads has as values of these: CHOLMOD's supernodal factorisation asks OpenMP for four
 * threads by its clause num_threads, which OMP_NUM_THREADS does not hold back and OMP_THREAD_LIMIT does. Four threads
 * on the one core of a timed case made Newton's steps 1.6 to 1.8 times as long. */
enum { SB_THREAD_VARIABLES = 3 };
extern const char *const sb_thread_variables[SB_THREAD_VARIABLES];

/* Ranks that mpiexec started this process among; 0 when it was not started by mpiexec. */
int64_t sb_launch_world(void);
/* This process's number among them; 0 when it was not started by mpiexec. */
int64_t sb_launch_rank(void);

/* Sees to it that this process has the environment in which libraries start quickly and with so many threads, and runs
 * under mpiexec when there are to be several ranks: where it does not, executes the program again with these arguments
 * (argv[0] the command's name) and does not return. Returns true when all is in place, false after a message on stderr
 * when nothing can be executed: there is no mpiexec, or the program has been built anew meanwhile. */
bool sb_launch(int argc, char **argv, int64_t ranks, int64_t threads);
