/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributing a pose: contiguous blocks of vertices, the springs that touch them, their ghosts, the unknowns. */
#include "model/system/check.h"
#include "model/system/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/system/pattern.h"

static bool owns(const sb_system *system, PetscInt vertex)
{
  return vertex >= system->first_vertex && vertex < system->first_vertex + system->owned;
}

static PetscErrorCode split_vertices(sb_system *system, const sb_pose *pose)
{
  const sb_slab slab = sb_pose_slab(pose);
  PetscFunctionBeginUser;
  PetscCheck(slab.vertices <= PETSC_MAX_INT / 3 && slab.springs <= PETSC_MAX_INT, system->comm,
             PETSC_ERR_ARG_OUTOFRANGE, "%zu vertices and %zu springs are too many for PETSc's 32-bit integers [E215]",
             slab.vertices, slab.springs);
  const sb_range own = sb_owned_vertices(slab.vertices, (size_t)system->rank, (size_t)system->ranks);
  system->vertices = (PetscInt)slab.vertices;
  system->springs_global = (PetscInt)slab.springs;
  system->first_vertex = (PetscInt)own.first;
  system->owned = (PetscInt)own.count;
  PetscFunctionReturn(0);
}

/* The vertices of a pose by their numbers in the net: v is in the pose's arrays at v - first. */
static PetscInt first_of(const sb_pose *pose) { return (PetscInt)pose->slab.first_vertex; }

static bool touches(const sb_system *system, const sb_pose *pose, size_t spring)
{
  const int32_t *end = pose->ends + 2 * spring;
  return owns(system, first_of(pose) + end[0]) || owns(system, first_of(pose) + end[1]);
}

/* Finds the springs that touch an owned vertex and, ascending, the ghosts they reach. local[v] becomes the local number
 * of every vertex of the pose that is known here, -1 elsewhere. */
static PetscErrorCode find_springs(sb_system *system, const sb_pose *pose, PetscInt *local)
{
  const PetscInt first = first_of(pose), count = (PetscInt)pose->vertices;
  PetscInt       kept = 0;
  PetscFunctionBeginUser;
  for (PetscInt v = 0; v < count; ++v) local[v] = owns(system, first + v) ? first + v - system->first_vertex : -1;
  for (size_t s = 0; s < pose->springs; ++s) {
    if (!touches(system, pose, s)) continue;
    ++kept;
    for (const int32_t *end = pose->ends + 2 * s; end < pose->ends + 2 * s + 2; ++end)
      if (!owns(system, first + *end)) local[*end] = 0;
  }
  for (PetscInt v = 0; v < count; ++v) system->ghosts += !owns(system, first + v) && local[v] == 0;
  PetscCall(PetscMalloc1(system->ghosts, &system->ghost_ids));
  for (PetscInt v = 0, g = 0; v < count; ++v) {
    if (owns(system, first + v) || local[v] != 0) continue;
    system->ghost_ids[g] = first + v;
    local[v] = system->owned + g++;
  }
  system->springs.count = kept;
  PetscFunctionReturn(0);
}

