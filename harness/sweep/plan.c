/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a sweep to its cases: every block expanded, every case resolved, filtered, keyed, and no two alike. */
#include "harness/sweep/plan.h"

#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "base/option_ids.h"
#include "cases/describe/names.h"
#include "harness/sweep/plan_expand.h"
#include "solvers/linear/petsc_text.h"

/* A place that gives an option which not every case reads. */
typedef struct {
  sb_location where;
  bool        read;           /* some case that has it from here reads it */
  char       *value, *lacked; /* lacked: what the first case that did not read it would have to choose */
} given;

/* The origin of a case, for messages. */
typedef struct {
  size_t      expansion, number;
  const char *method; /* the value of the axis `method` from which it was made; NULL: there is none */
} origin;

typedef struct {
  const sb_sweep        *sweep;
  const sb_plan_request *request;
  sb_session             work; /* of the planning: its arena goes when the plan is made */
  sb_settings            overrides;
  size_t                 expansion_count;
  sb_expansion          *expansions;
  sb_expression         *filter, *exclude;
  bool                   widens;  /* blocks without the axis `method` take no part */
  sb_options            *values;  /* of names, to compare them in canonical form */
  json_t                *methods; /* sb_sweep_methods_json of the sweep's */
  sb_rows               *row;     /* of one case, for expressions */
  sb_input_cache        *files;   /* digests of what options name */
  sb_plan               *plan;
  origin                *origins;  /* [plan->count] */
  size_t                *animated; /* [sweep->animation_count] how many cases each shows */
  size_t                 given_count[SB_OPT_COUNT];
  given                 *givens[SB_OPT_COUNT];
  bool                   taken[SB_OPT_COUNT];   /* this default is the value of some case */
  sb_location            yielded[SB_OPT_COUNT]; /* this default gave way to a name in some case; line 0: in none */
} builder;

/* Tells whether the case reads the option. If not, its value must not show: the row would count among those that read
 * it. */
static bool counts(const sb_options *options, sb_option_id id)
{
  return sb_options_has(options, id) && sb_options_read(options, id);
}

const char *sb_naming_axis(int naming)
{
  return naming == SB_NAMED_METHOD ? "method" : sb_option_at(sb_case_names[naming - 1])->name;
}

/* The value of an option, or of `method`, whether the case reads it or not. */
static sb_value given_value(const sb_planned_case *c, const char *name)
{
  const sb_option_id id = sb_option_find(name);
  if (strcmp(name, "method") == 0 && c->method) return (sb_value){.kind = SB_WORD, .word = c->method};
  if (id == SB_OPT_COUNT || !sb_options_has(c->options, id)) return (sb_value){.kind = SB_BLANK};
  const sb_option_kind kind = sb_option_at(id)->kind;
  if (kind == SB_KIND_INTEGER)
    return (sb_value){.kind = SB_NUMBER, .number = (double)sb_options_integer(c->options, id)};
  if (kind == SB_KIND_REAL && !isnan(sb_options_real(c->options, id))) /* else a word such as auto */
    return (sb_value){.kind = SB_NUMBER, .number = sb_options_real(c->options, id)};
  if (kind == SB_KIND_BOOL) return (sb_value){.kind = SB_TRUTH, .truth = sb_options_flag(c->options, id)};
  return (sb_value){.kind = SB_WORD, .word = sb_options_text(c->options, id)};
}

sb_value sb_case_value(const sb_planned_case *c, const char *name)
{
  const sb_option_id id = sb_option_find(name);
  return id == SB_OPT_COUNT || counts(c->options, id) ? given_value(c, name) : (sb_value){.kind = SB_BLANK};
}

const char *sb_case_changed(const sb_planned_case *c, const char *axis)
{
  const sb_option_id id = sb_option_find(axis);
  const char        *changed = NULL;
  for (int n = 0; n < SB_NAMINGS; ++n)
    if (strcmp(axis, sb_naming_axis(n)) == 0) changed = c->changed[n];
  return id == SB_OPT_COUNT || counts(c->options, id) ? changed : NULL;
}

const char *sb_case_label(const sb_planned_case *c, const char *axis)
{
  const sb_option_id id = sb_option_find(axis);
  const char        *changed = sb_case_changed(c, axis);
  if (changed) return changed;
  if (id != SB_OPT_COUNT) return counts(c->options, id) ? sb_options_text(c->options, id) : "";
  return c->method ? c->method : "";
}

