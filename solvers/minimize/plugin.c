/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plug-in's minimiser as a method: the incremental potential over arrays of free coordinates, or of all vertices for
 * one that sees the net; see plugin.h. */
#include "solvers/minimize/plugin.h"

#include <string.h>

#include "base/allocate.h"
#include "base/guard.h"
#include "base/input_file.h"
#include "solvers/linear/plugin.h"
#include "solvers/minimize/incidence.h"

typedef struct {
  sb_minimizer_method        method;
  const sb_plugin_minimizer *own;
} plugin_method;

typedef struct {
  const sb_plugin_minimizer *own;
  void                      *minimizer;
  sb_system                 *system;
  const sb_potential        *potential;         /* of the present call */
  sb_plugin_problem          problem;           /* likewise */
  size_t                     count;             /* coordinates that the plug-in sees */
  double                    *seen;              /* [count] z, guarded */
  Vec                        z, full, gradient; /* for its calls */
  Vec                        unknown;           /* over `seen`; NULL: the plug-in sees the net */
  Mat                        hessian;           /* made at its first use */
  double                    *mass;              /* [unknown vertices] */
  double                     logged;            /* flops */
  PetscErrorCode             failed;            /* a call of a function of the problem is under way */
  /* If the plug-in sees the net: */
  sb_plugin_net net;
  sb_incidence  incidence;
  sb_visits     by_vertex, by_spring;
  Vec           place;  /* full: y with the effect of a load */
  bool          finite; /* the start of the step is */
  /* If it solves: */
  sb_linear_solver *linear;
  Mat               matrix;         /* made at its first use */
  PetscInt         *start, *column; /* its pattern, as the plug-in gave it */
  sb_solve_report   solved;         /* of all solves of the present iteration */
} plugin_state;

/* full = z at the coordinates that the plug-in has; other vertices are where the step has them. */
static PetscErrorCode place(plugin_state *s, const double *z)
{
  PetscErrorCode code = 0;
  double        *array;

  PetscFunctionBeginUser;
  if (s->unknown) {
    PetscCall(VecPlaceArray(s->z, z));
    code = sb_system_set_unknowns(s->system, s->z, s->full);
    PetscCall(VecResetArray(s->z));
  } else {
    PetscCall(VecGetArray(s->full, &array));
    PetscCall(PetscArraycpy(array, z, s->count));
    PetscCall(VecRestoreArray(s->full, &array));
  }
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
  const PetscInt *number = s->system->unknown_id;
  const double   *array;

  PetscFunctionBeginUser;
  PetscCall(place(s, z));
  PetscCall(sb_potential_gradient(s->potential, s->full, s->gradient));
  PetscCall(VecGetArrayRead(s->gradient, &array));
  if (s->unknown) PetscCall(PetscArraycpy(gradient, array, s->count));
  for (size_t k = 0; k < s->count && !s->unknown; ++k)
    gradient[k] = number[k / 3] < 0 ? 0 : array[3 * (size_t)number[k / 3] + k % 3];
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

/* An empty matrix of the pattern of A, which is copied. */
static PetscErrorCode create_matrix(plugin_state *s, const sb_plugin_matrix *A)
{
  const PetscBool symmetric = A->symmetric ? PETSC_TRUE : PETSC_FALSE;
  const size_t    entries = (size_t)A->start[A->rows];

  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&s->matrix));
  PetscCall(PetscFree2(s->start, s->column));
  PetscCall(PetscMalloc2((size_t)A->rows + 1, &s->start, entries, &s->column));
  PetscCall(PetscArraycpy(s->start, A->start, (size_t)A->rows + 1));
  PetscCall(PetscArraycpy(s->column, A->column, entries));
  PetscCall(MatCreate(s->system->comm, &s->matrix));
  PetscCall(MatSetSizes(s->matrix, A->rows, A->rows, A->rows, A->rows));
  PetscCall(MatSetBlockSize(s->matrix, s->own->traits & SB_PLUGIN_SOLVES ? 3 : 1));
  PetscCall(MatSetType(s->matrix, MATAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(s->matrix, s->start, s->column, NULL));
  PetscCall(MatSetOption(s->matrix, MAT_SYMMETRIC, symmetric));
  PetscCall(MatSetOption(s->matrix, MAT_SYMMETRY_ETERNAL, symmetric));
  PetscFunctionReturn(0);
}

