/* From rows to paper: figures and pages. Local; no PETSc. */
#pragma once

#include "harness/report/page.h"
#include "harness/report/sweep_table.h"

/* What the pictures of a figure are made from: as long as these texts are the same, so are the pictures. */
typedef struct {
  const char *name, *text; /* of a file in <directory>/figures/ */
} sb_figure_text;
typedef struct {
  size_t          count;
  sb_figure_text *files; /* <id>.gp, <id>.dat, and published tables of a script's */
  const char     *why;   /* it cannot be drawn: why; NULL: it can */
} sb_figure_texts;
/* False after a diagnostic. */
bool sb_figure_make_texts(const sb_results *results, const sb_figure_spec *spec, sb_arena *arena,
                          sb_figure_texts *texts);

/* Writes <directory>/figures/<id>.{gp,*.dat} and has gnuplot make <id>.<terminal> for each of `terminals` (NULL-ended,
 * of sb_figure_forms). `dumb` goes to stdout; of `tex` come <id>-latex.tex and the <id>-latex.pdf it includes. False
 * after a diagnostic. */
bool sb_figure_write(const sb_results *results, const sb_figure_spec *spec, const char *const *terminals);
extern const char *const sb_figure_forms[]; /* "svg", "pdf", "png", "tex", "dumb", NULL */
/* All of a sweep, as svg, pdf and png. Of a part of the sweep, one that gnuplot cannot draw is said and left out. */
bool sb_figures_write_all(const sb_results *results);
/* Before anything is computed: E106 for kinds that there are not. */
bool sb_figures_check(const sb_sweep *sweep, sb_diagnostics *diagnostics);

