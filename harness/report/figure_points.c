/* A figure of a kind as numbers: its expressions are evaluated for every point of every case.
 *
 * Expressions see a copy of the index. Before a point is evaluated, its numbers (iteration, time, energy_total …) are
 * put into columns of its case's row, so that a selection such as energy_final[method=newton] still finds other cases.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/common/csv.h"
#include "harness/report/figure.h"
#include "harness/report/report_text.h"
#include "base/nearest_name.h"
#include "harness/report/spelling.h"

static const sb_figure_kind *const kinds[] = {
#define SB_ENTRY(name) &sb_figure_##name,
#include "harness/report/figures.def"
#undef SB_ENTRY
};

const sb_figure_kind *sb_figure_kind_find(const char *name)
{
  for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; ++i)
    if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
  return NULL;
}

const char *sb_figure_kind_nearest(const char *name)
{
  const char *names[sizeof kinds / sizeof *kinds];
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) names[i] = kinds[i]->name;
  return sb_nearest_name(name, names, sizeof kinds / sizeof *kinds);
}

typedef struct {
  sb_figure            *figure;
  const sb_sweep       *sweep;
  sb_scope              scope;  /* what expressions see: our cases, or the rows of a published table */
  sb_rows              *rows;   /* the same */
  const sb_figure_case *c;      /* the case at hand, */
  size_t                point;  /* its point, */
  size_t                row;    /* and its row */
  bool                  failed; /* whether it is to be marked */
  bool                  published;
  sb_diagnostics       *why;
  const char          **panel_values; /* [views] where panels_by tells them apart */
  bool                 *drawn;        /* [views] the case has a point there */
} work;

static void add_column(work *w, const char *name)
{
  if (sb_rows_column_find(w->rows, name) != (size_t)-1) return;
  const size_t column = sb_rows_add_column(w->rows, name, "", true, false);
  for (size_t i = 0; i < sb_rows_count(w->rows); ++i)
    sb_rows_set(w->rows, i, column, sb_report_value(w->figure->results, i, name));
}

/* The index, and beside it every option, also one that does not vary. */
static void take_own_rows(work *w)
{
  const sb_rows *rows = w->figure->results->rows;
  w->rows = sb_rows_create(w->figure->arena);
  for (size_t i = 0; i < sb_rows_count(rows); ++i) sb_rows_add_row(w->rows);
  for (size_t k = 0; k < sb_rows_column_count(rows); ++k) {
    const sb_rows_column *from = sb_rows_column_at(rows, k);
    const size_t column = sb_rows_add_column(w->rows, from->name, from->unit, from->is_option, from->is_timing);
    for (size_t i = 0; i < sb_rows_count(rows); ++i) sb_rows_set(w->rows, i, column, sb_rows_get(rows, i, k));
  }
  add_column(w, "method");
  for (int id = 0; id < SB_OPT_COUNT; ++id) add_column(w, sb_option_at((sb_option_id)id)->name);
  w->scope = sb_results_scope(w->figure->results, w->figure->results->session.arena);
  w->scope.rows = w->rows;
  w->scope.arena = w->figure->arena;
}

static bool holds(work *w, const sb_expression *clause)
{
  bool truth = true;
  return !clause || (sb_expression_holds(clause, &w->scope, w->row, &truth, w->why) && truth);
}

static double number_of(work *w, const sb_expression *expression)
{
  sb_value value = {.kind = SB_BLANK};
  if (!expression || !sb_expression_value(expression, &w->scope, w->row, &value, w->why)) return NAN;
  return value.kind == SB_NUMBER ? value.number : value.kind == SB_TRUTH ? value.truth : (double)NAN;
}

static const char *text_of(work *w, sb_value value) { return sb_value_text(w->figure->arena, value); }

