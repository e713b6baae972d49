/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fluid of a scene; see fluid.h. */
#include "model/particles/fluid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/option_ids.h"

#define SHIFT_MAX 0.2 /* spacings */
enum { WAVES = 8 };   /* wave numbers per axis at which the limit is computed */

void sb_fluid_describe(const sb_options *options, unsigned periodic, sb_particles *particles)
{
  const double sides[3] = {SB_REAL(options, width), SB_REAL(options, depth),
                           SB_HAS(options, breadth) ? SB_REAL(options, breadth) : 0};
  *particles = (sb_particles){.kernel = sb_smoothing_find(SB_TEXT(options, smoothing)),
                              .dimensions = (int)SB_INTEGER(options, dimensions),
                              .spacing = SB_REAL(options, spacing),
                              .support = SB_REAL(options, support) * SB_REAL(options, spacing),
                              .density = SB_REAL(options, density)};
  for (int c = 0; c < particles->dimensions; ++c)
    if (periodic & 1U << c) particles->period[c] = sides[c];
}

bool sb_fluid_is_described(const sb_options *options)
{
  static const sb_option_id needed[] = {SB_OPT_scene, SB_OPT_dimensions, SB_OPT_smoothing, SB_OPT_spacing,
                                        SB_OPT_width, SB_OPT_depth,      SB_OPT_support,   SB_OPT_density};
  bool                      has = true;
  for (size_t i = 0; i < sizeof needed / sizeof *needed; ++i) has = has && sb_options_has(options, needed[i]);
  return has;
}

