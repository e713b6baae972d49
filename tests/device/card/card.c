/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A visit to a machine with a card, without PETSc: card OUT NAME CASE...
 *
 * It compares the state after some steps on device NAME with that of device=none, which is in the files CASE, and
 * measures steps of nets of 10^2 to 4 10^6 vertices. OUT gets digests.csv, steps.csv, launches.csv, kernels.bin
 * and provenance.txt. */
#include <math.h>
#include <unistd.h>

#include "base/profile.h"
#include "tests/device/card/card_sheet.h"

static const char *const methods[] = {"nothing",         "explicit_euler",  "symplectic_euler",
                                      "velocity_verlet", "stoermer_verlet", "position_verlet"};
static const double      far_away = 1e300;
static const double      origin[3] = {0, 0, 0};
enum { SAMPLES = 7, CHECKED = 20, METHODS = 5 };

static FILE *open_in(const char *folder, const char *name)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  if (!file) {
    perror(path);
    exit(1);
  }
  return file;
}

static void must(const sb_device *device, const void *made)
{
  if (made && !sb_device_error(device)) return;
  fprintf(stderr, "card: %s\n", sb_device_error(device) ? sb_device_error(device) : "out of memory");
  exit(1);
}

static void advance(sb_device_steps *s, int count)
{
  bool near = true;
  for (int done = 0; done < count && near;) done += sb_device_steps_batch(s, count - done, origin, far_away, &near);
  if (near) return;
  fprintf(stderr, "card: a net blew up, so that its steps have no time\n");
  exit(1);
}

/* Steps from (x, v), which become the state after them. */
static void run(sb_device *device, const card_case *c, int steps, double *x, double *v)
{
  const sb_device_net net = card_net(c);
  sb_device_steps    *s = sb_device_steps_create(device, (sb_device_method)c->head.method, &net);
  must(device, s);
  sb_device_steps_put(s, c->x, c->v);
  sb_device_steps_start(s, false);
  advance(s, steps);
  sb_device_steps_end(s);
  sb_device_steps_get(s, x, v);
  must(device, s);
  sb_device_steps_destroy(&s);
}

static long differences(size_t count, const double *a, const double *b)
{
  long found = 0;
  for (size_t i = 0; i < count; ++i) found += memcmp(&a[i], &b[i], sizeof *a) != 0;
  return found;
}

static bool read_case(const char *path, card_case *c)
{
  FILE      *file = fopen(path, "rb");
  const bool good = file && fread(&c->head, sizeof c->head, 1, file) == 1 && memcmp(c->head.magic, "sbcard1", 8) == 0 &&
                    card_pass(c, file, true);
  if (file) fclose(file);
  if (!good) fprintf(stderr, "card: %s is not a case\n", path);
  return good;
}

/* Returns the number of cases with other bits. */
static int compare_cases(const char *folder, sb_device *const devices[2], char **paths, int count)
{
  FILE *csv = open_in(folder, "digests.csv");
  int   wrong = 0;
  fprintf(csv, "case,method,vertices,springs,steps,numbers,differ_device,differ_host\n");
  for (int i = 0; i < count; ++i) {
    card_case c = {0};
    long      differ[2] = {0, 0};
    if (!read_case(paths[i], &c)) exit(1);
    const size_t numbers = 3 * (size_t)c.head.vertices;
    double      *x = malloc(numbers * sizeof *x), *v = malloc(numbers * sizeof *v);
    if (!x || !v) exit(1);
    for (int d = 0; d < 2; ++d) {
      run(devices[d], &c, c.head.steps, x, v);
      differ[d] = differences(numbers, x, c.end_x) + differences(numbers, v, c.end_v);
    }
    const char *name = strrchr(paths[i], '/');
    fprintf(csv, "%s,%s,%d,%d,%d,%zu,%ld,%ld\n", name ? name + 1 : paths[i], methods[c.head.method], c.head.vertices,
            c.head.springs, c.head.steps, 2 * numbers, differ[0], differ[1]);
    wrong += differ[0] != 0 || differ[1] != 0;
    free(x);
    free(v);
    card_free(&c);
  }
  fclose(csv);
  printf("digests: %d of %d cases have other bits than device=none\n", wrong, count);
  return wrong;
}

/* ---- times ---- */

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *samples)
{
  qsort(samples, SAMPLES, sizeof *samples, by_size);
  return samples[SAMPLES / 2];
}

typedef struct {
  const char *label;
  sb_device  *device;
} place;

/* Seconds per step by the clock of kernels and by the wall, medians of batches of about `seconds`; of copies of the
 * state, if there is a *bytes. */
