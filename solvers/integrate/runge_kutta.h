/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Explicit Runge-Kutta methods in which every stage starts from the previous one. */
#pragma once

#include "solvers/integrate/explicit.h"

enum { SB_RUNGE_KUTTA_STAGES_MAX = 4 };

/* Stage i is at time t + at[i] h, h at[i] along the slope of stage i - 1; the step is along the mean slope. */
typedef struct {
  int    stages;
  double at[SB_RUNGE_KUTTA_STAGES_MAX], weight[SB_RUNGE_KUTTA_STAGES_MAX]; /* at[0] is 0 */
} sb_runge_kutta_tableau;

typedef struct {
  sb_explicit explicit;                  /* position and velocity hold the stage */
  const sb_runge_kutta_tableau *tableau; /* set before an advance */
  double                       *x, *v;   /* [count] start of the step */
  double                       *a;       /* [count] m/s^2, of the stage */
  double                       *mean_v, *mean_a;
  double *push[2];   /* [count] m, with contact: weighted means of the stages' positions, for friction of the penalty
                        force in v+ and in w */
  double push_at[2]; /* s: of their times */
} sb_runge_kutta;

/* Members of a method's table. */
PetscErrorCode sb_runge_kutta_prepare(void *state, const sb_integrator_setup *setup);
PetscErrorCode sb_runge_kutta_destroy(void *state);
/* The growth of such a method (integrator_method.h). */
double sb_runge_kutta_growth(const sb_runge_kutta_tableau *tableau, double z, double d, double f);

/* An advance with rk->tableau. */
PetscErrorCode sb_runge_kutta_advance(sb_runge_kutta *rk, int64_t first_step, int64_t steps, Vec x, Vec v,
                                      sb_advance_report *report);
