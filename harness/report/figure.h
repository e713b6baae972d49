/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures between the sweep file and gnuplot. A figure first becomes numbers: panels, and in each the points of every
 * series. Its kind draws them (figure_kind.h). Inside the harness only. Local; no PETSc. */
#pragma once

#include "base/words.h"
#include "harness/report/figure_axis.h"
#include "harness/results/results.h"

typedef struct {
  double        x, y, lower, upper; /* NAN: absent; where x is NAN the curve is broken */
  double        value, cost;        /* if its kind has numbers */
  int           bound;              /* the value is at least that (1), or at most (-1); else 0 */
  int           edge;               /* without y: 1 on the strip above, -1 on that below; else 0 */
  unsigned      failed;             /* how its failed cases with crosses ended, as a set */
  size_t        timed_count;
  const size_t *timed;        /* rows of the results whose times it uses */
  bool          noisy, other; /* for some of these; other: of another build or machine than most in the figure */
  size_t        row;          /* of the results; SIZE_MAX for published ones */
} sb_figure_point;

typedef struct {
  const sb_figure_layer *layer; /* NULL: a reference line */
  const sb_figure_line  *line;
  const char            *identity;     /* its values, which distinguish it */
  const char            *name;         /* of these values, for readers */
  const char            *label;        /* in the legend; "": absent */
  size_t                 style;        /* number of a look, from 1: one for an identity in all figures of the sweep */
  size_t                 rank;         /* of its identity among those drawn here, from 1; 0: it is not ours */
  bool                   shares_label; /* another of other values has its label */
  bool                   grey;         /* published, and without a counterpart of ours */
  bool                   many;         /* published; its label stands for series of several looks */
  double                 area, end;    /* with leaders: mean of y over the axis, y at its end */
  bool                   faint;        /* with leaders: not one of them, so that it is grey */
  size_t                 rows[2];      /* from 1, in the strips below and above the axes; 0: not in it */
  size_t                 count;
  sb_figure_point       *points;
  size_t                 missed_count; /* of kinds with x alone: rows of cases without x */
  size_t                *missed;
  bool                   unknown; /* the same: x of some case is unknown, so the series is left out */
} sb_figure_series;

/* Beyond an end of the y axis: a row for every series with points there. */
typedef struct {
  const char *label; /* NULL: no strip */
  size_t      rows;
} sb_figure_strip;

typedef struct {
  const sb_figure_panel *spec;
  const char            *title, *absent; /* absent: series without a curve; "": none */
  const char            *value;          /* of panels_by; NULL: there is no panels_by */
  sb_figure_strip        strips[2];      /* below and above */
  sb_figure_axis        *x, *y;          /* with panels_by all views share them */
  double                 tile[2];        /* half of its width and height, or that factor; 0: no tiles */
  size_t                 series_count;
  sb_figure_series      *series;
} sb_figure_view;

typedef struct sb_figure_kind sb_figure_kind;

/* Every series of every view, and every point of a series. */
#define SB_EACH_SERIES(figure, view, s)                                                                                \
  for (sb_figure_view *view = (figure)->views; view < (figure)->views + (figure)->view_count; ++view)                  \
    for (sb_figure_series *s = view->series; s < view->series + view->series_count; ++s)
#define SB_EACH_POINT(s, p) for (sb_figure_point *p = (s)->points; p < (s)->points + (s)->count; ++p)

typedef struct {
  const sb_results        *results;
  const sb_figure_spec    *spec;
  const sb_figure_kind    *kind;
  sb_arena                *arena;
  bool                     of_rows; /* a case is one point */
  const sb_rows           *rows;    /* the index, with the columns that the figure adds */
  size_t                   view_count;
  sb_figure_view          *views;
  sb_names                 drawn;  /* identities of our series */
  sb_names                 looks;  /* identities in the order of their styles */
  sb_names                 places; /* values of x, if x are names */
  const char             **labels; /* [places.count] their names */
  size_t                   naming_count;
  struct sb_figure_naming *namings; /* names of the values of columns (figure_names.c) */
  const char              *failed;  /* meaning of the crosses, NULL: none */
  bool                    *timed;   /* [rows] cases whose times it shows */
  /* Lines below the legend, NULL for none. Two are on times: noisy ones, and those of another build. Three are on what
   * is missing: failed cases without a point, cases that a logarithmic axis cannot show, omitted panels. Then come the
   * meaning of bands and whiskers, series of unknown work, and devices. */
  const char *feet[8];
  const char *why;        /* why it cannot be drawn; NULL: it can */
  bool        panel_only; /* only the first panel, for an overview: smaller, and without lines below the legend */
} sb_figure;

/* Computes the points. NULL and a diagnostic if case files are damaged. */
sb_figure *sb_figure_create(const sb_results *results, const sb_figure_spec *spec, const sb_figure_kind *kind,
                            sb_arena *arena);
/* Writes the script that follows style.gp, and its data. */
void sb_figure_put(const sb_figure *figure, FILE *script, FILE *data);

/* True if a point is within the ranges of the axes. */
bool sb_figure_sees(const sb_figure_view *view, const sb_figure_point *point);
