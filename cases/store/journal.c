/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal, and the state of a case by it; see journal.h and docs/robustness.md, "Storing results". */
#include "cases/store/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "cases/common/durable.h"
#include "cases/common/json_text.h"
#include "cases/common/seal.h"
#include "cases/common/text.h"
#include "cases/store/origin.h"

/* ---- The journal ---- */

const char *sb_journal_text(const json_t *object, const char *name)
{
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "";
}

static bool is(const json_t *event, const char *name, const char *text)
{
  return strcmp(sb_journal_text(event, name), text) == 0;
}

char *sb_checkpoint_path(const char *directory, const char *key)
{
  return sb_format("%s/tmp/%s.checkpoint", directory, key);
}

char *sb_published_path(const char *directory, const char *key) { return sb_format("%s/cases/%s.h5", directory, key); }

json_t *sb_journal_published(const sb_journal_state *state, const char *key)
{
  json_t *event = json_object_get(state->cases, key);
  return event && is(event, "event", "publish") ? event : NULL;
}

void sb_journal_put_job(json_t *event)
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  const char                             *node = sb_node_name(arena), *job = sb_job_name(arena);
  if (*node) json_object_set_new(event, "node", json_string(node));
  if (*job) json_object_set_new(event, "job", json_string(job));
}

bool sb_journal_is_quick(const sb_journal_state *state)
{
  bool          quick = json_array_size(state->runs) > 0;
  size_t        i;
  const json_t *run;
  json_array_foreach(state->runs, i, run) quick = quick && json_is_true(json_object_get(run, "quick"));
  return quick;
}

void sb_journal_note(sb_journal_state *state, const char *key, json_t *event)
{
  const char *what = sb_journal_text(event, "event");
  if (strcmp(what, "run") == 0) json_array_append(state->runs, event);
  if (strcmp(what, "floor") == 0) json_array_append(state->floors, event);
  if (strcmp(what, "damage") == 0) state->bad_lines = 0;
  if (!*key) return;
  if (strcmp(what, "retire") == 0) json_object_del(state->cases, key);
  if (strcmp(what, "publish") == 0 || strcmp(what, "fail") == 0) json_object_set(state->cases, key, event);
  if (strcmp(what, "interrupt") == 0 && !sb_journal_published(state, key)) json_object_set(state->cases, key, event);
}

/* {"event", "row": {"status", "columns": {"noisy"}}}: borrowed, one object for all equal ones. */
static json_t *outline_of(sb_journal_state *state, const json_t *event)
{
  const json_t  *row = json_object_get(event, "row");
  const char    *what = sb_journal_text(event, "event"), *status = sb_journal_text(row, "status");
  const char    *noisy = *sb_journal_text(json_object_get(row, "columns"), "noisy") ? "noisy" : "";
  SB_OWNED char *kind = sb_format("%s %s %s", what, status, noisy);
  if (!json_object_get(state->outlines, kind))
    json_object_set_new(
        state->outlines, kind,
        json_pack("{s:s, s:{s:s, s:{s:s}}}", "event", what, "row", "status", status, "columns", "noisy", noisy));
  return json_object_get(state->outlines, kind);
}

static void pack_columns(json_t *event)
{
  json_t        *row = json_object_get(event, "row"), *columns = json_object_get(row, "columns");
  SB_OWNED char *text = json_is_object(columns) ? json_dumps(columns, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  if (text) json_object_set_new(row, "columns", json_string(text));
}

json_t *sb_journal_columns(const json_t *row)
{
  json_t *columns = json_object_get(row, "columns");
  return json_is_string(columns) ? json_loads(json_string_value(columns), 0, NULL) : json_incref(columns);
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
    json_auto_t *event = sb_json_is_intact(line, length) ? json_loadb(line, length, 0, NULL) : NULL;
    const char  *key = sb_journal_text(event, "key"); /* names files: one with a slash would be in other folders */
    json_object_del(event, "check");
    pack_columns(event);
    if (json_is_object(event) && (!*key || sb_text_is_safe_name(key)))
      sb_journal_note(state, key, event);
    else
      state->bad_lines++;
  }
  state->length = line - text;
  return true;
}

/* Case files in the folder beside the journal that no line lists. */
static size_t count_unlisted(const sb_journal_state *state, const char *path)
{
  const char    *slash = strrchr(path, '/');
  SB_OWNED char *folder = sb_format("%.*scases", slash ? (int)(slash - path) + 1 : 0, path);
  DIR           *entries = opendir(folder);
  size_t         count = 0;
  for (const struct dirent *entry; entries && (entry = readdir(entries));) {
    SB_OWNED char *key = sb_copy_span(entry->d_name, strcspn(entry->d_name, "."));
    const bool     is_case = strlen(key) == SB_KEY_LENGTH && strcmp(entry->d_name + SB_KEY_LENGTH, ".h5") == 0;
    count += is_case && !sb_journal_published(state, key);
  }
  if (entries) closedir(entries);
  return count;
}

