/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A net from a mesh file: springs are its distinct edges, sorted by (smaller vertex, larger vertex).
 *
 * Rest lengths are those of the mesh, or of `rest_mesh`. The direction of a spring is the one of warp (0 degrees), bias
 * (45) and weft (90) that is nearest to its angle to `warp_direction`, in the mesh that gives the rest lengths. */
#include <math.h>
#include <string.h>

#include "model/maths/vector3.h"
#include "model/mesh/mesh.h"
#include "model/scene/build.h"

/* Faces are the file's polygons, or the surface of its tetrahedra if it has none. */
static bool take_triangles(sb_pose *pose, sb_mesh *mesh)
{
  if (mesh->triangles == 0 && mesh->tetrahedra > 0)
    return sb_surface_of_tetrahedra(mesh->vertices, mesh->position, mesh->tetrahedra, mesh->tetrahedron,
                                    &pose->triangles, &pose->triangle);
  pose->triangles = mesh->triangles;
  pose->triangle = mesh->triangle;
  mesh->triangle = NULL;
  return true;
}

static bool fill(const sb_options *options, sb_mesh *mesh, sb_pose *pose)
{
  const sb_cells blocks[] = {{SB_LINES, mesh->lines, mesh->line}, {SB_TETRAHEDRA, mesh->tetrahedra, mesh->tetrahedron}};
  if (!sb_pose_allocate(pose, mesh->vertices)) return false;
  memcpy(pose->position, mesh->position, 3 * mesh->vertices * sizeof *pose->position);
  if (mesh->mass) memcpy(pose->mass, mesh->mass, mesh->vertices * sizeof *pose->mass);
  return take_triangles(pose, mesh) &&
         sb_pose_add_edges(pose, sizeof blocks / sizeof blocks[0], blocks, sb_scene_stiffness(options, SB_STRUCTURAL));
}

static bool read_file(const sb_options *options, sb_option_id file, sb_pose *pose, sb_diagnostics *diagnostics)
{
  const int64_t mass = file == SB_ID(mesh) ? SB_INTEGER(options, mesh_mass) : 0;
  sb_mesh       mesh = {0};
  bool          good = sb_mesh_read(sb_options_text(options, file), mass,
                                    SB_HAS(options, skip_degenerate) && SB_FLAG(options, skip_degenerate),
                                    sb_options_blame(options, file), &mesh, diagnostics);
  if (good) good = fill(options, &mesh, pose) || sb_scene_too_large(options, diagnostics);
  sb_mesh_clear(&mesh);
  return good;
}

/* Takes rest lengths from the same net at other places. E202 names the first edge that only one of the two has. */
static bool take_rest_lengths(const sb_options *options, const sb_pose *rest, sb_pose *pose,
                              sb_diagnostics *diagnostics)
{
  const sb_location where = sb_options_blame(options, SB_ID(rest_mesh));
  const char       *name = SB_TEXT(options, rest_mesh), *mesh = SB_TEXT(options, mesh);
  if (rest->vertices != pose->vertices)
    return sb_error_at(diagnostics, where, "E202", "'%s' has %zu vertices, '%s' has %zu; rest_mesh needs the same ones",
                       name, rest->vertices, mesh, pose->vertices);
  size_t s = 0;
  int    order = 0;
  while (s < rest->springs && s < pose->springs &&
         (order = sb_pose_compare_ends(pose->ends + 2 * s, rest->ends + 2 * s)) == 0)
    ++s;
  if (s < rest->springs || s < pose->springs) {
    const bool     lacks = s == rest->springs || order < 0;
    const int32_t *end = (lacks ? pose : rest)->ends + 2 * s;
    return sb_error_at(diagnostics, where, "E202",
                       "'%s' has no edge between vertices %d and %d, which '%s' has; rest_mesh needs the same edges",
                       lacks ? name : mesh, end[0], end[1], lacks ? mesh : name);
  }
  for (s = 0; s < pose->springs; ++s) pose->rest_length[s] = rest->rest_length[s];
  return true;
}

