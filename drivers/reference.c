/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches for the minimum of g; a search that ends in a saddle leaves it and continues. See reference.h. */
#include "drivers/reference.h"

#include <math.h>

#include "base/allocate.h"
#include "cases/describe/case_options.h"
#include "model/system/flops.h"
#include "solvers/minimize/price.h"
#include "solvers/minimize/stationary.h"

#define GRADIENT_TOLERANCE 1e-9 /* N; also in the options of Newton below */
#define SAME_PLACE         1e-6 /* of the motion */
#define NEARBY             0.1  /* of the motion: a search may have come to where another one ended */
/* Flops of factorisations at iterates within the rounding of the gradient that end a search: the tolerance of a stiff
 * net may be below that rounding. */
#define IDLE_MAX 5e9

/* A search makes the iterations of a rough stage, if it has one, and then Newton's. */
typedef struct {
  const char *const *rough; /* its options; all others are those of the case */
  sb_start           start;
  int                least; /* value of reference_searches from which on a measured step has it */
} search;

/* Local-global is robust, and without contact. The others are of the methods that end lowest from y. */
static const char *const robust[] = {"minimizer=local_global",
                                     "contact_implicit=false",
                                     "start=coast",
                                     "linear=cholesky",
                                     "max_iterations=200",
                                     "step_tolerance=0",
                                     "gradient_tolerance=0",
                                     "linear_tolerance=1e-10",
                                     "device=none",
                                     "precision=double",
                                     NULL};
/* In its place for a law without a bound of E'': the same matrix, and steps that are halved until g falls. */
static const char *const searching[] = {"minimizer=gradient_descent", "metric=laplacian", "accelerator=none",
                                        "step=armijo", NULL};
static const char *const truncated[] = {"minimizer=newton_cg",
                                        "metric=truncated_cg",
                                        "accelerator=none",
                                        "step=armijo",
                                        "preconditioner=block_jacobi",
                                        "cg_hessian=exact",
                                        "cg_max_iterations=500",
                                        "start=inertial",
                                        "max_iterations=30",
                                        "step_tolerance=0",
                                        "gradient_tolerance=0",
                                        "device=none",
                                        "precision=double",
                                        NULL};
static const char *const scaled[] = {"minimizer=lbfgs",    "metric=identity",  "accelerator=lbfgs",
                                     "step=armijo",        "window=5",         "start=inertial",
                                     "max_iterations=500", "step_tolerance=0", "gradient_tolerance=0",
                                     "device=none",        "precision=double", NULL};
static const search      searches[] = {{NULL, SB_START_COAST, 1}, /* the one that advances motions */
                                       {robust, SB_START_COAST, 4},
                                       {NULL, SB_START_INERTIAL, 5},
                                       {truncated, SB_START_INERTIAL, 2},
                                       {scaled, SB_START_INERTIAL, 3}};
static const char *const accurate[] = {"minimizer=newton",
                                       "metric=hessian",
                                       "accelerator=none",
                                       "step=armijo",
                                       "hessian=blended",
                                       "linear=panel",
                                       "max_iterations=1000",
                                       "gradient_tolerance=1e-9",
                                       "step_tolerance=0",
                                       "linear_tolerance=1e-10",
                                       "device=none",
                                       "precision=double",
                                       NULL};
static const char *const coasting[] = {"start=coast", NULL};

enum { ROBUST = 1, SEARCHES = sizeof searches / sizeof *searches };

struct sb_reference {
  sb_options         *options; /* of the case */
  double              h_seconds;
  sb_minimizer       *rough[SEARCHES]; /* NULL: none, or not yet needed */
  sb_minimizer       *newton;
  sb_saddle_exit     *way;
  Vec                 gradient;     /* unknowns */
  Vec                 trial, other; /* full: scratch, and the end of another search */
  const sb_potential *potential;    /* of the present search */
  double              idle;         /* flops of its last factorisations, within the rounding of the gradient */
  Vec                 end;          /* full: that of the last search; `way` has the factor of its Hessian */
  sb_reference_report ended;        /* how that was; its gradient_norm is INFINITY if there is no such end */
  bool                arrived;      /* the present search is where Newton's method converges to that end */
};

