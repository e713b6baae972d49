/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Methods in stored plans that the program lacks; see plugin_methods.h. */
#include "cases/describe/plugin_methods.h"

#include <math.h>
#include <string.h>

#include "cases/common/text.h"
#include "cases/describe/simulators.h"
#include "model/forces/plugin_law.h"
#include "solvers/integrate/plugin.h"
#include "solvers/linear/plugin.h"
#include "solvers/minimize/plugin.h"

enum { LINEAR, MINIMIZERS, INTEGRATORS, LAWS, SIMULATORS, FAMILIES };
static const char *const families[FAMILIES] = {[LINEAR] = "linear",
                                               [MINIMIZERS] = "minimizers",
                                               [INTEGRATORS] = "integrators",
                                               [LAWS] = "laws",
                                               [SIMULATORS] = "simulators"};
static const char *const special_member[FAMILIES] = {
    [LINEAR] = "claims", [MINIMIZERS] = "claims", [INTEGRATORS] = "claims", [LAWS] = "claims", [SIMULATORS] = "maps"};

/* A method of earlier versions, for its rows and keys. */
static const sb_minimizer_method hybrid = {.name = "hybrid",
                                           .summary = "a method of version 1.0; auto takes its place",
                                           .uses = "linear contact_implicit",
                                           .reads = "window preconditioner cg_max_iterations ncg_formula curvature",
                                           .traits = SB_DESCENDS | SB_IMPLICIT_CONTACT | SB_REDUCED_PINS,
                                           .columns = 1};

/* {"claims": …, "sha256": …, "summary": …}, of a simulator with "maps" in place of claims; NULL if the method is part
 * of the program. */
