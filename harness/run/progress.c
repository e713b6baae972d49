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
  if (!how || strcmp(how, "auto") == 0) return isatty(STDERR_FILENO) ? SB_PROGRESS_BAR : SB_PROGRESS_FAILURES;
  if (strcmp(how, "none") == 0) return SB_PROGRESS_NONE;
  if (strcmp(how, "failures") == 0) return SB_PROGRESS_FAILURES;
  return strcmp(how, "bar") == 0 ? SB_PROGRESS_BAR : SB_PROGRESS_LINES;
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

static const char *time_text(double seconds, char buffer[32])
{
  if (seconds < 100)
    snprintf(buffer, 32, "%.0f s", seconds);
  else if (seconds < 6000)
    snprintf(buffer, 32, "%.0f min", seconds / 60);
  else
    snprintf(buffer, 32, "%.1f h", seconds / 3600);
  return buffer;
}

static int terminal_columns(void)
{
  struct winsize size;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

void sb_progress_clear(const sb_progress *progress)
{
  if (progress->form == SB_PROGRESS_BAR) fputs("\r\033[K", stderr);
}

void sb_progress_start(const sb_progress *p, const sb_planned_case *planned)
{
  if (p->form != SB_PROGRESS_BAR) return;
  char   left[32], *line = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&line, &length);
  fprintf(stream, "%zu/%zu", p->done, p->total);
  if (p->failed > 0) fprintf(stream, ", %zu failed", p->failed);
  if (p->noisy > 0) fprintf(stream, ", %zu noisy", p->noisy);
  if (p->runs_done > 0) {
    const double pace = (sb_clock_seconds() - p->started_seconds) / (double)p->runs_done;
    fprintf(stream, ", %s left", time_text(pace * (double)(p->runs_total - p->runs_done), left));
  }
  fputs(": ", stream);
  put_case(p, planned, stream);
  fclose(stream);
  fprintf(stderr, "\r\033[K%.*s", terminal_columns() - 1, line);
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
