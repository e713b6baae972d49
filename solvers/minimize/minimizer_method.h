/* Minimisers, for implementers: one file <name>.c with one const table `sb_minimizer_<name>`, one line in
 * minimizers.def. A method iterates; the front decides when to stop, times and observes. */
#pragma once

#include "solvers/minimize/minimizer.h"

enum {
  SB_DESCENDS = 1,         /* the potential never rises from one iterate to the next */
  SB_QUADRATIC = 2,        /* converges quadratically near a minimum with exact linear solves */
  SB_CONSTANT_MATRIX = 4,  /* one matrix, factored once in prepare */
  SB_IMPLICIT_CONTACT = 8, /* can treat penalty contact as part of g, not lagged in y */
  SB_BARRIER = 16,         /* can lower a g with a barrier, and stays where nothing meets */
  SB_OTHER_LIMIT = 32,     /* what it converges to is no minimum of g */
  SB_ONE_RANK = 64,        /* visits one vertex or spring after the other */
  SB_REDUCED_PINS = 128,   /* pinned vertices are no unknowns of it: pin_method reduce only */
  SB_ASKS_BACKEND = 256    /* whether a matrix is positive definite; of a case, as its hessian may */
};

typedef struct {
  sb_system        *system;
  const sb_options *options;
  double            h_seconds;
  sb_linear_solver *linear; /* the front's, for sb_minimizer_columns of the options; NULL where these are 0 */
} sb_minimizer_setup;

/* What one iteration is told (gradient) and has to say. It comes zeroed but for `gradient`. */
typedef struct {
  Vec             gradient;  /* unknowns: grad g(z) where the front needed it already, else NULL; not to be changed */
  sb_solve_report linear;    /* of its linear solve; not accepted: z is left alone */
  bool            projected; /* an adaptive Hessian was projected */
  double          step;      /* |s|_inf of the whole step s where z moved by a part of it only, m */
  bool            stuck;     /* no descent found, z is left alone: the loop ends, not converged */
} sb_iteration;

/* The front's stopping rules and its monitor, for a method that owns its loop: to be asked at every iterate, from k = 0
 * on, *done whether it ends the loop. Collective. */
typedef struct {
  PetscErrorCode (*judge)(void *front, PetscInt k, Vec z, bool *done);
  void *front;
} sb_loop;

typedef struct {
  SB_ENTRY_HEAD;
  const char *metric, *accelerator, *step; /* of a descent (descent.h), from which its traits and columns follow */
  unsigned    traits;
  int         columns; /* right-hand sides of its linear systems: 3 for a scalar matrix, 1 for a block one, 0: none */
  size_t      state_bytes;
  PetscErrorCode (*prepare)(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome); /* once; allocates */
  PetscErrorCode (*begin)(void *state, const sb_potential *potential, Vec z);                   /* optional; per step */
  PetscErrorCode (*iterate)(void *state, const sb_potential *potential, Vec z, sb_iteration *iteration);
  /* In place of iterate: the whole of a step, from z, whose end is z; `iteration` as that of the last one. */
  PetscErrorCode (*run)(void *state, const sb_potential *potential, Vec z, const sb_loop *loop,
                        sb_iteration *iteration);
  PetscErrorCode (*destroy)(void *state);
} sb_minimizer_method;

SB_DECLARE_LIST(sb_minimizer_method, sb_minimizers)
/* Traits and columns of a method as its entry has it, and of a case's, which may have changed parts of it; 0 where
 * there is no such method. */
unsigned sb_minimizer_method_traits(const sb_minimizer_method *method);
int      sb_minimizer_method_columns(const sb_minimizer_method *method);
unsigned sb_minimizer_traits(const sb_options *options);
int      sb_minimizer_columns(const sb_options *options);
/* The Hessian of a case: what option hessian says; one that nobody asked for is "projected" where the linear backend,
 * or rows of pinned vertices, cannot tell what it needs to know. */
const char *sb_hessian_of(const sb_options *options);
