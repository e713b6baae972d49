/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a sweep to its cases: every block expanded, every case resolved, filtered, keyed, and no two alike. */
#include "harness/sweep/plan.h"

#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "base/option_ids.h"
#include "cases/describe/names.h"
#include "cases/describe/plugin_methods.h"
#include "harness/sweep/plan_expand.h"
#include "harness/sweep/request.h"

enum { WIDENED_MAX = 8 };

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
  const sb_sweep     *sweep;
  const sb_selection *selection;
  sb_session          work;      /* of the planning: its arena goes when the plan is made */
  sb_settings         set, more; /* axes of the request and of the selection, in place of those of blocks; further
                                    values of axes, and added methods */
  size_t          expansion_count;
  sb_expansion   *expansions;
  sb_expression  *filter, *exclude;
  sb_rows        *row;   /* of one case, for expressions */
  sb_input_cache *files; /* digests of what options name */
  sb_plan        *plan;
  origin         *origins;  /* [plan->count] */
  size_t         *animated; /* [sweep->animation_count] how many cases each shows */
  size_t          given_count[SB_OPT_COUNT];
  given          *givens[SB_OPT_COUNT];
  bool            taken[SB_OPT_COUNT];   /* this default is the value of some case */
  sb_location     yielded[SB_OPT_COUNT]; /* this default gave way to a name in some case; line 0: in none */
} builder;

/* Tells whether the case reads the option. If not, its value must not show: the row would count among those that read
 * it. A method that leaves out an option of all others, such as the start of a step, stays in their group. */
