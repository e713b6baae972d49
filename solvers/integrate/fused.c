/* The data of fused steps besides the bands of a system; see fused.h. */
#include "solvers/integrate/fused.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/system/external.h"

static const sb_fused_kernels *const tables[] = SB_TABLES(sb_fused);

void sb_fused_choose(sb_fused *fused, sb_instruction_set set) { fused->kernels = tables[set]; }

static bool is_plain(const sb_system *s)
{
  return s->ranks == 1 && s->bands && !s->contact && !sb_system_has_external(s) && !sb_system_is_damped(s) &&
         !sb_system_moves_pins(s);
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

/* The strides of memory: inverse masses, gravity, velocities, then what only some nets or methods have. */
enum { ALWAYS = 7, PREVIOUS = 3, LINK = 2, NEXT = 3 };

PetscErrorCode sb_fused_create(const sb_integrator_setup *setup, sb_fused_method method, sb_fused **fused)
{
  const sb_system *s = setup->system;

  PetscFunctionBeginUser;
  *fused = NULL;
  if (!is_plain(s)) PetscFunctionReturn(0);
  const bool   shared = s->bands->parts > 1, chain = is_chain(&s->springs);
  const size_t previous = method == SB_FUSED_STOERMER_VERLET ? PREVIOUS : 0, link = chain ? LINK : 0;
  const size_t stride = (size_t)s->bands->stride, next = ALWAYS + previous + link;
  const size_t bytes = (next + (shared ? NEXT : 0)) * stride * sizeof(double);
  double      *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
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
  if (chain) fill_links(&s->springs, &(*fused)->net, memory + (ALWAYS + previous) * stride);
  sb_fused_choose(*fused, sb_instruction_set_best());
  PetscFunctionReturn(0);
}

PetscErrorCode sb_fused_destroy(sb_fused **fused)
{
  PetscFunctionBeginUser;
  if (!*fused) PetscFunctionReturn(0);
  free((*fused)->net.inverse_mass);
  PetscCall(PetscFree(*fused));
  PetscFunctionReturn(0);
}
