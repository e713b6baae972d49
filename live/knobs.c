/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option table as knobs, and the options that the simulation reads. Texts name files, or go to a library, which
 * reads them as a program: they come only from the command line. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "live/player.h"

/* Options of no use here: the page is the driver, its simulations have one process, and files are made by the server.
 */
static bool is_absent(sb_option_id id) { return sb_sim_lacks(id) || sb_option_at(id)->traits & SB_NOT_IN_KEY; }

static bool is_locked(sb_option_id id) { return sb_option_at(id)->kind == SB_KIND_TEXT; }

bool sb_play_may_set(const char *name, const char **why)
{
  const sb_option_id id = sb_option_find(name);
  *why = is_absent(id) ? "it has no meaning on this page"
                       : "it names a file or goes to a library, so only the command line can set it";
  return !is_absent(id) && !is_locked(id);
}

/* [[name, summary] …] of names that the option may have; null if there is no list of them. */
static json_t *choices_of(sb_option_id id, const sb_vocabulary *vocabulary)
{
  const sb_option *option = sb_option_at(id);
  const sb_list   *list = sb_option_list(id, vocabulary);
  json_t          *choices = json_array();
  for (size_t i = 0; list && i < list->count; ++i)
    json_array_append_new(choices, json_pack("[ss]", list->entries[i]->name, list->entries[i]->summary));
  for (const char *c = option->range; !list && option->kind == SB_KIND_NAME && *c; c += c[strcspn(c, "|")] != '\0') {
    const size_t length = strcspn(c, "|");
    json_array_append_new(choices, json_pack("[s%s]", c, length, ""));
    c += length;
  }
  if (json_array_size(choices) > 0) return choices;
  json_decref(choices);
  return json_null();
}

void sb_play_tell_knobs(const sb_stage_play *play)
{
  static const char *const kinds[] = {
      [SB_KIND_BOOL] = "BOOL",           [SB_KIND_INTEGER] = "INTEGER",    [SB_KIND_REAL] = "REAL",
      [SB_KIND_NAME] = "NAME",           [SB_KIND_TEXT] = "TEXT",          [SB_KIND_VECTOR] = "VECTOR",
      [SB_KIND_SELECTION] = "SELECTION", [SB_KIND_COMPOSITE] = "COMPOSITE"};
  json_t *list = json_array();
  int     first = 0;
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
    const sb_option *option = sb_option_at(id);
    if (is_absent(id)) continue;
    json_array_append_new(list, json_pack("{ss ss ss ss ss? ss ss si sb so}", "name", option->name, "kind",
                                          kinds[option->kind], "unit", option->unit, "range", option->range, "preset",
                                          option->preset, "about", option->summary, "group", sb_option_section(id),
                                          "first", option->traits & SB_KNOB ? ++first : 0, "locked", (int)is_locked(id),
                                          "choices", choices_of(id, play->session->vocabulary)));
  }
  sb_play_tell(play, json_pack("{ss so}", "type", "knobs", "options", list));
}

void sb_play_tell_values(sb_stage_play *play)
{
  const sb_options *o = play->sim->options;
  json_t           *values = json_object(), *given = json_array(), *pairs = json_object();
  char              h[32];
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
    const char *name = sb_option_at(id)->name;
    if (is_absent(id) && !(sb_option_at(id)->traits & SB_LIMIT_ONLY)) continue;
    if (!sb_options_read(o, id)) continue; /* an option of an earlier choice has no part in lines */
    json_object_set_new(values, name, json_string(sb_options_text(o, id)));
    if (sb_options_origin(o, id) != SB_FROM_USER || (id == SB_ID(scene) && SB_IS(o, scene, "net"))) continue;
    json_array_append_new(given, json_string(name));
    json_object_set_new(pairs, name, json_string(sb_options_text(o, id)));
  }
  json_object_set_new(values, "h", json_string(sb_format_real(play->sim->c.time.h_seconds, h)));
  json_decref(play->pairs);
  play->pairs = pairs;
  sb_play_tell(play, json_pack("{ss so so sO ss}", "type", "values", "options", values, "given", given, "pairs", pairs,
                               "chosen_h", play->chosen_h));
}