bool sb_case_method_is_foreign(const sb_plan *plan, const sb_planned_case *c)
{
  return c->changed[SB_NAMED_METHOD] || (c->method && json_object_get(plan->added, c->method));
}

bool *sb_plan_varying(const sb_plan *plan, sb_arena *arena)
{
  bool *varying = sb_arena_take(arena, plan->axis_count, sizeof *varying);
  for (size_t a = 0; a < plan->axis_count; ++a)
    for (size_t i = 1; i < plan->count && !varying[a]; ++i)
      varying[a] =
          strcmp(sb_case_label(&plan->cases[0], plan->axes[a]), sb_case_label(&plan->cases[i], plan->axes[a])) != 0;
  return varying;
}

bool sb_plan_put_case(const sb_plan *plan, const bool *varying, const sb_planned_case *c, FILE *stream)
{
  const char *separator = "";
  for (size_t a = 0; a < plan->axis_count; ++a) {
    const char *value = sb_case_label(c, plan->axes[a]);
    if (!*value || !varying[a]) continue;
    fprintf(stream, "%s%s=%s", separator, plan->axes[a], value);
    separator = " ";
  }
  return *separator != '\0';
}

/* ---- the options of a case ---- */

/* The source of an option of a case; a higher level overrides a lower one. */
enum { BY_SWEEP = 1, BY_BLOCK, BY_METHOD, BY_AXIS };

typedef struct {
  sb_options   *options;
  unsigned char level[SB_OPT_COUNT];
} gathering;

static bool give(const builder *b, gathering *g, sb_option_id id, const char *text, sb_location where, int level)
{
  g->level[id] = (unsigned char)level;
  return sb_options_set(g->options, id, text, SB_FROM_USER, where, b->work.diagnostics);
}

static bool apply_settings(const builder *b, gathering *g, const sb_settings *settings, int level)
{
  for (size_t i = 0; i < settings->count; ++i)
    if (!give(b, g, settings->axes[i].id, *settings->axes[i].values, *settings->axes[i].where, level)) return false;
  return true;
}

/* Notes whether a default gave way to an option that a name implies, or was taken. */
static void note_defaults(builder *b, const sb_settings *settings, const sb_options *options)
{
  for (size_t i = 0; i < settings->count; ++i) {
    const sb_option_id id = settings->axes[i].id;
    const sb_location  own = *settings->axes[i].where, where = sb_options_location(options, id);
    if (sb_options_origin(options, id) == SB_FROM_SCENE)
      b->yielded[id] = own;
    else if (where.line == own.line && where.column == own.column)
      b->taken[id] = true;
  }
}

/* The value that the name of a case stands for, of an option; NULL: it does not name the option. A method stands for
 * what it sets, and for what the minimiser or problem that it names stands for. */
static char *named_value(const sb_settings *method, const sb_options *options, int naming, sb_option_id id)
{
  for (size_t i = 0; method && i < method->count; ++i)
    if (method->axes[i].id == id) return sb_copy_text(method->axes[i].values[0]);
  for (int s = 0; s < SB_CASE_NAMES; ++s) {
    bool         names = naming == s + 1;
    const char  *list = sb_options_defaults(options, sb_case_names[s]);
    sb_option_id one;
    for (size_t i = 0; method && i < method->count; ++i)
      names = names || (method->axes[i].id == sb_case_names[s] &&
                        strcmp(method->axes[i].values[0], sb_options_text(options, sb_case_names[s])) == 0);
    for (char *value; names && (value = sb_options_next_default(&list, &one)); free(value))
      if (one == id) return value;
  }
  return NULL;
}

/* " OPTION=VALUE …": the options of a name to which -p has given other values, which are put into `set` too. A name
 * does not decide an option that is an axis of the block. */
static const char *changes_of(const builder *b, const sb_block *block, const sb_planned_case *c, int naming,
                              json_t *set)
{
  const sb_settings *method = naming == SB_NAMED_METHOD ? sb_sweep_method(b->sweep, c->method) : NULL;
  const char        *with = "";
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    const char *option = sb_option_at(id)->name, *text = sb_options_text(c->options, id);
    if (!sb_find_axis(b->overrides.axes, b->overrides.count, option) || sb_option_at(id)->traits & SB_NOT_IN_KEY ||
        sb_find_axis(block->axes, block->count, option))
      continue;
    SB_OWNED char *value = named_value(method, c->options, naming, id);
    if (!value || !sb_options_set(b->values, id, value, SB_FROM_USER, (sb_location){0}, NULL)) continue;
    SB_OWNED char *is = sb_option_is_petsc_text(id) ? sb_case_option_meaning(c->options, id) : NULL;
    SB_OWNED char *was = is ? sb_case_option_meaning(b->values, id) : NULL;
    if (strcmp(is ? is : text, was ? was : sb_options_text(b->values, id)) == 0) continue;
    with = sb_arena_format(b->work.arena, "%s %s=%s", with, option, text);
    json_object_set_new(set, option, json_string(text));
  }
  return with;
}

