/* `springbench export FILE.h5|DIR/KEY|DIR --to csv|json|xdmf`: results for other programs, on stdout. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/commands/command.h"
#include "harness/common/json_text.h"
#include "harness/store/export.h"
#include "harness/store/journal.h"

static int export_file(const char *path, const char *to)
{
  char       error[256] = "";
  const bool whole = sb_published_file_is_whole(path, error);
  if (whole && sb_export(path, to, stdout, error)) return SB_EXIT_OK;
  if (ferror(stdout)) return SB_EXIT_STORAGE; /* told when the program ends */
  if (whole)
    fprintf(stderr, "springbench: error: cannot export %s: %s\n", path, error);
  else
    fprintf(stderr, "springbench: error: %s\n", error); /* names the file */
  return SB_EXIT_USAGE;
}

/* The case of a results directory, its checksum looked at first. */
static int export_case(const char *directory, const char *beginning, const char *to, const sb_session *session)
{
  char        error[256] = "";
  int         status = SB_EXIT_USAGE;
  sb_results *results = sb_command_results(directory, session);
  if (!results) return status;
  const size_t row = sb_results_find(results, beginning);
  if (row == (size_t)-1) return status;
  if (sb_results_row_is_whole(results, row, error)) {
    char *path = sb_results_case_path(results, results->plan->cases[row].key);
    status = export_file(path, to);
    free(path);
  } else {
    fprintf(stderr, "springbench: error: %s\n", error);
  }
  return status;
}

static bool print_json(const sb_results *results)
{
  const sb_rows *rows = results->rows;
  json_t        *units = json_object(), *cases = json_array();
  for (size_t c = 0; c < sb_rows_column_count(rows); ++c)
    json_object_set_new(units, sb_rows_column_at(rows, c)->name, json_string(sb_rows_column_at(rows, c)->unit));
  for (size_t r = 0; r < sb_rows_count(rows); ++r) {
    json_t *one = json_object();
    for (size_t c = 0; c < sb_rows_column_count(rows); ++c)
      json_object_set_new(one, sb_rows_column_at(rows, c)->name, sb_json_of_value(sb_rows_get(rows, r, c)));
    json_array_append_new(cases, one);
  }
  json_t    *all = json_pack("{s:s, s:o, s:o}", "sweep", results->sweep->name, "units", units, "cases", cases);
  const bool printed = json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0;
  json_decref(all);
  return putchar('\n') != EOF && printed;
}

/* A whole directory is its index, which is made anew: what lies there may be older than the journal. */
static int export_index(const char *directory, const char *to, const sb_session *session)
{
  const bool json = strcmp(to, "json") == 0;
  if (!json && strcmp(to, "csv") != 0) {
    fputs("springbench: error: a results directory is exported --to csv or json; name a case (DIR/KEY) for xdmf\n",
          stderr);
    return SB_EXIT_USAGE;
  }
  sb_results *results = sb_command_results(directory, session);
  if (!results) return SB_EXIT_USAGE;
  if (json)
    (void)print_json(results);
  else
    sb_index_print_csv(results->rows, stdout);
  return SB_EXIT_OK;
}

static int run_export(int argc, char **argv, const sb_session *session)
{
  const char *what = NULL, *to = "csv";
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--to") == 0 && i + 1 < argc)
      to = argv[++i];
    else if (strncmp(argv[i], "--to=", 5) == 0)
      to = argv[i] + 5;
    else if (argv[i][0] == '-' || what)
      return sb_command_usage(&sb_command_export);
    else
      what = argv[i];
  }
  if (!what) return sb_command_usage(&sb_command_export);
  char       *directory = NULL, *key = NULL;
  struct stat about;
  int         status = SB_EXIT_USAGE;
  const bool  exists = stat(what, &about) == 0;
  if (exists && S_ISDIR(about.st_mode))
    status = export_index(what, to, session);
  else if (exists)
    status = export_file(what, to);
  else if (sb_command_split_key(what, &directory, &key))
    status = export_case(directory, key, to, session);
  else
    fprintf(stderr, "springbench: error: %s: neither a case file, nor DIR/KEY, nor a results directory\n", what);
  free(directory);
  free(key);
  return status;
}

const sb_command sb_command_export = {
    "export",
    "FILE.h5|DIR/KEY|DIR [--to csv|json|xdmf]",
    "results for other programs, on stdout",
    run_export,
};
