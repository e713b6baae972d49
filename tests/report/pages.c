/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages: pieces of addresses and HTML, what the Markdown of a sweep says, what becomes of Markdown in HTML, and whose
 * files are left alone. Whole pages are looked at by html_page.py, and in a browser by html_browser.py. */
#include "harness/report/page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "harness/report/report_text.h"
#include "harness/results/output_cache.h"
#include "tests/cmocka_all.h"
#include "tests/report/world.h"
#include "tests/store/faults.h"

/* Each format escapes a text for its place. */
static void pieces(void)
{
  static const char *const rows[][3] = {
      {SB_AS_HTML, "<b a='1' c=\"2\">&amp;</b>", "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;&lt;/b&gt;"},
      {SB_AS_HTML, "a\tb\x01\x7f\nτ", "a b  \nτ"},
      {SB_AS_ID, "rope_blowup-quick", "rope_blowup-quick"},
      {SB_AS_ID, "a.20b", "a.2E20b"}, /* not the id of "a b" */
      {SB_AS_ID, "a b\"/<", "a.20b.22.2F.3C"},
      {SB_AS_ADDRESS, "a/results.csv", "a/results.csv"},
      {SB_AS_ADDRESS, "javascript:alert(1)", "javascript%3Aalert%281%29"},
      {SB_AS_ADDRESS, "a b\"#?%", "a%20b%22%23%3F%25"},
      {SB_AS_CODE, "a*b", "`a*b`"},
      {SB_AS_CODE, "`a`|*", "<code>\\`a\\`\\|\\*</code>"},
      {"%s", "✗ a ✓", SB_JOINER "✗ a ✓"}, /* not a verdict */
      {"a {(%s) }b", "c*", "a (c\\*) b"},
      {"a {(%s) }b", "", "a b"},
      {"a%s{, %-s}", NULL, "a"}};
  world *w = world_create("");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    assert_string_equal(sb_markdown_format(w->results.session.arena, rows[i][0], rows[i][1], NULL), rows[i][2]);
  assert_string_equal(sb_counted(w->results.session.arena, 1, "case"), "1 case");
  assert_string_equal(sb_counted(w->results.session.arena, 0, "claim"), "0 claims");
  world_destroy(&w);
}

/* The page of these parts in the world's directory. */
static char *html_of(const world *w, const sb_page_part *parts, size_t count)
{
  const sb_page page = {"a title", "- [to b](b/report.md)\n", parts, count};
  char         *html = sb_page_html(&page, w->directory, w->results.session.arena);
  assert_non_null(html);
  return html;
}

/* Whatever a user writes is shown as it is, wherever it stands. */
static void text_is_never_markup(void)
{
  static const char texts[] =
      "<script>alert(1)</script>\na *b* _c_ __d__ `e` ~f~ ~~g~~\n# a\n## b\n- a\n+ b\n* c\n1. a\n2) b\n"
      "--- \n===\n=\n-\n> a\n| a | b |\n|---|---|\n![a](b.png)\n[a](javascript:b)\n<http://a.b>\n"
      "&lt; &#60; &amp;\n\\\n\\\\ \\* a\\\n``` a\n~~~\n<!-- \n-->\n</details>\n<a id=\"x\">\n[a]: b\n"
      "$a$\n12\n1.5\n-2\na_b_c\n";
  world *w = world_create("");
  for (const char *at = texts; *at; at += strcspn(at, "\n") + 1) {
    sb_arena          *arena = w->results.session.arena;
    const char        *one = sb_arena_copy_span(arena, at, strcspn(at, "\n"));
    char              *wanted = sb_markdown_format(arena, SB_AS_HTML, one);
    const char        *text = sb_markdown_format(arena, "%s\n\n- %s\n\n| %s |\n|---|\n| %s |\n", one, one, one, one);
    const sb_page_part part = {.address = "report.md", .id = "", .title = "", .text = text};
    const char        *found = html_of(w, &part, 1);
    const int          length = (int)strlen(wanted) - (wanted[strlen(wanted) - 1] == ' ');
    for (char *c; (c = strstr(wanted, "&#39;"));) memmove(c + 1, c + 5, strlen(c + 5) + 1);
    const char *shown = sb_arena_format(arena, ">%.*s</", length, wanted);
    for (size_t places = 0; places < 4; ++places) {
      ASSERT_HAS(found, shown);
      found = strstr(found, shown) + length;
    }
  }
  world_destroy(&w);
}

