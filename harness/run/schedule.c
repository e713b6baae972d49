/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running the pending cases: slots, rounds, the end of each attempt, and messages meanwhile; see run_state.h.
 *
 * A timed sweep runs in rounds: in each, every case runs once, in an order drawn from the order seed, so that a
 * temporary disturbance of the machine does not hit only one method. A repetition's file has the samples of earlier
 * ones. Replacements of noisy repetitions follow at once, so that a case is published when its rounds are over. */
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
#include "cases/common/durable.h"
#include "cases/common/exit_status.h"
#include "cases/common/progress_line.h"
#include "harness/run/child.h"
#include "harness/run/prediction.h"
#include "harness/run/repetitions.h"
#include "harness/run/run_state.h"
#include "harness/run/signals.h"

enum { POLL_MILLISECONDS = 100, WAIT_MILLISECONDS = 60000 };

/* A slot in which a case runs; `pending` NULL: that of the noise floor. */
typedef struct {
  sb_child         child;
  sb_pending_case *pending;
} place;

/* Holds the progress of a run for messages. */
typedef struct {
  bool  *varies;                /* [plan->axis_count] the axis distinguishes cases */
  size_t done;                  /* of the requested cases, finished now or earlier */
  size_t failed, noisy;         /* in this run; noisy: none of its repetitions was quiet */
  size_t runs_total, runs_done; /* processes: repetitions of a case count one by one */
  double started_seconds;
} progress;

typedef struct {
  sb_run_state   *run;
  sb_signals      signals;
  sb_slots        slots;
  place          *places;    /* [slots.count] */
  struct pollfd  *listening; /* [slots.count + 1] */
  progress        progress;
  sb_floor        floor;
  sb_calibrations calibrations;
  double          asked_seconds, replacing_seconds; /* of attempts; the latter replace noisy ones */
  bool            refused;                          /* a noisy attempt was not replaced, as that took too long */
  size_t          started;                          /* processes */
  int             status;
  bool            gone; /* the results directory */
} schedule;

static void stop_all(schedule *s, int status)
{
  if (s->status == SB_EXIT_OK || status == SB_EXIT_STORAGE) s->status = status;
  for (int i = 0; i < s->slots.count; ++i) sb_child_stop(&s->places[i].child);
}

/* Cases that can store their state do so; no other case starts. */
static void save_all(schedule *s)
{
  if (s->status == SB_EXIT_OK) s->status = SB_EXIT_INTERRUPTED;
  for (int i = 0; i < s->slots.count; ++i) sb_child_save(&s->places[i].child);
}

/* ---- progress messages ---- */

static void clear_bar(const schedule *s)
{
  if (s->run->form == SB_PROGRESS_BAR) sb_progress_clear();
}

static void put_case(const schedule *s, const sb_planned_case *planned, FILE *stream)
{
  if (!sb_plan_put_case(s->run->plan, s->progress.varies, planned, stream)) fputs(planned->key, stream);
}

/* A case begins: the bar shows the progress of the run. The time left assumes the mean pace so far. */
static void show_bar(const schedule *s, const sb_planned_case *planned)
{
  const progress *p = &s->progress;
  SB_OWNED char  *line = NULL;
  size_t          length = 0;
  if (s->run->form != SB_PROGRESS_BAR) return;
  FILE *stream = sb_text_stream(&line, &length);
  fprintf(stream, "%zu/%zu", p->done, s->run->asked);
  if (p->failed > 0) fprintf(stream, ", %zu failed", p->failed);
  if (p->noisy > 0) fprintf(stream, ", %zu noisy", p->noisy);
  if (p->runs_done > 0) {
    const double pace = (sb_clock_seconds() - p->started_seconds) / (double)p->runs_done;
    sb_progress_put_left(stream, pace * (double)(p->runs_total - p->runs_done));
  }
  fputs(": ", stream);
  put_case(s, planned, stream);
  fclose(stream);
  sb_progress_show(line);
}

