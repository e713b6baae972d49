/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plug-in: conjugate gradients preconditioned by the diagonal (linear=my_cg), and steps of Barzilai and Borwein (1988)
 * as a minimiser (minimizer=my_bb).
 * cc -O2 -shared -fPIC own_solver.c $(pkg-config --cflags springbench) -o own_solver.so
 * springbench --plugin ./own_solver.so run experiments/cloth/cloth_local_global.yaml -p linear=my_cg */
#include <math.h>
#include <springbench_plugin.h>
#include <stdlib.h>
#include <string.h>

/* ---- the linear solver ---- */

typedef struct {
  sb_plugin_matrix        matrix;
  double                 *inverse, *r, *d, *q; /* 1/diagonal, residual, direction, A d */
} cg;

static void *cg_create(const char *options, char *error, size_t size)
{
  if (*options) strncpy(error, "my_cg has no options", size - 1);
  return *options ? NULL : calloc(1, sizeof(cg));
}

static void cg_destroy(void *solver)
{
  free(((cg *)solver)->inverse);
  free(solver);
}

static sb_plugin_outcome cg_set_matrix(void *solver, const sb_plugin_matrix *A, int new_pattern)
{
  cg          *s = solver;
  const size_t n = (size_t)A->rows;
  s->matrix = *A; /* its arrays stay */
  if (new_pattern || !s->inverse) s->inverse = realloc(s->inverse, 4 * n * sizeof *s->inverse);
  if (!s->inverse) return SB_PLUGIN_FAILED;
  s->r = s->inverse + n, s->d = s->r + n, s->q = s->d + n;
  for (int32_t i = 0; i < A->rows; ++i) {
    s->inverse[i] = 0;
    for (int32_t k = A->start[i]; k < A->start[i + 1]; ++k)
      if (A->column[k] == i && A->value[k] > 0) s->inverse[i] = 1 / A->value[k];
    if (s->inverse[i] == 0) return SB_PLUGIN_NOT_SPD;
  }
  return SB_PLUGIN_SOLVED;
}

static void multiply(const sb_plugin_matrix *A, const double *x, double *y)
{
  for (int32_t i = 0; i < A->rows; ++i) {
    double sum = 0;
    for (int32_t k = A->start[i]; k < A->start[i + 1]; ++k) sum += A->value[k] * x[A->column[k]];
    y[i] = sum;
  }
}

static double dot(int32_t n, const double *a, const double *b)
{
  double sum = 0;
  for (int32_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

static sb_plugin_outcome cg_solve(void *solver, const double *b, double *x, sb_plugin_solve *goal)
{
  cg           *s = solver;
  const int32_t n = s->matrix.rows;
  const double  target = goal->relative_tolerance * sqrt(dot(n, b, b));
  double        rho = 0;
  multiply(&s->matrix, x, s->q);
  for (int32_t i = 0; i < n; ++i) s->r[i] = b[i] - s->q[i];
  for (goal->iterations = 0; goal->iterations < goal->iterations_max; ++goal->iterations) {
    if (target > 0 && sqrt(dot(n, s->r, s->r)) <= target) return SB_PLUGIN_SOLVED;
    double next = 0;
    for (int32_t i = 0; i < n; ++i) next += s->r[i] * s->inverse[i] * s->r[i];
    if (next == 0) return SB_PLUGIN_SOLVED; /* exact */
    for (int32_t i = 0; i < n; ++i)
      s->d[i] = s->inverse[i] * s->r[i] + (goal->iterations > 0 ? next / rho * s->d[i] : 0);
    rho = next;
    multiply(&s->matrix, s->d, s->q);
    const double curvature = dot(n, s->d, s->q);
    if (!(curvature > 0)) return SB_PLUGIN_NOT_SPD;
    for (int32_t i = 0; i < n; ++i) {
      x[i] += rho / curvature * s->d[i];
      s->r[i] -= rho / curvature * s->q[i];
    }
  }
  return target > 0 && sqrt(dot(n, s->r, s->r)) > target ? SB_PLUGIN_STALLED : SB_PLUGIN_SOLVED;
}

static const sb_plugin_linear my_cg = {.size = sizeof my_cg,
                                       .name = "my_cg",
                                       .summary = "conjugate gradients with the diagonal, a plug-in",
                                       .traits = SB_PLUGIN_NEEDS_SPD,
                                       .create = cg_create,
                                       .destroy = cg_destroy,
                                       .set_matrix = cg_set_matrix,
                                       .solve = cg_solve};

/* ---- the minimiser ---- */

typedef struct {
  int     first;
  double *before, *gradient_before, *gradient; /* [unknowns] */
} bb;

static void *bb_create(const char *options, int32_t unknowns, char *error, size_t size)
{
  bb *s = *options ? NULL : calloc(1, sizeof *s);
  if (*options) strncpy(error, "my_bb has no options", size - 1);
  if (s) s->before = calloc(3 * (size_t)unknowns + 1, sizeof *s->before);
  if (s) s->gradient_before = s->before + unknowns, s->gradient = s->gradient_before + unknowns;
  return s;
}

static void bb_destroy(void *minimizer)
{
  free(((bb *)minimizer)->before);
  free(minimizer);
}

static sb_plugin_outcome bb_begin(void *minimizer, const sb_plugin_problem *problem, const double *z)
{
  (void)problem, (void)z;
  ((bb *)minimizer)->first = 1;
  return SB_PLUGIN_SOLVED;
}

static sb_plugin_outcome bb_iterate(void *minimizer, const sb_plugin_problem *p, double *z)
{
  bb           *s = minimizer;
  const int32_t n = p->unknowns;
  double        ss = 0, sy = 0;
  if (p->gradient(p->context, z, s->gradient) != 0) return SB_PLUGIN_FAILED;
  for (int32_t i = 0; i < n; ++i) {
    ss += (z[i] - s->before[i]) * (z[i] - s->before[i]);
    sy += (z[i] - s->before[i]) * (s->gradient[i] - s->gradient_before[i]);
  }
  /* At first the step of a system without springs; then the inverse curvature along the last one. */
  for (int32_t i = 0; i < n; ++i) {
    const double step = s->first || !(sy > 0) ? p->h * p->h / p->mass[i / 3] : ss / sy;
    s->before[i] = z[i];
    s->gradient_before[i] = s->gradient[i];
    z[i] -= step * s->gradient[i];
  }
  s->first = 0;
  return SB_PLUGIN_SOLVED;
}

static const sb_plugin_minimizer my_bb = {.size = sizeof my_bb,
                                          .name = "my_bb",
                                          .summary = "steps of Barzilai and Borwein, a plug-in",
                                          .create = bb_create,
                                          .destroy = bb_destroy,
                                          .begin = bb_begin,
                                          .iterate = bb_iterate};

int springbench_plugin(const sb_plugin_registry *registry)
{
  if (registry->abi != SPRINGBENCH_PLUGIN_ABI) return 1;
  return registry->add_linear(registry->context, &my_cg) || registry->add_minimizer(registry->context, &my_bb);
}