/* A changed method is another one of the sweep if it has just the options of that. */
static void note_changes(const builder *b, const sb_block *block, sb_planned_case *c)
{
  const char *other = NULL;
  json_t     *its = NULL;
  for (int n = 0; n < SB_NAMINGS && b->overrides.count > 0; ++n) {
    const char  *name = n == SB_NAMED_METHOD ? c->method : sb_options_text(c->options, sb_case_names[n - 1]);
    json_t      *own = n == SB_NAMED_METHOD && name ? json_object_get(b->methods, name) : NULL;
    json_auto_t *set = own ? json_copy(own) : json_object();
    const char  *with = name && *name ? changes_of(b, block, c, n, set) : "";
    if (*with) c->changed[n] = sb_arena_format(b->plan->arena, "%s with%s", name, with);
    if (n != SB_NAMED_METHOD || !*with) continue;
    c->method = NULL;
    json_object_foreach(b->methods, other, its) if (!c->method && json_equal(its, set)) c->method = other;
    c->method = c->method ? sb_sweep_method(b->sweep, c->method)->name : NULL;
    if (c->method) c->changed[n] = NULL;
  }
}

/* Defaults of the sweep and of the block, then the method, then the axes. */
static bool gather_options(builder *b, origin *from, sb_planned_case *c)
{
  const sb_expansion *e = &b->expansions[from->expansion];
  const size_t        number = from->number;
  gathering           g = {.options = c->options};
  bool good = give(b, &g, SB_OPT_driver, b->sweep->driver, (sb_location){b->sweep->path, 0, 0}, BY_SWEEP) &&
              apply_settings(b, &g, &b->sweep->defaults, BY_SWEEP) &&
              apply_settings(b, &g, &e->block->defaults, BY_BLOCK);
  for (size_t i = 0; good && i < e->axis_count; ++i) {
    if (e->axes[i].axis->id != SB_OPT_COUNT) continue;
    const sb_settings *method = sb_sweep_method(b->sweep, e->axes[i].axis->values[sb_expansion_value(e, number, i)]);
    from->method = c->method = method->name;
    good = apply_settings(b, &g, method, BY_METHOD);
  }
  for (size_t i = 0; good && i < e->axis_count; ++i) {
    const sb_axis *axis = e->axes[i].axis;
    const size_t   value = sb_expansion_value(e, number, i);
    if (axis->id != SB_OPT_COUNT) good = give(b, &g, axis->id, axis->values[value], axis->where[value], BY_AXIS);
  }
  if (!good) return false;
  note_changes(b, e->block, c);
  sb_case_prefer_names(c->options, g.level);
  note_defaults(b, &b->sweep->defaults, c->options);
  note_defaults(b, &e->block->defaults, c->options);
  return true;
}

/* ---- options that no case reads ----
 *
 * A constant that some cases read and others do not is fine: sweeps cross integrators with minimisers. */

static void note_givens(builder *b, const sb_options *options)
{
  const bool unknown = sb_options_lack_entry(options);
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    const sb_location where = sb_options_location(options, id);
    size_t            k = b->given_count[id];
    if (!sb_option_is_owned(id, b->work.vocabulary) || sb_options_origin(options, id) != SB_FROM_USER) continue;
    for (const given *g = b->givens[id]; k > 0; --k) /* neighbours in a plan are of the same place: from the end */
      if (g[k - 1].where.line == where.line && g[k - 1].where.column == where.column &&
          g[k - 1].where.file == where.file)
        break;
    if (k == 0) {
      *SB_NEW_ITEM(b->work.arena, b->givens[id], b->given_count[id]) =
          (given){.where = where, .value = sb_arena_copy(b->work.arena, sb_options_text(options, id))};
      k = b->given_count[id];
    }
    given *g = &b->givens[id][k - 1];
    g->read = g->read || unknown || sb_options_read(options, id);
    if (!g->read && !g->lacked) g->lacked = sb_arena_adopt(b->work.arena, sb_options_readers(options, id));
  }
}

