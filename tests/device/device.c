/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps on a device have the bits of device=none: every method that a device has, on random nets with pins, masses over
 * three decades, dampers and drag, in calls of several lengths, and in runs that leave their bounds. It fails if there
 * is no OpenCL device. With SB_WRITE_CASES=FOLDER it also writes nets and their states for tests/device/card. */
#include "tests/integrate/trial.h"

#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/device/card/card_case.h"

enum { NETS = 50, CALLS = 4 };
static const int64_t calls[CALLS] = {1, 2, 37, 60};

static uint64_t drawn;

static double draw(void)
{
  drawn = drawn * 6364136223846793005u + 1442695040888963407u;
  return (double)(drawn >> 11) / 9007199254740992.0;
}

static const char *one_of(const char *const *words, size_t count) { return words[(size_t)(draw() * (double)count)]; }

/* Masses over three decades, velocities, and places off those of the scene. */
static void shake(sb_pose *pose, const double *number)
{
  (void)number;
  for (int i = 0; i < (int)pose->vertices; ++i) {
    pose->mass[i] *= pow(10, 3 * draw() - 1.5);
    for (int c = 0; c < 3; ++c) pose->velocity[3 * i + c] += 0.1 * (draw() - 0.5);
  }
}

/* Options of a random net. */
static void draw_net(int number, const char *method, size_t size, char *pairs)
{
  static const char *const patterns[] = {
      "structural",         "crossed",         "alternating",         "triangulated",
      "structural+bending", "crossed+bending", "alternating+bending", "triangulated+bending"};
  static const char *const pins[] = {"none", "corners2", "corners4", "first_edge", "[1,3:5]"};
  const bool               projects = strcmp(method, "position_verlet") == 0;
  char                     forces[200];
  drawn = 1000 + (uint64_t)number;
  if (projects)
    snprintf(forces, sizeof forces, "passes=%d verlet_damping=%.3g", 1 + number % 3, number % 2 ? 0.01 : 0.0);
  else
    snprintf(forces, sizeof forces, "velocity_factor=%.4g drag=%.3g spring_damping=%.3g stiffness=%.6g",
             number % 3 == 0 ? 0.999 : 1.0, number % 4 == 1 ? 0.01 * draw() : 0.0, number % 5 == 2 ? 1e-3 : 0.0,
             pow(10, 3 * draw()));
  if (number % 5 == 4)
    snprintf(pairs, size, "scene=rope nodes=%d pins=[0] %s integrator=%s", 2 + (int)(60 * draw()), forces, method);
  else if (number % 5 == 3)
    snprintf(pairs, size, "scene=sphere subdivisions=%d pins=[0,2] contact=none %s integrator=%s", 1 + number % 3,
             forces, method);
  else
    snprintf(pairs, size, "scene=cloth grid=%d springs=%s pins=%s %s integrator=%s", 3 + (int)(20 * draw()),
             one_of(patterns, sizeof patterns / sizeof *patterns), one_of(pins, sizeof pins / sizeof *pins), forces,
             method);
}

static void open_on(sb_trial *trial, const char *pairs, double h, const char *device, sb_adjust adjust)
{
  char all[600];
  snprintf(all, sizeof all, "%s %s", pairs, device);
  const uint64_t before = drawn;
  sb_trial_open(trial, PETSC_COMM_SELF, h, all, adjust, NULL);
  drawn = before;
}

/* A NaN is a NaN, whatever its sign. */
static bool same_bits(size_t count, const double *a, const double *b)
{
  for (size_t i = 0; i < count; ++i)
    if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i]))) return false;
  return true;
}

/* Returns the status of the last call. */
static sb_status compare(const char *pairs, double h, const char *device, sb_adjust adjust)
{
  sb_trial want, got;
  char     label[700];
  snprintf(label, sizeof label, "%s, %s", device, pairs);
  open_on(&want, pairs, h, "device=none", adjust);
  open_on(&got, pairs, h, device, adjust);
  for (int c = 0; c < CALLS && want.report.status == SB_OK; ++c) {
    sb_trial_advance(&want, calls[c]);
    sb_trial_advance(&got, calls[c]);
    sb_holds(label, "as many steps", got.report.steps_done == want.report.steps_done);
    sb_holds(label, got.report.reason, strcmp(got.report.reason, want.report.reason) == 0);
    sb_holds(label, "positions", same_bits(3 * want.vertices, got.position, want.position));
    sb_holds(label, "velocities", same_bits(3 * want.vertices, got.velocity, want.velocity));
  }
  const sb_status status = got.report.status;
  sb_trial_close(&want);
  sb_trial_close(&got);
  return status;
}

