/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The resistance of air on the triangles of a net (options `air_resistance`, `air_velocity`). It depends on their area,
 * their angle to the flow and the square of its speed. A triangle with normal n and area A, whose corners have the mean
 * velocity v, in air of velocity u has the force
 *
 *     F = 1/2 rho_c A |w_n| w_n n, w_n = (u - v).n, a third of it on each corner.
 *
 * This is the pressure of a flow on a plate: rho_c is the density of air times the coefficient of the plate, and flow
 * along the face has no effect. F does not depend on the orientation of the triangle. Air at rest only removes energy.
 * Local; one rank. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"

typedef struct sb_air sb_air;

/* Copies the triangles [triangles][3]. *air is NULL, and the result true, if air_resistance is 0; false if memory is
 * out. */
bool sb_air_create(const sb_options *options, size_t triangles, const int32_t *triangle, sb_air **air);
void sb_air_destroy(sb_air **air);
/* force += the force of air; position, velocity, force [vertices][3]. A triangle without area has none. */
void sb_air_add_forces(const sb_air *air, const double *position, const double *velocity, double *force);
