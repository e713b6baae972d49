/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps of known methods on one mode; see known_methods.h. With lambda^2 + rate lambda + square = 0 the mode is a sum of
 * two exponentials, and a step h of a method multiplies each by 1 + w(mu), mu = h lambda. All is computed from w: 1 + w
 * would lose the digits of short steps.
 *
 * - One-step methods and BDF2 (Hairer and Wanner 1996, IV.3 and V.1) have 1 + w = R(mu), and R is rational except that
 *   of BDF2. BDF2 has a second root, which decays within a few frames.
 * - Newmark's method and generalized-alpha (Chung and Hulbert 1993) have a cubic in w. Newton's method finds the root
 *   next to that of the exact motion.
 * - Methods that treat positions and velocities differently have a quadratic, w^2 + (pull + loss) w + pull = 0 (Hairer,
 *   Lubich and Wanner 2006, I.1). They differ by how they take drag, and have one name.
 *
 * Some methods are equal on an undamped mode: velocity Verlet, leapfrogs and symplectic Euler; the theta method and
 * Newmark's with gamma = 2 theta - 1/2 and beta = theta^2; the trapezoidal rule and the implicit midpoint rule; TR-BDF2
 * and sdirk2. */
#include "drivers/known_methods.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define CLEARLY  2.0  /* tolerances: no other method may be as near */
#define TOLD     0.25 /* smallest coefficient of the next power of h omega that must show */
#define ROUNDING (16 * DBL_EPSILON)
enum { SUBSTEPS_MAX = 64, NEWTON_MAX = 40 };

typedef double complex root;

typedef enum { RATIONAL, EXACT, BDF2, ALPHA, SYMPLECTIC, FILTERED, KICKED, CENTRAL, BRAKED_IMPLICIT } formula;

typedef struct {
  const char *name;
  double      parameter;
  formula     formula;
  int         substeps_max;
  bool        only_damped; /* an undamped mode does not tell it from an earlier one */
  int         power;       /* of h omega in the first term that the name leaves open */
  double      c[6];        /* RATIONAL: mu.. mu^4 over 1 + c4 mu + c5 mu^2; ALPHA: alpha_m, alpha_f, gamma, beta */
} method;

#define ONE_STEP(name, power, ...)                                                                                     \
  {                                                                                                                    \
#name, NAN, RATIONAL, SUBSTEPS_MAX, false, power, { __VA_ARGS__ }                                                  \
  }
#define SPLIT(name, formula, only_damped)                                                                              \
  {                                                                                                                    \
#name, NAN, formula, SUBSTEPS_MAX, only_damped, 4, { 0 }                                                           \
  }
#define THETA(theta)                                                                                                   \
  {                                                                                                                    \
    "theta", theta, RATIONAL, SUBSTEPS_MAX, false, 4, { 1, 0, 0, 0, -(theta) }                                         \
  }
#define NEWMARK(name, shown, only_damped, gamma, beta)                                                                 \
  {                                                                                                                    \
    name, shown, ALPHA, SUBSTEPS_MAX, only_damped, 4, { 0, 0, gamma, beta }                                            \
  }
#define DAMPED_NEWMARK(gamma) NEWMARK("newmark", gamma, true, gamma, 0.25 * ((gamma) + 0.5) * ((gamma) + 0.5))
#define GENERALIZED(rho)                                                                                               \
  {                                                                                                                    \
    "generalized_alpha", rho, ALPHA, SUBSTEPS_MAX, false, 4,                                                           \
    {                                                                                                                  \
      (2 * (rho)-1) / ((rho) + 1), (rho) / ((rho) + 1), 0.5 * (3 - (rho)) / (1 + (rho)),                               \
          1 / ((1 + (rho)) * (1 + (rho)))                                                                              \
    }                                                                                                                  \
  }
#define HHT(alpha)                                                                                                     \
  {                                                                                                                    \
    "hht_alpha", alpha, ALPHA, SUBSTEPS_MAX, false, 4,                                                                 \
    {                                                                                                                  \
      0, alpha, 0.5 + (alpha), 0.25 * (1 + (alpha)) * (1 + (alpha))                                                    \
    }                                                                                                                  \
  }
#define SDIRK 0.29289321881345247560 /* 1 - sqrt(1/2) */

