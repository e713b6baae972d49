/* SPDX-License-Identifier: GPL-3.0-or-later */
/* petsc_ts: any time integrator of PETSc by its options, on the same forces; by default the implicit midpoint rule.
 *
 *     x' = v,  m v' = f(x, t) + dampers(x, v) - c v + m g
 *
 * as a system of first order in (x, h v), both in metres, six numbers per vertex; or, if option `petsc_ts` chooses
 * alpha2, as one of second order. Abhyankar, Brown, Constantinescu, Ghosh, Smith, Zhang: PETSc/TS, 2018.
 *
 * A step of TS is one of springbench's, h long, unless an adaptor makes it several. Methods of one step start from (x,
 * v) each time; those with a history keep it while the state is unchanged, and start without one after a restart.
 * Newton's matrix has the springs, penalty contact and drag; dampers and air are only in the residual. Contact acts on
 * a step as in runge_kutta.c. Friction counts the impulse that the penalty force had in the step, which the stages of
 * rk and theta give; other types do not, and are refused with friction. */
#include <math.h>
#include <petscts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "model/system/assembly.h"
#include "model/system/external.h"
#include "model/system/flops.h"
#include "solvers/integrate/explicit.h"
#include "solvers/integrate/growth.h"
#include "solvers/linear/ksp_outcome.h"
#include "solvers/linear/petsc_database.h"
#include "solvers/linear/petsc_text.h"

typedef struct {
  sb_explicit explicit; /* position and velocity are the state that TS evaluates */
  sb_system *system;
  char      *text, *prefix;
  TS         ts;
  bool       second_order, remembers, names_checked, under_way;
  Vec        u, rate;   /* over unknowns: x, and v in another vector; or (x, h v), only in `u` */
  Vec        at;        /* full: where stiffness is taken */
  Mat        stiffness; /* over unknowns; with second_order the vector that TS solves with */
  Mat        slope;     /* else that: d(x', h v')/d(x, h v) */
  double    *values;    /* of `slope`, in the order of its coordinates */
  double    *start;     /* [2][count] x and v before the step */
  double    *mean;      /* [count] m/s: with contact, mean velocity of the step */
  double    *pushed[2]; /* [count] m: with contact, mean positions of the penalty force's impulse on v+ and on `mean` */
  double     origin;    /* s: the time that TS calls 0 */
} petsc_ts;

/* ---- between TS's vectors and arrays of vertices ---- */

/* x and v of the k-th unknown vertex: the coordinates of `rate` are of its velocity. */
static void place(petsc_ts *p, const double *u, const double *rate)
{
  const sb_system *s = p->system;
  sb_explicit     *e = &p->explicit;
  const PetscInt   each = p->second_order ? 3 : 6;
  const double     scale = p->second_order ? 1 : 1 / e->h_seconds;
  for (PetscInt i = 0; i < s->owned_unknown; ++i)
    for (PetscInt c = 0, k = 3 * s->unknown_vertex[i]; c < 3; ++c) {
      e->position[k + c] = u[each * i + c];
      e->velocity[k + c] = scale * rate[each * i + c];
    }
}

static PetscErrorCode read_state(petsc_ts *p, Vec u, Vec rate, double t)
{
  const double *first, *second;
  sb_explicit  *e = &p->explicit;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(u, &first));
  PetscCall(VecGetArrayRead(rate, &second));
  place(p, first, p->second_order ? second : first + 3);
  PetscCall(VecRestoreArrayRead(rate, &second));
  PetscCall(VecRestoreArrayRead(u, &first));
  if (!e->moves_pins) PetscFunctionReturn(0);
  sb_system_place_pins(p->system, t, e->position);
  sb_explicit_hold_pins(e);
  PetscFunctionReturn(0);
}