static void put_file(const world *w, const char *name, const char *bytes, size_t size)
{
  FILE *file = fopen(world_path(w, name), "w");
  assert_non_null(file);
  fwrite(bytes, 1, size, file);
  assert_int_equal(fclose(file), 0);
}

/* Links from one Markdown file into another become links within one page. */
static void files_become_places_of_a_page(void)
{
  static const sb_page_part parts[] = {
      {"index.md", "index.md", "All", NULL,
       "# All\n\n## The sweeps, all\n\n[one](b/report.md) [case](b/report.md#case-1) [file](b/a%20b.csv)\n"},
      {"b/report.md", "b", "b <i>", "**✓ 1 reproduced**",
       "# b\n\n## Cases\n\n<a id=\"case-1\"></a>here [there](#case-1) [file](x.csv) [all](index.md) "
       "[up](../index.md) [site](https://a.b) <script>x\n\n"
       "**≠ so** **not**\n\n| a |\n|---:|\n| **✗ 1** |\n"}};
  world      *w = world_create("");
  const char *page = html_of(w, parts, 2);
  ASSERT_HAS(
      page, "<section id=\"index.md\">\n<h1>All</h1>\n<h2><a id=\"index.md:the-sweeps-all\"></a>The sweeps, all</h2>\n",
      "<a href=\"#b\">one</a> <a href=\"#b:case-1\">case</a> <a href=\"b/a%20b.csv\">file</a>",
      "<details id=\"b\">\n<summary><h2>b &lt;i&gt;</h2>\n<p><strong class=\"good\">✓ 1 reproduced</strong></p>\n",
      "</summary>\n<h3><a id=\"b:cases\"></a>Cases</h3>\n<p><a id=\"b:case-1\"></a>here <a",
      "<a href=\"#b:case-1\">there</a>",
      "<a href=\"b/x.csv\">file</a> <a href=\"b/index.md\">all</a> <a "
      "href=\"#index.md\">up</a> <a href=\"https://a.b\">site</a> &lt;script>x",
      "<strong class=\"other\">≠ so</strong> <strong>not</strong>",
      "<div class=\"scroll\" role=\"region\" aria-label=\"table\" tabindex=\"0\">\n<table>",
      "<td align=\"right\"><strong class=\"bad\">✗ 1</strong></td>",
      "<nav>\n<ul>\n<li><a href=\"#b\">to b</a></li>\n</ul>\n</nav>",
      "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-");
  assert_null(strstr(page, "<h2>b</h2>"));
  world_destroy(&w);
}

static void pictures_stand_in_the_page(void)
{
  static const char         gif[24] = "GIF89a\x10\x00\x08\x01";
  static const char         png[26] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\x02\0\0\0\x09\xff\xfe";
  static const char         svg[] = "<svg viewBox=\"0 0 400 200\"/>";
  static const sb_page_part part = {"report.md", "", "", NULL,
                                    "![a \\<b\\>](a.svg)\n\n![](a.png)\n\n![](a%20b.gif)\n\n![not "
                                    "there](c.svg)\n\n![page](d.html)\n\n![large](e.gif)\n"};
  world                    *w = world_create("");
  put_file(w, "a.svg", svg, strlen(svg));
  put_file(w, "a.png", png, sizeof png);
  put_file(w, "a b.gif", gif, sizeof gif);
  put_file(w, "d.html", "<p>", 3);
  put_file(w, "e.gif", gif, sizeof gif);
  assert_int_equal(truncate(world_path(w, "e.gif"), SB_PAGE_PICTURE_BYTES_MAX + 1), 0);
  ASSERT_HAS(html_of(w, &part, 1),
             "<img class=\"svg+xml wide\" alt=\"a &lt;b&gt;\" width=\"840\" height=\"420\" "
             "src=\"data:image/svg+xml;base64,PHN2ZyB2aWV3Qm94PSIwIDAgNDAwIDIwMCIvPg==\">",
             "<img class=\"png\" alt=\"\" width=\"258\" height=\"9\" "
             "src=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAQIAAAAJ//4=\">",
             "<img class=\"gif\" alt=\"\" width=\"16\" height=\"264\" src=\"data:image/gif;base64,R0lGODlh",
             "<em>not there (this picture is missing)</em>", "<a href=\"d.html\">page (it is beside this page)</a>",
             "<a href=\"e.gif\">large (too large for this page; it is beside it)</a>");
  world_destroy(&w);
}

