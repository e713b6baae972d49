/* The words on stderr while cases run. Local; no PETSc. */
#pragma once

#include "harness/sweep/plan.h"

/* Failures are named in every form but the first. */
typedef enum {
  SB_PROGRESS_NONE,
  SB_PROGRESS_FAILURES, /* they alone */
  SB_PROGRESS_LINES,    /* a line a case */
  SB_PROGRESS_BAR       /* one line that is written over, for a terminal */
} sb_progress_form;

typedef struct {
  sb_progress_form form;
  const sb_plan   *plan;                  /* borrowed */
  bool            *varies;                /* [plan->axis_count] the axis tells cases apart */
  size_t           total;                 /* cases of this plan that are not skipped */
  size_t           done;                  /* of them, finished now or earlier */
  size_t           failed;                /* in this run */
  size_t           noisy;                 /* in this run: cases none of whose repetitions was quiet */
  size_t           runs_total, runs_done; /* processes: repetitions of a case count one by one */
  double           started_seconds;
} sb_progress;

/* `how` is "auto" (a bar on a terminal, else failures alone), "bar", "lines", "failures" or "none"; NULL is "auto". */
sb_progress_form sb_progress_form_of(const char *how);
/* Starts the clock; `how` as above. */
void sb_progress_open(sb_progress *progress, const char *how, const sb_plan *plan, sb_arena *arena);

/* A case begins; the bar shows where the run stands. */
void sb_progress_start(const sb_progress *progress, const sb_planned_case *planned);
/* One process has ended; `finished`: it was the case's last, with this status (and reason and log, when it failed). */
void sb_progress_end(sb_progress *progress, const sb_planned_case *planned, bool finished, sb_status status,
                     double seconds, const char *reason);
/* Takes the bar away. */
void sb_progress_clear(const sb_progress *progress);
