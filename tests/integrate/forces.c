/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces besides springs, and pins that move: closed forms, orders, what is conserved, and the same on any number of
 * ranks. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHEET "scene=cloth grid=3 pins=none stiffness=10 total_mass=1 gravity=[0,0,0] "

static bool is_projection(const sb_variant *variant) { return variant->method->traits & SB_PROJECTS_LENGTHS; }

static void open_scene(sb_trial *trial, double h, const sb_variant *variant, const char *more)
{
  char pairs[640];
  snprintf(pairs, sizeof pairs, "%s %s", variant->pairs, more);
  sb_trial_open(trial, PETSC_COMM_WORLD, h, pairs, NULL, NULL);
}

static sb_energies energies_of(const sb_trial *trial)
{
  sb_energies energies;
  sb_must(sb_system_energies(trial->system, trial->x, trial->v, &energies));
  return energies;
}

/* Noisy, spinning, free. */
static void open_spinning(sb_trial *trial, const sb_variant *variant, const char *more)
{
  char pairs[256];
  snprintf(pairs, sizeof pairs, SHEET "perturbation=0.05 %s", more);
  open_scene(trial, 0.002, variant, pairs);
  for (size_t k = 0; k < trial->vertices; ++k) {
    trial->velocity[3 * k] = 0.5 - trial->position[3 * k + 1];
    trial->velocity[3 * k + 1] = trial->position[3 * k];
    trial->velocity[3 * k + 2] = 0.3 * trial->position[3 * k] - 1;
  }
  sb_trial_write(trial);
}

/* Dampers are internal and central: momentum stays, angular momentum where the method keeps it, energy falls by a good
 * part of what vibrates. */
static void dampers(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    const int64_t    steps = variant.method->traits & SB_MINIMIZES ? 4 : sb_variant_steps(&variant, 1000);
    sb_trial         damped, free;
    if (is_projection(&variant)) continue;
    open_spinning(&damped, &variant, "spring_damping=0.05");
    open_spinning(&free, &variant, "");
    const sb_energies before = energies_of(&damped);
    sb_trial_advance(&damped, steps);
    sb_trial_advance(&free, steps);
    const sb_energies after = energies_of(&damped), undamped = energies_of(&free);
    const double      scale = fabs(before.momentum[0]) + fabs(before.momentum[2]) + 1;
    for (int c = 0; c < 3; ++c) {
      sb_near(variant.label, "momentum", after.momentum[c], before.momentum[c], 1e-12 * scale);
      /* a lagged damper pulls along its place at the start, stages act at another */
      if (variant.method->traits & SB_CONSERVES_ANGULAR_MOMENTUM && !sb_variant_has_stages(&variant))
        sb_near(variant.label, "angular momentum", after.angular_momentum[c], before.angular_momentum[c], 1e-11);
    }
    const double bit = steps > 100 ? 0.05 : 1e-4;
    sb_holds(variant.label, "dampers take energy", after.total < undamped.total - bit * undamped.elastic);
    sb_trial_close(&damped);
    sb_trial_close(&free);
  }
}

/* a = 6 t on a net in free flight: kicks at the start of each step sum to v = 3 t (t - h), those of order 2 and more to
 * 3 t^2. */
static void field_at_its_time(void)
{
  const double h = 0.01;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SHEET "wind=expression:x=6*t");
    const int64_t    steps = sb_variant_steps(&variant, 100);
    const double     t = h * (double)steps, late = variant.method->order_position >= 2 ? 0 : h;
    sb_trial         trial;
    open_scene(&trial, h, &variant, "");
    sb_trial_advance(&trial, steps);
    for (size_t k = 0; k < trial.vertices; ++k)
      sb_near(variant.label, "v_x", trial.velocity[3 * k], 3 * t * (t - late), 1e-11);
    sb_trial_close(&trial);
  }
}

/* A uniform field is gravity. */
static void uniform_field_is_gravity(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=cloth grid=3 perturbation=0.05 drag=0.01");
    const int64_t    steps = sb_variant_steps(&variant, 100);
    sb_trial         field, gravity;
    open_scene(&field, 0.002, &variant, "gravity=[0,0,0] wind=uniform:acceleration=[1,2,-9]");
    open_scene(&gravity, 0.002, &variant, "gravity=[1,2,-9]");
    sb_trial_advance(&field, steps);
    sb_trial_advance(&gravity, steps);
    for (size_t k = 0; k < 3 * field.vertices; ++k) {
      sb_near(variant.label, "x", field.position[k], gravity.position[k], 1e-12);
      sb_near(variant.label, "v", field.velocity[k], gravity.velocity[k], 1e-11);
    }
    sb_trial_close(&field);
    sb_trial_close(&gravity);
  }
}