bool sb_fluid_create(const sb_options *options, unsigned periodic, size_t free, size_t count, const double *mass,
                     sb_fluid **fluid)
{
  sb_fluid *made = calloc(1, sizeof *made);
  *fluid = made;
  if (!made) return false;
  sb_fluid_describe(options, periodic, &made->particles);
  made->viscosity = SB_REAL(options, viscosity);
  made->sound_speed = SB_HAS(options, sound_speed) ? SB_REAL(options, sound_speed) : 0;
  made->density = calloc(free + 1, sizeof *made->density);
  made->last = calloc(count + 1, sizeof *made->last);
  if (!made->density || !made->last || !sb_particles_allocate(&made->particles, free, count - free)) {
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
  free((*fluid)->last);
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

/* The equation of state. */
static void compress(sb_fluid *fluid)
{
  const double rest = fluid->particles.density, c = fluid->sound_speed;
  for (size_t i = 0; i < fluid->particles.free; ++i) {
    const double density = fluid->density[i], pressure = fmax(0, c * c * rest / 7 * (pow(density / rest, 7) - 1));
    fluid->last[i][0] = fluid->particles.mass[i] * pressure / (density * density);
    fluid->last[i][1] = pressure;
    fluid->last[i][2] = density;
  }
}

/* u = c^2/7 ((s^6 - 1)/6 + 1/s - 1) for s = rho/rho_0 above 1; u = 0 below, where p = 0. */
double sb_fluid_compression_energy(const sb_fluid *fluid)
{
  const double c = fluid->sound_speed;
  double       energy = 0;
  for (size_t i = 0; i < fluid->particles.free; ++i) {
    const double s = fmax(1, fluid->density[i] / fluid->particles.density);
    energy += fluid->particles.mass[i] * c * c / 7 * ((pow(s, 6) - 1) / 6 + 1 / s - 1);
  }
  return energy;
}

/* Viscosity on particle i by pair k, over m_i m_j grad W. */
static double drag(const sb_fluid *fluid, const double *velocity, size_t i, size_t k)
{
  const size_t  j = (size_t)fluid->pairs.other[k];
  const double *g = fluid->pairs.gradient[k], *v = velocity + 3 * i, *w = velocity + 3 * j;
  const double  r = fluid->pairs.distance[k], slope = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  const double  density = j < fluid->particles.free ? 0.5 * (fluid->density[i] + fluid->density[j]) : fluid->density[i];
  if (!(slope > 0)) return 0;
  /* v_ij.x_ij/r^2, and x_ij = -r g/|g|: towards i, while gradients point to j */
  const double approach = -((v[0] - w[0]) * g[0] + (v[1] - w[1]) * g[1] + (v[2] - w[2]) * g[2]) / (slope * r);
  return 2 * (fluid->particles.dimensions + 2) * fluid->viscosity * approach / density;
}

void sb_fluid_add_forces(sb_fluid *fluid, const double *velocity, double *force)
{
  const sb_particles *p = &fluid->particles;
  const bool          presses = fluid->sound_speed > 0, drags = fluid->viscosity > 0;
  if (presses) compress(fluid);
  for (size_t i = 0; i < p->free && (presses || drags); ++i)
    for (size_t k = fluid->pairs.start[i]; k < fluid->pairs.start[i + 1]; ++k) {
      const size_t j = (size_t)fluid->pairs.other[k];
      double       weight = drags ? p->mass[i] * p->mass[j] * drag(fluid, velocity, i, k) : 0;
      /* m_i m_j (p_i/rho_i^2 + p_j/rho_j^2) */
      if (presses) weight -= p->mass[j] * fluid->last[i][0] + p->mass[i] * fluid->last[j][0];
      for (size_t c = 0; c < 3; ++c) force[3 * i + c] += weight * fluid->pairs.gradient[k][c];
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

/* The rate at which a viscosity of 1 m^2/s damps waves v = cos(k.x) on a lattice, for the direction of v that is damped
 * most. It is the largest eigenvalue of sum_j 2 (d + 2) m/rho |grad W| x x^T/r^3 (1 - cos k.x), by the power method. */
static double damp_wave(const sb_particles *p, double volume, const double k[3])
{
  const double a = p->spacing;
  const int    reach = (int)(p->support / a) + 1, deep = p->dimensions == 3 ? reach : 0;
  double       symbol[3][3] = {{0}}, v[3] = {1, 0.7, 0.3}, size = 0;
  for (int i = -reach; i <= reach; ++i)
    for (int j = -reach; j <= reach; ++j)
      for (int l = -deep; l <= deep; ++l) {
        const double x[3] = {a * i, a * j, a * l}, r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        if (!(r2 > 0)) continue;
        const double slope = -sb_smoothing_slope(p->kernel, p->dimensions, p->support, sqrt(r2));
        const double part =
            2 * (p->dimensions + 2) * volume * slope / r2 * (1 - cos(k[0] * x[0] + k[1] * x[1] + k[2] * x[2]));
        for (int c = 0; c < 9; ++c) symbol[c / 3][c % 3] += part * x[c / 3] * x[c % 3];
      }
  for (int iteration = 0; iteration < 40; ++iteration) {
    double next[3];
    for (int c = 0; c < 3; ++c) next[c] = symbol[c][0] * v[0] + symbol[c][1] * v[1] + symbol[c][2] * v[2];
    size = sqrt(next[0] * next[0] + next[1] * next[1] + next[2] * next[2]);
    for (int c = 0; c < 3 && size > 0; ++c) v[c] = next[c] / size;
  }
  return size;
}

double sb_fluid_viscous_limit(const sb_options *options)
{
  sb_particles p;
  double       most = 0;
  sb_fluid_describe(options, 0, &p);
  const double viscosity = SB_REAL(options, viscosity), shortest = acos(-1) / p.spacing / WAVES;
  const double volume = sb_particles_lattice_mass(&p) / p.density;
  if (!(viscosity > 0)) return INFINITY;
  for (int i = 0; i <= WAVES; ++i)
    for (int j = 0; j <= i; ++j)
      for (int l = 0; l <= (p.dimensions == 3 ? j : 0); ++l)
        most = fmax(most, damp_wave(&p, volume, (double[]){shortest * i, shortest * j, shortest * l}));
  return 2 / (viscosity * most);
}
