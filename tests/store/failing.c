/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Storing and reading a case file while one call of HDF5 or of the system fails, each in turn (faults.h). Then there is
 * a message, and what was there before is still there; or nothing is missing. */
#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "cases/common/exit_status.h"
#include "cases/store/export.h"
#include "tests/store/faults.h"

#ifdef __SANITIZE_ADDRESS__
enum { STRIDE = 7 /* for builds in which a process takes long to start */ };
#else
enum { STRIDE = 1 };
#endif

static const char stored[] = "failing_stored.h5", earlier[] = "failing_earlier.h5";

static PetscErrorCode run(fixture *f, const char *path, const char *samples_from)
{
  const sb_driver *everything = walk_driver("everything");
  PetscFunctionBeginUser;
  PetscCall(fixture_record(f, everything, path, samples_from));
  PetscCall(everything->run(&f->c, f->recorder));
  PetscCall(sb_recorder_finish(f->recorder));
  PetscFunctionReturn(0);
}

static PetscErrorCode say(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                          PetscErrorType type, const char *message, void *context)
{
  (void)comm, (void)line, (void)function, (void)file, (void)context;
  if (type == PETSC_ERROR_INITIAL) fprintf(stderr, "%s\n", message);
  return code;
}

/* Repetition 0 as `earlier`, and what a second one is to be stored over. */
static void store_first(fixture *f)
{
  static const char *const pairs[] = {"save=every:2", NULL};
  fixture_create(f, pairs);
  for (int i = 0; i < 2; ++i) {
    SUCCEED(run(f, i == 0 ? earlier : stored, NULL));
    SUCCEED(sb_recorder_destroy(&f->recorder));
  }
  f->c.repetition = 1;
}

/* The second one, in a process of its own, as the program does; its exit status. */
static int store_second(fixture *f, long number, char **said)
{
  int status = 0;
  fault_listen();
  const pid_t child = fork();
  if (child == 0) {
    PetscErrorCode code = PetscPushErrorHandler(say, NULL);
    fault_arm(number, EIO);
    if (!code) code = run(f, stored, earlier);
    (void)sb_recorder_destroy(&f->recorder);
    fault_disarm();
    _exit(code == PETSC_ERR_FILE_WRITE ? SB_EXIT_STORAGE
          : code == PETSC_ERR_USER     ? SB_EXIT_USAGE
          : code                       ? SB_EXIT_CASES_FAILED
                                       : SB_EXIT_OK);
  }
  assert_true(waitpid(child, &status, 0) == child);
  *said = fault_heard();
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

/* How many files there were beside the stored one that were to become it. */
static size_t remove_parts(void)
{
  DIR   *entries = opendir(".");
  size_t count = 0;
  for (const struct dirent *entry; (entry = readdir(entries));) {
    if (strncmp(entry->d_name, stored, strlen(stored)) != 0 || entry->d_name[strlen(stored)] != '.') continue;
    assert_int_equal(unlink(entry->d_name), 0);
    ++count;
  }
  closedir(entries);
  return count;
}

static size_t samples_in(const char *path, const char *key)
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  sb_case_times                           times;
  char                                    error[256];
  if (!sb_case_file_times(arena, path, key, &times, error)) fail_msg("%s: %s", path, error);
  return times.sample_count;
}

/* One after the other: the file is the first or the second, and whole. */
static bool is_the_second(const fixture *f, const char *state, const fault_trial *trial)
{
  char         hex[SB_DIGEST_LENGTH + 1], error[256];
  const size_t samples = samples_in(stored, f->key);
  if (!sb_saved_state_digest(stored, hex, error)) fail_msg("%s: %s", trial->name, error);
  assert_string_equal(hex, state);
  assert_true(samples == 1 || samples == 2);
  return samples == 2;
}

