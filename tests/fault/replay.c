/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands in for a case, so that trials of the runner are quick. Called as the runner calls one, it writes the file and
 * prints the row of the same case of an earlier run, $SB_FAULT_RECORDED/<key>.h5 and <key>.row; where there is no such
 * file, a small file and row that depend on the key alone. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 0, or -1 when there is nothing to copy; leaves with 5, as cases do, when it cannot be written. */
static int copy(const char *from, int to)
{
  char      chunk[65536];
  ssize_t   got = 0;
  const int file = open(from, O_RDONLY);
  if (file < 0) return -1;
  while ((got = read(file, chunk, sizeof chunk)) > 0)
    if (write(to, chunk, (size_t)got) != got) _exit(5);
  close(file);
  return got == 0 ? 0 : -1;
}

static void invent(const char *key, int to, int row)
{
  char      text[1024];
  const int length = snprintf(text, sizeof text, "case %s\n", key);
  if (write(to, text, (size_t)length) != length) _exit(5);
  const int said = snprintf(text, sizeof text,
                            "{\"key\":\"%s\",\"status\":\"ok\",\"reason\":\"\",\"accuracy_ok\":true,"
                            "\"digest\":\"%s%s\",\"wall_s\":0.25,\"max_rss_bytes\":1000,"
                            "\"columns\":{\"steps_done\":5.0,\"end_time\":0.05,\"energy_final\":0.1}}\n",
                            key, key, key);
  if (write(row, text, (size_t)said) != said) _exit(5);
}

int main(int argc, char **argv)
{
  const char *output = NULL, *recorded = getenv("SB_FAULT_RECORDED");
  char        key[17], path[4096];
  for (int i = 1; i + 1 < argc; ++i)
    if (strcmp(argv[i], "-o") == 0) output = argv[i + 1];
  if (!output) return 2;
  snprintf(key, sizeof key, "%s", strrchr(output, '/') + 1);
  snprintf(path, sizeof path, "%s/%s.h5", recorded ? recorded : "", key);
  const int file = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0) return 5;
  const int known = copy(path, file);
  if (known < 0) invent(key, file, STDOUT_FILENO);
  if (fsync(file) != 0 || close(file) != 0) return 5;
  snprintf(path, sizeof path, "%s/%s.row", recorded ? recorded : "", key);
  return known < 0 || copy(path, STDOUT_FILENO) == 0 ? 0 : 1;
}
