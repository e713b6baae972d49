/* The journal, the state of a case by it, and publishing by rename; see journal.h and docs/robustness.md, "Storing
 * results". The journal line comes before the rename, so that a file under cases/ always has its checksum; a crash
 * between the two is completed by sb_publish_recover. */
#include "harness/store/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"
#include "harness/common/durable.h"
#include "harness/common/json_text.h"
#include "harness/common/processes.h"
#include "harness/store/side_car.h"

/* ---- The journal ---- */

static const char *text_of(const json_t *event, const char *name)
{
  const char *text = json_string_value(json_object_get(event, name));
  return text ? text : "";
}

static bool is(const json_t *event, const char *name, const char *text)
{
  return strcmp(text_of(event, name), text) == 0;
}

static char *case_path(const char *directory, const char *key) { return sb_format("%s/cases/%s.h5", directory, key); }

json_t *sb_journal_published(const sb_journal_state *state, const char *key)
{
  json_t *event = json_object_get(state->cases, key);
  return event && is(event, "event", "publish") ? event : NULL;
}

/* Makes `event` what holds for the key. */
static void note_for(sb_journal_state *state, const char *key, json_t *event)
{
  const char *what = text_of(event, "event");
  if (strcmp(what, "run") == 0) json_array_append(state->runs, event);
  if (strcmp(what, "floor") == 0) json_array_append(state->floors, event);
  if (strcmp(what, "damage") == 0) state->bad_lines = 0;
  if (!*key) return;
  if (strcmp(what, "retire") == 0) json_object_del(state->cases, key);
  if (strcmp(what, "publish") == 0 || strcmp(what, "fail") == 0) json_object_set(state->cases, key, event);
  if (strcmp(what, "interrupt") == 0 && !sb_journal_published(state, key)) json_object_set(state->cases, key, event);
}

void sb_journal_note(sb_journal_state *state, json_t *event) { note_for(state, text_of(event, "key"), event); }

/* {"event", "row": {"status", "columns": {"noisy"}}}: borrowed, one for all that are alike. */
static json_t *outline_of(sb_journal_state *state, const json_t *event)
{
  const json_t  *row = json_object_get(event, "row");
  const char    *what = text_of(event, "event"), *status = text_of(row, "status");
  const char    *noisy = *text_of(json_object_get(row, "columns"), "noisy") ? "noisy" : "";
  SB_OWNED char *kind = sb_format("%s %s %s", what, status, noisy);
  if (!json_object_get(state->outlines, kind))
    json_object_set_new(
        state->outlines, kind,
        json_pack("{s:s, s:{s:s, s:{s:s}}}", "event", what, "row", "status", status, "columns", "noisy", noisy));
  return json_object_get(state->outlines, kind);
}

bool sb_journal_read(const char *path, sb_journal_state *state)
{
  *state = (sb_journal_state){
      .cases = json_object(), .runs = json_array(), .floors = json_array(), .outlines = json_object()};
  size_t         size = 0;
  SB_OWNED char *text = sb_read_file(path, &size);
  if (!text) return errno == ENOENT;
  const char *line = text;
  for (const char *end; (end = memchr(line, '\n', size - (size_t)(line - text))); line = end + 1) {
    const size_t length = (size_t)(end - line);
    json_t      *event = sb_json_is_intact(line, length) ? json_loadb(line, length, 0, NULL) : NULL;
    json_object_del(event, "check");
    if (json_is_object(event))
      sb_journal_note(state, event);
    else
      state->bad_lines++;
    json_decref(event);
  }
  state->length = line - text;
  return true;
}

void sb_journal_clear(sb_journal_state *state)
{
  json_decref(state->cases);
  json_decref(state->runs);
  json_decref(state->outlines);
  json_decref(state->floors);
  *state = (sb_journal_state){0};
}

bool sb_journal_open(sb_journal *journal, const char *path, const sb_journal_state *state)
{
  struct stat about;
  *journal = (sb_journal){.descriptor = -1, .length = state->length, .path = sb_format("%s", path)};
  const bool there = stat(path, &about) == 0;
  if (!there && errno != ENOENT) return sb_storage_error("open", path, errno, 0);
  /* A journal with other names, of a directory that was copied by links (cp -al), is no longer this directory's alone:
   * what is appended would stand in both. */
  if (there && about.st_nlink > 1) {
    size_t         size = 0;
    const char    *slash = strrchr(path, '/');
    SB_OWNED char *directory = slash ? sb_copy_span(path, (size_t)(slash - path)) : sb_copy_text(".");
    SB_OWNED char *text = sb_read_file(path, &size);
    if (!text) return sb_storage_error("read", path, errno, 0);
    if (!sb_replace_file(directory, slash ? slash + 1 : path, text, size)) return false;
  }
  journal->descriptor = sb_open(path, O_WRONLY | O_CREAT | O_APPEND);
  if (journal->descriptor < 0) return sb_storage_error("open", path, errno, 0);
  if (TEMP_FAILURE_RETRY(ftruncate(journal->descriptor, journal->length)) != 0)
    return sb_storage_error("drop the torn last line of", path, errno, 0);
  return true;
}

