/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plug-in of Gauss-Seidel passes that computes the residual on the way: it finds that x was the solution at the end
 * of the first pass. */
#include <stdlib.h>

#include <springbench_plugin.h>

typedef struct {
  sb_plugin_matrix A;
  double           flops;
} passes;

static void *create(const char *options, char *error, size_t size)
{
  (void)options, (void)error, (void)size;
  return calloc(1, sizeof(passes));
}

static void destroy(void *solver) { free(solver); }

static sb_plugin_outcome set_matrix(void *solver, const sb_plugin_matrix *A, int new_pattern)
{
  (void)new_pattern;
  ((passes *)solver)->A = *A;
  return SB_PLUGIN_SOLVED;
}

/* Stops a hundred times below the tolerance: the residual is that of rows at different times. */
static sb_plugin_outcome solve(void *solver, const double *b, double *x, sb_plugin_solve *goal)
{
  passes                 *s = solver;
  const sb_plugin_matrix *A = &s->A;
  const double            tolerance = 0.01 * goal->relative_tolerance;
  double                  size = 0;
  for (int32_t i = 0; i < A->rows; ++i) size += b[i] * b[i];
  for (int64_t pass = 0; pass < goal->iterations_max; ++pass) {
    double sum = 0;
    for (int32_t i = 0; i < A->rows; ++i) {
      double r = b[i], diagonal = 0;
      for (int32_t k = A->start[i]; k < A->start[i + 1]; ++k) {
        r -= A->value[k] * x[A->column[k]];
        if (A->column[k] == i) diagonal = A->value[k];
      }
      if (!(diagonal > 0)) return SB_PLUGIN_NOT_SPD;
      sum += r * r;
      x[i] += r / diagonal;
    }
    s->flops += 2.0 * A->start[A->rows] + 4.0 * A->rows;
    goal->iterations = pass + 1;
    if (tolerance > 0 && sum <= tolerance * tolerance * size) return SB_PLUGIN_SOLVED;
  }
  return tolerance > 0 ? SB_PLUGIN_STALLED : SB_PLUGIN_SOLVED;
}

static double flops(const void *solver) { return ((const passes *)solver)->flops; }

static const sb_plugin_linear method = {.size = sizeof method,
                                        .name = "my_passes",
                                        .summary = "Gauss-Seidel passes",
                                        .traits = SB_PLUGIN_NEEDS_SPD,
                                        .create = create,
                                        .destroy = destroy,
                                        .set_matrix = set_matrix,
                                        .solve = solve,
                                        .flops = flops};

int springbench_plugin(const sb_plugin_registry *registry) { return registry->add_linear(registry->context, &method); }
