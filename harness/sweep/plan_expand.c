/* From blocks to numbered cases; see plan_expand.h. */
#include "harness/sweep/plan_expand.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"

enum { CASES_MAX = 1000000, QUICK_VALUES = 2 };

static const sb_axis *find_axis(const sb_axis *axes, size_t count, const char *name)
{
  for (size_t i = 0; i < count; ++i)
    if (strcmp(axes[i].name, name) == 0) return &axes[i];
  return NULL;
}

static bool is_numeric(const sb_axis *axis)
{
  if (axis->id == SB_OPT_COUNT) return false;
  const sb_option_kind kind = sb_option_at(axis->id)->kind;
  return kind == SB_KIND_INTEGER || kind == SB_KIND_REAL;
}

static sb_dimension *add_dimension(sb_expansion *e)
{
  e->dimensions = sb_grow(e->dimensions, e->dimension_count, sizeof *e->dimensions);
  e->dimensions[e->dimension_count] = (sb_dimension){.count = 1};
  return &e->dimensions[e->dimension_count++];
}

static void add_axis(sb_dimension *d, const sb_axis *axis)
{
  d->axes = sb_grow(d->axes, d->axis_count, sizeof *d->axes);
  d->axes[d->axis_count++] = axis;
  if (axis->count != 1) d->count = axis->count;
}

static void shorten(sb_dimension *d)
{
  bool numeric = false;
  for (size_t i = 0; i < d->axis_count; ++i) numeric = numeric || is_numeric(d->axes[i]);
  if (numeric && d->count > QUICK_VALUES) d->count = QUICK_VALUES;
}

static bool check_zip(const sb_block *block, const sb_dimension *d, sb_diagnostics *diagnostics)
{
  for (size_t i = 0; i < d->axis_count; ++i) {
    const sb_axis *axis = d->axes[i];
    if (axis->count != 1 && axis->count != d->count)
      return sb_error_at(diagnostics, axis->count ? axis->where[0] : block->location, "E107",
                         "'zip' takes axes of one length; '%s' has %zu values where another has %zu", axis->name,
                         axis->count, d->count);
  }
  return true;
}

static bool count_cases(sb_expansion *e, sb_diagnostics *diagnostics)
{
  double total = 1;
  for (size_t i = 0; i < e->dimension_count; ++i) total *= (double)e->dimensions[i].count;
  if (!(total >= 1) || !(total <= CASES_MAX))
    return sb_error_at(diagnostics, e->block->location, "E107", "the block has %.0f cases (allowed: [1,%d])", total,
                       (int)CASES_MAX);
  e->count = (size_t)total;
  return true;
}

bool sb_expansion_create(const sb_block *block, const sb_overrides *overrides, bool quick, sb_expansion *e,
                         sb_diagnostics *diagnostics)
{
  *e = (sb_expansion){.block = block};
  sb_dimension *zip = block->zip ? add_dimension(e) : NULL;
  for (size_t i = 0; i < block->count; ++i) {
    const sb_axis *axis = &block->axes[i], *override = find_axis(overrides->axes, overrides->count, axis->name);
    if (block->zip && !override) add_axis(zip, axis);
    if (block->zip) continue;
    sb_dimension *d = add_dimension(e);
    add_axis(d, override ? override : axis);
    if (quick && !override) shorten(d);
  }
  if (zip && !check_zip(block, zip, diagnostics)) return false;
  if (zip && quick) shorten(zip);
  for (size_t i = 0; i < overrides->count; ++i)
    if (block->zip || !find_axis(block->axes, block->count, overrides->axes[i].name))
      add_axis(add_dimension(e), &overrides->axes[i]);
  return count_cases(e, diagnostics);
}

void sb_expansion_clear(sb_expansion *expansion)
{
  for (size_t i = 0; i < expansion->dimension_count; ++i) free(expansion->dimensions[i].axes);
  free(expansion->dimensions);
  *expansion = (sb_expansion){0};
}

bool sb_expansion_visit(const sb_expansion *e, size_t number, sb_visit_value *visit, void *context)
{
  size_t below = e->count;
  for (size_t i = 0; i < e->dimension_count; ++i) {
    const sb_dimension *d = &e->dimensions[i];
    below /= d->count;
    const size_t at = number / below % d->count;
    for (size_t k = 0; k < d->axis_count; ++k)
      if (!visit(context, d->axes[k], d->axes[k]->count == 1 ? 0 : at)) return false;
  }
  return true;
}

static bool write_value(void *context, const sb_axis *axis, size_t value)
{
  fprintf(context, " %s=%s", axis->name, axis->values[value]);
  return true;
}

char *sb_expansion_describe(const sb_expansion *expansion, size_t number)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  sb_expansion_visit(expansion, number, write_value, stream);
  fclose(stream);
  if (length > 0) memmove(text, text + 1, length);
  return text;
}

void sb_overrides_clear(sb_overrides *overrides)
{
  for (size_t i = 0; i < overrides->count; ++i) {
    sb_axis *axis = &overrides->axes[i];
    for (size_t k = 0; k < axis->count; ++k) free(axis->values[k]);
    free(axis->values);
    free(axis->where);
    free(axis->name);
  }
  free(overrides->axes);
  *overrides = (sb_overrides){0};
}
