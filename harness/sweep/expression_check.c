/* Expressions before anything has run, by evaluating them: first each by itself, over one row of unknown values, when
 * the sweep file is read; then all of a sweep over its planned rows, in which options are known and results are not. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/outcome.h"
#include "harness/common/durable.h"
#include "harness/sweep/expression_tree.h"
#include "harness/sweep/plan.h"

struct sb_check {
  const sb_vocabulary *vocabulary;
  const sb_sweep      *sweep;
  const sb_driver     *driver;  /* NULL: any name may be a column */
  bool                 planned; /* before the run: options and `method` alone */
  sb_rows             *rows;
};

/* What every index has besides options and the driver's columns. */
static const struct {
  const char *name;
  unsigned    may_be;
} common_columns[] = {{"key", SB_MAY_BE_WORD},      {"status", SB_MAY_BE_WORD},
                      {"reason", SB_MAY_BE_WORD},   {"digest", SB_MAY_BE_WORD},
                      {"command", SB_MAY_BE_WORD},  {"accuracy_ok", SB_MAY_BE_TRUTH},
                      {"wall_s", SB_MAY_BE_NUMBER}, {"max_rss_bytes", SB_MAY_BE_NUMBER}};
enum { COMMON_COUNT = sizeof common_columns / sizeof *common_columns };

static unsigned kind_of_option(sb_option_id id)
{
  switch (sb_option_at(id)->kind) {
  case SB_KIND_INTEGER:
  case SB_KIND_REAL:
    return SB_MAY_BE_NUMBER;
  case SB_KIND_BOOL:
    return SB_MAY_BE_TRUTH;
  case SB_KIND_SELECTION:
    return SB_MAY_BE_NUMBER | SB_MAY_BE_WORD;
  default:
    return SB_MAY_BE_WORD;
  }
}

static void add_results(sb_rows *rows, const sb_driver *driver)
{
  static const unsigned kinds[] = {
      [SB_COLUMN_NUMBER] = SB_MAY_BE_NUMBER, [SB_COLUMN_WORD] = SB_MAY_BE_WORD, [SB_COLUMN_TRUTH] = SB_MAY_BE_TRUTH};
  for (size_t i = 0; i < COMMON_COUNT; ++i) sb_rows_add_unknown(rows, common_columns[i].name, common_columns[i].may_be);
  for (size_t i = 0; driver && i < driver->column_count; ++i)
    sb_rows_add_unknown(rows, driver->columns[i].name, kinds[driver->columns[i].kind]);
}

static const sb_driver *driver_of(const sb_session *session, const char *name)
{
  return session->drivers && name ? sb_driver_find(session->drivers, name) : NULL;
}

sb_check *sb_check_create(const sb_session *session, const sb_sweep *sweep, const char *driver, bool planned,
                          sb_arena *arena)
{
  sb_check *c = sb_arena_take(arena, 1, sizeof *c);
  *c = (sb_check){session->vocabulary, sweep, driver_of(session, driver), planned, sb_rows_create(arena)};
  for (int i = 0; i < SB_OPT_COUNT; ++i)
    sb_rows_add_unknown(c->rows, sb_option_at((sb_option_id)i)->name, kind_of_option((sb_option_id)i));
  sb_rows_add_unknown(c->rows, "method", SB_MAY_BE_WORD);
  if (!planned) add_results(c->rows, c->driver);
  sb_rows_add_row(c->rows);
  return c;
}

bool sb_check_is_open(const sb_check *check) { return !check->driver && !check->planned; }

bool sb_check_knows_later(const sb_check *check, const char *name)
{
  for (size_t i = 0; check->planned && i < COMMON_COUNT; ++i)
    if (strcmp(name, common_columns[i].name) == 0) return true;
  for (size_t i = 0; check->planned && check->driver && i < check->driver->column_count; ++i)
    if (strcmp(name, check->driver->columns[i].name) == 0) return true;
  return false;
}

const char *sb_check_noun(const sb_check *check) { return check->planned ? "unknown option" : "unknown column"; }

/* The word that a part stands for by itself, NULL where it stands for something else. */
static const char *literal(const sb_evaluation *e, const sb_node *node)
{
  const bool plain = !sb_check_is_open(e->check) && sb_evaluation_is_plain(e, node);
  return node->kind == SB_NODE_STRING || plain ? node->word : NULL;
}

static bool is_status(const char *word, char **near)
{
  const char *names[SB_STATUS_COUNT];
  sb_status   status;
  if (sb_status_from_name(word, &status)) return true;
  for (int i = 0; i < SB_STATUS_COUNT; ++i) names[i] = sb_status_name((sb_status)i);
  const char *name = sb_nearest_name(word, names, SB_STATUS_COUNT);
  *near = name ? sb_copy_text(name) : NULL;
  return false;
}

