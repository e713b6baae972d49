/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A block of fluid in a tank; see tank.h. */
#include "model/scene/tank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/option_ids.h"
#include "model/particles/fluid.h"

/* Step of the shift during relaxation, in (H/2)^2: the largest that does not overshoot on a lattice. */
#define RELAXING 0.25

/* In units of lattice cells. */
typedef struct {
  sb_particles lattice; /* without particles */
  int          block[3], tank[3], rows;
} layout;

/* A side and the spacing do not go together: the user gave one of them, or neither. */
static sb_location blame(const sb_options *options, sb_option_id side)
{
  const bool given = sb_options_origin(options, side) == SB_FROM_USER;
  return sb_options_blame(options, given ? side : SB_OPT_spacing);
}

static bool count_cells(const sb_options *options, sb_option_id id, double spacing, int *cells,
                        sb_diagnostics *diagnostics)
{
  const double extent = sb_options_real(options, id), count = round(extent / spacing);
  *cells = (int)fmin(count, 1e6);
  if (count >= 1 && fabs(extent - count * spacing) <= 1e-6 * spacing) return true;
  return sb_error_at(diagnostics, blame(options, id), "E104",
                     "%s %g m is not a whole number of spacings of %g m; use %g", sb_option_at(id)->name, extent,
                     spacing, fmax(count, 1) * spacing);
}

/* In 2 dimensions, refuses options that would move particles out of the plane. */
static bool check_plane(const sb_options *options, sb_diagnostics *diagnostics)
{
  static const sb_option_id vectors[2] = {SB_OPT_gravity, SB_OPT_initial_velocity};
  bool                      good = true;
  for (int k = 0; k < 2 && SB_INTEGER(options, dimensions) == 2; ++k) {
    const double *v = sb_options_vector(options, vectors[k]);
    if (v[2] == 0) continue;
    good = sb_error_at(diagnostics, sb_options_blame(options, vectors[k]), "E104",
                       "a fluid of 2 dimensions moves in the plane z = 0, but %s has a component along z; use "
                       "%s=[%g,%g,0], or dimensions=3",
                       sb_option_at(vectors[k])->name, sb_option_at(vectors[k])->name, v[0], v[1]);
  }
  return good;
}

static const sb_option_id sides[3] = {SB_OPT_width, SB_OPT_depth, SB_OPT_breadth};

double sb_tank_particles(const sb_options *options)
{
  const bool known = SB_HAS(options, spacing) && SB_HAS(options, dimensions);
  double     particles = known;
  for (int c = 0; known && c < SB_INTEGER(options, dimensions); ++c)
    particles *=
        sb_options_has(options, sides[c]) ? round(sb_options_real(options, sides[c]) / SB_REAL(options, spacing)) : 0;
  return particles;
}

static bool measure(const sb_options *options, const sb_tank *tank, layout *l, sb_diagnostics *diagnostics)
{
  const double spacing = SB_REAL(options, spacing);
  bool         good = check_plane(options, diagnostics);
  sb_fluid_describe(options, sb_scene_periodic(options), &l->lattice);
  l->rows = (int)ceil(SB_REAL(options, support) - 1e-9);
  l->block[2] = 1;
  if (l->lattice.dimensions == 3 && !SB_HAS(options, breadth))
    return sb_error_at(diagnostics, sb_options_blame(options, SB_OPT_dimensions), "E104",
                       "a fluid of 3 dimensions needs its extent along z; give breadth, such as breadth=%g",
                       SB_REAL(options, width));
  for (int c = 0; c < l->lattice.dimensions; ++c) {
    good = count_cells(options, sides[c], spacing, &l->block[c], diagnostics) && good;
    const double period = l->lattice.period[c];
    if (period > 0 && !(period > 2 * l->lattice.support))
      good = sb_error_at(diagnostics, blame(options, sides[c]), "E104",
                         "%s %g m is periodic and must be above two supports of %g m; use more, or a smaller spacing",
                         sb_option_at(sides[c])->name, period, l->lattice.support);
  }
  l->tank[0] = l->lattice.period[0] > 0 ? l->block[0] : (int)fmin(ceil(tank->width * l->block[0] - 1e-9), 1e6);
  l->tank[1] = l->lattice.period[1] > 0 ? l->block[1] : (int)fmin(ceil(tank->height * l->block[1] - 1e-9), 1e6);
  l->tank[2] = l->block[2];
  return good;
}

static bool has_walls(const layout *l, int axis)
{
  return axis < l->lattice.dimensions && !(l->lattice.period[axis] > 0);
}

/* Visits the lattice around a box of `size` cells, walls' rows deep, but not above the highest of these when `open`;
 * writes places, unless NULL, and gives their number. */
