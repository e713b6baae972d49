/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plug-in's minimiser as a method: the incremental potential over arrays of free coordinates; see plugin.h. */
#include "solvers/minimize/plugin.h"

#include "base/allocate.h"
#include "solvers/linear/plugin.h"

typedef struct {
  sb_minimizer_method        method;
  const sb_plugin_minimizer *own;
} plugin_method;

typedef struct {
  const sb_plugin_minimizer *own;
  void                      *minimizer;
  sb_system                 *system;
  const sb_potential        *potential; /* of the present call */
  Vec                        z, full, gradient;
  Mat                        hessian; /* made at its first use */
  double                    *mass;    /* [unknown vertices] */
  double                     h_seconds;
  double                     logged; /* flops */
  PetscErrorCode             failed; /* a call of a function of the problem is under way */
} plugin_state;

/* full = z at the unknown coordinates; other vertices are where the step has them. */
static PetscErrorCode place(plugin_state *s, const double *z)
{
  PetscFunctionBeginUser;
  PetscCall(VecPlaceArray(s->z, z));
  const PetscErrorCode code = sb_system_set_unknowns(s->system, s->z, s->full);
  PetscCall(VecResetArray(s->z));
  PetscFunctionReturn(code);
}

static PetscErrorCode find_value(plugin_state *s, const double *z, double *g)
{
  PetscFunctionBeginUser;
  PetscCall(place(s, z));
  PetscCall(sb_potential_value(s->potential, s->full, g));
  PetscFunctionReturn(0);
}

static PetscErrorCode find_gradient(plugin_state *s, const double *z, double *gradient)
{
  const double *array;
  PetscInt      size;

  PetscFunctionBeginUser;
  PetscCall(place(s, z));
  PetscCall(sb_potential_gradient(s->potential, s->full, s->gradient));
  PetscCall(VecGetLocalSize(s->gradient, &size));
  PetscCall(VecGetArrayRead(s->gradient, &array));
  PetscCall(PetscArraycpy(gradient, array, size));
  PetscCall(VecRestoreArrayRead(s->gradient, &array));
  PetscFunctionReturn(0);
}

static PetscErrorCode find_hessian(plugin_state *s, const double *z, int projected, sb_plugin_matrix *matrix)
{
  PetscFunctionBeginUser;
  PetscCall(place(s, z));
  if (!s->hessian) PetscCall(sb_system_create_block_matrix(s->system, &s->hessian));
  PetscCall(sb_potential_hessian(s->potential, projected ? 0 : 1, s->full, s->hessian));
  PetscCall(sb_plugin_matrix_open(s->hessian, projected, matrix));
  PetscCall(sb_plugin_matrix_close(
      s->hessian, &(sb_plugin_matrix){
                      .start = matrix->start, .column = matrix->column, .value = matrix->value, .rows = matrix->rows}));
  PetscFunctionReturn(0);
}

static int value(void *context, const double *z, double *g)
{
  plugin_state *s = context;
  s->failed = find_value(s, z, g);
  return s->failed != 0;
}

static int gradient(void *context, const double *z, double *gradient)
{
  plugin_state *s = context;
  s->failed = find_gradient(s, z, gradient);
  return s->failed != 0;
}

static int hessian(void *context, const double *z, int projected, sb_plugin_matrix *matrix)
{
  plugin_state *s = context;
  s->failed = find_hessian(s, z, projected, matrix);
  return s->failed != 0;
}

static sb_plugin_problem problem_of(plugin_state *s)
{
  return (sb_plugin_problem){.size = sizeof(sb_plugin_problem),
                             .unknowns = (int32_t)(3 * s->system->owned_unknown),
                             .h = s->h_seconds,
                             .mass = s->mass,
                             .context = s,
                             .value = value,
                             .gradient = gradient,
                             .hessian = hessian};
}

