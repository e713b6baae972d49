/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See seal.h. */
#include "cases/common/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases/common/digest.h"
#include "cases/common/durable.h"

#define BEGINNING "\nspringbench-seal "
enum { LINE = sizeof BEGINNING + SB_DIGEST_LENGTH /* with the newline at its end */ };

static void put_line(const sb_digest *digest, char line[LINE + 1])
{
  char hex[SB_DIGEST_LENGTH + 1];
  sb_digest_hex(digest, hex);
  snprintf(line, LINE + 1, BEGINNING "%s\n", hex);
}

size_t sb_seal_put(char *bytes, size_t size)
{
  _Static_assert((int)LINE < (int)SB_SEAL_ROOM, "room for the line and a NUL");
  SB_ENDED_BY(sb_digest_destroy) sb_digest *digest = sb_digest_create();
  sb_digest_bytes(digest, size, bytes);
  put_line(digest, bytes + size);
  return size + LINE;
}

/* The line for the first `size` bytes. False with errno set. */
static bool make_line(int file, off_t size, char line[LINE + 1])
{
  enum { CHUNK = 1 << 16 };
  SB_OWNED char                            *chunk = sb_allocate(CHUNK, 1);
  SB_ENDED_BY(sb_digest_destroy) sb_digest *digest = sb_digest_create();
  for (off_t at = 0; at < size;) {
    const size_t  wanted = size - at < CHUNK ? (size_t)(size - at) : CHUNK;
    const ssize_t got = TEMP_FAILURE_RETRY(pread(file, chunk, wanted, at));
    if (got == 0) errno = EIO; /* it has become shorter */
    if (got <= 0) return false;
    sb_digest_bytes(digest, (size_t)got, chunk);
    at += got;
  }
  put_line(digest, line);
  return true;
}

bool sb_seal_append(const char *path)
{
  struct stat about;
  char        line[LINE + 1];
  const int   file = sb_open(path, O_RDWR | O_APPEND);
  return file >= 0 && sb_close_written(file, fstat(file, &about) == 0 && make_line(file, about.st_size, line) &&
                                                 sb_write_all(file, line, LINE));
}

sb_seal sb_seal_check(const char *path)
{
  struct stat                     about;
  char                            found[LINE + 1] = "", made[LINE + 1];
  SB_ENDED_BY(sb_close) const int file = sb_open(path, O_RDONLY);
  if (file < 0 || fstat(file, &about) != 0) return SB_SEAL_UNREADABLE;
  if (about.st_size <= LINE) return SB_SEAL_ABSENT;
  const ssize_t got = TEMP_FAILURE_RETRY(pread(file, found, LINE, about.st_size - LINE));
  if (got < 0 || !make_line(file, about.st_size - LINE, made)) return SB_SEAL_UNREADABLE;
  if (strncmp(found, BEGINNING, strlen(BEGINNING)) != 0) return SB_SEAL_ABSENT;
  return strcmp(found, made) == 0 ? SB_SEAL_FITS : SB_SEAL_BROKEN;
}
