/* `springbench list`: everything that has a name, for a terminal, as JSON, and as pages of the manual,
 * docs/reference/<topic>.md. Text and pages are the same walk over entries, whose tables are grids (table.h).
 *
 * An entry is a JSON object: "name", "summary", "claims" [texts], and the further members of its family: texts, lists
 * of texts, and tables (lists of objects with the same members, of which "name" comes first and "sentence" last). The
 * printer does not depend on families, so that text, Markdown and JSON agree. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/words.h"
#include "cases/common/durable.h"
#include "harness/commands/command.h"
#include "harness/report/table.h"
#include "harness/sweep/sweep.h"
#include "model/contact/contact.h"
#include "model/forces/field.h"
#include "model/forces/path.h"
#include "model/mesh/mesh_format.h"
#include "model/particles/smoothing.h"
#include "model/scene/scene.h"
#include "solvers/bounded/bounded_method.h"
#include "solvers/integrate/integrator_method.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/linear/petsc_text.h"
#include "solvers/minimize/descent.h"

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
                   f->has_masses ? "may have masses of vertices (option mesh_mass)" : NULL, "extensions",
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
      {"triangulated_right", "structural, and the other diagonal of every cell: (i, j) to (i+1, j+1)"},
      {"alternating", "structural, and one diagonal of every cell, in directions that alternate as on a chessboard"},
      {"crossed", "structural, and both diagonals of every cell"},
      {"structural+bending", "structural, and second neighbours along rows and columns"},
      {"triangulated+bending", "triangulated, and second neighbours along rows and columns"},
      {"triangulated_right+bending", "triangulated_right, and second neighbours along rows and columns"},
      {"alternating+bending", "alternating, and second neighbours along rows and columns"},
      {"crossed+bending", "crossed, and second neighbours along rows and columns"},
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

static const char *orders_of(const sb_integrator_method *m, const sb_session *session)
{
  if (m->order_position == 0 && m->order_velocity == 0) return "no order of convergence is claimed";
  const char *braked =
      m->order_braked == 0
          ? ""
          : sb_arena_format(session->arena, "; with order %d under drag, dampers or air", m->order_braked);
  return sb_arena_format(session->arena, "converges with order %d in position, %d in velocity%s", m->order_position,
                         m->order_velocity, braked);
}

static json_t *integrator_entry(size_t i, const sb_session *session)
{
  if (i == sb_integrator_method_count()) return NULL;
  const sb_integrator_method *m = sb_integrator_method_at(i);
  const unsigned              t = m->traits;
  const double                limit = m->stability_limit;
  return json_pack("{s:s, s:s, s:[s, s, s*, s*, s*, s*, s*, s*, s*, s*], s:o, s:[]}", "name", m->name, "summary",
                   m->summary, "claims", orders_of(m, session),
                   isnan(limit)   ? "no limit of stability is claimed"
                   : isinf(limit) ? "stable at any step"
                   : limit > 0    ? sb_arena_format(session->arena, "stable for h omega < %.10g", limit)
                                  : "unstable at any step without damping",
                   t & SB_SYMPLECTIC ? "symplectic: conserves a shadow energy of linear springs" : NULL,
                   t & SB_TIME_SYMMETRIC ? "time-symmetric: integrating back returns to the start" : NULL,
                   t & SB_CONSERVES_ANGULAR_MOMENTUM ? "conserves angular momentum" : NULL,
                   t & SB_IMPLICIT ? "implicit: minimises a potential in every step" : NULL,
                   t & SB_DISSIPATES ? "dissipates: a converged step never raises the energy if it is convex" : NULL,
                   t & SB_PROJECTS_LENGTHS ? "keeps springs at their lengths: stiffness has no effect" : NULL,
                   t & SB_MOVES_PARTICLES ? "moves particles of a fluid, not nets" : NULL,
                   t & SB_SERIAL_ONLY_INTEGRATOR ? "runs on one rank only" : NULL, "options", options_of(m->uses, NULL),
                   "further defaults");
}

static json_t *minimizer_entry(size_t i, const sb_session *session)
{
  (void)session;
  if (i == sb_minimizer_method_count()) return NULL;
  const sb_minimizer_method *m = sb_minimizer_method_at(i);
  const unsigned             t = sb_minimizer_method_traits(m);
  return json_pack("{s:s, s:s, s:[s*, s*, s*, s*, s*, s*], s:o, s:o}", "name", m->name, "summary", m->summary, "claims",
                   t & SB_DESCENDS ? "never raises the potential" : NULL,
                   t & SB_QUADRATIC ? "converges quadratically near a minimum, with exact solves" : NULL,
                   t & SB_CONSTANT_MATRIX ? "one matrix, factored once" : NULL,
                   t & SB_OTHER_LIMIT ? "does not converge to the minimum" : NULL,
                   t & SB_ONE_RANK ? "one rank only" : NULL, t & SB_REDUCED_PINS ? "pin_method reduce only" : NULL,
                   "options", options_of(m->uses, m->defaults), "further defaults",
                   further_defaults(m->uses, m->defaults));
}

static json_t *metric_entry(size_t i, const sb_session *session)
{
  (void)session;
  if (i == sb_metric_count()) return NULL;
  const sb_metric *m = sb_metric_at(i);
  return json_pack("{s:s, s:s, s:[s*, s*], s:o, s:[]}", "name", m->name, "summary", m->summary, "claims",
                   m->traits & SB_MAJORISES ? "an upper bound of every Hessian: whole steps never raise the potential"
                                            : NULL,
                   m->traits & SB_CONSTANT_MATRIX ? "one matrix, factored once" : NULL, "options",
                   options_of(m->uses, NULL), "further defaults");
}

/* Metrics that conjugate gradients may have inside. */
static json_t *preconditioner_entry(size_t i, const sb_session *session)
{
  size_t at = 0;
  for (; at < sb_metric_count(); ++at)
    if (sb_metric_at(at)->traits & SB_LINEAR && i-- == 0) break;
  return metric_entry(at, session);
}

