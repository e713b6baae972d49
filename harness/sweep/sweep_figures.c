/* Reading the section `figures`; see sweep_figures.h. What a layer or a panel does not say it has from what encloses
 * it: a copy is made first, and the keys that are there replace its members. */
#include "harness/sweep/sweep_figures.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "harness/sweep/sweep_reader.h"

static void read_data(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const char *const choices[] = {"rows", "curves", "frames"};
  const size_t             chosen = sb_read_choice(r, node, "data", choices, 3);
  if (chosen >= 3) return;
  *(char **)target = sb_arena_copy(r->sweep->arena, choices[chosen]);
  r->of_points = chosen > 0;
}

static void read_draw(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const char *const choices[] = {"lines", "points", "both"};
  const size_t             chosen = sb_read_choice(r, node, "draw", choices, 3);
  if (chosen < 3) *(sb_figure_draw *)target = (sb_figure_draw)(SB_DRAW_LINES + chosen);
}

static void read_number(sb_sweep_reader *r, const yaml_node_t *node, const char *what, double *number)
{
  const char *scalar = sb_require_scalar(r, node, what);
  if (scalar && !sb_parse_real(scalar, number))
    sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E102", "'%s' takes numbers; got '%s'", what, scalar);
}

static void read_slope(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  read_number(r, node, "slope", target);
}

/* [least, largest]; `*` leaves an end to the points. */
static void read_range(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  double *range = target;
  if (node->type != YAML_SEQUENCE_NODE || sb_yaml_count(node) != 2) {
    sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E102", "a range is [least, largest]");
    return;
  }
  for (size_t i = 0; i < 2; ++i) {
    const yaml_node_t *end = sb_yaml_item(&r->yaml, node, i);
    range[i] = NAN;
    if (end->type != YAML_SCALAR_NODE || strcmp(sb_yaml_scalar(end), "*") != 0) read_number(r, end, "range", &range[i]);
  }
}

static void read_logarithmic(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const char *const choices[] = {"none", "x", "y", "xy"};
  const size_t             chosen = sb_read_choice(r, node, "logarithmic", choices, 4);
  sb_figure_panel         *panel = target;
  if (chosen >= 4) return;
  panel->x_logarithmic = chosen & 1;
  panel->y_logarithmic = chosen & 2;
}

static void read_series(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_figure_layer *layer = target;
  const bool       list = node->type == YAML_SEQUENCE_NODE;
  const size_t     count = list ? sb_yaml_count(node) : 1;
  layer->series = sb_arena_take(r->sweep->arena, count, sizeof *layer->series);
  layer->series_count = 0;
  for (size_t i = 0; i < count; ++i) {
    sb_read_name(r, list ? sb_yaml_item(&r->yaml, node, i) : node, &layer->series[layer->series_count]);
    layer->series_count += layer->series[layer->series_count] != NULL;
  }
}

static void read_table(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_figure_layer *layer = target;
  sb_read_name(r, node, &layer->published);
  layer->published_where = sb_yaml_location(&r->yaml, node);
  r->of_published = true;
}

#define LAYER(member) offsetof(sb_figure_layer, member)
#define LAYER_FIELDS(at)                                                                                               \
  {"x", SB_FIELD_EXPRESSION, false, (at) + LAYER(x), NULL}, {"y", SB_FIELD_EXPRESSION, false, (at) + LAYER(y), NULL},  \
      {"lower", SB_FIELD_EXPRESSION, false, (at) + LAYER(lower), NULL},                                                \
      {"upper", SB_FIELD_EXPRESSION, false, (at) + LAYER(upper), NULL},                                                \
      {"value", SB_FIELD_EXPRESSION, false, (at) + LAYER(value), NULL},                                                \
      {"series", SB_FIELD_OTHER, false, (at), read_series},                                                            \
      {"label", SB_FIELD_TEXT, false, (at) + LAYER(label), NULL},                                                      \
      {"draw", SB_FIELD_OTHER, false, (at) + LAYER(draw), read_draw},                                                  \
      {"band", SB_FIELD_FLAG, false, (at) + LAYER(band), NULL},                                                        \
  {                                                                                                                    \
    "so_far", SB_FIELD_FLAG, false, (at) + LAYER(so_far), NULL                                                         \
  }