/* A process has ended that was a case's last when the case is finished. */
static void count_end(schedule *s, const sb_child *child, bool finished, const sb_attempt *attempt)
{
  progress  *p = &s->progress;
  const bool failed = finished && !sb_status_is_result(attempt->status);
  p->runs_done++;
  p->done += finished;
  p->failed += failed;
  p->noisy += finished && sb_row_is_noisy(attempt->row);
  if (!finished || s->run->form == SB_PROGRESS_NONE || (s->run->form != SB_PROGRESS_LINES && !failed)) return;
  clear_bar(s);
  fprintf(stderr, "%zu/%zu ", p->done, s->run->asked);
  put_case(s, child->task.planned, stderr);
  fprintf(stderr, ": %s (%.3g s)", sb_status_name(attempt->status), child->wall_seconds);
  if (*attempt->reason) fprintf(stderr, ": %s", attempt->reason);
  if (failed) fprintf(stderr, " [logs/%s.txt]", child->task.planned->key);
  fputc('\n', stderr);
}

/* Something else has replaced the results directory: the cause of all that fails afterwards, reported once. */
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
  clear_bar(s);
  fprintf(stderr, "springbench: error: %s no longer exists (moved or removed?)\n", run->request->directory);
  stop_all(s, SB_EXIT_STORAGE);
  return true;
}

/* ---- the end of an attempt ---- */

static json_t *new_event(const schedule *s, const char *what, const sb_child *child, const sb_attempt *attempt)
{
  char        at[32], here[64];
  const char *ran_on = json_string_value(json_object_get(attempt->row, "host")); /* NULL: the case gave no row */
  json_t     *event =
      json_pack("{s:s, s:s, s:s, s:O, s:s, s:s, s:s, s:s, s:s, s:i, s:f, s:i}", "event", what, "at", sb_now(at), "key",
                child->task.planned->key, "row", attempt->row, "build", s->run->build, "machine", s->run->machine,
                "host", ran_on ? ran_on : sb_host_name(here), "start", child->forked ? "worker" : "program", "save",
                SB_TEXT(child->task.planned->options, save), "repetitions", child->task.repetition + 1, "memory_limit",
                s->run->memory_limit_bytes, "jobs", s->slots.count);
  json_object_del(attempt->row, "host"); /* it is not a result */
  sb_journal_put_job(event);
  /* Such a result is complete only for --quick: the next whole run measures its times again. */
  if (s->run->sweep->timed && s->run->request->quick) json_object_set_new(event, "timed_once", json_true());
  return event;
}

/* The file of this repetition replaces the one before, whose samples it has. */
static void keep_samples(sb_pending_case *pending, const char *file)
{
  if (pending->samples) unlink(pending->samples);
  free(pending->samples);
  pending->samples = file ? sb_copy_text(file) : NULL;
}

/* True if another attempt follows. --quick accepts times as they are. */
static bool is_repeated(schedule *s, const sb_child *child, const sb_pending_case *pending, const sb_attempt *attempt)
{
  const bool watched = s->run->watched && !s->run->request->quick;
  const int  asked = s->run->repetitions, attempts = pending->attempts + 1;
  const bool is_auto = asked == SB_REPETITIONS_AUTO;
  *(!is_auto && attempts > asked ? &s->replacing_seconds : &s->asked_seconds) += child->wall_seconds;
  if (!sb_status_is_timed(attempt->status) ||
      !sb_wants_repetition(asked, attempts, watched ? json_object_get(attempt->row, "timing") : NULL))
    return false;
  if (is_auto || attempts < asked) return true;
  const bool affords = s->replacing_seconds + child->wall_seconds <= sb_replacing_limit(s->asked_seconds);
  s->refused = s->refused || !affords;
  return affords;
}

static void report_end_of_sweep(schedule *s, const sb_child *child, const sb_attempt *attempt)
{
  static const char start[] = "springbench: error: ";
  char              needed[32], available[32];
  if (directory_is_gone(s)) return;
  clear_bar(s);
  if (strncmp(attempt->reason, start, strlen(start)) == 0) /* the case names path and cause */
    fputs(attempt->reason, stderr);
  else
    fprintf(stderr, "%s%s: %s", start, child->log, attempt->reason);
  if (sb_tells_of_room(attempt->reason))
    fprintf(stderr, "; the case needs about %s, free %s",
            sb_format_bytes(sb_case_predicted_bytes(child->task.planned), needed),
            sb_format_bytes(sb_free_bytes(s->run->request->directory), available));
  fputs("; the same command continues\n", stderr);
}

