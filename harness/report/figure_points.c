/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A figure of a kind as numbers: its expressions are evaluated for every point of every case.
 *
 * Expressions see a copy of the index. Before a point is evaluated, its numbers (iteration, time, energy_total …) are
 * put into columns of its case's row, so that a selection such as energy_final[method=newton] still finds other cases.
 */
#include <math.h>
#include <string.h>

#include "harness/report/figure_cases.h"
#include "harness/report/figure_kind.h"
#include "harness/report/figure_names.h"
#include "harness/report/report_text.h"
#include "harness/results/evidence.h"
#include "harness/results/timing_notes.h"

/* On a case of the results. */
typedef struct {
  unsigned marked;  /* how it ended if it is to have a cross, as a set; 0: it has none */
  bool     missing; /* it has no value, and is not drawn */
  bool     off;     /* it has a value of 0 or less that a logarithmic axis has no place for */
} case_note;

/* The state that the functions below share. They read the first group and evaluate expressions in the row of the
 * second. They note in the third which cases a value is made of, and fill the last group and the views of the figure.
 */
typedef struct {
  sb_figure            *figure; /* its specification, kind and results; its views are made here */
  size_t                count;
  const sb_figure_case *cases; /* [count] */

  sb_rows              *rows;      /* ours with the numbers of the current point, or a published table */
  sb_scope              scope;     /* the same for expressions */
  bool                  published; /* rows are of a published table */
  const sb_figure_case *current;   /* case */
  size_t                row;       /* of the current case, or of the published table */

  sb_evidence evidence; /* of the current point */
  sb_names    left;     /* series that are left out because they need work that is not counted */

  case_note      *notes;            /* [rows] */
  bool            seen, unseen;     /* some point of ours is within the axes; is beyond them */
  sb_diagnostics *why;              /* why points cannot be computed */
  sb_names        grey, references; /* published series without a counterpart among ours; series in black */
} figure_context;

/* The index, and beside it every option, also one that does not vary. */
static void take_own_rows(figure_context *c)
{
  static const sb_rows_column option = {.is_option = true};
  const sb_results           *results = c->figure->results;
  const size_t                known = sb_rows_column_count(results->rows), count = sb_rows_count(results->rows);
  c->rows = sb_rows_create(c->figure->arena);
  for (size_t i = 0; i < count; ++i) sb_rows_add_row(c->rows);
  for (size_t k = 0; k <= known + sb_option_count; ++k) {
    const sb_rows_column *from = k < known ? sb_rows_column_at(results->rows, k) : &option;
    const char           *name = k < known    ? from->name
                                 : k == known ? "method"
                                              : sb_option_at((sb_option_id)(k - known - 1))->name;
    const size_t          column =
        sb_rows_add_column(c->rows, name, sb_report_unit(results, name), from->is_option, from->is_timing);
    for (size_t i = 0; i < count; ++i) sb_rows_set(c->rows, i, column, sb_report_value(results, i, name));
  }
  c->scope = sb_results_scope(results, results->session.arena);
  c->scope.rows = c->rows;
  c->scope.arena = c->figure->arena;
}

static bool holds(figure_context *c, const sb_expression *clause)
{
  bool truth = true;
  return !clause || (sb_expression_holds(clause, &c->scope, c->row, &truth, c->why) && truth);
}

static sb_value value_of(figure_context *c, const sb_expression *expression)
{
  sb_value value = {.kind = SB_BLANK};
  if (!expression || !sb_expression_value(expression, &c->scope, c->row, &value, c->why)) value.kind = SB_BLANK;
  return value;
}

static double number_of(figure_context *c, const sb_expression *expression)
{
  const sb_value value = value_of(c, expression);
  return value.kind == SB_NUMBER ? value.number : value.kind == SB_TRUTH ? value.truth : (double)NAN;
}

/* A number of the current point. Notes which cases it is made of. */
static double drawn_number(figure_context *c, const sb_expression *expression)
{
  if (!c->published) sb_evidence_follow(&c->evidence, &c->scope);
  const double number = number_of(c, expression);
  c->scope.reads = NULL;
  return number;
}

/* True if the current point needs work that is not counted. */
static bool lacks_work(const figure_context *c) { return sb_evidence_has(&c->evidence, SB_IS_UNCOUNTED); }

/* How the marked cases ended that the current point is made of, as a set. */
static unsigned failures(const figure_context *c)
{
  unsigned failed = 0;
  for (size_t i = 0; i < c->evidence.count; ++i) failed |= c->notes[c->evidence.rows[i]].marked;
  return failed;
}

/* Moves to a point what the current one rests on. */
static void mark_point(const figure_context *c, sb_figure_point *point)
{
  point->failed |= failures(c);
  point->timed = sb_evidence_rows(&c->evidence, SB_READ_TIME, c->figure->arena, &point->timed_count);
}

/* The method of the current case, if the request added it and the figure shows methods by nothing else; "": such a
 * case has a series of its own, so that the sweep's stay as they are. */
static const char *added_method(figure_context *c, const sb_figure_layer *layer)
{
  const sb_figure *f = c->figure;
  const char      *method = c->published ? NULL : sb_report_word(f->results, c->row, "method");
  const char      *panels = f->spec->panels_by, *x = layer->x ? sb_expression_text(layer->x) : "";
  bool             shown = (panels && strcmp(panels, "method") == 0) || strcmp(x, "method") == 0;
  for (size_t i = 0; i < layer->series_count; ++i) shown = shown || strcmp(layer->series[i], "method") == 0;
  return sb_sweep_adds_method(f->results->sweep, method) && !shown
             ? sb_spelled_value(f->arena, f->results->sweep, "method", method)
             : "";
}

/* A series is known by the values of its axes; by the label of its layer, if that has no axes; or by what a mark on a
 * map shows. A method that the sweep does not have has a series of its own. */
