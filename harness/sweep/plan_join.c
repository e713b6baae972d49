/* Plans put together; see plan.h. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/sweep/plan.h"
#include "harness/sweep/plan_columns.h"

/* A case and its place in a plan, for looking it up by its key. */
typedef struct {
  const sb_planned_case *planned;
  size_t                 place;
} entry;

typedef struct {
  size_t count;
  entry *sorted; /* malloc'ed */
} lookup;

static int compare_entries(const void *a, const void *b)
{
  return strcmp(((const entry *)a)->planned->key, ((const entry *)b)->planned->key);
}

static lookup look_up(const sb_plan *plan)
{
  lookup l = {plan->count, sb_allocate(plan->count, sizeof *l.sorted)};
  for (size_t i = 0; i < plan->count; ++i) l.sorted[i] = (entry){&plan->cases[i], i};
  qsort(l.sorted, l.count, sizeof *l.sorted, compare_entries);
  return l;
}

static const entry *find(const lookup *l, const sb_planned_case *planned)
{
  const entry wanted = {planned, 0};
  return bsearch(&wanted, l->sorted, l->count, sizeof *l->sorted, compare_entries);
}

static sb_plan *empty_plan(size_t room, const sb_plan *columns, sb_arena *arena)
{
  sb_plan *plan = sb_arena_take(arena, 1, sizeof *plan);
  plan->arena = arena;
  plan->cases = sb_arena_take(arena, room, sizeof *plan->cases);
  for (size_t i = 0; i < columns->axis_count; ++i) sb_plan_add_column(plan, columns->axes[i]);
  return plan;
}

sb_plan *sb_plan_part(const sb_plan *plan, const bool *kept, sb_arena *arena)
{
  sb_plan *part = empty_plan(plan->count, plan, arena);
  for (size_t i = 0; i < plan->count; ++i)
    if (kept[i]) part->cases[part->count++] = plan->cases[i];
  return part;
}

static size_t count_missing(const sb_plan *in, const sb_plan *of)
{
  lookup l = look_up(in);
  size_t missing = 0;
  for (size_t i = 0; i < of->count; ++i) missing += !find(&l, &of->cases[i]);
  free(l.sorted);
  return missing;
}

sb_plan *sb_plan_join(const sb_plan *stored, const sb_plan *asked, sb_arena *arena)
{
  const bool     all_there = stored && count_missing(stored, asked) == 0 && count_missing(asked, stored) > 0;
  const sb_plan *first = all_there ? stored : asked, *second = all_there ? asked : stored;
  sb_plan       *joined = empty_plan(asked->count + (stored ? stored->count : 0), first, arena);
  lookup         l = look_up(first);
  for (size_t i = 0; i < first->count; ++i) joined->cases[joined->count++] = first->cases[i];
  for (size_t i = 0; second && i < second->count; ++i)
    if (!find(&l, &second->cases[i])) joined->cases[joined->count++] = second->cases[i];
  for (size_t i = 0; second && i < second->axis_count; ++i) sb_plan_add_column(joined, second->axes[i]);
  free(l.sorted);
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

void sb_plan_follow(sb_plan *plan, const sb_plan *full)
{
  lookup       l = look_up(full);
  placed_case *cases = sb_allocate(plan->count + 1, sizeof *cases);
  for (size_t i = 0; i < plan->count; ++i) {
    const entry *made = find(&l, &plan->cases[i]);
    cases[i] = (placed_case){made ? *made->planned : plan->cases[i], made ? made->place : (size_t)-1, i};
  }
  qsort(cases, plan->count, sizeof *cases, compare_places);
  for (size_t i = 0; i < plan->count; ++i) plan->cases[i] = cases[i].planned;
  free(cases);
  free(l.sorted);
}