/* The value of a name as people write it. */
static const char *words_of(work *w, const char *name)
{
  const sb_value value = sb_rows_get_named(w->rows, w->row, name);
  const char    *text = text_of(w, value);
  const char    *words = sb_spelled_value(w->figure->arena, w->sweep, name, text);
  return strcmp(words, text) == 0 && value.kind == SB_NUMBER ? sb_arena_format(w->figure->arena, "%.4g", value.number)
                                                             : words;
}

/* A text with the values of this row for its {names}; other braces are markup. */
static const char *expand(work *w, const char *text)
{
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, w->figure->arena);
  for (; *text; ++text) {
    const size_t length = *text == '{' ? strcspn(text + 1, "}") : 0;
    const char  *name = length ? sb_arena_copy_span(w->figure->arena, text + 1, length) : "";
    if (*name && sb_rows_column_find(w->rows, name) != (size_t)-1) {
      fputs(words_of(w, name), stream);
      text += length + 1;
    } else
      fputc(*text, stream);
  }
  return sb_arena_text(&writer);
}

/* Of numbers, what they are; of words, they alone. */
static const char *series_name(work *w, const sb_figure_layer *layer)
{
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, w->figure->arena);
  for (size_t i = 0; i < layer->series_count; ++i)
    fprintf(stream, "%s%s", i ? ", " : "", words_of(w, layer->series[i]));
  return sb_arena_text(&writer);
}

static const char *series_label(work *w, const sb_figure_layer *layer, const char *name)
{
  if (layer->quiet) return "";
  if (layer->label) return expand(w, layer->label);
  const bool number =
      layer->series_count == 1 && sb_rows_get_named(w->rows, w->row, layer->series[0]).kind == SB_NUMBER;
  if (!number) return name;
  const char *axis = sb_spelled_axis(w->figure->arena, w->sweep, layer->series[0]);
  return sb_arena_format(w->figure->arena, "%s %s", axis, name);
}

static sb_figure_series *series_of(work *w, sb_figure_view *view, const sb_figure_layer *layer)
{
  const bool  by_value = w->figure->kind->traits & SB_FIGURE_BY_VALUE && layer->draw != SB_DRAW_LINES;
  const char *name = series_name(w, layer);
  sb_figure  *f = w->figure;
  if (by_value && !w->published) {
    sb_value value = sb_rows_get_named(w->rows, w->row, "status");
    if (layer->value) sb_expression_value(layer->value, &w->scope, w->row, &value, w->why);
    name = sb_spelled_value(f->arena, w->sweep, "status", text_of(w, value));
  } else if (layer->series_count == 0)
    name = layer->label ? layer->label : "";
  for (size_t i = view->series_count; i-- > 0;)
    if (view->series[i].layer == layer && strcmp(view->series[i].name, name) == 0) return &view->series[i];
  view->series = sb_arena_grow(f->arena, view->series, view->series_count, sizeof *view->series);
  sb_figure_series *s = &view->series[view->series_count++];
  *s = (sb_figure_series){.layer = layer, .name = name, .label = by_value ? name : series_label(w, layer, name)};
  for (size_t i = 0; i < f->name_count; ++i)
    if (strcmp(f->names[i], name) == 0) s->style = i + 1;
  if (s->style || w->published || layer->reference) return s; /* published ones: when all of ours are known */
  f->names = sb_arena_grow(f->arena, f->names, f->name_count, sizeof *f->names);
  f->names[f->name_count++] = name;
  s->style = f->name_count;
  return s;
}

static void add_point(const work *w, sb_figure_series *s, sb_figure_point point)
{
  s->points = sb_arena_grow(w->figure->arena, s->points, s->count, sizeof *s->points);
  s->points[s->count++] = point;
}

static sb_figure_point at(double x, double y)
{
  return (sb_figure_point){.x = x, .y = y, .lower = NAN, .upper = NAN, .row = SIZE_MAX};
}

