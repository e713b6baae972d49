/* Pictures of a stored motion: an animated GIF, and a strip of stills as PNG, drawn by gnuplot. Local; no PETSc calls.
 *
 * Surfaces are shaded, ropes are lines, colliders stand where they were; up is against gravity. What is wrong is an
 * error in the session's diagnostics. */
#pragma once

#include "harness/results/results.h"

typedef struct {
  const char       *gif, *strip;   /* paths to write, without control characters; NULL: not wanted */
  int               width, height; /* of a frame, pixels */
  sb_animation_spec look;          /* of this strain, view, frames, stills and seconds */
} sb_animation;

/* Draws the case file at `path`. On a terminal a line on stderr counts the frames. */
bool sb_animate(const sb_session *session, const char *path, const sb_animation *wanted);

/* Draws what the animations of a sweep ask for: <directory>/animations/<id>.gif and .png, the stills. A case that is
 * not there is a warning and left out. `id` NULL: all. Names what was drawn on `drawn`; NULL: leaves alone what is up
 * to date. False when drawing failed, or, with an id, when there was nothing to draw. */
bool sb_animations_write(const sb_results *results, const char *id, FILE *drawn);
