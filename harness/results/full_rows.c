/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See full_rows.h. */
#include "harness/results/full_rows.h"

#include <jansson.h>
#include <string.h>

#include "base/allocate.h"
#include "cases/store/case_row.h"

enum { NONE = -1 };

static const sb_value unknown = {.kind = SB_UNKNOWN, .may_be = SB_MAY_BE_NUMBER | SB_MAY_BE_WORD | SB_MAY_BE_TRUTH};

/* ---- which of the sweep's cases are here ----
 *
 * A stored case is one of the sweep's own if it has the key of one. Equal cases may have different keys, if an option
 * that they do not read differs or if their physics is stated in another way: case_identity.h compares these. */

/* For each of the sweep's own cases the stored case that equals it, and the data to find it. */
typedef struct {
  const sb_plan    *own, *stored;
  long             *found;      /* [own->count] numbers of stored cases, or NONE */
  bool             *foreign;    /* [stored->count] those that equal none of the sweep's own */
  sb_case_identity *identities; /* [own->count]; NULL: all stored cases were found by their keys */
} matching;

static void match_keys(matching *m)
{
  json_auto_t *numbers = json_object();
  for (size_t k = 0; k < m->own->count; ++k) {
    m->found[k] = NONE;
    json_object_set_new(numbers, m->own->cases[k].key, json_integer((json_int_t)k));
  }
  for (size_t i = 0; i < m->stored->count; ++i) {
    const json_t *same = json_object_get(numbers, m->stored->cases[i].key);
    m->foreign[i] = !same;
    if (same) m->found[json_integer_value(same)] = (long)i;
  }
}

/* Compares the stored cases without a match with own cases that agree in all options that can be stated in one way
 * only. */
static void match_identities(matching *m, bool timed, sb_arena *arena)
{
  json_auto_t *alike = json_object(); /* digest of options stated in one way only -> numbers of own cases */
  m->identities = sb_arena_take(arena, m->own->count, sizeof *m->identities);
  for (size_t k = 0; k < m->own->count; ++k) {
    m->identities[k] = sb_case_identity_of(&m->own->cases[k], timed, arena);
    if (m->found[k] != NONE) continue;
    json_t *numbers = json_object_get(alike, m->identities[k].plain);
    if (!numbers) json_object_set_new(alike, m->identities[k].plain, numbers = json_array());
    json_array_append_new(numbers, json_integer((json_int_t)k));
  }
  for (size_t i = 0; i < m->stored->count; ++i) {
    if (!m->foreign[i]) continue;
    const sb_case_identity identity = sb_case_identity_of(&m->stored->cases[i], timed, arena);
    const json_t          *numbers = json_object_get(alike, identity.plain);
    for (size_t n = 0; n < json_array_size(numbers) && m->foreign[i]; ++n) {
      const size_t k = (size_t)json_integer_value(json_array_get(numbers, n));
      if (m->found[k] != NONE || !sb_case_identity_equal(&identity, &m->identities[k])) continue;
      m->found[k] = (long)i;
      m->foreign[i] = false;
    }
  }
}

static matching match_cases(const sb_results *results, const sb_plan *own, const sb_plan *stored, bool timed,
                            sb_arena *arena)
{
  matching m = {.own = own, .stored = stored};
  size_t   left = 0;
  m.found = sb_arena_take(arena, own->count, sizeof *m.found);
  m.foreign = sb_arena_take(arena, stored->count, sizeof *m.foreign);
  match_keys(&m);
  for (size_t i = 0; i < stored->count; ++i) left += m.foreign[i];
  if (left == 0) return m;
  SB_ENDED_BY(sb_results_leave_inputs)
  const char *before = sb_results_enter_inputs(results); /* scenes may read files */
  match_identities(&m, timed, arena);
  return m;
}

/* True if a claim is also judged on a stored case. One whose method the sweep does not have replaces none of its own.
 */
static bool is_counted(const matching *m, sb_full_rows_request request, size_t i)
{
  return m->foreign[i] && request.foreign && !sb_case_method_is_foreign(m->stored, &m->stored->cases[i]);
}

const bool *sb_full_rows_foreign(const sb_results *results)
{
  const sb_plan *stored = results->plan, *own = stored ? sb_results_made_plan(results) : NULL;
  return own ? match_cases(results, own, stored, true, results->session.arena).foreign : NULL;
}

