/* The names of all lists; see vocabulary.h. */
#include "harness/sweep/vocabulary.h"

#include "model/contact.h"
#include "model/field.h"
#include "model/scene.h"
#include "solvers/integrate/integrator_method.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/minimize/minimizer_method.h"

enum { DRIVERS_MAX = 64, NAMES_MAX = 64, FAMILIES = 8 };

/* A family whose names have a table each. */
typedef struct {
  const char *names[NAMES_MAX], *uses[NAMES_MAX], *defaults[NAMES_MAX];
  size_t      count;
} tables;

static void add_table(tables *t, const char *name, const char *uses, const char *defaults)
{
  t->names[t->count] = name;
  t->uses[t->count] = uses;
  t->defaults[t->count++] = defaults;
}

static sb_family tables_family(const char *family, const tables *t)
{
  return (sb_family){.family = family, .names = t->names, .count = t->count, .uses = t->uses, .defaults = t->defaults};
}

/* A family of composite values; its names are those of its forms. */
static sb_family forms_family(const char *family, const sb_form *const *(*forms_of)(size_t *count))
{
  size_t                count = 0;
  const sb_form *const *forms = forms_of(&count);
  return (sb_family){.family = family, .count = count, .forms = forms};
}

/* What scenes use is theirs to check (sb_scene_apply_defaults). */
static sb_family scenes_family(void)
{
  static const char *names[NAMES_MAX];
  size_t             count = 0;
  for (; count < sb_scene_count() && count < NAMES_MAX; ++count) names[count] = sb_scene_at(count)->name;
  return (sb_family){.family = "scenes", .names = names, .count = count};
}

static void add_methods(sb_family families[3])
{
  static tables integrators, minimizers, linear;
  for (size_t i = 0; i < sb_integrator_method_count() && i < NAMES_MAX; ++i)
    add_table(&integrators, sb_integrator_method_at(i)->name, sb_integrator_method_at(i)->uses, NULL);
  for (size_t i = 0; i < sb_minimizer_method_count() && i < NAMES_MAX; ++i)
    add_table(&minimizers, sb_minimizer_method_at(i)->name, sb_minimizer_method_at(i)->uses, NULL);
  for (size_t i = 0; i < sb_linear_backend_count() && i < NAMES_MAX; ++i)
    add_table(&linear, sb_linear_backend_at(i)->name, sb_linear_backend_at(i)->uses, NULL);
  families[0] = tables_family("integrators", &integrators);
  families[1] = tables_family("minimizers", &minimizers);
  families[2] = tables_family("linear", &linear);
}

static sb_family drivers_family(const sb_driver_list *drivers)
{
  static tables t;
  for (size_t i = 0; i < drivers->count && i < DRIVERS_MAX; ++i)
    add_table(&t, drivers->drivers[i]->name, drivers->drivers[i]->uses, drivers->drivers[i]->defaults);
  return tables_family("drivers", &t);
}

const sb_vocabulary *sb_vocabulary_of(const sb_driver_list *drivers)
{
  /* Made once from constants: the lists cannot change while the program runs. */
  static sb_family     families[FAMILIES];
  static sb_vocabulary vocabulary;
  if (vocabulary.count) return &vocabulary;
  families[0] = scenes_family();
  add_methods(&families[1]);
  families[4] = drivers_family(drivers);
  families[5] = forms_family("fields", sb_field_forms);
  families[6] = forms_family("paths", sb_path_forms);
  families[7] = forms_family("colliders", sb_collider_forms);
  vocabulary = (sb_vocabulary){families, FAMILIES};
  return &vocabulary;
}
