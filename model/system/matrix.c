/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrices of a system: M + h^2 L (scalar) and mass_scale M + sum H_s (3x3 blocks), over unknown vertices.
 *
 * A rank computes every spring that touches its vertices, so it fills its rows without messages, straight into PETSc's
 * arrays of values at places found once (pattern.h). Both triangles get the same bits: matrices are exactly symmetric,
 * except for replaced rows. */
#include "model/system/assembly.h"

#include <math.h>
#include <string.h>

static const sb_assembly *const assemblies[] = SB_TABLES(sb_assembly);

static PetscErrorCode create_aij(const sb_system *system, PetscInt width, Mat *matrix)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(system->comm, matrix));
  PetscCall(MatSetSizes(*matrix, width * system->owned_unknown, width * system->owned_unknown,
                        width * system->unknown_vertices, width * system->unknown_vertices));
  PetscCall(MatSetBlockSize(*matrix, width));
  PetscCall(MatSetType(*matrix, MATAIJ));
  PetscFunctionReturn(0);
}

/* Blocks of every row in own columns and in those of other ranks; the longest row. */
static PetscErrorCode preallocate(const sb_system *system, const PetscInt *row_start, const PetscInt *column,
                                  Mat matrix, PetscInt *longest)
{
  const PetscInt first = system->first_unknown, end = first + system->owned_unknown;
  PetscInt      *own, *others, width;
  PetscFunctionBeginUser;
  PetscCall(MatGetBlockSize(matrix, &width));
  PetscCall(PetscCalloc2(system->owned_unknown, &own, system->owned_unknown, &others));
  for (PetscInt row = 0; row < system->owned_unknown; ++row) {
    for (PetscInt e = row_start[row]; e < row_start[row + 1]; ++e)
      ++*(column[e] < first || column[e] >= end ? others + row : own + row);
    *longest = PetscMax(*longest, row_start[row + 1] - row_start[row]);
  }
  PetscCall(MatXAIJSetPreallocation(matrix, width, own, others, NULL, NULL));
  PetscCall(PetscFree2(own, others));
  PetscFunctionReturn(0);
}

/* Passes the blocks of a pattern to PETSc row by row, as a copy of the whole would double the memory. value: of
 * scalars, or NULL for zeros. */
