/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which integrator is it? Integrators built on purpose move x'' = -omega^2 (x - 1) - rate x', in double and single
 * precision and with noise: each is found or left blank, and none gets the name of another. */
#include <math.h>
#include <string.h>

#include "drivers/step_map.h"
#include "tests/petsc_tests.h"

#define OMEGA 10.0
enum { FRAMES = 300, SIZES = 20 };

typedef struct {
  double x, v, a, x_before, v_before; /* a, before: for methods that keep them */
  long   step;
} state;

typedef struct {
  double h, stiffness, rate; /* s, 1/s^2, 1/s */
} model;

static double force(const model *m, double x, double v) { return -m->stiffness * (x - 1) - m->rate * v; }

/* v+ = v + h (theta a+ + (1 - theta) a), x+ = x + h (theta v+ + (1 - theta) v) */
static void theta(const model *m, double t, state *s)
{
  const double h = m->h, a = force(m, s->x, s->v), x = s->x + h * (1 - t) * s->v;
  const double v =
      (s->v + h * (1 - t) * a - h * t * m->stiffness * (x - 1)) / (1 + h * t * m->rate + h * h * t * t * m->stiffness);
  s->x = x + h * t * v;
  s->v = v;
}

static void explicit_euler(const model *m, double p, state *s) { theta(m, p, s); }

static void symplectic_euler(const model *m, double kept, state *s)
{
  s->v = kept * (s->v + m->h * force(m, s->x, s->v));
  s->x += m->h * s->v;
}

static void velocity_verlet(const model *m, double p, state *s)
{
  s->v += p * m->h * force(m, s->x, s->v);
  s->x += m->h * s->v;
  s->v += p * m->h * force(m, s->x, s->v);
}

/* Leaves the velocities of half steps. */
static void leapfrog(const model *m, double p, state *s)
{
  s->v += (s->step == 0 ? p : 1) * m->h * force(m, s->x, s->v);
  s->x += m->h * s->v;
}

static void alpha_step(const model *m, const double c[4], state *s)
{
  const double h = m->h, am = c[0], af = c[1], gamma = c[2], beta = c[3];
  if (s->step == 0) s->a = force(m, s->x, s->v);
  const double x = s->x + h * s->v + h * h * (0.5 - beta) * s->a, v = s->v + h * (1 - gamma) * s->a;
  const double known = force(m, (1 - af) * x + af * s->x, (1 - af) * v + af * s->v) - am * s->a;
  const double a = known / (1 - am + (1 - af) * (h * h * beta * m->stiffness + h * gamma * m->rate));
  s->x = x + h * h * beta * a;
  s->v = v + h * gamma * a;
  s->a = a;
}

static void newmark(const model *m, double gamma, state *s)
{
  alpha_step(m, (double[]){0, 0, gamma, 0.25 * (gamma + 0.5) * (gamma + 0.5)}, s);
}

/* Differs from implicit Euler, which has beta = 1, by (h omega)^4/2 in a step. */
static void newmark_with_beta(const model *m, double beta, state *s) { alpha_step(m, (double[]){0, 0, 1.5, beta}, s); }

static void generalized_alpha(const model *m, double rho, state *s)
{
  const double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), all = 1 - am + af;
  alpha_step(m, (double[]){am, af, all - 0.5, 0.25 * all * all}, s);
}

/* x+ = x + h v + h^2/2 a + …: the exponential series up to `order` */
static void series(const model *m, double order, state *s)
{
  double x = s->x - 1, v = s->v, dx = x, dv = v;
  for (int k = 1; k <= (int)order; ++k) {
    const double next = m->h / k * dv;
    dv = m->h / k * (-m->stiffness * dx - m->rate * dv);
    dx = next;
    x += dx;
    v += dv;
  }
  s->x = 1 + x;
  s->v = v;
}

