/* The lists and their entries; see lists.h. */
#include "harness/commands/lists.h"

#include <glob.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/words.h"
#include "harness/common/durable.h"
#include "harness/sweep/sweep.h"
#include "model/contact.h"
#include "model/field.h"
#include "model/mesh_format.h"
#include "model/path.h"
#include "model/scene.h"
#include "solvers/integrate/integrator_method.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/minimize/minimizer_method.h"

static json_t *new_entry(json_t *list, const char *name, const char *summary)
{
  json_t *entry = json_pack("{s:s, s:s, s:[]}", "name", name, "summary", summary, "claims");
  json_array_append_new(list, entry);
  return entry;
}

__attribute__((format(printf, 2, 3))) static void claim(json_t *entry, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  json_array_append_new(json_object_get(entry, "claims"), json_vsprintf(format, arguments));
  va_end(arguments);
}

static void say(json_t *entry, const char *key, const char *text)
{
  json_object_set_new(entry, key, json_string(text));
}

/* The words of a text separated by blanks; an empty array for NULL. */
static json_t *words_of(const char *text)
{
  json_t *words = json_array();
  for (const char *c = text ? text : ""; *c; c += strcspn(c, " "), c += strspn(c, " "))
    if (*c != ' ') json_array_append_new(words, json_stringn(c, strcspn(c, " ")));
  return words;
}

/* Adds the table "options" of the options named in `uses`, with the values that "key=value …" of `defaults` gives them
 * in place of the table's, and "further defaults": those that set none of `uses`. Both may be NULL. */
static void add_options(json_t *entry, const char *uses, const char *defaults)
{
  json_t *rows = json_array(), *further = json_array(), *names = words_of(uses), *pairs = words_of(defaults), *item;
  size_t  i = 0, k = 0;
  json_array_foreach(names, i, item)
  {
    const sb_option_id id = sb_option_find(json_string_value(item));
    if (id == SB_OPT_COUNT) continue;
    const sb_option *option = sb_option_at(id);
    const size_t     length = strlen(option->name);
    const char      *preset = option->preset ? option->preset : "";
    json_t          *pair = NULL;
    json_array_foreach(pairs, k, pair)
    {
      const char *text = json_string_value(pair);
      if (strncmp(text, option->name, length) == 0 && text[length] == '=') preset = text + length + 1;
    }
    json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:s}", "name", option->name, "unit", option->unit, "default",
                                          preset, "sentence", option->sentence));
  }
  json_array_foreach(pairs, i, item)
  {
    char *name = sb_copy_span(json_string_value(item), strcspn(json_string_value(item), "="));
    if (!sb_has_word(uses, name)) json_array_append(further, item);
    free(name);
  }
  json_object_set_new(entry, "options", rows);
  json_object_set_new(entry, "further defaults", further);
  json_decref(pairs);
  json_decref(names);
}

static json_t *list_scenes(const sb_session *session)
{
  json_t *list = json_array();
  (void)session;
  for (size_t i = 0; i < sb_scene_count(); ++i) {
    const sb_scene *scene = sb_scene_at(i);
    json_t         *entry = new_entry(list, scene->name, scene->summary);
    claim(entry, "origin: %s", scene->origin);
    add_options(entry, scene->uses, scene->defaults);
    json_object_set_new(entry, "pin sets", words_of(scene->pin_sets));
  }
  return list;
}

static json_t *list_meshes(const sb_session *session)
{
  json_t *list = json_array();
  (void)session;
  for (size_t i = 0; i < sb_mesh_format_count(); ++i) {
    const sb_mesh_format *format = sb_mesh_format_at(i);
    json_t               *entry = new_entry(list, format->name, format->summary);
    if (format->has_masses) claim(entry, "may hold masses of vertices (option mesh_mass)");
    json_object_set_new(entry, "extensions", words_of(format->extensions));
  }
  return list;
}

/* A choice of an option that has no list of its own. */
typedef struct {
  const char *name, *sentence;
} choice;

