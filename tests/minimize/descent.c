/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descent methods by their theory: what the metric of local-global guarantees, the spectrum that its rate follows from,
 * the rates of its accelerations, triples that are one method by two names, finite termination where g is as good as
 * quadratic. */
#include "tests/minimize/world.h"

#include <math.h>
#include <slepceps.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "solvers/minimize/descent.h"

#define PROJECTIVE "minimizer=gradient_descent;metric=laplacian;step=unit"
/* A curtain pulled taut, whose minimum is strict and easy to reach, and which converges by 1 - rho near 0.2. */
#define TAUT "scene=curtain;grid=5;stiffness=60;h=0.02;perturbation=0.02;initial_velocity=[0,0,-3];start=previous"

/* Noise on all free coordinates, the same on any number of ranks. */
static void shake(const world *w, Vec z, double noise, uint64_t seed)
{
  double *array;
  OK(VecGetArray(z, &array));
  for (PetscInt i = 0; i < 3 * w->system->owned; ++i)
    if (!w->system->pinned[i / 3])
      array[i] += noise * (2 * sb_random_unit(seed, (uint64_t)(i + 3 * w->system->first_vertex)) - 1);
  OK(VecRestoreArray(z, &array));
}

/* g(z) - g(z - P^-1 G) >= 1/2 G^T P^-1 G of every metric that claims to majorise, on states from rest to ruins. */
static void check_majorant(const sb_metric *metric, double noise, uint64_t seed)
{
  world              w;
  Vec                step;
  sb_minimize_report report;
  double             before, after, slope;
  world_open(&w, PETSC_COMM_WORLD,
             "scene=cloth;grid=4;h=0.05;stiffness=300;minimizer=gradient_descent;metric=%s;"
             "step=unit;max_iterations=1",
             metric->name);
  OK(sb_system_create_unknowns(w.system, &step));
  shake(&w, w.x, noise, seed);
  OK(sb_potential_set_state(w.potential, 0, w.x, w.v));
  OK(VecCopy(w.x, w.z));
  OK(sb_potential_value(w.potential, w.z, &before));
  OK(sb_potential_gradient(w.potential, w.z, w.gradient));
  OK(sb_minimizer_continue(w.minimizer, w.potential, w.z, &report));
  OK(sb_potential_value(w.potential, w.z, &after));
  OK(VecAYPX(w.z, -1, w.x)); /* x - z = P^-1 G */
  OK(sb_system_restrict(w.system, w.z, step));
  OK(VecDot(w.gradient, step, &slope));
  assert_at_most(1e-3, slope);
  assert_at_most(0.5 * slope, (before - after) * (1 + 1e-12));
  OK(VecDestroy(&step));
  world_close(&w);
}

static void test_majorants(void)
{
  static const double noises[] = {0.001, 0.05, 0.3, 2};
  int                 majorising = 0;
  for (size_t m = 0; m < sb_metric_count(); ++m) {
    if (!(sb_metric_at(m)->traits & SB_MAJORISES)) continue;
    ++majorising;
    for (uint64_t seed = 1; seed <= 25; ++seed)
      for (int n = 0; n < 4; ++n) check_majorant(sb_metric_at(m), noises[n], seed);
  }
  assert_true(majorising >= 2);
}

/* Eigenvalues of W^-1 H at z. W (M/h^2 + L, of three rows a vertex) comes of springs of length 0, which count k I/3. */
static void spectrum(world *w, Vec z, double *least, double *most)
{
  Mat      hessian, metric;
  EPS      eps;
  Vec      one_place;
  PetscInt found;
  OK(SlepcInitializeNoArguments());
  OK(sb_system_create_block_matrix(w->system, &hessian));
  OK(sb_system_create_block_matrix(w->system, &metric));
  OK(sb_system_create_full(w->system, &one_place));
  OK(sb_potential_hessian(w->potential, SB_HESSIAN_EXACT, z, hessian));
  OK(sb_system_assemble_hessian(w->system, 0, 1 / (3 * w->h * w->h), one_place, metric));
  OK(MatScale(metric, 3));
  OK(EPSCreate(w->comm, &eps));
  OK(EPSSetOperators(eps, hessian, metric));
  OK(EPSSetProblemType(eps, EPS_GHEP));
  OK(EPSSetType(eps, EPSLAPACK));
  OK(EPSSetWhichEigenpairs(eps, EPS_SMALLEST_REAL));
  OK(EPSSolve(eps));
  OK(EPSGetConverged(eps, &found));
  OK(EPSGetEigenvalue(eps, 0, least, NULL));
  OK(EPSGetEigenvalue(eps, found - 1, most, NULL));
  OK(EPSDestroy(&eps));
  OK(MatDestroy(&hessian));
  OK(MatDestroy(&metric));
  OK(VecDestroy(&one_place));
}

