/* Plans put together; see plan.h. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/sweep/plan.h"
#include "harness/sweep/plan_columns.h"

static int compare_cases(const void *a, const void *b)
{
  return strcmp((*(const sb_planned_case *const *)a)->key, (*(const sb_planned_case *const *)b)->key);
}

/* The cases by key; malloc'ed. */
static const sb_planned_case **sort_cases(const sb_plan *plan)
{
  const sb_planned_case **sorted = sb_allocate(plan->count, sizeof *sorted);
  for (size_t i = 0; i < plan->count; ++i) sorted[i] = &plan->cases[i];
  qsort(sorted, plan->count, sizeof *sorted, compare_cases);
  return sorted;
}

/* Moves to `into` every case of `from` that is not there, and the columns. */
static size_t take_missing(sb_plan *into, sb_plan *from, bool move)
{
  const sb_planned_case **sorted = sort_cases(into);
  const size_t            before = into->count;
  size_t                  missing = 0;
  sb_planned_case        *extra = sb_allocate(from->count, sizeof *extra);
  for (size_t i = 0; i < from->count; ++i) {
    const sb_planned_case *wanted = &from->cases[i];
    if (bsearch(&wanted, sorted, before, sizeof *sorted, compare_cases)) continue;
    extra[missing++] = *wanted;
    if (move) from->cases[i] = (sb_planned_case){0};
  }
  free(sorted);
  if (move && missing > 0) {
    sb_planned_case *cases = sb_allocate(before + missing, sizeof *cases);
    memcpy(cases, into->cases, before * sizeof *cases);
    memcpy(cases + before, extra, missing * sizeof *cases);
    free(into->cases);
    into->cases = cases;
    into->count = before + missing;
  }
  free(extra);
  return missing;
}

sb_plan *sb_plan_join(sb_plan **stored, sb_plan **asked)
{
  const bool all_there =
      *stored && take_missing(*stored, *asked, false) == 0 && take_missing(*asked, *stored, false) > 0;
  sb_plan   *joined = all_there ? *stored : *asked, *other = all_there ? *asked : *stored;
  if (other) take_missing(joined, other, true);
  for (size_t i = 0; other && i < other->axis_count; ++i) sb_plan_add_column(joined, other->axes[i]);
  sb_plan_destroy(&other);
  *stored = *asked = NULL;
  return joined;
}

typedef struct {
  sb_planned_case planned;
  size_t          made, listed; /* places: in what the sweep makes, and as it came */
} placed_case;

static int compare_places(const void *a, const void *b)
{
  const placed_case *x = a, *y = b;
  if (x->made != y->made) return x->made < y->made ? -1 : 1;
  return (x->listed > y->listed) - (x->listed < y->listed);
}

static json_t *places_of(const sb_plan *plan)
{
  json_t *places = json_object();
  for (size_t i = 0; i < plan->count; ++i)
    json_object_set_new(places, plan->cases[i].key, json_integer((json_int_t)i));
  return places;
}

void sb_plan_follow(sb_plan *plan, sb_plan *full)
{
  json_t      *places = places_of(full);
  placed_case *cases = sb_allocate(plan->count + 1, sizeof *cases);
  for (size_t i = 0; i < plan->count; ++i) {
    const json_t *place = json_object_get(places, plan->cases[i].key);
    cases[i] = (placed_case){plan->cases[i], place ? (size_t)json_integer_value(place) : (size_t)-1, i};
    if (!place) continue;
    cases[i].planned = full->cases[cases[i].made];
    full->cases[cases[i].made] = plan->cases[i]; /* destroyed with it */
  }
  qsort(cases, plan->count, sizeof *cases, compare_places);
  for (size_t i = 0; i < plan->count; ++i) plan->cases[i] = cases[i].planned;
  free(cases);
  json_decref(places);
}
