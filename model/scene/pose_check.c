/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of a finished pose: the answers to bad nets that docs/robustness.md lists. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/contact/pair_finder.h"
#include "model/maths/half_spaces.h"
#include "model/mesh/surface_mesh.h"
#include "model/particles/fluid.h"
#include "model/scene/build.h"

static const double position_max = 1e12;     /* m: beyond, differences of coordinates lose a millimetre */
static const double rest_ratio_min = 1e-9;   /* of the length in the pose */
static const double spread_max = 1e12;       /* of masses, of stiffnesses */
static const double conditioning_max = 1e14; /* of h^2 k/m */
static const double rounding_max = 1e-4;     /* of single precision, in shortest rest lengths */

/* The argument of every check. */
typedef struct {
  const sb_pose    *pose;
  const sb_options *options;
  sb_diagnostics   *diagnostics;
  sb_pose_facts    *facts; /* of the checks of a case */
} subject;

static sb_location scene_of(const subject *c) { return sb_options_blame(c->options, SB_ID(scene)); }

/* Numbers in the net of a vertex and of a spring of the pose, as messages have them. */
static size_t vertex_of(const subject *c, size_t vertex) { return c->pose->slab.first_vertex + vertex; }
static size_t spring_of(const subject *c, size_t spring) { return c->pose->slab.first_spring + spring; }

static size_t end_of(const subject *c, size_t spring, int end)
{
  return vertex_of(c, (size_t)c->pose->ends[2 * spring + (size_t)end]);
}

static bool everywhere(const subject *c, bool good) { return sb_pose_everywhere(c->pose, good); }

/* The sum of counts over all slabs; each counts only the parts that it owns. */
static void sum_counts(const subject *c, int kinds, size_t *count)
{
  double values[2];
  for (int k = 0; k < kinds; ++k) values[k] = (double)count[k];
  sb_pose_sum(c->pose, kinds, values);
  for (int k = 0; k < kinds; ++k) count[k] = (size_t)values[k];
}

/* The least and the largest value over all slabs. */
static void find_range(const subject *c, double *least, double *largest)
{
  double values[2] = {-*least, *largest};
  sb_pose_largest(c->pose, 2, values);
  *least = -values[0];
  *largest = values[1];
}

static bool is_in(sb_range range, size_t number) { return number - range.first < range.count; }

static bool check_positions(const subject *c)
{
  static const char axes[] = "xyz";
  bool              good = true;
  for (size_t i = 0; i < 3 * c->pose->vertices; ++i) {
    const double x = c->pose->position[i];
    if (fabs(x) <= position_max) continue;
    good = sb_error_at(c->diagnostics, scene_of(c), "E203",
                       "%c of vertex %zu is not a number up to 1e12 m in size; got %g", axes[i % 3],
                       vertex_of(c, i / 3), x);
  }
  return everywhere(c, good);
}

static bool check_masses(const subject *c)
{
  double least = INFINITY, largest = 0.0;
  bool   good = true;
  for (size_t i = 0; i < c->pose->vertices; ++i) {
    const double mass = c->pose->mass[i];
    if (!(mass > 0.0 && isfinite(mass)))
      good = sb_error_at(c->diagnostics, scene_of(c), "E211", "vertex %zu has the mass %g kg; a mass is more than 0",
                         vertex_of(c, i), mass);
    least = fmin(least, mass);
    largest = fmax(largest, mass);
  }
  good = everywhere(c, good);
  find_range(c, &least, &largest);
  if (good && largest > spread_max * least)
    sb_warning_at(c->diagnostics, scene_of(c), "W211",
                  "masses from %g to %g kg have a ratio of %.1g: linear systems keep few digits", least, largest,
                  largest / least);
  return good;
}

static double spring_length(const sb_pose *pose, size_t s)
{
  const int32_t *end = pose->ends + 2 * s;
  const double  *a = pose->position + 3 * (size_t)end[0], *b = pose->position + 3 * (size_t)end[1];
  const double   x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return sqrt(x * x + y * y + z * z);
}

