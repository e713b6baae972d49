/* Things that are made from results (index, tables, figures, films, pages) remember what they were made from: a digest
 * a thing, in one file made.json of their folder. Where that is unchanged and the files are there, the thing is left
 * alone. The file is no part of the results: without it everything is made anew. Local; no PETSc. */
#pragma once

#include <stdbool.h>

#include "cases/common/digest.h"
#include "harness/results/results.h"

/* The digest of all that things are made from: the sweep file, every row with the checksum of its file, the noise
 * floor, this program, and the files of plots/ and results/published/ and scripts beside the sweep file (by name, size
 * and time of change). Computed once for each results object, in whose arena it lives. */
const char *sb_output_digest(const sb_results *results);

/* The digest of what this program makes from what `text` says alone. */
void sb_output_digest_text(const char *text, char hex[SB_DIGEST_LENGTH + 1]);

/* True where `thing` was made from what has this digest, and the `files` (NULL-ended, relative to the folder) that it
 * is made of are there. A made.json that is absent or damaged remembers nothing. */
bool sb_output_is_current(const char *folder, const char *thing, const char *digest, const char *const *files);
/* Remembers that it was made now; digest NULL: that it has to be made again. False after a message. */
bool sb_output_note(const char *folder, const char *thing, const char *digest);
