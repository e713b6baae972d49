/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of explicit integrators on a device, for any net of springs with fixed pins, gravity, drag and dampers. In
 * double precision the bits are those of solvers/integrate.
 *
 * Positions and velocities stay on the device between `put` and `get`. A batch of steps is queued at once. Local; plain
 * arrays are [vertices][3]. */
#pragma once

#include "solvers/device/net.h"

typedef enum {
  SB_DEVICE_NOTHING, /* a method that devices do not support */
  SB_DEVICE_EXPLICIT_EULER,
  SB_DEVICE_SYMPLECTIC_EULER,
  SB_DEVICE_VELOCITY_VERLET,
  SB_DEVICE_STOERMER_VERLET,
  SB_DEVICE_POSITION_VERLET,
  SB_DEVICE_MINIMIZES /* one of a minimiser, whose vectors are on the device (solvers/minimize/on_device.h) */
} sb_device_method;

typedef struct sb_device_steps sb_device_steps;

/* Opens a device with the kernels of steps; see sb_device_open. */
sb_device *sb_device_open_for_steps(const char *name, bool single, char why[SB_DEVICE_WHY]);

/* NULL after an error of the device, or if memory is out. The net is copied. */
sb_device_steps *sb_device_steps_create(sb_device *device, sb_device_method method, const sb_device_net *net);
void             sb_device_steps_destroy(sb_device_steps **steps);

/* `resumed`: the memories of the method belong to this state; else it starts from it. */
void sb_device_steps_put(sb_device_steps *steps, const double *position, const double *velocity);
void sb_device_steps_start(sb_device_steps *steps, bool resumed);
/* Makes up to `count` steps, at most SB_BATCH_MAX. It ends after the first whose positions are not all within `limit`
 * of the centre in every coordinate. Returns the number of steps. */
enum { SB_BATCH_MAX = 1024 };
int sb_device_steps_batch(sb_device_steps *steps, int count, const double center[3], double limit, bool *near);
/* Finishes the last step: its velocity. Needed once before velocities are read. */
void sb_device_steps_end(sb_device_steps *steps);
void sb_device_steps_get(sb_device_steps *steps, double *position, double *velocity);
void sb_device_steps_get_position(sb_device_steps *steps, double *position);
/* previous position and acceleration, of methods that have them */
void sb_device_steps_put_memories(sb_device_steps *steps, const double *previous, const double *acceleration);
void sb_device_steps_get_memories(sb_device_steps *steps, double *previous, double *acceleration);

/* Bytes that a step reads and writes, if every array is read once. */
double sb_device_steps_bytes(const sb_device_steps *steps);
/* Launches the kernel that copies positions and velocities, for the bandwidth. Returns its bytes. */
double sb_device_steps_copy(sb_device_steps *steps);