static bool has_pattern(const plugin_state *s, const sb_plugin_matrix *A)
{
  return s->matrix && memcmp(s->start, A->start, ((size_t)A->rows + 1) * sizeof *A->start) == 0 &&
         memcmp(s->column, A->column, (size_t)A->start[A->rows] * sizeof *A->column) == 0;
}

static PetscErrorCode take_matrix(plugin_state *s, const sb_plugin_matrix *A, sb_outcome *outcome)
{
  const PetscInt rows = (s->own->traits & SB_PLUGIN_SOLVES ? 3 : 1) * s->system->owned_unknown;
  PetscFunctionBeginUser;
  PetscCheck(s->linear, PETSC_COMM_SELF, PETSC_ERR_LIB, "the plug-in calls factor, and its traits lack SOLVES");
  PetscCheck(A->rows == rows, PETSC_COMM_SELF, PETSC_ERR_LIB, "the plug-in's matrix has %d rows instead of %d",
             (int)A->rows, (int)rows);
  const bool same = has_pattern(s, A);
  if (!same) PetscCall(create_matrix(s, A));
  for (PetscInt row = 0; row < rows; ++row)
    PetscCall(MatSetValues(s->matrix, 1, &row, A->start[row + 1] - A->start[row], A->column + A->start[row],
                           A->value + A->start[row], INSERT_VALUES));
  PetscCall(MatAssemblyBegin(s->matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(s->matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(
      sb_linear_solver_set_matrix(s->linear, s->matrix, same ? SB_NEW_VALUES : SB_NEW_PATTERN, A->definite, outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode find_solution(plugin_state *s, const double *b, double *x, sb_outcome *outcome)
{
  const sb_solve_report before = s->solved;

  PetscFunctionBeginUser;
  PetscCheck(s->matrix, PETSC_COMM_SELF, PETSC_ERR_LIB, "the plug-in calls solve before factor");
  PetscCall(VecPlaceArray(s->gradient, b)); /* a vector of the right size */
  PetscCall(VecPlaceArray(s->z, x));
  PetscCall(sb_linear_solver_solve(s->linear, s->gradient, s->z, true, &s->solved));
  PetscCall(VecResetArray(s->z));
  PetscCall(VecResetArray(s->gradient));
  *outcome = s->solved.outcome;
  s->solved.iterations += before.iterations;
  s->solved.relative = sb_worse_residual(s->solved.relative, before.relative);
  s->solved.residual = sb_worse_residual(s->solved.residual, before.residual);
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

static PetscErrorCode check_vertex(const plugin_state *s, int32_t vertex)
{
  PetscFunctionBeginUser;
  PetscCheck(vertex >= 0 && vertex < s->net.vertices, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "the plug-in calls contact for vertex %d; the net has %d", (int)vertex, (int)s->net.vertices);
  PetscFunctionReturn(0);
}

static int contact(void *context, int32_t vertex, const double *z, int projected, double gradient[3], double block[6])
{
  plugin_state           *s = context;
  sb_contact             *colliders = s->system->contact;
  const sb_contact_points here = {1, s->system->pinned + vertex, NULL, z};
  double                  force[3];
  s->failed = check_vertex(s, vertex);
  if (s->failed) return 1;
  if (!colliders || !sb_contact_is_implicit(colliders)) return 0;
  for (int c = 0; c < 3; ++c) force[c] = -gradient[c];
  sb_contact_add_forces(colliders, s->potential->end_seconds, &here, force);
  sb_contact_add_hessian(colliders, s->potential->end_seconds, projected ? SB_HESSIAN_PROJECTED : SB_HESSIAN_EXACT,
                         &here, block);
  for (int c = 0; c < 3; ++c) gradient[c] = -force[c];
  return 0;
}

static sb_plugin_outcome factor(void *context, const sb_plugin_matrix *A)
{
  plugin_state *s = context;
  sb_outcome    outcome = SB_FAILED;
  s->failed = take_matrix(s, A, &outcome);
  return s->failed ? SB_PLUGIN_FAILED : sb_plugin_outcome_from(outcome);
}

static sb_plugin_outcome solve(void *context, const double *b, double *x)
{
  plugin_state *s = context;
  sb_outcome    outcome = SB_FAILED;
  s->failed = find_solution(s, b, x, &outcome);
  return s->failed ? SB_PLUGIN_FAILED : sb_plugin_outcome_from(outcome);
}

static PetscErrorCode show_net(plugin_state *s, const sb_options *options)
{
  const sb_system *system = s->system;
  const bool       colours = SB_IS(options, visits, "colours");

  PetscFunctionBeginUser;
  PetscCall(sb_incidence_create(system, &s->incidence));
  PetscCall(sb_visits_of_vertices(system, &s->incidence, colours, &s->by_vertex));
  PetscCall(sb_visits_of_springs(system, &s->incidence, colours, &s->by_spring));
  PetscCall(sb_system_create_full(system, &s->place));
  s->net = (sb_plugin_net){.size = sizeof s->net,
                           .vertices = (int32_t)system->owned,
                           .springs = (int32_t)system->springs.count,
                           .triangles = (int32_t)system->triangles,
                           .mass = system->mass,
                           .rest = system->rest,
                           .pinned = (const unsigned char *)system->pinned,
                           .unknown = (const int32_t *)system->unknown_id,
                           .first = (const int32_t *)system->springs.first,
                           .second = (const int32_t *)system->springs.second,
                           .stiffness = system->springs.stiffness,
                           .rest_length = system->springs.rest_length,
                           .triangle = system->triangle,
                           .start = (const int32_t *)s->incidence.start,
                           .spring = (const int32_t *)s->incidence.spring,
                           .other = (const int32_t *)s->incidence.other,
                           .vertex_visits = (int32_t)s->by_vertex.count,
                           .vertex_colours = (int32_t)s->by_vertex.colours,
                           .spring_visits = (int32_t)s->by_spring.count,
                           .spring_colours = (int32_t)s->by_spring.colours,
                           .visit_vertex = (const int32_t *)s->by_vertex.at,
                           .vertex_colour = (const int32_t *)s->by_vertex.start,
                           .visit_spring = (const int32_t *)s->by_spring.at,
                           .spring_colour = (const int32_t *)s->by_spring.start};
  PetscFunctionReturn(0);
}

static PetscErrorCode create_arrays(plugin_state *s)
{
  const sb_system *system = s->system;
  const PetscInt   count = system->owned_unknown;

  PetscFunctionBeginUser;
  PetscCheck(sizeof(PetscInt) == sizeof(int32_t), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "plug-ins need a PETSc with integers of 32 bits");
  s->count = 3 * (size_t)(s->own->traits & SB_PLUGIN_SEES_NET ? system->owned : count);
  s->seen = sb_guard_array(s->count);
  PetscCheck(s->seen, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  PetscCall(sb_system_create_unknowns(system, &s->z));
  PetscCall(sb_system_create_unknowns(system, &s->gradient));
  PetscCall(sb_system_create_full(system, &s->full));
  if (!(s->own->traits & SB_PLUGIN_SEES_NET)) {
    PetscCall(sb_system_create_unknowns(system, &s->unknown));
    PetscCall(VecPlaceArray(s->unknown, s->seen));
  }
  s->mass = sb_allocate((size_t)count, sizeof *s->mass);
  for (PetscInt i = 0; i < count; ++i) s->mass[i] = system->mass[system->unknown_vertex[i]];
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  plugin_state        *s = state;
  const plugin_method *method = (const void *)sb_minimizer_method_of(setup->options);
  char                 error[256] = "";

  PetscFunctionBeginUser;
  *outcome = SB_SOLVED;
  s->own = method->own;
  s->system = setup->system;
  s->linear = setup->linear;
  PetscCall(create_arrays(s));
  if (!s->unknown) PetscCall(show_net(s, setup->options));
  s->problem = (sb_plugin_problem){.size = sizeof s->problem,
                                   .unknowns = (int32_t)(3 * s->system->owned_unknown),
                                   .h = setup->h_seconds,
                                   .mass = s->mass,
                                   .context = s,
                                   .value = value,
                                   .gradient = gradient,
                                   .hessian = hessian,
                                   .net = s->unknown ? NULL : &s->net,
                                   .contact = s->unknown ? NULL : contact,
                                   .factor = factor,
                                   .solve = solve};
  SB_OWNED char *text = sb_input_resolve(SB_TEXT(setup->options, plugin_options));
  s->minimizer = s->own->create_of ? s->own->create_of(s->own->data, text, s->problem.unknowns, error, sizeof error)
                                   : s->own->create(text, s->problem.unknowns, error, sizeof error);
  error[sizeof error - 1] = '\0';
  PetscCheck(s->minimizer, s->system->comm, PETSC_ERR_USER, "minimizer=%s plugin_options='%s': %s", method->method.name,
             SB_TEXT(setup->options, plugin_options),
             *error ? error : "the plug-in rejected its options without a reason");
  PetscFunctionReturn(0);
}

/* Copies z to the plug-in's array. */
static PetscErrorCode show(plugin_state *s, Vec z)
{
  const double *array;

  PetscFunctionBeginUser;
  if (s->unknown) {
    PetscCall(VecCopy(z, s->full));
    PetscCall(sb_system_restrict(s->system, z, s->unknown));
    PetscFunctionReturn(0);
  }
  PetscCall(VecGetArrayRead(z, &array));
  PetscCall(PetscArraycpy(s->seen, array, s->count));
  PetscCall(VecRestoreArrayRead(z, &array));
  PetscFunctionReturn(0);
}

/* Copies the plug-in's array to z. */
static PetscErrorCode take(plugin_state *s, Vec z)
{
  const sb_system *system = s->system;
  double          *array;

  PetscFunctionBeginUser;
  if (s->unknown) {
    PetscCall(sb_system_set_unknowns(system, s->unknown, z));
    PetscFunctionReturn(0);
  }
  PetscCall(VecGetArray(z, &array));
  for (PetscInt p = 0; p < system->pinned_owned; ++p) {
    const size_t at = 3 * (size_t)system->pin_vertex[p];
    PetscCheck(memcmp(s->seen + at, array + at, 3 * sizeof *array) == 0, PETSC_COMM_SELF, PETSC_ERR_LIB,
               "the plug-in moved vertex %d, which is pinned", (int)system->pin_vertex[p]);
  }
  PetscCall(PetscArraycpy(array, s->seen, s->count));
  PetscCall(VecRestoreArray(z, &array));
  PetscFunctionReturn(0);
}

/* A call of the plug-in's begin, or of iterate, on the arrays that it sees. */
static PetscErrorCode call(plugin_state *s, bool begins, sb_plugin_outcome *outcome)
{
  sb_plugin_problem *p = &s->problem;

  PetscFunctionBeginUser;
  p->end = s->potential->end_seconds;
  p->step = s->potential->step;
  if (!s->unknown) PetscCall(VecGetArrayRead(s->place, &p->place));
  if (!s->unknown) PetscCall(VecGetArrayRead(s->potential->x, &p->from));
  *outcome = begins ? s->own->begin(s->minimizer, p, s->seen) : s->own->iterate(s->minimizer, p, s->seen);
  if (!s->unknown) PetscCall(VecRestoreArrayRead(s->potential->x, &p->from));
  if (!s->unknown) PetscCall(VecRestoreArrayRead(s->place, &p->place));
  PetscCall(s->failed);
  PetscCall(sb_plugin_called(s->minimizer, *outcome, s->own->failure, s->own->flops, &s->logged));
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_potential *potential, Vec z)
{
  plugin_state     *s = state;
  sb_plugin_outcome outcome = SB_PLUGIN_FAILED;

  PetscFunctionBeginUser;
  s->potential = potential;
  s->finite = true;
  if (!s->unknown) PetscCall(sb_potential_free_flight(potential, z, s->place, &s->finite));
  if (!s->finite) PetscFunctionReturn(0);
  PetscCall(show(s, z)); /* until the next step only the plug-in changes z */
  if (!s->own->begin) PetscFunctionReturn(0);
  PetscCall(call(s, true, &outcome));
  PetscCheck(outcome == SB_PLUGIN_SOLVED, s->system->comm, PETSC_ERR_LIB, "the plug-in failed at the start of a step");
  PetscFunctionReturn(0);
}

static PetscErrorCode iterate(void *state, const sb_potential *potential, Vec z, sb_iteration *iteration)
{
  plugin_state     *s = state;
  sb_plugin_outcome outcome = SB_PLUGIN_FAILED;

  PetscFunctionBeginUser;
  s->potential = potential;
  s->solved = (sb_solve_report){.outcome = SB_SOLVED, .reason = ""};
  if (!s->finite) {
    iteration->linear = (sb_solve_report){.outcome = SB_NOT_FINITE, .reason = "the start is not finite"};
    PetscFunctionReturn(0);
  }
  PetscCall(call(s, false, &outcome));
  iteration->stuck = outcome == SB_PLUGIN_STALLED;
  iteration->linear = s->solved;
  if (!sb_outcome_accepted(s->solved.outcome)) PetscFunctionReturn(0);
  if (outcome == SB_PLUGIN_SOLVED) PetscCall(take(s, z));
  if (outcome != SB_PLUGIN_SOLVED && outcome != SB_PLUGIN_STALLED) {
    iteration->linear.outcome = sb_plugin_outcome_of(outcome);
    iteration->linear.reason = "the plug-in reported it";
    iteration->of_method = true;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  plugin_state *s = state;

  PetscFunctionBeginUser;
  if (s->minimizer) s->own->destroy(s->minimizer);
  if (s->unknown) PetscCall(VecResetArray(s->unknown));
  PetscCall(VecDestroy(&s->unknown));
  PetscCall(VecDestroy(&s->z));
  PetscCall(VecDestroy(&s->full));
  PetscCall(VecDestroy(&s->gradient));
  PetscCall(VecDestroy(&s->place));
  PetscCall(MatDestroy(&s->hessian));
  PetscCall(MatDestroy(&s->matrix));
  PetscCall(PetscFree2(s->start, s->column));
  PetscCall(sb_incidence_destroy(&s->incidence));
  PetscCall(sb_visits_destroy(&s->by_vertex));
  PetscCall(sb_visits_destroy(&s->by_spring));
  sb_guard_free(s->seen, s->count);
  free(s->mass);
  PetscFunctionReturn(0);
}

/* The traits of a method that follow from a plug-in's. */
static unsigned traits_of(unsigned claims)
{
  static const struct {
    unsigned claim, trait;
  } of[] = {{SB_PLUGIN_DESCENDS, SB_DESCENDS},
            {SB_PLUGIN_QUADRATIC, SB_QUADRATIC},
            {SB_PLUGIN_OTHER_LIMIT, SB_OTHER_LIMIT},
            {SB_PLUGIN_REMEMBERS, SB_REMEMBERS},
            {SB_PLUGIN_CONTACT_IN_G, SB_IMPLICIT_CONTACT}};
  unsigned traits = SB_ONE_RANK | SB_REDUCED_PINS | (claims & SB_PLUGIN_COUNTED ? 0 : SB_UNCOUNTED);
  for (size_t i = 0; i < sizeof of / sizeof *of; ++i) traits |= claims & of[i].claim ? of[i].trait : 0;
  return traits;
}

/* A method that reads k and l of the net would apply Hooke's law. */
static const char *refuses_law(const sb_options *options)
{
  (void)options;
  return "it sees the net, whose k and l are those of Hooke's law; leave law and damping_in_step out";
}

const sb_entry *sb_plugin_minimizer_method(const sb_plugin_minimizer *method, const char *digest, sb_arena *arena)
{
  const unsigned claims = method->traits;
  plugin_method *made = sb_arena_take(arena, 1, sizeof *made);
  const int      columns = claims & SB_PLUGIN_SOLVES ? 1 : claims & SB_PLUGIN_SOLVES_COLUMNS ? 3 : 0;
  made->own = method;
  made->method = (sb_minimizer_method){.name = method->name,
                                       .summary = method->summary,
                                       .uses = sb_arena_format(arena, "plugin_options%s%s",
                                                               claims & SB_PLUGIN_SEES_NET ? " visits" : "",
                                                               columns > 0 ? " linear" : ""),
                                       .reads = claims & SB_PLUGIN_CONTACT_IN_G ? "contact_implicit" : NULL,
                                       .digest = digest,
                                       .claims = claims,
                                       .traits = traits_of(claims),
                                       .columns = columns,
                                       .refuses_law = claims & SB_PLUGIN_SEES_NET ? refuses_law : NULL,
                                       .state_bytes = sizeof(plugin_state),
                                       .prepare = prepare,
                                       .begin = begin,
                                       .iterate = iterate,
                                       .destroy = destroy};
  return &made->method.entry;
}