/* Settles the end of a case: published, noted, or kept for the next round. True if its file stays. */
static bool settle(schedule *s, const sb_child *child, sb_pending_case *pending, const sb_attempt *attempt)
{
  sb_run_state *run = s->run;
  const char   *key = pending->planned->key;
  const bool    result = sb_status_is_result(attempt->status), is_auto = run->repetitions == SB_REPETITIONS_AUTO;
  if (result && directory_is_gone(s)) {
    keep_samples(pending, NULL);
    return false;
  }
  if (result && is_repeated(s, child, pending, attempt)) { /* in the next round, or at once when all rounds are over */
    const bool last = ++pending->attempts >= (is_auto ? SB_AUTO_LEAST : run->repetitions);
    pending->again = last && !is_auto;
    s->progress.runs_total += last;
    keep_samples(pending, child->file);
    return true;
  }
  keep_samples(pending, NULL);
  if (attempt->ends_sweep) {
    report_end_of_sweep(s, child, attempt);
    stop_all(s, attempt->ends_sweep);
  } else if (attempt->status == SB_CASE_INTERRUPTED) {
    if (s->status == SB_EXIT_STORAGE)
      return false; /* nothing can be written; the case is missing, which means the same */
    json_t *event = new_event(s, "interrupt", child, attempt);
    if (!sb_journal_append(&run->journal, &run->state, event))
      stop_all(s, SB_EXIT_STORAGE);
    else if (s->status == SB_EXIT_OK) /* else the others are being stopped, or store their states */
      stop_all(s, SB_EXIT_INTERRUPTED);
  } else if (result) {
    pending->finished = true;
    if (sb_publish(&run->publisher, key, child->file, new_event(s, "publish", child, attempt))) return false;
    stop_all(s, SB_EXIT_STORAGE);
    /* With its line in the journal the file is a result; the next run moves it into place. */
    return sb_journal_published(&run->state, key) != NULL;
  } else {
    json_t *event = new_event(s, "fail", child, attempt);
    pending->finished = true;
    json_object_set_new(event, "log", json_sprintf("logs/%s.txt", key));
    if (!sb_publish_failure(&run->publisher, key, event)) stop_all(s, SB_EXIT_STORAGE);
  }
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
  if (!sb_status_is_result(attempt->status) || !json_is_number(seconds)) {
    f->planned = NULL; /* no case to measure by; the sweep itself will report the error */
    return;
  }
  json_t *event = json_pack("{s:s, s:s, s:s, s:f, s:s, s:s, s:s}", "event", "floor", "at", sb_now(at), "case",
                            f->planned->key, "seconds", json_number_value(seconds), "noisy", noisy ? noisy : "",
                            "build", s->run->build, "machine", s->run->machine);
  if (!sb_journal_append(&s->run->journal, &s->run->state, event)) stop_all(s, SB_EXIT_STORAGE);
}

static void finish(schedule *s, place *at)
{
  const sb_attempt attempt = sb_child_judge(&at->child);
  bool             file_stays = false;
  sb_calibrations_add(&s->calibrations, attempt.row);
  if (at->pending) {
    file_stays = settle(s, &at->child, at->pending, &attempt);
    if (at->pending->finished || file_stays) count_end(s, &at->child, at->pending->finished, &attempt);
  } else {
    finish_floor(s, &at->child, &attempt);
  }
  sb_child_clear(&at->child, !file_stays);
}

