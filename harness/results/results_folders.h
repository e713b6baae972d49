/* Results directories below a folder. Local; no PETSc. */
#pragma once

#include <stdbool.h>

/* Whether <folder> holds what `run` writes first: a sweep file and a plan. */
bool sb_is_results_folder(const char *folder);

/* Calls visit(context, folder) for every results directory at most three levels below `parent`, by name; `folder` is
 * relative to parent. Nothing is looked for inside one, in hidden folders, or behind symbolic links. */
void sb_results_folders(const char *parent, void (*visit)(void *context, const char *folder), void *context);
