/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The incremental potential and passes by colours as launches; see on_device.h. */
#include "solvers/minimize/on_device.h"

#include <string.h>

#include "model/system/external.h"
#include "model/system/flops.h"
#include "solvers/minimize/device_vector.h"

/* Blocks of vertices whose determinant is below this part of its terms are singular; as sb_add_solution, and in single
 * precision above the rounding of a determinant. */
#define SINGULAR        1e-14
#define SINGULAR_SINGLE 1e-6

bool sb_minimizer_has_device(const sb_options *options)
{
  return sb_options_read(options, SB_ID(device)) && !SB_IS(options, device, "none");
}

/* ---- opening ---- */

static PetscErrorCode create_arrays(sb_on_device *on, const sb_system *system, double h_seconds)
{
  const sb_springs   *springs = &system->springs;
  const sb_device_net net = {
      .vertices = (int)system->owned,
      .springs = springs->count,
      .first = springs->first,
      .second = springs->second,
      .stiffness = springs->stiffness,
      .rest_length = springs->rest_length,
      .gravity = {system->gravity[0], system->gravity[1], system->gravity[2]},
      .h_seconds = h_seconds,
      .factor = 1,
      .drag = system->drag,
      .damping = system->spring_damping,
  };
  double *mass;
  int    *unknowns;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(system->owned + 1, &mass, system->owned_unknown + 1, &unknowns));
  for (PetscInt i = 0; i < system->owned; ++i) mass[i] = system->pinned[i] ? 0 : system->mass[i];
  for (PetscInt f = 0; f < system->owned_unknown; ++f) unknowns[f] = (int)system->unknown_vertex[f];
  on->vertices = (int)system->owned;
  on->unknown = (int)system->owned_unknown;
  on->entries = on->unknown;
  for (int n = 0; n < springs->count; ++n)
    on->entries += system->pinned[springs->first[n]] || system->pinned[springs->second[n]] ? 0 : 2;
  sb_device_arrays_create(on->device, &net, &on->net);
  on->mass = sb_device_reals(on->device, mass, (size_t)system->owned);
  on->unknowns = sb_device_integers(on->device, unknowns, (size_t)system->owned_unknown);
  on->nothing = sb_device_allocate(on->device, 0);
  for (int k = 0; k < 2; ++k) on->sums[k] = sb_device_allocate(on->device, SB_ITEMS * sizeof(double));
  PetscCall(PetscFree2(mass, unknowns));
  PetscCall(sb_on_device_check(on));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_on_device_open(sb_system *system, const sb_options *options, double h_seconds, sb_on_device **device)
{
  sb_on_device *on;
  char          why[SB_DEVICE_WHY];

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&on));
  on->references = 1;
  on->device = sb_device_open_for_nets(SB_TEXT(options, device), SB_IS(options, precision, "single"), why);
  if (!on->device) PetscCall(PetscFree(on));
  PetscCheck(on, PETSC_COMM_SELF, PETSC_ERR_USER, "device=%s: %s", SB_TEXT(options, device), why);
  *device = on;
  sb_device_set_threads(on->device, (int)SB_INTEGER(options, threads));
  PetscCall(create_arrays(on, system, h_seconds));
  PetscCall(sb_device_vector_create(on, system->comm, 3 * system->owned, &on->full));
  PetscCall(sb_device_vector_create(on, system->comm, 3 * system->owned_unknown, &on->unknown_vec));
  PetscFunctionReturn(0);
}

static PetscErrorCode move_unknowns(const sb_system *system, sb_move move, double alpha, Vec from, Vec to, bool *moved)
{
  sb_on_device *on = sb_vec_device(from);
  sb_launch     launch = {.kind = move == SB_MOVE_ADD ? GIVE_ADDED : GIVE_SET, .alpha = alpha};

  PetscFunctionBeginUser;
  (void)system;
  *moved = on && on == sb_vec_device(to);
  if (!*moved) PetscFunctionReturn(0);
  launch.index = on->unknowns;
  PetscCall(sb_device_vector_read(on, from, &launch.a));
  PetscCall(sb_device_vector_change(on, to, &launch.y));
  sb_on_device_launch(on, move == SB_MOVE_TAKE ? SB_NET_take_unknowns : SB_NET_give_unknowns, on->unknown, &launch);
  PetscFunctionReturn(0);
}

