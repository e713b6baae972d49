/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See evidence.h. */
#include "harness/results/evidence.h"

sb_evidence sb_evidence_begin(size_t rows, sb_arena *arena)
{
  return (sb_evidence){.rows = sb_arena_take(arena, rows, sizeof(size_t)),
                       .what = sb_arena_take(arena, rows, sizeof(unsigned))};
}

void sb_evidence_clear(sb_evidence *evidence)
{
  while (evidence->count > 0) evidence->what[evidence->rows[--evidence->count]] = 0;
}

void sb_evidence_note(void *evidence, size_t row, unsigned what)
{
  enum { READ = 32 }; /* a row from which a plain result was read has no other sign */
  sb_evidence *e = evidence;
  if (!e->what[row]) e->rows[e->count++] = row;
  e->what[row] |= READ | what;
}

void sb_evidence_follow(sb_evidence *evidence, sb_scope *scope)
{
  scope->reads = sb_evidence_note;
  scope->reader = evidence;
}

bool sb_evidence_has(const sb_evidence *evidence, unsigned what)
{
  return sb_evidence_first(evidence, what) != (size_t)-1;
}

size_t sb_evidence_first(const sb_evidence *evidence, unsigned what)
{
  size_t first = (size_t)-1;
  for (size_t i = 0; i < evidence->count; ++i)
    if (evidence->what[evidence->rows[i]] & what && evidence->rows[i] < first) first = evidence->rows[i];
  return first;
}

size_t *sb_evidence_rows(const sb_evidence *evidence, unsigned what, sb_arena *arena, size_t *count)
{
  size_t *rows = sb_arena_take(arena, evidence->count, sizeof *rows);
  *count = 0;
  for (size_t i = 0; i < evidence->count; ++i)
    if (evidence->what[evidence->rows[i]] & what) rows[(*count)++] = evidence->rows[i];
  return rows;
}
