/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See progress_line.h. */
#include "cases/common/progress_line.h"

#include <stdbool.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/diagnostics.h"

void sb_progress_show(const char *text)
{
  struct winsize size;
  const bool     known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
  SB_OWNED char *line = NULL;
  size_t         length = 0;
  FILE          *stream = sb_text_stream(&line, &length);
  sb_write_printable(stream, text);
  if (fclose(stream) != 0) return;
  /* Writes to the descriptor, as the guarded stream would escape the control characters of the line. */
  dprintf(STDERR_FILENO, "\r\033[K%.*s", (known ? size.ws_col : 80) - 1, line);
}

void sb_progress_clear(void) { dprintf(STDERR_FILENO, "\r\033[K"); }

void sb_progress_put_duration(FILE *stream, double seconds)
{
  if (seconds < 100)
    fprintf(stream, "%.0f s", seconds);
  else if (seconds < 6000)
    fprintf(stream, "%.0f min", seconds / 60);
  else
    fprintf(stream, "%.1f h", seconds / 3600);
}

void sb_progress_put_left(FILE *stream, double seconds)
{
  fputs(", ", stream);
  sb_progress_put_duration(stream, seconds);
  fputs(" left", stream);
}
