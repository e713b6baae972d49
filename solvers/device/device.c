/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front of devices: it counts, measures and keeps the first error; see device.h. */
#include "solvers/device/device.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dispositions.h"
#include "base/guard.h"
#include "base/profile.h"
#include "solvers/device/backend.h"
#include "solvers/device/driver_threads.h"

struct sb_device_buffer {
  void  *memory;
  size_t bytes;
};

struct sb_device {
  const sb_device_backend *backend;
  void                    *state;
  sb_device_facts          facts;
  sb_device_measures       measures;
  bool                     single, running;
  double                   started; /* when the first launch after a finish was queued */
  char                     error[200];
};

/* PoCL replaces the handlers of eight signals, and its threads must not receive signals sent to us. */
static void hold_signals(sb_dispositions *before, sigset_t *mask)
{
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
  sigset_t         all;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i) sigdelset(&all, faults[i]);
  sb_dispositions_keep(before);
  sigprocmask(SIG_BLOCK, &all, mask);
}

static void give_signals_back(const sb_dispositions *before, const sigset_t *mask)
{
  sb_dispositions_restore(before);
  sigprocmask(SIG_SETMASK, mask, NULL);
}

void sb_device_list(sb_device_listing *listing)
{
  char how[SB_GUARD_WHY];
  *listing = (sb_device_listing){.count = 0};
  if (sb_guard_try(sb_device_opencl_list, listing, sizeof *listing, how)) return;
  *listing = (sb_device_listing){.broken = true};
  snprintf(listing->why, SB_DEVICE_WHY, "a driver of OpenCL %s: repair or remove it; drivers come from %s", how,
           sb_device_opencl_drivers());
}

sb_device *sb_device_open(const char *name, bool single, const sb_kernel_set *set, char why[SB_DEVICE_WHY])
{
  sb_device        *device = calloc(1, sizeof *device);
  const char       *colon = strchr(name, ':');
  sb_dispositions   before;
  sb_driver_threads threads;
  sigset_t          mask;
  *why = '\0';
  if (!device) return NULL;
  device->single = single;
  device->backend = strcmp(name, "host") == 0 ? &sb_device_host : &sb_device_opencl;
  if (device->backend == &sb_device_host) {
    device->state = sb_device_host_open(single, set, &device->facts);
  } else {
    hold_signals(&before, &mask);
    sb_driver_threads_limit(&threads);
    device->state = sb_device_opencl_open(colon ? atoi(colon + 1) - 1 : -1, single, set, &device->facts, why);
    device->facts.threads = sb_driver_threads_bind(&threads);
    give_signals_back(&before, &mask);
  }
  if (!device->state) sb_device_close(&device);
  return device;
}

void sb_device_close(sb_device **device)
{
  if (!*device) return;
  if ((*device)->state) (*device)->backend->close((*device)->state);
  free(*device);
  *device = NULL;
}

const sb_device_facts    *sb_device_about(const sb_device *device) { return &device->facts; }
const sb_device_measures *sb_device_measured(const sb_device *device) { return &device->measures; }
bool                      sb_device_is_single(const sb_device *device) { return device->single; }
const char               *sb_device_error(const sb_device *device) { return *device->error ? device->error : NULL; }

void sb_device_set_threads(sb_device *device, int threads) { device->backend->set_threads(device->state, threads); }

static void check(sb_device *device, bool good, const char *call)
{
  if (good || *device->error) return;
  snprintf(device->error, sizeof device->error, "device '%.80s': %s failed: %s", device->facts.name, call,
           device->backend->error(device->state));
}

sb_device_buffer *sb_device_allocate(sb_device *device, size_t bytes)
{
  sb_device_buffer *buffer = *device->error ? NULL : calloc(1, sizeof *buffer);
  if (!buffer) return NULL;
  buffer->bytes = bytes > 0 ? bytes : 64;
  buffer->memory = device->backend->allocate(device->state, buffer->bytes);
  check(device, buffer->memory, "allocating memory");
  if (buffer->memory)
    device->measures.bytes += buffer->bytes;
  else
    sb_device_release(device, &buffer);
  return buffer;
}

void sb_device_release(sb_device *device, sb_device_buffer **buffer)
{
  if (!*buffer) return;
  if ((*buffer)->memory) {
    device->backend->release(device->state, (*buffer)->memory);
    device->measures.bytes -= (*buffer)->bytes;
  }
  free(*buffer);
  *buffer = NULL;
}

void sb_device_put(sb_device *device, sb_device_buffer *buffer, const void *from, size_t bytes)
{
  if (*device->error || bytes == 0) return;
  sb_device_finish(device);
  const double started = sb_clock_seconds();
  check(device, device->backend->put(device->state, buffer->memory, from, bytes), "a copy to it");
  device->measures.to_device_s += sb_clock_seconds() - started;
}

void sb_device_get(sb_device *device, const sb_device_buffer *buffer, void *to, size_t bytes)
{
  if (*device->error || bytes == 0) return;
  sb_device_finish(device);
  const double started = sb_clock_seconds();
  check(device, device->backend->get(device->state, buffer->memory, to, bytes), "a copy from it");
  device->measures.from_device_s += sb_clock_seconds() - started;
}

void sb_device_launch(sb_device *device, size_t kernel, int items, const sb_kernel_arguments *arguments)
{
  void *memory[SB_KERNEL_BUFFERS];
  if (*device->error || items == 0) return;
  for (int i = 0; i < SB_KERNEL_BUFFERS; ++i) memory[i] = arguments->buffer[i]->memory;
  if (!device->running) device->started = sb_clock_seconds();
  check(device,
        device->backend->launch(device->state, kernel, items, memory, arguments->number, arguments->real,
                                !device->running),
        "a launch");
  device->running = true;
  device->measures.launches++;
}

void sb_device_finish(sb_device *device)
{
  double seconds = -1;
  if (!device->running || *device->error) return;
  check(device, device->backend->finish(device->state, &seconds), "a finish");
  device->measures.kernels_s += seconds >= 0 ? seconds : sb_clock_seconds() - device->started;
  device->running = false;
}
