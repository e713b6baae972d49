/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The views of a results directory: on a terminal, as tables, figures, animations and pages. Local; no PETSc. */
#pragma once

#include "base/words.h"
#include "harness/report/page.h"
#include "harness/report/table.h"

/* Prints the state of the sweep: cases by status, every failure with its reason, its runner, the command to continue.
 */
void sb_status_print(const sb_results *results, FILE *stream);
/* Prints one case: its row, all its options, the command line, the end of its log. */
void sb_case_print(const sb_results *results, size_t row, FILE *stream);
/* The same for one case file, which needs no results directory, with its provenance and the datasets that are stored in
 * it. False, with a message in error[256], if it cannot be read. */
bool sb_case_file_print(const char *path, const sb_session *session, FILE *stream, char error[256]);
/* Prints a line per claim, and the number of each verdict. */
void sb_claims_print(const sb_results *results, FILE *stream);

/* One table of the sweep, in the arena. NULL and a diagnostic if its clause cannot be evaluated or two cases share a
 * cell. */
sb_table *sb_sweep_table(const sb_results *results, const sb_table_spec *spec, sb_arena *arena,
                         sb_diagnostics *diagnostics);
/* Writes all tables in all forms to <directory>/tables/. False and diagnostics if one cannot be made. */
bool sb_sweep_tables_write(const sb_results *results, sb_diagnostics *diagnostics);

/* Writes <directory>/figures/<id>.{gp,*.dat} and has gnuplot make <id>.<form> for each of `forms` (NULL-ended, of
 * sb_figure_forms). `dumb` goes to stdout; `tex` gives <id>-latex.tex and the <id>-latex.pdf that it includes. Left
 * out: there is nothing to draw, after a warning with the reason. Failed: after an error, or after a warning that a
 * script of the directory is not trusted. */
typedef enum { SB_FIGURE_DRAWN, SB_FIGURE_LEFT_OUT, SB_FIGURE_FAILED } sb_figure_outcome;
sb_figure_outcome sb_figure_write(const sb_results *results, const sb_figure_spec *spec, const char *const *forms);
/* Adds the files that the figure has, if it is drawn, relative to the directory: pictures, and data, note and first
 * panel where these are there. */
void sb_figure_add_files(const sb_results *results, const sb_figure_spec *spec, sb_names *files);
/* The title of a figure; without one, or with an empty one, its id. */
const char              *sb_figure_name(const sb_results *results, const sb_figure_spec *spec);
extern const char *const sb_figure_forms[]; /* "svg", "pdf", "png", "tex", "dumb", NULL */
/* Writes all figures of a sweep as svg, pdf and png. If results are a part of the sweep, a figure that gnuplot cannot
 * draw is reported and left out. */
bool sb_figures_write_all(const sb_results *results);
/* Before anything is computed: E106 for unknown kinds, E101 for keys that do not fit a kind. */
bool sb_figures_check(const sb_sweep *sweep, sb_diagnostics *diagnostics);

/* Pictures of a stored motion, drawn by gnuplot: surfaces are shaded, ropes are lines, particles are discs, colliders
 * are at their places; up is against gravity. */
typedef struct {
  const char       *gif, *strip;   /* output paths, animated and as stills in one PNG; NULL: none */
  int               width, height; /* of a frame, pixels */
  bool              cut;           /* frames of particles are smaller if the particles do not fill them */
  sb_animation_spec look;          /* only colour, view, frames, stills and seconds */
} sb_animation;

/* Draws the case file at `path`. On a terminal a line on stderr counts the frames. False after an error in the
 * session's diagnostics, also for a path with control characters. */
bool sb_animate(const sb_session *session, const char *path, const sb_animation *wanted);
/* A page that plays up to two motions side by side, in step, and lets the reader turn and zoom them; it needs no
 * network and no other file. The page finds a name where one is ""; a title of NULL is the first one's scene. */
typedef struct {
  const char *file, *name; /* the case file; the motion's name on the page */
} sb_player_motion;
typedef struct {
  const char              *title;
  size_t                   count;
  const sb_player_motion  *motions; /* [count] */
  const sb_animation_spec *look;    /* only view, frames and seconds */
} sb_player;
/* False after an error in the session's diagnostics, or on stderr if the page cannot be written. */
bool sb_player_write(const sb_session *session, const char *path, const sb_player *player);
/* Sizes and times of the files of plots/ from which such pages are made. In the arena. */
const char *sb_player_version(sb_arena *arena);
/* Draws the animations of a sweep: <directory>/animations/<id>.gif, .png, the stills, and .html, the player. A missing
 * case is a warning. `id` NULL: all. `drawn` lists the files; NULL: animations that are up to date are not drawn again.
 * False if drawing failed, or if an id was given and there was nothing to draw. */
bool sb_animations_write(const sb_results *results, const char *id, FILE *drawn);