bool sb_journal_append(sb_journal *journal, sb_journal_state *state, json_t *event)
{
  SB_OWNED char *json = sb_json_seal(json_dumps(event, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17)));
  SB_OWNED char *line = sb_format("%s\n", json ? json : "");
  const size_t   length = strlen(line);
  const bool     appended =
      json && sb_write_all(journal->descriptor, line, length) && TEMP_FAILURE_RETRY(fsync(journal->descriptor)) == 0;
  if (appended) {
    journal->length += (off_t)length;
    const char *key = text_of(event, "key");
    note_for(state, key, *key ? outline_of(state, event) : event);
  } else {
    const int error = json ? errno : EINVAL;
    /* A failure here leaves a torn line, which the next reading drops. */
    (void)TEMP_FAILURE_RETRY(ftruncate(journal->descriptor, journal->length));
    sb_storage_error("append to", journal->path, error, (double)length);
  }
  json_decref(event);
  return appended;
}

void sb_journal_close(sb_journal *journal)
{
  if (journal->path && journal->descriptor >= 0) close(journal->descriptor);
  free(journal->path);
  *journal = (sb_journal){.descriptor = -1};
}

sb_case_state sb_case_state_of(const sb_journal_state *journal, const char *directory, const char *key,
                               const char *build, const char *machine)
{
  const json_t *event = json_object_get(journal->cases, key);
  if (!event) return SB_STATE_PLANNED;
  if (is(event, "event", "fail")) return SB_STATE_FAILED;
  if (!is(event, "event", "publish")) return SB_STATE_PENDING;
  SB_OWNED char *path = case_path(directory, key);
  if (access(path, F_OK) != 0) return SB_STATE_PENDING;
  return !build || (is(event, "build", build) && is(event, "machine", machine)) ? SB_STATE_DONE : SB_STATE_STALE;
}

/* ---- Publishing ---- */

/* Reads what a journal promises of the file <directory>/cases/<key>.h5: a checksum (malloc'ed), NULL when nothing, or
 * for any other path. False with errno set when the journal cannot be read. */
static bool read_promise(const char *path, char **checksum)
{
  static const char folder[] = "/cases/", suffix[] = ".h5";
  const size_t      tail = strlen(folder) + SB_KEY_LENGTH + strlen(suffix), length = strlen(path);
  const char       *at = length > tail ? path + length - tail : NULL;
  *checksum = NULL;
  if (!at || strncmp(at, folder, strlen(folder)) != 0 || strcmp(path + length - strlen(suffix), suffix) != 0)
    return true;
  sb_journal_state state;
  SB_OWNED char   *key = sb_copy_span(at + strlen(folder), SB_KEY_LENGTH);
  SB_OWNED char   *journal = sb_format("%.*s/journal.jsonl", (int)(at - path), path);
  const bool       read = sb_journal_read(journal, &state);
  const int        error = errno;
  const char      *text = json_string_value(json_object_get(sb_journal_published(&state, key), "sha256"));
  if (text) *checksum = sb_copy_text(text);
  sb_journal_clear(&state);
  errno = error;
  return read;
}

bool sb_published_file_is_whole(const char *path, char error[256])
{
  char           hex[SB_SHA256_HEX + 1] = "";
  SB_OWNED char *real = realpath(path, NULL), *promised = NULL;
  bool           read = real ? read_promise(real, &promised) : errno == ENOENT; /* who opens what is not there tells */
  read = read && (!promised || sb_sha256_file(real, hex));
  const bool whole = read && (!promised || strcmp(hex, promised) == 0);
  if (!read) snprintf(error, 256, "cannot read %.180s: %s", path, strerror(errno));
  if (read && !whole) snprintf(error, 256, "%.180s is damaged: its checksum disagrees", path);
  return whole;
}

/* Renames unless `to` exists (then EEXIST); by a hard link where the file system does not know the flag. */
static bool rename_new(const char *from, const char *to)
{
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  return link(from, to) == 0 && unlink(from) == 0;
}

/* The side-car of a file that is published by this event (malloc'ed), NULL where it has no trajectory. */
static bool make_side_car(const json_t *event, const char *key, const char *file, char **text)
{
  char           error[256];
  const char    *saved = text_of(event, "save");
  const bool     none = !*saved || strcmp(saved, "none") == 0 || is(json_object_get(event, "row"), "status", "skipped");
  SB_OWNED char *name = sb_format("%s.h5", key);
  *text = NULL;
  if (none || sb_side_car_make(file, name, text, error)) return true;
  fprintf(stderr, "springbench: error: cannot read back %s: %s\n", file, error);
  return false;
}