/* x as the place of a name down the left side. */
static double place_of(work *w, const sb_expression *x)
{
  sb_figure *f = w->figure;
  sb_value   value = {.kind = SB_BLANK};
  if (!sb_expression_value(x, &w->scope, w->row, &value, w->why) || value.kind == SB_BLANK) return NAN;
  const char *words = sb_spelled_value(f->arena, w->sweep, sb_expression_text(x), text_of(w, value));
  for (size_t i = 0; i < f->place_count; ++i)
    if (strcmp(f->places[i], words) == 0) return (double)i + 1;
  if (w->published) return NAN;
  f->places = sb_arena_grow(f->arena, f->places, f->place_count, sizeof *f->places);
  f->places[f->place_count++] = words;
  return (double)f->place_count;
}

typedef struct {
  const work *w;
  bool        time;
  const char *median; /* "step" of step_median_s */
} time_search;

static void look_for_time(void *context, const char *name)
{
  static const char suffix[] = "_median_s";
  time_search      *search = context;
  const sb_rows    *rows = search->w->rows;
  const size_t      column = sb_rows_column_find(rows, name), length = strlen(name), cut = sizeof suffix - 1;
  if (column == (size_t)-1) return;
  const sb_rows_column *known = sb_rows_column_at(rows, column);
  if (strcmp(known->unit, "s") != 0 || !known->is_timing) return;
  search->time = true;
  if (length > cut && strcmp(name + length - cut, suffix) == 0)
    search->median = sb_arena_copy_span(search->w->figure->arena, name, length - cut);
}

/* y where the median of a time gives way to its quartile. */
static double with_quartile(work *w, const sb_figure_layer *layer, const char *stem, const char *quartile)
{
  sb_arena      *arena = w->figure->arena;
  const size_t   column = sb_rows_column_find(w->rows, sb_arena_format(arena, "%s_median_s", stem));
  const sb_value median = sb_rows_get(w->rows, w->row, column);
  sb_rows_set(w->rows, w->row, column,
              sb_rows_get_named(w->rows, w->row, sb_arena_format(arena, "%s_%s_s", stem, quartile)));
  const double y = number_of(w, layer->y);
  sb_rows_set(w->rows, w->row, column, median);
  return y;
}

/* Times carry their quartiles, and a mark where the machine was not quiet. */
static void take_interval(work *w, const sb_figure_layer *layer, sb_figure_point *point)
{
  time_search search = {.w = w};
  point->lower = number_of(w, layer->lower);
  point->upper = number_of(w, layer->upper);
  if (w->published) return;
  sb_expression_names(layer->y, look_for_time, &search);
  if (search.median && !layer->lower && !layer->upper && !strchr(sb_expression_text(layer->y), '[')) {
    const double a = with_quartile(w, layer, search.median, "q1"), b = with_quartile(w, layer, search.median, "q3");
    point->lower = fmin(a, b);
    point->upper = fmax(a, b);
  }
  sb_expression_names(layer->x, look_for_time, &search);
  point->noisy = search.time && sb_rows_get_named(w->rows, w->row, "noisy").kind == SB_WORD;
}

static bool is_on(double value, bool logarithmic) { return isfinite(value) && (!logarithmic || value > 0); }

/* The edge that the point belongs to: what has no value is not drawn at an invented one. */
static int edge_of(work *w, sb_figure_view *view, bool on)
{
  const sb_figure_panel *panel = view->spec;
  if (panel->above.where && holds(w, panel->above.where)) {
    view->above = expand(w, panel->above.label);
    return 1;
  }
  if (panel->below.where && holds(w, panel->below.where)) {
    view->below = expand(w, panel->below.label);
    return -1;
  }
  if (on || panel->above.where || !w->failed || w->c->count > 0 || w->published) return 0;
  view->above = "no value";
  return 1;
}

