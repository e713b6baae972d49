/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arrays of an AIJ matrix, borrowed: one part on one rank, a diagonal and an off-diagonal part on several. */
#pragma once

#include <petscmat.h>

typedef struct {
  PetscInt           rows;
  const PetscInt    *start, *column; /* [rows + 1], [start[rows]] */
  const PetscScalar *value;
} sb_csr;

/* The sequential parts of a SeqAIJ or MPIAIJ matrix, borrowed; *off_diagonal is NULL for the former. Other types are
 * PETSC_ERR_SUP. Local. */
PetscErrorCode sb_csr_parts(Mat A, Mat *diagonal, Mat *off_diagonal);
/* Opens a SeqAIJ matrix for reading; every open needs its close. Local. */
PetscErrorCode sb_csr_open(Mat part, sb_csr *csr);
PetscErrorCode sb_csr_close(Mat part, sb_csr *csr);
