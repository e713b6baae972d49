/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints: the state of a case that was stopped (SIGUSR1), from which the same case continues to the bit.
 *
 * A checkpoint passes through the owners of state one after the other. Each has one function for both directions, so
 * that what is written is what is read: sb_checkpoint_bytes appends bytes, or fills them. A file is a head of one line,
 * the state, the case file as far as it was written, and a digest of all of it. Local; no PETSc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct sb_checkpoint sb_checkpoint;

/* A new one, to be stored. */
sb_checkpoint *sb_checkpoint_create(void);
void           sb_checkpoint_destroy(sb_checkpoint **checkpoint);

/* True if it is read, not stored. */
bool sb_checkpoint_reads(const sb_checkpoint *checkpoint);
/* False if the stored item is not the requested one. */
bool sb_checkpoint_good(const sb_checkpoint *checkpoint);
/* The item `name`: stores `size` bytes, or reads them. */
void sb_checkpoint_bytes(sb_checkpoint *checkpoint, const char *name, size_t size, void *bytes);
#define SB_CHECKPOINT(checkpoint, item) sb_checkpoint_bytes(checkpoint, #item, sizeof(item), &(item))
/* A text, read into the arena; NULL remains NULL. */
void sb_checkpoint_text(sb_checkpoint *checkpoint, const char *name, sb_arena *arena, const char **text);

/* A state continues only the case that stored it: the same key, command line (which has options that are not in the
 * key), program, libraries and processor. Borrowed texts. */
enum { SB_IDENTITY_FACTS = 5 };
typedef struct sb_checkpoint_identity {
  const char *fact[SB_IDENTITY_FACTS];
} sb_checkpoint_identity;
extern const char *const sb_identity_names[SB_IDENTITY_FACTS];

/* Writes PATH aside, syncs and renames it: it is the earlier checkpoint or this one at any moment. `part` is the path
 * of the case file so far; NULL: there is none. False with errno set. */
bool sb_checkpoint_store(const sb_checkpoint *checkpoint, const char *path, const sb_checkpoint_identity *identity,
                         const char *part);
/* Reads PATH, and copies its case file to `part` (NULL: it must have none). NULL if there is none, or, with the reason
 * in why[256], if it is damaged or of another case. */
sb_checkpoint *sb_checkpoint_load(const char *path, const sb_checkpoint_identity *identity, const char *part,
                                  char why[256]);
