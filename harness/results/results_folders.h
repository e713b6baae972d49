/* The results directories of a folder, each opened once. Local; no PETSc. */
#pragma once

#include "harness/results/results.h"
#include "harness/store/session.h"

typedef struct {
  const char *name;    /* relative to the parent: "rope_blowup-quick" */
  sb_results *results; /* NULL: it cannot be read, */
  const char *problem; /* and this is why */
} sb_results_folder;

typedef struct {
  const char        *parent;
  size_t             count;
  sb_results_folder *each; /* [count] by name */
} sb_results_folders;

/* A results directory holds what `run` writes first: a sweep file and a plan. */
bool sb_is_results_folder(const char *folder);

/* Opens every results directory at most three levels below `parent`. Nothing is looked for inside one, in hidden
 * folders, or behind symbolic links. What cannot be read stays in the list with its reason and is no diagnostic of the
 * session's. Those of `open` [open_count], which a command has opened before, are taken as they are. */
sb_results_folders *sb_results_folders_open(const sb_session *session, const char *parent, sb_results *const *open,
                                            size_t open_count);
