/* Backend jacobi: x+ = x + omega D^-1 (b - A x), with D the diagonal of A (point) or its 3x3 diagonal blocks (vertex).
 *
 * Converges if and only if the spectral radius of I - omega D^-1 A is below 1: for a positive definite A if and only if
 * omega < 2/lambda_max(D^-1 A). lambda_max is below 2 for the scalar matrix of local-global and for Newton's by
 * vertices where its Hessian is projected, and at most 6 for that by points, where omega = 1 may diverge. The fastest
 * omega is 2/(lambda_min + lambda_max); auto takes both ends from a few iterations of conjugate gradients with D as
 * preconditioner, whose Ritz values lie inside the spectrum, lambda_max with a margin (Golub, Van Loan 2013, section
 * 10.1). Where D is positive definite and A is not, no omega makes the iteration converge. Divergence (a residual 1e4
 * times the first, or not finite) ends a solve with that reason. */
#include <float.h>
#include <math.h>
#include <petscksp.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "solvers/linear/csr.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/linear/residual.h"

#define GROWTH_MAX 1e4
#define MARGIN     1.1                 /* of the estimate of lambda_max, which lies below it: docs/decisions.md */
#define PIVOT_MIN  (4.0 * DBL_EPSILON) /* of a diagonal block, relative to its largest entry */

enum { VERTEX = 3, COLUMNS_MAX = 3, RITZ_ITERATIONS = 16 };

typedef struct {
  double   omega;
  bool     automatic; /* omega is found anew for every matrix */
  int      block, columns;
  KSP      spectrum; /* of D^-1 A, for automatic alone */
  Mat      product;  /* A, or A (x) I_3 for three columns */
  Vec      residual; /* b's shape */
  double  *inverse;  /* [rows] 1/a_ii, or [rows/3][3][3] inverses of diagonal blocks, row-major */
  PetscInt rows;     /* of A, on this rank */
} jacobi_state;

static PetscErrorCode configure(void *state, MPI_Comm comm, const sb_options *options, const char *prefix, int columns)
{
  jacobi_state *s = state;

  PetscFunctionBeginUser;
  (void)prefix;
  s->automatic = SB_IS(options, jacobi_omega, "auto");
  s->omega = SB_REAL(options, jacobi_omega);
  s->columns = columns;
  s->block = (int)SB_INTEGER(options, jacobi_block);
  PetscCheck(s->block == 1 || s->block == VERTEX, comm, PETSC_ERR_USER,
             "jacobi_block is 1 (point) or 3 (vertex), not %d", s->block);
  if (columns > 1) s->block = 1; /* a scalar matrix has one row a vertex */
  PetscFunctionReturn(0);
}

static PetscErrorCode release(jacobi_state *s)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&s->product));
  PetscCall(VecDestroy(&s->residual));
  PetscCall(KSPDestroy(&s->spectrum));
  free(s->inverse);
  s->inverse = NULL;
  PetscFunctionReturn(0);
}

/* z = D^-1 r, of one column. */
static PetscErrorCode apply_inverse(PC pc, Vec r, Vec z)
{
  jacobi_state *s;
  const double *in;
  double       *out;

  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &s));
  PetscCall(VecGetArrayRead(r, &in));
  PetscCall(VecGetArrayWrite(z, &out));
  for (PetscInt i = 0; i < s->rows; ++i) {
    const double *row = s->inverse + s->block * i, *part = in + i - i % s->block;
    out[i] = 0;
    for (int j = 0; j < s->block; ++j) out[i] += row[j] * part[j];
  }
  PetscCall(VecRestoreArrayWrite(z, &out));
  PetscCall(VecRestoreArrayRead(r, &in));
  PetscFunctionReturn(0);
}

/* Matrices that are not known to be symmetric get GMRES. The extreme singular values of its Hessenberg matrix, which
 * lie between those of D^-1 A, stand for the ends of the spectrum: an estimate that nothing bounds. */
static PetscErrorCode create_spectrum(jacobi_state *s, Mat A)
{
  PetscBool known, symmetric;
  PC        pc;

  PetscFunctionBeginUser;
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &s->spectrum));
  PetscCall(KSPSetType(s->spectrum, known && symmetric ? KSPCG : KSPGMRES));
  PetscCall(KSPSetOperators(s->spectrum, A, A));
  PetscCall(KSPSetComputeSingularValues(s->spectrum, PETSC_TRUE));
  PetscCall(KSPSetConvergenceTest(s->spectrum, KSPConvergedSkip, NULL, NULL));
  PetscCall(KSPSetTolerances(s->spectrum, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, RITZ_ITERATIONS));
  PetscCall(KSPGetPC(s->spectrum, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, s));
  PetscCall(PCShellSetApply(pc, apply_inverse));
  PetscFunctionReturn(0);
}