/* The first step is one of implicit Euler. */
static void bdf2(const model *m, double p, state *s)
{
  const double x = s->x, v = s->v;
  if (s->step == 0) {
    theta(m, p, s);
  } else {
    const double h = 2 * m->h / 3, x_known = (4 * x - s->x_before) / 3, v_known = (4 * v - s->v_before) / 3;
    s->v = (v_known - h * m->stiffness * (x_known - 1)) / (1 + h * m->rate + h * h * m->stiffness);
    s->x = x_known + h * s->v;
  }
  s->x_before = x;
  s->v_before = v;
}

typedef struct {
  const char *label;
  void (*step)(const model *m, double p, state *s);
  double      p;
  int         substeps;
  double      stiffer;
  const char *name, *undamped; /* of what it may be called; NULL: of nothing */
  double      parameter, undamped_parameter;
} integrator;

static const integrator all[] = {
    {"explicit Euler", explicit_euler, 0, 1, 1, "explicit_euler", NULL, NAN, NAN},
    {"symplectic Euler", symplectic_euler, 1, 1, 1, "symplectic_euler", NULL, NAN, NAN},
    {"velocity Verlet", velocity_verlet, 0.5, 1, 1, "symplectic_euler", NULL, NAN, NAN},
    {"leapfrog", leapfrog, 0.5, 1, 1, "symplectic_euler", NULL, NAN, NAN},
    {"implicit Euler", theta, 1, 1, 1, "implicit_euler", NULL, NAN, NAN},
    {"implicit Euler, 3 substeps", theta, 1, 3, 1, "implicit_euler", NULL, NAN, NAN},
    {"trapezoidal rule", theta, 0.5, 1, 1, "trapezoidal", NULL, NAN, NAN},
    {"theta 0.75", theta, 0.75, 1, 1, "theta", NULL, 0.75, NAN},
    {"Newmark 0.6", newmark, 0.6, 1, 1, "newmark", "theta", 0.6, 0.55},
    {"generalized-alpha 0.8", generalized_alpha, 0.8, 1, 1, "generalized_alpha", NULL, 0.8, NAN},
    {"generalized-alpha 0.9", generalized_alpha, 0.9, 1, 1, "generalized_alpha", NULL, 0.9, NAN},
    {"explicit midpoint rule", series, 2, 1, 1, "midpoint", NULL, NAN, NAN},
    {"Runge-Kutta 4", series, 4, 1, 1, "rk4", NULL, NAN, NAN},
    {"BDF2", bdf2, 1, 1, 1, "bdf2", NULL, NAN, NAN},
    {"symplectic Euler that loses 1 %", symplectic_euler, 0.99, 1, 1, NULL, NULL, NAN, NAN},
    {"symplectic Euler, stiffness 1.01", symplectic_euler, 1, 1, 1.01, NULL, NULL, NAN, NAN},
    {"theta 0.7123", theta, 0.7123, 1, 1, NULL, NULL, NAN, NAN},
    {"generalized-alpha 0.97", generalized_alpha, 0.97, 1, 1, NULL, NULL, NAN, NAN},
    {"Newmark 1.5, beta 1.5", newmark_with_beta, 1.5, 1, 1, NULL, NULL, NAN, NAN},
    {"Newmark 0.73", newmark, 0.73, 1, 1, NULL, NULL, NAN, NAN},
};
enum { COUNT = sizeof all / sizeof *all };

typedef enum { IN_DOUBLE, IN_SINGLE, WITH_NOISE } precision;

static void set(Vec to, double value) { assert_int_equal(VecSetValue(to, 0, value, INSERT_VALUES), 0); }

/* To single precision. Volatile: gcc 12 drops the conversions of two neighbours at -O2. */
static double rounded(double value)
{
  const volatile float single = (float)value;
  return single;
}

/* Normally distributed, always the same ones. */
static double noise(unsigned long *seed)
{
  double sum = -6;
  for (int i = 0; i < 12; ++i) {
    *seed = *seed * 6364136223846793005UL + 1442695040888963407UL;
    sum += (double)(*seed >> 11) / 9007199254740992.0;
  }
  return sum;
}