static const sb_integrator_method *method_at(size_t i) { return (const void *)sb_integrators.entries[i]; }

static void random_nets(void)
{
  for (size_t i = 0; i < sb_integrators.count; ++i) {
    if (method_at(i)->device == SB_DEVICE_NOTHING) continue;
    for (int number = 0; number < NETS; ++number) {
      char pairs[500];
      draw_net(number, method_at(i)->name, sizeof pairs, pairs);
      compare(pairs, 1e-4, "device=host", shake);
      if (number % 5 == (int)(i % 5) || number < 5) compare(pairs, 1e-4, "device=opencl", shake);
    }
  }
}

/* Runs that leave their bounds in the middle of a call end with the same step, state and reason. */
static void diverging_runs(void)
{
  for (size_t i = 0; i < sb_integrators.count; ++i) {
    char pairs[300];
    if (method_at(i)->device == SB_DEVICE_NOTHING || method_at(i)->traits & SB_PROJECTS_LENGTHS) continue;
    for (int k = 0; k < 2; ++k) {
      snprintf(pairs, sizeof pairs, "scene=cloth grid=10 springs=crossed blowup_ratio=3 integrator=%s%s",
               method_at(i)->name, k > 0 ? " spring_damping=0.01" : "");
      for (int d = 0; d < 2; ++d)
        assert_int_equal(compare(pairs, 0.02, d > 0 ? "device=opencl" : "device=host", NULL), SB_CASE_DIVERGED);
    }
  }
}

/* A net that falls out of the cube of the cheap test, but not out of its bounds. */
static void falling_nets(void)
{
  for (size_t i = 0; i < sb_integrators.count; ++i) {
    char pairs[300];
    if (method_at(i)->device == SB_DEVICE_NOTHING) continue;
    snprintf(pairs, sizeof pairs, "scene=cloth grid=5 pins=none blowup_ratio=1.5 drag=0 integrator=%s",
             method_at(i)->name);
    for (int d = 0; d < 2; ++d) compare(pairs, 1e-2, d > 0 ? "device=opencl" : "device=host", NULL);
  }
}

/* PoCL replaces handlers of signals, and starts threads. */
static void signals_stay(void)
{
  char             why[SB_DEVICE_WHY];
  struct sigaction before[NSIG], after;
  sigset_t         mask[2];
  for (int i = 1; i < NSIG; ++i) sigaction(i, NULL, &before[i]);
  sigprocmask(SIG_SETMASK, NULL, &mask[0]);
  sb_device *device = sb_device_open_for_steps("opencl", false, why);
  if (!device) fail_msg("%s", why);
  for (int i = 1; i < NSIG; ++i)
    if (sigaction(i, NULL, &after) == 0) assert_ptr_equal(after.sa_handler, before[i].sa_handler);
  sigprocmask(SIG_SETMASK, NULL, &mask[1]);
  for (int i = 1; i < NSIG; ++i) assert_int_equal(sigismember(&mask[0], i), sigismember(&mask[1], i));
  sb_device_close(&device);
}

/* Under a mask of one processor the driver starts one thread, and it runs there; in a process of its own, as a driver
 * starts once. */
