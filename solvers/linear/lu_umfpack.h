/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse LU on one rank by UMFPACK; the serial half of backend lu. */
#pragma once

#include <umfpack.h>

#include "solvers/linear/direct.h"

/* Zeroed before configure. */
typedef struct {
  double  control[UMFPACK_CONTROL];
  void   *symbolic, *numeric;
  int     rows;
  int    *integers;  /* [rows] workspace of a solve */
  double *reals;     /* [rows] the same */
  double *by_column; /* [2][rows] one right-hand side and its solution: three columns */
} sb_umfpack;

extern const sb_direct_half sb_umfpack_half; /* on an sb_umfpack */
