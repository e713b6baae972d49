/* From a sweep to its cases: every block expanded, every case resolved, filtered, keyed, and no two alike. */
#include "harness/sweep/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/store/input_files.h"
#include "harness/sweep/plan_columns.h"
#include "harness/sweep/plan_expand.h"
#include "harness/sweep/plan_unread.h"
#include "harness/sweep/sweep_animations.h"

enum { CASES_MAX = 1000000 };

/* Where a case came from, to name it in messages. */
typedef struct {
  size_t expansion, number;
} origin;

typedef struct {
  const sb_sweep        *sweep;
  const sb_plan_request *request;
  const sb_session      *session;
  sb_diagnostics        *diagnostics;
  sb_arena              *scratch;
  sb_overrides           overrides;
  size_t                 expansion_count;
  sb_expansion          *expansions;
  sb_expression         *filter, *exclude;
  sb_rows               *row;   /* of one case, for expressions */
  sb_input_cache        *files; /* digests of what options name */
  sb_plan               *plan;
  origin                *origins; /* [plan->count] */
  sb_unread             *unread;
  size_t                *animated; /* [sweep->animation_count] how many cases each shows */
} builder;

sb_value sb_case_value(const sb_planned_case *c, const char *name)
{
  if (strcmp(name, "method") == 0)
    return c->method ? (sb_value){.kind = SB_WORD, .word = c->method} : (sb_value){.kind = SB_BLANK};
  const sb_option_id id = sb_option_find(name);
  if (id == SB_OPT_COUNT || !sb_options_has(c->options, id)) return (sb_value){.kind = SB_BLANK};
  switch (sb_option_at(id)->kind) {
  case SB_KIND_INTEGER:
    return (sb_value){.kind = SB_NUMBER, .number = (double)sb_options_integer(c->options, id)};
  case SB_KIND_REAL:
    return (sb_value){.kind = SB_NUMBER, .number = sb_options_real(c->options, id)};
  case SB_KIND_BOOL:
    return (sb_value){.kind = SB_TRUTH, .truth = sb_options_flag(c->options, id)};
  default:
    return (sb_value){.kind = SB_WORD, .word = sb_options_text(c->options, id)};
  }
}

/* Options from the settings of defaults or of a method. */
static bool apply_settings(const builder *b, const sb_settings *settings, sb_options *options)
{
  for (size_t i = 0; i < settings->count; ++i)
    if (!sb_options_set(options, settings->ids[i], settings->values[i], SB_FROM_USER, settings->where[i],
                        b->diagnostics))
      return false;
  return true;
}

/* What every case of a block starts from. */
static sb_options *block_options(const builder *b, const sb_block *block)
{
  sb_options *options = sb_options_create(b->session->vocabulary);
  if (!options) return NULL;
  const sb_location whole = {b->sweep->path, 0, 0};
  if (!sb_options_set(options, SB_OPT_driver, b->sweep->driver, SB_FROM_USER, whole, b->diagnostics) ||
      !apply_settings(b, &b->sweep->defaults, options) || !apply_settings(b, &block->defaults, options))
    sb_options_destroy(&options);
  return options;
}

typedef struct {
  const builder   *b;
  sb_planned_case *c;
} target;

static bool apply_method(void *context, const sb_axis *axis, size_t value)
{
  const target *t = context;
  if (axis->id != SB_OPT_COUNT) return true;
  const sb_settings *method = sb_sweep_method(t->b->sweep, axis->values[value]);
  if (!method) return false;
  t->c->method = method->name;
  return apply_settings(t->b, method, t->c->options);
}

static bool apply_value(void *context, const sb_axis *axis, size_t value)
{
  const target *t = context;
  if (axis->id == SB_OPT_COUNT) return true;
  return sb_options_set(t->c->options, axis->id, axis->values[value], SB_FROM_USER, axis->where[value],
                        t->b->diagnostics);
}

