/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contract of kinds of figures. A kind is one file harness/report/figures/<name>.c with one const table, and one
 * line in figures.def. Inside the harness only. Local; no PETSc. */
#pragma once

#include "base/entry.h"
#include "harness/report/figure.h"

/* The output of a kind: its clauses of the `plot` command, and its points in the data. */
typedef struct {
  const sb_figure      *figure;
  const sb_figure_view *view;
  double                panel_height; /* in cm */
  FILE                 *script, *data;
  const char           *legend;    /* name of the legend entry that is drawn; NULL: a series is drawn */
  size_t                blocks;    /* of data written so far */
  bool                  intervals; /* a point of the last one has an interval */
  bool                  begun;     /* a clause has been written */
} sb_figure_drawing;

/* The points of a series as they are drawn, [count]. A point without a value is in its series' row of a strip, or where
 * the kind places it. */
sb_figure_point *sb_figure_placed(const sb_figure_drawing *d, const sb_figure_series *series);
/* Writes points as a separate block: x, y, and lower, upper if some point has them. Returns its number. Nothing for the
 * legend. */
size_t sb_figure_block(sb_figure_drawing *d, const char *title, const sb_figure_point *points, size_t count);
/* Writes the next clause of the plot command, for the columns `using` of a block; in the legend only its look. */
void sb_figure_clause(sb_figure_drawing *d, size_t block, const char *using, const char *look, ...)
    __attribute__((format(printf, 4, 5)));
/* Its linetype in style.gp; 0: none. */
size_t sb_figure_look(const sb_figure_series *series);
/* Draws a series as lines, marks or both, with its interval. */
void sb_figure_put_curve(sb_figure_drawing *d, const sb_figure_series *series, bool lines, bool points);

/* The colour that the sweep file gives a series, as a clause of gnuplot; "": that of its look. */
const char *sb_figure_paint(const sb_figure *figure, const sb_figure_series *series);
/* A text for gnuplot, in quotes; markup such as x_{max} counts. */
const char *sb_figure_quoted(const sb_figure *figure, const char *text);

/* Traits of kinds. */
enum {
  SB_FIGURE_ONE_PER_X = 1,     /* a series has one case per x: several would be drawn as one */
  SB_FIGURE_ONE_PER_PLACE = 2, /* the same per x and y */
  SB_FIGURE_BY_VALUE = 4,      /* marks of a series show its `value`, or how its cases ended */
  SB_FIGURE_NAMED_X = 8,       /* x are names at the left side; y runs to the right */
  SB_FIGURE_X_ALONE = 16,      /* layers are joined and have no y, which `finish` gives; cases without x are missed */
  SB_FIGURE_NUMBERS = 32       /* a point has `value`, which layers need, and `cost`, and not the interval of y */
};
struct sb_figure_kind {
  SB_ENTRY_HEAD;
  unsigned    traits;
  size_t      least_points, least_cases; /* in a quick run: points per series on average, cases of the largest series */
  const char *y_label;                   /* without one in the sweep file; NULL: that of y */
  void (*finish)(const sb_figure *figure, sb_figure_view *view);      /* NULL, or called when all points are there */
  void (*choose_leaders)(const sb_figure *figure);                    /* NULL: it has no `leaders`; axes are settled */
  void (*draw)(sb_figure_drawing *d, const sb_figure_series *series); /* data and clauses, or its entry in the legend */
  /* All may be NULL. Places a point of a series; writes the axis on the left side. */
  void (*place)(const sb_figure_drawing *d, const sb_figure_series *series, sb_figure_point *point);
  void (*put_left_axis)(const sb_figure_drawing *d);
  /* The meaning of intervals, for a line below the legend; NULL: they have that of lower and upper. */
  const char *(*describe_interval)(const sb_figure *figure);
  /* Writes a colour bar whose middle is at `x`, `y` of the page, in cm. */
  void (*put_bar)(const sb_figure *figure, FILE *script, double x, double y);
};
/* True for a layer whose marks show `value`, or without it how their cases ended. */
static inline bool sb_figure_shows_value(const sb_figure *f, const sb_figure_layer *layer)
{
  return f->kind->traits & SB_FIGURE_BY_VALUE && layer->draw != SB_DRAW_LINES && !layer->published;
}
/* True if x are names. */
static inline bool sb_figure_has_names(const sb_figure *f) { return f->kind->traits & SB_FIGURE_NAMED_X; }
#define SB_ENTRY(name) extern const sb_figure_kind sb_figure_##name;
#include "harness/report/figures.def"
#undef SB_ENTRY
