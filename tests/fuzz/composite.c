/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields, paths and colliders: what is accepted is its own canonical text and, evaluated twice, gives the same bits;
 * where no formula is involved it is finite, a path starts at rest, and a collider pushes along its own normal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/contact/contact.h"
#include "base/option_ids.h"
#include "model/forces/field.h"
#include "model/forces/path.h"
#include "tests/fuzz/fuzz.h"
#include "tests/model_vocabulary.h"

enum { POINTS = 5, VALUES = 3 * POINTS };

static const double points[VALUES] = {0, 0, 0, 1, 0, 0, 0.25, -0.5, 2, -3, 0.125, 0, 1e3, 1e-3, 1};
static const double times[] = {0, 0.375, 17};

static bool has_formula(const sb_options *options, sb_option_id id)
{
  size_t              count = 0;
  const sb_composite *value = sb_options_composites(options, id, &count);
  for (size_t i = 0; i < count; ++i)
    if (strcmp(value[i].form->name, "expression") == 0) return true;
  return false;
}

static void check_values(const double *first, const double *second, bool finite)
{
  fuzz_require(memcmp(first, second, VALUES * sizeof *first) == 0, "evaluation can be repeated");
  for (size_t i = 0; finite && i < VALUES; ++i) fuzz_require(!isnan(first[i]), "values are numbers");
}

static void check_field(const sb_options *options)
{
  double    first[VALUES] = {0}, second[VALUES] = {0};
  sb_field *field = NULL;
  fuzz_require(sb_field_create(options, &field), "a field is made");
  for (size_t k = 0; field && k < sizeof times / sizeof *times; ++k) {
    sb_field_evaluate(field, times[k], POINTS, points, first);
    sb_field_evaluate(field, times[k], POINTS, points, second);
    check_values(first, second, false);
  }
  sb_field_destroy(&field);
}

static void check_path(const sb_composite *value, bool formula)
{
  double   first[VALUES] = {0}, second[VALUES] = {0};
  sb_path *path = sb_path_create(value);
  fuzz_require(path != NULL, "a path is made");
  const bool starts = sb_path_starts_at(path, points + 3, first);
  fuzz_require(formula || starts, "a path starts at rest");
  for (size_t k = 0; k < sizeof times / sizeof *times; ++k) {
    sb_path_place(path, times[k], POINTS, points, first);
    sb_path_place(path, times[k], POINTS, points, second);
    check_values(first, second, !formula);
  }
  sb_path_destroy(&path);
}

static void check_contact(const sb_options *options)
{
  static const bool       pinned[POINTS] = {false};
  static const double     mass[POINTS] = {1, 1, 1, 1, 1};
  const sb_contact_points where = {POINTS, pinned, mass, points};
  double                  first[VALUES] = {0}, second[VALUES] = {0};
  sb_contact             *contact = NULL;
  fuzz_require(sb_contact_create(options, &contact), "contact is made");
  for (size_t k = 0; contact && k < sizeof times / sizeof *times; ++k) {
    memset(first, 0, sizeof first);
    memset(second, 0, sizeof second);
    sb_contact_add_forces(contact, times[k], &where, first);
    sb_contact_add_forces(contact, times[k], &where, second);
    check_values(first, second, true);
    fuzz_require(sb_contact_energy(contact, times[k], &where) >= 0, "contact's energy is not negative");
    const sb_contact_push push = {0.01, times[k], points};
    sb_contact_filter(contact, times[k], 0.01, &push, &where, first);
    sb_contact_observe(contact, times[k], POINTS, points);
  }
  sb_contact_destroy(&contact);
}

static void check_meaning(const sb_options *options, sb_option_id id)
{
  size_t              count = 0;
  const bool          formula = has_formula(options, id);
  const sb_composite *value = sb_options_composites(options, id, &count);
  if (id == SB_OPT_wind) check_field(options);
  if (id == SB_OPT_collider) check_contact(options);
  for (size_t i = 0; id == SB_OPT_pin_path && i < count; ++i) check_path(&value[i], formula);
}

static sb_options *make_options(void)
{
  sb_options *options = sb_options_create(model_vocabulary());
  fuzz_require(sb_options_set(options, SB_OPT_contact, "combined", SB_FROM_USER, (sb_location){0}, NULL), "set");
  return options;
}

/* The first byte chooses the option, the rest is its value. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const sb_option_id ids[] = {SB_OPT_wind, SB_OPT_pin_path, SB_OPT_collider};
  static sb_options        *options;
  if (size < 1) return 0;
  if (!options) options = make_options();
  const sb_option_id id = ids[data[0] % 3];
  char              *text = fuzz_text(data + 1, size - 1);
  sb_diagnostics    *silent = sb_diagnostics_create();
  const bool         good = sb_options_set(options, id, text, SB_FROM_USER, (sb_location){"fuzz", 1, 1}, silent);
  fuzz_require(good == (sb_diagnostics_errors(silent) == 0), "a refusal has a message");
  if (good) {
    char *canonical = strdup(sb_options_text(options, id));
    check_meaning(options, id);
    fuzz_require(sb_options_set(options, id, canonical, SB_FROM_USER, (sb_location){0}, silent), "canonical: accepted");
    fuzz_require(strcmp(sb_options_text(options, id), canonical) == 0, "a canonical text is its own");
    sb_options_set(options, id, "none", SB_FROM_TABLE, (sb_location){0}, silent);
    free(canonical);
  }
  sb_diagnostics_destroy(&silent);
  free(text);
  return 0;
}