/* Refuses a default that gave way in every case, as it has no effect. */
static bool check_yielded(const builder *b, sb_option_id id)
{
  if (b->yielded[id].line == 0 || b->taken[id] || b->overrides.count > 0) return true;
  return sb_error_at(b->work.diagnostics, b->yielded[id], "E106",
                     "no case uses the default of %s: the minimizer or problem of each case sets it; give it in a "
                     "method or as an axis, or leave it out",
                     sb_option_at(id)->name);
}

/* A plan that was shortened may lack the cases that read an option; and where axes of the file gave way to others, only
 * what the command line gives is judged. */
static bool check_givens(const builder *b)
{
  bool good = true;
  if (b->request->quick || sb_diagnostics_errors(b->work.diagnostics) > 0) return true;
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    good = check_yielded(b, id) && good;
    for (size_t k = 0; k < b->given_count[id]; ++k) {
      const given *g = &b->givens[id][k];
      const bool   of_file = g->where.line > 0 && g->where.file == b->sweep->path;
      if (g->read || (b->overrides.count > 0 && of_file)) continue;
      good = sb_error_at(b->work.diagnostics, g->where, "E106",
                         "no case with %s=%s reads it: it needs %s; choose that, or leave it out",
                         sb_option_at(id)->name, g->value, g->lacked);
    }
  }
  return good;
}

/* ---- which cases are kept ---- */

static bool holds(const builder *b, const sb_expression *expression, bool *truth)
{
  const sb_scope scope = {.rows = b->row};
  return sb_expression_holds(expression, &scope, 0, truth, b->work.diagnostics);
}

static void know_name(void *context, const char *name)
{
  builder *b = context;
  if (sb_option_find(name) != SB_OPT_COUNT || strcmp(name, "method") == 0)
    sb_rows_add_column(b->row, name, "", true, false);
}

/* Adds the columns that the selecting expressions name to their row. */
static void begin_row(builder *b)
{
  size_t                     count;
  const sb_sweep_expression *all = sb_sweep_expressions(b->sweep, b->work.arena, &count);
  if (b->filter) sb_expression_names(b->filter, know_name, b);
  if (b->exclude) sb_expression_names(b->exclude, know_name, b);
  for (size_t i = 0; i < count; ++i)
    if (all[i].role == SB_ROLE_PLANNING) sb_expression_names(all[i].expression, know_name, b);
  sb_rows_add_row(b->row);
}

static void fill_row(const builder *b, const sb_planned_case *c,
                     sb_value (*value_of)(const sb_planned_case *c, const char *name))
{
  for (size_t i = 0; i < sb_rows_column_count(b->row); ++i)
    sb_rows_set(b->row, 0, i, value_of(c, sb_rows_column_at(b->row, i)->name));
}

/* Evaluates whether the filters keep a case, and whether an exclusion names it. Exclusions refer to combinations that
 * the sweep makes, hence also to options that the case does not read: these may be the reason to exclude it. Both refer
 * to a method by the name in the file, also if -p changed it. */
static bool select_case(const builder *b, sb_planned_case *c, bool *kept)
{
  bool            truth = false, taken = true, left_out = false;
  const char     *changed = c->changed[SB_NAMED_METHOD];
  sb_planned_case asked = *c;
  if (changed) asked.method = sb_arena_copy_span(b->work.arena, changed, strcspn(changed, " "));
  fill_row(b, &asked, given_value);
  for (size_t i = 0; i < b->sweep->exclusion_count && !c->skipped; ++i) {
    if (!holds(b, b->sweep->exclusions[i].when, &truth)) return false;
    if (truth) c->skipped = b->sweep->exclusions[i].because;
  }
  fill_row(b, &asked, sb_case_value);
  if ((b->filter && !holds(b, b->filter, &taken)) || (b->exclude && !holds(b, b->exclude, &left_out))) return false;
  *kept = taken && !left_out;
  if (changed) fill_row(b, c, sb_case_value); /* for animations */
  return true;
}

/* ---- animations ---- */

/* Strains are of springs, pressures of particles. */
static bool check_colour(builder *b, const sb_animation_spec *animation, const sb_options *options)
{
  const sb_scene *scene = sb_scene_find(SB_TEXT(options, scene));
  const bool      particles = scene && scene->particles;
  if (animation->colour != (particles ? SB_COLOUR_STRAIN : SB_COLOUR_PRESSURE)) return true;
  return sb_error_at(b->work.diagnostics, animation->location, "E106",
                     particles ? "the animation '%s' shows particles, which have no strains; colour: plain, pressure"
                               : "the animation '%s' shows a net, which has no pressures; colour: plain, strain",
                     animation->id);
}