static json_t *accelerator_entry(size_t i, const sb_session *session)
{
  if (i == sb_accelerator_count()) return NULL;
  const sb_accelerator *a = sb_accelerator_at(i);
  return json_pack("{s:s, s:s, s:[s*, s*], s:o, s:[]}", "name", a->name, "summary", a->summary, "claims",
                   a->steps ? sb_arena_format(session->arena, "works with step %s", a->steps) : NULL,
                   a->metrics ? sb_arena_format(session->arena, "works with metric %s", a->metrics) : NULL, "options",
                   options_of(a->uses, NULL), "further defaults");
}

static json_t *step_entry(size_t i, const sb_session *session)
{
  (void)session;
  if (i == sb_step_rule_count()) return NULL;
  const sb_step_rule *s = sb_step_rule_at(i);
  return json_pack("{s:s, s:s, s:[s*], s:o, s:[]}", "name", s->name, "summary", s->summary, "claims",
                   s->descends ? "never raises the potential" : NULL, "options", options_of(s->uses, NULL),
                   "further defaults");
}

static json_t *linear_entry(size_t i, const sb_session *session)
{
  if (i == sb_linear_backend_count()) return NULL;
  const sb_linear_backend *b = sb_linear_backend_at(i);
  const unsigned           t = b->traits;
  json_t                  *presets = json_array();
  for (size_t k = 0; sb_has_word(b->uses, "petsc") && k < sb_petsc_preset_count(); ++k) {
    const sb_petsc_preset *p = sb_petsc_preset_at(k);
    json_array_append_new(presets,
                          json_pack("{s:s, s:s, s:s}", "name", p->name, "options", p->text, "sentence", p->sentence));
  }
  return json_pack("{s:s, s:s, s:[s*, s*, s*, s*, s*], s:o, s:[], s:o}", "name", b->name, "summary", b->summary,
                   "claims", t & SB_DIRECT ? "direct: no iterations" : NULL,
                   t & SB_SERIAL_ONLY ? "one rank only" : NULL,
                   t & SB_NEEDS_SPD ? "needs a symmetric positive definite matrix" : NULL,
                   t & SB_DETECTS_INDEFINITE ? "detects a matrix that is not positive definite" : NULL,
                   b->missing ? sb_arena_format(session->arena, "not in this build: %s", b->missing) : NULL, "options",
                   options_of(b->uses, NULL), "further defaults", "presets", presets);
}