/* A figure's caption has the note on its times; if there is no picture, the reason is in its place. */
static void captions_of_figures(void)
{
  world *w = world_create("figures: [{id: f, title: F, note: Of ropes., kind: curves, x: grid, y: grid},\n"
                          "          {id: g, title: G, kind: curves, x: grid, y: grid}]\n");
  assert_int_equal(system(sb_arena_format(w->results.session.arena, "mkdir '%s/figures'", w->directory)), 0);
  put_file(w, "figures/f.svg", "<svg/>", 6);
  put_file(w, "figures/f.note", "1 of 2 cases was noisy.", 23);
  put_file(w, "figures/g.why", "there are no cases", 18);
  put_file(w, "figures/g.note", "of an earlier one", 17);
  assert_int_equal(sb_page_write_sweep(&w->results), SB_PAGE_WRITTEN);
  ASSERT_HAS(world_read(w, "report.md"), "**F** Of ropes. 1 of 2 cases was noisy.\n",
             "**G** This figure has not been drawn: there are no cases. \n");
  world_destroy(&w);
}

static void failures_are_named(void)
{
  world *w = world_create("tables: [{id: t, rows: substeps, columns: [{label: time, value: blowup_time}]}]\n");
  world_column(w, "substeps", "", true, false);
  world_row(w, "substeps", number(4), "status", word("ok"), "reason", blank(), "blowup_time", number(1.25), NULL);
  world_row(w, "substeps", number(5), "status", word("timeout"), "reason", word("after <60> s"), "blowup_time",
            number(2.5), NULL);
  world_row(w, "substeps", number(6), "status", word("crashed"), "reason", word("signal 11"), NULL);
  world_row(w, "substeps", number(7), "status", blank(), NULL);
  assert_int_equal(sb_page_write_sweep(&w->results), SB_PAGE_WRITTEN);
  const char *page = world_read(w, "report.html");
  ASSERT_HAS(world_read(w, "report.md"), "4 cases: 1 ok, 1 timeout, 1 crashed, 1 not run **✗ 3 without a result**.\n",
             "**✗ 2 cases failed**\n\n- [`0000000000000002`](#case-0000000000000002) timeout — substeps = 5: after "
             "\\<60\\> s\n- [`0000000000000003`](#case-0000000000000003) crashed — substeps = 6: signal 11\n",
             "| 5 | [2.50](#case-0000000000000002) † |\n| 6 | [crashed](#case-0000000000000003) |\n");
  ASSERT_HAS(page, "<a href=\"#case-0000000000000002\"><code>0000000000000002</code></a> timeout",
             "<td align=\"left\"><a id=\"case-0000000000000002\"></a><code>0000000000000002</code></td>");
  assert_null(strstr(page, "after <60>"));
  /* A page that cannot be made leaves the one that was there. */
  assert_int_equal(setenv("SPRINGBENCH_DATA", "/no/such/folder", 1), 0);
  assert_int_equal(sb_page_write_sweep(&w->results), SB_PAGE_FAILED);
  assert_int_equal(unsetenv("SPRINGBENCH_DATA"), 0);
  assert_string_equal(world_read(w, "report.html"), page);
  const char *aside = sb_arena_format(w->results.session.arena, "ls -A '%s' | grep -q '\\.part$'", w->directory);
  assert_int_not_equal(system(aside), 0);
  world_destroy(&w);
}

/* The pages of a folder without findings. */
static sb_page_outcome write_folder(const char *parent, sb_results_folder *each, size_t count)
{
  const sb_results_folders folders = {.parent = parent, .count = count, .each = each};
  return sb_pages_write(&folders, NULL);
}

