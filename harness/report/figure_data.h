/* The data files beside a figure's script: tab-separated, one header line, `?` where there is no value; tabs and double
 * quotes, which gnuplot would read as syntax, do not occur inside a cell. Inside the harness only. Local; no PETSc. */
#pragma once

#include <stdio.h>

#include "harness/report/figure_data_cells.h"
#include "harness/report/report.h"

/* A line a selected case: every column of the index, then every option the sweep sets that is not among them, and every
 * option among `wanted` (what the script names; may be NULL): one that nothing sets has its default. */
bool sb_figure_data_rows(const sb_results *results, const sb_figure_spec *spec, const sb_name_list *wanted,
                         FILE *stream, char error[256]);
/* A line a point of a curve: key, status, the options the sweep sets, run, then the curves' columns (`?` in those that
 * a run lacks), and `last`: 1 in the last line of a run, else 0. Two blank lines between runs. Of a case with a run
 * "mean" only that one: the others are in its file. A case without any has one line that says how it ended. */
bool sb_figure_data_curves(const sb_results *results, const sb_figure_spec *spec, const sb_name_list *wanted,
                           FILE *stream, char error[256]);
/* A line a recorded frame: key, status, the options the sweep sets, then step, time and the observables of the case
 * file
 * (`?` in those that a case lacks), and `last`: 1 in a case's last line, else 0. Two blank lines between cases. A case
 * without frames has one line that says how it ended. */
bool sb_figure_data_frames(const sb_results *results, const sb_figure_spec *spec, const sb_name_list *wanted,
                           FILE *stream, char error[256]);
/* A csv file of results/published/, its comment lines dropped. */
bool sb_figure_data_published(FILE *csv, FILE *stream);

/* The gnuplot function spelled(name): the words that the sweep's tables use for a name, '' for others
 * (figure_words.c). */
void sb_figure_put_words(const sb_sweep *sweep, FILE *stream);
/* Makes LaTeX of the texts in a file of gnuplot's terminal cairolatex (figure_latex.c). False after a message. */
bool sb_figure_latex(const char *path);
/* Gives a file of gnuplot's terminal svg its title, and its points values that a browser shows (figure_svg.c). False
 * after a message. */
bool sb_figure_svg(const char *path, const char *title);
/* Whether there is any such value in it. */
bool sb_figure_svg_has_values(const char *path);
/* The file becomes what `rewrite` makes of it. False after a message. */
bool sb_figure_rewrite(const char *path, void (*rewrite)(FILE *from, FILE *to, const void *context),
                       const void *context);
