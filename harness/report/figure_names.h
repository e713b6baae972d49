/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of values in figures, and the numbers of their looks. `rows` are those of the figure or of a published
 * table. Inside the harness only. Local; no PETSc. */
#pragma once

#include "harness/report/figure.h"

/* True if readers know the series, which is no line to compare with, by this name. */
bool sb_figure_is_named(const sb_figure_series *series, const char *name);
/* The values of some names in a row as one text; "" without names. */
const char *sb_figure_identity(const sb_figure *f, const sb_rows *rows, size_t row, char *const *names, size_t count);
/* "grid = 10", "drag = 0.1 kg/s": a number needs its column, a word does not. If the sweep renames the number, that
 * name has the unit. */
const char *sb_figure_named_value(sb_figure *f, const sb_rows *rows, size_t row, const char *column);
/* A text with the names of this row's values for its {columns}; other braces are markup. */
const char *sb_figure_expand(sb_figure *f, const sb_rows *rows, size_t row, const char *text);
/* The names of the values of the series axes: "newton, 10". */
const char *sb_figure_series_name(sb_figure *f, const sb_rows *rows, size_t row, const sb_figure_layer *layer);
/* The names of values that are given by their texts, [texts->count]. */
const char **sb_figure_labels(const sb_figure *f, const char *column, const sb_names *texts);
/* Gives every identity its look: first the values that the sweep file gives, in its order, then those that only these
 * results have. */
void sb_figure_settle_looks(sb_figure *f);
/* There are SB_LOOKS of them. If the places of two series are that far apart, the second has the next free look. */
enum { SB_LOOKS = 144 }; /* in plots/style.gp */
void sb_figure_part_looks(sb_figure *f);