/* Waits until something happens and deals with it. */
static void attend(schedule *s)
{
  const double now = sb_clock_seconds();
  double       wait = WAIT_MILLISECONDS; /* until something is due that no file descriptor announces */
  s->listening[0] = (struct pollfd){.fd = s->signals.descriptor, .events = POLLIN};
  for (int i = 0; i < s->slots.count; ++i) {
    const sb_child *child = &s->places[i].child;
    const double    due = sb_child_due(child);
    s->listening[i + 1] = (struct pollfd){.fd = child->output, .events = POLLIN};
    if (child->pid != 0 && child->polls_memory) wait = fmin(wait, POLL_MILLISECONDS);
    if (sb_child_is_busy(child) && due > 0) wait = fmin(wait, (due - now) * 1000);
  }
  poll(s->listening, (nfds_t)s->slots.count + 1, (int)fmax(wait, 0) + 1);
  const int asked = sb_signals_stop_asked(&s->signals);
  if (asked) {
    clear_bar(s);
    fprintf(stderr, "springbench: SIG%s: stopping; the same command continues\n", sigabbrev_np(asked));
  }
  if (asked == SIGUSR1)
    save_all(s);
  else if (asked)
    stop_all(s, SB_EXIT_INTERRUPTED);
  for (int i = 0; i < s->slots.count; ++i)
    if (sb_child_attend(&s->places[i].child)) finish(s, &s->places[i]);
}

/* ---- the rounds ---- */

/* Starts an attempt at a case, or (NULL) the next timing of the floor. */
static void start(schedule *s, place *at, sb_pending_case *pending)
{
  sb_run_state          *run = s->run;
  const sb_planned_case *planned = pending ? pending->planned : s->floor.planned;
  const sb_child_task    task = {.run = run,
                                 .planned = planned,
                                 .number = s->started++,
                                 .log = pending ? NULL : "noise-floor",
                                 .samples_from = pending ? pending->samples : NULL,
                                 .repetition = pending ? pending->attempts : 0,
                                 .calibration_seconds = sb_calibrations_quiet(&s->calibrations),
                                 .cores = s->slots.sets ? &s->slots.sets[at - s->places] : NULL,
                                 .signal_mask = &s->signals.before};
  if (directory_is_gone(s)) return;
  if (pending) {
    show_bar(s, pending->planned);
    pending->again = false;
  } else {
    s->floor.runs = true;
  }
  at->pending = pending;
  if (sb_child_start(&at->child, &task)) return;
  sb_child_clear(&at->child, true);
  stop_all(s, SB_EXIT_STORAGE);
}

static bool takes_device(const sb_planned_case *planned)
{
  bool takes = false;
  for (sb_option_id id = 0; id < sb_option_count && !takes; ++id)
    takes = sb_option_at(id)->traits & SB_TAKES_DEVICE &&
            strcmp(sb_options_text(planned->options, id), sb_option_at(id)->preset) != 0;
  return takes;
}

/* A timed case does not share a device with another case: two names of devices may mean the same one. */
static bool may_start(const schedule *s, const sb_planned_case *planned)
{
  bool may = true;
  if (!s->run->sweep->timed || !takes_device(planned)) return true;
  for (int i = 0; i < s->slots.count && may; ++i) {
    const sb_child *child = &s->places[i].child;
    may = !sb_child_is_busy(child) || !takes_device(child->task.planned);
  }
  return may;
}

/* Brings the first case that may start to the front of the order, which has `count` cases; false if there is none. */
static bool bring_next(const schedule *s, size_t *order, size_t count)
{
  const sb_pending_case *pending = s->run->pending;
  size_t                 next = 0;
  while (next < count && (pending[order[next]].finished || !may_start(s, pending[order[next]].planned))) ++next;
  if (next == count) return false;
  const size_t chosen = order[next];
  memmove(order + 1, order, next * sizeof *order);
  *order = chosen;
  return true;
}

/* Every case that is not finished once, in this order, except for cases that wait for a device. A case whose attempt
 * was noisy comes before the next of the order, and then the floor when it is due. */
static void run_round(schedule *s, size_t *order)
{
  sb_run_state *run = s->run;
  for (size_t next = 0;;) {
    place *empty = NULL;
    int    running = 0;
    for (int i = s->slots.count - 1; i >= 0; --i) {
      const bool busy = sb_child_is_busy(&s->places[i].child);
      running += busy;
      if (!busy && s->status == SB_EXIT_OK) empty = &s->places[i];
    }
    const double elapsed = sb_clock_seconds() - s->progress.started_seconds;
    size_t       again = 0;
    while (empty && again < run->count && !(run->pending[again].again && may_start(s, run->pending[again].planned)))
      ++again;
    if (empty && again < run->count)
      start(s, empty, &run->pending[again]);
    else if (empty && sb_floor_is_due(&s->floor, s->progress.runs_done, s->progress.runs_total, elapsed) &&
             may_start(s, s->floor.planned))
      start(s, empty, NULL);
    else if (empty && bring_next(s, order + next, run->count - next))
      start(s, empty, &run->pending[order[next++]]);
    else if (running > 0)
      attend(s);
    else
      return;
  }
}

