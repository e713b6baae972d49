/* The append-only journal; see journal.h and docs/robustness.md, "Storing results". */
#include "harness/store/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/common/durable.h"
#include "harness/common/sealed_json.h"

static const char *text_of(const json_t *event, const char *name)
{
  const char *text = json_string_value(json_object_get(event, name));
  return text ? text : "";
}

json_t *sb_journal_published(const sb_journal_state *state, const char *key)
{
  json_t *event = json_object_get(state->cases, key);
  return event && strcmp(text_of(event, "event"), "publish") == 0 ? event : NULL;
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
  const json_t *row = json_object_get(event, "row");
  const char   *what = text_of(event, "event"), *status = text_of(row, "status");
  const char   *noisy = *text_of(json_object_get(row, "columns"), "noisy") ? "noisy" : "";
  char         *kind = sb_format("%s %s %s", what, status, noisy);
  json_t       *outline = json_object_get(state->outlines, kind);
  if (!outline) {
    outline = json_pack("{s:s, s:{s:s, s:{s:s}}}", "event", what, "row", "status", status, "columns", "noisy", noisy);
    json_object_set_new(state->outlines, kind, outline);
  }
  free(kind);
  return outline;
}

bool sb_journal_read(const char *path, sb_journal_state *state)
{
  *state = (sb_journal_state){
      .cases = json_object(), .runs = json_array(), .floors = json_array(), .outlines = json_object()};
  size_t size = 0;
  char  *text = sb_read_file(path, &size);
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
  free(text);
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

/* A journal with other names, of a directory that was copied by links (cp -al), is no longer this directory's alone:
 * what is appended would stand in both. */
static bool make_own(const char *path)
{
  struct stat about;
  if (stat(path, &about) != 0) return errno == ENOENT || sb_storage_error("open", path, errno, 0);
  if (about.st_nlink < 2) return true;
  size_t      size = 0;
  const char *slash = strrchr(path, '/');
  char       *directory = slash ? sb_copy_span(path, (size_t)(slash - path)) : sb_copy_text(".");
  char       *text = sb_read_file(path, &size);
  const bool  own = text ? sb_replace_file(directory, slash ? slash + 1 : path, text, size)
                         : sb_storage_error("read", path, errno, 0);
  free(text);
  free(directory);
  return own;
}

bool sb_journal_open(sb_journal *journal, const char *path, const sb_journal_state *state)
{
  *journal = (sb_journal){.descriptor = -1, .length = state->length, .path = sb_format("%s", path)};
  if (!make_own(path)) return false;
  journal->descriptor = sb_open(path, O_WRONLY | O_CREAT | O_APPEND);
  if (journal->descriptor < 0) return sb_storage_error("open", path, errno, 0);
  if (TEMP_FAILURE_RETRY(ftruncate(journal->descriptor, journal->length)) != 0)
    return sb_storage_error("drop the torn last line of", path, errno, 0);
  return true;
}

bool sb_journal_append(sb_journal *journal, sb_journal_state *state, json_t *event)
{
  char  *json = sb_json_seal(json_dumps(event, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17)));
  char  *line = sb_format("%s\n", json ? json : "");
  size_t length = strlen(line);
  bool   appended =
      json && sb_write_all(journal->descriptor, line, length) && TEMP_FAILURE_RETRY(fsync(journal->descriptor)) == 0;
  if (appended) {
    journal->length += (off_t)length;
    const char *key = text_of(event, "key");
    note_for(state, key, *key ? outline_of(state, event) : event);
  } else {
    const int error = json ? errno : EINVAL;
    /* A failure here leaves a torn line, which the next reading drops. */
    if (TEMP_FAILURE_RETRY(ftruncate(journal->descriptor, journal->length)) != 0) errno = error;
    sb_storage_error("append to", journal->path, error, (double)length);
  }
  json_decref(event);
  free(line);
  free(json);
  return appended;
}

void sb_journal_close(sb_journal *journal)
{
  if (journal->path && journal->descriptor >= 0) close(journal->descriptor);
  free(journal->path);
  *journal = (sb_journal){.descriptor = -1};
}
