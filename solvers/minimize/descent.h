/* Descent methods, which take the potential as a function of all unknowns at once, for implementers:
 *
 *     z <- z - a p,    p = accelerator(P^-1 G),    G = grad g(z)
 *
 * with a metric P, an accelerator that makes a direction p of P^-1 G and of the past, and a rule for the length a of
 * the step. Papers change two or three of these at once; here each is a list of its own, and a published method is an
 * entry of minimizers.def that names one of each (SB_DESCENT below), any of which a case may replace. Local-global is
 * (laplacian, none, unit), Newton's method (hessian, none, armijo).
 *
 * A metric is one file metrics/<name>.c with one const table `sb_metric_<name>` and one line in metrics/metrics.def
 * (and one in metrics/preconditioners.def if it is one matrix); accelerators and steps likewise. Vectors are over
 * unknowns unless said; p and P^-1 G ascend. Collective. */
#pragma once

#include "solvers/minimize/minimizer_method.h"

typedef struct sb_descent sb_descent;

/* Of metrics, besides the traits of minimisers, which hold for accelerator none. */
enum {
  SB_MAJORISES = 1 << 16, /* P - H is positive semi-definite at every z: g(z) - g(z - P^-1 G) >= 1/2 G^T P^-1 G */
  SB_UNSCALED = 1 << 17   /* P says nothing of H but a bound: a method that knows H along a pair scales by it */
};

typedef struct {
  SB_ENTRY_HEAD;
  unsigned traits;
  int      columns; /* right-hand sides of its linear systems: 3 for a scalar matrix, 1 for a block one, 0: none */
  size_t   state_bytes;
  PetscErrorCode (*prepare)(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome);
  PetscErrorCode (*begin)(void *state, const sb_potential *potential, Vec z);   /* optional; once a step */
  PetscErrorCode (*refresh)(void *state, const sb_potential *potential, Vec z); /* optional; once an iterate */
  /* out = P^-1 in, or what it is meant to be; at the z of the last refresh. */
  PetscErrorCode (*apply)(void *state, const sb_potential *potential, Vec z, Vec in, Vec out, sb_iteration *iteration);
  PetscErrorCode (*destroy)(void *state);
} sb_metric;

typedef struct {
  SB_ENTRY_HEAD;
  const char *steps;   /* the only rules that it works with; NULL: every one */
  const char *metrics; /* likewise */
  const char *reason;  /* why with no other: "its polynomial is that of whole steps" */
  size_t      state_bytes;
  PetscErrorCode (*prepare)(void *state, const sb_descent *descent, const sb_options *options);
  PetscErrorCode (*begin)(void *state, const sb_descent *descent); /* optional; forgets the past */
  /* descent->direction = p, and descent->plain = P^-1 G where P is applied to G. It calls sb_descent_precondition
   * once. Absent: p = P^-1 G. */
  PetscErrorCode (*direct)(void *state, sb_descent *descent);
  PetscErrorCode (*destroy)(void *state);
} sb_accelerator;

typedef struct {
  SB_ENTRY_HEAD;
  bool   descends; /* whatever the direction */
  bool   compares; /* z - p with z - P^-1 G, and takes the latter where the former is no descent */
  size_t state_bytes;
  PetscErrorCode (*prepare)(void *state, const sb_descent *descent, const sb_options *options);
  PetscErrorCode (*begin)(void *state, const sb_descent *descent); /* optional */
  /* Moves descent->z by -length direction, and sets the length, the direction too where it takes another;
   * iteration->stuck where it found no step. */
  PetscErrorCode (*take)(void *state, sb_descent *descent);
  PetscErrorCode (*destroy)(void *state);
} sb_step_rule;

typedef struct {
  const sb_metric      *metric;
  const sb_accelerator *accelerator;
  const sb_step_rule   *step;
} sb_triple;

/* What the parts work on. */
struct sb_descent {
  sb_triple           of;
  sb_system          *system;
  double              h_seconds;
  bool                solves;    /* linear systems */
  const sb_potential *potential; /* of the iteration at hand, as all below */
  sb_iteration       *iteration;
  Vec                 z;         /* full */
  Vec                 gradient;  /* at z before the step */
  Vec                 direction; /* p; until it is set anew that of the iteration before, by which z moved: */
  double              length;    /* by -length p */
  Vec                 plain;     /* P^-1 G; the same Vec as direction where the accelerator is none */
  PetscInt            count;     /* iterations since begin */
  void               *states[3];
  Vec                 own_gradient;
};

/* out = P^-1 in with the metric of the descent. Where iteration->linear is not accepted afterwards, out is nothing, and
 * the caller returns. */
PetscErrorCode sb_descent_precondition(sb_descent *descent, Vec in, Vec out);

/* The lists. */
SB_DECLARE_LIST(sb_metric, sb_metrics)
SB_DECLARE_LIST(sb_accelerator, sb_accelerators)
SB_DECLARE_LIST(sb_step_rule, sb_step_rules)
/* Is the option one of those that the metric reads and not every case? */
bool sb_metric_reads(const sb_metric *metric, sb_option_id id);

/* The triple of an entry; false where it is no descent method. */
bool sb_method_triple(const sb_minimizer_method *method, sb_triple *triple);
/* The triple of a case: what its options name, else what its minimiser does. False where that is no descent method, or
 * a name is that of nothing. */
bool sb_triple_of(const sb_options *options, sb_triple *triple);
/* The traits of minimisers that a triple has. */
unsigned sb_triple_traits(const sb_triple *triple);
/* Why a triple has no meaning, with what has: "accelerator 'chebyshev' with step 'armijo': …"; NULL where it has one.
 * Malloc'ed. *part is the option to point at. */
char *sb_triple_refusal(const sb_triple *triple, sb_option_id *part);

/* The loop, of all entries that are descents. */
PetscErrorCode sb_descent_prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome);
PetscErrorCode sb_descent_begin(void *state, const sb_potential *potential, Vec z);
PetscErrorCode sb_descent_iterate(void *state, const sb_potential *potential, Vec z, sb_iteration *iteration);
PetscErrorCode sb_descent_destroy(void *state);

/* The fields of an entry: its own metric, accelerator and step, and further defaults, each "option=value " or "".
 * SB_DESCENT_ANY_STEP leaves it to others, a driver say, to have another step by default. */
#define SB_DESCENT(metric_name, accelerator_name, step_name, further)                                                  \
  SB_DESCENT_FIELDS(metric_name, accelerator_name, step_name, further " step=" #step_name)
#define SB_DESCENT_ANY_STEP(metric_name, accelerator_name, step_name, further)                                         \
  SB_DESCENT_FIELDS(metric_name, accelerator_name, step_name, further)
#define SB_DESCENT_FIELDS(metric_name, accelerator_name, step_name, further)                                           \
  .uses = "metric accelerator step", .metric = #metric_name, .accelerator = #accelerator_name, .step = #step_name,     \
  .defaults = "metric=" #metric_name " accelerator=" #accelerator_name further, .state_bytes = sizeof(sb_descent),     \
  .prepare = sb_descent_prepare, .begin = sb_descent_begin, .iterate = sb_descent_iterate,                             \
  .destroy = sb_descent_destroy
