/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runner's own files, processes and signals while one call of the system fails, each in turn (faults.h): there is a
 * message, what was there before is still there, and what is done again is done. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "harness/results/lock.h"
#include "harness/results/publish.h"
#include "harness/run/child.h"
#include "harness/run/signals.h"
#include "harness/sweep/request.h"
#include "tests/run/world.h"
#include "tests/store/faults.h"

#ifdef __SANITIZE_ADDRESS__
enum { STRIDE = 4 /* for builds in which a process takes long to start */ };
#else
enum { STRIDE = 1 };
#endif

#define KEY "0123456789abcdef"

/* A trial: first prepared, then made with a fault, then checked. `done`: it reported success. */
typedef struct {
  const char *name;
  void (*prepare)(const world *w);
  bool (*act)(const world *w);
  void (*check)(const world *w, bool done, const fault_trial *trial);
  const char *named;    /* a word of the message */
  const char *harmless; /* functions whose failure does not matter, between blanks */
} deed;

static void write_text(const world *w, const char *name, const char *text)
{
  FILE *file = fopen(path_of(w, name), "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool holds(const world *w, const char *name, const char *text)
{
  SB_OWNED char *found = sb_read_file(path_of(w, name), NULL);
  return found ? text && strcmp(found, text) == 0 : !text;
}

static void nothing_to_prepare(const world *w) { (void)w; }
static void nothing_to_check(const world *w, bool done, const fault_trial *trial) { (void)w, (void)done, (void)trial; }

static void prepare_text(const world *w)
{
  assert_true(sb_make_directory(path_of(w, "tmp")));
  write_text(w, "text", "before");
}
static bool replace_text(const world *w) { return sb_replace_file(w->directory, "text", "after", 5); }
static void check_text(const world *w, bool done, const fault_trial *trial)
{
  (void)trial;
  assert_true(holds(w, "text", "after") || (!done && holds(w, "text", "before")));
  assert_int_equal(files_in(w, "tmp"), 0);
}

static bool read_text(const world *w)
{
  const char    *path = path_of(w, "text");
  SB_OWNED char *text = sb_read_file(path, NULL);
  if (text) assert_string_equal(text, "before");
  return text || sb_storage_error("read", path, errno, 0);
}

static bool make_directory(const world *w) { return sb_make_directory(path_of(w, "a/b")); }
static void check_directory(const world *w, bool done, const fault_trial *trial)
{
  (void)trial;
  if (done) assert_int_equal(access(path_of(w, "a/b"), F_OK), 0);
}

static json_t *event_of(const char *what) { return json_pack("{s:s, s:s}", "event", what, "key", KEY); }

/* Reads the journal, opens it, hands it to `use`. */
static bool with_journal(const world *w, bool (*use)(const sb_publisher *publisher, const world *w))
{
  sb_journal       journal = {.descriptor = -1};
  sb_journal_state state;
  char            *path = path_of(w, "journal.jsonl");
  bool             good = sb_journal_read(path, &state) || sb_storage_error("read", path, errno, 0);
  good = good && sb_journal_open(&journal, path, &state);
  const sb_publisher publisher = {w->directory, &journal, &state};
  good = good && use(&publisher, w);
  sb_journal_close(&journal);
  sb_journal_clear(&state);
  return good;
}

static bool append(const sb_publisher *p, const world *w)
{
  (void)w;
  return sb_journal_append(p->journal, p->state, event_of("fail"));
}
static bool append_event(const world *w) { return with_journal(w, append); }

static bool count_events(const sb_publisher *p, const world *w)
{
  (void)w;
  assert_int_equal(p->state->bad_lines, 0);
  return json_object_size(p->state->cases) > 0;
}

static void check_event(const world *w, bool done, const fault_trial *trial)
{
  (void)trial;
  assert_true(with_journal(w, count_events) == done);
}

static char *aside(const world *w) { return path_of(w, "tmp/" KEY ".elsewhere.1.h5"); }

static bool publish(const sb_publisher *p, const world *w) { return sb_publish(p, KEY, aside(w), event_of("publish")); }

/* And tmp/. */
static void make_folder(const world *w, const char *name)
{
  assert_true(sb_make_directory(path_of(w, name)) && sb_make_directory(path_of(w, "tmp")));
}

static void prepare_publication(const world *w)
{
  make_folder(w, "cases");
  write_text(w, "tmp/" KEY ".elsewhere.1.h5", "new");
}

/* With a file under the same name that no journal knows. */
static void prepare_unknown(const world *w)
{
  prepare_publication(w);
  write_text(w, "cases/" KEY ".h5", "nobody's");
}

/* With an earlier publication. */
static void prepare_replacement(const world *w)
{
  prepare_publication(w);
  assert_true(with_journal(w, publish));
  prepare_publication(w);
  write_text(w, "tmp/" KEY ".elsewhere.1.h5", "newer");
}

static bool publish_case(const world *w) { return with_journal(w, publish); }

static bool recover(const sb_publisher *p, const world *w)
{
  (void)w;
  return sb_publish_recover(p);
}
static bool recover_all(const world *w) { return with_journal(w, recover); }

/* Whatever is in the journal is in the file, now or after the next run's recovery; and nothing is gone. */
static void check_publication(const world *w, bool done, const fault_trial *trial)
{
  char error[256] = "", *path = path_of(w, "cases/" KEY ".h5"), *file = aside(w);
  if (done) assert_int_equal(access(path, F_OK), 0);
  assert_true(recover_all(w));
  if (access(path, F_OK) == 0 && !sb_published_file_is_whole(path, error)) fail_msg("%s: %s", trial->name, error);
  assert_true(access(path, F_OK) == 0 || access(file, F_OK) == 0);
}

static void check_recovery(const world *w, bool done, const fault_trial *trial)
{
  char *path = path_of(w, "cases/" KEY ".h5");
  check_publication(w, false, trial);
  if (done) assert_int_equal(access(path, F_OK), 0);
}

static void check_unknown(const world *w, bool done, const fault_trial *trial)
{
  (void)done, (void)trial;
  assert_true(holds(w, "cases/" KEY ".h5", "nobody's") || holds(w, "cases/" KEY ".unknown.h5", "nobody's"));
}

/* Published in the journal, and still in tmp/. */
static void prepare_recovery(const world *w)
{
  prepare_publication(w);
  assert_true(with_journal(w, publish));
  char *path = path_of(w, "cases/" KEY ".h5"), *file = aside(w);
  assert_int_equal(rename(path, file), 0);
}

static bool is_whole(const world *w)
{
  char       error[256] = "", *path = path_of(w, "cases/" KEY ".h5");
  const bool whole = sb_published_file_is_whole(path, error);
  if (!whole) fprintf(stderr, "%s\n", error);
  return whole;
}
static void prepare_published(const world *w)
{
  prepare_publication(w);
  assert_true(with_journal(w, publish));
}

static bool take_lock(const world *w)
{
  int        descriptor = -1;
  const bool held = sb_lock_take(w->directory, &descriptor) == SB_LOCK_HELD;
  assert_true(held == (descriptor >= 0));
  sb_lock_release(&descriptor);
  return held;
}
static void prepare_lock(const world *w) { assert_true(take_lock(w)); }
static bool share_lock(const world *w)
{
  int        descriptor = -1;
  const bool held = sb_lock_share(w->directory, &descriptor) == SB_LOCK_HELD;
  sb_lock_release(&descriptor);
  return held;
}

static bool listen_for_signals(const world *w)
{
  (void)w;
  sb_signals signals;
  const bool open = sb_signals_open(&signals) || sb_storage_error("listen for", "signals", errno, 0);
  sb_signals_close(&signals);
  return open;
}

static bool start_case(const world *w)
{
  sigset_t mask;
  sigemptyset(&mask);
  const sb_run_request request = {.program = "/bin/true", .directory = w->directory, .warm_up = -1};
  const sb_run_state   run = {.sweep = w->sweep, .request = &request};
  const sb_child_task  task = {.run = &run, .planned = &w->plan->cases[0], .signal_mask = &mask};
  sb_child             child;
  siginfo_t            end;
  const bool           started = sb_child_start(&child, &task);
  if (started) assert_int_equal(waitid(P_PID, (id_t)child.pid, &end, WEXITED | WNOWAIT), 0); /* one look, one read */
  if (started) assert_true(sb_child_attend(&child));
  sb_child_clear(&child, true);
  return started;
}
static void prepare_sweep(const world *w) { write_text(w, "sweep.yaml", w->sweep->text); }
static bool read_sweep(const world *w)
{
  sb_session own = sb_session_begin(NULL);
  char      *path = path_of(w, "sweep.yaml");
  const bool read = sb_sweep_read(path, &own) != NULL;
  sb_session_end(&own, stderr);
  return read;
}

static void prepare_start(const world *w) { make_folder(w, "logs"); }

static const deed deeds[] = {
    {"replace", prepare_text, replace_text, check_text, "/out", " unlink gethostname close stat "},
    {"read", prepare_text, read_text, nothing_to_check, "/text", " close "},
    {"directory", nothing_to_prepare, make_directory, check_directory, "/a/b", " stat "},
    {"journal", nothing_to_prepare, append_event, check_event, "/journal.jsonl", " close "},
    {"publish", prepare_publication, publish_case, check_publication, "/out", " close unlink "}, /* of a stored state */
    {"publish over", prepare_replacement, publish_case, check_publication, "/out", " close unlink "},
    {"publish beside", prepare_unknown, publish_case, check_unknown, "/out", " close unlink "},
    {"recover", prepare_recovery, recover_all, check_recovery, "/out",
     " close gethostname access open read fstat gcry_md_open "},
    {"whole", prepare_published, is_whole, nothing_to_check, "/out/", " close "},
    {"lock", nothing_to_prepare, take_lock, nothing_to_check, "/lock", " close gethostname ftruncate open fstat read "},
    {"share", prepare_lock, share_lock, nothing_to_check, "/lock", " close ftruncate "},
    {"signals", nothing_to_prepare, listen_for_signals, nothing_to_check, "signals", " close sigprocmask "},
    {"sweep", prepare_sweep, read_sweep, nothing_to_check, "/sweep.yaml", " close "},
    {"start", prepare_start, start_case, nothing_to_check, "/logs/", " close gethostname open opendir read "},
};

static void open_world(world **w)
{
  world_open((void **)w);
  assert_true(sb_make_directory((*w)->directory));
  world_plan(*w, "failing", "1", "");
}

/* Whether the failure was one that matters. */
static bool fail_once(const deed *d, const fault_trial *trial, int error)
{
  world *w = NULL;
  open_world(&w);
  d->prepare(w);
  fault_listen();
  fault_arm(trial->number, error);
  const bool  done = d->act(w);
  const char *failed = fault_disarm();
  const char *padded = TEXT(w, " %s ", trial->name), *said = sb_arena_adopt(w->session.arena, fault_heard());
  if (!failed || strcmp(failed, trial->name) != 0)
    fail_msg("%s: call %ld is no longer %s", d->name, trial->number, trial->name);
  if (done && error != EINTR && !strstr(d->harmless, padded))
    fail_msg("%s: %s failed, and nobody cared", d->name, failed);
  if (!done && (!strstr(said, d->named) || !strchr(said, '\n')))
    fail_msg("%s: %s failed, and it said: %s", d->name, failed, said);
  d->check(w, done, trial);
  if (!done) {
    d->prepare(w);
    if (!d->act(w)) fail_msg("%s: after %s failed, it fails for good", d->name, failed);
  }
  world_close((void **)&w);
  return !done;
}

static size_t trials_of(const deed *d, fault_trial **trials)
{
  world *w = NULL;
  open_world(&w);
  d->prepare(w);
  fault_watch();
  const bool   done = d->act(w);
  const size_t count = fault_trials(trials);
  if (!done) fail_msg("%s fails", d->name);
  world_close((void **)&w);
  return count;
}

static void what_fails_is_said(void)
{
  for (size_t i = 0; i < sizeof deeds / sizeof *deeds; ++i) {
    fault_trial *trials;
    const size_t count = trials_of(&deeds[i], &trials);
    unsigned     failed = 0;
    for (size_t k = 0; k < count; ++k) failed += fail_once(&deeds[i], &trials[k], EIO);
    if (failed == 0) fail_msg("%s: none of %zu failures was seen", deeds[i].name, count);
    free(trials);
  }
}

/* Interrupted by a signal, the call is made again. */
static void what_is_interrupted_goes_on(void)
{
  static const char interruptible[] = " open read pread write fsync ftruncate flock close ";
  for (size_t i = 0; i < sizeof deeds / sizeof *deeds; ++i) {
    fault_trial *trials;
    const size_t count = trials_of(&deeds[i], &trials);
    for (size_t k = 0; k < count; ++k) {
      SB_OWNED char *padded = sb_format(" %s ", trials[k].name);
      if (strstr(interruptible, padded) && fail_once(&deeds[i], &trials[k], EINTR))
        fail_msg("%s: %s was interrupted, and not made again", deeds[i].name, trials[k].name);
    }
    free(trials);
  }
}

/* File systems that cannot rename unless there is something: a link does. That cannot sync directories: as they are. */
static void what_a_file_system_lacks_is_done_otherwise(void)
{
  static const struct {
    const char *function;
    int         error;
    bool        done;
  } lacks[] = {{"renameat2", EINVAL, true}, {"renameat2", ENOSYS, true}, {"renameat2", EPERM, false}};
  for (size_t i = 0; i < sizeof lacks / sizeof *lacks; ++i) {
    world *w = NULL;
    open_world(&w);
    prepare_publication(w);
    fault_always(lacks[i].function, lacks[i].error);
    fault_arm(0, 0);
    const bool done = publish_case(w);
    fault_disarm();
    fault_always(NULL, 0);
    assert_true(done == lacks[i].done);
    assert_true(holds(w, "cases/" KEY ".h5", done ? "new" : NULL));
    world_close((void **)&w);
  }
}

static void a_file_that_takes_nothing_is_full(void)
{
  world *w = NULL;
  open_world(&w);
  prepare_text(w);
  fault_always("write", 0);
  fault_listen();
  fault_arm(0, 0);
  const bool done = replace_text(w);
  fault_disarm();
  fault_always(NULL, 0);
  SB_OWNED char *said = fault_heard();
  assert_false(done);
  assert_non_null(strstr(said, "No space left on device"));
  assert_true(holds(w, "text", "before"));
  world_close((void **)&w);
}

/* A whole run: whatever fails, the same command ends it, and never does it say that all went well with a case missing.
 */
static void runs_end_well_or_say_so(void)
{
  world       *w = NULL;
  fault_trial *trials;
  open_world(&w);
  fault_watch();
  assert_int_equal(world_run(w), SB_EXIT_OK);
  const size_t count = fault_trials(&trials);
  world_close((void **)&w);
  unsigned failed = 0;
  for (size_t k = 0; k < count; k += STRIDE) {
    open_world(&w);
    fault_listen();
    fault_arm(trials[k].number, EIO);
    const int status = world_run(w);
    fault_disarm();
    SB_OWNED char *said = fault_heard();
    if (status > SB_EXIT_CASES_FAILED && !strstr(said, "error: "))
      fail_msg("%s: status %d; it said: %s", trials[k].name, status, said);
    if (status <= SB_EXIT_CASES_FAILED) assert_status(w, 1, status == SB_EXIT_OK ? "ok" : "error", "");
    failed += status != SB_EXIT_OK;
    /* A case that failed is not run again without --rerun. */
    if (world_run(w) != (status == SB_EXIT_CASES_FAILED ? status : SB_EXIT_OK))
      fail_msg("%s: after it failed, nothing goes any more", trials[k].name);
    if (status != SB_EXIT_CASES_FAILED) assert_status(w, 1, "ok", "");
    world_close((void **)&w);
  }
  assert_true(failed > 5 / STRIDE);
  free(trials);
}

static void open_request(world **w)
{
  open_world(w);
  assert_true(sb_request_take((*w)->sweep, "seed=2", &(*w)->session));
  (*w)->request.made = (*w)->plan = sb_plan_create((*w)->sweep, NULL, &(*w)->session);
  assert_non_null((*w)->plan);
}

/* Whichever file cannot be put in its place: no plan is there without the request that it is of. */
static void a_request_is_stored_before_the_plan(void)
{
  world       *w = NULL;
  fault_trial *trials;
  unsigned     alone = 0;
  open_request(&w);
  fault_watch();
  assert_int_equal(world_run(w), SB_EXIT_OK);
  const size_t count = fault_trials(&trials);
  world_close((void **)&w);
  for (size_t k = 0; k < count; ++k) {
    if (strncmp(trials[k].name, "rename", 6) != 0) continue;
    open_request(&w);
    fault_listen();
    fault_arm(trials[k].number, EIO);
    (void)world_run(w);
    fault_disarm();
    free(fault_heard());
    const bool plan = access(path_of(w, "plan.json"), F_OK) == 0,
               request = access(path_of(w, "request.json"), F_OK) == 0;
    assert_true(request || !plan);
    alone += request && !plan;
    world_close((void **)&w);
  }
  assert_true(alone > 0 || STRIDE > 1); /* sanitizers hide which call is whose: fewer of them are tried */
  free(trials);
}

TEST_MAIN(a_request_is_stored_before_the_plan, what_fails_is_said, what_is_interrupted_goes_on,
          what_a_file_system_lacks_is_done_otherwise, a_file_that_takes_nothing_is_full, runs_end_well_or_say_so)
