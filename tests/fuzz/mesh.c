/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mesh files of one format, FUZZ_FORMAT. An accepted file has vertex numbers in range, finite positions, masses for all
 * vertices or none, no more entries than its bytes can hold, and edges that a system can be made of. A refused file has
 * one message. A format of two files has both in the input, with a line "%%" between them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/mesh/edges.h"
#include "model/mesh/mesh_format.h"
#include "tests/fuzz/fuzz.h"

extern const sb_mesh_format FUZZ_FORMAT;

static void check_ids(const sb_mesh *mesh, const int32_t *id, size_t cells, size_t corners)
{
  for (size_t i = 0; i < cells * corners; ++i)
    fuzz_require(id[i] >= 0 && (size_t)id[i] < mesh->vertices, "vertex numbers are in range");
  for (size_t i = 0; i < cells; ++i)
    for (size_t a = 1; a < corners; ++a)
      for (size_t b = 0; b < a; ++b) fuzz_require(id[corners * i + a] != id[corners * i + b], "corners differ");
}

/* Triangles of a polygon whose corner returns may have it twice. */
static void check_triangles(const sb_mesh *mesh)
{
  for (size_t i = 0; i < 3 * mesh->triangles; ++i)
    fuzz_require(mesh->triangle[i] >= 0 && (size_t)mesh->triangle[i] < mesh->vertices, "corners are in range");
}

static void check_edges(const sb_mesh *mesh)
{
  const sb_cells cells[] = {{SB_LINES, mesh->lines, mesh->line}, {SB_TETRAHEDRA, mesh->tetrahedra, mesh->tetrahedron}};
  size_t         edges = 0, triangles = 0;
  int32_t       *ends = NULL, *surface = NULL;
  fuzz_require(sb_edges_of_cells(mesh->vertices, 2, cells, &edges, &ends), "edges are found");
  for (size_t i = 0; i < edges; ++i) {
    fuzz_require(ends[2 * i] < ends[2 * i + 1], "the smaller end is first");
    fuzz_require(i == 0 || ends[2 * i - 2] < ends[2 * i] || ends[2 * i - 1] < ends[2 * i + 1], "edges ascend");
  }
  fuzz_require(sb_surface_of_tetrahedra(mesh->vertices, mesh->position, mesh->tetrahedra, mesh->tetrahedron, &triangles,
                                        &surface),
               "the surface is found");
  fuzz_require(triangles <= 4 * mesh->tetrahedra, "a tetrahedron has four faces");
  free(ends);
  free(surface);
}

static void check_mesh(const sb_mesh *mesh, size_t size)
{
  for (size_t i = 0; i < 3 * mesh->vertices; ++i)
    fuzz_require(isfinite(mesh->position[i]) && fabs(mesh->position[i]) <= 1e12, "positions are finite");
  for (size_t i = 0; mesh->mass && i < mesh->vertices; ++i)
    fuzz_require(isfinite(mesh->mass[i]) && mesh->mass[i] > 0, "masses are positive");
  fuzz_require(mesh->vertices <= size && mesh->lines <= size && mesh->triangles <= size && mesh->tetrahedra <= size,
               "a record takes a byte at least");
  check_ids(mesh, mesh->line, mesh->lines, 2);
  check_ids(mesh, mesh->tetrahedron, mesh->tetrahedra, 4);
  check_triangles(mesh);
  if (mesh->lines + mesh->tetrahedra > 0) check_edges(mesh);
}

/* Returns the end of the first file. The second goes to disk, where the reader looks for it. */
static size_t split(const uint8_t *data, size_t size, char *path, size_t room)
{
  static const char mark[] = "\n%%\n";
  char              suffix[16];
  const uint8_t    *found = size > 0 ? memmem(data, size, mark, sizeof mark - 1) : NULL;
  const size_t      first = found ? (size_t)(found - data) + 1 : size, rest = found ? first + 3 : size;
  snprintf(suffix, sizeof suffix, ".%s", FUZZ_FORMAT.second_extension);
  fuzz_file(suffix, data + rest, size - rest);
  snprintf(path, room, "%s/input.%.*s", fuzz_folder(), (int)strcspn(FUZZ_FORMAT.extensions, " "),
           FUZZ_FORMAT.extensions);
  return first;
}

static void read_mesh(sb_mesh_input *input, const uint8_t *data, size_t size)
{
  sb_mesh         mesh = {0};
  sb_diagnostics *silent = sb_diagnostics_create();
  input->diagnostics = silent;
  input->bytes = fuzz_text(data, input->size);
  const bool read = FUZZ_FORMAT.read(input, &mesh);
  fuzz_require(sb_diagnostics_errors(silent) == !read, "a refusal has one message");
  if (read) check_mesh(&mesh, size);
  if (!FUZZ_FORMAT.second_extension) fuzz_require_located(silent, input->path, data, size);
  sb_mesh_clear(&mesh);
  free(input->bytes);
  sb_diagnostics_destroy(&silent);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char         path[128] = "/nowhere/mesh";
  const size_t first = FUZZ_FORMAT.second_extension ? split(data, size, path, sizeof path) : size;
  for (int64_t mass = 0; mass <= FUZZ_FORMAT.has_masses; ++mass)
    read_mesh(&(sb_mesh_input){.path = path, .size = first, .mass_attribute = mass, .where = {path, 0, 0}}, data, size);
  return 0;
}