static PetscErrorCode set_rows(const sb_system *system, const PetscInt *row_start, const PetscInt *column,
                               const PetscScalar *value, Mat matrix)
{
  PetscInt     longest = 0, width;
  PetscScalar *zero;
  PetscFunctionBeginUser;
  PetscCall(MatGetBlockSize(matrix, &width));
  PetscCall(preallocate(system, row_start, column, matrix, &longest));
  PetscCall(PetscCalloc1((size_t)(width * width) * (size_t)longest, &zero));
  PetscCall(MatSetOption(matrix, MAT_SORTED_FULL, PETSC_TRUE));
  for (PetscInt r = 0; r < system->owned_unknown; ++r) {
    const PetscInt row = system->first_unknown + r, start = row_start[r];
    PetscCall(MatSetValuesBlocked(matrix, 1, &row, row_start[r + 1] - start, column + start,
                                  value ? value + start : zero, INSERT_VALUES));
  }
  PetscCall(PetscFree(zero));
  PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(matrix, MAT_SORTED_FULL, PETSC_FALSE));
  if (!sb_system_is_symmetric(system)) PetscFunctionReturn(0);
  PetscCall(MatSetOption(matrix, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(matrix, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscFunctionReturn(0);
}

/* value = M + h^2 L in the order of the pattern: m + h^2 sum k on the diagonal, -h^2 k off the diagonal. */
static void fill_scalar(const sb_system *system, const sb_pattern *pattern, double square, PetscScalar *value)
{
  const sb_springs *springs = &system->springs;
  for (PetscInt s = 0; s < springs->count; ++s) {
    const PetscInt ends[2] = {springs->first[s], springs->second[s]};
    const double   k = sb_system_bounds_of_springs(system)[s];
    for (int side = 0; side < 2; ++side) {
      const PetscInt row = sb_pattern_row(system, ends[side]), other = system->unknown_id[ends[1 - side]];
      if (row < 0) continue;
      if (other >= 0) value[sb_pattern_find(pattern, row, other)] = -square * k;
      value[sb_pattern_find(pattern, row, system->first_unknown + row)] += square * k;
    }
  }
  for (PetscInt row = 0; row < pattern->rows; ++row)
    value[sb_pattern_find(pattern, row, system->first_unknown + row)] += system->mass[system->unknown_vertex[row]];
  if (system->pin_method == SB_PINS_REDUCE) return;
  for (PetscInt p = 0; p < system->pinned_owned; ++p) {
    const PetscInt id = system->unknown_id[system->pin_vertex[p]];
    double        *own = value + sb_pattern_find(pattern, id - system->first_unknown, id);
    if (system->pin_method == SB_PINS_ROW_REPLACE) *own = 1;
    if (system->pin_method == SB_PINS_PENALTY) *own += square * system->pin_weight;
  }
}

PetscErrorCode sb_system_create_scalar_matrix(sb_system *system, double h_seconds, Mat *matrix)
{
  const sb_pattern *pattern;
  PetscScalar      *value;
  PetscFunctionBeginUser;
  PetscCall(sb_pattern_get(system, &pattern));
  PetscCall(PetscCalloc1(pattern->row_start[pattern->rows], &value));
  fill_scalar(system, pattern, h_seconds * h_seconds, value);
  PetscCall(create_aij(system, 1, matrix));
  PetscCall(set_rows(system, pattern->row_start, pattern->column, value, *matrix));
  PetscCall(PetscFree(value));
  if (!pattern->row) PetscCall(sb_pattern_destroy(&system->pattern)); /* this matrix is not filled again */
  PetscFunctionReturn(0);
}

PetscErrorCode sb_pattern_create_matrix(const sb_system *system, const PetscInt *block_start,
                                        const PetscInt *block_column, Mat *matrix)
{
  const PetscInt blocks = block_start[system->owned_unknown];
  PetscFunctionBeginUser;
  PetscCheck(blocks <= PETSC_MAX_INT / 9, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " 3x3 blocks are too many for PETSc's 32-bit integers; use a smaller scene, more ranks, "
             "or a PETSc with 64-bit integers [E215]",
             blocks);
  PetscCall(create_aij(system, 3, matrix));
  PetscCall(set_rows(system, block_start, block_column, NULL, *matrix));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_create_block_matrix(sb_system *system, Mat *matrix)
{
  const sb_pattern *pattern;
  PetscFunctionBeginUser;
  PetscCall(sb_pattern_place(system, &pattern));
  PetscCall(sb_pattern_create_matrix(system, pattern->row_start, pattern->column, matrix));
  PetscFunctionReturn(0);
}

/* Diagonal blocks of pinned vertices that are unknowns: the identity; or only inertia, which is already there; or
 * inertia and pin_weight. */
static void add_pinned(const sb_system *system, double *value)
{
  const bool replaced = system->pin_method == SB_PINS_ROW_REPLACE;
  if (!replaced && system->pin_method != SB_PINS_PENALTY) return;
  for (PetscInt p = 0; p < system->pinned_owned; ++p) {
    const sb_row *row = &system->pattern->row[system->unknown_id[system->pin_vertex[p]] - system->first_unknown];
    for (PetscInt c = 0; c < 3; ++c) {
      double *own = value + row->diagonal + c * (row->stride[0] + 1);
      *own = replaced ? 1 : *own + system->pin_weight;
    }
  }
}

typedef struct {
  double      negative, mass_scale;
  sb_contact *contact; /* NULL: left out */
  double      t_seconds;
} content;

/* Contact's addition to diagonal blocks; NULL: none. */
static const double *find_contact(const sb_system *system, const content *what, const double *position)
{
  double      *sum = system->pattern->more;
  const size_t owned = (size_t)system->owned;
  if (!what->contact) return NULL;
  memset(sum, 0, SB_UPPER * owned * sizeof *sum);
  sb_contact_add_hessian(what->contact, what->t_seconds, what->negative,
                         &(sb_contact_points){owned, system->pinned, NULL, position}, sum);
  return sum;
}

static PetscErrorCode fill_matrix(const sb_system *system, const content *what, const double *position, Mat matrix)
{
  Mat     part[2] = {matrix, NULL};
  double *value[2] = {NULL, NULL};
  PetscFunctionBeginUser;
  if (system->ranks > 1) {
    PetscCall(
        MatZeroEntries(matrix)); /* records the change for the whole matrix: writing records it only for its parts */
    PetscCall(MatMPIAIJGetSeqAIJ(matrix, &part[0], &part[1], NULL));
  }
  const sb_assembly_input input = {.springs = sb_system_tangents(system, what->negative, position).list,
                                   .pattern = system->pattern,
                                   .vertex = system->unknown_vertex,
                                   .position = position,
                                   .mass = system->mass,
                                   .more = find_contact(system, what, position),
                                   .negative = what->negative,
                                   .mass_scale = what->mass_scale,
                                   .threads = system->threads};
  for (int p = 0; p < 2; ++p)
    if (part[p]) PetscCall(MatSeqAIJGetArrayWrite(part[p], &value[p]));
  assemblies[sb_instruction_set_best()]->assemble(&input, value);
  add_pinned(system, value[0]);
  for (int p = 0; p < 2; ++p)
    if (part[p]) PetscCall(MatSeqAIJRestoreArrayWrite(part[p], &value[p]));
  PetscFunctionReturn(0);
}

static PetscErrorCode assemble(sb_system *system, const content *what, Vec x, Mat matrix)
{
  const sb_pattern *pattern;
  const double     *position;
  PetscFunctionBeginUser;
  PetscCall(sb_pattern_place(system, &pattern));
  const double started = sb_profile_start(system->profile);
  PetscCall(sb_system_begin_read(system, x, &position));
  PetscCall(fill_matrix(system, what, position, matrix));
  PetscCall(sb_system_end_read(system, x, &position));
  sb_profile_stop(system->profile, SB_PHASE_ASSEMBLY, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_assemble_hessian(sb_system *system, double negative, double mass_scale, Vec x, Mat matrix)
{
  const content what = {.negative = negative, .mass_scale = mass_scale};
  PetscFunctionBeginUser;
  PetscCall(assemble(system, &what, x, matrix));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_assemble_contact_hessian(sb_system *system, double negative, double mass_scale,
                                                  double t_seconds, Vec x, Mat matrix)
{
  const content what = {
      .negative = negative, .mass_scale = mass_scale, .contact = system->contact, .t_seconds = t_seconds};
  PetscFunctionBeginUser;
  PetscCall(assemble(system, &what, x, matrix));
  PetscFunctionReturn(0);
}

/* B = -k (1 - l/r) (I - u u^T) for the spring along d if that is positive, - k u u^T for a tangent of negative k; false
 * if both are 0, or it has no length. */
static bool find_lack(const sb_springs *springs, PetscInt spring, const double d[3], double lack[9])
{
  const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), k = springs->stiffness[spring];
  const double across = fmax(0, k * (springs->rest_length[spring] / r - 1)), along = k < 0 ? -k : 0;
  if (r == 0 || !(across > 0 || along > 0)) return false;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      const double uu = d[a] * d[b] / (r * r);
      lack[3 * a + b] = across * ((a == b) - uu) + along * uu;
    }
  return true;
}

PetscErrorCode sb_system_project_springs(const sb_system *system, const bool *projected, Vec x, Mat matrix)
{
  const double *position;
  PetscFunctionBeginUser;
  PetscCall(sb_system_begin_read(system, x, &position));
  const sb_springs *springs = sb_system_tangents(system, SB_HESSIAN_EXACT, position).list;
  for (PetscInt s = 0; s < springs->count; ++s) {
    const PetscInt ends[2] = {springs->first[s], springs->second[s]};
    double         d[3], lack[9], minus[9];
    for (int c = 0; c < 3; ++c) d[c] = position[3 * ends[0] + c] - position[3 * ends[1] + c];
    if (!projected[s] || !find_lack(springs, s, d, lack)) continue;
    for (int e = 0; e < 9; ++e) minus[e] = -lack[e];
    for (int end = 0; end < 2; ++end) {
      const PetscInt row = system->unknown_id[ends[end]], other = system->unknown_id[ends[1 - end]];
      if (ends[end] >= system->owned || row < 0) continue;
      PetscCall(MatSetValuesBlocked(matrix, 1, &row, 1, &row, lack, ADD_VALUES));
      if (other >= 0) PetscCall(MatSetValuesBlocked(matrix, 1, &row, 1, &other, minus, ADD_VALUES));
    }
  }
  PetscCall(sb_system_end_read(system, x, &position));
  PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}