/* The constants of the springs that this rank has: the pose's own array if it has all of them. */
static PetscErrorCode take_constants(const sb_system *system, const sb_pose *pose, double **all, double **constants)
{
  const bool owns_all = (size_t)system->springs.count == pose->springs;
  PetscFunctionBeginUser;
  *constants = owns_all ? *all : malloc(((size_t)system->springs.count + 1) * sizeof **constants);
  PetscCheck(*constants || owns_all, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  if (!owns_all)
    for (PetscInt n = 0; n < system->springs.count; ++n)
      (*constants)[n] = (*all)[(size_t)system->spring_ids[n] - pose->slab.first_spring];
  if (!owns_all) free(*all);
  *all = NULL;
  PetscFunctionReturn(0);
}

/* Takes over the springs of the pose, which then has none. */
static PetscErrorCode take_springs(sb_system *system, sb_pose *pose, const PetscInt *local)
{
  sb_springs    *springs = &system->springs;
  const PetscInt count = springs->count;
  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(count, &springs->first, count, &springs->second, count, &springs->counted));
  if (system->ranks > 1) PetscCall(PetscMalloc1(count, &system->spring_ids));
  for (size_t s = 0, n = 0; s < pose->springs; ++s) {
    if (!touches(system, pose, s)) continue;
    springs->first[n] = local[pose->ends[2 * s]];
    springs->second[n] = local[pose->ends[2 * s + 1]];
    springs->counted[n] = springs->first[n] < system->owned;
    if (system->spring_ids) system->spring_ids[n] = (PetscInt)(pose->slab.first_spring + s);
    ++n;
  }
  free(pose->ends);
  free(pose->kind);
  pose->ends = NULL;
  pose->kind = NULL;
  PetscCall(take_constants(system, pose, &pose->stiffness, &springs->stiffness));
  PetscCall(take_constants(system, pose, &pose->rest_length, &springs->rest_length));
  for (int i = 0; i < SB_LAW_PARAMETERS; ++i)
    if (pose->parameter[i]) PetscCall(take_constants(system, pose, &pose->parameter[i], &springs->parameter[i]));
  PetscFunctionReturn(0);
}

static PetscInt global_of(const sb_system *system, PetscInt vertex)
{
  return vertex < system->owned ? system->first_vertex + vertex : system->ghost_ids[vertex - system->owned];
}

static bool is_unknown(const sb_system *system, const sb_pose *pose, PetscInt vertex)
{
  return system->pin_method != SB_PINS_REDUCE || !pose->pinned[vertex];
}

/* Masses are summed from rank to rank, in the order of vertices: the bits do not depend on the number of ranks. */
static PetscErrorCode sum_masses(sb_system *system)
{
  enum { TAG = 4101 };
  const PetscMPIInt last = system->ranks - 1;
  PetscFunctionBeginUser;
  if (system->rank > 0)
    PetscCallMPI(MPI_Recv(&system->mass_total, 1, MPI_DOUBLE, system->rank - 1, TAG, system->comm, MPI_STATUS_IGNORE));
  for (PetscInt i = 0; i < system->owned; ++i) system->mass_total += system->mass[i];
  if (system->rank < last)
    PetscCallMPI(MPI_Send(&system->mass_total, 1, MPI_DOUBLE, system->rank + 1, TAG, system->comm));
  if (last > 0) PetscCallMPI(MPI_Bcast(&system->mass_total, 1, MPI_DOUBLE, last, system->comm));
  PetscFunctionReturn(0);
}

/* before[v]: unknown vertices of the net before vertex v of the pose. */
static PetscErrorCode count_unknowns(sb_system *system, const sb_pose *pose, PetscInt *before)
{
  const PetscInt own = system->first_vertex - first_of(pose), count = (PetscInt)pose->vertices;
  PetscInt       seen = 0, in_slab = 0;
  PetscFunctionBeginUser;
  for (PetscInt v = 0; v < count; ++v) {
    if (v == own) in_slab = seen;
    before[v] = seen;
    seen += is_unknown(system, pose, v);
    if (v >= own && v < own + system->owned) system->owned_unknown += is_unknown(system, pose, v);
  }
  system->unknown_vertices = system->owned_unknown;
  if (system->ranks > 1) {
    PetscCallMPI(MPI_Exscan(&system->owned_unknown, &system->first_unknown, 1, MPIU_INT, MPI_SUM, system->comm));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &system->unknown_vertices, 1, MPIU_INT, MPI_SUM, system->comm));
  }
  if (system->rank == 0) system->first_unknown = 0; /* MPI_Exscan leaves it undefined */
  for (PetscInt v = 0; v < count; ++v) before[v] += system->first_unknown - in_slab;
  PetscFunctionReturn(0);
}