static const char *identity_of(figure_context *c, const sb_figure_layer *layer)
{
  const sb_figure *f = c->figure;
  if (sb_figure_shows_value(f, layer))
    return layer->value ? sb_value_text(f->arena, value_of(c, layer->value))
                        : sb_spelled_endings(f->arena, sb_report_ending(f->results, c->row));
  const char *identity = layer->series_count > 0
                             ? sb_figure_identity(f, c->rows, c->row, layer->series, layer->series_count)
                         : layer->label ? layer->label
                                        : "";
  const char *added = added_method(c, layer);
  return *added ? sb_arena_format(f->arena, "%s\n%s", identity, added) : identity;
}

/* Sets the texts of a series that begins with the current point. */
static void name_series(figure_context *c, sb_figure_series *s)
{
  sb_figure             *f = c->figure;
  const sb_figure_layer *layer = s->layer;
  const bool             by_value = sb_figure_shows_value(f, layer); /* its words follow when all values are known */
  const char            *added = by_value ? "" : added_method(c, layer);
  s->name = by_value                  ? s->identity
            : layer->series_count > 0 ? sb_figure_series_name(f, c->rows, c->row, layer)
            : layer->label            ? layer->label
                                      : "";
  if (*added) s->name = sb_arena_join(f->arena, s->name, ", ", "%s", added);
  s->label = s->name;
  if (by_value) return;
  if (layer->quiet)
    s->label = "";
  else if (layer->label)
    s->label = sb_figure_expand(f, c->rows, c->row, layer->label);
  else if (layer->series_count == 1)
    s->label = sb_figure_named_value(f, c->rows, c->row, layer->series[0]);
  if (*added && *s->label && s->label != s->name) s->label = sb_arena_format(f->arena, "%s, %s", s->label, added);
}

/* The result for a case in a view, or for one of its points in a layer. */
typedef enum { NOT_MEANT, NOT_DRAWN, DRAWN } fate;

/* Notes that the series of the current case is left out, as its work is not counted. */
static fate leave_out(figure_context *c, const sb_figure_layer *layer)
{
  sb_figure  *f = c->figure;
  const char *name = layer->series_count > 0 ? sb_figure_series_name(f, c->rows, c->row, layer) : "";
  sb_names_add(f->arena, &c->left, *name ? name : sb_row_uncounted(f->results->rows, c->row));
  return NOT_MEANT;
}

/* The number, from 1, of ours that a published series stands beside: that of its values, else that of its name; 0:
 * there is none. */
static size_t counterpart(const figure_context *c, const sb_figure_series *s)
{
  const sb_figure *f = c->figure;
  const size_t     found = sb_names_find(&f->drawn, s->identity) + 1;
  if (found > 0) return found;
  SB_EACH_SERIES (f, view, ours)
    if (ours->rank > 0 && strcmp(ours->name, s->name) == 0) return ours->rank;
  return 0;
}

/* A published series looks like our series of the same values or name; without one it is left out (false). A series
 * with its own name in the legend is grey, and its marks distinguish it from the next. A reference takes no number from
 * others: it is black. */
static bool find_look(figure_context *c, sb_figure_series *s)
{
  sb_figure  *f = c->figure;
  sb_names   *looks = s->layer->reference ? &c->references : &f->looks;
  const bool  for_itself = s->layer->label && strchr(s->layer->label, '{');
  const char *like = s->identity;
  if (c->published && !s->layer->reference) {
    s->rank = counterpart(c, s);
    if (s->rank == 0 && !for_itself && s->layer->series_count > 0) return false;
    s->grey = s->rank == 0 || for_itself;
    if (s->grey) s->rank = 0;
    if (s->grey) looks = &c->grey;
    if (!s->grey) like = f->drawn.names[s->rank - 1];
  } else if (!s->layer->reference)
    s->rank = sb_names_add(f->arena, &f->drawn, s->identity) + 1;
  s->style = sb_names_add(f->arena, looks, like) + 1;
  return true;
}

/* The series of the current point, which may be a new one; NULL: it is left out. Published series are evaluated after
 * all of ours. */
static sb_figure_series *series_of(figure_context *c, sb_figure_view *view, const sb_figure_layer *layer)
{
  sb_figure  *f = c->figure;
  const char *identity = identity_of(c, layer);
  for (size_t i = view->series_count; i-- > 0;)
    if ((view->series[i].layer == layer || f->kind->traits & SB_FIGURE_X_ALONE) &&
        strcmp(view->series[i].identity, identity) == 0)
      return &view->series[i];
  sb_figure_series s = {.layer = layer, .identity = identity};
  name_series(c, &s);
  if (!find_look(c, &s)) return NULL;
  /* Order: the layers of the sweep file, the cases of the plan within a layer, published series last. */
  size_t at = view->series_count;
  view->series = sb_arena_grow(f->arena, view->series, view->series_count++, sizeof *view->series);
  for (; !c->published && at > 0 && view->series[at - 1].layer > layer; --at) view->series[at] = view->series[at - 1];
  view->series[at] = s;
  return &view->series[at];
}

/* Merges two points at one place into one, which has the cases of both. */
static void merge_point(figure_context *c, sb_figure_point *into, const sb_figure_point *p)
{
  into->failed |= p->failed;
  sb_evidence_clear(&c->evidence);
  for (size_t i = 0; i < into->timed_count; ++i) sb_evidence_note(&c->evidence, into->timed[i], SB_READ_TIME);
  for (size_t i = 0; i < p->timed_count; ++i) sb_evidence_note(&c->evidence, p->timed[i], SB_READ_TIME);
  into->timed = sb_evidence_rows(&c->evidence, SB_READ_TIME, c->figure->arena, &into->timed_count);
  into->lower = fmin(into->lower, p->lower);
  into->upper = fmax(into->upper, p->upper);
}

