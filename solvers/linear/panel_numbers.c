/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory of the numbers of backend `panel`; see panel_kernels.h. */
#include <stdlib.h>

#include "base/allocate.h"
#include "solvers/linear/panel_kernels.h"

/* Lines of eight numbers that each lie in one line of the cache. */
static PetscErrorCode allocate_lines(size_t lines, double **at)
{
  PetscFunctionBeginUser;
  *at = sb_allocate_lines(64 * lines);
  PetscCheck(*at, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %zu lines of 64 bytes", lines);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_panel_numbers_create(const sb_panel_plan *plan, sb_panel_factor_arrays *numbers)
{
  const size_t rows = (size_t)plan->rows, panels = (size_t)plan->panels, parts = (size_t)plan->parts;
  const size_t work = rows + (parts - 1) * (size_t)plan->above;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(rows, &numbers->pivot, rows, &numbers->inverse));
  PetscCall(PetscMalloc4(parts * rows, &numbers->local, (parts + 1) * panels, &numbers->head, panels, &numbers->next,
                         panels, &numbers->at));
  PetscCall(allocate_lines(parts * (size_t)plan->tallest, &numbers->gathered));
  if (parts > 1) PetscCall(allocate_lines(parts * (size_t)plan->above_lines, &numbers->above));
  PetscCall(allocate_lines((work + 1) / 2, &numbers->work));
  PetscCall(PetscCalloc1(plan->value_start[panels] + SB_PANEL_WIDTH, &numbers->value));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_panel_numbers_destroy(sb_panel_factor_arrays *numbers)
{
  PetscFunctionBeginUser;
  free(numbers->gathered);
  free(numbers->above);
  free(numbers->work);
  PetscCall(PetscFree(numbers->value));
  PetscCall(PetscFree2(numbers->pivot, numbers->inverse));
  PetscCall(PetscFree4(numbers->local, numbers->head, numbers->next, numbers->at));
  *numbers = (sb_panel_factor_arrays){0};
  PetscFunctionReturn(0);
}
