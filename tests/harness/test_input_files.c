/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that options name: the key follows their content, wherever they lie, and a missing one is told of early. */
#include "base/allocate.h"
#include "base/input_file.h"
#include "cases/store/input_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/sweep/plan.h"
#include "tests/cmocka_all.h"

static void write_text(const char *name, const char *text)
{
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static sb_options *options_of(const char *option, const char *path)
{
  char        pair[128];
  sb_options *options = sb_options_create(NULL);
  snprintf(pair, sizeof pair, "%s=%s", option, path);
  assert_true(sb_options_set_pair(options, "scene=mesh", SB_FROM_USER, (sb_location){"case", 3, 1}, NULL));
  assert_true(sb_options_set_pair(options, pair, SB_FROM_USER, (sb_location){"case", 4, 1}, NULL));
  return options;
}

static bool same_key(const char *option, const char *first, const char *second)
{
  char        a[SB_KEY_LENGTH + 1], b[SB_KEY_LENGTH + 1];
  sb_options *one = options_of(option, first), *two = options_of(option, second);
  sb_case_key(one, NULL, a);
  sb_case_key(two, NULL, b);
  sb_options_destroy(&one);
  sb_options_destroy(&two);
  return strcmp(a, b) == 0;
}

static void keys_follow_the_content(void)
{
  static const char *const options[] = {"mesh", "rest_mesh", "vertex_data", "spring_data"};
  write_text("a.obj", "v 0 0 0\n");
  write_text("b.obj", "v 0 0 0\n");
  write_text("c.obj", "v 0 0 1\n");
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
    assert_true(same_key(options[i], "a.obj", "b.obj"));
    assert_false(same_key(options[i], "a.obj", "c.obj"));
    assert_false(same_key(options[i], "a.obj", "none.obj"));
  }
}

/* FILE.ele belongs to FILE.node. */
static void keys_follow_both_files_of_a_pair(void)
{
  write_text("a.node", "1\n");
  write_text("b.node", "1\n");
  write_text("c.node", "1\n");
  write_text("a.ele", "2\n");
  write_text("b.ele", "2\n");
  write_text("c.ele", "3\n");
  assert_true(same_key("mesh", "a.node", "b.node"));
  assert_false(same_key("mesh", "a.node", "c.node"));
  assert_true(same_key("rest_mesh", "a.node", "b.node"));
  assert_false(same_key("rest_mesh", "a.node", "c.node"));
}

/* The digest is that of sha256sum. */
static void digests(void)
{
  write_text("abc.obj", "abc");
  assert_int_equal(mkfifo("pipe.obj", 0600), 0);
  sb_options *options = options_of("mesh", "abc.obj"), *pipe = options_of("mesh", "pipe.obj");
  char       *known = sb_input_digest(options, SB_ID(mesh), NULL), *none = sb_input_digest(pipe, SB_ID(mesh), NULL);
  assert_string_equal(known, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert_string_equal(none, "unreadable");
  assert_null(sb_input_digest(options, SB_ID(scene), NULL));
  assert_null(sb_input_digest(options, SB_ID(vertex_data), NULL));
  free(known);
  free(none);
  sb_options_destroy(&options);
  sb_options_destroy(&pipe);
}

static char *marked(void *context, const char *path)
{
  ++*(int *)context;
  return sb_format("<%s>", path);
}

/* A word begins the text or follows a separator; an '@' within a word is text. */
static void words_of_a_text(void)
{
  static const char *const texts[][2] = {{"@a", "@<a>"},
                                         {"p=0.5 q=@x/y.txt,r", "p=0.5 q=@<x/y.txt>,r"},
                                         {"@a;@b @c", "@<a>;@<b> @<c>"},
                                         {"me@home @ x", "me@home @ x"},
                                         {"", ""}};
  static const int         counts[] = {1, 1, 3, 0, 0};
  for (int i = 0; i < 5; ++i) {
    int   count = 0;
    char *text = sb_input_replace(texts[i][0], marked, &count);
    assert_string_equal(text, texts[i][1]);
    assert_int_equal(count, counts[i]);
    free(text);
  }
}

static void missing_files_are_told_of(void)
{
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_options     *options = options_of("mesh", "none.obj"), *half = options_of("mesh", "lonely.node");
  write_text("lonely.node", "1\n");
  assert_false(sb_input_files_check(options, diagnostics));
  assert_false(sb_input_files_check(half, diagnostics));
  assert_string_equal(sb_diagnostics_message(diagnostics, 0),
                      "case:4:1: error: cannot read 'none.obj': No such file or directory [E100]");
  assert_string_equal(sb_diagnostics_message(diagnostics, 1),
                      "case:4:1: error: cannot read 'lonely.ele': No such file or directory [E100]");
  sb_options_destroy(&options);
  sb_options_destroy(&half);
  sb_diagnostics_destroy(&diagnostics);
}

static char directory[] = "/tmp/springbench_inputs_XXXXXX";

static int enter_directory(void **state)
{
  (void)state;
  return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int remove_directory(void **state)
{
  char command[128];
  (void)state;
  snprintf(command, sizeof command, "rm -r '%s'", directory);
  return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

int main(void)
{
  return RUN_TESTS_WITHIN(enter_directory, remove_directory, keys_follow_the_content, keys_follow_both_files_of_a_pair,
                          digests, words_of_a_text, missing_files_are_told_of);
}
