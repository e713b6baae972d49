/* Timings of the small case summed up; see noise_floor.h. */
#include "harness/results/noise_floor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/common/text.h"

static const char *text_of(const json_t *event, const char *name)
{
  const char *text = json_string_value(json_object_get(event, name));
  return text ? text : "";
}

static bool is_like(const json_t *event, const json_t *last)
{
  static const char *const same[] = {"case", "build", "machine"};
  for (size_t i = 0; i < sizeof same / sizeof *same; ++i)
    if (strcmp(text_of(event, same[i]), text_of(last, same[i])) != 0) return false;
  return true;
}

static double spread_of(const sb_noise_floor *f)
{
  double least = INFINITY, most = 0;
  for (size_t i = 0; i < f->timings; ++i) {
    if (f->only_quiet && f->each[i].noisy) continue;
    least = fmin(least, f->each[i].seconds);
    most = fmax(most, f->each[i].seconds);
  }
  return most / least - 1;
}

/* Writes what tells the case from others, "grid=6 method=newton"; the key where nothing does. */
static void put_case(FILE *stream, const sb_plan *plan, const char *key, sb_arena *arena)
{
  const sb_planned_case *c = NULL;
  const char            *separator = "";
  for (size_t i = 0; i < plan->count; ++i)
    if (strcmp(plan->cases[i].key, key) == 0) c = &plan->cases[i];
  for (size_t a = 0; c && a < plan->axis_count; ++a) {
    const sb_value value = sb_case_value(c, plan->axes[a]);
    bool           varies = false;
    for (size_t i = 0; i < plan->count && !varies; ++i)
      varies = !sb_value_same(value, sb_case_value(&plan->cases[i], plan->axes[a]));
    if (!varies || (value.kind != SB_NUMBER && value.kind != SB_WORD)) continue;
    fprintf(stream, "%s%s=%s", separator, plan->axes[a], sb_value_text(arena, value));
    separator = " ";
  }
  if (!*separator) fprintf(stream, "case %s", key);
}

static char *words_of(const sb_noise_floor *f, const json_t *last, const sb_plan *plan, sb_arena *arena)
{
  sb_arena_writer words;
  FILE           *stream = sb_arena_write(&words, arena);
  char            percent[SB_NUMBER_TEXT];
  if (isfinite(f->spread))
    fprintf(stream, "noise floor %s %%: ", sb_text_rounded(100 * f->spread, 2, percent));
  else
    fputs("no noise floor: ", stream);
  put_case(stream, plan, f->key, arena);
  fprintf(stream, " timed %zu time%s through the sweep", f->timings, f->timings == 1 ? "" : "s");
  if (!isfinite(f->spread)) fprintf(stream, ", fewer than %d", SB_FLOOR_LEAST);
  if (f->noisy == f->timings)
    fputs(", always while the machine was noisy", stream);
  else if (f->noisy > 0)
    fprintf(stream, ", %zu noisy %s", f->noisy, f->only_quiet ? "left out" : "included");
  fprintf(stream, "; %s", text_of(last, "machine"));
  return sb_arena_text(&words);
}

void sb_noise_floor_read(const json_t *floors, const sb_plan *plan, sb_arena *arena, sb_noise_floor *f)
{
  const size_t  count = json_array_size(floors);
  const json_t *last = count > 0 ? json_array_get(floors, count - 1) : NULL;
  *f = (sb_noise_floor){.spread = NAN};
  if (!last) return;
  snprintf(f->key, sizeof f->key, "%s", text_of(last, "case"));
  f->each = sb_arena_take(arena, count, sizeof *f->each);
  for (size_t i = 0; i < count; ++i) {
    const json_t *event = json_array_get(floors, i);
    if (!is_like(event, last)) continue;
    const bool noisy = *text_of(event, "noisy") != '\0';
    f->each[f->timings++] = (sb_floor_timing){json_number_value(json_object_get(event, "seconds")), noisy};
    f->noisy += noisy;
  }
  f->only_quiet = f->timings - f->noisy >= SB_FLOOR_LEAST;
  if (f->timings >= SB_FLOOR_LEAST) f->spread = spread_of(f);
  f->words = words_of(f, last, plan, arena);
}
