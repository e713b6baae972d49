/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A net on a device: the arrays that its kernels have in common, and the set of kernels of implicit steps
 * (net_kernels.h). Local. */
#pragma once

#include "solvers/device/device.h"
#include "solvers/device/kernel_parameters.h"

typedef struct {
  int           vertices, springs;
  const int    *first, *second; /* [springs] */
  const double *stiffness, *rest_length;
  const double *inverse_mass; /* [vertices] 0 on pinned vertices; for explicit steps */
  double        gravity[3], h_seconds, factor, drag, damping;
  double        kept; /* position Verlet: 1 - verlet_damping */
  int           passes;
} sb_device_net;

/* Springs of 32 vertices lie side by side. */
enum { SB_SLICE = 32 };

typedef struct {
  double            parameter[P_COUNT];
  sb_device_buffer *parameters, *left, *start, *other, *link;
  int               visits; /* entries of `other`; `link` has their stiffness, then their rest lengths */
} sb_device_arrays;

/* Copies the net. Errors are the device's. */
void sb_device_arrays_create(sb_device *device, const sb_device_net *net, sb_device_arrays *arrays);
void sb_device_arrays_destroy(sb_device *device, sb_device_arrays *arrays);
/* The cube that kernels compare positions with. */
void sb_device_set_bounds(sb_device *device, sb_device_arrays *arrays, const double center[3], double limit);

size_t sb_device_real_bytes(const sb_device *device);
/* Buffers of `count` numbers; NULL after an error. */
sb_device_buffer *sb_device_reals(sb_device *device, const double *from, size_t count);
sb_device_buffer *sb_device_integers(sb_device *device, const int *from, size_t count);
/* sb_device_put and sb_device_get of numbers in the device's precision. */
void sb_device_put_reals(sb_device *device, sb_device_buffer *buffer, const double *from, size_t count);
void sb_device_get_reals(sb_device *device, const sb_device_buffer *buffer, double *to, size_t count);

/* Numbers of the kernels of implicit steps. */
enum {
#define SB_KERNEL_NAME(name) SB_NET_##name,
#include "solvers/device/net_kernels.def"
#undef SB_KERNEL_NAME
  SB_NET_KERNELS
};

/* Opens a device with these kernels; see sb_device_open. */
sb_device *sb_device_open_for_nets(const char *name, bool single, char why[SB_DEVICE_WHY]);
