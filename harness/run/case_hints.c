/* Hints on a case; see case_hints.h. */
#include "harness/run/case_hints.h"

#include <math.h>
#include <stdlib.h>

#include "solvers/integrate/integrator_method.h"

/* An explicit step that is too long is the usual cause; where the limit lies is the driver blowup's to measure. */
static void hint_at_step(const sb_options *options, FILE *stream)
{
  const sb_integrator_method *method = sb_integrator_method_find(SB_TEXT(options, integrator));
  if (!method || !isfinite(method->stability_limit)) return;
  fprintf(stream,
          "%-26s h may be too long for %s (driver=blowup tells the limit, limit_h): a smaller h, or "
          "integrator=implicit_euler\n",
          "hint", method->name);
}

/* Without a tolerance every step makes all its iterations, of which nobody chose the number. */
static void hint_at_iterations(const sb_options *options, FILE *stream)
{
  const bool iterates =
      sb_options_read(options, SB_OPT_integrator) && sb_options_read(options, SB_OPT_max_iterations);
  const bool chosen = sb_options_origin(options, SB_OPT_max_iterations) == SB_FROM_USER;
  if (!iterates || chosen || SB_REAL(options, step_tolerance) > 0 || SB_REAL(options, gradient_tolerance) > 0) return;
  fprintf(stream,
          "%-26s %s made all its %s iterations in every step: neither max_iterations nor a tolerance is given\n",
          "hint", SB_TEXT(options, minimizer), SB_TEXT(options, max_iterations));
}

/* A case of a sweep may have what others of it read; who types one by hand believes that it acts. */
static void hint_at_unread(const sb_options *options, FILE *stream)
{
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option_id id = (sb_option_id)i;
    if (sb_options_origin(options, id) != SB_FROM_USER || sb_options_read(options, id)) continue;
    char *readers = sb_options_readers(options, id);
    fprintf(stream, "%-26s %s=%s is not read: it takes %s\n", "hint", sb_option_at(id)->name,
            sb_options_text(options, id), readers);
    free(readers);
  }
}

void sb_case_hints(const sb_options *options, sb_status status, FILE *stream)
{
  hint_at_unread(options, stream);
  if (status == SB_CASE_DIVERGED) hint_at_step(options, stream);
  if (status == SB_OK) hint_at_iterations(options, stream);
}