/* Beside the case of that key; NULL: there is to be none. */
static bool put_side_car(const char *directory, const char *key, const char *aside, const char *text)
{
  SB_OWNED char *target = case_path(directory, key), *path = sb_side_car_path(target);
  return ((!text || sb_side_car_write(aside, text)) && sb_side_car_place(path, text ? aside : NULL)) ||
         sb_storage_error("write", path, errno, text ? (double)strlen(text) : 0);
}

/* First the side-car, so that no case is ever without. */
static bool move_into_place(const char *directory, const char *key, const char *file, const char *side_car)
{
  SB_OWNED char *target = case_path(directory, key), *cases = sb_format("%s/cases", directory);
  SB_OWNED char *aside = sb_format("%s/cases/%s.unknown.h5", directory, key), *beside = sb_format("%s.xdmf", file);
  /* A file that no journal line knows is nobody's result, but not ours to delete: it is set aside. */
  if (rename(target, aside) == 0)
    fprintf(stderr, "springbench: warning: %s was not in the journal; it is %s now\n", target, aside);
  else if (errno != ENOENT)
    return sb_storage_error("publish", target, errno, 0);
  if (!put_side_car(directory, key, beside, side_car)) return false;
  if (!rename_new(file, target)) return sb_storage_error("publish", target, errno, 0);
  return sb_sync_directory(cases);
}

static void remove_case_file(const char *directory, const char *key)
{
  SB_OWNED char *target = case_path(directory, key), *side_car = sb_side_car_path(target);
  unlink(side_car);
  unlink(target);
}

bool sb_publish(const sb_publisher *p, const char *key, const char *file, json_t *event)
{
  char           hex[SB_SHA256_HEX + 1];
  SB_OWNED char *name = sb_format("cases/%s.h5", key), *side_car = NULL;
  const bool     had = sb_journal_published(p->state, key) != NULL;
  bool good = (sb_sha256_file(file, hex) && sb_sync_file(file)) || sb_storage_error("read back", file, errno, 0);
  good = good && make_side_car(event, key, file, &side_car);
  /* What was published is given up first in the journal, so that the file never goes without a word. */
  if (good && had)
    good = sb_journal_append(p->journal, p->state, json_pack("{s:s, s:s}", "event", "retire", "key", key));
  if (!good) {
    json_decref(event);
    return false;
  }
  if (had) remove_case_file(p->directory, key);
  json_object_set_new(event, "sha256", json_string(hex));
  json_object_set_new(event, "file", json_string(name));
  return sb_journal_append(p->journal, p->state, event) && move_into_place(p->directory, key, file, side_car);
}

bool sb_publish_failure(const sb_publisher *p, const char *key, json_t *event)
{
  const bool had = sb_journal_published(p->state, key) != NULL;
  if (!sb_journal_append(p->journal, p->state, event)) return false;
  if (had) remove_case_file(p->directory, key);
  return true;
}

/* Side-cars that are not there, because somebody removed them or an earlier version wrote none, are made anew. A file
 * that is damaged has none: HDF5 is not to see it. */
static bool restore_side_cars(const sb_publisher *p)
{
  const char *key = NULL;
  json_t     *event = NULL;
  char        hex[SB_SHA256_HEX + 1], host[64];
  json_object_foreach(p->state->cases, key, event)
  {
    SB_OWNED char *file = case_path(p->directory, key), *path = sb_side_car_path(file), *text = NULL;
    const char    *promised = json_string_value(json_object_get(event, "sha256"));
    if (!promised || access(path, F_OK) == 0 || !sb_sha256_file(file, hex) || strcmp(hex, promised) != 0) continue;
    SB_OWNED char *aside = sb_format("%s/tmp/%s.%s.%ld.xdmf", p->directory, key, sb_host_name(host), (long)getpid());
    if (!make_side_car(event, key, file, &text) || !put_side_car(p->directory, key, aside, text)) return false;
  }
  return true;
}

bool sb_publish_recover(const sb_publisher *p)
{
  char           hex[SB_SHA256_HEX + 1];
  SB_OWNED char *tmp = sb_format("%s/tmp", p->directory);
  DIR           *entries = opendir(tmp);
  bool           good = entries || errno == ENOENT || sb_storage_error("read", tmp, errno, 0);
  for (const struct dirent *entry; entries && good && (entry = readdir(entries));) {
    const char    *name = entry->d_name;
    SB_OWNED char *path = sb_format("%s/%s", tmp, name), *key = sb_copy_span(name, SB_KEY_LENGTH);
    SB_OWNED char *target = case_path(p->directory, key);
    const json_t  *event = strcspn(name, ".") == SB_KEY_LENGTH ? sb_journal_published(p->state, key) : NULL;
    const char    *promised = json_string_value(json_object_get(event, "sha256"));
    SB_OWNED char *side_car = NULL;
    if (promised && access(target, F_OK) != 0 && sb_sha256_file(path, hex) && strcmp(hex, promised) == 0)
      good = make_side_car(event, key, path, &side_car) && move_into_place(p->directory, key, path, side_car);
    else if (sb_process_left(name))
      unlink(path);
  }
  if (entries) closedir(entries);
  return good && restore_side_cars(p);
}
