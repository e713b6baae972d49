/* The fluid of a scene of particles, and what its state is made of: pairs, densities, and the forces that are no
 * pressures of a pressure system. Local; one rank. */
#pragma once

#include "base/options.h"
#include "model/particles/particles.h"

typedef struct {
  sb_particles      particles; /* places within their periods, as of the last update */
  sb_particle_pairs pairs;
  double           *density; /* [free] kg/m^d */
  double (*last)[3];         /* [count] q = m p/rho^2, p in N/m^(d - 1) and rho as the last step had them; 0 in walls */
  double viscosity;          /* m^2/s */
  double sound_speed;        /* m/s, 0: the fluid is not compressible */
} sb_fluid;

/* Sets kernel, lattice and periods by the options, without particles. `periodic`: bits 1, 2, 4 for the axes along which
 * the scene is periodic (sb_scene_periodic). */
void sb_fluid_describe(const sb_options *options, unsigned periodic, sb_particles *particles);

/* Of `count` particles, the first `free` of which are free; masses are copied. False when memory is out. */
bool sb_fluid_create(const sb_options *options, unsigned periodic, size_t free, size_t count, const double *mass,
                     sb_fluid **fluid);
void sb_fluid_destroy(sb_fluid **fluid);

/* Takes places, [count][3], and finds pairs and densities. False when memory is out. */
bool sb_fluid_update(sb_fluid *fluid, const double *position);

/* Forces that are no solutions of a pressure system are added to force [free][3], N, at the places of the last update:
 * those of viscosity (Monaghan 2005), made symmetric by the mean of both densities,
 *
 *     2 (d + 2) nu sum_j m_i m_j/rho_ij (v_ij.x_ij)/r^2 grad W_ij
 *
 * without the H^2/100 that is often added to r^2: gradients vanish as r does, so that nothing is divided by zero, and
 * it would take 5 to 7 % of the viscosity for good. With a speed of sound c there are those of p = c^2 rho_0/7
 * ((rho/rho_0)^7 - 1), not below 0 (Monaghan 1994), which is kept as the last. Walls have their velocity and no
 * pressure. */
void sb_fluid_add_forces(sb_fluid *fluid, const double *velocity, double *force);

/* J, in 2 dimensions J/m: the energy sum_i m_i u(rho_i), du/drho = p/rho^2, whose negative gradient is the force of p,
 * at the positions of the last update. 0 if the fluid is not weakly compressible. */
double sb_fluid_compression_energy(const sb_fluid *fluid);

/* shift [free][3] m: -diffusion sum_j V_j grad W_ij, of volumes V = m/rho, at most a fifth of a spacing: from where
 * particles are many to where they are few (Lind, Xu, Stansby, Rogers: J. Comput. Phys. 231, 2012, without their term
 * against pairs). diffusion in m^2. */
void sb_fluid_shift(const sb_fluid *fluid, double diffusion, double *shift);

/* The step in s above which velocities grow without bound under explicit viscosity on a lattice: 2 over the largest
 * rate at which it damps a wave there, by the symbol of the sum above. INFINITY without viscosity. */
double sb_fluid_viscous_limit(const sb_options *options);
