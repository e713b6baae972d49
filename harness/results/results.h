/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A results directory for readers: the sweep, the plan, the rows, and the state of its cases; and all such directories
 * below a folder. Local; no PETSc, no HDF5 writing.
 *
 *     results/<name>/  sweep.yaml  plan.json  journal.jsonl  results.h5  results.csv  cases/ logs/ tables/ figures/
 *     lock tmp/ */
#pragma once

#include <stdio.h>

#include "cases/store/journal.h"
#include "harness/results/noise_floor.h"
#include "harness/sweep/plan.h"
#include "harness/sweep/rows.h"

/* Values that are computed once, at the first request. */
typedef struct {
  const sb_plan              *plan;       /* sb_results_made_plan */
  const sb_plan              *stored;     /* as asked for, cases included that the request does not make */
  const struct sb_verdict    *verdicts;   /* sb_results_verdicts of claims.h */
  const struct sb_conclusion *conclusion; /* sb_results_conclusion of conclusion.h */
  const char                 *made_from;  /* sb_output_digest of output_cache.h */
  bool                        inputs_read;
  const char                 *changed_inputs;  /* sb_results_changed_inputs */
  const char                 *set_aside;       /* sb_results_set_aside */
  const struct sb_full_rows  *wholes[2][2][2]; /* sb_full_rows_of of full_rows.h, by request */
} sb_results_kept;

/* The build that ran a case, on which machine and host, as the journal names them; NULL: unknown. */
typedef struct {
  const char *build, *machine, *host;
} sb_case_origin;

/* The source of all tables, figures, claims and pages, read once per command. In the session's arena. */
typedef struct sb_results {
  sb_session      session; /* a copy of the session it was opened with */
  char           *directory;
  const sb_sweep *sweep;
  const sb_plan  *plan;  /* the cases of its request that were asked for so far, in plan order */
  bool            quick; /* only quick runs were requested */
  sb_rows *rows; /* key, status, reason, accuracy_ok, varying options, driver columns, wall_s, …, digest, command */
  char    *published_dir;
  sb_noise_floor   floor;
  sb_journal_state journal;
  sb_case_origin  *origins;     /* [plan->count] of the valid publication */
  char           **checksums;   /* [plan->count] SHA-256 of the published case file, NULL if there is none */
  int             *repetitions; /* [plan->count] number of timed runs of each case; 0: unknown */
  sb_results_kept *kept;
} sb_results;

/* Opens a directory made by `run`. NULL and a diagnostic if it is not one. */
sb_results *sb_results_open(const char *directory, const sb_session *session);
/* The results of a directory whose parts the caller has: `made`, the whole plan of the sweep and its request (NULL: it
 * makes none), and `asked`, of which those that `made` does not have are left out. The journal is shared and not taken.
 */
sb_results *sb_results_of(const char *directory, const sb_sweep *sweep, const sb_plan *made, const sb_plan *asked,
                          const sb_journal_state *journal, const sb_session *session);
/* The same results as those of another sweep: its cases are found by their keys. */
const sb_results *sb_results_as(const sb_results *results, const sb_sweep *sweep);
/* The whole plan of the request; the cases asked for may be fewer. NULL if the sweep makes none, because it was edited
 * or files that it names are missing. */
const sb_plan *sb_results_made_plan(const sb_results *results);
/* "2 results are not of its request and count nowhere": results of another request, of an earlier sweep file or of
 * files that have changed, which stay in the journal and in cases/. NULL: there are none. */
const char *sb_results_set_aside(const sb_results *results);
/* Their keys, [*count] in the arena. */
const char **sb_results_keys_aside(const sb_results *results, size_t *count, sb_arena *arena);
/* From here to the end of the scope, files that cases name are searched where the last run found them:
 * SB_ENDED_BY(sb_results_leave_inputs) const char *before = sb_results_enter_inputs(results). An environment variable
 * has their folder; its earlier value is in the session's arena (NULL: none). */
const char *sb_results_enter_inputs(const sb_results *results);
void        sb_results_leave_inputs(const char *const *before);
/* "8 of 8 cases were computed with other contents of mesh=sheet.obj than it has now": a note about files that have
 * changed since; NULL if none has, or none can be read now. */
