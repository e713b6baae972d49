/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The origin of the times of cases; see timing_notes.h. Builds, machines and hosts are compared by their names in the
 * journal. A host that it does not name, as in results of earlier versions, may be any. */
#include "harness/results/timing_notes.h"

#include <string.h>

#include "base/words.h"
#include "cases/common/text.h"

enum { SHOWN_MAX = 3 };

typedef struct {
  const sb_case_origin *origin;
  size_t                cases;
} group;

static bool same_host(const sb_case_origin *a, const sb_case_origin *b)
{
  return !a->host || !b->host || strcmp(a->host, b->host) == 0;
}

static bool same(const sb_case_origin *a, const sb_case_origin *b)
{
  return strcmp(a->build, b->build) == 0 && strcmp(a->machine, b->machine) == 0 && same_host(a, b);
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
    if (i == *count) *SB_NEW_ITEM(arena, groups, *count) = (group){.origin = origin};
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

sb_times sb_times_of(const sb_results *results, const bool *taken)
{
  size_t               count = 0;
  const sb_case_counts tally = sb_case_counts_of(results->rows, taken);
  const group         *groups = groups_of(results, taken, results->session.arena, &count);
  return (sb_times){tally.cases, tally.noisy, has_most(groups, count) ? groups[0].origin : NULL};
}

unsigned sb_times_marks(const sb_times *times, const sb_results *results, size_t count, const size_t *rows)
{
  unsigned marks = 0;
  for (size_t i = 0; i < count; ++i) {
    const sb_case_origin *origin = origin_of(results, rows[i]);
    if (sb_row_noisy(results->rows, rows[i])) marks |= SB_TIME_NOISY;
    if (times->origin && origin && !same(times->origin, origin)) marks |= SB_TIME_OTHER;
  }
  return marks;
}

/* The differences between groups; that of hosts only between machines that are alike. */
typedef struct {
  bool build, machine, host;
} differences;

static differences differences_of(const group *groups, size_t count)
{
  differences d = {0};
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < i; ++k) {
      const bool machine = strcmp(groups[i].origin->machine, groups[k].origin->machine) != 0;
      d.build = d.build || strcmp(groups[i].origin->build, groups[k].origin->build) != 0;
      d.machine = d.machine || machine;
      d.host = d.host || (!machine && !same_host(groups[i].origin, groups[k].origin));
    }
  return d;
}

/* "by A", "on M", "by A on M", "by A on host H", "on M, host H": what of it differs between the groups. */
static void put_origin(const sb_case_origin *origin, differences d, FILE *stream)
{
  if (d.build) fprintf(stream, d.machine || d.host ? "by %s " : "by %s", origin->build);
  if (d.machine) fprintf(stream, "on %s", origin->machine);
  if (d.host) fprintf(stream, d.machine ? ", host %s" : "on host %s", origin->host ? origin->host : "unknown");
}

/* "by another build", "on several hosts", "by several builds and on several machines" */
static void put_differences(differences d, bool most, FILE *stream)
{
  const char *one = most ? "another" : "several", *plural = most ? "" : "s";
  if (d.build) fprintf(stream, "by %s build%s", one, plural);
  if (d.build && (d.machine || d.host)) fputs(" and ", stream);
  if (d.machine || d.host) fprintf(stream, "on %s %s%s", one, d.machine ? "machine" : "host", plural);
}

/* NULL where all are of one build, machine and host. */
static const char *tell_origins(const group *groups, size_t count, differences d, bool brief, sb_arena *arena)
{
  const bool      most = has_most(groups, count);
  size_t          cases = 0;
  sb_arena_writer writer;
  if (count < 2) return NULL;
  FILE *stream = sb_arena_write(&writer, arena);
  for (size_t i = 0; i < count; ++i) cases += groups[i].cases;
  const size_t others = cases - (most ? groups[0].cases : 0);
  if (most) fprintf(stream, "%zu of ", others);
  fprintf(stream, "%zu cases %srun ", cases, brief ? "" : sb_by_count(others, "was ", "were "));
  put_differences(d, most, stream);
  fputs(most ? " than the rest" : "", stream);
  if (brief) return sb_arena_text(&writer);
  fputs(" (", stream);
  for (size_t i = most, shown = 0; i < count && shown < SHOWN_MAX; ++i) {
    fputs(shown++ > 0 ? ", " : "", stream);
    fprintf(stream, "%zu ", groups[i].cases);
    put_origin(groups[i].origin, d, stream);
  }
  fputs(count - most > SHOWN_MAX ? ", …" : "", stream);
  if (most) fputs("; the rest ", stream);
  if (most) put_origin(groups[0].origin, d, stream);
  fputc(')', stream);
  return sb_arena_text(&writer);
}

const char *sb_devices_note(const sb_results *results, const bool *taken, sb_arena *arena)
{
  const sb_case_counts tally = sb_case_counts_of(results->rows, taken);
  sb_names             names = {0};
  size_t              *counts = sb_arena_take(arena, tally.cases, sizeof *counts);
  const char          *told = "";
  for (size_t row = 0; row < sb_rows_count(results->rows); ++row) {
    const sb_value used = sb_rows_get_named(results->rows, row, "device_used");
    if ((taken && !taken[row]) || used.kind != SB_WORD) continue;
    const char *remark = sb_row_lacks_gpu(results->rows, row) ? " (not a GPU)" : "";
    counts[sb_names_add(arena, &names, sb_arena_format(arena, "%s%s", used.word, remark))]++;
  }
  for (size_t i = 0; i < names.count; ++i)
    told = sb_arena_join(arena, told, "; ", "%s in %zu of %s", names.names[i], counts[i],
                         sb_counted(arena, tally.cases, "case"));
  if (names.count == 0) return NULL;
  return tally.without_gpu > 0 && results->sweep->timed
             ? sb_arena_format(arena, "%s; times of a device that is not a GPU decide no claim", told)
             : told;
}

sb_timing_notes sb_timing_notes_of(const sb_results *results, const bool *taken, bool brief, sb_arena *arena)
{
  size_t count = 0;
  if (!taken && !results->sweep->timed) return (sb_timing_notes){0};
  const group         *groups = groups_of(results, taken, arena, &count);
  const sb_case_counts times = sb_case_counts_of(results->rows, taken);
  const differences    d = differences_of(groups, count);
  const char          *origins = tell_origins(groups, count, d, brief, arena);
  const char *again = sb_by_count(times.noisy, "--rerun noisy times it again", "--rerun noisy times them again");
  const char *noisy = times.noisy > 0 ? again : NULL;
  const char *stale = !origins               ? NULL
                      : d.build || d.machine ? "--rerun stale runs cases of other builds and machines again"
                                             : "--rerun all runs all of them on one host";
  /* Times of PoCL, and of the kernels as C, are those of a processor. */
  const char *device = times.without_gpu == 0
                           ? NULL
                           : sb_arena_format(arena, "%zu of %zu cases ran on a device that is not a GPU",
                                             times.without_gpu, times.cases);
  return (sb_timing_notes){.noise = sb_noise_note(arena, &results->floor, times.noisy, times.cases, brief),
                           .origins = origins,
                           .device = device,
                           .again = noisy && stale ? sb_arena_format(arena, "%s; %s", noisy, stale)
                                    : noisy        ? noisy
                                                   : stale};
}