const char *sb_full_rows_difference(const sb_full_rows *whole, const sb_full_row *foreign, bool timed, sb_arena *arena)
{
  const sb_case_identity                           given = sb_case_identity_of(foreign->planned, timed, arena);
  SB_ENDED_BY(sb_results_leave_inputs) const char *before = sb_results_enter_inputs(whole->results);
  const char *difference = sb_case_identity_difference(&given, whole->identities, whole->plan->count, arena);
  return *difference ? difference : "values in another combination than the sweep's";
}

/* The values of cases on the sweep's axes, [count][axes]. */
static const sb_value *axes_of(const sb_plan *own, const sb_planned_case *cases, size_t count, sb_arena *arena)
{
  sb_value *values = sb_arena_take(arena, count * own->axis_count, sizeof *values);
  for (size_t i = 0; i < count * own->axis_count; ++i)
    values[i] = sb_case_value(&cases[i / own->axis_count], own->axes[i % own->axis_count]);
  return values;
}

/* A foreign case replaces own cases that are not here. They have its value on every axis of the sweep, except axes that
 * do not have that value. If the sweep no longer has the foreign case's method, it replaces none. `axes`: of the
 * sweep's cases. */
static void find_replaced(const sb_plan *own, const sb_value *axes, const long *found, const sb_planned_case *foreign,
                          bool *replaced, sb_arena *arena)
{
  const size_t    count = own->axis_count;
  const sb_value *one = axes_of(own, foreign, 1, arena);
  bool           *has = sb_arena_take(arena, count, sizeof *has);
  for (size_t a = 0; a < count; ++a) {
    has[a] = strcmp(own->axes[a], "method") == 0;
    for (size_t k = 0; k < own->count && !has[a]; ++k) has[a] = sb_value_same(one[a], axes[k * count + a]);
  }
  for (size_t k = 0; k < own->count; ++k) {
    bool alike = found[k] == NONE;
    for (size_t a = 0; a < count && alike; ++a) alike = !has[a] || sb_value_same(one[a], axes[k * count + a]);
    replaced[k] = replaced[k] || alike;
  }
}

/* ---- what is known of them ---- */

/* The state of the case in a row of the results. */
static sb_full_row case_of(const sb_results *results, size_t row, sb_full_rows_request request)
{
  const sb_case_state state = sb_row_state(results->rows, row);
  const sb_value      word = sb_rows_get_named(results->rows, row, "status");
  sb_status           status = SB_STATUS_COUNT;
  const bool          known = word.kind == SB_WORD && sb_status_from_name(word.word, &status), ok = status == SB_OK;
  const bool          counts = known && (ok || request.failed); /* so do its times, where there are enough of them */
  const bool          repeats = request.timed && !request.once && results->repetitions;
  const bool          repeated = counts && repeats && sb_status_is_timed(status);
  const int           times = repeated ? results->repetitions[row] : 0;
  const bool          seldom = times > 0 && times < results->sweep->repetitions;
  const sb_value      broke_off = sb_rows_get_named(results->rows, row, "broke_off"); /* blank: of an earlier version */
  const bool          ended = sb_status_goes_on(status) && !(broke_off.kind == SB_TRUTH && broke_off.truth);
  const bool          complete = known && (ended || request.failed);
  sb_full_row         c = {.row = row, .ok = ok, .timely = counts && !seldom, .complete = complete};
  c.kind = status == SB_CASE_SKIPPED  ? SB_WAS_SKIPPED
           : state == SB_STATE_DONE   ? (seldom ? SB_HAS_TOO_FEW_REPETITIONS : SB_IS_HERE)
           : state == SB_STATE_FAILED ? SB_ENDED_WITHOUT_RESULT
                                      : SB_HAS_NOT_RUN;
  return c;
}

