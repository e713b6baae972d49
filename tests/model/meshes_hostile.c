/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Damaged mesh files: every prefix of every fixture, and fixtures with bytes changed at random, are refused with one
 * located message or give a mesh that holds what mesh.h promises. Sanitizers are the rest of the test. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/mesh/mesh_format.h"
#include "tests/cmocka_all.h"

typedef struct {
  const char *format, *name;
} fixture;

static const fixture fixtures[] = {{"obj", "two.obj"},
                                   {"tetgen", "two.node"},
                                   {"tet", "two.tet"},
                                   {"stl", "two.stl"},
                                   {"stl", "two_binary.stl"},
                                   {"ply", "two.ply"},
                                   {"ply", "two_little.ply"},
                                   {"ply", "two_big.ply"},
                                   {"gmsh", "two_22.msh"},
                                   {"gmsh", "two_22_little.msh"},
                                   {"gmsh", "two_22_big.msh"},
                                   {"gmsh", "two_41.msh"},
                                   {"gmsh", "two_41_little.msh"},
                                   {"gmsh", "two_41_big.msh"},
                                   {"gmsh", "gmsh_22.msh"},
                                   {"gmsh", "gmsh_41.msh"}};
enum { FIXTURES = sizeof fixtures / sizeof fixtures[0], SIZE_MAX_FIXTURE = 4096, CHANGED = 800 };

static const sb_mesh_format *format_named(const char *name)
{
  for (size_t i = 0; i < sb_mesh_format_count(); ++i)
    if (strcmp(sb_mesh_format_at(i)->name, name) == 0) return sb_mesh_format_at(i);
  fail_msg("no format %s", name);
  return NULL;
}

static size_t load(const fixture *f, char path[256], char bytes[SIZE_MAX_FIXTURE])
{
  snprintf(path, 256, "./%s", f->name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  const size_t size = fread(bytes, 1, SIZE_MAX_FIXTURE, file);
  assert_true(size > 0 && size < SIZE_MAX_FIXTURE);
  fclose(file);
  return size;
}

static void assert_numbers(const int32_t *number, size_t count, size_t vertices)
{
  for (size_t i = 0; i < count; ++i) assert_true(number[i] >= 0 && (size_t)number[i] < vertices);
}

static void assert_sound(const sb_mesh *mesh)
{
  for (size_t i = 0; i < 3 * mesh->vertices; ++i) assert_true(fabs(mesh->position[i]) <= 1e12);
  assert_numbers(mesh->line, 2 * mesh->lines, mesh->vertices);
  assert_numbers(mesh->triangle, 3 * mesh->triangles, mesh->vertices);
  assert_numbers(mesh->tetrahedron, 4 * mesh->tetrahedra, mesh->vertices);
  for (size_t i = 0; i < mesh->lines; ++i) assert_int_not_equal(mesh->line[2 * i], mesh->line[2 * i + 1]);
}

/* Reads a copy that ends with its last byte; true when it is accepted. */
static bool try_bytes(const fixture *f, const char *path, const char *bytes, size_t size)
{
  sb_mesh         mesh = {0};
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  char           *copy = malloc(size + 1);
  assert_non_null(copy);
  memcpy(copy, bytes, size);
  copy[size] = '\0';
  const sb_mesh_input input = {.path = path, .bytes = copy, .size = size, .diagnostics = diagnostics};
  const bool          good = format_named(f->format)->read(&input, &mesh);
  if (good) assert_sound(&mesh);
  assert_int_equal(sb_diagnostics_errors(diagnostics), good ? 0 : 1);
  if (!good) assert_non_null(strstr(sb_diagnostics_message(diagnostics, 0), strrchr(path, '/')));
  sb_mesh_clear(&mesh);
  free(copy);
  sb_diagnostics_destroy(&diagnostics);
  return good;
}

/* Formats that count their records accept no prefix that lacks one: at most its last line end may be missing, or digits
 * of the last number. */
static void every_prefix(void)
{
  char path[256], bytes[SIZE_MAX_FIXTURE];
  for (size_t i = 0; i < FIXTURES; ++i) {
    const size_t size = load(&fixtures[i], path, bytes);
    for (size_t cut = 0; cut < size; ++cut) {
      const bool accepted = try_bytes(&fixtures[i], path, bytes, cut);
      const bool counts = strcmp(fixtures[i].format, "obj") != 0 && strcmp(fixtures[i].format, "gmsh") != 0;
      if (accepted && counts && cut > 0 && cut + 20 < size) fail_msg("%s: %zu bytes accepted", fixtures[i].name, cut);
    }
    assert_true(try_bytes(&fixtures[i], path, bytes, size));
  }
}

static void bytes_at_random(void)
{
  static const char likely[] = "0123456789-+.eE \n\t/$#\\\0\xff\x7f\x80";
  char              path[256], bytes[SIZE_MAX_FIXTURE], changed[SIZE_MAX_FIXTURE];
  size_t            refused = 0;
  for (size_t i = 0; i < FIXTURES; ++i) {
    const size_t size = load(&fixtures[i], path, bytes);
    for (uint64_t n = 0; n < CHANGED; ++n) {
      memcpy(changed, bytes, size);
      for (uint64_t k = 0; k <= n % 3; ++k) {
        const uint64_t draw = 10 * (n * FIXTURES + i) + 3 * k;
        const size_t   place = (size_t)(sb_random_unit(7, draw) * (double)size);
        const double   u = sb_random_unit(7, draw + 1);
        changed[place] = sb_random_unit(7, draw + 2) < 0.5 ? likely[(size_t)(u * (double)(sizeof likely - 1))]
                                                           : (char)(unsigned char)(u * 256.0);
      }
      refused += !try_bytes(&fixtures[i], path, changed, size);
    }
  }
  assert_true(refused > FIXTURES * CHANGED / 4); /* the damage is such that much of it shows */
}

TEST_MAIN(every_prefix, bytes_at_random)
