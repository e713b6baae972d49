/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sequences of kernels for explicit steps; see steps.h. */
#include "solvers/device/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "solvers/device/host_kernels.h"
#include "solvers/device/kernel_parameters.h"

enum {
#define SB_KERNEL_NAME(name) K_##name,
#include "solvers/device/step_kernels.def"
#undef SB_KERNEL_NAME
  KERNELS
};

static const char *const names[] = {
#define SB_KERNEL_NAME(name) #name,
#include "solvers/device/step_kernels.def"
#undef SB_KERNEL_NAME
};

extern const char          sb_step_kernels_text[]; /* step_kernels.h, embedded */
static const sb_kernel_set kernels = {
    sb_step_kernels_text, "", KERNELS, names, {sb_step_kernels_double, sb_step_kernels_single}};

enum { WIDE = 16 };

/* Some springs that `project` handles in one launch: `items` in parallel, each of `length` springs. */
typedef struct {
  int first, items, length;
} stretch;

struct sb_device_steps {
  sb_device        *device;
  sb_device_arrays  net;
  sb_device_method  method;
  int               vertices, stride, springs, passes;
  bool              damped, dragged;
  sb_device_buffer *inverse_mass, *x[2], *v[2], *previous, *acceleration;
  sb_device_buffer *ends, *lengths; /* of `project` */
  int               of_x, of_v;     /* which of two has the state */
  bool              open;           /* the last step lacks its end */
  int               turn;
  char              parity[SB_BATCH_MAX][2];
  stretch          *stretches;
  int               stretch_count;
  void             *staging; /* 3 stride numbers of the device */
};

sb_device *sb_device_open_for_steps(const char *name, bool single, char why[SB_DEVICE_WHY])
{
  return sb_device_open(name, single, &kernels, why);
}

/* ---- arrays ---- */

static void put_triples(sb_device_steps *s, sb_device_buffer *buffer, const double *from)
{
  const size_t n = (size_t)s->stride;
  for (size_t i = 0; i < (size_t)s->vertices; ++i)
    for (size_t c = 0; c < 3; ++c) {
      if (sb_device_is_single(s->device))
        ((float *)s->staging)[c * n + i] = (float)from[3 * i + c];
      else
        ((double *)s->staging)[c * n + i] = from[3 * i + c];
    }
  sb_device_put(s->device, buffer, s->staging, 3 * n * sb_device_real_bytes(s->device));
}

static void get_triples(sb_device_steps *s, const sb_device_buffer *buffer, double *to)
{
  const size_t n = (size_t)s->stride;
  sb_device_get(s->device, buffer, s->staging, 3 * n * sb_device_real_bytes(s->device));
  for (size_t i = 0; i < (size_t)s->vertices; ++i)
    for (size_t c = 0; c < 3; ++c)
      to[3 * i + c] =
          sb_device_is_single(s->device) ? (double)((float *)s->staging)[c * n + i] : ((double *)s->staging)[c * n + i];
}

/* ---- the order of springs ---- */

/* Springs of one level have no vertex in common, and every spring has a higher level than earlier springs at its
 * vertices. One item handles levels with few springs. */
static void take_levels(sb_device_steps *s, const sb_device_net *net, const int *width, int levels)
{
  const bool serial = strcmp(sb_device_about(s->device)->platform, "host") == 0;
  int        at = 0;
  s->stretches = sb_insist(malloc(((size_t)levels + 1) * sizeof *s->stretches));
  for (int k = 0; k < levels; at += width[k++]) {
    const bool narrow = serial || width[k] < WIDE;
    stretch   *last = s->stretch_count > 0 ? &s->stretches[s->stretch_count - 1] : NULL;
    if (narrow && last && last->items == 1)
      last->length += width[k];
    else
      s->stretches[s->stretch_count++] = narrow ? (stretch){at, 1, width[k]} : (stretch){at, width[k], 1};
  }
  s->springs = net->springs;
}

static void take_order(sb_device_steps *s, const sb_device_net *net)
{
  const size_t     springs = (size_t)net->springs;
  SB_OWNED int    *last = sb_insist(calloc((size_t)net->vertices, sizeof(int)));
  SB_OWNED int    *level = sb_insist(calloc(springs + 1, sizeof(int)));
  SB_OWNED int    *width = sb_insist(calloc(springs + 1, sizeof(int)));
  SB_OWNED int    *next = sb_insist(calloc(springs + 1, sizeof(int)));
  SB_OWNED int    *ends = sb_insist(calloc(2 * springs + 1, sizeof(int)));
  SB_OWNED double *lengths = sb_insist(calloc(springs + 1, sizeof(double)));
  int              levels = 0;
  for (size_t n = 0; n < springs; ++n) {
    const int i = net->first[n], j = net->second[n];
    level[n] = last[i] > last[j] ? last[i] : last[j];
    last[i] = last[j] = level[n] + 1;
    width[level[n]]++;
    if (level[n] + 1 > levels) levels = level[n] + 1;
  }
  for (int k = 1; k < levels; ++k) next[k] = next[k - 1] + width[k - 1];
  for (size_t n = 0; n < springs; ++n) {
    const int at = next[level[n]]++;
    ends[2 * at] = net->first[n];
    ends[2 * at + 1] = net->second[n];
    lengths[at] = net->rest_length[n];
  }
  take_levels(s, net, width, levels);
  s->ends = sb_device_integers(s->device, ends, 2 * springs);
  s->lengths = sb_device_reals(s->device, lengths, springs);
}

