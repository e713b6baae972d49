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

#include "base/allocate.h"
#include "base/random.h"
#include "harness/commands/doctor.h"
#include "harness/common/durable.h"
#include "harness/common/exit_status.h"
#include "harness/report/ratio.h"
#include "harness/report/report_text.h"
#include "harness/run/runner_attempt.h"
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
  size_t   count;
  double  *seconds;
  int32_t *repetition;
} side;

typedef struct {
  char     *directory;
  sb_sweep *sweep;
  sb_plan  *plan;
  sb_slots  slots;
  sigset_t  mask;
  side      sides[2];
  int       quiet, runs;
} trial;

static bool keep_samples(trial *t, const char *file, side *s, int round)
{
  char          error[256] = "";
  sb_case_times times;
  sb_arena     *arena = sb_arena_create();
  const bool    read = sb_case_file_times(arena, file, t->plan->cases[0].key, &times, error);
  if (!read) fprintf(stderr, "springbench: error: %s: %s\n", file, error);
  for (size_t i = 0; i < times.sample_count; ++i) {
    if (strcmp(times.samples[i].phase, "step") != 0) continue;
    s->seconds = sb_grow(s->seconds, s->count, sizeof *s->seconds);
    s->repetition = sb_grow(s->repetition, s->count, sizeof *s->repetition);
    s->seconds[s->count] = times.samples[i].seconds;
    s->repetition[s->count++] = round;
  }
  if (read) {
    t->quiet += !sb_repetition_is_noisy(&times, 0);
    t->runs++;
  }
  sb_arena_destroy(&arena);
  return read;
}

static void wait_for(sb_child *child)
{
  while (!sb_child_reap(child)) {
    struct pollfd listening = {.fd = child->output, .events = POLLIN};
    poll(&listening, 1, 1000);
    sb_child_read(child);
    if (child->output < 0) usleep(1000); /* its end is announced, and near */
  }
}

static bool run_once(trial *t, int which, int round)
{
  sb_child            child;
  sb_attempt          attempt;
  const sb_child_task task = {.directory = t->directory,
                              .planned = &t->plan->cases[0],
                              .warm_up = -1,
                              .cores = t->slots.sets ? &t->slots.sets[0] : NULL,
                              .signal_mask = &t->mask};
  if (!sb_child_start(&child, &task)) return false;
  wait_for(&child);
  sb_attempt_judge(&child, &t->plan->cases[0], &attempt);
  const bool ended = attempt.kind == SB_ATTEMPT_RESULT;
  if (!ended) fprintf(stderr, "springbench: error: the case of --aa failed: %s\n", attempt.reason);
  const bool kept = ended && keep_samples(t, child.file, &t->sides[which], round);
  sb_child_clear(&child, true);
  sb_attempt_clear(&attempt);
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

/* By how much the medians of two equal methods, timed like these, may differ. */
static double resolution(const sb_ratio *r) { return fmax(r->high, 1 / r->low) - 1; }

static void report(const trial *t, const sb_ratio *r, int rounds)
{
  char percent[SB_NUMBER_TEXT];
  printf("Two equal methods, timed in turn, %d runs of 100 steps each on one core; %d of %d runs quiet.\n", rounds,
         t->quiet, t->runs);
  printf("  median of a step    A %.4g ms, B %.4g ms\n", 1e3 * r->median[0], 1e3 * r->median[1]);
  printf("  ratio B/A           %.4f, 95 %% interval %.4f to %.4f\n", r->ratio, r->low, r->high);
  if (r->low > 1 || r->high < 1) puts("  The interval misses 1: what disturbs this machine is not even by chance.");
  printf("Two methods that differ by less than %s %% cannot be told apart here with %d repetitions.\n",
         sb_text_rounded(100 * resolution(r), 2, percent), rounds);
}

static int judge(const trial *t, int rounds, bool strict)
{
  const sb_timings a = {t->sides[0].count, t->sides[0].seconds, t->sides[0].repetition};
  const sb_timings b = {t->sides[1].count, t->sides[1].seconds, t->sides[1].repetition};
  const sb_ratio   r = sb_ratio_of_medians(&a, &b, 1, NULL);
  if (!r.known || !r.bounded) {
    fputs("springbench: error: too few steps were timed\n", stderr);
    return SB_EXIT_CASES_FAILED;
  }
  report(t, &r, rounds);
  return strict && !(resolution(&r) <= strict_limit) ? SB_EXIT_UNFIT : SB_EXIT_OK;
}

static bool open_trial(trial *t, const sb_session *session)
{
  char directory[] = "/tmp/springbench-aa-XXXXXX";
  t->sweep = sb_sweep_parse(sweep_text, sizeof sweep_text - 1, "aa.yaml", session);
  t->plan = t->sweep ? sb_plan_create(t->sweep, NULL, session) : NULL;
  if (!t->plan || !mkdtemp(directory)) return false;
  t->directory = sb_copy_text(directory);
  char      *tmp = sb_format("%s/tmp", directory), *logs = sb_format("%s/logs", directory);
  const bool made = sb_make_directory(tmp) && sb_make_directory(logs);
  free(tmp);
  free(logs);
  sb_slots_create(&t->slots, 1, 1);
  return sigprocmask(SIG_SETMASK, NULL, &t->mask) == 0 && made;
}

static int remove_entry(const char *path, const struct stat *information, int kind, struct FTW *place)
{
  (void)information, (void)kind, (void)place;
  return remove(path);
}

static void close_trial(trial *t)
{
  if (t->directory) nftw(t->directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
  for (int i = 0; i < 2; ++i) {
    free(t->sides[i].seconds);
    free(t->sides[i].repetition);
  }
  sb_slots_destroy(&t->slots);
  free(t->directory);
}

int sb_doctor_aa(int rounds, bool strict, const sb_session *session)
{
  trial t = {0};
  int   status = SB_EXIT_CASES_FAILED;
  if (open_trial(&t, session) && run_rounds(&t, rounds)) status = judge(&t, rounds, strict);
  close_trial(&t);
  return status;
}
