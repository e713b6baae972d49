/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A burst: the net stays within its bounds, but has far more energy than it began with and was given.
 *
 * Explicit steps that are too long for the present stretch feed energy into the fastest modes. Far stretched the net is
 * stable again, so that no vertex leaves the bounds of the solvers. Here E = kinetic + elastic + gravity is compared
 * with
 *
 *     E(start) + W + BURST S,  S = kinetic and elastic energy at the start + W + m |g| D + the energy at 1 % of strain.
 *
 * W is what was given. A change between two calls of steps (a knob, a pin that moves) gives what E rises by. A hand and
 * wind give F.dx over the steps. What takes energy is not counted. D is the diagonal of the net at its start. Nets that
 * a field, air, or pins and colliders on a path move are not judged, as the work of these is not known here; neither
 * are fluids.
 *
 * The library has a balance, too (drivers/energy_balance.h), which begins again with each change from outside. A hand
 * that moves is sixty changes a second, and a cloth gained 2e7 J between them. This book goes on over all changes. */
#include <math.h>
#include <stdlib.h>

#include "base/allocate.h"
#include "live/player.h"
#include "model/system/external.h"

#define BURST            100
#define REFERENCE_STRAIN 0.01

static bool is_judged(const sb_sim *sim)
{
  const sb_system *system = sim->setup->system;
  size_t           paths = 0, fields = 0; /* a push is a field of the system, but none of the options */
  sb_options_composites(sim->options, SB_ID(collider_path), &paths);
  sb_options_composites(sim->options, SB_ID(wind), &fields);
  return !system->fluid && !system->air && !sb_system_moves_pins(system) && paths + fields == 0;
}

/* J that the net could exchange without being given any: m |g| D, and its springs at the reference strain. */
static double scale_of(const sb_sim *sim)
{
  const sb_pose *p = &sim->pose;
  const double  *g = sim->setup->system->gravity;
  double         low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  double         mass = 0, springs = 0, square = 0;
  for (size_t i = 0; i < p->vertices; ++i) {
    mass += p->mass[i];
    for (int c = 0; c < 3; ++c) {
      low[c] = fmin(low[c], p->position[3 * i + (size_t)c]);
      high[c] = fmax(high[c], p->position[3 * i + (size_t)c]);
    }
  }
  for (int c = 0; c < 3; ++c) square += (high[c] - low[c]) * (high[c] - low[c]);
  for (size_t s = 0; s < p->springs; ++s) {
    const double stretch = REFERENCE_STRAIN * p->rest_length[s];
    springs += 0.5 * p->stiffness[s] * stretch * stretch;
  }
  return mass * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * sqrt(square) + springs;
}

void sb_burst_forget(sb_stage_play *play)
{
  free(play->energy.place);
  play->energy = (sb_energy_book){0};
}

void sb_burst_before(sb_stage_play *play)
{
  sb_energy_book *book = &play->energy;
  sb_energies     e;
  free(book->place);
  book->place = NULL;
  if (!is_judged(play->sim) || sb_sim_perform(play->sim, sb_play_measure, &e) != SB_SIM_OK) return;
  if (!book->open)
    *book = (sb_energy_book){.open = true, .start = e.total, .last = e.total, .given = e.kinetic + e.elastic};
  book->given += fmax(0, e.total - book->last);
  book->last = e.total;
  if (!play->sim->pushed) return;
  book->place = sb_allocate(3 * play->sim->pose.vertices, sizeof *book->place);
  (void)sb_sim_get(play->sim, book->place, NULL);
}

/* J by the forces of a hand and of wind since the place was noted. */
static double work_of_forces(const sb_stage_play *play)
{
  sb_sim          *sim = play->sim;
  const size_t     n = 3 * sim->pose.vertices;
  SB_OWNED double *x = play->energy.place ? sb_allocate(n, sizeof *x) : NULL;
  double           work = 0;
  if (!x || !sim->pushed || sb_sim_get(sim, x, NULL) != SB_SIM_OK) return 0;
  for (size_t i = 0; i < n; ++i) work += sim->pose.mass[i / 3] * sim->pushed[i] * (x[i] - play->energy.place[i]);
  return work;
}

char *sb_burst_after(sb_stage_play *play)
{
  sb_energy_book *book = &play->energy;
  sb_energies     e;
  if (!book->open || !is_judged(play->sim) || sb_sim_perform(play->sim, sb_play_measure, &e) != SB_SIM_OK) return NULL;
  book->given += fmax(0, work_of_forces(play));
  book->last = e.total;
  const double scale = book->given + scale_of(play->sim), gained = e.total - book->start - book->given;
  if (gained <= BURST * scale) return NULL;
  play->sim->stopped = true;
  return sb_format("the net has %.3g J more than it began with and was given; that is over %d times what was given and "
                   "what it could exchange, %.3g J",
                   gained, BURST, scale);
}
