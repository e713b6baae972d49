/* Parts of `springbench doctor`. Local; no PETSc. */
#pragma once

#include <stdbool.h>

#include "harness/store/session.h"

/* A/A: one case timed as two methods in turn, `rounds` times each: by what their medians differ, and so what difference
 * can be told from chance. An exit status; SB_EXIT_UNFIT with strict when that is more than 5 %. */
int sb_doctor_aa(int rounds, bool strict, const sb_session *session);

/* Cores that a control group grants, by the text of cpu.max ("max 100000", "50000 100000"); 0: no limit, or no such
 * text. */
double sb_quota_cores(const char *text);