/* A folder without sweeps, and one with a directory that cannot be opened. */
static void a_folder(void)
{
  world            *w = world_create("topic: of ropes\nlead: true\nquestion: how <long>?\n"
                                                "figures: [{id: f, title: F|, kind: curves, x: drag, y: drag},\n"
                                                "          {id: g, title: G|, kind: curves, x: drag, y: drag}]\n"
                                                "expect: [{claim: it ends, test: count(substeps) > 1}]\n"
                                                "answer: \"*Up* to {max(substeps)} | 9. To {min(drag)}.\"\n");
  sb_results_folder each[] = {{.name = "deep/bad_one", .problem = "it is <broken>"},
                              {.name = "good one", .results = &w->results}};
  sb_case_origin    origins[] = {{"one", "here", NULL}, {"two", "here", NULL}};
  w->results.origins = origins;
  w->results.journal.runs =
      json_pack("[{s:s, s:s, s:s}]", "at", "2026-11-26T20:00:00Z", "machine", "a <machine>", "build", "b1");
  world_column(w, "substeps", "", true, false);
  world_row(w, "substeps", number(4), "status", word("ok"), NULL);
  world_row(w, "substeps", number(8), "status", word("ok"), "noisy", word("waited"), NULL);
  assert_int_equal(write_folder(w->directory, NULL, 0), SB_PAGE_WRITTEN);
  ASSERT_HAS(world_read(w, "index.md"), SB_PAGE_MARK "\n\n# Results\n\nThere are none yet.\n");
  assert_int_equal(system(sb_arena_format(w->results.session.arena, "mkdir '%s/figures'", w->directory)), 0);
  put_file(w, "figures/g.svg", "<svg/>", 6);
  assert_int_equal(write_folder(w->directory, each, 2), SB_PAGE_WRITTEN);
  ASSERT_HAS(
      world_read(w, "index.md"), "\n\nSpringbench measures solvers of mass-spring systems. ",
      "<div class=\"leads\">\n\n[![G\\|](good%20one/figures/g.svg)](good%20one/report.md) **how \\<long\\>?** \\*Up\\* "
      "to 8 ",
      "<small>**✓** holds. **◐** holds so far", "<small>Run 2026-11-26 on a \\<machine\\> by springbench b1.</small>",
      "<summary>of ropes: 1 sweep, 1 reproduced</summary>\n\n| sweep | question and answer | verdicts | cases "
      "|\n|:---|:---|:---|:---|\n"
      /* the first figure that has been drawn */
      "| [good one](good%20one/report.md)<br>[![G\\|](good%20one/figures/g.svg)](good%20one/report.md) "
      "| how \\<long\\>?<br>**◐ So far: a number is unknown.** \\*Up\\* to 8 \\| 9. (Left open: these "
      "results have no column 'drag') | **✓ 1 reproduced** | 2 cases: 2 ok; 1 of 2 cases timed while the machine was "
      "noisy; 2 cases run by several builds |\n",
      "<summary>Sweeps: 1 sweep</summary>\n\n| sweep |",
      "| [deep/bad_one](deep/bad_one/report.md) | cannot be read: it is \\<broken\\> |",
      "\n**✗ `deep/bad_one` cannot be read, so its answers are unknown:** it is \\<broken\\>\n");
  ASSERT_HAS(world_read(w, "report.html"),
             "<h2>Sweeps</h2>\n</section>\n<details id=\"good.20one\">\n<summary><h2>good one</h2>",
             "This directory cannot be read:</strong> it is &lt;broken&gt;");
  assert_true(world_size(w, "report.md") > 0); /* its links lead somewhere */
  assert_null(strstr(world_read(w, "index.md"), "quick run"));
  w->results.quick = true;
  put_file(w, "figures/g.panel.svg", "<svg/>", 6);
  ((sb_sweep *)w->results.sweep)->timed = true;
  assert_int_equal(write_folder(w->directory, each, 2), SB_PAGE_WRITTEN);
  ASSERT_HAS(world_read(w, "index.md"), "\n**This is a quick run:** of 2 sweeps, 1 has only the part that `--quick`",
             "(good%20one/figures/g.panel.svg)", "/springbench run 'sb_report_",
             "/good one/sweep.yaml' -o 'sb_report_");
  assert_int_equal(write_folder("/no/such/folder", NULL, 0), SB_PAGE_FAILED);
  json_decref(w->results.journal.runs);
  world_destroy(&w);
}

/* Files that a user keeps under the names of our pages stay as they are, and are told of; ours are written anew, unless
 * they say already what they shall say. */
