/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The limits of a processor, for the roofs of driver `limits`: small loops with one kind of operation, compiled for
 * several instruction sets. Local. */
#pragma once

#include "base/instruction_set.h"

typedef struct {
  /* Loads every number of an array of `count`, a multiple of 64, `times` times, and discards it. */
  void (*read)(const double *array, long count, long times);
  /* Make `rounds` rounds of independent multiply-adds (two operations per number), or of quotients. */
  double (*products)(long rounds);
  double (*quotients)(long rounds);
  int products_of_round, quotients_of_round; /* numbers */
} sb_limits_kernels;

SB_DECLARE_TABLES(sb_limits_kernels, sb_limits);
