/* The lists and their entries; see lists.h. */
#include "harness/commands/lists.h"

#include <glob.h>
#include <math.h>
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

/* The words of a text separated by blanks; an empty array for NULL. */
static json_t *words_of(const char *text)
{
  json_t *words = json_array();
  for (const char *c = text ? text : ""; *c; c += strcspn(c, " "), c += strspn(c, " "))
    if (*c != ' ') json_array_append_new(words, json_stringn(c, strcspn(c, " ")));
  return words;
}

/* The table of the options named in `uses`, with the values that "key=value …" of `defaults` gives them in place of the
 * table's. Both may be NULL. */
static json_t *options_of(const char *uses, const char *defaults)
{
  json_t *rows = json_array(), *names = words_of(uses), *pairs = words_of(defaults), *name, *pair;
  size_t  i, k;
  json_array_foreach(names, i, name)
  {
    const sb_option_id id = sb_option_find(json_string_value(name));
    if (id == SB_OPT_COUNT) continue;
    const sb_option *option = sb_option_at(id);
    const size_t     length = strlen(option->name);
    const char      *preset = option->preset ? option->preset : "";
    json_array_foreach(pairs, k, pair)
    {
      const char *text = json_string_value(pair);
      if (strncmp(text, option->name, length) == 0 && text[length] == '=') preset = text + length + 1;
    }
    json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:s}", "name", option->name, "unit", option->unit, "default",
                                          preset, "sentence", option->sentence));
  }
  json_decref(pairs);
  json_decref(names);
  return rows;
}

/* Those of "key=value …" that set none of `uses`. */
static json_t *further_defaults(const char *uses, const char *defaults)
{
  json_t *further = json_array(), *pairs = words_of(defaults), *pair;
  size_t  i;
  json_array_foreach(pairs, i, pair)
  {
    char *name = sb_copy_span(json_string_value(pair), strcspn(json_string_value(pair), "="));
    if (!sb_has_word(uses, name)) json_array_append(further, pair);
    free(name);
  }
  json_decref(pairs);
  return further;
}

/* ---- entry number i of a list; NULL behind the last ---- */

static json_t *scene_entry(size_t i, const sb_session *session)
{
  if (i == sb_scene_count()) return NULL;
  const sb_scene *s = sb_scene_at(i);
  return json_pack("{s:s, s:s, s:[s], s:o, s:o, s:o}", "name", s->name, "summary", s->summary, "claims",
                   sb_arena_format(session->arena, "origin: %s", s->origin), "options",
                   options_of(s->uses, s->defaults), "further defaults", further_defaults(s->uses, s->defaults),
                   "pin sets", words_of(s->pin_sets));
}

static json_t *mesh_entry(size_t i, const sb_session *session)
{
  (void)session;
  if (i == sb_mesh_format_count()) return NULL;
  const sb_mesh_format *f = sb_mesh_format_at(i);
  return json_pack("{s:s, s:s, s:[s*], s:o}", "name", f->name, "summary", f->summary, "claims",
                   f->has_masses ? "may hold masses of vertices (option mesh_mass)" : NULL, "extensions",
                   words_of(f->extensions));
}

/* A choice of an option that has no list of its own, with the scenes that have it. */
static json_t *choice_entry(const char *const choice[2], bool is_pin_set)
{
  json_t *scenes = json_array();
  for (size_t i = 0; i < sb_scene_count(); ++i) {
    const sb_scene *s = sb_scene_at(i);
    if (is_pin_set ? sb_has_word(s->pin_sets, choice[0]) : sb_has_word(s->uses, "springs"))
      json_array_append_new(scenes, json_string(s->name));
  }
  return json_pack("{s:s, s:s, s:[], s:o}", "name", choice[0], "summary", choice[1], "claims", "scenes", scenes);
}

