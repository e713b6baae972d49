/* From blocks to numbered cases, and the axes that the command line puts in place of theirs; see plan_expand.h. */
#include "harness/sweep/plan_expand.h"

#include <string.h>

enum { CASES_MAX = 1000000, QUICK_VALUES = 2 };

static const sb_location command_line = {"command line", 0, 0};

static const sb_axis *find_axis(const sb_axis *axes, size_t count, const char *name)
{
  for (size_t i = 0; i < count; ++i)
    if (strcmp(axes[i].name, name) == 0) return &axes[i];
  return NULL;
}

/* ---- overrides ---- */

/* The end of the first value: a comma outside brackets. A text or a composite value has commas of its own and is one
 * value. */
static size_t value_length(const char *values, bool text)
{
  int    depth = 0;
  size_t n = 0;
  for (; values[n] != '\0' && (text || depth > 0 || values[n] != ','); ++n)
    depth += (values[n] == '[') - (values[n] == ']');
  return n;
}

static bool read_values(const char *values, const sb_sweep *sweep, const sb_session *session, sb_axis *axis)
{
  const sb_option_kind kind = axis->id == SB_OPT_COUNT ? SB_KIND_NAME : sb_option_at(axis->id)->kind;
  const bool           text = kind == SB_KIND_TEXT || kind == SB_KIND_COMPOSITE;
  sb_options          *scratch = sb_options_create(session->vocabulary);
  bool                 good = true;
  for (bool more = true; more;) {
    const size_t length = value_length(values, text);
    char        *value = sb_arena_copy_span(session->arena, values, length);
    axis->values = sb_arena_grow(session->arena, axis->values, axis->count, sizeof *axis->values);
    axis->where = sb_arena_grow(session->arena, axis->where, axis->count, sizeof *axis->where);
    axis->where[axis->count] = command_line;
    axis->values[axis->count++] = value;
    const bool valid = axis->id == SB_OPT_COUNT
                           ? sb_sweep_has_method(sweep, value, command_line, "", session->diagnostics)
                           : sb_options_set(scratch, axis->id, value, SB_FROM_USER, command_line, session->diagnostics);
    good = valid && good;
    more = values[length] == ',';
    values += length + more;
  }
  sb_options_destroy(&scratch);
  return good;
}

bool sb_override_read(const char *pair, const sb_sweep *sweep, const sb_session *session, sb_overrides *overrides)
{
  sb_diagnostics *d = session->diagnostics;
  const char     *equals = strchr(pair, '=');
  if (!equals || equals == pair)
    return sb_error_at(d, command_line, "E101", "expected KEY=VALUE[,VALUE…]; got '%s'", pair);
  char              *name = sb_arena_copy_span(session->arena, pair, (size_t)(equals - pair));
  const sb_option_id id = sb_option_find(name);
  if (id == SB_OPT_driver) return sb_error_at(d, command_line, "E101", "the driver of a sweep cannot be overridden");
  if (id == SB_OPT_COUNT && strcmp(name, "method") != 0) {
    const char *near = sb_option_nearest(name);
    return sb_error_at(d, command_line, "E101",
                       near ? "unknown option '%s'; did you mean '%s'?" : "unknown option '%s'", name, near);
  }
  if (find_axis(overrides->axes, overrides->count, name))
    return sb_error_at(d, command_line, "E101", "'%s' is overridden twice", name);
  overrides->axes = sb_arena_grow(session->arena, overrides->axes, overrides->count, sizeof *overrides->axes);
  sb_axis *axis = &overrides->axes[overrides->count++];
  *axis = (sb_axis){.name = name, .id = id};
  return read_values(equals + 1, sweep, session, axis);
}

/* ---- dimensions ---- */

typedef struct {
  sb_expansion     *expansion;
  const sb_session *session;
} target;

static sb_dimension *add_dimension(const target *t)
{
  sb_expansion *e = t->expansion;
  e->dimensions = sb_arena_grow(t->session->arena, e->dimensions, e->dimension_count, sizeof *e->dimensions);
  e->dimensions[e->dimension_count] = (sb_dimension){.count = 1};
  return &e->dimensions[e->dimension_count++];
}

static void add_axis(const target *t, sb_dimension *d, const sb_axis *axis)
{
  d->axes = sb_arena_grow(t->session->arena, d->axes, d->axis_count, sizeof *d->axes);
  d->axes[d->axis_count++] = axis;
  if (axis->count != 1) d->count = axis->count;
}