/* Masses, pins and numbers among the unknowns of the vertices known here. */
static PetscErrorCode number_unknowns(sb_system *system, const sb_pose *pose, PetscInt *before)
{
  const PetscInt known = system->owned + system->ghosts;
  PetscFunctionBeginUser;
  PetscCall(count_unknowns(system, pose, before));
  PetscCall(PetscMalloc3(known, &system->mass, known, &system->pinned, known, &system->unknown_id));
  PetscCall(PetscMalloc1(system->owned_unknown, &system->unknown_vertex));
  for (PetscInt i = 0, n = 0; i < known; ++i) {
    const PetscInt v = global_of(system, i) - first_of(pose);
    system->mass[i] = pose->mass[v];
    system->pinned[i] = pose->pinned[v];
    system->unknown_id[i] = is_unknown(system, pose, v) ? before[v] : -1;
    if (i < system->owned && system->unknown_id[i] >= 0) system->unknown_vertex[n++] = i;
  }
  PetscCall(sum_masses(system));
  PetscFunctionReturn(0);
}

static bool follows(const sb_system *system, PetscInt n)
{
  return n > 0 && system->unknown_vertex[n] == system->unknown_vertex[n - 1] + 1;
}

static PetscErrorCode find_runs(sb_system *system)
{
  PetscFunctionBeginUser;
  for (PetscInt n = 0; n < system->owned_unknown; ++n) system->runs += !follows(system, n);
  PetscCall(PetscMalloc1(system->runs, &system->run));
  for (PetscInt n = 0, r = -1; n < system->owned_unknown; ++n) {
    if (!follows(system, n)) system->run[++r] = (sb_unknown_run){system->unknown_vertex[n], n, 0};
    ++system->run[r].count;
  }
  PetscFunctionReturn(0);
}

/* True if spring s joins a free owned vertex to a pinned one that is not an unknown. */
static bool couples(const sb_system *system, PetscInt s)
{
  const PetscInt a = system->springs.first[s], b = system->springs.second[s];
  const bool     out = system->unknown_id[a] < 0;
  return out != (system->unknown_id[b] < 0) && (out ? b : a) < system->owned;
}

static PetscErrorCode find_couplings(sb_system *system)
{
  PetscFunctionBeginUser;
  for (PetscInt s = 0; s < system->springs.count; ++s) system->coupled += couples(system, s);
  PetscCall(PetscMalloc1(system->coupled, &system->coupled_spring));
  for (PetscInt s = 0, n = 0; s < system->springs.count; ++s)
    if (couples(system, s)) system->coupled_spring[n++] = s;
  PetscFunctionReturn(0);
}

static PetscErrorCode measure_box(sb_system *system, const sb_pose *pose)
{
  double end[6], square = 0.0; /* -x, -y, -z of the lowest corner, then of the highest */
  PetscFunctionBeginUser;
  for (int c = 0; c < 6; ++c) end[c] = -INFINITY;
  for (size_t i = 0; i < pose->vertices; ++i)
    for (size_t c = 0; c < 3; ++c) {
      end[c] = fmax(end[c], -pose->position[3 * i + c]);
      end[3 + c] = fmax(end[3 + c], pose->position[3 * i + c]);
    }
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, end, 6, MPI_DOUBLE, MPI_MAX, system->comm));
  for (int c = 0; c < 3; ++c) square += (end[3 + c] + end[c]) * (end[3 + c] + end[c]);
  system->diagonal = sqrt(square);
  PetscFunctionReturn(0);
}