static void a_file_of_the_users_is_left(void)
{
  world      *w = world_create("");
  const char *index = world_path(w, "index.md");
  struct stat first = {0}, second = {0}, third = {0};
  put_file(w, "index.md", "# My thesis\n", 12);
  assert_false(sb_pages_are_wanted(w->directory));
  fault_listen();
  const sb_page_outcome outcome = write_folder(w->directory, NULL, 0);
  char                 *said = fault_heard();
  assert_int_equal(outcome, SB_PAGE_WRITTEN); /* report.html is */
  assert_string_equal(world_read(w, "index.md"), "# My thesis\n");
  ASSERT_HAS(said, "index.md was not made by springbench and is not changed");
  free(said);
  put_file(w, "report.html", "mine", 4);
  assert_int_equal(write_folder(w->directory, NULL, 0), SB_PAGE_LEFT);
  assert_int_equal(unlink(index), 0);
  assert_int_equal(sb_page_write(index, SB_PAGE_MARK "\na"), SB_PAGE_WRITTEN);
  assert_int_equal(stat(index, &first), 0);
  assert_int_equal(sb_page_write(index, SB_PAGE_MARK "\na"), SB_PAGE_WRITTEN);
  assert_int_equal(stat(index, &second), 0);
  assert_int_equal(sb_page_write(index, SB_PAGE_MARK "\nb"), SB_PAGE_WRITTEN);
  assert_int_equal(stat(index, &third), 0);
  assert_true(first.st_ino == second.st_ino && first.st_ino != third.st_ino);
  assert_true(sb_pages_are_wanted(w->directory) && sb_pages_are_wanted("/no/such/results"));
  world_destroy(&w);
}

/* A folder that is not ours to write in is no failure; a full disk is one. */
static void a_folder_that_may_not_be_written(void)
{
  static const int errors[] = {EACCES, EPERM, EROFS, ENOSPC};
  world           *w = world_create("");
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i) {
    fault_listen();
    fault_arm(0, 0);
    fault_always("open", errors[i]);
    const sb_page_outcome outcome = sb_page_write(world_path(w, "index.md"), "text");
    fault_disarm();
    char *said = fault_heard();
    assert_int_equal(outcome, errors[i] == ENOSPC ? SB_PAGE_FAILED : SB_PAGE_LEFT);
    assert_true((strstr(said, "note: ") && strstr(said, "index.md cannot be written here")) == (errors[i] != ENOSPC));
    free(said);
  }
  world_destroy(&w);
}

/* The longest text that cmark was given at once; CMake wraps the function. */
static size_t longest;
void          __real_cmark_parser_feed(void *parser, const char *text, size_t length);
void          __wrap_cmark_parser_feed(void *parser, const char *text, size_t length);
void          __wrap_cmark_parser_feed(void *parser, const char *text, size_t length)
{
  if (length > longest) longest = length;
  __real_cmark_parser_feed(parser, text, length);
}

static size_t count_of(const char *text, const char *what)
{
  size_t count = 0;
  for (const char *at = text; (at = strstr(at, what)); ++at) ++count;
  return count;
}

/* The tree of a page takes thirty times the memory of its text, so a page of many cases is converted piece by piece.
 * Tables and sections keep their places, and no piece ends within code of any content. */
static void long_pages_are_converted_in_pieces(void)
{
  enum { TABLES = 30, LINES = 200, PIECE_MAX = 200000 };
  world          *w = world_create("");
  sb_arena_writer text;
  FILE           *out = sb_arena_write(&text, w->results.session.arena);
  fputs("# t\n\n````yaml\n", out);
  for (int i = 0; i < 8000; ++i) fputs("```\n\n| a |\n\n## b\n", out);
  fputs("````\n\n", out);
  const long code = ftell(out);
  assert_true(code > 100000 && code < PIECE_MAX);
  for (int t = 0; t < TABLES; ++t) {
    fprintf(out, "%s| key | command |\n|:---|:---|\n", t % 3 == 0 ? "## s\n\n" : "");
    for (int i = 0; i < LINES; ++i) fprintf(out, "| <a id=\"k%d.%d\"></a>%060d | [x](#k%d.%d) |\n", t, i, i, t, i);
    fputc('\n', out);
  }
  const sb_page_part part = {.address = "a.md", .id = "a", .title = "a", .text = sb_arena_text(&text)};
  longest = 0;
  const char *html = html_of(w, &part, 1);
  assert_true(strlen(part.text) > 3 * PIECE_MAX);
  assert_in_range(longest, 1, PIECE_MAX);
  assert_int_equal(count_of(html, "<pre"), 1);
  assert_int_equal(count_of(html, "| a |"), 8000);
  assert_int_equal(count_of(html, "<table>"), TABLES);
  assert_int_equal(count_of(html, "<h2>"), TABLES / 3);
  assert_int_equal(count_of(html, "<tr>"), TABLES * (LINES + 1));
  assert_int_equal(count_of(html, "href=\"#a:k29.7\""), 1);
  world_destroy(&w);
}

