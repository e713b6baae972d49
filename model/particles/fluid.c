/* The fluid of a scene; see fluid.h. */
#include "model/particles/fluid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/scene.h"

#define SHIFT_MAX 0.2 /* spacings */

void sb_fluid_describe(const sb_options *options, sb_particles *particles)
{
  const sb_scene *scene = sb_scene_find(SB_TEXT(options, scene));
  const double    sides[3] = {SB_REAL(options, width), SB_REAL(options, depth),
                           SB_HAS(options, breadth) ? SB_REAL(options, breadth) : 0};
  *particles = (sb_particles){.kernel = sb_smoothing_find(SB_TEXT(options, smoothing)),
                              .dimensions = (int)SB_INTEGER(options, dimensions),
                              .spacing = SB_REAL(options, spacing),
                              .support = SB_REAL(options, support) * SB_REAL(options, spacing),
                              .density = SB_REAL(options, density)};
  for (int c = 0; scene && c < particles->dimensions; ++c)
    if (scene->periodic & 1U << c) particles->period[c] = sides[c];
}

bool sb_fluid_create(const sb_options *options, size_t free, size_t count, const double *mass, sb_fluid **fluid)
{
  sb_fluid *made = calloc(1, sizeof *made);
  *fluid = made;
  if (!made) return false;
  sb_fluid_describe(options, &made->particles);
  made->viscosity = SB_REAL(options, viscosity);
  made->sound_speed = SB_HAS(options, sound_speed) ? SB_REAL(options, sound_speed) : 0;
  made->density = calloc(free + 1, sizeof *made->density);
  if (!made->density || !sb_particles_allocate(&made->particles, free, count - free)) {
    sb_fluid_destroy(fluid);
    return false;
  }
  memcpy(made->particles.mass, mass, count * sizeof *mass);
  return true;
}

void sb_fluid_destroy(sb_fluid **fluid)
{
  if (!*fluid) return;
  sb_particle_pairs_clear(&(*fluid)->pairs);
  sb_particles_clear(&(*fluid)->particles);
  free((*fluid)->density);
  free(*fluid);
  *fluid = NULL;
}

bool sb_fluid_update(sb_fluid *fluid, const double *position)
{
  sb_particles *particles = &fluid->particles;
  memcpy(particles->position, position, 3 * particles->count * sizeof *position);
  sb_particles_wrap(particles);
  if (!sb_particle_pairs_find(&fluid->pairs, particles)) return false;
  sb_particles_density(particles, &fluid->pairs, fluid->density);
  return true;
}

/* p/rho^2 of the equation of state. */
static double compressed(const sb_fluid *fluid, double density)
{
  const double rest = fluid->particles.density, c = fluid->sound_speed;
  return fmax(0, c * c * rest / 7 * (pow(density / rest, 7) - 1)) / (density * density);
}

/* On particle i by pair k, over m_i grad W. */
static double push(const sb_fluid *fluid, const double *velocity, size_t i, size_t k, double own)
{
  const sb_particles *p = &fluid->particles;
  const size_t        j = (size_t)fluid->pairs.other[k];
  const bool          free = j < p->free;
  const double       *g = fluid->pairs.gradient[k], *v = velocity + 3 * i, *w = velocity + 3 * j;
  const double        size2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
  const double        density = free ? 0.5 * (fluid->density[i] + fluid->density[j]) : fluid->density[i];
  double              pressure = 0, sum = 0;
  if (fluid->sound_speed > 0) pressure = own + (free ? compressed(fluid, fluid->density[j]) : 0);
  if (fluid->viscosity > 0 && size2 > 0) { /* x_ij = -r g/|g|: towards i, while gradients point to j */
    const double r = fluid->pairs.distance[k], along = -r / sqrt(size2);
    for (int c = 0; c < 3; ++c) sum += (v[c] - w[c]) * along * g[c];
    sum *= 2 * (p->dimensions + 2) * fluid->viscosity / (density * (r * r + 0.01 * p->support * p->support));
  }
  return p->mass[j] * (sum - pressure);
}

void sb_fluid_add_forces(const sb_fluid *fluid, const double *velocity, double *force)
{
  const sb_particles *p = &fluid->particles;
  if (!(fluid->viscosity > 0 || fluid->sound_speed > 0)) return;
  for (size_t i = 0; i < p->free; ++i) {
    const double own = fluid->sound_speed > 0 ? compressed(fluid, fluid->density[i]) : 0;
    for (size_t k = fluid->pairs.start[i]; k < fluid->pairs.start[i + 1]; ++k) {
      const double weight = p->mass[i] * push(fluid, velocity, i, k, own);
      for (size_t c = 0; c < 3; ++c) force[3 * i + c] += weight * fluid->pairs.gradient[k][c];
    }
  }
}

void sb_fluid_shift(const sb_fluid *fluid, double diffusion, double *shift)
{
  const sb_particles *p = &fluid->particles;
  const double        most = SHIFT_MAX * p->spacing;
  for (size_t i = 0; i < p->free; ++i) {
    double sum[3] = {0, 0, 0};
    for (size_t k = fluid->pairs.start[i]; k < fluid->pairs.start[i + 1]; ++k) {
      const size_t j = (size_t)fluid->pairs.other[k];
      const double volume = p->mass[j] / (j < p->free ? fluid->density[j] : p->density);
      for (int c = 0; c < 3; ++c) sum[c] -= diffusion * volume * fluid->pairs.gradient[k][c];
    }
    const double size = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]), keep = size > most ? most / size : 1;
    for (size_t c = 0; c < 3; ++c) shift[3 * i + c] = keep * sum[c];
  }
}
