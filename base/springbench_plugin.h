/* SPDX-License-Identifier: GPL-3.0-or-later */
/* springbench_plugin.h: your own linear solver, minimiser, integrator or law of springs, in a shared object that
 * springbench loads.
 *
 *     springbench --plugin ./my.so run experiments/minimizers/minimizers.yaml -p linear=mine
 *
 * The object defines one function, springbench_plugin, which hands its methods to a registry. From then on their names
 * are in the lists, in sweeps and in figures beside those of springbench. Cases that use one have the SHA-256 of the
 * object in their key and provenance, so another build of it runs them again. No PETSc, MPI or springbench is needed
 * to build it: cc -shared -fPIC my.c -o my.so
 *
 * A plug-in runs on one rank, but for laws. It must not end the process, print, or keep pointers longer than this
 * header allows. It is loaded twice, first in a process that only shows whether it can be. Several solvers may exist at
 * once: the state of each is in the object that its `create` returns. Structs begin with their size, so that later
 * versions can add members at the end; set members that you do not use to 0. Units are SI. */
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
  double      relative_tolerance; /* |b - A x|_2 <= this |b|_2; 0: exactly iterations_max iterations, then SOLVED */
  int64_t     iterations_max;
  int64_t     iterations; /* out: that were made; 0 for direct solvers, from 1 on for others (see solve) */
  const char *reason;     /* out: static text, or NULL */
} sb_plugin_solve;

/* Claims, which `springbench conform` tests besides what this header requires of every method. */
enum sb_plugin_claim {
  SB_PLUGIN_DIRECT = 1,             /* no iterations; the error is that of rounding */
  SB_PLUGIN_NEEDS_SPD = 2,          /* may fail on matrices that are not symmetric positive definite */
  SB_PLUGIN_DETECTS_INDEFINITE = 4, /* set_matrix returns NOT_SPD for a symmetric matrix that is not definite */
  SB_PLUGIN_UNSYMMETRIC = 8,        /* accepts matrices that are not symmetric */
  SB_PLUGIN_DESCENDS = 16,          /* minimiser: the potential never rises */
  SB_PLUGIN_QUADRATIC = 32,         /* minimiser: converges quadratically near a minimum */
  SB_PLUGIN_COUNTED = 64,           /* set by springbench: the method has `flops` */
  SB_PLUGIN_IN_PYTHON = 1 << 15,    /* set by springbench: its times are those of a class of Python */
  /* Since 1.1, of minimisers: */
  SB_PLUGIN_SEES_NET = 128,        /* every z is [vertices][3], and the problem has `net` */
  SB_PLUGIN_OTHER_LIMIT = 256,     /* its limit does not minimise g */
  SB_PLUGIN_REMEMBERS = 512,       /* uses data of earlier steps: a case that was stopped starts again */
  SB_PLUGIN_CONTACT_IN_G = 1024,   /* accepts colliders in g; without it such cases are refused */
  SB_PLUGIN_SOLVES = 2048,         /* calls `factor` and `solve`: three rows per free vertex */
  SB_PLUGIN_SOLVES_COLUMNS = 4096, /* calls them: one row per free vertex, three right-hand sides */
  SB_PLUGIN_SYMPLECTIC = 8192,     /* integrator: on linear springs a step is a symplectic map */
  SB_PLUGIN_STAGES = 16384,        /* set by springbench: the integrator has a stage_part */
  SB_PLUGIN_CONVEX = 1 << 16,      /* law: E'' >= 0 at any length */
  SB_PLUGIN_HARDENS = 1 << 17,     /* law: E'' >= E'/r at any length */
  SB_PLUGIN_BOUNDED = 1 << 18      /* set by springbench: the law has a bound `most` */
};