/* Calls by which the folder is synchronised, after the second file has its name. */
static bool is_late(const char *name)
{
  static const char *const names[] = {"open", "fstat", "fsync", "close", "rename"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

static void judge(const fixture *f, const fault_trial *trial, int status, const char *said, const char *state)
{
  const bool second = is_the_second(f, state, trial);
  /* Nothing depends on it, or on the removal of a part that is not there. */
  const bool harmless = strcmp(trial->name, "gethostname") == 0 || strcmp(trial->name, "unlink") == 0;
  if (remove_parts() > 0) fail_msg("%s, call %ld: a part is left", trial->name, trial->number);
  if (status == SB_EXIT_OK ? !second || !harmless : second && !is_late(trial->name))
    fail_msg("%s, call %ld: status %d and the %s file; said: %s", trial->name, trial->number, status,
             second ? "second" : "first", said);
  if (status != SB_EXIT_OK && !strstr(said, stored) && !strstr(said, earlier))
    fail_msg("%s, call %ld: status %d, but it said: %s", trial->name, trial->number, status, said);
}

static void what_cannot_be_stored_is_said(void)
{
  fixture      f;
  fault_trial *trials;
  char         state[SB_DIGEST_LENGTH + 1], error[256], *said;
  store_first(&f);
  (void)remove_parts();
  assert_true(sb_saved_state_digest(stored, state, error));
  fault_watch();
  SUCCEED(run(&f, "failing_watched.h5", earlier));
  const size_t count = fault_trials(&trials);
  SUCCEED(sb_recorder_destroy(&f.recorder));
  assert_true(count > 100);
  size_t   size;
  char    *before = sb_read_file(stored, &size);
  unsigned failed = 0;
  for (size_t i = 0; i < count; i += STRIDE) {
    const int status = store_second(&f, trials[i].number, &said);
    judge(&f, &trials[i], status, said, state);
    failed += status != SB_EXIT_OK;
    free(said);
    size_t now;
    char  *after = sb_read_file(stored, &now);
    if (now != size || memcmp(after, before, size) != 0) assert_true(sb_replace_file(".", stored, before, size));
    free(after);
  }
  assert_true(failed > count / STRIDE - 5);
  assert_int_equal(store_second(&f, 0, &said), 0);
  assert_string_equal(said, "");
  assert_int_equal(samples_in(stored, f.key), 2);
  free(said);
  free(before);
  free(trials);
  fixture_destroy(&f);
}

static char stored_key[SB_KEY_LENGTH + 1];

/* Returns the part `what` of the stored file as text, or the form of an export. */
static char *read_back(const char *what, char error[256])
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  sb_case_times                           times;
  int64_t                                 step;
  char                                    hex[SB_DIGEST_LENGTH + 1], *text = NULL;
  size_t                                  length = 0;
  bool                                    good = false;
  FILE                                   *stream = open_memstream(&text, &length);
  if (strcmp(what, "times") == 0) {
    good = sb_case_file_times(arena, stored, stored_key, &times, error);
    const sb_sample_record *sample = good ? &times.samples[times.sample_count - 1] : NULL;
    const sb_noise_record  *noise = good ? &times.noise[times.noise_count - 1] : NULL;
    if (good)
      fprintf(stream, "%zu samples, the last %s %a; %zu verdicts, the last of %d: '%s'", times.sample_count,
              sample->phase, sample->seconds, times.noise_count, (int)noise->repetition, noise->noisy);
  } else if (strcmp(what, "curves") == 0) {
    good = sb_case_file_curves(stored, arena, fixture_print_run, stream, error);
  } else if (strcmp(what, "the state") == 0) {
    good = sb_saved_state_digest(stored, hex, error);
    if (good) fputs(hex, stream);
  } else if (strcmp(what, "the step") == 0) {
    good = sb_saved_step(stored, &step, error);
    if (good) fprintf(stream, "%lld", (long long)step);
  } else if (strcmp(what, "facts") == 0) {
    const hid_t  file = sb_case_file_open(stored, error);
    json_auto_t *all = json_array();
    good = file >= 0 && json_array_append_new(all, sb_h5_attributes(file, "parameters")) == 0 &&
           json_array_append_new(all, sb_h5_attributes(file, "provenance")) == 0 &&
           json_array_append_new(all, sb_case_file_row(file)) == 0 && json_dumpf(all, stream, JSON_SORT_KEYS) == 0;
    good = sb_case_file_close(file, good, error);
  } else {
    good = sb_export(stored, what, stream, error);
  }
  fclose(stream);
  if (good) return text;
  free(text);
  return NULL;
}

/* All that is asked for, or that it cannot be read, and nothing stays open. */
static void what_cannot_be_read_is_said(void)
{
  static const char *const whats[] = {"times", "curves", "csv", "json", "xdmf", "the state", "the step", "facts"};
  fixture                  f;
  fault_trial             *trials;
  char                     error[256];
  store_first(&f);
  strcpy(stored_key, f.key);
  for (size_t i = 0; i < sizeof whats / sizeof *whats; ++i) {
    fault_watch();
    SB_OWNED char *expected = read_back(whats[i], error);
    const size_t   count = fault_trials(&trials);
    if (!expected) fail_msg("%s: %s", whats[i], error);
    assert_true(count > 10);
    for (size_t k = 0; k < count; ++k) {
      const long before = fault_open_identifiers();
      error[0] = '\0';
      fault_arm(trials[k].number, EIO);
      SB_OWNED char *text = read_back(whats[i], error);
      fault_disarm();
      if (text ? strcmp(text, expected) != 0 : error[0] == '\0' || strchr(error, '\n'))
        fail_msg("%s, %s, call %ld: read %s; error '%s'", whats[i], trials[k].name, trials[k].number,
                 text ? text : "nothing", error);
      if (fault_open_identifiers() > before)
        fail_msg("%s, %s, call %ld: identifiers stay open", whats[i], trials[k].name, trials[k].number);
    }
    SB_OWNED char *again = read_back(whats[i], error);
    assert_string_equal(again, expected);
    free(trials);
  }
  fixture_destroy(&f);
}

/* A table of more rows than are kept in memory. */
static bool store_series(void)
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  sb_h5_series                            series;
  sb_h5_watch(NULL);
  const hid_t file = sb_h5_file("failing_series.h5", H5F_ACC_TRUNC);
  sb_h5_series_begin(&series, arena, file, "rows",
                     &(sb_h5_layout){.type = sb_h5_type('d', 0), .extents = {0, 3}, .unit = "m"});
  for (size_t i = 0; i <= SB_H5_SERIES_BLOCK; ++i) sb_h5_series_append(&series, (const double[]){1, 2, (double)i});
  sb_h5_series_end(&series);
  sb_h5_close(file);
  return sb_h5_good();
}

static void what_cannot_grow_is_said(void)
{
  fault_trial *trials;
  fault_watch();
  assert_true(store_series());
  const size_t count = fault_trials(&trials);
  assert_true(count > 10);
  for (size_t i = 0; i < count; ++i) {
    const long before = fault_open_identifiers();
    fault_arm(trials[i].number, EIO);
    const bool stored_all = store_series();
    fault_disarm();
    if (stored_all) fail_msg("%s, call %ld failed, and nobody cared", trials[i].name, trials[i].number);
    if (fault_open_identifiers() > before)
      fail_msg("%s, call %ld: identifiers stay open", trials[i].name, trials[i].number);
  }
  assert_true(store_series());
  free(trials);
}

static int run_group(void)
{
  return RUN_TESTS(what_cannot_be_stored_is_said, what_cannot_be_read_is_said, what_cannot_grow_is_said);
}

int main(int argc, char **argv) { return fixture_main(argc, argv, run_group); }
