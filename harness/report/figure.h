/* Figures between the sweep file and gnuplot. A figure of a kind becomes numbers first: panels, and in each the points
 * of every series. A kind is one file harness/report/figures/<name>.c with one const table, and one line in
 * figures.def; it says how a series is drawn. Inside the harness only. Local; no PETSc. */
#pragma once

#include "base/words.h"
#include "cases/common/csv.h"
#include "harness/report/report.h"

/* Where the numbers of a figure come from: a case's row alone, the points of one of its curves, or its frames. */
typedef struct {
  size_t      row;            /* of the results */
  const char *run;            /* of curves, else NULL */
  size_t      count, columns; /* points; none of them where the case has no file, or nothing in it */
  char      **names, **units; /* [columns] */
  double    **values;         /* [columns][count] */
} sb_figure_case;

/* The cases that the figure's `where` takes (of a case with a run "mean" only that one), with their points. NULL and a
 * diagnostic: the clause or a case file is no good. */
sb_figure_case *sb_figure_cases(const sb_results *results, const sb_figure_spec *spec, sb_arena *arena, size_t *count);

typedef struct {
  double        x, y, lower, upper; /* NAN: there is none; where x is NAN the curve is broken */
  double        value, cost;        /* of a tile */
  int           edge;               /* 1: on the strip above, -1: on that below, where it has no y; else 0 */
  unsigned      failed;             /* how the cases ended that it is made of and that have crosses, as a set */
  size_t        timed_count;
  const size_t *timed;        /* rows of the results whose times it is made of */
  bool          noisy, other; /* of some of these; other: of another build or machine than most in the figure */
  size_t        row;          /* of the results; SIZE_MAX for published ones */
} sb_figure_point;

typedef struct {
  const sb_figure_layer *layer; /* NULL: a line to compare with */
  const sb_figure_line  *line;
  const char            *name;    /* series of one name look alike in all layers and panels */
  const char            *label;   /* in the legend; "": not there */
  size_t                 style;   /* number of a line type, from 1; 0: black */
  bool                   grey;    /* published, and unlike all of ours */
  size_t                 rows[2]; /* from 1, in the strips below and above the axes; 0: it is on none */
  size_t                 count;
  sb_figure_point       *points;
  size_t                 missed_count; /* of a profile: rows of cases that have no x */
  size_t                *missed;
} sb_figure_series;

/* Beyond an end of the y axis: a row for every series that has points there. */
typedef struct {
  const char *label; /* NULL: nothing stands there */
  size_t      rows;
} sb_figure_strip;

typedef struct {
  double low, high;
  bool   logarithmic;
} sb_figure_axis;

typedef struct {
  const sb_figure_panel *spec;
  const char            *title, *absent; /* absent: series that have no curve; NULL: none */
  const char            *value;          /* of panels_by; NULL: there is no panels_by */
  sb_figure_strip        strips[2];      /* below and above */
  sb_figure_axis        *x, *y;          /* panels_by gives all views the same */
  double                 tile[2];        /* half of its width and height, or the factor that is; 0: there are none */
  size_t                 series_count;
  sb_figure_series      *series;
} sb_figure_view;

typedef struct sb_figure_kind sb_figure_kind;
typedef struct {
  const sb_results     *results;
  const sb_figure_spec *spec;
  const sb_figure_kind *kind;
  sb_arena             *arena;
  bool                  of_rows; /* a case is one point */
  const sb_rows        *rows;    /* the index, with the columns that the figure adds to it */
  size_t                view_count;
  sb_figure_view       *views;
  sb_names              names;   /* of series of ours, in the order of their styles */
  sb_names              places;  /* what x says, where x are names */
  const char           *failed;  /* what the crosses mean, NULL: there are none */
  bool                 *timed;   /* [rows] cases whose times it shows */
  const char           *feet[5]; /* lines below the legend, NULL for none: times marked as noisy, or of another build;
                                  * failed cases with nothing to draw; cases that a logarithmic axis cannot show;
                                  * panels that are left out */
  const char *why;               /* it cannot be drawn; NULL: it can */
} sb_figure;

