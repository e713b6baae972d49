/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The host as a device: kernels are C functions, and a launch is a loop over their items. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "solvers/device/backend.h"

enum { ITEMS_PER_THREAD = 1024 };

typedef struct {
  const sb_kernel_set *set;
  bool                 single;
  int                  threads;
} host;

void *sb_device_host_open(bool single, const sb_kernel_set *set, sb_device_facts *facts)
{
  host *h = calloc(1, sizeof *h);
  if (h) *h = (host){set, single, 1};
  *facts = (sb_device_facts){.doubles = true, .rounds = true, .denormals = true, .units = 1};
  strcpy(facts->name, "host");
  strcpy(facts->platform, "host");
  strcpy(facts->version, "C");
  return h;
}

static void *allocate(void *state, size_t bytes)
{
  (void)state;
  return calloc(1, bytes);
}

static void release(void *state, void *memory)
{
  (void)state;
  free(memory);
}

static bool put(void *state, void *memory, const void *from, size_t bytes)
{
  (void)state;
  memcpy(memory, from, bytes);
  return true;
}

static bool get(void *state, void *memory, void *to, size_t bytes)
{
  (void)state;
  memcpy(to, memory, bytes);
  return true;
}

static bool launch(void *state, size_t kernel, int items, void *const *memory, const int *number, const double *real,
                   bool first)
{
  const host     *h = state;
  sb_host_kernel *run = h->set->host[h->single][kernel];
  const int       parts = items / ITEMS_PER_THREAD < h->threads ? 1 : h->threads;
  (void)first;
  if (parts == 1) {
    run(0, items, memory, number, real);
    return true;
  }
  SB_OMP(parallel for num_threads(parts) schedule(static, 1))
  for (int p = 0; p < parts; ++p)
    run((int)((long)items * p / parts), (int)((long)items * (p + 1) / parts), memory, number, real);
  return true;
}

static bool finish(void *state, double *seconds)
{
  (void)state;
  *seconds = -1;
  return true;
}

static void set_threads(void *state, int threads) { ((host *)state)->threads = threads; }

static const char *error(void *state)
{
  (void)state;
  return "out of memory";
}

const sb_device_backend sb_device_host = {.allocate = allocate,
                                          .release = release,
                                          .put = put,
                                          .get = get,
                                          .launch = launch,
                                          .finish = finish,
                                          .set_threads = set_threads,
                                          .error = error,
                                          .close = free};
