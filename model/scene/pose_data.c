/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of single vertices and springs from CSV files (options vertex_data, spring_data); see build.h. */
#include <stdlib.h>

#include "base/number_table.h"
#include "model/scene/build.h"

/* Common to both files: rows that each name something once. */
typedef struct {
  const char     *path;
  sb_number_table table;
  int            *named_on; /* by vertex or spring: the line that named it; 0: no line */
  sb_diagnostics *diagnostics;
} rows;

static sb_location line_of(const rows *r, size_t row) { return (sb_location){r->path, r->table.line[row], 0}; }

static bool open_rows(rows *r, const sb_options *options, sb_option_id id, const sb_number_column *column,
                      size_t columns, size_t things)
{
  r->path = sb_options_text(options, id);
  r->named_on = calloc(things ? things : 1, sizeof *r->named_on);
  if (!r->named_on) return sb_scene_too_large(options, r->diagnostics);
  return sb_number_table_read(r->path, column, columns, sb_options_blame(options, id), r->diagnostics, &r->table);
}

static void close_rows(rows *r)
{
  free(r->named_on);
  sb_number_table_clear(&r->table);
}

/* False, with a complaint, when an earlier line has named it. */
static bool name_once(rows *r, size_t row, size_t thing, const char *what)
{
  if (r->named_on[thing] > 0)
    return sb_error_at(r->diagnostics, line_of(r, row), "E202", "this %s is already on line %d", what,
                       r->named_on[thing]);
  r->named_on[thing] = r->table.line[row];
  return true;
}

static bool is_vertex(const rows *r, size_t row, double number, const sb_pose *pose)
{
  if (number >= 0.0 && number < (double)pose->vertices) return true;
  return sb_error_at(r->diagnostics, line_of(r, row), "E202",
                     "there is no vertex %.0f; the scene has the vertices 0 to %zu", number, pose->vertices - 1);
}

static bool apply_mass(rows *r, size_t row, sb_pose *pose)
{
  const double *value = r->table.value + 2 * row;
  if (!is_vertex(r, row, value[0], pose) || !name_once(r, row, (size_t)value[0], "vertex")) return false;
  if (!(value[1] > 0.0))
    return sb_error_at(r->diagnostics, line_of(r, row), "E211", "a mass is more than 0 kg; got %g", value[1]);
  pose->mass[(size_t)value[0]] = value[1];
  return true;
}

bool sb_pose_apply_vertex_data(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  static const sb_number_column columns[] = {{"vertex", true, true}, {"mass", false, true}};
  if (*SB_TEXT(options, vertex_data) == '\0') return true;
  rows r = {.diagnostics = diagnostics};
  bool good = open_rows(&r, options, SB_ID(vertex_data), columns, 2, pose->vertices);
  for (size_t row = 0, all = good ? r.table.rows : 0; row < all; ++row) good = apply_mass(&r, row, pose) && good;
  close_rows(&r);
  return good;
}

enum { FIRST, SECOND, STIFFNESS, REST_LENGTH, SPRING_COLUMNS };

/* The place in the order of the first spring with those ends; `springs` if there is none. */
static size_t find_spring(const sb_pose *pose, const int32_t *order, const int32_t end[2])
{
  size_t low = 0, high = pose->springs;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (sb_pose_compare_ends(pose->ends + 2 * (size_t)order[middle], end) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  const bool found = low < pose->springs && sb_pose_compare_ends(pose->ends + 2 * (size_t)order[low], end) == 0;
  return found ? low : pose->springs;
}

/* Returns the spring of a row, which must be named once; else `springs`, with a message. */
static size_t spring_of_row(rows *r, size_t row, const sb_pose *pose, const int32_t *order)
{
  const double     *value = r->table.value + SPRING_COLUMNS * row;
  const sb_location where = line_of(r, row);
  if (!is_vertex(r, row, value[FIRST], pose) || !is_vertex(r, row, value[SECOND], pose)) return pose->springs;
  const int32_t end[2] = {(int32_t)value[FIRST], (int32_t)value[SECOND]};
  const size_t  place = find_spring(pose, order, end);
  if (place == pose->springs) {
    sb_error_at(r->diagnostics, where, "E202", "there is no spring between vertices %d and %d", end[0], end[1]);
    return pose->springs;
  }
  if (place + 1 < pose->springs && sb_pose_compare_ends(pose->ends + 2 * (size_t)order[place + 1], end) == 0) {
    sb_error_at(r->diagnostics, where, "E206",
                "there are several springs between vertices %d and %d; give merge_duplicates=true to make them one",
                end[0], end[1]);
    return pose->springs;
  }
  const size_t spring = (size_t)order[place];
  return name_once(r, row, spring, "spring") ? spring : pose->springs;
}

static bool check_row(const rows *r, size_t row, bool zero_rest)
{
  const double *value = r->table.value + SPRING_COLUMNS * row, rest = value[REST_LENGTH];
  bool          good = true;
  if (r->table.has[STIFFNESS] && !(value[STIFFNESS] >= 0.0))
    good =
        sb_error_at(r->diagnostics, line_of(r, row), "E104", "a stiffness is at least 0 N/m; got %g", value[STIFFNESS]);
  if (r->table.has[REST_LENGTH] && !(rest > 0.0) && !(zero_rest && rest == 0.0))
    good = sb_error_at(r->diagnostics, line_of(r, row), "E205", "a rest length is more than 0 m%s; got %g",
                       rest == 0.0 ? "; give allow_zero_rest=true for a linear spring" : "", rest);
  return good;
}

static bool apply_spring(const sb_options *options, rows *r, size_t row, const int32_t *order, sb_pose *pose)
{
  const double *value = r->table.value + SPRING_COLUMNS * row;
  const size_t  s = spring_of_row(r, row, pose, order);
  const bool    good = check_row(r, row, SB_FLAG(options, allow_zero_rest)) && s < pose->springs;
  if (!good) return false;
  if (r->table.has[REST_LENGTH]) {
    if (SB_HAS(options, young)) pose->stiffness[s] *= pose->rest_length[s] / value[REST_LENGTH]; /* k l = Y */
    pose->rest_length[s] = value[REST_LENGTH];
  }
  if (r->table.has[STIFFNESS]) pose->stiffness[s] = value[STIFFNESS];
  return true;
}

bool sb_pose_apply_spring_data(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  static const sb_number_column columns[] = {
      {"first", true, true}, {"second", true, true}, {"stiffness", false, false}, {"rest_length", false, false}};
  if (*SB_TEXT(options, spring_data) == '\0') return true;
  rows     r = {.diagnostics = diagnostics};
  int32_t *order = NULL;
  bool     good = open_rows(&r, options, SB_ID(spring_data), columns, SPRING_COLUMNS, pose->springs);
  if (good && !r.table.has[STIFFNESS] && !r.table.has[REST_LENGTH])
    good =
        sb_error_at(diagnostics, (sb_location){r.path, 1, 0}, "E101", "column 'stiffness' or 'rest_length' is missing");
  if (good && !sb_pose_order_springs(pose, &order)) good = sb_scene_too_large(options, diagnostics);
  for (size_t row = 0; order && row < r.table.rows; ++row) good = apply_spring(options, &r, row, order, pose) && good;
  free(order);
  close_rows(&r);
  return good;
}
