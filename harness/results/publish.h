/* Publishing makes a finished case file part of the results: checksum, sync, journal line, rename, sync.
 * Local; no PETSc. */
#pragma once

#include "cases/store/journal.h"

/* Where results are published. */
typedef struct {
  const char       *directory; /* the results directory */
  sb_journal       *journal;
  sb_journal_state *state;
} sb_publisher;

/* Publishes `file` as cases/<key>.h5, with its side-car cases/<key>.xdmf (side_car.h), and retires what was published
 * before. Takes `event`, a publish event without its checksum and file name. False after a message; then `file` is
 * still there. */
bool sb_publish(const sb_publisher *publisher, const char *key, const char *file, json_t *event);
/* Publishes several at once: one sync of the journal and one of the folder for all of them. After a crash in between
 * each is published, or sb_publish_recover completes it, or it is not there. */
typedef struct {
  const char *key;
  const char *file;     /* NULL: an attempt without a result; only the event is journalled */
  json_t     *event;    /* taken over */
  char       *side_car; /* for sb_publish_all: NULL */
} sb_publication;
bool sb_publish_all(const sb_publisher *publisher, size_t count, sb_publication *each);
/* Journals an attempt without a result, and removes what was published under the key before. Takes `event`. */
bool sb_publish_failure(const sb_publisher *publisher, const char *key, json_t *event);
/* Retires these keys, in the journal first, and removes their files. False after a message. */
bool sb_publish_forget(const sb_publisher *publisher, size_t count, const char *const *keys);
/* Completes publications that a crash cut short between journal and rename, removes what dead processes of this host
 * left in tmp/, and makes side-cars that are missing. False after a message. */
bool sb_publish_recover(const sb_publisher *publisher);
