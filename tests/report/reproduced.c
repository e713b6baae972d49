/* Verdicts on published findings, from claims made by hand: every kind, what is printed, and the page. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "harness/report/reproduced.h"
#include "tests/cmocka_all.h"
#include "tests/report/world.h"

static const char csv[] = "# comment\n"
                          "id,source,scene,setting,finding,kind,needs,not_comparable\n"
                          "made-up,a paper,rope,ten | nine,it stands,exact,,\n"
                          "fails,a paper,rope,,it falls,shape,,\n"
                          "disputed,a paper,rope,,it turns,shape,,\n"
                          "against,a paper,rope,,it sinks,shape,,\n"
                          "fast,a paper,rope,,2 ms,time,,\n"
                          "unheard,a paper,rope,,it sings,exact,,\n"
                          "later,a paper,rope,,it waits,shape,minimizer=not_yet,\n"
                          "apart,a paper,rope,,it differs,exact,,the paper measures noise\n"
                          "untimed,a paper,rope,,3 ms,time,,\n";
enum { HOLDS = 1, FAILS, DISPUTED, AGAINST, FAST, UNHEARD, LATER, APART, UNTIMED, ROWS };

static sb_judged_folder folders[] = {{.folder = "one", .name = "one", .links = " [t](one/tables/t.md)", .counts = true},
                                     {.folder = "two-quick", .name = "two", .links = "", .counts = true, .quick = true},
                                     {.folder = "one-quick", .name = "one", .links = "", .quick = true}};
static sb_judged_claim  claims[] = {
     {0, "ten hold", "made-up", NULL, SB_CLAIM_EXACT, false, {SB_REPRODUCED, "status = ok", {"status = ok", 0}}},
     {1, "all of them hold", "made-up", NULL, SB_CLAIM_EXACT, false, {SB_NOT_TESTED, "needs the whole sweep", {"", 0}}},
     {2, "left out", "made-up", NULL, SB_CLAIM_EXACT, true, {SB_NOT_REPRODUCED, "of a part", {"", 0}}},
     {0, "it falls", "fails", NULL, SB_CLAIM_SHAPE, true, {SB_NOT_REPRODUCED, "height = 3", {"height = 3", 0}}},
     {0, "it turns left", "disputed", NULL, SB_CLAIM_SHAPE, false, {SB_REPRODUCED, "turn = 1", {"turn = 1", 0}}},
     {0,
      "it turns right",
      "disputed",
      "why",
      SB_CLAIM_SHAPE,
      false,
      {SB_CONTRADICTED, "turn = 1; why", {"turn = 1", 0}}},
     {0, "it sinks", "against", "why", SB_CLAIM_SHAPE, false, {SB_CONTRADICTED, "depth = 0; why", {"depth = 0", 0}}},
     {0, "below 2 ms", "fast", NULL, SB_CLAIM_TIME, false, {SB_REPRODUCED, "t = 0.5", {"t = 0.5", 4}}},
     {0, "below 4 ms", "fast", NULL, SB_CLAIM_TIME, false, {SB_REPRODUCED, "t = 0.5", {"t = 0.5", 8}}},
     {0, "its motion", "untimed", NULL, SB_CLAIM_SHAPE, false, {SB_REPRODUCED, "x = 1", {"x = 1", 0}}},
     {0, "its time", "untimed", NULL, SB_CLAIM_TIME, false, {SB_NOT_TESTED, "times are not judged", {"", 0}}},
     {0, "our own", NULL, NULL, SB_CLAIM_SHAPE, true, {SB_NOT_REPRODUCED, "own = 1", {"own = 1", 0}}}};

typedef struct {
  char            directory[64];
  sb_reproduction r;
} fixture;

static int make(void **state)
{
  static const char *const   names[] = {"newton"};
  static const sb_family     family = {.family = "minimizers", .names = names, .count = 1};
  static const sb_vocabulary vocabulary = {&family, 1};
  static const sb_session    session = {NULL, &vocabulary, NULL, NULL};
  char                       error[256] = "";
  fixture                   *f = sb_allocate(1, sizeof *f);
  strcpy(f->directory, "/tmp/sb_reproduced_XXXXXX");
  if (!mkdtemp(f->directory)) return -1;
  char *path = sb_format("%s/findings.csv", f->directory);
  FILE *file = fopen(path, "w");
  free(path);
  if (!file) return -1;
  fputs(csv, file);
  fclose(file);
  f->r = (sb_reproduction){.parent = f->directory,
                           .folders = folders,
                           .folder_count = 3,
                           .claims = claims,
                           .claim_count = sizeof claims / sizeof *claims,
                           .session = &session};
  f->r.findings = sb_published_read(f->directory, "findings", error);
  *state = f;
  return f->r.findings ? 0 : -1;
}

static int drop(void **state)
{
  fixture *f = *state;
  char    *command = sb_format("rm -r '%s'", f->directory);
  sb_published_destroy(&f->r.findings);
  const int status = system(command);
  free(command);
  free(f);
  return status;
}

static void each_verdict(void **state)
{
  static const sb_finding_verdict expected[ROWS] = {
      [HOLDS] = SB_FINDING_SOME_REPRODUCED, [FAILS] = SB_FINDING_NOT_REPRODUCED, [DISPUTED] = SB_FINDING_IN_PART,
      [AGAINST] = SB_FINDING_CONTRADICTED,  [FAST] = SB_FINDING_REPRODUCED,      [UNHEARD] = SB_FINDING_NOT_TESTED,
      [LATER] = SB_FINDING_NOT_TESTED,      [APART] = SB_FINDING_NOT_COMPARABLE, [UNTIMED] = SB_FINDING_NOT_TESTED};
  static const char *const reasons[ROWS] = {[HOLDS] = "1 of 2 claims; the other not tested",
                                            [UNHEARD] = "no sweep that claims it has run",
                                            [LATER] = "no such method yet (minimizer not_yet)",
                                            [APART] = "the paper measures noise",
                                            [UNTIMED] = "times are not judged"};
  const fixture           *f = *state;
  for (size_t row = 1; row < ROWS; ++row) {
    char *why = NULL;
    assert_int_equal(sb_finding_judge(&f->r, row, &why), expected[row]);
    if (reasons[row])
      assert_string_equal(why, reasons[row]);
    else
      assert_null(why);
    free(why);
  }
}

static void write_lines(FILE *stream, void *context) { sb_reproduction_print(context, stream); }

static void lines_and_counts(void **state)
{
  fixture *f = *state;
  char    *text = written(write_lines, &f->r);
  assert_non_null(
      strstr(text, "reproduced in part    made-up [exact]: ten hold (1 of 2 claims tested; one, two-quick)\n"));
  assert_non_null(strstr(text, "\nNOT REPRODUCED        fails [shape]: height = 3 (1 claim; one)\n"));
  assert_non_null(strstr(
      text, "\ncontradicted in part  disputed [shape]: it does not hold here that it turns right (2 claims; one)\n"));
  assert_non_null(strstr(text, "\nreproduced            fast [time]: 4 times as fast as published (2 claims; one)\n"));
  assert_non_null(
      strstr(text, "\nNOT REPRODUCED        our own (one): own = 1\n1 further claims of our own, 1 of them"));
  assert_non_null(strstr(text, "\n3 findings of kind exact: 1 reproduced in part, 1 not comparable, 1 not tested\n"));
  assert_non_null(strstr(text, "\n2 findings of kind time: 1 reproduced, 1 not tested\n"));
  assert_int_equal(sb_reproduction_failures(&f->r), 2);
  free(text);
}

static void the_page_has_a_line_a_finding(void **state)
{
  fixture *f = *state;
  char    *path = sb_format("%s/REPRODUCED.md", f->directory), *text = NULL;
  size_t   room = 0, lines = 0;
  assert_true(sb_reproduction_write(&f->r));
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_true(getdelim(&text, &room, '\0', file) > 0);
  fclose(file);
  for (const char *at = text; (at = strstr(at, "\n| **")); ++at) ++lines;
  assert_int_equal(lines, ROWS - 1);
  assert_non_null(strstr(text, "\n| exact | 0 | 1 | 0 | 0 | 0 | 1 | 1 |\n"));
  assert_non_null(strstr(
      text,
      "| **reproduced in part** | `made-up` ten \\| nine: it stands (a paper) | 1 of 2 claims; the other not tested<br>"
      "*reproduced*: ten hold — status = ok<br>*not tested*: all of them hold — needs the whole "
      "sweep | [one](index.md#one): [t](one/tables/t.md). [two](index.md#two-quick) (quick). |"));
  assert_non_null(strstr(text, "below 2 ms (4 times as fast as published) — t = 0.5"));
  assert_non_null(strstr(text, "\nWhat is marked quick"));
  free(text);
  free(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(each_verdict, make, drop),
      cmocka_unit_test_setup_teardown(lines_and_counts, make, drop),
      cmocka_unit_test_setup_teardown(the_page_has_a_line_a_finding, make, drop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
