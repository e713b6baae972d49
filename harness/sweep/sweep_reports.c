/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections that define the output: tables, figures, animations, expect (claims), answer. */
#include <math.h>
#include <string.h>

#include "cases/common/text.h"
#include "harness/sweep/sweep_reader.h"

enum { FRAMES = 101, STILLS = 6, FRAMES_MAX = 1000, STILLS_MAX = 24 };

/* ---- names ---- */

static void read_plain_name(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  sb_read_name(r, node, "name", target);
}

/* An option or `method`: the heads of tables' rows and columns. */
static void read_axis_name(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  char *scalar = sb_require_scalar(r, node, "axis");
  if (scalar && (strcmp(scalar, "method") == 0 || sb_option_find(scalar) != sb_option_count))
    *(char **)target = scalar;
  else if (scalar)
    SB_REFUSE(r, node, "E101", "unknown axis '%s'%s", scalar, sb_list_suggestion(&sb_option_entries, scalar, r->arena));
}

/* A name of something outside the file, of the kind given first in the field. */
static void read_reference(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  sb_sweep              *sweep = r->sweep;
  const sb_external_kind kind = r->field->first;
  const char            *name = NULL;
  sb_read_name(r, node, kind == SB_NAMES_PUBLISHED ? "name" : node->key, target);
  if (!(name = *(const char **)target)) return;
  *SB_NEW_ITEM(r->arena, sweep->references, sweep->reference_count) = (sb_external_name){kind, name, node->where};
}

/* ---- texts with numbers: the answer, titles, notes ---- */

/* The number of bytes before `what` in the first `length` bytes of a text, outside of its quoted strings; `length`: it
 * is not there. */
static size_t length_before(const char *text, size_t length, const char *what)
{
  char quote = '\0';
  for (size_t i = 0; i < length; ++i) {
    if (quote == '\0' && strncmp(text + i, what, strlen(what)) == 0 && strlen(what) <= length - i) return i;
    if (quote != '\0' ? text[i] == quote : text[i] == '\'' || text[i] == '"') quote = quote ? '\0' : text[i];
  }
  return length;
}

/* Reads an expression that is a part of the node's text. */
static sb_expression *read_part(sb_sweep_reader *r, const sb_yaml_node *node, const char *begin, size_t length,
                                bool clause)
{
  const sb_sweep_field *field = r->field, part_field = {.name = node->key, .clause = clause};
  sb_yaml_node          part = *node;
  sb_expression        *expression = NULL;
  part.where.column += (int)sb_text_width(sb_arena_copy_span(r->arena, node->text, (size_t)(begin - node->text)));
  part.text = sb_arena_copy_span(r->arena, begin, length);
  r->field = &part_field;
  sb_member_expression(r, &part, &expression);
  r->field = field;
  return expression;
}

/* "EXPR", "EXPR where CLAUSE", and after either ": FORMAT" without the percent sign of printf. */
static void read_number(sb_sweep_reader *r, const sb_yaml_node *node, const char *text, size_t length,
                        sb_text_piece *piece)
{
  static const char key[] = " where ";
  const size_t      end = length_before(text, length, ":"), named = length_before(text, end, key);
  piece->value = read_part(r, node, text, named, false);
  if (named < end) piece->where = read_part(r, node, text + named + strlen(key), end - named - strlen(key), true);
  if (end == length) return;
  const char *format = text + end + 1 + strspn(text + end + 1, " ");
  piece->format = sb_arena_format(r->arena, "%%%.*s", (int)(text + length - format), format);
  if (!sb_text_is_number_format(piece->format) || piece->format[strcspn(piece->format, "eEfFgG") + 1])
    SB_REFUSE(r, node, "E102",
              "a number in '%s' cannot have the format '%s'; a format is printf's without %%, such as .2g", node->key,
              piece->format + 1);
}

/* The length of a text before its next brace. In x_{max} and 10^{3} the braces are gnuplot's. */
static size_t length_before_brace(const char *text)
{
  size_t length = strcspn(text, "{}");
  while (text[length] == '{' && length > 0 && strchr("_^", text[length - 1]) && strchr(text + length, '}')) {
    length = (size_t)(strchr(text + length, '}') - text) + 1;
    length += strcspn(text + length, "{}");
  }
  return length;
}

