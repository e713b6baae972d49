/* `springbench table DIR [ID] [--format text|md|csv|tex]`: tables on stdout. */
#include <string.h>

#include "harness/commands/command.h"
#include "harness/report/report.h"

static bool find_form(const sb_session *session, const char *name, sb_table_form *form)
{
  static const char *const names[] = {"text", "md", "csv", "tex"};
  for (int i = 0; i < 4; ++i) {
    if (strcmp(names[i], name) != 0) continue;
    *form = (sb_table_form)i;
    return true;
  }
  return sb_error_at(session->diagnostics, (sb_location){0}, "E106", "unknown format '%s' (text, md, csv, tex)", name);
}

static int print_tables(const sb_results *results, const char *id, sb_table_form form)
{
  const sb_sweep   *sweep = results->sweep;
  const sb_session *session = &results->session;
  const sb_location here = {results->directory, 0, 0};
  const char       *all = "";
  size_t            printed = 0;
  for (size_t i = 0; i < sweep->table_count; ++i) {
    all = sb_arena_format(session->arena, "%s %s", all, sweep->tables[i].id);
    if (id && strcmp(id, sweep->tables[i].id) != 0) continue;
    const sb_table *table = sb_sweep_table(results, &sweep->tables[i], session->arena, session->diagnostics);
    if (printed++) putchar('\n');
    if (table) sb_table_print(table, form, stdout);
  }
  if (id && !printed && sweep->table_count > 0)
    sb_error_at(session->diagnostics, here, "E101", "no table '%s'; there are:%s", id, all);
  else if (id && !printed)
    sb_error_at(session->diagnostics, here, "E101", "this sweep has no tables");
  else if (!printed)
    fprintf(stderr, "springbench: %s: this sweep has no tables\n", results->directory);
  return sb_diagnostics_errors(session->diagnostics) > 0 ? SB_EXIT_USAGE : SB_EXIT_OK;
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
    if (name && !find_form(session, name, &form)) return SB_EXIT_USAGE;
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
