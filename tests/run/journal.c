/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal: torn lines, damaged lines, what an event makes of the state, failing writes. */
#include "cases/store/journal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "cases/common/seal.h"
#include "cases/store/checkpoint.h"
#include "harness/results/publish.h"
#include "harness/run/child.h"
#include "tests/run/world.h"

static char *journal_path(const world *w) { return TEXT(w, "%s/journal.jsonl", w->root); }

static void write_text(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static json_t *event(const char *what, const char *key)
{
  return json_pack("{s:s, s:s, s:{s:s}}", "event", what, "key", key, "row", "status", "ok");
}

static const char *event_of(const sb_journal_state *state, const char *key)
{
  const char *what = json_string_value(json_object_get(json_object_get(state->cases, key), "event"));
  return what ? what : "";
}

static void absent_is_empty(void **state)
{
  char            *path = journal_path(*state);
  sb_journal_state read;
  assert_true(sb_journal_read(path, &read));
  assert_int_equal(json_object_size(read.cases), 0);
  assert_int_equal(read.length, 0);
  sb_journal_clear(&read);
}

static void torn_line_is_dropped_and_cut(void **state)
{
  char          *path = journal_path(*state);
  const char    *whole = "{\"event\":\"publish\",\"key\":\"a\"}\n";
  SB_OWNED char *torn = sb_format("%s{\"event\":\"publish\",\"key\":\"b\"}", whole); /* complete but for the newline */
  sb_journal_state read;
  sb_journal       journal;
  write_text(path, torn);
  assert_true(sb_journal_read(path, &read));
  assert_string_equal(event_of(&read, "a"), "publish");
  assert_string_equal(event_of(&read, "b"), "");
  assert_int_equal(read.bad_lines, 0);
  assert_int_equal(read.length, strlen(whole));
  assert_true(sb_journal_open(&journal, path, &read));
  assert_true(sb_journal_append(&journal, &read, event("fail", "c")));
  sb_journal_close(&journal);
  sb_journal_clear(&read);
  SB_OWNED char *text = sb_read_file(path, NULL);
  assert_memory_equal(text, whole, strlen(whole));
  assert_memory_equal(text + strlen(whole), "{\"event\":\"fail\",\"key\":\"c\"", 25);
}

/* Numbers keep their bits; an event that was not read has them as it was given. */
static void columns_are_read_as_text(void **state)
{
  char            *path = journal_path(*state);
  sb_journal_state read;
  sb_journal       journal;
  json_auto_t     *columns =
      json_pack("{s:f, s:f, s:i, s:n, s:s}", "a", 0.1, "b", 1e300 / 3, "c", 7, "d", "noisy", "a \"b\" µ");
  json_auto_t *row = json_pack("{s:s, s:O}", "status", "ok", "columns", columns);
  json_auto_t *given = sb_journal_columns(row);
  assert_true(given == columns && sb_row_is_noisy(row));
  assert_true(sb_journal_read(path, &read) && sb_journal_open(&journal, path, &read));
  assert_true(
      sb_journal_append(&journal, &read, json_pack("{s:s, s:s, s:O}", "event", "publish", "key", "a", "row", row)));
  sb_journal_close(&journal);
  sb_journal_clear(&read);
  assert_true(sb_journal_read(path, &read));
  const json_t *stored = json_object_get(json_object_get(read.cases, "a"), "row");
  json_auto_t  *found = sb_journal_columns(stored);
  assert_true(json_is_string(json_object_get(stored, "columns")));
  assert_true(json_equal(found, columns) && sb_row_is_noisy(stored));
  assert_null(sb_journal_columns(NULL));
  sb_journal_clear(&read);
}

static void journal_with_another_name_is_left_alone(void **state)
{
  const char      *path = journal_path(*state);
  SB_OWNED char   *copy = sb_format("%s.copy", path);
  const char      *whole = "{\"event\":\"publish\",\"key\":\"a\"}\n", *torn = "{\"event\"";
  SB_OWNED char   *both = sb_format("%s%s", whole, torn);
  sb_journal_state read;
  sb_journal       journal;
  write_text(path, both);
  assert_int_equal(link(path, copy), 0);
  assert_true(sb_journal_read(path, &read));
  assert_true(sb_journal_open(&journal, path, &read));
  assert_true(sb_journal_append(&journal, &read, event("fail", "c")));
  sb_journal_close(&journal);
  sb_journal_clear(&read);
  SB_OWNED char *text = sb_read_file(copy, NULL), *own = sb_read_file(path, NULL);
  assert_string_equal(text, both);
  assert_memory_equal(own, whole, strlen(whole));
  assert_non_null(strstr(own, "\"fail\""));
}

static void damaged_line_is_counted(void **state)
{
  char            *path = journal_path(*state);
  sb_journal_state read;
  write_text(path,
             "{\"event\":\"publish\",\"key\":\"a\"}\n{\"event\":\"pub\x01\n[]\n{\"event\":\"fail\",\"key\":\"b\"}\n");
  assert_true(sb_journal_read(path, &read));
  assert_int_equal(read.bad_lines, 2);
  assert_string_equal(event_of(&read, "a"), "publish");
  assert_string_equal(event_of(&read, "b"), "fail");
  sb_journal_clear(&read);
}

/* Whatever bit of a line changes, the line is no event, or what it says is the same. */
static void flipped_bits_change_nothing_unnoticed(void **state)
{
  char            *path = journal_path(*state);
  sb_journal_state read;
  sb_journal       journal;
  assert_true(sb_journal_read(path, &read));
  assert_true(sb_journal_open(&journal, path, &read));
  assert_true(sb_journal_append(&journal, &read, event("publish", "a")));
  sb_journal_close(&journal);
  sb_journal_clear(&read);
  size_t         size = 0;
  SB_OWNED char *text = sb_read_file(path, &size);
  for (size_t bit = 0; bit < 8 * (size - 1); ++bit) {
    text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
    const int file = sb_open(path, O_WRONLY | O_TRUNC);
    assert_true(sb_write_all(file, text, size));
    close(file);
    text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
    assert_true(sb_journal_read(path, &read));
    const json_t *said = json_object_get(read.cases, "a");
    const bool    noticed = read.bad_lines > 0 && json_object_size(read.cases) == 0;
    const bool    same = strcmp(event_of(&read, "a"), "publish") == 0 &&
                      strcmp(json_string_value(json_object_get(json_object_get(said, "row"), "status")), "ok") == 0;
    if (!noticed && !same) fail_msg("bit %zu changed what the line says", bit);
    sb_journal_clear(&read);
  }
}

/* Damage is told until a run has seen it. */
static void damage_is_settled_by_an_event(void **state)
{
  char            *path = journal_path(*state);
  sb_journal_state read;
  write_text(path, "[]\n{\"event\":\"damage\",\"lines\":1}\n{\n");
  assert_true(sb_journal_read(path, &read));
  assert_int_equal(read.bad_lines, 1);
  sb_journal_clear(&read);
}

/* The state a runner keeps while it appends does not grow with what the events say. */
static void appended_events_are_kept_in_outline(void **state)
{
  char            *path = journal_path(*state);
  sb_journal_state read;
  sb_journal       journal;
  assert_true(sb_journal_read(path, &read));
  assert_true(sb_journal_open(&journal, path, &read));
  assert_true(sb_journal_append(&journal, &read, event("publish", "a")));
  assert_true(sb_journal_append(&journal, &read, event("publish", "b")));
  assert_ptr_equal(json_object_get(read.cases, "a"), json_object_get(read.cases, "b"));
  assert_non_null(sb_journal_published(&read, "a"));
  assert_true(sb_journal_append(&journal, &read, event("fail", "a")));
  assert_null(sb_journal_published(&read, "a"));
  assert_non_null(sb_journal_published(&read, "b"));
  for (int noisy = 0; noisy < 2; ++noisy) {
    json_t *timed = event("publish", noisy ? "noisy" : "quiet");
    json_object_set_new(json_object_get(timed, "row"), "columns", json_pack("{s:s}", "noisy", noisy ? "waited" : ""));
    assert_true(sb_journal_append(&journal, &read, timed));
  }
  assert_true(sb_row_is_noisy(json_object_get(json_object_get(read.cases, "noisy"), "row")));
  assert_false(sb_row_is_noisy(json_object_get(json_object_get(read.cases, "quiet"), "row")));
  sb_journal_close(&journal);
  sb_journal_clear(&read);
}

/* Results are quick if no run was of more. */
static void one_whole_run_is_enough(void **state)
{
  static const int runs[][3] = {{1, 1, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}};
  (void)state;
  for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
    json_auto_t           *all = json_array();
    const sb_journal_state read = {.runs = all};
    assert_false(sb_journal_is_quick(&read));
    for (int k = 0; k < 3; ++k) json_array_append_new(all, json_pack("{s:b}", "quick", runs[i][k]));
    assert_true(sb_journal_is_quick(&read) == (i == 0));
  }
}