static void create_arrays(sb_device_steps *s, const sb_device_net *net)
{
  const bool       has_previous = s->method >= SB_DEVICE_STOERMER_VERLET;
  const size_t     triple = 3 * (size_t)s->stride * sb_device_real_bytes(s->device);
  SB_OWNED double *inverse_mass = sb_insist(calloc((size_t)s->stride, sizeof(double)));
  memcpy(inverse_mass, net->inverse_mass, (size_t)net->vertices * sizeof *inverse_mass);
  s->inverse_mass = sb_device_reals(s->device, inverse_mass, (size_t)s->stride);
  for (int k = 0; k < 2; ++k) {
    s->x[k] = sb_device_allocate(s->device, triple);
    s->v[k] = sb_device_allocate(s->device, triple);
  }
  s->previous = sb_device_allocate(s->device, has_previous ? triple : 0);
  s->acceleration = sb_device_allocate(s->device, s->method == SB_DEVICE_STOERMER_VERLET ? triple : 0);
  s->ends = s->lengths = NULL;
  if (s->method == SB_DEVICE_POSITION_VERLET) take_order(s, net);
}

sb_device_steps *sb_device_steps_create(sb_device *device, sb_device_method method, const sb_device_net *net)
{
  sb_device_steps *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->device = device;
  s->method = method;
  s->vertices = net->vertices;
  s->stride = (net->vertices + SB_SLICE - 1) / SB_SLICE * SB_SLICE;
  s->passes = net->passes;
  s->staging = calloc(3 * (size_t)s->stride, sizeof(double));
  s->damped = net->damping > 0;
  s->dragged = net->drag > 0;
  sb_device_arrays_create(device, net, &s->net);
  if (s->staging) create_arrays(s, net);
  if (!s->staging || sb_device_error(device)) sb_device_steps_destroy(&s);
  return s;
}

void sb_device_steps_destroy(sb_device_steps **steps)
{
  sb_device_steps *s = *steps;
  if (!s) return;
  sb_device_finish(s->device);
  sb_device_buffer **const all[] = {&s->inverse_mass, &s->x[0],         &s->x[1], &s->v[0],   &s->v[1],
                                    &s->previous,     &s->acceleration, &s->ends, &s->lengths};
  sb_device_arrays_destroy(s->device, &s->net);
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) sb_device_release(s->device, all[i]);
  free(s->stretches);
  free(s->staging);
  free(s);
  *steps = NULL;
}

/* ---- launches ---- */

static sb_kernel_arguments arguments_of(const sb_device_steps *s)
{
  return (sb_kernel_arguments){{s->net.parameters, s->net.left, s->net.start, s->net.other, s->net.link,
                                s->inverse_mass, s->x[s->of_x], s->v[s->of_v], s->x[!s->of_x], s->v[!s->of_v],
                                s->previous, s->acceleration},
                               {s->vertices, s->stride, s->net.visits, s->turn, 0, s->vertices},
                               {0}};
}

enum { NEW_X = 1, NEW_V = 2 };

/* Launches a kernel over all vertices that computes new positions, velocities or both. */
static void launch(sb_device_steps *s, size_t kernel, int first, unsigned makes)
{
  sb_kernel_arguments a = arguments_of(s);
  a.number[4] = first;
  sb_device_launch(s->device, kernel, s->vertices, &a);
  if (makes & NEW_X) s->of_x = !s->of_x;
  if (makes & NEW_V) s->of_v = !s->of_v;
}

static void project(sb_device_steps *s)
{
  sb_kernel_arguments a = arguments_of(s);
  a.buffer[2] = s->ends;
  a.buffer[4] = s->lengths;
  a.buffer[6] = s->x[!s->of_x]; /* y is the array that it changes; x is not read */
  a.buffer[8] = s->x[s->of_x];
  for (int pass = 0; pass < s->passes; ++pass)
    for (int k = 0; k < s->stretch_count; ++k) {
      const stretch *t = &s->stretches[k];
      a.number[0] = t->items;
      a.number[2] = t->length;
      a.number[4] = t->first;
      sb_device_launch(s->device, K_project, t->items, &a);
    }
}

static void verlet_step(sb_device_steps *s)
{
  if (s->open && !s->damped) {
    launch(s, K_velocity_verlet, 0, NEW_X | NEW_V);
    return;
  }
  if (s->open) launch(s, K_kick, 0, NEW_V);
  launch(s, K_kick, 1, NEW_V);
  launch(s, K_drift, 0, NEW_X);
  s->open = true;
}