static const method methods[] = {{"exact", NAN, EXACT, 1, false, 6, {0}},
                                 ONE_STEP(explicit_euler, 4, 1),
                                 SPLIT(symplectic_euler, SYMPLECTIC, false),
                                 SPLIT(symplectic_euler, FILTERED, true),
                                 SPLIT(symplectic_euler, KICKED, true),
                                 SPLIT(symplectic_euler, CENTRAL, true),
                                 ONE_STEP(implicit_euler, 4, 1, 0, 0, 0, -1),
                                 SPLIT(implicit_euler, BRAKED_IMPLICIT, true),
                                 ONE_STEP(trapezoidal, 4, 1, 0, 0, 0, -0.5),
                                 ONE_STEP(midpoint, 4, 1, 1.0 / 2),
                                 ONE_STEP(rk3, 4, 1, 1.0 / 2, 1.0 / 6),
                                 ONE_STEP(rk4, 6, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24),
                                 ONE_STEP(sdirk2, 4, 1, -SDIRK *SDIRK, 0, 0, -2 * SDIRK, SDIRK *SDIRK),
                                 ONE_STEP(radau2a, 4, 1, -1.0 / 6, 0, 0, -2.0 / 3, 1.0 / 6),
                                 ONE_STEP(gauss2, 6, 1, 0, 0, 0, -1.0 / 2, 1.0 / 12),
                                 SPLIT(bdf2, BDF2, false),
                                 THETA(0.55),
                                 THETA(0.6),
                                 THETA(0.65),
                                 THETA(2.0 / 3),
                                 THETA(0.7),
                                 THETA(0.75),
                                 THETA(0.8),
                                 THETA(0.85),
                                 THETA(0.9),
                                 THETA(0.95),
                                 NEWMARK("linear_acceleration", NAN, false, 0.5, 1.0 / 6),
                                 NEWMARK("fox_goodwin", NAN, false, 0.5, 1.0 / 12),
                                 DAMPED_NEWMARK(0.6),
                                 DAMPED_NEWMARK(0.7),
                                 DAMPED_NEWMARK(0.8),
                                 DAMPED_NEWMARK(0.9),
                                 DAMPED_NEWMARK(1.0),
                                 GENERALIZED(0.0),
                                 GENERALIZED(0.1),
                                 GENERALIZED(0.2),
                                 GENERALIZED(0.3),
                                 GENERALIZED(0.4),
                                 GENERALIZED(0.5),
                                 GENERALIZED(0.6),
                                 GENERALIZED(0.7),
                                 GENERALIZED(0.8),
                                 GENERALIZED(0.9),
                                 GENERALIZED(0.95),
                                 HHT(0.05),
                                 HHT(0.1),
                                 HHT(0.2),
                                 HHT(0.3)};

/* ---- roots; w, and l = log(1 + w) ---- */

static root log_plus_one(root w)
{
  const double re = creal(w), im = cimag(w);
  return 0.5 * log1p(2 * re + re * re + im * im) + I * atan2(im, 1 + re);
}

static root exp_minus_one(root l)
{
  const double half = sin(0.5 * cimag(l));
  return expm1(creal(l)) * cos(cimag(l)) - 2 * half * half + I * exp(creal(l)) * sin(cimag(l));
}

/* Solves w^2 + b w + c = 0 without cancellation. */
static void solve_quadratic(double b, double c, root w[2])
{
  const double discriminant = 0.25 * b * b - c;
  if (discriminant < 0) {
    w[0] = -0.5 * b + I * sqrt(-discriminant);
    w[1] = conj(w[0]);
  } else {
    const double larger = -0.5 * b - copysign(sqrt(discriminant), b);
    w[0] = larger;
    w[1] = larger != 0 ? c / larger : 0;
  }
}

/* The two numbers of n steps that multiply by 1 + w. */
static sb_mode_map repeat(const root w[2], int64_t n)
{
  const root first = (double)n * log_plus_one(w[0]), second = (double)n * log_plus_one(w[1]);
  return (sb_mode_map){creal(exp_minus_one(first) * exp_minus_one(second)), -expm1(creal(first + second))};
}

/* ---- one step; z = h omega, d = h rate ---- */

static root rational(const double *c, root mu)
{
  return mu * (c[0] + mu * (c[1] + mu * (c[2] + mu * c[3]))) / (1 + mu * (c[4] + mu * c[5]));
}

/* 1 + w = 1/(2 - sqrt(1 + 2 mu)) */
static root bdf2(root mu)
{
  const root square_root = csqrt(1 + 2 * mu);
  return 2 * mu / (1 + square_root) / (2 - square_root);
}