static void read_layers(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {"published", SB_FIELD_OTHER, false, 0, read_table},         LAYER_FIELDS(0),
      {"where", SB_FIELD_CLAUSE, false, LAYER(where), NULL},       {"quiet", SB_FIELD_FLAG, false, LAYER(quiet), NULL},
      {"reference", SB_FIELD_FLAG, false, LAYER(reference), NULL},
  };
  sb_figure_panel *panel = target;
  if (!sb_require_list(r, node, "'layers'")) return;
  panel->layers = sb_arena_take(r->sweep->arena, sb_yaml_count(node), sizeof *panel->layers);
  panel->layer_count = sb_yaml_count(node);
  for (size_t i = 0; i < panel->layer_count; ++i) {
    panel->layers[i] = panel->own;
    sb_read_fields(r, sb_yaml_item(&r->yaml, node, i), "a layer", fields, sizeof fields / sizeof *fields,
                   &panel->layers[i]);
    r->of_published = false;
  }
}

static void read_lines(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {"x", SB_FIELD_EXPRESSION, false, offsetof(sb_figure_line, x), NULL},
      {"y", SB_FIELD_EXPRESSION, false, offsetof(sb_figure_line, y), NULL},
      {"slope", SB_FIELD_OTHER, false, offsetof(sb_figure_line, slope), read_slope},
      {"where", SB_FIELD_CLAUSE, false, offsetof(sb_figure_line, where), NULL},
      {"label", SB_FIELD_TEXT, false, offsetof(sb_figure_line, label), NULL},
  };
  sb_figure_panel *panel = target;
  const bool       of_points = r->of_points;
  if (!sb_require_list(r, node, "'lines'")) return;
  panel->lines = sb_arena_take(r->sweep->arena, sb_yaml_count(node), sizeof *panel->lines);
  panel->line_count = sb_yaml_count(node);
  r->of_points = true; /* x is a name in them */
  for (size_t i = 0; i < panel->line_count; ++i) {
    const yaml_node_t *item = sb_yaml_item(&r->yaml, node, i);
    sb_figure_line    *line = &panel->lines[i];
    line->slope = NAN;
    sb_read_fields(r, item, "a line", fields, sizeof fields / sizeof *fields, line);
    if (!line->x && !line->y && isnan(line->slope))
      sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, item), "E101", "a line needs the key 'y', 'x' or 'slope'");
  }
  r->of_points = of_points;
}

static void read_edge(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {"where", SB_FIELD_CLAUSE, true, offsetof(sb_figure_edge, where), NULL},
      {"label", SB_FIELD_TEXT, true, offsetof(sb_figure_edge, label), NULL},
  };
  sb_read_fields(r, node, "an edge", fields, sizeof fields / sizeof *fields, target);
}

#define PANEL(member) offsetof(sb_figure_panel, member)
#define PANEL_FIELDS(at)                                                                                               \
  {"x_label", SB_FIELD_TEXT, false, (at) + PANEL(x_label), NULL},                                                      \
      {"y_label", SB_FIELD_TEXT, false, (at) + PANEL(y_label), NULL},                                                  \
      {"x_range", SB_FIELD_OTHER, false, (at) + PANEL(x_range), read_range},                                           \
      {"y_range", SB_FIELD_OTHER, false, (at) + PANEL(y_range), read_range},                                           \
      {"logarithmic", SB_FIELD_OTHER, false, (at), read_logarithmic}, LAYER_FIELDS((at) + PANEL(own)),                 \
      {"layers", SB_FIELD_OTHER, false, (at), read_layers}, {"lines", SB_FIELD_OTHER, false, (at), read_lines},        \
      {"above", SB_FIELD_OTHER, false, (at) + PANEL(above), read_edge},                                                \
  {                                                                                                                    \
    "below", SB_FIELD_OTHER, false, (at) + PANEL(below), read_edge                                                     \
  }

/* A name, or a list of panels that each say how they differ from the rest of the figure. */
static void read_panels(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {"title", SB_FIELD_TEXT, false, PANEL(title), NULL},
      {"where", SB_FIELD_CLAUSE, false, PANEL(where), NULL},
      PANEL_FIELDS(0),
  };
  sb_figure_spec *figure = target;
  if (node->type != YAML_SEQUENCE_NODE) {
    sb_read_name(r, node, &figure->panels_by);
    return;
  }
  figure->panel_count = sb_yaml_count(node);
  figure->panels = sb_arena_take(r->sweep->arena, figure->panel_count, sizeof *figure->panels);
  for (size_t i = 0; i < figure->panel_count; ++i) {
    figure->panels[i] = figure->all;
    sb_read_fields(r, sb_yaml_item(&r->yaml, node, i), "a panel", fields, sizeof fields / sizeof *fields,
                   &figure->panels[i]);
  }
}

