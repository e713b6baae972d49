/* `springbench table DIR [ID] [--format text|md|csv|tex]`: tables on stdout. */
#include <string.h>

#include "harness/commands/command.h"
#include "harness/report/report.h"

static bool find_format(const char *name, sb_table_format *format)
{
  static const char *const names[] = {"text", "md", "csv", "tex"};
  for (int i = 0; i < 4; ++i) {
    if (strcmp(names[i], name) != 0) continue;
    *format = (sb_table_format)i;
    return true;
  }
  fprintf(stderr, "springbench: error: unknown format '%s' (text, md, csv, tex) [E106]\n", name);
  return false;
}

static int print_tables(const sb_results *results, const char *id, sb_table_format format)
{
  size_t printed = 0;
  for (size_t i = 0; i < results->sweep->table_count; ++i) {
    char error[256] = "";
    if (id && strcmp(id, results->sweep->tables[i].id) != 0) continue;
    if (printed++) putchar('\n');
    if (sb_table_write(results, &results->sweep->tables[i], format, stdout, error)) continue;
    fprintf(stderr, "springbench: error: table '%s': %s\n", results->sweep->tables[i].id, error);
    return SB_EXIT_USAGE;
  }
  if (printed) return SB_EXIT_OK;
  if (results->sweep->table_count == 0) {
    fprintf(stderr, "springbench: error: the sweep '%s' has no tables\n", results->sweep->name);
    return SB_EXIT_USAGE;
  }
  fprintf(stderr, "springbench: error: no table '%s'; there are:", id ? id : "");
  for (size_t i = 0; i < results->sweep->table_count; ++i) fprintf(stderr, " %s", results->sweep->tables[i].id);
  fputc('\n', stderr);
  return SB_EXIT_USAGE;
}

static int run_table(int argc, char **argv, const sb_driver_list *drivers)
{
  const char     *positional[2] = {NULL, NULL};
  int             count = 0;
  sb_table_format format = SB_TEXT_TABLE;
  for (int i = 1; i < argc; ++i) {
    const char *name = NULL;
    if (strcmp(argv[i], "--format") == 0 && i + 1 < argc)
      name = argv[++i];
    else if (strncmp(argv[i], "--format=", 9) == 0)
      name = argv[i] + 9;
    if (name && !find_format(name, &format)) return SB_EXIT_USAGE;
    if (!name && (argv[i][0] == '-' || count == 2)) return sb_command_usage(&sb_command_table);
    if (!name) positional[count++] = argv[i];
  }
  if (count == 0) return sb_command_usage(&sb_command_table);
  sb_results *results = sb_command_results(positional[0], drivers);
  if (!results) return SB_EXIT_USAGE;
  const int status = print_tables(results, positional[1], format);
  sb_results_destroy(&results);
  return status;
}

const sb_command sb_command_table = {
    "table",
    "DIR [ID] [--format text|md|csv|tex]",
    "the tables of a sweep on the screen",
    run_table,
};
