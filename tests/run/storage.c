/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers of the runner's files when the system refuses: each reports it, and returns. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "cases/common/json_text.h"
#include "harness/results/lock.h"
#include "harness/results/publish.h"
#include "tests/run/world.h"

#define KEY "0123456789abcdef"

static void link_to(const world *w, const char *name, const char *target)
{
  assert_int_equal(symlink(target, path_of(w, name)), 0);
}

static void enter(void **state, const world **w)
{
  *w = *state;
  assert_true(sb_make_directory((*w)->directory));
}

static void lock_that_cannot_be_taken(void **state)
{
  const world *w;
  int          descriptor = 0;
  enter(state, &w);
  assert_true(sb_make_directory(path_of(w, "lock")));
  assert_int_equal(sb_lock_take(w->directory, &descriptor), SB_LOCK_FAILED);
  assert_int_equal(descriptor, -1);
  assert_int_equal(rmdir(path_of(w, "lock")), 0);
}

/* A link is no lock of this directory, wherever it leads to: to itself, to a device, to a file of somebody else's, to
 * nothing. */
static void lock_that_is_a_link_is_replaced(void **state)
{
  static const char *const targets[] = {"lock", "/dev/full", "mine", "nothing"};
  const world             *w;
  char                     holder[160];
  enter(state, &w);
  assert_true(sb_replace_file(w->directory, "mine", "text", 4));
  for (int i = 0; i < 4; ++i) {
    int descriptor = 0;
    link_to(w, "lock", targets[i]);
    assert_int_equal(sb_lock_share(w->directory, &descriptor), SB_LOCK_HELD);
    assert_int_equal(descriptor, -1);
    assert_int_equal(sb_lock_take(w->directory, &descriptor), SB_LOCK_HELD);
    assert_true(sb_lock_is_held(w->directory, holder));
    sb_lock_release(&descriptor);
    assert_string_equal(text_of(w, "mine"), "text");
    assert_int_not_equal(access(path_of(w, "nothing"), F_OK), 0);
    assert_int_equal(unlink(path_of(w, "lock")), 0);
  }
}

/* A predictable name in tmp/ may be a link, or another name of a file. */
static void new_file_is_not_written_through_a_link(void **state)
{
  const world *w;
  char         text[8] = "";
  enter(state, &w);
  assert_true(sb_replace_file(w->directory, "mine", "text", 4));
  for (int i = 0; i < 3; ++i) {
    if (i == 0) link_to(w, "new", "mine");
    if (i == 1) link_to(w, "new", "nothing");
    if (i == 2) assert_int_equal(link(path_of(w, "mine"), path_of(w, "new")), 0);
    const int file = sb_create(path_of(w, "new"), 0);
    assert_true(file >= 0 && sb_write_all(file, "other", 5));
    close(file);
    assert_string_equal(text_of(w, "mine"), "text");
    assert_string_equal(text_of(w, "new"), "other");
    assert_int_equal(readlink(path_of(w, "new"), text, sizeof text), -1);
    assert_int_not_equal(access(path_of(w, "nothing"), F_OK), 0);
    assert_int_equal(unlink(path_of(w, "new")), 0);
  }
}

static int interruptions; /* of ftruncate that are still to come */

int __real_ftruncate(int file, off_t length);
int __wrap_ftruncate(int file, off_t length);
int __wrap_ftruncate(int file, off_t length)
{
  if (interruptions == 0) return __real_ftruncate(file, length);
  --interruptions;
  errno = EINTR;
  return -1;
}

static void interrupted_calls_of_the_lock_are_made_again(void **state)
{
  const world *w;
  int          descriptor = 0;
  char         holder[160];
  enter(state, &w);
  interruptions = 2;
  assert_int_equal(sb_lock_take(w->directory, &descriptor), SB_LOCK_HELD);
  assert_int_equal(interruptions, 0);
  assert_true(sb_lock_is_held(w->directory, holder));
  interruptions = 2;
  sb_lock_release(&descriptor);
  assert_int_equal(interruptions, 0);
  assert_string_equal(text_of(w, "lock"), "");
}

static void lock_says_which_boot_it_is_of(void **state)
{
  const world *w;
  int          descriptor = 0;
  enter(state, &w);
  assert_int_equal(sb_lock_take(w->directory, &descriptor), SB_LOCK_HELD);
  const char    *holder = text_of(w, "lock");
  SB_OWNED char *boot = sb_read_file("/proc/sys/kernel/random/boot_id", NULL);
  boot[strcspn(boot, "\n")] = '\0';
  assert_int_equal(strlen(boot), 36);
  assert_non_null(strstr(holder, boot));
  sb_lock_release(&descriptor);
}

