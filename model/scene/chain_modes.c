/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modes of chains; see chain_modes.h. Displacements of mode j, equal masses:
 *
 *   fixed_fixed  sin(q p),           q = j pi/(n + 1)
 *   fixed_free   sin(q p),           q = (2j - 1) pi/(2n + 1)
 *   free_free    cos(q (p - 1/2)),   q = j pi/n, j < n
 *
 * They solve 2u_p - u_{p-1} - u_{p+1} = (omega^2 m/k) u_p, omega = 2 sqrt(k/m) sin(q/2), with u = 0 at a fixed end and
 * equal neighbours across a free one.
 *
 * Two masses in turn, between fixed ends: u_p = sin(q p) for odd p and r sin(q p) for even p solve
 *
 *   omega^2 m1 = 2k (1 - r cos q),   omega^2 m2 r = 2k (r - cos q)
 *
 * for omega^2 = k S -+ k sqrt(S^2 - 4 sin^2 q/(m1 m2)), S = 1/m1 + 1/m2: the dispersion of the infinite chain, whose
 * cell of two masses is 2 long (sin^2(q a/2), a = 2), since a standing wave is two running ones. Waves q and pi - q are
 * the same there; q < pi/2 stands for the acoustic branch (-), q > pi/2 for the optical one (+), which for equal masses
 * is one branch over both. At q = pi/2, the masses of even p rest, and omega^2 = 2k/m1. */
#include "model/scene/chain_modes.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double wave_number(const sb_options *options)
{
  const double n = (double)SB_INTEGER(options, nodes), j = (double)SB_INTEGER(options, initial_mode);
  if (SB_IS(options, ends, "fixed_fixed")) return j * pi / (n + 1);
  if (SB_IS(options, ends, "fixed_free")) return (2 * j - 1) * pi / (2 * n + 1);
  return j * pi / n;
}

sb_chain_mode sb_chain_mode_of(const sb_options *options, double stiffness, double first_mass, double second_mass)
{
  sb_chain_mode mode = {.wave_number = wave_number(options), .even = 1};
  mode.omega = 2 * sqrt(stiffness / first_mass) * sin(mode.wave_number / 2);
  if (first_mass == second_mass) return mode;
  const int64_t twice = 2 * SB_INTEGER(options, initial_mode), middle = SB_INTEGER(options, nodes) + 1;
  const double  sine = sin(mode.wave_number), product = 4 * sine * sine / (first_mass * second_mass);
  const double  sum = 1 / first_mass + 1 / second_mass, root = sqrt(sum * sum - product);
  const double  square = twice < middle ? product / (sum + root) : sum + root; /* omega^2/k */
  mode.even = twice == middle ? 0 : (2 - first_mass * square) / (2 * cos(mode.wave_number));
  mode.omega = sqrt(stiffness * (twice == middle ? 2 / first_mass : square));
  return mode;
}

double sb_chain_displacement(const sb_options *options, const sb_chain_mode *mode, double p)
{
  if (SB_IS(options, ends, "free_free")) return cos(mode->wave_number * (p - 0.5));
  return (fmod(p, 2) == 0 ? mode->even : 1) * sin(mode->wave_number * p);
}
