/* The origin of the times of cases; see timing_notes.h. Builds and machines are compared by their names in the journal.
 */
#include "harness/results/timing_notes.h"

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
  }
  for (size_t end = 1; end < *count; ++end)
    for (size_t i = end; i > 0 && groups[i].cases > groups[i - 1].cases; --i) {
      const group before = groups[i - 1];
      groups[i - 1] = groups[i];
      groups[i] = before;
    }
  return groups;
}

/* True if one of them has more cases than any other: else no case is of another origin than most. */
static bool has_most(const group *groups, size_t count)
{
  return count == 1 || (count > 1 && groups[0].cases > groups[1].cases);
}

static sb_times times_of(const sb_results *results, const bool *taken, const group *groups, size_t count)
{
  sb_times times = {.origin = has_most(groups, count) ? groups[0].origin : NULL};
  for (size_t row = 0; row < sb_rows_count(results->rows); ++row) {
    if (taken && !taken[row]) continue;
    times.cases++;
    times.noisy += sb_row_noisy(results->rows, row);
  }
  return times;
}

sb_times sb_times_of(const sb_results *results, const bool *taken)
{
  size_t         count = 0;
  sb_arena      *scratch = sb_arena_create();
  const group   *groups = groups_of(results, taken, scratch, &count);
  const sb_times times = times_of(results, taken, groups, count);
  sb_arena_destroy(&scratch);
  return times;
}

bool sb_times_are_other(const sb_times *times, const sb_results *results, size_t row)
{
  const sb_case_origin *origin = origin_of(results, row);
  return times->origin && origin && !same(times->origin, origin);
}

/* "by A", "on M", "by A on M": what of it differs between the groups. */
static void put_origin(const sb_case_origin *origin, bool build, bool machine, FILE *stream)
{
  fprintf(stream, "%s%s%s%s%s", build ? "by " : "", build ? origin->build : "", build && machine ? " " : "",
          machine ? "on " : "", machine ? origin->machine : "");
}

/* NULL where all are of one build and machine. */
static const char *tell_origins(const group *groups, size_t count, bool brief, sb_arena *arena)
{
  static const char *const how[][3] = {
      {"by several builds", "on several machines", "by several builds and on several machines"},
      {"by another build", "on another machine", "by another build and on another machine"}};
  const bool      most = has_most(groups, count);
  bool            build = false, machine = false;
  size_t          cases = 0;
  sb_arena_writer writer;
  if (count < 2) return NULL;
  FILE *stream = sb_arena_write(&writer, arena);
  for (size_t i = 0; i < count; ++i) {
    cases += groups[i].cases;
    build = build || strcmp(groups[i].origin->build, groups[0].origin->build) != 0;
    machine = machine || strcmp(groups[i].origin->machine, groups[0].origin->machine) != 0;
  }
  const size_t others = cases - (most ? groups[0].cases : 0);
  if (most) fprintf(stream, "%zu of ", others);
  fprintf(stream, "%zu cases %srun %s", cases,
          brief         ? ""
          : others == 1 ? "was "
                        : "were ",
          how[most][build && machine ? 2 : machine]);
  fputs(most ? " than the rest" : "", stream);
  if (brief) return sb_arena_text(&writer);
  fputs(" (", stream);
  for (size_t i = most, shown = 0; i < count && shown < SHOWN_MAX; ++i) {
    fputs(shown++ > 0 ? ", " : "", stream);
    fprintf(stream, "%zu ", groups[i].cases);
    put_origin(groups[i].origin, build, machine, stream);
  }
  fputs(count - most > SHOWN_MAX ? ", …" : "", stream);
  if (most) fputs("; the rest ", stream);
  if (most) put_origin(groups[0].origin, build, machine, stream);
  fputc(')', stream);
  return sb_arena_text(&writer);
}

sb_timing_notes sb_timing_notes_of(const sb_results *results, const bool *taken, bool brief, sb_arena *arena)
{
  size_t count = 0;
  if (!taken && !results->sweep->timed) return (sb_timing_notes){0};
  const group   *groups = groups_of(results, taken, arena, &count);
  const sb_times times = times_of(results, taken, groups, count);
  const char    *origins = tell_origins(groups, count, brief, arena);
  const char    *noisy = times.noisy == 0   ? NULL
                         : times.noisy == 1 ? "--rerun noisy times it again"
                                            : "--rerun noisy times them again";
  const char    *stale = origins ? "--rerun stale runs cases of other builds and machines again" : NULL;
  return (sb_timing_notes){.noise = sb_noise_note(arena, &results->floor, times.noisy, times.cases, brief),
                           .origins = origins,
                           .again = noisy && stale ? sb_arena_format(arena, "%s; %s", noisy, stale)
                                    : noisy        ? noisy
                                                   : stale};
}