/* As `status` does, and for longer than one try of who wants it alone. */
static void reader_of_a_moment_is_waited_for(void **state)
{
  const world          *w;
  int                   descriptor = -1, ends[2];
  char                  byte = 0;
  const struct timespec moment = {.tv_nsec = 30000000};
  enter(state, &w);
  assert_int_equal(sb_lock_take(w->directory, &descriptor), SB_LOCK_HELD);
  sb_lock_release(&descriptor);
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  const pid_t reader = fork();
  if (reader == 0) {
    const bool shared = sb_lock_share(w->directory, &descriptor) == SB_LOCK_HELD && write(ends[1], "s", 1) == 1;
    nanosleep(&moment, NULL);
    _exit(shared ? 0 : 1);
  }
  assert_int_equal(read(ends[0], &byte, 1), 1);
  assert_int_equal(sb_lock_take(w->directory, &descriptor), SB_LOCK_HELD);
  sb_lock_release(&descriptor);
  assert_int_equal(world_wait(reader), 0);
  close(ends[0]);
  close(ends[1]);
}

static void file_in_the_way_of_a_directory(void **state)
{
  const world *w;
  enter(state, &w);
  char *taken = path_of(w, "taken");
  assert_true(sb_make_directory(taken));
  assert_false(sb_replace_file(w->directory, "taken", "text", 4));
  assert_int_equal(files_in(w, "tmp"), 0);
  errno = 0;
  assert_null(sb_read_file(taken, NULL));
  assert_int_equal(errno, EISDIR);
}

static void nothing_has_no_name(void **state)
{
  (void)state;
  errno = 0;
  assert_false(sb_make_directory(""));
  assert_int_equal(errno, ENOENT);
  assert_true(sb_free_bytes("") >= 0); /* here */
}

static void journal_that_cannot_be_cut(void **state)
{
  const world           *w;
  sb_journal             journal;
  const sb_journal_state nothing = {0};
  enter(state, &w);
  link_to(w, "journal.jsonl", "/dev/null");
  char *path = path_of(w, "journal.jsonl");
  assert_false(sb_journal_open(&journal, path, &nothing));
  sb_journal_close(&journal);
}

static json_t *publication(void) { return json_pack("{s:s, s:s}", "event", "publish", "key", KEY); }

static void nothing_is_published_that_is_not_there_or_not_noted(void **state)
{
  const world     *w;
  sb_journal       journal;
  sb_journal_state known;
  enter(state, &w);
  char *path = path_of(w, "journal.jsonl"), *file = path_of(w, "aside.h5");
  assert_true(sb_journal_read(path, &known));
  assert_true(sb_journal_open(&journal, path, &known));
  const sb_publisher publisher = {w->directory, &journal, &known};
  assert_false(sb_publish(&publisher, KEY, file, publication()));
  assert_null(sb_journal_published(&known, KEY));
  assert_true(sb_make_directory(path_of(w, "cases")));
  assert_true(sb_replace_file(w->directory, "aside.h5", "text", 4));
  assert_true(sb_publish(&publisher, KEY, file, publication()));
  assert_true(sb_replace_file(w->directory, "aside.h5", "more", 4));
  close(journal.descriptor);
  journal.descriptor = sb_open("/dev/full", O_WRONLY);
  assert_false(sb_publish(&publisher, KEY, file, publication()));
  assert_string_equal(text_of(w, "cases/" KEY ".h5"), "text");
  assert_non_null(sb_journal_published(&known, KEY));
  assert_int_equal(access(file, F_OK), 0);
  sb_journal_close(&journal);
  sb_journal_clear(&known);
}

static void text_that_is_none_becomes_null(void **state)
{
  (void)state;
  SB_OWNED char *text = NULL;
  size_t         length = 0;
  FILE          *stream = open_memstream(&text, &length);
  sb_json_put_text(stream, "\xFF");
  sb_json_put_text(stream, "a\"b");
  fclose(stream);
  assert_string_equal(text, "null\"a\\\"b\"");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(lock_that_cannot_be_taken),
      TEST(lock_that_is_a_link_is_replaced),
      TEST(new_file_is_not_written_through_a_link),
      TEST(interrupted_calls_of_the_lock_are_made_again),
      TEST(lock_says_which_boot_it_is_of),
      TEST(reader_of_a_moment_is_waited_for),
      TEST(file_in_the_way_of_a_directory),
      TEST(journal_that_cannot_be_cut),
      TEST(nothing_is_published_that_is_not_there_or_not_noted),
      cmocka_unit_test(nothing_has_no_name),
      cmocka_unit_test(text_that_is_none_becomes_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
