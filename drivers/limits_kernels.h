/* What a processor can do at the most, for the roofs of driver `limits`: small loops, compiled for several instruction
 * sets, that do one thing only. Local. */
#pragma once

#include "base/instruction_set.h"

typedef struct {
  /* Loads every number of an array of `count`, a multiple of 64, `times` times, and does nothing with it. */
  void (*read)(const double *array, long count, long times);
  /* So many rounds, each of so many independent products with a sum (two operations a number), or quotients. */
  double (*products)(long rounds);
  double (*quotients)(long rounds);
  int products_of_round, quotients_of_round; /* numbers */
} sb_limits_kernels;

SB_DECLARE_TABLES(sb_limits_kernels, sb_limits);
