/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pattern of a system's matrices and the place of every spring's values in it; see pattern.h. */
#include "model/system/pattern.h"

PetscInt sb_pattern_row(const sb_system *system, PetscInt vertex)
{
  if (vertex >= system->owned) return -1;
  if (system->pinned[vertex] && system->pin_method != SB_PINS_PENALTY) return -1; /* rows without springs */
  return system->unknown_id[vertex] - system->first_unknown;
}

/* Counts, or with `column` writes, the entries of every row: its own and one a spring between unknown vertices. */
static void list_entries(const sb_system *system, PetscInt *next, PetscInt *column)
{
  const sb_springs *springs = &system->springs;
  for (PetscInt row = 0; row < system->owned_unknown; ++row) {
    if (column) column[next[row]] = system->first_unknown + row;
    next[row]++;
  }
  for (PetscInt s = 0; s < springs->count; ++s) {
    const PetscInt ends[2] = {springs->first[s], springs->second[s]};
    for (int side = 0; side < 2; ++side) {
      const PetscInt row = sb_pattern_row(system, ends[side]), other = system->unknown_id[ends[1 - side]];
      if (row < 0 || other < 0) continue;
      if (column) column[next[row]] = other;
      next[row]++;
    }
  }
}

static PetscErrorCode list_columns(const sb_system *system, sb_pattern *pattern)
{
  PetscInt *next;
  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(pattern->rows, &next));
  PetscCall(PetscMalloc1(pattern->rows + 1, &pattern->row_start));
  list_entries(system, next, NULL);
  pattern->row_start[0] = 0;
  for (PetscInt row = 0; row < pattern->rows; ++row) {
    pattern->row_start[row + 1] = pattern->row_start[row] + next[row];
    next[row] = pattern->row_start[row];
  }
  PetscCall(PetscMalloc1(pattern->row_start[pattern->rows], &pattern->column));
  list_entries(system, next, pattern->column);
  PetscCall(PetscFree(next));
  for (PetscInt row = 0; row < pattern->rows; ++row) {
    const PetscInt start = pattern->row_start[row], end = pattern->row_start[row + 1];
    PetscCall(PetscSortInt(end - start, pattern->column + start));
    for (PetscInt e = start + 1; e < end; ++e)
      PetscCheck(pattern->column[e - 1] < pattern->column[e], PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                 "unknown vertices %" PetscInt_FMT " and %" PetscInt_FMT " are joined by two springs",
                 system->first_unknown + row, pattern->column[e]);
  }
  PetscFunctionReturn(0);
}

PetscInt sb_pattern_find(const sb_pattern *pattern, PetscInt row, PetscInt column)
{
  PetscInt low = pattern->row_start[row], high = pattern->row_start[row + 1] - 1;
  while (low < high) {
    const PetscInt middle = low + (high - low) / 2;
    if (pattern->column[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* start[e] = where the block of column e begins in the part that has it; the rows' strides and diagonals. */
static void place_blocks(const sb_system *system, sb_pattern *pattern, PetscInt *start)
{
  const PetscInt first = system->first_unknown, end = first + system->owned_unknown;
  PetscInt       before[2] = {0, 0}; /* blocks of each part in the rows above */
  for (PetscInt r = 0; r < pattern->rows; ++r) {
    int count[2] = {0, 0};
    for (PetscInt e = pattern->row_start[r]; e < pattern->row_start[r + 1]; ++e) {
      const int part = pattern->column[e] < first || pattern->column[e] >= end;
      start[e] = 9 * before[part] + 3 * count[part]++;
    }
    sb_row *row = &pattern->row[r];
    row->diagonal = start[sb_pattern_find(pattern, r, first + r)];
    for (int part = 0; part < 2; ++part) {
      row->stride[part] = 3 * count[part];
      before[part] += count[part];
    }
  }
}

/* Counts the addends of every row in its `first`, or with `start` writes them there and advances. */
static void list_addends(const sb_system *system, sb_pattern *pattern, const PetscInt *start)
{
  const sb_springs *springs = &system->springs;
  const PetscInt    first = system->first_unknown, end = first + system->owned_unknown;
  for (PetscInt s = 0; s < springs->count; ++s) {
    const PetscInt ends[2] = {springs->first[s], springs->second[s]};
    for (int side = 0; side < 2; ++side) {
      const PetscInt r = sb_pattern_row(system, ends[side]), other = system->unknown_id[ends[1 - side]];
      if (r < 0) continue;
      const PetscInt at = pattern->row[r].first++;
      if (!start) continue;
      sb_addend *addend = &pattern->addend[at];
      *addend = (sb_addend){.spring = s, .part = other < 0 ? -1 : other < first || other >= end};
      if (other >= 0) addend->start = start[sb_pattern_find(pattern, r, other)];
    }
  }
}

static PetscErrorCode place_springs(const sb_system *system, sb_pattern *pattern)
{
  const PetscInt runs = (system->springs.count + SB_RUN - 1) / SB_RUN, rows = pattern->rows;
  PetscInt      *start, addends = 0;
  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(pattern->row_start[rows], &start));
  PetscCall(PetscCalloc1(rows + 1, &pattern->row));
  place_blocks(system, pattern, start);
  list_addends(system, pattern, NULL);
  for (PetscInt r = 0; r <= rows; ++r) {
    const PetscInt count = pattern->row[r].first;
    pattern->row[r].first = addends;
    addends += count;
  }
  PetscCall(PetscMalloc1(addends, &pattern->addend));
  list_addends(system, pattern, start);
  for (PetscInt r = rows; r > 0; --r) pattern->row[r].first = pattern->row[r - 1].first;
  pattern->row[0].first = 0;
  PetscCall(PetscFree(start));
  PetscCall(PetscMalloc1(runs, &pattern->block));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_pattern_get(sb_system *system, const sb_pattern **pattern)
{
  PetscFunctionBeginUser;
  if (!system->pattern) {
    PetscCall(PetscNew(&system->pattern));
    system->pattern->rows = system->owned_unknown;
    PetscCall(list_columns(system, system->pattern));
  }
  *pattern = system->pattern;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_pattern_place(sb_system *system, const sb_pattern **pattern)
{
  const PetscInt numbers = SB_UPPER * system->owned;
  PetscFunctionBeginUser;
  PetscCall(sb_pattern_get(system, pattern));
  if ((*pattern)->row) PetscFunctionReturn(0);
  PetscCall(place_springs(system, system->pattern));
  if (system->contact) PetscCall(PetscMalloc1(numbers, &system->pattern->more));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_pattern_destroy(sb_pattern **pattern)
{
  PetscFunctionBeginUser;
  if (!*pattern) PetscFunctionReturn(0);
  PetscCall(PetscFree((*pattern)->row_start));
  PetscCall(PetscFree((*pattern)->column));
  PetscCall(PetscFree((*pattern)->row));
  PetscCall(PetscFree((*pattern)->addend));
  PetscCall(PetscFree((*pattern)->block));
  PetscCall(PetscFree((*pattern)->more));
  PetscCall(PetscFree(*pattern));
  PetscFunctionReturn(0);
}