/* E204, for a spring of length 0. */
static bool refuse_no_length(const subject *c, size_t s)
{
  return sb_error_at(c->diagnostics, sb_options_blame(c->options, SB_ID(amplitude)), "E204",
                     "spring %zu between vertices %zu and %zu has no length and therefore no direction; move them "
                     "apart, or give allow_zero_length=true%s",
                     spring_of(c, s), end_of(c, s, 0), end_of(c, s, 1),
                     c->pose->rest_length[s] > 0.0 ? "" : " and allow_zero_rest=true, or another rest length");
}

static bool check_rest_length(const subject *c, size_t s, double length)
{
  const double rest = c->pose->rest_length[s];
  if (rest > 0.0 && isfinite(rest) && rest >= rest_ratio_min * length) return true;
  const bool small = rest >= 0.0 && isfinite(rest);
  if (small && SB_FLAG(c->options, allow_zero_rest)) return true;
  return sb_error_at(c->diagnostics, scene_of(c), "E205",
                     "spring %zu between vertices %zu and %zu of length %g m has the rest length %g m; a rest length "
                     "is more than 0 and 1e-9 lengths%s",
                     spring_of(c, s), end_of(c, s, 0), end_of(c, s, 1), length, rest,
                     small ? ", or give allow_zero_rest=true" : "");
}

static bool check_stiffness(const subject *c, size_t s)
{
  const double stiffness = c->pose->stiffness[s];
  if (stiffness >= 0.0 && isfinite(stiffness)) return true;
  return sb_error_at(c->diagnostics, scene_of(c), "E205", "spring %zu of rest length %g m has the stiffness %g N/m%s",
                     spring_of(c, s), c->pose->rest_length[s], stiffness,
                     SB_HAS(c->options, young) ? "; give stiffness instead of young" : "");
}

static bool check_springs(const subject *c)
{
  const bool    may_be_short = SB_FLAG(c->options, allow_zero_length);
  const sb_slab slab = sb_pose_slab(c->pose);
  size_t        count[2] = {0, 0}; /* short ones, slack ones */
  bool          good = true;
  for (size_t s = 0; s < c->pose->springs; ++s) {
    const int32_t *end = c->pose->ends + 2 * s;
    const double   length = spring_length(c->pose, s);
    if (end[0] == end[1]) {
      good = sb_error_at(c->diagnostics, scene_of(c), "E202", "spring %zu joins vertex %zu with itself",
                         spring_of(c, s), end_of(c, s, 0));
      continue;
    }
    count[0] += length == 0.0 && is_in(slab.own_springs, s);
    count[1] += c->pose->rest_length[s] == 0.0 && is_in(slab.own_springs, s);
    good = (length == 0.0 && !may_be_short ? refuse_no_length(c, s) : check_rest_length(c, s, length)) && good;
    good = check_stiffness(c, s) && good;
  }
  good = everywhere(c, good);
  sum_counts(c, 2, count);
  if (good && count[0] > 0)
    sb_warning_at(c->diagnostics, sb_options_blame(c->options, SB_ID(allow_zero_length)), "W204",
                  "%zu of %zu springs have no length at the start: they have no force until their ends separate",
                  count[0], slab.springs);
  if (good && count[1] > 0)
    sb_warning_at(c->diagnostics, sb_options_blame(c->options, SB_ID(allow_zero_rest)), "W205",
                  "%zu of %zu springs have rest length 0: they are linear and always pull", count[1], slab.springs);
  return good;
}

static bool check_distinct(const subject *c)
{
  int32_t *order = NULL;
  bool     good = true;
  good = sb_pose_order_springs(c->pose, &order) || sb_scene_too_large(c->options, c->diagnostics);
  for (size_t i = 1; order && i < c->pose->springs; ++i) {
    const int32_t *end = c->pose->ends + 2 * (size_t)order[i];
    if (sb_pose_compare_ends(c->pose->ends + 2 * (size_t)order[i - 1], end) != 0) continue;
    good = sb_error_at(c->diagnostics, scene_of(c), "E206",
                       "springs %zu and %zu both join vertices %zu and %zu; give merge_duplicates=true to add their "
                       "stiffnesses",
                       spring_of(c, (size_t)order[i - 1]), spring_of(c, (size_t)order[i]),
                       end_of(c, (size_t)order[i], 0), end_of(c, (size_t)order[i], 1));
  }
  free(order);
  return everywhere(c, good);
}