static json_t *smoothing_entry(size_t i, const sb_session *session)
{
  (void)session;
  if (i == sb_smoothing_count()) return NULL;
  const sb_smoothing *k = sb_smoothing_at(i);
  return json_pack("{s:s, s:s, s:[]}", "name", k->name, "summary", k->summary, "claims");
}

static json_t *bounded_entry(size_t i, const sb_session *session)
{
  (void)session;
  if (i == sb_bounded_method_count()) return NULL;
  const sb_bounded_method *m = sb_bounded_method_at(i);
  return json_pack("{s:s, s:s, s:[s*, s*, s*], s:o, s:[]}", "name", m->name, "summary", m->summary, "claims",
                   m->traits & SB_BOUNDED_IGNORES ? "has no bounds: pressures may be negative" : NULL,
                   m->traits & SB_BOUNDED_APPROXIMATE ? "does not converge to a solution of the system" : NULL,
                   m->traits & SB_BOUNDED_ROWS ? "needs the matrix: not for pressure_matrix=free" : NULL, "options",
                   options_of(m->uses, NULL), "further defaults");
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
                   d->restarts ? "can continue from a case file (option restart)" : NULL, "options",
                   options_of(d->uses, d->defaults), "further defaults", further_defaults(d->uses, d->defaults),
                   "columns", columns);
}

static json_t *problem_entry(size_t i, const sb_session *session)
{
  if (i == session->drivers->problem_count) return NULL;
  const sb_problem *p = &session->drivers->problems[i];
  return json_pack("{s:s, s:s, s:[]}", "name", p->name, "summary", p->options, "claims");
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
                        "claims", o->traits & SB_STORED_ONLY ? "affects only storage: not part of a case's key" : NULL,
                        o->traits & SB_LIMIT_ONLY ? "limits a case: not part of its key" : NULL, "section", section,
                        "type", sb_option_kind_name(o->kind), "unit", o->unit, "default", o->preset ? o->preset : "",
                        "allowed", allowed(session->arena, o->range)));
  }
  return list;
}

/* By topic, those without one last; in a topic by name, as the files are. */
static json_t *list_sweeps(const sb_session *session)
{
  json_t      *list = json_array();
  size_t       count = 0;
  const char **paths = sb_sweeps_shipped(session->arena, &count);
  for (size_t i = 0; i < count; ++i) {
    sb_session      own = sb_session_begin(session->vocabulary, session->drivers);
    const sb_sweep *sweep = sb_sweep_read(paths[i], &own);
    if (sweep) {
      const char  *topic = sweep->topic ? sweep->topic : "";
      const size_t counts[] = {sweep->claim_count, sweep->table_count, sweep->figure_count};
      size_t       at = 0;
      for (; at < json_array_size(list); ++at) {
        const char *other = json_string_value(json_object_get(json_array_get(list, at), "topic"));
        if (*topic && (!*other || strverscmp(topic, other) < 0)) break;
      }
      json_array_insert_new(list, at,
                            json_pack("{s:s, s:s, s:[s*, s], s:s, s:s, s:s}", "name", sweep->name, "summary",
                                      sweep->question ? sweep->question : "", "claims",
                                      sweep->source ? sb_arena_format(own.arena, "origin: %s", sweep->source) : NULL,
                                      sb_arena_format(own.arena, "%zu claim%s, %zu table%s, %zu figure%s", counts[0],
                                                      counts[0] == 1 ? "" : "s", counts[1], counts[1] == 1 ? "" : "s",
                                                      counts[2], counts[2] == 1 ? "" : "s"),
                                      "topic", topic, "driver", sweep->driver, "file", strrchr(paths[i], '/') + 1));
    }
    sb_session_end(&own, stderr);
  }
  return list;
}

