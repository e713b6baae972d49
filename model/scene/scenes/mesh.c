/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A net from a mesh file: springs are its distinct edges, sorted by (smaller vertex, larger vertex). */
#include <string.h>

#include "model/mesh/mesh.h"
#include "model/scene/scene.h"

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

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  sb_mesh mesh = {0};
  bool    good = sb_mesh_read(SB_TEXT(options, mesh), SB_INTEGER(options, mesh_mass),
                              SB_HAS(options, skip_degenerate) && SB_FLAG(options, skip_degenerate),
                              sb_options_blame(options, SB_ID(mesh)), &mesh, diagnostics);
  if (good) good = fill(options, &mesh, pose) || sb_scene_too_large(options, diagnostics);
  sb_mesh_clear(&mesh);
  return good;
}

/* There is no mesh without a file. Masses of the file replace the scene's total mass, but not masses from the user. */
static bool derive(sb_options *options, sb_diagnostics *diagnostics)
{
  if (*SB_TEXT(options, mesh) == '\0')
    return sb_error_at(diagnostics, sb_options_location(options, SB_ID(scene)), "E106",
                       "scene 'mesh' needs a file; give mesh=FILE");
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
    .uses = "mesh mesh_mass skip_degenerate stiffness young total_mass vertex_mass",
    .build = build,
    .derive = derive,
};
