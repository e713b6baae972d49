/* The sections that say what comes out: tables, figures, animations, expect (claims). */
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "harness/sweep/sweep_reader.h"

enum { FRAMES = 101, STILLS = 6, FRAMES_MAX = 1000, STILLS_MAX = 24 };

/* An option or `method`: what tables have on their edges. */
static void read_axis_name(sb_sweep_reader *r, const yaml_node_t *node, char **name)
{
  const char *scalar = sb_require_scalar(r, node, "axis");
  if (!scalar) return;
  if (strcmp(scalar, "method") == 0 || sb_option_find(scalar) != SB_OPT_COUNT) {
    *name = sb_arena_copy(r->arena, scalar);
    return;
  }
  const char *near = sb_option_nearest(scalar);
  SB_REFUSE(r, node, "E101", near ? "unknown axis '%s'; did you mean '%s'?" : "unknown axis '%s'", scalar, near);
}

static void read_row_axes(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_table_spec *table = target;
  const bool     list = node->type == YAML_SEQUENCE_NODE;
  const size_t   count = list ? sb_yaml_count(node) : 1;
  if (count == 0) SB_REFUSE(r, node, "E102", "'rows' names no axis");
  table->rows = sb_arena_take(r->arena, count, sizeof *table->rows);
  for (size_t i = 0; i < count; ++i) {
    read_axis_name(r, list ? sb_yaml_item(&r->yaml, node, i) : node, &table->rows[table->row_axes]);
    table->row_axes += table->rows[table->row_axes] != NULL;
  }
}

/* One conversion of a double in printf's notation and text without '%' around it: this reaches printf. */
static bool is_number_format(const char *format)
{
  const char *c = format + strcspn(format, "%");
  if (*c++ != '%' || strlen(format) > 32) return false;
  c += strspn(c, "-+ #0");
  for (int i = 0; i < 2 && isdigit((unsigned char)*c); ++i) ++c;
  if (*c == '.') ++c;
  for (int i = 0; i < 2 && isdigit((unsigned char)*c); ++i) ++c;
  return *c != '\0' && strchr("eEfFgG", *c) && !strchr(c, '%');
}

static void read_format(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  const char *scalar = sb_require_scalar(r, node, "format");
  if (!scalar || !sb_require_printable(r, node, "format", scalar)) return;
  if (is_number_format(scalar))
    *(char **)target = sb_arena_copy(r->arena, scalar);
  else
    SB_REFUSE(r, node, "E102", "'format' is printf's for one number, such as '%%.3g'; got '%s'", scalar);
}

static void read_best(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const char *const choices[] = {"smallest", "largest"};
  const size_t             chosen = sb_read_choice(r, node, "best", choices, 2);
  if (chosen < 2) *(sb_best *)target = (sb_best)(SB_BEST_SMALLEST + chosen);
}

static void read_flat_columns(sb_sweep_reader *r, const yaml_node_t *node, sb_table_spec *table)
{
  static const sb_sweep_field fields[] = {
      {"label", SB_FIELD_TEXT, false, offsetof(sb_table_column, label), NULL},
      {"unit", SB_FIELD_TEXT, false, offsetof(sb_table_column, unit), NULL},
      {"value", SB_FIELD_EXPRESSION, true, offsetof(sb_table_column, value), NULL},
      {"format", SB_FIELD_OTHER, false, offsetof(sb_table_column, format), read_format},
      {"best", SB_FIELD_OTHER, false, offsetof(sb_table_column, best), read_best},
  };
  if (sb_yaml_count(node) == 0) SB_REFUSE(r, node, "E102", "'columns' has no column");
  table->columns = sb_arena_take(r->arena, sb_yaml_count(node), sizeof *table->columns);
  for (size_t i = 0; i < sb_yaml_count(node); ++i) {
    sb_table_column *column = &table->columns[table->column_count++];
    sb_read_fields(r, sb_yaml_item(&r->yaml, node, i), "a column", fields, sizeof fields / sizeof *fields, column);
    if (column->value && !column->label) column->label = sb_arena_copy(r->arena, sb_expression_text(column->value));
  }
}

static void read_columns(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_table_spec *table = target;
  if (node->type == YAML_SEQUENCE_NODE)
    read_flat_columns(r, node, table);
  else
    read_axis_name(r, node, &table->column_axis);
}

