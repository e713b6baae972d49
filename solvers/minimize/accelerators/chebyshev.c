/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chebyshev semi-iteration (Wang 2015; Golub, Varga 1961) over the fixed-point iteration q = z - P^-1 G, whose errors
 * T = I - P^-1 H multiplies:
 *
 *     z_{k+1} = w (c (q - z_k) + z_k - z_{k-1}) + z_{k-1},    w_1 = 1, w_2 = 2/(2 - s^2), w_{k+1} = 4/(4 - s^2 w_k),
 *
 * in steps p = w c P^-1 G + (w - 1) p', p' the step before, as it was taken. With the spectrum of T in [-rho, rho]
 * (interval symmetric, Wang's) s = rho and c = 1. A spectrum in [0, rho] (positive: T of a metric that majorises H) is
 * mapped by c = 2/(2 - rho) to [-s, s] with s = rho/(2 - rho), which takes 1/sqrt(2) times the iterations.
 *
 * rho is given, or found. Then it comes from the ratios of |P^-1 G| in the plain iterations that the method starts
 * with, and is corrected as by Hageman and Young (1981, chapter 6). With the right rho, n iterations of the polynomial
 * reduce |P^-1 G| by at least Q = 1/cosh(n acosh(1/s)). If the reduction B is worse than Q^0.75, an eigenvalue lies
 * beyond the interval. Its place x, in units of half the interval, solves cosh(n acosh x) = B/Q. With the new rho the
 * polynomial starts again. */
#include <math.h>

#include "solvers/minimize/descent.h"

#define RHO_MAX 0.9999999
/* Fewer iterations than this do not show the rate, and a reduction worse than this power of the expected one has
 * another cause (both as in Hageman and Young). */
enum { LEAST = 6 };
#define PATIENCE 0.75

typedef struct {
  Vec      last; /* p' */
  double   rho;  /* 0: none yet */
  double   given, relaxation;
  bool     positive;
  PetscInt delay;
  PetscInt length; /* iterations of the current polynomial, 0: plain ones */
  double   omega;
  double   start, norm; /* |P^-1 G| where the polynomial began, and in the iteration before */
} chebyshev;

static PetscErrorCode prepare(void *state, const sb_descent *descent, const sb_options *options)
{
  chebyshev *c = state;

  PetscFunctionBeginUser;
  c->given = SB_IS(options, chebyshev_rho, "auto") ? 0 : SB_REAL(options, chebyshev_rho);
  c->positive = SB_IS(options, chebyshev_interval, "positive");
  c->relaxation = SB_REAL(options, chebyshev_relaxation);
  c->delay = (PetscInt)SB_INTEGER(options, chebyshev_delay);
  if (c->given == 0) c->delay = PetscMax(c->delay, 2); /* a ratio is of two */
  PetscCall(sb_system_create_unknowns(descent->system, &c->last));
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_descent *descent)
{
  chebyshev *c = state;

  PetscFunctionBeginUser;
  (void)descent;
  c->rho = c->given;
  c->length = 0;
  c->norm = 0;
  PetscCall(VecZeroEntries(c->last));
  PetscFunctionReturn(0);
}

/* The end s of the interval, symmetric about 0, that the polynomial is small on. */
static double half_interval(const chebyshev *c) { return c->positive ? c->rho / (2 - c->rho) : c->rho; }

/* Says by |P^-1 G| whether an eigenvalue lies beyond the interval, and moves its end there. */
static void correct(chebyshev *c, double norm)
{
  if (c->length < LEAST) return;
  const double s = half_interval(c), reduction = norm / c->start;
  const double expected = 1 / cosh((double)c->length * acosh(1 / s));
  if (!(reduction > pow(expected, PATIENCE))) return;
  const double x = cosh(acosh(fmax(reduction / expected, 1)) / (double)c->length) * s;
  const double found = c->positive ? 0.5 * c->rho + (1 - 0.5 * c->rho) * x : x; /* the interval, mapped back */
  c->rho = fmin(fmax(found, c->rho), RHO_MAX);
  c->length = 0;
}

/* w of this iteration; the interval is known when the plain ones are over. */
static void advance(chebyshev *c, const sb_descent *d, double norm)
{
  if (c->given == 0 && c->length > 0) correct(c, norm);
  if (c->length == 0 && c->given == 0 && d->count > 0 && d->count <= c->delay)
    c->rho = fmin(fmax(norm / c->norm, 0), RHO_MAX);
  c->norm = norm;
  if (d->count < c->delay || c->rho <= 0) return;
  if (c->length == 0) c->start = norm;
  const double s = half_interval(c);
  c->omega = c->length == 0 ? 1 : c->length == 1 ? 2 / (2 - s * s) : 4 / (4 - s * s * c->omega);
  c->length++;
}

static PetscErrorCode direct(void *state, sb_descent *d)
{
  chebyshev *c = state;
  double     norm = 0;

  PetscFunctionBeginUser;
  if (d->count > 0) PetscCall(VecAXPBY(c->last, d->length, 0, d->direction));
  PetscCall(sb_descent_precondition(d, d->gradient, d->plain));
  if (!sb_outcome_accepted(d->iteration->linear.outcome)) PetscFunctionReturn(0);
  if (c->given == 0) PetscCall(VecNorm(d->plain, NORM_2, &norm));
  advance(c, d, norm);
  const double omega = c->length > 0 ? c->omega : 1, scale = c->length > 0 && c->positive ? 2 / (2 - c->rho) : 1;
  PetscCall(VecCopy(c->last, d->direction));
  PetscCall(VecAXPBY(d->direction, omega * scale * c->relaxation, omega - 1, d->plain));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&((chebyshev *)state)->last));
  PetscFunctionReturn(0);
}

const sb_accelerator sb_accelerator_chebyshev = {
    .name = "chebyshev",
    .spelled = "Chebyshev",
    .summary = "Chebyshev semi-iteration over whole steps; the interval is given or estimated",
    .uses = "chebyshev_rho chebyshev_interval chebyshev_delay chebyshev_relaxation",
    .steps = "unit fixed guard",
    .metrics = "identity block_jacobi laplacian",
    .reason = "its polynomial is one of equal steps of one fixed-point iteration",
    .state_bytes = sizeof(chebyshev),
    .prepare = prepare,
    .begin = begin,
    .direct = direct,
    .destroy = destroy};