/* If each point is from a row, the points are joined in the order of x, and equal ones are merged. Others keep their
 * order. */
static void add_point(figure_context *c, sb_figure_series *s, sb_figure_point p)
{
  sb_figure_point *q = s->points;
  const double     y = fmax(p.y, -INFINITY); /* those on a strip come first */
  size_t           at = s->count;
  if (c->figure->of_rows && s->layer) {
    while (at > 0 && (q[at - 1].x > p.x || (q[at - 1].x == p.x && fmax(q[at - 1].y, -INFINITY) > y))) --at;
    const bool apart = c->figure->kind->traits & SB_FIGURE_ONE_PER_PLACE;
    if (!apart && at > 0 && q[at - 1].x == p.x && q[at - 1].y == p.y && !q[at - 1].failed == !p.failed) {
      merge_point(c, &q[at - 1], &p);
      return;
    }
  }
  s->points = sb_arena_grow(c->figure->arena, s->points, s->count, sizeof *s->points);
  memmove(&s->points[at + 1], &s->points[at], (s->count++ - at) * sizeof *s->points);
  s->points[at] = p;
}

static sb_figure_point at(double x, double y)
{
  return (sb_figure_point){.x = x, .y = y, .lower = NAN, .upper = NAN, .row = SIZE_MAX};
}

/* Times carry their quartiles. */
static void take_interval(figure_context *c, const sb_figure_layer *layer, sb_figure_point *point)
{
  sb_report_names named = {0};
  point->lower = drawn_number(c, layer->lower);
  point->upper = drawn_number(c, layer->upper);
  if (c->published) return;
  sb_expression_names(layer->y, sb_report_note_name, &named);
  const size_t column = named.median ? sb_rows_column_find(c->rows, named.median) : (size_t)-1;
  if (column != (size_t)-1 && !layer->lower && !layer->upper && !strchr(sb_expression_text(layer->y), '[')) {
    /* y where the median gives way to its quartiles */
    const sb_value median = sb_rows_get(c->rows, c->row, column);
    const int      stem = (int)strlen(named.median) - 9;
    double         ends[2];
    for (int k = 0; k < 2; ++k) {
      const char *quartile = sb_arena_format(c->figure->arena, "%.*s_q%d_s", stem, named.median, k ? 3 : 1);
      sb_rows_set(c->rows, c->row, column, sb_rows_get_named(c->rows, c->row, quartile));
      ends[k] = number_of(c, layer->y);
    }
    sb_rows_set(c->rows, c->row, column, median);
    point->lower = fmin(ends[0], ends[1]);
    point->upper = fmax(ends[0], ends[1]);
  }
}

/* The number of a tile, or if it is blank a bound of it. */
static void take_value(figure_context *c, const sb_figure_layer *layer, sb_figure_point *point)
{
  point->value = drawn_number(c, layer->value);
  point->cost = drawn_number(c, layer->cost);
  for (int upper = 0; upper < 2 && !isfinite(point->value); ++upper) {
    point->value = drawn_number(c, upper ? layer->upper : layer->lower);
    point->bound = !isfinite(point->value) ? 0 : upper ? -1 : 1;
  }
}

static bool is_on(const sb_figure_axis *axis, double value)
{
  return isfinite(value) && (!axis->logarithmic || value > 0);
}

/* True if a value exists but cannot be shown because its axis is logarithmic. */
static bool is_off(const sb_figure_axis *axis, double value)
{
  return axis->logarithmic && isfinite(value) && value <= 0;
}

/* The strip of the current case; 0: none. A point without a place on the y axis is drawn on a strip or not at all. A
 * value of 0 or less is drawn on the strip below a logarithmic axis, if the sweep file uses neither strip. A value that
 * is missing because its case failed is drawn on the strip that is not in use. */
static int edge_of(figure_context *c, sb_figure_view *view, sb_figure_point *point)
{
  const sb_figure_panel *panel = view->spec;
  const double           y = point->y;
  for (int above = 1; above >= 0; --above) {
    const sb_figure_edge *edge = above ? &panel->above : &panel->below;
    if (!edge->where || !holds(c, edge->where)) continue;
    view->strips[above].label = sb_figure_expand(c->figure, c->rows, c->row, edge->label);
    return above ? 1 : -1;
  }
  if (is_off(view->y, y) && c->current->count == 0 && !panel->above.where && !panel->below.where) {
    const char *before = view->strips[0].label;
    view->strips[0].label = y < 0 || (before && strcmp(before, "0") != 0) ? "≤ 0" : "0";
    return -1;
  }
  const unsigned failure = c->published ? 0 : sb_report_failure(c->figure->results, c->row);
  const int      unused = !panel->above.where ? 1 : !panel->below.where ? -1 : 0;
  if (is_on(view->y, y) || !(failure | failures(c)) || c->current->count > 0 || unused == 0) return 0;
  view->strips[unused > 0].label = "no value";
  point->failed = failure; /* also where no clause marks it */
  return unused;
}

/* The place of the value of x on the left side; NAN if it is blank, or if only published points have it. */
static double place_of_name(figure_context *c, const sb_expression *x)
{
  sb_figure     *f = c->figure;
  const char    *axis = sb_expression_text(x);
  const sb_value value = value_of(c, x);
  const char    *text = sb_value_text(f->arena, value);
  if (value.kind == SB_BLANK) return NAN;
  size_t place = c->published ? sb_names_find(&f->places, text) : sb_names_add(f->arena, &f->places, text);
  text = sb_spelled_value(f->arena, f->results->sweep, axis, text);
  for (size_t i = 0; place == SIZE_MAX && i < f->places.count; ++i)
    if (strcmp(sb_spelled_value(f->arena, f->results->sweep, axis, f->places.names[i]), text) == 0) place = i;
  return place != SIZE_MAX ? (double)place + 1 : (double)NAN;
}

