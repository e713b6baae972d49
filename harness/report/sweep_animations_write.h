/* The pictures that the animations of a sweep ask for. Local. */
#pragma once

#include "harness/results/results.h"

/* Draws <directory>/animations/<id>.gif and .png, a strip of stills. A case that is not there, or stored too little, is
 * said on stderr and left out; pictures newer than their case and the sweep are kept unless `anew`. `id` NULL: all.
 * Names what was drawn on `drawn` (may be NULL). False after a message when drawing failed, or, with an id, when there
 * was nothing to draw. */
bool sb_animations_write(const sb_results *results, const char *id, bool anew, FILE *drawn);
