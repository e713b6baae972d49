/* From rows to paper: figures and pages. Local; no PETSc. */
#pragma once

#include "harness/report/page.h"
#include "harness/report/sweep_table.h"

/* Writes <directory>/figures/<id>.{gp,*.dat} and has gnuplot make <id>.<form> for each of `forms` (NULL-ended,
 * of sb_figure_forms). `dumb` goes to stdout; of `tex` come <id>-latex.tex and the <id>-latex.pdf it includes. False
 * after a diagnostic. */
bool sb_figure_write(const sb_results *results, const sb_figure_spec *spec, const char *const *forms);
extern const char *const sb_figure_forms[]; /* "svg", "pdf", "png", "tex", "dumb", NULL */
/* All of a sweep, as svg, pdf and png. Of a part of the sweep, one that gnuplot cannot draw is said and left out. */
bool sb_figures_write_all(const sb_results *results);
/* Before anything is computed: E106 for kinds that there are not. */
bool sb_figures_check(const sb_sweep *sweep, sb_diagnostics *diagnostics);