static void read_template(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  char       *text = NULL;
  sb_sweep   *sweep = r->sweep;
  sb_template read = {0};
  if (!sb_read_text(r, node, node->key, &text)) return;
  *(char **)target = text;
  if (text[length_before_brace(text)] == '\0') return;
  for (const char *at = text; at;) {
    const size_t   before = length_before_brace(at), within = at[before] == '{' ? strcspn(at + before + 1, "{}") : 0;
    sb_text_piece *piece = SB_NEW_ITEM(r->arena, read.pieces, read.count);
    *piece = (sb_text_piece){.text = sb_arena_copy_span(r->arena, at, before)};
    if (at[before] == '\0') break;
    at += before + 1;
    if (at[-1] == '{' && at[within] == '}') {
      read_number(r, node, at, within, piece);
      at += within + 1;
    } else {
      SB_REFUSE(r, node, "E102", "'%s' has an unmatched brace: write {EXPRESSION where CLAUSE: FORMAT}", node->key);
      return;
    }
  }
  read.text = text;
  *SB_NEW_ITEM(r->arena, sweep->templates, sweep->template_count) = read;
}

/* ---- tables ---- */

/* This reaches printf. */
static void read_format(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  char **format = target;
  if (sb_read_text(r, node, "format", format) && !sb_text_is_number_format(*format))
    SB_REFUSE(r, node, "E102", "'format' is printf's for one number, such as '%%.3g'; got '%s'", *format);
}

static void complete_column(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  sb_table_column *column = target;
  (void)node;
  if (column->value && !column->label) column->label = sb_arena_copy(r->arena, sb_expression_text(column->value));
}

/* Columns, or the name of the axis whose values are the columns. */
static void read_columns(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {SB_FIELD(text, sb_table_column, label)},
      {SB_FIELD(text, sb_table_column, unit)},
      {SB_FIELD(expression, sb_table_column, value), .required = true},
      {SB_KEY("format", read_format, sb_table_column, format)},
      {SB_FIELD(choice, sb_table_column, best), .wanted = "smallest, largest", .first = SB_BEST_SMALLEST},
  };
  static const sb_sweep_section column = {SB_SECTION("a column", fields, sb_table_column), .complete = complete_column};
  sb_table_spec                *table = target;
  if (node->kind != SB_YAML_LIST) {
    read_axis_name(r, node, &table->column_axis);
    return;
  }
  if (node->count == 0) SB_REFUSE(r, node, "E102", "'columns' has no column");
  table->columns = sb_read_list(r, node, &column, table, &table->column_count);
}

/* A pivot has an axis across and one expression for its cells, a flat table has columns or the one of its cells. */
static void complete_table(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  sb_table_spec *table = target;
  const bool     has_cell = sb_yaml_find(node, "cell"), has_columns = sb_yaml_find(node, "columns");
  if (table->cell.value && table->column_count > 0)
    SB_REFUSE(r, node, "E101", "a table has 'cell' or a list of columns, not both");
  else if (table->column_axis && !has_cell)
    SB_REFUSE(r, node, "E101", "a table with an axis across needs the key 'cell'");
  else if (!has_cell && !has_columns)
    SB_REFUSE(r, node, "E101", "a table needs the key 'columns' or 'cell'");
  else if (table->column_axis && table->over_axis)
    SB_REFUSE(r, node, "E101", "'over' takes a list of columns: with an axis across a cell is one case");
  for (size_t i = 0; table->column_axis && i < table->row_axes; ++i)
    if (strcmp(table->rows[i], table->column_axis) == 0)
      SB_REFUSE(r, node, "E101", "the axis '%s' is given under 'rows' and 'columns'", table->column_axis);
  complete_column(r, node, &table->cell);
  if (!table->cell.value || table->column_axis || table->column_count > 0) return;
  table->columns = sb_arena_take(r->arena, 1, sizeof *table->columns);
  table->columns[table->column_count++] = table->cell;
  table->cell = (sb_table_column){0};
}

