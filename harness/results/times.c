/* Which cases times come from; see times.h. Builds and machines are told apart as the journal names them. */
#include "harness/results/times.h"

#include <string.h>

enum { SHOWN_MAX = 3 };

typedef struct {
  const sb_case_origin *origin;
  size_t                cases;
} group;

static bool same(const sb_case_origin *a, const sb_case_origin *b)
{
  return strcmp(a->build, b->build) == 0 && strcmp(a->machine, b->machine) == 0;
}

/* NULL: it is not known, as of a case that was skipped. */
static const sb_case_origin *origin_of(const sb_results *results, size_t row)
{
  const sb_case_origin *origin = results->origins ? &results->origins[row] : NULL;
  return origin && origin->build && origin->machine ? origin : NULL;
}

/* The cases of each build on each machine: most first, else as they come. */
static group *groups_of(const sb_results *results, const bool *taken, sb_arena *arena, size_t *count)
{
  group *groups = sb_arena_take(arena, 0, sizeof *groups);
  *count = 0;
  for (size_t row = 0; row < sb_rows_count(results->rows); ++row) {
    const sb_case_origin *origin = origin_of(results, row);
    size_t                i = 0;
    if (!origin || (taken && !taken[row])) continue;
    while (i < *count && !same(groups[i].origin, origin)) ++i;
    if (i == *count) {
      groups = sb_arena_grow(arena, groups, *count, sizeof *groups);
      groups[(*count)++] = (group){.origin = origin};
    }
    groups[i].cases++;
    for (; i > 0 && groups[i].cases > groups[i - 1].cases; --i) {
      const group before = groups[i - 1];
      groups[i - 1] = groups[i];
      groups[i] = before;
    }
  }
  return groups;
}

sb_times sb_times_of(const sb_results *results, const bool *taken)
{
  sb_times     times = {0};
  sb_arena    *scratch = sb_arena_create();
  const group *groups = groups_of(results, taken, scratch, &times.origins);
  for (size_t row = 0; row < sb_rows_count(results->rows); ++row) {
    const sb_value status = sb_rows_get_named(results->rows, row, "status");
    if (taken && !taken[row]) continue;
    times.cases++;
    times.noisy += sb_row_noisy(results->rows, row);
    times.failed += status.kind != SB_WORD || strcmp(status.word, sb_status_name(SB_OK)) != 0;
  }
  if (times.origins > 0) times.origin = groups[0].origin;
  sb_arena_destroy(&scratch);
  return times;
}

bool sb_times_are_other(const sb_times *times, const sb_results *results, size_t row)
{
  const sb_case_origin *origin = origin_of(results, row);
  return times->origin && origin && !same(times->origin, origin);
}

/* What of it differs between the groups. */
static void put_origin(const sb_case_origin *origin, bool build, bool machine, FILE *stream)
{
  fprintf(stream, "%s%s%s", build ? origin->build : "", build && machine ? " on " : "", machine ? origin->machine : "");
}

const char *sb_times_origins(const sb_results *results, const bool *taken, sb_arena *arena)
{
  size_t          count = 0, cases = 0;
  const group    *groups = groups_of(results, taken, arena, &count);
  bool            build = false, machine = false;
  sb_arena_writer writer;
  if (count < 2) return NULL;
  FILE *stream = sb_arena_write(&writer, arena);
  for (size_t i = 0; i < count; ++i) {
    cases += groups[i].cases;
    build = build || strcmp(groups[i].origin->build, groups[0].origin->build) != 0;
    machine = machine || strcmp(groups[i].origin->machine, groups[0].origin->machine) != 0;
  }
  fprintf(stream, "%zu of %zu cases were run %s than the rest (", cases - groups[0].cases, cases,
          build && machine ? "by another build and on another machine"
          : build          ? "by another build"
                           : "on another machine");
  for (size_t i = 1; i < count && i <= SHOWN_MAX; ++i) {
    fputs(i > 1 ? ", " : "", stream);
    put_origin(groups[i].origin, build, machine, stream);
  }
  fprintf(stream, "%s; the rest: ", count > SHOWN_MAX + 1 ? ", …" : "");
  put_origin(groups[0].origin, build, machine, stream);
  fputs("); --rerun stale runs them again", stream);
  return sb_arena_text(&writer);
}