void sb_journal_name_damage(const sb_journal_state *state, const char *path, const char *then)
{
  const size_t bad = state->bad_lines, unlisted = bad == 0 ? count_unlisted(state, path) : 0;
  if (bad > 0) fprintf(stderr, "springbench: warning: %s: %zu damaged lines ignored; %s\n", path, bad, then);
  if (unlisted > 0)
    fprintf(stderr, "springbench: warning: %s does not list %zu case files beside it; %s\n", path, unlisted, then);
}

void sb_journal_clear(sb_journal_state *state)
{
  json_decref(state->cases);
  json_decref(state->runs);
  json_decref(state->outlines);
  json_decref(state->floors);
  *state = (sb_journal_state){0};
}

void sb_journal_end(void *state) { sb_journal_clear(state); }

bool sb_journal_open(sb_journal *journal, const char *path, const sb_journal_state *state)
{
  const char    *slash = strrchr(path, '/');
  SB_OWNED char *directory = slash ? sb_copy_span(path, (size_t)(slash - path)) : sb_copy_text(".");
  *journal = (sb_journal){.descriptor = -1, .length = state->length, .path = sb_format("%s", path)};
  if (!sb_own_file(directory, slash ? slash + 1 : path)) return false;
  journal->descriptor = sb_open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
  if (journal->descriptor < 0) return sb_storage_error("open", path, errno, 0);
  if (TEMP_FAILURE_RETRY(ftruncate(journal->descriptor, journal->length)) != 0)
    return sb_storage_error("drop the torn last line of", path, errno, 0);
  return true;
}

/* The lines of these events, one after another (malloc'ed); NULL if one is not JSON. */
static char *lines_of(const json_t *events, size_t *length)
{
  char   *text = NULL;
  FILE   *stream = sb_text_stream(&text, length);
  bool    good = true;
  size_t  i;
  json_t *event;
  json_array_foreach(events, i, event)
  {
    SB_OWNED char *json = sb_json_seal(json_dumps(event, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17)));
    good = good && json && fprintf(stream, "%s\n", json) > 0;
  }
  if (fclose(stream) == 0 && good) return text;
  free(text);
  return NULL;
}

bool sb_journal_append_all(sb_journal *journal, sb_journal_state *state, json_t *events)
{
  if (json_array_size(events) == 0) {
    json_decref(events);
    return true;
  }
  size_t         length = 0, i;
  json_t        *event;
  SB_OWNED char *lines = lines_of(events, &length);
  const bool     appended =
      lines && sb_write_all(journal->descriptor, lines, length) && TEMP_FAILURE_RETRY(fsync(journal->descriptor)) == 0;
  const int error = lines ? errno : EINVAL;
  if (appended) {
    journal->length += (off_t)length;
    json_array_foreach(events, i, event)
    {
      const char *key = sb_journal_text(event, "key");
      sb_journal_note(state, key, *key ? outline_of(state, event) : event);
    }
  } else {
    /* A failure here leaves torn or whole lines, which the next reading drops or completes. */
    (void)TEMP_FAILURE_RETRY(ftruncate(journal->descriptor, journal->length));
    sb_storage_error("append to", journal->path, error, (double)length);
  }
  json_decref(events);
  return appended;
}

bool sb_journal_append(sb_journal *journal, sb_journal_state *state, json_t *event)
{
  return sb_journal_append_all(journal, state, json_pack("[o]", event));
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
  SB_OWNED char *path = sb_published_path(directory, key);
  if (access(path, F_OK) != 0) return SB_STATE_PENDING;
  return !build || (is(event, "build", build) && is(event, "machine", machine)) ? SB_STATE_DONE : SB_STATE_STALE;
}

/* ---- What it promises of a file ---- */

/* Reads what a journal promises of the file <directory>/cases/<key>.h5: a checksum (malloc'ed), NULL if there is none,
 * or for any other path. False with a message if the journal cannot be read. */
static bool read_promise(const char *path, char **checksum, char error[256])
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
  if (!read) snprintf(error, 256, "cannot read %.180s: %s", journal, sb_cause(errno));
  const char *text = json_string_value(json_object_get(sb_journal_published(&state, key), "sha256"));
  if (text) *checksum = sb_copy_text(text);
  sb_journal_clear(&state);
  return read;
}

bool sb_published_file_is_whole(const char *path, char error[256])
{
  char           hex[SB_SHA256_HEX + 1] = "";
  SB_OWNED char *real = realpath(path, NULL), *promised = NULL;
  if (!real && errno == ENOENT) return true; /* the caller that opens it reports this */
  if (real && !read_promise(real, &promised, error)) return false;
  const bool read = real && (!promised || sb_sha256_file(real, hex));
  const bool fits = promised ? strcmp(hex, promised) == 0 : !real || sb_seal_check(real) != SB_SEAL_BROKEN;
  const bool whole = read && fits;
  if (!read) snprintf(error, 256, "cannot read %.180s: %s", path, sb_cause(errno));
  if (read && !whole) snprintf(error, 256, "%.180s is damaged: its checksum disagrees", path);
  return whole;
}
