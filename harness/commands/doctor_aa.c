/* A/A: two methods that are one. What they seem to differ by is noise; see doctor.h.
 *
 * A and B are the same case, each run a process of its own on one core, as in a sweep: a round has one of either, in an
 * order drawn anew. The interval of the ratio of medians takes whole runs as its units (ratio.h). */
#include <ftw.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "harness/commands/doctor.h"
#include "harness/common/durable.h"
#include "harness/common/exit_status.h"
#include "harness/report/ratio.h"
#include "harness/report/table.h"
#include "harness/run/child.h"
#include "harness/store/case_file.h"

static const char   sweep_text[] = "springbench: 1\n"
                                   "name: aa\n"
                                   "question: do two equal methods cost the same?\n"
                                   "driver: timing\n"
                                   "defaults: {scene: cloth, integrator: implicit_euler, minimizer: local_global,\n"
                                   "           frames: 100, save: none}\n"
                                   "sweep:\n"
                                   "  - grid: {grid: [20]}\n";
static const double strict_limit = 0.05;

typedef struct {
  const sb_session *session;
  char              directory[32];
  sb_plan          *plan;
  sb_slots          slots;
  sigset_t          mask;
  sb_timings        sides[2];
  int               quiet, runs;
} trial;

static bool fail(const trial *t, const char *message)
{
  return sb_error_at(t->session->diagnostics, (sb_location){0}, "E118", "%s", message);
}

static bool keep_samples(trial *t, const char *file, sb_timings *s, int round)
{
  sb_arena     *arena = t->session->arena;
  char          error[256] = "";
  sb_case_times times;
  if (!sb_case_file_times(arena, file, t->plan->cases[0].key, &times, error)) return fail(t, error);
  for (size_t i = 0; i < times.sample_count; ++i) {
    if (strcmp(times.samples[i].phase, "step") != 0) continue;
    s->each = sb_arena_grow(arena, s->each, s->count, sizeof *s->each);
    s->each[s->count++] = (sb_timing){times.samples[i].seconds, round};
  }
  t->quiet += !sb_repetition_is_noisy(&times, 0);
  t->runs++;
  return true;
}

static bool run_once(trial *t, int which, int round)
{
  sb_child            child;
  const sb_child_task task = {.directory = t->directory,
                              .planned = &t->plan->cases[0],
                              .warm_up = -1,
                              .cores = t->slots.sets ? &t->slots.sets[0] : NULL,
                              .signal_mask = &t->mask};
  if (!sb_child_start(&child, &task)) return false;
  while (!sb_child_attend(&child)) {
    struct pollfd listening = {.fd = child.output, .events = POLLIN};
    poll(&listening, 1, 1000);
    if (child.output < 0) usleep(1000); /* its end is announced, and near */
  }
  const sb_attempt attempt = sb_child_judge(&child);
  const bool kept = attempt.kind == SB_ATTEMPT_RESULT
                        ? keep_samples(t, child.file, &t->sides[which], round)
                        : fail(t, sb_arena_format(t->session->arena, "the case of --aa failed: %s", attempt.reason));
  sb_child_clear(&child, true);
  return kept;
}

static bool run_rounds(trial *t, int rounds)
{
  for (int round = 0; round < rounds; ++round) {
    const int first = sb_random_unit(1, (uint64_t)round) < 0.5;
    if (!run_once(t, first, round) || !run_once(t, !first, round)) return false;
  }
  return true;
}

static int judge(const trial *t, int rounds, bool strict)
{
  const sb_ratio r = sb_ratio_of_medians(&t->sides[0], &t->sides[1], 1, NULL);
  char           percent[SB_NUMBER_TEXT];
  if (!r.bounded) {
    fail(t, "too few steps were timed");
    return SB_EXIT_CASES_FAILED;
  }
  /* By how much the medians of two equal methods, timed like these, may differ. */
  const double resolution = fmax(r.high, 1 / r.low) - 1;
  sb_table    *table = sb_table_create(t->session->arena);
  table->indent = 2;
  sb_table_add_column(table, "", "", false);
  sb_table_add_column(table, "", "", false);
  sb_table_add_row(table);
  sb_table_put(table, "median of a step");
  sb_table_put_format(table, "A %.4g ms, B %.4g ms", 1e3 * r.median[0], 1e3 * r.median[1]);
  sb_table_add_row(table);
  sb_table_put(table, "ratio B/A");
  sb_table_put_format(table, "%.4f, 95 %% interval %.4f to %.4f", r.ratio, r.low, r.high);
  printf("Two equal methods, timed in turn, %d runs of 100 steps each on one core; %d of %d runs quiet.\n", rounds,
         t->quiet, t->runs);
  sb_table_print(table, SB_TABLE_TEXT, stdout);
  if (r.low > 1 || r.high < 1) puts("  The interval misses 1: what disturbs this machine is not even by chance.");
  printf("Two methods that differ by less than %s %% cannot be told apart here with %d repetitions.\n",
         sb_text_rounded(100 * resolution, 2, percent), rounds);
  return strict && !(resolution <= strict_limit) ? SB_EXIT_UNFIT : SB_EXIT_OK;
}

static bool open_trial(trial *t)
{
  const sb_session *session = t->session;
  const sb_sweep   *sweep = sb_sweep_parse(sweep_text, sizeof sweep_text - 1, "aa.yaml", session);
  t->plan = sweep ? sb_plan_create(sweep, NULL, session) : NULL;
  if (!t->plan) return false;
  if (!mkdtemp(t->directory)) {
    t->directory[0] = '\0';
    return fail(t, "no directory can be made in /tmp");
  }
  t->slots = sb_slots_create(1, 1, session->arena);
  return sb_make_directory(sb_arena_format(session->arena, "%s/tmp", t->directory)) &&
         sb_make_directory(sb_arena_format(session->arena, "%s/logs", t->directory)) &&
         sigprocmask(SIG_SETMASK, NULL, &t->mask) == 0;
}

static int remove_entry(const char *path, const struct stat *information, int kind, struct FTW *place)
{
  (void)information, (void)kind, (void)place;
  return remove(path);
}

int sb_doctor_aa(int rounds, bool strict, const sb_session *session)
{
  trial      t = {.session = session, .directory = "/tmp/springbench-aa-XXXXXX"};
  const bool done = open_trial(&t) && run_rounds(&t, rounds);
  const int  status = done ? judge(&t, rounds, strict) : SB_EXIT_CASES_FAILED;
  if (t.plan && *t.directory) nftw(t.directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
  return status;
}