static void swap(Vec *a, Vec *b)
{
  const Vec c = *a;
  *a = *b;
  *b = c;
}

PetscErrorCode sb_on_device_enter(sb_on_device *device, sb_system *system)
{
  PetscFunctionBeginUser;
  if (!device) PetscFunctionReturn(0);
  system->move_unknowns = move_unknowns;
  swap(&system->full_template, &device->full);
  swap(&system->unknown_template, &device->unknown_vec);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_on_device_leave(sb_on_device *device, sb_system *system)
{
  PetscFunctionBeginUser;
  if (!device) PetscFunctionReturn(0);
  swap(&system->full_template, &device->full);
  swap(&system->unknown_template, &device->unknown_vec);
  sb_device_finish(device->device); /* else the time until a later finish counts as that of kernels */
  PetscFunctionReturn(0);
}

/* ---- the potential ---- */

PetscErrorCode sb_on_device_set_state(sb_potential *potential, Vec x, Vec v)
{
  const sb_system *system = potential->system;
  sb_on_device    *on = sb_vec_device(x);
  sb_launch        launch = {.kind = sb_system_is_damped(system) ? PREDICT_DAMPED
                                     : system->drag == 0         ? PREDICT_FALLING
                                                                 : PREDICT_DRAGGED};

  PetscFunctionBeginUser;
  PetscCall(sb_device_vector_read(on, x, &launch.a));
  if (launch.kind == PREDICT_DAMPED) { /* dampers find pins at rest, also where rounding has moved them */
    PetscCall(sb_device_vector_change(on, v, &launch.y));
    sb_on_device_launch(on, SB_NET_rest_pins, on->vertices, &launch);
  }
  PetscCall(sb_device_vector_read(on, v, &launch.b));
  PetscCall(sb_device_vector_write(on, potential->y, &launch.y));
  PetscCall(sb_device_vector_write(on, potential->coast, &launch.w));
  sb_on_device_launch(on, SB_NET_predict, on->vertices, &launch);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_on_device_gradient(const sb_potential *potential, Vec z, Vec gradient)
{
  sb_on_device *on = sb_vec_device(z);
  sb_launch     launch = {.index = on->unknowns};

  PetscFunctionBeginUser;
  PetscCall(sb_device_vector_read(on, z, &launch.a));
  PetscCall(sb_device_vector_read(on, potential->y, &launch.b));
  PetscCall(sb_device_vector_write(on, gradient, &launch.y));
  sb_on_device_launch(on, SB_NET_gradient, on->unknown, &launch);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_on_device_value(const sb_potential *potential, Vec z, double *value)
{
  sb_on_device *on = sb_vec_device(z);
  sb_launch     launch = {.kind = 0};

  PetscFunctionBeginUser;
  PetscCall(sb_device_vector_read(on, z, &launch.a));
  PetscCall(sb_device_vector_read(on, potential->y, &launch.b));
  *value = sb_on_device_total(on, SB_NET_value, on->vertices, launch);
  PetscCall(sb_on_device_check(on));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_on_device_curvature(const sb_potential *potential, sb_curvature kind, Vec z, Vec direction,
                                      double *curvature)
{
  sb_on_device *on = sb_vec_device(z);
  sb_launch     launch = {.kind = kind == SB_CURVATURE_MAJORANT ? CURVATURE_MAJORANT : CURVATURE_PROJECTED};

  PetscFunctionBeginUser;
  (void)potential;
  PetscCall(sb_device_vector_read(on, z, &launch.a));
  PetscCall(sb_device_vector_read(on, direction, &launch.b));
  *curvature = sb_on_device_total(on, SB_NET_curvature, on->vertices, launch);
  PetscCall(sb_on_device_check(on));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_on_device_solve_blocks(Vec z, Vec in, Vec out)
{
  sb_on_device *on = sb_vec_device(z);
  sb_launch     launch = {.index = on->unknowns};

  PetscFunctionBeginUser;
  PetscCall(sb_device_vector_read(on, z, &launch.a));
  PetscCall(sb_device_vector_read(on, in, &launch.b));
  PetscCall(sb_device_vector_write(on, out, &launch.y));
  sb_on_device_launch(on, SB_NET_solve_blocks, on->unknown, &launch);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_on_device_advance(const sb_potential *potential, double negative, Vec z, sb_cg_turn turn,
                                    const sb_cg_vectors *cg, double *curvature)
{
  const sb_system *system = potential->system;
  sb_on_device    *on = sb_vec_device(z);
  const sb_flops   flops = SB_FLOPS_COEFFICIENTS; /* computed again in each product */
  sb_launch        launch = {.alpha = turn.alpha, .beta = turn.beta};

  PetscFunctionBeginUser;
  PetscCall(sb_device_vector_read(on, cg->scaled, &launch.a));
  PetscCall(sb_device_vector_change(on, cg->out, &launch.y));
  PetscCall(sb_device_vector_change(on, cg->direction, &launch.w));
  sb_on_device_launch(on, SB_NET_turn, 3 * on->vertices, &launch);
  launch = (sb_launch){.index = on->unknowns, .b = launch.w, .alpha = negative};
  PetscCall(sb_device_vector_read(on, z, &launch.a));
  PetscCall(sb_device_vector_change(on, cg->product, &launch.y));
  sb_on_device_launch(on, SB_NET_product, on->unknown, &launch);
  launch = (sb_launch){.kind = SUM_PRODUCTS, .count = 3 * on->vertices, .a = launch.b, .b = launch.y};
  *curvature = sb_on_device_total(on, SB_NET_sum, launch.count, launch);
  PetscCall(sb_on_device_check(on));
  PetscCall(sb_log_pass(system, SB_OPERATION_PRODUCT, SB_FLOPS_PRODUCT));
  PetscCall(PetscLogFlops(flops.spring * system->springs.count + flops.vertex * (double)system->owned));
  PetscFunctionReturn(0);
}

/* change = D^-1 (b - W x) */
static PetscErrorCode find_change(const sb_system *system, const sb_relaxation_work *work, Vec b, Vec x)
{
  sb_on_device *on = sb_vec_device(x);
  sb_launch     launch = {.index = on->unknowns};

  PetscFunctionBeginUser;
  PetscCall(sb_system_set_unknowns(system, x, work->full));
  PetscCall(sb_device_vector_read(on, x, &launch.a));
  PetscCall(sb_device_vector_read(on, b, &launch.b));
  PetscCall(sb_device_vector_read(on, work->full, &launch.c));
  PetscCall(sb_device_vector_write(on, work->change, &launch.y));
  sb_on_device_launch(on, SB_NET_relax, on->unknown, &launch);
  PetscCall(PetscLogFlops(6 * on->entries + 3.0 * on->unknown)); /* the product with three columns, and D^-1 */
  PetscFunctionReturn(0);
}

PetscErrorCode sb_on_device_relax(const sb_system *system, const sb_relaxation *relaxation,
                                  const sb_relaxation_work *work, Vec b, Vec x)
{
  const double theta = relaxation->theta, delta = relaxation->delta;
  double       rho = delta / theta;

  PetscFunctionBeginUser;
  PetscCall(VecZeroEntries(x));
  for (PetscInt k = 0; k < relaxation->iterations; ++k) {
    PetscCall(find_change(system, work, b, x));
    if (delta == 0) {
      PetscCall(VecAXPY(x, relaxation->omega, work->change));
      continue;
    }
    const double next = 1 / (2 * theta / delta - rho);
    PetscCall(VecAXPBY(work->step, k == 0 ? 1 / theta : 2 * next / delta, k == 0 ? 0 : next * rho, work->change));
    if (k > 0) rho = next;
    PetscCall(VecAXPY(x, 1, work->step));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode sb_on_device_move(Vec z, double factor, const double center[3], double limit, Vec x, Vec v, bool *near)
{
  static const int none[2] = {-1, -1};
  sb_on_device    *on = sb_vec_device(z);
  sb_launch        launch = {.alpha = factor};
  int              left[2];

  PetscFunctionBeginUser;
  sb_device_set_bounds(on->device, &on->net, center, limit);
  PetscCall(sb_device_vector_read(on, z, &launch.a));
  PetscCall(sb_device_vector_change(on, x, &launch.y));
  PetscCall(sb_device_vector_write(on, v, &launch.w));
  sb_on_device_launch(on, SB_NET_move, on->vertices, &launch);
  sb_device_get(on->device, on->net.left, left, sizeof left);
  PetscCall(sb_on_device_check(on));
  *near = left[0] < 0;
  if (!*near) sb_device_put(on->device, on->net.left, none, sizeof none);
  PetscFunctionReturn(0);
}

/* ---- passes by colours ---- */

PetscErrorCode sb_device_pass_create(sb_on_device *device, PetscInt count, const PetscInt *index, PetscInt visits,
                                     const double *number, sb_device_pass *pass)
{
  int *copy;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(count + 1, &copy));
  for (PetscInt i = 0; i < count; ++i) copy[i] = (int)index[i];
  pass->index = sb_device_integers(device->device, copy, (size_t)count);
  PetscCall(PetscFree(copy));
  if (number) pass->number = sb_device_reals(device->device, number, 4 * (size_t)visits);
  if (number) pass->memory = sb_device_allocate(device->device, (size_t)visits * sb_device_real_bytes(device->device));
  PetscCall(sb_on_device_check(device));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_device_pass_destroy(sb_on_device *device, sb_device_pass *pass)
{
  sb_device_release(device->device, &pass->index);
  sb_device_release(device->device, &pass->number);
  sb_device_release(device->device, &pass->memory);
  return 0;
}

PetscErrorCode sb_device_pass_forget(sb_on_device *device, PetscInt visits, sb_device_pass *pass)
{
  sb_on_device_launch(device, SB_NET_fill, (int)visits, &(sb_launch){.y = pass->memory, .kind = FILL_ALL});
  return 0;
}

static PetscErrorCode visit(const sb_device_pass *pass, int kernel, sb_launch launch, Vec z)
{
  sb_on_device *on = sb_vec_device(z);

  PetscFunctionBeginUser;
  launch.index = pass->index;
  launch.c = pass->number;
  launch.w = pass->memory;
  PetscCall(sb_device_vector_change(on, z, &launch.y));
  for (PetscInt c = 0; c < pass->colours; ++c) {
    launch.first = (int)pass->start[c];
    sb_on_device_launch(on, kernel, (int)(pass->start[c + 1] - pass->start[c]), &launch);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode sb_on_device_visit_vertices(const sb_device_pass *pass, int kind, double part, Vec place, Vec z)
{
  const bool single = sb_device_is_single(sb_vec_device(z)->device);
  sb_launch  launch = {.kind = kind, .alpha = part, .beta = single ? SINGULAR_SINGLE : SINGULAR};

  PetscFunctionBeginUser;
  PetscCall(sb_device_vector_read(sb_vec_device(z), place, &launch.a));
  PetscCall(visit(pass, SB_NET_visit_vertex, launch, z));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_on_device_visit_springs(const sb_device_pass *pass, Vec z)
{
  return visit(pass, SB_NET_visit_spring, (sb_launch){.kind = 0}, z);
}
