/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Composite values: a kind with its parts, as in "sphere:centre=[0,0,0],radius=0.3", or several of them separated by
 * ';'.
 *
 * A list of kinds (colliders, fields, paths) has one form per kind. One reader checks texts against the forms, fills in
 * defaults and writes the canonical text: every part, in the form's order. Local; needs neither PETSc nor MPI. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/diagnostics.h"
#include "base/entry.h"

enum { SB_PARTS_MAX = 8 };

typedef enum {
  SB_PART_REAL,
  SB_PART_VECTOR, /* [x,y,z] */
  SB_PART_FORMULA /* text, to the next comma outside brackets; the form's check parses it */
} sb_part_kind;

typedef struct {
  const char  *name;
  sb_part_kind kind;
  const char  *unit;     /* "" if it has no unit */
  const char  *preset;   /* NULL: must be given */
  const char  *range;    /* interval such as "(0,1e9]"; "" allows every finite number */
  const char  *sentence; /* lower case, no full stop */
} sb_part;

typedef struct sb_composite sb_composite;

typedef struct {
  SB_ENTRY_HEAD;
  size_t  parts;
  sb_part part[SB_PARTS_MAX];
  /* Optional: tests conditions that ranges cannot express (a zero normal, a formula that does not parse). False with
   * the reason. */
  bool (*check)(const sb_composite *value, char *why, size_t size);
} sb_form;

struct sb_composite {
  const sb_form *form;
  double         number[SB_PARTS_MAX][3]; /* by part: reals in [0], vectors in all three */
  char          *formula[SB_PARTS_MAX];   /* owned; NULL for other kinds */
};

/* Reads "kind:part=value,…;kind:…" against the forms that are the entries of a list; `option` is for messages. On
 * success returns the *count items in the order given (free with sb_composites_free). Returns NULL, with a located
 * diagnostic that names the option, on an error. E106: unknown kind, with a suggestion; part missing or given
 * twice; refusal by the form's check. E101: unknown part, with a suggestion. E102, E103, E104: value not a number, not
 * finite, out of range. */
sb_composite *sb_composites_read(const char *option, const sb_list *forms, const char *text, sb_location where,
                                 sb_diagnostics *diagnostics, size_t *count);
void          sb_composites_free(sb_composite **items, size_t *count);
/* Returns an independent copy of `count` items (sb_composites_free); NULL if there are none. */
sb_composite *sb_composites_copy(const sb_composite *items, size_t count);
/* Returns the canonical text; the caller frees it. */
char *sb_composites_text(const sb_composite *items, size_t count);
/* Describes the entries of a list of forms: a row for every part. */
void sb_form_facts(const sb_entry *entry, sb_description *description);