/* Checks that an animation is beside another one of the sweep. */
static bool check_pairs(builder *b)
{
  bool good = true;
  for (size_t i = 0; i < b->sweep->animation_count; ++i) {
    const sb_animation_spec *animation = &b->sweep->animations[i];
    if (!animation->beside || sb_sweep_animation_beside(b->sweep, animation)) continue;
    good = sb_error_at(b->work.diagnostics, animation->location, "E106",
                       "'beside' of the animation '%s' names '%s', which is not another animation of this sweep",
                       animation->id, animation->beside);
  }
  return good;
}

/* The case that an animation shows stores states at equal intervals, about as many as the animation has frames, unless
 * the sweep sets `save`. */
static bool prepare_animations(builder *b, sb_planned_case *c)
{
  bool good = true;
  for (size_t i = 0; good && i < b->sweep->animation_count; ++i) {
    const sb_animation_spec *animation = &b->sweep->animations[i];
    const int64_t            gaps = animation->frames > 1 ? animation->frames - 1 : 1;
    bool                     shown = true;
    if (animation->where && !holds(b, animation->where, &shown)) return false;
    b->animated[i] += shown;
    if (shown) good = check_colour(b, animation, c->options);
    if (!good || !shown || b->request->save) continue;
    const bool    given_save = sb_options_origin(c->options, SB_OPT_save) == SB_FROM_USER;
    const int64_t apart = c->time.frames > gaps ? (c->time.frames + gaps - 1) / gaps : 1;
    const char   *text = sb_arena_format(b->work.arena, "every:%lld", (long long)apart);
    if (!given_save)
      good = sb_options_set(c->options, SB_OPT_save, text, SB_FROM_USER, animation->location, b->work.diagnostics) &&
             sb_case_check_save(c->options, b->work.diagnostics);
    else if (strncmp(SB_TEXT(c->options, save), "every:", 6) != 0)
      good = sb_error_at(b->work.diagnostics, animation->location, "E106",
                         "the animation '%s' shows a case with save '%s', which stores no frames; leave save out",
                         animation->id, SB_TEXT(c->options, save));
  }
  return good;
}

bool sb_request_is_whole(const sb_plan_request *request)
{
  return !request ||
         (request->override_count == 0 && !request->filter && !request->exclude && !request->quick && !request->added);
}

/* ---- cases ---- */

/* Notes the digests of the files that a case names, at the time of planning. */
static void note_inputs(const builder *b, sb_planned_case *c)
{
  for (size_t i = 0; i < SB_INPUT_OPTIONS; ++i) {
    SB_OWNED char *digest = sb_input_digest(c->options, sb_input_options[i], b->files);
    if (digest && strcmp(digest, SB_INPUT_UNREADABLE) != 0) c->inputs[i] = sb_arena_copy(b->plan->arena, digest);
  }
}

/* An excluded case need not be able to run: that may be the reason why it is excluded. A fault is reported once, though
 * many cases may have it. */
static bool add_case(builder *b, origin from, const sb_options *presets)
{
  static const char no_scene[] = "no scene is given; name one under defaults, in a method or as an axis";
  sb_plan          *plan = b->plan;
  sb_planned_case   c = {.options = sb_options_copy(presets)};
  SB_ENDED_BY(sb_diagnostics_destroy) sb_diagnostics *found = sb_diagnostics_create();
  char                                                why[512];
  bool                                                kept = false, good = gather_options(b, &from, &c);
  if (good) sb_case_apply_problem(c.options);
  const bool resolved =
      good && (SB_HAS(c.options, scene) ? sb_case_resolve(c.options, &c.time, found)
                                        : sb_error_at(found, (sb_location){b->sweep->path, 0, 0}, "E106", no_scene));
  good = good && select_case(b, &c, &kept);
  if (good) note_givens(b, c.options);
  kept = good && kept;
  if (kept && !resolved && !c.skipped && b->sweep->skip_refused) {
    sb_diagnostics_reason(found, why, sizeof why);
    c.skipped = sb_arena_copy(plan->arena, why);
  }
  if (kept && !c.skipped) sb_diagnostics_join(b->work.diagnostics, found);
  if (kept && !c.skipped && resolved) good = prepare_animations(b, &c);
  if (good && kept && (resolved || c.skipped)) {
    sb_case_key(c.options, b->files, c.key);
    SB_OWNED char *command = sb_case_command(c.options); /* its spare room is not kept, as there may be many cases */
    c.command = sb_arena_copy(plan->arena, command);
    note_inputs(b, &c);
    b->origins = sb_arena_grow(b->work.arena, b->origins, plan->count, sizeof *b->origins);
    b->origins[plan->count] = from;
    *SB_NEW_ITEM(plan->arena, plan->cases, plan->count) = c;
    sb_options_keep(c.options, plan->arena);
  } else {
    sb_options_destroy(&c.options);
  }
  return good;
}

