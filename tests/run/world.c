/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See world.h. */
#include "tests/run/world.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "tests/lists.h"

static const sb_column columns[] = {
    {"size", "m", "a number", .timing = false},
    {"label", "", "a text", .timing = false},
    {"step_s", "s", "a time", .timing = true},
    {"empty", "", "nothing", .timing = false},
};
static const sb_driver fake = {
    .name = "fake", .summary = "nothing", .columns = columns, .column_count = sizeof columns / sizeof *columns};
static const sb_column watched_columns[] = {
    {"step_s", "s", "a time", .timing = true},
    {"noisy", "", "why it was", .timing = true},
};
static const sb_driver     watched = {.name = "watched",
                                      .summary = "times",
                                      .columns = watched_columns,
                                      .column_count = sizeof watched_columns / sizeof *watched_columns};
static const sb_driver     trajectory = {.name = "trajectory"}; /* the table's default */
static const sb_vocabulary vocabulary =
    TEST_VOCABULARY(TEST_LIST("drivers", &fake.entry, &watched.entry, &trajectory.entry));

sb_session fake_session(void) { return sb_session_begin(&vocabulary); }

int world_open(void **state)
{
  world *w = calloc(1, sizeof *w);
  char   root[] = "/tmp/springbench-run-XXXXXX";
  assert_non_null(mkdtemp(root));
  w->session = fake_session();
  w->root = TEXT(w, "%s", root);
  w->directory = TEXT(w, "%s/out", root);
  w->driver = "fake";
  w->request = (sb_run_request){.directory = w->directory,
                                .program = getenv("SB_FAKE_CASE"),
                                .warm_up = -1,
                                .jobs = 1,
                                .order_seed = 1,
                                .progress = "none"};
  assert_non_null(w->request.program);
  *state = w;
  return 0;
}

static int remove_entry(const char *path, const struct stat *information, int kind, struct FTW *place)
{
  (void)information, (void)kind, (void)place;
  return remove(path);
}

