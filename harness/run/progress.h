/* What a user sees on stderr while cases run. Local; no PETSc. */
#pragma once

#include "harness/sweep/plan.h"

typedef enum { SB_PROGRESS_NONE, SB_PROGRESS_LINES, SB_PROGRESS_BAR } sb_progress_form;

typedef struct {
  sb_progress_form form;
  const sb_plan   *plan;                  /* borrowed */
  bool            *varies;                /* [plan->axis_count] whether the axis tells cases apart */
  size_t           total;                 /* cases of this plan that are not skipped */
  size_t           done;                  /* of them, finished now or earlier */
  size_t           failed;                /* in this run */
  size_t           noisy;                 /* in this run: cases none of whose repetitions was quiet */
  size_t           runs_total, runs_done; /* processes: repetitions of a case count one by one */
  double           started_seconds;
} sb_progress;

/* `how` is "auto" (a bar on a terminal, else lines), "bar", "lines" or "none"; NULL is "auto". */
sb_progress_form sb_progress_form_of(const char *how);
/* Starts the clock; `how` as above. */
void sb_progress_open(sb_progress *progress, const char *how, const sb_plan *plan);
void sb_progress_close(sb_progress *progress);
/* What tells a case from the others: "substeps=9 drag=0.001" (malloc'ed). */
char *sb_progress_case_text(const sb_progress *progress, const sb_planned_case *planned);

/* A case begins; shows where the run stands. */
void sb_progress_start(const sb_progress *progress, const sb_planned_case *planned);
/* One process has ended; `finished`: it was the case's last, with this status (and reason and log, when it failed). */
void sb_progress_end(sb_progress *progress, const sb_planned_case *planned, bool finished, sb_status status,
                     double seconds, const char *reason);
/* Takes the bar away. */
void sb_progress_clear(const sb_progress *progress);
