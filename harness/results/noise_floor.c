/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timings of the small case summed up; see noise_floor.h. */
#include "harness/results/noise_floor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases/common/text.h"
#include "cases/store/journal.h"

static char *words_of(const sb_noise_floor *f, const json_t *last, const sb_plan *plan, sb_arena *arena)
{
  sb_arena_writer words;
  FILE           *stream = sb_arena_write(&words, arena);
  char            percent[SB_NUMBER_TEXT];
  bool            named = false;
  if (isfinite(f->spread))
    fprintf(stream, "noise floor %s %%: ", sb_text_rounded(100 * f->spread, 2, percent));
  else
    fputs("no noise floor: ", stream);
  for (size_t i = 0; i < plan->count && !named; ++i)
    named = strcmp(plan->cases[i].key, f->key) == 0 &&
            sb_plan_put_case(plan, sb_plan_varying(plan, arena), &plan->cases[i], stream);
  if (!named) fprintf(stream, "case %s", f->key);
  fprintf(stream, " timed %s during the sweep", sb_counted(arena, f->timings, "time"));
  if (!isfinite(f->spread)) fprintf(stream, ", fewer than %d", SB_FLOOR_LEAST);
  if (f->noisy == f->timings)
    fputs(", always while the machine was noisy", stream);
  else if (f->noisy > 0)
    fprintf(stream, ", %zu noisy %s", f->noisy, f->only_quiet ? "left out" : "included");
  fprintf(stream, "; %s", sb_journal_text(last, "machine"));
  return sb_arena_text(&words);
}

void sb_noise_floor_read(const json_t *floors, const sb_plan *plan, sb_arena *arena, sb_noise_floor *f)
{
  static const char *const same[] = {"case", "build", "machine"};
  const size_t             count = json_array_size(floors);
  const json_t            *last = count > 0 ? json_array_get(floors, count - 1) : NULL;
  double                   least = INFINITY, most = 0;
  *f = (sb_noise_floor){.spread = NAN};
  if (!last) return;
  snprintf(f->key, sizeof f->key, "%s", sb_journal_text(last, "case"));
  f->each = sb_arena_take(arena, count, sizeof *f->each);
  for (size_t i = 0; i < count; ++i) {
    const json_t *event = json_array_get(floors, i);
    const bool    noisy = *sb_journal_text(event, "noisy") != '\0';
    bool          alike = true;
    for (size_t k = 0; k < sizeof same / sizeof *same; ++k)
      alike = alike && strcmp(sb_journal_text(event, same[k]), sb_journal_text(last, same[k])) == 0;
    if (!alike) continue;
    f->each[f->timings++] = (sb_floor_timing){json_number_value(json_object_get(event, "seconds")), noisy};
    f->noisy += noisy;
  }
  f->only_quiet = f->timings - f->noisy >= SB_FLOOR_LEAST;
  for (size_t i = 0; i < f->timings; ++i) {
    if (f->only_quiet && f->each[i].noisy) continue;
    least = fmin(least, f->each[i].seconds);
    most = fmax(most, f->each[i].seconds);
  }
  if (f->timings >= SB_FLOOR_LEAST) f->spread = most / least - 1;
  f->words = words_of(f, last, plan, arena);
}

const char *sb_noise_note(sb_arena *arena, const sb_noise_floor *floor, size_t noisy, size_t cases, bool brief)
{
  const char *known = "";
  char        percent[SB_NUMBER_TEXT];
  if (noisy == 0) return NULL;
  if (floor && floor->timings > 0 && isfinite(floor->spread))
    known = sb_arena_format(arena, " (noise floor %s %%)", sb_text_rounded(100 * floor->spread, 2, percent));
  return sb_arena_format(arena, "%zu of %s %stimed while the machine was noisy%s", noisy,
                         sb_counted(arena, cases, "case"), brief ? "" : sb_by_count(noisy, "was ", "were "), known);
}
