/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep file, parsed and type-checked: its cases, tables, figures and claims. Local; libyaml for the syntax, the
 * option table for the types. No PETSc. */
#pragma once

#include <jansson.h>

#include "base/options.h"
#include "cases/store/session.h"
#include "harness/sweep/expression.h"

/* One axis of a block: an option, or the axis `method` whose values are names of option sets. */
typedef struct {
  char        *name;
  sb_option_id id; /* sb_option_count for `method` */
  size_t       count;
  char       **values; /* [count] as the user typed them */
  sb_location *where;  /* [count] */
} sb_axis;

/* A group of option settings, axes of one value each: defaults, or a named method. */
typedef struct {
  char    *name; /* of a method, else NULL */
  size_t   count;
  sb_axis *axes;
} sb_settings;

typedef struct {
  bool        zip; /* axes advance together (one value stands for all); else a product, the last axis fastest */
  size_t      count;
  sb_axis    *axes;
  sb_settings defaults; /* only for this block: they override the sweep's defaults; methods and axes override them */
  sb_location location;
} sb_block;

/* The values of a quick run: all; none; those of axes named here; or, if not given, two of each numeric axis. */
typedef struct {
  bool        given, all, none;
  size_t      count;
  sb_axis    *axes;
  sb_location where;
} sb_quick;

typedef struct {
  sb_expression *when;
  char          *because;
} sb_exclusion;

/* Which number of a column is the best. Lines compete if all their row axes but the last are equal. */
typedef enum { SB_BEST_NONE, SB_BEST_SMALLEST, SB_BEST_LARGEST } sb_best;

/* One column of a flat table: a label and the expression of its cells. */
typedef struct {
  char          *label;
  char          *unit;
  sb_expression *value;
  char          *format; /* printf's of one double such as "%.3g"; NULL: the default number of digits */
  sb_best        best;   /* flat: which cells are in bold; ties within the noise floor are too */
} sb_table_column;

typedef struct {
  char            *id, *title, *note;
  size_t           row_axes;
  char           **rows;        /* axis names that make the rows, outermost first */
  char            *over_axis;   /* flat: a line covers all cases that differ only in this axis; NULL: a line per case */
  char            *column_axis; /* pivot: one column per value of this axis, cells are `cell`; NULL: a flat table */
  sb_table_column  cell;
  size_t           column_count; /* flat: these columns */
  sb_table_column *columns;
  sb_expression   *where;           /* NULL: all rows */
  bool             failed_as_words; /* for cases that did not end ok, numbers are replaced by how they ended */
  char            *blank;           /* pivot: shown if a case that ended ok has no value, "-" a dash; NULL: ok */
} sb_table_spec;

/* ---- figures: the specification of one of a kind, or the user's script that draws one ---- */

typedef enum { SB_DRAW_USUAL, SB_DRAW_LINES = 1, SB_DRAW_POINTS = 2, SB_DRAW_BOTH = 3 } sb_figure_draw;

/* One set of points or curves. Expressions are over the case's row, a point of its curves or frames, or a row of a
 * published table. */
typedef struct {
  sb_expression *x, *y, *lower, *upper; /* lower, upper: NULL: quartiles for times, nothing for other numbers; tiles:
                                         * bounds of a value that is blank */
  sb_expression *value;                 /* map: the value of its marks; NULL: how the case ended; tiles: their value */
  sb_expression *cost;                  /* tiles: the quantity by which they are framed; NULL */
  sb_expression *where;
  size_t         series_count;
  char         **series;    /* names whose values distinguish the curves */
  char          *label;     /* in the legend, {NAME} standing for a value; NULL: the values of the series */
  char          *published; /* a table of results/published instead of our own cases; NULL: our own */
  sb_figure_draw draw;
  bool           band;      /* the interval is a shaded band instead of whiskers */
  bool           so_far;    /* y is the largest value so far */
  bool           quiet;     /* not in the legend */
  bool           reference; /* in black: the baseline of the others */
} sb_figure_layer;

/* A reference line: y of x, a line of a given slope, or a vertical line. x and y together: a ring at one place. */
typedef struct {
  sb_expression *x, *y, *where;
  double         slope; /* NAN: none */
  char          *label;
} sb_figure_line;

