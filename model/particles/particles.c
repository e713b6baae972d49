/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Particles and sums over their neighbours; see particles.h. */
#include "model/particles/particles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

bool sb_particles_allocate(sb_particles *particles, size_t free, size_t walls)
{
  const size_t count = free + walls;
  particles->free = free;
  particles->count = count;
  particles->position = calloc(3 * count + 1, sizeof(double));
  particles->velocity = calloc(3 * count + 1, sizeof(double));
  particles->mass = calloc(count + 1, sizeof(double));
  if (particles->position && particles->velocity && particles->mass) return true;
  sb_particles_clear(particles);
  return false;
}

void sb_particles_clear(sb_particles *particles)
{
  free(particles->position);
  free(particles->velocity);
  free(particles->mass);
  *particles = (sb_particles){0};
}

double sb_particles_lattice_mass(const sb_particles *particles)
{
  const double a = particles->spacing;
  const int    reach = (int)(particles->support / a) + 1, deep = particles->dimensions == 3 ? reach : 0;
  double       sum = 0;
  for (int i = -reach; i <= reach; ++i)
    for (int j = -reach; j <= reach; ++j)
      for (int k = -deep; k <= deep; ++k)
        sum += sb_smoothing_value(particles->kernel, particles->dimensions, particles->support,
                                  a * sqrt((double)(i * i + j * j + k * k)));
  return particles->density / sum;
}

void sb_particles_disturb(sb_particles *particles, double share, uint64_t seed)
{
  for (size_t i = 0; i < particles->free; ++i)
    for (int c = 0; c < particles->dimensions; ++c) {
      const double part = 2 * sb_random_unit(seed, 3 * i + (size_t)c) - 1;
      particles->position[3 * i + (size_t)c] += share * particles->spacing * part;
    }
  sb_particles_wrap(particles);
}

void sb_particles_wrap(sb_particles *particles)
{
  for (size_t c = 0; c < 3; ++c) {
    const double period = particles->period[c];
    for (size_t i = 0; period > 0 && i < particles->count; ++i) {
      double *x = &particles->position[3 * i + c];
      *x -= period * floor(*x / period);
      if (*x >= period) *x = 0; /* -tiny, rounded */
    }
  }
}

void sb_particles_mean_velocity(const sb_particles *particles, const double *velocity, double mean[3])
{
  double sum[3] = {0, 0, 0}, mass = 0;
  for (size_t i = 0; i < particles->free; ++i) {
    mass += particles->mass[i];
    for (size_t c = 0; c < 3; ++c) sum[c] += particles->mass[i] * velocity[3 * i + c];
  }
  for (int c = 0; c < 3; ++c) mean[c] = sum[c] / mass;
}

void sb_particles_density(const sb_particles *particles, const sb_particle_pairs *pairs, double *density)
{
  const double own = sb_smoothing_value(particles->kernel, particles->dimensions, particles->support, 0);
  for (size_t i = 0; i < particles->free; ++i) {
    double sum = particles->mass[i] * own;
    for (size_t k = pairs->start[i]; k < pairs->start[i + 1]; ++k)
      sum += particles->mass[pairs->other[k]] * pairs->value[k];
    density[i] = sum;
  }
}
