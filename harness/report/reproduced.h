/* Published findings against the claims of all results directories below a folder. Local; no PETSc.
 *
 * The verdict on a finding is that of the claims that name it: not reproduced when one fails; contradicted when one
 * stands against it with a reason, in part when another holds; reproduced when all hold, reproduced in part when others
 * could not be tested. A
 * finding of which results/published/findings.csv says why it cannot be compared is not comparable; one that needs a
 * method that is in no list (`needs`: "minimizer=chebyshev") is not tested. A directory made with --quick counts where
 * the whole sweep is not there, and is marked. */
#pragma once

#include "harness/common/published_table.h"
#include "harness/report/report.h"

typedef enum {
  SB_FINDING_REPRODUCED,
  SB_FINDING_SOME_REPRODUCED, /* of its claims; the others are not tested */
  SB_FINDING_IN_PART,
  SB_FINDING_CONTRADICTED,
  SB_FINDING_NOT_REPRODUCED,
  SB_FINDING_NOT_COMPARABLE,
  SB_FINDING_NOT_TESTED,
  SB_FINDING_VERDICTS
} sb_finding_verdict;

/* One claim of one directory. Texts are malloc'ed, `finding` NULL where it names none. */
typedef struct {
  size_t        folder;
  char         *claim, *finding, *contradicted;
  sb_claim_kind kind;
  bool          fails; /* and decides an exit status */
  sb_verdict    verdict;
} sb_judged_claim;

typedef struct {
  char *folder, *name; /* relative to the parent; of the sweep */
  char *links;         /* Markdown: its section of the index page, tables and figures that are there */
  char *error;         /* why it cannot be read, else NULL */
  bool  quick, counts; /* counts: false where the whole sweep is there too */
} sb_judged_folder;

typedef struct {
  char               *parent;
  sb_published_table *findings;
  size_t              folder_count, claim_count;
  sb_judged_folder   *folders;
  sb_judged_claim    *claims;
  const sb_session   *session;
} sb_reproduction;

/* NULL after a message on stderr: the findings cannot be read. `count_time` as in sb_verify. */
sb_reproduction *sb_reproduction_create(const char *parent, const sb_session *session, bool count_time);
void             sb_reproduction_destroy(sb_reproduction **reproduction);

/* The verdict on finding `row` (from 1), and a sentence on why it is not tested or not comparable in `why` (malloc'ed,
 * else NULL). */
sb_finding_verdict sb_finding_judge(const sb_reproduction *r, size_t row, char **why);
const char        *sb_finding_word(sb_finding_verdict verdict); /* "reproduced", "contradicted in part", … */
/* Whether claim `i` answers finding `row`, from a directory that counts. */
bool sb_finding_has(const sb_reproduction *r, size_t row, size_t i);
/* Whether any claim there answers a published finding: else every one of them would be listed as not tested. */
bool sb_reproduction_says_something(const sb_reproduction *r);
/* Claims that decide an exit status, of directories that count, whether they name a finding or not. */
size_t sb_reproduction_failures(const sb_reproduction *r);

/* <parent>/REPRODUCED.md. */
sb_page_outcome sb_reproduction_write(const sb_reproduction *r);
/* A line a finding and the counts, for a terminal. */
void sb_reproduction_print(const sb_reproduction *r, FILE *stream);
/* Counts of verdicts by kind: counts[kind][verdict]. */
void sb_reproduction_count(const sb_reproduction *r, size_t counts[3][SB_FINDING_VERDICTS]);
/* The kind of a finding; exact where the file says none of the three. */
sb_claim_kind sb_finding_kind(const sb_reproduction *r, size_t row);
