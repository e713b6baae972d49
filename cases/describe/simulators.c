/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of simulators; see simulators.h. */
#include "cases/describe/simulators.h"

#include "base/option_ids.h"
#include "base/words.h"

enum { DEPTH = 6 };

static const sb_simulator none = {.name = "none", .summary = "no program; driver external refuses it"};

static const sb_entry *const entries[] = {&none.entry};

static void describe(const sb_entry *entry, sb_description *d)
{
  const sb_simulator *simulator = (const void *)entry;
  if (simulator->version) sb_describe_text(d, "version", simulator->version);
  sb_describe_words(d, "maps", simulator->maps);
  sb_describe_words(d, "ignores", simulator->ignores);
}

const sb_list sb_simulators = {
    .family = "simulators",
    .title = "Simulators",
    .about =
        "Named by option `simulator`. Driver `external` runs these programs of others. A description adds one to a "
        "command: `--simulator FILE.json`.",
    SB_LIST_ENTRIES(entries),
    .open = true,
    .describe = describe,
};

const sb_simulator *sb_simulator_of(const sb_options *options)
{
  const sb_list *list = sb_option_list(SB_OPT_simulator, sb_options_vocabulary(options));
  return (const void *)sb_list_find(list, sb_options_text(options, SB_OPT_simulator));
}

/* True if a mapped option, such as the integrator, decides whether a case reads this one, perhaps by options between.
 */
static bool is_chosen_by(sb_option_id id, const char *maps, const sb_vocabulary *vocabulary, int depth)
{
  const sb_selectors selectors = sb_option_selectors(id, vocabulary);
  bool               found = false;
  for (size_t s = 0; s < selectors.count && depth > 0; ++s)
    found = found || sb_has_word(maps, sb_option_at(selectors.by[s])->name) ||
            is_chosen_by(selectors.by[s], maps, vocabulary, depth - 1);
  return found;
}

const char *sb_simulator_uses(const char *maps, const sb_vocabulary *vocabulary, sb_arena *arena)
{
  const char *uses = "";
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
    const char        *name = sb_option_at(id)->name;
    const sb_selectors selectors = sb_option_selectors(id, vocabulary);
    if (!sb_has_word(maps, name) || sb_option_at(id)->traits & SB_OF_NET || selectors.count == 0) continue;
    if (selectors.count >= SB_SELECTORS_MAX || is_chosen_by(id, maps, vocabulary, DEPTH)) continue;
    uses = sb_arena_join(arena, uses, " ", "%s", name);
  }
  return uses;
}
