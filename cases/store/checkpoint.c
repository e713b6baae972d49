/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Storing and reading checkpoints; see checkpoint.h. An item is its name, its size and its bytes. */
#include "cases/store/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "cases/common/digest.h"
#include "cases/common/durable.h"

#define FORMAT "springbench checkpoint 1"
enum { HEAD_MAX = 1 << 16, CHUNK = 1 << 20, NAME_MAX_LENGTH = 255 };

const char *const sb_identity_names[SB_IDENTITY_FACTS] = {"key", "command line", "program", "libraries", "processor"};

struct sb_checkpoint {
  bool   reads, good;
  char  *bytes;
  size_t size, room, at; /* at: of the next item to be read */
};

sb_checkpoint *sb_checkpoint_create(void)
{
  sb_checkpoint *c = sb_allocate(1, sizeof *c);
  c->good = true;
  return c;
}

void sb_checkpoint_destroy(sb_checkpoint **checkpoint)
{
  if (*checkpoint) free((*checkpoint)->bytes);
  free(*checkpoint);
  *checkpoint = NULL;
}

bool sb_checkpoint_reads(const sb_checkpoint *checkpoint) { return checkpoint->reads; }

bool sb_checkpoint_good(const sb_checkpoint *checkpoint) { return checkpoint->good; }

static void append(sb_checkpoint *c, size_t size, const void *bytes)
{
  if (c->size + size > c->room) {
    c->room = 2 * (c->size + size);
    c->bytes = sb_insist(realloc(c->bytes, c->room));
  }
  if (size > 0) memcpy(c->bytes + c->size, bytes, size);
  c->size += size;
}

/* Takes the next bytes; false if there are fewer. */
static bool take(sb_checkpoint *c, size_t size, void *bytes)
{
  c->good = c->good && size <= c->size - c->at;
  if (c->good && size > 0) memcpy(bytes, c->bytes + c->at, size);
  if (c->good) c->at += size;
  return c->good;
}

void sb_checkpoint_bytes(sb_checkpoint *c, const char *name, size_t size, void *bytes)
{
  uint64_t sizes[2] = {strlen(name), size};
  char     found[NAME_MAX_LENGTH + 1] = "";
  if (!c->reads) {
    append(c, sizeof sizes, sizes);
    append(c, sizes[0], name);
    append(c, size, bytes);
    return;
  }
  c->good = take(c, sizeof sizes, sizes) && sizes[0] <= NAME_MAX_LENGTH && sizes[1] == size;
  if (c->good && take(c, sizes[0], found)) c->good = strcmp(found, name) == 0;
  if (c->good) take(c, size, bytes);
}

void sb_checkpoint_text(sb_checkpoint *c, const char *name, sb_arena *arena, const char **text)
{
  int64_t length = *text ? (int64_t)strlen(*text) : -1;
  sb_checkpoint_bytes(c, name, sizeof length, &length);
  if (!c->good) return;
  char *copy = length < 0 ? NULL : sb_arena_take(arena, (size_t)length + 1, 1);
  if (copy && !c->reads) memcpy(copy, *text, (size_t)length);
  if (copy) sb_checkpoint_bytes(c, name, (size_t)length, copy);
  *text = copy;
}

/* ---- files ---- */

/* Passes the rest of one file to another (-1: to none) through the digest, up to `size` bytes; false with errno set. */
static bool pass(int from, int to, size_t size, sb_digest *digest)
{
  SB_OWNED char *chunk = sb_allocate(CHUNK, 1);
  while (size > 0) {
    const ssize_t got = TEMP_FAILURE_RETRY(read(from, chunk, size < CHUNK ? size : CHUNK));
    if (got == 0) errno = ENODATA;
    if (got <= 0 || (to >= 0 && !sb_write_all(to, chunk, (size_t)got))) return false;
    sb_digest_bytes(digest, (size_t)got, chunk);
    size -= (size_t)got;
  }
  return true;
}

static bool write_all(int file, const sb_checkpoint *c, const sb_checkpoint_identity *identity, int part)
{
  char                                      hex[SB_DIGEST_LENGTH + 1];
  const off_t                               length = part < 0 ? 0 : lseek(part, 0, SEEK_END);
  SB_ENDED_BY(sb_digest_destroy) sb_digest *digest = sb_digest_create();
  json_auto_t *head = json_pack("{s:I, s:I}", "state", (json_int_t)c->size, "file", (json_int_t)length);
  for (int i = 0; i < SB_IDENTITY_FACTS; ++i)
    json_object_set_new(head, sb_identity_names[i], json_string(identity->fact[i]));
  SB_OWNED char *words = json_dumps(head, JSON_COMPACT);
  SB_OWNED char *line = sb_format("%s %s\n", FORMAT, words);
  sb_digest_bytes(digest, strlen(line), line);
  sb_digest_bytes(digest, c->size, c->bytes);
  if (length < 0 || (part >= 0 && lseek(part, 0, SEEK_SET) != 0) || !sb_write_all(file, line, strlen(line)) ||
      !sb_write_all(file, c->bytes, c->size) || !pass(part, file, (size_t)length, digest))
    return false;
  sb_digest_hex(digest, hex);
  return sb_write_all(file, hex, SB_DIGEST_LENGTH);
}

