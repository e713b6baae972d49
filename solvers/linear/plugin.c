/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The backend of a plug-in's linear solver: hands it the arrays of PETSc's matrix and vectors; see plugin.h. */
#include "solvers/linear/plugin.h"

#include <inttypes.h>
#include <math.h>

#include "base/allocate.h"
#include "base/input_file.h"
#include "solvers/linear/csr.h"

/* A backend and the plug-in's method that it wraps. */
typedef struct {
  sb_linear_backend       backend;
  const sb_plugin_linear *method;
} plugin_backend;

typedef struct {
  const sb_plugin_linear *method;
  void                   *solver;
  bool                    definite, new_pattern;
  double                  logged; /* flops */
} plugin_state;

sb_outcome sb_plugin_outcome_of(sb_plugin_outcome outcome)
{
  switch (outcome) {
  case SB_PLUGIN_SOLVED:
    return SB_SOLVED;
  case SB_PLUGIN_STALLED:
    return SB_STALLED;
  case SB_PLUGIN_NOT_SPD:
    return SB_NOT_SPD;
  case SB_PLUGIN_SINGULAR:
    return SB_SINGULAR;
  case SB_PLUGIN_DIVERGED:
    return SB_DIVERGED;
  default:
    return SB_FAILED;
  }
}

sb_plugin_outcome sb_plugin_outcome_from(sb_outcome outcome)
{
  sb_plugin_outcome from = SB_PLUGIN_SOLVED;
  while (from < SB_PLUGIN_FAILED && sb_plugin_outcome_of(from) != outcome) ++from;
  return sb_outcome_accepted(outcome) ? SB_PLUGIN_SOLVED : from;
}

