/* Stands in for a case: called as the runner calls one, it writes the file and prints the row of the same case of an
 * earlier run, $SB_FAULT_RECORDED/<key>.h5 and <key>.row, as bytes. It makes trials of the runner quick. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int copy(const char *from, int to)
{
  char      chunk[65536];
  ssize_t   got = 0;
  const int file = open(from, O_RDONLY);
  while (file >= 0 && (got = read(file, chunk, sizeof chunk)) > 0)
    if (write(to, chunk, (size_t)got) != got) return 5;
  return file >= 0 && got == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
  const char *output = NULL, *recorded = getenv("SB_FAULT_RECORDED");
  char        key[17], path[4096];
  for (int i = 1; i + 1 < argc; ++i)
    if (strcmp(argv[i], "-o") == 0) output = argv[i + 1];
  if (!output || !recorded) return 2;
  snprintf(key, sizeof key, "%s", strrchr(output, '/') + 1);
  snprintf(path, sizeof path, "%s/%s.h5", recorded, key);
  const int file = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  const int wrote = file < 0 ? 5 : copy(path, file);
  if (wrote != 0 || fsync(file) != 0 || close(file) != 0) return 5;
  snprintf(path, sizeof path, "%s/%s.row", recorded, key);
  return copy(path, STDOUT_FILENO);
}