static void overwrite(const char *path, const char *text, long nanoseconds)
{
  const struct timespec times[2] = {{1000, nanoseconds}, {1000, nanoseconds}};
  assert_true(sb_report_write(path, text));
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* A digest tells whether tables, figures and pages are current. It has all that they are made from, the contents of
 * files by their size and time. */
static void what_output_is_made_from(void)
{
  enum { SAME, CHECKSUM, PUBLISHED, SCRIPT, FLOOR, QUICK, STATUS, TRIALS };
  const char     *digests[TRIALS];
  world          *w = world_create("figures: [{id: f, title: F, script: own.gp, data: rows}]\n");
  char            one[] = "1", other[] = "2", *checksums[] = {one};
  sb_results     *r = &w->results;
  sb_planned_case c = {.key = ""};
  const sb_plan   plan = {.count = 1, .cases = &c};
  const char     *published = world_path(w, "published"), *script = world_path(w, "own.gp");
  world_row(w, "status", word("ok"), NULL);
  r->plan = &plan;
  r->checksums = checksums;
  r->floor.words = one;
  r->published_dir = (char *)published;
  sb_sweep sweep = *r->sweep;
  sweep.path = world_path(w, "by_hand.yaml");
  r->sweep = &sweep;
  assert_true(sb_make_directory(published));
  overwrite(world_path(w, "published/a.csv"), "a\n", 1);
  overwrite(script, "plot x\n", 1);
  for (int i = 0; i < TRIALS; ++i) {
    if (i == CHECKSUM) checksums[0] = other;
    if (i == PUBLISHED) overwrite(world_path(w, "published/a.csv"), "b\n", 2);
    if (i == SCRIPT) overwrite(script, "plot y\n", 2);
    if (i == FLOOR) r->floor.words = other;
    if (i == QUICK) r->quick = true;
    if (i == STATUS) sb_rows_set(r->rows, 0, sb_rows_column_find(r->rows, "status"), word("diverged"));
    r->kept->made_from = NULL;
    digests[i] = sb_output_digest(r);
    for (int k = 0; k < i; ++k)
      if (strcmp(digests[k], digests[i]) == 0) fail_msg("%d and %d have one digest", k, i);
  }
  /* It is current only as long as its files are there, and as they were made. */
  const char     *files[] = {"own.gp"};
  const sb_output output = {.folder = w->directory, .thing = "figures", .files = {1, files}};
  assert_true(sb_output_note(&output, digests[0]));
  assert_true(sb_output_is_current(&output, digests[0]));
  assert_false(sb_output_is_current(&output, digests[1]));
  overwrite(script, "plot z\n", 3);
  assert_false(sb_output_is_current(&output, digests[0]));
  assert_true(sb_output_note_again(&output));
  assert_true(sb_output_is_current(&output, digests[0]));
  const char     *both[] = {"own.gp", "other"};
  const sb_output more = {.folder = w->directory, .thing = "figures", .files = {2, both}};
  overwrite(world_path(w, "other"), "x", 1);
  assert_false(sb_output_is_current(&more, digests[0])); /* one of them was not noted */
  assert_true(sb_output_note_again(&more));
  assert_false(sb_output_is_current(&more, digests[0]));
  assert_int_equal(unlink(script), 0);
  assert_false(sb_output_is_current(&output, digests[0]));
  world_destroy(&w);
}

TEST_MAIN(what_output_is_made_from, pieces, text_is_never_markup, files_become_places_of_a_page,
          pictures_stand_in_the_page, long_pages_are_converted_in_pieces, captions_of_figures, failures_are_named,
          a_folder, a_file_of_the_users_is_left, a_folder_that_may_not_be_written)