/* The first vertex of the part that a vertex belongs to, with shorter ways from now on. */
static int32_t first_of(int32_t *part, int32_t vertex)
{
  while (part[vertex] != vertex) vertex = part[vertex] = part[part[vertex]];
  return vertex;
}

enum { PARTS = 1, SURFACE = 2, NEAREST = 4, COVER = 8, RATE = 16 }; /* known facts */

/* False if memory is out. */
static bool find_parts(const sb_pose *pose, sb_pose_facts *facts)
{
  enum { SPRING = 1, PIN = 2 };
  int32_t *part = malloc(pose->vertices * sizeof *part);
  uint8_t *has = calloc(pose->vertices, sizeof *has); /* of the first vertex of each part */
  for (size_t i = 0; part && i < pose->vertices; ++i) part[i] = (int32_t)i;
  for (size_t s = 0; part && s < pose->springs; ++s) {
    const int32_t a = first_of(part, pose->ends[2 * s]), b = first_of(part, pose->ends[2 * s + 1]);
    part[a > b ? a : b] = a > b ? b : a;
  }
  const bool good = part && has;
  for (size_t s = 0; good && s < pose->springs; ++s) has[first_of(part, pose->ends[2 * s])] |= SPRING;
  for (size_t i = 0; good && i < pose->vertices; ++i)
    if (pose->pinned[i]) has[first_of(part, (int32_t)i)] |= PIN;
  for (size_t i = pose->vertices; good && i-- > 0;) {
    facts->parts += (has[i] & SPRING) != 0;
    if (has[i] != SPRING) continue;
    facts->loose++;
    facts->first_loose = i;
  }
  free(part);
  free(has);
  return good;
}

/* Parts that springs join are often a mistake of a mesh file: faces that share places, not vertices. A vertex without a
 * spring has a warning of its own. Driver statics refuses such parts. Slabs are of nets that are one part. False if
 * memory is out. */
static bool warn_of_parts(const subject *c)
{
  sb_pose_facts *facts = c->facts;
  if (!sb_options_read(c->options, SB_ID(integrator)) || c->pose->slab.team) return true;
  if (!(facts->known & PARTS) && !find_parts(c->pose, facts)) return sb_scene_too_large(c->options, c->diagnostics);
  facts->known |= PARTS;
  if (facts->parts > 1 && facts->loose > 0)
    sb_warning_at(c->diagnostics, scene_of(c), "W221",
                  "springs join the net to %zu separate parts, and %zu of them have no pinned vertex, first that of "
                  "vertex %zu; nothing holds them. If this is not intended, give faces common vertices, or pins",
                  facts->parts, facts->loose, facts->first_loose);
  return true;
}

static bool check_vertices(const subject *c)
{
  const sb_pose *pose = c->pose;
  const sb_slab  slab = sb_pose_slab(pose);
  bool          *joined = calloc(pose->vertices, sizeof *joined);
  size_t         count[2] = {0, 0}; /* pinned, isolated */
  if (!everywhere(c, joined || sb_scene_too_large(c->options, c->diagnostics))) {
    free(joined);
    return false;
  }
  for (size_t e = 0; e < 2 * pose->springs; ++e) joined[pose->ends[e]] = true;
  for (size_t i = slab.own_vertices.first; i < slab.own_vertices.first + slab.own_vertices.count; ++i) {
    count[0] += pose->pinned[i];
    count[1] += !joined[i];
  }
  free(joined);
  sum_counts(c, 2, count);
  const sb_scene *scene = sb_scene_find(SB_TEXT(c->options, scene));
  if (count[1] > 0 && !(scene && scene->particles))
    sb_warning_at(c->diagnostics, scene_of(c), "W207", "%zu of %zu vertices have no spring", count[1], slab.vertices);
  if (count[0] < slab.vertices) return true;
  return sb_error_at(c->diagnostics, sb_options_blame(c->options, SB_ID(pins)), "E209",
                     "all %zu vertices are pinned, so nothing can move; leave some free", slab.vertices);
}