/* Vecs are duplicates of these, which have no memory themselves. */
static PetscErrorCode create_templates(sb_system *system)
{
  PetscFunctionBeginUser;
  if (system->ranks > 1) {
    PetscCall(VecCreateGhostBlockWithArray(system->comm, 3, 3 * system->owned, PETSC_DECIDE, system->ghosts,
                                           system->ghost_ids, NULL, &system->full_template));
    PetscCall(VecCreateMPIWithArray(system->comm, 3, 3 * system->owned_unknown, 3 * system->unknown_vertices, NULL,
                                    &system->unknown_template));
  } else {
    PetscCall(VecCreateSeqWithArray(system->comm, 3, 3 * system->owned, NULL, &system->full_template));
    PetscCall(VecCreateSeqWithArray(system->comm, 3, 3 * system->owned_unknown, NULL, &system->unknown_template));
  }
  PetscFunctionReturn(0);
}

static void read_options(sb_system *system, const sb_options *options)
{
  system->pin_method = SB_IS(options, pin_method, "row_replace")        ? SB_PINS_ROW_REPLACE
                       : SB_IS(options, pin_method, "constraint_force") ? SB_PINS_CONSTRAINT_FORCE
                       : SB_IS(options, pin_method, "penalty")          ? SB_PINS_PENALTY
                                                                        : SB_PINS_REDUCE;
  system->pin_weight = SB_REAL(options, pin_weight);
  system->spring_damping = SB_HAS(options, spring_damping) ? SB_REAL(options, spring_damping) : 0.0;
  system->damping_in_step = SB_REAL(options, damping_in_step);
  system->drag = SB_HAS(options, drag) ? SB_REAL(options, drag) : 0.0;
  if (!SB_HAS(options, gravity)) return;
  for (int c = 0; c < 3; ++c) system->gravity[c] = SB_VECTOR(options, gravity)[c];
}

