/* Running the cases that are pending: slots, rounds, and the end of each attempt; see run_state.h.
 *
 * A timed sweep runs in rounds: in each, every case runs once, in an order drawn anew from the order seed, so that what
 * disturbs the machine for a while hits no method alone. A repetition's file carries the samples of those before it.
 * What makes up for noisy repetitions follows at once, so that a case is published as soon as its rounds are over. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/profile.h"
#include "base/random.h"
#include "harness/common/durable.h"
#include "harness/common/exit_status.h"
#include "harness/run/child.h"
#include "harness/run/pace.h"
#include "harness/run/progress.h"
#include "harness/run/run_state.h"
#include "harness/run/signals.h"

enum { POLL_MILLISECONDS = 100, WAIT_MILLISECONDS = 60000 };

typedef struct {
  sb_run_state   *run;
  sb_arena       *arena; /* of the schedule itself */
  sb_signals      signals;
  sb_slots        slots;
  sb_child       *children;  /* [slots.count] */
  size_t         *case_of;   /* [slots.count] number of the pending case that runs there; run->count: the floor's */
  struct pollfd  *listening; /* [slots.count + 1] */
  sb_progress     progress;
  sb_floor        floor;
  sb_calibrations calibrations;
  int             round, status;
  bool            gone; /* the results directory */
} schedule;

/* The order of a round: Fisher–Yates with SplitMix64; plan order where nothing is timed. */
static void make_order(const schedule *s, size_t *order)
{
  const sb_run_state *run = s->run;
  for (size_t i = 0; i < run->count; ++i) order[i] = i;
  if (!run->sweep->timed) return;
  const uint64_t seed = sb_random_bits(run->request->order_seed, (uint64_t)s->round);
  for (size_t i = run->count; i > 1; --i) {
    const size_t other = (size_t)(sb_random_unit(seed, i) * (double)i), last = order[i - 1];
    order[i - 1] = order[other];
    order[other] = last;
  }
}

static void stop_all(schedule *s, int status)
{
  if (s->status == SB_EXIT_OK || status == SB_EXIT_STORAGE) s->status = status;
  for (int i = 0; i < s->slots.count; ++i) sb_child_stop(&s->children[i]);
}

static json_t *new_event(const schedule *s, const char *what, const sb_pending_case *pending, const sb_attempt *attempt)
{
  char at[32];
  return json_pack("{s:s, s:s, s:s, s:O, s:s, s:s, s:s, s:i, s:f, s:i}", "event", what, "at", sb_now(at), "key",
                   pending->planned->key, "row", attempt->row, "build", s->run->build, "machine", s->run->machine,
                   "save", SB_TEXT(pending->planned->options, save), "repetitions", pending->attempts + 1,
                   "memory_limit", s->run->memory_limit_bytes, "jobs", s->slots.count);
}

/* The file of this repetition takes the place of the one before, whose samples it has. */
static void keep_samples(sb_pending_case *pending, const sb_child *child)
{
  if (pending->samples) unlink(pending->samples);
  free(pending->samples);
  pending->samples = child ? sb_copy_text(child->file) : NULL;
}

/* What the row says of the attempts at a case, this one included. --quick takes times as they come. */
static sb_timing_so_far so_far(const schedule *s, const sb_pending_case *pending, const sb_attempt *attempt)
{
  const json_t    *timing = json_object_get(attempt->row, "timing");
  const json_t    *half_width = json_object_get(timing, "half_width");
  sb_timing_so_far t = {.known = timing && s->run->watched && !s->run->request->quick,
                        .attempts = pending->attempts + 1,
                        .quiet = json_integer_value(json_object_get(timing, "quiet")),
                        .half_width = json_is_number(half_width) ? json_number_value(half_width) : NAN};
  if (t.quiet > t.attempts) t.quiet = t.attempts;
  return t;
}

static bool is_repeated(const schedule *s, const sb_pending_case *pending, const sb_attempt *attempt)
{
  const bool             worth_repeating = attempt->status == SB_OK || attempt->status == SB_CASE_NOT_CONVERGED;
  const sb_timing_so_far t = so_far(s, pending, attempt);
  return worth_repeating && sb_wants_repetition(s->run->repetitions, &t);
}

/* Kept for another repetition: in the next round, or at once when all rounds are over. */
static void repeat(schedule *s, const sb_child *child, sb_pending_case *pending)
{
  const int asked = s->run->repetitions;
  keep_samples(pending, child);
  pending->attempts++;
  pending->again = asked != SB_REPETITIONS_AUTO && pending->attempts >= asked;
  if (pending->again || (asked == SB_REPETITIONS_AUTO && pending->attempts >= SB_AUTO_LEAST)) s->progress.runs_total++;
}

