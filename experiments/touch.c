/* Measures of surfaces over the frames of a run; see touch.h. */
#include "experiments/touch.h"

#include <math.h>

PetscErrorCode sb_touch_create(const sb_setup *setup, sb_touch *touch)
{
  const sb_system *system = setup->system;

  PetscFunctionBeginUser;
  *touch = (sb_touch){.surface = setup->surface};
  if (!touch->surface) PetscFunctionReturn(0);
  if (system->ranks > 1) PetscCall(VecScatterCreateToZero(setup->x, &touch->scatter, &touch->gathered));
  if (system->rank == 0) touch->finder = sb_pair_finder_create(touch->surface);
  PetscCheck(system->rank > 0 || touch->finder, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  PetscFunctionReturn(0);
}

/* All vertices [vertices][3], on rank 0. */
static PetscErrorCode measure(sb_touch *touch, const sb_system *system, double seconds, const double *position,
                              bool last)
{
  const sb_surface *surface = touch->surface;

  PetscFunctionBeginUser;
  touch->cuts = sb_pair_finder_intersections(touch->finder, position);
  if (touch->cuts > touch->cuts_max) touch->cuts_max = touch->cuts;
  if (system->contact) {
    const double depth =
        sb_contact_face_depth(system->contact, seconds, surface->triangles, surface->triangle, position);
    touch->face_depth_max = fmax(touch->face_depth_max, depth);
  }
  PetscCheck(!last || sb_pair_finder_gap(touch->finder, position, &touch->gap), PETSC_COMM_SELF, PETSC_ERR_MEM,
             "out of memory");
  PetscFunctionReturn(0);
}

PetscErrorCode sb_touch_frame(sb_touch *touch, const sb_system *system, double seconds, Vec x, bool last)
{
  const double *position;

  PetscFunctionBeginUser;
  if (!touch->surface) PetscFunctionReturn(0);
  if (touch->scatter) {
    PetscCall(VecScatterBegin(touch->scatter, x, touch->gathered, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(touch->scatter, x, touch->gathered, INSERT_VALUES, SCATTER_FORWARD));
  }
  const Vec all = touch->scatter ? touch->gathered : x;
  PetscCall(VecGetArrayRead(all, &position));
  if (touch->finder) PetscCall(measure(touch, system, seconds, position, last));
  PetscCall(VecRestoreArrayRead(all, &position));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_touch_record(const sb_touch *touch, const sb_system *system, sb_recorder *recorder)
{
  double values[6] = {touch->face_depth_max, (double)touch->cuts, (double)touch->cuts_max,
                      touch->gap.least,      touch->gap.mean,     (double)touch->gap.vertices};

  PetscFunctionBeginUser;
  if (!touch->surface) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Bcast(values, 6, MPI_DOUBLE, 0, system->comm));
  if (system->contact) PetscCall(sb_recorder_real(recorder, "face_penetration_max", values[0]));
  PetscCall(sb_recorder_real(recorder, "intersecting_pairs", values[1]));
  PetscCall(sb_recorder_real(recorder, "intersecting_pairs_max", values[2]));
  if (!(values[5] > 0)) PetscFunctionReturn(0);
  PetscCall(sb_recorder_real(recorder, "gap_min", values[3]));
  PetscCall(sb_recorder_real(recorder, "gap_mean", values[4]));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_touch_clear(sb_touch *touch)
{
  PetscFunctionBeginUser;
  sb_pair_finder_destroy(&touch->finder);
  PetscCall(VecScatterDestroy(&touch->scatter));
  PetscCall(VecDestroy(&touch->gathered));
  PetscFunctionReturn(0);
}