static bool is_method(const sb_sweep *sweep, const char *word, char **near)
{
  if (!sweep || sb_sweep_method(sweep, word)) return true;
  const char *name = sb_sweep_method_nearest(sweep, word);
  *near = name ? sb_copy_text(name) : NULL;
  return false;
}

/* Tells whether a column can have that value; *near (malloc'ed) is one that it can have. */
static bool can_be(const sb_check *c, const char *column, const char *word, char **near)
{
  if (strcmp(column, "status") == 0) return is_status(word, near);
  if (strcmp(column, "method") == 0) return is_method(c->sweep, word, near);
  const sb_option_id id = sb_option_find(column);
  if (id == SB_OPT_COUNT) return true;
  if (sb_option_at(id)->kind == SB_KIND_BOOL) return strcmp(word, "true") == 0 || strcmp(word, "false") == 0;
  return sb_option_may_be(id, c->vocabulary, word, near);
}

void sb_check_word(sb_evaluation *e, const char *column, const sb_node *node)
{
  const char *word = literal(e, node);
  char       *near = NULL;
  if (!word || can_be(e->check, column, word, &near)) return;
  sb_evaluation_fails(e, node, "E106", near ? "%s has no value '%s'; did you mean '%s'?" : "%s has no value '%s'",
                      column, word, near);
  free(near);
}

static void refuse_plain(sb_evaluation *e, const sb_node *node)
{
  sb_evaluation_no_column(e, node, e->scope->rows, node->word);
}

void sb_check_comparison(sb_evaluation *e, const sb_node *left, sb_comparison comparison, const sb_node *right)
{
  const bool of_left = (left->kind == SB_NODE_NAME && !literal(e, left)) || left->kind == SB_NODE_SELECT;
  const bool of_right = (right->kind == SB_NODE_NAME && !literal(e, right)) || right->kind == SB_NODE_SELECT;
  const bool equality = comparison == SB_EQUAL || comparison == SB_UNEQUAL;
  if (right->kind == SB_NODE_LIST) {
    if (literal(e, left) && left->kind == SB_NODE_NAME) refuse_plain(e, left);
    for (size_t i = 0; of_left && i < right->count; ++i) sb_check_word(e, left->word, right->parts[i]);
  } else if (equality && of_left) {
    sb_check_word(e, left->word, right);
  } else if (equality && of_right) {
    sb_check_word(e, right->word, left);
  } else if (literal(e, left) && (literal(e, right) || !equality)) {
    if (left->kind == SB_NODE_NAME || right->kind == SB_NODE_NAME)
      refuse_plain(e, left->kind == SB_NODE_NAME ? left : right);
  }
}

void sb_expression_check(const sb_expression *expression, const sb_check *check, bool clause,
                         sb_diagnostics *diagnostics)
{
  const sb_scope scope = {.rows = check->rows};
  sb_evaluation  e = {.expression = expression, .scope = &scope, .diagnostics = diagnostics, .check = check};
  sb_evaluation_begin_claim(&e);
  e.told = sb_arena_take(expression->arena, expression->nodes, sizeof *e.told);
  if (clause)
    sb_evaluate_truth(&e, expression->root, 0);
  else if (expression->root->kind == SB_NODE_NAME && literal(&e, expression->root))
    refuse_plain(&e, expression->root);
  else
    sb_evaluate(&e, expression->root, 0);
  sb_evaluation_end(&e);
}

typedef enum { NOT_TAKEN, TAKEN, PERHAPS } taken;

/* The check of a whole sweep: its planned rows, and memory as long as it takes. */
typedef struct {
  sb_check        check;
  sb_scope        scope;
  size_t          count; /* of rows */
  sb_diagnostics *diagnostics;
} work;

static sb_evaluation begin(const work *w, const sb_expression *expression, sb_diagnostics *diagnostics)
{
  return (sb_evaluation){.expression = expression,
                         .scope = &w->scope,
                         .diagnostics = diagnostics,
                         .check = &w->check,
                         .told = sb_arena_take(w->scope.arena, expression->nodes, sizeof(bool))};
}

/* The rows that a clause takes, or perhaps takes; all of them where it is NULL. NULL after a message: it takes none. */
static const taken *rows_taken(const work *w, const sb_expression *where)
{
  taken *rows = sb_arena_take(w->scope.arena, w->count, sizeof *rows);
  size_t count = 0;
  for (size_t i = 0; i < w->count; ++i) {
    rows[i] = TAKEN;
    if (where) {
      sb_evaluation  e = begin(w, where, w->diagnostics);
      const sb_value truth = sb_evaluate_truth(&e, where->root, i);
      if (e.failed) return NULL;
      rows[i] = truth.kind == SB_UNKNOWN ? PERHAPS : truth.truth ? TAKEN : NOT_TAKEN;
    }
    count += rows[i] != NOT_TAKEN;
  }
  if (count > 0 || w->count == 0) return rows;
  sb_error_at(w->diagnostics, where->where, "E106", "'%.80s' takes none of the sweep's %zu cases", where->text,
              w->count);
  return NULL;
}

