/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cloth exercise: an elastic shell, an icosphere of radius 0.5 about (0, 0, 1.2), falls on the plane z = 0.
 *
 * An icosahedron whose triangles are quartered `subdivisions` times, midpoints of edges pushed out to the sphere:
 * 10 4^s + 2 vertices, 30 4^s edges, 20 4^s triangles. The 12 vertices of the icosahedron come first, then those of
 * each subdivision in the order of the edges they halve, (smaller, larger) ascending. Springs are the edges in that
 * order. Mirrored points are mirrored bits: all three planes of symmetry hold until the centre is added.
 *
 * The penalty is implicit where newton can make it so, unless `contact_implicit` is given: lagged, with
 * k_c h^2/m = 64200 a step, it throws the shell kilometres high. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/scene/scene.h"

static const double radius = 0.5, height = 1.2;

/* A closed surface of triangles, counter-clockwise from outside. */
typedef struct {
  size_t   vertices, triangles, edges;
  double  *position; /* [vertices][3] on the unit sphere */
  int32_t *triangle; /* [triangles][3] */
  int32_t *ends;     /* [edges][2] distinct and sorted */
} surface;

static void clear(surface *s)
{
  free(s->position);
  free(s->triangle);
  free(s->ends);
  *s = (surface){0};
}

static void push_out(double p[3])
{
  const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  for (int c = 0; c < 3; ++c) p[c] /= length;
}

static bool find_edges(surface *s)
{
  const sb_cells cells = {SB_TRIANGLES, s->triangles, s->triangle};
  return sb_edges_of_cells(s->vertices, 1, &cells, &s->edges, &s->ends);
}

/* Corners (0, +-1, +-phi), (+-1, +-phi, 0), (+-phi, 0, +-1), phi the golden ratio. */
static bool start_icosahedron(surface *s)
{
  static const int32_t faces[20][3] = {{0, 8, 2},  {0, 2, 9},  {0, 6, 4},  {0, 4, 8},  {0, 9, 6},
                                       {1, 3, 10}, {1, 11, 3}, {1, 4, 6},  {1, 10, 4}, {1, 6, 11},
                                       {2, 5, 7},  {2, 8, 5},  {2, 7, 9},  {3, 7, 5},  {3, 5, 10},
                                       {3, 11, 7}, {4, 10, 8}, {5, 8, 10}, {6, 9, 11}, {7, 11, 9}};
  const double         phi = 0.5 * (1.0 + sqrt(5.0));
  *s = (surface){.vertices = 12, .triangles = 20};
  s->position = calloc(3 * s->vertices, sizeof *s->position);
  s->triangle = malloc(sizeof faces);
  if (!s->position || !s->triangle) return false;
  memcpy(s->triangle, faces, sizeof faces);
  for (int i = 0; i < 12; ++i) {
    double   *p = s->position + 3 * i;
    const int axis = i / 4; /* of the four corners that lack it: x, z, y */
    p[axis == 0 ? 1 : axis == 1 ? 0 : 2] = i & 2 ? 1.0 : -1.0;
    p[axis == 0 ? 2 : axis == 1 ? 1 : 0] = i & 1 ? phi : -phi;
    push_out(p);
  }
  return true;
}

static int compare_edges(const void *left, const void *right)
{
  const int32_t *a = left, *b = right;
  if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
  return (a[1] > b[1]) - (a[1] < b[1]);
}

/* The vertex that halves the edge from a to b. */
static int32_t midpoint(const surface *s, int32_t a, int32_t b)
{
  const int32_t  end[2] = {a < b ? a : b, a < b ? b : a};
  const int32_t *found = bsearch(end, s->ends, s->edges, sizeof end, compare_edges);
  return (int32_t)(s->vertices + (size_t)(found - s->ends) / 2);
}

