/* Pages that stand where users keep files of their own: report.html, and index.md and REPRODUCED.md of a parent folder.
 * Each carries a mark near its beginning; a file of that name without it is somebody's and is never replaced.
 * Inside the harness only. Local; no PETSc. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#define SB_PAGE_MARK      "<!-- made by springbench, which writes this file anew -->"
#define SB_PAGE_HTML_MARK "<meta name=\"generator\" content=\"springbench\">"

typedef enum {
  SB_PAGE_FAILED, /* after a message on stderr */
  SB_PAGE_LEFT,   /* not ours, or in a folder that may not be written: after a note on stderr */
  SB_PAGE_WRITTEN
} sb_page_outcome;

/* Whether a file with a mark of ours is there. */
bool sb_page_is_ours(const char *path);
/* Has `write` put the page, mark included, into `path`: whole, or as it was. */
sb_page_outcome sb_page_write(const char *path, bool (*write)(FILE *stream, void *context), void *context);