/* Those of a rough stage. */
static sb_options *rough_options(const sb_options *options, int i)
{
  sb_options *stage = sb_options_with(options, searches[i].rough);
  if (searches[i].rough != robust || isfinite(sb_law_bounds_of(options).most)) return stage;
  sb_options *other = sb_options_with(stage, searching);
  sb_options_destroy(&stage);
  return other;
}

sb_options *sb_reference_options(const sb_options *options) { return sb_options_with(options, accurate); }

char *sb_reference_meaning(const sb_options *options)
{
  sb_options *newton = sb_options_with(options, accurate), *coast = sb_options_with(newton, coasting);
  char       *meaning = sb_case_json(coast, true, NULL);
  sb_options_destroy(&newton);
  sb_options_destroy(&coast);
  for (int i = 0; i < SEARCHES; ++i) {
    if (!searches[i].rough) continue;
    sb_options    *stage = rough_options(options, i);
    SB_OWNED char *before = meaning, *of_stage = sb_case_json(stage, true, NULL);
    meaning = sb_format("%s\n%s", before, of_stage);
    sb_options_destroy(&stage);
  }
  return meaning;
}

static PetscErrorCode create_stage(sb_system *system, sb_options *stage, double h_seconds, sb_minimizer **minimizer)
{
  PetscFunctionBeginUser;
  PetscCall(sb_minimizer_create(system, stage, h_seconds, "reference_", minimizer));
  sb_options_destroy(&stage);
  PetscFunctionReturn(0);
}

double sb_reference_factor_flops(const sb_reference *reference)
{
  return sb_linear_solver_facts(sb_minimizer_linear(reference->newton))->flops_factor;
}

static bool is_minimum(const sb_reference_report *report)
{
  return sb_outcome_accepted(report->outcome) && report->gradient_norm <= report->allowed && !report->at_saddle;
}

/* *distance between two places, over the motion of the step to the first one. */
static PetscErrorCode find_distance(sb_reference *r, Vec one, Vec other, double *distance)
{
  PetscReal apart, motion;

  PetscFunctionBeginUser;
  PetscCall(VecWAXPY(r->trial, -1, one, other));
  PetscCall(VecNorm(r->trial, NORM_INFINITY, &apart));
  PetscCall(VecWAXPY(r->trial, -1, r->potential->x, one));
  PetscCall(VecNorm(r->trial, NORM_INFINITY, &motion));
  *distance = motion > 0 ? apart / motion : apart > 0 ? INFINITY : 0;
  PetscFunctionReturn(0);
}

/* A search that comes to where Newton's method converges to the end of the last one need not be continued. */
static PetscErrorCode find_arrival(sb_reference *r, Vec z)
{
  double distance;

  PetscFunctionBeginUser;
  if (!is_minimum(&r->ended)) PetscFunctionReturn(0);
  PetscCall(find_distance(r, r->end, z, &distance));
  r->arrived = distance <= SAME_PLACE;
  if (!r->arrived && distance <= NEARBY)
    PetscCall(sb_saddle_exit_leads_to(r->way, r->potential->system, z, r->gradient, r->end, &r->arrived));
  PetscFunctionReturn(0);
}

