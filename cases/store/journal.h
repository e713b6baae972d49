/* The published results of a directory: its journal, and the files that the journal promises. journal.jsonl says what
 * happened to each case, one JSON object a line, appended and synced: the truth for resuming. Local; no PETSc.
 *
 *     {"event": "run", "at", "host", "build", "machine", "sweep", …}  a runner started: settings, digest of the sweep
 *     {"event": "publish", "key", "sha256", "file", "row", "build", "machine", "save"}  cases/<key>.h5 is about to be
 *     {"event": "fail", "key", "row", "log"}                    the newest attempt ended without a result
 *     {"event": "interrupt", "key", "row", "signal"}            an attempt was cut short; an earlier publication stands
 *     {"event": "floor", "case", "seconds", "noisy", …}          the case that the noise floor is from was timed
 *     {"event": "retire", "key"}                                the published file gives way to a new one
 *     {"event": "damage", "lines"}                              a runner has seen damaged lines before this one
 *
 * A last line without its newline was torn by a crash: it is dropped. Every line ends with a digest of itself
 * (json_text.h): one in which a bit has changed is no event. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cases/common/digest.h"

enum { SB_KEY_LENGTH = 16 /* hexadecimal digits that name a case, and its file */ };

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
/* Takes one more event into the state. Borrows `event`. */
void sb_journal_note(sb_journal_state *state, json_t *event);
/* The event that holds for a key when it is a publication, else NULL. Borrowed. */
json_t *sb_journal_published(const sb_journal_state *state, const char *key);

typedef struct {
  int   descriptor;
  off_t length;
  char *path;
} sb_journal;

/* Opens for appending after `state->length` bytes: a torn line behind them is cut off; a journal that has other names
 * (hard links) is copied first. False after a message. */
bool sb_journal_open(sb_journal *journal, const char *path, const sb_journal_state *state);
/* Appends, syncs, and notes the event in `state`: its kind, its status and whether it is noisy, so that a long sweep
 * takes no more memory than a short one. Takes `event`. On failure nothing of the line stays. False after a message. */
bool sb_journal_append(sb_journal *journal, sb_journal_state *state, json_t *event);
/* As above for an array of events, with one sync for all. Takes `events`. */
bool sb_journal_append_all(sb_journal *journal, sb_journal_state *state, json_t *events);
void sb_journal_close(sb_journal *journal);

/* How far one case is, as journal and files tell. That it is running now is known to its runner alone: here it counts
 * as what it was before. */
typedef enum {
  SB_STATE_PLANNED, /* the journal has nothing of it */
  SB_STATE_PENDING, /* its latest attempt was cut short, or its published file is gone: it is to be run again */
  SB_STATE_FAILED,  /* its latest attempt ended without a result */
  SB_STATE_STALE,   /* it has a result, of another build or another machine */
  SB_STATE_DONE     /* it has a result, and the file of it is there */
} sb_case_state;

/* `build` and `machine` are those of now; with NULL in their place no result is stale. */
sb_case_state sb_case_state_of(const sb_journal_state *journal, const char *directory, const char *key,
                               const char *build, const char *machine);

/* Where the file of a published case lies (malloc'ed). */
char *sb_published_path(const char *directory, const char *key);
/* True when the file may be read: when it lies where a results directory has its published files, and the journal there
 * knows it, it must fit the checksum. HDF5 trusts what it reads. False with a message in error[256]. */
bool sb_published_file_is_whole(const char *path, char error[256]);
