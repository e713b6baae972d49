/* Two results directories of the same or overlapping sweeps, case by case. Local; no PETSc.
 *
 * B is held against A. Cases are the same by their keys; of the rest, by the options that vary (an option added to the
 * table, another solver for the whole sweep, a changed format all change every key). */
#pragma once

#include "harness/report/ratio.h"
#include "harness/results/results.h"

typedef struct {
  double             threshold; /* what is slower by more is a regression: 0.05 */
  bool               bitwise;   /* a digest that differs is a regression whatever the build */
  size_t             column_count;
  const char *const *columns; /* those to look at beside time; none: all that are not timings */
  uint64_t           seed;
} sb_compare_request;

typedef enum { SB_TIME_UNKNOWN, SB_TIME_SAME, SB_TIME_FASTER, SB_TIME_SLOWER } sb_time_change;
typedef enum { SB_BITS_UNKNOWN, SB_BITS_EQUAL, SB_BITS_DIFFER } sb_bits;

/* A case is a regression for any of these reasons. */
enum {
  SB_WORSE_TIME = 1,     /* slower by more than the threshold, by all of its interval, on quiet machines */
  SB_WORSE_STATUS = 2,   /* ended worse, or not at all */
  SB_WORSE_ACCURACY = 4, /* met its tolerances and does not */
  SB_WORSE_BITS = 8      /* same key, build and machine, other digest; or any other digest where bits were asked for */
};

typedef struct {
  const char *path; /* as the user gave it */
  sb_results *results;
  const char *builds, *machines, *hosts; /* of its results, "; " between several; "" when not known */
  size_t      damaged;                   /* case files that were asked for and did not match their checksum */
} sb_compare_side;

/* A pair of cases. */
typedef struct {
  size_t         row[2]; /* in A and in B */
  bool           by_key;
  sb_ratio       time;
  sb_time_change change;
  sb_bits        bits;
  bool           has_frames;  /* frames of both were compared: */
  int64_t        equal_until; /* the last step whose state is the same bit for bit; -1: none */
  int64_t        differs_at;  /* the first recorded step whose state is not; -1: none */
  bool           status_changed, accuracy_changed;
  bool           noisy;      /* timed while the machine was not quiet, on either side */
  bool           undecided;  /* slower as a regression is, but noisy: that decides nothing */
  const char    *column;     /* that differs most, not counting timings; NULL: none differs */
  double         difference; /* of it: |b − a|/max(|a|, |b|); INFINITY where one of them is no number */
  unsigned       worse;
} sb_case_pair;

/* Lives as long as the session's arena. */
typedef struct {
  const sb_session  *session;
  sb_compare_request request;
  sb_compare_side    side[2];
  double             floor; /* the largest noise floor of a pair that was timed, as part of its time; 0: none */
  size_t             noisy; /* pairs one of which was timed while the machine was not quiet */
  size_t             identity_count;
  const char       **identities; /* options by which cases are told apart: those that vary */
  json_t            *settings;   /* options whose values differ between paired cases: name -> [of A, of B] */
  size_t             count;
  sb_case_pair      *pairs;                   /* regressions first, then what changed most */
  size_t             only_count[2], *only[2]; /* rows without a counterpart */
  size_t   by_key, faster, slower, same, bits_equal, bits_differ, status_changed, accuracy_changed, worse, undecided;
  sb_ratio mean; /* geometric, over the pairs timed on both sides */
  bool     mean_is_worse, mean_is_undecided, other_machine, one_repetition;
} sb_comparison;

/* NULL with an error in the session's diagnostics: a side that cannot be read, a column that is none, no case in
 * common. Case files are read only if they fit their checksums; those that do not are errors there too, and counted. */
sb_comparison *sb_compare(const sb_session *session, const char *const paths[2], const sb_compare_request *request);
/* SB_EXIT_OK; SB_EXIT_CONTRADICTION where something is worse; SB_EXIT_USAGE where a case file was damaged. */
int sb_comparison_status(const sb_comparison *comparison);

/* An option or a column of a case, also an option that does not vary; as a word, "" when it is none. */
sb_value    sb_compared_value(const sb_comparison *comparison, int side, size_t row, const char *name);
const char *sb_compared_word(const sb_comparison *comparison, int side, size_t row, const char *name);
/* The options that tell a case from others, "grid=8, integrator=verlet"; "" where nothing varies. */
const char *sb_compared_options(const sb_comparison *comparison, int side, size_t row);

typedef enum { SB_COMPARE_TEXT, SB_COMPARE_MARKDOWN, SB_COMPARE_CSV, SB_COMPARE_JSON } sb_compare_form;
/* `changed`: only cases in which something did, in text and Markdown. */
void sb_comparison_print(const sb_comparison *comparison, sb_compare_form form, bool changed, FILE *stream);
