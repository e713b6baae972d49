/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ends and ticks of axes. Inside the harness only. Local; no PETSc. */
#pragma once

#include <stdbool.h>

typedef struct {
  double low, high;
  bool   logarithmic;
} sb_figure_axis;

/* Makes room beside the outermost points (curves of many points reach from side to side), and round ends where y has
 * them; where the user gave an end, that one. */
void sb_figure_settle_axis(sb_figure_axis *axis, const double given[2], bool tight, bool rounded);
/* A round number near a fifth of a span: the distance of ticks. */
double sb_figure_step(double span);
/* A round number from which the ticks of an axis count, because the numbers at its ends are alike in their first four
 * digits; 0: they are not. */
double sb_figure_offset(const sb_figure_axis *axis);
/* True if a logarithmic axis has two of the ticks 1, 2 and 5 times a power of ten, so that a reader has its scale. */
bool sb_figure_has_decades(const sb_figure_axis *axis);
/* The number 1, 2 or 5 times a power of ten between two such numbers, if there is one alone; else 0. */
double sb_figure_round_between(double low, double high);
