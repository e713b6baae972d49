/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work of the minimiser, and messages between ranks, in the steps of a run, over all calls of the integrator: the sum
 * of their reports. */
#pragma once

#include "drivers/setup.h"

/* The columns that sb_minimizer_counts_record fills: for the tables of drivers. */
#define SB_MINIMIZER_COUNT_COLUMNS                                                                                     \
  {"minimizer_iterations_mean", "", "minimiser iterations per step", .timing = false},                                 \
      {"linear_iterations_mean", "", "linear iterations per step", .timing = false},                                   \
      {"projected_mean", "",                                                                                           \
       "Hessians per step that were indefinite and projected; blank: hessian does not test that", .timing = false},    \
      {"residual_worst", "", "largest relative residual of a linear solve", .timing = false},                          \
      {"messages_mean", "",                                                                                            \
       "messages per step between all ranks, without those of the harness's checks; blank: one rank, or a library in " \
       "linear_used that does not count them",                                                                         \
       .timing = false},                                                                                               \
      {"message_bytes_mean", "B", "bytes of these messages per step", .timing = false},                                \
      {"reductions_mean", "", "reductions and other collective operations per step; blank likewise", .timing = false}, \
      SB_ENDED_COLUMN, SB_LINEAR_USED_COLUMN

/* Adds the numbers of a report; status, linear_outcome and reason are left. */
void sb_minimizer_counts_add(sb_advance_report *counts, const sb_advance_report *report);
/* Blank if no step was done; those of the minimiser also if the integrator has none. Collective. */
PetscErrorCode sb_minimizer_counts_record(const sb_advance_report *counts, const sb_case *c, sb_integrator *integrator,
                                          sb_recorder *recorder);
