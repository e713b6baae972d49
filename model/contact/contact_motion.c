/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places of moving colliders and velocities of their material; see contact_state.h.
 *
 * A path maps rest to place. The points p_k and a frame of unit vectors f_c at p_0, made orthonormal, are followed from
 * t to t + h. Material at p moves by p_0' - p_0 + (F' F^T - I)(p - p_0), so that a turning plane drags what lies on it
 * and a turning sphere too. */
#include "model/contact/contact_state.h"

#include <math.h>
#include <string.h>

void sb_collider_move(sb_collider *collider, double t_seconds)
{
  if (collider->path)
    sb_path_place(collider->path, t_seconds, collider->shape->points, collider->rest[0], collider->point[0]);
  else
    memcpy(collider->point, collider->rest, sizeof collider->point);
}

/* v -= (v.u) u, then to length 1; false if nothing remains. */
static bool straighten(double v[3], const double u[3])
{
  const double along = u ? sb_dot(v, u) : 0.0;
  for (int c = 0; u && c < 3; ++c) v[c] -= along * u[c];
  const double length = sqrt(sb_dot(v, v));
  for (int c = 0; c < 3; ++c) v[c] /= length;
  return length > 1e-6;
}

/* Place of the first point and the orthonormal frame there at time t; false when the path folds the frame. */
static bool follow(sb_collider *collider, double t_seconds, double origin[3], double frame[SB_COLLIDER_FRAME][3])
{
  double rest[1 + SB_COLLIDER_FRAME][3], place[1 + SB_COLLIDER_FRAME][3];
  memcpy(rest[0], collider->rest[0], sizeof rest[0]);
  memcpy(rest[1], collider->rest[SB_COLLIDER_POINTS_MAX], 3 * sizeof rest[0]);
  sb_path_place(collider->path, t_seconds, 1 + SB_COLLIDER_FRAME, rest[0], place[0]);
  for (int c = 0; c < 3; ++c) {
    origin[c] = place[0][c];
    for (int k = 0; k < SB_COLLIDER_FRAME; ++k) frame[k][c] = place[1 + k][c] - place[0][c];
  }
  return straighten(frame[0], NULL) && straighten(frame[1], frame[0]) && straighten(frame[2], frame[0]) &&
         straighten(frame[2], frame[1]);
}

void sb_collider_motion_over(sb_collider *collider, double t_seconds, double h_seconds, sb_collider_motion *motion)
{
  double after[3], frame[SB_COLLIDER_FRAME][3], frame_after[SB_COLLIDER_FRAME][3];
  *motion = (sb_collider_motion){.moves = collider->path != NULL};
  if (!motion->moves) return;
  const bool before_good = follow(collider, t_seconds, motion->centre, frame);
  const bool turns = follow(collider, t_seconds + h_seconds, after, frame_after) && before_good;
  for (int a = 0; a < 3; ++a) {
    motion->linear[a] = (after[a] - motion->centre[a]) / h_seconds;
    for (int b = 0; turns && b < 3; ++b)
      for (int k = 0; k < SB_COLLIDER_FRAME; ++k)
        motion->turn[a][b] += (frame_after[k][a] - frame[k][a]) * frame[k][b] / h_seconds;
  }
}

void sb_collider_velocity(const sb_collider_motion *motion, const double p[3], double velocity[3])
{
  const double arm[3] = {p[0] - motion->centre[0], p[1] - motion->centre[1], p[2] - motion->centre[2]};
  for (int c = 0; c < 3; ++c) velocity[c] = motion->linear[c] + sb_dot(motion->turn[c], arm);
}