static PetscErrorCode write_state(petsc_ts *p)
{
  const sb_system   *s = p->system;
  const sb_explicit *e = &p->explicit;
  const PetscInt     each = p->second_order ? 3 : 6;
  const double       scale = p->second_order ? 1 : e->h_seconds;
  double            *u, *rate;

  PetscFunctionBeginUser;
  PetscCall(VecGetArray(p->u, &u));
  PetscCall(VecGetArray(p->rate, &rate));
  double *velocity = p->second_order ? rate : u + 3;
  for (PetscInt i = 0; i < s->owned_unknown; ++i)
    for (PetscInt c = 0, k = 3 * s->unknown_vertex[i]; c < 3; ++c) {
      u[each * i + c] = e->position[k + c];
      velocity[each * i + c] = scale * e->velocity[k + c];
    }
  PetscCall(VecRestoreArray(p->rate, &rate));
  PetscCall(VecRestoreArray(p->u, &u));
  PetscFunctionReturn(0);
}

/* total = all forces but drag and gravity. */
static PetscErrorCode find_forces(petsc_ts *p, double t)
{
  PetscFunctionBeginUser;
  PetscCall(sb_explicit_forces(&p->explicit, t));
  PetscCall(sb_explicit_damp(&p->explicit));
  PetscFunctionReturn(0);
}