static void warn_of_slack(const subject *c)
{
  const sb_slab slab = sb_pose_slab(c->pose);
  size_t        slack = 0;
  double        least = INFINITY, largest = 0.0;
  for (size_t s = 0; s < c->pose->springs; ++s) {
    const double stiffness = c->pose->stiffness[s];
    slack += !(stiffness > 0.0) && is_in(slab.own_springs, s);
    largest = fmax(largest, stiffness);
    if (stiffness > 0.0) least = fmin(least, stiffness);
  }
  sum_counts(c, 1, &slack);
  find_range(c, &least, &largest);
  const sb_location where = sb_options_blame(c->options, SB_ID(stiffness));
  if (slack > 0)
    sb_warning_at(c->diagnostics, where, "W217", "%zu of %zu springs have stiffness 0 and no effect", slack,
                  slab.springs);
  if (largest > spread_max * least)
    sb_warning_at(c->diagnostics, where, "W212",
                  "stiffnesses from %g to %g N/m have a ratio of %.1g: linear systems keep few digits", least, largest,
                  largest / least);
}

/* Finds the two parts of the net without a common vertex that are nearest to each other, up to half the shortest edge.
 */
static bool find_nearest(sb_pair_finder *finder, const double *position, sb_pose_facts *facts)
{
  size_t         count;
  const sb_pair *pair;
  facts->nearest = INFINITY;
  if (!sb_pair_finder_find(finder, position, position, 0.5 * facts->shortest * (1 + 1e-9), &count, &pair)) return false;
  for (size_t k = 0; k < count; ++k) {
    double x[4][3], weight[4];
    for (int i = 0; i < 4; ++i) memcpy(x[i], position + 3 * (size_t)pair[k].vertex[i], sizeof x[i]);
    const double distance = sqrt(sb_pair_distance2(pair[k].kind, x, weight));
    if (!(distance < facts->nearest)) continue;
    facts->nearest = distance;
    facts->nearest_kind = (int)pair[k].kind;
    memcpy(facts->nearest_vertex, pair[k].vertex, sizeof facts->nearest_vertex);
  }
  return true;
}

static bool refuse_nearest(const subject *c)
{
  const sb_pose_facts *facts = c->facts;
  const int           *v = facts->nearest_vertex;
  char                 parts[128];
  if (facts->nearest_kind == SB_VERTEX_TRIANGLE)
    snprintf(parts, sizeof parts, "vertex %d and triangle %d %d %d", v[0], v[1], v[2], v[3]);
  else
    snprintf(parts, sizeof parts, "edges %d-%d and %d-%d", v[0], v[1], v[2], v[3]);
  return sb_error_at(
      c->diagnostics, sb_options_blame(c->options, SB_ID(thickness)), "E218",
      "self_contact 'barrier' repels parts of the net that are nearer than thickness, %g m, but %s are %.6g m apart at "
      "the start; %s",
      SB_REAL(c->options, thickness), parts, facts->nearest,
      facts->nearest > 0
          ? "choose a thickness below that for a net that starts at rest"
          : "a barrier cannot separate parts that start in one place: drop one of the faces, or move it");
}

/* Finds the wanted facts about the surface. False if memory is out. */
static bool know_surface(const subject *c, unsigned wanted)
{
  sb_pose_facts *facts = c->facts;
  const sb_pose *pose = c->pose;
  double         longest;
  if ((facts->known & wanted) == wanted) return true;
  sb_surface *surface = sb_surface_create(pose->vertices, pose->triangles, pose->triangle);
  if (surface) sb_surface_edge_range(surface, pose->position, &facts->shortest, &longest);
  sb_pair_finder *finder = surface ? sb_pair_finder_create(surface) : NULL;
  bool            good = finder != NULL;
  if (good && !(facts->known & SURFACE)) facts->cuts = sb_pair_finder_intersections(finder, pose->position);
  good = good && facts->cuts >= 0 && (!(wanted & NEAREST) || find_nearest(finder, pose->position, facts));
  sb_pair_finder_destroy(&finder);
  sb_surface_destroy(&surface);
  if (good) facts->known |= wanted;
  return good;
}

