/* Cells and names of columns of figures' data files; see figure_data_cells.h. */
#include "harness/report/figure_data_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/report_text.h"

void sb_cell_put_word(FILE *stream, const char *word)
{
  if (!*word) fputc('?', stream);
  for (; *word; ++word) {
    const unsigned char c = (unsigned char)*word;
    fputc(c < 0x20 || c == 0x7f ? ' ' : c == '"' ? '\'' : c, stream);
  }
}

void sb_cell_put_number(FILE *stream, double number)
{
  char buffer[32];
  fputs(isfinite(number) ? sb_format_real(number, buffer) : "?", stream);
}

static void put_value(FILE *stream, sb_value value)
{
  switch (value.kind) {
  case SB_NUMBER:
    sb_cell_put_number(stream, value.number);
    break;
  case SB_WORD:
    sb_cell_put_word(stream, value.word);
    break;
  case SB_TRUTH:
    fputs(value.truth ? "1" : "0", stream);
    break;
  default:
    fputc('?', stream);
    break;
  }
}

void sb_names_add(sb_name_list *list, const char *name)
{
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->names[i], name) == 0) return;
  list->names = sb_grow(list->names, list->count, sizeof *list->names);
  list->names[list->count++] = sb_copy_text(name);
}

void sb_names_clear(sb_name_list *list)
{
  for (size_t i = 0; i < list->count; ++i) free(list->names[i]);
  free(list->names);
}

void sb_names_put(FILE *stream, const sb_name_list *list)
{
  for (size_t i = 0; i < list->count; ++i) {
    if (i > 0) fputc('\t', stream);
    sb_cell_put_word(stream, list->names[i]);
  }
}

void sb_cells_put(FILE *stream, const sb_results *results, const sb_name_list *list, size_t row)
{
  for (size_t i = 0; i < list->count; ++i) {
    if (i > 0) fputc('\t', stream);
    put_value(stream, sb_report_value(results, row, list->names[i]));
  }
}

void sb_names_add_settings(sb_name_list *list, const sb_sweep *sweep)
{
  size_t       count = 0;
  const char **settings = sb_report_settings(sweep, &count);
  for (size_t i = 0; i < count; ++i) sb_names_add(list, settings[i]);
  free(settings);
}

void sb_names_add_options(sb_name_list *list, const sb_name_list *wanted)
{
  for (size_t i = 0; wanted && i < wanted->count; ++i)
    if (sb_option_find(wanted->names[i]) != SB_OPT_COUNT) sb_names_add(list, wanted->names[i]);
}

bool sb_figure_case_path(const sb_results *results, size_t row, char **path, char error[256])
{
  const sb_value key = sb_rows_get_named(results->rows, row, "key");
  *path = key.kind == SB_WORD ? sb_results_case_path(results, key.word) : NULL;
  const bool there = *path && access(*path, F_OK) == 0;
  /* HDF5 believes what it reads, so the checksum comes first. */
  const bool whole = !there || sb_results_case_is_whole(results, key.word, error);
  if (there && whole) return true;
  free(*path);
  *path = NULL;
  return whole;
}