/* A pivot has an axis across and one expression for its cells, a flat table has columns or the one of its cells. */
static void complete_table(sb_sweep_reader *r, const yaml_node_t *node, sb_table_spec *table)
{
  const sb_location where = sb_yaml_location(&r->yaml, node);
  if (table->cell.value && table->column_count > 0)
    sb_error_at(r->diagnostics, where, "E101", "a table has 'cell' or a list of columns, not both");
  else if (!table->cell.value && table->column_axis && !sb_yaml_find(&r->yaml, node, "cell"))
    sb_error_at(r->diagnostics, where, "E101", "a table with an axis across needs the key 'cell'");
  else if (!table->cell.value && table->column_count == 0 && !table->column_axis &&
           !sb_yaml_find(&r->yaml, node, "columns") && !sb_yaml_find(&r->yaml, node, "cell"))
    sb_error_at(r->diagnostics, where, "E101", "a table needs the key 'columns' or 'cell'");
  for (size_t i = 0; table->column_axis && i < table->row_axes; ++i)
    if (strcmp(table->rows[i], table->column_axis) == 0)
      sb_error_at(r->diagnostics, where, "E101", "the axis '%s' stands under 'rows' and 'columns'", table->column_axis);
  if (!table->cell.value) return;
  if (!table->cell.label) table->cell.label = sb_arena_copy(r->arena, sb_expression_text(table->cell.value));
  if (table->column_axis || table->column_count > 0) return;
  table->columns = sb_arena_take(r->arena, 1, sizeof *table->columns);
  table->columns[table->column_count++] = table->cell;
  table->cell = (sb_table_column){0};
}

void sb_read_tables(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {"id", SB_FIELD_NAME, true, offsetof(sb_table_spec, id), NULL},
      {"title", SB_FIELD_TEXT, false, offsetof(sb_table_spec, title), NULL},
      {"note", SB_FIELD_TEXT, false, offsetof(sb_table_spec, note), NULL},
      {"rows", SB_FIELD_OTHER, false, 0, read_row_axes},
      {"columns", SB_FIELD_OTHER, false, 0, read_columns},
      {"cell", SB_FIELD_EXPRESSION, false, offsetof(sb_table_spec, cell.value), NULL},
      {"label", SB_FIELD_TEXT, false, offsetof(sb_table_spec, cell.label), NULL},
      {"unit", SB_FIELD_TEXT, false, offsetof(sb_table_spec, cell.unit), NULL},
      {"format", SB_FIELD_OTHER, false, offsetof(sb_table_spec, cell.format), read_format},
      {"where", SB_FIELD_CLAUSE, false, offsetof(sb_table_spec, where), NULL},
      {"failed_as_words", SB_FIELD_FLAG, false, offsetof(sb_table_spec, failed_as_words), NULL},
  };
  sb_sweep *sweep = target;
  if (!sb_require_list(r, node, "'tables'")) return;
  const char **ids = sb_arena_take(r->arena, sb_yaml_count(node), sizeof *ids);
  sweep->tables = sb_arena_take(r->arena, sb_yaml_count(node), sizeof *sweep->tables);
  for (size_t i = 0; i < sb_yaml_count(node); ++i) {
    const yaml_node_t *item = sb_yaml_item(&r->yaml, node, i);
    sb_table_spec     *table = &sweep->tables[sweep->table_count++];
    sb_read_fields(r, item, "a table", fields, sizeof fields / sizeof *fields, table);
    if (item->type == YAML_MAPPING_NODE) complete_table(r, item, table);
    ids[i] = table->id;
  }
  sb_check_ids(r, node, ids);
}

static void read_colour(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const char *const choices[] = {"plain", "strain"};
  *(bool *)target = sb_read_choice(r, node, "colour", choices, 2) == 1;
}

static void read_frames(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_read_count(r, node, "frames", FRAMES_MAX, target);
}

static void read_stills(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_read_count(r, node, "stills", STILLS_MAX, target);
}

static bool read_number(sb_sweep_reader *r, const yaml_node_t *node, const char *what, double low, double high,
                        double *target)
{
  const char *scalar = sb_require_scalar(r, node, what);
  double      number = 0;
  if (!scalar) return false;
  if (!sb_parse_real(scalar, &number) || !(number >= low && number <= high))
    return SB_REFUSE(r, node, "E104", "'%s' is a number (allowed: [%g,%g]); got '%s'", what, low, high, scalar);
  *target = number;
  return true;
}

