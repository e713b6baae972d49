/* Pieces of reports in HTML: escaping, ids, addresses, base64; failures named, doubtful numbers marked. The whole page
 * is looked at by html_page.py, and in a browser by html_browser.py. */
#include <stdlib.h>
#include <string.h>

#include "harness/common/html.h"
#include "harness/report/report_html.h"
#include "harness/report/report_text.h"
#include "tests/cmocka_all.h"
#include "tests/report/world.h"

typedef struct {
  void (*put)(FILE *stream, const char *text);
  const char *text;
} piece;

static void put_piece(FILE *stream, void *context)
{
  const piece *p = context;
  p->put(stream, p->text);
}

static void expect(void (*put)(FILE *stream, const char *text), const char *text, const char *wanted)
{
  piece p = {put, text};
  char *got = written(put_piece, &p);
  assert_string_equal(got, wanted);
  free(got);
}

static void text_is_never_markup(void **state)
{
  (void)state;
  expect(sb_html_put, "<b a='1' c=\"2\">&amp;</b>", "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;&lt;/b&gt;");
  expect(sb_html_put, "a\tb\x01\x7f\nc", "a b  \nc");
  expect(sb_html_put, "τ ≤ 1", "τ ≤ 1");
  expect(sb_html_put, NULL, "");
}

static void ids_of_different_names_differ(void **state)
{
  (void)state;
  expect(sb_html_put_id, "rope_blowup-quick", "rope_blowup-quick");
  expect(sb_html_put_id, "a b", "a.20b");
  expect(sb_html_put_id, "a.20b", "a.2E20b");
  expect(sb_html_put_id, "a\"/<", "a.22.2F.3C");
}

static void addresses_stay_relative(void **state)
{
  (void)state;
  expect(sb_html_put_address, "a/results.csv", "a/results.csv");
  expect(sb_html_put_address, "javascript:alert(1)", "javascript%3Aalert%281%29");
  expect(sb_html_put_address, "a b\"#?%", "a%20b%22%23%3F%25");
}

static void put_bytes(FILE *stream, const char *text) { sb_html_put_base64(stream, text, strlen(text)); }

/* The vectors of RFC 4648. */
static void base64(void **state)
{
  (void)state;
  expect(put_bytes, "", "");
  expect(put_bytes, "f", "Zg==");
  expect(put_bytes, "fo", "Zm8=");
  expect(put_bytes, "foo", "Zm9v");
  expect(put_bytes, "foob", "Zm9vYg==");
  expect(put_bytes, "fooba", "Zm9vYmE=");
  expect(put_bytes, "foobar", "Zm9vYmFy");
  expect(put_bytes, "\xff\xfe\xfd", "//79");
}

static void assert_nothing_aside(const world *w)
{
  char *command = sb_format("ls -A '%s' | grep -q '\\.part$'", w->directory);
  assert_int_not_equal(system(command), 0);
  free(command);
}

static char *page_of(world *w)
{
  assert_true(sb_report_html_write(&w->results));
  assert_nothing_aside(w);
  char *page = world_read(w, "report.html");
  assert_non_null(page);
  return page;
}

static void failures_are_named(void **state)
{
  (void)state;
  world *w = world_create("tables: [{id: t, rows: substeps, columns: [{label: time, value: blowup_time}]}]\n");
  world_column(w, "substeps", "", true, false);
  world_row(w, "substeps", number(4), "status", word("ok"), "reason", blank(), "blowup_time", number(1.25), NULL);
  world_row(w, "substeps", number(5), "status", word("timeout"), "reason", word("after <60> s"), "blowup_time",
            number(2.5), NULL);
  world_row(w, "substeps", number(6), "status", word("crashed"), "reason", word("signal 11"), NULL);
  world_row(w, "substeps", number(7), "status", blank(), NULL);
  char *page = page_of(w);
  assert_non_null(strstr(page, "4 cases: 1 ok, <strong class=\"failure\">1 timeout</strong>, "
                               "<strong class=\"failure\">1 crashed</strong>, "
                               "<strong class=\"failure\">1 not run</strong>"));
  assert_non_null(strstr(page, "<strong>2 cases failed</strong>"));
  assert_non_null(strstr(page, "timeout — substeps = 5: after &lt;60&gt; s</li>"));
  assert_non_null(strstr(page, "crashed — substeps = 6: signal 11</li>"));
  assert_non_null(strstr(page, ">2.50</a> †"));
  assert_non_null(strstr(page, "<td class=\"value word number\"><a tabindex=\"-1\" "
                               "href=\"#case:0000000000000003\">crashed</a></td>"));
  assert_null(strstr(page, "after <60>"));
  free(page);
  world_destroy(&w);
}

/* A report that cannot be written leaves the one that was there. */
static void what_was_there_stays(void **state)
{
  (void)state;
  world *w = world_create("");
  char  *page = page_of(w);
  assert_int_equal(setenv("SPRINGBENCH_DATA", "/no/such/folder", 1), 0);
  assert_false(sb_report_html_write(&w->results));
  assert_int_equal(unsetenv("SPRINGBENCH_DATA"), 0);
  char *after = world_read(w, "report.html");
  assert_string_equal(after, page);
  assert_nothing_aside(w);
  free(after);
  free(page);
  world_destroy(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_never_markup),    cmocka_unit_test(ids_of_different_names_differ),
      cmocka_unit_test(addresses_stay_relative), cmocka_unit_test(base64),
      cmocka_unit_test(failures_are_named),      cmocka_unit_test(what_was_there_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