/* A file of which no journal knows has its seal. */
static void a_broken_seal_is_seen(void **state)
{
  char *path = TEXT((world *)*state, "%s/alone.h5", ((world *)*state)->root), error[256] = "";
  write_text(path, "content");
  assert_true(sb_published_file_is_whole(path, error)); /* an earlier version seals none */
  assert_true(sb_seal_append(path) && sb_published_file_is_whole(path, error));
  FILE *file = fopen(path, "r+");
  fputc('C', file);
  assert_int_equal(fclose(file), 0);
  assert_false(sb_published_file_is_whole(path, error));
  assert_non_null(strstr(error, "is damaged"));
}

static size_t syncs;
int           __real_fsync(int file);
int           __real_fdatasync(int file);
int           __wrap_fsync(int file);
int           __wrap_fdatasync(int file);

int __wrap_fsync(int file)
{
  ++syncs;
  return __real_fsync(file);
}

int __wrap_fdatasync(int file)
{
  ++syncs;
  return __real_fdatasync(file);
}

/* Stored files, their folders and lines of the journal are on the disk. */
static void what_is_stored_is_synced(void **state)
{
  world                       *w = *state;
  sb_journal_state             read;
  sb_journal                   journal;
  const sb_checkpoint_identity identity = {{"k", "c", "p", "l", "m"}};
  sb_checkpoint               *checkpoint = sb_checkpoint_create();
  const sb_publisher           publisher = {w->root, &journal, &read};
  assert_true(sb_make_directory(TEXT(w, "%s/cases", w->root)) && sb_make_directory(TEXT(w, "%s/tmp", w->root)));
  assert_true(sb_journal_read(journal_path(w), &read) && sb_journal_open(&journal, journal_path(w), &read));
  write_text(TEXT(w, "%s/tmp/made", w->root), "content");
  syncs = 0;
  assert_true(sb_journal_append(&journal, &read, event("publish", "a")));
  assert_int_equal(syncs, 1);
  assert_true(sb_replace_file(w->root, "file", "text", 4));
  assert_int_equal(syncs, 3);
  sb_checkpoint_bytes(checkpoint, "item", 4, (char[]){"text"});
  assert_true(sb_checkpoint_store(checkpoint, TEXT(w, "%s/state", w->root), &identity, NULL));
  assert_int_equal(syncs, 5);
  assert_true(sb_publish(&publisher, "b", TEXT(w, "%s/tmp/made", w->root), event("publish", "b")));
  assert_int_equal(syncs, 8); /* its data, the line, the folder */
  /* An item is known by its name. */
  sb_checkpoint_destroy(&checkpoint);
  for (int other = 0; other < 2; ++other) {
    char why[256], text[4];
    assert_non_null(checkpoint = sb_checkpoint_load(TEXT(w, "%s/state", w->root), &identity, NULL, why));
    sb_checkpoint_bytes(checkpoint, other ? "itch" : "item", 4, text);
    assert_true(sb_checkpoint_good(checkpoint) == !other);
    sb_checkpoint_destroy(&checkpoint);
  }
  sb_journal_close(&journal);
  sb_journal_clear(&read);
}

