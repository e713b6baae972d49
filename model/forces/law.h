/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of springs, named by option `law`, and damping inside the step (docs/model.md section 1). Local.
 *
 * A law is the energy E(r) of a spring of length r, with the k and l that Hooke's law would have. At one place of the
 * net each spring has a tangent: the spring of Hooke's law with the same force and the same Hessian,
 *
 *     k* = E'',  l* = r - E'/E'',   k* u u^T + k* (1 - l*)/r (I - u u^T) = E'' u u^T + (E'/r)(I - u u^T),
 *
 * so that the kernels of kernels.h and bands.h serve every law. Damping inside a step of length h,
 * 1/2 beta k/h (r - r0)^2 with r0 the length at the start of the step, is a spring parallel to it. The given springs
 * stay as they are: energies of frames and limits of h use them.
 *
 * A law is one file model/forces/laws/<name>.c with one const table `sb_law_<name>`, and one line in laws.def. */
#pragma once

#include "base/number_table.h"
#include "base/options.h"
#include "model/forces/bands.h"

/* Springs at their lengths; the results are E, J, E', N, and E'', N/m. */
typedef struct {
  int           count;
  const double *length, *stiffness, *rest_length; /* [count] m, N/m, m */
  const double *parameter[SB_LAW_PARAMETERS];     /* [count] each; NULL: the law has none */
  double       *energy, *first, *second;          /* [count] */
} sb_law_points;

/* Over all lengths: the bounds of E''/k, which may be infinite; whether E'/r may be more than E'', so that a Hessian
 * a I + b d d^T may have a negative b. */
typedef struct {
  double least, most;
  bool   softens;
} sb_law_bounds;

/* For authors of laws. */
typedef struct {
  SB_ENTRY_HEAD;
  sb_option_id parameter[SB_LAW_PARAMETERS]; /* options of its parameters; 0: none */
  const char  *digest;                       /* of the plug-in that it is from; NULL: none */
  unsigned     claims;                       /* of a plug-in */
  size_t       state_bytes;
  bool (*prepare)(void *state, const sb_options *options, sb_diagnostics *diagnostics); /* optional */
  void (*evaluate)(void *state, const sb_law_points *points);
  sb_law_bounds bounds; /* of a law without bounds_by */
  sb_law_bounds (*bounds_by)(const double parameter[SB_LAW_PARAMETERS]);
  const char *(*failure)(const void *state); /* optional: why evaluate failed, NULL: it has not */
  void (*destroy)(void *state);              /* optional: frees allocations of prepare inside the state */
} sb_law_method;

SB_DECLARE_LIST(sb_law_method, sb_laws)

/* The law of a system's springs. Read-only for everyone but law.c. */
typedef struct sb_law {
  const sb_law_method *method;
  void                *state;
  double              *parameter[SB_LAW_PARAMETERS]; /* [springs], NULL: it has none */
  sb_law_bounds        bounds;                       /* of all springs of the net */
  const sb_springs    *given;                        /* borrowed */
  double               damping; /* beta/h in the present step; 0: none, or not in a step of an implicit method */
  double              *start;   /* [springs] m: lengths at the start of the step */
  double              *length, *energy, *first, *second; /* [springs] at the place that was last evaluated */
  double              *bound;   /* [springs] N/m: of E'' and E'/r at any length; k if there is none */
  sb_springs           tangent; /* has the ends of the given ones */
  sb_bands            *bands;   /* the same, NULL if the net has none or the law softens */
  int                 *lane;    /* [lanes of bands] spring, -1: none */
} sb_law;

/* The law of a set for these springs, *law = NULL for Hooke's without damping. E-codes at the options. False: refused,
 * or out of memory, which has no message. */
bool sb_law_create(const sb_options *options, const sb_springs *springs, sb_diagnostics *diagnostics, sb_law **law);
void sb_law_destroy(sb_law **law);
/* Plans the tangents for vector instructions, as sb_bands_create. False: out of memory. */
bool sb_law_plan(sb_law *law, int vertices, int summed, const int *row, int threads);
/* beta/h from now on; 0: none. Bounds follow. */
void sb_law_set_damping(sb_law *law, double damping);
/* A step begins at this place. position [vertices][3], ghosts included. */
void sb_law_begin_step(sb_law *law, const double *position);
/* Takes the tangents at a place; a negative E'' is multiplied by `negative`. If E'' is 0 and E' is not, the tangent has
 * k* = 2^-26 |E'/r|. */
void sb_law_take_tangents(sb_law *law, double negative, const double *position);
/* The same with k* = bound and l* = r - E'/bound: k* l* u is the pull of local steps. */
void sb_law_take_pulls(sb_law *law, const double *position);
/* The sum of E over counted springs, J, and of the energy of damping if `damped`. */
double sb_law_energy(sb_law *law, bool damped, const double *position);
/* Why the law could not be evaluated; NULL: it could. */
const char *sb_law_failure(const sb_law *law);
/* E' and E'' of one spring at a length, with those of damping. */
void sb_law_slopes(sb_law *law, int spring, double length, double *first, double *second);
/* The law of a set, Hooke's if it names none. Static. */
const sb_law_method *sb_law_method_of(const sb_options *options);
/* The bounds of a set's law over all springs, for checks: with the parameters of option `spring_data`, if it can be
 * read. */
sb_law_bounds sb_law_bounds_of(const sb_options *options);
/* The columns of `spring_data`: those below, then the parameters of the set's law, then those of others. Returns their
 * number. */
enum { SB_SPRING_FIRST, SB_SPRING_SECOND, SB_SPRING_STIFFNESS, SB_SPRING_REST_LENGTH, SB_SPRING_LAW };
size_t sb_law_columns(const sb_options *options, sb_number_column column[SB_COLUMNS_MAX]);
/* E205 for a spring without rest length if the law is not Hooke's; E106 where E', E'' of formulas are not the slopes of
 * E and E', or E'' is outside the claimed bounds. */
bool sb_law_check_start(const sb_options *options, const sb_springs *springs, sb_diagnostics *diagnostics);