static PetscErrorCode count(plugin_state *s)
{
  return s->own->flops ? sb_plugin_log(s->own->flops(s->minimizer), &s->logged) : 0;
}

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  plugin_state        *s = state;
  sb_system           *system = setup->system;
  const plugin_method *method = (const void *)sb_minimizer_method_of(setup->options);
  const PetscInt       count = system->owned_unknown;
  char                 error[256] = "";

  PetscFunctionBeginUser;
  *outcome = SB_SOLVED;
  s->own = method->own;
  s->system = system;
  s->h_seconds = setup->h_seconds;
  PetscCall(sb_system_create_unknowns(system, &s->z));
  PetscCall(sb_system_create_unknowns(system, &s->gradient));
  PetscCall(sb_system_create_full(system, &s->full));
  s->mass = sb_allocate((size_t)count, sizeof *s->mass);
  for (PetscInt i = 0; i < count; ++i) s->mass[i] = system->mass[system->unknown_vertex[i]];
  s->minimizer = s->own->create(SB_TEXT(setup->options, plugin_options), (int32_t)(3 * count), error, sizeof error);
  error[sizeof error - 1] = '\0';
  PetscCheck(s->minimizer, system->comm, PETSC_ERR_USER, "minimizer=%s plugin_options='%s': %s", method->method.name,
             SB_TEXT(setup->options, plugin_options),
             *error ? error : "the plug-in rejected its options without a reason");
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_potential *potential, Vec z)
{
  plugin_state           *s = state;
  const sb_plugin_problem problem = problem_of(s);
  Vec                     unknowns;
  const double           *array;
  sb_plugin_outcome       outcome = SB_PLUGIN_SOLVED;

  PetscFunctionBeginUser;
  s->potential = potential;
  if (!s->own->begin) PetscFunctionReturn(0);
  PetscCall(VecCopy(z, s->full));
  PetscCall(VecDuplicate(s->z, &unknowns));
  PetscCall(sb_system_restrict(s->system, z, unknowns));
  PetscCall(VecGetArrayRead(unknowns, &array));
  outcome = s->own->begin(s->minimizer, &problem, array);
  PetscCall(VecRestoreArrayRead(unknowns, &array));
  PetscCall(VecDestroy(&unknowns));
  PetscCall(s->failed);
  PetscCheck(outcome == SB_PLUGIN_SOLVED, s->system->comm, PETSC_ERR_LIB, "the plug-in failed at the start of a step");
  PetscCall(count(s));
  PetscFunctionReturn(0);
}

static PetscErrorCode iterate(void *state, const sb_potential *potential, Vec z, sb_iteration *iteration)
{
  plugin_state           *s = state;
  const sb_plugin_problem problem = problem_of(s);
  Vec                     unknowns;
  double                 *array;
  sb_plugin_outcome       outcome;

  PetscFunctionBeginUser;
  s->potential = potential;
  PetscCall(VecCopy(z, s->full));
  PetscCall(VecDuplicate(s->z, &unknowns));
  PetscCall(sb_system_restrict(s->system, z, unknowns));
  PetscCall(VecGetArray(unknowns, &array));
  outcome = s->own->iterate(s->minimizer, &problem, array);
  PetscCall(VecRestoreArray(unknowns, &array));
  PetscCall(s->failed);
  PetscCall(count(s));
  iteration->stuck = outcome == SB_PLUGIN_STALLED;
  if (outcome == SB_PLUGIN_SOLVED) PetscCall(sb_system_set_unknowns(s->system, unknowns, z));
  if (outcome != SB_PLUGIN_SOLVED && outcome != SB_PLUGIN_STALLED)
    iteration->linear =
        (sb_solve_report){.outcome = sb_plugin_outcome_of(outcome), .reason = "the plug-in reported it"};
  PetscCall(VecDestroy(&unknowns));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  plugin_state *s = state;

  PetscFunctionBeginUser;
  if (s->minimizer) s->own->destroy(s->minimizer);
  PetscCall(VecDestroy(&s->z));
  PetscCall(VecDestroy(&s->full));
  PetscCall(VecDestroy(&s->gradient));
  PetscCall(MatDestroy(&s->hessian));
  free(s->mass);
  PetscFunctionReturn(0);
}

const sb_entry *sb_plugin_minimizer_method(const sb_plugin_minimizer *method, const char *digest, sb_arena *arena)
{
  plugin_method *made = sb_arena_take(arena, 1, sizeof *made);
  made->own = method;
  made->method = (sb_minimizer_method){.name = method->name,
                                       .summary = method->summary,
                                       .uses = "plugin_options",
                                       .digest = digest,
                                       .claims = method->traits,
                                       .traits = SB_ONE_RANK | SB_REDUCED_PINS |
                                                 (method->traits & SB_PLUGIN_DESCENDS ? SB_DESCENDS : 0) |
                                                 (method->traits & SB_PLUGIN_QUADRATIC ? SB_QUADRATIC : 0) |
                                                 (method->traits & SB_PLUGIN_COUNTED ? 0 : SB_UNCOUNTED),
                                       .state_bytes = sizeof(plugin_state),
                                       .prepare = prepare,
                                       .begin = begin,
                                       .iterate = iterate,
                                       .destroy = destroy};
  return &made->method.entry;
}