/* With acceleration a, v = h a (1 + gamma w)/w and x = h^2 a ((1 + gamma w)/w^2 + (1/2 + beta w)/w), the equation
 * (1 + (1 - alpha_m) w) a + (1 + (1 - alpha_f) w)(rate v + omega^2 x) = 0 times w^2. */
static root alpha(const double *c, double zz, double d, root mu)
{
  const double am = c[0], af = c[1], gamma = c[2], beta = c[3];
  root         w = exp_minus_one(mu);
  for (int i = 0; i < NEWTON_MAX; ++i) {
    const root inertia = 1 + (1 - am) * w, force = 1 + (1 - af) * w;
    const root pulls = d * w * (1 + gamma * w) + zz * (1 + (gamma + 0.5) * w + beta * w * w);
    const root value = w * w * inertia + force * pulls;
    const root slope = 2 * w * inertia + w * w * (1 - am) + (1 - af) * pulls +
                       force * (d * (1 + 2 * gamma * w) + zz * (gamma + 0.5 + 2 * beta * w));
    const root change = value / slope;
    w -= change;
    if (!(cabs(change) > DBL_EPSILON * cabs(w))) break;
  }
  return w;
}

/* A step kicks v by -h omega^2 x, brakes it by drag, and drifts x with it. SYMPLECTIC takes drag at the old v. FILTERED
 * multiplies v by exp(-d) after the kick. CENTRAL takes drag at (v + v+)/2. KICKED is velocity Verlet, with drag at the
 * v before each half kick. BRAKED_IMPLICIT is implicit Euler with drag at the old v. */
static sb_mode_map split(formula which, double zz, double d)
{
  const double kept = 1 - 0.5 * d;
  switch (which) {
  case FILTERED:
    return (sb_mode_map){zz * exp(-d), -expm1(-d)};
  case CENTRAL:
    return (sb_mode_map){zz / (1 + 0.5 * d), d / (1 + 0.5 * d)};
  case KICKED:
    return (sb_mode_map){zz * (1 - 0.25 * d), 1 - kept * kept};
  case BRAKED_IMPLICIT:
    return (sb_mode_map){zz / (1 + zz), (zz + d) / (1 + zz)};
  default:
    return (sb_mode_map){zz, d};
  }
}

/* w of a step h of the mode. */
static void step_roots(const method *m, sb_mode mode, double h, root w[2])
{
  const double zz = h * h * mode.square, d = h * mode.rate;
  root         mu[2];
  solve_quadratic(d, zz, mu);
  if (m->formula >= SYMPLECTIC) {
    const sb_mode_map map = split(m->formula, zz, d);
    solve_quadratic(map.pull + map.loss, map.pull, w);
    return;
  }
  for (int i = 0; i < 2; ++i)
    w[i] = m->formula == RATIONAL ? rational(m->c, mu[i])
           : m->formula == BDF2   ? bdf2(mu[i])
           : m->formula == ALPHA  ? alpha(m->c, zz, d, mu[i])
                                  : exp_minus_one(mu[i]);
}

/* ---- the search ---- */

static const method *const exact = &methods[0];

static sb_mode_map exact_map(sb_mode mode, double seconds)
{
  root w[2];
  step_roots(exact, mode, seconds, w);
  return repeat(w, 1);
}

/* The tolerance of a map of the mode: those of the frames and of the mode, and rounding. */
static sb_mode_map allowed(const sb_mode_sight *s)
{
  const double      seconds = s->frame_seconds;
  const sb_mode_map here = exact_map(s->mode, seconds);
  const sb_mode_map stiffer = exact_map((sb_mode){s->mode.square + s->mode_tolerance.square, s->mode.rate}, seconds);
  const sb_mode_map slower = exact_map((sb_mode){s->mode.square, s->mode.rate + s->mode_tolerance.rate}, seconds);
  const double      rounding = ROUNDING * (1 + seconds * sqrt(fabs(s->mode.square)));
  return (sb_mode_map){
      s->map_tolerance.pull + 2 * fabs(stiffer.pull - here.pull) + 2 * fabs(slower.pull - here.pull) + rounding,
      s->map_tolerance.loss + 2 * fabs(stiffer.loss - here.loss) + 2 * fabs(slower.loss - here.loss) + rounding};
}

static double distance(sb_mode_map a, sb_mode_map b)
{
  return fmax(fabs(a.pull - b.pull + a.loss - b.loss), fabs(a.loss - b.loss));
}

