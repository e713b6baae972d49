/* See whole.h. */
#include "harness/results/whole.h"

#include <jansson.h>
#include <string.h>

enum { NONE = -1 };

static const sb_value unknown = {.kind = SB_UNKNOWN, .may_be = SB_MAY_BE_NUMBER | SB_MAY_BE_WORD | SB_MAY_BE_TRUTH};

/* ---- which of the sweep's cases are here ----
 *
 * A key changes when a later version knows an option more, or has another default: then cases are compared by their
 * options. */

/* An option that only one of them has, or that neither reads, says nothing, and one that is not of the key tells no
 * cases apart. How many ranks and threads a case ran on makes a difference to times alone. */
static bool is_alike(const sb_options *a, const sb_options *b, sb_option_id id, bool timed)
{
  const bool tells =
      !(sb_option_at(id)->traits & SB_NOT_IN_KEY) && (timed || (id != SB_OPT_ranks && id != SB_OPT_threads));
  return !tells || !sb_options_has(a, id) || !sb_options_has(b, id) ||
         strcmp(sb_options_text(a, id), sb_options_text(b, id)) == 0 ||
         !(sb_options_read(a, id) || sb_options_read(b, id));
}

static bool is_same(const sb_options *a, const sb_options *b, bool timed)
{
  for (int id = 0; id < SB_OPT_COUNT; ++id)
    if (!is_alike(a, b, (sb_option_id)id, timed)) return false;
  return true;
}

/* What cases have of the sweep's axes, [cases][axes], by which most of them are told apart. */
typedef struct {
  size_t    axes;
  sb_value *values;
  bool     *read; /* the axis is an option that the case reads, and not ranks or threads */
} axis_table;

static axis_table axes_of(const sb_plan *own, const sb_planned_case *cases, size_t count, sb_arena *arena)
{
  const size_t axes = own->axis_count;
  axis_table   table = {.axes = axes,
                        .values = sb_arena_take(arena, count * axes, sizeof *table.values),
                        .read = sb_arena_take(arena, count * axes, sizeof *table.read)};
  for (size_t i = 0; i < count; ++i)
    for (size_t a = 0; a < axes; ++a) {
      const sb_option_id id = sb_option_find(own->axes[a]);
      const bool         told = id != SB_OPT_COUNT && id != SB_OPT_ranks && id != SB_OPT_threads;
      table.values[i * axes + a] = sb_case_value(&cases[i], own->axes[a]);
      table.read[i * axes + a] = told && sb_options_read(cases[i].options, id);
    }
  return table;
}

/* Of the only case of `one` and a case of `many`. */
static bool may_be_same(const axis_table *one, const axis_table *many, size_t i)
{
  bool same = true;
  for (size_t a = 0; a < one->axes && same; ++a) {
    const sb_value value = one->values[a], other = many->values[i * many->axes + a];
    const bool     told = one->read[a] || many->read[i * many->axes + a];
    same = !told || value.kind == SB_BLANK || other.kind == SB_BLANK || sb_value_same(value, other);
  }
  return same;
}

/* Finds the stored case that is each of the sweep's own, [own->count], and which stored ones are none of them: by
 * their keys first, as a case on more ranks is alike too. */
static long *find_stored(const sb_plan *own, const axis_table *axes, const sb_plan *stored, bool timed, bool *foreign,
                         sb_arena *arena)
{
  long        *found = sb_arena_take(arena, own->count, sizeof *found);
  json_auto_t *numbers = json_object();
  for (size_t k = 0; k < own->count; ++k) {
    found[k] = NONE;
    json_object_set_new(numbers, own->cases[k].key, json_integer((json_int_t)k));
  }
  for (size_t i = 0; i < stored->count; ++i) {
    const json_t *same = json_object_get(numbers, stored->cases[i].key);
    foreign[i] = !same;
    if (same) found[json_integer_value(same)] = (long)i;
  }
  for (size_t i = 0; i < stored->count; ++i) {
    if (!foreign[i]) continue;
    const axis_table one = axes_of(own, &stored->cases[i], 1, arena);
    for (size_t k = 0; k < own->count && foreign[i]; ++k) {
      if (found[k] != NONE || !may_be_same(&one, axes, k)) continue;
      if (!is_same(stored->cases[i].options, own->cases[k].options, timed)) continue;
      found[k] = (long)i;
      foreign[i] = false;
    }
  }
  return found;
}

const char *sb_whole_difference(const sb_whole *whole, const sb_whole_case *foreign, bool timed, sb_arena *arena)
{
  const sb_options *given = foreign->planned->options;
  const char       *separator = "";
  sb_arena_writer   writer;
  FILE             *stream = sb_arena_write(&writer, arena);
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    const char *own = NULL; /* time that a scene derives from another option is told by what was given */
    bool        found = !sb_options_has(given, id) || sb_options_origin(given, id) != SB_FROM_USER;
    for (size_t k = 0; k < whole->plan->count && !found; ++k) {
      const sb_options *options = whole->plan->cases[k].options;
      found = is_alike(given, options, id, timed);
      if (!own && !found) own = sb_options_text(options, id);
    }
    if (found) continue;
    fprintf(stream, "%s%s=%.40s in place of %.40s", separator, sb_option_at(id)->name, sb_options_text(given, id), own);
    separator = ", ";
  }
  if (!*separator) fputs("values in another combination than the sweep's", stream);
  return sb_arena_text(&writer);
}