static PetscErrorCode list_pins(sb_system *system, const sb_pose *pose)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < system->owned; ++i) system->pinned_owned += system->pinned[i];
  PetscCall(
      PetscMalloc2(system->pinned_owned, &system->pin_vertex, 3 * (size_t)system->pinned_owned, &system->pin_rest));
  for (PetscInt i = 0, n = 0; i < system->owned; ++i) {
    if (!system->pinned[i]) continue;
    for (PetscInt c = 0; c < 3; ++c)
      system->pin_rest[3 * n + c] = pose->position[3 * (system->first_vertex - first_of(pose) + i) + c];
    system->pin_vertex[n++] = i;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare_pin_path(sb_system *system, const sb_options *options)
{
  size_t              count = 0;
  const sb_composite *value = SB_COMPOSITES(options, pin_path, &count);
  PetscFunctionBeginUser;
  if (count == 0) PetscFunctionReturn(0);
  system->pin_path = sb_path_create(value);
  PetscCheck(system->pin_path, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare_barrier(sb_system *system, const sb_pose *pose, const sb_options *options)
{
  const sb_barrier_law law = {SB_REAL(options, thickness), SB_REAL(options, contact_stiffness)};
  PetscFunctionBeginUser;
  if (!SB_IS(options, self_contact, "barrier")) PetscFunctionReturn(0);
  system->surface = sb_surface_create(pose->vertices, pose->triangles, pose->triangle);
  if (system->surface) system->barrier = sb_barrier_create(system->surface, law, pose->position);
  PetscCheck(system->barrier, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  PetscFunctionReturn(0);
}

/* With fewer vertices per thread, starting a thread costs more than it saves. */
enum { VERTICES_A_THREAD = 1000 };

static int count_threads(const sb_system *system, const sb_options *options)
{
  const int64_t most = system->owned / VERTICES_A_THREAD, wanted = SB_INTEGER(options, threads);
  return most < 1 ? 1 : (int)PetscMin(wanted, most);
}

/* Springs in the order of vectors, or the arrays that sums by pairs need. */
PetscErrorCode sb_system_set_threads(sb_system *system, int threads)
{
  const PetscInt known = system->owned + system->ghosts;
  int           *row;
  PetscFunctionBeginUser;
  sb_bands_destroy(&system->bands);
  PetscCall(PetscFree(system->sum));
  system->threads = threads;
  system->band_kernels = sb_band_kernels_best();
  PetscCall(PetscMalloc1(system->owned, &row));
  for (PetscInt i = 0; i < system->owned; ++i)
    row[i] = system->unknown_id[i] < 0 ? -1 : system->unknown_id[i] - system->first_unknown;
  PetscCheck(sb_bands_create(&system->springs, known, system->owned, row, threads, &system->bands), PETSC_COMM_SELF,
             PETSC_ERR_MEM, "out of memory");
  PetscCheck(!system->law || sb_law_plan(system->law, known, system->owned, row, threads), PETSC_COMM_SELF,
             PETSC_ERR_MEM, "out of memory");
  PetscCall(PetscFree(row));
  if (!system->bands || system->law) PetscCall(PetscMalloc1(3 * (size_t)known, &system->sum));
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare_fluid(sb_system *system, const sb_pose *pose, const sb_options *options)
{
  const sb_scene *scene = sb_scene_find(SB_TEXT(options, scene));
  size_t          free = 0;
  PetscFunctionBeginUser;
  if (!scene || !scene->particles) PetscFunctionReturn(0);
  for (size_t i = 0; i < pose->vertices; ++i) free += !pose->pinned[i];
  PetscCheck(sb_fluid_create(options, sb_scene_periodic(options), free, pose->vertices, pose->mass, &system->fluid),
             PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  PetscFunctionReturn(0);
}

/* Field, contact, air, fluid and path: each is NULL if there is none. */
static PetscErrorCode prepare_external(sb_system *system, const sb_pose *pose, const sb_options *options)
{
  PetscFunctionBeginUser;
  PetscCheck(sb_field_create(options, &system->field) && sb_contact_create(options, &system->contact) &&
                 sb_air_create(options, pose->triangles, pose->triangle, &system->air),
             PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  PetscCall(prepare_fluid(system, pose, options));
  PetscCall(prepare_pin_path(system, options));
  if (system->contact) {
    const sb_springs *springs = &system->springs;
    PetscCheck(
        sb_contact_set_springs(system->contact, (size_t)system->owned, (size_t)springs->count, springs->first,
                               springs->second) &&
            sb_contact_set_surface(system->contact, pose->vertices, pose->triangles, pose->triangle, pose->position),
        PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  }
  if (system->field || system->pin_path) PetscCall(PetscMalloc1(3 * (size_t)system->owned, &system->scratch));
  PetscFunctionReturn(0);
}

static PetscErrorCode keep_net(sb_system *system, const sb_pose *pose, const sb_options *options)
{
  PetscFunctionBeginUser;
  if (system->ranks > 1 || !sb_options_read(options, SB_ID(plugin_options))) PetscFunctionReturn(0);
  system->triangles = (PetscInt)pose->triangles;
  PetscCall(PetscMalloc2(3 * pose->vertices, &system->rest, 3 * pose->triangles, &system->triangle));
  PetscCall(PetscArraycpy(system->rest, pose->position, 3 * pose->vertices));
  PetscCall(PetscArraycpy(system->triangle, pose->triangle, 3 * pose->triangles));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_take(MPI_Comm comm, sb_pose *pose, const sb_options *options, sb_system **system)
{
  PetscInt  *scratch;
  sb_system *made;
  PetscFunctionBeginUser;
  *system = NULL;
  PetscCall(sb_check_creation(comm, options, sb_model_check));
  PetscCall(PetscNew(&made));
  *system = made;
  made->comm = comm;
  PetscCallMPI(MPI_Comm_rank(comm, &made->rank));
  PetscCallMPI(MPI_Comm_size(comm, &made->ranks));
  read_options(made, options);
  PetscCall(split_vertices(made, pose));
  PetscCall(PetscMalloc1(pose->vertices, &scratch));
  PetscCall(find_springs(made, pose, scratch));
  PetscCall(take_springs(made, pose, scratch));
  PetscCall(number_unknowns(made, pose, scratch));
  PetscCall(PetscFree(scratch));
  PetscCall(find_runs(made));
  PetscCall(find_couplings(made));
  PetscCheck(sb_law_create(options, &made->springs, NULL, &made->law), PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  PetscCall(sb_system_set_threads(made, count_threads(made, options)));
  PetscCall(list_pins(made, pose));
  PetscCall(measure_box(made, pose));
  PetscCall(prepare_external(made, pose, options));
  PetscCall(prepare_barrier(made, pose, options));
  PetscCall(keep_net(made, pose, options));
  PetscCall(create_templates(made));
  PetscFunctionReturn(0);
}

static void *copy_of(size_t count, size_t size, const void *array)
{
  void *copy = malloc((count + 1) * size);
  if (copy && count > 0) memcpy(copy, array, count * size);
  return copy;
}

PetscErrorCode sb_system_create(MPI_Comm comm, const sb_pose *pose, const sb_options *options, sb_system **system)
{
  sb_pose copy = *pose;
  PetscFunctionBeginUser;
  copy.kind = NULL;
  copy.ends = copy_of(pose->springs, 2 * sizeof *copy.ends, pose->ends);
  copy.stiffness = copy_of(pose->springs, sizeof *copy.stiffness, pose->stiffness);
  copy.rest_length = copy_of(pose->springs, sizeof *copy.rest_length, pose->rest_length);
  bool good = copy.ends && copy.stiffness && copy.rest_length;
  for (int i = 0; i < SB_LAW_PARAMETERS; ++i) {
    if (!pose->parameter[i]) continue;
    copy.parameter[i] = copy_of(pose->springs, sizeof *copy.parameter[i], pose->parameter[i]);
    good = good && copy.parameter[i];
  }
  const PetscErrorCode failure = good ? sb_system_take(comm, &copy, options, system) : PETSC_ERR_MEM;
  free(copy.ends);
  free(copy.stiffness);
  free(copy.rest_length);
  for (int i = 0; i < SB_LAW_PARAMETERS; ++i) free(copy.parameter[i]);
  PetscCheck(good, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  PetscFunctionReturn(failure);
}

PetscErrorCode sb_system_destroy(sb_system **system)
{
  sb_system *old = *system;
  PetscFunctionBeginUser;
  if (!old) PetscFunctionReturn(0);
  PetscCall(sb_pattern_destroy(&old->pattern));
  PetscCall(PetscFree(old->ghost_ids));
  PetscCall(PetscFree3(old->springs.first, old->springs.second, old->springs.counted));
  sb_law_destroy(&old->law);
  free(old->springs.stiffness);
  free(old->springs.rest_length);
  for (int i = 0; i < SB_LAW_PARAMETERS; ++i) free(old->springs.parameter[i]);
  sb_bands_destroy(&old->bands);
  PetscCall(PetscFree(old->sum));
  PetscCall(PetscFree(old->spring_ids));
  PetscCall(PetscFree3(old->mass, old->pinned, old->unknown_id));
  PetscCall(PetscFree(old->unknown_vertex));
  PetscCall(PetscFree(old->run));
  PetscCall(PetscFree(old->coupled_spring));
  sb_air_destroy(&old->air);
  sb_fluid_destroy(&old->fluid);
  sb_field_destroy(&old->field);
  sb_contact_destroy(&old->contact);
  sb_barrier_destroy(&old->barrier);
  sb_surface_destroy(&old->surface);
  sb_path_destroy(&old->pin_path);
  PetscCall(PetscFree2(old->pin_vertex, old->pin_rest));
  PetscCall(PetscFree2(old->rest, old->triangle));
  PetscCall(PetscFree(old->scratch));
  PetscCall(VecDestroy(&old->full_template));
  PetscCall(VecDestroy(&old->unknown_template));
  PetscCall(PetscFree(*system));
  PetscFunctionReturn(0);
}
