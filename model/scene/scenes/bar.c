/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Report on Newton's method and projective dynamics: a bar of tetrahedra, clamped at x = 0, bending under gravity.
 *
 * The box [0, e] x [0, e/5] x [0, e/5], e = `extent`, consists of (5 x 1 x 1) grid cubes with g = `grid` cubes along
 * the short edges. Vertex (i, j, k) is number (k (g + 1) + j)(5 g + 1) + i. Each cube is a regular tetrahedron on four
 * of its corners and four more at the others; in cubes whose i + j + k is odd it is on the other four, so that the
 * diagonals of common faces agree. Springs are the distinct edges: sides of cubes and one diagonal of each of their
 * faces. */
#include <stdlib.h>
#include <string.h>

#include "model/scene/scene.h"

enum { ASPECT = 5, TETRAHEDRA_A_CUBE = 5 };

typedef struct {
  size_t cubes, nx, ny; /* cubes along a short edge; vertices along x, along y and z */
} box;

static box box_of(const sb_options *options)
{
  const size_t g = (size_t)SB_INTEGER(options, grid);
  return (box){g, ASPECT * g + 1, g + 1};
}

static void place_vertices(const box *b, double extent, double *position)
{
  const double n = (double)(ASPECT * b->cubes);
  for (size_t k = 0; k < b->ny; ++k)
    for (size_t j = 0; j < b->ny; ++j)
      for (size_t i = 0; i < b->nx; ++i, position += 3) {
        position[0] = (double)i * extent / n;
        position[1] = (double)j * extent / n;
        position[2] = (double)k * extent / n;
      }
}

/* Corner c of a cube is at (c & 1, c >> 1 & 1, c >> 2): the regular tetrahedron first, then those at 1, 2, 4, 7. The
 * odd cube is the even one mirrored in x, its corners c ^ 1. */
static void fill_cube(const int32_t corner[8], bool odd, int32_t *tetrahedron)
{
  static const int even[TETRAHEDRA_A_CUBE][4] = {{0, 3, 5, 6}, {1, 0, 5, 3}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 3, 6, 5}};
  for (int t = 0; t < TETRAHEDRA_A_CUBE; ++t)
    for (int c = 0; c < 4; ++c) *tetrahedron++ = corner[even[t][c] ^ odd];
}

static void fill_box(const box *b, int32_t *tetrahedron)
{
  const size_t row = b->nx, layer = b->nx * b->ny;
  for (size_t k = 0; k + 1 < b->ny; ++k)
    for (size_t j = 0; j + 1 < b->ny; ++j)
      for (size_t i = 0; i + 1 < b->nx; ++i, tetrahedron += 4 * TETRAHEDRA_A_CUBE) {
        int32_t corner[8];
        for (size_t c = 0; c < 8; ++c)
          corner[c] = (int32_t)(i + (c & 1) + (j + (c >> 1 & 1)) * row + (k + (c >> 2)) * layer);
        fill_cube(corner, (i + j + k) % 2 == 1, tetrahedron);
      }
}

static bool join(const sb_options *options, const box *b, sb_pose *pose, int32_t *tetrahedron)
{
  const sb_cells cells = {SB_TETRAHEDRA, TETRAHEDRA_A_CUBE * ASPECT * b->cubes * b->cubes * b->cubes, tetrahedron};
  fill_box(b, tetrahedron);
  return sb_pose_add_edges(pose, 1, &cells, sb_scene_stiffness(options, SB_STRUCTURAL)) &&
         sb_surface_of_tetrahedra(pose->vertices, pose->position, cells.cells, tetrahedron, &pose->triangles,
                                  &pose->triangle);
}

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  const box    b = box_of(options);
  const size_t cubes = ASPECT * b.cubes * b.cubes * b.cubes;
  int32_t     *tetrahedron = NULL;
  bool         good = sb_pose_allocate(pose, b.nx * b.ny * b.ny);
  if (good) tetrahedron = malloc(4 * TETRAHEDRA_A_CUBE * cubes * sizeof *tetrahedron);
  if (tetrahedron) place_vertices(&b, SB_REAL(options, extent), pose->position);
  good = tetrahedron && join(options, &b, pose, tetrahedron);
  free(tetrahedron);
  return good || sb_scene_too_large(options, diagnostics);
}

static double vertices(const sb_options *options)
{
  if (!SB_HAS(options, grid)) return 0;
  const box b = box_of(options);
  return (double)b.nx * (double)b.ny * (double)b.ny;
}

const sb_scene sb_scene_bar = {
    .name = "bar",
    .summary = "a bar of (5 x 1 x 1) grid cubes of five tetrahedra, their edges springs, clamped at x = 0",
    .origin = "Newton/PD report",
    .defaults = "extent=1 grid=2 stiffness=1e4 total_mass=1 gravity=[0,0,-9.8] pins=min_x integrator=implicit_euler "
                "h=0.01 duration=1",
    .uses = "extent grid stiffness young total_mass vertex_mass",
    .build = build,
    .vertices = vertices,
};