/* The conditions of contact of surfaces: faces that do not intersect and are farther apart, along the net, than the
 * thickness. */
static bool check_surface(const subject *c)
{
  const sb_pose_facts *facts = c->facts;
  const char          *name = SB_TEXT(c->options, self_contact);
  const sb_location    where = sb_options_blame(c->options, SB_ID(self_contact));
  const double         thickness = SB_REAL(c->options, thickness);
  const bool           repels = SB_IS(c->options, self_contact, "barrier");
  if (!SB_IS(c->options, self_contact, "surfaces") && !repels) return true;
  if (c->pose->triangles == 0)
    return sb_error_at(c->diagnostics, where, "E218",
                       "self_contact '%s' needs faces, and this scene has none; choose self_contact=vertices", name);
  if (!know_surface(c, SURFACE | (repels ? NEAREST : 0))) return sb_scene_too_large(c->options, c->diagnostics);
  const double widest = 0.5 * facts->shortest * (1 + 1e-9); /* half the shortest edge, as users compute it */
  if (facts->cuts > 0)
    return sb_error_at(c->diagnostics, where, "E218",
                       "self_contact '%s' needs faces that are separate at the start, but % " PRId64
                       " pairs of triangles intersect at the start; choose self_contact=vertices, or another pose",
                       name, facts->cuts);
  if (repels && thickness <= widest && facts->nearest < thickness * (1 - 1e-9)) return refuse_nearest(c);
  if (thickness <= widest) return true;
  return sb_error_at(c->diagnostics, sb_options_blame(c->options, SB_ID(thickness)), "E218",
                     "self_contact '%s' allows a thickness of at most half the shortest edge, %.6g m, so that a sheet "
                     "at rest does not touch itself; got %g m",
                     name, 0.5 * facts->shortest, thickness);
}

/* The step of the options; 0 if they do not have one yet. */
static double step_of(const sb_options *options)
{
  if (SB_HAS(options, h)) return SB_REAL(options, h);
  if (!SB_HAS(options, substeps) || !SB_HAS(options, frame_seconds)) return 0.0;
  return SB_REAL(options, frame_seconds) / (double)SB_INTEGER(options, substeps);
}

/* h^2 k/m, the condition number of M + h^2 L up to a factor of the net: beyond 1e14 no digit of a solve is certain. */
static void warn_of_conditioning(const subject *c)
{
  const double   h = step_of(c->options);
  sb_pose_facts *facts = c->facts;
  for (size_t s = 0; !(facts->known & RATE) && s < c->pose->springs; ++s) {
    const int32_t *end = c->pose->ends + 2 * s;
    facts->rate = fmax(facts->rate, c->pose->stiffness[s] / fmin(c->pose->mass[end[0]], c->pose->mass[end[1]]));
  }
  if (!(facts->known & RATE)) sb_pose_largest(c->pose, 1, &facts->rate);
  facts->known |= RATE;
  if (h * h * facts->rate > conditioning_max && sb_options_read(c->options, SB_ID(minimizer)))
    sb_warning_at(c->diagnostics, sb_options_blame(c->options, SB_ID(h)), "W212",
                  "h^2 k/m is %.1e: implicit steps keep few digits; use a smaller step", h * h * facts->rate);
}

/* Fluids that an integrator moves: every integrator has explicit viscosity. */
static void warn_of_viscosity(const subject *c)
{
  const sb_scene *scene = sb_scene_find(SB_TEXT(c->options, scene));
  if (!scene || !scene->particles || !sb_options_read(c->options, SB_ID(integrator))) return;
  const double h = step_of(c->options), limit = sb_fluid_viscous_limit(c->options);
  if (h > limit)
    sb_warning_at(
        c->diagnostics, sb_options_blame(c->options, SB_ID(h)), "W220",
        "h %g s is above the limit of explicit viscosity, %.3g s on a lattice: velocities may grow; use a smaller step",
        h, limit);
}

/* Air resists faces. */
static bool check_faces(const subject *c)
{
  if (!(SB_REAL(c->options, air_resistance) > 0.0) || sb_pose_slab(c->pose).triangles > 0) return true;
  return sb_error_at(c->diagnostics, sb_options_blame(c->options, SB_ID(air_resistance)), "E106",
                     "air_resistance acts on faces, and scene '%s' has none; use drag", SB_TEXT(c->options, scene));
}