static void take_point(work *w, sb_figure_view *view, const sb_figure_layer *layer)
{
  const sb_figure_panel *panel = view->spec;
  const bool             named = w->figure->kind->traits & SB_FIGURE_NAMED_X;
  if (!holds(w, layer->where)) return;
  sb_figure_point point = {.row = w->published ? SIZE_MAX : w->row, .failed = w->failed, .lower = NAN, .upper = NAN};
  point.x = named ? place_of(w, layer->x) : number_of(w, layer->x);
  point.y = number_of(w, layer->y);
  if (!is_on(point.x, panel->x_logarithmic && !named)) return;
  const bool on = is_on(point.y, panel->y_logarithmic);
  const bool limit = layer->draw == SB_DRAW_LINES && w->c->count == 0; /* no value that was measured */
  point.failed = point.failed && !limit;
  point.edge = limit ? 0 : edge_of(w, view, on);
  if (!on && point.edge == 0) return;
  if (point.edge != 0) point.y = NAN;
  sb_figure_series *s = series_of(w, view, layer);
  if (point.edge == 0) take_interval(w, layer, &point);
  sb_figure_point *last = s->count > 0 ? &s->points[s->count - 1] : NULL;
  const bool       goes_on = last && w->point > 0 && last->row == point.row;
  if (layer->so_far && goes_on) point.y = fmax(point.y, last->y);
  if (last && !goes_on && w->c->count > 0) add_point(w, s, at(NAN, NAN));
  add_point(w, s, point);
  w->drawn[view - w->figure->views] = true;
  w->figure->drawn += !w->published;
  w->figure->noisy = w->figure->noisy || point.noisy;
}

static const char *panel_value(work *w)
{
  const char *by = w->figure->spec->panels_by;
  return by ? text_of(w, sb_rows_get_named(w->rows, w->row, by)) : "";
}

/* A published table without the column is about all panels. */
static bool is_of_view(work *w, size_t v)
{
  const char *by = w->figure->spec->panels_by;
  const bool  told = by && (!w->published || sb_rows_column_find(w->rows, by) != (size_t)-1);
  if (told && strcmp(panel_value(w), w->panel_values[v]) != 0) return false;
  return w->published || holds(w, w->figure->views[v].spec->where);
}

static void set_numbers(work *w)
{
  for (size_t i = 0; i < w->c->columns; ++i) {
    const double   number = w->c->values[i][w->point];
    const size_t   column = sb_rows_add_column(w->rows, w->c->names[i], w->c->units[i], false,
                                               strcmp(w->c->units[i], "s") == 0 && w->c->run);
    const sb_value value = {.kind = isfinite(number) ? SB_NUMBER : SB_BLANK, .number = number};
    sb_rows_set(w->rows, w->row, column, value);
  }
}

static void take_layers(work *w, size_t v)
{
  sb_figure_view        *view = &w->figure->views[v];
  const sb_figure_panel *panel = view->spec;
  for (size_t i = 0; i < panel->layer_count; ++i)
    if (!panel->layers[i].published) take_point(w, view, &panel->layers[i]);
}

/* Names a case that left no curve in a panel it belongs to, beside the panel's title. */
static void note_absent(work *w, sb_figure_view *view)
{
  const sb_figure_layer *layer = &view->spec->layers[0];
  const char            *name = series_name(w, layer);
  if (strcmp(w->figure->spec->data, "rows") == 0 || !*name || (layer->where && w->c->count > 0)) return;
  view->absent = view->absent ? sb_arena_format(w->figure->arena, "%s; %s", view->absent, name) : name;
}

static void take_case(work *w)
{
  sb_figure     *f = w->figure;
  const bool     rows = strcmp(f->spec->data, "rows") == 0;
  const sb_value status = sb_rows_get_named(w->rows, w->row, "status");
  bool          *here = sb_arena_take(f->arena, f->view_count, sizeof *here);
  w->failed = f->spec->failed ? holds(w, f->spec->failed) : status.kind != SB_WORD || strcmp(status.word, "ok") != 0;
  for (size_t v = 0; v < f->view_count; ++v) here[v] = is_of_view(w, v);
  memset(w->drawn, 0, f->view_count * sizeof *w->drawn);
  for (w->point = 0; w->point < (rows ? 1 : w->c->count); ++w->point) {
    set_numbers(w);
    for (size_t v = 0; v < f->view_count; ++v)
      if (here[v]) take_layers(w, v);
  }
  for (size_t v = 0; v < f->view_count; ++v)
    if (here[v] && !w->drawn[v]) note_absent(w, &f->views[v]);
  if (!w->failed) return;
  const char *how = status.kind == SB_WORD ? sb_spelled_value(f->arena, w->sweep, "status", status.word) : "not run";
  for (size_t v = 0; v < f->view_count; ++v)
    if (w->drawn[v] && !(f->failed && strstr(f->failed, how)))
      f->failed = f->failed ? sb_arena_format(f->arena, "%s, %s", f->failed, how) : how;
}

