/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions with which readers of mesh files build a mesh; see mesh_format.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/mesh/mesh_format.h"

static const double farthest = 1e12;

/* Room for one more item of `size` bytes; false with E215 if there is none. */
static bool reserve(sb_mesh_text *text, void **items, size_t count, size_t *capacity, size_t size)
{
  if (count < *capacity) return true;
  const size_t larger = *capacity > 0 ? *capacity + *capacity / 2 : 64;
  void        *moved = count < INT32_MAX ? realloc(*items, larger * size) : NULL;
  if (!moved)
    return sb_text_error(text, "E215",
                         "the mesh does not fit into memory, or has more than 2^31 - 1 vertices or edges");
  *items = moved;
  *capacity = larger;
  return true;
}

bool sb_mesh_add_vertex(sb_mesh_text *text, sb_mesh *mesh, const double position[3])
{
  for (int c = 0; c < 3; ++c)
    if (!(fabs(position[c]) <= farthest))
      return sb_text_error(text, "E203", "coordinate %c = %g is beyond 1e12", "xyz"[c], position[c]);
  if (!reserve(text, (void **)&mesh->position, mesh->vertices, &mesh->vertices_capacity, 3 * sizeof(double)))
    return false;
  for (size_t c = 0; c < 3; ++c) mesh->position[3 * mesh->vertices + c] = position[c];
  mesh->vertices++;
  return true;
}

bool sb_mesh_add_mass(sb_mesh_text *text, sb_mesh *mesh, double mass)
{
  const size_t vertex = mesh->vertices - 1;
  if (!(mass > 0.0 && mass <= farthest))
    return sb_text_error(text, "E211", "vertex mass %g is out of range (0,1e12]", mass);
  if (vertex % 1024 == 0 || !mesh->mass) {
    double *masses = realloc(mesh->mass, (vertex + 1024) * sizeof *masses);
    if (!masses) return sb_text_error(text, "E215", "the masses do not fit into memory");
    mesh->mass = masses;
  }
  mesh->mass[vertex] = mass;
  return true;
}

bool sb_mesh_add_line(sb_mesh_text *text, sb_mesh *mesh, int32_t first, int32_t second)
{
  if (first == second)
    return sb_text_error(text, "E202", "an edge from a vertex to itself (number %" PRId32 ", counted from 0)", first);
  if (!reserve(text, (void **)&mesh->line, mesh->lines, &mesh->lines_capacity, 2 * sizeof(int32_t))) return false;
  mesh->line[2 * mesh->lines] = first;
  mesh->line[2 * mesh->lines + 1] = second;
  mesh->lines++;
  return true;
}

static bool add_triangle(sb_mesh_text *text, sb_mesh *mesh, int32_t a, int32_t b, int32_t c)
{
  if (a == b || b == c || c == a) return true;
  if (!reserve(text, (void **)&mesh->triangle, mesh->triangles, &mesh->triangles_capacity, 3 * sizeof(int32_t)))
    return false;
  int32_t *corner = mesh->triangle + 3 * mesh->triangles++;
  corner[0] = a;
  corner[1] = b;
  corner[2] = c;
  return true;
}

#define SKIP_DEGENERATE "; give skip_degenerate=true to leave such faces and cells out"

/* Adds a polygon without those corners that are the one before, or nothing if fewer than three are left. */
static bool add_cut_polygon(sb_mesh_text *text, sb_mesh *mesh, size_t corners, const int32_t *corner)
{
  int32_t *kept = malloc(corners * sizeof *kept);
  size_t   count = 0;
  if (!kept) return sb_text_error(text, "E215", "the face does not fit into memory");
  for (size_t i = 0; i < corners; ++i)
    if (corner[i] != corner[(i + 1) % corners]) kept[count++] = corner[i];
  mesh->degenerate++;
  const bool good = count < 3 || sb_mesh_add_polygon(text, mesh, count, kept);
  free(kept);
  return good;
}

bool sb_mesh_add_polygon(sb_mesh_text *text, sb_mesh *mesh, size_t corners, const int32_t *corner)
{
  if (corners < 3) return sb_text_error(text, "E202", "a face of %zu corners; it needs 3", corners);
  for (size_t i = 0; i < corners; ++i) {
    if (corner[i] != corner[(i + 1) % corners]) continue;
    if (mesh->skips_degenerate) return add_cut_polygon(text, mesh, corners, corner);
    return sb_text_error(text, "E202",
                         "an edge from a vertex to itself (number %" PRId32 ", counted from 0)" SKIP_DEGENERATE,
                         corner[i]);
  }
  for (size_t i = 0; i < corners; ++i)
    if (!sb_mesh_add_line(text, mesh, corner[i], corner[(i + 1) % corners])) return false;
  size_t least = 0;
  for (size_t i = 1; i < corners; ++i)
    if (corner[i] < corner[least]) least = i;
  for (size_t i = 1; i + 1 < corners; ++i)
    if (!add_triangle(text, mesh, corner[least], corner[(least + i) % corners], corner[(least + i + 1) % corners]))
      return false;
  return true;
}

