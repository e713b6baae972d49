/* Publishing by rename; see publish.h. The journal line comes before the rename, so that a file under cases/ always has
 * its checksum; a crash between the two is completed by sb_publish_recover. */
#include "harness/store/publish.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gcrypt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "harness/common/durable.h"
#include "harness/common/processes.h"

static bool start_digest(gcry_md_hd_t *digest)
{
  if (!gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) {
    gcry_check_version(NULL);
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  }
  if (gcry_md_open(digest, GCRY_MD_SHA256, 0) == 0) return true;
  errno = ENOMEM;
  return false;
}

/* The digest of what is read from `file`. */
static bool digest_file(int file, gcry_md_hd_t digest)
{
  enum { CHUNK = 1 << 16 };
  char   *chunk = sb_allocate(CHUNK, 1);
  ssize_t got;
  while ((got = TEMP_FAILURE_RETRY(read(file, chunk, CHUNK))) > 0) gcry_md_write(digest, chunk, (size_t)got);
  free(chunk);
  return got == 0;
}

bool sb_sha256_file(const char *path, char hex[SB_SHA256_HEX + 1])
{
  gcry_md_hd_t digest;
  const int    file = sb_open(path, O_RDONLY);
  if (file < 0) return false;
  bool read = start_digest(&digest);
  if (read) {
    read = digest_file(file, digest);
    const unsigned char *bytes = gcry_md_read(digest, GCRY_MD_SHA256);
    for (int i = 0; i < SB_SHA256_HEX / 2; ++i) snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    gcry_md_close(digest);
  }
  const int error = errno;
  close(file);
  errno = error;
  return read;
}

/* The key in <directory>/cases/<key>.h5, and the directory's length; false for any other path. */
static bool split_published(const char *path, char key[SB_KEY_LENGTH + 1], int *directory)
{
  static const char folder[] = "/cases/", suffix[] = ".h5";
  const size_t      tail = strlen(folder) + SB_KEY_LENGTH + strlen(suffix), length = strlen(path);
  const char       *at = length > tail ? path + length - tail : NULL;
  if (!at || strncmp(at, folder, strlen(folder)) != 0 || strcmp(path + length - strlen(suffix), suffix) != 0)
    return false;
  snprintf(key, SB_KEY_LENGTH + 1, "%s", at + strlen(folder));
  *directory = (int)(at - path);
  return true;
}

/* What the journal of the directory promises of the key; malloc'ed, NULL when nothing. False with errno set when the
 * journal cannot be read. */
static bool read_promise(const char *directory, int length, const char *key, char **checksum)
{
  sb_journal_state state;
  char            *path = sb_format("%.*s/journal.jsonl", length, directory);
  const bool       read = sb_journal_read(path, &state);
  const char      *text = read ? json_string_value(json_object_get(sb_journal_published(&state, key), "sha256")) : NULL;
  const int        error = errno;
  *checksum = text ? sb_copy_text(text) : NULL;
  sb_journal_clear(&state);
  free(path);
  errno = error;
  return read;
}

bool sb_published_file_is_whole(const char *path, char error[256])
{
  char  hex[SB_SHA256_HEX + 1] = "", key[SB_KEY_LENGTH + 1];
  int   directory = 0;
  char *real = realpath(path, NULL), *promised = NULL;
  bool  read = real || errno == ENOENT; /* of what is not there whoever opens it tells */
  if (real && split_published(real, key, &directory)) read = read_promise(real, directory, key, &promised);
  read = read && (!promised || sb_sha256_file(real, hex));
  const bool whole = read && (!promised || strcmp(hex, promised) == 0);
  if (!read) snprintf(error, 256, "cannot read %.180s: %s", path, strerror(errno));
  if (read && !whole) snprintf(error, 256, "%.180s is damaged: its checksum disagrees", path);
  free(promised);
  free(real);
  return whole;
}

static bool sync_file(const char *path)
{
  const int file = sb_open(path, O_RDONLY);
  if (file < 0) return false;
  const bool synced = TEMP_FAILURE_RETRY(fsync(file)) == 0;
  const int  error = errno;
  close(file);
  errno = error;
  return synced;
}

/* Renames unless `to` exists (then EEXIST); by a hard link where the file system does not know the flag. */
static bool rename_new(const char *from, const char *to)
{
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  return link(from, to) == 0 && unlink(from) == 0;
}

