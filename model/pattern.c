/* The pattern of a system's matrices and the place of every spring's values in it; see pattern.h. */
#include "model/pattern.h"

PetscInt sb_pattern_row(const sb_system *system, PetscInt vertex)
{
  if (vertex >= system->owned) return -1;
  if (system->pinned[vertex] && system->pin_method != SB_PINS_PENALTY) return -1; /* no springs in its row */
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

/* slots[e] = the block of entry e in the part that has it. */
static void place_entries(const sb_system *system, const sb_pattern *pattern, sb_slot *slots)
{
  const PetscInt first = system->first_unknown, end = first + system->owned_unknown;
  PetscInt       before[2] = {0, 0}; /* blocks of each part in the rows above */
  for (PetscInt row = 0; row < pattern->rows; ++row) {
    int count[2] = {0, 0};
    for (PetscInt e = pattern->row_start[row]; e < pattern->row_start[row + 1]; ++e) {
      const int part = pattern->column[e] < first || pattern->column[e] >= end;
      slots[e] = (sb_slot){.start = 9 * before[part] + 3 * count[part]++, .part = part};
    }
    for (PetscInt e = pattern->row_start[row]; e < pattern->row_start[row + 1]; ++e)
      slots[e].stride = 3 * count[slots[e].part];
    before[0] += count[0];
    before[1] += count[1];
  }
}

static PetscErrorCode place_springs(const sb_system *system, sb_pattern *pattern)
{
  const sb_springs *springs = &system->springs;
  const PetscInt    count = springs->count, sides = 2 * count;
  sb_slot          *slots;
  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(pattern->row_start[pattern->rows], &slots));
  place_entries(system, pattern, slots);
  PetscCall(PetscMalloc2(sides, &pattern->entry, sides, &pattern->slot));
  for (PetscInt s = 0; s < count; ++s) {
    const PetscInt ends[2] = {springs->first[s], springs->second[s]};
    for (int side = 0; side < 2; ++side) {
      const PetscInt row = sb_pattern_row(system, ends[side]), other = system->unknown_id[ends[1 - side]];
      const PetscInt entry = row < 0 || other < 0 ? -1 : sb_pattern_find(pattern, row, other);
      pattern->entry[2 * s + side] = entry;
      pattern->slot[2 * s + side] = entry < 0 ? (sb_slot){.part = -1} : slots[entry];
    }
  }
  PetscCall(PetscMalloc1(pattern->rows, &pattern->diagonal));
  for (PetscInt row = 0; row < pattern->rows; ++row)
    pattern->diagonal[row] = slots[sb_pattern_find(pattern, row, system->first_unknown + row)];
  PetscCall(PetscFree(slots));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_pattern_get(sb_system *system, const sb_pattern **pattern)
{
  const PetscInt numbers = SB_UPPER * (system->owned + system->ghosts);
  PetscFunctionBeginUser;
  if (!system->pattern) {
    PetscCall(PetscNew(&system->pattern));
    system->pattern->rows = system->owned_unknown;
    PetscCall(list_columns(system, system->pattern));
    PetscCall(place_springs(system, system->pattern));
    PetscCall(PetscMalloc1(numbers, &system->pattern->diagonal_sum));
  }
  *pattern = system->pattern;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_pattern_destroy(sb_pattern **pattern)
{
  PetscFunctionBeginUser;
  if (!*pattern) PetscFunctionReturn(0);
  PetscCall(PetscFree((*pattern)->row_start));
  PetscCall(PetscFree((*pattern)->column));
  PetscCall(PetscFree2((*pattern)->entry, (*pattern)->slot));
  PetscCall(PetscFree((*pattern)->diagonal));
  PetscCall(PetscFree((*pattern)->diagonal_sum));
  PetscCall(PetscFree(*pattern));
  PetscFunctionReturn(0);
}
