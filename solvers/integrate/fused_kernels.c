/* Fused steps; see fused.h. This file is compiled once for each instruction set.
 *
 * A block of vertices moves as soon as its springs are summed: whatever starts behind a tile ends behind it, so nothing
 * is needed any more of the positions that a block of the tile overwrites. */
#include "model/band_sums.h"
#include "solvers/integrate/fused.h"

/* A coordinate of the vertices from `at` on; the operations are those of the methods' own files. */
SB_LANES_INLINE sb_lanes move(const sb_fused_net *net, const sb_fused_method method, long at, sb_lanes w,
                              sb_lanes force)
{
  double        *to = net->bands->position + at, *speed = net->velocity + at, *before = net->previous + at;
  const double   h = net->h_seconds, half = 0.5 * h, drag = net->drag, factor = net->factor;
  const sb_lanes g = sb_lanes_load(net->gravity + at), x = sb_lanes_load(to), v = sb_lanes_load(speed);
  sb_lanes       next_x, next_v;
  if (method == SB_FUSED_EXPLICIT_EULER) {
    next_x = x + h * v;
    next_v = factor * (v + h * (w * (force - drag * v) + g));
  } else if (method == SB_FUSED_SYMPLECTIC_EULER) {
    next_v = factor * (v + h * (w * (force - drag * v) + g));
    next_x = x + h * next_v;
  } else if (method == SB_FUSED_VELOCITY_VERLET) {
    const sb_lanes end = v + half * (w * (force - drag * v) + g);
    next_v = factor * (end + half * (w * (force - drag * end) + g));
    next_x = x + h * next_v;
  } else {
    const double   q = (1 + factor) / (2 * h), p = half * factor;
    const sb_lanes previous = sb_lanes_load(before), predicted = q * (x - previous) + p * v;
    next_v = w * (drag > 0 ? force - drag * predicted : force) + g; /* the acceleration */
    next_x = x + factor * (x - previous + h * h * next_v);
    sb_lanes_store(before, x);
  }
  sb_lanes_store(speed, next_v);
  sb_lanes_store(to, next_x);
  return next_x;
}

/* Of the lanes in *near, those stay whose vertices are near the centre; what is no vertex is near it. */
SB_LANES_INLINE void look(const sb_fused_net *net, int c, int first, sb_lanes x, sb_lane_mask *near)
{
  sb_lanes distance = x - net->center[c];
  if (first + SB_LANES > net->bands->vertices)
    for (int l = 0; l < SB_LANES; ++l) distance[l] = first + l < net->bands->vertices ? distance[l] : 0;
  *near = sb_lanes_within(*near, distance, net->limit);
}

SB_LANES_INLINE void take_block(const sb_bands *bands, int j, const sb_band_vectors *force, const sb_fused_net *net,
                                const sb_fused_method method, sb_lane_mask *near)
{
  for (int part = 0; part < SB_BAND_PARTS; ++part) {
    const int      first = j * SB_BAND_BLOCK + part * SB_LANES;
    const sb_lanes w = sb_lanes_load(net->inverse_mass + first);
    for (int c = 0; c < 3; ++c)
      look(net, c, first, move(net, method, c * (long)bands->stride + first, w, force->part[c][part]), near);
  }
}

SB_LANES_INLINE int64_t march(const sb_fused_net *net, const sb_fused_method method, int64_t steps, bool *all_near)
{
  const sb_bands *bands = net->bands;
  int64_t         done = 0;
  for (*all_near = true; done < steps && *all_near; ++done) {
    sb_lane_mask near = sb_lanes_numbers((sb_lanes){0});
    SB_BAND_SUMS(bands, SB_BAND_FORCES, take_block, net, method, &near)
    *all_near = sb_lanes_every(near);
  }
  return done;
}

static int64_t advance(const sb_fused_net *net, sb_fused_method method, int64_t steps, bool *near)
{
  switch (method) {
  case SB_FUSED_EXPLICIT_EULER:
    return march(net, SB_FUSED_EXPLICIT_EULER, steps, near);
  case SB_FUSED_SYMPLECTIC_EULER:
    return march(net, SB_FUSED_SYMPLECTIC_EULER, steps, near);
  case SB_FUSED_VELOCITY_VERLET:
    return march(net, SB_FUSED_VELOCITY_VERLET, steps, near);
  default:
    return march(net, SB_FUSED_STOERMER_VERLET, steps, near);
  }
}

extern const sb_fused_kernels SB_OF_SET(sb_fused);
const sb_fused_kernels        SB_OF_SET(sb_fused) = {advance};
