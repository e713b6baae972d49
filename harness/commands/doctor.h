/* Parts of `springbench doctor`: findings about the machine and this build, said one a line. Local; no PETSc. */
#pragma once

#include <sched.h>
#include <stdbool.h>

#include "harness/store/session.h"

typedef enum { SB_FINE, SB_DOUBTFUL, SB_UNFIT } sb_fitness;

typedef struct {
  sb_fitness  worst;
  const char *advice[16]; /* what to do, for what was found; literals */
  int         advices;
} sb_checkup;

/* "  doubtful  load   1.30 on 2 cores", and what to do about it when it is not fine (NULL: nothing). */
void sb_checkup_say(sb_checkup *checkup, sb_fitness fitness, const char *what, const char *advice, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));

/* What the system says of itself: clock rates, siblings, quota, load, clock, room, environment. */
void sb_checkup_machine(sb_checkup *checkup);
/* The calibration loop for so many seconds on each core this process may use (doctor_cores.c). */
void sb_checkup_cores(sb_checkup *checkup, double seconds);

/* A/A: one case timed as two methods in turn, `rounds` times each: by what their medians differ, and so what difference
 * can be told from chance. An exit status; SB_EXIT_UNFIT with strict when that is more than 5 %. */
int sb_doctor_aa(int rounds, bool strict, const sb_session *session);

/* Cores that a control group grants, by the text of cpu.max ("max 100000", "50000 100000"); 0: no limit, or no such
 * text. */
double sb_quota_cores(const char *text);
