/* The section `figures` of a sweep file: what a figure of a kind shows, or the script that draws one of the user's own.
 * docs/results.md explains the keys. Local; no PETSc. */
#pragma once

#include "base/diagnostics.h"
#include "harness/sweep/expression.h"

typedef enum { SB_DRAW_USUAL, SB_DRAW_LINES = 1, SB_DRAW_POINTS = 2, SB_DRAW_BOTH = 3 } sb_figure_draw;

/* One set of points or curves. Expressions are of the case's row, of a point of its curves or frames, or of a row of a
 * published table. */
typedef struct {
  sb_expression *x, *y, *lower, *upper; /* lower, upper: NULL leaves times their quartiles and other numbers nothing */
  sb_expression *value;                 /* of a map: what its marks tell; NULL: how the case ended */
  sb_expression *where;
  size_t         series_count;
  char         **series;    /* names whose values tell one curve from the next */
  char          *label;     /* in the legend, {NAME} standing for a value; NULL: the values of the series */
  char          *published; /* a table of results/published instead of our own cases; NULL: our own */
  sb_location    published_where;
  sb_figure_draw draw;
  bool           band;      /* the interval as a shaded band instead of whiskers */
  bool           so_far;    /* y is the largest value so far */
  bool           quiet;     /* not in the legend */
  bool           reference; /* in black: what the others are compared with */
} sb_figure_layer;

/* A line to compare with: y as an expression of x, a line of a given slope, or a vertical line. x and y together: a
 * ring at one place. */
typedef struct {
  sb_expression *x, *y, *where;
  double         slope; /* NAN: none */
  char          *label;
} sb_figure_line;

/* A strip of its own above or below the axes, for cases that have no value on them. */
typedef struct {
  sb_expression *where; /* NULL: there is none */
  char          *label;
} sb_figure_edge;

typedef struct {
  char            *title, *x_label, *y_label;
  sb_expression   *where;
  sb_figure_layer  own; /* what layers start from, and the only one where no list is given */
  size_t           layer_count, line_count;
  sb_figure_layer *layers;
  sb_figure_line  *lines;
  sb_figure_edge   above, below;
  bool             x_logarithmic, y_logarithmic;
  double           x_range[2], y_range[2]; /* NAN: as far as the points reach */
} sb_figure_panel;

typedef struct {
  char            *id, *title, *note; /* note: stands below it, where a caption has room */
  char            *kind, *script;     /* one of both; script: see sweep_files.h */
  char            *data;              /* "rows" (default); "curves" of the driver or "frames" of the motion */
  sb_location      kind_where, script_where;
  sb_expression   *where, *failed; /* failed: which cases are marked; NULL: those that did not end ok */
  char            *panels_by;      /* a panel for every value of this name; NULL: those of the list */
  size_t           panel_count;
  sb_figure_panel *panels, all; /* all: what every panel starts from */
  size_t           published_count;
  char           **published; /* csv files of results/published that a script draws beside ours */
  sb_location     *published_where;
} sb_figure_spec;