static void note(sb_journal_state *state, const char *what)
{
  json_t *e = event(what, "k");
  sb_journal_note(state, "k", e);
  json_decref(e);
}

/* An interruption leaves a publication standing, a failure does not, and a retired file is gone. */
static void later_events_replace_earlier_ones(void **state)
{
  char            *path = journal_path(*state);
  sb_journal_state s;
  assert_true(sb_journal_read(path, &s));
  note(&s, "interrupt");
  assert_string_equal(event_of(&s, "k"), "interrupt");
  note(&s, "publish");
  note(&s, "interrupt");
  assert_string_equal(event_of(&s, "k"), "publish");
  assert_non_null(sb_journal_published(&s, "k"));
  note(&s, "fail");
  assert_string_equal(event_of(&s, "k"), "fail");
  assert_null(sb_journal_published(&s, "k"));
  note(&s, "publish");
  note(&s, "retire");
  assert_string_equal(event_of(&s, "k"), "");
  sb_journal_clear(&s);
}

/* The state of a case follows from its events in the journal and from the presence of its file. */
static void a_case_is_as_far_as_journal_and_file_say(void **state)
{
  world           *w = *state;
  char            *path = journal_path(w), *folder = TEXT(w, "%s/cases", w->root), *file = TEXT(w, "%s/k.h5", folder);
  sb_journal_state s;
  assert_true(sb_journal_read(path, &s));
  assert_int_equal(sb_case_state_of(&s, w->root, "k", NULL, NULL), SB_STATE_PLANNED);
  note(&s, "interrupt");
  assert_int_equal(sb_case_state_of(&s, w->root, "k", NULL, NULL), SB_STATE_PENDING);
  note(&s, "publish");
  assert_int_equal(sb_case_state_of(&s, w->root, "k", NULL, NULL), SB_STATE_PENDING);
  assert_int_equal(mkdir(folder, 0777), 0);
  write_text(file, "");
  assert_int_equal(sb_case_state_of(&s, w->root, "k", NULL, NULL), SB_STATE_DONE);
  assert_int_equal(sb_case_state_of(&s, w->root, "k", "another build", ""), SB_STATE_STALE);
  json_t *known = json_pack("{s:s, s:s, s:s, s:s}", "event", "publish", "key", "k", "build", "b", "machine", "m");
  sb_journal_note(&s, "k", known);
  json_decref(known);
  assert_int_equal(sb_case_state_of(&s, w->root, "k", "b", "m"), SB_STATE_DONE);
  assert_int_equal(sb_case_state_of(&s, w->root, "k", "b", "another machine"), SB_STATE_STALE);
  note(&s, "fail");
  assert_int_equal(sb_case_state_of(&s, w->root, "k", "another build", ""), SB_STATE_FAILED);
  assert_int_equal(unlink(file) + rmdir(folder), 0);
  sb_journal_clear(&s);
}

