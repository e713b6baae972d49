/* Results of one sweep from several directories, joined in one. Local; never calls MPI. */
#pragma once

#include "harness/run/runner_state.h"

typedef enum { SB_PREFER_NONE, SB_PREFER_FIRST, SB_PREFER_LAST } sb_prefer;

typedef struct {
  const char        *directory; /* OUT; what it holds already comes first */
  size_t             count;
  const char *const *sources;
  sb_prefer          prefer; /* of results of one key that differ: none is refused */
} sb_merge_request;

/* Joins. Messages go to stderr. An exit status of docs/results.md: 0 every case of the joined plan has a result, 1 some
 * failed or is missing, 2 another sweep or format, or results that contradict each other (nothing was changed), 5 a
 * source's file is damaged or something cannot be written, 6 a directory is in use. *joined: what can be had is there,
 * with a new index; tables and figures are to be made anew. */
int sb_merge(const sb_merge_request *request, const sb_session *session, bool *joined);

/* For merge*.c: a results directory that is read. */
typedef struct {
  char            *path;
  sb_sweep        *sweep;
  sb_plan         *plan;
  sb_journal_state journal;
  int              lock; /* descriptor, shared; -1: none */
} sb_merge_source;

/* SB_EXIT_OK, or the status to leave with after a message. `locked`: keep runners out while it is read. Clear it in
 * either case. */
int  sb_merge_source_open(const char *path, bool locked, const sb_session *session, sb_merge_source *source);
void sb_merge_source_clear(sb_merge_source *source);
/* E114 on stderr, naming both, unless the two are of one sweep. */
bool sb_merge_same_sweep(const sb_merge_source *a, const sb_merge_source *b);
/* The union of the sources' plans in the order in which the sweep makes its cases; cases that it does not make come
 * last. */
sb_plan *sb_merge_plans(const sb_merge_source *sources, size_t count, const sb_session *session);

/* Which of several results of a key are as good as each other: numbers of sources in the order in which they are to be
 * tried. False when they contradict each other and nothing is preferred; then the first two that do are the first
 * two of them. */
bool sb_merge_choose(const sb_merge_source *sources, size_t count, const char *key, sb_prefer prefer, size_t *chosen,
                     size_t *chosen_count);
/* The failure of a key to be told where there is no result: the first, or the first interruption; `count` when there is
 * neither. */
size_t sb_merge_failure(const sb_merge_source *sources, size_t count, const char *key);