/* A cell may have no answer in some rows; one that has none in any is a mistake. */
static void check_cell(const work *w, const taken *rows, const sb_expression *cell)
{
  sb_diagnostics *absent = sb_diagnostics_create();
  size_t          missing = 0, count = 0;
  for (size_t i = 0; cell && rows && i < w->count; ++i) {
    if (rows[i] == NOT_TAKEN) continue;
    sb_diagnostics *own = sb_diagnostics_create();
    sb_evaluation   e = begin(w, cell, own);
    sb_evaluate(&e, cell->root, i);
    ++count;
    missing += e.failed && e.absent;
    if (e.failed) sb_diagnostics_join(e.absent ? absent : w->diagnostics, own);
    sb_diagnostics_destroy(&own);
    if (e.failed && !e.absent) break;
  }
  if (missing > 0 && missing == count) sb_diagnostics_join(w->diagnostics, absent);
  sb_diagnostics_destroy(&absent);
}

static void check_claim(const work *w, const taken *rows, const sb_expression *test)
{
  if (!rows || !test) return;
  bool    *selected = sb_arena_take(w->scope.arena, w->count, sizeof *selected);
  bool    *unsure = sb_arena_take(w->scope.arena, w->count, sizeof *unsure);
  sb_scope scope = w->scope;
  scope.selected = selected;
  for (size_t i = 0; i < w->count; ++i) {
    selected[i] = rows[i] != NOT_TAKEN;
    unsure[i] = rows[i] == PERHAPS;
  }
  sb_evaluation e = begin(w, test, w->diagnostics);
  e.scope = &scope;
  e.unsure = unsure;
  sb_evaluation_begin_claim(&e);
  for (size_t i = 0; i < e.count && !e.failed; ++i) sb_evaluate_truth(&e, test->root, e.rows[i]);
  sb_evaluation_end(&e);
}

/* The rows of a plan: what is known of them now. */
static sb_rows *planned_rows(const sb_plan *plan, const sb_driver *driver, sb_arena *arena)
{
  sb_rows *rows = sb_rows_create(arena);
  sb_rows_add_column(rows, "method", "", true, false);
  for (size_t a = 0; a < plan->axis_count; ++a) sb_rows_add_column(rows, plan->axes[a], "", true, false);
  for (size_t i = 0; i < plan->count; ++i) {
    sb_rows_add_row(rows);
    for (size_t a = 0; a < sb_rows_column_count(rows); ++a)
      sb_rows_set(rows, i, a, sb_case_value(&plan->cases[i], sb_rows_column_at(rows, a)->name));
  }
  add_results(rows, driver);
  return rows;
}

static bool check_all(const sb_sweep *sweep, const sb_plan *plan, const sb_session *session)
{
  const size_t     before = sb_diagnostics_errors(session->diagnostics);
  sb_arena        *arena = sb_arena_create();
  char            *published = sb_data_directory("results/published");
  const sb_driver *driver = driver_of(session, sweep->driver);
  sb_rows         *rows = planned_rows(plan, driver, arena);
  const work       w = {.check = {session->vocabulary, sweep, driver, false, rows},
                        .scope = {.rows = rows, .published_dir = published, .arena = arena},
                        .count = plan->count,
                        .diagnostics = session->diagnostics};
  for (size_t i = 0; i < sweep->table_count; ++i) {
    const sb_table_spec *table = &sweep->tables[i];
    const taken         *of_table = rows_taken(&w, table->where);
    check_cell(&w, of_table, table->cell.value);
    for (size_t k = 0; k < table->column_count; ++k) check_cell(&w, of_table, table->columns[k].value);
  }
  for (size_t i = 0; i < sweep->figure_count; ++i) rows_taken(&w, sweep->figures[i].where);
  for (size_t i = 0; i < sweep->claim_count; ++i)
    check_claim(&w, rows_taken(&w, sweep->claims[i].where), sweep->claims[i].test);
  free(published);
  sb_arena_destroy(&arena);
  return sb_diagnostics_errors(session->diagnostics) == before;
}

bool sb_sweep_check_expressions(const sb_sweep *sweep, const sb_plan *plan, const sb_session *session)
{
  if (plan) return check_all(sweep, plan, session);
  sb_session own = sb_session_begin(session->vocabulary, session->drivers);
  plan = sb_plan_create(sweep, NULL, &own);
  const bool good = !plan || check_all(sweep, plan, session);
  sb_session_end(&own, NULL);
  return good;
}