static const sb_sweep_field table_fields[] = {
    {SB_FIELD(name, sb_table_spec, id), .required = true},
    {SB_KEY("title", read_template, sb_table_spec, title)},
    {SB_KEY("note", read_template, sb_table_spec, note)},
    {SB_NAMES("rows", sb_table_spec, rows, row_axes, read_axis_name), .wanted = "axis"},
    {SB_KEY("over", read_axis_name, sb_table_spec, over_axis)},
    {.name = "columns", .read = read_columns},
    {SB_KEY("cell", sb_member_expression, sb_table_spec, cell.value)},
    {SB_KEY("label", sb_member_text, sb_table_spec, cell.label)},
    {SB_KEY("unit", sb_member_text, sb_table_spec, cell.unit)},
    {SB_KEY("format", read_format, sb_table_spec, cell.format)},
    {SB_FIELD(expression, sb_table_spec, where), .clause = true},
    {SB_FIELD(flag, sb_table_spec, failed_as_words)},
    {SB_FIELD(text, sb_table_spec, blank)},
};
const sb_sweep_section sb_section_table = {SB_SECTION("a table", table_fields, sb_table_spec), .has_ids = true,
                                           .complete = complete_table};

/* ---- figures: a layer or a panel inherits missing keys from its panel or figure ---- */

static void read_data(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  static const char *const choices[] = {"rows", "curves", "frames"};
  const int                chosen = sb_read_choice(r, node, "rows, curves, frames");
  if (chosen >= 0) *(const char **)target = choices[chosen];
  r->of_points = chosen > 0;
}

/* [least, largest]; `*` leaves an end to the points. */
static void read_range(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  double *range = target;
  if (node->kind != SB_YAML_LIST || node->count != 2) {
    SB_REFUSE(r, node, "E102", "a range is [least, largest]");
    return;
  }
  for (size_t i = 0; i < 2; ++i) {
    const sb_yaml_node *end = &node->items[i];
    range[i] = NAN;
    if (end->kind != SB_YAML_TEXT || strcmp(end->text, "*") != 0) sb_read_number(r, end, "range", 0, 0, &range[i]);
  }
}

static void read_logarithmic(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  const int        chosen = sb_read_choice(r, node, "none, x, y, xy");
  sb_figure_panel *panel = target;
  if (chosen < 0) return;
  panel->x_logarithmic = chosen & 1;
  panel->y_logarithmic = chosen & 2;
}

static void read_table(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  read_reference(r, node, target);
  r->of_published = true;
}

static const sb_sweep_field common_layer_fields[] = {
    {SB_FIELD(expression, sb_figure_layer, x)},
    {SB_FIELD(expression, sb_figure_layer, y)},
    {SB_FIELD(expression, sb_figure_layer, lower)},
    {SB_FIELD(expression, sb_figure_layer, upper)},
    {SB_FIELD(expression, sb_figure_layer, value)},
    {SB_FIELD(expression, sb_figure_layer, cost)},
    {SB_NAMES("series", sb_figure_layer, series, series_count, read_plain_name)},
    {SB_FIELD(text, sb_figure_layer, label)},
    {SB_FIELD(choice, sb_figure_layer, draw), .wanted = "lines, points, both", .first = SB_DRAW_LINES},
    {SB_FIELD(flag, sb_figure_layer, band)},
    {SB_FIELD(flag, sb_figure_layer, so_far)},
};
static const sb_sweep_section common_layer = {SB_SECTION(NULL, common_layer_fields, sb_figure_layer)};

static const sb_sweep_field layer_fields[] = {
    {SB_KEY("published", read_table, sb_figure_layer, published), .first = SB_NAMES_PUBLISHED},
    {.section = &common_layer},
    {SB_FIELD(expression, sb_figure_layer, where), .clause = true},
    {SB_FIELD(flag, sb_figure_layer, quiet)},
    {SB_FIELD(flag, sb_figure_layer, reference)},
};
static const sb_sweep_section layer = {SB_SECTION("a layer", layer_fields, sb_figure_layer),
                                       .like = offsetof(sb_figure_panel, own)};

static void complete_line(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  const sb_figure_line *line = target;
  if (!line->x && !line->y && isnan(line->slope))
    SB_REFUSE(r, node, "E101", "a line needs the key 'y', 'x' or 'slope'");
}