typedef struct {
  size_t      size;    /* sizeof(sb_plugin_linear) */
  const char *name;    /* of lower-case letters, digits and '_' */
  const char *summary; /* a phrase in lower case, for lists and pages */
  unsigned    traits;  /* of the claims above */
  /* `options`: the text of option plugin_options, "" if it is not given. A word "@PATH" in it names a file, whose
   * digest is in the keys of cases; PATH can be opened. NULL after an error, whose text is then in error[error_size].
   */
  void *(*create)(const char *options, char *error, size_t error_size);
  void (*destroy)(void *solver);
  /* A new matrix, whose arrays stay as they are until the next call or destroy. new_pattern: not 0 if start and column
   * differ from those of the last call. A matrix that was refused has no effect on the next one. */
  sb_plugin_outcome (*set_matrix)(void *solver, const sb_plugin_matrix *A, int new_pattern);
  /* x [rows] = A^-1 b; it holds the first guess (for direct solvers anything), from which iterations start. If that is
   * the solution, at most one iteration is made: 0 by a method that computes its residual first. */
  sb_plugin_outcome (*solve)(void *solver, const double *b, double *x, sb_plugin_solve *goal);
  /* Since 1.1, may be absent or NULL. Floating-point operations of this solver since it was created, in set_matrix and
   * solve: an addition, a product, a division and a square root are one each. Never less than at the last call.
   * Each iteration, and each direct solve, has at least one for every entry of A; equal solves have equally many.
   * Without it work, which is measured in such operations, is unknown for cases that use the method. */
  double (*flops)(const void *solver);
  /* Since 1.1, may be absent or NULL. Why the last call of this object failed, or NULL; the case ends with that. */
  const char *(*failure)(const void *solver);
  /* Since 1.1, may be absent or NULL. Called in place of `create`, with `data`: several methods may share functions. */
  void *(*create_of)(const void *data, const char *options, char *error, size_t error_size);
  const void *data;
} sb_plugin_linear;

/* Since 1.1: the net of a minimiser that claims SEES_NET, E = sum of k/2 (|x_i - x_j| - l)^2. Its arrays stay as they
 * are while the minimiser exists. */
typedef struct {
  size_t               size;
  int32_t              vertices, springs, triangles;
  const double        *mass;           /* [vertices] kg */
  const double        *rest;           /* [vertices][3] m, places at the start */
  const unsigned char *pinned;         /* [vertices] not to be moved: springbench moves them */
  const int32_t       *unknown;        /* [vertices] number among free vertices, that of their rows; -1: pinned */
  const int32_t       *first, *second; /* [springs] vertices at their ends */
  const double        *stiffness;      /* [springs] k, N/m */
  const double        *rest_length;    /* [springs] l, m */
  const int32_t       *triangle;       /* [triangles][3] vertices */
  const int32_t       *start;          /* [vertices + 1] springs of vertex i: items start[i] to start[i + 1] - 1 of */
  const int32_t       *spring, *other; /* the spring, and the vertex at its other end; in the order of springs */
  /* Free vertices, and springs with a free end, in the order of option `visits`. By colours, those of colour c are
   * items colour[c] to colour[c + 1] - 1, and none of them touches another. Numbered: 0 colours. */
  int32_t        vertex_visits, vertex_colours, spring_visits, spring_colours;
  const int32_t *visit_vertex, *vertex_colour, *visit_spring, *spring_colour;
} sb_plugin_net;

/* One step of implicit Euler as a minimisation: g(z) = |z - y|_M^2/(2 h^2) + E(z) over the free coordinates z, three
 * per vertex. The functions take the struct's `context`, and return 0, or another number if springbench failed; then
 * iterate must return SB_PLUGIN_FAILED. With SEES_NET z and the gradient are [vertices][3]: pinned vertices are at
 * their place in z, and 0 in the gradient. Rows of the Hessian always are those of free vertices. */
