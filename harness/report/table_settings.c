/* Axes and constants of a table; see table_settings.h. */
#include "harness/report/table_settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/report_text.h"
#include "harness/report/spelling.h"

static bool has_setting(const sb_settings *settings, const char *name)
{
  for (size_t i = 0; i < settings->count; ++i)
    if (strcmp(sb_option_at(settings->ids[i])->name, name) == 0) return true;
  return false;
}

/* Tells whether the sweep file itself has cases that differ in an option: then its tables are as they were meant. */
static bool sweep_varies(const sb_sweep *sweep, const char *name)
{
  for (size_t b = 0; b < sweep->block_count; ++b) {
    const sb_block *block = &sweep->blocks[b];
    if (has_setting(&block->defaults, name)) return true;
    for (size_t i = 0; i < block->count; ++i)
      if (strcmp(block->axes[i].name, name) == 0) return true;
  }
  for (size_t i = 0; i < sweep->method_count; ++i)
    if (has_setting(&sweep->methods[i], name)) return true;
  return false;
}

static bool results_vary(const sb_results *results, const char *name)
{
  const size_t rows = sb_rows_count(results->rows);
  for (size_t i = 1; i < rows; ++i)
    if (!sb_value_same(sb_report_value(results, 0, name), sb_report_value(results, i, name))) return true;
  return false;
}

static bool is_axis(const sb_table_spec *spec, const char *name)
{
  for (size_t i = 0; i < spec->row_axes; ++i)
    if (strcmp(spec->rows[i], name) == 0) return true;
  return spec->column_axis && strcmp(spec->column_axis, name) == 0;
}

const char **sb_table_axes(sb_arena *arena, const sb_results *results, const sb_table_spec *spec, bool widened,
                           size_t *count)
{
  const size_t most = widened && results->plan ? results->plan->axis_count : 0;
  const char **axes = sb_arena_take(arena, most + spec->row_axes + 1, sizeof *axes);
  *count = 0;
  for (size_t i = 0; i < most; ++i) {
    const char *name = results->plan->axes[i];
    if (sb_option_find(name) == SB_OPT_COUNT || sweep_varies(results->sweep, name) || is_axis(spec, name)) continue;
    if (results_vary(results, name)) axes[(*count)++] = name;
  }
  for (size_t i = 0; i < spec->row_axes; ++i) axes[(*count)++] = spec->rows[i];
  axes[*count] = spec->column_axis;
  return axes;
}

typedef struct {
  sb_arena            *arena;
  const sb_results    *results;
  const sb_table_spec *spec;
  const size_t        *rows;
  size_t               count;
  FILE                *stream;
} view;

/* Tells whether a text chooses other cases by `name`, as step_median_s[method=newton] does where the rows' method is
 * another. method=method chooses none. */
static bool chooses_others(const char *text, const char *name, const char *shared)
{
  const size_t length = strlen(name);
  for (const char *at = strstr(text, name); at; at = strstr(at + length, name)) {
    const char *value = at + length + 1;
    if (at == text || !strchr("[, ", at[-1]) || at[length] != '=' || *value == '=') continue;
    const size_t end = strcspn(value, ",])");
    if (strncmp(value, shared, end) == 0 && shared[end] == '\0') continue;
    if (strncmp(value, name, end) != 0 || name[end] != '\0') return true;
  }
  return false;
}

/* Tells whether all cases have one value of `name`, those included that a column shows beside those of the rows. */
static bool is_constant(const view *v, const char *name, sb_value *value)
{
  if (v->count == 0 || is_axis(v->spec, name) || strcmp(name, "driver") == 0) return false;
  *value = sb_report_value(v->results, v->rows[0], name);
  for (size_t i = 1; i < v->count; ++i)
    if (!sb_value_same(*value, sb_report_value(v->results, v->rows[i], name))) return false;
  const char *shared = sb_value_text(v->arena, *value);
  for (size_t i = 0; i < v->spec->column_count; ++i)
    if (chooses_others(sb_expression_text(v->spec->columns[i].value), name, shared)) return false;
  return *shared != '\0';
}

/* "explicit Euler", as in the rows. Six digits are enough to read: 1/30 is 0.0333333. */
static void put_constant(const view *v, const char *name, sb_value value)
{
  const bool  fraction = value.kind == SB_NUMBER && value.number != floor(value.number);
  const char *shown = fraction ? sb_arena_format(v->arena, "%.6g", value.number) : sb_value_text(v->arena, value);
  const char *unit = sb_report_unit(v->results, name);
  fprintf(v->stream, "%s%s = %s%s%s", ftell(v->stream) > 0 ? ", " : "",
          sb_spelled_axis(v->arena, v->results->sweep, name),
          sb_spelled_value(v->arena, v->results->sweep, name, shown), *unit ? " " : "", unit);
}

/* Tells whether the cases read an option. Of steps and forces a driver that moves nothing would say nothing. */
static bool is_read(const view *v, sb_option_id id)
{
  const bool of_motion = id == SB_OPT_h || id == SB_OPT_drag;
  if (of_motion && !sb_report_reads(v->results, v->rows[0], SB_OPT_integrator)) return false;
  return sb_report_reads(v->results, v->rows[0], id);
}

const char *sb_table_constants(sb_arena *arena, const sb_results *results, const sb_table_spec *spec,
                               const size_t *rows, size_t count)
{
  /* Methods and physics that were not given: those of the motion last. */
  static const sb_option_id defaults[] = {SB_OPT_stiffness, SB_OPT_young, SB_OPT_total_mass, SB_OPT_vertex_mass,
                                          SB_OPT_gravity,   SB_OPT_h,     SB_OPT_drag,       SB_OPT_integrator,
                                          SB_OPT_minimizer, SB_OPT_linear};
  sb_arena_writer           writer;
  size_t                    given = 0;
  const char              **names = sb_report_settings(results->sweep, &given);
  const view                v = {arena, results, spec, rows, count, sb_arena_write(&writer, arena)};
  sb_value                  value = {.kind = SB_BLANK};
  for (size_t i = 0; i < given; ++i)
    if (is_constant(&v, names[i], &value)) put_constant(&v, names[i], value);
  for (size_t i = 0; count > 0 && i < sizeof defaults / sizeof *defaults; ++i) {
    const char *name = sb_option_at(defaults[i])->name;
    bool        told = !is_read(&v, defaults[i]);
    for (size_t j = 0; j < given && !told; ++j) told = strcmp(names[j], name) == 0;
    if (!told && is_constant(&v, name, &value)) put_constant(&v, name, value);
  }
  free(names);
  return sb_arena_text(&writer);
}