/* Defaults, then the method, then the axes. */
static bool gather_options(const builder *b, const sb_expansion *e, size_t number, const sb_options *base,
                           sb_planned_case *c)
{
  *c = (sb_planned_case){.options = sb_options_copy(base)};
  target t = {b, c};
  return c->options && sb_expansion_visit(e, number, apply_method, &t) &&
         sb_expansion_visit(e, number, apply_value, &t);
}

static void fill_row(sb_rows *row, const sb_planned_case *c)
{
  if (sb_rows_count(row) == 0) sb_rows_add_row(row);
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const char *name = sb_option_at((sb_option_id)i)->name;
    sb_rows_set(row, 0, sb_rows_add_column(row, name, "", true, false), sb_case_value(c, name));
  }
  sb_rows_set(row, 0, sb_rows_add_column(row, "method", "", true, false), sb_case_value(c, "method"));
}

static bool holds(const builder *b, const sb_expression *expression, bool *truth)
{
  const sb_scope scope = {.rows = b->row};
  return sb_expression_holds(expression, &scope, 0, truth, b->diagnostics);
}

/* Whether filters keep a case, and whether an exclusion names it. */
static bool select_case(const builder *b, sb_planned_case *c, bool *kept)
{
  bool truth = true;
  *kept = true;
  if (!b->filter && !b->exclude && b->sweep->exclusion_count == 0 && b->sweep->animation_count == 0) return true;
  fill_row(b->row, c);
  if (b->filter && !holds(b, b->filter, &truth)) return false;
  *kept = truth;
  truth = false;
  if (b->exclude && !holds(b, b->exclude, &truth)) return false;
  *kept = *kept && !truth;
  for (size_t i = 0; i < b->sweep->exclusion_count && !c->skipped; ++i) {
    if (!holds(b, b->sweep->exclusions[i].when, &truth)) return false;
    if (truth) c->skipped = b->sweep->exclusions[i].because;
  }
  return true;
}

/* Says once what is wrong with a case, though many may have the same fault. `given`: its options before resolution. */
static void report_case(builder *b, const sb_diagnostics *found, const sb_options *given)
{
  if (SB_HAS(given, scene)) {
    sb_diagnostics_join(b->diagnostics, found);
    return;
  }
  sb_diagnostics *own = sb_diagnostics_create();
  sb_error_at(own, (sb_location){b->sweep->path, 0, 0}, "E106",
              "no scene is given; name one under defaults, in a method or as an axis");
  sb_diagnostics_join(b->diagnostics, own);
  sb_diagnostics_destroy(&own);
}

static void keep_case(builder *b, sb_planned_case *c, origin from)
{
  sb_plan *plan = b->plan;
  sb_case_key_known(c->options, b->files, c->key);
  c->command = sb_arena_adopt(plan->arena, sb_case_command(c->options));
  const size_t count = plan->count;
  plan->cases = sb_arena_grow(plan->arena, plan->cases, count, sizeof *plan->cases);
  b->origins = sb_arena_grow(b->scratch, b->origins, count, sizeof *b->origins);
  b->origins[count] = from;
  plan->cases[plan->count++] = *c;
  sb_options_keep(c->options, plan->arena);
  c->options = NULL;
}

/* An excluded case need not be able to run: that may be why it is excluded. */
static bool add_case(builder *b, origin from, const sb_options *base)
{
  sb_planned_case c;
  bool            kept = false;
  if (!gather_options(b, &b->expansions[from.expansion], from.number, base, &c)) {
    sb_options_destroy(&c.options);
    return false;
  }
  sb_options     *given = sb_options_copy(c.options);
  sb_diagnostics *found = sb_diagnostics_create();
  const bool      resolved = sb_case_resolve(c.options, &c.time, found);
  bool            good = select_case(b, &c, &kept);
  sb_unread_note(b->unread, c.options);
  if (good && kept && !c.skipped && sb_diagnostics_message(found, 0)) report_case(b, found, given);
  if (good && kept && resolved && !c.skipped)
    good = sb_animations_prepare(b->sweep, b->row, &c, b->request->save != NULL, b->animated, b->diagnostics);
  if (good && kept && (resolved || c.skipped)) keep_case(b, &c, from);
  sb_options_destroy(&c.options);
  sb_options_destroy(&given);
  sb_diagnostics_destroy(&found);
  return good;
}