typedef struct {
  size_t        size;
  int32_t       unknowns; /* coordinates of free vertices */
  double        h;        /* s */
  const double *mass;     /* [unknowns/3] kg */
  void         *context;
  int (*value)(void *context, const double *z, double *g);           /* g(z), J */
  int (*gradient)(void *context, const double *z, double *gradient); /* grad g(z) [unknowns], N */
  /* The Hessian of g at z, N/m, with springs projected to positive semi-definite if `projected`. Its arrays belong to
   * springbench and hold until the next call. */
  int (*hessian)(void *context, const double *z, int projected, sb_plugin_matrix *hessian);
  /* Since 1.1. The first three, and `contact`, are NULL without SEES_NET. */
  const sb_plugin_net *net;
  const double        *place; /* [vertices][3] m: y; of pinned vertices their place at the end of the step */
  const double        *from;  /* [vertices][3] m, at the start of the step */
  double               end;   /* s, the time at the end of the step */
  int64_t              step;  /* its number, 0 for the first step of a motion */
  /* Adds the colliders' part at z [3] of a free vertex of the net: to the gradient of g, and to its block (xx xy xz yy
   * yz zz) of the Hessian. Adds nothing if colliders are not part of g. A number outside the net ends the case. */
  int (*contact)(void *context, int32_t vertex, const double *z, int projected, double gradient[3], double block[6]);
  /* The case's own linear solver. factor copies A, whose columns may have any order. solve: x = A^-1 b, both
   * [unknowns]; x holds the first guess. The outcomes of both are those of sb_plugin_linear; an iteration whose last
   * solve was refused ends the step. */
  sb_plugin_outcome (*factor)(void *context, const sb_plugin_matrix *A);
  sb_plugin_outcome (*solve)(void *context, const double *b, double *x);
} sb_plugin_problem;

typedef struct {
  size_t      size; /* sizeof(sb_plugin_minimizer) */
  const char *name, *summary;
  unsigned    traits;
  void *(*create)(const char *options, int32_t unknowns, char *error, size_t error_size);
  void (*destroy)(void *minimizer);
  /* Optional: a new step begins at z. Step 0 begins a motion: what is remembered of another one must be forgotten. */
  sb_plugin_outcome (*begin)(void *minimizer, const sb_plugin_problem *problem, const double *z);
  /* One iteration: changes z. springbench has the loop, the tolerances and the clock. STALLED: no better z was found.
   * A step that is made again has the same bits; so has a step that another object of `create` makes, unless the method
   * claims REMEMBERS. Memory behind z is not there. */
  sb_plugin_outcome (*iterate)(void *minimizer, const sb_plugin_problem *problem, double *z);
  /* Since 1.1, may be absent or NULL: as for linear solvers, without the operations of the problem's functions, which
   * springbench counts. Each iteration has at least one for every coordinate. */
  double (*flops)(const void *minimizer);
  /* Since 1.1, may be absent or NULL: as for linear solvers. */
  const char *(*failure)(const void *minimizer);
  void *(*create_of)(const void *data, const char *options, int32_t unknowns, char *error, size_t error_size);
  const void *data;
} sb_plugin_minimizer;

/* Since 1.1: the functions and data of an integrator. Arrays over vertices are [vertices][3]. The functions return 0,
 * or another number if springbench failed or a solve was refused; then `step` must return SB_PLUGIN_FAILED. */
typedef struct {
  size_t               size;
  int32_t              vertices;
  double               h, velocity_factor; /* s; springbench multiplies v by the factor at the end of a step */
  const double        *mass;               /* [vertices] kg */
  const unsigned char *pinned;             /* [vertices] not 0: springbench places it at the end of a step */
  double              *memory[2];          /* the arrays that `memory` of the method names; 0 at first */
  void                *context;
  /* a = acceleration at (t, x, v), m/s^2, of all forces but penalty contact in the potential; 0 on pinned vertices. */
  int (*acceleration)(void *context, double t, const double *x, const double *v, double *a);
  /* z = the end of a step of implicit Euler, of the length s = stage_part h, from the place y and velocity w at time t:
   * W = (z - y)/s and (W - w)/s = a(z). The case's minimiser finds it. Pins and the field, at y + s w, are those at
   * t + s; drag, dampers and air are those at the start of the step. NULL if stage_part is 0. */
  int (*stage)(void *context, double t, const double *y, const double *w, double *z);
} sb_plugin_stepper;

