/* The bar and the lines; see progress.h. Time left is what is missing at the mean pace so far. */
#include "harness/run/progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/profile.h"

sb_progress_form sb_progress_form_of(const char *how)
{
  static const char *const forms[] = {"none", "failures", "lines", "bar"};
  for (int i = 0; how && i < 4; ++i)
    if (strcmp(how, forms[i]) == 0) return (sb_progress_form)i;
  return isatty(STDERR_FILENO) ? SB_PROGRESS_BAR : SB_PROGRESS_FAILURES;
}

void sb_progress_open(sb_progress *progress, const char *how, const sb_plan *plan, sb_arena *arena)
{
  *progress = (sb_progress){.form = sb_progress_form_of(how), .plan = plan, .started_seconds = sb_clock_seconds()};
  progress->varies = sb_plan_varying(plan, arena);
}

static void put_case(const sb_progress *progress, const sb_planned_case *planned, FILE *stream)
{
  if (!sb_plan_put_case(progress->plan, progress->varies, planned, stream)) fputs(planned->key, stream);
}

void sb_progress_clear(const sb_progress *progress)
{
  if (progress->form == SB_PROGRESS_BAR) fputs("\r\033[K", stderr);
}

void sb_progress_start(const sb_progress *p, const sb_planned_case *planned)
{
  struct winsize size;
  char          *line = NULL;
  size_t         length = 0;
  if (p->form != SB_PROGRESS_BAR) return;
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
  FILE      *stream = sb_text_stream(&line, &length);
  fprintf(stream, "%zu/%zu", p->done, p->total);
  if (p->failed > 0) fprintf(stream, ", %zu failed", p->failed);
  if (p->noisy > 0) fprintf(stream, ", %zu noisy", p->noisy);
  if (p->runs_done > 0) {
    const double pace = (sb_clock_seconds() - p->started_seconds) / (double)p->runs_done;
    const double left = pace * (double)(p->runs_total - p->runs_done);
    if (left < 100)
      fprintf(stream, ", %.0f s left", left);
    else if (left < 6000)
      fprintf(stream, ", %.0f min left", left / 60);
    else
      fprintf(stream, ", %.1f h left", left / 3600);
  }
  fputs(": ", stream);
  put_case(p, planned, stream);
  fclose(stream);
  fprintf(stderr, "\r\033[K%.*s", (known ? size.ws_col : 80) - 1, line);
  fflush(stderr);
  free(line);
}

void sb_progress_end(sb_progress *p, const sb_planned_case *planned, bool finished, sb_status status, double seconds,
                     const char *reason)
{
  const bool failed = finished && !sb_status_is_result(status);
  p->runs_done++;
  if (finished) p->done++;
  if (failed) p->failed++;
  if (!finished || p->form == SB_PROGRESS_NONE || (p->form != SB_PROGRESS_LINES && !failed)) return;
  sb_progress_clear(p);
  fprintf(stderr, "%zu/%zu ", p->done, p->total);
  put_case(p, planned, stderr);
  fprintf(stderr, ": %s (%.3g s)", sb_status_name(status), seconds);
  if (reason && *reason) fprintf(stderr, ": %s", reason);
  if (failed) fprintf(stderr, " [logs/%s.txt]", planned->key);
  fputc('\n', stderr);
}