typedef struct {
  const char *topic, *title;
  const char *about; /* the option that takes the names, and common facts; whole sentences */
  bool        brief; /* all entries are rows of one table, or of one for each section */
  /* One of these: entry number i, NULL behind the last; a new array of all; forms of composite values. */
  json_t *(*entry)(size_t i, const sb_session *session);
  json_t *(*entries)(const sb_session *session);
  const sb_form *const *(*forms)(size_t *count);
} listing;

static const listing lists[] = {
    {"scenes", "Scenes",
     "Named by option `scene`. A scene's values of options replace the table's; the user's values replace both.",
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
    {"colliders", "Colliders",
     "Named by option `collider` with their parts, as in `collider=KIND:part=value,part=value`; several are separated "
     "by `;`. Option `contact` chooses how they act; `self_contact` is contact of the net with itself.",
     .forms = sb_collider_forms},
    {"integrators", "Time integrators",
     "Named by option `integrator`. The conformance suite measures these claims. Limits are on h omega, the step times "
     "the largest natural frequency, without damping. With `damping_rate`, a factor on velocities per step, every "
     "method converges with order 1.",
     .entry = integrator_entry},
    {"minimizers", "Minimisers of the incremental potential",
     "Named by option `minimizer`, for integrator implicit_euler. All minimise the same potential.",
     .entry = minimizer_entry},
    {"metrics", "Metrics of descent methods", "Named by option `metric`: P of a descent z - a A(P^-1 grad g).",
     .entry = metric_entry},
    {"preconditioners", "Preconditioners of metric truncated_cg",
     "Named by option `preconditioner`: metrics that are one matrix at a given place.", .entry = preconditioner_entry},
    {"accelerators", "Accelerators of descent methods",
     "Named by option `accelerator`: the rule for a direction from the metric's and earlier ones.",
     .entry = accelerator_entry},
    {"steps", "Step rules of descent methods", "Named by option `step`: the length of a step.", .entry = step_entry},
    {"linear", "Linear solver backends",
     "Named by option `linear`, inside a minimiser. Every solution is checked by its recomputed residual.",
     .entry = linear_entry},
    {"bounded", "Pressure solvers: quadratic programmes with bounds",
     "Named by option `pressure_solver`. Pressures are not negative: they solve min q.A q/2 - b.q over q >= 0.",
     .entry = bounded_entry},
    {"smoothings", "Smoothing kernels of particles", "Named by option `smoothing`.", .brief = true,
     .entry = smoothing_entry},
    {"drivers", "Drivers",
     "Named by option `driver`, and by the key `driver` of a sweep. Columns are those of the results' index.",
     .entry = driver_entry},
    {"problems", "Problems for comparing minimisers",
     "Named by option `problem`, which sets the options shown. The first word is a stratum; problems whose names end "
     "in a number are one motion at several frames.",
     .brief = true, .entry = problem_entry},
    {"options", "Options of a case",
     "Given as KEY=VALUE to `springbench case`, and as keys of a sweep file. A scene's default replaces the one here.",
     .brief = true, .entries = list_options},
    {"sweeps", "Sweeps that come with springbench",
     "Run by `springbench run NAME` in any folder; the results go to the folder `results` there.",
     .entries = list_sweeps},
    {0},
};

/* A new array. */
static json_t *entries_of(const listing *list, const sb_session *session)
{
  if (list->entries) return list->entries(session);
  if (list->forms) return list_forms(list->forms);
  json_t *entries = json_array(), *entry;
  for (size_t i = 0; (entry = list->entry(i, session)); ++i) json_array_append_new(entries, entry);
  return entries;
}

/* ---- what is printed of them ---- */

typedef struct {
  FILE     *stream;
  sb_arena *arena;
  bool      markdown;
} page;

static const char *text_of(const json_t *entry, const char *key)
{
  return json_string_value(json_object_get(entry, key));
}

/* Tells whether a member has a place of its own. */
static bool is_head(const char *key)
{
  static const char *const heads[] = {"name", "summary", "claims", "section", "sentence"};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; ++i)
    if (strcmp(key, heads[i]) == 0) return true;
  return false;
}

