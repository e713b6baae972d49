/* The frequencies that limit explicit steps, by SLEPc. Collective. */
#pragma once

#include "model/system.h"

/* Largest natural frequency, rad/s: K u = omega^2 M u with the exact Hessian K over free vertices at the pose x. */
PetscErrorCode sb_frequency_max(sb_system *system, Vec x, double *omega);
/* sqrt(lambda_max(M^-1 L)), L the scalar matrix of all stiffnesses: a bound on omega_max at any stretch. */
PetscErrorCode sb_frequency_any_stretch(sb_system *system, double *omega);