static size_t surround(const layout *l, const int size[3], bool open, double *position)
{
  int    low[3], high[3], at[3];
  size_t count = 0;
  for (int c = 0; c < 3; ++c) {
    low[c] = has_walls(l, c) ? -l->rows : 0;
    high[c] = size[c] + (has_walls(l, c) && !(open && c == 1) ? l->rows : 0);
  }
  for (at[2] = low[2]; at[2] < high[2]; ++at[2])
    for (at[1] = low[1]; at[1] < high[1]; ++at[1])
      for (at[0] = low[0]; at[0] < high[0]; ++at[0]) {
        bool inside = true;
        for (int c = 0; c < 3; ++c) inside = inside && at[c] >= 0 && at[c] < size[c];
        if (inside) continue;
        for (size_t c = 0; position && c < (size_t)l->lattice.dimensions; ++c)
          position[3 * count + c] = (at[c] + 0.5) * l->lattice.spacing;
        ++count;
      }
  return count;
}

static void fill_block(const layout *l, double *position)
{
  size_t n = 0;
  for (int k = 0; k < l->block[2]; ++k)
    for (int j = 0; j < l->block[1]; ++j)
      for (int i = 0; i < l->block[0]; ++i, ++n) {
        const int at[3] = {i, j, k};
        for (size_t c = 0; c < (size_t)l->lattice.dimensions; ++c)
          position[3 * n + c] = (at[c] + 0.5) * l->lattice.spacing;
      }
}

/* Moves free particles from crowded places to sparse ones, this many times; the mean motion is zero. */
static bool even_out(sb_fluid *fluid, int64_t steps)
{
  sb_particles *p = &fluid->particles;
  double       *shift = calloc(3 * p->free + 1, sizeof *shift), *position = calloc(3 * p->count + 1, sizeof *position);
  bool          good = shift && position;
  for (int64_t step = 0; good && step < steps; ++step) {
    memcpy(position, p->position, 3 * p->count * sizeof *position);
    good = sb_fluid_update(fluid, position);
    if (good) sb_fluid_shift(fluid, RELAXING * 0.25 * p->support * p->support, shift);
    for (size_t i = 0; good && i < 3 * p->free; ++i) p->position[i] += shift[i];
  }
  sb_particles_wrap(p);
  free(shift);
  free(position);
  return good;
}

/* Noise and relaxation of the free particles of a pose, among a lattice all round. */
static bool disturb(const sb_options *options, const layout *l, size_t inner, sb_pose *pose)
{
  const size_t around = surround(l, l->block, false, NULL), count = inner + around;
  const double share = SB_REAL(options, disorder);
  sb_fluid    *fluid = NULL;
  if (!(share > 0)) return true;
  double *mass = malloc((count + 1) * sizeof *mass);
  for (size_t i = 0; mass && i < count; ++i) mass[i] = pose->mass[0];
  const bool made = mass && sb_fluid_create(options, sb_scene_periodic(options), inner, count, mass, &fluid);
  if (made) {
    memcpy(fluid->particles.position, pose->position, 3 * inner * sizeof(double));
    surround(l, l->block, false, fluid->particles.position + 3 * inner);
    sb_particles_disturb(&fluid->particles, share, (uint64_t)SB_INTEGER(options, seed));
  }
  const bool good = made && even_out(fluid, SB_INTEGER(options, relaxation));
  if (good) memcpy(pose->position, fluid->particles.position, 3 * inner * sizeof(double));
  sb_fluid_destroy(&fluid);
  free(mass);
  return good;
}

bool sb_tank_fill(const sb_options *options, const sb_tank *tank, sb_pose *pose, sb_diagnostics *diagnostics)
{
  layout l = {0};
  if (!measure(options, tank, &l, diagnostics)) return false;
  const double cells = (double)l.block[0] * l.block[1] * l.block[2];
  if (cells > 1e9) return sb_scene_too_large(options, diagnostics);
  const size_t inner = (size_t)cells, walls = surround(&l, l.tank, true, NULL);
  if (!sb_pose_allocate(pose, inner + walls)) return sb_scene_too_large(options, diagnostics);
  const double mass = sb_particles_lattice_mass(&l.lattice);
  for (size_t i = 0; i < inner + walls; ++i) {
    pose->mass[i] = mass;
    pose->pinned[i] = i >= inner;
  }
  fill_block(&l, pose->position);
  surround(&l, l.tank, true, pose->position + 3 * inner);
  pose->planar = l.lattice.dimensions == 2;
  return disturb(options, &l, inner, pose) || sb_scene_too_large(options, diagnostics);
}