static json_t *spring_entry(size_t i, const sb_session *session)
{
  static const char *const known[][2] = {
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
  return i < sizeof known / sizeof *known ? choice_entry(known[i], false) : NULL;
}

static json_t *pin_entry(size_t i, const sb_session *session)
{
  static const char *const known[][2] = {
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
  return i < sizeof known / sizeof *known ? choice_entry(known[i], true) : NULL;
}

static json_t *integrator_entry(size_t i, const sb_session *session)
{
  if (i == sb_integrator_method_count()) return NULL;
  const sb_integrator_method *m = sb_integrator_method_at(i);
  const unsigned              t = m->traits;
  const double                limit = m->stability_limit;
  return json_pack("{s:s, s:s, s:[s, s, s*, s*, s*, s*, s*, s*], s:o, s:[]}", "name", m->name, "summary", m->summary,
                   "claims",
                   m->order_position == 0 && m->order_velocity == 0
                       ? "no order of convergence is claimed"
                       : sb_arena_format(session->arena, "converges with order %d in position, %d in velocity",
                                         m->order_position, m->order_velocity),
                   isnan(limit)   ? "no limit of stability is claimed"
                   : isinf(limit) ? "stable at any step"
                   : limit > 0    ? sb_arena_format(session->arena, "stable for h omega < %.10g", limit)
                                  : "unstable at any step without damping",
                   t & SB_SYMPLECTIC ? "symplectic: keeps a shadow of the energy of linear springs" : NULL,
                   t & SB_TIME_SYMMETRIC ? "time-symmetric: run back, it returns to the start" : NULL,
                   t & SB_CONSERVES_ANGULAR_MOMENTUM ? "conserves angular momentum" : NULL,
                   t & SB_IMPLICIT ? "implicit: minimises a potential in every step" : NULL,
                   t & SB_PROJECTS_LENGTHS ? "keeps springs at their lengths: stiffness plays no part" : NULL,
                   t & SB_SERIAL_ONLY_INTEGRATOR ? "runs on one rank only" : NULL, "options", options_of(m->uses, NULL),
                   "further defaults");
}

static json_t *minimizer_entry(size_t i, const sb_session *session)
{
  (void)session;
  if (i == sb_minimizer_method_count()) return NULL;
  const sb_minimizer_method *m = sb_minimizer_method_at(i);
  return json_pack("{s:s, s:s, s:[s*, s*, s*], s:o, s:[]}", "name", m->name, "summary", m->summary, "claims",
                   m->traits & SB_DESCENDS ? "never raises the potential, with line_search where it has one" : NULL,
                   m->traits & SB_QUADRATIC ? "converges quadratically near a minimum, with exact solves" : NULL,
                   m->traits & SB_CONSTANT_MATRIX ? "one matrix, factored once" : NULL, "options",
                   options_of(m->uses, NULL), "further defaults");
}

static json_t *linear_entry(size_t i, const sb_session *session)
{
  if (i == sb_linear_backend_count()) return NULL;
  const sb_linear_backend *b = sb_linear_backend_at(i);
  const unsigned           t = b->traits;
  return json_pack("{s:s, s:s, s:[s*, s*, s*, s*, s*], s:o, s:[]}", "name", b->name, "summary", b->summary, "claims",
                   t & SB_DIRECT ? "direct: no iterations" : NULL, t & SB_SERIAL_ONLY ? "one rank only" : NULL,
                   t & SB_NEEDS_SPD ? "needs a symmetric positive definite matrix" : NULL,
                   t & SB_DETECTS_INDEFINITE ? "detects a matrix that is not positive definite" : NULL,
                   b->missing ? sb_arena_format(session->arena, "not in this build: %s", b->missing) : NULL, "options",
                   options_of(b->uses, NULL), "further defaults");
}

static json_t *driver_entry(size_t i, const sb_session *session)
{
  if (i == session->drivers->count) return NULL;
  const sb_driver *d = session->drivers->drivers[i];
  json_t          *columns = json_array();
  for (size_t k = 0; k < d->column_count; ++k) {
    const sb_column *c = &d->columns[k];
    json_array_append_new(columns, json_pack("{s:s, s:s, s:s, s:s}", "name", c->name, "unit", c->unit, "timing",
                                             c->timing ? "yes" : "", "sentence", c->sentence));
  }
  return json_pack("{s:s, s:s, s:[s*], s:o, s:o, s:o}", "name", d->name, "summary", d->summary, "claims",
                   d->restarts ? "goes on from a case file (option restart)" : NULL, "options",
                   options_of(d->uses, d->defaults), "further defaults", further_defaults(d->uses, d->defaults),
                   "columns", columns);
}

/* ---- whole lists ---- */

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
    json_array_append_new(list, json_pack("{s:s, s:s, s:[], s:o}", "name", forms[i]->name, "summary", forms[i]->summary,
                                          "claims", "parts", parts));
  }
  return list;
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
  static const struct {
    const char  *section; /* a heading of options.def; NULL: */
    sb_option_id id;      /* an option below it */
  } lines[] = {
#define SB_SECTION(title)                                            {title, SB_OPT_COUNT},
#define SB_OPTION(name, kind, unit, preset, range, traits, sentence) {NULL, SB_OPT_##name},
#include "base/options.def"
  };
#undef SB_OPTION
  json_t     *list = json_array();
  const char *section = "";
  for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
    if (lines[i].section) section = lines[i].section;
    if (lines[i].section) continue;
    const sb_option *o = sb_option_at(lines[i].id);
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:[s*, s*], s:s, s:s, s:s, s:s, s:s}", "name", o->name, "summary", o->sentence,
                        "claims", o->traits & SB_STORED_ONLY ? "says what is stored: not part of a case's key" : NULL,
                        o->traits & SB_LIMIT_ONLY ? "says how far a case may go: not part of its key" : NULL, "section",
                        section, "type", sb_option_kind_name(o->kind), "unit", o->unit, "default",
                        o->preset ? o->preset : "", "allowed", allowed(session->arena, o->range)));
  }
  return list;
}