enum { LONG = 400 };
typedef struct {
  const world *w;
  double       gradient[LONG + 1];
  PetscInt     count;
} history;

static PetscErrorCode record(void *context, PetscInt k, Vec z, bool *stop)
{
  history *h = context;
  (void)stop;
  h->gradient[k] = world_gradient_norm(h->w, z);
  h->count = k + 1;
  return 0;
}

static void open_recorded(world *w, history *h, const char *scene, const char *method, int iterations)
{
  sb_minimize_report report;
  world_open(w, PETSC_COMM_SELF, "%s;%s;max_iterations=%d", scene, method, iterations);
  *h = (history){.w = w};
  OK(sb_minimizer_set_monitor(w->minimizer, record, h));
  world_minimize(w, &report);
}

/* Iterations to this part of the first gradient; -1: not reached. */
static int reaches(const history *h, double part)
{
  for (PetscInt k = 0; k < h->count; ++k)
    if (h->gradient[k] <= part * h->gradient[0]) return (int)k;
  return -1;
}

/* rho = 1 - least eigenvalue of W^-1 H at the minimum of a scene; none is above 1, so that T = I - W^-1 H has [0, rho].
 */
static double rho_at_minimum(const char *scene)
{
  world              w;
  sb_minimize_report report;
  double             least, most;
  world_open(&w, PETSC_COMM_SELF, "%s;minimizer=newton;step=armijo;max_iterations=50", scene);
  world_minimize(&w, &report);
  spectrum(&w, w.z, &least, &most);
  assert_at_most(most, 1 + 1e-12);
  assert_true(least > 0);
  world_close(&w);
  return 1 - least;
}

static void test_rate_of_projective_dynamics(void)
{
  static const char *const scenes[] = {TAUT, "scene=cloth;grid=4;stiffness=300;h=0.02;perturbation=0.02"};
  if (world_ranks() > 1) skip();
  for (int s = 0; s < 2; ++s) {
    world   w;
    history h;
    open_recorded(&w, &h, scenes[s], PROJECTIVE, LONG);
    const double rho = rho_at_minimum(scenes[s]);
    int          last = reaches(&h, 1e-9);
    if (last < 0) last = LONG;
    const double rate = h.gradient[last] / h.gradient[last - 1];
    assert_at_most(1e-3, 1 - rho);
    assert_at_most(fabs((1 - rate) - (1 - rho)), 0.05 * (1 - rho));
    world_close(&w);
  }
}

/* With the true rho, n iterations of the polynomial reduce the error by about 2 r^n, r = (1 - sqrt(1 - rho))/(1 +
 * sqrt(1 - rho)) where the spectrum is known to be in [0, rho], and rho/(1 + sqrt(1 - rho^2)) where it is taken to be
 * in
 * [-rho, rho]; estimated, nearly as well. */