const char *sb_results_changed_inputs(const sb_results *results);
/* Only its sweep. NULL and a diagnostic (E100) if there is none, or it cannot be parsed. */
sb_sweep *sb_results_read_sweep(const char *directory, const sb_session *session);
/* The path of the case file of a row, in the arena. False with a message in error[256] if none is published, or it does
 * not fit its checksum, which must be tested first as HDF5 trusts its input. */
bool sb_results_case_file(const sb_results *results, size_t row, sb_arena *arena, const char **path, char error[256]);

/* The data on which expressions are evaluated: all rows, published tables, curves of case files. */
sb_scope sb_results_scope(const sb_results *results, sb_arena *arena);

/* The row of the only case whose key begins with `beginning`; (size_t)-1 after a diagnostic. */
size_t sb_results_find(const sb_results *results, const char *beginning);

/* True if the cases are all those that the request makes; *all is their number. False after --quick, -f or --shard, or
 * if the sweep has been edited. True if there are no cases at all. */
bool sb_results_are_whole(const sb_results *results, size_t *all);
/* The number of cases: "126 cases", or for a part of the sweep "2 of 126 cases". In the session's arena. */
const char *sb_results_size(const sb_results *results);

typedef struct {
  const char     *name;    /* relative to the parent: "rope_blowup" */
  sb_results     *results; /* NULL: unreadable */
  const char     *problem; /* why it cannot be read; else NULL */
  const sb_sweep *sweep;   /* of an unreadable directory; NULL: unknown */
} sb_results_folder;

typedef struct {
  const char        *parent;
  size_t             count, unreadable; /* unreadable of them have a problem */
  sb_results_folder *each;              /* [count] by name */
} sb_results_folders;

/* True if a folder has a file of that name. */
bool sb_has_file(const char *folder, const char *name);
/* True if the folder has the first files of a `run`: a sweep file and a plan. */
bool sb_is_results_folder(const char *folder);
/* Opens every results directory at most three levels below `parent`, once. Results directories and hidden folders are
 * not searched. Symbolic links are followed; a link to a directory that is already known is a warning (W121). A
 * directory that cannot be read or searched stays in the list with the reason, and the session gets no diagnostic.
 * `open` [open_count] are directories that a command has opened before; they are not opened again. */
sb_results_folders *sb_results_folders_open(const sb_session *session, const char *parent, sb_results *const *open,
                                            size_t open_count);
/* Writes a line for each unreadable directory, beginning with `lead`. */
void sb_results_folders_tell(const sb_results_folders *folders, const char *lead, FILE *stream);

/* Counts of cases by state, for status, pages, claims and the last line of a run. */
typedef struct {
  size_t cases, of[SB_STATUS_COUNT];
  size_t missing;     /* without a status: they have not run, or their file is gone */
  size_t pending;     /* these and interrupted ones: the next `run` runs them */
  size_t failed;      /* ended without a result */
  size_t noisy;       /* timed while the machine was not quiet */
  size_t without_gpu; /* ran on a device that is not a GPU */
} sb_case_counts;

/* The state of the case in this row by its status, without a build: it is never SB_STATE_STALE. */
sb_case_state sb_row_state(const sb_rows *rows, size_t row);
bool          sb_row_noisy(const sb_rows *rows, size_t row);
/* It ran on a device that is not a GPU. */
bool sb_row_lacks_gpu(const sb_rows *rows, size_t row);
/* The part of a case whose operations are not counted, so that its work is unknown; NULL: all are counted. */
const char *sb_row_uncounted(const sb_rows *rows, size_t row);
/* Counts the rows in `selected` [rows], all of them for NULL. */
sb_case_counts sb_case_counts_of(const sb_rows *rows, const bool *selected);
/* Writes the counts that are not 0: "4 ok, 8 diverged, 2 not run". */
void sb_case_counts_write(const sb_case_counts *tally, FILE *stream);

/* Writes results.csv and results.h5 from the rows. False after a message on stderr. */
bool sb_results_write_index(const sb_results *results);
/* Writes results.csv to a stream. */
void sb_index_print_csv(const sb_rows *rows, FILE *stream);
