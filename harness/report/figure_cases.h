/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cases of a figure, with the points of their curves or frames. Inside the harness only. Local; no PETSc. */
#pragma once

#include "harness/results/results.h"

/* The source of a figure's numbers: a case's row alone, the points of one of its curves, or its frames. */
typedef struct {
  size_t      row;            /* of the results */
  const char *run;            /* of curves, else NULL */
  size_t      count, columns; /* points; 0 if the case has no file, or no points in it */
  char      **names, **units; /* [columns] */
  double    **values;         /* [columns][count] */
} sb_figure_case;

/* The cases that the figure's `where` selects, with their points; if a case has a run "mean", only that one. NULL and a
 * diagnostic if the clause or a case file is faulty. */
sb_figure_case *sb_figure_cases(const sb_results *results, const sb_figure_spec *spec, sb_arena *arena, size_t *count);