static bool counts(const sb_options *options, sb_option_id id)
{
  return sb_options_has(options, id) && (sb_options_read(options, id) || sb_options_left_out(options, id));
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

const char *sb_case_text(const sb_planned_case *c, const char *name)
{
  const sb_option_id id = sb_option_find(name);
  if (id != SB_OPT_COUNT) return counts(c->options, id) ? sb_options_text(c->options, id) : "";
  return c->method ? c->method : "";
}

bool *sb_plan_varying(const sb_plan *plan, sb_arena *arena)
{
  bool *varying = sb_arena_take(arena, plan->axis_count, sizeof *varying);
  for (size_t a = 0; a < plan->axis_count; ++a)
    for (size_t i = 1; i < plan->count && !varying[a]; ++i)
      varying[a] =
          strcmp(sb_case_text(&plan->cases[0], plan->axes[a]), sb_case_text(&plan->cases[i], plan->axes[a])) != 0;
  return varying;
}

bool sb_plan_put_case(const sb_plan *plan, const bool *varying, const sb_planned_case *c, FILE *stream)
{
  const char *separator = "";
  for (size_t a = 0; a < plan->axis_count; ++a) {
    const char *value = sb_case_text(c, plan->axes[a]);
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
  if (b->yielded[id].line == 0 || b->taken[id] || b->set.count > 0) return true;
  return sb_error_at(b->work.diagnostics, b->yielded[id], "E106",
                     "no case uses the default of %s: the minimizer or problem of each case sets it; give it in a "
                     "method or as an axis, or leave it out",
                     sb_option_at(id)->name);
}

/* A plan that was shortened may lack the cases that read an option; and where axes of the file gave way to others, only
 * what the request gives is judged. */
static bool check_givens(const builder *b)
{
  bool good = true;
  if (b->selection->quick || sb_diagnostics_errors(b->work.diagnostics) > 0) return true;
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    good = check_yielded(b, id) && good;
    for (size_t k = 0; k < b->given_count[id]; ++k) {
      const given *g = &b->givens[id][k];
      const bool   of_file = g->where.line > 0 && g->where.file == b->sweep->path;
      if (g->read || (b->set.count > 0 && of_file)) continue;
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
 * the sweep makes, hence also to options that the case does not read: these may be the reason to exclude it. */
static bool select_case(const builder *b, sb_planned_case *c, bool *kept)
{
  bool truth = false, taken = true, left_out = false;
  fill_row(b, c, given_value);
  for (size_t i = 0; i < b->sweep->exclusion_count && !c->skipped; ++i) {
    if (!holds(b, b->sweep->exclusions[i].when, &truth)) return false;
    if (truth) c->skipped = b->sweep->exclusions[i].because;
  }
  fill_row(b, c, sb_case_value);
  if ((b->filter && !holds(b, b->filter, &taken)) || (b->exclude && !holds(b, b->exclude, &left_out))) return false;
  *kept = taken && !left_out;
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
    if (!good || !shown || sb_find_axis(b->set.axes, b->set.count, "save")) continue;
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

bool sb_selection_is_whole(const sb_selection *selection)
{
  return !selection || (!selection->filter && !selection->exclude && !selection->quick);
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
  if (good && !c.skipped) c.skipped = sb_case_lacks(c.options, b->plan->arena);
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

/* The axis of that name that cases of a block have. */
static const sb_axis *axis_of(const builder *b, const sb_block *block, const char *name)
{
  const sb_axis *set = sb_find_axis(b->set.axes, b->set.count, name);
  return set ? set : sb_find_axis(block->axes, block->count, name);
}

/* The further values of an axis that the block has, and that are not among its own; none if it lacks the axis. */
static sb_axis further_values(const builder *b, const sb_block *block, const sb_axis *more)
{
  const sb_axis *axis = axis_of(b, block, more->name);
  sb_axis        further = {.name = more->name, .id = more->id};
  for (size_t i = 0; axis && i < more->count; ++i) {
    bool known = false;
    for (size_t k = 0; k < axis->count && !known; ++k) known = sb_axis_same_value(axis->values[k], more->values[i]);
    if (!known) sb_axis_add_value(&further, more->values[i], more->where[i], b->work.arena);
  }
  return further;
}

/* Expands a block; or, with `more`, once for each set of axes that have further values, which replace those of the
 * block. A zip has them as factors. */
static bool expand_block(builder *b, const sb_block *block, bool more)
{
  const sb_quick *quick = b->selection->quick ? &b->sweep->quick : NULL;
  sb_axis        *further = sb_arena_take(b->work.arena, b->more.count, sizeof *further);
  size_t          count = 0;
  bool            good = true;
  for (size_t i = 0; i < b->more.count; ++i) {
    further[count] = further_values(b, block, &b->more.axes[i]);
    count += further[count].count > 0;
  }
  if (count > WIDENED_MAX)
    return sb_error_at(b->work.diagnostics, block->location, "E107", "further values of %zu axes (at most %d)", count,
                       (int)WIDENED_MAX);
  for (unsigned set = more; good && set < (more ? 1U << count : 1U); ++set) {
    sb_settings axes = {.axes = sb_arena_take(b->work.arena, b->set.count + count, sizeof *axes.axes)};
    for (size_t i = 0; i < count; ++i)
      if (set & 1U << i) axes.axes[axes.count++] = further[i];
    for (size_t i = 0; i < b->set.count; ++i)
      if (!sb_find_axis(axes.axes, axes.count, b->set.axes[i].name)) axes.axes[axes.count++] = b->set.axes[i];
    sb_expansion *e = SB_NEW_ITEM(b->work.arena, b->expansions, b->expansion_count);
    good = sb_expansion_create(block, &axes, quick, &b->work, e);
  }
  return good;
}

static bool expand_blocks(builder *b)
{
  static const sb_block no_axes = {0};
  const sb_block       *blocks = b->sweep->block_count ? b->sweep->blocks : &no_axes;
  size_t                total = 0;
  bool                  good = true;
  for (int more = 0; more < 2; ++more) /* the file's cases come first */
    for (size_t i = 0; i < (b->sweep->block_count ? b->sweep->block_count : 1); ++i)
      good = expand_block(b, &blocks[i], more) && good;
  for (size_t i = 0; i < b->expansion_count; ++i) total += b->expansions[i].count;
  if (good && total == 0)
    good = sb_error_at(b->work.diagnostics, b->sweep->quick.where, "E107", "'quick' leaves no case");
  if (good && total > SB_CASES_MAX)
    good = sb_error_at(b->work.diagnostics, blocks[0].location, "E107", "the sweep has %zu cases (at most %d)", total,
                       (int)SB_CASES_MAX);
  return good;
}

static size_t number_of(const builder *b, const sb_expansion *e)
{
  return b->sweep->block_count > 0 ? (size_t)(e->block - b->sweep->blocks) + 1 : 1;
}

/* True if cases have different names: of methods, or of what stands for other options. */
static bool are_named_apart(const builder *b, size_t one, size_t other)
{
  bool apart = b->origins[one].method != b->origins[other].method;
  for (int n = 0; n < SB_CASE_NAMES && !apart; ++n)
    apart = strcmp(sb_options_text(b->plan->cases[one].options, sb_case_names[n]),
                   sb_options_text(b->plan->cases[other].options, sb_case_names[n])) != 0;
  return apart;
}

/* Equal cases are an error, but a request may make cases of different blocks equal, or those of different names: then
 * the first stays. */
static bool check_twins(builder *b)
{
  sb_plan     *plan = b->plan;
  const size_t count = plan->count;
  const char **keys = sb_arena_take(b->work.arena, count, sizeof *keys);
  bool        *kept = sb_arena_take(b->work.arena, count, sizeof *kept), good = true;
  for (size_t i = 0; i < count; ++i) keys[i] = plan->cases[i].key;
  const size_t *earlier = sb_find_repeated(keys, count, b->work.arena);
  for (size_t i = 0; i < count; ++i) {
    kept[i] = earlier[i] >= i;
    if (kept[i]) continue;
    const origin        one = b->origins[earlier[i]], two = b->origins[i];
    const sb_expansion *first = &b->expansions[one.expansion], *second = &b->expansions[two.expansion];
    if (b->set.count + b->more.count > 0 && (first != second || are_named_apart(b, earlier[i], i))) continue;
    good = sb_error_at(b->work.diagnostics, second->block->location, "E108",
                       "two cases are the same: '%s' of block %zu and '%s' of block %zu",
                       sb_expansion_describe(first, one.number, b->work.arena), number_of(b, first),
                       sb_expansion_describe(second, two.number, b->work.arena), number_of(b, second));
  }
  plan->count = 0;
  for (size_t i = 0; i < count; ++i)
    if (kept[i]) plan->cases[plan->count++] = plan->cases[i];
  return good;
}

/* ---- columns ---- */

void sb_plan_add_column(sb_plan *plan, const char *name)
{
  const sb_option_id id = sb_option_find(name);
  if (id == SB_OPT_COUNT ? strcmp(name, "method") != 0 : sb_option_at(id)->traits & SB_NOT_IN_KEY) return;
  for (size_t i = 0; i < plan->axis_count; ++i)
    if (strcmp(plan->axes[i], name) == 0) return;
  *SB_NEW_ITEM(plan->arena, plan->axes, plan->axis_count) = sb_arena_copy(plan->arena, name);
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

static void add_settings(sb_plan *plan, const sb_settings *list, size_t count)
{
  for (size_t m = 0; m < count; ++m)
    for (size_t i = 0; i < list[m].count; ++i) sb_plan_add_column(plan, list[m].axes[i].name);
}

/* The sweep's axes in its order, those of the request, what methods set, what the sweep's expressions and tables name,
 * and whatever else varies. Constants among them cost a column and keep expressions and tables working when an axis is
 * narrowed to one value. */
static void name_columns(const builder *b)
{
  const sb_sweep *sweep = b->sweep;
  sb_plan        *plan = b->plan;
  for (size_t k = 0; k < sweep->block_count; ++k)
    for (size_t i = 0; i < sweep->blocks[k].count; ++i) sb_plan_add_column(plan, sweep->blocks[k].axes[i].name);
  add_settings(plan, &b->set, 1);
  add_settings(plan, sweep->methods, sweep->method_count);
  add_settings(plan, sweep->added, sweep->added_count);
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

/* True if some block has the axis, or the request sets it. */
static bool has_axis(const builder *b, const char *name)
{
  return sb_find_axis(b->set.axes, b->set.count, name) || sb_sweep_axis(b->sweep, name);
}

/* The axis `method` has the added methods, unless the request sets which it has. */
static bool take_added(builder *b)
{
  const sb_sweep *sweep = b->sweep;
  sb_axis         methods = {.name = "method", .id = SB_OPT_COUNT, .count = sweep->added_count};
  if (sweep->added_count == 0 || sb_find_axis(b->set.axes, b->set.count, methods.name)) return true;
  if (!has_axis(b, methods.name))
    return sb_error_at(b->work.diagnostics, (sb_location){"--method", 0, 0}, "E106",
                       "sweep '%s' has no axis 'method' to which a method could be added; give options with -p",
                       sweep->name);
  methods.values = sb_arena_take(b->work.arena, methods.count, sizeof *methods.values);
  methods.where = sb_arena_take(b->work.arena, methods.count, sizeof *methods.where);
  for (size_t i = 0; i < methods.count; ++i) {
    methods.values[i] = sweep->added[i].name;
    methods.where[i] = (sb_location){"--method", 0, 0};
  }
  *SB_NEW_ITEM(b->work.arena, b->more.axes, b->more.count) = methods;
  return true;
}

/* The settings and filters. */
static bool read_request(builder *b)
{
  const sb_selection *s = b->selection;
  bool                good = true;
  for (size_t i = 0; i < b->sweep->set.count; ++i)
    *SB_NEW_ITEM(b->work.arena, b->set.axes, b->set.count) = b->sweep->set.axes[i];
  for (size_t i = 0; good && i < s->override_count; ++i)
    good = sb_override_read(s->overrides[i], b->sweep, (sb_location){"command line", 0, 0}, &b->work, &b->set);
  for (size_t i = 0; good && i < b->sweep->more.count; ++i) {
    const sb_axis *more = &b->sweep->more.axes[i];
    *SB_NEW_ITEM(b->work.arena, b->more.axes, b->more.count) = *more;
    if (!has_axis(b, more->name))
      good = sb_error_at(b->work.diagnostics, *more->where, "E106",
                         "sweep '%s' has no axis '%s' to which values could be added; -p %s=%s sets it", b->sweep->name,
                         more->name, more->name, *more->values);
  }
  return good && take_added(b) && read_filter(b, s->filter, &b->filter) && read_filter(b, s->exclude, &b->exclude);
}

/* Methods are there to be taken by an axis of the file, or by one that the request sets. */
static bool methods_are_taken(const builder *b)
{
  return b->sweep->method_count == 0 || has_axis(b, "method") ||
         sb_error_at(b->work.diagnostics, b->sweep->methods_where, "E101",
                     "no axis 'method' in 'sweep' uses these methods: no case has any of them");
}

/* A narrowed plan may lack the case that an animation shows, or have several cases that its `where` selects. */
static bool animations_have_a_case(const builder *b)
{
  bool good = true;
  if (!sb_selection_is_whole(b->selection) || b->set.count + b->more.count > 0) return true;
  if (sb_diagnostics_errors(b->work.diagnostics) > 0) return true;
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

sb_plan *sb_plan_create(const sb_sweep *sweep, const sb_selection *selection, const sb_session *session)
{
  static const sb_selection all = {0};
  sb_diagnostics           *own = session->diagnostics ? NULL : sb_diagnostics_create();
  builder                   b = {.sweep = sweep, .selection = selection ? selection : &all, .work = *session};
  b.work.arena = sb_arena_create();
  if (sweep->needs) b.work.vocabulary = sb_plugin_methods_take(session->vocabulary, sweep->needs, session->arena);
  if (own) b.work.diagnostics = own;
  b.row = sb_rows_create(b.work.arena);
  b.files = sb_input_cache_create(b.work.arena);
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