static PetscErrorCode watch_search(void *context, PetscInt k, Vec z, bool *stop)
{
  sb_reference *r = context;
  PetscReal     norm;
  double        rounding;

  PetscFunctionBeginUser;
  PetscCall(sb_potential_gradient(r->potential, z, r->gradient));
  PetscCall(VecNorm(r->gradient, NORM_2, &norm));
  PetscCall(sb_potential_rounding(r->potential, z, &rounding, NULL));
  r->idle = k > 0 && norm <= rounding ? r->idle + sb_reference_factor_flops(r) : 0;
  PetscCall(find_arrival(r, z));
  *stop = r->idle > IDLE_MAX || r->arrived;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_reference_create(sb_system *system, const sb_options *options, double h_seconds,
                                   sb_reference **reference)
{
  static const char *const nothing[] = {NULL};
  sb_reference            *r;
  sb_options              *newton = sb_options_with(options, accurate);

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&r));
  r->options = sb_options_with(options, nothing);
  r->h_seconds = h_seconds;
  PetscCall(create_stage(system, rough_options(options, ROBUST), h_seconds, &r->rough[ROBUST]));
  PetscCall(create_stage(system, sb_options_with(newton, coasting), h_seconds, &r->newton));
  PetscCall(sb_minimizer_set_monitor(r->newton, watch_search, r));
  PetscCall(sb_saddle_exit_create(system, newton, h_seconds, "reference_", &r->way));
  PetscCall(sb_system_create_unknowns(system, &r->gradient));
  PetscCall(sb_system_create_full(system, &r->trial));
  PetscCall(sb_system_create_full(system, &r->other));
  PetscCall(sb_system_create_full(system, &r->end));
  r->ended.gradient_norm = INFINITY;
  sb_options_destroy(&newton);
  *reference = r;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_reference_destroy(sb_reference **reference)
{
  sb_reference *r = *reference;

  PetscFunctionBeginUser;
  if (!r) PetscFunctionReturn(0);
  for (int i = 0; i < SEARCHES; ++i) PetscCall(sb_minimizer_destroy(&r->rough[i]));
  PetscCall(sb_minimizer_destroy(&r->newton));
  PetscCall(sb_saddle_exit_destroy(&r->way));
  PetscCall(VecDestroy(&r->gradient));
  PetscCall(VecDestroy(&r->trial));
  PetscCall(VecDestroy(&r->other));
  PetscCall(VecDestroy(&r->end));
  sb_options_destroy(&r->options);
  PetscCall(PetscFree(*reference));
  PetscFunctionReturn(0);
}

double sb_reference_unit(const sb_reference *reference, const sb_system *system)
{
  const double nonzeros = sb_linear_solver_facts(sb_minimizer_linear(reference->rough[ROBUST]))->nonzeros_factor;
  return SB_FLOPS_LOCAL.spring * system->springs_global + 4 * 3 * nonzeros;
}

double sb_reference_price(const sb_reference *reference, const sb_system *system)
{
  return sb_price_ratio(sb_factor_price(system, sb_minimizer_linear(reference->newton)));
}

/* The search ends where the last one ended. */
static PetscErrorCode take_end(const sb_reference *r, Vec z, sb_reference_report *report)
{
  const PetscInt saddles = report->saddles;

  PetscFunctionBeginUser;
  PetscCall(VecCopy(r->end, z));
  *report = r->ended;
  report->saddles = saddles;
  PetscFunctionReturn(0);
}

/* The second stage of a search: Newton until it converges, and again after leaving each saddle that it ends in. */
static PetscErrorCode finish_search(sb_reference *r, const sb_potential *potential, Vec z, sb_reference_report *report)
{
  sb_minimize_report stage;
  bool               left = true;

  PetscFunctionBeginUser;
  report->saddles = 0;
  r->potential = potential;
  r->arrived = false;
  while (left && report->saddles <= SB_SADDLES_MAX) {
    PetscCall(sb_minimizer_continue(r->newton, potential, z, &stage));
    report->outcome = stage.linear_outcome;
    if (sb_outcome_accepted(report->outcome) && r->arrived) PetscCall(take_end(r, z, report));
    if (!sb_outcome_accepted(report->outcome) || r->arrived) PetscFunctionReturn(0);
    r->ended.gradient_norm = INFINITY;
    PetscCall(sb_saddle_exit_take(r->way, potential, z, &left, &report->outcome));
    if (left) report->saddles++;
  }
  report->at_saddle = report->saddles > SB_SADDLES_MAX;
  PetscCall(sb_potential_gradient(potential, z, r->gradient));
  PetscCall(VecNorm(r->gradient, NORM_2, &report->gradient_norm));
  PetscCall(sb_potential_value(potential, z, &report->objective));
  PetscCall(sb_potential_rounding(potential, z, &report->allowed, NULL));
  PetscCall(sb_point_noise(potential, z, report->objective, &report->objective_noise));
  report->allowed = fmax(GRADIENT_TOLERANCE, report->allowed);
  PetscCall(VecCopy(z, r->end));
  r->ended = *report;
  PetscFunctionReturn(0);
}

