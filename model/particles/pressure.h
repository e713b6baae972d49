/* The pressure system of SPH (Ihmsen et al. 2014 and others, in a symmetric variable): the matrix that pressures solve
 * to keep an incompressible fluid at its density. Local to one rank.
 *
 *     (D v)_i = sum_j m_j (v_i - v_j).grad W_ij         rate of density of velocities, kg/(m^d s); walls stand or are
 * given M a = -D^T q,  q_i = m_i/rho_i^2 p_i              accelerations of pressures, with equal masses the symmetric
 * form A = h^2 D M^-1 D^T                                of what pressures do to densities in a step of h
 *
 * A is symmetric and positive semi-definite whatever the densities are. In p it is not: IISPH's matrix is A
 * diag(m/rho^2). It has two rings of neighbours. On a periodic lattice it is singular: a constant q, one that
 * alternates like a checkerboard, and stripes each way push nothing. */
#pragma once

#include <petscmat.h>

#include "model/particles/particles.h"

/* rate [free] = D v; velocity [count][3]. */
void sb_pressure_rate(const sb_particles *particles, const sb_particle_pairs *pairs, const double *velocity,
                      double *rate);
/* acceleration [free][3] = -M^-1 D^T q. */
void sb_pressure_acceleration(const sb_particles *particles, const sb_particle_pairs *pairs, const double *q,
                              double *acceleration);
/* product [free] = A q without a matrix; scratch [count][3]. */
void sb_pressure_product(const sb_particles *particles, const sb_particle_pairs *pairs, double h_seconds,
                         const double *q, double *scratch, double *product);
/* A, made anew; the caller destroys it. */
PetscErrorCode sb_pressure_matrix(const sb_particles *particles, const sb_particle_pairs *pairs, double h_seconds,
                                  Mat *matrix);