static void time_steps(sb_device *device, sb_device_steps *s, double seconds, double *bytes, double *kernels,
                       double *wall)
{
  double of_kernels[SAMPLES], of_wall[SAMPLES];
  int    count = 1;
  for (int sample = -40; sample < SAMPLES; ++sample) {
    const double started = sb_clock_seconds(), before = sb_device_measured(device)->kernels_s;
    if (bytes) {
      for (int i = 0; i < count; ++i) *bytes = sb_device_steps_copy(s);
      sb_device_finish(device);
    } else {
      advance(s, count);
    }
    const double took = sb_clock_seconds() - started;
    if (sample < 0 && took < seconds && count < SB_BATCH_MAX) {
      count *= 2;
    } else if (sample < 0) {
      sample = -1; /* warm */
    } else {
      of_kernels[sample] = (sb_device_measured(device)->kernels_s - before) / count;
      of_wall[sample] = took / count;
    }
  }
  *kernels = median(of_kernels);
  *wall = median(of_wall);
}

static void time_place(FILE *csv, const place *at, const card_case *c, double seconds, long differ)
{
  const sb_device_net net = card_net(c);
  const bool          single = sb_device_is_single(at->device);
  sb_device_steps    *s = sb_device_steps_create(at->device, (sb_device_method)c->head.method, &net);
  double              copied = 0, copy = 0, copy_wall, kernels, wall;
  must(at->device, s);
  const double started = sb_clock_seconds();
  sb_device_steps_put(s, c->x, c->v);
  const double put = sb_clock_seconds() - started;
  sb_device_steps_start(s, false);
  time_steps(at->device, s, seconds, NULL, &kernels, &wall);
  time_steps(at->device, s, seconds, &copied, &copy, &copy_wall);
  must(at->device, s);
  const double bytes = sb_device_steps_bytes(s);
  fprintf(csv, "%s,%s,%s,%d,%d,%.0f,%.9g,%.9g,%.9g,%.9g,%.9g,%ld\n", at->label, single ? "single" : "double",
          methods[c->head.method], c->head.vertices, c->head.springs, bytes, kernels, wall, copied / copy,
          bytes / (copied / copy), put, differ);
  fflush(csv);
  printf("%-10s %-6s %-17s %8d vertices: %.3g us per step (wall %.3g us), %.3g us at the bandwidth of a copy\n",
         at->label, single ? "single" : "double", methods[c->head.method], c->head.vertices, 1e6 * kernels, 1e6 * wall,
         1e6 * bytes / (copied / copy));
  sb_device_steps_destroy(&s);
}

/* Numbers that differ between device and host after some steps of a net made here; -1: not compared. */
static long compare_large(sb_device *const devices[2], const card_case *c)
{
  const size_t numbers = 3 * (size_t)c->head.vertices;
  double      *state[4];
  for (int k = 0; k < 4; ++k)
    if (!(state[k] = malloc(numbers * sizeof(double)))) exit(1);
  for (int d = 0; d < 2; ++d) run(devices[d], c, CHECKED, state[2 * d], state[2 * d + 1]);
  const long found = differences(numbers, state[0], state[2]) + differences(numbers, state[1], state[3]);
  for (int k = 0; k < 4; ++k) free(state[k]);
  return found;
}

/* places: device double, device single, host on one core, host with threads. Returns the nets with other bits. */
static int time_all(const char *folder, const place places[4], int largest, double seconds)
{
  static const int sizes[] = {10, 32, 100, 316, 1000, 2000};
  FILE            *csv = open_in(folder, "steps.csv");
  int              wrong = 0;
  fprintf(csv, "place,precision,method,vertices,springs,bytes,kernels_s,wall_s,copy_bytes_per_s,bound_s,to_device_s,"
               "differ\n");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= largest; ++i)
    for (int method = 1; method <= METHODS; ++method) {
      if (method != SB_DEVICE_SYMPLECTIC_EULER && sizes[i] != 100 && sizes[i] != 1000) continue;
      card_case  c = card_sheet(sizes[i], (sb_device_method)method);
      const long differ = compare_large((sb_device *const[]){places[0].device, places[3].device}, &c);
      wrong += differ != 0;
      for (int p = 0; p < 4; ++p)
        if (p < 2 || method == SB_DEVICE_SYMPLECTIC_EULER)
          time_place(csv, &places[p], &c, seconds, p == 0 ? differ : -1);
      card_free(&c);
    }
  fclose(csv);
  printf("sizes: %d nets have other bits than the host\n", wrong);
  return wrong;
}

