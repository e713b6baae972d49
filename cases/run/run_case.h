/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `springbench case KEY=VALUE … [-o FILE]`: one case, in this process. The only command that starts MPI and PETSc. */
#pragma once

#include "cases/describe/case_options.h"
#include "cases/store/case_writer.h"
#include "cases/store/session.h"

/* The command line, read and resolved. */
typedef struct {
  sb_options    *options;
  sb_case        c;      /* resolved from them; without its communicator */
  sb_case_target target; /* paths, borrowed from argv */
  sb_launcher    launcher;
  bool           json;
  bool           keeps_checkpoint; /* at its end: the caller removes it */
} sb_case_arguments;

/* False after messages. --help and usage errors end the process, with 0 and 2. Destroy the options in either case.
 * Local; no PETSc, no MPI. */
bool sb_case_arguments_read(int argc, char **argv, const sb_session *session, sb_case_arguments *arguments);

/* E109 if a case must not be stored under that name: only a case file or an empty file is replaced. Local. */
void sb_case_check_output(const sb_case_target *target, sb_location where, sb_diagnostics *diagnostics);

/* argv[0] is the command's name. Returns the exit status of docs/command_line.md (0, 1, 2, 4, 5); after an error that
 * leaves libraries in an undefined state the process ends here with that status. May execute the program again, under
 * mpiexec for several ranks. */
int sb_case_main(int argc, char **argv, const sb_session *session);

/* Starts MPI, PETSc and SLEPc in this process, for one rank unless mpiexec started it. Collective. */
bool sb_case_start_libraries(void);
/* Starts only MPI. PETSc does not end an MPI that it finds. */
bool sb_case_start_mpi(void);
/* The same as sb_case_main in a process in which they are started, and which is one rank; it does not end them. */
int sb_case_run_started(int argc, char **argv, const sb_session *session);

/* Environment variables of a case's process, which libraries read when they are loaded; value NULL: its number of
 * threads.
 *
 * CHOLMOD's supernodal factorisation requests four OpenMP threads by its clause num_threads. OMP_NUM_THREADS does not
 * limit that, OMP_THREAD_LIMIT does. Four threads on the one core of a timed case made Newton's steps 1.6 to 1.8 times
 * as long. Waiting threads spin for GOMP_SPINCOUNT rounds, about 0.1 ms here, before they sleep. With libgomp's own 300
 * 000 a thread spins on the core that the thread it waits for needs, and solves took up to a hundred times as long as
 * with one thread. */
typedef struct {
  const char *name, *value;
} sb_thread_variable;

enum { SB_THREAD_VARIABLES = 4 };
extern const sb_thread_variable sb_thread_variables[SB_THREAD_VARIABLES];
