/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trial: options, scene, system and integrator made from one line of text, its state read and set on all ranks.
 *
 * Everything is Collective on the trial's communicator and fails the running cmocka test instead of returning errors.
 */
#pragma once

#include "tests/petsc_tests.h"

#include "solvers/integrate/integrator_method.h"

#define sb_must(call) assert_int_equal((call), 0)

typedef struct {
  sb_options       *options;
  sb_pose           pose;
  sb_system        *system;
  sb_integrator    *integrator;
  Vec               x, v;
  double            h_seconds;
  int64_t           step;   /* finished ones */
  sb_advance_report report; /* of the last advance */
  size_t            vertices;
  double           *position, *velocity; /* [vertices][3] as last read, the same on all ranks */
} sb_trial;

/* Changes a pose before it is distributed; without a scene it fills an empty one. */
typedef void (*sb_adjust)(sb_pose *pose, const double *number);

/* `pairs`: option=value, separated by spaces, as a user would give them; `numbers` is handed to `adjust`, which may be
 * NULL. */
void sb_trial_open(sb_trial *trial, MPI_Comm comm, double h_seconds, const char *pairs, sb_adjust adjust,
                   const double *numbers);
void sb_trial_close(sb_trial *trial);
/* Advances and reads the state. */
void sb_trial_advance(sb_trial *trial, int64_t steps);
void sb_trial_read(sb_trial *trial);
/* Makes position and velocity the state. */
void sb_trial_write(sb_trial *trial);

/* An entry of the suite's loop: an integrator that runs on this many ranks; an implicit one has an entry per minimiser.
 */
typedef struct {
  const sb_integrator_method *method;
  char                        label[64], pairs[320];
} sb_variant;

size_t sb_variant_count(void);
/* The i-th, its pairs with `more` behind them; implicit ones make 3 iterations a step, enough where forces are linear.
 */
sb_variant sb_variant_at(size_t i, const char *more);
bool       sb_variant_is(const sb_variant *variant, const char *name);
/* It solves equations in a step: to rounding, in an order that several ranks do not keep. */
bool sb_variant_solves(const sb_variant *variant);
/* Its steps are made of stages (solvers/integrate/stages.h). */
bool sb_variant_has_stages(const sb_variant *variant);
/* Rounding of places becomes one of accelerations by the square of the step, or of a stage, the shortest 0.29 h. */
double sb_variant_rounding(const sb_variant *variant);
/* How many steps to take: `alone` on one rank; on several, where each step waits for messages, a twentieth of them, and
 * of the implicit ones, where each solve waits for many, 2. */
int64_t sb_variant_steps(const sb_variant *variant, int64_t alone);

/* Fails, naming label and quantity, unless |got - want| <= tolerance. */
void sb_near(const char *label, const char *what, double got, double want, double tolerance);
void sb_holds(const char *label, const char *what, bool holds);