/* The centre of mass of a free sheet under a = g is where a point is: x0 + v0 t + g t^2/2 and the method's shift. */
static void center_flies_a_parabola(void)
{
  const double h = 0.002, a = 3, v0 = 0.5;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SHEET "perturbation=0.02 initial_velocity=[0.5,0,0]");
    const int64_t    steps = sb_variant_steps(&variant, 200);
    const double     t = h * (double)steps;
    const int        order = variant.method->order_position;
    const double     shift = order >= 2 ? 0 : sb_variant_is(&variant, "explicit_euler") ? -h : h;
    double           start[3], center[3];
    sb_trial         trial;
    open_scene(&trial, h, &variant,
               is_projection(&variant) ? "wind=uniform:acceleration=[3,0,0]"
                                       : "wind=uniform:acceleration=[3,0,0] spring_damping=0.01");
    sb_must(sb_system_center(trial.system, trial.x, start));
    sb_trial_advance(&trial, steps);
    sb_must(sb_system_center(trial.system, trial.x, center));
    sb_near(variant.label, "x of the centre", center[0] - start[0], v0 * t + 0.5 * a * t * (t + shift),
            1e-12 * sb_variant_rounding(&variant));
    sb_near(variant.label, "y of the centre", center[1] - start[1], 0, 1e-12 * sb_variant_rounding(&variant));
    sb_trial_close(&trial);
  }
}

/* u'' = -4 u + drive sin(3 t), from u = 0.1 and v = v0: the particular solution is drive/(4 - 9) sin(3 t). */
static void forced(double drive, double v0, double t, double *u, double *v)
{
  const double b = drive / (4 - 9), s = (v0 - 3 * b) / 2;
  *u = 0.1 * cos(2 * t) + s * sin(2 * t) + b * sin(3 * t);
  *v = -0.2 * sin(2 * t) + 2 * s * cos(2 * t) + 3 * b * cos(3 * t);
}

/* Slopes of the errors in x, in v and in both at T = 2.7 on an oscillator with these options; `damped` ones have
 * damping b in u'' = -4 u - 2 b u'. */
static void measure_orders(const sb_variant *variant, const char *more, const double want[2], double slope[3])
{
  const int steps = variant->method->order_position > 2 ? 128 : 1024;
  double    error[2][3];
  for (int fine = 0; fine < 2; ++fine) {
    const int n = steps << fine;
    sb_trial  trial;
    open_scene(&trial, 2.7 / n, variant, more);
    sb_trial_advance(&trial, n);
    error[fine][0] = fabs(trial.position[3] - 1 - want[0]);
    error[fine][1] = fabs(trial.velocity[3] - want[1]);
    error[fine][2] = hypot(error[fine][0], error[fine][1]);
    sb_trial_close(&trial);
  }
  for (int c = 0; c < 3; ++c) slope[c] = log2(error[0][c] / error[1][c]);
}