typedef struct {
  size_t      size; /* sizeof(sb_plugin_integrator) */
  const char *name, *summary;
  unsigned    traits;              /* SB_PLUGIN_SYMPLECTIC or 0 */
  int         order, order_braked; /* of convergence in h, and with drag, dampers or air; 0: not claimed, the same */
  double      stability_limit;     /* largest stable h omega without damping; 0: none; INFINITY; NAN: not claimed */
  double      stage_part;          /* 0: an explicit method */
  const char *memory[2];           /* names of data of former steps, which a stopped case stores; NULL: none */
  double (*growth)(double z);      /* optional: growth of an undamped mode per step, z = h omega */
  void *(*create)(const char *options, const sb_plugin_stepper *stepper, char *error, size_t error_size);
  void (*destroy)(void *integrator);
  /* From time number h to the next: changes x and v of free vertices. Its data of former steps are in memories.
   * fresh: not 0 if they do not hold, at the start and where contact or a caller has changed the state. */
  sb_plugin_outcome (*step)(void *integrator, const sb_plugin_stepper *stepper, int64_t number, int fresh, double *x,
                            double *v);
  /* May be NULL: as for linear solvers. */
  const char *(*failure)(const void *integrator);
  void *(*create_of)(const void *data, const char *options, const sb_plugin_stepper *stepper, char *error,
                     size_t error_size);
  const void *data;
} sb_plugin_integrator;

/* Since 1.1: springs of a law at their lengths. Arrays are [count]. */
typedef struct {
  size_t        size;
  int32_t       count;
  const double *length, *stiffness, *rest_length; /* r, m; k, N/m; l > 0, m: what Hooke's law would have */
  double       *energy, *first, *second;          /* out: E(r), J, its slope E', N, and E'', N/m */
} sb_plugin_springs;

/* Since 1.1: a law of springs, the energy E of a spring of length r >= 0. Before the first step of a case springbench
 * compares E' and E'' with differences of E and E', and with the claims. */
typedef struct {
  size_t      size; /* sizeof(sb_plugin_law) */
  const char *name, *summary;
  unsigned    traits; /* SB_PLUGIN_CONVEX, SB_PLUGIN_HARDENS */
  double      most;   /* bound of E''/k at any length, which methods with constant matrices need; 0: none is claimed */
  void *(*create)(const char *options, char *error, size_t error_size);
  void (*destroy)(void *law);
  /* Equal springs of equal length have equal bits, in whatever calls they are. Not SOLVED: the case fails. */
  sb_plugin_outcome (*evaluate)(void *law, const sb_plugin_springs *springs);
  /* May be NULL: as for linear solvers. */
  const char *(*failure)(const void *law);
  void *(*create_of)(const void *data, const char *options, char *error, size_t error_size);
  const void *data;
} sb_plugin_law;

/* Valid during springbench_plugin. The functions return 0, or another number if a method was refused; springbench then
 * reports the reason. */
typedef struct {
  uint32_t abi; /* SPRINGBENCH_PLUGIN_ABI of springbench */
  size_t   size;
  void    *context;
  int (*add_linear)(void *context, const sb_plugin_linear *method);
  int (*add_minimizer)(void *context, const sb_plugin_minimizer *method);
  int (*add_integrator)(void *context, const sb_plugin_integrator *method); /* since 1.1 */
  int (*add_law)(void *context, const sb_plugin_law *law);                  /* since 1.1 */
} sb_plugin_registry;

/* Defined by the plug-in. Its methods must stay in memory (static const). Returns 0. Another number
 * refuses this springbench, for instance because of its abi. */
int springbench_plugin(const sb_plugin_registry *registry);

#ifdef __cplusplus
}
#endif
#endif
