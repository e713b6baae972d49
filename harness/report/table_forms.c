/* Tables: one layout, four forms; see report.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/report_text.h"
#include "harness/report/table_layout.h"

static const struct {
  sb_table_format format;
  const char     *suffix;
} forms[] = {{SB_TEXT_TABLE, ".txt"}, {SB_MARKDOWN_TABLE, ".md"}, {SB_CSV_TABLE, ".csv"}, {SB_LATEX_TABLE, ".tex"}};

enum { FORM_COUNT = sizeof forms / sizeof *forms };

static void write_form(const sb_table_layout *layout, const char *id, sb_table_format format, FILE *stream)
{
  switch (format) {
  case SB_TEXT_TABLE:
    sb_table_write_text(layout, stream);
    break;
  case SB_MARKDOWN_TABLE:
    sb_table_write_markdown(layout, stream);
    break;
  case SB_CSV_TABLE:
    sb_table_write_csv(layout, stream);
    break;
  case SB_LATEX_TABLE:
    sb_table_write_latex(layout, id, stream);
    break;
  }
}

bool sb_table_write(const sb_results *results, const sb_table_spec *spec, sb_table_format format, FILE *stream,
                    char error[256])
{
  if (!sb_text_is_safe_name(spec->id))
    return sb_report_error(error, "a table's id has letters, digits and . _ + - only");
  const sb_table_wording wording = format == SB_CSV_TABLE ? SB_TABLE_NAMES : SB_TABLE_WORDS;
  sb_table_layout       *layout = sb_table_layout_create(results, spec, wording, error);
  if (!layout) return false;
  write_form(layout, spec->id, format, stream);
  sb_table_layout_destroy(&layout);
  return !ferror(stream) || sb_report_error(error, "cannot write: %s", strerror(errno));
}

static bool write_file(const sb_results *results, const sb_table_spec *spec, size_t form)
{
  char error[SB_ERROR_SIZE] = "";
  if (!sb_text_is_safe_name(spec->id)) {
    fprintf(stderr, "springbench: a table's id has letters, digits and . _ + - only\n");
    return false;
  }
  char *path = sb_report_path(results->directory, "tables", spec->id, forms[form].suffix);
  FILE *stream = path ? sb_report_open(path) : NULL;
  if (path && !stream) fprintf(stderr, "springbench: %s: cannot write: %s\n", path, strerror(errno));
  bool done = stream != NULL;
  if (stream && !sb_table_write(results, spec, forms[form].format, stream, error)) {
    fprintf(stderr, "springbench: %s: %s\n", path, error);
    done = false;
  }
  if (stream && !sb_report_close(stream, path)) done = false;
  free(path);
  return done;
}

bool sb_tables_write_all(const sb_results *results)
{
  bool all = true;
  for (size_t t = 0; t < results->sweep->table_count; ++t) {
    bool done = true;
    for (size_t form = 0; form < FORM_COUNT && done; ++form)
      done = write_file(results, &results->sweep->tables[t], form);
    all = all && done;
  }
  return all;
}
