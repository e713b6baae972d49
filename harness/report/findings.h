/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published findings against the claims of several results directories. Local; no PETSc.
 *
 * A finding is judged by the claims that name it in the sweeps that come with springbench, over the results that have
 * the keys of their cases, in directories of sweeps of these names. An edited sweep file, or a request that sets other
 * values, has cases with other keys, which do not count. All other claims are the directory's own, and are judged on
 * its request.
 *
 * The verdict on a finding is that of the claims which name it: not reproduced if one fails; contradicted if one is
 * `contradicted` as expected, in part if another holds; reproduced if all hold. It is reproduced in part if others
 * could not be tested, or if another sweep that names the finding has no results here. Such a sweep is one that comes
 * with springbench, or that of an unreadable directory. If findings.csv gives a reason why a finding cannot be
 * compared, it is not comparable. If it needs a method that is in no list (`needs`: "minimizer=chebyshev"), it is not
 * tested. A directory made with --quick does not count if another one has more results of the sweep;
 * if another has as many, both count. */
#pragma once

#include "harness/results/claims.h"
#include "harness/results/results.h"

/* A claim of one directory, with its verdict. */
typedef struct {
  const sb_results_folder *folder;
  const sb_claim          *claim;
  const char              *finding; /* that it answers; NULL: it is a claim of the directory's own */
  const sb_verdict        *verdict;
} sb_answer;

/* A line of findings.csv. */
typedef struct {
  const char      *id, *setting, *finding, *source;
  const char      *page; /* of docs/findings; "": none */
  sb_claim_kind    kind; /* exact if the file gives none of the three */
  sb_verdict_kind  verdict;
  const char      *why;     /* why it is not comparable, not tested, or tested in part; else NULL */
  const char      *missing; /* other sweeps that could test it: "not run here: pin_methods"; "": none */
  size_t           count;
  const sb_answer *answers; /* [count] by directory */
} sb_finding;

typedef struct {
  sb_arena                 *arena; /* of all members */
  const sb_results_folders *folders;
  size_t                    count, answered, all_count;
  const sb_finding         *each;   /* [count] in the order of the file; `answered` of them have an answer */
  sb_answer                *claims; /* [all_count] those that answer a finding, then the others */
  bool                      quick;  /* some are from a directory made with --quick */
  size_t                    shipped_count;
  const sb_sweep *const    *shipped; /* [shipped_count], those that come with springbench */
} sb_findings;

/* Judges the findings of <published_dir>/findings.csv (NULL: of results/published). NULL after a diagnostic if it
 * cannot be read. */
const sb_findings *sb_findings_judge(const sb_session *session, const sb_results_folders *folders,
                                     const char *published_dir);
/* Counts the claims that decide an exit status, whether they name a finding or not; `count_time` as in sb_claim_fails.
 */
size_t sb_findings_failures(const sb_findings *findings, bool count_time);
/* Prints a line per finding and the counts, for a terminal. */
void sb_findings_print(const sb_findings *findings, FILE *stream);
/* The same as a page of Markdown: counts, then per kind a section with a table. Links lead to the pages of the sweeps,
 * relative to the parent folder. */
char *sb_findings_page(const sb_findings *findings);
/* Writes those that are contradicted, each with the reason and a link to its line on that page, as a list. */
void sb_findings_put_contradictions(const sb_findings *findings, FILE *stream);
