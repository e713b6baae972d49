/* The names of all lists; see vocabulary.h. */
#include "cases/describe/vocabulary.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "model/contact/contact.h"
#include "model/forces/field.h"
#include "model/particles/smoothing.h"
#include "model/scene/scene.h"
#include "solvers/bounded/bounded_method.h"
#include "solvers/integrate/integrator_method.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/minimize/descent.h"

enum { NAMES_MAX = 160 };
enum {
  SCENES,
  INTEGRATORS,
  MINIMIZERS,
  METRICS,
  PRECONDITIONERS,
  ACCELERATORS,
  STEPS,
  LINEAR,
  SMOOTHINGS,
  BOUNDED,
  DRIVERS,
  PROBLEMS,
  FIELDS,
  PATHS,
  COLLIDERS,
  FAMILIES
};

/* Made once from constants: the lists cannot change while the program runs. */
static struct {
  const char *names[NAMES_MAX], *uses[NAMES_MAX], *defaults[NAMES_MAX];
} tables[PROBLEMS + 1];
static bool of_particles[NAMES_MAX], still[NAMES_MAX]; /* of drivers */
#define TABLE(family) .names = tables[family].names, .uses = tables[family].uses, .defaults = tables[family].defaults
static sb_family families[FAMILIES] = {
    [SCENES] = {.family = "scenes", .names = tables[SCENES].names}, /* scenes check their own options */
    [INTEGRATORS] = {.family = "integrators", TABLE(INTEGRATORS)},
    [MINIMIZERS] = {.family = "minimizers", TABLE(MINIMIZERS)},
    [METRICS] = {.family = "metrics", TABLE(METRICS)},
    [PRECONDITIONERS] = {.family = "preconditioners", TABLE(PRECONDITIONERS)}, /* metrics that are fixed matrices */
    [ACCELERATORS] = {.family = "accelerators", TABLE(ACCELERATORS)},
    [STEPS] = {.family = "steps", TABLE(STEPS)},
    [LINEAR] = {.family = "linear", TABLE(LINEAR)},
    [SMOOTHINGS] = {.family = "smoothings", TABLE(SMOOTHINGS)},
    [BOUNDED] = {.family = "bounded", TABLE(BOUNDED)},
    [DRIVERS] = {.family = "drivers", TABLE(DRIVERS), .of_particles = of_particles, .still = still},
    [PROBLEMS] = {.family = "problems", TABLE(PROBLEMS)},
    [FIELDS] = {.family = "fields"}, /* of composite values: their names are those of their forms */
    [PATHS] = {.family = "paths"},
    [COLLIDERS] = {.family = "colliders"},
};

static void add_name(size_t family, const char *name, const char *uses, const char *defaults)
{
  const size_t count = families[family].count;
  if (count == NAMES_MAX) return;
  tables[family].names[count] = name;
  tables[family].uses[count] = uses;
  tables[family].defaults[count] = defaults;
  families[family].count++;
}

const sb_vocabulary *sb_vocabulary_of(const sb_driver_list *drivers)
{
  static bool                owned[SB_OPT_COUNT];
  static const sb_vocabulary vocabulary = {families, FAMILIES, owned};
  if (families[SCENES].count > 0) return &vocabulary;
  for (size_t i = 0; i < sb_scene_count(); ++i) add_name(SCENES, sb_scene_at(i)->name, NULL, NULL);
  for (size_t i = 0; i < sb_integrator_method_count(); ++i)
    add_name(INTEGRATORS, sb_integrator_method_at(i)->name, sb_integrator_method_at(i)->uses, NULL);
  for (size_t i = 0; i < sb_minimizer_method_count(); ++i)
    add_name(MINIMIZERS, sb_minimizer_method_at(i)->name, sb_minimizer_method_at(i)->uses,
             sb_minimizer_method_at(i)->defaults);
  for (size_t i = 0; i < sb_metric_count(); ++i) {
    const sb_metric *metric = sb_metric_at(i);
    add_name(METRICS, metric->name, metric->uses, NULL);
    if (metric->traits & SB_LINEAR) add_name(PRECONDITIONERS, metric->name, metric->uses, NULL);
  }
  for (size_t i = 0; i < sb_accelerator_count(); ++i)
    add_name(ACCELERATORS, sb_accelerator_at(i)->name, sb_accelerator_at(i)->uses, NULL);
  for (size_t i = 0; i < sb_step_rule_count(); ++i)
    add_name(STEPS, sb_step_rule_at(i)->name, sb_step_rule_at(i)->uses, NULL);
  for (size_t i = 0; i < sb_linear_backend_count(); ++i)
    add_name(LINEAR, sb_linear_backend_at(i)->name, sb_linear_backend_at(i)->uses, NULL);
  for (size_t i = 0; i < sb_smoothing_count(); ++i) add_name(SMOOTHINGS, sb_smoothing_at(i)->name, NULL, NULL);
  for (size_t i = 0; i < sb_bounded_method_count(); ++i)
    add_name(BOUNDED, sb_bounded_method_at(i)->name, sb_bounded_method_at(i)->uses, NULL);
  for (size_t i = 0; i < drivers->count; ++i) {
    of_particles[families[DRIVERS].count] = drivers->drivers[i]->particles;
    still[families[DRIVERS].count] = drivers->drivers[i]->still;
    add_name(DRIVERS, drivers->drivers[i]->name, drivers->drivers[i]->uses, drivers->drivers[i]->defaults);
  }
  for (size_t i = 0; i < drivers->problem_count; ++i)
    add_name(PROBLEMS, drivers->problems[i].name, NULL, drivers->problems[i].options);
  families[FIELDS].forms = sb_field_forms(&families[FIELDS].count);
  families[PATHS].forms = sb_path_forms(&families[PATHS].count);
  families[COLLIDERS].forms = sb_collider_forms(&families[COLLIDERS].count);
  const sb_vocabulary plain = {families, FAMILIES, NULL};
  for (int i = 0; i < SB_OPT_COUNT; ++i) owned[i] = sb_option_is_owned((sb_option_id)i, &plain);
  return &vocabulary;
}

static int compare_names(const void *a, const void *b, void *context)
{
  const size_t       x = *(const size_t *)a, y = *(const size_t *)b;
  const char *const *names = context;
  const int          order = strcmp(names[x], names[y]);
  return order ? order : (x > y) - (x < y);
}

size_t *sb_find_repeated(const char *const *names, size_t count, sb_arena *arena)
{
  size_t *sorted = sb_allocate(count, sizeof *sorted), named = 0;
  size_t *earlier = sb_arena_take(arena, count, sizeof *earlier);
  for (size_t i = 0; i < count; ++i) {
    earlier[i] = (size_t)-1;
    if (names[i]) sorted[named++] = i;
  }
  qsort_r(sorted, named, sizeof *sorted, compare_names, (void *)names);
  for (size_t i = 1; i < named; ++i)
    if (strcmp(names[sorted[i - 1]], names[sorted[i]]) == 0) earlier[sorted[i]] = sorted[i - 1];
  free(sorted);
  return earlier;
}

sb_option_id sb_option_named(const char *name, sb_location where, sb_diagnostics *diagnostics)
{
  const sb_option_id id = sb_option_find(name);
  if (id != SB_OPT_COUNT) return id;
  const char *near = sb_diagnostics_full(diagnostics) ? NULL : sb_option_nearest(name);
  sb_error_at(diagnostics, where, "E101", near ? "unknown option '%s'; did you mean '%s'?" : "unknown option '%s'",
              name, near);
  return SB_OPT_COUNT;
}
