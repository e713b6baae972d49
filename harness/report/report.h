/* From rows to paper: figures, verdicts, the index page. Local; no PETSc. */
#pragma once

#include "harness/report/page_file.h"
#include "harness/report/sweep_table.h"
#include "harness/results/results.h"

/* Writes <directory>/figures/<id>.{gp,*.dat} and has gnuplot make <id>.<terminal> for each of `terminals` (NULL-ended:
 * "svg", "pdf", "png", "tex", "dumb"). `dumb` goes to stdout; of `tex` come <id>-latex.tex and the <id>-latex.pdf it
 * includes. False after a message on stderr. */
bool sb_figure_write(const sb_results *results, const sb_figure_spec *spec, const char *const *terminals);
/* All of a sweep, as svg, pdf and png. Of a part of the sweep, one that gnuplot cannot draw is said and left out. */
bool sb_figures_write_all(const sb_results *results);

/* What became of a claim. */
typedef enum {
  SB_REPRODUCED,
  SB_NOT_REPRODUCED,
  SB_CONTRADICTED,
  SB_CONTRADICTION_GONE,
  SB_NOT_TESTED
} sb_verdict_kind;
typedef struct {
  sb_verdict_kind kind;
  char            detail[1600]; /* our values (and why they contradict), or why it was not tested */
  sb_grounds      grounds;      /* our values alone; empty where it was not tested */
} sb_verdict;
const char *sb_verdict_word(sb_verdict_kind kind);  /* "reproduced", "NOT REPRODUCED", … */
const char *sb_claim_kind_word(sb_claim_kind kind); /* "exact", "shape", "time" */

/* On every claim of the sweep, in its order: malloc'ed. */
sb_verdict *sb_claims_judge(const sb_results *results);
/* Whether the verdict is a failure: not reproduced, or no longer contradicted (of kind time only when `count_time`). */
bool sb_claim_fails(const sb_claim *claim, sb_verdict_kind kind, bool count_time);
/* A line a claim on `stream`; returns how many were NOT_REPRODUCED or CONTRADICTION_GONE (claims of kind time count
 * only when `count_time`). */
size_t sb_verify(const sb_results *results, FILE *stream, bool count_time);

/* One line, "3 claims: 2 reproduced, 1 NOT REPRODUCED (springbench verify DIR)"; nothing of a sweep without claims. */
void sb_verify_tell(const sb_results *results, FILE *stream);

/* <parent>/index.md: every results directory below parent with its question, verdicts, tables and figures linked. */
sb_page_outcome sb_index_page_write(const char *parent, const sb_session *session);
/* Whether `run` keeps pages there: the folder is called results, or has such a page of ours. Elsewhere a results
 * directory may stand among a user's own files. */
bool sb_index_page_is_wanted(const char *parent);
