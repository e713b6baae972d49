/* Making a finished case file part of the results: checksum, sync, journal line, rename, sync. Local; no PETSc. */
#pragma once

#include "harness/store/journal.h"

enum { SB_SHA256_HEX = 64, SB_KEY_LENGTH = 16 /* hexadecimal digits that name a case, and its file */ };

/* SHA-256 of a file in hexadecimal. False with errno set, no message. */
bool sb_sha256_file(const char *path, char hex[SB_SHA256_HEX + 1]);

/* Whether the file may be read: when it lies where a results directory has its published files, and the journal there
 * knows it, it must fit the checksum. HDF5 trusts what it reads. False with a message in error[256]. */
bool sb_published_file_is_whole(const char *path, char error[256]);

/* Where results are published. */
typedef struct {
  const char       *directory; /* the results directory */
  sb_journal       *journal;
  sb_journal_state *state;
} sb_publisher;

/* Publishes `file` as cases/<key>.h5. `event` is a publish event without its checksum and file name; its reference is
 * taken. What was published under the key before is retired. False after a message; then `file` is still there. */
bool sb_publish(const sb_publisher *publisher, const char *key, const char *file, json_t *event);
/* Journals an attempt without a result, and removes what was published under the key before. Takes `event`. */
bool sb_publish_failure(const sb_publisher *publisher, const char *key, json_t *event);
/* Completes publications that a crash cut short between journal and rename, and removes what dead processes of this
 * host left in tmp/. False after a message. */
bool sb_publish_recover(const sb_publisher *publisher);
