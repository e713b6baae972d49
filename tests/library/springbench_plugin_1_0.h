/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header of version 1.0 as it was published: plug-ins that were built with it must load. */
/* springbench_plugin.h: a linear solver or a minimiser of your own, in a shared object that springbench loads.
 *
 *     springbench --plugin ./my.so run experiments/minimizers/minimizers.yaml -p linear=mine
 *
 * The object defines one function, springbench_plugin, which hands its methods to a registry. From then on their names
 * are in the lists, in sweeps and in figures beside those of springbench. Cases that use one have the SHA-256 of the
 * object in their key and provenance, so another build of it runs them again. No PETSc, MPI or springbench is needed
 * to build it: cc -shared -fPIC my.c -o my.so
 *
 * A plug-in runs on one rank. It must not end the process, print, or keep pointers longer than this header allows.
 * Several solvers may exist at once: the state of each is in the object that its `create` returns. Structs begin with
 * their size, so that later versions can add members at the end; set members that you do not use to 0. Units are SI. */
#ifndef SPRINGBENCH_PLUGIN_H
#define SPRINGBENCH_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPRINGBENCH_PLUGIN_ABI 1

/* The end of a solve, a factorisation or an iteration. springbench recomputes the residual of every solution that is
 * returned as solved. */
typedef enum {
  SB_PLUGIN_SOLVED,
  SB_PLUGIN_STALLED,  /* out of iterations */
  SB_PLUGIN_NOT_SPD,  /* the matrix was found not to be positive definite */
  SB_PLUGIN_SINGULAR, /* a zero pivot, an empty row */
  SB_PLUGIN_DIVERGED, /* the residual grew */
  SB_PLUGIN_FAILED    /* memory, or a library */
} sb_plugin_outcome;

/* A square sparse matrix, compressed by rows; columns ascend in each row. */
typedef struct {
  size_t         size; /* sizeof(sb_plugin_matrix) */
  int32_t        rows;
  const int32_t *start;     /* [rows + 1] */
  const int32_t *column;    /* [start[rows]] */
  const double  *value;     /* [start[rows]] */
  int            block;     /* 3: three rows per vertex; 1: one */
  int            symmetric; /* not 0: all entries of a symmetric matrix */
  int            definite;  /* not 0: positive definite by construction */
} sb_plugin_matrix;

/* The goal of one solve, and its report. */
typedef struct {
  size_t      size;
  double      relative_tolerance; /* |b - A x|_2 <= this |b|_2; 0: exactly iterations_max iterations */
  int64_t     iterations_max;
  int64_t     iterations; /* out: 0 for direct solvers */
  const char *reason;     /* out: static text, or NULL */
} sb_plugin_solve;

/* Claims, which `springbench conform` tests. */
enum {
  SB_PLUGIN_DIRECT = 1,             /* no iterations */
  SB_PLUGIN_NEEDS_SPD = 2,          /* may fail on matrices that are not symmetric positive definite */
  SB_PLUGIN_DETECTS_INDEFINITE = 4, /* set_matrix returns NOT_SPD for a symmetric matrix that is not definite */
  SB_PLUGIN_UNSYMMETRIC = 8,        /* takes matrices that are not symmetric */
  SB_PLUGIN_DESCENDS = 16,          /* minimiser: the potential never rises */
  SB_PLUGIN_QUADRATIC = 32          /* minimiser: converges quadratically near a minimum */
};

typedef struct {
  size_t      size;    /* sizeof(sb_plugin_linear) */
  const char *name;    /* of lower-case letters, digits and '_' */
  const char *summary; /* a phrase in lower case, for lists and pages */
  unsigned    traits;  /* of the claims above */
  /* `options`: the text of option plugin_options, "" if it is not given. NULL after an error, whose text is then in
   * error[error_size]. */
  void *(*create)(const char *options, char *error, size_t error_size);
  void (*destroy)(void *solver);
  /* A new matrix, whose arrays stay as they are until the next call or destroy. new_pattern: not 0 if start and column
   * differ from those of the last call. */
  sb_plugin_outcome (*set_matrix)(void *solver, const sb_plugin_matrix *A, int new_pattern);
  /* x [rows] = A^-1 b; it holds the first guess (for direct solvers anything). */
  sb_plugin_outcome (*solve)(void *solver, const double *b, double *x, sb_plugin_solve *goal);
} sb_plugin_linear;

/* One step of implicit Euler as a minimisation: g(z) = |z - y|_M^2/(2 h^2) + E(z) over the free coordinates z, three
 * per vertex. The functions take the struct's `context`, and return 0, or another number if springbench failed; then
 * iterate must return SB_PLUGIN_FAILED. */
typedef struct {
  size_t        size;
  int32_t       unknowns; /* coordinates */
  double        h;        /* s */
  const double *mass;     /* [unknowns/3] kg */
  void         *context;
  int (*value)(void *context, const double *z, double *g);           /* g(z), J */
  int (*gradient)(void *context, const double *z, double *gradient); /* grad g(z) [unknowns], N */
  /* The Hessian of g at z, N/m, with springs projected to positive semi-definite if `projected`. Its arrays belong to
   * springbench and hold until the next call. */
  int (*hessian)(void *context, const double *z, int projected, sb_plugin_matrix *hessian);
} sb_plugin_problem;

typedef struct {
  size_t      size; /* sizeof(sb_plugin_minimizer) */
  const char *name, *summary;
  unsigned    traits;
  void *(*create)(const char *options, int32_t unknowns, char *error, size_t error_size);
  void (*destroy)(void *minimizer);
  /* Optional: a new step begins at z. */
  sb_plugin_outcome (*begin)(void *minimizer, const sb_plugin_problem *problem, const double *z);
  /* One iteration: changes z. springbench has the loop, the tolerances and the clock. STALLED: no better z was found.
   */
  sb_plugin_outcome (*iterate)(void *minimizer, const sb_plugin_problem *problem, double *z);
} sb_plugin_minimizer;

/* Valid during springbench_plugin. The functions return 0, or another number if a method was refused; springbench then
 * reports the reason. */
typedef struct {
  uint32_t abi; /* SPRINGBENCH_PLUGIN_ABI of springbench */
  size_t   size;
  void    *context;
  int (*add_linear)(void *context, const sb_plugin_linear *method);
  int (*add_minimizer)(void *context, const sb_plugin_minimizer *method);
} sb_plugin_registry;

/* Defined by the plug-in. Its methods must stay in memory (static const). Returns 0. Another number
 * refuses this springbench, for instance because of its abi. */
int springbench_plugin(const sb_plugin_registry *registry);

#ifdef __cplusplus
}
#endif
#endif
