/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several sweeps that one command runs: a line before each, on the console and in a log beside the results; and the
 * time of all of them, by the typical times that come with springbench. Local. */
#pragma once

#include "cases/store/session.h"

/* Typical times of sweeps on two quiet cores: experiments/typical_times.csv, which typical_times.py there renews. */
typedef struct {
  double whole_cases, whole_seconds, quick_cases, quick_seconds; /* NAN: not known */
} sb_typical;

/* `sweep`: its name. */
sb_typical sb_typical_of(const char *sweep, sb_arena *arena);
/* The seconds of `cases` cases of a whole or a quick run; NAN: not known. */
double sb_typical_seconds(const sb_typical *typical, bool quick, size_t cases);
/* "12 s", "3 min", "2.5 h"; "" for NAN. */
const char *sb_duration_words(double seconds, sb_arena *arena);

typedef struct sb_tour sb_tour;

/* A sweep of a tour. */
typedef struct {
  const char *name;
  size_t      cases, pending;
  double      seconds; /* expected; NAN: not known */
} sb_tour_sweep;

/* Begins a tour, whose log is <folder>/run.log if any case is pending. `each` [count] must outlive it. */
sb_tour *sb_tour_begin(const char *folder, size_t count, const sb_tour_sweep *each, bool quick, sb_arena *arena);
/* Says that sweep i begins, if it has anything to do. */
void sb_tour_next(sb_tour *tour, size_t i);
/* Writes a text to stderr and to the log; with NULL for the tour only to stderr. */
void sb_tour_say(const sb_tour *tour, const char *text);
void sb_tour_end(sb_tour *tour);