/* Computes the points. NULL and a diagnostic: case files are damaged. */
sb_figure *sb_figure_create(const sb_results *results, const sb_figure_spec *spec, const sb_figure_kind *kind,
                            sb_arena *arena);
/* The script behind style.gp, and the data it draws. */
void sb_figure_put(const sb_figure *figure, FILE *script, FILE *data);

/* How a kind is drawn: what it adds to the `plot` command, and its points in the data. */
typedef struct {
  const sb_figure      *figure;
  const sb_figure_view *view;
  FILE                 *script, *data;
  const char           *legend;    /* what is drawn is the entry of this name in the legend; NULL: it is the series */
  size_t                blocks;    /* of data written so far */
  bool                  intervals; /* some point of the last one has an interval */
  bool                  begun;     /* a clause has been written */
} sb_figure_drawing;

/* The points of a series as they are drawn: what has no value stands in its series' row of a strip; bars of one name
 * stand beside each other, the first above, and there what has no value is at the low end. [count] */
sb_figure_point *sb_figure_placed(const sb_figure_drawing *d, const sb_figure_series *series);
/* How wide bars are, as a part of the room for a name; 0: the axis is logarithmic, and has no nought to stand on. */
double sb_figure_bar_width(const sb_figure_drawing *d);
/* Writes points as a block of its own: x, y, and lower, upper where some point has them. Returns its number. Nothing
 * for the legend. */
size_t sb_figure_block(sb_figure_drawing *d, const char *title, const sb_figure_point *points, size_t count);
/* The next clause of the plot command, of the columns `using` of a block; in the legend its look alone. */
void sb_figure_clause(sb_figure_drawing *d, size_t block, const char *using, const char *look, ...)
    __attribute__((format(printf, 4, 5)));
/* The linetype of style.gp that it has; 0: none. */
size_t sb_figure_look(const sb_figure_series *series);
/* A series as lines, marks or both, with its interval. */
void sb_figure_put_curve(sb_figure_drawing *d, const sb_figure_series *series, bool lines, bool points);

/* Traits of kinds. */
enum {
  SB_FIGURE_ONE_CASE = 1, /* a series has one case at an x: more than that would be drawn as one */
  SB_FIGURE_BY_VALUE = 2, /* series are told by `value` */
  SB_FIGURE_NAMED_X = 4,  /* x are names, which stand down the left side; y runs to the right */
  SB_FIGURE_SHARES = 8, /* y is the share of a series' cases up to x: a case without x counts, and layers are joined */
  SB_FIGURE_TILES = 16  /* a point is a tile, with a number of its own */
};
struct sb_figure_kind {
  SB_ENTRY_HEAD;
  unsigned traits;
  void (*finish)(const sb_figure *figure, sb_figure_view *view);      /* NULL, or: when all points are there */
  void (*draw)(sb_figure_drawing *d, const sb_figure_series *series); /* data and clauses, or its entry in the legend */
};
#define SB_ENTRY(name) extern const sb_figure_kind sb_figure_##name;
#include "harness/report/figures.def"
#undef SB_ENTRY

/* Tells whether the ranges of the axes take a point in. */
bool sb_figure_sees(const sb_figure_view *view, const sb_figure_point *point);
/* A round number of a fifth of a span: the distance of ticks. */
double sb_figure_step(double span);
/* A cell of the tables of a script of the user's own: an empty word is `?`, and nothing in it ends a cell. A published
 * table, with them. */
void sb_figure_put_word(FILE *stream, const char *word);
void sb_figure_put_published(FILE *stream, const sb_published_table *table);
/* Makes LaTeX of the texts in what gnuplot's terminal cairolatex wrote. */
void sb_figure_put_latex(FILE *stream, const char *drawn);
