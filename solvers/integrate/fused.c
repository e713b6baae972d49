/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data of fused steps in addition to the bands of a system; see fused.h. */
#include "solvers/integrate/fused.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "model/system/external.h"

static const sb_fused_kernels *const tables[] = SB_TABLES(sb_fused);

void sb_fused_choose(sb_fused *fused, sb_instruction_set set) { fused->kernels = tables[set]; }

/* The same on every rank. */
static PetscErrorCode is_plain(const sb_system *s, bool *plain)
{
  PetscFunctionBeginUser;
  *plain = s->bands && !s->law && !s->contact && !sb_system_has_external(s) && !sb_system_is_damped(s) &&
           !sb_system_moves_pins(s);
  if (s->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, plain, 1, MPI_C_BOOL, MPI_LAND, s->comm));
  PetscFunctionReturn(0);
}

/* The place of a coordinate among the arrays of positions of all ranks, by which its owner is found. */
typedef struct {
  PetscInt vertex, stride;
} share;

/* Positions are apart, so a ghost is three leaves, whose distance in the owner's array is the owner's stride. */
static PetscErrorCode create_exchange(const sb_system *s, PetscSF *exchange)
{
  const PetscInt stride = s->bands->stride, leaves = 3 * s->ghosts;
  const share    own = {s->first_vertex, stride};
  share         *shares;
  PetscInt      *leaf;
  PetscSFNode   *root;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(s->ranks, &shares));
  PetscCall(PetscMalloc1(leaves, &leaf));
  PetscCall(PetscMalloc1(leaves, &root));
  PetscCallMPI(MPI_Allgather(&own, 2, MPIU_INT, shares, 2, MPIU_INT, s->comm));
  for (PetscInt g = 0, rank = 0; g < s->ghosts; ++g) {
    while (rank + 1 < s->ranks && shares[rank + 1].vertex <= s->ghost_ids[g]) ++rank;
    for (PetscInt c = 0; c < 3; ++c) {
      leaf[3 * g + c] = c * stride + s->owned + g;
      root[3 * g + c] = (PetscSFNode){rank, c * shares[rank].stride + s->ghost_ids[g] - shares[rank].vertex};
    }
  }
  PetscCall(PetscSFCreate(s->comm, exchange));
  PetscCall(PetscSFSetGraph(*exchange, 3 * stride, leaves, leaf, PETSC_OWN_POINTER, root, PETSC_OWN_POINTER));
  PetscCall(PetscSFSetUp(*exchange));
  PetscCall(PetscFree(shares));
  PetscFunctionReturn(0);
}

static void fill(const sb_system *system, sb_fused_net *net)
{
  for (int i = 0; i < system->owned; ++i) {
    if (system->pinned[i]) continue;
    net->inverse_mass[i] = 1 / system->mass[i];
    for (int c = 0; c < 3; ++c) net->gravity[c * (long)net->bands->stride + i] = system->gravity[c];
  }
}

static bool is_chain(const sb_springs *springs)
{
  for (int s = 0; s < springs->count; ++s)
    if (springs->first[s] != s || springs->second[s] != s + 1) return false;
  return true;
}

static void fill_links(const sb_springs *springs, sb_fused_net *net, double *link)
{
  const int stride = net->bands->stride;
  net->link = link;
  for (int i = 0; i < stride; ++i) {
    link[i] = i < springs->count ? springs->stiffness[i] : NAN;
    link[stride + i] = i < springs->count ? springs->rest_length[i] : 0;
  }
}

/* The strides of memory: inverse masses, gravity, velocities, then the arrays that only some nets or methods have. */
enum { ALWAYS = 7, PREVIOUS = 3, LINK = 2, NEXT = 3 };

PetscErrorCode sb_fused_create(const sb_integrator_setup *setup, sb_fused_method method, sb_fused **fused)
{
  const sb_system *s = setup->system;
  bool             plain;

  PetscFunctionBeginUser;
  *fused = NULL;
  PetscCall(is_plain(s, &plain));
  if (!plain) PetscFunctionReturn(0);
  const bool   shared = s->bands->parts > 1 || s->ranks > 1, chain = s->ranks == 1 && is_chain(&s->springs);
  const size_t previous = method == SB_FUSED_STOERMER_VERLET ? PREVIOUS : 0, link = chain ? LINK : 0;
  const size_t stride = (size_t)s->bands->stride, next = ALWAYS + previous + link;
  const size_t bytes = (next + (shared ? NEXT : 0)) * stride * sizeof(double);
  double      *memory = sb_allocate_lines(bytes);
  PetscCheck(memory, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  memset(memory, 0, bytes);
  PetscCall(PetscNew(fused));
  (*fused)->net = (sb_fused_net){.bands = s->bands,
                                 .inverse_mass = memory,
                                 .gravity = memory + stride,
                                 .velocity = memory + 4 * stride,
                                 .previous = previous ? memory + ALWAYS * stride : NULL,
                                 .h_seconds = setup->h_seconds,
                                 .factor = setup->velocity_factor,
                                 .drag = s->drag};
  if (shared) {
    (*fused)->net.next = memory + next * stride;
    memcpy(memory + next * stride, s->bands->position, 3 * stride * sizeof(double)); /* strangers */
  }
  fill(s, &(*fused)->net);
  (*fused)->unchecked = SB_UNCHECKED_MAX;
  if (s->ranks > 1) PetscCall(create_exchange(s, &(*fused)->exchange));
  if (chain) fill_links(&s->springs, &(*fused)->net, memory + (ALWAYS + previous) * stride);
  sb_fused_choose(*fused, sb_instruction_set_best());
  PetscFunctionReturn(0);
}

PetscErrorCode sb_fused_pass(const sb_fused *fused, sb_fused_method method, int64_t steps, int64_t *left)
{
  const sb_fused_net *net = &fused->net;
  double             *x = net->bands->position, *next = net->next;

  PetscFunctionBeginUser;
  *left = steps;
  for (int64_t step = 0; step < steps; ++step) {
    PetscCall(PetscSFBcastBegin(fused->exchange, MPI_DOUBLE, x, x, MPI_REPLACE));
    const bool inner = fused->kernels->pass(net, method, true, x, next);
    PetscCall(PetscSFBcastEnd(fused->exchange, MPI_DOUBLE, x, x, MPI_REPLACE));
    const bool outer = fused->kernels->pass(net, method, false, x, next);
    if (*left == steps && !(inner && outer)) *left = step;
    double *const written = next;
    next = x;
    x = written;
  }
  if (x == net->next) memcpy(net->bands->position, x, 3 * (size_t)net->bands->stride * sizeof *x);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_fused_destroy(sb_fused **fused)
{
  PetscFunctionBeginUser;
  if (!*fused) PetscFunctionReturn(0);
  PetscCall(PetscSFDestroy(&(*fused)->exchange));
  free((*fused)->net.inverse_mass);
  PetscCall(PetscFree(*fused));
  PetscFunctionReturn(0);
}