/* Each triangle in four: its corners' first, the middle one last. */
static void quarter(const surface *s, int32_t *child)
{
  for (size_t t = 0; t < s->triangles; ++t, child += 12) {
    const int32_t *v = s->triangle + 3 * t;
    const int32_t  p = midpoint(s, v[0], v[1]), q = midpoint(s, v[1], v[2]), r = midpoint(s, v[2], v[0]);
    memcpy(child, (int32_t[]){v[0], p, r, p, v[1], q, r, q, v[2], p, q, r}, 12 * sizeof *child);
  }
}

static bool subdivide(surface *s)
{
  surface fine = {.vertices = s->vertices + s->edges, .triangles = 4 * s->triangles};
  fine.position = malloc(3 * fine.vertices * sizeof *fine.position);
  fine.triangle = malloc(3 * fine.triangles * sizeof *fine.triangle);
  bool good = fine.position && fine.triangle;
  if (good) {
    memcpy(fine.position, s->position, 3 * s->vertices * sizeof *fine.position);
    for (size_t e = 0; e < s->edges; ++e) {
      double *p = fine.position + 3 * (s->vertices + e);
      for (size_t c = 0; c < 3; ++c)
        p[c] = s->position[3 * (size_t)s->ends[2 * e] + c] + s->position[3 * (size_t)s->ends[2 * e + 1] + c];
      push_out(p);
    }
    quarter(s, fine.triangle);
    good = find_edges(&fine);
  }
  clear(s);
  *s = fine;
  return good;
}

/* Takes over the triangles. */
static bool make_pose(surface *s, double stiffness, sb_pose *pose)
{
  if (!sb_pose_allocate(pose, s->vertices) || !sb_pose_reserve(pose, s->edges)) return false;
  for (size_t i = 0; i < 3 * s->vertices; ++i)
    pose->position[i] = radius * s->position[i] + (i % 3 == 2 ? height : 0.0);
  for (size_t e = 0; e < s->edges; ++e)
    if (!sb_pose_add_spring(pose, s->ends[2 * e], s->ends[2 * e + 1], stiffness, SB_STRUCTURAL)) return false;
  pose->triangles = s->triangles;
  pose->triangle = s->triangle;
  s->triangle = NULL;
  return true;
}

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  surface s;
  bool    good = start_icosahedron(&s) && find_edges(&s);
  for (int64_t i = 0; good && i < SB_INTEGER(options, subdivisions); ++i) good = subdivide(&s);
  good = good && make_pose(&s, sb_scene_stiffness(options, SB_STRUCTURAL), pose);
  clear(&s);
  return good || sb_scene_too_large(options, diagnostics);
}

static bool derive(sb_options *options, sb_diagnostics *diagnostics)
{
  if (sb_options_origin(options, SB_ID(contact_implicit)) == SB_FROM_USER) return true;
  const bool pushes = SB_IS(options, contact, "penalty") || SB_IS(options, contact, "combined");
  const bool newton = SB_IS(options, integrator, "implicit_euler") && SB_IS(options, minimizer, "newton");
  return sb_options_set(options, SB_ID(contact_implicit), pushes && newton ? "true" : "false", SB_FROM_SCENE,
                        (sb_location){0}, diagnostics);
}

static double vertices(const sb_options *options)
{
  return SB_HAS(options, subdivisions) ? 10 * pow(4, (double)SB_INTEGER(options, subdivisions)) + 2 : 0;
}

const sb_scene sb_scene_sphere = {
    .name = "sphere",
    .summary = "an icosphere of radius 0.5, its edges springs, falling on the plane z = 0",
    .origin = "cloth exercise",
    .defaults = "subdivisions=3 stiffness=1000 total_mass=1 gravity=[0,0,-9.8] pins=none contact=combined "
                "collider=plane:point=[0,0,0],normal=[0,0,1] contact_stiffness=1e4 contact_implicit=true "
                "integrator=implicit_euler hessian=blended h=0.005 perturbation=1e-4 "
                "duration=3",
    .uses = "subdivisions stiffness young total_mass vertex_mass",
    .build = build,
    .vertices = vertices,
    .derive = derive,
};
