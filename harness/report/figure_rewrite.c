/* What gnuplot has drawn, rewritten in place: figure_svg.c and figure_latex.c say how. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/report/figure_data.h"
#include "harness/report/report_text.h"

bool sb_figure_rewrite(const char *path, void (*rewrite)(FILE *from, FILE *to, const void *context),
                       const void *context)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *file = fopen(path, "re"), *stream = sb_text_stream(&text, &length);
  if (file) rewrite(file, stream, context);
  bool done = file && !ferror(file);
  if (file) fclose(file);
  if (fclose(stream) != 0) done = false;
  file = done ? sb_report_open(path) : NULL;
  done = file && fwrite(text, 1, length, file) == length;
  if (!done) fprintf(stderr, "springbench: %s: cannot be rewritten: %s\n", path, strerror(errno));
  if (file && !sb_report_close(file, path)) done = false;
  free(text);
  return done;
}
