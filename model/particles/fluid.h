/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fluid of a scene of particles and its state: pairs, densities, and all forces except those of a pressure system.
 * Local; one rank. */
#pragma once

#include "base/options.h"
#include "model/particles/particles.h"

typedef struct {
  sb_particles      particles; /* places within their periods, at the last update */
  sb_particle_pairs pairs;
  double           *density; /* [free] kg/m^d */
  double (*last)[3];         /* [count] q = m p/rho^2, p in N/m^(d - 1) and rho those of the last step; 0 in walls */
  double viscosity;          /* m^2/s */
  double sound_speed;        /* m/s, 0: no state equation, the fluid is incompressible */
} sb_fluid;

/* Sets kernel, lattice and periods from the options, without particles. `periodic` has bits 1, 2, 4 for the axes along
 * which the scene is periodic (sb_scene_periodic). */
void sb_fluid_describe(const sb_options *options, unsigned periodic, sb_particles *particles);

/* True if the options have all that it needs, and the scene, which gives `periodic`. */
bool sb_fluid_is_described(const sb_options *options);

/* Creates a fluid of `count` particles, the first `free` of which are free; copies masses. False if memory is out. */
bool sb_fluid_create(const sb_options *options, unsigned periodic, size_t free, size_t count, const double *mass,
                     sb_fluid **fluid);
void sb_fluid_destroy(sb_fluid **fluid);

/* Takes places [count][3] and computes pairs and densities. False if memory is out. */
bool sb_fluid_update(sb_fluid *fluid, const double *position);

/* force [free][3] += forces, in N, that do not come from a pressure system, at the places of the last update. Viscosity
 * (Monaghan 2005), made symmetric by the mean of both densities, is
 *
 *     2 (d + 2) nu sum_j m_i m_j/rho_ij (v_ij.x_ij)/r^2 grad W_ij
 *
 * without the H^2/100 that is often added to r^2. Gradients vanish with r, so that nothing is divided by zero, and the
 * term would reduce the viscosity by 5 to 7 %. With a speed of sound c there is the pressure p = c^2 rho_0/7
 * ((rho/rho_0)^7 - 1), at least 0 (Monaghan 1994), which is stored in `last`. Walls have their velocity and no
 * pressure. */
void sb_fluid_add_forces(sb_fluid *fluid, const double *velocity, double *force);

/* Returns the energy sum_i m_i u(rho_i), du/drho = p/rho^2, in J (J/m in 2 dimensions), at the positions of the last
 * update. Its negative gradient is the force of p. 0 if the fluid is not weakly compressible. */
double sb_fluid_compression_energy(const sb_fluid *fluid);

/* shift [free][3] m = -diffusion sum_j V_j grad W_ij with volumes V = m/rho, at most a fifth of a spacing. It moves
 * particles from dense to sparse regions (Lind, Xu, Stansby, Rogers: J. Comput. Phys. 231, 2012, without their term
 * against pairs). diffusion in m^2. */
void sb_fluid_shift(const sb_fluid *fluid, double diffusion, double *shift);

/* Returns the largest stable step in s of explicit viscosity on a lattice: 2 over the largest damping rate of a wave
 * there, by the symbol of the sum above. INFINITY without viscosity. */
double sb_fluid_viscous_limit(const sb_options *options);