static const sb_sweep_field line_fields[] = {
    {SB_FIELD(expression, sb_figure_line, x)}, {SB_FIELD(expression, sb_figure_line, y)},
    {SB_FIELD(number, sb_figure_line, slope)}, {SB_FIELD(expression, sb_figure_line, where), .clause = true},
    {SB_FIELD(text, sb_figure_line, label)},
};
static const sb_figure_line initial_line = {.slope = NAN};

static const sb_sweep_section line = {SB_SECTION("a line", line_fields, sb_figure_line), .initial = &initial_line,
                                      .of_points = true /* x is a name in them */, .complete = complete_line};

static const sb_sweep_field edge_fields[] = {
    {SB_FIELD(expression, sb_figure_edge, where), .clause = true, .required = true},
    {SB_FIELD(text, sb_figure_edge, label), .required = true},
};
static const sb_sweep_section edge = {SB_SECTION("an edge", edge_fields, sb_figure_edge)};

static const sb_sweep_field common_panel_fields[] = {
    {SB_FIELD(text, sb_figure_panel, x_label)},
    {SB_FIELD(text, sb_figure_panel, y_label)},
    {SB_KEY("x_range", read_range, sb_figure_panel, x_range)},
    {SB_KEY("y_range", read_range, sb_figure_panel, y_range)},
    {.name = "logarithmic", .read = read_logarithmic},
    {.offset = offsetof(sb_figure_panel, own), .section = &common_layer},
    {SB_LIST("layers", sb_figure_panel, layers, layer_count, layer)},
    {SB_LIST("lines", sb_figure_panel, lines, line_count, line)},
    {SB_FIELD(section, sb_figure_panel, above), .section = &edge},
    {SB_FIELD(section, sb_figure_panel, below), .section = &edge},
};
static const sb_sweep_section common_panel = {SB_SECTION(NULL, common_panel_fields, sb_figure_panel)};

/* A name, or a list of panels, each with its differences from the figure. */
static void read_panels(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {SB_FIELD(text, sb_figure_panel, title)},
      {SB_FIELD(expression, sb_figure_panel, where), .clause = true},
      {.section = &common_panel},
  };
  static const sb_sweep_section panel = {SB_SECTION("a panel", fields, sb_figure_panel),
                                         .like = offsetof(sb_figure_spec, all)};
  sb_figure_spec               *figure = target;
  if (node->kind == SB_YAML_LIST)
    figure->panels = sb_read_list(r, node, &panel, figure, &figure->panel_count);
  else
    sb_read_name(r, node, "name", &figure->panels_by);
}

/* Refuses a range that no axis can have, at its place: in the panel or in its figure. A panel repeats that of its
 * figure unless it has its own scale. */
static void check_range(sb_sweep_reader *r, const sb_yaml_node *const nodes[2], const char *key, const double range[2],
                        bool logarithmic)
{
  const sb_yaml_node *own = sb_yaml_find(nodes[0], key), *at = own ? own : sb_yaml_find(nodes[1], key);
  const double        width = range[1] - range[0], most = fmax(fabs(range[0]), fabs(range[1]));
  char                ends[2][SB_NUMBER_TEXT];
  if (!at || !(own || sb_yaml_find(nodes[0], "logarithmic"))) return;
  if (isinf(width) || width <= SB_LEAST_WIDTH * most) /* an end that is left open is NAN */
    SB_REFUSE(r, at, "E102", "'%s' is [least, largest]; there is nothing between %s and %s", key,
              sb_text_exact(range[0], ends[0]), sb_text_exact(range[1], ends[1]));
  else if (logarithmic && (range[0] <= 0 || range[1] <= 0))
    SB_REFUSE(r, at, "E102", "'%s' ends at %s, which is not on a logarithmic axis", key,
              sb_text_exact(range[range[0] <= 0 ? 0 : 1], ends[0]));
}

