/* Mesh files: the first byte chooses the format, the rest is the file. What is accepted has indices in range and finite
 * positions; what is not has one message. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/mesh_format.h"
#include "tests/fuzz/fuzz.h"

static void check_ids(const sb_mesh *mesh, const int32_t *id, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    fuzz_require(id[i] >= 0 && (size_t)id[i] < mesh->vertices, "vertex numbers are in range");
}

static void check_mesh(const sb_mesh *mesh)
{
  for (size_t i = 0; i < 3 * mesh->vertices; ++i)
    fuzz_require(isfinite(mesh->position[i]) && fabs(mesh->position[i]) <= 1e12, "positions are finite");
  check_ids(mesh, mesh->line, 2 * mesh->lines);
  check_ids(mesh, mesh->triangle, 3 * mesh->triangles);
  check_ids(mesh, mesh->tetrahedron, 4 * mesh->tetrahedra);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1) return 0;
  const sb_mesh_format *format = sb_mesh_format_at(data[0] % sb_mesh_format_count());
  sb_diagnostics       *silent = sb_diagnostics_create();
  char                 *bytes = fuzz_text(data + 1, size - 1);
  sb_mesh               mesh = {0};
  const sb_mesh_input   input = {.path = "/nowhere/fuzz.node",
                                 .bytes = bytes,
                                 .size = size - 1,
                                 .mass_attribute = format->has_masses && data[0] >= 128 ? 1 : 0,
                                 .diagnostics = silent};
  const bool            read = format->read(&input, &mesh);
  if (read)
    check_mesh(&mesh);
  else
    fuzz_require(sb_diagnostics_errors(silent) > 0, "a refusal has a message");
  sb_mesh_clear(&mesh);
  free(bytes);
  sb_diagnostics_destroy(&silent);
  return 0;
}
