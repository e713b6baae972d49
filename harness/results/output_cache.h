/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remembers the sources of things made from results (index, tables, figures, films, pages): in the file made.json of
 * their folder a digest per thing, and size and time of change of each file of it. If the digest is unchanged and the
 * files are as they were made, the thing is not made again. The file is not part of the results: without it everything
 * is made again. Local; no PETSc. */
#pragma once

#include <stdbool.h>

#include "base/words.h"
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

/* The tables, figures, films and pages of a results directory; and the pages of a folder of such directories, in the
 * made.json of the first. */
#define SB_OUTPUT_ALL   "all"
#define SB_OUTPUT_PAGES "pages of the folder"

/* A thing in the made.json of `folder`. Its files are relative to `place`; NULL: to the folder. */
typedef struct {
  const char *folder, *thing, *place;
  sb_names    files;
} sb_output;

/* True if it was made from sources with this digest, its files are there, and none was changed since; a line on stderr
 * names one that was. An absent or damaged made.json remembers nothing. */
bool sb_output_is_current(const sb_output *output, const char *digest);
/* Remembers that it was made now; digest NULL: that it must be made again. False after a message. */
bool sb_output_note(const sb_output *output, const char *digest);
/* Remembers that another command than a run has made these of its files again; nothing of a thing that is unknown. */
bool sb_output_note_again(const sb_output *output);