/* Puts a point at the end of its series; where it does not follow another of its case (`goes_on`), curves are broken
 * before it. */
static void join_point(figure_context *c, sb_figure_series *s, sb_figure_point point, bool goes_on)
{
  const sb_figure_point *last = s->count > 0 ? &s->points[s->count - 1] : NULL;
  goes_on = goes_on && last && last->row == point.row;
  if (s->layer->so_far && goes_on && point.edge == 0) point.y = fmax(point.y, last->y);
  if (last && !goes_on && c->current->count > 0) add_point(c, s, at(NAN, NAN));
  add_point(c, s, point);
}

/* For a kind with x alone: adds x, or that there is none. y is the number of the point, so that all points differ. */
static fate take_share(figure_context *c, sb_figure_view *view, const sb_figure_layer *layer)
{
  if (!holds(c, layer->where)) return NOT_MEANT;
  sb_evidence_clear(&c->evidence);
  sb_figure_point   point = at(drawn_number(c, layer->x), 0);
  sb_figure_series *s = series_of(c, view, layer);
  s->unknown = s->unknown || lacks_work(c);
  if (lacks_work(c)) return leave_out(c, layer);
  if (!isfinite(point.x)) {
    *SB_NEW_ITEM(c->figure->arena, s->missed, s->missed_count) = c->row;
    return DRAWN;
  }
  point.y = (double)s->count;
  point.row = c->row;
  mark_point(c, &point);
  point.failed = 0;
  add_point(c, s, point);
  return DRAWN;
}

/* Tells whether a point of ours is not drawn because an axis is logarithmic. A line below the legend counts its case,
 * and its series keeps its name there. The first point of a curve is not counted: its time, or its error, is often 0.
 */
static bool leaves_place(figure_context *c, const sb_figure_view *view, const sb_figure_point *point, bool goes_on)
{
  const bool off = is_off(view->y, point->y) || is_off(view->x, point->x), first = c->current->count > 0 && !goes_on;
  if (!off || c->published) return false;
  c->notes[c->row].off |= !first;
  return true;
}

/* True if the current case has not run, and has no cross: it is not known to lack a value. */
static bool is_unknown(const figure_context *c)
{
  return !c->notes[c->row].marked && sb_report_ending(c->figure->results, c->row) == 1U << SB_STATUS_COUNT;
}

/* A limit was not measured: a layer of rows that is drawn as lines alone has no failures, and may lack points. */
static fate take_point(figure_context *c, sb_figure_view *view, const sb_figure_layer *layer, bool goes_on)
{
  const bool named = sb_figure_has_names(c->figure);
  const bool limit = layer->draw == SB_DRAW_LINES && c->current->count == 0;
  if (!holds(c, layer->where)) return NOT_MEANT;
  sb_evidence_clear(&c->evidence);
  sb_figure_point point = at(named ? place_of_name(c, layer->x) : drawn_number(c, layer->x), NAN);
  size_t          of_x = 0;
  const size_t   *times_of_x = sb_evidence_rows(&c->evidence, SB_READ_TIME, c->figure->arena, &of_x);
  point.y = drawn_number(c, layer->y);
  if (lacks_work(c)) return leave_out(c, layer);
  if (is_on(view->x, point.x) && !limit) point.edge = edge_of(c, view, &point);
  const bool placed = is_on(view->x, point.x) && (point.edge != 0 || is_on(view->y, point.y));
  if (!placed && (limit || !leaves_place(c, view, &point, goes_on))) return limit ? NOT_MEANT : NOT_DRAWN;
  sb_figure_series *s = series_of(c, view, layer);
  if (!s) return NOT_MEANT;
  if (!placed) return DRAWN;
  if (c->figure->kind->traits & SB_FIGURE_NUMBERS) {
    take_value(c, layer, &point);
    if (lacks_work(c)) return leave_out(c, layer);
    if (!isfinite(point.value) && is_unknown(c)) return NOT_DRAWN;
  } else if (point.edge == 0) {
    take_interval(c, layer, &point);
  }
  mark_point(c, &point);
  if (point.edge != 0 && !(c->figure->kind->traits & SB_FIGURE_NUMBERS)) { /* it shows no y */
    point.y = NAN;
    point.timed = times_of_x;
    point.timed_count = of_x;
  }
  if (!c->published) {
    point.row = c->row;
    point.failed = limit ? 0 : point.failed | c->notes[c->row].marked;
  }
  join_point(c, s, point, goes_on);
  return DRAWN;
}

/* A published table without the column is about all panels. */
static bool is_of_view(figure_context *c, size_t v)
{
  const char *by = c->figure->spec->panels_by;
  if (by && (!c->published || sb_rows_column_find(c->rows, by) != (size_t)-1) &&
      strcmp(sb_figure_identity(c->figure, c->rows, c->row, &c->figure->spec->panels_by, 1),
             c->figure->views[v].value) != 0)
    return false;
  return c->published || holds(c, c->figure->views[v].spec->where);
}

/* Lets expressions see the numbers of a point of the current case. */
static void set_point(figure_context *c, size_t point)
{
  static const sb_value unknown = {.kind = SB_UNKNOWN, .may_be = SB_MAY_BE_NUMBER, .uncounted = true};
  const sb_figure_case *of = c->current;
  for (size_t i = 0; i < of->columns; ++i) {
    const double number = of->values[i][point];
    const bool   timing = strcmp(of->units[i], "s") == 0 && of->run;
    sb_rows_set(c->rows, c->row, sb_rows_add_column(c->rows, of->names[i], of->units[i], false, timing),
                (sb_value){.kind = isfinite(number) ? SB_NUMBER : SB_BLANK, .number = number});
  }
  if (of->count > 0 && sb_row_uncounted(c->figure->results->rows, c->row))
    sb_rows_set(c->rows, c->row, sb_rows_add_column(c->rows, "work", "", false, false), unknown);
}

