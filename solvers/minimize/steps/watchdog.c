/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole steps, of which one may raise g (the watchdog of Chamberlain, Powell, Lemarechal, Pedersen 1982). A step that
 * fails Armijo's test is taken nevertheless. If the next one does not end below the start of the first by this test, z
 * returns there, and the first step is halved as by armijo. On nets that turn, such as strands, a step of Newton's
 * method raises g, and the next one lowers it by more. */
#include <math.h>

#include "solvers/minimize/line_search.h"

typedef struct {
  sb_line_search search;
  Vec            place, direction; /* z and p of the step that failed the test; full, unknowns */
  double         value, slope;     /* g there, and -G^T p */
  bool           on_trial;         /* z is the end of such a step */
} watchdog;

static PetscErrorCode prepare(void *state, const sb_descent *descent, const sb_options *options)
{
  watchdog *w = state;

  PetscFunctionBeginUser;
  (void)options;
  PetscCall(sb_line_search_prepare(&w->search, descent));
  PetscCall(sb_system_create_full(descent->system, &w->place));
  PetscCall(sb_system_create_unknowns(descent->system, &w->direction));
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_descent *descent)
{
  watchdog *w = state;

  (void)descent;
  w->on_trial = false;
  sb_line_search_begin(&w->search);
  return 0;
}

/* The first step of this search is halved, from where it started. */
static PetscErrorCode go_back(watchdog *w, sb_descent *d, double rounding)
{
  PetscFunctionBeginUser;
  if (w->on_trial) {
    PetscCall(VecCopy(w->place, d->z));
    PetscCall(VecCopy(w->direction, d->direction));
    w->search.value = w->value;
  }
  w->on_trial = false;
  PetscCall(sb_line_search_halve(&w->search, d, 0.5, w->slope, rounding));
  PetscCall(VecNorm(d->direction, NORM_INFINITY, &d->iteration->step));
  PetscFunctionReturn(0);
}

static PetscErrorCode take(void *state, sb_descent *d)
{
  watchdog *w = state;
  double    trial, rounding;

  PetscFunctionBeginUser;
  PetscCall(sb_line_search_value(&w->search, d, &rounding));
  if (!w->on_trial) {
    PetscCall(VecDot(d->gradient, d->direction, &w->slope));
    w->slope = -w->slope;
    w->value = w->search.value;
  }
  PetscCall(sb_line_search_trial(&w->search, d, 1, &trial));
  const bool falls = sb_line_search_descends(w->value, trial, 1, w->slope, rounding);
  if (!falls && (w->on_trial || !isfinite(trial) || w->slope >= 0)) {
    PetscCall(go_back(w, d, rounding));
    PetscFunctionReturn(0);
  }
  if (!falls) PetscCall(VecCopy(d->z, w->place));
  if (!falls) PetscCall(VecCopy(d->direction, w->direction));
  w->on_trial = !falls;
  w->search.value = trial;
  d->length = 1;
  PetscCall(VecCopy(w->search.trial, d->z));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  watchdog *w = state;

  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&w->place));
  PetscCall(VecDestroy(&w->direction));
  PetscCall(sb_line_search_destroy(&w->search));
  PetscFunctionReturn(0);
}

const sb_step_rule sb_step_rule_watchdog = {
    .name = "watchdog",
    .summary = "the whole step, even if it raises g; if the next does not make up for it, back and halved as by armijo",
    .state_bytes = sizeof(watchdog),
    .prepare = prepare,
    .begin = begin,
    .take = take,
    .destroy = destroy};