/* The choices of an option in its order, with their sentences and the scenes that have them. */
static json_t *choices_of(sb_option_id id, const choice *known, size_t count)
{
  json_t *list = json_array();
  for (const char *c = sb_option_at(id)->range; *c; c += strcspn(c, "|"), c += strspn(c, "|")) {
    const char *sentence = "";
    char       *name = sb_copy_span(c, strcspn(c, "|"));
    json_t     *scenes = json_array();
    for (size_t i = 0; i < count; ++i)
      if (strcmp(known[i].name, name) == 0) sentence = known[i].sentence;
    for (size_t i = 0; i < sb_scene_count(); ++i) {
      const sb_scene *scene = sb_scene_at(i);
      const bool has = id == SB_OPT_pins ? sb_has_word(scene->pin_sets, name) : sb_has_word(scene->uses, "springs");
      if (has) json_array_append_new(scenes, json_string(scene->name));
    }
    json_object_set_new(new_entry(list, name, sentence), "scenes", scenes);
    free(name);
  }
  return list;
}

static json_t *list_springs(const sb_session *session)
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
  (void)session;
  return choices_of(SB_OPT_springs, known, sizeof known / sizeof *known);
}

static json_t *list_pins(const sb_session *session)
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
  (void)session;
  return choices_of(SB_OPT_pins, known, sizeof known / sizeof *known);
}

static json_t *list_forms(const sb_form *const *(*forms_of)(size_t *count))
{
  static const char *const kinds[] = {
      [SB_PART_REAL] = "real", [SB_PART_VECTOR] = "vector", [SB_PART_FORMULA] = "formula"};
  size_t                count = 0;
  const sb_form *const *forms = forms_of(&count);
  json_t               *list = json_array();
  for (size_t i = 0; i < count; ++i) {
    json_t *parts = json_array();
    for (size_t k = 0; k < forms[i]->parts; ++k) {
      const sb_part *part = &forms[i]->part[k];
      json_array_append_new(parts,
                            json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "name", part->name, "type", kinds[part->kind],
                                      "unit", part->unit, "default", part->preset ? part->preset : "must be given",
                                      "allowed", part->range, "sentence", part->sentence));
    }
    json_object_set_new(new_entry(list, forms[i]->name, forms[i]->summary), "parts", parts);
  }
  return list;
}

typedef struct {
  unsigned    trait;
  const char *words; /* NULL ends the list */
} trait_words;

static void claim_traits(json_t *entry, unsigned traits, const trait_words *words)
{
  for (; words->words; ++words)
    if (traits & words->trait) claim(entry, "%s", words->words);
}

static void claim_order(json_t *entry, const sb_integrator_method *method)
{
  if (method->order_position == 0 && method->order_velocity == 0)
    claim(entry, "no order of convergence is claimed");
  else
    claim(entry, "converges with order %d in position, %d in velocity", method->order_position, method->order_velocity);
  if (isnan(method->stability_limit))
    claim(entry, "no limit of stability is claimed");
  else if (isinf(method->stability_limit))
    claim(entry, "stable at any step");
  else if (method->stability_limit > 0)
    claim(entry, "stable for h omega < %.10g", method->stability_limit);
  else
    claim(entry, "unstable at any step without damping");
}

static json_t *list_integrators(const sb_session *session)
{
  static const trait_words words[] = {{SB_SYMPLECTIC, "symplectic: keeps a shadow of the energy of linear springs"},
                                      {SB_TIME_SYMMETRIC, "time-symmetric: run back, it returns to the start"},
                                      {SB_CONSERVES_ANGULAR_MOMENTUM, "conserves angular momentum"},
                                      {SB_IMPLICIT, "implicit: minimises a potential in every step"},
                                      {SB_PROJECTS_LENGTHS, "keeps springs at their lengths: stiffness plays no part"},
                                      {SB_SERIAL_ONLY_INTEGRATOR, "runs on one rank only"},
                                      {0, NULL}};
  json_t                  *list = json_array();
  (void)session;
  for (size_t i = 0; i < sb_integrator_method_count(); ++i) {
    const sb_integrator_method *method = sb_integrator_method_at(i);
    json_t                     *entry = new_entry(list, method->name, method->summary);
    claim_order(entry, method);
    claim_traits(entry, method->traits, words);
    add_options(entry, method->uses, NULL);
  }
  return list;
}

static json_t *list_minimizers(const sb_session *session)
{
  static const trait_words words[] = {{SB_DESCENDS, "never raises the potential, with line_search where it has one"},
                                      {SB_QUADRATIC, "converges quadratically near a minimum, with exact solves"},
                                      {SB_CONSTANT_MATRIX, "one matrix, factored once"},
                                      {0, NULL}};
  json_t                  *list = json_array();
  (void)session;
  for (size_t i = 0; i < sb_minimizer_method_count(); ++i) {
    const sb_minimizer_method *method = sb_minimizer_method_at(i);
    json_t                    *entry = new_entry(list, method->name, method->summary);
    claim_traits(entry, method->traits, words);
    add_options(entry, method->uses, NULL);
  }
  return list;
}

