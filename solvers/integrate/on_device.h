/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Explicit integrators on a device (options `device` and `precision`), in place of the code of their own files. */
#pragma once

#include "solvers/integrate/integrator_method.h"

/* The functions of a method with `device` set, for any of them. Its other members are empty. */
extern const sb_integrator_method sb_integrator_on_device;
/* True if a case runs on a device. */
bool sb_integrator_has_device(const sb_options *options);
/* The device that such a method has opened. */
const sb_device *sb_integrator_on_device_opened(const void *state);
/* See sb_integrator_device_copy. */
PetscErrorCode sb_integrator_on_device_copy(const void *state, int copies, double *copied, double *of_step);