static void write_failure(schedule *s, const sb_pending_case *pending, const sb_attempt *attempt)
{
  const sb_publisher publisher = sb_run_publisher(s->run);
  char              *log = sb_format("logs/%s.txt", pending->planned->key);
  json_t            *event = new_event(s, "fail", pending, attempt);
  json_object_set_new(event, "log", json_string(log));
  free(log);
  if (!sb_publish_failure(&publisher, pending->planned->key, event)) stop_all(s, SB_EXIT_STORAGE);
}

static void write_interrupt(schedule *s, const sb_pending_case *pending, const sb_attempt *attempt)
{
  if (s->status == SB_EXIT_STORAGE) return; /* nothing can be written; the case is missing, which says the same */
  json_t *event = new_event(s, "interrupt", pending, attempt);
  if (!sb_journal_append(&s->run->journal, &s->run->state, event))
    stop_all(s, SB_EXIT_STORAGE);
  else
    stop_all(s, SB_EXIT_INTERRUPTED);
}

/* What stands where the results directory was is not it: that is what is wrong, whatever else fails then. Told once. */
static bool directory_is_gone(schedule *s)
{
  const sb_run_state *run = s->run;
  struct stat         found;
  if (s->gone) return true;
  if (stat(run->request->directory, &found) == 0)
    s->gone = found.st_ino != run->inode || found.st_dev != run->device;
  else
    s->gone = errno == ENOENT || errno == ENOTDIR;
  if (!s->gone) return false;
  sb_progress_clear(&s->progress);
  fprintf(stderr, "springbench: error: %s is not there any more (moved or removed?)\n", run->request->directory);
  stop_all(s, SB_EXIT_STORAGE);
  return true;
}

static void report_end_of_sweep(schedule *s, const sb_child *child, const sb_pending_case *pending,
                                const sb_attempt *attempt)
{
  if (directory_is_gone(s)) return;
  char         needed[32], available[32];
  const double room = sb_free_bytes(s->run->request->directory);
  sb_progress_clear(&s->progress);
  static const char start[] = "springbench: error: ";
  const bool        located = strncmp(attempt->reason, start, strlen(start)) == 0; /* the case names path and cause */
  fprintf(stderr, "%s%s%s%s", start, located ? "" : child->log, located ? "" : ": ",
          attempt->reason + (located ? strlen(start) : 0));
  if (sb_tells_of_room(attempt->reason))
    fprintf(stderr, "; the case needs about %s, free %s",
            sb_format_bytes(sb_case_predicted_bytes(pending->planned), needed), sb_format_bytes(room, available));
  fputs("; the same command continues\n", stderr);
}

/* What has become of a case: published, written down, or kept for the next round. Gives whether its file stays. */
static bool settle(schedule *s, const sb_child *child, sb_pending_case *pending, sb_attempt *attempt)
{
  const sb_publisher publisher = sb_run_publisher(s->run);
  switch (attempt->kind) {
  case SB_ATTEMPT_RESULT:
    if (directory_is_gone(s)) break;
    if (is_repeated(s, pending, attempt)) {
      repeat(s, child, pending);
      return true;
    }
    pending->finished = true;
    keep_samples(pending, NULL);
    if (sb_publish(&publisher, pending->planned->key, child->file, new_event(s, "publish", pending, attempt)))
      return false;
    stop_all(s, SB_EXIT_STORAGE);
    /* With its line in the journal the file is a result; the next run moves it into place. */
    return sb_journal_published(&s->run->state, pending->planned->key) != NULL;
  case SB_ATTEMPT_FAILURE:
    pending->finished = true;
    write_failure(s, pending, attempt);
    break;
  case SB_ATTEMPT_INTERRUPTED:
    write_interrupt(s, pending, attempt);
    break;
  case SB_ATTEMPT_STORAGE:
  case SB_ATTEMPT_UNFIT:
    report_end_of_sweep(s, child, pending, attempt);
    stop_all(s, attempt->kind == SB_ATTEMPT_STORAGE ? SB_EXIT_STORAGE : SB_EXIT_UNFIT);
    break;
  }
  keep_samples(pending, NULL);
  return false;
}

/* The next timing of the floor is over; the journal gets a line. */
static void finish_floor(schedule *s, const sb_child *child, const sb_attempt *attempt)
{
  char          at[32];
  sb_floor     *f = &s->floor;
  const json_t *timing = json_object_get(attempt->row, "timing"), *seconds = json_object_get(timing, "seconds");
  const char   *noisy = json_string_value(json_object_get(timing, "noisy"));
  f->runs = false;
  f->done++;
  f->spent_seconds += child->wall_seconds;
  if (attempt->kind != SB_ATTEMPT_RESULT || !json_is_number(seconds)) {
    f->planned = NULL; /* no case to measure by; the sweep itself will say what is wrong with it */
    return;
  }
  json_t *event = json_pack("{s:s, s:s, s:s, s:f, s:s, s:s, s:s}", "event", "floor", "at", sb_now(at), "case",
                            f->planned->key, "seconds", json_number_value(seconds), "noisy", noisy ? noisy : "",
                            "build", s->run->build, "machine", s->run->machine);
  if (!sb_journal_append(&s->run->journal, &s->run->state, event)) stop_all(s, SB_EXIT_STORAGE);
}

