/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trials of integrators; see trial.h. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option_ids.h"
#include "solvers/minimize/minimizer_method.h"
#include "tests/model_vocabulary.h"

static void set_pairs(sb_options *options, const char *pairs, sb_diagnostics *diagnostics)
{
  char *text = strdup(pairs), *rest = NULL;
  assert_non_null(text);
  for (char *pair = strtok_r(text, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest)) {
    sb_options_set_pair(options, pair, SB_FROM_USER, (sb_location){.file = "trial"}, diagnostics);
  }
  free(text);
}

enum { STAGED = SB_MINIMIZES | SB_ENDS_AT_MINIMUM };

/* Options that a projection or a method with stages refuses when it is created; a suite over all variants sets them
 * for all. */
static void leave_out_forces(sb_options *options)
{
  static const struct {
    sb_option_id id;
    const char  *off;
  } forces[] = {
      {SB_OPT_drag, "0"}, {SB_OPT_spring_damping, "0"}, {SB_OPT_velocity_factor, "1"}, {SB_OPT_damping_rate, "0"}};
  const sb_integrator_method *method = sb_integrator_method_find(SB_TEXT(options, integrator));
  if (method && (method->traits & STAGED) == SB_MINIMIZES && SB_IS(options, contact, "combined"))
    sb_options_set(options, SB_OPT_contact, "cancel_velocity", SB_FROM_USER, (sb_location){0}, NULL);
  if (!method || !(method->traits & SB_PROJECTS_LENGTHS)) return;
  for (size_t i = 0; i < sizeof forces / sizeof *forces; ++i)
    if (strcmp(sb_options_text(options, forces[i].id), forces[i].off) != 0)
      sb_options_set(options, forces[i].id, forces[i].off, SB_FROM_USER, (sb_location){0}, NULL);
  if (SB_IS(options, contact, "combined"))
    sb_options_set(options, SB_OPT_contact, "cancel_velocity", SB_FROM_USER, (sb_location){0}, NULL);
}

static void build(sb_trial *trial, const char *pairs, sb_adjust adjust, const double *numbers)
{
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  trial->options = sb_options_create(model_vocabulary());
  assert_non_null(trial->options);
  set_pairs(trial->options, pairs, diagnostics);
  if (SB_HAS(trial->options, scene)) {
    sb_scene_apply_defaults(trial->options, diagnostics);
    sb_scene_build(trial->options, &trial->pose, diagnostics);
  }
  leave_out_forces(trial->options);
  sb_diagnostics_print(diagnostics, stderr);
  assert_int_equal(sb_diagnostics_errors(diagnostics), 0);
  sb_diagnostics_destroy(&diagnostics);
  if (adjust) adjust(&trial->pose, numbers);
}

void sb_trial_open(sb_trial *trial, MPI_Comm comm, double h_seconds, const char *pairs, sb_adjust adjust,
                   const double *numbers)
{
  *trial = (sb_trial){.h_seconds = h_seconds};
  build(trial, pairs, adjust, numbers);
  sb_must(sb_system_create(comm, &trial->pose, trial->options, &trial->system));
  sb_must(sb_system_create_full(trial->system, &trial->x));
  sb_must(sb_system_create_full(trial->system, &trial->v));
  sb_must(sb_system_set_state(trial->system, &trial->pose, trial->x, trial->v));
  sb_must(sb_integrator_create(trial->system, trial->options, h_seconds, &trial->integrator));
  trial->vertices = trial->pose.vertices;
  trial->position = calloc(3 * trial->vertices, sizeof(double));
  trial->velocity = calloc(3 * trial->vertices, sizeof(double));
  assert_true(trial->position && trial->velocity);
  sb_trial_read(trial);
}

void sb_trial_close(sb_trial *trial)
{
  sb_must(sb_integrator_destroy(&trial->integrator));
  sb_must(VecDestroy(&trial->x));
  sb_must(VecDestroy(&trial->v));
  sb_must(sb_system_destroy(&trial->system));
  sb_pose_clear(&trial->pose);
  sb_options_destroy(&trial->options);
  free(trial->position);
  free(trial->velocity);
}

void sb_trial_advance(sb_trial *trial, int64_t steps)
{
  sb_must(sb_integrator_advance(trial->integrator, trial->step, steps, trial->x, trial->v, &trial->report));
  trial->step += trial->report.steps_done;
  sb_trial_read(trial);
}

static void gather(const sb_trial *trial, Vec from, double *all)
{
  const int     mine = (int)(3 * trial->system->owned), first = (int)(3 * trial->system->first_vertex);
  const int     count = (int)(3 * trial->vertices);
  const double *owned;
  memset(all, 0, (size_t)count * sizeof *all);
  sb_must(VecGetArrayRead(from, &owned));
  if (trial->system->ranks == 1) {
    memcpy(all, owned, (size_t)mine * sizeof *all);
  } else {
    int ranks = trial->system->ranks, counts[64], starts[64];
    assert_in_range(ranks, 1, 64);
    sb_must(MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, trial->system->comm));
    sb_must(MPI_Allgather(&first, 1, MPI_INT, starts, 1, MPI_INT, trial->system->comm));
    sb_must(MPI_Allgatherv(owned, mine, MPI_DOUBLE, all, counts, starts, MPI_DOUBLE, trial->system->comm));
  }
  sb_must(VecRestoreArrayRead(from, &owned));
}

