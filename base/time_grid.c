/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a run; see time_grid.h. Two kinds of statement, each with a partner that may be left to the scene: (h,
 * duration or steps), and (substeps, frames, frame_seconds) with h = frame_seconds/substeps. A third has no seconds:
 * h_over_limit, with steps or (substeps, frames). */
#include "base/time_grid.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/allocate.h"
#include "base/option_ids.h"

#define STEPS_MAX 1e9

static bool from_user(const sb_options *options, sb_option_id id)
{
  return sb_options_origin(options, id) == SB_FROM_USER;
}

static bool set_real(sb_options *options, sb_option_id id, double value)
{
  char buffer[32];
  return sb_options_set(options, id, sb_format_real(value, buffer), SB_FROM_SCENE, (sb_location){0}, NULL);
}

/* Sets the duration of `steps` steps of h as the user's, and takes back that they stated steps. The product is rounded
 * to a decimal that a user would type, if there is one of 15 digits that near: 3 steps of 0.1 s are 0.3 s. */
static bool set_duration(sb_options *options)
{
  const double      product = (double)SB_INTEGER(options, steps) * SB_REAL(options, h);
  const sb_location where = sb_options_location(options, SB_OPT_steps);
  double            duration = product;
  char              text[32];
  for (int digits = 15; digits >= 1; --digits) {
    double rounded = 0;
    snprintf(text, sizeof text, "%.*e", digits - 1, product);
    if (sb_read_real(text, &rounded) == SB_NUMBER_READ && fabs(rounded - product) <= 2 * DBL_EPSILON * product)
      duration = rounded;
  }
  SB_OWNED char *steps = sb_copy_text(SB_TEXT(options, steps));
  return sb_options_set(options, SB_OPT_duration, sb_format_real(duration, text), SB_FROM_USER, where, NULL) &&
         sb_options_set(options, SB_OPT_steps, steps, SB_FROM_SCENE, where, NULL);
}

static bool set_default(sb_options *options, sb_option_id id, const char *text)
{
  if (sb_options_has(options, id)) return true;
  return sb_options_set(options, id, text, SB_FROM_SCENE, (sb_location){0}, NULL);
}

static void unset_frames(sb_options *options)
{
  sb_options_unset(options, SB_OPT_substeps);
  sb_options_unset(options, SB_OPT_frames);
  sb_options_unset(options, SB_OPT_frame_seconds);
}

static bool too_many(const sb_options *options, sb_option_id id, double steps, sb_diagnostics *diagnostics)
{
  return sb_error_at(diagnostics, sb_options_location(options, id), "E104",
                     "the run has %.3g steps (at most %.0e); shorten it or enlarge the step", steps, STEPS_MAX);
}

/* "h=1/4 and h=1/3": the values next to that of `id`, h or duration, with a whole number of steps. Malloc'ed. */
static char *nearest_whole(sb_option_id id, double h, double duration)
{
  const double below = floor(duration / h), above = below + 1;
  char         text[32];
  sb_format_real(duration, text);
  if (id == SB_OPT_h && below < 1) return sb_format("the nearest is h=%s", text);
  if (id == SB_OPT_h) return sb_format("the nearest are h=%s/%.0f and h=%s/%.0f", text, above, text, below);
  if (below < 1) return sb_format("the nearest is duration=%.12g", h);
  return sb_format("the nearest are duration=%.12g and duration=%.12g", below * h, above * h);
}

/* Without frames, one step is one frame. */
static bool from_step_and_duration(sb_options *options, bool any_step, sb_time_grid *grid, sb_diagnostics *diagnostics)
{
  const double h = SB_REAL(options, h), duration = SB_REAL(options, duration);
  const double near = round(duration / h);
  const bool   whole = fabs(duration / h - near) <= 1e-9 * near;
  const double steps = whole || !any_step ? near : ceil(duration / h);
  if (steps > STEPS_MAX) return too_many(options, SB_OPT_h, steps, diagnostics);
  if (steps < 1 || (!whole && !any_step)) {
    const sb_option_id blamed = from_user(options, SB_OPT_h) ? SB_OPT_h : SB_OPT_duration;
    SB_OWNED char     *nearest = nearest_whole(blamed, h, duration);
    return sb_error_at(diagnostics, sb_options_location(options, blamed), "E104",
                       "duration is not a whole number of steps (duration/h must be whole within 1e-9); "
                       "got duration %g s / h %g s = %.12g; %s",
                       duration, h, duration / h, nearest);
  }
  unset_frames(options);
  *grid = (sb_time_grid){h, (int64_t)steps, 1, (int64_t)steps};
  return true;
}

static bool count_frames(const sb_options *options, double h, sb_time_grid *grid, sb_diagnostics *diagnostics)
{
  const double substeps = (double)SB_INTEGER(options, substeps), frames = (double)SB_INTEGER(options, frames);
  if (substeps * frames > STEPS_MAX) return too_many(options, SB_OPT_substeps, substeps * frames, diagnostics);
  *grid = (sb_time_grid){h, (int64_t)(substeps * frames), (int64_t)substeps, (int64_t)frames};
  return true;
}

static bool from_frames(sb_options *options, sb_time_grid *grid, sb_diagnostics *diagnostics)
{
  sb_options_unset(options, SB_OPT_h);
  sb_options_unset(options, SB_OPT_duration);
  return count_frames(options, SB_REAL(options, frame_seconds) / (double)SB_INTEGER(options, substeps), grid,
                      diagnostics);
}