static json_t *list_linear(const sb_session *session)
{
  static const trait_words words[] = {{SB_DIRECT, "direct: no iterations"},
                                      {SB_SERIAL_ONLY, "one rank only"},
                                      {SB_NEEDS_SPD, "needs a symmetric positive definite matrix"},
                                      {SB_DETECTS_INDEFINITE, "detects a matrix that is not positive definite"},
                                      {0, NULL}};
  json_t                  *list = json_array();
  (void)session;
  for (size_t i = 0; i < sb_linear_backend_count(); ++i) {
    const sb_linear_backend *backend = sb_linear_backend_at(i);
    json_t                  *entry = new_entry(list, backend->name, backend->summary);
    claim_traits(entry, backend->traits, words);
    if (backend->missing) claim(entry, "not in this build: %s", backend->missing);
    add_options(entry, backend->uses, NULL);
  }
  return list;
}

static json_t *list_drivers(const sb_session *session)
{
  json_t *list = json_array();
  for (size_t i = 0; i < session->drivers->count; ++i) {
    const sb_driver *driver = session->drivers->drivers[i];
    json_t          *entry = new_entry(list, driver->name, driver->summary), *columns = json_array();
    if (driver->restarts) claim(entry, "goes on from a case file (option restart)");
    for (size_t k = 0; k < driver->column_count; ++k) {
      const sb_column *c = &driver->columns[k];
      json_array_append_new(columns, json_pack("{s:s, s:s, s:s, s:s}", "name", c->name, "unit", c->unit, "timing",
                                               c->timing ? "yes" : "", "sentence", c->sentence));
    }
    add_options(entry, driver->uses, driver->defaults);
    json_object_set_new(entry, "columns", columns);
  }
  return list;
}

/* The heading of options.def below which each option stands, in its order. */
static const char *section_of(sb_option_id id)
{
#define SB_SECTION(title)                                            title, NULL,
#define SB_OPTION(name, kind, unit, preset, range, traits, sentence) #name, "",
  static const char *const pairs[] = {
#include "base/options.def"
  };
#undef SB_OPTION
  const char *section = "";
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i += 2) {
    if (!pairs[i + 1])
      section = pairs[i];
    else if (strcmp(pairs[i], sb_option_at(id)->name) == 0)
      break;
  }
  return section;
}

/* The values that an option takes: "[0,1]", "a, b, every:N", "springbench list scenes". */
static const char *allowed(sb_arena *arena, const char *range)
{
  sb_arena_writer writer;
  if (*range == '@') return sb_arena_format(arena, "springbench list %s", range + 1);
  if (!strchr(range, '|')) return range;
  FILE *stream = sb_arena_write(&writer, arena);
  for (const char *c = range; *c; ++c)
    fprintf(stream, "%s%.1s", *c == '|' ? ", " : "", *c == '|' ? "" : *c == '#' ? "N" : c);
  return sb_arena_text(&writer);
}

static json_t *list_options(const sb_session *session)
{
  json_t *list = json_array();
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    const sb_option *option = sb_option_at(id);
    json_t          *entry = new_entry(list, option->name, option->sentence);
    if (option->traits & SB_STORED_ONLY) claim(entry, "says what is stored: not part of a case's key");
    if (option->traits & SB_LIMIT_ONLY) claim(entry, "says how far a case may go: not part of its key");
    say(entry, "section", section_of(id));
    say(entry, "type", sb_option_kind_name(option->kind));
    say(entry, "unit", option->unit);
    say(entry, "default", option->preset ? option->preset : "");
    say(entry, "allowed", allowed(session->arena, option->range));
  }
  return list;
}

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

static void add_sweep(json_t *list, const char *path, const sb_session *session)
{
  sb_session      own = sb_session_begin(session->vocabulary, session->drivers);
  const sb_sweep *sweep = sb_sweep_read(path, &own);
  if (sweep) {
    json_t *entry = new_entry(list, sweep->name, sweep->question ? sweep->question : "");
    if (sweep->source) claim(entry, "origin: %s", sweep->source);
    claim(entry, "%zu claim%s, %zu table%s, %zu figure%s", sweep->claim_count, plural(sweep->claim_count),
          sweep->table_count, plural(sweep->table_count), sweep->figure_count, plural(sweep->figure_count));
    say(entry, "topic", sweep->topic ? sweep->topic : "");
    say(entry, "driver", sweep->driver);
    say(entry, "file", strrchr(path, '/') + 1);
  }
  sb_session_end(&own, stderr);
}

