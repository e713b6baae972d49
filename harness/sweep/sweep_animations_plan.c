/* Which cases animations show, and that those store their frames; see sweep_animations.h. */
#include "harness/sweep/sweep_animations.h"

#include <stdio.h>
#include <string.h>

/* Every how many frames a state is stored, so that about `wanted` are, evenly. */
static int64_t every(int64_t frames, int64_t wanted)
{
  const int64_t gaps = wanted > 1 ? wanted - 1 : 1;
  return frames > gaps ? (frames + gaps - 1) / gaps : 1;
}

static bool store_frames(const sb_animation_spec *animation, sb_planned_case *c, sb_diagnostics *diagnostics)
{
  char text[32];
  if (sb_options_origin(c->options, SB_OPT_save) == SB_FROM_USER) {
    if (strncmp(SB_TEXT(c->options, save), "every:", 6) == 0) return true;
    return sb_error_at(diagnostics, animation->location, "E106",
                       "the animation '%s' shows a case with save '%s', which stores no frames; leave save out",
                       animation->id, SB_TEXT(c->options, save));
  }
  snprintf(text, sizeof text, "every:%lld", (long long)every(c->time.frames, animation->frames));
  return sb_options_set(c->options, SB_OPT_save, text, SB_FROM_USER, animation->location, diagnostics);
}

static bool shows(const sb_animation_spec *animation, const sb_rows *row, bool *shown, sb_diagnostics *diagnostics)
{
  const sb_scope scope = {.rows = row};
  *shown = true;
  return !animation->where || sb_expression_holds(animation->where, &scope, 0, shown, diagnostics);
}

bool sb_animations_prepare(const sb_sweep *sweep, const sb_rows *row, sb_planned_case *c, bool as_told, size_t *counts,
                           sb_diagnostics *diagnostics)
{
  for (size_t i = 0; i < sweep->animation_count; ++i) {
    bool shown = false;
    if (!shows(&sweep->animations[i], row, &shown, diagnostics)) return false;
    if (shown) counts[i]++;
    if (shown && !as_told && !store_frames(&sweep->animations[i], c, diagnostics)) return false;
  }
  return true;
}

bool sb_animations_check(const sb_sweep *sweep, const size_t *counts, sb_diagnostics *diagnostics)
{
  bool good = true;
  for (size_t i = 0; i < sweep->animation_count; ++i)
    if (counts[i] != 1)
      good = sb_error_at(diagnostics, sweep->animations[i].location, "E106",
                         "the animation '%s' shows one case; its where takes %zu", sweep->animations[i].id, counts[i]);
  return good;
}