static void renew_acceleration(sb_device_steps *s)
{
  if (s->damped || s->dragged) launch(s, K_predict, 0, NEW_V);
  launch(s, K_accelerate, 0, 0);
}

static void stoermer_step(sb_device_steps *s)
{
  if (s->open && !s->damped) {
    launch(s, K_stoermer_verlet, 0, NEW_X);
    return;
  }
  if (s->open) renew_acceleration(s);
  launch(s, K_stoermer_move, 0, NEW_X);
  s->open = true;
}

static void take_step(sb_device_steps *s)
{
  switch (s->method) {
  case SB_DEVICE_EXPLICIT_EULER:
    launch(s, K_explicit_euler, 0, NEW_X | NEW_V);
    break;
  case SB_DEVICE_SYMPLECTIC_EULER:
    launch(s, K_symplectic_euler, 0, NEW_X | NEW_V);
    break;
  case SB_DEVICE_VELOCITY_VERLET:
    verlet_step(s);
    break;
  case SB_DEVICE_STOERMER_VERLET:
    stoermer_step(s);
    break;
  default:
    project(s);
    launch(s, K_position_move, 0, NEW_X | NEW_V);
    break;
  }
}

void sb_device_steps_put(sb_device_steps *s, const double *position, const double *velocity)
{
  put_triples(s, s->x[s->of_x], position);
  put_triples(s, s->v[s->of_v], velocity);
  s->open = false;
}

void sb_device_steps_start(sb_device_steps *s, bool resumed)
{
  if (resumed) return;
  if (s->method == SB_DEVICE_STOERMER_VERLET) launch(s, K_stoermer_start, 0, 0);
  if (s->method == SB_DEVICE_POSITION_VERLET) launch(s, K_position_start, 0, 0);
}

int sb_device_steps_batch(sb_device_steps *s, int count, const double center[3], double limit, bool *near)
{
  static const int none[2] = {-1, -1};
  int              left[2] = {-1, -1};
  sb_device_set_bounds(s->device, &s->net, center, limit);
  if (count > SB_BATCH_MAX) count = SB_BATCH_MAX;
  for (s->turn = 0; s->turn < count; ++s->turn) {
    take_step(s);
    s->parity[s->turn][0] = (char)s->of_x;
    s->parity[s->turn][1] = (char)s->of_v;
  }
  s->turn = 0;
  sb_device_get(s->device, s->net.left, left, sizeof left);
  const int seen = left[0] > left[1] ? left[0] : left[1];
  *near = seen < 0;
  if (*near) return count;
  s->of_x = s->parity[seen][0];
  s->of_v = s->parity[seen][1];
  sb_device_put(s->device, s->net.left, none, sizeof none);
  return seen + 1;
}

void sb_device_steps_end(sb_device_steps *s)
{
  if (s->open && s->method == SB_DEVICE_VELOCITY_VERLET) launch(s, K_kick, 0, NEW_V);
  if (s->open && s->method == SB_DEVICE_STOERMER_VERLET) {
    renew_acceleration(s);
    launch(s, K_predict, 0, NEW_V);
  }
  s->open = false;
}

void sb_device_steps_get_position(sb_device_steps *s, double *position) { get_triples(s, s->x[s->of_x], position); }

void sb_device_steps_get(sb_device_steps *s, double *position, double *velocity)
{
  get_triples(s, s->x[s->of_x], position);
  get_triples(s, s->v[s->of_v], velocity);
}

void sb_device_steps_put_memories(sb_device_steps *s, const double *previous, const double *acceleration)
{
  if (previous) put_triples(s, s->previous, previous);
  if (acceleration) put_triples(s, s->acceleration, acceleration);
}

void sb_device_steps_get_memories(sb_device_steps *s, double *previous, double *acceleration)
{
  if (previous) get_triples(s, s->previous, previous);
  if (acceleration) get_triples(s, s->acceleration, acceleration);
}

/* Padding of slices counts as read. Positions are read once and written once, as neighbours come from caches. */
double sb_device_steps_bytes(const sb_device_steps *s)
{
  const double real = (double)sb_device_real_bytes(s->device), n = s->vertices, springs = s->springs;
  const double springs_read = s->net.visits * (sizeof(int) + 2 * real), state = n * real * (1 + 12);
  const double previous = s->method == SB_DEVICE_STOERMER_VERLET ? 6 * n * real : 0;
  const double passes = s->passes * springs * (2 * sizeof(int) + 13 * real);
  if (s->method == SB_DEVICE_POSITION_VERLET) return passes + n * real * (1 + 15);
  return springs_read + state + previous;
}

double sb_device_steps_copy(sb_device_steps *s)
{
  launch(s, K_copy, 0, NEW_X | NEW_V);
  return 12 * (double)s->stride * (double)sb_device_real_bytes(s->device);
}