static void check_ranges(sb_sweep_reader *r, const sb_yaml_node *node, const sb_figure_spec *figure)
{
  const sb_yaml_node *list = sb_yaml_find(node, "panels");
  for (size_t p = 0; p <= figure->panel_count; ++p) {
    const bool                is_figure = p == figure->panel_count;
    const sb_figure_panel    *panel = is_figure ? &figure->all : &figure->panels[p];
    const sb_yaml_node *const nodes[] = {is_figure ? node : &list->items[p], node};
    check_range(r, nodes, "x_range", panel->x_range, panel->x_logarithmic);
    check_range(r, nodes, "y_range", panel->y_range, panel->y_logarithmic);
  }
}

static const sb_sweep_field level_fields[] = {
    {SB_FIELD(number, sb_figure_level, factor), .least = 1, .most = 1e6, .required = true},
    {SB_FIELD(text, sb_figure_level, below), .required = true},
    {SB_FIELD(text, sb_figure_level, above), .required = true},
    {SB_FIELD(text, sb_figure_level, neither), .required = true},
};
static const sb_sweep_section level = {SB_SECTION("a level", level_fields, sb_figure_level)};

/* A mapping from names of series to colours. */
static void read_colours(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  static const char words[] = " black orange sky green yellow blue vermillion purple grey ";
  sb_figure_spec   *figure = target;
  if (!sb_require_mapping(r, node, "'colours'")) return;
  figure->colours = sb_arena_take(r->arena, node->count, sizeof *figure->colours);
  for (size_t i = 0; i < node->count; ++i) {
    sb_figure_colour *c = &figure->colours[figure->colour_count++];
    *c = (sb_figure_colour){.name = node->items[i].key, .where = node->items[i].where};
    if (!sb_read_text(r, &node->items[i], "colour", &c->colour)) continue;
    const bool  hex = c->colour[0] == '#' && strspn(c->colour + 1, "0123456789abcdefABCDEF") == 6 && !c->colour[7];
    const char *found = strstr(words, sb_arena_format(r->arena, " %s ", c->colour));
    if (!hex && !found)
      SB_REFUSE(r, &node->items[i], "E106", "a colour is #rrggbb or one of:%s; got '%s'", words, c->colour);
  }
}

/* A title, which may be empty. */
static void read_title(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  char **title = target;
  if (node->kind == SB_YAML_TEXT && *node->text == '\0')
    *title = node->text;
  else
    read_template(r, node, target);
}

/* A figure has a kind and its keys, or a script, which has them in its comments. */
static void complete_figure(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  sb_figure_spec *figure = target;
  const bool      kind = sb_yaml_find(node, "kind");
  if (kind == (sb_yaml_find(node, "script") != NULL))
    SB_REFUSE(r, node, "E101", "a figure needs the key 'kind', or 'script'");
  if (kind && figure->published_count > 0)
    SB_REFUSE(r, node, "E101", "'published' of a figure with a kind belongs in one of its layers");
  if (figure->leaders > 0 && !kind)
    SB_REFUSE(r, sb_yaml_find(node, "leaders"), "E101", "'leaders' is a key of figures with a kind");
  check_ranges(r, node, figure);
  for (size_t p = 0; p <= figure->panel_count; ++p) {
    sb_figure_panel *panel = p < figure->panel_count ? &figure->panels[p] : &figure->all;
    if (panel->layer_count == 0) {
      panel->layers = &panel->own;
      panel->layer_count = 1;
    }
  }
}