static bool is_table(const json_t *value) { return json_is_object(json_array_get(value, 0)); }

/* Text in Markdown: what is between backticks stays as it is, what else would be markup is escaped. As code all of it
 * stays, but for what would end a table's cell. */
static const char *escaped(sb_arena *arena, const char *text, bool all_code)
{
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, arena);
  bool            code = all_code;
  if (all_code) fputc('`', stream);
  for (const char *c = text; *c; ++c) {
    const bool inside = c > text && isalnum((unsigned char)c[-1]) && isalnum((unsigned char)c[1]);
    if (*c == '`') code = !code;
    if (*c == '|' || (!code && (strchr("\\*<>", *c) || (*c == '_' && !inside)))) fputc('\\', stream);
    fputc(*c, stream);
  }
  if (all_code) fputc('`', stream);
  return sb_arena_text(&writer);
}

/* A text, names, or rows of a table by their names and defaults, with `mark` on either side of each: "rope, cloth",
 * "`drag=0`". */
static const char *joined(sb_arena *arena, const json_t *value, const char *mark)
{
  const char   *text = "";
  const json_t *item;
  size_t        i;
  if (json_is_string(value)) return sb_arena_format(arena, "%s%s%s", mark, json_string_value(value), mark);
  json_array_foreach(value, i, item)
  {
    const char *name = json_is_object(item) ? text_of(item, "name") : json_string_value(item);
    const char *preset = json_is_object(item) ? text_of(item, "default") : NULL;
    text = sb_arena_format(arena, "%s%s%s%s%s%s%s", text, i ? ", " : "", mark, name, preset && *preset ? "=" : "",
                           preset ? preset : "", mark);
  }
  return text;
}

/* Adds a cell. In Markdown names and values are code, and another list is a link to its page; the rest is prose. */
static sb_cell *put_cell(sb_table *table, const char *key, const json_t *value)
{
  static const char list[] = "springbench list ";
  const bool        words = strcmp(key, "sentence") == 0 || strcmp(key, "summary") == 0 || strcmp(key, "unit") == 0;
  sb_cell          *cell = sb_table_put(table, joined(table->arena, value, ""));
  const char       *topic = cell->text + sizeof list - 1;
  if (json_is_array(value))
    cell->markdown = joined(table->arena, value, "`");
  else if (strncmp(cell->text, list, sizeof list - 1) == 0)
    cell->markdown = sb_arena_format(table->arena, "[%s](%s.md)", topic, topic);
  else if (*cell->text)
    cell->markdown = escaped(table->arena, cell->text, !words && strncmp(cell->text, "must ", 5) != 0);
  return cell;
}

/* Rows [from, to) with the same members: names and what `sentence` has. `all`: also what stands between them, on a
 * terminal behind the sentence in brackets: "[m, default 1]". */