/* Contact of vertices keeps layers apart only if the balls around them cover the triangles between. This is required of
 * nets that an integrator moves, since no others have such contact. */
static void warn_of_holes(const subject *c)
{
  const double   thickness = SB_REAL(c->options, thickness);
  const sb_pose *pose = c->pose;
  sb_pose_facts *facts = c->facts;
  if (!SB_IS(c->options, self_contact, "vertices") || !sb_options_read(c->options, SB_ID(integrator))) return;
  if (!(facts->known & COVER)) facts->cover = sb_triangles_cover(pose->triangles, pose->triangle, pose->position);
  facts->known |= COVER;
  if (thickness < facts->cover)
    sb_warning_at(
        c->diagnostics, sb_options_blame(c->options, SB_ID(thickness)), "W218",
        "thickness %g m does not cover triangles, whose points are up to %.3g m from their corners: layers can pass "
        "through each other; use more, with a margin for stretched triangles, or self_contact=surfaces",
        thickness, facts->cover);
}

/* A filter, and friction, act on at most this many colliders at one vertex (model/contact/contact_filter.c). */
static void warn_of_colliders(const subject *c)
{
  size_t     count;
  const bool filters = SB_IS(c->options, contact, "cancel_velocity") || SB_IS(c->options, contact, "combined");
  const bool rubs = SB_IS(c->options, contact, "penalty") && SB_REAL(c->options, friction) > 0.0;
  SB_COMPOSITES(c->options, collider, &count);
  if (count > SB_HALF_SPACES_MAX && (filters || rubs))
    sb_warning_at(c->diagnostics, sb_options_blame(c->options, SB_ID(collider)), "W223",
                  "of %zu colliders at most %d hold one vertex at once, the first in this order; where more overlap, "
                  "vertices may pass through the others",
                  count, SB_HALF_SPACES_MAX);
}

/* A float has 24 bits: far from the origin those of a coordinate no longer resolve the length of a spring. */
static void warn_of_rounding(const subject *c)
{
  const sb_pose *pose = c->pose;
  double         least = INFINITY, largest = 0;
  if (!SB_IS(c->options, precision, "single") || !sb_options_read(c->options, SB_ID(precision))) return;
  for (size_t i = 0; i < 3 * pose->vertices; ++i) largest = fmax(largest, fabs(pose->position[i]));
  for (size_t s = 0; s < pose->springs; ++s)
    if (pose->rest_length[s] > 0.0) least = fmin(least, pose->rest_length[s]);
  find_range(c, &least, &largest);
  const double rounding = largest * FLT_EPSILON / 2;
  if (rounding > rounding_max * least)
    sb_warning_at(c->diagnostics, sb_options_blame(c->options, SB_ID(precision)), "W224",
                  "single precision rounds coordinates of up to %.3g m by %.1e m, %.1e of the shortest spring: lengths "
                  "and energies keep few digits; move the scene to the origin, or use precision=double",
                  largest, rounding, rounding / least);
}

bool sb_pose_check(const sb_pose *pose, const sb_options *options, sb_diagnostics *diagnostics)
{
  const subject c = {.pose = pose, .options = options, .diagnostics = diagnostics};
  bool          good = check_positions(&c);
  good = check_masses(&c) && good;
  good = good && check_springs(&c); /* lengths that are not finite do not count */
  good = check_vertices(&c) && good;
  if (good) warn_of_slack(&c);
  return good && check_distinct(&c);
}

bool sb_scene_check(const sb_options *options, const sb_pose *pose, sb_pose_facts *facts, sb_diagnostics *diagnostics)
{
  const subject c = {pose, options, diagnostics, facts};
  bool          good = check_surface(&c);
  good = check_faces(&c) && good;
  if (!good) return false;
  warn_of_conditioning(&c);
  warn_of_holes(&c);
  warn_of_viscosity(&c);
  warn_of_colliders(&c);
  warn_of_rounding(&c);
  return warn_of_parts(&c);
}
