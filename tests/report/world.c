/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See world.h. */
#include "tests/report/world.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "harness/report/report_text.h"
#include "solvers/integrate/integrator_method.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/minimize/minimizer_method.h"
#include "tests/cmocka_all.h"
#include "tests/lists.h"

static const char head[] = "springbench: 1\n"
                           "name: made_by_hand\n"
                           "driver: blowup\n"
                           "sweep: [{grid: {substeps: [4, 8, 9, 10, 77], drag: [0, 0.1]}}]\n";

/* The options take any name, but names are spelled as the entries are. */
static const sb_vocabulary solvers = TEST_VOCABULARY(&sb_integrators, &sb_minimizers, &sb_linear_backends);

world *world_create(const char *yaml)
{
  world *w = sb_allocate(1, sizeof *w);
  w->results.session = sb_session_begin(NULL);
  sb_arena *arena = w->results.session.arena;
  char     *text = sb_arena_format(arena, "%s%s", head, yaml);
  strcpy(w->directory, "/tmp/sb_report_XXXXXX");
  assert_non_null(mkdtemp(w->directory));
  sb_sweep *sweep = sb_sweep_parse(text, strlen(text), "by_hand.yaml", &w->results.session);
  sb_diagnostics_flush(w->results.session.diagnostics, stderr);
  assert_non_null(sweep);
  sweep->vocabulary = &solvers;
  w->results.sweep = sweep;
  w->results.directory = w->directory;
  w->results.kept = sb_arena_take(arena, 1, sizeof *w->results.kept);
  w->results.rows = sb_rows_create(arena);
  w->results.published_dir = sb_arena_adopt(arena, sb_data_directory("results/published"));
  return w;
}

void world_destroy(world **w)
{
  if (!*w) return;
  char *command = sb_format("rm -r '%s'", (*w)->directory);
  assert_int_equal(system(command), 0);
  free(command);
  sb_session_end(&(*w)->results.session, NULL);
  free(*w);
  *w = NULL;
}

sb_value number(double value) { return (sb_value){.kind = SB_NUMBER, .number = value}; }

sb_value word(const char *value) { return (sb_value){.kind = SB_WORD, .word = value}; }

sb_value blank(void) { return (sb_value){.kind = SB_BLANK}; }

void world_column(world *w, const char *name, const char *unit, bool is_option, bool is_timing)
{
  sb_rows_add_column(w->results.rows, name, unit, is_option, is_timing);
}

void world_row(world *w, ...)
{
  va_list      arguments;
  const size_t row = sb_rows_add_row(w->results.rows);
  char         key[24];
  snprintf(key, sizeof key, "%016zx", row + 1);
  sb_rows_set(w->results.rows, row, sb_rows_add_column(w->results.rows, "key", "", false, false), word(key));
  va_start(arguments, w);
  for (const char *name = va_arg(arguments, const char *); name; name = va_arg(arguments, const char *)) {
    size_t column = sb_rows_column_find(w->results.rows, name);
    if (column == (size_t)-1) column = sb_rows_add_column(w->results.rows, name, "", false, false);
    sb_rows_set(w->results.rows, row, column, va_arg(arguments, sb_value));
  }
  va_end(arguments);
}

char *world_path(const world *w, const char *name)
{
  return sb_arena_format(w->results.session.arena, "%s/%s", w->directory, name);
}

char *world_read(const world *w, const char *name)
{
  return sb_arena_adopt(w->results.session.arena, sb_read_file(world_path(w, name), NULL));
}

size_t world_size(const world *w, const char *name)
{
  struct stat about = {0};
  return stat(world_path(w, name), &about) == 0 ? (size_t)about.st_size : 0;
}

char *written(void (*put)(FILE *stream, const char *text), const char *text)
{
  char  *said = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&said, &length);
  put(stream, text);
  assert_int_equal(fclose(stream), 0);
  return said;
}

char *world_table(const world *w, sb_table_form form)
{
  sb_arena       *arena = w->results.session.arena;
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  const sb_table *table = sb_sweep_table(&w->results, &w->results.sweep->tables[0], arena, diagnostics);
  sb_arena_writer text;
  sb_diagnostics_print(diagnostics, stderr);
  assert_non_null(table);
  sb_table_print(table, form, sb_arena_write(&text, arena));
  sb_diagnostics_destroy(&diagnostics);
  return sb_arena_text(&text);
}

void assert_has_all(const char *text, const char *const *wanted)
{
  assert_non_null(text);
  for (; *wanted; ++wanted)
    if (!strstr(text, *wanted)) fail_msg("%s\nis not in\n%.20000s", *wanted, text);
}