static void take_published(work *w, size_t v, const sb_figure_layer *layer)
{
  char                error[SB_ERROR_SIZE] = "";
  sb_published_table *table =
      sb_published_read(w->figure->arena, w->figure->results->published_dir, layer->published, error);
  static const sb_figure_case none = {0};
  work                        other = *w;
  if (!table) return;
  other.published = true;
  other.failed = false;
  other.c = &none;
  other.rows = sb_rows_of_table(table, w->figure->arena);
  other.scope.rows = other.rows;
  for (other.row = 0; other.row + 1 < table->rows; ++other.row)
    if (is_of_view(&other, v)) take_point(&other, &w->figure->views[v], layer);
}

/* One view a panel of the list, or a value of panels_by, in the order of the cases. */
static void make_views(work *w, const sb_figure_case *cases, size_t count)
{
  sb_figure            *f = w->figure;
  const sb_figure_spec *spec = f->spec;
  const size_t          all = spec->panels_by ? count : spec->panel_count > 0 ? spec->panel_count : 1;
  f->views = sb_arena_take(f->arena, all, sizeof *f->views);
  w->panel_values = sb_arena_take(f->arena, all, sizeof *w->panel_values);
  for (size_t i = 0; i < all; ++i) {
    const sb_figure_panel *panel = spec->panel_count > 0 ? &spec->panels[i] : &spec->all;
    bool                   known = false;
    if (spec->panels_by) w->row = cases[i].row;
    const char *value = spec->panels_by ? panel_value(w) : "";
    for (size_t k = 0; spec->panels_by && k < f->view_count; ++k)
      known = known || strcmp(w->panel_values[k], value) == 0;
    if (known) continue;
    const char *title = panel->title ? panel->title : "";
    if (spec->panels_by) title = panel->title ? expand(w, panel->title) : words_of(w, spec->panels_by);
    w->panel_values[f->view_count] = value;
    f->views[f->view_count++] = (sb_figure_view){.spec = panel, .title = title};
  }
  w->drawn = sb_arena_take(f->arena, f->view_count, sizeof *w->drawn);
}

static int compare_points(const void *a, const void *b)
{
  const sb_figure_point *p = a, *q = b;
  if (p->x != q->x) return (p->x > q->x) - (p->x < q->x);
  return (p->y > q->y) - (p->y < q->y);
}

/* Points of one row each are joined in the order of x; those that say the same are one. */
static void sort_points(sb_figure_series *s)
{
  size_t left = 0;
  qsort(s->points, s->count, sizeof *s->points, compare_points);
  for (size_t i = 0; i < s->count; ++i) {
    const sb_figure_point *last = left > 0 ? &s->points[left - 1] : NULL, *p = &s->points[i];
    if (last && last->x == p->x && last->y == p->y && last->edge == p->edge && last->failed == p->failed) continue;
    s->points[left++] = *p;
  }
  s->count = left;
}

/* A curve that goes through two cases at one x, or is made of two cases, says nothing of either: the axis by which they
 * differ. NULL: there is none. */
