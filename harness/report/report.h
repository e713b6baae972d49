/* Here is what commands show of a results directory: on a terminal, as tables, figures, animations and pages. Local; no
 * PETSc.
 */
#pragma once

#include "harness/report/page.h"
#include "harness/report/table.h"

/* How far the sweep is: cases by status, every failure with its reason, who is running it, what to type next. */
void sb_status_print(const sb_results *results, FILE *stream);
/* One case: its row, all its options, the command line, the end of its log. */
void sb_case_print(const sb_results *results, size_t row, FILE *stream);
/* A line a claim, and how many came out how. */
void sb_claims_print(const sb_results *results, FILE *stream);

/* One table of the sweep, in the arena. NULL and a diagnostic when its clause cannot be evaluated or two cases share a
 * cell. */
sb_table *sb_sweep_table(const sb_results *results, const sb_table_spec *spec, sb_arena *arena,
                         sb_diagnostics *diagnostics);
/* All tables in all forms into <directory>/tables/. False and diagnostics where one cannot be made. */
bool sb_sweep_tables_write(const sb_results *results, sb_diagnostics *diagnostics);

/* Writes <directory>/figures/<id>.{gp,*.dat} and has gnuplot make <id>.<form> for each of `forms` (NULL-ended,
 * of sb_figure_forms). `dumb` goes to stdout; of `tex` come <id>-latex.tex and the <id>-latex.pdf it includes. False
 * after a diagnostic. */
bool sb_figure_write(const sb_results *results, const sb_figure_spec *spec, const char *const *forms);
extern const char *const sb_figure_forms[]; /* "svg", "pdf", "png", "tex", "dumb", NULL */
/* All of a sweep, as svg, pdf and png. Of a part of the sweep, one that gnuplot cannot draw is said and left out. */
bool sb_figures_write_all(const sb_results *results);
/* Before anything is computed: E106 for kinds that there are not. */
bool sb_figures_check(const sb_sweep *sweep, sb_diagnostics *diagnostics);

/* Pictures of a stored motion, drawn by gnuplot: surfaces are shaded, ropes are lines, particles are discs, colliders
 * stand where they were; up is against gravity. */
typedef struct {
  const char       *gif, *strip;   /* paths to write, animated and as stills, a PNG; NULL: not wanted */
  int               width, height; /* of a frame, pixels */
  bool              cut;           /* frames of particles are smaller where these do not fill them */
  sb_animation_spec look;          /* of this colour, view, frames, stills and seconds */
} sb_animation;

/* Draws the case file at `path`. On a terminal a line on stderr counts the frames. False after an error in the
 * session's diagnostics, also for a path with control characters. */
bool sb_animate(const sb_session *session, const char *path, const sb_animation *wanted);
/* Draws what the animations of a sweep ask for: <directory>/animations/<id>.gif and .png, the stills. A case that is
 * not there is a warning and left out. `id` NULL: all. Names what was drawn on `drawn`; NULL: leaves alone what is up
 * to date. False when drawing failed, or, with an id, when there was nothing to draw. */
bool sb_animations_write(const sb_results *results, const char *id, FILE *drawn);
