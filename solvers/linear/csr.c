/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Borrowing the arrays of AIJ matrices; see csr.h. */
#include "solvers/linear/csr.h"

PetscErrorCode sb_csr_parts(Mat A, Mat *diagonal, Mat *off_diagonal)
{
  PetscBool sequential, parallel;
  MatType   type;

  PetscFunctionBeginUser;
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &sequential));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &parallel));
  PetscCheck(sequential || parallel, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "linear solvers need matrices of type aij, not %s", type);
  *diagonal = A;
  *off_diagonal = NULL;
  if (parallel) PetscCall(MatMPIAIJGetSeqAIJ(A, diagonal, off_diagonal, NULL));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_csr_open(Mat part, sb_csr *csr)
{
  PetscBool done;

  PetscFunctionBeginUser;
  PetscCall(MatGetRowIJ(part, 0, PETSC_FALSE, PETSC_FALSE, &csr->rows, &csr->start, &csr->column, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "the matrix gives no access to its rows");
  PetscCall(MatSeqAIJGetArrayRead(part, &csr->value));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_csr_close(Mat part, sb_csr *csr)
{
  PetscBool done;

  PetscFunctionBeginUser;
  PetscCall(MatSeqAIJRestoreArrayRead(part, &csr->value));
  PetscCall(MatRestoreRowIJ(part, 0, PETSC_FALSE, PETSC_FALSE, &csr->rows, &csr->start, &csr->column, &done));
  PetscFunctionReturn(0);
}
