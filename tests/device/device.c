/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps on a device have the bits of device=none: every method that a device has, on random nets with pins, masses over
 * three decades, dampers and drag, in calls of several lengths, and in runs that leave their bounds. It fails if there
 * is no OpenCL device. */
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

#include "tests/sample.h"

enum { NETS = 50, CALLS = 4 };
static const int64_t calls[CALLS] = {1, 2, 37, 60}, calls_of_minimisers[CALLS] = {1, 2, 3, 4};

/* `sums`: the method has sums over all vertices, or blocks whose springs are added in another order. */
static const struct {
  const char *pairs;
  bool        sums;
} minimisers[] = {
    {"vertex_block_descent", false},
    {"vertex_block_descent vbd_block=exact vbd_omega=0.9", false},
    {"vertex_block_descent vbd_block=laplacian vbd_rho=0.7 start=previous", false},
    {"xpbd", false},
    {"gradient_descent", true},
    {"gradient_descent metric=block_jacobi step=along start=coast", true},
    {"gradient_descent metric=laplacian linear=jacobi linear_tolerance=0 linear_max_iterations=4", true},
    {"gradient_descent metric=laplacian linear=chebyshev linear_tolerance=0 linear_max_iterations=4", true},
    {"chebyshev metric=identity", true},
    {"chebyshev metric=block_jacobi step=guard chebyshev_rho=0.6", true},
    {"chebyshev linear=jacobi linear_tolerance=0 linear_max_iterations=1", true},
    {"nonlinear_cg metric=identity curvature=laplacian", true},
    {"nonlinear_cg metric=block_jacobi", true},
    {"nesterov metric=identity", true},
    {"anderson metric=block_jacobi", true},
    {"lbfgs metric=identity", true},
    {"newton_cg cg_hessian=exact", true},
    {"newton_cg cg_hessian=projected preconditioner=laplacian linear=chebyshev linear_tolerance=0 "
     "linear_max_iterations=3",
     true},
};
enum { MINIMISERS = sizeof minimisers / sizeof *minimisers };

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

/* Largest difference, in units of the largest number of `b`. */
static double distance(size_t count, const double *a, const double *b)
{
  double most = 0, unit = 0;
  for (size_t i = 0; i < count; ++i) {
    most = fmax(most, fabs(a[i] - b[i]));
    unit = fmax(unit, fabs(b[i]));
  }
  return unit > 0 ? most / unit : most;
}

/* Advances both and compares them, bit by bit where the tolerance is 0. */
static void compare_call(const char *label, int64_t steps, double tolerance, sb_trial *want, sb_trial *got)
{
  const size_t count = 3 * want->vertices;
  sb_trial_advance(want, steps);
  sb_trial_advance(got, steps);
  sb_holds(label, "as many steps", got->report.steps_done == want->report.steps_done);
  sb_holds(label, got->report.reason, strcmp(got->report.reason, want->report.reason) == 0);
  if (tolerance > 0) {
    sb_near(label, "positions", distance(count, got->position, want->position), 0, tolerance);
    sb_near(label, "velocities", distance(count, got->velocity, want->velocity), 0, 1e3 * tolerance);
    return;
  }
  sb_holds(label, "positions", same_bits(count, got->position, want->position));
  sb_holds(label, "velocities", same_bits(count, got->velocity, want->velocity));
}

/* A program may change the state between two calls. */
static void brake(sb_trial *trial)
{
  for (size_t i = 0; i < 3 * trial->vertices; ++i) trial->velocity[i] *= 0.5;
  sb_trial_write(trial);
}

/* Returns the status of the last call, before which velocities are halved. */
static sb_status compare_with(const char *pairs, double h, const char *device, const char *other, sb_adjust adjust,
                              const int64_t *steps, double tolerance)
{
  sb_trial want, got;
  char     label[700];
  snprintf(label, sizeof label, "%s, %s, %s", device, other, pairs);
  open_on(&want, pairs, h, other, adjust);
  open_on(&got, pairs, h, device, adjust);
  for (int c = 0; c < CALLS && want.report.status == SB_OK; ++c) {
    if (c == CALLS - 1) brake(&want);
    if (c == CALLS - 1) brake(&got);
    compare_call(label, steps[c], tolerance, &want, &got);
  }
  const sb_status status = got.report.status;
  sb_trial_close(&want);
  sb_trial_close(&got);
  return status;
}

static sb_status compare(const char *pairs, double h, const char *device, sb_adjust adjust)
{
  return compare_with(pairs, h, device, "device=none", adjust, calls, 0);
}

static const sb_integrator_method *method_at(size_t i) { return (const void *)sb_integrators.entries[i]; }

/* Is it an explicit method that a device has? */
static bool makes_steps(size_t i)
{
  return method_at(i)->device != SB_DEVICE_NOTHING && method_at(i)->device != SB_DEVICE_MINIMIZES;
}