static void finish(schedule *s, int slot)
{
  sb_child        *child = &s->children[slot];
  const bool       floor = s->case_of[slot] == s->run->count;
  sb_pending_case *pending = floor ? NULL : &s->run->pending[s->case_of[slot]];
  sb_attempt       attempt = sb_child_judge(child, floor ? s->floor.planned : pending->planned);
  bool             file_stays = false;
  sb_calibrations_add(&s->calibrations, attempt.row);
  if (floor) {
    finish_floor(s, child, &attempt);
  } else {
    file_stays = settle(s, child, pending, &attempt);
    if (pending->finished && sb_row_is_noisy(attempt.row)) s->progress.noisy++;
    if (pending->finished || file_stays)
      sb_progress_end(&s->progress, pending->planned, pending->finished, attempt.status, child->wall_seconds,
                      attempt.reason);
  }
  sb_child_clear(child, !file_stays);
}

/* Milliseconds until something is due that no file descriptor announces. */
static int wait_time(const schedule *s)
{
  double       wait = WAIT_MILLISECONDS;
  const double now = sb_clock_seconds();
  for (int i = 0; i < s->slots.count; ++i) {
    const sb_child *child = &s->children[i];
    if (child->pid == 0) continue;
    if (child->polls_memory && wait > POLL_MILLISECONDS) wait = POLL_MILLISECONDS;
    const double due = child->kill_seconds > 0 ? child->kill_seconds : child->deadline_seconds;
    if (due > 0 && (due - now) * 1000 < wait) wait = (due - now) * 1000;
  }
  return wait > 0 ? (int)wait + 1 : 1;
}

/* Waits until something happens and deals with it. */
static void attend(schedule *s)
{
  s->listening[0] = (struct pollfd){.fd = s->signals.descriptor, .events = POLLIN};
  for (int i = 0; i < s->slots.count; ++i)
    s->listening[i + 1] = (struct pollfd){.fd = s->children[i].output, .events = POLLIN};
  poll(s->listening, (nfds_t)s->slots.count + 1, wait_time(s));
  const int asked = sb_signals_stop_asked(&s->signals);
  if (asked) {
    sb_progress_clear(&s->progress);
    fprintf(stderr, "springbench: SIG%s: stopping; the same command continues\n", sigabbrev_np(asked));
    stop_all(s, SB_EXIT_INTERRUPTED);
  }
  for (int i = 0; i < s->slots.count; ++i) {
    sb_child_read(&s->children[i]);
    sb_child_watch(&s->children[i]);
    if (sb_child_reap(&s->children[i])) finish(s, i);
  }
}

static int slot_that(const schedule *s, bool runs)
{
  for (int i = 0; i < s->slots.count; ++i)
    if ((s->children[i].pid != 0) == runs) return i;
  return -1;
}

/* Case number `number`, or the floor's. */
static void start(schedule *s, size_t number, int slot)
{
  sb_run_state       *run = s->run;
  const bool          floor = number == run->count;
  sb_pending_case    *pending = floor ? NULL : &run->pending[number];
  const sb_child_task task = {.program = run->request->program,
                              .directory = run->request->directory,
                              .planned = floor ? s->floor.planned : pending->planned,
                              .log = floor ? "noise-floor" : NULL,
                              .samples_from = floor ? NULL : pending->samples,
                              .warm_up = run->request->warm_up,
                              .repetition = floor ? 0 : pending->attempts,
                              .calibration_seconds = sb_calibrations_quiet(&s->calibrations),
                              .time_limit_seconds = run->time_limit_seconds,
                              .memory_limit_bytes = run->memory_limit_bytes,
                              .cores = s->slots.sets ? &s->slots.sets[slot] : NULL,
                              .signal_mask = &s->signals.before};
  if (directory_is_gone(s)) return;
  if (!floor) sb_progress_start(&s->progress, pending->planned);
  if (floor)
    s->floor.runs = true;
  else
    pending->again = false;
  s->case_of[slot] = number;
  if (sb_child_start(&s->children[slot], &task)) return;
  sb_child_clear(&s->children[slot], true);
  stop_all(s, SB_EXIT_STORAGE);
}

/* What comes before the next case of a round: a case whose attempt was noisy, and the floor when it is due. False when
 * there is nothing. */
