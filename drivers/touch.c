/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures of surfaces over the frames of a run; see touch.h. */
#include "drivers/touch.h"

#include <math.h>

/* A test for intersections costs as much as ten explicit steps, and without frames a step is one. So nets that cannot
 * touch themselves are tested some hundred times per run. */
#define LOOKS 100

PetscErrorCode sb_touch_create(const sb_setup *setup, const sb_case *c, sb_touch *touch)
{
  const sb_system *system = setup->system;

  PetscFunctionBeginUser;
  *touch = (sb_touch){.c = c, .surface = setup->surface, .margin = INFINITY, .stride = 1};
  if (SB_IS(c->options, self_contact, "none")) touch->stride = 1 + c->time.frames / LOOKS;
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

/* Contact of vertices is tested once per step. A point that passes through a triangle is then at most R from a corner
 * along its plane, and at most half of the way v h of a step across. So balls of radius sqrt(R^2 + (v h/2)^2) let
 * nothing through. The largest relative speed is at most twice the largest relative to the mean. */
static PetscErrorCode measure_margin(sb_touch *touch, const sb_system *system, const double *position, Vec v)
{
  const size_t  vertices = touch->surface->vertices;
  const double *velocity, cover = sb_triangles_cover(touch->surface->triangles, touch->surface->triangle, position);
  double        mean[3] = {0, 0, 0}, fastest = 0;

  PetscFunctionBeginUser;
  PetscCall(sb_system_begin_read(system, v, &velocity));
  for (size_t i = 0; i < 3 * vertices; ++i) mean[i % 3] += velocity[i] / (double)vertices;
  for (size_t i = 0; i < 3 * vertices; i += 3)
    fastest = fmax(fastest, hypot(hypot(velocity[i] - mean[0], velocity[i + 1] - mean[1]), velocity[i + 2] - mean[2]));
  PetscCall(sb_system_end_read(system, v, &velocity));
  const double needed = hypot(cover, fastest * touch->c->time.h_seconds);
  touch->margin = fmin(touch->margin, SB_REAL(touch->c->options, thickness) / needed);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_touch_frame(sb_touch *touch, const sb_system *system, const sb_touch_state *state)
{
  const double *position;
  Vec           x = state->x;

  PetscFunctionBeginUser;
  if (!touch->surface) PetscFunctionReturn(0);
  if (touch->seen++ % touch->stride != 0 && !state->last) PetscFunctionReturn(0);
  if (touch->scatter) {
    PetscCall(VecScatterBegin(touch->scatter, x, touch->gathered, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(touch->scatter, x, touch->gathered, INSERT_VALUES, SCATTER_FORWARD));
  }
  const Vec all = touch->scatter ? touch->gathered : x;
  PetscCall(VecGetArrayRead(all, &position));
  if (touch->finder) PetscCall(measure(touch, system, state->seconds, position, state->last));
  if (SB_IS(touch->c->options, self_contact, "vertices"))
    PetscCall(measure_margin(touch, system, position, state->v)); /* one rank only */
  PetscCall(VecRestoreArrayRead(all, &position));
  PetscFunctionReturn(0);
}

void sb_touch_keep(sb_touch *touch, sb_checkpoint *c)
{
  SB_CHECKPOINT(c, touch->seen);
  SB_CHECKPOINT(c, touch->cuts);
  SB_CHECKPOINT(c, touch->cuts_max);
  SB_CHECKPOINT(c, touch->face_depth_max);
  SB_CHECKPOINT(c, touch->margin);
}

PetscErrorCode sb_touch_record(const sb_touch *touch, const sb_system *system, sb_recorder *recorder)
{
  double values[7] = {touch->face_depth_max, (double)touch->cuts,         (double)touch->cuts_max, touch->gap.least,
                      touch->gap.mean,       (double)touch->gap.vertices, touch->gap.median};

  PetscFunctionBeginUser;
  if (!touch->surface) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Bcast(values, 7, MPI_DOUBLE, 0, system->comm));
  if (system->contact) PetscCall(sb_recorder_real(recorder, "face_penetration_max", values[0]));
  PetscCall(SB_RECORD(recorder, {"intersecting_pairs", values[1]}, {"intersecting_pairs_max", values[2]}));
  if (isfinite(touch->margin)) PetscCall(sb_recorder_real(recorder, "thickness_margin", touch->margin));
  if (!(values[5] > 0)) PetscFunctionReturn(0);
  PetscCall(SB_RECORD(recorder, {"gap_min", values[3]}, {"gap_mean", values[4]}, {"gap_median", values[6]}));
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