static void read_published(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_figure_spec *figure = target;
  if (!sb_require_list(r, node, "'published'")) return;
  figure->published = sb_arena_take(r->sweep->arena, sb_yaml_count(node), sizeof *figure->published);
  figure->published_where = sb_arena_take(r->sweep->arena, sb_yaml_count(node), sizeof *figure->published_where);
  for (size_t i = 0; i < sb_yaml_count(node); ++i) {
    const yaml_node_t *item = sb_yaml_item(&r->yaml, node, i);
    sb_read_name(r, item, &figure->published[figure->published_count]);
    figure->published_where[figure->published_count] = sb_yaml_location(&r->yaml, item);
    figure->published_count += figure->published[figure->published_count] != NULL;
  }
}

/* A figure has a kind, and then what that shows, or a script, which says so itself. */
static void complete_figure(sb_sweep_reader *r, const yaml_node_t *item, sb_figure_spec *figure)
{
  const sb_location  where = sb_yaml_location(&r->yaml, item);
  const yaml_node_t *kind = sb_yaml_find(&r->yaml, item, "kind"), *script = sb_yaml_find(&r->yaml, item, "script");
  if (!figure->data) figure->data = sb_arena_copy(r->sweep->arena, "rows");
  if (kind) figure->kind_where = sb_yaml_location(&r->yaml, kind);
  if (script) figure->script_where = sb_yaml_location(&r->yaml, script);
  if (!kind == !script) sb_error_at(r->diagnostics, where, "E101", "a figure needs the key 'kind', or 'script'");
  const bool list = figure->published_count > 0;
  if (kind && list)
    sb_error_at(r->diagnostics, where, "E101", "'published' is a key of a layer, where there is a kind");
  for (size_t p = 0; p <= figure->panel_count; ++p) {
    sb_figure_panel *panel = p < figure->panel_count ? &figure->panels[p] : &figure->all;
    if (panel->layer_count == 0) {
      panel->layers = &panel->own;
      panel->layer_count = 1;
    }
    const bool shown = kind && (p < figure->panel_count || p == 0);
    for (size_t i = 0; shown && i < panel->layer_count; ++i)
      if (!panel->layers[i].x || !panel->layers[i].y)
        sb_error_at(r->diagnostics, where, "E101", "what a figure shows needs the keys 'x' and 'y'");
  }
}

void sb_read_figures(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {"id", SB_FIELD_NAME, true, offsetof(sb_figure_spec, id), NULL},
      {"title", SB_FIELD_TEXT, false, offsetof(sb_figure_spec, title), NULL},
      {"note", SB_FIELD_TEXT, false, offsetof(sb_figure_spec, note), NULL},
      {"kind", SB_FIELD_NAME, false, offsetof(sb_figure_spec, kind), NULL},
      {"script", SB_FIELD_NAME, false, offsetof(sb_figure_spec, script), NULL},
      {"where", SB_FIELD_CLAUSE, false, offsetof(sb_figure_spec, where), NULL},
      {"failed", SB_FIELD_CLAUSE, false, offsetof(sb_figure_spec, failed), NULL},
      {"published", SB_FIELD_OTHER, false, 0, read_published},
      {"data", SB_FIELD_OTHER, false, offsetof(sb_figure_spec, data), read_data},
      {"panel_title", SB_FIELD_TEXT, false, offsetof(sb_figure_spec, all.title), NULL},
      PANEL_FIELDS(offsetof(sb_figure_spec, all)),
      {"panels", SB_FIELD_OTHER, false, 0, read_panels},
  };
  sb_sweep *sweep = target;
  if (!sb_require_list(r, node, "'figures'")) return;
  const char **ids = sb_arena_take(r->sweep->arena, sb_yaml_count(node), sizeof *ids);
  sweep->figures = sb_arena_take(r->sweep->arena, sb_yaml_count(node), sizeof *sweep->figures);
  for (size_t i = 0; i < sb_yaml_count(node); ++i) {
    const yaml_node_t *item = sb_yaml_item(&r->yaml, node, i);
    sb_figure_spec    *figure = &sweep->figures[sweep->figure_count++];
    for (size_t k = 0; k < 2; ++k) figure->all.x_range[k] = figure->all.y_range[k] = NAN;
    sb_read_fields(r, item, "a figure", fields, sizeof fields / sizeof *fields, figure);
    if (item->type == YAML_MAPPING_NODE) complete_figure(r, item, figure);
    r->of_points = false;
    ids[i] = figure->id;
  }
  sb_check_ids(r, node, ids);
}
