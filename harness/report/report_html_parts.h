/* The parts of a report in HTML, a file each. Inside the harness only. Local; no PETSc. */
#pragma once

#include "harness/common/html.h"
#include "harness/common/published_table.h"
#include "harness/report/report.h"

/* A drawing of gnuplot's as an element <svg> of a page, malloc'ed. `prefix` goes before every id, `root` (" class=…",
 * trusted) into the outermost tag. NULL where the text holds anything that does more than draw. */
char *sb_html_drawing(const char *svg, const char *prefix, const char *root);

/* One sweep on its way into a page. */
typedef struct {
  FILE                     *stream;
  sb_results               *results;
  const sb_driver          *driver;   /* NULL: not in this program */
  const sb_verdict         *verdicts; /* [claim_count] */
  const sb_published_table *findings; /* NULL: not there */
  const char               *folder;   /* of the sweep, relative to the page; "" where they are in one */
  int                       level;    /* of its headings */
  size_t                   *embedded; /* bytes of animations in the page so far */
} sb_html_sweep;

/* A heading of the sweep with an id: <h2 id="folder.part">title</h2>. */
void sb_html_heading(const sb_html_sweep *sweep, const char *part, const char *title);
/* The id itself, for attributes: of a part, or of one thing in it ("table", id), `name` NULL: of the part alone. */
void sb_html_sweep_id(const sb_html_sweep *sweep, const char *part, const char *name);
/* <a href>text</a> to a file of the sweep's directory, where it is there. */
void sb_html_file_link(const sb_html_sweep *sweep, const char *name, const char *text);

/* Verdicts (report_html_claims.c). */
typedef struct {
  size_t of[SB_VERDICT_KINDS];
} sb_html_tally;
sb_html_tally sb_html_tally_of(sb_results *results);
/* Short name for classes ("reproduced", "not-reproduced", …), and the words a reader sees. */
const char *sb_html_verdict_class(sb_verdict_kind kind);
void        sb_html_badge(FILE *stream, sb_verdict_kind kind, size_t count); /* count 0: the word alone */
/* The answer in a sentence, and each claim with our values. */
void sb_html_answer(const sb_html_sweep *sweep);
void sb_html_claims(const sb_html_sweep *sweep);

void sb_html_tables(const sb_html_sweep *sweep);
void sb_html_figures(const sb_html_sweep *sweep);
void sb_html_animations(const sb_html_sweep *sweep);
bool sb_html_has_animations(const sb_html_sweep *sweep);

/* Cases (report_html_cases.c): how they ended in one line; those that failed; every case with its command. */
void sb_html_status_line(const sb_html_sweep *sweep);
void sb_html_failures(const sb_html_sweep *sweep);
void sb_html_cases(const sb_html_sweep *sweep);
void sb_html_case_words(const sb_html_sweep *sweep, size_t row); /* "h = 0.01 s, grid = 10" */

/* How to read it, and where it was measured (report_html_notes.c, report_html_machine.c). */
void sb_html_notes(const sb_html_sweep *sweep);
void sb_html_machine(const sb_html_sweep *sweep);

/* Published findings (report_html_findings.c): counts of verdicts, and the table. NULL: they cannot be read. */
void sb_html_findings_answer(FILE *stream, const sb_findings *findings);
void sb_html_findings(FILE *stream, const sb_findings *findings);

/* All of one sweep, and the links to its parts. */
void sb_html_sweep_body(const sb_html_sweep *sweep);
void sb_html_sweep_links(const sb_html_sweep *sweep);

/* What surrounds it (report_html_page.c). */
bool sb_html_page_begin(FILE *stream, const char *title);
bool sb_html_page_end(FILE *stream);
/* Writes <directory>/report.html by `write`: whole, or as it was. */
sb_page_outcome sb_html_page_write(const char *directory, bool (*write)(FILE *stream, void *context), void *context);
