/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbered cases from blocks, and the axes of the command line that replace those of blocks; see plan_expand.h. */
#include "harness/sweep/plan_expand.h"

#include <string.h>

#include "base/allocate.h"
#include "cases/common/json_text.h"
#include "cases/describe/names.h"

enum { QUICK_VALUES = 2 };

json_t *sb_sweep_methods_json(const sb_settings *list, size_t count, sb_arena *arena)
{
  json_t                                     *methods = json_object();
  SB_ENDED_BY(sb_options_destroy) sb_options *options = sb_options_create(NULL);
  for (size_t m = 0; m < count; ++m) {
    const sb_settings *method = &list[m];
    json_t            *settings = json_object();
    for (size_t i = 0; i < method->count; ++i) {
      const sb_axis *axis = &method->axes[i];
      if (!sb_options_set(options, axis->id, axis->values[0], SB_FROM_USER, (sb_location){0}, NULL)) continue;
      json_object_set_new(settings, axis->name, json_string(sb_options_text(options, axis->id)));
    }
    json_object_set_new(methods, method->name, settings);
  }
  sb_arena_defer(arena, sb_json_end, methods);
  return methods;
}

/* To a dimension, which may be a new one. */
static void add_axis(sb_expansion *e, const sb_axis *axis, size_t dimension, sb_arena *arena)
{
  if (dimension == e->dimension_count)
    *SB_NEW_ITEM(arena, e->dimensions, e->dimension_count) = (sb_dimension){.count = 1};
  *SB_NEW_ITEM(arena, e->axes, e->axis_count) = (sb_expanded_axis){axis, dimension};
  if (axis->count != 1) e->dimensions[dimension].count = axis->count;
}

/* True unless a quick run leaves out the value of an axis. */
static bool keeps(const sb_quick *quick, const sb_axis *axis, size_t value)
{
  if (!quick->given) {
    const sb_option_kind kind = axis->id == sb_option_count ? SB_KIND_NAME : sb_option_at(axis->id)->kind;
    return value < QUICK_VALUES || (kind != SB_KIND_INTEGER && kind != SB_KIND_REAL);
  }
  const sb_axis *cut = sb_find_axis(quick->axes, quick->count, axis->name);
  bool           kept = !cut && !quick->none;
  for (size_t k = 0; cut && !kept && k < cut->count; ++k)
    kept = sb_axis_same_value(cut->values[k], axis->values[axis->count == 1 ? 0 : value]);
  return kept;
}

/* The file may say which values of some axes a quick run has; an axis that it does not name keeps all of them. If
 * the file has no such section, numeric axes keep their first two values. `axes` are those of the dimension. */
static void shorten(const sb_quick *quick, sb_dimension *d, const sb_expanded_axis *axes, size_t count, sb_arena *arena)
{
  size_t kept = 0;
  if (quick->all || d->count == 0) return;
  d->kept = sb_arena_take(arena, d->count, sizeof *d->kept);
  for (size_t at = 0; at < d->count; ++at) {
    bool all = true;
    for (size_t i = 0; all && i < count; ++i) all = keeps(quick, axes[i].axis, at);
    if (all) d->kept[kept++] = at;
  }
  d->count = kept;
}

static bool add_grid(const sb_block *block, const sb_settings *overrides, const sb_quick *quick,
                     const sb_session *session, sb_expansion *e)
{
  for (size_t i = 0; i < block->count; ++i) {
    const sb_axis *axis = &block->axes[i], *override = sb_find_axis(overrides->axes, overrides->count, axis->name);
    add_axis(e, override ? override : axis, i, session->arena);
    if (quick && !override) shorten(quick, &e->dimensions[i], &e->axes[i], 1, session->arena);
  }
  return true;
}

/* All axes are one dimension, which an override leaves. */
static bool add_zip(const sb_block *block, const sb_settings *overrides, const sb_quick *quick,
                    const sb_session *session, sb_expansion *e)
{
  for (size_t i = 0; i < block->count; ++i)
    if (!sb_find_axis(overrides->axes, overrides->count, block->axes[i].name))
      add_axis(e, &block->axes[i], 0, session->arena);
  for (size_t i = 0; i < e->axis_count; ++i) {
    const sb_axis *axis = e->axes[i].axis;
    if (axis->count != 1 && axis->count != e->dimensions[0].count)
      return sb_error_at(session->diagnostics, axis->count ? axis->where[0] : block->location, "E107",
                         "'zip' takes axes of one length; '%s' has %zu values where another has %zu", axis->name,
                         axis->count, e->dimensions[0].count);
  }
  if (quick && e->axis_count > 0) shorten(quick, e->dimensions, e->axes, e->axis_count, session->arena);
  return true;
}

bool sb_expansion_create(const sb_block *block, const sb_settings *overrides, const sb_quick *quick,
                         const sb_session *session, sb_expansion *e)
{
  double total = 1;
  *e = (sb_expansion){.block = block};
  if (!(block->zip ? add_zip : add_grid)(block, overrides, quick, session, e)) return false;
  for (size_t i = 0; i < overrides->count; ++i)
    if (block->zip || !sb_find_axis(block->axes, block->count, overrides->axes[i].name))
      add_axis(e, &overrides->axes[i], e->dimension_count, session->arena);
  for (size_t i = 0; i < e->dimension_count; ++i) total *= (double)e->dimensions[i].count;
  if (!(total >= 1 || (quick && quick->given)) || !(total <= SB_CASES_MAX))
    return sb_error_at(session->diagnostics, block->location, "E107", "the block has %.0f cases (allowed: [1,%d])",
                       total, (int)SB_CASES_MAX);
  e->count = (size_t)total;
  for (size_t i = 0, below = e->count; e->count > 0 && i < e->dimension_count; ++i)
    e->dimensions[i].below = below /= e->dimensions[i].count;
  return true;
}

size_t sb_expansion_value(const sb_expansion *e, size_t number, size_t i)
{
  const sb_dimension *d = &e->dimensions[e->axes[i].dimension];
  const size_t        place = number / d->below % d->count;
  return e->axes[i].axis->count == 1 ? 0 : d->kept ? d->kept[place] : place;
}

char *sb_expansion_describe(const sb_expansion *e, size_t number, sb_arena *arena)
{
  char *text = "";
  for (size_t i = 0; i < e->axis_count; ++i)
    text = sb_arena_join(arena, text, " ", "%s=%s", e->axes[i].axis->name,
                         e->axes[i].axis->values[sb_expansion_value(e, number, i)]);
  return text;
}
