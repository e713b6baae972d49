/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See plan_of.h. */
#include "tests/harness/plan_of.h"

#include <string.h>

static sb_arena *arena;

static const sb_column columns[] = {{"blowup_time", "s", "when", .timing = false},
                                    {"blowup_predicted", "s", "when, by theory", .timing = false},
                                    {"step_s", "s", "a time", .timing = true},
                                    {"why", "", "a word", .kind = SB_COLUMN_WORD}};
static const sb_driver blowup = {.name = "blowup", .columns = columns, .column_count = 4};
static const sb_driver trajectory = {.name = "trajectory"}; /* the default of option driver */

sb_arena *test_arena(void)
{
  if (!arena) arena = sb_arena_create();
  return arena;
}

static void end_diagnostics(void *diagnostics) { sb_diagnostics_destroy(&(sb_diagnostics *){diagnostics}); }

/* The vocabulary with the drivers above besides; NULL: no other names are known. */
static const sb_vocabulary *with_drivers(const sb_vocabulary *vocabulary)
{
  static const sb_entry *const entries[] = {&blowup.entry, &trajectory.entry};
  static const sb_list         drivers = {.family = "drivers", .entries = entries, .count = 2};
  const size_t                 count = vocabulary ? vocabulary->count : 0;
  const sb_list              **lists = sb_arena_take(test_arena(), count + 1, sizeof *lists);
  sb_vocabulary               *all = sb_arena_take(test_arena(), 1, sizeof *all);
  if (sb_vocabulary_list(vocabulary, "drivers")) return vocabulary;
  for (size_t i = 0; i < count; ++i) lists[i] = vocabulary->lists[i];
  lists[count] = &drivers;
  *all = (sb_vocabulary){.lists = lists, .count = count + 1};
  return all;
}

const sb_session *session_with(const sb_vocabulary *vocabulary, sb_diagnostics *diagnostics)
{
  sb_session *session = sb_arena_take(test_arena(), 1, sizeof *session);
  if (!diagnostics) sb_arena_defer(arena, end_diagnostics, diagnostics = sb_diagnostics_create());
  *session = (sb_session){arena, with_drivers(vocabulary), diagnostics, false};
  return session;
}

int end_sessions(void **state)
{
  (void)state;
  sb_arena_destroy(&arena);
  return 0;
}

sb_sweep *sweep_of(const char *text)
{
  sb_diagnostics *d = sb_diagnostics_create();
  sb_sweep       *s = sb_sweep_parse(text, strlen(text), "f", session_with(NULL, d));
  if (!s) fail_msg("%s", sb_diagnostics_message(d, 0));
  sb_diagnostics_destroy(&d);
  return s;
}

sb_plan *plan_of(const char *text, const sb_selection *request)
{
  sb_diagnostics *d = sb_diagnostics_create();
  sb_plan        *p = sb_plan_create(sweep_of(text), request, session_with(NULL, d));
  if (!p) fail_msg("%s", sb_diagnostics_message(d, 0));
  assert_int_equal(sb_diagnostics_errors(d), 0);
  sb_diagnostics_destroy(&d);
  return p;
}