/* A separate strip above or below the axes, for cases without a value on them. */
typedef struct {
  sb_expression *where; /* NULL: there is none */
  char          *label;
} sb_figure_edge;

/* The least width of an axis, relative to its numbers: a narrower one would show only rounding. */
#define SB_LEAST_WIDTH 1e-12

typedef struct {
  char            *title, *x_label, *y_label;
  sb_expression   *where;
  sb_figure_layer  own; /* defaults of layers, and the only layer if there is no list */
  size_t           layer_count, line_count;
  sb_figure_layer *layers;
  sb_figure_line  *lines;
  sb_figure_edge   above, below;
  bool             x_logarithmic, y_logarithmic;
  double           x_range[2], y_range[2]; /* NAN: range of the points */
} sb_figure_panel;

/* A colour for the series of this name: a word of plots/style.gp, or #rrggbb. */
typedef struct {
  const char *name;
  char       *colour;
  sb_location where;
} sb_figure_colour;

/* Tiles whose numbers are ratios: those from 1/factor to factor are level. Words for ratios below and above, and for a
 * tile without a number. */
typedef struct {
  double factor; /* 0: they are no ratios */
  char  *below, *above, *neither;
} sb_figure_level;

/* The place of the legend. A corner is that of the first panel. */
typedef enum {
  SB_LEGEND_BELOW,
  SB_LEGEND_NONE,
  SB_LEGEND_TOP_LEFT,
  SB_LEGEND_TOP_RIGHT,
  SB_LEGEND_BOTTOM_LEFT,
  SB_LEGEND_BOTTOM_RIGHT
} sb_figure_legend;

typedef struct {
  char             *id, *title, *note; /* note: below the figure if the caption has room */
  char             *kind, *script;     /* one of the two; script: see sb_sweep_script */
  const char       *data;              /* "rows" (default); "curves" of the driver or "frames" of the motion */
  sb_location       kind_where, script_where;
  size_t            per_count, cluster_count;
  char            **per;      /* of a profile: x is divided by the least of all series in cases equal in these */
  char            **clusters; /* of a profile with bands: cases equal in these are resampled together */
  size_t            over_count;
  char            **over;           /* of tiles: one is the median of the cases that differ in these axes alone */
  sb_figure_level   level;          /* of tiles */
  sb_expression    *where, *failed; /* failed: the marked cases; NULL: those that did not end ok */
  char             *failed_label;   /* of the mark; NULL: the text of the clause */
  char             *panels_by;      /* a panel for every value of this name; NULL: those of the list */
  size_t            panel_count;
  sb_figure_panel  *panels, all; /* all: defaults of every panel */
  size_t            published_count;
  char            **published;     /* csv files of results/published that a script draws beside ours */
  double            width, height; /* in cm, of the page and of a panel; 0: as the kind needs them */
  sb_figure_legend  legend;
  size_t            colour_count;
  sb_figure_colour *colours;
  int               leaders; /* of a profile: series that are not grey, the best ones; 0: all are in colour */
} sb_figure_spec;

/* Meaning of colours: none, strains of springs, or pressures of particles. */
typedef enum { SB_COLOUR_PLAIN, SB_COLOUR_STRAIN, SB_COLOUR_PRESSURE } sb_colour;

/* A picture of one case's motion: the plan makes that case store about `frames` frames unless `save` is set. */
typedef struct {
  char          *id, *title;
  sb_expression *where; /* over options: the one case it shows; NULL: the sweep's only one */
  sb_colour      colour;
  double         tilt, turn; /* view in degrees, NAN: chosen by the scene */
  int            frames, stills;
  double         seconds; /* length of the film; 0: that of the motion, within limits */
  char          *beside;  /* id of the animation whose motion its page also plays; NULL: none */
  sb_location    location;
} sb_animation_spec;

typedef enum { SB_CLAIM_EXACT, SB_CLAIM_SHAPE, SB_CLAIM_TIME } sb_claim_kind;

