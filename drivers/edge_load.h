/* The load of driver statics and where it acts. Collective. */
#pragma once

#include "model/system/system.h"

/* The last row: of a sheet its last grid + 1 vertices; of any other net those farthest along load_direction at the
 * start, within 1e-12 of the net's extent in that direction, and none without a load. Pinned vertices of the row carry
 * nothing: the free ones share the load, and are what "row" means below. */
typedef struct {
  double    direction[3]; /* load_direction, of length 1 */
  double    newtons;      /* edge_load */
  PetscInt  row;          /* free vertices of it, on all ranks */
  PetscInt  owned_row;    /* of this rank: */
  PetscInt *vertex;       /* [owned_row] local numbers */
  Vec       force;        /* full, N: newtons/row along direction on each; NULL when newtons is 0 */
} sb_edge_load;

/* x: full, the initial pose. A load without a direction, or on a row all of which is pinned, is PETSC_ERR_USER. */
PetscErrorCode sb_edge_load_create(const sb_system *system, const sb_options *options, Vec x, sb_edge_load *load);
PetscErrorCode sb_edge_load_clear(sb_edge_load *load);
/* Mean of (x - x_start) along `axis` over the row; NaN when there is none. */
PetscErrorCode sb_edge_load_displacement(const sb_system *system, const sb_edge_load *load, const double axis[3],
                                         Vec x_start, Vec x, double *metres);