/* A spring without a length has no direction, and keeps `stiffness`. */
static void set_directions(const sb_options *options, const double *position, sb_pose *pose)
{
  const double *warp = SB_VECTOR(options, warp_direction), least = sin(acos(-1) / 8), most = cos(acos(-1) / 8);
  for (size_t s = 0; s < pose->springs; ++s) {
    const int32_t *end = pose->ends + 2 * s;
    double         d[3];
    sb_subtract(position + 3 * (size_t)end[0], position + 3 * (size_t)end[1], d);
    const double       cosine = fabs(sb_dot(d, warp)) / sqrt(sb_dot(d, d) * sb_dot(warp, warp));
    const sb_direction along = cosine > most ? SB_WARP : cosine < least ? SB_WEFT : SB_BIAS;
    if (isfinite(cosine)) pose->stiffness[s] = sb_scene_stiffness_along(options, SB_STRUCTURAL, along);
  }
}

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  sb_pose rest = {0};
  bool    good = read_file(options, SB_ID(mesh), pose, diagnostics);
  if (good && *SB_TEXT(options, rest_mesh))
    good = read_file(options, SB_ID(rest_mesh), &rest, diagnostics) &&
           take_rest_lengths(options, &rest, pose, diagnostics);
  if (good && SB_HAS(options, warp_direction))
    set_directions(options, rest.position ? rest.position : pose->position, pose);
  sb_pose_clear(&rest);
  return good;
}

/* A direction without stiffnesses along it, or these without a direction, would have no effect. */
static bool check_directions(const sb_options *options, sb_diagnostics *diagnostics)
{
  const sb_option_id along[] = {SB_ID(stiffness_warp), SB_ID(stiffness_weft), SB_ID(stiffness_bias)};
  const bool         has = SB_HAS(options, warp_direction);
  bool               any = false;
  for (int k = 0; k < SB_DIRECTIONS; ++k) {
    if (!sb_options_has(options, along[k])) continue;
    any = true;
    if (!has)
      return sb_error_at(diagnostics, sb_options_blame(options, along[k]), "E106",
                         "a mesh has no rows: '%s' needs warp_direction=[x,y,z]", sb_option_at(along[k])->name);
  }
  const double *warp = has ? SB_VECTOR(options, warp_direction) : NULL;
  if (has && !(sb_dot(warp, warp) > 0))
    return sb_error_at(diagnostics, sb_options_blame(options, SB_ID(warp_direction)), "E104",
                       "warp_direction has length 0; give a direction, as [1,0,0]");
  return any || !has ||
         sb_error_at(diagnostics, sb_options_blame(options, SB_ID(warp_direction)), "E106",
                     "warp_direction has no effect alone; give stiffness_warp, stiffness_weft or stiffness_bias");
}

/* There is no mesh without a file. Masses of the file replace the scene's total mass, but not masses from the user. */
static bool derive(sb_options *options, sb_diagnostics *diagnostics)
{
  if (*SB_TEXT(options, mesh) == '\0')
    return sb_error_at(diagnostics, sb_options_location(options, SB_ID(scene)), "E106",
                       "scene 'mesh' needs a file; give mesh=FILE");
  if (!check_directions(options, diagnostics)) return false;
  if (SB_INTEGER(options, mesh_mass) == 0) return true;
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
    if (!(sb_option_at(id)->traits & SB_STATES_MASSES)) continue;
    if (sb_options_origin(options, id) == SB_FROM_USER)
      return sb_error_at(diagnostics, sb_options_location(options, id), "E106",
                         "options 'mesh_mass' and '%s' exclude each other; give one of them", sb_option_at(id)->name);
    sb_options_unset(options, id);
  }
  return true;
}

const sb_scene sb_scene_mesh = {
    .name = "mesh",
    .summary = "vertices and distinct edges of a mesh file",
    .origin = "any mesh",
    .defaults = "stiffness=1e4 total_mass=1 gravity=[0,0,-9.8] pins=min_x integrator=implicit_euler "
                "h=0.01 duration=1",
    .uses = "mesh rest_mesh mesh_mass skip_degenerate " SB_CLOTH_USES "warp_direction young total_mass vertex_mass",
    .build = build,
    .derive = derive,
};