static void test_rates_of_chebyshev(void)
{
  static const char *const scene = "scene=cloth;grid=5;stiffness=2000;h=0.02;perturbation=0.01";
  if (world_ranks() > 1) skip();
  const double rho = rho_at_minimum(scene), root = sqrt(1 - rho);
  const double rates[] = {rho / (1 + sqrt(1 - rho * rho)), (1 - root) / (1 + root)};
  assert_at_most(0.97, rho);
  for (int positive = 0; positive < 2; ++positive) {
    for (int given = 0; given < 2; ++given) {
      world   w;
      history h;
      char    method[200], value[40] = "auto";
      if (given) snprintf(value, sizeof value, "%.17g", rho);
      snprintf(method, sizeof method, "minimizer=chebyshev;chebyshev_rho=%s;chebyshev_interval=%s", value,
               positive ? "positive" : "symmetric");
      open_recorded(&w, &h, scene, method, LONG);
      const int first = reaches(&h, 1e-4), last = reaches(&h, 1e-10);
      assert_true(first > 0 && last > first);
      const double expected = log(1e-6) / log(rates[positive]);
      if (!(fabs(last - first - expected) <= (given ? 0.15 : 0.5) * expected))
        fail_msg("%s: %d iterations from 1e-4 to 1e-10, %.1f expected", method, last - first, expected);
      world_close(&w);
    }
  }
}

/* Along one direction, of which a plain step leaves the part T, what is left obeys e+ = T (e + b (e - e')), and b
 * begins anew when e has passed the minimum on the way. */
static void test_momentum_of_nesterov(void)
{
  if (world_ranks() > 1) skip();
  world   w;
  history h;
  open_recorded(&w, &h, "scene=oscillator;amplitude=0.1;h=2", "minimizer=nesterov;metric=identity", 40);
  const double left = h.gradient[1] / h.gradient[0];
  double       e[2] = {1, 1}, t = 1; /* e of the iteration before, and at hand */
  int          restarts = 0;
  assert_true(left > 0.4 && left < 0.6);
  for (int k = 0; k < 40 && fabs(e[1]) > 1e-9; ++k) {
    const bool uphill = e[1] * (e[1] - e[0]) > 0;
    if (uphill) t = 1;
    const double next_t = (1 + sqrt(1 + 4 * t * t)) / 2, weight = (t - 1) / next_t;
    const double next = left * (e[1] + weight * (e[1] - e[0]));
    e[0] = e[1];
    e[1] = next;
    t = next_t;
    restarts += uphill;
    assert_at_most(fabs(h.gradient[k + 1] / h.gradient[0] - fabs(next)), 1e-12);
  }
  assert_true(restarts >= 2);
  world_close(&w);
}

static double distance_of(const char *scene, const char *one, const char *other)
{
  world              a, b;
  sb_minimize_report report;
  world_open(&a, PETSC_COMM_WORLD, "%s;%s", scene, one);
  world_open(&b, PETSC_COMM_WORLD, "%s;%s", scene, other);
  for (int step = 0; step < 2; ++step) {
    world_step(&a, &report);
    world_step(&b, &report);
  }
  const double distance = world_distance(&a, a.x, &b, b.x);
  world_close(&a);
  world_close(&b);
  return distance;
}

/* Without a past every accelerator is none, to the bit; and local-global, which solves for z, is the step to rounding.
 */
static void test_one_method_by_two_names(void)
{
  static const char *const same[] = {
      "minimizer=lbfgs;window=0;step=unit", "minimizer=lbfgs;accelerator=none;step=unit", "minimizer=anderson;window=0",
      "minimizer=chebyshev;chebyshev_delay=1000;chebyshev_rho=0.5", "minimizer=newton;metric=laplacian"};
  const bool mumps = world_ranks() > 1; /* which does not repeat its last bits */
  for (size_t i = 0; i < sizeof same / sizeof *same; ++i)
    assert_at_most(distance_of(TAUT ";max_iterations=10", PROJECTIVE, same[i]), mumps ? 1e-14 : 0);
  assert_at_most(distance_of(TAUT ";max_iterations=10", PROJECTIVE, "minimizer=local_global"), 1e-12);
  assert_at_most(1e-6, distance_of(TAUT ";max_iterations=10", PROJECTIVE, "minimizer=lbfgs"));
}