static double tolerances(sb_mode_map a, sb_mode_map b, sb_mode_map tolerance)
{
  return fmax(fabs(a.pull - b.pull) / tolerance.pull, fabs(a.loss - b.loss) / tolerance.loss);
}

/* True if a term TOLD z^power more in the pull or in the loss of each step shows. */
static bool is_told_apart(const method *m, const sb_mode_sight *s, int64_t steps, sb_mode_map tolerance)
{
  const double h = s->frame_seconds / (double)steps, term = TOLD * pow(h * sqrt(s->mode.square), m->power);
  root         w[2], more[2];
  step_roots(m, s->mode, h, w);
  const double      b = -creal(w[0] + w[1]), c = creal(w[0] * w[1]);
  const sb_mode_map map = repeat(w, steps);
  solve_quadratic(b + term, c + term, more);
  const bool pull_shows = tolerances(repeat(more, steps), map, tolerance) > 1;
  solve_quadratic(b + term, c, more);
  return pull_shows && tolerances(repeat(more, steps), map, tolerance) > 1;
}

static bool is_same(const method *a, int substeps, const method *b, int other_substeps)
{
  return substeps == other_substeps && strcmp(a->name, b->name) == 0 &&
         (a->parameter == b->parameter || isnan(a->parameter));
}

sb_known_method sb_known_method_find(const sb_mode_sight *sight)
{
  const sb_mode_map tolerance = allowed(sight);
  const method     *best = NULL;
  double            least = INFINITY, next = INFINITY;
  sb_known_method   found = {
        .distance = INFINITY, .next_distance = INFINITY, .tolerance = distance(tolerance, (sb_mode_map){0, 0})};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i)
    for (int s = 1; s <= methods[i].substeps_max && !(methods[i].only_damped && sight->mode.rate == 0); ++s) {
      const int64_t steps = s * sight->steps_per_frame;
      root          w[2];
      step_roots(&methods[i], sight->mode, sight->frame_seconds / (double)steps, w);
      const sb_mode_map map = repeat(w, steps);
      const double      far = tolerances(map, sight->map, tolerance), away = distance(map, sight->map);
      const bool        again = best && is_same(best, found.substeps, &methods[i], s);
      if (far < least) {
        if (!again) next = least, found.next_distance = found.distance;
        best = &methods[i];
        least = far;
        found.name = best->name, found.parameter = best->parameter, found.substeps = s, found.distance = away;
      } else if (far < next && !again) {
        next = far;
        found.next_distance = away;
      }
    }
  found.is_sure = best && least <= 1 && next > CLEARLY &&
                  is_told_apart(best, sight, found.substeps * sight->steps_per_frame, tolerance);
  return found;
}

/* ---- the mode of a map ---- */

bool sb_mode_of_map(sb_mode_map map, double frame_seconds, sb_mode near, sb_mode *mode)
{
  root w[2], roots[2];
  solve_quadratic(map.pull + map.loss, map.pull, w);
  for (int i = 0; i < 2; ++i) {
    if (cimag(w[i]) == 0 && creal(w[i]) <= -1) return false; /* changes its sign in each frame */
    roots[i] = log_plus_one(w[i]) / frame_seconds;
  }
  if (cimag(roots[0]) != 0) {
    const double turn = 2 * acos(-1) / frame_seconds, angle = fabs(cimag(roots[0]));
    const double expected = sqrt(fmax(0, near.square - 0.25 * near.rate * near.rate));
    const double ahead = angle + turn * round((expected - angle) / turn);
    const double back = -angle + turn * round((expected + angle) / turn);
    const double chosen = fabs(ahead - expected) <= fabs(back - expected) ? ahead : back;
    roots[0] = creal(roots[0]) + I * chosen;
    roots[1] = conj(roots[0]);
  }
  *mode = (sb_mode){creal(roots[0] * roots[1]), -creal(roots[0] + roots[1])};
  return isfinite(mode->square) && isfinite(mode->rate);
}

double sb_mode_delay(sb_mode mode, double frame_seconds, double a, double b)
{
  root lambda[2];
  solve_quadratic(mode.rate, mode.square, lambda);
  if (!(cimag(lambda[0]) > 0)) return NAN;
  const root values = a - b * exp_minus_one(-frame_seconds * lambda[0]);
  return -carg(values / lambda[0]) / cimag(lambda[0]);
}
