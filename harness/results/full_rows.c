/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See full_rows.h. */
#include "harness/results/full_rows.h"

#include <jansson.h>
#include <string.h>

#include "base/allocate.h"
#include "cases/store/case_row.h"

enum { NONE = -1 };

static const sb_value unknown = {.kind = SB_UNKNOWN, .may_be = SB_MAY_BE_NUMBER | SB_MAY_BE_WORD | SB_MAY_BE_TRUTH};

/* For each case of the request the number of its stored case, or NONE. */
static const long *find_stored(const sb_plan *own, const sb_plan *stored, sb_arena *arena)
{
  long        *found = sb_arena_take(arena, own->count, sizeof *found);
  json_auto_t *numbers = json_object();
  for (size_t i = 0; i < stored->count; ++i)
    json_object_set_new(numbers, stored->cases[i].key, json_integer((json_int_t)i));
  for (size_t k = 0; k < own->count; ++k) {
    const json_t *number = json_object_get(numbers, own->cases[k].key);
    found[k] = number ? (long)json_integer_value(number) : NONE;
  }
  return found;
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
  const size_t   count = own ? own->count : here;
  const bool    *valid = columns_valid_if_diverged(results, arena);
  sb_rows       *rows = sb_rows_create(arena);
  if (stored && here > 0 && !own) return NULL;
  const long *found = own ? find_stored(own, stored, arena) : NULL;
  sb_rows_expect(rows, count);
  sb_full_rows *whole = sb_arena_take(arena, 1, sizeof *whole);
  *whole = (sb_full_rows){.plan = own, .rows = rows, .cases = sb_arena_take(arena, count, sizeof *whole->cases)};
  for (size_t i = 0; i < sb_rows_column_count(results->rows); ++i) {
    const sb_rows_column *column = sb_rows_column_at(results->rows, i);
    sb_rows_add_column(rows, column->name, column->unit, column->is_option, column->is_timing);
  }
  for (size_t k = 0; k < count; ++k) {
    const bool  absent = found && found[k] == NONE;
    sb_full_row c =
        absent ? (sb_full_row){.kind = SB_IS_ABSENT} : case_of(results, found ? (size_t)found[k] : k, request);
    if (own) c.planned = &own->cases[k];
    if (!own || !own->cases[k].skipped) add_case(results, valid, whole, rows, c);
  }
  return whole;
}

const sb_full_rows *sb_full_rows_of(const sb_results *results, sb_full_rows_request request)
{
  const sb_full_rows **kept = &results->kept->wholes[request.timed][request.failed][request.once && request.timed];
  if (!*kept) *kept = read(results, request, results->session.arena);
  return *kept;
}
