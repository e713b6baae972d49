/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descent methods, which treat the potential as a function of all unknowns at once, for authors:
 *
 *     z <- z - a p,  p = accelerator(P^-1 G),  G = grad g(z)
 *
 * with a metric P, an accelerator that computes a direction p from P^-1 G and earlier iterations, and a rule for the
 * step length a. Papers change two or three of these at once; here each is a separate list. A published method is an
 * entry of minimizers.def that names one of each (SB_DESCENT below), and a case may replace any of them. Local-global
 * is (laplacian, none, unit), Newton's method (hessian, none, armijo).
 *
 * A metric is one file metrics/<name>.c with one const table `sb_metric_<name>` and one line in metrics/metrics.def
 * (and one in metrics/preconditioners.def if it is one matrix); accelerators and steps likewise. Vectors are over
 * unknowns unless stated otherwise; p and P^-1 G are directions of ascent. Collective. */
#pragma once

#include "solvers/minimize/minimizer_method.h"

typedef struct sb_descent sb_descent;

/* Traits of metrics, in addition to those of minimisers, which hold for accelerator none. */
enum {
  SB_MAJORISES = 1 << 16, /* P - H is positive semi-definite at every z: g(z) - g(z - P^-1 G) >= 1/2 G^T P^-1 G */
  SB_UNSCALED = 1 << 17   /* P is only a bound of H: a method that has H along a pair scales by it */
};

typedef struct {
  SB_ENTRY_HEAD;
  unsigned    traits;
  int         columns; /* right-hand sides of its linear systems: 3 for a scalar matrix, 1 for a block one, 0: none */
  const char *steps;   /* the only rules that it works with; NULL: all */
  const char *reason;  /* why it works with no others */
  size_t      state_bytes;
  PetscErrorCode (*prepare)(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome);
  PetscErrorCode (*begin)(void *state, const sb_potential *potential, Vec z);   /* optional; once a step */
  PetscErrorCode (*refresh)(void *state, const sb_potential *potential, Vec z); /* optional; once an iterate */
  /* out = P^-1 in, or the metric's approximation of it; at the z of the last refresh. */
  PetscErrorCode (*apply)(void *state, const sb_potential *potential, Vec z, Vec in, Vec out, sb_iteration *iteration);
  /* Optional: residual -= alpha product, scaled = P^-1 residual, *square = residual.scaled, in one pass; vectors are
   * full, scaled is 0 on vertices that are not unknowns. */
  PetscErrorCode (*correct)(void *state, double alpha, const sb_cg_vectors *cg, sb_iteration *iteration,
                            double *square);
  PetscErrorCode (*destroy)(void *state);
} sb_metric;

typedef struct {
  SB_ENTRY_HEAD;
  const char *steps;   /* the only rules that it works with; NULL: all */
  const char *metrics; /* likewise */
  const char *reason;  /* why it works with no others: "its polynomial is that of whole steps" */
  size_t      state_bytes;
  PetscErrorCode (*prepare)(void *state, const sb_descent *descent, const sb_options *options);
  PetscErrorCode (*begin)(void *state, const sb_descent *descent); /* optional; forgets the past */
  /* Sets descent->direction = p and, if P is applied to G, descent->plain = P^-1 G. It calls sb_descent_precondition
   * once. NULL: p = P^-1 G. */
  PetscErrorCode (*direct)(void *state, sb_descent *descent);
  PetscErrorCode (*destroy)(void *state);
} sb_accelerator;

typedef struct {
  SB_ENTRY_HEAD;
  bool   descends; /* for any direction */
  bool   compares; /* z - p with z - P^-1 G, and uses the latter if the former does not descend */
  size_t state_bytes;
  PetscErrorCode (*prepare)(void *state, const sb_descent *descent, const sb_options *options);
  PetscErrorCode (*begin)(void *state, const sb_descent *descent); /* optional */
  /* Moves descent->z by -length direction, and sets the length, and the direction if it uses another; sets
   * iteration->stuck if it finds no step. */
  PetscErrorCode (*take)(void *state, sb_descent *descent);
  PetscErrorCode (*destroy)(void *state);
} sb_step_rule;