bool sb_mesh_add_tetrahedron(sb_mesh_text *text, sb_mesh *mesh, const int32_t corner[4])
{
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j)
      if (corner[i] == corner[j]) {
        mesh->degenerate += mesh->skips_degenerate;
        return mesh->skips_degenerate ||
               sb_text_error(text, "E202",
                             "a tetrahedron with a vertex twice (number %" PRId32 ", counted from 0)" SKIP_DEGENERATE,
                             corner[i]);
      }
  if (!reserve(text, (void **)&mesh->tetrahedron, mesh->tetrahedra, &mesh->tetrahedra_capacity, 4 * sizeof(int32_t)))
    return false;
  for (size_t i = 0; i < 4; ++i) mesh->tetrahedron[4 * mesh->tetrahedra + i] = corner[i];
  mesh->tetrahedra++;
  return true;
}

bool sb_mesh_vertex(sb_mesh_text *text, int64_t number, int64_t base, size_t count, int32_t *vertex)
{
  const int64_t last = base + (int64_t)count - 1;
  if (number < base || number > last)
    return sb_text_error(text, "E202", "there is no vertex %" PRId64 "; the file has %" PRId64 " to %" PRId64, number,
                         base, last);
  *vertex = (int32_t)(number - base);
  return true;
}

bool sb_mesh_count(sb_mesh_text *text, const char *what, int64_t count, size_t least)
{
  if (count < 0) return sb_text_error(text, "E201", "the number of %s is negative: %" PRId64, what, count);
  if (count > INT32_MAX)
    return sb_text_error(text, "E201", "%" PRId64 " %s; at most 2147483647 are allowed", count, what);
  const size_t left = (size_t)(text->end - text->at);
  if ((size_t)count <= left / least) return true;
  return sb_text_error(text, "E201", "%" PRId64 " %s, but the rest of the file holds %zu bytes", count, what, left);
}

enum { CORNERS_MAX = 4 };
typedef struct {
  int32_t corner[CORNERS_MAX]; /* in ascending order */
  size_t  number;
} cell;

static int compare_cells(const void *left, const void *right)
{
  const cell *a = left, *b = right;
  const int   order = memcmp(a->corner, b->corner, sizeof a->corner);
  return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

static cell sorted_cell(size_t corners, const int32_t *corner, size_t number)
{
  cell sorted = {.number = number};
  for (size_t i = 0; i < corners; ++i) {
    size_t at = i;
    for (; at > 0 && sorted.corner[at - 1] > corner[i]; --at) sorted.corner[at] = sorted.corner[at - 1];
    sorted.corner[at] = corner[i];
  }
  return sorted;
}

/* Keeps the first of several cells with the same corners. False if memory is out. */
static bool keep_distinct(size_t corners, size_t *cells, int32_t *corner)
{
  const size_t all = *cells;
  cell        *sorted = malloc((all ? all : 1) * sizeof *sorted);
  bool        *repeats = calloc(all ? all : 1, sizeof *repeats);
  const bool   good = sorted && repeats;
  if (good) {
    for (size_t c = 0; c < all; ++c) sorted[c] = sorted_cell(corners, corner + corners * c, c);
    qsort(sorted, all, sizeof *sorted, compare_cells);
    for (size_t c = 1; c < all; ++c)
      repeats[sorted[c].number] = memcmp(sorted[c].corner, sorted[c - 1].corner, sizeof sorted[c].corner) == 0;
    *cells = 0;
    for (size_t c = 0; c < all; ++c)
      if (!repeats[c]) memmove(corner + corners * (*cells)++, corner + corners * c, corners * sizeof *corner);
  }
  free(sorted);
  free(repeats);
  return good;
}

bool sb_mesh_drop_repeats(const sb_mesh_input *input, sb_mesh *mesh)
{
  const sb_location whole = {input->path, 0, 0};
  const size_t      triangles = mesh->triangles, tetrahedra = mesh->tetrahedra;
  if (!keep_distinct(3, &mesh->triangles, mesh->triangle) || !keep_distinct(4, &mesh->tetrahedra, mesh->tetrahedron))
    return sb_error_at(input->diagnostics, whole, "E215", "the mesh does not fit into memory");
  if (mesh->triangles < triangles)
    sb_warning_at(input->diagnostics, whole, "W219",
                  "%zu of %zu triangles repeat the corners of an earlier one and were dropped",
                  triangles - mesh->triangles, triangles);
  if (mesh->tetrahedra < tetrahedra)
    sb_warning_at(input->diagnostics, whole, "W219",
                  "%zu of %zu tetrahedra repeat the corners of an earlier one and were dropped",
                  tetrahedra - mesh->tetrahedra, tetrahedra);
  return true;
}