void sb_trial_read(sb_trial *trial)
{
  gather(trial, trial->x, trial->position);
  gather(trial, trial->v, trial->velocity);
}

static void scatter(const sb_trial *trial, const double *all, Vec to)
{
  double *owned;
  sb_must(VecGetArray(to, &owned));
  if (trial->system->owned > 0) {
    memcpy(owned, &all[3 * trial->system->first_vertex], 3 * (size_t)trial->system->owned * sizeof *owned);
  }
  sb_must(VecRestoreArray(to, &owned));
}

void sb_trial_write(sb_trial *trial)
{
  scatter(trial, trial->position, trial->x);
  scatter(trial, trial->velocity, trial->v);
}

/* Minimisers that three iterations are enough for where tests of integrators ask for a step to rounding: on a line, or
 * near a minimum. That all of them find the same minimum is for tests of minimisers. */
static const sb_minimizer_method *quick_minimizer(size_t number)
{
  for (size_t i = 0; i < sb_minimizer_method_count(); ++i) {
    const sb_minimizer_method *method = sb_minimizer_method_at(i);
    const unsigned             traits = sb_minimizer_method_traits(method);
    const bool                 fast = traits & (SB_QUADRATIC | SB_DESCENDS | SB_TESTS_GRADIENT);
    const bool                 quick = fast && sb_minimizer_method_columns(method) > 0;
    if (quick && number-- == 0) return method;
  }
  return NULL;
}

/* Stages call a minimiser as implicit Euler does: newton and local_global show what is the integrator's. */
enum { MINIMIZERS_OF_STAGES = 2 };

static size_t variants_of(const sb_integrator_method *method)
{
  int ranks;
  sb_must(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (method->traits & SB_MOVES_PARTICLES) return 0; /* springs are no matter of theirs */
  if (ranks > 1 && method->traits & SB_SERIAL_ONLY_INTEGRATOR) return 0;
  size_t count = 0;
  while (quick_minimizer(count)) ++count;
  if ((method->traits & STAGED) == SB_MINIMIZES) return MINIMIZERS_OF_STAGES;
  return method->traits & SB_MINIMIZES ? count : 1;
}

size_t sb_variant_count(void)
{
  size_t count = 0;
  for (size_t i = 0; i < sb_integrator_method_count(); ++i) count += variants_of(sb_integrator_method_at(i));
  return count;
}

sb_variant sb_variant_at(size_t i, const char *more)
{
  size_t entry = 0;
  while (i >= variants_of(sb_integrator_method_at(entry))) i -= variants_of(sb_integrator_method_at(entry++));
  sb_variant  variant = {.method = sb_integrator_method_at(entry)};
  const char *name = variant.method->name;
  if (variant.method->traits & SB_MINIMIZES) {
    const char *minimizer = quick_minimizer(i)->name;
    snprintf(variant.label, sizeof variant.label, "%s with %s", name, minimizer);
    snprintf(variant.pairs, sizeof variant.pairs, "integrator=%s minimizer=%s max_iterations=3 gradient_tolerance=0 %s",
             name, minimizer, more);
  } else {
    snprintf(variant.label, sizeof variant.label, "%s", name);
    snprintf(variant.pairs, sizeof variant.pairs, "integrator=%s %s", name, more);
  }
  assert_true(strlen(variant.pairs) < sizeof variant.pairs - 1);
  return variant;
}

bool sb_variant_is(const sb_variant *variant, const char *name) { return strcmp(variant->method->name, name) == 0; }

bool sb_variant_solves(const sb_variant *variant) { return variant->method->traits & (SB_MINIMIZES | SB_SOLVES); }

bool sb_variant_has_stages(const sb_variant *variant) { return (variant->method->traits & STAGED) == SB_MINIMIZES; }

double sb_variant_rounding(const sb_variant *variant) { return sb_variant_has_stages(variant) ? 12 : 1; }

int64_t sb_variant_steps(const sb_variant *variant, int64_t alone)
{
  int ranks;
  sb_must(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (ranks == 1) return alone;
  return variant->method->traits & SB_MINIMIZES ? 2 : (alone + 19) / 20;
}

void sb_near(const char *label, const char *what, double got, double want, double tolerance)
{
  if (!(fabs(got - want) <= tolerance)) {
    fail_msg("%s: %s is %.17g instead of %.17g: off by %.3g, tolerance %.3g", label, what, got, want, fabs(got - want),
             tolerance);
  }
}

void sb_holds(const char *label, const char *what, bool holds)
{
  if (!holds) fail_msg("%s: it does not hold that %s", label, what);
}
