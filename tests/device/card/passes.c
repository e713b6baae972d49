/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes of vertex block descent by colours, launched as solvers/minimize/on_device.c does; see passes.h. */
#include "tests/device/card/passes.h"

#include "base/profile.h"
#include "tests/device/card/card_sheet.h"

enum { COLOURS_MAX = 64, CHECKED = 20, SIDES = 5 };

typedef struct {
  int *index, start[COLOURS_MAX + 1], colours; /* vertices in the order of colours */
} colouring;

/* The least colour that no neighbour has, in the order of numbers; pinned vertices have none. */
static void colour(const card_case *c, colouring *to)
{
  const size_t n = (size_t)c->head.vertices;
  int         *of = malloc((n + 1) * sizeof *of);
  uint64_t    *taken = calloc(n + 1, sizeof *taken); /* colours of the neighbours so far */
  int          at = 0, spring = 0;
  to->index = malloc((n + 1) * sizeof *to->index);
  if (!of || !taken || !to->index) exit(1);
  for (int i = 0; i < c->head.vertices; ++i) {
    of[i] = c->inverse_mass[i] > 0 ? __builtin_ctzll(~taken[i]) : -1;
    for (; spring < c->head.springs && c->first[spring] == i; ++spring) /* a sheet's springs are in this order */
      if (of[i] >= 0) taken[c->second[spring]] |= (uint64_t)1 << of[i];
    if (of[i] >= to->colours) to->colours = of[i] + 1;
  }
  for (int k = 0; k < to->colours; to->start[++k] = at)
    for (int i = 0; i < c->head.vertices; ++i)
      if (of[i] == k) to->index[at++] = i;
  free(of);
  free(taken);
}

typedef struct {
  sb_device        *device;
  sb_device_arrays  net;
  sb_device_buffer *mass, *index, *place, *z;
  const colouring  *of;
} passes;

static passes create(sb_device *device, const card_case *c, const colouring *of)
{
  const sb_device_net net = card_net(c);
  const size_t        n = (size_t)c->head.vertices;
  passes              p = {.device = device, .of = of};
  double             *mass = malloc(n * sizeof *mass);
  if (!mass) exit(1);
  for (size_t i = 0; i < n; ++i) mass[i] = c->inverse_mass[i] > 0 ? 1 / c->inverse_mass[i] : 0;
  sb_device_arrays_create(device, &net, &p.net);
  p.mass = sb_device_reals(device, mass, n);
  p.index = sb_device_integers(device, of->index, (size_t)of->start[of->colours]);
  p.place = sb_device_reals(device, c->x, 3 * n);
  p.z = sb_device_reals(device, c->x, 3 * n);
  free(mass);
  return p;
}

static void destroy(passes *p)
{
  sb_device_buffer **const all[] = {&p->mass, &p->index, &p->place, &p->z};
  sb_device_arrays_destroy(p->device, &p->net);
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) sb_device_release(p->device, all[i]);
}

static void make(const passes *p, int count, int vertices)
{
  for (int n = 0; n < count; ++n)
    for (int k = 0; k < p->of->colours; ++k) {
      const int                 items = p->of->start[k + 1] - p->of->start[k];
      const sb_kernel_arguments a = {{p->net.parameters, p->net.left, p->net.start, p->net.other, p->net.link, p->mass,
                                      p->index, p->place, p->place, p->place, p->z, p->net.left},
                                     {items, 0, p->net.visits, BLOCKS_PROJECTED, p->of->start[k], vertices},
                                     {1, 1e-14, 0}};
      sb_device_launch(p->device, SB_NET_visit_vertex, items, &a);
    }
  sb_device_finish(p->device);
}

/* The state after some passes, then the time of one, of as many as take `seconds`. */
static void measure(sb_device *device, const card_case *c, const colouring *of, double seconds, double *z,
                    double *kernels, double *wall)
{
  passes p = create(device, c, of);
  int    count = 1;
  make(&p, CHECKED, c->head.vertices);
  sb_device_get_reals(device, p.z, z, 3 * (size_t)c->head.vertices);
  for (double took = 0; took < seconds && count < 1 << 20; count *= 2) {
    const double started = sb_clock_seconds(), before = sb_device_measured(device)->kernels_s;
    make(&p, count, c->head.vertices);
    took = sb_clock_seconds() - started;
    *kernels = (sb_device_measured(device)->kernels_s - before) / count;
    *wall = took / count;
  }
  if (sb_device_error(device)) {
    fprintf(stderr, "card: %s\n", sb_device_error(device));
    exit(1);
  }
  destroy(&p);
}

int card_passes(const char *folder, const char *name, int largest, double seconds)
{
  static const int sides[SIDES] = {10, 32, 100, 316, 1000};
  char             path[4096], why[SB_DEVICE_WHY];
  int              wrong = 0;
  snprintf(path, sizeof path, "%s/passes.csv", folder);
  FILE *csv = fopen(path, "w");
  if (!csv) exit(1);
  fprintf(csv, "precision,vertices,springs,colours,kernels_s,wall_s,host_s,differ\n");
  for (int i = 0; i < 2 * SIDES; ++i) {
    const bool single = i >= SIDES;
    if (sides[i % SIDES] > largest) continue;
    card_case    c = card_sheet(sides[i % SIDES], SB_DEVICE_SYMPLECTIC_EULER);
    colouring    of = {.colours = 0};
    const size_t numbers = 3 * (size_t)c.head.vertices;
    double      *z[2] = {malloc(numbers * sizeof(double)), malloc(numbers * sizeof(double))}, kernels[2], wall[2];
    long         differ = 0;
    c.head.h_seconds = 1e-2;
    colour(&c, &of);
    for (int d = 0; d < 2; ++d) {
      sb_device *device = sb_device_open_for_nets(d == 0 ? name : "host", single, why);
      if (!device || !z[d]) exit(1);
      measure(device, &c, &of, seconds, z[d], &kernels[d], &wall[d]);
      sb_device_close(&device);
    }
    for (size_t k = 0; k < numbers; ++k) differ += memcmp(&z[0][k], &z[1][k], sizeof(double)) != 0;
    fprintf(csv, "%s,%d,%d,%d,%.9g,%.9g,%.9g,%ld\n", single ? "single" : "double", c.head.vertices, c.head.springs,
            of.colours, kernels[0], wall[0], wall[1], differ);
    printf("%s, %8d vertices: %.3g us per pass of %d colours (host %.3g us), %ld numbers differ\n",
           single ? "single" : "double", c.head.vertices, 1e6 * kernels[0], of.colours, 1e6 * wall[1], differ);
    wrong += differ != 0;
    card_free(&c);
    free(of.index);
    free(z[0]);
    free(z[1]);
  }
  fclose(csv);
  return wrong;
}