static bool add_cases(builder *b)
{
  for (size_t i = 0; i < b->expansion_count; ++i) {
    sb_options *base = block_options(b, b->expansions[i].block);
    bool        good = base != NULL;
    for (size_t n = 0; good && n < b->expansions[i].count; ++n)
      good = add_case(b, (origin){i, n}, base) && sb_diagnostics_errors(b->diagnostics) < SB_DIAGNOSTICS_MAX;
    if (base) sb_options_destroy(&base);
    if (!good) return false;
  }
  return true;
}

static bool expand_blocks(builder *b)
{
  static const sb_block no_axes = {0};
  const sb_block       *blocks = b->sweep->block_count ? b->sweep->blocks : &no_axes;
  size_t                total = 0;
  bool                  good = true;
  b->expansion_count = b->sweep->block_count ? b->sweep->block_count : 1;
  b->expansions = sb_allocate(b->expansion_count, sizeof *b->expansions);
  for (size_t i = 0; i < b->expansion_count; ++i) {
    good = sb_expansion_create(&blocks[i], &b->overrides, b->request->quick, &b->expansions[i], b->diagnostics) && good;
    total += b->expansions[i].count;
  }
  if (good && total > CASES_MAX)
    good = sb_error_at(b->diagnostics, blocks[0].location, "E107", "the sweep has %zu cases (at most %d)", total,
                       (int)CASES_MAX);
  return good;
}

static bool read_filter(const builder *b, const char *text, sb_expression **expression)
{
  const sb_location where = {"command line", 0, 0};
  const size_t      before = sb_diagnostics_errors(b->diagnostics);
  if (!text) return true;
  *expression = sb_expression_parse(text, where, b->scratch, b->diagnostics);
  const sb_check *check = sb_check_create(b->session, b->sweep, b->sweep->driver, true, b->scratch);
  if (*expression) sb_expression_check(*expression, check, true, b->diagnostics);
  return sb_diagnostics_errors(b->diagnostics) == before;
}

typedef struct {
  const char *key;
  size_t      number;
} keyed;

static int compare_keys(const void *a, const void *b)
{
  const keyed *x = a, *y = b;
  const int    order = strcmp(x->key, y->key);
  return order ? order : (x->number > y->number) - (x->number < y->number);
}

static bool report_twins(const builder *b, size_t first, size_t second)
{
  const origin        one = b->origins[first], two = b->origins[second];
  const sb_expansion *e = &b->expansions[two.expansion];
  char               *a = sb_expansion_describe(&b->expansions[one.expansion], one.number);
  char               *c = sb_expansion_describe(e, two.number);
  sb_error_at(b->diagnostics, e->block->location, "E108",
              "two cases are the same: '%s' of block %zu and '%s' of block %zu", a, one.expansion + 1, c,
              two.expansion + 1);
  free(a);
  free(c);
  return false;
}

static void drop_cases(sb_plan *plan, const bool *dropped)
{
  size_t kept = 0;
  for (size_t i = 0; i < plan->count; ++i)
    if (!dropped[i]) plan->cases[kept++] = plan->cases[i];
  plan->count = kept;
}