/* All points of a case in a view. A case without a curve there is named below the legend, or counted if it has no name.
 */
static void take_case(figure_context *c, size_t v, const sb_figure_case *taken)
{
  c->current = taken;
  c->row = taken->row;
  sb_figure      *f = c->figure;
  sb_figure_view *view = &f->views[v];
  fate            best = f->of_rows || c->current->count > 0 ? NOT_MEANT : NOT_DRAWN;
  if (!is_of_view(c, v)) return;
  /* A map has one mark for a case and no series, so that cases of other methods would hide the sweep's. */
  if (f->kind->traits & (SB_FIGURE_BY_VALUE | SB_FIGURE_NUMBERS) && *added_method(c, &view->spec->layers[0])) return;
  for (size_t point = 0; point < (f->of_rows ? 1 : c->current->count); ++point) {
    set_point(c, point);
    for (size_t i = 0; i < view->spec->layer_count; ++i) {
      const sb_figure_layer *layer = &view->spec->layers[i];
      const bool             shares = f->kind->traits & SB_FIGURE_X_ALONE;
      const fate             its = layer->published ? NOT_MEANT
                                   : shares         ? take_share(c, view, layer)
                                                    : take_point(c, view, layer, point > 0);
      if (its > best) best = its;
    }
  }
  if (best != NOT_DRAWN) return;
  const char *name = f->of_rows ? "" : sb_figure_series_name(f, c->rows, c->row, &view->spec->layers[0]);
  if (*name)
    view->absent = sb_arena_join(f->arena, view->absent, "; ", "%s", name);
  else
    c->notes[c->row].missing = true;
}

static void take_published(figure_context *c, size_t v, const sb_figure_layer *layer)
{
  static const sb_figure_case none = {0};
  char                        error[SB_ERROR_SIZE] = "";
  const sb_figure            *f = c->figure;
  sb_published_table         *table = sb_published_read(f->arena, f->results->published_dir, layer->published, error);
  figure_context              other = *c;
  if (!table) return;
  other.published = true;
  other.current = &none;
  other.scope.rows = other.rows = sb_rows_of_table(table, f->arena);
  for (other.row = 0; other.row + 1 < table->rows; ++other.row)
    if (is_of_view(&other, v)) take_point(&other, &f->views[v], layer, true);
  c->grey = other.grey;
}

/* One view per panel of the list, or per value of panels_by, in the order of the cases; the latter are compared, and
 * share one range. If no case is drawn, there is one view without a value. */
static void make_views(figure_context *c)
{
  sb_figure            *f = c->figure;
  const sb_figure_spec *spec = f->spec;
  const bool            by_value = spec->panels_by && c->count > 0;
  const size_t          all = by_value ? c->count : spec->panel_count > 0 ? spec->panel_count : 1;
  sb_names              values = {0}, titles = {0};
  f->views = sb_arena_take(f->arena, all, sizeof *f->views);
  for (size_t i = 0; i < all; ++i) {
    const sb_figure_panel *panel = spec->panel_count > 0 ? &spec->panels[i] : &spec->all;
    const char            *title = panel->title ? panel->title : "";
    const char            *value = spec->panels_by ? "" : NULL;
    if (by_value) {
      c->row = c->cases[i].row;
      value = sb_figure_identity(f, c->rows, c->row, &spec->panels_by, 1);
      if (sb_names_add(f->arena, &values, value) < f->view_count) continue;
      title = sb_figure_named_value(f, c->rows, c->row, spec->panels_by);
      if (panel->title) { /* with its value if an earlier panel has the same */
        const char *expanded = sb_figure_expand(f, c->rows, c->row, panel->title);
        const bool  taken = sb_names_find(&titles, expanded) != SIZE_MAX;
        title = taken ? sb_arena_format(f->arena, "%s, %s", expanded, title) : expanded;
        sb_names_add(f->arena, &titles, title);
      }
    }
    sb_figure_axis *axes =
        spec->panels_by && f->view_count > 0 ? f->views->x : sb_arena_take(f->arena, 2, sizeof *axes);
    axes[0] = (sb_figure_axis){NAN, NAN, panel->x_logarithmic && !(sb_figure_has_names(f))};
    axes[1] = (sb_figure_axis){NAN, NAN, panel->y_logarithmic};
    f->views[f->view_count++] =
        (sb_figure_view){.spec = panel, .title = title, .absent = "", .value = value, .x = &axes[0], .y = &axes[1]};
  }
}

/* Not published, nor a line to compare with. */
static bool is_ours(const sb_figure_series *s) { return s->layer && !s->layer->published; }

static bool shows_ours(const sb_figure_view *view)
{
  for (const sb_figure_series *s = view->series; s < view->series + view->series_count; ++s)
    if (is_ours(s) && s->count + s->missed_count > 0) return true;
  return false;
}

/* Leaves out series of which a share is unknown, and panels without a point of ours, such as those whose cases a quick
 * run lacks, unless all lack one. Names below the legend what is left out. */
static void drop_unknown(figure_context *c)
{
  sb_figure  *f = c->figure;
  size_t      views = 0;
  const char *empty = "";
  for (size_t v = 0; v < f->view_count; ++v) {
    sb_figure_view *view = &f->views[v];
    const char     *name = *view->title ? view->title : sb_arena_format(f->arena, "panel %zu", v + 1);
    size_t          kept = 0;
    for (size_t i = 0; i < view->series_count; ++i)
      if (!view->series[i].unknown) view->series[kept++] = view->series[i];
    view->series_count = kept;
    if (shows_ours(view))
      f->views[views++] = *view;
    else
      empty = sb_arena_join(f->arena, empty, "; ", "%s", name);
  }
  if (c->left.count > 0)
    f->feet[6] = sb_arena_format(f->arena, "left out, as its work is not counted: %s",
                                 sb_names_join(f->arena, &c->left, ", ", c->left.count));
  if (!*empty || views == 0) return;
  f->view_count = views;
  f->feet[4] = sb_arena_format(f->arena, "no case here has a value for: %s", empty);
}

