/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of a net; see incidence.h. */
#include "solvers/minimize/incidence.h"

#include "solvers/linear/colouring.h"

PetscErrorCode sb_incidence_create(const sb_system *system, sb_incidence *incidence)
{
  const sb_springs *springs = &system->springs;
  const PetscInt    entries = 2 * (PetscInt)springs->count, known = system->owned + system->ghosts;
  PetscInt         *next;

  PetscFunctionBeginUser;
  incidence->count = system->owned;
  PetscCall(PetscCalloc1(known + 1, &incidence->start));
  PetscCall(PetscMalloc4(entries, &incidence->spring, entries, &incidence->other, entries, &incidence->stiffness,
                         entries, &incidence->rest_length));
  for (int s = 0; s < springs->count; ++s) {
    incidence->start[springs->first[s] + 1]++;
    incidence->start[springs->second[s] + 1]++;
  }
  for (PetscInt i = 0; i < known; ++i) incidence->start[i + 1] += incidence->start[i];
  PetscCall(PetscMalloc1(known, &next));
  PetscCall(PetscArraycpy(next, incidence->start, known));
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

/* The items to colour: vertices, or springs. */
typedef struct {
  const sb_system    *system;
  const sb_incidence *incidence;
  bool                springs;
} items;

/* Writes the places among visits of an item's neighbours into `neighbour`, unless that is NULL; returns their number.
 * place: of each item, -1 if it is not visited. */
static PetscInt list_neighbours(const items *of, PetscInt item, const PetscInt *place, PetscInt *neighbour)
{
  const sb_incidence *n = of->incidence;
  const sb_springs   *springs = &of->system->springs;
  const PetscInt      ends[2] = {of->springs ? springs->first[item] : item, of->springs ? springs->second[item] : -1};
  PetscInt            count = 0;
  for (int end = 0; end < 2 && ends[end] >= 0; ++end) {
    if (of->system->pinned[ends[end]]) continue;
    for (PetscInt e = n->start[ends[end]]; e < n->start[ends[end] + 1]; ++e) {
      const PetscInt other = of->springs ? n->spring[e] : n->other[e];
      if (other == item || place[other] < 0) continue;
      if (neighbour) neighbour[count] = place[other];
      count++;
    }
  }
  return count;
}

/* visits->at, as numbered, is put in the order of colours. `all`: how many items there are. */
static PetscErrorCode colour_visits(const items *of, PetscInt all, sb_visits *visits)
{
  const PetscInt count = visits->count;
  PetscInt      *place, *start, *colour, *neighbour, *ordered, at = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(all, &place, count + 1, &start, count, &colour));
  for (PetscInt i = 0; i < all; ++i) place[i] = -1;
  for (PetscInt v = 0; v < count; ++v) place[visits->at[v]] = v;
  start[0] = 0;
  for (PetscInt v = 0; v < count; ++v) start[v + 1] = start[v] + list_neighbours(of, visits->at[v], place, NULL);
  PetscCall(PetscMalloc1(start[count], &neighbour));
  for (PetscInt v = 0; v < count; ++v) list_neighbours(of, visits->at[v], place, neighbour + start[v]);
  PetscCall(sb_colour_largest_first(&(sb_graph){count, start, neighbour}, colour, &visits->colours));
  PetscCall(PetscMalloc1(count, &ordered));
  PetscCall(PetscMalloc1(visits->colours + 1, &visits->start));
  for (PetscInt c = 0; c < visits->colours; ++c) {
    visits->start[c] = at;
    for (PetscInt v = 0; v < count; ++v)
      if (colour[v] == c) ordered[at++] = visits->at[v];
  }
  visits->start[visits->colours] = at;
  PetscCall(PetscFree(visits->at));
  visits->at = ordered;
  PetscCall(PetscFree(neighbour));
  PetscCall(PetscFree3(place, start, colour));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_visits_of_vertices(const sb_system *system, const sb_incidence *incidence, bool by_colours,
                                     sb_visits *visits)
{
  const items vertices = {system, incidence, false};

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
  const items       edges = {system, incidence, true};

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
  PetscCall(PetscFree(visits->start));
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
