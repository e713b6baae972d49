/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Methods whose steps are made of stages of implicit Euler, all of one length (docs/model.md section 3). Matrices,
 * factors and compliances of a minimiser are made for that length once.
 *
 * A stage of length s from (y, w) at time t ends at z with
 *
 *     W = (z - y)/s,  (W - w)/s = a,  a = forces(z)/m + g + field(y + s w, t + s) + brakes
 *
 * The case's minimiser finds z: it minimises |z - y - s w - s^2 (g + field + brakes)|_M^2/(2 s^2) + E(z).
 * `brakes` is what drag, dampers and air give at the start of the step, the same in all its stages. Pins are at their
 * places at t + s; penalty contact is in E (contact_implicit). Pins, the velocity factor and contact's filter act at
 * the ends of a step, as in runge_kutta.c. One rank. */
#pragma once

#include "solvers/integrate/explicit.h"

/* One or two stages of a diagonally implicit Runge-Kutta method, whose diagonal is `part` (Hairer and Wanner 1996,
 * IV.6). Stage 1 is from (x, v), stage 2 from x + second h W_1 and v + second h a_1. Then x+ = x + h sum weight_i W_i
 * and v+ = v + h sum weight_i a_i. If the weights show that the step ends where its last stage does, x+ = z and v+ = W,
 * which round less. */
typedef struct {
  int    stages;
  double part, second, weight[2];
} sb_diagonal_rule;

typedef struct {
  sb_explicit explicit;       /* first; position and velocity are the state that a step changes */
  double        part_seconds; /* s */
  sb_minimizer *minimizer;
  sb_potential *potential;
  Vec           from[2], acceleration, to; /* of a stage */
  double       *brakes;                    /* [count] m/s^2, with g */
  double       *start[2];                  /* [count] x and v before the step */
  double       *wanted[2];                 /* [count] x and v before contact acted; scratch of steps before */
  int           memories;
  double *memory[SB_MEMORIES_MAX];  /* [count] data of former steps, which the rule writes. The first number is DBL_MAX
                                     * where the next step cannot use them, as contact has changed the state */
  const sb_diagonal_rule *diagonal; /* of sb_diagonal_prepare */
  bool                    fresh;    /* the step cannot use its memories */
  bool                    refused;  /* a solve of this step was refused: its stages do nothing */
  bool                    unconverged, inaccurate; /* a solve of this step missed its tolerance */
  int64_t                 step;                    /* that is made */
  sb_advance_report      *report;                  /* of the present call */
} sb_stages;

/* From time t = step h to t + h: changes x and v of free vertices. */
typedef PetscErrorCode (*sb_stages_rule)(sb_stages *s, double t_seconds, double *x, double *v);

/* Stages are `part` h long; 0: the method has no stages, nor a minimiser. Allocates. */
PetscErrorCode sb_stages_prepare(sb_stages *s, const sb_integrator_setup *setup, double part, int memories);
PetscErrorCode sb_stages_advance(sb_stages *s, sb_stages_rule rule, int64_t first_step, int64_t steps, Vec x, Vec v,
                                 sb_advance_report *report);
/* The functions of a method's table. */
sb_minimizer  *sb_stages_minimizer(void *state);
double        *sb_stages_memory(void *state, size_t i);
PetscErrorCode sb_stages_resume(void *state, int64_t step, Vec x, Vec v);
PetscErrorCode sb_stages_destroy(void *state);
const char    *sb_stages_refuse_friction(const sb_options *options);

/* z = the end of a stage from (y, w) at time t; [count] each. Does nothing once a solve of the step was refused. */
PetscErrorCode sb_stages_solve(sb_stages *s, double t_seconds, const double *y, const double *w, double *z);

/* `prepare` and `advance` of a method that is such a rule. */
PetscErrorCode sb_diagonal_prepare(sb_stages *s, const sb_integrator_setup *setup, const sb_diagonal_rule *rule);
PetscErrorCode sb_diagonal_advance(void *state, int64_t first_step, int64_t steps, Vec x, Vec v,
                                   sb_advance_report *report);
PetscErrorCode sb_stages_take(sb_stages *s, const sb_diagonal_rule *rule, double t_seconds, double *x, double *v);
double         sb_diagonal_rule_growth(const sb_diagonal_rule *rule, double z, double d, double f);