static void random_nets(void)
{
  for (size_t i = 0; i < sb_integrators.count; ++i) {
    if (!makes_steps(i)) continue;
    for (int number = 0; number < NETS; ++number) {
      char pairs[500];
      draw_net(number, method_at(i)->name, sizeof pairs, pairs);
      compare(pairs, 1e-4, "device=host", shake);
      if (number % 5 == (int)(i % 5) || number < 5) compare(pairs, 1e-4, "device=opencl", shake);
    }
  }
}

/* Minimisers on random nets: all kernels as C give the bits of OpenCL, in single precision, too; passes by colours
 * those of device=none; what has sums the motion of device=none to rounding. */
static void minimisers_on_random_nets(void)
{
  for (int m = 0; m < MINIMISERS; ++m)
    for (int number = 0; number < NETS; ++number) {
      char pairs[700];
      if (!sb_makes_trial((size_t)(number + m), 3)) continue;
      draw_net(number, "implicit_euler minimizer=", sizeof pairs, pairs);
      const size_t used = strlen(pairs);
      /* Newton's method is at the minimum after four, with whichever Hessian. */
      snprintf(pairs + used, sizeof pairs - used, "%s visits=colours max_iterations=%d gradient_tolerance=0",
               minimisers[m].pairs, strncmp(minimisers[m].pairs, "newton", 6) == 0 ? 2 : 4);
      compare_with(pairs, 3e-3, "device=host", "device=none", shake, calls_of_minimisers,
                   minimisers[m].sums ? 1e-12 : 0);
      if (number % 10 != m % 10) continue;
      compare_with(pairs, 3e-3, "device=opencl", "device=host", shake, calls_of_minimisers, 0);
      strncat(pairs, " precision=single", sizeof pairs - strlen(pairs) - 1);
      compare_with(pairs, 3e-3, "device=opencl", "device=host", shake, calls_of_minimisers, 0);
    }
}

/* Runs that leave their bounds in the middle of a call end with the same step, state and reason. */
static void diverging_runs(void)
{
  for (size_t i = 0; i < sb_integrators.count; ++i) {
    char pairs[300];
    if (!makes_steps(i) || method_at(i)->traits & SB_PROJECTS_LENGTHS) continue;
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
    if (!makes_steps(i)) continue;
    snprintf(pairs, sizeof pairs, "scene=cloth grid=5 pins=none blowup_ratio=1.5 drag=0 integrator=%s",
             method_at(i)->name);
    for (int d = 0; d < 2; ++d) compare(pairs, 1e-2, d > 0 ? "device=opencl" : "device=host", NULL);
  }
  for (int k = 0; k < 4; ++k) {
    char pairs[300];
    snprintf(pairs, sizeof pairs,
             "scene=cloth grid=5 pins=%s drag=0 visits=colours integrator=implicit_euler minimizer=%s max_iterations=3",
             k < 2 ? "none blowup_ratio=1.5" : "[0] stiffness=0.01 blowup_ratio=1.05", minimisers[0].pairs);
    const sb_status status = compare(pairs, 1e-2, k % 2 ? "device=opencl" : "device=host", NULL);
    assert_int_equal(status, k < 2 ? SB_OK : SB_CASE_DIVERGED);
  }
}

/* After its set-up a minimiser has no launch under way, in whose time that of the host would count. */
static void nothing_runs_after_set_up(void)
{
  sb_trial trial;
  open_on(&trial, "scene=cloth grid=5 integrator=implicit_euler minimizer=newton_cg visits=colours", 1e-2,
          "device=opencl", NULL);
  sb_device   *device = (sb_device *)sb_integrator_device(trial.integrator); /* a measurement does not change it */
  const double before = sb_device_measured(device)->kernels_s;
  sb_device_finish(device);
  assert_true(sb_device_measured(device)->kernels_s == before);
  sb_trial_close(&trial);
}

/* 64 vertices, whose rows have four springs each: bytes of a copy and of a step by hand. A copy changes no bit. */
static void a_copy_for_the_bandwidth(void)
{
  const char *sheet = "scene=cloth grid=7 springs=structural integrator=symplectic_euler";
  for (int d = 0; d < 2; ++d) {
    sb_trial want, got;
    double   copied, of_step;
    open_on(&want, sheet, 1e-4, "device=none", NULL);
    open_on(&got, sheet, 1e-4, d > 0 ? "device=opencl precision=double" : "device=host", NULL);
    assert_int_equal(sb_integrator_device_copy(want.integrator, 3, &copied, &of_step), 0);
    assert_true(copied == 0 && of_step == 0);
    for (int k = 0; k < 2; ++k) {
      compare_call(sheet, 3, 0, &want, &got);
      assert_int_equal(sb_integrator_device_copy(got.integrator, 3, &copied, &of_step), 0);
      assert_true(copied == 3 * 12 * 64 * sizeof(double));
      assert_true(of_step == 4 * 64 * (sizeof(int) + 2 * sizeof(double)) + 13 * 64 * sizeof(double));
    }
    sb_trial_close(&want);
    sb_trial_close(&got);
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

PETSC_TEST_MAIN(threads_stay, signals_stay, nothing_runs_after_set_up, a_copy_for_the_bandwidth, random_nets,
                minimisers_on_random_nets, diverging_runs, falling_nets)