/* Position, velocity and acceleration at t of a motion from rest at 1 + 0.1. */
static void truth(double rate, double t, double out[3])
{
  const double half = 0.5 * rate, turn = sqrt(OMEGA * OMEGA - half * half), fall = 0.1 * exp(-half * t);
  out[0] = fall * (cos(turn * t) + half / turn * sin(turn * t));
  out[1] = -fall * OMEGA * OMEGA / turn * sin(turn * t);
  out[2] = -OMEGA * OMEGA * out[0] - rate * out[1];
  out[0] += 1;
}

typedef struct {
  double    z, rate; /* h omega, 1/s */
  precision precision;
  int       steps_per_frame;
  double    second_mode; /* its share of the converged motion and of the frames */
} trial;

static void add_frame(sb_step_map *map, Vec v[5], const double values[5])
{
  for (int k = 0; k < 5; ++k) set(v[k], values[k]);
  assert_int_equal(sb_step_map_frame(map, &(sb_step_state){v[0], v[1], NULL}, &(sb_step_state){v[2], v[3], v[4]}), 0);
}

static void follow(const integrator *i, const trial *t, sb_step_finding *found)
{
  const double  h = t->z / OMEGA, frame = h * t->steps_per_frame;
  const model   m = {h / i->substeps, OMEGA * OMEGA * i->stiffer, t->rate};
  state         s = {.x = 1.1};
  sb_step_map   map = {0};
  unsigned long seed = 1;
  Vec           v[5];
  for (int k = 0; k < 5; ++k) assert_int_equal(VecCreateSeq(PETSC_COMM_SELF, 1, &v[k]), 0);
  for (int n = 0; n <= FRAMES && fabs(s.x) < 100; ++n) {
    const double shift = t->precision == WITH_NOISE ? 1e-6 * noise(&seed) : 0;
    const double other = t->second_mode * cos(1.7 * OMEGA * n * frame);
    double       exact[3];
    truth(t->rate, n * frame, exact);
    add_frame(&map, v, (double[]){s.x + shift + other, s.v, exact[0] + other, exact[1], exact[2] - 289 * other});
    for (int k = 0; k < i->substeps * t->steps_per_frame; ++k, ++s.step) {
      i->step(&m, i->p, &s);
      if (t->precision != IN_SINGLE) continue;
      s.x = rounded(s.x);
      s.v = rounded(s.v);
    }
  }
  sb_step_map_judge(&map, &(sb_step_facts){frame, OMEGA * OMEGA, t->steps_per_frame, true}, found);
  for (int k = 0; k < 5; ++k) assert_int_equal(VecDestroy(&v[k]), 0);
  assert_int_equal(sb_step_map_clear(&map), 0);
}

static bool is_called(const sb_known_method *found, const char *name, double parameter, int substeps)
{
  return name && strcmp(found->name, name) == 0 && found->substeps == substeps &&
         (isnan(parameter) || found->parameter == parameter);
}

static double size_at(int n) { return 0.01 * pow(150, n / (SIZES - 1.0)); }

/* The number of steps, of SIZES, for which the integrator is named; every name is its own. */
static int count_named(const integrator *i, trial t)
{
  int named = 0;
  for (int n = 0; n < SIZES; ++n) {
    sb_step_finding        found;
    const sb_known_method *by = &found.nearest;
    t.z = size_at(n);
    follow(i, &t, &found);
    if (!by->is_sure) continue;
    ++named;
    if (is_called(by, i->name, i->parameter, i->substeps)) continue;
    if (t.rate == 0 && is_called(by, i->undamped, i->undamped_parameter, i->substeps)) continue;
    fail_msg(
        "%s at h omega = %g, rate %g/s, precision %d is called %s %g, %d substeps (distance %g, tolerance %g, next %g)",
        i->label, t.z, t.rate, t.precision, by->name, by->parameter, by->substeps, by->distance, by->tolerance,
        by->next_distance);
  }
  return named;
}