/* stiffness = mass_scale M + K at the position of the vertices. */
static PetscErrorCode find_stiffness(petsc_ts *p, double mass_scale, double t)
{
  sb_system   *s = p->system;
  sb_explicit *e = &p->explicit;
  double      *at;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayWrite(p->at, &at));
  memcpy(at, e->position, (size_t)e->count * sizeof *at);
  PetscCall(VecRestoreArrayWrite(p->at, &at));
  if (s->contact && sb_contact_pushes(s->contact))
    PetscCall(sb_system_assemble_contact_hessian(s, SB_HESSIAN_EXACT, mass_scale, t, p->at, p->stiffness));
  else
    PetscCall(sb_system_assemble_hessian(s, SB_HESSIAN_EXACT, mass_scale, p->at, p->stiffness));
  PetscCall(sb_log_pass(s, SB_OPERATION_ASSEMBLY, SB_FLOPS_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* ---- first order ---- */

static PetscErrorCode find_rates(TS ts, PetscReal t, Vec u, Vec rates, void *state)
{
  petsc_ts        *p = state;
  const sb_system *s = p->system;
  sb_explicit     *e = &p->explicit;
  double          *rate;

  PetscFunctionBeginUser;
  (void)ts;
  PetscCall(read_state(p, u, u, p->origin + t));
  PetscCall(find_forces(p, p->origin + t));
  PetscCall(VecGetArrayWrite(rates, &rate));
  for (PetscInt i = 0; i < s->owned_unknown; ++i)
    for (PetscInt c = 0; c < 3; ++c) {
      const PetscInt k = 3 * s->unknown_vertex[i] + c;
      const double   v = e->velocity[k], a = e->inverse_mass[k] * (e->total[k] - e->drag * v) + e->gravity[k];
      rate[6 * i + c] = v;
      rate[6 * i + 3 + c] = e->h_seconds * a;
    }
  PetscCall(VecRestoreArrayWrite(rates, &rate));
  PetscFunctionReturn(0);
}

/* Row by row of stiffness, in the order in which create_slope gave the coordinates. */
static PetscErrorCode find_slope(TS ts, PetscReal t, Vec u, Mat A, Mat B, void *state)
{
  petsc_ts          *p = state;
  const sb_system   *s = p->system;
  const sb_explicit *e = &p->explicit;
  double            *value = p->values;

  PetscFunctionBeginUser;
  (void)ts;
  (void)A;
  PetscCall(read_state(p, u, u, p->origin + t));
  PetscCall(find_stiffness(p, 0, p->origin + t));
  for (PetscInt i = 0; i < 3 * s->owned_unknown; ++i) {
    const double   inverse = 1 / s->mass[s->unknown_vertex[i / 3]];
    const PetscInt row = 3 * s->first_unknown + i;
    const double  *stiffness;
    PetscInt       count;
    *value++ = 0;
    *value++ = 1 / e->h_seconds;
    *value++ = -e->drag * inverse;
    PetscCall(MatGetRow(p->stiffness, row, &count, NULL, &stiffness));
    for (PetscInt k = 0; k < count; ++k) *value++ = -e->h_seconds * inverse * stiffness[k];
    PetscCall(MatRestoreRow(p->stiffness, row, &count, NULL, &stiffness));
  }
  PetscCall(MatSetValuesCOO(B, p->values, INSERT_VALUES));
  PetscFunctionReturn(0);
}

/* The column of x of a coordinate of the unknowns in (x, h v); that of h v is 3 later. */
static PetscInt column(PetscInt coordinate) { return 6 * (coordinate / 3) + coordinate % 3; }

static void add_coordinate(PetscInt **row, PetscInt **col, PetscInt i, PetscInt k)
{
  *(*row)++ = i;
  *(*col)++ = k;
}

static PetscErrorCode list_coordinates(petsc_ts *p, PetscInt *row, PetscInt *col)
{
  const PetscInt first = 3 * p->system->first_unknown, end = first + 3 * p->system->owned_unknown;

  PetscFunctionBeginUser;
  for (PetscInt i = first; i < end; ++i) {
    const PetscInt x = column(i), *neighbour;
    PetscInt       count;
    add_coordinate(&row, &col, x, x);
    add_coordinate(&row, &col, x, x + 3);
    add_coordinate(&row, &col, x + 3, x + 3);
    PetscCall(MatGetRow(p->stiffness, i, &count, &neighbour, NULL));
    for (PetscInt k = 0; k < count; ++k) add_coordinate(&row, &col, x + 3, column(neighbour[k]));
    PetscCall(MatRestoreRow(p->stiffness, i, &count, &neighbour, NULL));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode create_slope(petsc_ts *p)
{
  const sb_system *s = p->system;
  PetscInt        *row, *col, size;
  PetscCount       entries;
  MatInfo          info;

  PetscFunctionBeginUser;
  PetscCall(MatGetInfo(p->stiffness, MAT_LOCAL, &info));
  entries = (PetscCount)info.nz_used + 9 * (PetscCount)s->owned_unknown;
  PetscCall(PetscMalloc1(entries, &p->values));
  PetscCall(PetscMalloc2(entries, &row, entries, &col));
  PetscCall(list_coordinates(p, row, col));
  PetscCall(VecGetLocalSize(p->u, &size));
  PetscCall(MatCreate(s->comm, &p->slope));
  PetscCall(MatSetSizes(p->slope, size, size, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(p->slope, MATAIJ));
  PetscCall(MatSetPreallocationCOO(p->slope, entries, row, col));
  PetscCall(PetscFree2(row, col));
  PetscFunctionReturn(0);
}

/* ---- second order ---- */

/* residual = m a + c v - f - m g */
static PetscErrorCode find_residual(TS ts, PetscReal t, Vec u, Vec v, Vec a, Vec residual, void *state)
{
  petsc_ts        *p = state;
  const sb_system *s = p->system;
  sb_explicit     *e = &p->explicit;
  const double    *acceleration;
  double          *out;

  PetscFunctionBeginUser;
  (void)ts;
  PetscCall(read_state(p, u, v, p->origin + t));
  PetscCall(find_forces(p, p->origin + t));
  PetscCall(VecGetArrayRead(a, &acceleration));
  PetscCall(VecGetArrayWrite(residual, &out));
  for (PetscInt i = 0; i < s->owned_unknown; ++i)
    for (PetscInt c = 0; c < 3; ++c) {
      const PetscInt k = 3 * s->unknown_vertex[i] + c;
      const double   m = s->mass[s->unknown_vertex[i]];
      out[3 * i + c] = m * (acceleration[3 * i + c] - e->gravity[k]) + e->drag * e->velocity[k] - e->total[k];
    }
  PetscCall(VecRestoreArrayWrite(residual, &out));
  PetscCall(VecRestoreArrayRead(a, &acceleration));
  PetscFunctionReturn(0);
}

static PetscErrorCode find_residual_slope(TS ts, PetscReal t, Vec u, Vec v, Vec a, PetscReal of_v, PetscReal of_a,
                                          Mat A, Mat B, void *state)
{
  petsc_ts *p = state;

  PetscFunctionBeginUser;
  (void)ts;
  (void)a;
  (void)A;
  PetscCall(read_state(p, u, v, p->origin + t));
  PetscCall(find_stiffness(p, of_a, p->origin + t));
  if (p->explicit.drag != 0) PetscCall(MatShift(B, of_v * p->explicit.drag));
  PetscFunctionReturn(0);
}

/* ---- the method ---- */

static PetscErrorCode create_vectors(petsc_ts *p)
{
  sb_system *s = p->system;

  PetscFunctionBeginUser;
  PetscCall(sb_system_create_block_matrix(s, &p->stiffness));
  PetscCall(sb_system_create_full(s, &p->at));
  if (p->second_order) {
    PetscCall(sb_system_create_unknowns(s, &p->u));
    PetscCall(sb_system_create_unknowns(s, &p->rate));
  } else {
    PetscCall(VecCreateMPI(s->comm, 6 * s->owned_unknown, PETSC_DETERMINE, &p->u));
    PetscCall(PetscObjectReference((PetscObject)p->u));
    p->rate = p->u;
    PetscCall(create_slope(p));
  }
  PetscFunctionReturn(0);
}

/* Defaults of the text: midpoint; Newton's method to rounding, without a line search, which at rounding finds no
 * descent; and a direct factorisation. */
static PetscErrorCode choose_defaults(petsc_ts *p)
{
  SNES           snes;
  SNESLineSearch search;
  KSP            ksp;
  PC             pc;
  TSAdapt        adapt;

  PetscFunctionBeginUser;
  PetscCall(TSSetType(p->ts, p->second_order ? TSALPHA2 : TSTHETA));
  PetscCall(TSGetAdapt(p->ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  PetscCall(TSGetSNES(p->ts, &snes));
  PetscCall(SNESSetTolerances(snes, 0, 1e-12, 1e-13, 50, PETSC_MAX_INT));
  PetscCall(SNESGetLineSearch(snes, &search));
  PetscCall(SNESLineSearchSetType(search, SNESLINESEARCHBASIC));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  if (p->system->ranks > 1) PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  PetscFunctionReturn(0);
}

static PetscErrorCode build(void *state)
{
  petsc_ts *p = state;

  PetscFunctionBeginUser;
  PetscCall(TSDestroy(&p->ts));
  PetscCall(TSCreate(p->system->comm, &p->ts));
  PetscCall(TSSetOptionsPrefix(p->ts, p->prefix));
  PetscCall(TSSetProblemType(p->ts, TS_NONLINEAR));
  if (p->second_order) {
    PetscCall(TSSetI2Function(p->ts, NULL, find_residual, p));
    PetscCall(TSSetI2Jacobian(p->ts, p->stiffness, p->stiffness, find_residual_slope, p));
    PetscCall(TS2SetSolution(p->ts, p->u, p->rate));
  } else {
    PetscCall(TSSetRHSFunction(p->ts, NULL, find_rates, p));
    PetscCall(TSSetRHSJacobian(p->ts, p->slope, p->slope, find_slope, p));
    PetscCall(TSSetSolution(p->ts, p->u));
  }
  PetscCall(TSSetTimeStep(p->ts, p->explicit.h_seconds));
  PetscCall(TSSetExactFinalTime(p->ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetMaxSteps(p->ts, PETSC_MAX_INT));
  PetscCall(TSSetErrorIfStepFails(p->ts, PETSC_FALSE));
  PetscCall(choose_defaults(p));
  PetscCall(TSSetFromOptions(p->ts));
  p->under_way = false;
  PetscFunctionReturn(0);
}

static PetscErrorCode build_for_user(petsc_ts *p)
{
  return sb_petsc_obey(p->system->comm, build, p, "petsc_ts", p->text);
}

/* True if the value of an option is one of `words`, which are between spaces; `missing` if the text does not have the
 * option. */
static bool value_is_among(const char *text, const char *option, const char *words, bool missing)
{
  sb_petsc_entry entry;
  char           word[32];
  if (!sb_petsc_text_find(text, option, &entry)) return missing;
  if (entry.value_length >= sizeof word) return false;
  memcpy(word, entry.value, entry.value_length);
  word[entry.value_length] = '\0';
  return sb_has_word(words, word);
}

static PetscErrorCode prepare(void *state, const sb_integrator_setup *setup)
{
  petsc_ts *p = state;

  PetscFunctionBeginUser;
  p->system = setup->system;
  p->text = sb_petsc_text_expand(SB_TEXT(setup->options, petsc_ts));
  p->second_order = value_is_among(p->text, "-ts_type", "alpha2", false);
  p->remembers = value_is_among(p->text, "-ts_type", "alpha2 alpha bdf glle", false);
  PetscCall(sb_explicit_prepare(&p->explicit, setup, p->remembers));
  PetscCall(PetscMalloc4(2 * (size_t)p->explicit.count, &p->start, p->explicit.count, &p->mean, p->explicit.count,
                         &p->pushed[0], p->explicit.count, &p->pushed[1]));
  PetscCall(create_vectors(p));
  p->prefix = sb_petsc_prefix_take("sb_integrator_");
  PetscCall(sb_petsc_database_insert(p->text, p->prefix));
  PetscCall(build_for_user(p));
  PetscFunctionReturn(0);
}

/* A step that does not start from the solution of the last one. */
static bool is_disturbed(const petsc_ts *p)
{
  const sb_explicit *e = &p->explicit;
  return !p->remembers || !p->under_way || e->factor != 1 || e->filters || e->resolves || e->moves_pins;
}

static PetscErrorCode start_step(petsc_ts *p, int64_t step)
{
  sb_explicit *e = &p->explicit;
  double       now;

  PetscFunctionBeginUser;
  sb_explicit_begin_step(e, step);
  memcpy(p->start, e->position, (size_t)e->count * sizeof *p->start);
  memcpy(p->start + e->count, e->velocity, (size_t)e->count * sizeof *p->start);
  if (is_disturbed(p)) {
    PetscCall(write_state(p));
    p->origin = (double)step * e->h_seconds;
    PetscCall(TSSetTime(p->ts, 0));
    PetscCall(TSRestartStep(p->ts));
  }
  p->under_way = true;
  PetscCall(TSGetTime(p->ts, &now));
  PetscCall(TSSetTimeStep(p->ts, e->h_seconds));
  PetscCall(TSSetMaxTime(p->ts, now + e->h_seconds));
  PetscFunctionReturn(0);
}

/* PETSc's reason for a step that did not reach its end; the state is that of its start. */
static void refuse_step(petsc_ts *p, int64_t step, const char *why, sb_status status, sb_advance_report *report)
{
  sb_explicit *e = &p->explicit;
  memcpy(e->position, p->start, (size_t)e->count * sizeof *p->start);
  memcpy(e->velocity, p->start + e->count, (size_t)e->count * sizeof *p->start);
  p->under_way = false;
  report->status = status;
  snprintf(report->reason, sizeof report->reason, "step %lld (t = %.6g s): %s", (long long)(step + 1),
           (double)(step + 1) * e->h_seconds, why);
}

/* The weights of stages in v+ are b_i, those in the mean velocity sum_j b_j a_ji: with these the means of the stages'
 * positions and times, and the time for which all of them act. */
static PetscErrorCode average_stages(petsc_ts *p, double start_seconds, sb_contact_push push[2])
{
  const sb_system *s = p->system;
  const double     h = p->explicit.h_seconds;
  const PetscReal *a, *b, *c;
  PetscInt         stages;
  Vec             *stage;

  PetscFunctionBeginUser;
  PetscCall(TSRKGetTableau(p->ts, &stages, &a, &b, &c, NULL, NULL, NULL, NULL));
  PetscCall(TSGetStages(p->ts, &stages, &stage));
  for (int i = 0; i < 2; ++i) {
    double sum = 0, at = 0;
    memcpy(p->pushed[i], p->start, (size_t)p->explicit.count * sizeof(double));
    for (PetscInt k = 0; k < stages; ++k) {
      const double *u;
      double        weight = i == 0 ? b[k] : 0;
      for (PetscInt j = 0; j < stages && i == 1; ++j) weight += b[j] * a[j * stages + k];
      sum += weight;
      at += weight * c[k];
      PetscCall(VecGetArrayRead(stage[k], &u));
      for (PetscInt n = 0; n < 3 * s->owned_unknown; ++n) {
        const PetscInt own = 3 * s->unknown_vertex[n / 3] + n % 3;
        p->pushed[i][own] += weight * (u[6 * (n / 3) + n % 3] - p->start[own]);
      }
      PetscCall(VecRestoreArrayRead(stage[k], &u));
    }
    for (PetscInt n = 0; n < p->explicit.count && sum > 0; ++n)
      p->pushed[i][n] = p->start[n] + (p->pushed[i][n] - p->start[n]) / sum;
    push[i] = (sb_contact_push){sum * h, start_seconds + (sum > 0 ? at / sum : 0) * h, p->pushed[i]};
  }
  PetscFunctionReturn(0);
}

/* theta acts on v+ at the part theta of the way, whether in one stage or as a mean of both ends, and for theta h on the
 * mean velocity. euler is theta = 0. For other types it is needed only with friction, which is refused. */
static PetscErrorCode find_pushes(petsc_ts *p, double start_seconds, sb_contact_push push[2])
{
  const sb_explicit *e = &p->explicit;
  const double       h = e->h_seconds;
  PetscReal          theta = 0;
  PetscBool          is_rk, is_theta;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompare((PetscObject)p->ts, TSRK, &is_rk));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)p->ts, &is_theta, TSTHETA, TSBEULER, TSCN, ""));
  if (is_rk) {
    PetscCall(average_stages(p, start_seconds, push));
    PetscFunctionReturn(0);
  }
  if (is_theta) PetscCall(TSThetaGetTheta(p->ts, &theta));
  for (PetscInt k = 0; k < e->count; ++k) p->pushed[0][k] = p->start[k] + theta * (e->position[k] - p->start[k]);
  push[0] = (sb_contact_push){h, start_seconds + theta * h, p->pushed[0]};
  push[1] = (sb_contact_push){theta * h, start_seconds + theta * h, p->pushed[0]};
  PetscFunctionReturn(0);
}

/* As runge_kutta.c: contact acts on the mean velocity of the step where it began, before it moves the position, and on
 * the new one at its end. */
static PetscErrorCode finish_step(petsc_ts *p, int64_t step, sb_advance_report *report)
{
  sb_explicit    *e = &p->explicit;
  const double    h = e->h_seconds;
  sb_contact_push push[2] = {{0}};

  PetscFunctionBeginUser;
  if (e->filters) PetscCall(find_pushes(p, (double)step * h, push));
  for (PetscInt k = 0; k < e->count && e->filters; ++k) p->mean[k] = (e->position[k] - p->start[k]) / h;
  sb_explicit_filter(e, (double)step * h, &push[1], p->start, p->mean);
  for (PetscInt k = 0; k < e->count && e->filters; ++k) e->position[k] = p->start[k] + h * p->mean[k];
  for (PetscInt k = 0; k < e->count; ++k) e->velocity[k] *= e->factor;
  sb_explicit_place_pins(e);
  sb_explicit_hold_pins(e);
  PetscCall(sb_explicit_resolve(e, step, report));
  push[0].seconds *= e->factor;
  if (report->status == SB_OK) sb_explicit_filter(e, (double)(step + 1) * h, &push[0], e->position, e->velocity);
  PetscFunctionReturn(0);
}

static PetscErrorCode tell_failure(petsc_ts *p, const char **why)
{
  SNES                snes;
  SNESConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(TSGetSNES(p->ts, &snes));
  PetscCall(SNESGetConvergedReason(snes, &reason));
  *why = reason == SNES_DIVERGED_FNORM_NAN      ? "TS: its nonlinear solver found a value that is not finite"
         : reason == SNES_DIVERGED_LINEAR_SOLVE ? "TS: its linear solver failed"
         : reason < 0                           ? "TS: its nonlinear solver did not converge"
                                                : "TS: it found no step";
  PetscFunctionReturn(0);
}

static PetscErrorCode take_step(petsc_ts *p, int64_t step, sb_advance_report *report)
{
  TSConvergedReason reason;
  const char       *why;

  PetscFunctionBeginUser;
  PetscCall(start_step(p, step));
  PetscCall(PetscPushErrorHandler(sb_petsc_return_error, NULL));
  const PetscErrorCode failed = TSSolve(p->ts, NULL);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(failed != PETSC_ERR_MEM, PETSC_COMM_SELF, PETSC_ERR_MEM, "petsc_ts ran out of memory");
  if (failed) {
    const sb_outcome outcome = sb_petsc_error_outcome(failed, &why);
    refuse_step(p, step, why, sb_status_of_outcome(outcome), report);
    PetscCall(build_for_user(p));
    PetscFunctionReturn(0);
  }
  if (!p->names_checked) PetscCall(sb_petsc_database_check_read(p->text, p->prefix, "petsc_ts"));
  p->names_checked = true;
  PetscCall(TSGetConvergedReason(p->ts, &reason));
  if (reason < 0) {
    PetscCall(tell_failure(p, &why));
    refuse_step(p, step, why, SB_CASE_NOT_CONVERGED, report);
    PetscFunctionReturn(0);
  }
  PetscCall(read_state(p, p->u, p->rate, (double)(step + 1) * p->explicit.h_seconds));
  PetscCall(finish_step(p, step, report));
  PetscFunctionReturn(0);
}

static PetscErrorCode advance(void *state, int64_t first_step, int64_t steps, Vec x, Vec v, sb_advance_report *report)
{
  petsc_ts    *p = state;
  sb_explicit *e = &p->explicit;
  int64_t      step = first_step;

  PetscFunctionBeginUser;
  PetscCall(sb_explicit_begin(e, step, x, v));
  if (!e->resumed) p->under_way = false;
  while (step < first_step + steps && report->status == SB_OK) {
    PetscCall(take_step(p, step, report));
    if (report->status != SB_OK) break;
    PetscCall(sb_bounds_finish_step(&e->bounds, ++step, e->position, report));
  }
  PetscCall(sb_explicit_end(e, step));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  petsc_ts *p = state;

  PetscFunctionBeginUser;
  PetscCall(TSDestroy(&p->ts));
  PetscCall(MatDestroy(&p->stiffness));
  PetscCall(MatDestroy(&p->slope));
  PetscCall(VecDestroy(&p->u));
  PetscCall(VecDestroy(&p->rate));
  PetscCall(VecDestroy(&p->at));
  PetscCall(PetscFree(p->values));
  PetscCall(PetscFree4(p->start, p->mean, p->pushed[0], p->pushed[1]));
  PetscCall(sb_explicit_destroy(&p->explicit));
  if (p->prefix) PetscCall(sb_petsc_database_remove(p->text, p->prefix));
  sb_petsc_prefix_give_back(p->prefix);
  free(p->text);
  PetscFunctionReturn(0);
}

/* (1 - A/2)^-1 (1 + A/2) with A = [0 1; -z^2 -d]; the velocity times f. */
static double growth(double z, double d, double f)
{
  const double q = z * z / 4, below = 1 + d / 2 + q;
  return sb_spectral_radius(
      2, (double[]){(1 + d / 2 - q) / below, 1 / below, -f * z * z / below, f * (1 - d / 2 - q) / below});
}

static double phase(double z) { return 2 * atan(z / 2); }

static bool is_another(const sb_options *options) { return *SB_TEXT(options, petsc_ts) != '\0'; }

static const char *refuses_friction(const sb_options *options)
{
  const char *text = SB_TEXT(options, petsc_ts);
  if (!value_is_among(text, "-ts_type", "theta beuler cn rk euler", true))
    return "it needs the impulse of the penalty force in a step, which -ts_type theta, beuler, cn, rk and euler give; "
           "use one of these, or contact=cancel_velocity";
  if (!value_is_among(text, "-ts_adapt_type", "none", true))
    return "it needs the impulse of the penalty force in a step, which is unknown if an adaptor splits the step; "
           "leave -ts_adapt_type out, or use contact=cancel_velocity";
  return NULL;
}

const sb_integrator_method sb_integrator_petsc_ts = {
    .name = "petsc_ts",
    .summary =
        "any TS of PETSc, by option petsc_ts; by default the implicit midpoint rule; its claims hold only for that",
    .uses = "petsc_ts",
    .traits = SB_SYMPLECTIC | SB_TIME_SYMMETRIC | SB_CONSERVES_ANGULAR_MOMENTUM | SB_SOLVES | SB_UNCOUNTED_STEPS,
    .order_position = 2,
    .order_velocity = 2,
    .stability_limit = INFINITY,
    .growth = growth,
    .phase = phase,
    .is_another = is_another,
    .refuses_friction = refuses_friction,
    .state_bytes = sizeof(petsc_ts),
    .prepare = prepare,
    .advance = advance,
    .destroy = destroy,
};
