/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See shown.h. The settings of a case are read from its command, which has the given options and no defaults. */
#include "harness/results/shown.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "cases/common/text.h"
#include "harness/results/full_rows.h"

static void add_axis(bool *axes, const char *name)
{
  const sb_option_id id = sb_option_find(name);
  if (id != sb_option_count) axes[id] = true;
}

static void add_axes(bool *axes, const sb_axis *given, size_t count)
{
  for (size_t i = 0; i < count; ++i) add_axis(axes, given[i].name);
}

/* [sb_option_count]: the options in which cases of a directory may differ and still stand in one table. Options that
 * follow from an axis vary with it. */
static bool *axes_of(const sb_results *results, const sb_plan *made, sb_arena *arena)
{
  const sb_sweep *sweep = results->sweep;
  const sb_plan  *stored = results->plan;
  const bool     *varying = sb_plan_varying(made, arena);
  bool           *axes = sb_arena_take(arena, sb_option_count, sizeof *axes);
  const char     *added, *option;
  json_t         *set, *value;
  for (size_t i = 0; i < sweep->block_count; ++i) add_axes(axes, sweep->blocks[i].axes, sweep->blocks[i].count);
  for (size_t i = 0; i < sweep->method_count; ++i) add_axes(axes, sweep->methods[i].axes, sweep->methods[i].count);
  for (size_t i = 0; i < made->axis_count; ++i)
    if (varying[i]) add_axis(axes, made->axes[i]);
  for (size_t i = 0; i < stored->varied_count; ++i) add_axis(axes, stored->varied[i]);
  json_object_foreach(stored->added, added, set) { json_object_foreach(set, option, value) add_axis(axes, option); }
  return axes;
}

/* True if a word of a command sets an option that may differ, or one that is not in a case's key. */
static bool may_differ(const char *word, const bool *axes, const sb_options *options)
{
  SB_OWNED char     *name = sb_copy_span(word, strcspn(word, "="));
  const sb_option_id id = word[strlen(name)] ? sb_option_find(name) : sb_option_count;
  if (id == sb_option_count || axes[id] || sb_option_at(id)->traits & SB_NOT_IN_KEY) return true;
  bool may = false;
  for (sb_option_id axis = 0; axis < sb_option_count && !may; ++axis)
    may = axes[axis] && sb_option_at(axis)->traits & SB_STANDS_FOR_OTHERS && sb_case_stands_for(options, axis, id);
  return may;
}

static void add_words(json_t *words, const char *command)
{
  for (char *word; (word = sb_text_next_word(&command)); free(word)) json_object_set_new(words, word, json_true());
}

/* Tells whether each word of the case's command is one of `words`, or may differ. */
static bool is_known(const sb_planned_case *c, const json_t *words, const bool *axes)
{
  const char *command = c->command;
  bool        known = true;
  for (char *word; known && (word = sb_text_next_word(&command)); free(word))
    known = json_object_get(words, word) || may_differ(word, axes, c->options);
  return known;
}

/* [plan->count], and how many; NULL: all of them. */
static const bool *find_shown(const sb_results *results, size_t *count)
{
  const sb_plan *stored = results->plan;
  sb_arena      *arena = results->session.arena;
  const bool    *foreign = sb_full_rows_foreign(results);
  size_t         others = 0;
  for (size_t i = 0; foreign && i < stored->count; ++i) others += foreign[i];
  if (others == 0 || others == stored->count) return NULL;
  const sb_plan *made = sb_results_made_plan(results);
  const bool    *axes = axes_of(results, made, arena);
  bool          *shown = sb_arena_take(arena, stored->count, sizeof *shown);
  json_auto_t   *words = json_object();
  for (size_t k = 0; k < made->count; ++k) add_words(words, made->cases[k].command);
  for (size_t i = 0; i < stored->count; ++i) {
    shown[i] = !foreign[i] || is_known(&stored->cases[i], words, axes);
    *count += shown[i];
  }
  return *count < stored->count ? shown : NULL;
}

const sb_results *sb_results_shown(const sb_results *results)
{
  sb_results_kept *kept = results->kept;
  const sb_plan   *stored = results->plan;
  size_t           count = 0;
  if (kept->shown) return kept->shown;
  kept->shown = results;
  const bool *shown = find_shown(results, &count);
  if (!shown) return results;
  const sb_plan *made = sb_results_made_plan(results);
  const sb_plan *narrow = sb_plan_narrow(stored, shown, made, results->session.arena);
  sb_results    *part = sb_results_of(results->directory, results->sweep, narrow, &results->journal, &results->session);
  part->kept->planned = true;
  part->kept->plan = made;
  part->kept->shown = part;
  kept->hidden =
      sb_arena_format(results->session.arena, "%zu of %zu cases %s the sweep's own and in no table, figure or film",
                      stored->count - count, stored->count, sb_by_count(stored->count - count, "is not", "are not"));
  return kept->shown = part;
}

const char *sb_results_hidden(const sb_results *results)
{
  (void)sb_results_shown(results);
  return results->kept->hidden;
}