/* A file that no journal line knows is nobody's result, but not ours to delete: it is set aside. */
static bool set_aside(const char *directory, const char *key, const char *target)
{
  char      *aside = sb_format("%s/cases/%s.unknown.h5", directory, key);
  const bool moved = rename(target, aside) == 0;
  if (moved) fprintf(stderr, "springbench: warning: %s was not in the journal; it is %s now\n", target, aside);
  free(aside);
  return moved;
}

static bool move_into_place(const char *directory, const char *key, const char *file)
{
  char *target = sb_format("%s/cases/%s.h5", directory, key);
  char *cases = sb_format("%s/cases", directory);
  bool  moved = rename_new(file, target);
  if (!moved && errno == EEXIST) moved = set_aside(directory, key, target) && rename_new(file, target);
  if (!moved) sb_storage_error("publish", target, errno, 0);
  moved = moved && sb_sync_directory(cases);
  free(cases);
  free(target);
  return moved;
}

static void remove_case_file(const char *directory, const char *key)
{
  char *target = sb_format("%s/cases/%s.h5", directory, key);
  unlink(target);
  free(target);
}

/* Gives up what is published under the key: first in the journal, so that the file never goes without a word. */
static bool retire(const sb_publisher *p, const char *key)
{
  if (!sb_journal_published(p->state, key)) return true;
  json_t *event = json_pack("{s:s, s:s}", "event", "retire", "key", key);
  if (!sb_journal_append(p->journal, p->state, event)) return false;
  remove_case_file(p->directory, key);
  return true;
}

bool sb_publish(const sb_publisher *p, const char *key, const char *file, json_t *event)
{
  char hex[SB_SHA256_HEX + 1];
  if (!sb_sha256_file(file, hex) || !sync_file(file)) {
    json_decref(event);
    return sb_storage_error("read back", file, errno, 0);
  }
  if (!retire(p, key)) {
    json_decref(event);
    return false;
  }
  char *name = sb_format("cases/%s.h5", key);
  json_object_set_new(event, "sha256", json_string(hex));
  json_object_set_new(event, "file", json_string(name));
  free(name);
  return sb_journal_append(p->journal, p->state, event) && move_into_place(p->directory, key, file);
}

bool sb_publish_failure(const sb_publisher *p, const char *key, json_t *event)
{
  const bool had = sb_journal_published(p->state, key) != NULL;
  if (!sb_journal_append(p->journal, p->state, event)) return false;
  if (had) remove_case_file(p->directory, key);
  return true;
}

/* The key that a name in tmp/ starts with, when the journal has a publication of it whose file is not in place. */
static bool awaits_rename(const sb_publisher *p, const char *name, const char *path, char key[SB_KEY_LENGTH + 1])
{
  if (strlen(name) <= SB_KEY_LENGTH || name[SB_KEY_LENGTH] != '.') return false;
  memcpy(key, name, SB_KEY_LENGTH);
  key[SB_KEY_LENGTH] = '\0';
  const json_t *event = sb_journal_published(p->state, key);
  if (!event) return false;
  char      *target = sb_format("%s/cases/%s.h5", p->directory, key);
  const bool missing = access(target, F_OK) != 0;
  char       hex[SB_SHA256_HEX + 1];
  free(target);
  const char *promised = json_string_value(json_object_get(event, "sha256"));
  return missing && promised && sb_sha256_file(path, hex) && strcmp(hex, promised) == 0;
}

bool sb_publish_recover(const sb_publisher *p)
{
  char *tmp = sb_format("%s/tmp", p->directory);
  DIR  *entries = opendir(tmp);
  bool  good = entries || errno == ENOENT || sb_storage_error("read", tmp, errno, 0);
  for (const struct dirent *entry; entries && good && (entry = readdir(entries));) {
    char  key[SB_KEY_LENGTH + 1];
    char *path = sb_format("%s/%s", tmp, entry->d_name);
    if (entry->d_name[0] != '.' && awaits_rename(p, entry->d_name, path, key))
      good = move_into_place(p->directory, key, path);
    else if (sb_process_left(entry->d_name))
      unlink(path);
    free(path);
  }
  if (entries) closedir(entries);
  free(tmp);
  return good;
}
