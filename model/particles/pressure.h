/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pressure system of SPH (Ihmsen et al. 2014 and others, in a symmetric variable). Its solution, the pressures,
 * keeps an incompressible fluid at its density. Local to one rank.
 *
 *     (D v)_i = sum_j m_j (v_i - v_j).grad W_ij   rate of density of velocities, kg/(m^d s); walls' are given
 *     M a = -D^T q, q_i = m_i/rho_i^2 p_i         accelerations of pressures: the symmetric form
 *     A = h^2 D M^-1 D^T                          change of densities by pressures in a step of h
 *
 * A is symmetric and positive semi-definite for any densities; in p it is not: the matrix of IISPH is A diag(m/rho^2).
 * It has two rings of neighbours. On a periodic lattice it is singular: a constant q, a checkerboard and stripes along
 * each axis cause no acceleration.
 *
 * The matrix of one ring (Brookshaw 1985; Cummins, Rudman 1999) approximates the Laplacian, with equal masses, by
 *
 *     (B q)_i = -2 h^2 rho_0 sum_j (q_i - q_j) x_ij.grad W_ij/r^2
 *
 * B is not a product D M^-1 D^T. Velocities corrected with it are therefore not free of divergence in the sense of D.
 */
#pragma once

#include <petscmat.h>

#include "base/options.h"
#include "model/particles/particles.h"

typedef enum {
  SB_TWO_RING,
  SB_ONE_RING,          /* B, and accelerations from differences: a_i = -sum_j (q_j - q_i) grad W_ij */
  SB_ONE_RING_SYMMETRIC /* B, and the accelerations of A */
} sb_laplacian;

/* The arguments of the matrix; borrowed. */
typedef struct {
  const sb_particles      *particles;
  const sb_particle_pairs *pairs;
  sb_laplacian             laplacian;
  double                   h_seconds;
  double                   shift; /* fraction of the diagonal that is added to it */
} sb_pressure_system;

sb_laplacian sb_laplacian_of(const sb_options *options);

/* rate [free] = D v; velocity [count][3]. */
void sb_pressure_rate(const sb_particles *particles, const sb_particle_pairs *pairs, const double *velocity,
                      double *rate);
/* acceleration [free][3] = -M^-1 D^T q, or that from differences. */
void sb_pressure_acceleration(const sb_pressure_system *system, const double *q, double *acceleration);
/* product [free] = A q, computed without a matrix and without shift; scratch [count][3]. */
void sb_pressure_product(const sb_pressure_system *system, const double *q, double *scratch, double *product);
/* diagonal [free], without shift. */
void sb_pressure_diagonal(const sb_pressure_system *system, double *diagonal);
/* Creates the matrix with its shift; the caller destroys it. */
PetscErrorCode sb_pressure_matrix(const sb_pressure_system *system, Mat *matrix);
/* The same as a MATSHELL with product and diagonal. The system must not move in memory while the matrix lives. */
PetscErrorCode sb_pressure_operator(const sb_pressure_system *system, Mat *matrix);
