/* `springbench export FILE.h5|DIR/KEY|DIR --to csv|json|xdmf`: results for other programs, on stdout. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/command.h"
#include "harness/export.h"
#include "harness/publish.h"

static int export_file(const char *path, const char *to)
{
  char error[256] = "";
  if (sb_published_file_is_whole(path, error) && sb_export(path, to, stdout, error)) return SB_EXIT_OK;
  fprintf(stderr, "springbench: error: %s\n", error);
  return SB_EXIT_USAGE;
}

/* The case of a results directory, its checksum looked at first. */
static int export_case(const char *directory, const char *key, const char *to, const sb_driver_list *drivers)
{
  char        error[256] = "";
  int         status = SB_EXIT_USAGE;
  sb_results *results = sb_command_results(directory, drivers);
  if (!results) return status;
  if (sb_results_case_is_whole(results, key, error)) {
    char *path = sb_results_case_path(results, key);
    status = export_file(path, to);
    free(path);
  } else {
    fprintf(stderr, "springbench: error: %s\n", error);
  }
  sb_results_destroy(&results);
  return status;
}

/* A whole directory is its index. */
static int export_index(const char *directory, const char *to)
{
  char *path = NULL;
  if (strcmp(to, "csv") != 0) {
    fputs("springbench: error: a results directory is exported --to csv; name a case (DIR/KEY) for json or xdmf\n",
          stderr);
    return SB_EXIT_USAGE;
  }
  if (asprintf(&path, "%s/results.csv", directory) < 0) return SB_EXIT_STORAGE;
  FILE *file = fopen(path, "r");
  if (!file) perror(path);
  free(path);
  if (!file) return SB_EXIT_USAGE;
  char   buffer[65536];
  size_t length = 0;
  while ((length = fread(buffer, 1, sizeof buffer, file)) > 0) fwrite(buffer, 1, length, stdout);
  fclose(file);
  return SB_EXIT_OK;
}

static int run_export(int argc, char **argv, const sb_driver_list *drivers)
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
    status = export_index(what, to);
  else if (exists)
    status = export_file(what, to);
  else if (sb_command_split_key(what, &directory, &key))
    status = export_case(directory, key, to, drivers);
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
