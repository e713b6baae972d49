/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures between the sweep file and gnuplot. A figure first becomes numbers: panels, and in each the points of every
 * series. A kind says how a series is drawn; it is one file harness/report/figures/<name>.c with one const table, and
 * one line in figures.def. Inside the harness only. Local; no PETSc. */
#pragma once

#include "base/words.h"
#include "cases/common/csv.h"
#include "harness/report/report.h"

/* The source of a figure's numbers: a case's row alone, the points of one of its curves, or its frames. */
typedef struct {
  size_t      row;            /* of the results */
  const char *run;            /* of curves, else NULL */
  size_t      count, columns; /* points; 0 if the case has no file, or no points in it */
  char      **names, **units; /* [columns] */
  double    **values;         /* [columns][count] */
} sb_figure_case;

/* The cases that the figure's `where` selects, with their points; if a case has a run "mean", only that one. NULL and a
 * diagnostic if the clause or a case file is faulty. */
sb_figure_case *sb_figure_cases(const sb_results *results, const sb_figure_spec *spec, sb_arena *arena, size_t *count);

typedef struct {
  double        x, y, lower, upper; /* NAN: absent; where x is NAN the curve is broken */
  double        value, cost;        /* of a tile */
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
  const char            *identity;     /* its values, by which it is told apart */
  const char            *name;         /* of these values, for readers */
  const char            *label;        /* in the legend; "": absent */
  size_t                 style;        /* number of a look, from 1: one for an identity in all figures of the sweep */
  size_t                 rank;         /* of its identity among those drawn here, from 1; 0: it has no bar of its own */
  bool                   shares_label; /* another of other values has its label */
  bool                   grey;         /* published, and without a counterpart of ours */
  bool                   many;         /* published; its label stands for series of several looks */
  double                 area, end;    /* of a profile: mean share over the axis, share at its end */
  bool                   faint;        /* of a profile with leaders: not one of them, so that it is grey */
  size_t                 rows[2];      /* from 1, in the strips below and above the axes; 0: not in it */
  size_t                 count;
  sb_figure_point       *points;
  size_t                 missed_count; /* for a profile: rows of cases without x */
  size_t                *missed;
  bool                   unknown; /* for a profile: x of some case is unknown, so the series is left out */
} sb_figure_series;

/* Beyond an end of the y axis: a row for every series with points there. */
typedef struct {
  const char *label; /* NULL: no strip */
  size_t      rows;
} sb_figure_strip;

typedef struct {
  double low, high;
  bool   logarithmic;
} sb_figure_axis;

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
  bool        panel_only; /* the first panel alone, for an overview: smaller, and without lines below the legend */
} sb_figure;

/* Computes the points. NULL and a diagnostic if case files are damaged. */
sb_figure *sb_figure_create(const sb_results *results, const sb_figure_spec *spec, const sb_figure_kind *kind,
                            sb_arena *arena);
/* Writes the script that follows style.gp, and its data. */
void sb_figure_put(const sb_figure *figure, FILE *script, FILE *data);

/* ---- names and looks (figure_names.c) ----
 * `rows` are those of the figure or of a published table. */

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

/* The points of a series as they are drawn, [count]. A point without a value is in its series' row of a strip. Bars of
 * one name are side by side, the first on top; a bar without a value is at the low end. */
sb_figure_point *sb_figure_placed(const sb_figure_drawing *d, const sb_figure_series *series);
/* Width of bars, as a part of the room for a name; 0 on a logarithmic axis, which has no zero to start from. */
double sb_figure_bar_width(const sb_figure_drawing *d);
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

/* True if readers know the series, which is no line to compare with, by this name. */
bool sb_figure_is_named(const sb_figure_series *series, const char *name);
/* The colour that the sweep file gives a series, as a clause of gnuplot; "": that of its look. */
const char *sb_figure_paint(const sb_figure *figure, const sb_figure_series *series);

/* ---- the layout of the page (figure_layout.c), in cm, and the entries of the legend: each label once, in the order of
 * the panels, where entries that differ by a number are in its order; reference lines last ---- */

#define SB_FIGURE_FOOT 0.34 /* height of a line below the legend */
typedef struct {
  double                   width, height, left, right, top, panel_width, panel_height, step_x, step_y;
  double                   key_height, bar_height;       /* room for the legend and a colour bar below the axes */
  size_t                   columns, key_rows, key_width; /* key_width: characters of its longest label */
  size_t                   foot_count;                   /* lines below the legend, */
  const char             **feet;
  double                   feet_height; /* and the room that they take */
  size_t                   count;
  const sb_figure_series **entries;
} sb_figure_layout;
sb_figure_layout sb_figure_lay_out(const sb_figure *figure);
bool             sb_figure_has_crosses(const sb_figure *figure);

/* Traits of kinds. */
enum {
  SB_FIGURE_ONE_CASE = 1, /* a series has one case per x: several would be drawn as one */
  SB_FIGURE_BY_VALUE = 2, /* series differ by `value` */
  SB_FIGURE_NAMED_X = 4,  /* x are names at the left side; y runs to the right */
  SB_FIGURE_SHARES = 8, /* y is the share of a series' cases up to x: a case without x counts, and layers are joined */
  SB_FIGURE_TILES = 16  /* a point is a tile with a number */
};
struct sb_figure_kind {
  SB_ENTRY_HEAD;
  unsigned traits;
  void (*finish)(const sb_figure *figure, sb_figure_view *view);      /* NULL, or called when all points are there */
  void (*draw)(sb_figure_drawing *d, const sb_figure_series *series); /* data and clauses, or its entry in the legend */
  /* NULL, or writes a colour bar whose middle is at `x`, `y` of the page, in cm. */
  void (*put_bar)(const sb_figure *figure, FILE *script, double x, double y);
};
/* True if x are names. */
static inline bool sb_figure_has_names(const sb_figure *f) { return f->kind->traits & SB_FIGURE_NAMED_X; }
#define SB_ENTRY(name) extern const sb_figure_kind sb_figure_##name;
#include "harness/report/figures.def"
#undef SB_ENTRY

/* True if a point is within the ranges of the axes. */
bool sb_figure_sees(const sb_figure_view *view, const sb_figure_point *point);
/* ---- axes (figure_axis.c) ---- */

/* Makes room beside the outermost points (curves of many points reach from side to side), and round ends where y has
 * them; where the user gave an end, that one. */
void sb_figure_settle_axis(sb_figure_axis *axis, const double given[2], bool tight, bool rounded);
/* A round number near a fifth of a span: the distance of ticks. */
double sb_figure_step(double span);
/* A round number from which the ticks of an axis count, because the numbers at its ends are alike in their first four
 * digits; 0: they are not. */
double sb_figure_offset(const sb_figure_axis *axis);
/* True if a logarithmic axis has two of the ticks 1, 2 and 5 times a power of ten, so that a reader has its scale. */
bool sb_figure_has_decades(const sb_figure_axis *axis);
/* The number 1, 2 or 5 times a power of ten between two such numbers, if there is one alone; else 0. */
double sb_figure_round_between(double low, double high);
/* Write a cell of the tables for a user's script (an empty word is `?`, and nothing in it ends a cell), and a published
 * table of such cells. */
void sb_figure_put_word(FILE *stream, const char *word);
void sb_figure_put_published(FILE *stream, const sb_published_table *table);
/* Converts the texts in the output of gnuplot's terminal cairolatex to LaTeX. */
void sb_figure_put_latex(FILE *stream, const char *drawn);
