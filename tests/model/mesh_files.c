/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/model/mesh_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void sb_write_bytes(const char *name, const char *bytes, size_t size)
{
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

void sb_write_text(const char *name, const char *text) { sb_write_bytes(name, text, strlen(text)); }

bool sb_try_mesh(const char *name, int64_t mass, sb_mesh *mesh, char **message)
{
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  const bool      good = sb_mesh_read(name, mass, false, (sb_location){"case", 3, 1}, mesh, diagnostics);
  assert_int_equal(sb_diagnostics_errors(diagnostics), good ? 0 : 1);
  *message = good ? NULL : strdup(sb_diagnostics_message(diagnostics, 0));
  sb_diagnostics_destroy(&diagnostics);
  return good;
}

void sb_accepts(const char *name, const char *text, size_t vertices, size_t lines, size_t triangles)
{
  sb_mesh mesh;
  char   *message;
  sb_write_text(name, text);
  if (!sb_try_mesh(name, 0, &mesh, &message)) fail_msg("%s", message);
  assert_int_equal(mesh.vertices, vertices);
  assert_int_equal(mesh.lines, lines);
  assert_int_equal(mesh.triangles, triangles);
  sb_mesh_clear(&mesh);
}

void sb_refuses(const char *name, const char *text, const char *expected)
{
  sb_mesh mesh;
  char   *message;
  sb_write_text(name, text);
  assert_false(sb_try_mesh(name, 0, &mesh, &message));
  assert_string_equal(message, expected);
  free(message);
  sb_mesh_clear(&mesh);
}

static char directory[] = "/tmp/springbench_meshes_XXXXXX";

int sb_enter_directory(void **state)
{
  (void)state;
  return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

int sb_remove_directory(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r '%s'", directory);
  return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}
