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
  if (!how || strcmp(how, "auto") == 0) return isatty(STDERR_FILENO) ? SB_PROGRESS_BAR : SB_PROGRESS_LINES;
  if (strcmp(how, "none") == 0) return SB_PROGRESS_NONE;
  return strcmp(how, "bar") == 0 ? SB_PROGRESS_BAR : SB_PROGRESS_LINES;
}

/* The value an axis has in a case, NULL when it has none there. */
static const char *axis_text(const sb_planned_case *planned, const char *axis)
{
  const sb_option_id id = sb_option_find(axis);
  if (id == SB_OPT_COUNT) return planned->method;
  return sb_options_has(planned->options, id) ? sb_options_text(planned->options, id) : NULL;
}

static bool varies(const sb_plan *plan, const char *axis)
{
  const char *first = axis_text(&plan->cases[0], axis);
  for (size_t i = 1; i < plan->count; ++i) {
    const char *other = axis_text(&plan->cases[i], axis);
    if (!first != !other || (first && strcmp(first, other) != 0)) return true;
  }
  return false;
}

void sb_progress_open(sb_progress *progress, const char *how, const sb_plan *plan)
{
  *progress = (sb_progress){.form = sb_progress_form_of(how), .plan = plan, .started_seconds = sb_clock_seconds()};
  progress->varies = calloc(plan->axis_count + 1, sizeof *progress->varies);
  for (size_t a = 0; progress->varies && a < plan->axis_count; ++a) progress->varies[a] = varies(plan, plan->axes[a]);
}

void sb_progress_close(sb_progress *progress)
{
  free(progress->varies);
  progress->varies = NULL;
}

char *sb_progress_case_text(const sb_progress *progress, const sb_planned_case *planned)
{
  const sb_plan *plan = progress->plan;
  char          *text = NULL;
  size_t         length = 0;
  FILE          *stream = sb_text_stream(&text, &length);
  for (size_t a = 0; a < plan->axis_count; ++a) {
    const char *value = axis_text(planned, plan->axes[a]);
    if (value && *value && progress->varies && progress->varies[a])
      fprintf(stream, "%s%s=%s", ftell(stream) > 0 ? " " : "", plan->axes[a], value);
  }
  if (ftell(stream) == 0) fputs(planned->key, stream);
  fclose(stream);
  return text;
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
  char *text = sb_progress_case_text(p, planned);
  fprintf(stream, ": %s", text ? text : planned->key);
  fclose(stream);
  fprintf(stderr, "\r\033[K%.*s", terminal_columns() - 1, line);
  fflush(stderr);
  free(text);
  free(line);
}

void sb_progress_end(sb_progress *p, const sb_planned_case *planned, bool finished, sb_status status, double seconds,
                     const char *reason)
{
  const bool failed = finished && !sb_status_is_result(status);
  p->runs_done++;
  if (finished) p->done++;
  if (failed) p->failed++;
  if (!finished || p->form == SB_PROGRESS_NONE || (p->form == SB_PROGRESS_BAR && !failed)) return;
  char *text = sb_progress_case_text(p, planned);
  sb_progress_clear(p);
  fprintf(stderr, "%zu/%zu %s: %s (%.3g s)", p->done, p->total, text ? text : planned->key, sb_status_name(status),
          seconds);
  if (reason && *reason) fprintf(stderr, ": %s", reason);
  if (failed) fprintf(stderr, " [logs/%s.txt]", planned->key);
  fputc('\n', stderr);
  free(text);
}