static json_t *facts_of(int family, const sb_entry *entry)
{
  const sb_linear_backend    *backend = (const void *)entry;
  const sb_minimizer_method  *method = (const void *)entry;
  const sb_integrator_method *steps = (const void *)entry;
  const sb_law_method        *law = (const void *)entry;
  const sb_simulator         *simulator = (const void *)entry;
  const bool                  simulates = family == SIMULATORS;
  const char                 *digest = simulates               ? simulator->digest
                                       : family == LINEAR      ? backend->digest
                                       : family == INTEGRATORS ? steps->digest
                                       : family == LAWS        ? law->digest
                                                               : method->digest;
  if (!digest) return NULL;
  const unsigned claims = family == LINEAR        ? backend->claims
                          : family == INTEGRATORS ? steps->claims
                          : family == LAWS        ? law->claims
                                                  : method->claims;
  json_t        *special = simulates ? json_string(simulator->maps) : json_integer((int)claims);
  return json_pack("{s:s, s:s, s:o}", "sha256", digest, "summary", entry->summary, special_member[family], special);
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

bool sb_plugin_methods_need(json_t *methods, const char *family, const char *name, const char *file)
{
  bool known = false;
  for (int f = 0; f < SIMULATORS; ++f) known = known || strcmp(family, families[f]) == 0;
  if (!known || !sb_text_is_safe_name(name) || !sb_is_printable(file)) return false;
  if (!json_object_get(methods, family)) json_object_set_new(methods, family, json_object());
  return json_object_set_new(json_object_get(methods, family), name,
                             json_pack("{s:s, s:s, s:i}", "sha256", SB_PLUGIN_ABSENT, "summary", file, "claims",
                                       (int)SB_PLUGIN_SEES_NET)) == 0;
}

static const char *method_by_claim(const sb_options *options, unsigned claim, unsigned value)
{
  const sb_linear_backend   *backend = sb_options_read(options, SB_ID(linear)) ? sb_linear_backend_of(options) : NULL;
  const sb_minimizer_method *method =
      sb_options_read(options, SB_ID(minimizer)) ? sb_minimizer_method_of(options) : NULL;
  if (method && method->digest && (method->claims & claim) == value) return method->name;
  return backend && backend->digest && (backend->claims & claim) == value ? backend->name : NULL;
}

const char *sb_plugin_methods_uncounted(const sb_options *options)
{
  return method_by_claim(options, SB_PLUGIN_COUNTED, 0);
}

const char *sb_plugin_methods_in_python(const sb_options *options)
{
  const sb_integrator_method *steps =
      sb_options_read(options, SB_ID(integrator)) ? sb_integrator_method_of(options) : NULL;
  const sb_law_method *law = sb_options_read(options, SB_ID(law)) ? sb_law_method_of(options) : NULL;
  if (steps && steps->digest && steps->claims & SB_PLUGIN_IN_PYTHON) return steps->name;
  if (law && law->digest && law->claims & SB_PLUGIN_IN_PYTHON) return law->name;
  return method_by_claim(options, SB_PLUGIN_IN_PYTHON, SB_PLUGIN_IN_PYTHON);
}

/* A method without functions, or a simulator without a command; NULL if what is stored is malformed. */
static const sb_entry *entry_of(int family, const char *stored_name, json_t *facts, const sb_vocabulary *vocabulary,
                                sb_arena *arena)
{
  const char *sha256 = NULL, *stored_summary = NULL;
  json_t     *special = NULL;
  if (json_unpack(facts, "{s:s, s:s, s:o}", "sha256", &sha256, "summary", &stored_summary, special_member[family],
                  &special) != 0 ||
      !(family == SIMULATORS ? json_is_string(special) : json_is_integer(special)) ||
      !sb_text_is_safe_name(stored_name) || !sb_text_is_safe_name(sha256) || !sb_is_printable(stored_summary))
    return NULL;
  const char    *name = sb_arena_copy(arena, stored_name), *summary = sb_arena_copy(arena, stored_summary);
  const char    *digest = sb_arena_copy(arena, sha256);
  const unsigned claims = (unsigned)json_integer_value(special);
  if (family == SIMULATORS) {
    sb_simulator *simulator = sb_arena_take(arena, 1, sizeof *simulator);
    const char   *uses = sb_simulator_uses(json_string_value(special), vocabulary, arena);
    *simulator = (sb_simulator){.name = name, .summary = summary, .uses = uses, .digest = digest};
    return &simulator->entry;
  }
  if (family == LINEAR) {
    sb_plugin_linear *solver = sb_arena_take(arena, 1, sizeof *solver);
    *solver = (sb_plugin_linear){.size = sizeof *solver, .name = name, .summary = summary, .traits = claims};
    return sb_plugin_backend(solver, digest, arena);
  }
  if (family == INTEGRATORS) {
    sb_plugin_integrator *integrator = sb_arena_take(arena, 1, sizeof *integrator);
    *integrator = (sb_plugin_integrator){
        .size = sizeof *integrator, .name = name, .summary = summary, .traits = claims, .stability_limit = NAN};
    return sb_plugin_integrator_method(integrator, digest, arena);
  }
  if (family == LAWS) {
    sb_plugin_law *law = sb_arena_take(arena, 1, sizeof *law);
    *law = (sb_plugin_law){.size = sizeof *law, .name = name, .summary = summary, .traits = claims};
    law->most = claims & SB_PLUGIN_BOUNDED ? 1 : 0;
    return sb_plugin_law_method(law, digest, arena);
  }
  sb_plugin_minimizer *minimizer = sb_arena_take(arena, 1, sizeof *minimizer);
  *minimizer = (sb_plugin_minimizer){.size = sizeof *minimizer, .name = name, .summary = summary, .traits = claims};
  return sb_plugin_minimizer_method(minimizer, digest, arena);
}

const sb_vocabulary *sb_plugin_methods_take_former(const sb_vocabulary *vocabulary, const char *plan, sb_arena *arena)
{
  const bool has = plan && strstr(plan, "\"hybrid\"") && sb_vocabulary_list(vocabulary, families[MINIMIZERS]);
  return has ? sb_vocabulary_with(vocabulary, families[MINIMIZERS], &hybrid.entry, arena) : vocabulary;
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
      const sb_entry *entry = known ? NULL : entry_of(family, name, facts, vocabulary, arena);
      if (entry) vocabulary = sb_vocabulary_with(vocabulary, families[family], entry, arena);
    }
  }
  return vocabulary;
}