static void put_rows(const page *p, const json_t *rows, size_t from, size_t to, const char *sentence, bool all)
{
  sb_table   *table = sb_table_create(p->arena);
  const char *key;
  json_t     *value;
  table->indent = strcmp(sentence, "summary") == 0 ? 2 : 4; /* below an entry */
  table->wrap = true;
  sb_table_add_column(table, p->markdown ? "name" : "", "", false);
  json_object_foreach(json_array_get(rows, from), key, value)
  {
    if (all && p->markdown && !is_head(key)) sb_table_add_column(table, key, "", false);
  }
  sb_table_add_column(table, "", "", false);
  for (; from < to; ++from) {
    json_t     *row = json_array_get(rows, from);
    const char *remarks = "";
    sb_table_add_row(table);
    put_cell(table, "name", json_object_get(row, "name"));
    json_object_foreach(row, key, value)
    {
      const char *said = all && !is_head(key) ? joined(p->arena, value, "") : "";
      const bool  bare = strcmp(key, "unit") == 0 || strcmp(key, "type") == 0 || strncmp(said, "must", 4) == 0 ||
                        strncmp(said, "springbench", 11) == 0;
      if (all && p->markdown && !is_head(key)) put_cell(table, key, value);
      if (*said)
        remarks = sb_arena_format(p->arena, "%s%s%s%s%s", remarks, *remarks ? ", " : "", bare ? "" : key,
                                  bare                   ? ""
                                  : json_is_array(value) ? ": "
                                                         : " ",
                                  said);
    }
    sb_cell *last = put_cell(table, sentence, json_object_get(row, sentence));
    if (*remarks && !p->markdown) last->text = sb_arena_format(p->arena, "%s [%s]", last->text, remarks);
  }
  sb_table_print(table, p->markdown ? SB_TABLE_MARKDOWN : SB_TABLE_TEXT, p->stream);
}

static void put_item(const page *p, const char *text)
{
  fputs(p->markdown ? "- " : "  - ", p->stream);
  if (p->markdown)
    fputs(text, p->stream);
  else
    sb_text_put_wrapped(p->stream, text, 4, 4);
  fputc('\n', p->stream);
}

/* Options are told elsewhere: on a terminal their names and defaults are enough. */
static void put_entry(const page *p, json_t *entry)
{
  const char *key, *name = text_of(entry, "name"), *summary = text_of(entry, "summary");
  json_t     *value, *claim;
  size_t      i;
  bool        items = false;
  if (p->markdown) {
    const char *sentence = sb_arena_format(p->arena, "%c%s.", toupper((unsigned char)*summary), summary + 1);
    fprintf(p->stream, "## %s\n\n%s\n\n", name, *summary ? escaped(p->arena, sentence, false) : "");
  } else {
    fprintf(p->stream, "%s\n  ", name);
    sb_text_put_wrapped(p->stream, summary, 2, 2);
    fputc('\n', p->stream);
  }
  json_array_foreach(json_object_get(entry, "claims"), i, claim)
  {
    put_item(p, p->markdown ? escaped(p->arena, json_string_value(claim), false) : json_string_value(claim));
    items = true;
  }
  json_object_foreach(entry, key, value)
  {
    const bool is_empty = json_is_string(value) ? !*json_string_value(value) : json_array_size(value) == 0;
    if (is_head(key) || is_empty || (is_table(value) && (p->markdown || strcmp(key, "options") != 0))) continue;
    put_item(p, sb_arena_format(p->arena, "%s: %s", key, joined(p->arena, value, p->markdown ? "`" : "")));
    items = true;
  }
  if (p->markdown && items) fputc('\n', p->stream);
  json_object_foreach(entry, key, value)
  {
    if (is_head(key) || !is_table(value) || (!p->markdown && strcmp(key, "options") == 0)) continue;
    if (strcmp(key, "options") != 0) fprintf(p->stream, p->markdown ? "The %s:\n\n" : "  %s:\n", key);
    put_rows(p, value, 0, json_array_size(value), "sentence", true);
  }
  if (!p->markdown) fputc('\n', p->stream);
}