static const sb_sweep_field figure_fields[] = {
    {SB_FIELD(name, sb_figure_spec, id), .required = true},
    {SB_KEY("title", read_title, sb_figure_spec, title)},
    {SB_KEY("note", read_template, sb_figure_spec, note)},
    {SB_FIELD(number, sb_figure_spec, width), .least = 4, .most = 60},
    {SB_FIELD(number, sb_figure_spec, height), .least = 1, .most = 60},
    {SB_FIELD(choice, sb_figure_spec, legend), .wanted = "below, none, top_left, top_right, bottom_left, bottom_right"},
    {.name = "colours", .read = read_colours},
    {SB_FIELD(count, sb_figure_spec, leaders), .most = 24},
    {SB_FIELD(name, sb_figure_spec, kind), .place = offsetof(sb_figure_spec, kind_where)},
    {SB_KEY("script", read_reference, sb_figure_spec, script), .first = SB_NAMES_SCRIPT,
     .place = offsetof(sb_figure_spec, script_where)},
    {SB_FIELD(expression, sb_figure_spec, where), .clause = true},
    {SB_FIELD(expression, sb_figure_spec, failed), .clause = true},
    {SB_FIELD(text, sb_figure_spec, failed_label)},
    {SB_NAMES("per", sb_figure_spec, per, per_count, read_plain_name)},
    {SB_NAMES("clusters", sb_figure_spec, clusters, cluster_count, read_plain_name)},
    {SB_NAMES("over", sb_figure_spec, over, over_count, read_axis_name)},
    {SB_FIELD(section, sb_figure_spec, level), .section = &level},
    {SB_NAMES("published", sb_figure_spec, published, published_count, read_reference), .first = SB_NAMES_PUBLISHED,
     .list = true},
    {SB_KEY("data", read_data, sb_figure_spec, data)},
    {SB_KEY("panel_title", sb_member_text, sb_figure_spec, all.title)},
    {.offset = offsetof(sb_figure_spec, all), .section = &common_panel},
    {.name = "panels", .read = read_panels},
};
static const sb_figure_spec initial_figure = {.data = "rows", .all = {.x_range = {NAN, NAN}, .y_range = {NAN, NAN}}};

const sb_sweep_section sb_section_figure = {SB_SECTION("a figure", figure_fields, sb_figure_spec),
                                            .initial = &initial_figure, .has_ids = true, .complete = complete_figure};

/* ---- animations ---- */

static void read_view(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  sb_animation_spec *animation = target;
  if (!sb_require_list(r, node)) return;
  if (node->count == 2) {
    sb_read_number(r, &node->items[0], "view", 0, 180, &animation->tilt);
    sb_read_number(r, &node->items[1], "view", 0, 360, &animation->turn);
  } else {
    SB_REFUSE(r, node, "E102", "'view' is [tilt, turn] in degrees: 0 from above to 90 level, and about the vertical");
  }
}

static const sb_sweep_field animation_fields[] = {
    {SB_FIELD(name, sb_animation_spec, id), .required = true},
    {SB_FIELD(text, sb_animation_spec, title)},
    {SB_FIELD(expression, sb_animation_spec, where), .clause = true, .planned = true},
    {SB_KEY("colour", sb_member_choice, sb_animation_spec, colour), .wanted = "plain, strain, pressure"},
    {.name = "view", .read = read_view},
    {SB_FIELD(count, sb_animation_spec, frames), .most = FRAMES_MAX},
    {SB_FIELD(count, sb_animation_spec, stills), .most = STILLS_MAX},
    {SB_FIELD(number, sb_animation_spec, seconds), .least = 0.1, .most = 600},
    {SB_FIELD(name, sb_animation_spec, beside)},
};
static const sb_animation_spec initial_animation = {.tilt = NAN, .turn = NAN, .frames = FRAMES, .stills = STILLS};

const sb_sweep_section sb_section_animation = {SB_SECTION("an animation", animation_fields, sb_animation_spec),
                                               .place = offsetof(sb_animation_spec, location),
                                               .initial = &initial_animation, .has_ids = true};

/* ---- claims ---- */

static const sb_sweep_field claim_fields[] = {
    {SB_FIELD(text, sb_claim, claim), .required = true},
    {SB_KEY("finding", read_reference, sb_claim, finding), .first = SB_NAMES_FINDING},
    {SB_FIELD(choice, sb_claim, kind), .wanted = "exact, shape, time"},
    {SB_FIELD(expression, sb_claim, test), .clause = true, .required = true},
    {SB_FIELD(expression, sb_claim, where), .clause = true},
    {SB_FIELD(text, sb_claim, contradicted)},
    {SB_FIELD(flag, sb_claim, answers)},
    {SB_FIELD(flag, sb_claim, full)},
};
const sb_sweep_section sb_section_claim = {SB_SECTION("a claim", claim_fields, sb_claim),
                                           .place = offsetof(sb_claim, location)};

/* ---- the answer ---- */

void sb_read_answer(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  sb_sweep *sweep = target;
  if (sweep->claim_count == 0) SB_REFUSE(r, node, "E101", "'answer' needs a claim under 'expect' that can refute it");
  read_template(r, node, &sweep->answer);
}
