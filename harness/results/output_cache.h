/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remembers the sources of things made from results (index, tables, figures, films, pages): a digest per thing, in the
 * file made.json of their folder. If the digest is unchanged and the files exist, the thing is not made again. The file
 * is not part of the results: without it everything is made again. Local; no PETSc. */
#pragma once

#include <stdbool.h>

#include "cases/common/digest.h"
#include "harness/results/results.h"

/* The digest of all sources: the sweep file, every row with the checksum of its file, the noise floor, this program,
 * the files of plots/ and results/published/, and scripts beside the sweep file (by name, size and time of change).
 * Computed once per results object, in its arena. */
const char *sb_output_digest(const sb_results *results);

/* Adds a file by its name, size and time of change; nothing if there is no such file. */
void sb_output_digest_file(sb_digest *digest, const char *path, const char *name);
/* The digest of a thing that this program makes from `text` alone. */
void sb_output_digest_text(const char *text, char hex[SB_DIGEST_LENGTH + 1]);

/* True if `thing` was made from sources with this digest and its `files` (NULL-ended, relative to the folder) exist. An
 * absent or damaged made.json remembers nothing. */
bool sb_output_is_current(const char *folder, const char *thing, const char *digest, const char *const *files);
/* Remembers that it was made now; digest NULL: that it must be made again. False after a message. */
bool sb_output_note(const char *folder, const char *thing, const char *digest);
