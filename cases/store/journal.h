/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The published results of a directory: its journal, and the files that the journal lists. journal.jsonl records the
 * events of each case, one JSON object per line, appended and synced. Resuming relies only on it. Local; no PETSc.
 *
 *     {"event": "run", "at", "host", "build", "machine", "sweep", …}  a runner started: settings, digest of the sweep
 *     {"event": "publish", "key", "sha256", "file", "row", "build", "host", …}  cases/<key>.h5 is renamed next
 *                   "timed_once": true: times of --quick, which a run without it takes again
 *     {"event": "fail", "key", "row", "log"}             the latest attempt ended without a result
 *     {"event": "interrupt", "key", "row", "signal"}     an attempt was interrupted; an earlier publication remains
 *     {"event": "floor", "case", "seconds", "noisy", …}  the case of the noise floor was timed
 *     {"event": "retire", "key"}                         the published file will be replaced by a new one
 *     {"event": "damage", "lines"}                       a runner found damaged lines before this one
 *
 * A last line without its newline was cut by a crash: it is dropped. Every line ends with a digest of itself
 * (json_text.h): a line with a changed bit is not an event. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cases/common/digest.h"

enum { SB_KEY_LENGTH = 16 /* hexadecimal digits that name a case, and its file */ };

typedef struct {
  json_t *cases;     /* object: key -> the valid event (publish, fail or interrupt) */
  json_t *runs;      /* array of the run events */
  json_t *outlines;  /* object: "event status noisy" -> an event that represents all appended ones of this kind */
  json_t *floors;    /* array of the floor events */
  size_t  bad_lines; /* whole lines that are not events: damage, ignored; those before a damage event do not count */
  off_t   length;    /* bytes up to the end of the last whole line */
} sb_journal_state;

/* An absent file is an empty journal. False with errno set if it cannot be read. */
bool sb_journal_read(const char *path, sb_journal_state *state);
/* Names on stderr damaged lines of the journal; if there are none, the number of case files beside it that no line
 * lists, as when the journal was cut off. `then` says what becomes of these results. */
void sb_journal_name_damage(const sb_journal_state *state, const char *path, const char *then);
void sb_journal_clear(sb_journal_state *state);
void sb_journal_end(void *state); /* sb_journal_clear, for sb_arena_defer */
/* Adds an event to the state, which holds for the key; "": it is not of a case. Borrows `event`. */
void sb_journal_note(sb_journal_state *state, const char *key, json_t *event);
/* A text of an event or of its row; "" if there is none. */
const char *sb_journal_text(const json_t *object, const char *name);
/* The columns of the row of an event: a new reference; NULL: it has none. A state has those of events that were read as
 * text, which needs a tenth of the memory of the object. */
json_t *sb_journal_columns(const json_t *row);
/* The valid event of a key if it is a publication, else NULL. Borrowed. */
json_t *sb_journal_published(const sb_journal_state *state, const char *key);
/* Adds this process's "node" and "job" to an event, if it is in a job of a batch system (origin.h). */
void sb_journal_put_job(json_t *event);

/* True if there were runs, all of them with --quick. */
bool sb_journal_is_quick(const sb_journal_state *state);

typedef struct {
  int   descriptor;
  off_t length;
  char *path;
} sb_journal;

/* Opens for appending after `state->length` bytes: a torn line after them is cut off; a journal with other names (hard
 * links) is copied first. False after a message. */
bool sb_journal_open(sb_journal *journal, const char *path, const sb_journal_state *state);
/* Appends, syncs, and notes the event in `state`: only its kind, its status and whether it is noisy, so that memory
 * does not grow with the sweep. Takes `event`. On failure nothing of the line remains. False after a message. */
bool sb_journal_append(sb_journal *journal, sb_journal_state *state, json_t *event);
/* As above for an array of events, with one sync for all. Takes `events`. */
bool sb_journal_append_all(sb_journal *journal, sb_journal_state *state, json_t *events);
void sb_journal_close(sb_journal *journal);

/* The state of one case by journal and files. One that is running has the state from before. */
typedef enum {
  SB_STATE_PLANNED, /* the journal has no event of it */
  SB_STATE_PENDING, /* its latest attempt was interrupted, or its published file is gone: it must run again */
  SB_STATE_FAILED,  /* its latest attempt ended without a result */
  SB_STATE_STALE,   /* it has a result from another build or machine */
  SB_STATE_DONE     /* it has a result, and its file exists */
} sb_case_state;

/* `build` and `machine` are the current ones; if they are NULL, no result is stale. */
sb_case_state sb_case_state_of(const sb_journal_state *journal, const char *directory, const char *key,
                               const char *build, const char *machine);

/* The path of the file of a published case (malloc'ed). */
char *sb_published_path(const char *directory, const char *key);
/* The place of the state of a case that was stopped on its way (checkpoint.h), until the case has ended; malloc'ed. */
char *sb_checkpoint_path(const char *directory, const char *key);
/* True if the file may be read, since HDF5 trusts its input. If it is a published file of a results directory, and the
 * journal there lists it, its checksum must fit; else its seal, if it has one. False with a message in error[256]. */
bool sb_published_file_is_whole(const char *path, char error[256]);
