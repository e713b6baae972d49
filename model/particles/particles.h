/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Particles of an incompressible fluid (SPH): places, velocities and masses; free particles first, then those of fixed
 * walls. Places are [count][3] as in nets; in 2 dimensions z is 0. Local. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/particles/smoothing.h"

typedef struct {
  const sb_smoothing *kernel;
  int                 dimensions;  /* 2 or 3 */
  double              spacing;     /* m, of the initial lattice */
  double              support;     /* m, radius of the kernel's support */
  double              density;     /* kg/m^d at rest */
  double              period[3];   /* m, 0: not periodic along this axis; otherwise places are in [0, period) */
  size_t              free, count; /* free ones are first */
  double             *position;    /* [count][3] m */
  double             *velocity;    /* [count][3] m/s */
  double             *mass;        /* [count] kg */
} sb_particles;

/* Allocates room for `free` + `walls` particles with zero values and keeps the other members; false if memory is out.
 */
bool sb_particles_allocate(sb_particles *particles, size_t free, size_t walls);
void sb_particles_clear(sb_particles *particles);

/* Returns the mass of a particle with which a lattice of this spacing has the rest density: the density over the sum of
 * W over the lattice. With the mass of its cell a lattice is off by some percent, depending on kernel and support, and
 * in a full box nothing could correct that. */
double sb_particles_lattice_mass(const sb_particles *particles);

/* Moves each free particle by up to `share` spacings along each axis, at random; a seed gives the same result on every
 * machine. */
void sb_particles_disturb(sb_particles *particles, double share, uint64_t seed);

/* Moves places into [0, period) along periodic axes. */
void sb_particles_wrap(sb_particles *particles);

/* mean = sum m v/sum m of free particles, velocity [free][3]. */
void sb_particles_mean_velocity(const sb_particles *particles, const double *velocity, double mean[3]);

/* The pairs of each free particle with all other particles, so that pairs of free ones occur twice. Those of particle i
 * are start[i] to start[i + 1] - 1, ascending, without itself; across periodic sides the nearest image. */
typedef struct {
  size_t  count, room;
  size_t *start;         /* [free + 1] */
  int    *other;         /* [count] */
  double *distance;      /* [count] m */
  double *value;         /* [count] W of the pair, 1/m^d */
  double (*gradient)[3]; /* [count] of W at i, 1/m^(d + 1): towards the other particle */
} sb_particle_pairs;

/* Finds all pairs. False if memory is out. Periods must be above two supports. */
bool sb_particle_pairs_find(sb_particle_pairs *pairs, const sb_particles *particles);
void sb_particle_pairs_clear(sb_particle_pairs *pairs);

/* density [free], kg/m^d: sum of m_j W_ij, including the particle itself. */
void sb_particles_density(const sb_particles *particles, const sb_particle_pairs *pairs, double *density);
