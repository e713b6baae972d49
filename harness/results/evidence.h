/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The grounds of a shown or judged value: the rows that its expressions have read, and those that leave it unknown. A
 * claim, a number of an answer, a cell of a table and a point of a figure each have one. Local; no PETSc. */
#pragma once

#include "harness/sweep/expression.h"

typedef struct {
  size_t    count;
  size_t   *rows; /* [count] those that were read, each once, in the order of their first reading */
  unsigned *what; /* [all rows] how each was used, joined: SB_READ_TIME, … */
} sb_evidence;

/* None yet, of that many rows. */
sb_evidence sb_evidence_begin(size_t rows, sb_arena *arena);
void        sb_evidence_clear(sb_evidence *evidence);
/* Notes a reading; `reads` of a scope, whose `reader` is the evidence. */
void sb_evidence_note(void *evidence, size_t row, unsigned what);
/* Lets `scope` note its readings here. */
void sb_evidence_follow(sb_evidence *evidence, sb_scope *scope);
/* True if some row was read in one of these ways. */
bool sb_evidence_has(const sb_evidence *evidence, unsigned what);
/* The least row that was read in one of these ways; (size_t)-1: none was. */
size_t sb_evidence_first(const sb_evidence *evidence, unsigned what);
/* The rows that were read in one of these ways, [*count] in the arena. */
size_t *sb_evidence_rows(const sb_evidence *evidence, unsigned what, sb_arena *arena, size_t *count);
