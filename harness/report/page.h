/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages: results in words, tables and pictures.
 *
 *     <parent>/index.md            all sweeps with their verdicts     <parent>/REPRODUCED.md   published findings
 *     <parent>/<sweep>/report.md   a sweep
 *     <parent>/report.html, <parent>/<sweep>/report.html              the same for a browser, without network
 *
 * Pages are written as Markdown; libcmark-gfm makes the HTML from it. They are in folders where users keep their own
 * files. Each has a mark near its beginning; a file of that name without the mark is a user's and is never replaced.
 * Local; no PETSc. */
#pragma once

#include "harness/report/findings.h"

#define SB_PAGE_MARK      "<!-- made by springbench, which writes this file anew -->"
#define SB_PAGE_TEX_MARK  "% made by springbench, which writes this file anew"
#define SB_PAGE_HTML_MARK "<meta name=\"generator\" content=\"springbench\">"

typedef enum {
  SB_PAGE_FAILED, /* after a message on stderr */
  SB_PAGE_LEFT,   /* not ours, or in a read-only folder: after a note on stderr */
  SB_PAGE_WRITTEN
} sb_page_outcome;

/* Writes the page `text`, which has a mark, to `path`; a file with the same text is not written again. */
sb_page_outcome sb_page_write(const char *path, const char *text);

/* Writes <directory>/report.md and report.html, and tables.tex, an article of all tables. SB_PAGE_FAILED if one failed,
 * else the outcome of report.html. */
sb_page_outcome sb_page_write_sweep(sb_results *results);
/* Writes <parent>/index.md, REPRODUCED.md (if a claim answers a published finding) and report.html, with the same
 * outcome. `findings` NULL: they cannot be read. */
sb_page_outcome sb_pages_write(const sb_results_folders *folders, const sb_findings *findings);
/* Writes only REPRODUCED.md. */
sb_page_outcome sb_page_write_findings(const sb_findings *findings);
/* True if `run` writes pages there: the folder is called results, or has a page that `run` wrote. Elsewhere a results
 * directory may be among a user's own files. */
bool sb_pages_are_wanted(const char *parent);

/* Larger pictures are linked, not embedded. */
enum { SB_PAGE_PICTURE_BYTES_MAX = 4 << 20 };

/* One Markdown file that becomes a part of an HTML page. */
typedef struct {
  const char *address; /* of the Markdown file, relative to the folder of the page: "rope/report.md" */
  const char *id;      /* target of links to it, and prefix of its ids; "": ids are unchanged */
  const char *title;   /* plain; replaces the first heading of a closed part */
  const char *summary; /* Markdown: follows the title of a part that is initially closed; NULL: it is open */
  const char *text;    /* Markdown */
} sb_page_part;

typedef struct {
  const char         *title, *navigation; /* plain; a list of links in Markdown */
  const sb_page_part *parts;              /* [count] */
  size_t              count;
} sb_page;

/* The page as HTML, in the arena. Links between the parts become links within the page. Pictures below the directory
 * are embedded, up to 4 MiB each and 32 MiB in all; others are linked. NULL after a message on stderr if the style or
 * the script cannot be read. */
char *sb_page_html(const sb_page *page, const char *directory, sb_arena *arena);
