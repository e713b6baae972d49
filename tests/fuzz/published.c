/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV files of published results: cells stay inside the text, rows are as wide as the header, and the figure's data
 * file has no byte that would end a cell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/common/csv.h"
#include "harness/report/figure_text.h"
#include "tests/fuzz/fuzz.h"

static void check_table(const sb_published_table *table)
{
  for (size_t i = 0; i < table->rows * table->columns; ++i)
    fuzz_require(table->cells[i] >= table->text && table->cells[i] + strlen(table->cells[i]) <= table->end,
                 "cells stay inside the text");
  for (size_t c = 0; table->rows > 0 && c < table->columns; ++c) {
    fuzz_require(sb_published_column(table, table->cells[c]) <= c, "a column is found by its name");
    for (size_t r = 0; r <= table->rows; ++r) (void)sb_published_text(table, r, table->cells[c]);
  }
}

static void check_data(const sb_published_table *table)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = open_memstream(&text, &length);
  sb_figure_put_published(stream, table);
  fclose(stream);
  for (size_t i = 0; i < length; ++i)
    fuzz_require((unsigned char)text[i] >= 0x20 || text[i] == '\n' || text[i] == '\t', "no control characters");
  fuzz_require(!memchr(text, '"', length), "no double quotes");
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char      error[256] = "";
  sb_arena *arena = sb_arena_create();
  (void)fuzz_file(".csv", data, size);
  sb_published_table *table = sb_published_read(arena, fuzz_folder(), "input", error);
  fuzz_require(table || *error, "a refusal has a reason");
  if (table) check_table(table);
  if (table) check_data(table);
  sb_arena_destroy(&arena);
  return 0;
}
