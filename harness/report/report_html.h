/* One HTML page that opens without network: style, script, figures and animations stand in it. Local; no PETSc.
 *
 * Animations above 4 MiB each, or beyond 32 MiB in a page, are not put into it: their stills are, with a link to the
 * file. Nothing is fetched, and a policy in the page's head refuses every script but the page's own. */
#pragma once

#include "harness/report/page_file.h"
#include "harness/results/results_folders.h"

/* <directory>/report.html of one sweep. */
sb_page_outcome sb_report_html_write(sb_results *results);
/* <parent>/report.html over all results directories below it: verdicts by sweep and by published finding, then a
 * section a sweep. What cannot be read is named. */
sb_page_outcome sb_report_html_write_all(const sb_results_folders *folders, const sb_session *session);
