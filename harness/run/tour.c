/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See tour.h. */
#include "harness/run/tour.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/profile.h"
#include "cases/common/csv.h"
#include "cases/common/durable.h"
#include "cases/common/progress_line.h"
#include "cases/common/text.h"

struct sb_tour {
  sb_arena            *arena;
  FILE                *log; /* NULL: nothing is to be done, or it cannot be written */
  size_t               count;
  const sb_tour_sweep *each;
  const sb_tour_sweep *now; /* NULL: none has begun */
  bool                 quick;
  double               started_seconds, now_seconds; /* of the tour, of the sweep */
};

/* ---- typical times ---- */

static double number_in(const sb_published_table *table, size_t row, const char *column)
{
  const char  *text = sb_published_text(table, row, column);
  char        *end = NULL;
  const double value = strtod(text, &end);
  return end > text && value > 0 ? value : NAN;
}

sb_typical sb_typical_of(const char *sweep, sb_arena *arena)
{
  char                      error[SB_ERROR_SIZE];
  SB_OWNED char            *folder = sb_data_directory("experiments");
  const sb_published_table *table = sb_published_read(arena, folder, "typical_times", error);
  for (size_t row = 1; table && row < table->rows; ++row)
    if (strcmp(sb_published_text(table, row, "sweep"), sweep) == 0)
      return (sb_typical){number_in(table, row, "cases"), number_in(table, row, "seconds"),
                          number_in(table, row, "quick_cases"), number_in(table, row, "quick_seconds")};
  return (sb_typical){NAN, NAN, NAN, NAN};
}

double sb_typical_seconds(const sb_typical *t, bool quick, size_t cases)
{
  return (double)cases * (quick ? t->quick_seconds / t->quick_cases : t->whole_seconds / t->whole_cases);
}

const char *sb_duration_words(double seconds, sb_arena *arena)
{
  if (isnan(seconds)) return "";
  sb_arena_writer writer;
  sb_progress_put_duration(sb_arena_write(&writer, arena), seconds);
  return sb_arena_text(&writer);
}

/* ---- the tour ---- */

/* The seconds of the sweeps [from, to) and whether all of those that have to run are known. */
static double expected(const sb_tour *t, size_t from, size_t to, bool *known)
{
  double seconds = 0;
  for (size_t i = from; i < to; ++i) {
    if (t->each[i].pending == 0) continue;
    *known = *known && !isnan(t->each[i].seconds);
    seconds += isnan(t->each[i].seconds) ? 0 : t->each[i].seconds;
  }
  return seconds;
}

sb_tour *sb_tour_begin(const char *folder, size_t count, const sb_tour_sweep *each, bool quick, sb_arena *arena)
{
  sb_tour    *t = sb_arena_take(arena, 1, sizeof *t);
  const char *path = sb_arena_format(arena, "%s/run.log", folder);
  size_t      pending = 0;
  bool        known = true;
  char        at[32];
  *t = (sb_tour){.arena = arena, .count = count, .each = each, .quick = quick, .started_seconds = sb_clock_seconds()};
  for (size_t i = 0; i < count; ++i) pending += each[i].pending;
  if (pending == 0) return t;
  const bool own = sb_make_directory(folder) && sb_own_file(folder, "run.log");
  const int  log = own ? sb_open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW) : -1;
  t->log = log < 0 ? NULL : fdopen(log, "a");
  if (!t->log) fprintf(stderr, "springbench: warning: cannot write %s: %s\n", path, sb_cause(errno));
  if (t->log) fprintf(t->log, "%s\n", sb_now(at));
  const double seconds = expected(t, 0, count, &known);
  const char  *text = sb_arena_format(arena, "%zu sweeps, %s to run", count, sb_counted(arena, pending, "case"));
  if (seconds > 0)
    text = sb_arena_format(arena, "%s, %s %s on two quiet cores", text, known ? "about" : "at least",
                           sb_duration_words(seconds, arena));
  sb_tour_say(t, sb_arena_format(arena, "%s\n", text));
  return t;
}

/* Only the log has the sweep's time, for typical_times.py. */
static void end_sweep(sb_tour *t)
{
  if (t->now && t->now->pending == t->now->cases && t->log)
    fprintf(t->log, "%s took %.1f s%s\n", t->now->name, sb_clock_seconds() - t->now_seconds, t->quick ? ", quick" : "");
  t->now = NULL;
}

void sb_tour_next(sb_tour *t, size_t i)
{
  enum { ENOUGH_SECONDS = 10 };
  const sb_tour_sweep *next = &t->each[i];
  bool                 known = true;
  end_sweep(t);
  if (next->pending == 0) return;
  t->now = next;
  t->now_seconds = sb_clock_seconds();
  const double before = expected(t, 0, i, &known), left = expected(t, i, t->count, &known);
  const double elapsed = sb_clock_seconds() - t->started_seconds;
  /* This machine's speed is that of the sweeps so far. */
  const double speed = before > ENOUGH_SECONDS && elapsed > 0 ? elapsed / before : 1;
  const char  *of = next->pending < next->cases ? sb_arena_format(t->arena, " of %zu", next->cases) : "";
  const char  *takes = sb_duration_words(next->seconds * speed, t->arena);
  const char  *text = sb_arena_format(t->arena, "[%zu/%zu] %s  %zu%s case%s%s%s …", i + 1, t->count, next->name,
                                      next->pending, of, sb_by_count(next->cases, "", "s"), *takes ? ", " : "", takes);
  const bool   begun = elapsed >= 1;
  if (begun) text = sb_arena_format(t->arena, "%s  %s so far", text, sb_duration_words(elapsed, t->arena));
  if (known && left > 0)
    text = sb_arena_join(t->arena, text, begun ? ", " : "  ", "%s left", sb_duration_words(left * speed, t->arena));
  sb_tour_say(t, sb_arena_format(t->arena, "%s\n", text));
}

void sb_tour_say(const sb_tour *t, const char *text)
{
  fputs(text, stderr);
  if (t && t->log) {
    fputs(text, t->log);
    fflush(t->log);
  }
}

/* Seconds of all processors, of this process and of those that it has waited for: run_all.sh becomes this program, so
 * that its build counts. */
static double processor_seconds(void)
{
  double seconds = 0;
  for (int who = RUSAGE_CHILDREN; who <= RUSAGE_SELF; ++who) {
    struct rusage usage = {0};
    (void)getrusage(who, &usage);
    seconds += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  }
  return seconds;
}

void sb_tour_end(sb_tour *t)
{
  end_sweep(t);
  if (!t->log) return;
  sb_tour_say(t, sb_arena_format(t->arena, "%zu sweeps took %s; %.0f s of processor time in all\n", t->count,
                                 sb_duration_words(sb_clock_seconds() - t->started_seconds, t->arena),
                                 processor_seconds()));
  fclose(t->log);
  t->log = NULL;
}
