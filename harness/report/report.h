/* From rows to paper: figures and pages. Local; no PETSc. */
#pragma once

#include "harness/report/page.h"
#include "harness/report/sweep_table.h"

/* Writes <directory>/figures/<id>.{gp,*.dat} and has gnuplot make <id>.<terminal> for each of `terminals` (NULL-ended:
 * "svg", "pdf", "png", "tex", "dumb"). `dumb` goes to stdout; of `tex` come <id>-latex.tex and the <id>-latex.pdf it
 * includes. False after a message on stderr. */
bool sb_figure_write(const sb_results *results, const sb_figure_spec *spec, const char *const *terminals);
/* All of a sweep, as svg, pdf and png. Of a part of the sweep, one that gnuplot cannot draw is said and left out. */
bool sb_figures_write_all(const sb_results *results);