/* Equal cases are an error, but overrides may make cases of different blocks equal: then the first stays. */
static bool check_twins(builder *b)
{
  sb_plan *plan = b->plan;
  keyed   *sorted = sb_allocate(plan->count, sizeof *sorted);
  bool    *dropped = sb_allocate(plan->count, sizeof *dropped), good = true;
  for (size_t i = 0; i < plan->count; ++i) sorted[i] = (keyed){plan->cases[i].key, i};
  qsort(sorted, plan->count, sizeof *sorted, compare_keys);
  for (size_t i = 1; i < plan->count; ++i) {
    const size_t first = sorted[i - 1].number, second = sorted[i].number;
    if (strcmp(sorted[i - 1].key, sorted[i].key) != 0) continue;
    dropped[second] = b->overrides.count > 0 && b->origins[first].expansion != b->origins[second].expansion;
    good = (dropped[second] || report_twins(b, first, second)) && good;
  }
  free(sorted);
  if (good) drop_cases(plan, dropped);
  free(dropped);
  return good;
}

bool sb_request_is_whole(const sb_plan_request *request)
{
  return !request || (request->override_count == 0 && !request->filter && !request->exclude && !request->quick);
}

/* What is narrowed may lack the case that an animation shows, or make several equal in what it asks. */
static bool check_animations(const builder *b)
{
  return !sb_request_is_whole(b->request) || sb_diagnostics_errors(b->diagnostics) > 0 ||
         sb_animations_check(b->sweep, b->animated, b->diagnostics);
}

/* An axis of the file, or one that the command line gives. */
static bool check_methods(const builder *b)
{
  bool used = b->sweep->method_count == 0;
  for (size_t i = 0; i < b->overrides.count; ++i) used = used || b->overrides.axes[i].id == SB_OPT_COUNT;
  for (size_t i = 0; i < b->sweep->block_count; ++i)
    for (size_t k = 0; k < b->sweep->blocks[i].count; ++k)
      used = used || b->sweep->blocks[i].axes[k].id == SB_OPT_COUNT;
  return used || sb_error_at(b->diagnostics, b->sweep->methods_where, "E101",
                             "no axis 'method' in 'sweep' takes these methods: no case has any of them");
}

/* What was shortened may lack the cases that read an option. */
static bool check_unread(const builder *b)
{
  return b->request->quick || sb_diagnostics_errors(b->diagnostics) > 0 ||
         sb_unread_check(b->unread, b->overrides.count > 0, b->diagnostics);
}

static bool build(builder *b)
{
  return sb_overrides_read(b->sweep, b->request, b->session->vocabulary, &b->overrides, b->diagnostics) &&
         read_filter(b, b->request->filter, &b->filter) && read_filter(b, b->request->exclude, &b->exclude) &&
         check_methods(b) && expand_blocks(b) && add_cases(b) && check_unread(b) && check_twins(b) &&
         check_animations(b);
}

sb_plan *sb_plan_create(const sb_sweep *sweep, const sb_plan_request *request, const sb_session *session)
{
  static const sb_plan_request nothing = {0};
  sb_diagnostics              *own = session->diagnostics ? NULL : sb_diagnostics_create();
  builder                      b = {.sweep = sweep, .request = request ? request : &nothing, .session = session};
  b.diagnostics = own ? own : session->diagnostics;
  b.scratch = sb_arena_create();
  b.row = sb_rows_create(b.scratch);
  b.files = sb_input_cache_create();
  b.plan = sb_arena_take(session->arena, 1, sizeof *b.plan);
  b.plan->arena = session->arena;
  b.unread = sb_unread_create(session->vocabulary);
  b.animated = sb_arena_take(b.scratch, sweep->animation_count, sizeof *b.animated);
  const size_t before = sb_diagnostics_errors(b.diagnostics);
  if (build(&b) && sb_diagnostics_errors(b.diagnostics) == before)
    sb_plan_name_columns(sweep, &b.overrides, b.plan);
  else
    b.plan = NULL;
  for (size_t i = 0; i < b.expansion_count; ++i) sb_expansion_clear(&b.expansions[i]);
  free(b.expansions);
  sb_unread_destroy(&b.unread);
  sb_input_cache_destroy(&b.files);
  sb_overrides_clear(&b.overrides);
  sb_arena_destroy(&b.scratch);
  sb_diagnostics_destroy(&own);
  return b.plan;
}
