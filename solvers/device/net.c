/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arrays of a net on a device; see net.h. */
#include "solvers/device/net.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "solvers/device/host_kernels.h"

static const char *const names[] = {
#define SB_KERNEL_NAME(name) #name,
#include "solvers/device/net_kernels.def"
#undef SB_KERNEL_NAME
};

extern const char          sb_net_kernels_text[]; /* net_kernels.h, embedded */
static const sb_kernel_set kernels = {
    sb_net_kernels_text, "-D SB_BY_VERTEX", SB_NET_KERNELS, names, {sb_net_kernels_double, sb_net_kernels_single}};

sb_device *sb_device_open_for_nets(const char *name, bool single, char why[SB_DEVICE_WHY])
{
  return sb_device_open(name, single, &kernels, why);
}

size_t sb_device_real_bytes(const sb_device *device)
{
  return sb_device_is_single(device) ? sizeof(float) : sizeof(double);
}

sb_device_buffer *sb_device_reals(sb_device *device, const double *from, size_t count)
{
  sb_device_buffer *buffer = sb_device_allocate(device, count * sb_device_real_bytes(device));
  if (buffer) sb_device_put_reals(device, buffer, from, count);
  return buffer;
}

sb_device_buffer *sb_device_integers(sb_device *device, const int *from, size_t count)
{
  sb_device_buffer *buffer = sb_device_allocate(device, count * sizeof *from);
  if (buffer) sb_device_put(device, buffer, from, count * sizeof *from);
  return buffer;
}

void sb_device_put_reals(sb_device *device, sb_device_buffer *buffer, const double *from, size_t count)
{
  if (!sb_device_is_single(device)) {
    sb_device_put(device, buffer, from, count * sizeof *from);
    return;
  }
  SB_OWNED float *floats = sb_insist(malloc((count + 1) * sizeof *floats));
  for (size_t i = 0; i < count; ++i) floats[i] = (float)from[i];
  sb_device_put(device, buffer, floats, count * sizeof *floats);
}

void sb_device_get_reals(sb_device *device, const sb_device_buffer *buffer, double *to, size_t count)
{
  if (!sb_device_is_single(device)) {
    sb_device_get(device, buffer, to, count * sizeof *to);
    return;
  }
  SB_OWNED float *floats = sb_insist(calloc(count + 1, sizeof *floats));
  sb_device_get(device, buffer, floats, count * sizeof *floats);
  for (size_t i = 0; i < count; ++i) to[i] = floats[i];
}

/* Slices as long as their longest row: start [slices + 1], and the number of entries of each vertex filled so far. */
static void take_slices(sb_device *device, const sb_device_net *net, sb_device_arrays *arrays)
{
  const int     slices = (net->vertices + SB_SLICE - 1) / SB_SLICE;
  SB_OWNED int *filled = sb_insist(calloc((size_t)(slices * SB_SLICE) + 1, sizeof(int)));
  SB_OWNED int *start = sb_insist(calloc((size_t)slices + 1, sizeof(int)));
  for (int n = 0; n < net->springs; ++n) {
    filled[net->first[n]]++;
    filled[net->second[n]]++;
  }
  for (int i = 0; i < slices * SB_SLICE; ++i) {
    int *length = &start[i / SB_SLICE + 1];
    if (filled[i] > *length) *length = filled[i];
    filled[i] = 0;
  }
  for (int k = 0; k < slices; ++k) start[k + 1] = start[k] + SB_SLICE * start[k + 1];
  const size_t     visits = (size_t)start[slices];
  SB_OWNED int    *other = sb_insist(malloc((visits + 1) * sizeof *other));
  SB_OWNED double *link = sb_insist(calloc(2 * visits + 1, sizeof *link));
  memset(other, 0xff, visits * sizeof *other); /* -1 */
  for (int n = 0; n < 2 * net->springs; ++n) {
    const int    i = n % 2 == 0 ? net->first[n / 2] : net->second[n / 2];
    const size_t at = (size_t)(start[i / SB_SLICE] + i % SB_SLICE + SB_SLICE * filled[i]++);
    other[at] = n % 2 == 0 ? net->second[n / 2] : net->first[n / 2];
    link[at] = net->stiffness[n / 2];
    link[visits + at] = net->rest_length[n / 2];
  }
  arrays->visits = (int)visits;
  arrays->start = sb_device_integers(device, start, (size_t)slices + 1);
  arrays->other = sb_device_integers(device, other, visits);
  arrays->link = sb_device_reals(device, link, 2 * visits);
}

void sb_device_arrays_create(sb_device *device, const sb_device_net *net, sb_device_arrays *arrays)
{
  double *p = arrays->parameter;
  p[P_H] = net->h_seconds;
  p[P_HALF] = 0.5 * net->h_seconds;
  p[P_FACTOR] = net->factor;
  p[P_DRAG] = net->drag;
  p[P_DAMPING] = net->damping;
  p[P_Q] = (1 + net->factor) / (2 * net->h_seconds);
  p[P_P] = 0.5 * net->factor * net->h_seconds;
  p[P_HH] = net->h_seconds * net->h_seconds;
  p[P_INERTIA] = 1 / (net->h_seconds * net->h_seconds);
  p[P_KEPT] = net->kept;
  memcpy(p + P_GRAVITY, net->gravity, 3 * sizeof *p);
  arrays->parameters = sb_device_reals(device, p, P_COUNT);
  arrays->left = sb_device_integers(device, (const int[]){-1, -1}, 2);
  take_slices(device, net, arrays);
}

void sb_device_arrays_destroy(sb_device *device, sb_device_arrays *arrays)
{
  sb_device_buffer **const all[] = {&arrays->parameters, &arrays->left, &arrays->start, &arrays->other, &arrays->link};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) sb_device_release(device, all[i]);
}

void sb_device_set_bounds(sb_device *device, sb_device_arrays *arrays, const double center[3], double limit)
{
  double *p = arrays->parameter;
  if (sb_device_is_single(device) && limit > FLT_MAX) limit = FLT_MAX; /* so that infinity is not within it */
  if (memcmp(p + P_CENTER, center, 3 * sizeof *p) == 0 && p[P_LIMIT] == limit) return;
  memcpy(p + P_CENTER, center, 3 * sizeof *p);
  p[P_LIMIT] = limit;
  sb_device_put_reals(device, arrays->parameters, p, P_COUNT);
}
