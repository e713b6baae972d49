/* The lists themselves, and the pieces their entries are made of; see lists.h. */
#include "harness/commands/lists.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/words.h"

static const sb_list lists[] = {
    {"scenes", "Scenes: what is simulated",
     "Named by option `scene`. A scene's values of options take the place of the table's; what the user gives takes "
     "the place of both.",
     sb_list_scenes},
    {"meshes", "Mesh files of scene mesh",
     "Option `mesh` names the file; its format follows from the file's extension. Springs are the distinct edges.",
     sb_list_meshes},
    {"springs", "Spring patterns of sheets",
     "Named by option `springs`. Stiffnesses are those of `stiffness`, `stiffness_shear` and `stiffness_bending`, or "
     "`young`.",
     sb_list_springs},
    {"pins", "Sets of pinned vertices",
     "Named by option `pins`, which also takes a list of vertex numbers and ranges such as [0,3,10:12].", sb_list_pins},
    {"fields", "Acceleration fields",
     "Named by option `wind` with their parts, as in `wind=KIND:part=value,part=value`; accelerations of several, "
     "separated by `;`, add up.",
     sb_list_fields},
    {"paths", "Prescribed motions",
     "Named by option `pin_path` for pinned vertices and by `collider_path` for colliders, with their parts.",
     sb_list_paths},
    {"colliders", "Colliders: what a net touches",
     "Named by option `collider` with their parts, as in `collider=KIND:part=value,part=value`; several are separated "
     "by `;`. Option `contact` says how they act, `self_contact` is of the net with itself.",
     sb_list_colliders},
    {"integrators", "Time integrators",
     "Named by option `integrator`. What is claimed here, the conformance suite measures. Limits are on h omega, the "
     "step times the largest natural frequency, without damping.",
     sb_list_integrators},
    {"minimizers", "Minimisers of the incremental potential",
     "Named by option `minimizer`, for integrator implicit_euler. All lower the same potential.", sb_list_minimizers},
    {"linear", "Linear solver backends",
     "Named by option `linear`, inside a minimiser. Every solution is checked by its recomputed residual.",
     sb_list_linear},
    {"drivers", "Drivers: what is measured",
     "Named by option `driver`, and by the key `driver` of a sweep. Columns are those of the results' index.",
     sb_list_drivers},
    {"options", "Options of a case",
     "Given as KEY=VALUE to `springbench case`, and as keys of a sweep file. A scene's default takes the place of the "
     "one here.",
     sb_list_options},
    {"sweeps", "Sweeps that come with springbench", "Run by `springbench run FILE`.", sb_list_sweeps},
};

size_t sb_list_count(void) { return sizeof lists / sizeof *lists; }

const sb_list *sb_list_at(size_t i) { return &lists[i]; }

const sb_list *sb_list_find(const char *topic)
{
  for (size_t i = 0; i < sb_list_count(); ++i)
    if (strcmp(lists[i].topic, topic) == 0) return &lists[i];
  return NULL;
}

json_t *sb_list_entry(const char *name, const char *summary)
{
  return json_pack("{s:s, s:s, s:[]}", "name", name, "summary", summary, "claims");
}

void sb_list_claim(json_t *entry, const char *format, ...)
{
  va_list arguments;
  char   *text = NULL;
  va_start(arguments, format);
  if (vasprintf(&text, format, arguments) >= 0)
    json_array_append_new(json_object_get(entry, "claims"), json_string(text));
  va_end(arguments);
  free(text);
}

json_t *sb_list_words(const char *text)
{
  json_t *words = json_array();
  for (const char *c = text ? text : ""; *c;) {
    const size_t length = strcspn(c, " ");
    if (length > 0) json_array_append_new(words, json_stringn(c, length));
    c += length + strspn(c + length, " ");
  }
  return words;
}

/* The value that "key=value key=value" gives to `name`, malloc'ed; NULL when it gives none. */
static char *value_in(const char *defaults, const char *name)
{
  const size_t length = strlen(name);
  for (const char *c = defaults ? defaults : ""; *c; c += strcspn(c, " "), c += strspn(c, " "))
    if (strncmp(c, name, length) == 0 && c[length] == '=')
      return sb_copy_span(c + length + 1, strcspn(c + length + 1, " "));
  return NULL;
}

static json_t *option_row(const sb_option *option, const char *defaults)
{
  char       *value = value_in(defaults, option->name);
  const char *preset = value ? value : option->preset ? option->preset : "";
  json_t     *row = json_pack("{s:s, s:s, s:s, s:s}", "name", option->name, "unit", option->unit, "default", preset,
                              "sentence", option->sentence);
  free(value);
  return row;
}

void sb_list_add_options(json_t *entry, const char *uses, const char *defaults)
{
  json_t *rows = json_array(), *names = sb_list_words(uses), *name = NULL;
  size_t  i = 0;
  json_array_foreach(names, i, name)
  {
    const sb_option_id id = sb_option_find(json_string_value(name));
    if (id != SB_OPT_COUNT) json_array_append_new(rows, option_row(sb_option_at(id), defaults));
  }
  json_decref(names);
  json_object_set_new(entry, "options", rows);
}

void sb_list_add_defaults(json_t *entry, const char *uses, const char *defaults)
{
  json_t *pairs = sb_list_words(defaults), *rest = json_array(), *pair = NULL;
  size_t  i = 0;
  json_array_foreach(pairs, i, pair)
  {
    const char *text = json_string_value(pair);
    char       *name = sb_copy_span(text, strcspn(text, "="));
    if (!sb_has_word(uses, name)) json_array_append(rest, pair);
    free(name);
  }
  json_decref(pairs);
  json_object_set_new(entry, "further defaults", rest);
}