bool sb_checkpoint_store(const sb_checkpoint *checkpoint, const char *path, const sb_checkpoint_identity *identity,
                         const char *part)
{
  char           host[64];
  SB_OWNED char *aside = sb_format("%s.%s.%ld", path, sb_host_name(host), (long)getpid());
  SB_OWNED char *folder = sb_copy_span(path, strrchr(path, '/') ? (size_t)(strrchr(path, '/') - path) + 1 : 0);
  const int      from = part ? sb_open(part, O_RDONLY) : -1;
  const int      file = part && from < 0 ? -1 : sb_create(aside, 0);
  bool           good = file >= 0 && write_all(file, checkpoint, identity, from) && fsync(file) == 0;
  const int      cause = errno;
  if (from >= 0) close(from);
  if (file >= 0 && close(file) != 0) good = false;
  good = good && rename(aside, path) == 0 && sb_sync_file(*folder ? folder : ".");
  if (!good && file >= 0) unlink(aside);
  if (!good && cause != 0) errno = cause;
  return good;
}

/* The head of one line, in `line`[HEAD_MAX]; NULL if there is none. */
static json_t *read_head(int file, char *line)
{
  const ssize_t got = TEMP_FAILURE_RETRY(read(file, line, HEAD_MAX - 1));
  char         *end = got > 0 ? memchr(line, '\n', (size_t)got) : NULL;
  if (!end || strncmp(line, FORMAT " ", strlen(FORMAT) + 1) != 0) return NULL;
  end[1] = '\0';
  return lseek(file, end + 1 - line, SEEK_SET) > 0 ? json_loads(line + strlen(FORMAT) + 1, 0, NULL) : NULL;
}

static bool is_same(const json_t *head, const sb_checkpoint_identity *identity, char why[256])
{
  for (int i = 0; i < SB_IDENTITY_FACTS; ++i) {
    const char *stored = json_string_value(json_object_get(head, sb_identity_names[i]));
    if (stored && strcmp(stored, identity->fact[i]) == 0) continue;
    snprintf(why, 256, "it was stored with another %s", sb_identity_names[i]);
    return false;
  }
  return true;
}

/* State and case file, if the digest at the end is theirs. */
static bool read_rest(int file, sb_checkpoint *c, size_t length, int part, sb_digest *digest)
{
  char hex[SB_DIGEST_LENGTH + 1], stored[SB_DIGEST_LENGTH + 1] = "";
  for (size_t at = 0; at < c->size;) {
    const ssize_t got = TEMP_FAILURE_RETRY(read(file, c->bytes + at, c->size - at));
    if (got <= 0) return false;
    at += (size_t)got;
  }
  sb_digest_bytes(digest, c->size, c->bytes);
  if (!pass(file, part, length, digest)) return false;
  sb_digest_hex(digest, hex);
  return TEMP_FAILURE_RETRY(read(file, stored, SB_DIGEST_LENGTH)) == SB_DIGEST_LENGTH && strcmp(hex, stored) == 0;
}

sb_checkpoint *sb_checkpoint_load(const char *path, const sb_checkpoint_identity *identity, const char *part,
                                  char why[256])
{
  SB_OWNED char *line = sb_allocate(HEAD_MAX, 1);
  const int      file = sb_open(path, O_RDONLY);
  *why = '\0';
  if (file < 0) return NULL;
  const off_t    all = lseek(file, 0, SEEK_END);
  json_auto_t   *head = all > 0 && lseek(file, 0, SEEK_SET) == 0 ? read_head(file, line) : NULL;
  const int64_t  size = json_integer_value(json_object_get(head, "state"));
  const int64_t  length = json_integer_value(json_object_get(head, "file"));
  sb_checkpoint *c = NULL;
  if (!head || size <= 0 || length < 0 || (length > 0) != (part != NULL) || size > all || length > all) {
    snprintf(why, 256, "it is not a complete checkpoint");
  } else if (is_same(head, identity, why)) {
    SB_ENDED_BY(sb_digest_destroy) sb_digest *digest = sb_digest_create();
    const int                                 to = part ? sb_create(part, 0) : -1;
    c = sb_checkpoint_create();
    *c = (sb_checkpoint){.reads = true, .good = true, .bytes = sb_allocate((size_t)size, 1), .size = (size_t)size};
    sb_digest_bytes(digest, strlen(line), line);
    const bool opened = !part || to >= 0, whole = opened && read_rest(file, c, (size_t)length, to, digest);
    if (!whole || (to >= 0 && close(to) != 0)) {
      snprintf(why, 256, "%s", opened ? "it is not a complete checkpoint" : strerror(errno));
      if (to >= 0) unlink(part);
      sb_checkpoint_destroy(&c);
    }
  }
  close(file);
  return c;
}
