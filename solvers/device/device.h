/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Devices that run kernels: one of OpenCL, or the host, which runs the same text compiled as C.
 *
 * The room needs nothing but base and the C library, so that a program of it builds on a machine without PETSc. OpenCL
 * is opened by dlopen. Opening a device starts threads of its driver and loads libraries: only a case opens it, after
 * its own fork. The dispositions of signals afterwards are those before.
 *
 * Launches are queued in order. A failing call leaves a message (sb_device_error) and later calls do nothing, so that a
 * caller checks once per batch. Local. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sb_device        sb_device;
typedef struct sb_device_buffer sb_device_buffer;

typedef struct {
  char     name[128], platform[128], driver[64], version[128];
  bool     gpu, doubles;
  bool     rounds; /* divisions and roots of floats are correctly rounded */
  bool     denormals;
  unsigned units;
  unsigned threads; /* that opening it started, of its driver, on the processors of the caller */
  uint64_t bytes;   /* of memory */
} sb_device_facts;

typedef struct {
  double   kernels_s, to_device_s, from_device_s;
  int64_t  launches;
  uint64_t bytes; /* of all buffers */
} sb_device_measures;

/* All kernels have as many arguments: buffers, integers, then reals of the device's precision. */
enum { SB_KERNEL_BUFFERS = 12, SB_KERNEL_NUMBERS = 6, SB_KERNEL_REALS = 3 };

typedef struct {
  sb_device_buffer *buffer[SB_KERNEL_BUFFERS];
  int               number[SB_KERNEL_NUMBERS];
  double            real[SB_KERNEL_REALS];
} sb_kernel_arguments;

/* A kernel as C, for items first <= i < last. */
typedef void sb_host_kernel(int first, int last, void *const *buffer, const int *number, const double *real);

typedef struct {
  const char            *text;    /* OpenCL C */
  const char            *options; /* of its compiler, such as "-D NAME" */
  size_t                 count;
  const char *const     *names;
  sb_host_kernel *const *host[2]; /* double, single */
} sb_kernel_set;

enum { SB_DEVICES_MAX = 32, SB_DEVICE_WHY = 1000 };

/* The devices of all platforms, in the order of `opencl:N`. */
typedef struct {
  size_t          count;
  sb_device_facts facts[SB_DEVICES_MAX];
  bool            broken;             /* a driver is installed, and does not work */
  char            why[SB_DEVICE_WHY]; /* the fault, or how to get a device; "" if there is neither */
} sb_device_listing;

/* Loads the drivers in a separate process, which they may end, crash or hang (base/guard.h). */
void sb_device_list(sb_device_listing *listing);
/* `name` is host, opencl (the first GPU, or the first device if there is none) or opencl:N. Builds the kernels. Returns
 * NULL with a reason. */
sb_device *sb_device_open(const char *name, bool single, const sb_kernel_set *set, char why[SB_DEVICE_WHY]);
void       sb_device_close(sb_device **device);

const sb_device_facts *sb_device_about(const sb_device *device);
bool                   sb_device_is_single(const sb_device *device);
/* Threads of the host; other devices ignore it. */
void sb_device_set_threads(sb_device *device, int threads);
/* NULL if all calls were done. */
const char *sb_device_error(const sb_device *device);

/* NULL after an error. A size of 0 makes a small buffer, as a kernel needs all its arguments. */
sb_device_buffer *sb_device_allocate(sb_device *device, size_t bytes);
void              sb_device_release(sb_device *device, sb_device_buffer **buffer);
/* Both return when the bytes have been copied. */
void sb_device_put(sb_device *device, sb_device_buffer *buffer, const void *from, size_t bytes);
void sb_device_get(sb_device *device, const sb_device_buffer *buffer, void *to, size_t bytes);
void sb_device_launch(sb_device *device, size_t kernel, int items, const sb_kernel_arguments *arguments);
void sb_device_finish(sb_device *device);

/* Sums since the device was opened. Times of kernels count up to the last finish. */
const sb_device_measures *sb_device_measured(const sb_device *device);
