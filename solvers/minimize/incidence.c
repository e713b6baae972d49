/* The graph of a net; see incidence.h. */
#include "solvers/minimize/incidence.h"

#include <stdlib.h>

PetscErrorCode sb_incidence_create(const sb_system *system, sb_incidence *incidence)
{
  const sb_springs *springs = &system->springs;
  const PetscInt    entries = 2 * (PetscInt)springs->count;
  PetscInt         *next;

  PetscFunctionBeginUser;
  incidence->count = system->owned;
  PetscCall(PetscCalloc1(system->owned + 1, &incidence->start));
  PetscCall(PetscMalloc4(entries, &incidence->spring, entries, &incidence->other, entries, &incidence->stiffness,
                         entries, &incidence->rest_length));
  for (int s = 0; s < springs->count; ++s) {
    incidence->start[springs->first[s] + 1]++;
    incidence->start[springs->second[s] + 1]++;
  }
  for (PetscInt i = 0; i < system->owned; ++i) incidence->start[i + 1] += incidence->start[i];
  PetscCall(PetscMalloc1(system->owned, &next));
  PetscCall(PetscArraycpy(next, incidence->start, system->owned));
  for (int s = 0; s < springs->count; ++s)
    for (int end = 0; end < 2; ++end) {
      const PetscInt at = next[end ? springs->second[s] : springs->first[s]]++;
      incidence->spring[at] = s;
      incidence->other[at] = end ? springs->first[s] : springs->second[s];
      incidence->stiffness[at] = springs->stiffness[s];
      incidence->rest_length[at] = springs->rest_length[s];
    }
  PetscCall(PetscFree(next));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_incidence_destroy(sb_incidence *incidence)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(incidence->start));
  PetscCall(PetscFree4(incidence->spring, incidence->other, incidence->stiffness, incidence->rest_length));
  PetscFunctionReturn(0);
}

/* What is to be coloured: items with their neighbours' lists, by a function for each kind. */
typedef struct {
  const sb_system    *system;
  const sb_incidence *incidence;
  bool                springs; /* items are springs, else vertices */
} graph;

static PetscInt degree(const graph *g, PetscInt item)
{
  const PetscInt *start = g->incidence->start;
  if (!g->springs) return start[item + 1] - start[item];
  const PetscInt i = g->system->springs.first[item], j = g->system->springs.second[item];
  return start[i + 1] - start[i] + start[j + 1] - start[j];
}

/* used[c] = mark for every colour c of a neighbour. */
static void mark_colours(const graph *g, PetscInt item, const PetscInt *colour, PetscInt *used, PetscInt mark)
{
  const sb_incidence *n = g->incidence;
  const PetscInt      ends[2] = {g->springs ? g->system->springs.first[item] : item,
                            g->springs ? g->system->springs.second[item] : item};
  for (int end = 0; end < (g->springs ? 2 : 1); ++end) {
    if (g->springs && g->system->pinned[ends[end]]) continue;
    for (PetscInt e = n->start[ends[end]]; e < n->start[ends[end] + 1]; ++e) {
      const PetscInt c = colour[g->springs ? n->spring[e] : n->other[e]];
      if (c >= 0) used[c] = mark;
    }
  }
}

typedef struct {
  PetscInt key, item;
} keyed;

static int compare(const void *a, const void *b)
{
  const keyed *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->item < y->item ? -1 : x->item > y->item;
}

/* visits->at, as numbered, is put in the order of colours. `items`: how many there are to be numbered by. */
static PetscErrorCode colour_visits(const graph *g, PetscInt items, sb_visits *visits)
{
  const size_t count = (size_t)visits->count;
  PetscInt    *colour, *used, most = 0;
  keyed       *order;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(count, &order));
  for (size_t v = 0; v < count; ++v) {
    order[v] = (keyed){-degree(g, visits->at[v]), visits->at[v]};
    most = PetscMax(most, -order[v].key);
  }
  qsort(order, count, sizeof *order, compare);
  PetscCall(PetscMalloc2(items, &colour, most + 2, &used));
  for (PetscInt i = 0; i < items; ++i) colour[i] = -1;
  for (PetscInt c = 0; c < most + 2; ++c) used[c] = -1;
  for (size_t v = 0; v < count; ++v) {
    PetscInt c = 0;
    mark_colours(g, order[v].item, colour, used, (PetscInt)v);
    while (used[c] == (PetscInt)v) ++c;
    colour[order[v].item] = c;
    visits->colours = PetscMax(visits->colours, c + 1);
  }
  for (size_t v = 0; v < count; ++v) order[v].key = colour[order[v].item];
  qsort(order, count, sizeof *order, compare);
  for (size_t v = 0; v < count; ++v) visits->at[v] = order[v].item;
  PetscCall(PetscFree2(colour, used));
  PetscCall(PetscFree(order));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_visits_of_vertices(const sb_system *system, const sb_incidence *incidence, bool by_colours,
                                     sb_visits *visits)
{
  const graph vertices = {system, incidence, false};

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(system->owned, &visits->at));
  for (PetscInt i = 0; i < system->owned; ++i)
    if (!system->pinned[i]) visits->at[visits->count++] = i;
  if (by_colours) PetscCall(colour_visits(&vertices, system->owned, visits));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_visits_of_springs(const sb_system *system, const sb_incidence *incidence, bool by_colours,
                                    sb_visits *visits)
{
  const sb_springs *springs = &system->springs;
  const graph       edges = {system, incidence, true};

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(springs->count, &visits->at));
  for (int s = 0; s < springs->count; ++s)
    if (!system->pinned[springs->first[s]] || !system->pinned[springs->second[s]]) visits->at[visits->count++] = s;
  if (by_colours) PetscCall(colour_visits(&edges, springs->count, visits));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_visits_destroy(sb_visits *visits)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(visits->at));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_free_flight(const sb_potential *potential, Vec z, Vec place, bool *finite)
{
  const sb_system *system = potential->system;
  const double     square = potential->h_seconds * potential->h_seconds;
  const double    *load;
  double          *at;
  PetscReal        reach, present;

  PetscFunctionBeginUser;
  PetscCall(VecCopy(potential->y, place));
  if (potential->load) {
    PetscCall(VecGetArrayRead(potential->load, &load));
    PetscCall(VecGetArray(place, &at));
    for (PetscInt i = 0; i < system->owned; ++i)
      for (PetscInt c = 0; c < 3 && !system->pinned[i]; ++c)
        at[3 * i + c] += square / system->mass[i] * load[3 * i + c];
    PetscCall(VecRestoreArray(place, &at));
    PetscCall(VecRestoreArrayRead(potential->load, &load));
  }
  PetscCall(VecNorm(place, NORM_1, &reach));
  PetscCall(VecNorm(z, NORM_1, &present));
  *finite = !PetscIsInfOrNanReal(reach) && !PetscIsInfOrNanReal(present);
  PetscFunctionReturn(0);
}
