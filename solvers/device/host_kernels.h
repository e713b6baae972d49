/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels as functions of C (host_kernels.c): of explicit steps, and of nets for implicit ones. */
#pragma once

#include "solvers/device/device.h"

extern sb_host_kernel *const sb_step_kernels_double[], *const sb_step_kernels_single[];
extern sb_host_kernel *const sb_net_kernels_double[], *const sb_net_kernels_single[];