/* In double precision nearly all runs are named: rk4 is exact to rounding at h omega = 0.01, and two methods of the
 * same order meet at one h omega. In single precision, and with noise of 1e-6 m, only those of longer steps are. */
static void each_is_found_or_blank_and_none_gets_the_name_of_another(void)
{
  static const double rates[] = {0, 0.01, 0.1, 1};
  static const struct {
    precision precision;
    int       least; /* named, of SIZES */
  } levels[] = {{IN_DOUBLE, SIZES - 2}, {IN_SINGLE, SIZES / 4}, {WITH_NOISE, SIZES / 4}};
  for (size_t i = 0; i < COUNT; ++i)
    for (size_t p = 0; p < 3; ++p)
      for (size_t r = 0; r < 4; ++r) {
        const int named = count_named(&all[i], (trial){0, rates[r], levels[p].precision, 1, 0});
        if (all[i].name ? named < levels[p].least : named > 0)
          fail_msg("%s is named in %d of %d runs, precision %d", all[i].label, named, SIZES, levels[p].precision);
      }
}

/* A frame of 16 steps may be longer than half a period, where a map alone does not tell the frequency. */
static void frames_of_several_steps_are_understood(void)
{
  for (size_t i = 0; i < COUNT; ++i)
    for (double z = 0.05; z < 1; z *= 1.9) {
      sb_step_finding found;
      follow(&all[i], &(trial){z, 0.1, IN_DOUBLE, 16, 0}, &found);
      if (found.nearest.is_sure)
        assert_true(is_called(&found.nearest, all[i].name, all[i].parameter, all[i].substeps));
      else if (isfinite(found.trace) && z < 0.2)
        assert_null(all[i].name);
    }
}

static const integrator *called(const char *label)
{
  const integrator *i = all;
  while (strcmp(i->label, label) != 0) ++i;
  return i;
}

static void what_an_exact_motion_would_have(void)
{
  const integrator near_exact = {"", series, 12, 1, 1.01, NULL, NULL, NAN, NAN};
  sb_step_finding  found;
  for (int steps = 1; steps <= 16; steps *= 4) {
    follow(&near_exact, &(trial){0.3, 0.2, IN_DOUBLE, steps, 0}, &found);
    assert_false(found.nearest.is_sure);
    ASSERT_NEAR(found.stiffness, 101, 1e-9);
    ASSERT_NEAR(found.damping, 0.1, 1e-10);
  }
}

static void late_velocities_show(void)
{
  static const struct {
    const char *label;
    double      steps;
  } late[] = {{"leapfrog", 0.5}, {"symplectic Euler", 0.5}, {"velocity Verlet", 0}, {"trapezoidal rule", 0}};
  for (size_t i = 0; i < sizeof late / sizeof *late; ++i) {
    sb_step_finding found;
    follow(called(late[i].label), &(trial){0.2, 0, IN_DOUBLE, 1, 0}, &found);
    ASSERT_NEAR(found.velocity_delay, late[i].steps * 0.02, 1e-12);
  }
}

/* The frames are the converged motion itself, and follow a map well: short motions do. */
static void a_motion_of_two_modes_has_no_map(void)
{
  sb_step_finding found;
  for (double z = 0.001; z < 0.1; z *= 3) {
    follow(called("Runge-Kutta 4"), &(trial){z, 0, IN_DOUBLE, 1, 0.05}, &found);
    assert_true(z > 0.003 || found.fit_error < 1e-3);
    assert_true(isnan(found.trace) && isnan(found.amplitude_kept) && isnan(found.stiffness));
  }
  follow(called("Runge-Kutta 4"), &(trial){0.01, 0, IN_DOUBLE, 1, 0}, &found);
  ASSERT_NEAR(found.amplitude_kept, 1, 1e-9);
}

PETSC_TEST_MAIN(each_is_found_or_blank_and_none_gets_the_name_of_another, frames_of_several_steps_are_understood,
                what_an_exact_motion_would_have, late_velocities_show, a_motion_of_two_modes_has_no_map)