/* True if another series of ours, of other values, has the label of this one. */
static bool has_namesake(const sb_figure *f, const sb_figure_series *s)
{
  SB_EACH_SERIES (f, view, other)
    if (is_ours(other) && strcmp(other->label, s->label) == 0 && strcmp(other->identity, s->identity) != 0) return true;
  return false;
}

/* Puts the name of a series behind a label in the legend that another series of ours has too, and names places and the
 * values of marks. */
static void tell_series_apart(figure_context *c)
{
  sb_figure *f = c->figure;
  SB_EACH_SERIES (f, view, s) s->shares_label = is_ours(s) && *s->label && has_namesake(f, s);
  SB_EACH_SERIES (f, view, s)
    if (sb_figure_shows_value(f, s->layer) && s->layer->value)
      s->name = s->label = sb_figure_labels(f, sb_expression_text(s->layer->value), &f->drawn)[s->rank - 1];
    else if (s->shares_label)
      s->label = sb_arena_format(f->arena, "%s, %s", s->label, s->name);
  if (f->places.count > 0) f->labels = sb_figure_labels(f, sb_expression_text(f->spec->all.layers->x), &f->places);
}

/* The axis by which two cases differ that a curve has at one x, or from which it is made. Such a curve describes
 * neither case. NULL: there is no such axis. */
static const char *confused_by(const sb_figure *f, const sb_figure_series *s)
{
  const sb_plan         *plan = f->results->plan;
  const bool             per_place = f->kind->traits & SB_FIGURE_ONE_PER_PLACE;
  const sb_figure_point *a = NULL;
  if (!plan || !is_ours(s) || !(per_place || f->kind->traits & SB_FIGURE_ONE_PER_X)) return NULL;
  if (f->of_rows && s->layer->draw == SB_DRAW_POINTS) return NULL;
  SB_EACH_POINT (s, b) {
    if (b->row == SIZE_MAX) continue; /* a break */
    const bool same = a && a->x == b->x && (a->y == b->y) == per_place;
    const bool together = a && a->row != b->row && (!f->of_rows || same);
    for (size_t k = 0; together && k < plan->axis_count; ++k)
      if (!sb_value_same(sb_report_value(f->results, a->row, plan->axes[k]),
                         sb_report_value(f->results, b->row, plan->axes[k])))
        return plan->axes[k];
    a = b;
  }
  return NULL;
}

/* Widens an axis to a value, or to a tile about it, of which half is a factor on a logarithmic axis; 0: no tile. */
static void reach(sb_figure_axis *axis, double value, double half)
{
  const double factor = half > 0 ? half : 1;
  for (int k = 0; k < 2; ++k) {
    const double end = !axis->logarithmic ? value + (k ? half : -half) : k ? value * factor : value / factor;
    if (!is_on(axis, end)) continue;
    if (!(end >= axis->low)) axis->low = end;
    if (!(end <= axis->high)) axis->high = end;
  }
}

bool sb_figure_sees(const sb_figure_view *view, const sb_figure_point *p)
{
  const bool high_enough = p->edge != 0 || (p->y >= view->y->low && p->y <= view->y->high);
  return p->x >= view->x->low && p->x <= view->x->high && high_enough;
}

/* The point of a line of a given slope: below the point with the largest x among those that `where` selects. */
static bool find_anchor(figure_context *c, const sb_figure_view *view, const sb_figure_line *line, double anchor[2])
{
  anchor[0] = NAN;
  for (const sb_figure_series *s = view->series; s < view->series + view->series_count; ++s)
    SB_EACH_POINT (s, p) {
      if (p->row == SIZE_MAX || !isfinite(p->x) || !isfinite(p->y) || p->x <= anchor[0]) continue;
      c->row = p->row;
      if (!holds(c, line->where)) continue;
      anchor[0] = p->x;
      anchor[1] = 0.45 * p->y;
    }
  return isfinite(anchor[0]);
}

/* How far the points of the views reach, and the rows of strips. */
static void settle_ranges(figure_context *c)
{
  sb_figure   *f = c->figure;
  const double places[2] = {0.4, (double)f->places.count + 0.6};
  double       anchor[2];
  SB_EACH_SERIES (f, view, s)
    SB_EACH_POINT (s, p) {
      size_t *row = &s->rows[p->edge > 0];
      if (p->edge != 0 && *row == 0) *row = ++view->strips[p->edge > 0].rows;
      reach(view->x, p->x, view->tile[0]);
      reach(view->y, p->y, view->tile[1]);
      reach(view->y, p->lower, 0);
      reach(view->y, p->upper, 0);
    }
  for (sb_figure_view *view = f->views; view < f->views + f->view_count; ++view)
    for (size_t i = 0; i < view->spec->line_count; ++i)
      if (isfinite(view->spec->lines[i].slope) && find_anchor(c, view, &view->spec->lines[i], anchor))
        reach(view->y, anchor[1], 0);
  for (size_t v = 0; v < (f->spec->panels_by ? 1 : f->view_count); ++v) {
    const sb_figure_panel *panel = f->views[v].spec;
    const bool             tiles = f->views[v].tile[0] > 0;
    sb_figure_settle_axis(f->views[v].x, sb_figure_has_names(f) ? places : panel->x_range, tiles || !f->of_rows, false);
    sb_figure_settle_axis(f->views[v].y, panel->y_range, tiles, true);
  }
}