/* In a process that may write 100 bytes a file: the line that does not fit leaves no trace. */
static int append_beyond_the_limit(const char *path)
{
  const struct rlimit limit = {100, 100};
  sb_journal_state    read;
  sb_journal          journal;
  signal(SIGXFSZ, SIG_IGN);
  if (!freopen("/dev/null", "w", stderr) || !sb_journal_read(path, &read) || !sb_journal_open(&journal, path, &read))
    return 1;
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
  if (!sb_journal_append(&journal, &read, event("publish", "fits"))) return 3;
  if (sb_journal_append(&journal, &read, event("publish", "does_not_fit"))) return 4;
  const bool noted = sb_journal_published(&read, "does_not_fit") != NULL;
  sb_journal_close(&journal);
  sb_journal_clear(&read);
  return noted ? 5 : 0;
}

static void failed_append_leaves_nothing(void **state)
{
  char            *path = journal_path(*state);
  sb_journal_state read;
  const pid_t      pid = fork();
  if (pid == 0) _exit(append_beyond_the_limit(path));
  assert_int_equal(world_wait(pid), 0);
  assert_true(sb_journal_read(path, &read));
  SB_OWNED char *text = sb_read_file(path, NULL);
  assert_int_equal(read.length, strlen(text));
  assert_string_equal(event_of(&read, "fits"), "publish");
  assert_int_equal(json_object_size(read.cases), 1);
  sb_journal_clear(&read);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(absent_is_empty),
      TEST(torn_line_is_dropped_and_cut),
      TEST(journal_with_another_name_is_left_alone),
      TEST(damaged_line_is_counted),
      TEST(appended_events_are_kept_in_outline),
      TEST(one_whole_run_is_enough),
      TEST(a_broken_seal_is_seen),
      TEST(what_is_stored_is_synced),
      TEST(damage_is_settled_by_an_event),
      TEST(flipped_bits_change_nothing_unnoticed),
      TEST(later_events_replace_earlier_ones),
      TEST(a_case_is_as_far_as_journal_and_file_say),
      TEST(failed_append_leaves_nothing),
      TEST(columns_are_read_as_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