static bool expand_blocks(builder *b)
{
  static const sb_block no_axes = {0};
  const sb_block       *blocks = b->sweep->block_count ? b->sweep->blocks : &no_axes;
  const sb_quick       *quick = b->request->quick ? &b->sweep->quick : NULL;
  size_t                total = 0;
  bool                  good = true;
  b->expansion_count = b->sweep->block_count ? b->sweep->block_count : 1;
  b->expansions = sb_arena_take(b->work.arena, b->expansion_count, sizeof *b->expansions);
  for (size_t i = 0; i < b->expansion_count; ++i) {
    if (b->widens && !sb_find_axis(blocks[i].axes, blocks[i].count, "method")) continue;
    good = sb_expansion_create(&blocks[i], &b->overrides, quick, &b->work, &b->expansions[i]) && good;
    total += b->expansions[i].count;
  }
  if (good && total == 0)
    good = sb_error_at(b->work.diagnostics, b->sweep->quick.where, "E107", "'quick' leaves no case");
  if (good && total > SB_CASES_MAX)
    good = sb_error_at(b->work.diagnostics, blocks[0].location, "E107", "the sweep has %zu cases (at most %d)", total,
                       (int)SB_CASES_MAX);
  return good;
}

static bool is_changed(const sb_planned_case *c)
{
  bool changed = false;
  for (int n = 0; n < SB_NAMINGS; ++n) changed = changed || c->changed[n];
  return changed;
}

/* Equal cases are an error, but overrides may make cases of different blocks equal, or those of different names: then
 * the first stays, or one whose name they did not change. */
static bool check_twins(builder *b)
{
  sb_plan     *plan = b->plan;
  const size_t count = plan->count;
  const char **keys = sb_arena_take(b->work.arena, count, sizeof *keys);
  for (size_t i = 0; i < count; ++i) keys[i] = plan->cases[i].key;
  const size_t *earlier = sb_find_repeated(keys, count, b->work.arena);
  size_t       *kept = sb_arena_take(b->work.arena, count, sizeof *kept); /* number in the new plan */
  bool          good = true;
  plan->count = 0;
  for (size_t i = 0; i < count; ++i) {
    if (earlier[i] < i) {
      const origin        one = b->origins[earlier[i]], two = b->origins[i];
      const sb_expansion *first = &b->expansions[one.expansion], *second = &b->expansions[two.expansion];
      sb_planned_case    *c = &plan->cases[kept[earlier[i]]];
      const bool          either = is_changed(c) || is_changed(&plan->cases[i]) || one.method != two.method;
      kept[i] = kept[earlier[i]];
      if (is_changed(c) && !is_changed(&plan->cases[i])) *c = plan->cases[i];
      if (b->overrides.count > 0 && (first != second || either)) continue;
      good = sb_error_at(b->work.diagnostics, second->block->location, "E108",
                         "two cases are the same: '%s' of block %zu and '%s' of block %zu",
                         sb_expansion_describe(first, one.number, b->work.arena), one.expansion + 1,
                         sb_expansion_describe(second, two.number, b->work.arena), two.expansion + 1);
    }
    kept[i] = plan->count;
    plan->cases[plan->count++] = plan->cases[i];
  }
  return good;
}

/* ---- columns ---- */

static void add_to(char ***names, size_t *count, const char *name, sb_arena *arena)
{
  const sb_option_id id = sb_option_find(name);
  if (id == SB_OPT_COUNT ? strcmp(name, "method") != 0 : sb_option_at(id)->traits & SB_NOT_IN_KEY) return;
  for (size_t i = 0; i < *count; ++i)
    if (strcmp((*names)[i], name) == 0) return;
  *SB_NEW_ITEM(arena, *names, *count) = sb_arena_copy(arena, name);
}