static void read_seconds(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  read_number(r, node, "seconds", 0.1, 600, target);
}

static void read_view(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_animation_spec *animation = target;
  if (!sb_require_list(r, node, "'view'")) return;
  if (sb_yaml_count(node) == 2) {
    read_number(r, sb_yaml_item(&r->yaml, node, 0), "view", 0, 180, &animation->tilt);
    read_number(r, sb_yaml_item(&r->yaml, node, 1), "view", 0, 360, &animation->turn);
  } else {
    SB_REFUSE(r, node, "E102", "'view' is [tilt, turn] in degrees: 0 from above to 90 level, and about the vertical");
  }
}

void sb_read_animations(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {"id", SB_FIELD_NAME, true, offsetof(sb_animation_spec, id), NULL},
      {"title", SB_FIELD_TEXT, false, offsetof(sb_animation_spec, title), NULL},
      {"where", SB_FIELD_CONDITION, false, offsetof(sb_animation_spec, where), NULL},
      {"colour", SB_FIELD_OTHER, false, offsetof(sb_animation_spec, strain), read_colour},
      {"view", SB_FIELD_OTHER, false, 0, read_view},
      {"frames", SB_FIELD_OTHER, false, offsetof(sb_animation_spec, frames), read_frames},
      {"stills", SB_FIELD_OTHER, false, offsetof(sb_animation_spec, stills), read_stills},
      {"seconds", SB_FIELD_OTHER, false, offsetof(sb_animation_spec, seconds), read_seconds},
  };
  sb_sweep *sweep = target;
  if (!sb_require_list(r, node, "'animations'")) return;
  const char **ids = sb_arena_take(r->arena, sb_yaml_count(node), sizeof *ids);
  sweep->animations = sb_arena_take(r->arena, sb_yaml_count(node), sizeof *sweep->animations);
  for (size_t i = 0; i < sb_yaml_count(node); ++i) {
    const yaml_node_t *item = sb_yaml_item(&r->yaml, node, i);
    sb_animation_spec *animation = &sweep->animations[sweep->animation_count++];
    *animation = (sb_animation_spec){.tilt = NAN, .turn = NAN, .frames = FRAMES, .stills = STILLS};
    animation->location = sb_yaml_location(&r->yaml, item);
    sb_read_fields(r, item, "an animation", fields, sizeof fields / sizeof *fields, animation);
    ids[i] = animation->id;
  }
  sb_check_ids(r, node, ids);
}

static void read_kind(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const char *const choices[] = {"exact", "shape", "time"};
  const size_t             chosen = sb_read_choice(r, node, "kind", choices, 3);
  if (chosen < 3) *(sb_claim_kind *)target = (sb_claim_kind)chosen;
}

void sb_read_claims(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {"claim", SB_FIELD_TEXT, true, offsetof(sb_claim, claim), NULL},
      {"finding", SB_FIELD_NAME, false, offsetof(sb_claim, finding), NULL},
      {"kind", SB_FIELD_OTHER, false, offsetof(sb_claim, kind), read_kind},
      {"test", SB_FIELD_CLAUSE, true, offsetof(sb_claim, test), NULL},
      {"where", SB_FIELD_CLAUSE, false, offsetof(sb_claim, where), NULL},
      {"contradicted", SB_FIELD_TEXT, false, offsetof(sb_claim, contradicted), NULL},
      {"full", SB_FIELD_FLAG, false, offsetof(sb_claim, full_only), NULL},
  };
  sb_sweep *sweep = target;
  if (!sb_require_list(r, node, "'expect'")) return;
  sweep->claims = sb_arena_take(r->arena, sb_yaml_count(node), sizeof *sweep->claims);
  for (size_t i = 0; i < sb_yaml_count(node); ++i) {
    const yaml_node_t *item = sb_yaml_item(&r->yaml, node, i);
    sb_claim          *claim = &sweep->claims[sweep->claim_count++];
    claim->location = sb_yaml_location(&r->yaml, item);
    sb_read_fields(r, item, "a claim", fields, sizeof fields / sizeof *fields, claim);
    if (claim->finding) claim->finding_where = sb_yaml_location(&r->yaml, sb_yaml_find(&r->yaml, item, "finding"));
  }
}