/* A layer in black, as the first of the lines to compare with would be. */
static bool has_reference(const sb_figure_panel *panel)
{
  bool found = false;
  for (size_t i = 0; i < panel->layer_count; ++i) found = found || panel->layers[i].reference;
  return found;
}

/* The points of a line, in the current row. A slope, and y as an expression of x, have many points, because gnuplot has
 * no such expressions as ours. The last visible point has the marks. */
static void sample_line(figure_context *c, const sb_figure_view *view, sb_figure_series *s, const double anchor[2])
{
  enum { SAMPLES = 200 };
  const sb_figure_line *line = s->line;
  const sb_figure_axis *ax = view->x, *ay = view->y;
  const size_t          column = sb_rows_add_column(c->rows, "x", "", false, false);
  const double          given = drawn_number(c, line->x);
  const size_t          count = !line->x ? SAMPLES + 1 : line->y ? 1 : 2;
  size_t                seen = SIZE_MAX;
  for (size_t n = 0; n < count; ++n) {
    const double part = (double)n / SAMPLES, along = ax->low + (ax->high - ax->low) * part;
    const double x = line->x ? given : ax->logarithmic ? ax->low * pow(ax->high / ax->low, part) : along;
    sb_rows_set(c->rows, c->row, column, (sb_value){.kind = SB_NUMBER, .number = x}); /* also for the label */
    const double y = line->y   ? drawn_number(c, line->y)
                     : line->x ? (n == 0 ? ay->low : ay->high)
                               : anchor[1] * pow(x / anchor[0], line->slope);
    if (!isfinite(x) || !is_on(ay, y)) continue;
    add_point(c, s, at(x, y));
    if (sb_figure_sees(view, &s->points[s->count - 1])) seen = s->count - 1;
  }
  if (seen == SIZE_MAX) return;
  mark_point(c, &s->points[seen]);
  if (!line->x || !line->y) s->points[seen].failed = 0; /* it may be predicted: a ring is only for measured values */
}

/* Lines to compare with, each of the first row that its clause and its panel take. */
static void take_lines(figure_context *c, size_t v)
{
  sb_figure_view *view = &c->figure->views[v];
  for (size_t i = 0; i < view->spec->line_count; ++i) {
    const sb_figure_line *line = &view->spec->lines[i];
    sb_figure_series      s = {.line = line, .name = "", .label = "", .style = i + has_reference(view->spec)};
    double                anchor[2] = {1, 1};
    size_t                k = 0;
    if (!line->x && !line->y && !find_anchor(c, view, line, anchor)) continue;
    for (; k < c->count; ++k) {
      c->current = &c->cases[k];
      c->row = c->current->row;
      if (is_of_view(c, v) && holds(c, line->where)) break;
    }
    if (k == c->count) continue;
    sb_evidence_clear(&c->evidence);
    sample_line(c, view, &s, anchor);
    if (s.count == 0) continue;
    if (line->label) s.label = sb_figure_expand(c->figure, c->rows, c->row, line->label);
    for (size_t n = 0; n < view->series_count && *s.label; ++n) /* parts of one curve look alike */
      if (view->series[n].line && strcmp(view->series[n].label, s.label) == 0) s.style = view->series[n].style;
    *SB_NEW_ITEM(c->figure->arena, view->series, view->series_count) = s;
  }
}

/* Writes short meanings of the marks of times, and the omissions. If no build and machine has most of the times, none
 * is marked. */
static void put_feet(const figure_context *c, const sb_times *times, bool unmarked)
{
  sb_figure            *f = c->figure;
  const sb_timing_notes told = sb_timing_notes_of(f->results, f->timed, true, f->arena);
  size_t                missing = 0, failed = 0, off = 0;
  if (told.noise) f->feet[0] = sb_arena_format(f->arena, "%s%s", unmarked ? "" : "‡ ", told.noise);
  if (told.origins) f->feet[1] = sb_arena_format(f->arena, "%s%s", times->origin ? "§ " : "", told.origins);
  for (size_t row = 0; row < sb_rows_count(f->results->rows); ++row) {
    missing += c->notes[row].missing;
    failed += c->notes[row].missing && sb_report_failure(f->results, row) != 0;
    off += c->notes[row].off;
  }
  if (missing > 0)
    f->feet[2] = sb_arena_format(
        f->arena, "%s%s %s no value to draw%s%s", sb_counted(f->arena, missing, "case"),
        failed == missing ? " that did not end ok" : "", sb_by_count(missing, "has", "have"),
        f->view_count > 1 ? " in some panel" : "",
        failed > 0 && failed < missing ? sb_arena_format(f->arena, "; %zu did not end ok", failed) : "");
  if (off > 0)
    f->feet[3] = sb_arena_format(f->arena,
                                 f->of_rows ? "%s at 0 or less, which a logarithmic axis cannot show"
                                            : "%s with points at 0 or less, which a logarithmic axis cannot show",
                                 sb_counted(f->arena, off, f->of_rows ? "case" : "curve"));
}

/* The ends of an interval: "relative error, least to largest", without repeating what their names share. */
static const char *ends_of(const sb_figure *f, const sb_figure_layer *layer)
{
  const sb_expression *const ends[] = {layer->lower, layer->upper};
  const char                *words[2] = {"", ""};
  size_t                     same = 0;
  if (f->kind->describe_interval) return f->kind->describe_interval(f);
  if (!ends[0] && !ends[1]) return "quartiles";
  for (int k = 0; k < 2; ++k)
    if (ends[k]) words[k] = sb_spelled_axis(f->arena, f->results->sweep, sb_expression_text(ends[k]));
  for (size_t i = 0; words[0][i] && words[0][i] == words[1][i]; ++i)
    if (words[0][i] == ' ') same = i;
  return sb_arena_format(f->arena, "%.*s%s%s to %s", (int)same, words[0], same ? ", " : "",
                         words[0] + same + (same > 0), words[1] + same + (same > 0));
}

