/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Acceleration fields; see field.h. */
#include "model/forces/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SB_ENTRY(name) extern const sb_field_kind sb_field_##name;
#include "model/forces/fields.def"
#undef SB_ENTRY

static const sb_entry *const entries[] = {
#define SB_ENTRY(name) &sb_field_##name.form.entry,
#include "model/forces/fields.def"
#undef SB_ENTRY
};

const sb_list sb_fields = {
    .family = "fields",
    .title = "Acceleration fields",
    .about = "Named by option `wind` with their parts, as in `wind=KIND:part=value,part=value`; accelerations of "
             "several, separated by `;`, add up.",
    SB_LIST_ENTRIES(entries),
    .describe = sb_form_facts,
};

enum { SUM_BLOCK = 512 }; /* vertices whose second and later accelerations are added at once */

typedef struct {
  const sb_field_kind *kind;
  void                *state;
} term;

/* The sum of one or more fields. */
struct sb_field {
  sb_composite *values; /* [count], own: the options may go first */
  term         *terms;  /* [count] */
  size_t        count;
  const double *push; /* borrowed; NULL: none */
};

static bool prepare_term(term *t, const sb_composite *value)
{
  t->kind = (const void *)value->form;
  if (t->kind->state_bytes > 0 && !(t->state = calloc(1, t->kind->state_bytes))) return false;
  return !t->kind->prepare || t->kind->prepare(t->state, value);
}

bool sb_field_create(const sb_options *options, sb_field **field)
{
  size_t              count = 0;
  const sb_composite *values = SB_COMPOSITES(options, wind, &count);
  *field = NULL;
  if (count == 0) return true;
  sb_field *made = calloc(1, sizeof *made);
  if (!made) return false;
  *field = made;
  made->terms = calloc(count, sizeof *made->terms);
  bool good = made->terms != NULL;
  if (good) {
    made->values = sb_composites_copy(values, count);
    made->count = count;
  }
  for (size_t i = 0; good && i < count; ++i) good = prepare_term(&made->terms[i], &made->values[i]);
  if (!good) sb_field_destroy(field);
  return good;
}

void sb_field_destroy(sb_field **field)
{
  sb_field *old = *field;
  if (!old) return;
  for (size_t i = 0; i < old->count; ++i) {
    if (old->terms[i].state && old->terms[i].kind->destroy) old->terms[i].kind->destroy(old->terms[i].state);
    free(old->terms[i].state);
  }
  sb_composites_free(&old->values, &old->count);
  free(old->terms);
  free(old);
  *field = NULL;
}

/* acceleration += that of a later term. */
static void add_term(const term *t, const sb_composite *value, double t_seconds, size_t count, const double *position,
                     double *acceleration)
{
  double block[3 * SUM_BLOCK];
  for (size_t first = 0; first < count; first += SUM_BLOCK) {
    const size_t here = count - first < SUM_BLOCK ? count - first : SUM_BLOCK;
    t->kind->evaluate(t->state, value, t_seconds, here, position + 3 * first, block);
    for (size_t k = 0; k < 3 * here; ++k) acceleration[3 * first + k] += block[k];
  }
}

bool sb_field_set_push(sb_field **field, const double *acceleration)
{
  if (!*field && acceleration) *field = calloc(1, sizeof **field);
  if (*field) (*field)->push = acceleration;
  if (*field && !acceleration && (*field)->count == 0) sb_field_destroy(field);
  return *field || !acceleration;
}

void sb_field_evaluate(sb_field *field, double t_seconds, size_t count, const double *position, double *acceleration)
{
  const term *first = &field->terms[0];
  if (field->count > 0)
    first->kind->evaluate(first->state, &field->values[0], t_seconds, count, position, acceleration);
  else
    memset(acceleration, 0, 3 * count * sizeof *acceleration);
  for (size_t k = 0; field->push && k < 3 * count; ++k) acceleration[k] += field->push[k];
  for (size_t i = 1; i < field->count; ++i)
    add_term(&field->terms[i], &field->values[i], t_seconds, count, position, acceleration);
}

/* "(0, 0.5, nan)". */
static const char *vector_text(const double v[3], char text[100])
{
  char x[32], y[32], z[32];
  snprintf(text, 100, "(%s, %s, %s)", sb_format_real(v[0], x), sb_format_real(v[1], y), sb_format_real(v[2], z));
  return text;
}

static bool refuse_value(const sb_options *options, size_t vertex, const double *x, const double *a,
                         sb_diagnostics *diagnostics)
{
  char place[100], value[100];
  return sb_error_at(diagnostics, sb_options_location(options, SB_ID(wind)), "E214",
                     "wind has no finite value at vertex %zu at the start, at %s: it is %s there", vertex,
                     vector_text(x, place), vector_text(a, value));
}

bool sb_field_check_start(const sb_options *options, size_t count, const double *position, sb_diagnostics *diagnostics)
{
  sb_field *field = NULL;
  bool      good = sb_field_create(options, &field);
  if (good && !field) return true;
  double *a = good ? malloc(3 * count * sizeof *a) : NULL;
  if (a) sb_field_evaluate(field, 0.0, count, position, a);
  for (size_t i = 0; a && good && i < count; ++i) {
    const double *b = a + 3 * i;
    good = isfinite(b[0]) && isfinite(b[1]) && isfinite(b[2]);
    if (!good) refuse_value(options, i, position + 3 * i, b, diagnostics);
  }
  if (!a)
    good = sb_error_at(diagnostics, sb_options_location(options, SB_ID(wind)), "E215",
                       "the field at %zu vertices does not fit into memory", count);
  free(a);
  sb_field_destroy(&field);
  return good;
}