typedef struct {
  const sb_metric      *metric;
  const sb_accelerator *accelerator;
  const sb_step_rule   *step;
} sb_triple;

/* The data of the three parts. */
struct sb_descent {
  sb_triple           of;
  sb_system          *system;
  double              h_seconds;
  bool                solves;    /* it solves linear systems */
  const sb_potential *potential; /* of the current iteration, like all below */
  sb_iteration       *iteration;
  Vec                 z;         /* full */
  Vec                 gradient;  /* at z before the step */
  Vec                 direction; /* p; until it is set, that of the previous iteration, which moved z */
  double              length;    /* by -length p */
  Vec                 plain;     /* P^-1 G; the same Vec as direction if the accelerator is none */
  PetscInt            count;     /* iterations since begin */
  void               *states[3];
  Vec                 own_gradient;
};

/* out = P^-1 in with the metric of the descent. If iteration->linear is not accepted afterwards, out is undefined and
 * the caller must return. */
PetscErrorCode sb_descent_precondition(sb_descent *descent, Vec in, Vec out);

/* For metrics that factor a Hessian: *matrix of three rows per vertex, analysed with its final pattern, so that there
 * is room for its factors before the first step; definite: it is positive definite whenever it is factored. */
PetscErrorCode sb_hessian_matrix_create(const sb_minimizer_setup *setup, bool definite, Mat *matrix,
                                        sb_outcome *outcome);

/* The lists. */
SB_DECLARE_LIST(sb_metric, sb_metrics)
SB_DECLARE_LIST(sb_accelerator, sb_accelerators)
SB_DECLARE_LIST(sb_step_rule, sb_step_rules)
/* True if the option is one that the metric reads and not every case. */
bool sb_metric_reads(const sb_metric *metric, sb_option_id id);

/* The triple of an entry; false if it is not a descent method. */
bool sb_method_triple(const sb_minimizer_method *method, sb_triple *triple);
/* The triple of a case: from its options, else from its minimiser. False if that is not a descent method, or a name is
 * unknown. */
bool sb_triple_of(const sb_options *options, sb_triple *triple);
/* The traits of minimisers that a triple has. */
unsigned sb_triple_traits(const sb_triple *triple);
/* The reason why a triple cannot work, with those that can: "accelerator 'chebyshev' with step 'armijo': …"; NULL if it
 * can. Malloc'ed. *part is the option to name. */
char *sb_triple_refusal(const sb_triple *triple, sb_option_id *part);

/* The loop, for all entries that are descents. */
PetscErrorCode sb_descent_prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome);
PetscErrorCode sb_descent_begin(void *state, const sb_potential *potential, Vec z);
PetscErrorCode sb_descent_iterate(void *state, const sb_potential *potential, Vec z, sb_iteration *iteration);
PetscErrorCode sb_descent_destroy(void *state);

/* The fields of an entry: its metric, accelerator and step, and further defaults, each "option=value " or "". With
 * SB_DESCENT_ANY_STEP another default may set the step, such as a driver's. */
#define SB_DESCENT(metric_name, accelerator_name, step_name, further)                                                  \
  SB_DESCENT_FIELDS(metric_name, accelerator_name, step_name, further " step=" #step_name)
#define SB_DESCENT_ANY_STEP(metric_name, accelerator_name, step_name, further)                                         \
  SB_DESCENT_FIELDS(metric_name, accelerator_name, step_name, further)
#define SB_DESCENT_FIELDS(metric_name, accelerator_name, step_name, further)                                           \
  .uses = "metric accelerator step", .metric = #metric_name, .accelerator = #accelerator_name, .step = #step_name,     \
  .defaults = "metric=" #metric_name " accelerator=" #accelerator_name further, .state_bytes = sizeof(sb_descent),     \
  .prepare = sb_descent_prepare, .begin = sb_descent_begin, .iterate = sb_descent_iterate,                             \
  .destroy = sb_descent_destroy