/* For each column: whether a case that broke off has a valid value. */
static bool *columns_valid_if_diverged(const sb_results *results, sb_arena *arena)
{
  const sb_driver *driver = sb_driver_find(results->session.vocabulary, results->sweep->driver);
  bool            *valid = sb_arena_take(arena, sb_rows_column_count(results->rows), sizeof *valid);
  for (size_t i = 0; i < sb_rows_column_count(results->rows); ++i) {
    const char             *name = sb_rows_column_at(results->rows, i)->name;
    const sb_common_column *common = sb_common_column_find(name);
    valid[i] = common && common->valid_if_diverged;
    for (size_t k = 0; driver && k < driver->column_count; ++k)
      valid[i] = valid[i] || (driver->columns[k].valid_if_diverged && strcmp(name, driver->columns[k].name) == 0);
  }
  return valid;
}

static bool is_known(const sb_full_row *c, const sb_rows_column *column, bool valid_if_diverged, sb_value value)
{
  const bool here = c->kind <= SB_HAS_TOO_FEW_REPETITIONS, counts = c->timely || !column->is_timing;
  return here && counts && (c->complete || valid_if_diverged) && (c->ok || value.kind != SB_BLANK);
}

static void add_case(const sb_results *results, const bool *valid_if_diverged, sb_full_rows *whole, sb_rows *rows,
                     sb_full_row c)
{
  const size_t row = sb_rows_add_row(rows);
  whole->cases[row] = c;
  for (size_t i = 0; i < sb_rows_column_count(rows); ++i) {
    const sb_rows_column *column = sb_rows_column_at(rows, i);
    const bool            absent = c.kind == SB_IS_ABSENT;
    const sb_value        value = column->is_option && c.planned ? sb_case_value(c.planned, column->name)
                                  : absent                       ? unknown
                                                                 : sb_rows_get(results->rows, c.row, i);
    const bool            known = column->is_option || is_known(&c, column, valid_if_diverged[i], value);
    sb_rows_set(rows, row, i, known ? value : unknown);
  }
}

static sb_full_rows *read(const sb_results *results, sb_full_rows_request request, sb_arena *arena)
{
  const size_t   here = sb_rows_count(results->rows);
  const sb_plan *stored = results->plan && results->plan->count == here ? results->plan : NULL;
  const sb_plan *own = stored ? sb_results_made_plan(results) : NULL;
  const size_t   made = own ? own->count : 0;
  bool          *replaced = sb_arena_take(arena, made, sizeof *replaced);
  const bool    *valid = columns_valid_if_diverged(results, arena);
  sb_rows       *rows = sb_rows_create(arena);
  if (stored && here > 0 && !own) return NULL;
  const matching  m = own ? match_cases(results, own, stored, request.timed, arena) : (matching){0};
  const sb_value *axes = m.identities ? axes_of(own, own->cases, made, arena) : NULL;
  sb_rows_expect(rows, own ? made : here);
  sb_full_rows *whole = sb_arena_take(arena, 1, sizeof *whole);
  *whole = (sb_full_rows){.results = results,
                          .plan = own,
                          .rows = rows,
                          .cases = sb_arena_take(arena, made + here, sizeof *whole->cases),
                          .identities = m.identities};
  for (size_t i = 0; i < sb_rows_column_count(results->rows); ++i) {
    const sb_rows_column *column = sb_rows_column_at(results->rows, i);
    sb_rows_add_column(rows, column->name, column->unit, column->is_option, column->is_timing);
  }
  for (size_t i = 0; i < here; ++i)
    if (own && is_counted(&m, request, i)) find_replaced(own, axes, m.found, &stored->cases[i], replaced, arena);
  for (size_t k = 0; k < made; ++k) {
    sb_full_row c = {.kind = SB_IS_ABSENT};
    if (m.found[k] != NONE) c = case_of(results, (size_t)m.found[k], request);
    c.planned = &own->cases[k];
    if (!c.planned->skipped && !replaced[k]) add_case(results, valid, whole, rows, c);
  }
  for (size_t i = 0; i < here; ++i) {
    if (own && (!is_counted(&m, request, i) || stored->cases[i].skipped)) continue;
    sb_full_row c = case_of(results, i, request);
    c.foreign = own != NULL;
    if (own) c.planned = &stored->cases[i];
    add_case(results, valid, whole, rows, c);
  }
  return whole;
}

const sb_full_rows *sb_full_rows_of(const sb_results *results, sb_full_rows_request request)
{
  const sb_full_rows **kept =
      &results->kept->wholes[request.timed][request.foreign][request.failed][request.once && request.timed];
  if (!*kept) *kept = read(results, request, results->session.arena);
  return *kept;
}
