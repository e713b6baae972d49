/* `springbench table DIR [ID] [--format text|md|csv|tex]`: tables on stdout. */
#include <string.h>

#include "harness/commands/command.h"
#include "harness/report/report.h"

static bool find_form(const char *name, sb_table_form *form)
{
  static const char *const names[] = {"text", "md", "csv", "tex"};
  for (int i = 0; i < 4; ++i) {
    if (strcmp(names[i], name) != 0) continue;
    *form = (sb_table_form)i;
    return true;
  }
  fprintf(stderr, "springbench: error: unknown format '%s' (text, md, csv, tex) [E106]\n", name);
  return false;
}

static int print_tables(const sb_results *results, const char *id, sb_table_form form)
{
  const sb_sweep *sweep = results->sweep;
  sb_arena       *arena = sb_arena_create();
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  size_t          printed = 0;
  for (size_t i = 0; i < sweep->table_count; ++i) {
    if (id && strcmp(id, sweep->tables[i].id) != 0) continue;
    const sb_table *table = sb_sweep_table(results, &sweep->tables[i], arena, diagnostics);
    if (printed++) putchar('\n');
    if (table) sb_table_print(table, form, stdout);
  }
  const bool failed = sb_diagnostics_errors(diagnostics) > 0 || (id && !printed);
  if (!printed && sweep->table_count == 0)
    fprintf(stderr, "springbench: %s: this sweep has no tables\n", results->directory);
  if (!printed && sweep->table_count > 0) {
    fprintf(stderr, "springbench: error: no table '%s'; there are:", id);
    for (size_t i = 0; i < sweep->table_count; ++i) fprintf(stderr, " %s", sweep->tables[i].id);
    fputc('\n', stderr);
  }
  sb_diagnostics_print(diagnostics, stderr);
  sb_diagnostics_destroy(&diagnostics);
  sb_arena_destroy(&arena);
  return failed ? SB_EXIT_USAGE : SB_EXIT_OK;
}

static int run_table(int argc, char **argv, const sb_session *session)
{
  const char   *positional[2] = {NULL, NULL};
  int           count = 0;
  sb_table_form form = SB_TABLE_TEXT;
  for (int i = 1; i < argc; ++i) {
    const char *name = NULL;
    if (strcmp(argv[i], "--format") == 0 && i + 1 < argc)
      name = argv[++i];
    else if (strncmp(argv[i], "--format=", 9) == 0)
      name = argv[i] + 9;
    if (name && !find_form(name, &form)) return SB_EXIT_USAGE;
    if (!name && (argv[i][0] == '-' || count == 2)) return sb_command_usage(&sb_command_table);
    if (!name) positional[count++] = argv[i];
  }
  if (count == 0) return sb_command_usage(&sb_command_table);
  sb_results *results = sb_command_results(positional[0], session);
  if (!results) return SB_EXIT_USAGE;
  return print_tables(results, positional[1], form);
}

const sb_command sb_command_table = {
    "table",
    "DIR [ID] [--format text|md|csv|tex]",
    "the tables of a sweep on the screen",
    run_table,
};
