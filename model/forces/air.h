/* The resistance of air on the triangles of a net (options `air_resistance`, `air_velocity`): by their area, by how
 * they face the flow and by the square of its speed. Of a triangle with the normal n and the area A, whose corners have
 * the mean velocity v, in air that moves at u:
 *
 *     F = 1/2 rho_c A |w_n| w_n n,   w_n = (u - v).n,   a third of it on each corner
 *
 * (the pressure of a flow on a plate, rho_c its density times the coefficient of the plate; the part of the flow along
 * the face does nothing). It is the same whichever side is called the front, and in air at rest it only takes energy.
 * Local; one rank. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"

typedef struct sb_air sb_air;

/* Copies the triangles [triangles][3]. *air NULL and true where air_resistance is 0; false when memory is out. */
bool sb_air_create(const sb_options *options, size_t triangles, const int32_t *triangle, sb_air **air);
void sb_air_destroy(sb_air **air);
/* force += that of the air; position, velocity, force [vertices][3]. A triangle without area feels none. */
void sb_air_add_forces(const sb_air *air, const double *position, const double *velocity, double *force);
