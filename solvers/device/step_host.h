/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of explicit steps as functions of C (host_kernels.c), for steps.c. */
#pragma once

#include "solvers/device/device.h"

extern sb_host_kernel *const sb_step_kernels_double[], *const sb_step_kernels_single[];
