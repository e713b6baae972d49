/* One side of a comparison: a results directory, or its index alone (results.csv). Local; no PETSc. */
#pragma once

#include "harness/report/compare_statistics.h"
#include "harness/results/results.h"
#include "harness/store/journal.h"

typedef struct {
  char            *path;                      /* as the user gave it, or the directory of the index file given */
  sb_results      *results;                   /* NULL: of an index file alone */
  sb_rows         *rows;                      /* of the directory, or of the file */
  sb_rows         *own;                       /* owned, of the file */
  sb_journal_state journal;                   /* of the directory */
  char            *name;                      /* of the sweep; "" when it is not known */
  char            *builds, *machines, *hosts; /* of its results, "; " between several; "" when not known */
  size_t           damaged;                   /* case files that were asked for and did not match their checksum */
} sb_compare_side;

/* A directory, a file results.csv or results.h5 that stands in one (then it is the directory), or any other .csv file
 * made as an index. False after a message on stderr; clear it in either case. */
bool sb_compare_side_open(const char *path, const sb_vocabulary *vocabulary, const sb_driver_list *drivers,
                          sb_compare_side *side);
void sb_compare_side_clear(sb_compare_side *side);

/* An option or column of a row, "" for one of neither; an option's value also where it does not vary. */
sb_value    sb_compare_value(const sb_compare_side *side, size_t row, const char *name);
const char *sb_compare_word(const sb_compare_side *side, size_t row, const char *name); /* "" when it is no word */
/* What the journal says of a row: "build", "machine"; "" when it does not. */
const char *sb_compare_said(const sb_compare_side *side, size_t row, const char *name);

/* What a row's case file has that its row has not. */
typedef struct {
  size_t   sample_count;
  double  *seconds; /* [sample_count] of phase "step" */
  int32_t *repetition;
  size_t   frame_count;
  int64_t *step; /* [frame_count] */
  char (*digest)[33];
} sb_compare_file;

/* Nothing where there is no file. False after a message on stderr when the file is damaged; side->damaged counts it. */
bool sb_compare_file_read(sb_compare_side *side, size_t row, bool frames, sb_compare_file *file);
void sb_compare_file_clear(sb_compare_file *file);
