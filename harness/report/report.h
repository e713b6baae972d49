/* From rows to paper: figures, verdicts, the index page. Local; no PETSc. */
#pragma once

#include "harness/report/findings.h"
#include "harness/report/page_file.h"
#include "harness/report/sweep_table.h"

/* Writes <directory>/figures/<id>.{gp,*.dat} and has gnuplot make <id>.<terminal> for each of `terminals` (NULL-ended:
 * "svg", "pdf", "png", "tex", "dumb"). `dumb` goes to stdout; of `tex` come <id>-latex.tex and the <id>-latex.pdf it
 * includes. False after a message on stderr. */
bool sb_figure_write(const sb_results *results, const sb_figure_spec *spec, const char *const *terminals);
/* All of a sweep, as svg, pdf and png. Of a part of the sweep, one that gnuplot cannot draw is said and left out. */
bool sb_figures_write_all(const sb_results *results);

/* <parent>/index.md: every results directory below parent with its question, verdicts, tables and figures linked. */
sb_page_outcome sb_index_page_write(const sb_results_folders *folders);
/* <parent>/REPRODUCED.md: every published finding with what our claims say of it. */
sb_page_outcome sb_findings_page_write(const sb_findings *findings);
/* Whether `run` keeps pages there: the folder is called results, or has such a page of ours. Elsewhere a results
 * directory may stand among a user's own files. */
bool sb_index_page_is_wanted(const char *parent);