/* Every method keeps its order under a force that depends on time, taken where its formula takes it. */
static void orders_of_a_driven_oscillator(void)
{
  static const char *const drives[] = {"wind=expression:x=0.8*sin(3*t)",
                                       "pin_path=oscillation:amplitude=[0.2,0,0],frequency=0.477464829275686"};
  double                   want[2], slope[3];
  int                      ranks;
  sb_must(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  forced(0.8, -0.3, 2.7, &want[0], &want[1]);
  for (size_t i = 0; i < sb_variant_count() && ranks == 1; ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=oscillator amplitude=0.1 initial_velocity=[-0.3,0,0]");
    for (size_t drive = 0; drive < 2 && variant.method->order_position > 0; ++drive) {
      measure_orders(&variant, drives[drive], want, slope);
      sb_near(variant.label, drives[drive], slope[0], variant.method->order_position, 0.05);
      sb_near(variant.label, drives[drive], slope[1], variant.method->order_velocity, 0.05);
    }
  }
}

/* A damper to a pinned end is drag, and so is a damping rate in the limit of small steps: u'' = -4 u - 0.5 u'. With the
 * rate, which acts apart from the step, a method has order 1, as the reference states for all. */
static void orders_with_damping(void)
{
  static const char *const dampings[] = {"spring_damping=0.5", "drag=0.5", "damping_rate=0.5"};
  const double             b = 0.25, f = sqrt(4 - b * b), a = 0.1, s = (-0.3 + b * a) / f, T = 2.7;
  const double             u = exp(-b * T) * (a * cos(f * T) + s * sin(f * T));
  const double             want[2] = {u, exp(-b * T) * f * (s * cos(f * T) - a * sin(f * T)) - b * u};
  double                   slope[3];
  int                      ranks;
  sb_must(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (size_t i = 0; i < sb_variant_count() && ranks == 1; ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=oscillator amplitude=0.1 initial_velocity=[-0.3,0,0]");
    const sb_integrator_method *method = variant.method;
    if (is_projection(&variant)) continue;
    for (int d = 0; d < 3; ++d) {
      const bool split = d == 2;
      const int  order = split ? 1 : method->order_braked > 0 ? method->order_braked : method->order_position;
      measure_orders(&variant, dampings[d], want, slope);
      if (split) { /* one of the errors may pass through 0 at T */
        sb_near(variant.label, dampings[d], slope[2], order, 0.05);
      } else {
        sb_near(variant.label, dampings[d], slope[0], order, 0.05);
        sb_near(variant.label, dampings[d], slope[1], order, 0.05);
      }
    }
  }
}

/* Pinned vertices are at path(t) to the bit, and their velocity is (x+ - x)/h; field, dampers and velocity factor do
 * nothing to them, and a free vertex feels them. */
static void pins_follow_their_path(void)
{
  const double h = 0.001;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant =
        sb_variant_at(i, "scene=cloth grid=3 pin_path=linear:velocity=[0,0.25,1] velocity_factor=0.9");
    const bool implicit = variant.method->traits & SB_MINIMIZES;
    sb_trial   trial;
    int        pinned = 0;
    open_scene(&trial, h, &variant,
               is_projection(&variant) ? "" : "wind=uniform:acceleration=[1,1,1] spring_damping=0.01");
    for (int64_t n = 1; n <= (implicit ? 2 : 10); ++n) {
      double old[48];
      memcpy(old, trial.position, sizeof old);
      sb_trial_advance(&trial, 1);
      for (size_t k = 0; k < 48; ++k) {
        const double speed[3] = {0, 0.25, 1}, place = trial.pose.position[k] + speed[k % 3] * ((double)n * h);
        if (!trial.pose.pinned[k / 3]) continue;
        ++pinned;
        sb_holds(variant.label, "a pinned vertex is at its place", trial.position[k] == place);
        sb_near(variant.label, "v of a pinned vertex", trial.velocity[k], (place - old[k]) / h, 1e-15);
      }
    }
    assert_true(pinned > 0);
    sb_holds(variant.label, "others do not", trial.position[3 * 5 + 2] < trial.position[2]);
    sb_trial_close(&trial);
  }
}

/* A net with dampers that is thrown with its pins on their path moves as it does at rest, from the first step on, also
 * if it begins a path on the way: nothing in it may count the pins as at rest. */
static void thrown_with_its_pins(void)
{
  static const char *const frames[] = {"", "initial_velocity=[2,-1,0.5] pin_path=linear:velocity=[2,-1,0.5]"};
  const double             speed[3] = {2, -1, 0.5}, h = 0.002;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=cloth grid=3 stiffness=20 gravity=[0,0,-9]");
    sb_trial         trial[2];
    if (is_projection(&variant)) continue;
    for (int late = 0; late < 2; ++late) {
      for (int f = 0; f < 2; ++f) {
        char more[160];
        snprintf(more, sizeof more, "spring_damping=0.5 max_iterations=300 gradient_tolerance=1e-11 %s", frames[f]);
        open_scene(&trial[f], h, &variant, more);
        if (late) trial[f].step = 500;
        for (size_t k = 0; late && f == 1 && k < 3 * trial[1].vertices; ++k)
          trial[1].position[k] += 500 * h * speed[k % 3];
        for (size_t k = 0; k < 3 * trial[f].vertices; ++k) /* as if another path had led here */
          if (late && trial[f].pose.pinned[k / 3]) trial[f].velocity[k] = 7;
        sb_trial_write(&trial[f]);
        sb_trial_advance(&trial[f], 2);
      }
      for (size_t k = 0; k < 3 * trial[0].vertices; ++k)
        sb_near(variant.label, late ? "a path on the way" : "a path from the start", trial[1].position[k],
                trial[0].position[k] + speed[k % 3] * (double)trial[0].step * h, 1e-9);
      for (int f = 0; f < 2; ++f) sb_trial_close(&trial[f]);
    }
  }
}