/* If the scene sets h and the user sets frames, a frame is as long as the scene's step. */
static bool complete_frames(sb_options *options)
{
  if (!sb_options_has(options, SB_OPT_frame_seconds) && sb_options_has(options, SB_OPT_h) &&
      !set_real(options, SB_OPT_frame_seconds, SB_REAL(options, h)))
    return false;
  if (!sb_options_has(options, SB_OPT_frames) && sb_options_has(options, SB_OPT_duration)) {
    char         buffer[32];
    const double frames = fmax(1, round(SB_REAL(options, duration) / SB_REAL(options, frame_seconds)));
    if (!set_default(options, SB_OPT_frames, sb_format_real(frames, buffer))) return false;
  }
  return set_default(options, SB_OPT_substeps, "1") && set_default(options, SB_OPT_frames, "1") &&
         set_default(options, SB_OPT_frame_seconds, "1");
}

/* The scene sets frames, the user h, duration or steps. */
static bool complete_steps(sb_options *options)
{
  const bool framed = sb_options_has(options, SB_OPT_substeps) && sb_options_has(options, SB_OPT_frame_seconds);
  if (!sb_options_has(options, SB_OPT_h)) {
    if (!framed) return false;
    if (!set_real(options, SB_OPT_h, SB_REAL(options, frame_seconds) / (double)SB_INTEGER(options, substeps)))
      return false;
  }
  if (from_user(options, SB_OPT_steps)) return set_duration(options);
  if (sb_options_has(options, SB_OPT_duration)) return true;
  if (!framed || !sb_options_has(options, SB_OPT_frames)) return false;
  return set_real(options, SB_OPT_duration, SB_REAL(options, frame_seconds) * (double)SB_INTEGER(options, frames));
}

/* Stored as frames, so that equal runs have equal options. */
static bool from_limit(sb_options *options, sb_time_grid *grid, sb_diagnostics *diagnostics)
{
  static const sb_option_id in_seconds[] = {SB_OPT_h, SB_OPT_duration, SB_OPT_frame_seconds};
  for (size_t i = 0; i < sizeof in_seconds / sizeof *in_seconds; ++i) {
    if (from_user(options, in_seconds[i]))
      return sb_error_at(diagnostics, sb_options_location(options, in_seconds[i]), "E104",
                         "'h_over_limit' and '%s' state the time step twice; give h_over_limit and steps, or "
                         "h_over_limit, substeps and frames",
                         sb_option_at(in_seconds[i])->name);
    sb_options_unset(options, in_seconds[i]);
  }
  if (from_user(options, SB_OPT_steps)) {
    if (from_user(options, SB_OPT_frames) || from_user(options, SB_OPT_substeps))
      return sb_error_at(diagnostics, sb_options_location(options, SB_OPT_steps), "E104",
                         "'steps' and frames state the length of the run twice; give steps, or substeps and frames");
    const sb_location where = sb_options_location(options, SB_OPT_steps);
    SB_OWNED char    *steps = sb_copy_text(SB_TEXT(options, steps));
    if (!sb_options_set(options, SB_OPT_frames, steps, SB_FROM_USER, where, NULL) ||
        !sb_options_set(options, SB_OPT_substeps, "1", SB_FROM_USER, where, NULL) ||
        !sb_options_set(options, SB_OPT_steps, steps, SB_FROM_SCENE, where, NULL))
      return false;
  } else if (!set_default(options, SB_OPT_substeps, "1") || !set_default(options, SB_OPT_frames, "1"))
    return false;
  return count_frames(options, SB_REAL(options, h_over_limit), grid, diagnostics);
}

static sb_option_id user_option(const sb_options *options, const sb_option_id *ids, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    if (from_user(options, ids[i])) return ids[i];
  return SB_OPT_COUNT;
}

bool sb_resolve_time(sb_options *options, bool any_step, sb_time_grid *grid, sb_diagnostics *diagnostics)
{
  static const sb_option_id step_ids[] = {SB_OPT_h, SB_OPT_duration, SB_OPT_steps};
  static const sb_option_id frame_ids[] = {SB_OPT_substeps, SB_OPT_frames, SB_OPT_frame_seconds};
  const sb_option_id        step = user_option(options, step_ids, 3), frame = user_option(options, frame_ids, 3);
  if (sb_options_has(options, SB_OPT_h_over_limit) && !any_step)
    return sb_error_at(diagnostics, sb_options_location(options, SB_OPT_h_over_limit), "E104",
                       "'h_over_limit' needs driver=blowup, which knows the limit; else give h in seconds");
  if (sb_options_has(options, SB_OPT_h_over_limit)) return from_limit(options, grid, diagnostics);
  if (step != SB_OPT_COUNT && frame != SB_OPT_COUNT)
    return sb_error_at(diagnostics, sb_options_location(options, frame), "E104",
                       "'%s' and '%s' state the time step twice; give h and duration or steps, or substeps, frames and "
                       "frame_seconds",
                       sb_option_at(step)->name, sb_option_at(frame)->name);
  if (from_user(options, SB_OPT_steps) && from_user(options, SB_OPT_duration))
    return sb_error_at(diagnostics, sb_options_location(options, SB_OPT_steps), "E104",
                       "'steps' and 'duration' state the length of the run twice; give one of them");
  const bool framed = frame != SB_OPT_COUNT || (step == SB_OPT_COUNT && !sb_options_has(options, SB_OPT_h));
  if (framed ? complete_frames(options) : complete_steps(options))
    return framed ? from_frames(options, grid, diagnostics)
                  : from_step_and_duration(options, any_step, grid, diagnostics);
  const sb_option_id culprit = step != SB_OPT_COUNT ? step : frame != SB_OPT_COUNT ? frame : SB_OPT_h;
  return sb_error_at(diagnostics, sb_options_location(options, culprit), "E104",
                     "the run has no length; give h and duration or steps, or substeps, frames and frame_seconds");
}
