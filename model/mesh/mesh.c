/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mesh files: the choice of the format, and the parts common to all formats. */
#include "model/mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/input_file.h"
#include "model/mesh/mesh_format.h"

#define SB_ENTRY(name) extern const sb_mesh_format sb_mesh_format_##name;
#include "model/mesh/mesh_formats.def"
#undef SB_ENTRY

static const sb_entry *const entries[] = {
#define SB_ENTRY(name) &sb_mesh_format_##name.entry,
#include "model/mesh/mesh_formats.def"
#undef SB_ENTRY
};

static void describe(const sb_entry *entry, sb_description *d)
{
  const sb_mesh_format *format = (const void *)entry;
  sb_describe_claim(d, format->has_masses, "may have masses of vertices (option mesh_mass)");
  sb_describe_words(d, "extensions", format->extensions);
}

const sb_list sb_mesh_formats = {
    .family = "meshes",
    .title = "Mesh files of scene mesh",
    .about =
        "Option `mesh` names the file; its format follows from the file's extension. Springs are the distinct edges.",
    SB_LIST_ENTRIES(entries),
    .describe = describe,
};

/* True when `extension` is one of the words of a list. */
static bool is_among(const char *list, const char *extension)
{
  const size_t length = strlen(extension);
  for (const char *at = list; *at; at += strcspn(at, " ")) {
    at += strspn(at, " ");
    if (strcspn(at, " ") == length && strncasecmp(at, extension, length) == 0) return length > 0;
  }
  return false;
}

/* The format of a path; NULL if there is none. */
static const sb_mesh_format *find_format(const char *path)
{
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  for (size_t i = 0; dot && i < sb_mesh_format_count(); ++i)
    if (is_among(sb_mesh_format_at(i)->extensions, dot + 1)) return sb_mesh_format_at(i);
  return NULL;
}

/* The format of a path; NULL and E106 if there is none. */
static const sb_mesh_format *format_of(const char *path, sb_location where, sb_diagnostics *diagnostics)
{
  char                  known[128] = "";
  size_t                length = 0;
  const sb_mesh_format *format = find_format(path);
  if (format) return format;
  for (size_t i = 0; i < sb_mesh_format_count() && length < sizeof known; ++i)
    length += (size_t)snprintf(known + length, sizeof known - length, "%s.%s", i > 0 ? ", " : "",
                               sb_mesh_format_at(i)->extensions);
  sb_error_at(diagnostics, where, "E106", "'%s' does not have an extension of mesh files: %s", path, known);
  return NULL;
}

char *sb_mesh_second_file(const char *path)
{
  const sb_mesh_format *format = find_format(path);
  char                 *second = NULL;
  if (!format || !format->second_extension) return NULL;
  const int stem = (int)(strrchr(path, '.') - path);
  return asprintf(&second, "%.*s.%s", stem, path, format->second_extension) < 0 ? NULL : second;
}

/* The program that compressed the file, by its first bytes; NULL: unknown. */
static const char *packer(const char *bytes, size_t size)
{
  static const struct {
    const char *magic, *name;
    size_t      length;
  } packers[] = {{"\x1f\x8b", "gzip", 2},
                 {"BZh", "bzip2", 3},
                 {"\xfd"
                  "7zXZ",
                  "xz", 5},
                 {"PK\x03\x04", "zip", 4},
                 {"\x28\xb5\x2f\xfd", "zstd", 4}};
  for (size_t i = 0; i < sizeof packers / sizeof packers[0]; ++i)
    if (size >= packers[i].length && memcmp(bytes, packers[i].magic, packers[i].length) == 0) return packers[i].name;
  return NULL;
}

static bool read_bytes(const sb_mesh_format *format, const sb_mesh_input *input, sb_mesh *mesh)
{
  const sb_location top = {input->path, 1, 0};
  const char       *packed = packer(input->bytes, input->size);
  if (input->size == 0) return sb_error_at(input->diagnostics, top, "E200", "the file is empty");
  if (packed) return sb_error_at(input->diagnostics, top, "E216", "the file is compressed by %s; unpack it", packed);
  if (!format->read(input, mesh)) return false;
  const sb_location whole = {input->path, 0, 0};
  if (mesh->vertices == 0) return sb_error_at(input->diagnostics, whole, "E200", "the file has no vertices");
  if (mesh->degenerate > 0)
    sb_warning_at(input->diagnostics, whole, "W219", "faces and cells with a vertex twice were left out or cut: %zu",
                  mesh->degenerate);
  if (mesh->lines + mesh->tetrahedra > 0) return sb_mesh_drop_repeats(input, mesh);
  return sb_error_at(input->diagnostics, whole, "E200", "the file has %zu vertices, but no edges or cells",
                     mesh->vertices);
}

bool sb_mesh_read(const char *path, int64_t mass_attribute, bool skip_degenerate, sb_location where, sb_mesh *mesh,
                  sb_diagnostics *diagnostics)
{
  *mesh = (sb_mesh){.skips_degenerate = skip_degenerate};
  const sb_mesh_format *format = format_of(path, where, diagnostics);
  if (!format) return false;
  if (mass_attribute > 0 && !format->has_masses)
    return sb_error_at(diagnostics, where, "E106", "'%s' cannot have masses: mesh_mass is for .node files", path);
  sb_mesh_input input = {.path = path, .mass_attribute = mass_attribute, .where = where, .diagnostics = diagnostics};
  input.bytes = sb_read_input(path, SB_MESH_BYTES_MAX, where, &input.size, diagnostics);
  const bool good = input.bytes && read_bytes(format, &input, mesh);
  free(input.bytes);
  return good;
}

void sb_mesh_clear(sb_mesh *mesh)
{
  free(mesh->position);
  free(mesh->mass);
  free(mesh->line);
  free(mesh->triangle);
  free(mesh->tetrahedron);
  *mesh = (sb_mesh){0};
}