/* Time per launch of a small kernel, by the number of launches between two finishes. */
static void time_launches(const char *folder, sb_device *device)
{
  FILE               *csv = open_in(folder, "launches.csv");
  card_case           c = card_sheet(10, SB_DEVICE_SYMPLECTIC_EULER);
  const sb_device_net net = card_net(&c);
  sb_device_steps    *s = sb_device_steps_create(device, SB_DEVICE_SYMPLECTIC_EULER, &net);
  must(device, s);
  sb_device_steps_put(s, c.x, c.v);
  fprintf(csv, "steps,wall_s,kernels_s\n");
  for (int count = 1; count <= SB_BATCH_MAX; count *= 4) {
    double wall[SAMPLES], kernels[SAMPLES];
    for (int sample = -3; sample < SAMPLES; ++sample) {
      const double started = sb_clock_seconds(), before = sb_device_measured(device)->kernels_s;
      advance(s, count);
      wall[sample < 0 ? 0 : sample] = sb_clock_seconds() - started;
      kernels[sample < 0 ? 0 : sample] = sb_device_measured(device)->kernels_s - before;
    }
    fprintf(csv, "%d,%.9g,%.9g\n", count, median(wall), median(kernels));
  }
  must(device, s);
  sb_device_steps_destroy(&s);
  card_free(&c);
  fclose(csv);
}

static int count_words(const char *text, size_t length, const char *word)
{
  int          found = 0;
  const size_t size = strlen(word);
  for (size_t i = 0; text && i + size <= length; ++i) found += memcmp(text + i, word, size) == 0;
  return found;
}

static void describe(const char *folder, const char *name, const sb_device *device, double opened)
{
  static sb_device_facts all[SB_DEVICES_MAX];
  char                   why[SB_DEVICE_WHY] = "";
  FILE                  *file = open_in(folder, "provenance.txt"), *binary = open_in(folder, "kernels.bin");
  size_t                 length;
  char                  *made = sb_device_binary(device, &length);
  const sb_device_facts *f = sb_device_about(device);
  const size_t           count = sb_device_list(all, why);
  if (made) fwrite(made, 1, length, binary);
  fprintf(
      file, "device %s\nasked %s\nplatform %s\ndriver %s\nversion %s\ndoubles %d\nrounding %d\nunits %u\nbytes %llu\n",
      f->name, name, f->platform, f->driver, f->version, f->doubles, f->rounds, f->units, (unsigned long long)f->bytes);
  fprintf(file, "open_and_build_s %.6g\nptx %d\nfma %d\nprocessors %ld\n", opened,
          count_words(made, length, ".target") > 0, count_words(made, length, "fma."), sysconf(_SC_NPROCESSORS_ONLN));
  for (size_t i = 0; i < count; ++i)
    fprintf(file, "opencl:%zu %s, %s, %s, %s\n", i + 1, all[i].name, all[i].platform, all[i].driver, all[i].version);
  fclose(file);
  fclose(binary);
  printf("device: %s, %s; fma in its program: %d\n", f->name, f->driver, count_words(made, length, "fma."));
  free(made);
}

int main(int argc, char **argv)
{
  char why[SB_DEVICE_WHY] = "";
  if (argc < 5) {
    fprintf(stderr, "usage: card OUT DEVICE LARGEST-SIDE SECONDS-PER-BATCH CASE...\n");
    return 2;
  }
  const double started = sb_clock_seconds();
  sb_device   *device = sb_device_open_for_steps(argv[2], false, why);
  const double opened = sb_clock_seconds() - started;
  sb_device   *single = device ? sb_device_open_for_steps(argv[2], true, why) : NULL;
  sb_device   *host = sb_device_open_for_steps("host", false, why);
  sb_device   *threads = sb_device_open_for_steps("host", false, why);
  if (!device || !single || !host || !threads) {
    fprintf(stderr, "card: %s\n", why);
    return 1;
  }
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  sb_device_set_threads(threads, processors > 16 ? 16 : (int)processors);
  describe(argv[1], argv[2], device, opened);
  int wrong = compare_cases(argv[1], (sb_device *const[]){device, host}, argv + 5, argc - 5);
  time_launches(argv[1], device);
  wrong +=
      time_all(argv[1], (const place[]){{"device", device}, {"device", single}, {"core", host}, {"threads", threads}},
               atoi(argv[3]), atof(argv[4]));
  sb_device_close(&device);
  sb_device_close(&single);
  sb_device_close(&host);
  sb_device_close(&threads);
  return wrong > 0;
}
