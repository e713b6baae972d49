/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flops of PETSc's solvers that its log lacks; see petsc_flops.h. Measured with PETSc 3.18 (tests/linear/flops.c). */
#include "solvers/linear/petsc_flops.h"

#include <string.h>

#include "base/words.h"

enum { RINFOG_FLOPS = 3, INFOG_ENTRIES = 29 };

/* The result of visiting the parts of a solver. */
typedef struct {
  const char *uncounted;
  double      missing;
} tally;

static PetscErrorCode look_at_pc(PC pc, tally *t);

static void leave(tally *t, const char *name)
{
  if (!t->uncounted) t->uncounted = name;
}

static PetscErrorCode look_at_solvers(PetscInt count, KSP *solvers, tally *t)
{
  PC pc;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < count; ++i) {
    PetscCall(KSPGetPC(solvers[i], &pc));
    PetscCall(look_at_pc(pc, t));
  }
  PetscFunctionReturn(0);
}

/* PETSc has no access to smoothers for the way up that does not create them. */
static PetscErrorCode look_at_levels(PC pc, tally *t)
{
  PetscInt    levels;
  KSP         smoother;
  PetscBool   two;
  const char *prefix;

  PetscFunctionBeginUser;
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PetscOptionsHasName(NULL, prefix, "-pc_mg_distinct_smoothup", &two));
  if (two) leave(t, "multigrid with -pc_mg_distinct_smoothup");
  PetscCall(PCMGGetLevels(pc, &levels));
  for (PetscInt level = 0; level < levels; ++level) {
    PetscCall(PCMGGetSmoother(pc, level, &smoother));
    PetscCall(look_at_solvers(1, &smoother, t));
  }
  PetscFunctionReturn(0);
}

/* PETSc logs one flop per row for Cholesky factors, complete or not, and counts LU of block matrices as if it was block
 * diagonal. A Cholesky factorisation of rows with c_k entries each has sum c_k^2. */
static PetscErrorCode look_at_own_factor(PC pc, Mat factor, tally *t)
{
  Mat             P;
  PetscInt        rows;
  const PetscInt *start, *column;
  PetscBool       scalar, symmetric, known = PETSC_FALSE;
  double          flops = 0;

  PetscFunctionBeginUser;
  PetscCall(PCGetOperators(pc, NULL, &P));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)P, &scalar, MATSEQAIJ, MATMPIAIJ, ""));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &symmetric, PCCHOLESKY, PCICC, ""));
  if (!scalar) leave(t, "PETSc's factors of block matrices");
  if (!scalar || !symmetric) PetscFunctionReturn(0);
  PetscCall(MatGetRowIJ(factor, 0, PETSC_FALSE, PETSC_FALSE, &rows, &start, &column, &known));
  for (PetscInt i = 0; known && start && i < rows; ++i)
    flops += (double)(start[i + 1] - start[i]) * (double)(start[i + 1] - start[i]);
  if (!known || !start) leave(t, "PETSc's Cholesky factors");
  PetscCall(MatRestoreRowIJ(factor, 0, PETSC_FALSE, PETSC_FALSE, &rows, &start, &column, &known));
  t->missing += flops;
  PetscFunctionReturn(0);
}

static PetscErrorCode find_factor(PC pc, Mat *factor, MatSolverType *library)
{
  PetscBool factors;

  PetscFunctionBeginUser;
  *factor = NULL;
  *library = NULL;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &factors, PCLU, PCCHOLESKY, PCILU, PCICC, ""));
  if (factors) PetscCall(PCFactorGetMatrix(pc, factor));
  if (*factor) PetscCall(MatFactorGetSolverType(*factor, library));
  PetscFunctionReturn(0);
}

static PetscErrorCode look_at_factor(PC pc, tally *t)
{
  Mat           factor;
  MatSolverType library;

  PetscFunctionBeginUser;
  PetscCall(find_factor(pc, &factor, &library));
  if (!factor || !library)
    leave(t, "PETSc's factors");
  else if (strcmp(library, MATSOLVERPETSC) == 0)
    PetscCall(look_at_own_factor(pc, factor, t));
  else if (strcmp(library, MATSOLVERCHOLMOD) != 0)
    leave(t, strcmp(library, MATSOLVERMUMPS) == 0 ? "MUMPS" : "a library that factors behind PETSc");
  PetscFunctionReturn(0);
}

