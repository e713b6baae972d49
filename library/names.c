/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of the library: of springbench and of the plug-ins in the environment. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "cases/run/plugins.h"
#include "cases/run/run_case.h"
#include "drivers/drivers.h"
#include "library/simulation.h"

const sb_vocabulary *sb_sim_vocabulary(sb_diagnostics *diagnostics)
{
  static sb_session loaded; /* its arena keeps earlier ones, whose names simulations have */
  static char      *names;  /* of the plug-ins */
  const char       *variable = getenv(SB_PLUGINS_VARIABLE);
  if (!variable || !*variable) return sb_full_vocabulary();
  if (names && strcmp(names, variable) == 0) return loaded.vocabulary;
  if (!loaded.arena) loaded.arena = sb_arena_create();
  sb_session session = {loaded.arena, sb_full_vocabulary(), diagnostics, false};
  if (!sb_plugins_load_named(&session)) return sb_full_vocabulary();
  free(names);
  names = sb_copy_text(variable);
  loaded = session;
  return loaded.vocabulary;
}

static const sb_entry *entry_of(const char *family, size_t i)
{
  SB_ENDED_BY(sb_diagnostics_destroy) sb_diagnostics *unread = sb_diagnostics_create();
  const sb_list *list = family ? sb_vocabulary_list(sb_sim_vocabulary(unread), family) : NULL;
  return list ? sb_list_at(list, i) : NULL;
}

const char *sb_sim_list_name(const char *list, size_t i)
{
  SB_AS_GUEST;
  const sb_entry *entry = entry_of(list, i);
  return entry ? entry->name : NULL;
}

const char *sb_sim_list_summary(const char *list, size_t i)
{
  SB_AS_GUEST;
  const sb_entry *entry = entry_of(list, i);
  return entry ? entry->summary : NULL;
}
