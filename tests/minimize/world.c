/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Worlds for the tests of minimisers; see world.h. */
#include "tests/minimize/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "tests/model_vocabulary.h"

void check_at_most(double value, double limit, const char *what, const char *file, int line)
{
  if (value <= limit) return;
  print_error("%s = %.17g exceeds %g\n", what, value, limit);
  _fail(file, line);
}

PetscMPIInt world_ranks(void)
{
  PetscMPIInt ranks;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  return ranks;
}

static void set_options(sb_options *options, char *pairs, sb_diagnostics *diagnostics)
{
  const sb_location where = {.file = "test"};
  char             *rest = NULL;
  for (char *pair = strtok_r(pairs, ";", &rest); pair; pair = strtok_r(NULL, ";", &rest)) {
    for (char *mark = pair; (mark = strchr(mark, '~')) != NULL;) *mark = ';';
    sb_options_set_pair(options, pair, SB_FROM_USER, where, diagnostics);
  }
}

static void open_system(world *w, MPI_Comm comm, const char *format, va_list arguments)
{
  char            pairs[800];
  sb_diagnostics *diagnostics = sb_diagnostics_create();

  *w = (world){.comm = comm, .options = sb_options_create(model_vocabulary())};
  assert_in_range(vsnprintf(pairs, sizeof pairs, format, arguments), 1, sizeof pairs - 1);
  set_options(w->options, (char[]){"gradient_tolerance=0"}, diagnostics); /* unless the test says otherwise */
  set_options(w->options, pairs, diagnostics);
  const bool built =
      sb_scene_apply_defaults(w->options, diagnostics) && sb_scene_build(w->options, &w->pose, diagnostics);
  sb_diagnostics_print(diagnostics, stderr);
  assert_true(built);
  assert_int_equal(sb_diagnostics_errors(diagnostics), 0);
  sb_diagnostics_destroy(&diagnostics);
  w->h = SB_REAL(w->options, h);
  OK(sb_system_create(comm, &w->pose, w->options, &w->system));
  OK(sb_system_create_full(w->system, &w->x));
  OK(sb_system_create_full(w->system, &w->v));
  OK(sb_system_create_full(w->system, &w->z));
  OK(sb_system_create_unknowns(w->system, &w->gradient));
  OK(sb_system_set_state(w->system, &w->pose, w->x, w->v));
  OK(sb_potential_create(w->system, w->h, &w->potential));
}

void world_open_bare(world *w, MPI_Comm comm, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  open_system(w, comm, format, arguments);
  va_end(arguments);
}

void world_open(world *w, MPI_Comm comm, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  open_system(w, comm, format, arguments);
  va_end(arguments);
  OK(sb_minimizer_create(w->system, w->options, w->h, "", &w->minimizer));
}

void world_close(world *w)
{
  OK(sb_minimizer_destroy(&w->minimizer));
  OK(sb_potential_destroy(&w->potential));
  OK(VecDestroy(&w->x));
  OK(VecDestroy(&w->v));
  OK(VecDestroy(&w->z));
  OK(VecDestroy(&w->gradient));
  OK(sb_system_destroy(&w->system));
  sb_pose_clear(&w->pose);
  sb_options_destroy(&w->options);
}

void world_minimize(world *w, sb_minimize_report *report)
{
  OK(sb_potential_set_state(w->potential, w->steps * w->h, w->x, w->v));
  OK(sb_minimizer_run(w->minimizer, w->potential, w->z, report));
}

void world_step(world *w, sb_minimize_report *report)
{
  world_minimize(w, report);
  OK(VecWAXPY(w->v, -1, w->x, w->z));
  OK(VecScale(w->v, 1 / w->h));
  OK(VecCopy(w->z, w->x));
  w->steps++;
}

double *world_gather(const world *w, Vec full)
{
  const PetscMPIInt mine = (PetscMPIInt)(3 * w->system->owned);
  PetscMPIInt      *counts = calloc((size_t)w->system->ranks, sizeof *counts);
  PetscMPIInt      *starts = calloc((size_t)w->system->ranks, sizeof *starts);
  double           *all = calloc((size_t)w->system->vertices, 3 * sizeof *all);
  const double     *array;

  assert_true(counts && starts && all);
  OK(MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, w->comm));
  for (int r = 1; r < w->system->ranks; ++r) starts[r] = starts[r - 1] + counts[r - 1];
  OK(VecGetArrayRead(full, &array));
  OK(MPI_Allgatherv(array, mine, MPI_DOUBLE, all, counts, starts, MPI_DOUBLE, w->comm));
  OK(VecRestoreArrayRead(full, &array));
  free(counts);
  free(starts);
  return all;
}

double world_distance(const world *a, Vec of_a, const world *b, Vec of_b)
{
  double *first = world_gather(a, of_a), *second = world_gather(b, of_b), worst = 0;

  assert_int_equal(a->system->vertices, b->system->vertices);
  for (PetscInt c = 0; c < 3 * a->system->vertices; ++c) {
    const double difference = fabs(first[c] - second[c]);
    if (!(difference <= worst)) worst = difference;
  }
  free(first);
  free(second);
  return worst;
}

double world_gradient_norm(const world *w, Vec z)
{
  double norm;

  OK(sb_potential_gradient(w->potential, z, w->gradient));
  OK(VecNorm(w->gradient, NORM_2, &norm));
  return norm;
}

bool world_runs(const sb_minimizer_method *method)
{
  return world_ranks() == 1 || !(sb_minimizer_method_traits(method) & SB_ONE_RANK);
}

void world_for_each_pair(world_pair_test run)
{
  for (size_t m = 0; m < sb_minimizer_method_count(); ++m) {
    for (size_t b = 0; b < sb_linear_backend_count(); ++b) {
      const sb_linear_backend *backend = sb_linear_backend_at(b);
      if (backend->missing || (world_ranks() > 1 && backend->traits & SB_SERIAL_ONLY)) continue;
      if (world_runs(sb_minimizer_method_at(m))) run(sb_minimizer_method_at(m), backend);
    }
  }
}

const char *world_pair_options(const sb_minimizer_method *method, const sb_linear_backend *backend, char buffer[160])
{
  /* These accelerators refuse step=armijo, which some suites give. */
  const bool refuses = method->accelerator && sb_has_word("anderson chebyshev nesterov", method->accelerator);
  snprintf(buffer, 160, "minimizer=%s;linear=%s;linear_tolerance=1e-14%s", method->name, backend->name,
           refuses ? ";step=guard" : "");
  return buffer;
}