static const char *confused_by(const sb_figure *f, const sb_figure_series *s)
{
  const sb_plan *plan = f->results->plan;
  const bool     rows = strcmp(f->spec->data, "rows") == 0;
  if (!plan || !s->layer || s->layer->published || !(f->kind->traits & SB_FIGURE_ONE_CASE)) return NULL;
  if (rows && s->layer->draw == SB_DRAW_POINTS) return NULL;
  for (size_t i = 1; i < s->count; ++i) {
    const sb_figure_point *a = &s->points[i - 1], *b = &s->points[i];
    if (a->row == b->row || (rows && (a->x != b->x || a->y == b->y))) continue;
    for (size_t k = 0; k < plan->axis_count && b->row != SIZE_MAX; ++k) {
      const size_t row = a->row != SIZE_MAX || i < 2 ? a->row : s->points[i - 2].row; /* before the break */
      if (!sb_value_same(sb_report_value(f->results, row, plan->axes[k]),
                         sb_report_value(f->results, b->row, plan->axes[k])))
        return plan->axes[k];
    }
  }
  return NULL;
}

/* A published series looks like ours of its name, and is left out where there is none; one that the legend names for
 * itself is grey, and told from the next by its marks. */
static void settle_styles(sb_figure *f)
{
  size_t       grey = 0;
  const char **names = sb_arena_take(f->arena, 0, sizeof *names);
  for (size_t v = 0; v < f->view_count; ++v)
    for (size_t i = 0; i < f->views[v].series_count; ++i) {
      sb_figure_series *s = &f->views[v].series[i];
      if (!s->layer || !s->layer->published) continue;
      const bool for_itself = s->layer->label && strchr(s->layer->label, '{');
      if (!s->style && !for_itself && s->layer->series_count > 0) s->count = 0; /* it belongs to none of ours */
      s->grey = s->style == 0 || for_itself;
      if (!s->grey) continue;
      for (s->style = 0; s->style < grey && strcmp(names[s->style], s->name) != 0;) ++s->style;
      if (s->style++ < grey) continue;
      names = sb_arena_grow(f->arena, names, grey, sizeof *names);
      names[grey++] = s->name;
    }
}

/* As the layers stand in the sweep file; within one, as the cases come. */
static void order_series(sb_figure_view *view)
{
  for (size_t i = 1; i < view->series_count; ++i)
    for (size_t k = i; k > 0 && view->series[k - 1].layer > view->series[k].layer; --k) {
      const sb_figure_series other = view->series[k];
      view->series[k] = view->series[k - 1];
      view->series[k - 1] = other;
    }
}

static void reach(double range[2], double value, bool logarithmic)
{
  if (!is_on(value, logarithmic)) return;
  if (!(value >= range[0])) range[0] = value;
  if (!(value <= range[1])) range[1] = value;
}

/* A round number of a fifth of the span. */
double sb_figure_step(double span)
{
  const double power = pow(10, floor(log10(span / 5))), parts = span / 5 / power;
  return power * (parts < 1.5 ? 1 : parts < 3.5 ? 2 : parts < 7.5 ? 5 : 10);
}

/* The number of the form 1, 2 or 5 times a power of ten that is next below. */
static double round_down(double number)
{
  const double power = pow(10, floor(log10(number))), parts = number / power;
  return power * (parts >= 5 ? 5 : parts >= 2 ? 2 : 1);
}

/* Room beside the outermost points; where the user gave an end, that one. */
static void settle_range(double range[2], const double given[2], bool logarithmic, bool tight, bool rounded)
{
  if (isnan(range[0])) range[0] = logarithmic ? 1 : 0, range[1] = logarithmic ? 10 : 1;
  double low = range[0], high = range[1];
  if (logarithmic) {
    const double factor = fmax(pow(high / low, 0.05), low == high ? 3 : 1.15);
    range[0] = tight ? low : rounded ? round_down(low / factor) : low / factor;
    range[1] = tight ? high : rounded ? 1 / round_down(1 / (high * factor)) : high * factor;
  } else if (tight && low > 0 && low < 0.1 * high) {
    range[0] = 0;
  } else if (!tight || low == high) {
    if (low > 0 && low < 0.4 * high) low = 0;
    const double step = sb_figure_step(high > low ? high - low : fmax(fabs(high), 1));
    range[0] = low == 0 ? 0 : step * floor(low / step - 0.2);
    range[1] = step * ceil(high / step + 0.2);
  }
  for (size_t i = 0; i < 2; ++i)
    if (!isnan(given[i])) range[i] = given[i];
}