typedef struct {
  char          *claim, *finding, *contradicted; /* finding, contradicted: NULL when not given */
  sb_claim_kind  kind;
  sb_expression *test, *where;
  bool           answers; /* the sweep's answer rests on this claim; if no claim has this mark, on all of them */
  bool           full;    /* from earlier versions: it needs all of its cases, as every claim does */
  sb_location    location;
} sb_claim;

/* A piece of a text with numbers: text, and the number after it, of the cases that `where` selects. The last piece has
 * no number. */
typedef struct {
  const char    *text;
  sb_expression *value, *where; /* NULL: no number; all cases */
  const char    *format;        /* printf's for one double; NULL: whole numbers exactly, others to three digits */
} sb_text_piece;

/* An answer, title or note with numbers in braces; `text` is the one of the file, by whose address it is found. */
typedef struct {
  const char    *text;
  size_t         count;
  sb_text_piece *pieces;
} sb_template;

/* The words that tables write for a name: an axis, a method, or AXIS=VALUE. */
typedef struct {
  char       *name, *words;
  sb_location where; /* of the name */
} sb_wording;

/* The purpose of an expression of a sweep. */
typedef enum {
  SB_ROLE_NAME,     /* no expression, but the name of a table's axis */
  SB_ROLE_PLANNING, /* selects cases by their options while they are planned: exclusions, animations */
  SB_ROLE_CLAUSE,   /* selects rows */
  SB_ROLE_CELL,     /* a value of one row */
  SB_ROLE_LINE,     /* a value of several */
  SB_ROLE_CLAIM,    /* the test of a claim */
  SB_ROLE_NUMBER    /* a number of a text */
} sb_expression_role;

#define SB_ALL_ROWS ((size_t)-1)

typedef struct {
  sb_expression_role   role;
  const char          *name;       /* of SB_ROLE_NAME */
  const sb_expression *expression; /* of the others */
  size_t               among;      /* the clause of the list that selects its rows; SB_ALL_ROWS: there is none */
  bool                 named;      /* results have a column for every option in it */
} sb_sweep_expression;

/* A name in a sweep of something outside its file. */
typedef enum { SB_NAMES_SCRIPT, SB_NAMES_PUBLISHED, SB_NAMES_FINDING } sb_external_kind;
typedef struct {
  sb_external_kind kind;
  const char      *name;
  sb_location      where;
} sb_external_name;

typedef struct sb_sweep {
  sb_arena            *arena;                       /* it is in */
  const sb_vocabulary *vocabulary;                  /* of the session that read it, with: */
  json_t              *needs;                       /* methods of plug-ins, as in a plan's `plugins`; NULL: none */
  char                *path, *text;                 /* the file's text, verbatim */
  bool                 is_stored;                   /* in a results directory, which the user named */
  char           *name, *topic, *question, *source; /* topic: its order is that of lists and pages of several sweeps */
  char           *driver;
  bool            core, tour;   /* one of the sweeps that `run core`, or `run tour`, runs */
  bool            lead;         /* its answer is among the first on the page of all sweeps */
  bool            skip_refused; /* combinations that cannot run are rows with a reason, not errors */
  bool            timed;        /* false: nothing depends on time, cases may run side by side on all cores */
  int             repetitions;  /* of a timed sweep; 1 by default */
  double          time_limit_seconds, memory_limit_bytes; /* 0: none given */
  sb_settings     defaults;
  size_t          wording_count;
  sb_wording     *wordings;
  size_t          method_count, block_count, exclusion_count, table_count, figure_count, animation_count, claim_count;
  sb_settings    *methods;
  size_t          added_count;
  sb_settings    *added;     /* of the request (request.h): methods of --method, */
  sb_settings     set, more; /* axes of -p KEY=V, and of -p KEY+=V, by name */
  sb_location     methods_where;
  sb_settings   **methods_by_name;
  sb_block       *blocks;
  sb_quick        quick;
  sb_exclusion   *exclusions;
  sb_table_spec  *tables;
  sb_figure_spec *figures;
  sb_animation_spec *animations;
  sb_claim          *claims;
  char              *answer; /* NULL: the sweep has none */
  size_t             template_count;
  sb_template       *templates; /* of the answer, and of titles and notes with numbers */
  size_t             reference_count;
  sb_external_name  *references;
} sb_sweep;

