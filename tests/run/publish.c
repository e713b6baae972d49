/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Publishing: the known checksum, no file replaced unasked, what a crash between journal and rename leaves. */
#include "harness/results/publish.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "tests/run/world.h"

#define KEY "0123456789abcdef"

typedef struct {
  world           *w;
  sb_journal       journal;
  sb_journal_state state;
  sb_publisher     publisher;
} desk;

static void open_desk(desk *d, world *w)
{
  static const char *const parts[] = {"", "/cases", "/tmp"};
  d->w = w;
  for (int i = 0; i < 3; ++i) assert_true(sb_make_directory(TEXT(w, "%s%s", w->directory, parts[i])));
  char *path = path_of(w, "journal.jsonl");
  assert_true(sb_journal_read(path, &d->state));
  assert_true(sb_journal_open(&d->journal, path, &d->state));
  d->publisher = (sb_publisher){w->directory, &d->journal, &d->state};
}

static void close_desk(desk *d)
{
  sb_journal_close(&d->journal);
  sb_journal_clear(&d->state);
}

/* As the next run finds it. */
static void open_again(desk *d)
{
  close_desk(d);
  open_desk(d, d->w);
}

static char *make_file(const world *w, const char *name, const char *text)
{
  char *path = path_of(w, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  return path;
}

static json_t *publication(void) { return json_pack("{s:s, s:s}", "event", "publish", "key", KEY); }

static void sha256_is_the_standard_one(void **state)
{
  world *w = *state;
  char   hex[SB_SHA256_HEX + 1];
  assert_true(sb_make_directory(w->directory));
  char *path = make_file(w, "abc", "abc"); /* FIPS 180-2, B.1 */
  assert_true(sb_sha256_file(path, hex));
  assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert_false(sb_sha256_file("/nonexistent", hex));
}

static void published_files_move_with_their_checksum(void **state)
{
  desk d;
  open_desk(&d, *state);
  char *file = make_file(d.w, "tmp/" KEY ".host.1.h5", "abc");
  assert_true(sb_publish(&d.publisher, KEY, file, publication()));
  char *text = text_of(d.w, "cases/" KEY ".h5");
  assert_string_equal(text, "abc");
  assert_int_not_equal(access(file, F_OK), 0);
  open_again(&d);
  assert_string_equal(json_string_value(json_object_get(sb_journal_published(&d.state, KEY), "sha256")),
                      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  close_desk(&d);
}

static void second_publication_retires_the_first(void **state)
{
  desk d;
  open_desk(&d, *state);
  for (int i = 0; i < 2; ++i) {
    char *file = make_file(d.w, "tmp/" KEY ".host.1.h5", i == 0 ? "first" : "second");
    assert_true(sb_publish(&d.publisher, KEY, file, publication()));
  }
  char *text = text_of(d.w, "cases/" KEY ".h5"), *journal = text_of(d.w, "journal.jsonl");
  assert_string_equal(text, "second");
  assert_non_null(strstr(journal, "\"retire\""));
  assert_int_equal(files_in(d.w, "cases"), 1);
  close_desk(&d);
}

static void unknown_file_is_set_aside(void **state)
{
  desk d;
  open_desk(&d, *state);
  make_file(d.w, "cases/" KEY ".h5", "a stranger's");
  char *file = make_file(d.w, "tmp/" KEY ".h.1.h5", "ours");
  assert_true(sb_publish(&d.publisher, KEY, file, publication()));
  char *text = text_of(d.w, "cases/" KEY ".h5"), *aside = text_of(d.w, "cases/" KEY ".unknown.h5");
  assert_string_equal(text, "ours");
  assert_string_equal(aside, "a stranger's");
  close_desk(&d);
}

/* A number no process has. */
static long dead_pid(void)
{
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  assert_int_equal(world_wait(pid), 0);
  return pid;
}

/* The crash: the line is in the journal, the file still in tmp/. */
static void crash_before_the_rename_is_completed(void **state)
{
  desk d;
  char host[64];
  open_desk(&d, *state);
  char *name = TEXT(d.w, "tmp/" KEY ".%s.%ld.h5", sb_host_name(host), dead_pid());
  char *file = make_file(d.w, name, "abc");
  assert_true(sb_publish(&d.publisher, KEY, file, publication()));
  char *target = path_of(d.w, "cases/" KEY ".h5");
  assert_int_equal(rename(target, file), 0);
  open_again(&d);
  assert_true(sb_publish_recover(&d.publisher));
  assert_int_equal(access(target, F_OK), 0);
  assert_int_equal(files_in(d.w, "tmp"), 0);
  /* Other bytes are not what the line promises. */
  assert_int_equal(unlink(target), 0);
  make_file(d.w, name, "ab");
  assert_true(sb_publish_recover(&d.publisher));
  assert_int_not_equal(access(target, F_OK), 0);
  close_desk(&d);
}

static void only_the_dead_are_swept(void **state)
{
  desk d;
  char host[64];
  open_desk(&d, *state);
  sb_host_name(host);
  const long pid = dead_pid();
  char      *names[] = {
           TEXT(d.w, "tmp/" KEY ".%s.%ld.h5", host, pid),     TEXT(d.w, "tmp/" KEY ".%s.%ld.h5.7.part", host, pid),
           TEXT(d.w, "tmp/results.csv.%s.%ld", host, pid),    TEXT(d.w, "tmp/" KEY ".%s.%ld.h5", host, (long)getpid()),
           TEXT(d.w, "tmp/" KEY ".not-%s.%ld.h5", host, pid), TEXT(d.w, "tmp/notes.txt")};
  for (int i = 0; i < 6; ++i) make_file(d.w, names[i], "half a file");
  assert_true(sb_publish_recover(&d.publisher));
  for (int i = 0; i < 6; ++i) assert_int_equal(access(path_of(d.w, names[i]), F_OK) == 0, i >= 3);
  close_desk(&d);
}

/* Ended, but not reaped: nobody writes there any more. */
static void the_unreaped_count_as_dead(void **state)
{
  desk      d;
  char      host[64];
  siginfo_t end;
  open_desk(&d, *state);
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  assert_int_equal(waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT), 0);
  char *name = TEXT(d.w, "tmp/" KEY ".%s.%ld.h5", sb_host_name(host), (long)pid);
  make_file(d.w, name, "half a file");
  assert_true(sb_publish_recover(&d.publisher));
  assert_int_equal(files_in(d.w, "tmp"), 0);
  assert_int_equal(world_wait(pid), 0);
  close_desk(&d);
}

/* A run finds this published: such a file, with the checksum of another. */
static void note_published(desk *d, const char *save, const char *status)
{
  json_t *event = publication();
  json_object_set_new(event, "sha256", json_string("of another file"));
  json_object_set_new(event, "save", json_string(save));
  json_object_set_new(event, "row", json_pack("{s:s}", "status", status));
  assert_true(sb_journal_append(&d->journal, &d->state, event));
  open_again(d);
}

/* Ten thousand of them are to be resumed within a second. */
static void what_needs_no_side_car_is_not_opened(void **state)
{
  static const struct {
    const char *save, *status;
    bool        opened;
  } cases[] = {
      {"none", "ok", false}, {"final", "skipped", false}, {"final", "ok", true}, {"every:2", "diverged", true}};
  desk d;
  open_desk(&d, *state);
  const char *file = make_file(d.w, "cases/" KEY ".h5", "abc");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char      seen[512];
    const int watch = inotify_init1(IN_NONBLOCK);
    note_published(&d, cases[i].save, cases[i].status);
    assert_true(inotify_add_watch(watch, file, IN_OPEN) >= 0);
    assert_true(sb_publish_recover(&d.publisher));
    assert_int_equal(read(watch, seen, sizeof seen) > 0, cases[i].opened);
    close(watch);
  }
  close_desk(&d);
}

static void failure_takes_the_old_file_away(void **state)
{
  desk d;
  open_desk(&d, *state);
  char *file = make_file(d.w, "tmp/" KEY ".host.1.h5", "abc");
  assert_true(sb_publish(&d.publisher, KEY, file, publication()));
  assert_true(sb_publish_failure(&d.publisher, KEY, json_pack("{s:s, s:s}", "event", "fail", "key", KEY)));
  assert_int_equal(files_in(d.w, "cases"), 0);
  assert_null(sb_journal_published(&d.state, KEY));
  close_desk(&d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(sha256_is_the_standard_one),           TEST(published_files_move_with_their_checksum),
      TEST(second_publication_retires_the_first), TEST(unknown_file_is_set_aside),
      TEST(crash_before_the_rename_is_completed), TEST(only_the_dead_are_swept),
      TEST(the_unreaped_count_as_dead),           TEST(what_needs_no_side_car_is_not_opened),
      TEST(failure_takes_the_old_file_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