/* By topic, those without one last; in a topic by name, as the files are. */
static json_t *list_sweeps(const sb_session *session)
{
  const char *folder = sb_arena_adopt(session->arena, sb_data_directory("experiments"));
  json_t     *list = json_array();
  glob_t      found = {0};
  if (glob(sb_arena_format(session->arena, "%s/*.yaml", folder), 0, NULL, &found) != 0) found.gl_pathc = 0;
  for (size_t i = 0; i < found.gl_pathc; ++i) {
    sb_session      own = sb_session_begin(session->vocabulary, session->drivers);
    const sb_sweep *sweep = sb_sweep_read(found.gl_pathv[i], &own);
    if (sweep) {
      const char  *topic = sweep->topic ? sweep->topic : "";
      const size_t counts[] = {sweep->claim_count, sweep->table_count, sweep->figure_count};
      size_t       at = 0;
      for (; at < json_array_size(list); ++at) {
        const char *other = json_string_value(json_object_get(json_array_get(list, at), "topic"));
        if (*topic && (!*other || strcmp(topic, other) < 0)) break;
      }
      json_array_insert_new(list, at,
                            json_pack("{s:s, s:s, s:[s*, s], s:s, s:s, s:s}", "name", sweep->name, "summary",
                                      sweep->question ? sweep->question : "", "claims",
                                      sweep->source ? sb_arena_format(own.arena, "origin: %s", sweep->source) : NULL,
                                      sb_arena_format(own.arena, "%zu claim%s, %zu table%s, %zu figure%s", counts[0],
                                                      counts[0] == 1 ? "" : "s", counts[1], counts[1] == 1 ? "" : "s",
                                                      counts[2], counts[2] == 1 ? "" : "s"),
                                      "topic", topic, "driver", sweep->driver, "file",
                                      strrchr(found.gl_pathv[i], '/') + 1));
    }
    sb_session_end(&own, stderr);
  }
  globfree(&found);
  return list;
}

const sb_list sb_lists[] = {
    {"scenes", "Scenes: what is simulated",
     "Named by option `scene`. A scene's values of options take the place of the table's; what the user gives takes "
     "the place of both.",
     .entry = scene_entry},
    {"meshes", "Mesh files of scene mesh",
     "Option `mesh` names the file; its format follows from the file's extension. Springs are the distinct edges.",
     .entry = mesh_entry},
    {"springs", "Spring patterns of sheets",
     "Named by option `springs`. Stiffnesses are those of `stiffness`, `stiffness_shear` and `stiffness_bending`, or "
     "`young`.",
     .brief = true, .entry = spring_entry},
    {"pins", "Sets of pinned vertices",
     "Named by option `pins`, which also takes a list of vertex numbers and ranges such as [0,3,10:12].", .brief = true,
     .entry = pin_entry},
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
     .entry = integrator_entry},
    {"minimizers", "Minimisers of the incremental potential",
     "Named by option `minimizer`, for integrator implicit_euler. All lower the same potential.",
     .entry = minimizer_entry},
    {"linear", "Linear solver backends",
     "Named by option `linear`, inside a minimiser. Every solution is checked by its recomputed residual.",
     .entry = linear_entry},
    {"drivers", "Drivers: what is measured",
     "Named by option `driver`, and by the key `driver` of a sweep. Columns are those of the results' index.",
     .entry = driver_entry},
    {"options", "Options of a case",
     "Given as KEY=VALUE to `springbench case`, and as keys of a sweep file. A scene's default takes the place of the "
     "one here.",
     .brief = true, .entries = list_options},
    {"sweeps", "Sweeps that come with springbench", "Run by `springbench run FILE`.", .entries = list_sweeps},
    {0},
};

json_t *sb_list_entries(const sb_list *list, const sb_session *session)
{
  if (list->entries) return list->entries(session);
  if (list->forms) return list_forms(list->forms);
  json_t *entries = json_array(), *entry;
  for (size_t i = 0; (entry = list->entry(i, session)); ++i) json_array_append_new(entries, entry);
  return entries;
}
