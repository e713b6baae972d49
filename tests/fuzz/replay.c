/* Runs a fuzz target over files: `fuzz_<name> FILE|FOLDER…`. Says how many; fails when there was none. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"

static size_t replay_file(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  uint8_t     *data = malloc(1 << 20);
  const size_t size = data ? fread(data, 1, 1 << 20, file) : 0;
  fclose(file);
  /* The exact size, so that a sanitizer sees a read behind the end. */
  uint8_t *exact = size > 0 ? realloc(data, size) : data;
  printf("%s\n", path);
  fflush(stdout);
  (void)LLVMFuzzerTestOneInput(exact, size);
  free(exact);
  return 1;
}

static size_t replay_folder(const char *path)
{
  size_t         count = 0;
  char           name[4096];
  struct dirent *entry;
  DIR           *folder = opendir(path);
  while (folder && (entry = readdir(folder)) != NULL) {
    if (entry->d_name[0] == '.') continue;
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    count += replay_file(name);
  }
  if (folder) closedir(folder);
  return count;
}

int main(int argc, char **argv)
{
  size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    struct stat about;
    if (stat(argv[i], &about) != 0) continue;
    count += S_ISDIR(about.st_mode) ? replay_folder(argv[i]) : replay_file(argv[i]);
  }
  printf("%zu inputs\n", count);
  return count > 0 ? 0 : 1;
}