/* Reads and checks a file (E100 … E113, file:line:column). NULL if there was an error. A sweep is in the session's
 * arena. */
sb_sweep *sb_sweep_read(const char *path, const sb_session *session);
/* The same from memory; `name` is the path in messages. */
sb_sweep *sb_sweep_parse(const char *text, size_t length, const char *name, const sb_session *session);
/* The files of the sweeps that come with springbench, by name, *count of them in the arena. */
const char **sb_sweeps_shipped(sb_arena *arena, size_t *count);
/* The files that a word of the command line names, *count of them in the arena. The word is a file, a results
 * directory, a topic (a folder of experiments/), or NAME or TOPIC/NAME of a sweep that comes with springbench. `core`,
 * `tour` and `all` are in the order of their topics. Another word is returned unchanged, for the reader to refuse. */
const char **sb_sweeps_named(const char *word, sb_arena *arena, size_t *count);
/* TOPIC/NAME of the sweep that has the name of the topic `word`, whose sweeps these are; NULL if there is none. */
const char *sb_sweeps_namesake(const char *word, const char *const *paths, size_t count, sb_arena *arena);
/* The sweep or topic that comes with springbench whose name is nearest to a word, NULL if none is near. */
const char *sb_sweep_nearest(const char *word, sb_arena *arena);
/* The file of the shortest sweep of this driver that comes with springbench, NULL if there is none. */
const char *sb_sweeps_example(const char *driver, sb_arena *arena);
/* True if its file is one of those that come with springbench. */
bool sb_sweep_is_shipped(const sb_sweep *sweep);
/* The axis of that name; NULL if there is none. */
const sb_axis *sb_find_axis(const sb_axis *axes, size_t count, const char *name);
/* The first axis of that name in a block of the file; NULL if there is none. */
const sb_axis *sb_sweep_axis(const sb_sweep *sweep, const char *name);
/* True if two texts of an option are one value: 16 and 16.0 are. */
bool sb_axis_same_value(const char *a, const char *b);
/* Adds a value to an axis, unless it has it. */
void sb_axis_add_value(sb_axis *axis, const char *value, sb_location where, sb_arena *arena);
/* All expressions of a sweep, [*count] in the arena. A clause may come after the expression that it selects for. */
const sb_sweep_expression *sb_sweep_expressions(const sb_sweep *sweep, sb_arena *arena, size_t *count);
/* The animation that this one is beside; NULL if there is none. */
const sb_animation_spec *sb_sweep_animation_beside(const sb_sweep *sweep, const sb_animation_spec *animation);
/* Adds the methods in a text of the command line, "NAME: {OPTION: VALUE, …}", which messages call `file`. False after
 * E101 … E110; a name that is taken is E106. */
bool sb_sweep_add_methods(sb_sweep *sweep, const char *text, const char *file, const sb_session *session);
/* The method of that name, an added one included; NULL if there is none. */
const sb_settings *sb_sweep_method(const sb_sweep *sweep, const char *name);
/* True if the request added the method of that name; false for NULL. */
bool sb_sweep_adds_method(const sb_sweep *sweep, const char *name);
/* True if there is one; else E106 with a suggestion, or a hint. */
bool sb_sweep_has_method(const sb_sweep *sweep, const char *name, sb_location where, const char *hint,
                         sb_diagnostics *diagnostics);
/* The path of a figure's script: beside the sweep file, among the copies in a results directory (figures/scripts), or
 * in the data directory's plots/. NULL if it is in none of them. */
char *sb_sweep_script(const sb_sweep *sweep, const char *name, sb_arena *arena);
/* True if that script is in a results directory, maybe another user's, and not a copy of one in the data directory:
 * gnuplot would run a program that the user has not chosen. */
bool sb_sweep_script_is_strange(const sb_sweep *sweep, const char *name);
/* Copies the scripts beside the sweep file, or among the copies of its results directory, to a results directory, from
 * which figures are drawn again. */
bool sb_sweep_keep_scripts(const sb_sweep *sweep, const char *directory);
/* False after E100, E101 or E106 for missing files. To be called before anything is computed. */
bool sb_sweep_check_files(const sb_sweep *sweep, const sb_session *session);