static void threads_stay(void)
{
  cpu_set_t mine, one, its;
  size_t    last = CPU_SETSIZE - 1;
  int       status = 0;
  assert_int_equal(sched_getaffinity(0, sizeof mine, &mine), 0);
  while (last > 0 && !CPU_ISSET(last, &mine)) --last;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  const pid_t child = fork();
  if (child == 0) {
    char why[SB_DEVICE_WHY];
    int  threads = 0, elsewhere = 0;
    unsetenv("POCL_MAX_PTHREAD_COUNT");
    unsetenv("POCL_CPU_MAX_CU_COUNT");
    setenv("POCL_AFFINITY", "1", 1); /* the first thread binds itself to processor 0 */
    sched_setaffinity(0, sizeof one, &one);
    sb_device *device = sb_device_open_for_steps("opencl", false, why);
    DIR       *tasks = opendir("/proc/self/task");
    for (const struct dirent *entry; device && tasks && (entry = readdir(tasks));) {
      if (atoi(entry->d_name) == 0 || sched_getaffinity(atoi(entry->d_name), sizeof its, &its) != 0) continue;
      threads++;
      elsewhere += !CPU_EQUAL(&its, &one);
    }
    const bool pocl = device && strstr(sb_device_about(device)->version, "PoCL");
    const bool good = device && elsewhere == 0 && !getenv("POCL_MAX_PTHREAD_COUNT") &&
                      (!pocl || (sb_device_about(device)->units == 1 && sb_device_about(device)->threads == 1));
    if (!good) fprintf(stderr, "%s: %d threads, %d elsewhere\n", device ? "open" : why, threads, elsewhere);
    _exit(!good);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static void write_case(const char *folder, const char *pairs, const char *name, sb_device_method method)
{
  char      path[4096];
  sb_trial  t;
  card_case c = {.head = {.magic = "sbcard1", .method = (int)method, .steps = 100, .h_seconds = 1e-4}};
  open_on(&t, pairs, 1e-4, "device=none", shake);
  const sb_system *s = t.system;
  const size_t     bytes = 3 * t.vertices * sizeof(double);
  const bool       projects = method == SB_DEVICE_POSITION_VERLET;
  double          *start = malloc(2 * bytes), *inverse_mass = malloc(bytes);
  assert_true(start && inverse_mass);
  sb_trial_read(&t);
  for (int k = 0; k < s->pinned_owned; ++k) memset(&t.velocity[3 * s->pin_vertex[k]], 0, 3 * sizeof(double));
  memcpy(start, t.position, bytes);
  memcpy(start + 3 * t.vertices, t.velocity, bytes);
  for (size_t i = 0; i < t.vertices; ++i) inverse_mass[i] = s->pinned[i] ? 0 : 1 / s->mass[i];
  c.head.vertices = (int)t.vertices;
  c.head.springs = s->springs.count;
  c.head.factor = SB_REAL(t.options, velocity_factor);
  c.head.drag = s->drag;
  c.head.damping = s->spring_damping;
  c.head.passes = projects ? (int)SB_INTEGER(t.options, passes) : 0;
  c.head.kept = projects ? 1 - SB_REAL(t.options, verlet_damping) : 0;
  memcpy(c.head.gravity, s->gravity, sizeof c.head.gravity);
  sb_trial_advance(&t, c.head.steps);
  assert_int_equal(t.report.status, SB_OK);
  c = (card_case){c.head,
                  s->springs.first,
                  s->springs.second,
                  s->springs.stiffness,
                  s->springs.rest_length,
                  inverse_mass,
                  start,
                  start + 3 * t.vertices,
                  t.position,
                  t.velocity};
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  assert_true(file && fwrite(&c.head, sizeof c.head, 1, file) == 1 && card_pass(&c, file, false));
  assert_int_equal(fclose(file), 0);
  sb_trial_close(&t);
  free(start);
  free(inverse_mass);
}

static void write_cases(void)
{
  const char *folder = getenv("SB_WRITE_CASES");
  for (size_t i = 0; folder && i < sb_integrators.count; ++i)
    for (int number = 0; number < NETS && method_at(i)->device != SB_DEVICE_NOTHING; ++number) {
      char pairs[500], name[100];
      draw_net(number, method_at(i)->name, sizeof pairs, pairs);
      snprintf(name, sizeof name, "%s_%02d", method_at(i)->name, number);
      write_case(folder, pairs, name, method_at(i)->device);
    }
}

PETSC_TEST_MAIN(threads_stay, signals_stay, random_nets, diverging_runs, falling_nets, write_cases)
