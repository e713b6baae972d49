/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See case_progress.h. */
#include "cases/store/case_progress.h"

#include "base/allocate.h"
#include "base/profile.h"
#include "cases/common/progress_line.h"

void sb_case_progress_begin(sb_case_progress *p, const char *unit, int64_t first, int64_t total)
{
  p->unit = unit;
  p->first = first;
  p->total = total;
  p->began_seconds = sb_clock_seconds();
  if (!p->shown) p->told_seconds = p->began_seconds;
}

void sb_case_progress_step(sb_case_progress *p, int64_t done)
{
  static const double pause[] = {[SB_TELL_BAR] = 0.5, [SB_TELL_LINES] = 60};
  if (p->tell == SB_TELL_NOTHING || !p->unit || done <= p->first) return;
  const double now = sb_clock_seconds();
  if (now - p->told_seconds < pause[p->tell]) return;
  SB_OWNED char *line = NULL;
  size_t         length = 0;
  FILE          *stream = sb_text_stream(&line, &length);
  const double   rate = (double)(done - p->first) / (now - p->began_seconds);
  fprintf(stream, "%s %lld", p->unit, (long long)done);
  if (p->total > 0) fprintf(stream, " of %lld (%.0f %%)", (long long)p->total, 100 * (double)done / (double)p->total);
  fprintf(stream, ", %.3g %ss/s", rate, p->unit);
  if (p->total > 0) sb_progress_put_left(stream, (double)(p->total - done) / rate);
  fclose(stream);
  p->told_seconds = now;
  p->shown = p->tell == SB_TELL_BAR;
  if (p->shown)
    sb_progress_show(line);
  else
    fprintf(stderr, "springbench: %s\n", line);
}

void sb_case_progress_end(sb_case_progress *p)
{
  if (p->shown) sb_progress_clear();
  p->shown = false;
  p->unit = NULL;
}