/* Where a line of a given slope goes through: below the point with the largest x among those that `where` takes. */
static bool find_anchor(work *w, const sb_figure_view *view, const sb_figure_line *line, double at[2])
{
  at[0] = NAN;
  for (size_t i = 0; i < view->series_count; ++i)
    for (size_t k = 0; k < view->series[i].count; ++k) {
      const sb_figure_point *p = &view->series[i].points[k];
      if (p->row == SIZE_MAX || !isfinite(p->x) || !isfinite(p->y) || p->x <= at[0]) continue;
      w->row = p->row;
      if (!holds(w, line->where)) continue;
      at[0] = p->x;
      at[1] = 0.45 * p->y;
    }
  return isfinite(at[0]);
}

static void settle_ranges(work *w, sb_figure_view *view)
{
  const sb_figure       *f = w->figure;
  const sb_figure_panel *panel = view->spec;
  double                 anchor[2] = {1, 1};
  const bool             rows = strcmp(f->spec->data, "rows") == 0, named = f->kind->traits & SB_FIGURE_NAMED_X;
  const double           places[2] = {0.4, (double)f->place_count + 0.6};
  for (size_t k = 0; k < 2; ++k) view->x[k] = view->y[k] = NAN;
  for (size_t i = 0; i < view->series_count; ++i)
    for (size_t k = 0; k < view->series[i].count; ++k) {
      const sb_figure_point *p = &view->series[i].points[k];
      reach(view->x, p->x, panel->x_logarithmic && !named);
      reach(view->y, p->y, panel->y_logarithmic);
      reach(view->y, p->lower, panel->y_logarithmic);
      reach(view->y, p->upper, panel->y_logarithmic);
    }
  for (size_t i = 0; i < panel->line_count; ++i)
    if (isfinite(panel->lines[i].slope) && find_anchor(w, view, &panel->lines[i], anchor))
      reach(view->y, anchor[1], panel->y_logarithmic);
  settle_range(view->x, named ? places : panel->x_range, panel->x_logarithmic && !named, !rows, false);
  settle_range(view->y, panel->y_range, panel->y_logarithmic, false, true);
}

/* Panels that differ by a value are to be compared. */
static void share_ranges(sb_figure *f)
{
  for (size_t v = 1; v < f->view_count; ++v)
    for (size_t k = 0; k < 2; ++k) {
      reach(f->views[0].x, f->views[v].x[k], false);
      reach(f->views[0].y, f->views[v].y[k], false);
    }
  for (size_t v = 1; v < f->view_count; ++v) {
    memcpy(f->views[v].x, f->views[0].x, sizeof f->views[v].x);
    memcpy(f->views[v].y, f->views[0].y, sizeof f->views[v].y);
  }
}

/* The row that a line's expressions are of: the first that its clause and its panel take. */
static bool find_row(work *w, size_t v, const sb_expression *where, const sb_figure_case *cases, size_t count)
{
  for (size_t i = 0; i < count; ++i) {
    w->row = cases[i].row;
    w->c = &cases[i];
    if (is_of_view(w, v) && holds(w, where)) return true;
  }
  return false;
}

enum { SAMPLES = 200 };

static double sample(const double range[2], bool logarithmic, size_t i)
{
  const double part = (double)i / SAMPLES;
  return logarithmic ? range[0] * pow(range[1] / range[0], part) : range[0] + (range[1] - range[0]) * part;
}