/* Leaves out those of the sweep's cases that are not here and in whose place another one stands, which is alike in
 * every axis of which the sweep has its value. `axes`: of the sweep's cases. */
static void find_replaced(const sb_plan *own, const axis_table *axes, const long *found, const sb_planned_case *foreign,
                          bool *replaced, sb_arena *arena)
{
  const axis_table one = axes_of(own, foreign, 1, arena);
  bool            *has = sb_arena_take(arena, one.axes, sizeof *has);
  for (size_t a = 0; a < one.axes; ++a)
    for (size_t k = 0; k < own->count && !has[a]; ++k)
      has[a] = sb_value_same(one.values[a], axes->values[k * one.axes + a]);
  for (size_t k = 0; k < own->count; ++k) {
    bool alike = found[k] == NONE;
    for (size_t a = 0; a < one.axes && alike; ++a)
      alike = !has[a] || sb_value_same(one.values[a], axes->values[k * one.axes + a]);
    replaced[k] = replaced[k] || alike;
  }
}

/* ---- what is known of them ---- */

/* How the case in a row of the results stands. */
static sb_whole_case case_of(const sb_results *results, size_t row, sb_whole_request request)
{
  const sb_case_state state = sb_row_state(results->rows, row);
  const sb_value      word = sb_rows_get_named(results->rows, row, "status");
  sb_status           status = SB_STATUS_COUNT;
  const bool          known = word.kind == SB_WORD && sb_status_from_name(word.word, &status), ok = status == SB_OK;
  const bool          counts = known && (ok || request.failed); /* so do its times, where there are enough of them */
  const bool          repeated = counts && request.timed && results->repetitions && sb_status_is_timed(status);
  const int           times = repeated ? results->repetitions[row] : 0;
  const bool          seldom = times > 0 && times < results->sweep->repetitions;
  sb_whole_case       c = {.row = row, .ok = ok, .timely = counts && !seldom};
  c.kind = status == SB_CASE_SKIPPED  ? SB_WAS_SKIPPED
           : state == SB_STATE_DONE   ? (seldom ? SB_IS_SELDOM : SB_IS_HERE)
           : state == SB_STATE_FAILED ? SB_HAS_DIED
                                      : SB_HAS_NOT_RUN;
  return c;
}

static bool is_known(const sb_whole_case *c, const sb_rows_column *column, sb_value value)
{
  const bool here = c->kind <= SB_IS_SELDOM, counts = c->timely || !column->is_timing;
  return here && counts && (c->ok || value.kind != SB_BLANK);
}

static void add_case(const sb_results *results, sb_whole *whole, sb_rows *rows, sb_whole_case c)
{
  const size_t row = sb_rows_add_row(rows);
  whole->cases[row] = c;
  for (size_t i = 0; i < sb_rows_column_count(rows); ++i) {
    const sb_rows_column *column = sb_rows_column_at(rows, i);
    const bool            absent = c.kind == SB_IS_ABSENT;
    const sb_value        value = !absent             ? sb_rows_get(results->rows, c.row, i)
                                  : column->is_option ? sb_case_value(c.planned, column->name)
                                                      : unknown;
    sb_rows_set(rows, row, i, column->is_option || is_known(&c, column, value) ? value : unknown);
  }
}

bool sb_whole_read(const sb_results *results, sb_whole_request request, sb_arena *arena, sb_whole *whole)
{
  const size_t   here = sb_rows_count(results->rows);
  const sb_plan *stored = results->plan && results->plan->count == here ? results->plan : NULL;
  const sb_plan *own = stored ? sb_results_made_plan(results) : NULL;
  const size_t   made = own ? own->count : 0;
  bool          *foreign = sb_arena_take(arena, here, sizeof *foreign);
  bool          *replaced = sb_arena_take(arena, made, sizeof *replaced);
  sb_rows       *rows = sb_rows_create(arena);
  if (stored && here > 0 && !own) return false;
  const axis_table axes = own ? axes_of(own, own->cases, made, arena) : (axis_table){0};
  const long      *found = own ? find_stored(own, &axes, stored, request.timed, foreign, arena) : NULL;
  sb_rows_expect(rows, own ? made : here);
  *whole = (sb_whole){.plan = own, .rows = rows, .cases = sb_arena_take(arena, made + here, sizeof *whole->cases)};
  for (size_t i = 0; i < sb_rows_column_count(results->rows); ++i) {
    const sb_rows_column *column = sb_rows_column_at(results->rows, i);
    sb_rows_add_column(rows, column->name, column->unit, column->is_option, column->is_timing);
  }
  for (size_t i = 0; i < here; ++i)
    if (foreign[i] && request.foreign) find_replaced(own, &axes, found, &stored->cases[i], replaced, arena);
  for (size_t k = 0; k < made; ++k) {
    sb_whole_case c = {.kind = SB_IS_ABSENT};
    if (found[k] != NONE) c = case_of(results, (size_t)found[k], request);
    c.planned = &own->cases[k];
    if (!c.planned->skipped && !replaced[k]) add_case(results, whole, rows, c);
  }
  for (size_t i = 0; i < here; ++i) {
    if (own && !(foreign[i] && request.foreign && !stored->cases[i].skipped)) continue;
    sb_whole_case c = case_of(results, i, request);
    c.foreign = own != NULL;
    if (own) c.planned = &stored->cases[i];
    add_case(results, whole, rows, c);
  }
  return true;
}
