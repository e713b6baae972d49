/* Pages: what came out, in words, tables and pictures.
 *
 *     <parent>/index.md       all sweeps with their verdicts       <parent>/REPRODUCED.md   published findings
 *     <parent>/<sweep>/report.md                                   a sweep
 *     <parent>/report.html, <parent>/<sweep>/report.html           the same for a browser, without network
 *
 * Everything is written once, as Markdown; the HTML is made from that by libcmark-gfm. They stand where users keep
 * files of their own: each carries a mark near its beginning, and a file of that name without it is somebody's and is
 * never replaced. Local; no PETSc. */
#pragma once

#include "harness/report/findings.h"

#define SB_PAGE_MARK      "<!-- made by springbench, which writes this file anew -->"
#define SB_PAGE_HTML_MARK "<meta name=\"generator\" content=\"springbench\">"

typedef enum {
  SB_PAGE_FAILED, /* after a message on stderr */
  SB_PAGE_LEFT,   /* not ours, or in a folder that may not be written: after a note on stderr */
  SB_PAGE_WRITTEN
} sb_page_outcome;

/* Makes `text`, its mark included, the page at `path`; one that says so already is left alone. */
sb_page_outcome sb_page_write(const char *path, const char *text);

/* <directory>/report.md and report.html; SB_PAGE_FAILED where one failed, else the outcome of report.html. */
sb_page_outcome sb_page_write_sweep(sb_results *results);
/* <parent>/index.md, REPRODUCED.md (where a claim answers a published finding) and report.html, with the same outcome.
 * `findings` NULL: they cannot be read. */
sb_page_outcome sb_pages_write(const sb_results_folders *folders, const sb_findings *findings);
/* REPRODUCED.md alone. */
sb_page_outcome sb_page_write_findings(const sb_findings *findings);
/* Tells whether `run` keeps pages there: the folder is called results, or has such a page of ours. Elsewhere a results
 * directory may stand among a user's own files. */
bool sb_pages_are_wanted(const char *parent);

/* Pictures larger than this are not put into a page. */
enum { SB_PAGE_PICTURE_BYTES_MAX = 4 << 20 };

/* One Markdown file on its way into a page of HTML. */
typedef struct {
  const char *address; /* of the Markdown file, relative to the folder of the page: "rope/report.md" */
  const char *id;      /* where links to it lead, and what ids in it begin with; "": they stand as they are */
  const char *title;   /* plain; stands in place of the first heading of a closed part */
  const char *summary; /* Markdown: stands behind the title of a part that is closed at first; NULL: it is open */
  const char *text;    /* Markdown */
} sb_page_part;

typedef struct {
  const char         *title, *navigation; /* plain; a list of links in Markdown */
  const sb_page_part *parts;              /* [count] */
  size_t              count;
} sb_page;

/* The page as HTML, in the arena. Links between the parts lead to places of the page; pictures below the directory go
 * into it, up to 4 MiB each and 32 MiB in all, others are linked. NULL after a message on stderr when the style cannot
 * be read. */
char *sb_page_html(const sb_page *page, const char *directory, sb_arena *arena);
