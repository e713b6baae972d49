/* See progress_line.h. */
#include "harness/common/progress_line.h"

#include <stdbool.h>
#include <sys/ioctl.h>
#include <unistd.h>

void sb_progress_show(const char *text)
{
  struct winsize size;
  const bool     known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
  fprintf(stderr, "\r\033[K%.*s", (known ? size.ws_col : 80) - 1, text);
  fflush(stderr);
}

void sb_progress_clear(void) { fputs("\r\033[K", stderr); }

void sb_progress_put_left(FILE *stream, double seconds)
{
  if (seconds < 100)
    fprintf(stream, ", %.0f s left", seconds);
  else if (seconds < 6000)
    fprintf(stream, ", %.0f min left", seconds / 60);
  else
    fprintf(stream, ", %.1f h left", seconds / 3600);
}