/* So that faces that share a corner pull it no slower: each has its mass, a third at each corner. */
static void weigh_by_faces(sb_pose *pose, const double *mass)
{
  for (size_t i = 0; i < pose->vertices; ++i) pose->mass[i] = 0;
  for (size_t k = 0; k < 3 * pose->triangles; ++k) pose->mass[pose->triangle[k]] += *mass / 3;
}

/* A flat sheet falls against the air at rest: v = -v_t tanh(g t/v_t), v_t^2 = 2 m g/(rho_c A) of a face. */
static void falling_against_the_air(void)
{
  const double mass = 0.25, limit = sqrt(2 * mass * 10 / (5 * 2)), want = -limit * tanh(10 * 0.1 / limit);
  PetscMPIInt  ranks;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  for (size_t i = 0; ranks == 1 && i < sb_variant_count(); ++i) {
    const sb_variant variant =
        sb_variant_at(i, "scene=cloth grid=1 pins=none stiffness=10 gravity=[0,0,-10] air_resistance=5");
    double error[2];
    if (is_projection(&variant)) continue;
    for (int fine = 0; fine < 2; ++fine) {
      sb_trial trial;
      sb_trial_open(&trial, PETSC_COMM_WORLD, fine ? 0.001 : 0.002, variant.pairs, weigh_by_faces, &mass);
      sb_trial_advance(&trial, fine ? 100 : 50);
      error[fine] = fabs(trial.velocity[2] - want);
      sb_near(variant.label, "no strain", trial.velocity[11], trial.velocity[2], 1e-12);
      sb_trial_close(&trial);
    }
    const int order = variant.method->order_velocity > 2 ? 4 : strcmp(variant.method->name, "midpoint") == 0 ? 2 : 1;
    sb_near(variant.label, "speed against the air", error[1], 0, order == 4 ? 1e-9 : order == 2 ? 1e-4 : 5e-3);
    sb_holds(variant.label, "the error falls with the step", error[1] < 0.55 * error[0] || error[1] < 1e-12);
  }
}

/* V47 with everything on: explicit methods give the same bits on any number of ranks. */
static void ranks_agree(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=cloth grid=4 perturbation=0.02 drag=0.01");
    const char      *more = "spring_damping=0.01 wind=expression:x=sin(3*t)*z,y=-x pin_path=expression:z=0.3*sin(20*t) "
                            "contact=combined collider=sphere:centre=[0,0,-0.3],radius=0.3 friction=0.2 margin=1.1";
    const bool       implicit = sb_variant_solves(&variant);
    char             pairs[640];
    sb_trial         one, all;
    snprintf(pairs, sizeof pairs, "%s %s", variant.pairs, more);
    sb_trial_open(&one, PETSC_COMM_SELF, 0.0005, pairs, NULL, NULL);
    sb_trial_open(&all, PETSC_COMM_WORLD, 0.0005, pairs, NULL, NULL);
    sb_trial_advance(&one, implicit ? 1 : 20);
    sb_trial_advance(&all, implicit ? 1 : 20);
    for (size_t k = 0; k < 3 * one.vertices; ++k) {
      sb_near(variant.label, "x on several ranks", all.position[k], one.position[k], implicit ? 1e-12 : 0);
      sb_near(variant.label, "v on several ranks", all.velocity[k], one.velocity[k], implicit ? 1e-9 : 0);
    }
    sb_trial_close(&one);
    sb_trial_close(&all);
  }
}

PETSC_TEST_MAIN(dampers, field_at_its_time, uniform_field_is_gravity, center_flies_a_parabola,
                orders_of_a_driven_oscillator, orders_with_damping, pins_follow_their_path, thrown_with_its_pins,
                falling_against_the_air, ranks_agree)
