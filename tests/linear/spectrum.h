/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eigenvalues by SLEPc, for tests. */
#pragma once

#include <petscmat.h>

/* The largest eigenvalue of D^-1 A, with D the diagonal of A or its blocks of `block` rows. Collective; fails the
 * running test when something goes wrong. */
double largest_eigenvalue(Mat A, int block);
