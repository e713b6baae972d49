/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The load of driver statics and the vertices it acts on. Collective. */
#pragma once

#include "model/system/system.h"

/* The last row: for a sheet its last grid + 1 vertices; for any other net the vertices farthest along load_direction at
 * the start, within 1e-12 of the net's extent in that direction, and none without a load. Pinned vertices carry no
 * load: the free ones share it, and are "the row" below. */
typedef struct {
  double    direction[3]; /* load_direction, of length 1 */
  double    newtons;      /* edge_load */
  PetscInt  row;          /* its free vertices, on all ranks */
  PetscInt  owned_row;    /* on this rank */
  PetscInt *vertex;       /* [owned_row] local numbers */
  Vec       force;        /* full, N: newtons/row along direction on each; NULL if newtons is 0 */
} sb_edge_load;

/* False after E106 if every vertex of the row is pinned; true for a slab. Local. */
bool sb_edge_load_check(const sb_options *options, const sb_pose *pose, sb_diagnostics *diagnostics);
/* x: full, the initial pose. A load without a direction, or on a row that is entirely pinned, is PETSC_ERR_USER. */
PetscErrorCode sb_edge_load_create(const sb_system *system, const sb_options *options, Vec x, sb_edge_load *load);
PetscErrorCode sb_edge_load_clear(sb_edge_load *load);
/* Mean of (x - x_start) along `axis` over the row; NaN if it is empty. */
PetscErrorCode sb_edge_load_displacement(const sb_system *system, const sb_edge_load *load, const double axis[3],
                                         Vec x_start, Vec x, double *metres);