static bool check_zip(const target *t, const sb_dimension *d)
{
  for (size_t i = 0; i < d->axis_count; ++i) {
    const sb_axis *axis = d->axes[i];
    if (axis->count != 1 && axis->count != d->count)
      return sb_error_at(t->session->diagnostics, axis->count ? axis->where[0] : t->expansion->block->location, "E107",
                         "'zip' takes axes of one length; '%s' has %zu values where another has %zu", axis->name,
                         axis->count, d->count);
  }
  return true;
}

/* ---- quick runs ---- */

static bool is_numeric(const sb_axis *axis)
{
  if (axis->id == SB_OPT_COUNT) return false;
  const sb_option_kind kind = sb_option_at(axis->id)->kind;
  return kind == SB_KIND_INTEGER || kind == SB_KIND_REAL;
}

/* The file may say which values of some axes a quick run has; an axis that it does not name keeps all of them. */
static bool is_kept(const sb_quick *quick, const sb_dimension *d, size_t at)
{
  for (size_t i = 0; i < d->axis_count; ++i) {
    const sb_axis *axis = d->axes[i], *cut = find_axis(quick->axes, quick->count, axis->name);
    bool           found = !cut;
    for (size_t k = 0; !found && k < cut->count; ++k)
      found = sb_axis_same_value(cut->values[k], axis->values[axis->count == 1 ? 0 : at]);
    if (!found) return false;
  }
  return true;
}

/* Where the file says nothing, numeric axes keep their first two values. */
static void shorten(const target *t, const sb_quick *quick, sb_dimension *d)
{
  bool   numeric = false;
  size_t kept = 0;
  if (quick->all) return;
  for (size_t i = 0; i < d->axis_count; ++i) numeric = numeric || is_numeric(d->axes[i]);
  if (!quick->given && numeric && d->count > QUICK_VALUES) d->count = QUICK_VALUES;
  if (!quick->given) return;
  d->kept = sb_arena_take(t->session->arena, d->count, sizeof *d->kept);
  for (size_t at = 0; at < d->count; ++at)
    if (is_kept(quick, d, at)) d->kept[kept++] = at;
  d->count = kept;
}

/* ---- cases ---- */

static bool count_cases(const target *t, bool may_be_none)
{
  sb_expansion *e = t->expansion;
  double        total = 1;
  for (size_t i = 0; i < e->dimension_count; ++i) total *= (double)e->dimensions[i].count;
  if (!(total >= 1 || may_be_none) || !(total <= CASES_MAX))
    return sb_error_at(t->session->diagnostics, e->block->location, "E107",
                       "the block has %.0f cases (allowed: [1,%d])", total, (int)CASES_MAX);
  e->count = (size_t)total;
  return true;
}

bool sb_expansion_create(const sb_block *block, const sb_overrides *overrides, const sb_quick *quick,
                         const sb_session *session, sb_expansion *e)
{
  const target t = {e, session};
  *e = (sb_expansion){.block = block};
  sb_dimension *zip = block->zip ? add_dimension(&t) : NULL;
  for (size_t i = 0; i < block->count; ++i) {
    const sb_axis *axis = &block->axes[i], *override = find_axis(overrides->axes, overrides->count, axis->name);
    if (zip && !override) add_axis(&t, zip, axis);
    if (zip) continue;
    sb_dimension *d = add_dimension(&t);
    add_axis(&t, d, override ? override : axis);
    if (quick && !override && axis->count > 0) shorten(&t, quick, d);
  }
  if (zip && !check_zip(&t, zip)) return false;
  if (zip && quick && zip->count > 0) shorten(&t, quick, zip);
  for (size_t i = 0; i < overrides->count; ++i)
    if (zip || !find_axis(block->axes, block->count, overrides->axes[i].name))
      add_axis(&t, add_dimension(&t), &overrides->axes[i]);
  return count_cases(&t, quick && quick->given);
}

bool sb_expansion_visit(const sb_expansion *e, size_t number, sb_visit_value *visit, void *context)
{
  size_t below = e->count;
  for (size_t i = 0; i < e->dimension_count; ++i) {
    const sb_dimension *d = &e->dimensions[i];
    below /= d->count;
    const size_t place = number / below % d->count, at = d->kept ? d->kept[place] : place;
    for (size_t k = 0; k < d->axis_count; ++k)
      if (!visit(context, d->axes[k], d->axes[k]->count == 1 ? 0 : at)) return false;
  }
  return true;
}

static bool write_value(void *context, const sb_axis *axis, size_t value)
{
  fprintf(context, "%s%s=%s", ftell(context) > 0 ? " " : "", axis->name, axis->values[value]);
  return true;
}

char *sb_expansion_describe(const sb_expansion *expansion, size_t number, sb_arena *arena)
{
  sb_arena_writer writer;
  sb_expansion_visit(expansion, number, write_value, sb_arena_write(&writer, arena));
  return sb_arena_text(&writer);
}
