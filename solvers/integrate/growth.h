/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The growth of a linear step: the spectral radius of its matrix. */
#pragma once

enum { SB_GROWTH_SIZE_MAX = 4 };

/* Largest |eigenvalue| of a finite row-major matrix of 2 to 4 rows. */
double sb_spectral_radius(int size, const double *matrix);
