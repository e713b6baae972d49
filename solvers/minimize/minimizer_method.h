/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Minimisers, for authors: one file <name>.c with one const table `sb_minimizer_<name>`, one line in minimizers.def. A
 * method iterates; the front decides when to stop, times and observes. */
#pragma once

#include "solvers/minimize/minimizer.h"

enum {
  SB_DESCENDS = 1,          /* the potential never rises from one iterate to the next */
  SB_QUADRATIC = 2,         /* converges quadratically near a minimum with exact linear solves */
  SB_CONSTANT_MATRIX = 4,   /* one matrix, factored once in prepare */
  SB_IMPLICIT_CONTACT = 8,  /* can treat penalty contact as part of g, not lagged in y */
  SB_BARRIER = 16,          /* can lower a g with a barrier, and keeps z free of intersections */
  SB_OTHER_LIMIT = 32,      /* its limit does not minimise g */
  SB_ONE_RANK = 64,         /* visits one vertex or spring after the other */
  SB_REDUCED_PINS = 128,    /* pinned vertices cannot be its unknowns: pin_method reduce only */
  SB_ASKS_BACKEND = 256,    /* its backend must detect indefinite matrices; of a case, as it depends on hessian */
  SB_UNCOUNTED = 512,       /* PETSc's log lacks operations of it, besides those of its linear solver */
  SB_STEP_MATRIX = 1024,    /* one matrix per step, factored at its first iterate; with contact in g also later */
  SB_ON_DEVICE = 2048,      /* a device has its kernels (on_device.h) */
  SB_TESTS_GRADIENT = 4096, /* stops by the gradient unless a case has another tolerance, as quadratic ones do */
  SB_REMEMBERS = 8192       /* uses data of earlier steps: a case that was stopped starts again */
};

typedef struct {
  sb_system        *system;
  const sb_options *options;
  double            h_seconds;
  sb_linear_solver *linear; /* the front's, for sb_minimizer_columns of the options; NULL if that is 0 */
} sb_minimizer_setup;

/* Input (gradient) and report of one iteration. Zeroed, except for `gradient`. */
typedef struct {
  Vec             gradient;  /* unknowns: grad g(z) if the front has computed it, else NULL; not to be changed */
  sb_solve_report linear;    /* of its linear solve; if not accepted, z is unchanged */
  bool            of_method; /* the outcome there is that of the method itself */
  bool            projected; /* an adaptive Hessian was projected */
  double          step;      /* |s|_inf of the whole step s if z moved by only a part of it, m */
  bool            stuck;     /* no descent found, z is unchanged: the loop ends, not converged */
  bool            settled;   /* no descent found, as only rounding is left of the gradient: it ends, converged */
} sb_iteration;

/* The front's stopping rules and monitor, for a method with its own loop. To be called at every iterate, from k = 0 on;
 * *done: the loop must end. Collective. */
typedef struct {
  PetscErrorCode (*judge)(void *front, PetscInt k, Vec z, bool *done);
  void *front;
} sb_loop;

typedef struct {
  SB_ENTRY_HEAD;
  const char *digest; /* this and claims: as in sb_linear_backend */
  unsigned    claims;
  const char *metric, *accelerator, *step; /* of a descent (descent.h), which define its traits and columns */
  unsigned    traits;
  /* Optional: why it cannot have the law and the damping_in_step of a case with other than Hooke's; NULL: it can. */
  const char *(*refuses_law)(const sb_options *options);
  int    columns; /* right-hand sides of its linear systems: 3 for a scalar matrix, 1 for a block one, 0: none */
  size_t state_bytes;
  PetscErrorCode (*prepare)(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome); /* once; allocates */
  PetscErrorCode (*begin)(void *state, const sb_potential *potential, Vec z);                   /* optional; per step */
  PetscErrorCode (*iterate)(void *state, const sb_potential *potential, Vec z, sb_iteration *iteration);
  /* Instead of iterate: the whole loop of a step, from z to its end z; `iteration` is the report of the last one. */
  PetscErrorCode (*run)(void *state, const sb_potential *potential, Vec z, const sb_loop *loop,
                        sb_iteration *iteration);
  PetscErrorCode (*destroy)(void *state);
} sb_minimizer_method;

SB_DECLARE_LIST(sb_minimizer_method, sb_minimizers)
/* The method of option `minimizer`, as sb_linear_backend_of. */
static inline const sb_minimizer_method *sb_minimizer_method_of(const sb_options *options)
{
  const sb_list *known = sb_option_list(SB_ID(minimizer), sb_options_vocabulary(options));
  const bool     extended = known && known->describe == sb_minimizers.describe;
  return (const void *)sb_list_find(extended ? known : &sb_minimizers, SB_TEXT(options, minimizer));
}
/* Traits and columns of a method by its entry, and of a case, whose options may change them; 0 if there is no such
 * method. */
unsigned sb_minimizer_method_traits(const sb_minimizer_method *method);
int      sb_minimizer_method_columns(const sb_minimizer_method *method);
unsigned sb_minimizer_traits(const sb_options *options);
int      sb_minimizer_columns(const sb_options *options);
/* The canonical form of option minimizer: "descent" (malloc'ed) for any name of a metric, an accelerator and a step
 * rule; NULL if the name itself is canonical. */
char *sb_minimizer_meaning(const sb_options *options);
/* The Hessian of a case: option hessian; "projected" in place of a default that must know whether a matrix is positive
 * definite, if the linear backend or the rows of pinned vertices cannot show it. A method's own "exact" stays. */
const char *sb_hessian_of(const sb_options *options);