static PetscErrorCode analyze(void *state, Mat A, bool definite)
{
  jacobi_state *s = state;

  PetscFunctionBeginUser;
  (void)definite;
  PetscCall(release(s));
  PetscCall(sb_product_create(A, s->columns, &s->product));
  PetscCall(MatCreateVecs(s->product, NULL, &s->residual));
  PetscCall(MatGetLocalSize(A, &s->rows, NULL));
  PetscCheck(s->rows % s->block == 0, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "jacobi_block 3 needs whole vertices on each rank, not %d rows", (int)s->rows);
  s->inverse = calloc((size_t)s->rows * (size_t)s->block + 1, sizeof *s->inverse);
  PetscCheck(s->inverse, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %d diagonal blocks", (int)s->rows);
  if (s->automatic) PetscCall(create_spectrum(s, A));
  PetscFunctionReturn(0);
}

/* The diagonal block that starts at `first`, [block][block] row-major. */
static void read_block(const sb_csr *csr, PetscInt first, int block, double *D)
{
  for (int i = 0; i < block * block; ++i) D[i] = 0.0;
  for (PetscInt row = first; row < first + block; ++row) {
    for (PetscInt k = csr->start[row]; k < csr->start[row + 1]; ++k) {
      const PetscInt column = csr->column[k] - first;
      if (column >= 0 && column < block) D[(row - first) * block + column] = csr->value[k];
    }
  }
}

/* Row `to` of the n by n pair [D | E] minus `factor` times row `from`. */
static void subtract_row(int n, int to, int from, double factor, double *D, double *E)
{
  for (int j = 0; j < n; ++j) {
    D[to * n + j] -= factor * D[from * n + j];
    E[to * n + j] -= factor * E[from * n + j];
  }
}

static void swap_rows(int n, int a, int b, double *D)
{
  for (int j = 0; j < n; ++j) {
    const double kept = D[a * n + j];
    D[a * n + j] = D[b * n + j];
    D[b * n + j] = kept;
  }
}

/* D <- D^-1 for n <= 3 by Gauss-Jordan with row exchanges. False when D is singular to working precision. */
static bool invert(int n, double *D)
{
  double E[VERTEX * VERTEX] = {0.0}, largest = 0.0;
  for (int i = 0; i < n * n; ++i) largest = fmax(largest, fabs(D[i]));
  for (int i = 0; i < n; ++i) E[i * n + i] = 1.0;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) pivot = fabs(D[i * n + k]) > fabs(D[pivot * n + k]) ? i : pivot;
    swap_rows(n, k, pivot, D);
    swap_rows(n, k, pivot, E);
    if (!(fabs(D[k * n + k]) >= fmax(DBL_MIN, PIVOT_MIN * largest))) return false;
    for (int i = 0; i < n; ++i) {
      if (i != k) subtract_row(n, i, k, D[i * n + k] / D[k * n + k], D, E);
    }
  }
  for (int i = 0; i < n * n; ++i) E[i] /= D[i / n * n + i / n];
  for (int i = 0; i < n * n; ++i) D[i] = E[i];
  return true;
}

/* omega = 2/(lambda_min + lambda_max), from a start without symmetry that is the same on any number of ranks. */
static PetscErrorCode find_omega(jacobi_state *s, Mat A, sb_outcome *outcome, sb_factor_facts *facts)
{
  KSPConvergedReason reason;
  PetscReal          largest, smallest;
  PetscInt           first, end;
  Vec                b, x;
  double            *value;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecGetOwnershipRange(b, &first, &end));
  PetscCall(VecGetArrayWrite(b, &value));
  for (PetscInt i = first; i < end; ++i) value[i - first] = 2 * sb_random_unit(1, (uint64_t)i) - 1;
  PetscCall(VecRestoreArrayWrite(b, &value));
  PetscCall(KSPSetOperators(s->spectrum, A, A));
  PetscCall(KSPSolve(s->spectrum, b, x));
  PetscCall(KSPGetConvergedReason(s->spectrum, &reason));
  PetscCall(KSPComputeExtremeSingularValues(s->spectrum, &largest, &smallest));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  s->omega = 2 / (fmax(smallest, 0) + MARGIN * largest);
  if (reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_INDEFINITE_PC) {
    *outcome = SB_NOT_SPD;
    facts->reason = "the matrix is not positive definite, and jacobi_omega=auto has no value for others";
  } else if (!(s->omega > 0 && isfinite(s->omega))) {
    *outcome = SB_FAILED;
    facts->reason = "the spectrum of D^-1 A could not be estimated";
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(void *state, Mat A, sb_outcome *outcome, sb_factor_facts *facts)
{
  jacobi_state *s = state;
  Mat           part, off_part;
  sb_csr        csr;
  PetscMPIInt   singular = 0;

  PetscFunctionBeginUser;
  PetscCall(sb_csr_parts(A, &part, &off_part));
  PetscCall(sb_csr_open(part, &csr));
  for (PetscInt row = 0; row < s->rows; row += s->block) {
    double *D = s->inverse + row * s->block;
    read_block(&csr, row, s->block, D);
    if (!invert(s->block, D)) singular = 1;
  }
  PetscCall(sb_csr_close(part, &csr));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &singular, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)A)));
  *outcome = singular ? SB_SINGULAR : SB_SOLVED;
  if (singular) facts->reason = "a diagonal block is singular";
  if (!singular && s->automatic) PetscCall(find_omega(s, A, outcome, facts));
  PetscFunctionReturn(0);
}