/* The inversion of the diagonal blocks of m rows has 2 m^3 flops each. */
static PetscErrorCode look_at_blocks(PC pc, tally *t)
{
  Mat      P;
  PetscInt rows, block;

  PetscFunctionBeginUser;
  PetscCall(PCGetOperators(pc, NULL, &P));
  PetscCall(MatGetLocalSize(P, &rows, NULL));
  PetscCall(MatGetBlockSize(P, &block));
  t->missing += 2.0 * (double)(block * block) * (double)rows;
  PetscFunctionReturn(0);
}

/* The words of SB_PETSC_COUNTED as names that outlive the solver, and others by hand. */
static const char *uncounted_name(PCType type)
{
  return strcmp(type, PCHYPRE) == 0 ? "hypre" : "a preconditioner of PETSc that does not log its operations";
}

static PetscErrorCode look_at_pc(PC pc, tally *t)
{
  PCType   type;
  PetscInt count = 1;
  KSP     *solvers = NULL, one = NULL;

  PetscFunctionBeginUser;
  PetscCall(PCGetType(pc, &type));
  if (!type || !sb_has_word(SB_PETSC_COUNTED, type)) {
    leave(t, uncounted_name(type ? type : ""));
    PetscFunctionReturn(0);
  }
  if (sb_has_word("lu cholesky ilu icc", type)) PetscCall(look_at_factor(pc, t));
  if (strcmp(type, PCPBJACOBI) == 0) PetscCall(look_at_blocks(pc, t));
  if (sb_has_word("mg gamg", type)) PetscCall(look_at_levels(pc, t));
  if (strcmp(type, PCBJACOBI) == 0) PetscCall(PCBJacobiGetSubKSP(pc, &count, NULL, &solvers));
  if (strcmp(type, PCASM) == 0) PetscCall(PCASMGetSubKSP(pc, &count, NULL, &solvers));
  if (strcmp(type, PCREDUNDANT) == 0) PetscCall(PCRedundantGetKSP(pc, &one));
  if (strcmp(type, PCKSP) == 0) PetscCall(PCKSPGetKSP(pc, &one));
  if (solvers || one) PetscCall(look_at_solvers(count, one ? &one : solvers, t));
  PetscFunctionReturn(0);
}

/* Matrices of PETSc's own log their products. */
static PetscErrorCode look_at_matrix(KSP ksp, tally *t)
{
  Mat       A;
  PetscBool own;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &own, MATSEQAIJ, MATMPIAIJ, MATSEQBAIJ, MATMPIBAIJ, MATSEQSBAIJ,
                                      MATMPISBAIJ, MATSEQDENSE, MATMPIDENSE, ""));
  if (!own) leave(t, "matrices of -mat_type");
  PetscFunctionReturn(0);
}

PetscErrorCode sb_petsc_flops_look(KSP ksp, const char **uncounted, double *missing)
{
  tally t = {NULL, 0};

  PetscFunctionBeginUser;
  PetscCall(look_at_matrix(ksp, &t));
  PetscCall(look_at_solvers(1, &ksp, &t));
  *uncounted = t.uncounted;
  *missing = t.missing;
  PetscFunctionReturn(0);
}

/* MUMPS as the solver itself is counted by its own figures, as in mumps.c. L D L^T has one triangle, LU both. */
static PetscErrorCode take_mumps(PC pc, Mat factor, sb_factor_facts *facts)
{
  PetscInt  entries;
  PetscBool lu;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, &lu));
  PetscCall(MatMumpsGetInfog(factor, INFOG_ENTRIES, &entries));
  PetscCall(MatMumpsGetRinfog(factor, RINFOG_FLOPS, &facts->flops_factor));
  facts->nonzeros_factor = entries < 0 ? -1e6 * entries : entries; /* negative: in millions */
  facts->flops_solve = (lu ? 2 : 4) * facts->nonzeros_factor;
  facts->uncounted = NULL;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_petsc_flops_facts(KSP ksp, sb_factor_facts *facts)
{
  PC            pc;
  Mat           factor;
  MatSolverType library;
  PetscBool     hypre, once;
  double        missing;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCHYPRE, &hypre));
  PetscCall(find_factor(pc, &factor, &library));
  facts->package = hypre ? "hypre" : library && strcmp(library, MATSOLVERPETSC) != 0 ? library : NULL;
  PetscCall(sb_petsc_flops_look(ksp, &facts->uncounted, &missing));
  PetscCall(PetscLogFlops(missing));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &once));
  if (once && library && strcmp(library, MATSOLVERMUMPS) == 0) PetscCall(take_mumps(pc, factor, facts));
  PetscFunctionReturn(0);
}