static bool open_schedule(schedule *s)
{
  const sb_run_state *run = s->run;
  sb_arena           *arena = run->session->arena;
  const int           jobs = run->request->jobs > 0 ? run->request->jobs : run->sweep->timed ? 1 : 0;
  const int           expected = run->repetitions == SB_REPETITIONS_AUTO ? SB_AUTO_LEAST : run->repetitions;
  int64_t             width = 1; /* cores of the widest case */
  bool                several = false;
  for (size_t i = 0; i < run->count; ++i) {
    const sb_options *options = run->pending[i].planned->options;
    const int64_t     cores = SB_INTEGER(options, ranks) * SB_INTEGER(options, threads);
    if (cores > width) width = cores < INT16_MAX ? cores : INT16_MAX;
    several = several || SB_INTEGER(options, ranks) > 1;
  }
  /* srun finds room itself, on any node of the job. */
  s->slots = several && run->request->launcher == SB_LAUNCH_SRUN ? (sb_slots){.count = jobs > 0 ? jobs : 1}
                                                                 : sb_slots_create(jobs, (int)width, arena);
  const size_t slots = (size_t)s->slots.count;
  s->places = sb_arena_take(arena, slots, sizeof *s->places);
  s->listening = sb_arena_take(arena, slots + 1, sizeof *s->listening);
  for (size_t i = 0; i < slots; ++i) s->places[i].child.output = -1;
  s->progress = (progress){.varies = sb_plan_varying(run->plan, arena),
                           .done = run->asked - run->count,
                           .runs_total = run->count * (size_t)expected,
                           .started_seconds = sb_clock_seconds()};
  if (run->watched && !run->request->quick) s->floor.planned = sb_floor_choose(run->plan);
  if (run->sweep->timed && slots > 1)
    fputs("springbench: warning: timed cases run side by side; their times are marked for that\n", stderr);
  return sb_signals_open(&s->signals) || sb_storage_error("listen for signals in", run->request->directory, errno, 0);
}

int sb_run_pending(sb_run_state *run)
{
  schedule s = {.run = run, .signals = {.descriptor = -1}};
  size_t  *order = sb_arena_take(run->session->arena, run->count, sizeof *order), finished = 0;
  if (!open_schedule(&s)) s.status = SB_EXIT_STORAGE;
  for (uint64_t round = 0; s.status == SB_EXIT_OK && finished < run->count; ++round) {
    /* Fisher–Yates with SplitMix64; plan order if nothing is timed. */
    const uint64_t seed = sb_random_bits(run->request->order_seed, round);
    for (size_t i = 0; i < run->count; ++i) order[i] = i;
    for (size_t i = run->sweep->timed ? run->count : 0; i > 1; --i) {
      const size_t other = (size_t)(sb_random_unit(seed, i) * (double)i), last = order[i - 1];
      order[i - 1] = order[other];
      order[other] = last;
    }
    run_round(&s, order);
    finished = 0;
    for (size_t i = 0; i < run->count; ++i) finished += run->pending[i].finished;
  }
  for (size_t i = 0; i < run->count; ++i) keep_samples(&run->pending[i], NULL);
  (void)directory_is_gone(&s);
  clear_bar(&s);
  if (s.refused)
    fprintf(stderr,
            "springbench: %s: repeats of noisy cases took %.1f s of %.1f s at most; %zu of %zu cases stay noisy\n",
            run->sweep->name, s.replacing_seconds, sb_replacing_limit(s.asked_seconds), s.progress.noisy, run->count);
  sb_signals_close(&s.signals);
  return s.status == SB_EXIT_OK && s.progress.failed > 0 ? SB_EXIT_CASES_FAILED : s.status;
}
