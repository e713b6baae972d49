/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Publishing makes a finished case file part of the results: checksum, sync, journal line, rename, sync. Local; no
 * PETSc. */
#pragma once

#include "cases/store/journal.h"

/* The place where results are published. */
typedef struct {
  const char       *directory; /* the results directory */
  sb_journal       *journal;
  sb_journal_state *state;
} sb_publisher;

/* Publishes `file` as cases/<key>.h5, with its side-car cases/<key>.xdmf (side_car.h), and retires an earlier
 * publication. Takes `event`, a publish event without its checksum and file name. False after a message; `file` then
 * still exists. */
bool sb_publish(const sb_publisher *publisher, const char *key, const char *file, json_t *event);
/* Publishes several at once, with one sync of the journal and one of the folder. After a crash in between each is
 * published, or completed by sb_publish_recover, or absent. */
typedef struct {
  const char *key;
  const char *file;     /* NULL: an attempt without a result; only the event enters the journal */
  json_t     *event;    /* taken over */
  char       *side_car; /* for sb_publish_all: NULL */
} sb_publication;
bool sb_publish_all(const sb_publisher *publisher, size_t count, sb_publication *each);
/* Results that are published as soon as there are some. `publisher` is the caller's to set, the rest is 0. */
enum { SB_BATCH = 64 };
typedef struct {
  const sb_publisher *publisher;
  size_t              count;
  sb_publication      each[SB_BATCH]; /* names of files and keys are malloc'ed */
} sb_batch;

/* Adds a result and takes over `file` (malloc'ed, NULL: none), which is removed if it cannot be published, and `event`.
 * publish: those that are left. False after a message. */
bool sb_batch_add(sb_batch *batch, const char *key, char *file, json_t *event);
bool sb_batch_publish(sb_batch *batch);
/* Journals an attempt without a result, and removes an earlier publication of the key. Takes `event`. */
bool sb_publish_failure(const sb_publisher *publisher, const char *key, json_t *event);
/* Retires these keys, first in the journal, and removes their files. False after a message. */
bool sb_publish_forget(const sb_publisher *publisher, size_t count, const char *const *keys);
/* Completes publications that a crash interrupted between journal and rename, removes files of dead processes of this
 * host from tmp/, and makes missing side-cars. False after a message. */
bool sb_publish_recover(const sb_publisher *publisher);
