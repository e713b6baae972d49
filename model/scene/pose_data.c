/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of single vertices and springs from CSV files (options vertex_data, spring_data); see build.h. */
#include <stdlib.h>

#include "base/number.h"
#include "model/forces/law.h"
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
  const double     *value = r->table.value + r->table.columns * row;
  const sb_location where = line_of(r, row);
  if (!is_vertex(r, row, value[SB_SPRING_FIRST], pose) || !is_vertex(r, row, value[SB_SPRING_SECOND], pose))
    return pose->springs;
  const int32_t end[2] = {(int32_t)value[SB_SPRING_FIRST], (int32_t)value[SB_SPRING_SECOND]};
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

static bool check_parameters(const rows *r, size_t row, const sb_options *options)
{
  const sb_law_method *law = sb_law_method_of(options);
  for (int i = 0; i < SB_LAW_PARAMETERS && law->parameter[i]; ++i) {
    const sb_option *option = sb_option_at(law->parameter[i]);
    const double     value = r->table.value[r->table.columns * row + SB_SPRING_LAW + (size_t)i];
    if (r->table.has[SB_SPRING_LAW + i] && !sb_in_interval(option->range, value))
      return sb_error_at(r->diagnostics, line_of(r, row), "E104", "%s is in %s; got %g", option->name, option->range,
                         value);
  }
  return true;
}

static bool check_row(const rows *r, size_t row, bool zero_rest)
{
  const double *value = r->table.value + r->table.columns * row, rest = value[SB_SPRING_REST_LENGTH];
  bool          good = true;
  if (r->table.has[SB_SPRING_STIFFNESS] && !(value[SB_SPRING_STIFFNESS] >= 0.0))
    good = sb_error_at(r->diagnostics, line_of(r, row), "E104", "a stiffness is at least 0 N/m; got %g",
                       value[SB_SPRING_STIFFNESS]);
  if (r->table.has[SB_SPRING_REST_LENGTH] && !(rest > 0.0) && !(zero_rest && rest == 0.0))
    good = sb_error_at(r->diagnostics, line_of(r, row), "E205", "a rest length is more than 0 m%s; got %g",
                       rest == 0.0 ? "; give allow_zero_rest=true for a linear spring" : "", rest);
  return good;
}

static bool apply_spring(const sb_options *options, rows *r, size_t row, const int32_t *order, sb_pose *pose)
{
  const double *value = r->table.value + r->table.columns * row;
  const size_t  s = spring_of_row(r, row, pose, order);
  const bool    good =
      check_row(r, row, SB_FLAG(options, allow_zero_rest)) && check_parameters(r, row, options) && s < pose->springs;
  if (!good) return false;
  if (r->table.has[SB_SPRING_REST_LENGTH]) {
    if (SB_HAS(options, young)) pose->stiffness[s] *= pose->rest_length[s] / value[SB_SPRING_REST_LENGTH]; /* k l = Y */
    pose->rest_length[s] = value[SB_SPRING_REST_LENGTH];
  }
  if (r->table.has[SB_SPRING_STIFFNESS]) pose->stiffness[s] = value[SB_SPRING_STIFFNESS];
  for (int i = 0; i < SB_LAW_PARAMETERS; ++i)
    if (pose->parameter[i]) pose->parameter[i][s] = value[SB_SPRING_LAW + i];
  return true;
}

/* The parameters of the law that have a column are those of the options at first. False: out of memory. */
static bool prepare_parameters(const rows *r, const sb_options *options, sb_pose *pose)
{
  const sb_law_method *law = sb_law_method_of(options);
  for (int i = 0; i < SB_LAW_PARAMETERS && law->parameter[i]; ++i) {
    if (!r->table.has[SB_SPRING_LAW + i]) continue;
    pose->parameter[i] = malloc((pose->springs + 1) * sizeof *pose->parameter[i]);
    if (!pose->parameter[i]) return false;
    for (size_t s = 0; s < pose->springs; ++s) pose->parameter[i][s] = sb_options_real(options, law->parameter[i]);
  }
  return true;
}

bool sb_pose_apply_spring_data(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  sb_number_column column[SB_COLUMNS_MAX];
  if (*SB_TEXT(options, spring_data) == '\0') return true;
  const size_t columns = sb_law_columns(options, column);
  rows         r = {.diagnostics = diagnostics};
  int32_t     *order = NULL;
  bool         good = open_rows(&r, options, SB_ID(spring_data), column, columns, pose->springs), says = false;
  for (size_t c = SB_SPRING_STIFFNESS; c < columns; ++c) says = says || r.table.has[c];
  if (good && !says)
    good = sb_error_at(diagnostics, (sb_location){r.path, 1, 0}, "E101",
                       "a column 'stiffness', 'rest_length' or of a law's parameter is missing");
  if (good && !(prepare_parameters(&r, options, pose) && sb_pose_order_springs(pose, &order)))
    good = sb_scene_too_large(options, diagnostics);
  for (size_t row = 0; order && row < r.table.rows; ++row) good = apply_spring(options, &r, row, order, pose) && good;
  free(order);
  close_rows(&r);
  return good;
}
