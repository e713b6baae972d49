/* Two results of the same or overlapping sweeps, case by case. Local; no PETSc.
 *
 * B is held against A. Cases are the same by their keys; of the rest, by the options that vary (an option added to the
 * table, another solver for the whole sweep, a changed format all change every key). */
#pragma once

#include "harness/report/compare_side.h"

typedef struct {
  double             threshold; /* what is slower by more is a regression: 0.05 */
  bool               bitwise;   /* a digest that differs is a regression whatever the build */
  size_t             column_count;
  const char *const *columns; /* those to look at beside time; none: all that are not timings */
  uint64_t           seed;
} sb_compare_request;

typedef enum { SB_TIME_UNKNOWN, SB_TIME_SAME, SB_TIME_FASTER, SB_TIME_SLOWER } sb_time_change;
typedef enum { SB_BITS_UNKNOWN, SB_BITS_EQUAL, SB_BITS_DIFFER } sb_bits;

/* Why a case is a regression. */
enum {
  SB_WORSE_TIME = 1,     /* slower by more than the threshold, by all of its interval, on quiet machines */
  SB_WORSE_STATUS = 2,   /* ended worse, or not at all */
  SB_WORSE_ACCURACY = 4, /* met its tolerances and does not */
  SB_WORSE_BITS = 8      /* same key, build and machine, other digest; or any other digest where bits were asked for */
};

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
  const char    *column;     /* borrowed: that differs most, not counting timings; NULL: none differs */
  double         difference; /* of it: |b − a|/max(|a|, |b|); INFINITY where one of them is no number */
  unsigned       worse;
} sb_case_pair;

typedef struct {
  sb_compare_request request;
  sb_compare_side    side[2];
  double             floor; /* the largest noise floor of a case, as part of its time; 0: none is stored */
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

/* NULL after a message on stderr (with *status): a side that cannot be read, a column that is none, no case in common.
 */
sb_comparison *sb_compare(const char *const paths[2], const sb_compare_request *request,
                          const sb_vocabulary *vocabulary, const sb_driver_list *drivers, int *status);
void           sb_comparison_destroy(sb_comparison **comparison);
/* SB_EXIT_OK; SB_EXIT_CONTRADICTION where something is worse; SB_EXIT_USAGE where a case file was damaged. */
int sb_comparison_status(const sb_comparison *comparison);

typedef enum { SB_COMPARE_TEXT, SB_COMPARE_MARKDOWN, SB_COMPARE_CSV, SB_COMPARE_JSON } sb_compare_form;
/* `changed`: only cases in which something did, in all forms but CSV and JSON. */
void sb_comparison_print(const sb_comparison *comparison, sb_compare_form form, bool changed, FILE *stream);

/* For compare*.c. Fills identities, pairs (rows and by_key alone), only, settings. */
void sb_compare_match(sb_comparison *comparison);
/* Pieces of text, malloc'ed: "grid=8, integrator=verlet"; "bitwise equal until step 12"; all that changed beside time.
 */
char       *sb_compare_case_text(const sb_comparison *comparison, int side, size_t row);
char       *sb_compare_bits_text(const sb_case_pair *pair);
char       *sb_compare_notes_text(const sb_comparison *comparison, const sb_case_pair *pair);
const char *sb_compare_change_text(const sb_case_pair *pair); /* "slower", …, "" where nothing was timed */
/* The forms that programs read. */
void sb_comparison_print_csv(const sb_comparison *comparison, FILE *stream);
void sb_comparison_print_json(const sb_comparison *comparison, FILE *stream);
