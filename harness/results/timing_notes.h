/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes about the origin of times. A reader of a table, a figure or a claim must know which of its times were taken
 * while the machine was busy, by another build, or on another machine or host. Local; no PETSc. */
#pragma once

#include "harness/results/results.h"

typedef struct {
  size_t                cases, noisy;
  const sb_case_origin *origin; /* that of most cases; NULL if there is none, or none is known */
} sb_times;

/* For the rows in `taken` [rows]; NULL: for all. */
sb_times sb_times_of(const sb_results *results, const bool *taken);
/* How the times of some rows are to be marked, joined: noisy; run by another build, or on another machine or host, than
 * most. */
enum { SB_TIME_NOISY = 1, SB_TIME_OTHER = 2 };
unsigned sb_times_marks(const sb_times *times, const sb_results *results, size_t count, const size_t *rows);

/* Sentences about times, without their full stops; NULL if there is nothing to report:
 *
 *     noise    2 of 15 cases were timed while the machine was noisy (noise floor 12 %)
 *     origins  3 of 15 cases were run by another build than the rest (3 by A; the rest by B)
 *              4 cases were run by several builds (2 by A, 2 by B)
 *              4 cases were run on several hosts (2 on host n1, 2 on host n2), where the machines are alike
 *     again    --rerun noisy times them again; --rerun stale runs again what is not of the present build and machine
 *
 *     device   3 of 15 cases ran on a device that is not a GPU
 *
 * In brief, as below a figure: "2 of 15 cases timed while the machine was noisy (noise floor 12 %)", "3 of 15 cases run
 * by another build than the rest". `again` is a hint for the command line, which printed documents omit. `taken`: the
 * rows whose times were read; NULL: all rows, if the sweep measures times. */
typedef struct {
  const char *noise, *origins, *device, *again;
} sb_timing_notes;
sb_timing_notes sb_timing_notes_of(const sb_results *results, const bool *taken, bool brief, sb_arena *arena);
/* The devices of these rows (NULL: of all): "NVIDIA H200, driver 580 in 3 of 9 cases"; NULL: none has one. */
const char *sb_devices_note(const sb_results *results, const bool *taken, sb_arena *arena);
