/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a fuzz target over files: `fuzz_<name> FILE|FOLDER…`. Says how many; fails when there was none. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"

enum { INPUT_MAX = 1 << 20 };

extern int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

static size_t replay_file(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  uint8_t     *data = malloc(INPUT_MAX);
  const size_t size = data ? fread(data, 1, INPUT_MAX, file) : 0;
  fclose(file);
  /* The exact size, so that a sanitizer sees a read behind the end. */
  uint8_t *exact = size > 0 ? realloc(data, size) : data;
  fprintf(stderr, "%s\n", path);
  (void)LLVMFuzzerTestOneInput(exact, size);
  free(exact);
  return 1;
}

static size_t replay_folder(const char *path)
{
  size_t         count = 0;
  char           name[PATH_MAX];
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

static size_t replay(const char *path)
{
  struct stat about;
  if (stat(path, &about) != 0) return 0;
  return S_ISDIR(about.st_mode) ? replay_folder(path) : replay_file(path);
}

int main(int argc, char **argv)
{
  size_t count = 0;
  char  *paths[64] = {NULL};
  /* A target may go to another folder. */
  for (int i = 1; i < argc && i < 64; ++i) paths[i] = realpath(argv[i], NULL);
  if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
  for (int i = 1; i < argc && i < 64; ++i) {
    if (paths[i]) count += replay(paths[i]);
    free(paths[i]);
  }
  fprintf(stderr, "%zu inputs\n", count);
  return count > 0 ? 0 : 1;
}
