/* The names of all lists; see vocabulary.h. */
#include "harness/sweep/vocabulary.h"

#include <stdio.h>

#include "model/contact.h"
#include "model/field.h"
#include "model/scene.h"

#define SB_ENTRY(name) #name,
static const char *const scene_names[] = {
#include "model/scenes.def"
};
static const char *const integrator_names[] = {
#include "solvers/integrate/integrators.def"
};
static const char *const minimizer_names[] = {
#include "solvers/minimize/minimizers.def"
};
static const char *const linear_names[] = {
#include "solvers/linear/backends.def"
};
#undef SB_ENTRY

enum { DRIVERS_MAX = 64, COLUMNS_MAX = 64, FAMILIES = 8 };
#define COUNT(names) (sizeof(names) / sizeof *(names))

/* The family "columns:<driver>", by which expressions in sweep files are checked. */
static sb_family columns_of(const sb_driver *driver, char name[64], const char *columns[COLUMNS_MAX])
{
  size_t count = 0;
  for (; count < driver->column_count && count < COLUMNS_MAX; ++count) columns[count] = driver->columns[count].name;
  snprintf(name, 64, "columns:%s", driver->name);
  return (sb_family){.family = name, .names = columns, .count = count};
}

/* A family of composite values; its names are those of its forms. */
static sb_family forms_family(const char *family, const sb_form *const *(*forms_of)(size_t *count))
{
  size_t                count = 0;
  const sb_form *const *forms = forms_of(&count);
  return (sb_family){.family = family, .count = count, .forms = forms};
}

const sb_vocabulary *sb_vocabulary_of(const sb_driver_list *drivers)
{
  /* Made once from constants: the lists cannot change while the program runs. */
  static const char   *driver_names[DRIVERS_MAX], *column_names[DRIVERS_MAX][COLUMNS_MAX];
  static char          column_families[DRIVERS_MAX][64];
  static sb_family     families[FAMILIES + DRIVERS_MAX];
  static sb_vocabulary vocabulary;
  if (vocabulary.count) return &vocabulary;
  size_t count = 0;
  for (; count < drivers->count && count < DRIVERS_MAX; ++count) driver_names[count] = drivers->drivers[count]->name;
  families[0] = (sb_family){"scenes", scene_names, COUNT(scene_names), NULL};
  families[1] = (sb_family){"integrators", integrator_names, COUNT(integrator_names), NULL};
  families[2] = (sb_family){"minimizers", minimizer_names, COUNT(minimizer_names), NULL};
  families[3] = (sb_family){"linear", linear_names, COUNT(linear_names), NULL};
  families[4] = (sb_family){"drivers", driver_names, count, NULL};
  families[5] = forms_family("fields", sb_field_forms);
  families[6] = forms_family("paths", sb_path_forms);
  families[7] = forms_family("colliders", sb_collider_forms);
  for (size_t i = 0; i < count; ++i)
    families[FAMILIES + i] = columns_of(drivers->drivers[i], column_families[i], column_names[i]);
  vocabulary = (sb_vocabulary){families, FAMILIES + count};
  return &vocabulary;
}
