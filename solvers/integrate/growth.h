/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The growth of a linear step: the spectral radius of its matrix. */
#pragma once

enum { SB_GROWTH_SIZE_MAX = 3 };

/* Largest |eigenvalue| of a finite row-major 2 by 2 or 3 by 3 matrix. */
double sb_spectral_radius(int size, const double *matrix);
