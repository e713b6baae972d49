/* A results directory as readers see it: the sweep, the plan, the rows, and how its cases stand; and all of them below
 * a folder. Local; no PETSc, no HDF5 writing.
 *
 *     results/<name>/ sweep.yaml plan.json journal.jsonl results.h5 results.csv cases/ logs/ tables/ figures/ lock tmp/
 */
#pragma once

#include <stdio.h>

#include "cases/store/journal.h"
#include "harness/results/noise_floor.h"
#include "harness/sweep/plan.h"
#include "harness/sweep/rows.h"

/* Holds what is made when it is first asked for, and once. */
typedef struct {
  bool                     planned;
  const sb_plan           *plan;      /* sb_results_made_plan */
  const struct sb_verdict *verdicts;  /* sb_results_verdicts of claims.h */
  const char              *made_from; /* sb_output_digest of output_cache.h */
  bool                     inputs_read;
  const char              *changed_inputs; /* sb_results_changed_inputs */
  const struct sb_results *shown;          /* sb_results_shown of shown.h */
  const char              *hidden;         /* sb_results_hidden of shown.h */
} sb_results_kept;

/* What ran a case, as the journal names them; NULL: not known. */
typedef struct {
  const char *build, *machine;
} sb_case_origin;

/* Everything that tables, figures, claims and pages are made from, read once a command. Lives in the session's arena.
 */
typedef struct sb_results {
  sb_session      session; /* a copy of the one it was opened with */
  char           *directory;
  const sb_sweep *sweep;
  const sb_plan  *plan;  /* the stored one: what was asked for so far, in plan order */
  bool            quick; /* nothing but quick runs was asked for */
  sb_rows *rows; /* key, status, reason, accuracy_ok, varying options, driver columns, wall_s, …, digest, command */
  char    *published_dir;
  sb_noise_floor   floor;
  sb_journal_state journal;
  sb_case_origin  *origins;     /* [plan->count] of the publication that holds */
  char           **checksums;   /* [plan->count] SHA-256 of the published case file, NULL where there is none */
  int             *repetitions; /* [plan->count] how often each case was run for its times; 0: not known */
  sb_results_kept *kept;
} sb_results;

/* Opens a directory made by `run`. NULL and a diagnostic when it is not one. */
sb_results *sb_results_open(const char *directory, const sb_session *session);
/* The same for who has read parts of it already, as they stand in the directory; NULL: they are read there. The journal
 * is shared and not taken. */
typedef struct {
  const sb_sweep         *sweep;
  const sb_plan          *plan;
  const sb_journal_state *journal;
} sb_results_parts;
sb_results *sb_results_of(const char *directory, const sb_results_parts *parts, const sb_session *session);
/* The plan that the sweep makes by itself, all of it: what was asked for may be less, or another. NULL where the sweep
 * makes none, because it was edited or files that it names are not here. */
const sb_plan *sb_results_made_plan(const sb_results *results);
/* From here on files that cases name are searched where the last run found them. This sets an environment variable; its
 * earlier value is returned (in the session's arena, NULL: none), and sb_results_leave_inputs restores it. */
const char *sb_results_enter_inputs(const sb_results *results);
void        sb_results_leave_inputs(const char *before);
/* "8 of 8 cases were computed with other contents of mesh=sheet.obj than it has now": a note about files that have
 * changed since; NULL if none has, or none can be read now. */
const char *sb_results_changed_inputs(const sb_results *results);
/* Its sweep alone. NULL and a diagnostic (E100) when there is none, or it cannot be parsed. */
sb_sweep *sb_results_read_sweep(const char *directory, const sb_session *session);
/* The case file of a row, its path in the arena. False with a message in error[256] where nothing is published, or it
 * does not agree with its checksum: HDF5 trusts what it reads, so this comes first. */
bool sb_results_case_file(const sb_results *results, size_t row, sb_arena *arena, const char **path, char error[256]);

/* Gives what expressions are evaluated on: all rows, published tables, curves of case files. */
sb_scope sb_results_scope(const sb_results *results, sb_arena *arena);

/* The row of the only case whose key begins so; (size_t)-1 after a diagnostic. */
size_t sb_results_find(const sb_results *results, const char *beginning);

/* Tells whether the cases are those that the sweep makes; *all of them. Not so after --quick, -f, -p or --shard, or
 * when the sweep has been edited. Of none at all it is true. */
bool sb_results_are_whole(const sb_results *results, size_t *all);
/* The number of cases: "126 cases", or for a part of the sweep "2 of 126 cases". In the session's arena. */
const char *sb_results_size(const sb_results *results);

typedef struct {
  const char     *name;    /* relative to the parent: "rope_blowup-quick" */
  sb_results     *results; /* NULL: it cannot be read */
  const char     *problem; /* why it cannot be read; else NULL */
  const sb_sweep *sweep;   /* of a directory that cannot be read; NULL: unknown */
} sb_results_folder;

typedef struct {
  const char        *parent;
  size_t             count, unreadable; /* unreadable of them have a problem */
  sb_results_folder *each;              /* [count] by name */
} sb_results_folders;

/* A results directory holds what `run` writes first: a sweep file and a plan. */
bool sb_is_results_folder(const char *folder);
/* Opens every results directory at most three levels below `parent`, once. Results directories and hidden folders are
 * not searched. Symbolic links are followed; a link to a directory that is known already is a warning (W121). A
 * directory that cannot be read or searched stays in the list with the reason, and the session gets no diagnostic.
 * `open` [open_count] are directories that a command has opened before; they are not opened again. */
sb_results_folders *sb_results_folders_open(const sb_session *session, const char *parent, sb_results *const *open,
                                            size_t open_count);
/* Writes a line for each directory that cannot be read, with `lead` in front. */
void sb_results_folders_tell(const sb_results_folders *folders, const char *lead, FILE *stream);

/* How cases stand, counted in one way for status, pages, claims and the last line of a run. */
typedef struct {
  size_t cases, of[SB_STATUS_COUNT];
  size_t missing; /* have no status: they have not run, or their file is gone */
  size_t pending; /* these, and what was interrupted: to be run by the next `run` */
  size_t failed;  /* ended without a result */
  size_t noisy;   /* timed while the machine was not quiet */
} sb_case_counts;

/* Tells the state of the case in this row from its status, which knows of no build: it is never SB_STATE_STALE. */
sb_case_state sb_row_state(const sb_rows *rows, size_t row);
bool          sb_row_noisy(const sb_rows *rows, size_t row);
/* Counts the rows in `selected` [rows], or with NULL all of them. */
sb_case_counts sb_case_counts_of(const sb_rows *rows, const bool *selected);
/* Writes what there is of each: "4 ok, 8 diverged, 2 not run". */
void sb_case_counts_write(const sb_case_counts *tally, FILE *stream);

/* Writes results.csv and results.h5 from the rows. False after a message on stderr. */
bool sb_results_write_index(const sb_results *results);
/* results.csv, as text. */
void sb_index_print_csv(const sb_rows *rows, FILE *stream);
