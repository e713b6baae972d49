/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of figures for other programs: the tables for a user's script, and LaTeX. Inside the harness only. Local; no
 * PETSc. */
#pragma once

#include <stdio.h>

#include "cases/common/csv.h"

/* Write a cell of the tables for a user's script (an empty word is `?`, and nothing in it ends a cell), and a published
 * table of such cells. */
void sb_figure_put_word(FILE *stream, const char *word);
void sb_figure_put_published(FILE *stream, const sb_published_table *table);
/* Converts the texts in the output of gnuplot's terminal cairolatex to LaTeX. */
void sb_figure_put_latex(FILE *stream, const char *drawn);