int world_close(void **state)
{
  world *w = *state;
  nftw(w->root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  sb_session_end(&w->session, stderr);
  free(w);
  return 0;
}

void world_plan(world *w, const char *name, const char *seeds, const char *extra)
{
  const char *timed = strstr(extra, "timed:") ? "" : "timed: false\n";
  char       *yaml = TEXT(w,
                          "springbench: 1\nname: %s\nquestion: does the runner keep its promises?\n"
                                "driver: %s\n%s%sdefaults: {scene: rope, save: none}\n"
                                "sweep:\n  - grid: {seed: [%s]}\n",
                          name, w->driver, timed, extra, seeds);
  w->sweep = sb_sweep_parse(yaml, strlen(yaml), "fake.yaml", &w->session);
  w->plan = w->sweep ? sb_plan_create(w->sweep, NULL, &w->session) : NULL;
  w->request.made = w->plan;
  sb_diagnostics_flush(w->session.diagnostics, stderr);
  assert_non_null(w->plan);
}

int world_run(const world *w)
{
  sb_results *results = NULL;
  const int   status = sb_run(w->sweep, w->plan, &w->request, &w->session, &results);
  if (results) assert_true(json_is_array(results->journal.runs)); /* it outlives the run */
  return status;
}

char *world_run_said(world *w, int *status)
{
  char *path = TEXT(w, "%s/said", w->root);
  w->request.progress = "lines";
  fflush(stderr);
  const int kept = dup(STDERR_FILENO);
  assert_non_null(freopen(path, "w", stderr));
  *status = world_run(w);
  fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  return sb_arena_adopt(w->session.arena, sb_read_file(path, NULL));
}

/* cmocka goes on with the next test after some of them, which is not for a child. */
static void end_by_signals(void)
{
  static const int caught[] = {SIGFPE, SIGILL, SIGSEGV, SIGBUS, SIGSYS};
  for (size_t i = 0; i < sizeof caught / sizeof *caught; ++i) signal(caught[i], SIG_DFL);
}

pid_t world_start(const world *w)
{
  fflush(NULL);
  const pid_t test = getpid(), pid = fork();
  assert_true(pid >= 0);
  if (pid > 0) return pid;
  end_by_signals();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  _exit(getppid() == test ? world_run(w) : 99);
}

int world_wait(pid_t pid)
{
  int status = 0;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

sb_results *world_results(const world *w)
{
  sb_results *results = sb_results_open(w->directory, &w->session);
  sb_diagnostics_flush(w->session.diagnostics, stderr);
  assert_non_null(results);
  return results;
}

size_t row_of_seed(const sb_results *results, long seed)
{
  for (size_t i = 0; i < results->plan->count; ++i)
    if (SB_INTEGER(results->plan->cases[i].options, seed) == seed) return i;
  fail_msg("no case with seed %ld", seed);
  return 0;
}

const char *word_at(const sb_results *results, size_t row, const char *column)
{
  const sb_value value = sb_rows_get_named(results->rows, row, column);
  return value.kind == SB_WORD ? value.word : "";
}

void assert_status(const world *w, long seed, const char *status, const char *reason)
{
  sb_results  *results = world_results(w);
  const size_t row = row_of_seed(results, seed);
  assert_string_equal(word_at(results, row, "status"), status);
  if (!strstr(word_at(results, row, "reason"), reason))
    fail_msg("seed %ld: the reason '%s' lacks '%s'", seed, word_at(results, row, "reason"), reason);
}

char *calls_text(const world *w)
{
  char *text = sb_read_file(TEXT(w, "%s.calls", w->directory), NULL);
  return text ? sb_arena_adopt(w->session.arena, text) : TEXT(w, "%s", "");
}

static size_t count_lines(const char *text, const char *start)
{
  size_t count = 0;
  for (const char *line = text; *line; line = strchr(line, '\n') + 1) count += strncmp(line, start, strlen(start)) == 0;
  return count;
}

size_t calls(const world *w) { return count_lines(calls_text(w), ""); }

size_t calls_of_seed(const world *w, long seed)
{
  for (size_t i = 0; i < w->plan->count; ++i)
    if (SB_INTEGER(w->plan->cases[i].options, seed) == seed) return count_lines(calls_text(w), w->plan->cases[i].key);
  return 0;
}

void wait_for_calls(const world *w, size_t count)
{
  const struct timespec moment = {.tv_nsec = 2000000};
  for (int tries = 0; calls(w) < count; ++tries) {
    assert_true(tries < 5000);
    nanosleep(&moment, NULL);
  }
}

void touch(const world *w, const char *suffix)
{
  const int file = sb_open(TEXT(w, "%s.%s", w->directory, suffix), O_WRONLY | O_CREAT);
  assert_true(file >= 0);
  close(file);
}

size_t files_in(const world *w, const char *part)
{
  DIR   *entries = opendir(path_of(w, part));
  size_t count = 0;
  assert_non_null(entries);
  for (const struct dirent *entry; (entry = readdir(entries));) count += entry->d_name[0] != '.';
  closedir(entries);
  return count;
}

char *path_of(const world *w, const char *name) { return TEXT(w, "%s/%s", w->directory, name); }

char *text_of(const world *w, const char *name)
{
  char *text = sb_read_file(path_of(w, name), NULL);
  assert_non_null(text);
  return sb_arena_adopt(w->session.arena, text);
}

char *snapshot(const world *w)
{
  char  line[512], *text = TEXT(w, "%s", "");
  FILE *found = popen(
      TEXT(w, "cd '%s' && find . -type f -printf '%%p %%s %%T@ ' -exec sha256sum {} ';' | LC_ALL=C sort", w->directory),
      "r");
  assert_non_null(found);
  while (fgets(line, sizeof line, found)) text = TEXT(w, "%s%s", text, line);
  assert_int_equal(pclose(found), 0);
  assert_true(strlen(text) > 0);
  return text;
}
