/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A results directory answers one request: its sweep file, verbatim, and what command lines added, which request.json
 * has. A plain sweep has none.
 *
 * - `set` (-p KEY=V): an axis in place of that of every block, or one more. It makes another request.
 * - `more` (-p KEY+=V): further values of an axis, in each block that has it.
 * - methods (--method): further values of the axis `method`.
 *
 * A sweep has the request that it was read with, so that all plans of it are plans of the request. Texts of values are
 * canonical: 1e2 is 100. Local; no PETSc. */
#pragma once

#include <jansson.h>

#include "harness/sweep/sweep.h"

/* Adds KEY=V[,V…] or KEY+=V[,V…] of -p. A KEY=V replaces what request.json has for the KEY. False after E101 … E106. */
bool sb_request_take(sb_sweep *sweep, const char *pair, const sb_session *session);
/* Reads KEY=V[,V…] as an axis of `settings`; `where` gives it. False after E101 … E106. */
bool sb_override_read(const char *pair, const sb_sweep *sweep, sb_location where, const sb_session *session,
                      sb_settings *settings);

/* True if no value replaces the file's: the request is the sweep, perhaps with additions. */
bool sb_request_replaces_nothing(const sb_sweep *sweep);
/* The results directory of this name that a request has by default: "NAME", or "NAME.stiffness-50.h-0.1+0.2" with what
 * it sets; a digest in place of long texts or of characters other than letters, digits, '.', '_', '+', '-'. */
const char *sb_request_directory(const sb_sweep *sweep, sb_arena *arena);
/* The options of the command line that add the request to its file: " -p 'stiffness=50' --method …", quoted for a
 * shell; "" for the plain sweep. */
const char *sb_request_options(const sb_sweep *sweep, sb_arena *arena);
/* The text of request.json (malloc'ed); NULL for the plain sweep. */
char *sb_request_text(const sb_sweep *sweep);

/* Adds the request of a results directory to its sweep, just read. A method of which the file has the name by now is
 * left out, with a line on stderr if it was another one. False after E110: request.json is damaged. */
bool sb_request_read(sb_sweep *sweep, const char *directory, const sb_session *session);
/* Compares the request of a sweep with that of the results in `directory`, and adds the additions of that one. E114 if
 * the two set other values, with the difference and `advice`; E106 if a method of one name has other options. True if
 * there are no results. */
bool sb_request_join(sb_sweep *sweep, const char *directory, const char *advice, const sb_session *session);