/* Writes what the visible bands and whiskers are. They have the colours of their series. */
static const char *describe_intervals(const sb_figure *f)
{
  sb_names kinds = {0};
  SB_EACH_SERIES (f, view, s) {
    bool seen = false;
    SB_EACH_POINT (s, p) seen = seen || (p->lower < p->upper && sb_figure_sees(view, p));
    if (!seen || !is_ours(s)) continue;
    sb_names_add(f->arena, &kinds,
                 sb_arena_format(f->arena, "%s: %s", s->layer->band ? "shaded" : "whiskers", ends_of(f, s->layer)));
  }
  return kinds.count > 0 ? sb_names_join(f->arena, &kinds, "; ", kinds.count) : NULL;
}

/* Marks visible points, which the legend and the feet describe. The build of most times is that of the cases whose
 * times are visible, as in captions and tables. */
static void settle_marks(figure_context *c)
{
  sb_figure *f = c->figure;
  bool      *shown = sb_arena_take(f->arena, sb_rows_count(f->results->rows), sizeof *shown);
  unsigned   failed = 0;
  SB_EACH_SERIES (f, view, s)
    SB_EACH_POINT (s, p) {
      const bool seen = sb_figure_sees(view, p);
      if (is_ours(s)) *(seen ? &c->seen : &c->unseen) = true;
      if (!seen) continue;
      failed |= p->failed;
      for (size_t k = 0; k < p->timed_count; ++k) f->timed[p->timed[k]] = true;
    }
  const sb_times times = sb_times_of(f->results, f->timed);
  /* Marks of most cases would hide the curves: the line below the legend then counts them. */
  const bool unmarked = 2 * times.noisy > times.cases;
  SB_EACH_SERIES (f, view, s)
    SB_EACH_POINT (s, p) {
      const unsigned marks = sb_times_marks(&times, f->results, p->timed_count, p->timed);
      p->noisy = marks & SB_TIME_NOISY && !unmarked;
      p->other = marks & SB_TIME_OTHER;
    }
  if (failed & SB_ENDED_OK) /* cases that the clause selects did not fail by status */
    f->failed = f->spec->failed_label ? f->spec->failed_label : sb_expression_text(f->spec->failed);
  else if (failed)
    f->failed = sb_spelled_endings(f->arena, failed);
  put_feet(c, &times, unmarked);
  f->feet[5] = describe_intervals(f);
  for (size_t i = 0; i < c->count; ++i) shown[c->cases[i].row] = true;
  const char *devices = sb_devices_note(f->results, shown, f->arena);
  if (devices) f->feet[7] = sb_arena_format(f->arena, "device: %s", devices);
}

/* NULL: it can be drawn. */
static const char *reason_against(const figure_context *c)
{
  const sb_figure *f = c->figure;
  char             said[256];
  if (shows_ours(f->views)) { /* an empty view is there only if all are empty */
    SB_EACH_SERIES (f, view, s) {
      const char *axis = confused_by(f, s);
      if (axis)
        return sb_arena_format(f->arena, "the cases also differ in %s, which the figure does not distinguish", axis);
    }
    return c->unseen && !c->seen ? "none of its points is within x_range and y_range" : NULL;
  }
  if (c->count == 0)
    return f->results->quick ? "a quick run has no case of this figure" : "there is no case of this figure";
  sb_diagnostics_reason(c->why, said, sizeof said);
  return *said ? sb_arena_copy(f->arena, said)
               : sb_arena_format(f->arena, "none of %s was drawn", sb_counted(f->arena, c->count, "case"));
}

sb_figure *sb_figure_create(const sb_results *results, const sb_figure_spec *spec, const sb_figure_kind *kind,
                            sb_arena *arena)
{
  sb_figure     *f = sb_arena_take(arena, 1, sizeof *f);
  figure_context c = {.figure = f};
  c.cases = sb_figure_cases(results, spec, arena, &c.count);
  if (!c.cases) return NULL;
  *f = (sb_figure){.results = results, .spec = spec, .kind = kind, .arena = arena};
  f->of_rows = strcmp(spec->data, "rows") == 0;
  c.why = sb_diagnostics_create();
  take_own_rows(&c);
  f->rows = c.rows;
  const size_t rows = sb_rows_count(results->rows);
  f->timed = sb_arena_take(arena, rows, sizeof *f->timed);
  c.notes = sb_arena_take(arena, rows, sizeof *c.notes);
  c.evidence = sb_evidence_begin(rows, arena);
  for (c.row = 0; c.row < rows; ++c.row) /* crosses are for cases that the clause selects, or without it for failures */
    c.notes[c.row].marked = !spec->failed             ? sb_report_failure(results, c.row)
                            : holds(&c, spec->failed) ? sb_report_ending(results, c.row)
                                                      : 0;
  make_views(&c);
  sb_figure_settle_looks(f);
  for (size_t v = 0; v < f->view_count; ++v)
    for (size_t i = 0; i < c.count; ++i) take_case(&c, v, &c.cases[i]);
  for (size_t v = 0; v < f->view_count; ++v)
    for (size_t i = 0; i < f->views[v].spec->layer_count; ++i)
      if (f->views[v].spec->layers[i].published) take_published(&c, v, &f->views[v].spec->layers[i]);
  drop_unknown(&c);
  tell_series_apart(&c);
  sb_figure_part_looks(f);
  for (size_t v = 0; kind->finish && v < f->view_count; ++v) kind->finish(f, &f->views[v]);
  settle_ranges(&c);
  if (spec->leaders > 0) kind->choose_leaders(f);
  for (size_t v = 0; v < f->view_count; ++v) take_lines(&c, v);
  settle_marks(&c);
  f->why = reason_against(&c);
  sb_diagnostics_destroy(&c.why);
  return f;
}