void sb_plan_add_column(sb_plan *plan, const char *name) { add_to(&plan->axes, &plan->axis_count, name, plan->arena); }

void sb_plan_add_varied(sb_plan *plan, const char *name)
{
  sb_plan_add_column(plan, name);
  add_to(&plan->varied, &plan->varied_count, name, plan->arena);
}

static void add_name(void *context, const char *name)
{
  if (strcmp(name, "method") != 0) sb_plan_add_column(context, name);
}

/* Tells whether cases that read an option differ in it. The texts are compared first: most options are the same in all
 * cases, and it takes longer to find whether a case reads an option. */
static bool varies(const sb_plan *plan, sb_option_id id)
{
  const char *first = NULL;
  bool        differ = false;
  for (size_t k = 1; k < plan->count && !differ; ++k)
    differ = strcmp(sb_options_text(plan->cases[k].options, id), sb_options_text(plan->cases[0].options, id)) != 0;
  for (size_t k = 0; k < plan->count && differ; ++k) {
    const char *text = sb_options_text(plan->cases[k].options, id);
    if ((first && strcmp(first, text) == 0) || !sb_options_read(plan->cases[k].options, id)) continue;
    if (first) return true;
    first = text;
  }
  return false;
}

/* The sweep's axes in its order, overrides, what methods set, what the sweep's expressions and tables name, and
 * whatever else varies. Constants among them cost a column and keep expressions and tables working when an axis is
 * narrowed to one value. */
static void name_columns(const builder *b)
{
  const sb_sweep *sweep = b->sweep;
  sb_plan        *plan = b->plan;
  for (size_t k = 0; k < sweep->block_count; ++k)
    for (size_t i = 0; i < sweep->blocks[k].count; ++i) sb_plan_add_column(plan, sweep->blocks[k].axes[i].name);
  for (size_t i = 0; i < b->overrides.count; ++i) {
    const sb_axis *axis = &b->overrides.axes[i];
    if (axis->count > 1)
      sb_plan_add_varied(plan, axis->name);
    else
      sb_plan_add_column(plan, axis->name);
  }
  for (size_t m = 0; m < sweep->method_count; ++m)
    for (size_t i = 0; i < sweep->methods[m].count; ++i) sb_plan_add_column(plan, sweep->methods[m].axes[i].name);
  for (size_t m = 0; b->request->added && m < sweep->added_count; ++m)
    for (size_t i = 0; i < sweep->added[m].count; ++i) sb_plan_add_column(plan, sweep->added[m].axes[i].name);
  size_t                     count;
  const sb_sweep_expression *all = sb_sweep_expressions(sweep, b->work.arena, &count);
  for (size_t i = 0; i < count; ++i)
    if (all[i].role == SB_ROLE_NAME)
      add_name(plan, all[i].name);
    else if (all[i].named)
      sb_expression_names(all[i].expression, add_name, plan);
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id)
    if (varies(plan, id)) sb_plan_add_column(plan, sb_option_at(id)->name);
}

/* ---- the plan ---- */

static bool read_filter(const builder *b, const char *text, sb_expression **expression)
{
  const sb_location where = {"command line", 0, 0};
  const size_t      before = sb_diagnostics_errors(b->work.diagnostics);
  if (!text) return true;
  *expression = sb_expression_parse(text, where, false, b->work.arena, b->work.diagnostics);
  const sb_check *check = sb_check_create(&b->work, b->sweep, b->sweep->driver, true, b->work.arena);
  if (*expression) sb_expression_check(*expression, check, true, b->work.diagnostics);
  return sb_diagnostics_errors(b->work.diagnostics) == before;
}

/* The axis `method` of the first block that has one; NULL: none has. */
static const sb_axis *find_method_axis(const sb_sweep *sweep)
{
  const sb_axis *found = NULL;
  for (size_t i = 0; i < sweep->block_count && !found; ++i)
    found = sb_find_axis(sweep->blocks[i].axes, sweep->blocks[i].count, "method");
  return found;
}

/* The axis `method` has the added methods, unless -p says which it has. */
static bool take_added(builder *b)
{
  const sb_sweep *sweep = b->sweep;
  const char     *names = "";
  b->plan->added = sb_sweep_methods_json(sweep->added, sweep->added_count, b->plan->arena);
  if (sb_find_axis(b->overrides.axes, b->overrides.count, "method")) return true;
  if (!find_method_axis(sweep))
    return sb_error_at(b->work.diagnostics, (sb_location){"--method", 0, 0}, "E106",
                       "sweep '%s' has no axis 'method' to which a method could be added; give options with -p",
                       sweep->name);
  for (size_t i = 0; i < sweep->added_count; ++i)
    names = sb_arena_join(b->work.arena, names, ",", "%s", sweep->added[i].name);
  b->widens = true;
  return sb_override_read(sb_arena_format(b->work.arena, "method=%s", names), sweep, &b->work, &b->overrides);
}