/* Replaces z by the end of another search if that is a lower minimum. The saddles of both searches are added. */
static PetscErrorCode take_lower(Vec other, const sb_reference_report *another, Vec z, sb_reference_report *report)
{
  const PetscInt saddles = report->saddles + another->saddles;
  const bool     lower = another->objective < report->objective - report->objective_noise;

  PetscFunctionBeginUser;
  if (is_minimum(another) && (lower || !is_minimum(report))) {
    PetscCall(VecCopy(other, z));
    *report = *another;
  }
  report->saddles = saddles;
  PetscFunctionReturn(0);
}

static PetscErrorCode run_search(sb_reference *r, int i, const sb_potential *potential, Vec z,
                                 sb_reference_report *report)
{
  const search      *what = &searches[i];
  sb_minimize_report stage;

  PetscFunctionBeginUser;
  *report = (sb_reference_report){0};
  if (what->rough && !r->rough[i])
    PetscCall(create_stage(potential->system, rough_options(r->options, i), r->h_seconds, &r->rough[i]));
  PetscCall(sb_potential_start(potential, what->start, z));
  if (what->rough) PetscCall(sb_minimizer_continue(r->rough[i], potential, z, &stage));
  if (what->rough) report->outcome = stage.linear_outcome;
  if (!sb_outcome_accepted(report->outcome)) PetscFunctionReturn(0);
  PetscCall(finish_search(r, potential, z, report));
  PetscFunctionReturn(0);
}

/* z = the lowest minimum that the first `most` searches find, which have ended at z so far. */
static PetscErrorCode deepen(sb_reference *r, int most, const sb_potential *potential, Vec z,
                             sb_reference_report *report)
{
  sb_reference_report another;
  bool                alike = true;

  PetscFunctionBeginUser;
  for (int i = 1; i < SEARCHES; ++i) {
    double distance;
    if (searches[i].least > most) continue;
    PetscCall(run_search(r, i, potential, r->other, &another));
    PetscCall(find_distance(r, z, r->other, &distance));
    alike = alike && distance <= SAME_PLACE;
    PetscCall(take_lower(r->other, &another, z, report));
  }
  if (most < SEARCHES || (alike && report->saddles == 0)) PetscFunctionReturn(0);
  PetscCall(sb_potential_start(potential, SB_START_COAST, r->other));
  PetscCall(VecAXPBY(r->other, -1, 2, z));
  another = (sb_reference_report){0};
  PetscCall(finish_search(r, potential, r->other, &another));
  PetscCall(take_lower(r->other, &another, z, report));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_reference_minimize(sb_reference *reference, const sb_potential *potential, Vec z,
                                     sb_reference_report *report)
{
  PetscFunctionBeginUser;
  reference->ended.gradient_norm = INFINITY; /* of another step */
  PetscCall(run_search(reference, 0, potential, z, report));
  if (!is_minimum(report)) PetscCall(deepen(reference, SEARCHES, potential, z, report));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_reference_deepen(sb_reference *reference, const sb_potential *potential, Vec z,
                                   sb_reference_report *report)
{
  const sb_options *options = reference->options;
  const bool        chosen = SB_HAS(options, reference_searches);

  PetscFunctionBeginUser;
  PetscCall(deepen(reference, chosen ? (int)SB_INTEGER(options, reference_searches) : SEARCHES, potential, z, report));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_reference_is_definite(sb_reference *reference, const sb_potential *potential, Vec z, bool *definite)
{
  sb_outcome outcome;

  PetscFunctionBeginUser;
  reference->ended.gradient_norm = INFINITY; /* its factor goes */
  PetscCall(sb_saddle_exit_factor(reference->way, potential, z, &outcome));
  *definite = sb_outcome_accepted(outcome);
  PetscFunctionReturn(0);
}
