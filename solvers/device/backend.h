/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A backend runs kernels for the front of devices; see device.h. Only device.c, host.c and opencl.c include
 * it. */
#pragma once

#include "solvers/device/device.h"

typedef struct {
  void *(*allocate)(void *state, size_t bytes);
  void (*release)(void *state, void *memory);
  bool (*put)(void *state, void *memory, const void *from, size_t bytes);
  bool (*get)(void *state, void *memory, void *to, size_t bytes);
  /* first: a clock of kernels starts with this launch */
  bool (*launch)(void *state, size_t kernel, int items, void *const *memory, const int *number, const double *real,
                 bool first);
  /* *seconds: from the start of the launch that was `first` to the end of the last one; < 0: unknown */
  bool (*finish)(void *state, double *seconds);
  void (*set_threads)(void *state, int threads);
  const char *(*error)(void *state);
  void (*close)(void *state);
} sb_device_backend;

extern const sb_device_backend sb_device_host, sb_device_opencl;

void *sb_device_host_open(bool single, const sb_kernel_set *set, sb_device_facts *facts);
void  sb_device_opencl_list(void *listing); /* a sb_device_listing of zeros */
/* The folder or file that names the drivers. */
const char *sb_device_opencl_drivers(void);
/* number < 0: a GPU if there is one. */
void *sb_device_opencl_open(int number, bool single, const sb_kernel_set *set, sb_device_facts *facts,
                            char why[SB_DEVICE_WHY]);
