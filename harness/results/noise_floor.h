/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The noise floor of a sweep: the spread of the medians of one small case that is timed repeatedly during the sweep;
 * and the sentence with the number of doubtful times. Local; no PETSc. */
#pragma once

#include <jansson.h>

#include "harness/sweep/plan.h"

enum { SB_FLOOR_LEAST = 5 /* timings; fewer give no floor */ };

typedef struct {
  double  seconds; /* median of one timing */
  int32_t noisy;   /* 1: it was flagged */
} sb_floor_timing;

typedef struct {
  size_t           timings, noisy; /* all of the latest case, build and machine; the flagged ones among them */
  double           spread;     /* largest/smallest - 1, of the quiet ones if they are enough; NAN: there is no floor */
  bool             only_quiet; /* noisy ones are excluded */
  char             key[SB_KEY_LENGTH + 1]; /* of the case */
  sb_floor_timing *each;                   /* [timings] */
  char            *words; /* "noise floor 2.1 %: grid=6 timed 7 times through the sweep; MACHINE"; NULL: no timings */
} sb_noise_floor;

/* Computes it from the journal's floor events. */
void sb_noise_floor_read(const json_t *floors, const sb_plan *plan, sb_arena *arena, sb_noise_floor *floor);

/* "2 of 15 cases were timed while the machine was noisy (noise floor 12 %)", without the verb if `brief`; NULL if none
 * is noisy. floor NULL: the caller prints it elsewhere. For cases of a results directory see sb_timing_notes_of
 * (timing_notes.h). */
const char *sb_noise_note(sb_arena *arena, const sb_noise_floor *floor, size_t noisy, size_t cases, bool brief);