PetscErrorCode sb_plugin_called(const void *object, sb_plugin_outcome outcome,
                                const char *(*failure)(const void *object), double (*flops)(const void *object),
                                double *logged)
{
  const char *failed = failure ? failure(object) : NULL;

  PetscFunctionBeginUser;
  PetscCheck(!failed, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", failed);
  PetscCheck((unsigned)outcome <= SB_PLUGIN_FAILED, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "the plug-in returned %d, which is not an outcome", (int)outcome);
  if (!flops) PetscFunctionReturn(0);
  const double sum = flops(object);
  failed = failure ? failure(object) : NULL;
  PetscCheck(!failed, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", failed);
  PetscCheck(sum >= *logged && isfinite(sum), PETSC_COMM_SELF, PETSC_ERR_LIB,
             "the plug-in counts %g operations after %g", sum, *logged);
  PetscCall(PetscLogFlops(sum - *logged));
  *logged = sum;
  PetscFunctionReturn(0);
}

static PetscErrorCode called(plugin_state *s, sb_plugin_outcome outcome)
{
  return sb_plugin_called(s->solver, outcome, s->method->failure, s->method->flops, &s->logged);
}

PetscErrorCode sb_plugin_matrix_open(Mat A, bool definite, sb_plugin_matrix *matrix)
{
  sb_csr    csr;
  PetscInt  block;
  PetscBool known, symmetric;

  PetscFunctionBeginUser;
  PetscCheck(sizeof(PetscInt) == sizeof(int32_t), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "plug-ins need a PETSc with integers of 32 bits");
  PetscCall(sb_csr_open(A, &csr));
  PetscCall(MatGetBlockSize(A, &block));
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  *matrix = (sb_plugin_matrix){.size = sizeof *matrix,
                               .rows = (int32_t)csr.rows,
                               .start = (const int32_t *)csr.start,
                               .column = (const int32_t *)csr.column,
                               .value = csr.value,
                               .block = (int)block,
                               .symmetric = known && symmetric,
                               .definite = definite};
  PetscFunctionReturn(0);
}

PetscErrorCode sb_plugin_matrix_close(Mat A, sb_plugin_matrix *matrix)
{
  sb_csr csr = {.rows = matrix->rows, .start = matrix->start, .column = matrix->column, .value = matrix->value};

  PetscFunctionBeginUser;
  PetscCall(sb_csr_close(A, &csr));
  PetscFunctionReturn(0);
}

static PetscErrorCode configure(void *state, MPI_Comm comm, const sb_options *options, const char *prefix, int columns)
{
  plugin_state         *s = state;
  const plugin_backend *own = (const void *)sb_linear_backend_of(options);
  char                  error[256] = "";

  PetscFunctionBeginUser;
  (void)prefix, (void)columns;
  s->method = own->method;
  SB_OWNED char *text = sb_input_resolve(SB_TEXT(options, plugin_options));
  s->solver = s->method->create_of ? s->method->create_of(s->method->data, text, error, sizeof error)
                                   : s->method->create(text, error, sizeof error);
  error[sizeof error - 1] = '\0';
  PetscCheck(s->solver, comm, PETSC_ERR_USER, "linear=%s plugin_options='%s': %s", own->backend.name,
             SB_TEXT(options, plugin_options), *error ? error : "the plug-in rejected its options without a reason");
  PetscFunctionReturn(0);
}

static PetscErrorCode analyze(void *state, Mat A, bool definite)
{
  plugin_state *s = state;

  PetscFunctionBeginUser;
  (void)A;
  s->definite = definite;
  s->new_pattern = true;
  PetscFunctionReturn(0);
}

/* The arrays of a sequential matrix keep their addresses after it is closed. */
static PetscErrorCode factor(void *state, Mat A, sb_outcome *outcome, sb_factor_facts *facts)
{
  plugin_state    *s = state;
  sb_plugin_matrix matrix;

  PetscFunctionBeginUser;
  (void)facts;
  PetscCall(sb_plugin_matrix_open(A, s->definite, &matrix));
  const sb_plugin_outcome own = s->method->set_matrix(s->solver, &matrix, s->new_pattern);
  PetscCall(sb_plugin_matrix_close(A, &matrix));
  PetscCall(called(s, own));
  *outcome = sb_plugin_outcome_of(own);
  s->new_pattern = false;
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(void *state, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report)
{
  plugin_state      *s = state;
  const PetscScalar *from;
  PetscScalar       *to;
  sb_plugin_solve    own = {
         .size = sizeof own, .relative_tolerance = goal->relative_tolerance, .iterations_max = goal->iterations_max};

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(b, &from));
  PetscCall(VecGetArray(x, &to));
  const sb_plugin_outcome outcome = s->method->solve(s->solver, from, to, &own);
  PetscCall(VecRestoreArray(x, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscCall(called(s, outcome));
  PetscCheck(own.iterations >= 0 && own.iterations <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "the plug-in counts %" PRId64 " iterations", own.iterations);
  report->outcome = sb_plugin_outcome_of(outcome);
  report->iterations = (PetscInt)own.iterations;
  report->reason = own.reason ? own.reason : sb_outcome_name(report->outcome);
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  plugin_state *s = state;

  PetscFunctionBeginUser;
  if (s->solver) s->method->destroy(s->solver);
  PetscFunctionReturn(0);
}

const sb_entry *sb_plugin_backend(const sb_plugin_linear *method, const char *digest, sb_arena *arena)
{
  const unsigned  traits = method->traits;
  const bool      direct = traits & SB_PLUGIN_DIRECT;
  plugin_backend *made = sb_arena_take(arena, 1, sizeof *made);
  made->method = method;
  made->backend = (sb_linear_backend){
      .name = method->name,
      .summary = method->summary,
      .uses = direct ? "plugin_options" : "plugin_options linear_tolerance linear_max_iterations",
      .digest = digest,
      .claims = traits,
      .traits = SB_SERIAL_ONLY | (direct ? SB_DIRECT : 0) | (traits & SB_PLUGIN_NEEDS_SPD ? SB_NEEDS_SPD : 0) |
                (traits & SB_PLUGIN_DETECTS_INDEFINITE ? SB_DETECTS_INDEFINITE : 0) |
                (traits & SB_PLUGIN_UNSYMMETRIC ? SB_UNSYMMETRIC : 0) | (traits & SB_PLUGIN_COUNTED ? SB_COUNTED : 0),
      .state_bytes = sizeof(plugin_state),
      .configure = configure,
      .analyze = analyze,
      .factor = factor,
      .solve = solve,
      .destroy = destroy};
  return &made->backend.entry;
}