/* x += omega D^-1 r. */
static void relax(const jacobi_state *s, const double *restrict r, double *restrict x)
{
  const PetscInt width = s->columns; /* entries a row */
  if (s->block == 1) {
    for (PetscInt i = 0; i < s->rows; ++i) {
      const double step = s->omega * s->inverse[i];
      for (PetscInt j = 0; j < width; ++j) x[width * i + j] += step * r[width * i + j];
    }
    return;
  }
  for (PetscInt i = 0; i < s->rows; ++i) {
    const double *row = s->inverse + VERTEX * i, *part = r + i - i % VERTEX;
    x[i] += s->omega * (row[0] * part[0] + row[1] * part[1] + row[2] * part[2]);
  }
}

static PetscErrorCode column_norms(const jacobi_state *s, Vec b, double *norm)
{
  PetscFunctionBeginUser;
  if (s->columns > 1)
    PetscCall(VecStrideNormAll(b, NORM_2, norm));
  else
    PetscCall(VecNorm(b, NORM_2, norm));
  PetscFunctionReturn(0);
}

static PetscErrorCode update_residual(jacobi_state *s, Vec b, Vec x, double *norm)
{
  PetscFunctionBeginUser;
  PetscCall(MatMult(s->product, x, s->residual));
  PetscCall(VecAYPX(s->residual, -1.0, b)); /* r = b - A x */
  PetscCall(column_norms(s, s->residual, norm));
  PetscFunctionReturn(0);
}

/* A column whose right-hand side is zero has the solution zero, which no relative tolerance would find. */
static PetscErrorCode answer_zero_columns(const jacobi_state *s, const double *rhs_norm, Vec x)
{
  PetscFunctionBeginUser;
  for (int column = 0; column < s->columns; ++column)
    if (s->columns > 1 && rhs_norm[column] == 0) PetscCall(VecStrideSet(x, column, 0));
  PetscFunctionReturn(0);
}

static bool is_within(const jacobi_state *s, const double *norm, const double *rhs_norm, double tolerance)
{
  for (int column = 0; column < s->columns; ++column)
    if (!(norm[column] <= tolerance * rhs_norm[column])) return false;
  return true;
}

static bool has_grown(const jacobi_state *s, const double *norm, const double *first, const double *rhs_norm)
{
  for (int column = 0; column < s->columns; ++column)
    if (!(norm[column] <= GROWTH_MAX * fmax(first[column], rhs_norm[column]))) return true;
  return false;
}

static PetscErrorCode advance(jacobi_state *s, Vec x)
{
  const PetscScalar *r;
  PetscScalar       *value;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(s->residual, &r));
  PetscCall(VecGetArray(x, &value));
  relax(s, r, value);
  PetscCall(VecRestoreArray(x, &value));
  PetscCall(VecRestoreArrayRead(s->residual, &r));
  PetscFunctionReturn(0);
}

/* Columns go on together until each is within tolerance by itself, as if each were solved alone. */
static PetscErrorCode solve(void *state, Vec b, Vec x, const sb_goal *goal, sb_report *report)
{
  jacobi_state *s = state;
  double        rhs_norm[COLUMNS_MAX] = {0}, first[COLUMNS_MAX] = {0}, norm[COLUMNS_MAX] = {0};

  PetscFunctionBeginUser;
  PetscCall(column_norms(s, b, rhs_norm));
  PetscCall(answer_zero_columns(s, rhs_norm, x));
  PetscCall(update_residual(s, b, x, first));
  memcpy(norm, first, sizeof norm);
  *report = (sb_report){.outcome = SB_STALLED, .reason = "ran out of iterations"};
  for (PetscInt k = 0;; ++k) {
    report->iterations = k;
    if (has_grown(s, norm, first, rhs_norm)) {
      report->outcome = SB_DIVERGED;
      report->reason = "the residual grew 10000 times: the spectral radius of I - omega D^-1 A exceeds 1";
      break;
    }
    if (goal->relative_tolerance > 0.0 && is_within(s, norm, rhs_norm, goal->relative_tolerance)) {
      report->outcome = SB_SOLVED;
      report->reason = "the residual is within tolerance";
      break;
    }
    if (k == goal->iterations_max) break;
    PetscCall(advance(s, x));
    PetscCall(update_residual(s, b, x, norm));
  }
  if (goal->relative_tolerance == 0.0 && report->outcome == SB_STALLED) {
    report->outcome = SB_TRUNCATED;
    report->reason = "ran exactly the iterations asked for";
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state) { return release(state); }

const sb_linear_backend sb_linear_jacobi = {
    .name = "jacobi",
    .summary = "damped Jacobi iteration, by coordinate or by vertex",
    .uses = "jacobi_omega jacobi_block linear_tolerance linear_max_iterations",
    .traits = SB_UNSYMMETRIC,
    .state_bytes = sizeof(jacobi_state),
    .configure = configure,
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .solve_columns = solve,
    .destroy = destroy,
};