/* Near the minimum g is quadratic, the line search exact, and the three formulas are one; far from it they differ. */
static void test_formulas_of_conjugate_gradients(void)
{
  static const char *const formulas[] = {"fletcher_reeves", "dai_kou"};
  for (int f = 0; f < 2; ++f) {
    char other[200];
    snprintf(other, sizeof other, "minimizer=nonlinear_cg;ncg_formula=%s", formulas[f]);
    const char *near = TAUT ";perturbation=1e-7;initial_velocity=[0,0,0];gravity=[0,0,-1e-5];max_iterations=3";
    assert_at_most(distance_of(near, "minimizer=nonlinear_cg", other), 1e-11);
    assert_at_most(1e-9, distance_of(TAUT ";max_iterations=6", "minimizer=nonlinear_cg", other));
  }
}

/* One vertex on a stretched spring, near its minimum: the Hessian has two eigenvalues, so that two conjugate directions
 * end there, and as many differences span all that Anderson's and L-BFGS need. */
static void test_finite_termination(void)
{
  static const struct {
    const char *method;
    int         most;
  } cases[] = {{"minimizer=nonlinear_cg", 2},
               {"minimizer=nonlinear_cg;ncg_formula=dai_kou", 2},
               {"minimizer=gradient_descent;accelerator=ncg", 2},
               {"minimizer=anderson;step=unit", 3},
               {"minimizer=lbfgs;step=along", 2}};
  if (world_ranks() > 1) skip();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    world   w;
    history h;
    open_recorded(&w, &h, "scene=oscillator;amplitude=1e-6;initial_velocity=[0,1e-6,2e-6];h=2;start=inertial",
                  cases[i].method, 8);
    const int needed = reaches(&h, 1e-4);
    if (!(needed > 0 && needed <= cases[i].most)) fail_msg("%s: %d iterations", cases[i].method, needed);
    world_close(&w);
  }
}

static void test_refusals(void)
{
  int refused = 0, kept = 0;
  for (size_t m = 0; m < sb_metric_count(); ++m)
    for (size_t a = 0; a < sb_accelerator_count(); ++a)
      for (size_t s = 0; s < sb_step_rule_count(); ++s) {
        const sb_triple triple = {sb_metric_at(m), sb_accelerator_at(a), sb_step_rule_at(s)};
        sb_option_id    part;
        char           *why = sb_triple_refusal(&triple, &part);
        if (why)
          ++refused;
        else
          ++kept;
        free(why);
      }
  assert_true(refused > 10 && kept > 20);
}

/* z_2 = w_2 (q - z_0) + z_0 with w_2 = 2/(2 - rho^2), q what two plain iterations give: the first is plain. The step
 * begins where its inertial point is. */
static void test_first_weight_of_chebyshev(void)
{
  const double rho = 0.9, weight = 2 / (2 - rho * rho);
  world        w[2]; /* plain, and by Chebyshev */
  double      *z[2];
  for (int k = 0; k < 2; ++k) {
    sb_minimize_report report;
    world_open(&w[k], PETSC_COMM_WORLD,
               "scene=cloth;grid=4;pins=none;stiffness=100;h=0.02;perturbation=0.05;gravity=[0,-9.8,0];"
               "initial_velocity=[0,0.196,0];minimizer=chebyshev;chebyshev_rho=0.9;chebyshev_interval=symmetric;"
               "chebyshev_delay=%d;step_tolerance=0;gradient_tolerance=0;max_iterations=2",
               k == 0 ? 9 : 0);
    world_minimize(&w[k], &report);
    z[k] = world_gather(&w[k], w[k].z);
  }
  double moved = 0;
  for (size_t i = 0; i < 3 * w[0].pose.vertices; ++i) {
    const double start = w[0].pose.position[i], expected = weight * (z[0][i] - start) + start;
    moved = fmax(moved, fabs(expected - start));
    if (!(fabs(z[1][i] - expected) <= 1e-12)) fail_msg("%zu: %.17g, not %.17g", i, z[1][i], expected);
  }
  assert_true(moved > 1e-3);
  for (int k = 0; k < 2; ++k) {
    free(z[k]);
    world_close(&w[k]);
  }
}

PETSC_TEST_MAIN(test_majorants, test_rate_of_projective_dynamics, test_rates_of_chebyshev,
                test_first_weight_of_chebyshev, test_momentum_of_nesterov, test_one_method_by_two_names,
                test_formulas_of_conjugate_gradients, test_finite_termination, test_refusals)
