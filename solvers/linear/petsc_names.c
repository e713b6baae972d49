/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names that PETSc 3.18 has for integrators, Krylov methods, preconditioners and packages of factorisations: a
 * misspelt one ends a case as not converged, with the matrix to blame. Not every build has every one of them; that
 * PETSc says itself, as another PETSc does of all its names. */
#include "solvers/linear/petsc_names.h"

#include <string.h>

#include "base/nearest_name.h"

static const char *const ksp_types[] = {
    "richardson", "chebyshev", "cg",      "groppcg", "pipecg",   "pipecgrr", "pipelcg", "pipeprcg",
    "pipecg2",    "cgne",      "nash",    "stcg",    "gltr",     "fcg",      "pipefcg", "gmres",
    "pipefgmres", "fgmres",    "lgmres",  "dgmres",  "pgmres",   "tcqmr",    "bcgs",    "ibcgs",
    "qmrcgs",     "fbcgs",     "fbcgsr",  "bcgsl",   "pipebcgs", "cgs",      "tfqmr",   "cr",
    "pipecr",     "lsqr",      "preonly", "none",    "qcg",      "bicg",     "minres",  "symmlq",
    "lcd",        "python",    "gcr",     "pipegcr", "tsirm",    "cgls",     "fetidp",  "hpddm",
};

static const char *const pc_types[] = {
    "none",
    "jacobi",
    "sor",
    "lu",
    "qr",
    "shell",
    "amgx",
    "bjacobi",
    "mg",
    "eisenstat",
    "ilu",
    "icc",
    "asm",
    "gasm",
    "ksp",
    "bjkokkos",
    "composite",
    "redundant",
    "spai",
    "nn",
    "cholesky",
    "pbjacobi",
    "vpbjacobi",
    "mat",
    "hypre",
    "parms",
    "fieldsplit",
    "tfs",
    "ml",
    "galerkin",
    "exotic",
    "cp",
    "bfbt",
    "lsc",
    "python",
    "pfmg",
    "smg",
    "syspfmg",
    "redistribute",
    "svd",
    "gamg",
    "chowiluviennacl",
    "rowscalingviennacl",
    "saviennacl",
    "bddc",
    "kaczmarz",
    "telescope",
    "patch",
    "lmvm",
    "hmg",
    "deflation",
    "hpddm",
    "h2opus",
    "mpi",
};

static const char *const solver_types[] = {
    "superlu",   "superlu_dist",  "strumpack", "umfpack", "cholmod",      "klu",          "sparseelemental",
    "elemental", "scalapack",     "essl",      "lusol",   "mumps",        "mkl_pardiso",  "mkl_cpardiso",
    "pastix",    "matlab",        "petsc",     "bas",     "cusparse",     "cusparseband", "cuda",
    "hipsparse", "hipsparseband", "hip",       "kokkos",  "kokkosdevice", "spqr",
};

static const char *const ts_types[] = {
    "euler",    "beuler", "basicsymplectic", "pseudo", "cn",   "sundials", "rk",
    "python",   "theta",  "alpha",           "alpha2", "glle", "glee",     "ssp",
    "arkimex",  "rosw",   "eimex",           "mimex",  "bdf",  "radau5",   "mprk",
    "discgrad", "irk",
};

/* True if the lists are those of the PETSc at hand. */
static bool are_complete(void) { return strncmp(SB_PETSC_VERSION, "3.18.", 5) == 0; }

#define COUNT(names) (sizeof(names) / sizeof *(names))

static const struct {
  const char        *ending;
  const char *const *names;
  size_t             count;
} lists[] = {
    {"-ts_type", ts_types, COUNT(ts_types)},
    {"ksp_type", ksp_types, COUNT(ksp_types)},
    {"pc_type", pc_types, COUNT(pc_types)},
    {"factor_mat_solver_type", solver_types, COUNT(solver_types)},
};

bool sb_petsc_name_known(const char *option, const char *value, const char **near)
{
  const size_t length = strlen(option);
  *near = NULL;
  for (size_t l = 0; l < COUNT(lists); ++l) {
    const size_t ending = strlen(lists[l].ending);
    if (length < ending || strcmp(option + length - ending, lists[l].ending) != 0) continue;
    for (size_t i = 0; i < lists[l].count; ++i)
      if (strcmp(lists[l].names[i], value) == 0) return true;
    *near = sb_nearest_name(value, lists[l].names, lists[l].count);
    return !are_complete();
  }
  return true;
}
