/* journal.jsonl: what happened to each case, one JSON object a line, appended and synced. The truth for resuming.
 * Local; no PETSc.
 *
 *     {"event": "run", "at", "host", "build", "machine", "sweep", …}  a runner started: settings, digest of the sweep
 *     {"event": "publish", "key", "sha256", "file", "row", "build", "machine", "save"}   cases/<key>.h5 is (about to
 * be) there
 *     {"event": "fail", "key", "row", "log"}                    the newest attempt ended without a result
 *     {"event": "interrupt", "key", "row", "signal"}            an attempt was cut short; an earlier publication stands
 *     {"event": "floor", "case", "seconds", "noisy", …}          the case that the noise floor is from was timed
 *     {"event": "retire", "key"}                                the published file gives way to a new one
 *     {"event": "damage", "lines"}                              a runner has seen damaged lines before this one
 *
 * A last line without its newline was torn by a crash: it is dropped. Every line ends with a digest of itself
 * (sealed_json.h): one in which a bit has changed is no event. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

typedef struct {
  json_t *cases;     /* object: key -> the event that holds for it (publish, fail or interrupt) */
  json_t *runs;      /* array of the run events */
  json_t *outlines;  /* object: "event status noisy" -> the event that stands for all appended ones of this kind */
  json_t *floors;    /* array of the floor events */
  size_t  bad_lines; /* whole lines that are no event: damage, ignored; those before a damage event are settled */
  off_t   length;    /* bytes up to the end of the last whole line */
} sb_journal_state;

/* An absent file is an empty journal. False with errno set when it cannot be read. */
bool sb_journal_read(const char *path, sb_journal_state *state);
void sb_journal_clear(sb_journal_state *state);
/* What one more event makes of the state. Borrows `event`. */
void sb_journal_note(sb_journal_state *state, json_t *event);
/* The event that holds for a key when it is a publication, else NULL. Borrowed. */
json_t *sb_journal_published(const sb_journal_state *state, const char *key);

typedef struct {
  int   descriptor;
  off_t length;
  char *path;
} sb_journal;

/* Opens for appending after `state->length` bytes: a torn line behind them is cut off; a journal that has
 * other names (hard links) is copied first. False after a message. */
bool sb_journal_open(sb_journal *journal, const char *path, const sb_journal_state *state);
/* Appends, syncs, and notes the event in `state`, where its kind, its status and whether it is noisy are kept and no
 * more, so that a long sweep takes no more memory than a short one; takes the reference to `event`. On failure nothing
 * of the line stays. False after a message. */
bool sb_journal_append(sb_journal *journal, sb_journal_state *state, json_t *event);
void sb_journal_close(sb_journal *journal);