static void put_line(work *w, size_t v, const sb_figure_line *line, sb_figure_series *s)
{
  sb_figure_view *view = &w->figure->views[v];
  const size_t    column = sb_rows_add_column(w->rows, "x", "", false, false);
  double          anchor[2] = {1, 1}, x = number_of(w, line->x);
  if (line->x && line->y) {
    add_point(w, s, at(x, number_of(w, line->y)));
    if (!isfinite(x) || !isfinite(s->points[0].y)) s->count = 0;
  } else if (line->x) {
    for (size_t i = 0; i < 2 && isfinite(x); ++i) add_point(w, s, at(x, view->y[i]));
    sb_rows_set(w->rows, w->row, column, (sb_value){.kind = SB_NUMBER, .number = x}); /* for the label */
  } else if (line->y || find_anchor(w, view, line, anchor)) {
    for (size_t i = 0; i <= SAMPLES; ++i) { /* gnuplot draws no curves of ours by formula: it has no such expressions */
      x = sample(view->x, view->spec->x_logarithmic, i);
      sb_rows_set(w->rows, w->row, column, (sb_value){.kind = SB_NUMBER, .number = x});
      const double y = line->y ? number_of(w, line->y) : anchor[1] * pow(x / anchor[0], line->slope);
      if (is_on(y, view->spec->y_logarithmic)) add_point(w, s, at(x, y));
    }
  }
}

static void take_lines(work *w, size_t v, const sb_figure_case *cases, size_t count)
{
  sb_figure             *f = w->figure;
  sb_figure_view        *view = &f->views[v];
  const sb_figure_panel *panel = view->spec;
  for (size_t i = 0; i < panel->line_count; ++i) {
    const sb_figure_line *line = &panel->lines[i];
    sb_figure_series      s = {.line = line, .name = "", .label = "", .style = i};
    if (!find_row(w, v, line->where, cases, count)) continue;
    put_line(w, v, line, &s);
    if (s.count == 0) continue;
    if (line->label) s.label = expand(w, line->label);
    view->series = sb_arena_grow(f->arena, view->series, view->series_count, sizeof *view->series);
    view->series[view->series_count++] = s;
  }
}

sb_figure *sb_figure_create(const sb_results *results, const sb_figure_spec *spec, sb_arena *arena)
{
  sb_figure *f = sb_arena_take(arena, 1, sizeof *f);
  size_t     count = 0;
  *f = (sb_figure){.results = results, .spec = spec, .kind = sb_figure_kind_find(spec->kind), .arena = arena};
  const sb_figure_case *cases = sb_figure_cases(results, spec, arena, &count);
  work                  w = {.figure = f, .sweep = results->sweep};
  if (!cases) return NULL;
  f->case_count = count;
  w.why = sb_diagnostics_create();
  take_own_rows(&w);
  make_views(&w, cases, count);
  for (size_t i = 0; i < count; ++i) {
    w.c = &cases[i];
    w.row = cases[i].row;
    take_case(&w);
  }
  f->rows = w.rows;
  for (size_t v = 0; v < f->view_count; ++v) {
    const sb_figure_panel *panel = f->views[v].spec;
    order_series(&f->views[v]);
    for (size_t i = 0; i < panel->layer_count; ++i)
      if (panel->layers[i].published) take_published(&w, v, &panel->layers[i]);
    for (size_t i = 0; i < f->views[v].series_count && strcmp(spec->data, "rows") == 0; ++i)
      sort_points(&f->views[v].series[i]);
    settle_ranges(&w, &f->views[v]);
  }
  if (spec->panels_by) share_ranges(f);
  for (size_t v = 0; v < f->view_count; ++v) take_lines(&w, v, cases, count);
  settle_styles(f);
  for (size_t v = 0; v < f->view_count; ++v)
    for (size_t i = 0; i < f->views[v].series_count && !f->confused; ++i)
      f->confused = confused_by(f, &f->views[v].series[i]);
  sb_diagnostics_reason(w.why, f->reason, sizeof f->reason);
  sb_diagnostics_destroy(&w.why);
  return f;
}
