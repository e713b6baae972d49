/* What is simulated, as lists: scenes, mesh files, spring patterns, sets of pins, fields, paths, colliders. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/words.h"
#include "harness/commands/lists.h"
#include "model/contact.h"
#include "model/field.h"
#include "model/mesh_format.h"
#include "model/path.h"

json_t *sb_list_scenes(const sb_session *session)
{
  json_t *list = json_array();
  (void)session;
  for (size_t i = 0; i < sb_scene_count(); ++i) {
    const sb_scene *scene = sb_scene_at(i);
    json_t         *entry = sb_list_entry(scene->name, scene->summary);
    sb_list_claim(entry, "origin: %s", scene->origin);
    sb_list_add_options(entry, scene->uses, scene->defaults);
    sb_list_add_defaults(entry, scene->uses, scene->defaults);
    json_object_set_new(entry, "pin sets", sb_list_words(scene->pin_sets));
    json_array_append_new(list, entry);
  }
  return list;
}

json_t *sb_list_meshes(const sb_session *session)
{
  json_t *list = json_array();
  (void)session;
  for (size_t i = 0; i < sb_mesh_format_count(); ++i) {
    const sb_mesh_format *format = sb_mesh_format_at(i);
    json_t               *entry = sb_list_entry(format->name, format->summary);
    if (format->has_masses) sb_list_claim(entry, "may hold masses of vertices (option mesh_mass)");
    json_object_set_new(entry, "extensions", sb_list_words(format->extensions));
    json_array_append_new(list, entry);
  }
  return list;
}

/* A choice of an option that has no list of its own. */
typedef struct {
  const char *name, *sentence;
} choice;

static json_t *scenes_with(const char *word, bool pin_sets)
{
  json_t *names = json_array();
  for (size_t i = 0; i < sb_scene_count(); ++i) {
    const sb_scene *scene = sb_scene_at(i);
    if (sb_has_word(pin_sets ? scene->pin_sets : scene->uses, word))
      json_array_append_new(names, json_string(scene->name));
  }
  return names;
}

/* The choices of an option in its order, with their sentences. */
static json_t *choices_of(sb_option_id id, const choice *known, size_t count)
{
  json_t *list = json_array();
  for (const char *c = sb_option_at(id)->range; *c; c += strcspn(c, "|"), c += strspn(c, "|")) {
    const char *sentence = "";
    char       *name = sb_copy_span(c, strcspn(c, "|"));
    for (size_t i = 0; i < count; ++i)
      if (strcmp(known[i].name, name) == 0) sentence = known[i].sentence;
    json_array_append_new(list, sb_list_entry(name, sentence));
    free(name);
  }
  return list;
}

json_t *sb_list_springs(const sb_session *session)
{
  static const choice known[] = {
      {"structural", "along rows and columns"},
      {"triangulated", "structural, and one diagonal of every cell: (i+1, j) to (i, j+1)"},
      {"alternating", "structural, and one diagonal of every cell, its direction alternating as on a chessboard"},
      {"crossed", "structural, and both diagonals of every cell"},
      {"structural+bending", "structural, and two apart along rows and columns"},
      {"triangulated+bending", "triangulated, and two apart along rows and columns"},
      {"alternating+bending", "alternating, and two apart along rows and columns"},
      {"crossed+bending", "crossed, and two apart along rows and columns"},
  };
  json_t *list = choices_of(SB_OPT_springs, known, sizeof known / sizeof *known), *entry = NULL;
  size_t  i = 0;
  (void)session;
  json_array_foreach(list, i, entry) json_object_set_new(entry, "scenes", scenes_with("springs", false));
  return list;
}

json_t *sb_list_pins(const sb_session *session)
{
  static const choice known[] = {
      {"none", "no vertex"},
      {"first", "vertex 0"},
      {"corner1", "the corner (0, 0) of a sheet, vertex 0"},
      {"corners2", "both ends of the first row of a sheet"},
      {"diagonal2", "two opposite corners of a sheet, the first and the last vertex"},
      {"corners4", "all corners of a sheet"},
      {"edge_midpoint", "the middle of the first row of a sheet, rounded down"},
      {"first_edge", "the first row of a sheet"},
      {"min_x", "all vertices whose x is the least, within 1e-12 of the extent"},
  };
  json_t *list = choices_of(SB_OPT_pins, known, sizeof known / sizeof *known), *entry = NULL;
  size_t  i = 0;
  (void)session;
  json_array_foreach(list, i, entry)
      json_object_set_new(entry, "scenes", scenes_with(json_string_value(json_object_get(entry, "name")), true));
  return list;
}

static const char *part_kind(const sb_part *part)
{
  switch (part->kind) {
  case SB_PART_REAL:
    return "real";
  case SB_PART_VECTOR:
    return "vector";
  case SB_PART_FORMULA:
    break;
  }
  return "formula";
}

static json_t *form_entry(const sb_form *form)
{
  json_t *entry = sb_list_entry(form->name, form->summary), *parts = json_array();
  for (size_t i = 0; i < form->parts; ++i) {
    const sb_part *part = &form->part[i];
    json_array_append_new(parts,
                          json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "name", part->name, "type", part_kind(part),
                                    "unit", part->unit, "default", part->preset ? part->preset : "must be given",
                                    "allowed", part->range, "sentence", part->sentence));
  }
  json_object_set_new(entry, "parts", parts);
  return entry;
}

static json_t *forms(const sb_form *const *(*forms_of)(size_t *count))
{
  size_t                count = 0;
  const sb_form *const *all = forms_of(&count);
  json_t               *list = json_array();
  for (size_t i = 0; i < count; ++i) json_array_append_new(list, form_entry(all[i]));
  return list;
}

json_t *sb_list_fields(const sb_session *session)
{
  (void)session;
  return forms(sb_field_forms);
}

json_t *sb_list_paths(const sb_session *session)
{
  (void)session;
  return forms(sb_path_forms);
}

json_t *sb_list_colliders(const sb_session *session)
{
  (void)session;
  return forms(sb_collider_forms);
}