/* Names and summaries where `all` is false; else all there is about every entry. */
static void put_list(const page *p, const listing *list, const json_t *entries, bool all)
{
  const size_t count = json_array_size(entries);
  json_t      *entry;
  size_t       i;
  if (p->markdown)
    fprintf(p->stream,
            "# %s\n\n<!-- Written by `springbench list %s --markdown`; renew with the build target `reference`. "
            "-->\n\n%s\n\n",
            list->title, list->topic, list->about);
  else if (!all)
    fprintf(p->stream, "%s (springbench list %s)\n", list->title, list->topic);
  else {
    fprintf(p->stream, "%s\n", list->title);
    sb_text_put_wrapped(p->stream, list->about, 0, 0);
    fputs("\n\n", p->stream);
  }
  if (!all || (p->markdown && !list->brief)) put_rows(p, entries, 0, count, "summary", false);
  if (all && !list->brief) json_array_foreach(entries, i, entry) put_entry(p, entry);
  /* Entries that are rows: those of each section below its heading. */
  for (size_t from = 0, to = 0; all && list->brief && from < count; from = to) {
    const json_t *section = json_object_get(json_array_get(entries, from), "section");
    do to++;
    while (to < count && (!section || json_equal(json_object_get(json_array_get(entries, to), "section"), section)));
    if (section) fprintf(p->stream, p->markdown ? "## %s\n\n" : "%s\n", json_string_value(section));
    put_rows(p, entries, from, to, "summary", true);
    if (!p->markdown && to < count) fputc('\n', p->stream);
  }
}

/* "none of the scenes is called 'clth'; did you mean 'cloth'? (bar, cloth, …)"; `only` NULL: it is no topic. */
static int refuse(const sb_session *session, const listing *only, const char *name)
{
  json_t     *entries = only ? entries_of(only, session) : json_array();
  size_t      count = json_array_size(entries);
  const char *all = "", *what = "there is no topic or name";
  while (!only && lists[count].topic) ++count;
  const char **names = sb_arena_take(session->arena, count, sizeof *names);
  for (size_t i = 0; i < count; ++i) {
    names[i] = only ? text_of(json_array_get(entries, i), "name") : lists[i].topic;
    all = sb_arena_format(session->arena, "%s%s%s", all, i ? ", " : "", names[i]);
  }
  const char *near = sb_nearest_name(name, names, count);
  if (only) what = sb_arena_format(session->arena, "none of the %s is named", only->topic);
  if (!only && (strcmp(name, "solvers") == 0 || strcmp(name, "solver") == 0))
    sb_error_at(session->diagnostics, (sb_location){0}, "E106",
                "solvers are three lists: integrators, minimizers, linear");
  else
    sb_error_at(session->diagnostics, (sb_location){0}, "E106", "%s '%s'%s%s%s (%s)", what, name,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", all);
  json_decref(entries);
  return SB_EXIT_USAGE;
}

static int run_list(const sb_arguments *given, const sb_session *session)
{
  const page     p = {stdout, session->arena, given->flags[1]};
  const bool     json = given->flags[0];
  const char    *topic = given->count > 0 ? given->names[0] : NULL;
  const listing *only = topic ? lists : NULL;
  while (only && only->topic && strcmp(only->topic, topic) != 0) ++only;
  if (only && !only->topic) only = NULL;
  /* `list cloth`: all about what has that name, in whichever topics it is. */
  const char *name = !only ? topic : given->count > 1 ? given->names[1] : NULL;
  if (given->count > 1 && !only) return refuse(session, NULL, topic);
  json_t *object = json_object();
  for (const listing *list = only ? only : lists; list->topic && (!only || list == only); ++list) {
    json_t *entries = entries_of(list, session);
    for (size_t i = json_array_size(entries); name && i-- > 0;)
      if (strcmp(text_of(json_array_get(entries, i), "name"), name) != 0) json_array_remove(entries, i);
    if (!name || json_array_size(entries) > 0) {
      if (!json && json_object_size(object) > 0) putchar('\n');
      if (!json) put_list(&p, list, entries, topic || p.markdown);
      json_object_set(object, list->topic, entries);
    }
    json_decref(entries);
  }
  const bool found = json_object_size(object) > 0;
  if (found && json) json_dumpf(object, stdout, JSON_INDENT(2));
  if (found && json) putchar('\n');
  json_decref(object);
  return found ? SB_EXIT_OK : refuse(session, only, name);
}

const sb_command sb_command_list = {.most = 2, .flags = {"--json", "--markdown"}, .run_plain = run_list};
