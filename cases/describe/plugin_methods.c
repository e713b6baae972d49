/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Methods of plug-ins and simulators in stored plans; see plugin_methods.h. */
#include "cases/describe/plugin_methods.h"

#include "cases/common/text.h"
#include "cases/describe/simulators.h"
#include "solvers/linear/plugin.h"
#include "solvers/minimize/plugin.h"

enum { LINEAR, MINIMIZERS, SIMULATORS, FAMILIES };
static const char *const families[FAMILIES] = {
    [LINEAR] = "linear", [MINIMIZERS] = "minimizers", [SIMULATORS] = "simulators"};

/* {"claims": …, "sha256": …, "summary": …}, of a simulator with "maps" in place of claims; NULL if the method is part
 * of the program. */
static json_t *facts_of(int family, const sb_entry *entry)
{
  const sb_simulator *simulator = (const void *)entry;
  if (family == SIMULATORS)
    return simulator->digest ? json_pack("{s:s, s:s, s:s}", "sha256", simulator->digest, "summary", entry->summary,
                                         "maps", simulator->maps)
                             : NULL;
  const sb_linear_backend   *backend = (const void *)entry;
  const sb_minimizer_method *method = (const void *)entry;
  const char                *digest = family == LINEAR ? backend->digest : method->digest;
  const unsigned             claims = family == LINEAR ? backend->claims : method->claims;
  return digest ? json_pack("{s:i, s:s, s:s}", "claims", (int)claims, "sha256", digest, "summary", entry->summary)
                : NULL;
}

void sb_plugin_methods_put(const sb_vocabulary *vocabulary, json_t *methods)
{
  for (int family = 0; family < FAMILIES; ++family) {
    const sb_list *list = sb_vocabulary_list(vocabulary, families[family]);
    for (size_t i = 0; list && i < list->count; ++i) {
      json_t *facts = facts_of(family, list->entries[i]);
      if (!facts) continue;
      if (!json_object_get(methods, families[family])) json_object_set_new(methods, families[family], json_object());
      json_object_set_new(json_object_get(methods, families[family]), list->entries[i]->name, facts);
    }
  }
}

const char *sb_plugin_methods_uncounted(const sb_options *options)
{
  const sb_linear_backend   *backend = sb_options_read(options, SB_ID(linear)) ? sb_linear_backend_of(options) : NULL;
  const sb_minimizer_method *method =
      sb_options_read(options, SB_ID(minimizer)) ? sb_minimizer_method_of(options) : NULL;
  if (method && method->digest && !(method->claims & SB_PLUGIN_COUNTED)) return method->name;
  return backend && backend->digest && !(backend->claims & SB_PLUGIN_COUNTED) ? backend->name : NULL;
}

/* A simulator without a command; NULL if what is stored is malformed. */
static const sb_entry *simulator_of(const char *name, json_t *facts, const sb_vocabulary *vocabulary, sb_arena *arena)
{
  const char   *sha256 = NULL, *summary = NULL, *maps = NULL;
  sb_simulator *simulator = sb_arena_take(arena, 1, sizeof *simulator);
  if (json_unpack(facts, "{s:s, s:s, s:s}", "sha256", &sha256, "summary", &summary, "maps", &maps) != 0 ||
      !sb_text_is_safe_name(name) || !sb_text_is_safe_name(sha256) || !sb_is_printable(summary))
    return NULL;
  *simulator = (sb_simulator){.name = sb_arena_copy(arena, name),
                              .summary = sb_arena_copy(arena, summary),
                              .uses = sb_simulator_uses(maps, vocabulary, arena),
                              .digest = sb_arena_copy(arena, sha256)};
  return &simulator->entry;
}

/* A method without functions; NULL if what is stored is malformed. */
static const sb_entry *method_of(int family, const char *stored_name, json_t *facts, sb_arena *arena)
{
  const char *sha256 = NULL, *stored_summary = NULL;
  int         claims = 0;
  if (json_unpack(facts, "{s:i, s:s, s:s}", "claims", &claims, "sha256", &sha256, "summary", &stored_summary) != 0 ||
      !sb_text_is_safe_name(stored_name) || !sb_text_is_safe_name(sha256) || !sb_is_printable(stored_summary))
    return NULL;
  const char          *name = sb_arena_copy(arena, stored_name), *summary = sb_arena_copy(arena, stored_summary);
  const char          *digest = sb_arena_copy(arena, sha256);
  sb_plugin_linear    *solver = sb_arena_take(arena, 1, sizeof *solver);
  sb_plugin_minimizer *minimizer = sb_arena_take(arena, 1, sizeof *minimizer);
  *solver = (sb_plugin_linear){.size = sizeof *solver, .name = name, .summary = summary, .traits = (unsigned)claims};
  *minimizer =
      (sb_plugin_minimizer){.size = sizeof *minimizer, .name = name, .summary = summary, .traits = (unsigned)claims};
  return family == LINEAR ? sb_plugin_backend(solver, digest, arena)
                          : sb_plugin_minimizer_method(minimizer, digest, arena);
}

const sb_vocabulary *sb_plugin_methods_take(const sb_vocabulary *vocabulary, const json_t *methods, sb_arena *arena)
{
  for (int family = 0; family < FAMILIES; ++family) {
    const char *name;
    json_t     *facts;
    if (!sb_vocabulary_list(vocabulary, families[family])) continue;
    json_object_foreach(json_object_get(methods, families[family]), name, facts)
    {
      const bool      known = sb_list_find(sb_vocabulary_list(vocabulary, families[family]), name);
      const sb_entry *entry = known                  ? NULL
                              : family == SIMULATORS ? simulator_of(name, facts, vocabulary, arena)
                                                     : method_of(family, name, facts, arena);
      if (entry) vocabulary = sb_vocabulary_with(vocabulary, families[family], entry, arena);
    }
  }
  return vocabulary;
}