static bool start_due(schedule *s, int slot)
{
  const sb_sweep_pace pace = {s->progress.runs_done, s->progress.runs_total,
                              sb_clock_seconds() - s->floor.started_seconds};
  for (size_t i = 0; i < s->run->count; ++i)
    if (s->run->pending[i].again) {
      start(s, i, slot);
      return true;
    }
  if (!sb_floor_is_due(&s->floor, &pace)) return false;
  start(s, s->run->count, slot);
  return true;
}

/* A slot for the next case of the round; -1 when the run is to end. */
static int free_slot(schedule *s)
{
  while (s->status == SB_EXIT_OK) {
    const int slot = slot_that(s, false);
    if (slot < 0)
      attend(s);
    else if (!start_due(s, slot))
      return slot;
  }
  return -1;
}

static void run_round(schedule *s, size_t *order)
{
  make_order(s, order);
  for (size_t i = 0; i < s->run->count && s->status == SB_EXIT_OK; ++i) {
    if (s->run->pending[order[i]].finished) continue;
    const int slot = free_slot(s);
    if (slot >= 0) start(s, order[i], slot);
  }
  for (;;) {
    const int slot = slot_that(s, false);
    if (slot >= 0 && s->status == SB_EXIT_OK && start_due(s, slot)) continue;
    if (slot_that(s, true) < 0) return;
    attend(s);
  }
}

/* Cores of the widest case. */
static int slot_width(const sb_run_state *run)
{
  int64_t width = 1;
  for (size_t i = 0; i < run->count; ++i) {
    const sb_options *options = run->pending[i].planned->options;
    const int64_t     cores = SB_INTEGER(options, ranks) * SB_INTEGER(options, threads);
    if (cores > width) width = cores;
  }
  return width > INT16_MAX ? INT16_MAX : (int)width;
}

/* Chooses the case that the noise floor is from, where the run is to have one. */
static void open_floor(sb_floor *f, const sb_run_state *run)
{
  double chosen = 0;
  *f = (sb_floor){.started_seconds = sb_clock_seconds()};
  if (!run->watched || run->request->quick) return;
  for (size_t i = 0; i < run->plan->count; ++i) {
    const sb_planned_case *c = &run->plan->cases[i];
    const double           work = c->skipped ? 0 : sb_floor_work(c->options, c->time.steps);
    if (c->skipped || (f->planned && !sb_floor_suits_better(work, chosen))) continue;
    f->planned = c;
    chosen = work;
  }
}

static bool open_schedule(schedule *s)
{
  const sb_run_state *run = s->run;
  const int           jobs = run->request->jobs > 0 ? run->request->jobs : run->sweep->timed ? 1 : 0;
  sb_slots_create(&s->slots, jobs, slot_width(run), s->arena);
  const size_t slots = (size_t)s->slots.count;
  s->children = sb_arena_take(s->arena, slots, sizeof *s->children);
  s->case_of = sb_arena_take(s->arena, slots, sizeof *s->case_of);
  s->listening = sb_arena_take(s->arena, slots + 1, sizeof *s->listening);
  for (size_t i = 0; i < slots; ++i) s->children[i].output = -1;
  sb_progress_open(&s->progress, run->request->progress, run->plan, s->arena);
  s->progress.total = run->asked;
  s->progress.done = run->asked - run->count;
  const int expected = run->repetitions == SB_REPETITIONS_AUTO ? SB_AUTO_LEAST : run->repetitions;
  s->progress.runs_total = run->count * (size_t)expected;
  open_floor(&s->floor, run);
  if (run->sweep->timed && slots > 1)
    fputs("springbench: warning: timed cases run side by side; their times are marked as taken in company\n", stderr);
  return sb_signals_open(&s->signals) || sb_storage_error("listen for signals in", run->request->directory, errno, 0);
}

int sb_run_pending(sb_run_state *run)
{
  schedule s = {.run = run, .arena = sb_arena_create(), .signals = {.descriptor = -1}};
  size_t  *order = sb_arena_take(s.arena, run->count, sizeof *order);
  bool     all_finished = false;
  if (!open_schedule(&s)) s.status = SB_EXIT_STORAGE;
  for (; s.status == SB_EXIT_OK && !all_finished; ++s.round) {
    run_round(&s, order);
    all_finished = true;
    for (size_t i = 0; i < run->count; ++i) all_finished = all_finished && run->pending[i].finished;
  }
  for (size_t i = 0; i < run->count; ++i) keep_samples(&run->pending[i], NULL);
  (void)directory_is_gone(&s);
  sb_progress_clear(&s.progress);
  sb_signals_close(&s.signals);
  sb_arena_destroy(&s.arena);
  return s.status;
}