/* The settings and filters of the command line. */
static bool read_request(builder *b)
{
  const sb_plan_request *r = b->request;
  sb_arena              *arena = b->work.arena;
  bool                   good = true;
  for (size_t i = 0; good && i < r->override_count; ++i)
    good = sb_override_read(r->overrides[i], b->sweep, &b->work, &b->overrides);
  if (good && r->ranks > 0)
    good = sb_override_read(sb_arena_format(arena, "ranks=%d", r->ranks), b->sweep, &b->work, &b->overrides);
  if (good && r->save)
    good = sb_override_read(sb_arena_format(arena, "save=%s", r->save), b->sweep, &b->work, &b->overrides);
  if (good && r->added && b->sweep->added_count > 0) good = take_added(b);
  return good && read_filter(b, r->filter, &b->filter) && read_filter(b, r->exclude, &b->exclude);
}

/* Methods are there to be taken by an axis of the file, or by one that the command line gives. */
static bool methods_are_taken(const builder *b)
{
  return b->sweep->method_count == 0 || find_method_axis(b->sweep) ||
         sb_find_axis(b->overrides.axes, b->overrides.count, "method") ||
         sb_error_at(b->work.diagnostics, b->sweep->methods_where, "E101",
                     "no axis 'method' in 'sweep' uses these methods: no case has any of them");
}

/* A narrowed plan may lack the case that an animation shows, or have several cases that its `where` selects. */
static bool animations_have_a_case(const builder *b)
{
  bool good = true;
  if (!sb_request_is_whole(b->request) || sb_diagnostics_errors(b->work.diagnostics) > 0) return true;
  for (size_t i = 0; i < b->sweep->animation_count; ++i)
    if (b->animated[i] != 1)
      good = sb_error_at(b->work.diagnostics, b->sweep->animations[i].location, "E106",
                         "the animation '%s' shows one case; its where selects %zu", b->sweep->animations[i].id,
                         b->animated[i]);
  return good;
}

static bool build(builder *b)
{
  if (!read_request(b) || !methods_are_taken(b) || !expand_blocks(b)) return false;
  bool good = true;
  begin_row(b);
  SB_ENDED_BY(sb_options_destroy) sb_options *presets = sb_options_create(b->work.vocabulary);
  for (size_t i = 0; i < b->expansion_count; ++i)
    for (size_t n = 0; good && n < b->expansions[i].count; ++n)
      good =
          add_case(b, (origin){i, n, NULL}, presets) && sb_diagnostics_errors(b->work.diagnostics) < SB_DIAGNOSTICS_MAX;
  good = good && check_givens(b) && check_twins(b);
  good = check_pairs(b) && good;
  return animations_have_a_case(b) && good;
}

sb_plan *sb_plan_create(const sb_sweep *sweep, const sb_plan_request *request, const sb_session *session)
{
  static const sb_plan_request nothing = {0};
  sb_diagnostics              *own = session->diagnostics ? NULL : sb_diagnostics_create();
  builder                      b = {.sweep = sweep, .request = request ? request : &nothing, .work = *session};
  b.work.arena = sb_arena_create();
  if (own) b.work.diagnostics = own;
  b.row = sb_rows_create(b.work.arena);
  b.files = sb_input_cache_create(b.work.arena);
  b.values = sb_options_keep(sb_options_create(b.work.vocabulary), b.work.arena);
  b.methods = sb_sweep_methods_json(sweep->methods, sweep->method_count, b.work.arena);
  b.plan = sb_arena_take(session->arena, 1, sizeof *b.plan);
  b.plan->arena = session->arena;
  b.animated = sb_arena_take(b.work.arena, sweep->animation_count, sizeof *b.animated);
  const size_t before = sb_diagnostics_errors(b.work.diagnostics);
  const bool   good = build(&b) && sb_diagnostics_errors(b.work.diagnostics) == before;
  if (good) name_columns(&b);
  sb_arena_destroy(&b.work.arena);
  sb_diagnostics_destroy(&own);
  return good ? b.plan : NULL;
}
