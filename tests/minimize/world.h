/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scene with its potential and minimiser, opened from one line of options, for the tests of minimisers. Every
 * function is collective on the world's communicator and fails the running test when something goes wrong. */
#pragma once

#include "solvers/linear/linear_backend.h"
#include "solvers/minimize/minimizer_method.h"
#include "tests/petsc_tests.h"

#define OK(call)                     assert_int_equal((call), 0)
#define assert_at_most(value, limit) check_at_most((value), (limit), #value, __FILE__, __LINE__)

typedef struct {
  MPI_Comm      comm;
  sb_options   *options;
  sb_pose       pose;
  sb_system    *system;
  sb_potential *potential;
  sb_minimizer *minimizer;
  Vec           x, v, z;  /* the state, and the iterate of a step */
  Vec           gradient; /* unknowns: of world_gradient_norm */
  double        h;
  int           steps; /* made by world_step: the state is at time steps h */
} world;

/* Fails unless value <= limit; NaN fails. */
void        check_at_most(double value, double limit, const char *what, const char *file, int line);
PetscMPIInt world_ranks(void); /* of PETSC_COMM_WORLD */

/* The format gives "key=value;key=value;…", h among them; a ~ in a value stands for ";". */
void world_open(world *w, MPI_Comm comm, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same but for the minimiser, which stays NULL. */
void world_open_bare(world *w, MPI_Comm comm, const char *format, ...) __attribute__((format(printf, 3, 4)));
void world_close(world *w);
/* One step of implicit Euler: z from the state, then v = (z - x)/h and x = z. */
void world_step(world *w, sb_minimize_report *report);
/* Minimises from (x, v) into z and leaves the state. */
void world_minimize(world *w, sb_minimize_report *report);
/* All vertices of a full vector on every rank: malloc'ed [vertices][3], the caller frees it. */
double *world_gather(const world *w, Vec full);
/* Largest difference of two full vectors of equally large worlds, which may live on different communicators. */
double world_distance(const world *a, Vec of_a, const world *b, Vec of_b);
/* |grad g(z)|_2 */
double world_gradient_norm(const world *w, Vec z);

/* Whether a minimiser works on this many ranks. */
bool world_runs(const sb_minimizer_method *method);
/* Calls `run` for every minimiser and every backend of the lists that works on this many ranks. */
typedef void (*world_pair_test)(const sb_minimizer_method *method, const sb_linear_backend *backend);
void world_for_each_pair(world_pair_test run);
/* "minimizer=…;linear=…;linear_tolerance=1e-14" of a pair, in a buffer of the caller. */
const char *world_pair_options(const sb_minimizer_method *method, const sb_linear_backend *backend, char buffer[160]);
