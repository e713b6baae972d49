/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See price.h. */
#include "solvers/minimize/price.h"

#include <math.h>

#include "model/system/flops.h"

#define CG_VERTEX 27 /* residual, block and r.s of an iteration; SB_FLOPS_PRODUCT has the other vectors */

static double passes(const sb_system *system, double spring, double vertex)
{
  return spring * (double)system->springs_global + vertex * (double)system->vertices;
}

sb_price sb_factor_price(const sb_system *system, const sb_linear_solver *linear)
{
  const double factor = sb_linear_solver_facts(linear)->flops_factor;
  return (sb_price){.product = passes(system, SB_FLOPS_PRODUCT.spring, SB_FLOPS_PRODUCT.vertex + CG_VERTEX),
                    .factor =
                        factor > 0 ? passes(system, SB_FLOPS_ASSEMBLY.spring, SB_FLOPS_ASSEMBLY.vertex) + factor : 0};
}

double sb_price_ratio(sb_price price) { return price.factor > 0 ? price.factor / price.product : NAN; }