static const char *topic_of(const json_t *entry) { return json_string_value(json_object_get(entry, "topic")); }

/* By topic, those without one last; in a topic by name, as the files are. */
static json_t *list_sweeps(const sb_session *session)
{
  char   *folder = sb_data_directory("experiments"), *pattern = sb_format("%s/*.yaml", folder);
  json_t *list = json_array(), *sorted = json_array(), *entry = NULL;
  size_t  i = 0;
  glob_t  found = {0};
  if (glob(pattern, 0, NULL, &found) == 0)
    for (; i < found.gl_pathc; ++i) add_sweep(list, found.gl_pathv[i], session);
  globfree(&found);
  free(pattern);
  free(folder);
  json_array_foreach(list, i, entry)
  {
    const char *topic = topic_of(entry);
    size_t      at = 0;
    for (; at < json_array_size(sorted); ++at) {
      const char *other = topic_of(json_array_get(sorted, at));
      if (*topic && (!*other || strcmp(topic, other) < 0)) break;
    }
    json_array_insert(sorted, at, entry);
  }
  json_decref(list);
  return sorted;
}

static const sb_list lists[] = {
    {"scenes", "Scenes: what is simulated",
     "Named by option `scene`. A scene's values of options take the place of the table's; what the user gives takes "
     "the place of both.",
     .entries = list_scenes},
    {"meshes", "Mesh files of scene mesh",
     "Option `mesh` names the file; its format follows from the file's extension. Springs are the distinct edges.",
     .entries = list_meshes},
    {"springs", "Spring patterns of sheets",
     "Named by option `springs`. Stiffnesses are those of `stiffness`, `stiffness_shear` and `stiffness_bending`, or "
     "`young`.",
     .brief = true, .entries = list_springs},
    {"pins", "Sets of pinned vertices",
     "Named by option `pins`, which also takes a list of vertex numbers and ranges such as [0,3,10:12].", .brief = true,
     .entries = list_pins},
    {"fields", "Acceleration fields",
     "Named by option `wind` with their parts, as in `wind=KIND:part=value,part=value`; accelerations of several, "
     "separated by `;`, add up.",
     .forms = sb_field_forms},
    {"paths", "Prescribed motions",
     "Named by option `pin_path` for pinned vertices and by `collider_path` for colliders, with their parts.",
     .forms = sb_path_forms},
    {"colliders", "Colliders: what a net touches",
     "Named by option `collider` with their parts, as in `collider=KIND:part=value,part=value`; several are separated "
     "by `;`. Option `contact` says how they act, `self_contact` is of the net with itself.",
     .forms = sb_collider_forms},
    {"integrators", "Time integrators",
     "Named by option `integrator`. What is claimed here, the conformance suite measures. Limits are on h omega, the "
     "step times the largest natural frequency, without damping.",
     .entries = list_integrators},
    {"minimizers", "Minimisers of the incremental potential",
     "Named by option `minimizer`, for integrator implicit_euler. All lower the same potential.",
     .entries = list_minimizers},
    {"linear", "Linear solver backends",
     "Named by option `linear`, inside a minimiser. Every solution is checked by its recomputed residual.",
     .entries = list_linear},
    {"drivers", "Drivers: what is measured",
     "Named by option `driver`, and by the key `driver` of a sweep. Columns are those of the results' index.",
     .entries = list_drivers},
    {"options", "Options of a case",
     "Given as KEY=VALUE to `springbench case`, and as keys of a sweep file. A scene's default takes the place of the "
     "one here.",
     .brief = true, .entries = list_options},
    {"sweeps", "Sweeps that come with springbench", "Run by `springbench run FILE`.", .entries = list_sweeps},
};

size_t sb_list_count(void) { return sizeof lists / sizeof *lists; }

const sb_list *sb_list_at(size_t i) { return &lists[i]; }

const sb_list *sb_list_find(const char *topic)
{
  for (size_t i = 0; i < sb_list_count(); ++i)
    if (strcmp(lists[i].topic, topic) == 0) return &lists[i];
  return NULL;
}

json_t *sb_list_entries(const sb_list *list, const sb_session *session)
{
  return list->entries ? list->entries(session) : list_forms(list->forms);
}
