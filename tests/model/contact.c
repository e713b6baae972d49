/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact with colliders: the filter on velocities in small motions that can be computed by hand, the penalty against
 * finite differences, the measures. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "model/contact/contact.h"
#include "tests/model/support.h"

static sb_contact *contact_of(const char *pairs)
{
  sb_options *options = sb_test_options(pairs);
  sb_contact *contact;
  assert_true(sb_contact_create(options, &contact));
  assert_non_null(contact);
  sb_options_destroy(&options);
  return contact;
}

/* One vertex of mass 1. */
typedef struct {
  double x[3], v[3];
} body;

static const double one = 1.0;
static const bool   is_free = false, is_pinned = true;

static void filter(sb_contact *contact, double t, double h, body *b)
{
  sb_contact_filter(contact, t, h, NULL, &(sb_contact_points){1, &is_free, &one, b->x}, b->v);
}

/* Symplectic Euler under gravity: kick, filter, drift; or, wrongly, filter, kick, drift. */
static void fall(sb_contact *contact, double h, int steps, bool filter_first, body *b)
{
  for (int s = 0; s < steps; ++s) {
    if (filter_first) filter(contact, s * h, h, b);
    b->v[2] -= 9.8 * h;
    if (!filter_first) filter(contact, s * h, h, b);
    for (int c = 0; c < 3; ++c) b->x[c] += h * b->v[c];
  }
}

static void options_say_what_is_on(void)
{
  static const struct {
    const char *pairs;
    bool        filters, pushes, implicit;
  } cases[] = {
      {"contact=cancel_velocity collider=plane:", true, false, false},
      {"contact=penalty collider=plane:", false, true, false},
      {"contact=penalty collider=plane: contact_implicit=true", false, true, true},
      {"contact=combined collider=plane:", true, true, false},
      {"self_contact=vertices", true, false, false},
  };
  sb_options *none = sb_test_options("collider=plane:");
  sb_contact *contact = (sb_contact *)&cases;
  assert_true(sb_contact_create(none, &contact));
  assert_null(contact);
  sb_options_destroy(&none);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    contact = contact_of(cases[i].pairs);
    assert_int_equal(sb_contact_filters(contact), cases[i].filters);
    assert_int_equal(sb_contact_pushes(contact), cases[i].pushes);
    assert_int_equal(sb_contact_is_implicit(contact), cases[i].implicit);
    sb_contact_destroy(&contact);
    assert_null(contact);
  }
}

static void vertices_stop_or_bounce(void)
{
  static const double e[] = {0.0, 0.5, 1.0};
  static const char  *pairs[] = {
       "contact=cancel_velocity collider=plane:", "contact=cancel_velocity collider=plane: restitution=0.5",
       "contact=combined collider=plane: restitution=1"};
  for (int k = 0; k < 3; ++k) {
    sb_contact *contact = contact_of(pairs[k]);
    body        b = {{0.3, 0.1, 0.05}, {1.0, 2.0, -6.0}};
    filter(contact, 0.0, 0.01, &b); /* 0.06 down would pass z = 0 */
    assert_within(b.v[2], 6.0 * e[k], 1e-15);
    assert_within(b.v[0], 1.0, 0.0);
    assert_within(b.v[1], 2.0, 0.0);
    sb_contact_destroy(&contact);
  }
}

static void others_are_left_alone(void)
{
  static const body still[] = {{{0, 0, 0.05}, {1, 2, -4.9}}, /* does not reach the plane */
                               {{0, 0, -0.2}, {1, 2, 0.5}},  /* inside, on its way out */
                               {{0, 0, NAN}, {1, 2, -6}},
                               {{0, 0, 0.01}, {1, 2, NAN}},
                               {{0, 0, 1e300}, {1, 2, -6}}};
  sb_contact       *contact = contact_of("contact=cancel_velocity collider=plane: friction=0.5");
  body              held = {{0, 0, 0.0}, {0, 0, -1}};
  for (size_t i = 0; i < sizeof still / sizeof *still; ++i) {
    body b = still[i];
    filter(contact, 0.0, 0.01, &b);
    assert_memory_equal(b.v, still[i].v, sizeof b.v);
  }
  sb_contact_filter(contact, 0.0, 0.01, NULL, &(sb_contact_points){1, &is_pinned, &one, held.x}, held.v);
  assert_within(held.v[2], -1.0, 0.0);
  sb_contact_destroy(&contact);
}

/* A sphere's surface is where margin r is; the tangential part stays without friction. */
static void spheres_count_their_margin(void)
{
  sb_contact *contact = contact_of("contact=cancel_velocity collider=sphere:radius=0.4 margin=1.1");
  body        near = {{0, 0.45, 0}, {1, -2, 0}}, far = {{0, 0.47, 0}, {1, -2, 0}};
  filter(contact, 0.0, 0.01, &near);
  filter(contact, 0.0, 0.01, &far);
  assert_within(near.v[1], 0.0, 1e-15);
  assert_within(near.v[0], 1.0, 1e-15);
  assert_within(far.v[1], -2.0, 0.0);
  sb_contact_destroy(&contact);
}

/* Sliding on a floor, each step takes mu g h off the speed until nothing is left, and never turns it round. */
static void friction_slows_by_mu_g(void)
{
  const double h = 0.01, slowed = 0.3 * 9.8 * h;
  sb_contact  *contact = contact_of("contact=cancel_velocity collider=plane: friction=0.3");
  body         b = {{0, 0, 0}, {0.6, 0.8, 0}};
  for (int s = 1; s <= 60; ++s) {
    const double speed = fmax(1.0 - s * slowed, 0.0);
    fall(contact, h, 1, false, &b);
    assert_within(b.v[0], 0.6 * speed, 1e-13);
    assert_within(b.v[1], 0.8 * speed, 1e-13);
    assert_within(b.x[2], 0.0, 0.0);
  }
  sb_contact_destroy(&contact);
}

/* On a slope of 3 in 4: held when mu > 3/4, else a = g (3/5 - mu 4/5). */
static void slopes_hold_by_friction(void)
{
  const double h = 1e-3;
  sb_contact  *rough = contact_of("contact=cancel_velocity collider=plane:normal=[3,0,4] friction=0.76");
  sb_contact  *slick = contact_of("contact=cancel_velocity collider=plane:normal=[3,0,4] friction=0.5");
  body         held = {{0}, {0}}, slides = {{0}, {0}};
  fall(rough, h, 1000, false, &held);
  fall(slick, h, 1000, false, &slides);
  assert_within(hypot(held.x[0], held.x[2]), 0.0, 1e-14);
  assert_within(hypot(slides.v[0], slides.v[2]), 9.8 * (0.6 - 0.5 * 0.8), 1e-11);
  assert_within(slides.v[2] / slides.v[0], -0.75, 1e-12);
  sb_contact_destroy(&rough);
  sb_contact_destroy(&slick);
}

/* A trench along y whose sides enclose an angle: gravity presses on both. */
static sb_contact *trench_of(double degrees, const char *more)
{
  const double half = degrees * acos(-1.0) / 360, c = cos(half), s = sin(half);
  char         pairs[400];
  snprintf(pairs, sizeof pairs,
           "contact=cancel_velocity collider=plane:normal=[%.17g,0,%.17g];plane:normal=[%.17g,0,%.17g]%s", c, s, -c, s,
           more);
  return contact_of(pairs);
}

/* A vertex that slides down into an acute corner stops there, for every angle and step; if the sides acted one by one,
 * each would send it into the other and it would sink. A third side stops it along the trench, too. */
static void corners_hold(void)
{
  static const double degrees[] = {150, 90, 60, 10, 1}, steps_of[] = {0.01, 0.001};
  for (int ends = 0; ends < 2; ++ends)
    for (size_t k = 0; k < sizeof degrees / sizeof *degrees; ++k)
      for (size_t n = 0; n < 2; ++n) {
        sb_contact *trench = trench_of(degrees[k], ends ? ";plane:point=[0,0.3,0],normal=[0,-0.8,0.6]" : "");
        body        b = {{0.0001, 0, 0.05}, {-0.2, 0.5, 0.1}};
        fall(trench, steps_of[n], (int)(2 / steps_of[n]), false, &b);
        sb_contact_observe(trench, 2.0, 1, b.x);
        assert_within(sb_contact_measured(trench).penetration_max, 0.0, 1e-12);
        if (degrees[k] <= 90) assert_within(b.v[2], 0.0, 1e-9); /* up the other side of a wide one */
        if (!ends) assert_within(b.v[1], 0.5, 1e-9);
        sb_contact_destroy(&trench);
      }
}

/* Each side of a trench bears g/(2 sin(angle/2)), and both have friction: v falls by mu g/sin(angle/2) per second. */
static void corners_rub(void)
{
  const double h = 1e-4, rate = 0.02 * 9.8 / sin(acos(-1.0) / 36);
  sb_contact  *trench = trench_of(10, " friction=0.02");
  body         b = {{0}, {0, 1, 0}};
  fall(trench, h, 2000, false, &b);
  assert_within(b.v[1], 1 - 0.2 * rate, 1e-3);
  fall(trench, h, 8000, false, &b);
  assert_within(b.v[1], 0.0, 0.0);
  sb_contact_destroy(&trench);
}

/* No velocity is possible for a vertex between two closing walls: it keeps a finite one. A single moving wall takes it
 * along.
 */
static void corners_that_move(void)
{
  static const char *const jaws = "contact=cancel_velocity collider=plane:normal=[1,0,0];plane:normal=[-1,0,0] "
                                  "collider_path=linear:velocity=[1,0,0];linear:velocity=[-1,0,0]";
  sb_contact              *closing = contact_of(jaws);
  sb_contact              *lifted = trench_of(10, " collider_path=linear:velocity=[0,0,0.5]");
  body                     caught = {{0}, {0, 0, 0}}, carried = {{0}, {0}};
  filter(closing, 0.0, 0.01, &caught);
  assert_true(fabs(caught.v[0]) <= 1.0);
  fall(lifted, 0.01, 100, false, &carried);
  assert_within(carried.x[2], 0.5, 1e-12);
  sb_contact_destroy(&closing);
  sb_contact_destroy(&lifted);
}

/* The normal change that friction is measured by is (1 + e) times the approach. */
static void friction_counts_the_bounce(void)
{
  sb_contact *contact = contact_of("contact=cancel_velocity collider=plane: friction=0.25 restitution=0.6");
  body        b = {{0, 0, 0}, {3, 4, -2}};
  filter(contact, 0.0, 0.01, &b);
  assert_within(b.v[2], 1.2, 1e-15);
  assert_within(hypot(b.v[0], b.v[1]), 5.0 - 0.25 * 1.6 * 2.0, 1e-14);
  assert_within(b.v[1] / b.v[0], 4.0 / 3.0, 1e-14);
  sb_contact_destroy(&contact);
}

static void moving_colliders_push(void)
{
  sb_contact *lift = contact_of("contact=cancel_velocity collider=plane: collider_path=linear:velocity=[1,0,2] "
                                "restitution=0.5");
  sb_contact *belt = contact_of("contact=cancel_velocity collider=plane: collider_path=linear:velocity=[1,0,0] "
                                "friction=100");
  body        b = {{0, 0, 0.501}, {0, 0, -1}}, away = {{0, 0, 0.501}, {0, 0, 3}}, rests = {{0, 0, 0}, {0, 0, -0.1}};
  filter(lift, 0.25, 0.01, &b); /* the plane is at z = 0.5 */
  assert_within(b.v[2], 2.0 + 0.5 * 3.0, 1e-12);
  assert_within(b.v[0], 0.0, 1e-15);
  filter(lift, 0.25, 0.01, &away);
  assert_within(away.v[2], 3.0, 0.0);
  filter(belt, 0.25, 0.01, &rests);
  assert_within(rests.v[0], 1.0, 1e-12);
  assert_within(rests.v[2], 0.0, 1e-15);
  sb_contact_destroy(&lift);
  sb_contact_destroy(&belt);
}

/* A vertex that sticks to a turning table or ball follows the chord of its material. */
static void turning_colliders_drag(void)
{
  static const char *const pairs[] = {
      "contact=cancel_velocity friction=100 collider=plane: collider_path=rotation:centre=[0.5,0,0],rate=2",
      "contact=cancel_velocity friction=100 collider=sphere:centre=[0.2,0.1,-0.5],radius=0.6 "
      "collider_path=rotation:centre=[0.5,0,0],rate=2"};
  const double h = 0.05, t = 0.7;
  for (int k = 0; k < 2; ++k) {
    sb_contact *contact = contact_of(pairs[k]);
    body        b = {{0.3, 0.2, -0.01}, {0, 0, -3}};
    filter(contact, t, h, &b);
    const double x = 0.3 - 0.5, y = 0.2, c = cos(2.0 * h), s = sin(2.0 * h);
    if (k == 0) assert_within(b.v[2], 0.0, 1e-13);
    assert_within(b.v[0], (x * c - y * s - x) / h, 1e-12);
    assert_within(b.v[1], (x * s + y * c - y) / h, 1e-12);
    sb_contact_destroy(&contact);
  }
}

/* In a corner each of two walls takes its part; where they are not at right angles the last has the last word. */
static void colliders_act_in_turn(void)
{
  sb_contact *corner = contact_of("contact=cancel_velocity collider=plane:;plane:normal=[1,0,0]");
  sb_contact *wedge = contact_of("contact=cancel_velocity collider=plane:;plane:normal=[3,0,4]");
  body        a = {{0, 0, 0}, {-1, 5, -2}}, b = {{0, 0, 0}, {-1, 5, -2}};
  filter(corner, 0.0, 0.01, &a);
  assert_within(a.v[0], 0.0, 0.0);
  assert_within(a.v[1], 5.0, 0.0);
  assert_within(a.v[2], 0.0, 0.0);
  filter(wedge, 0.0, 0.01, &b); /* (-1, 5, 0), then -(3/5) of it along (3, 0, 4)/5 is removed */
  assert_within(b.v[0], -1.0 + 0.6 * 0.6, 1e-15);
  assert_within(b.v[2], 0.6 * 0.8, 1e-15);
  sb_contact_destroy(&corner);
  sb_contact_destroy(&wedge);
}

/* After the force update nothing creeps in; before it, h^2 g a step does. */
static void resting_vertices_stay(void)
{
  const double h = 1e-3;
  const int    steps = 10000;
  sb_contact  *contact = contact_of("contact=cancel_velocity collider=sphere:radius=0.3");
  body         rests = {{0, 0, 0.3}, {0}}, lands = {{0, 0, 0.5}, {0}}, creeps = {{0, 0, 0.3}, {0}};
  fall(contact, h, steps, false, &rests);
  fall(contact, h, steps, false, &lands);
  assert_within(rests.x[2], 0.3, 0.0);
  assert_true(lands.x[2] >= 0.3 && lands.x[2] <= 0.3 + h * h * 9.8);
  fall(contact, h, 1000, true, &creeps);
  assert_within(creeps.x[2], 0.3 - 1000 * h * h * 9.8, 1e-12);
  sb_contact_destroy(&contact);
}

static void accelerations_lose_their_inward_part(void)
{
  sb_contact  *contact = contact_of("contact=cancel_velocity collider=plane:normal=[3,0,4]");
  double       x[12] = {0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0}, v[12] = {0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1};
  double       a[12] = {1, 2, -3, 0, 0, 1, 1, 2, -3, 1, 2, -3};
  const bool   pinned[4] = {false, false, false, true};
  const double mass[4] = {1, 1, 1, 1};
  sb_contact_filter_accelerations(contact, 0.0, 0.01, &(sb_contact_start){{4, pinned, mass, x}, v, v, NULL}, a);
  const double inward = 0.6 * 1 - 0.8 * 3;
  assert_within(a[0], 1.0 - 0.6 * inward, 1e-15); /* at the surface, moving in */
  assert_within(a[1], 2.0, 0.0);
  assert_within(a[2], -3.0 - 0.8 * inward, 1e-15);
  assert_within(a[5], 1.0, 0.0);  /* a points outward */
  assert_within(a[8], -3.0, 0.0); /* far away */
  assert_within(a[11], -3.0, 0.0);
  sb_contact_destroy(&contact);
}

enum { COUNT = 40 };
static const char *const overlapping =
    "contact=penalty contact_stiffness=700 margin=1.2 collider=sphere:centre=[0.1,-0.2,0.3],radius=0.6;"
    "capsule:start=[-0.4,0.1,0.2],end=[0.5,-0.3,0.1],radius=0.4;plane:point=[0,0,-0.2],normal=[1,-2,3]";

static void random_positions(double position[3 * COUNT], bool pinned[COUNT])
{
  for (size_t i = 0; i < 3 * COUNT; ++i) position[i] = 2.0 * sb_random_unit(3, i) - 1.0;
  for (size_t i = 0; i < COUNT; ++i) pinned[i] = i % 7 == 3;
}

static void penalty_force_is_minus_the_gradient(void)
{
  const double h = 1e-6;
  sb_contact  *contact = contact_of(overlapping);
  double       x[3 * COUNT], f[3 * COUNT] = {0}, largest = 0.0;
  bool         pinned[COUNT];
  random_positions(x, pinned);
  sb_contact_add_forces(contact, 0.0, &(sb_contact_points){COUNT, pinned, NULL, x}, f);
  for (size_t i = 0; i < 3 * COUNT; ++i) {
    const double at = x[i];
    x[i] = at + h;
    const double ahead = sb_contact_energy(contact, 0.0, &(sb_contact_points){COUNT, pinned, NULL, x});
    x[i] = at - h;
    const double behind = sb_contact_energy(contact, 0.0, &(sb_contact_points){COUNT, pinned, NULL, x});
    x[i] = at;
    assert_within(f[i], -(ahead - behind) / (2.0 * h), 1e-5);
    if (pinned[i / 3]) assert_within(f[i], 0.0, 0.0);
    largest = fmax(largest, fabs(f[i]));
  }
  assert_true(largest > 100.0);
  sb_contact_destroy(&contact);
}

static void exact_hessian_is_the_gradient_of_the_force(void)
{
  const double h = 1e-6;
  sb_contact  *contact = contact_of(overlapping);
  double       x[3 * COUNT], block[6 * COUNT] = {0};
  bool         pinned[COUNT];
  random_positions(x, pinned);
  sb_contact_add_hessian(contact, 0.0, true, &(sb_contact_points){COUNT, pinned, NULL, x}, block);
  for (size_t i = 0; i < COUNT; ++i)
    for (size_t a = 0, k = 0; a < 3; ++a) {
      double       ahead[3 * COUNT] = {0}, behind[3 * COUNT] = {0};
      const double at = x[3 * i + a];
      x[3 * i + a] = at + h;
      sb_contact_add_forces(contact, 0.0, &(sb_contact_points){COUNT, pinned, NULL, x}, ahead);
      x[3 * i + a] = at - h;
      sb_contact_add_forces(contact, 0.0, &(sb_contact_points){COUNT, pinned, NULL, x}, behind);
      x[3 * i + a] = at;
      for (size_t b = a; b < 3; ++b, ++k)
        assert_within(block[6 * i + k], -(ahead[3 * i + b] - behind[3 * i + b]) / (2.0 * h), 1e-5);
    }
  sb_contact_destroy(&contact);
}

/* Without `exact` it is k_c n n^T: from the force, f f^T k_c/|f|^2 where one collider is touched; added, not set. */
static void projected_hessian_has_rank_one(void)
{
  sb_contact *contact = contact_of("contact=penalty contact_stiffness=700 collider=sphere:radius=0.8");
  double      x[3] = {0.1, -0.2, 0.4}, f[3] = {0}, block[6] = {5, 5, 5, 5, 5, 5};
  sb_contact_add_hessian(contact, 0.0, false, &(sb_contact_points){1, &is_free, NULL, x}, block);
  sb_contact_add_forces(contact, 0.0, &(sb_contact_points){1, &is_free, NULL, x}, f);
  const double square = f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
  assert_within(sqrt(square), 700 * (0.8 - sqrt(0.21)), 1e-12);
  for (int a = 0, k = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b, ++k) assert_within(block[k], 5.0 + 700.0 * f[a] * f[b] / square, 1e-12);
  sb_contact_destroy(&contact);
}

static void filters_have_no_energy(void)
{
  sb_contact *contact = contact_of("contact=cancel_velocity collider=sphere:radius=0.8");
  double      x[3] = {0.1, -0.2, 0.4}, f[3] = {0}, v[3] = {-0.1, 0.2, -0.4};
  sb_contact_add_forces(contact, 0.0, &(sb_contact_points){1, &is_free, NULL, x}, f);
  assert_within(fabs(f[0]) + fabs(f[1]) + fabs(f[2]), 0.0, 0.0);
  assert_within(sb_contact_energy(contact, 0.0, &(sb_contact_points){1, &is_free, NULL, x}), 0.0, 0.0);
  sb_contact_destroy(&contact);
  contact = contact_of("contact=penalty collider=sphere:radius=0.8");
  sb_contact_filter(contact, 0.0, 0.01, NULL, &(sb_contact_points){1, &is_free, &one, x}, v);
  assert_within(v[0], -0.1, 0.0);
  sb_contact_destroy(&contact);
}

/* Depths are to the surface itself, whatever margin is; the largest stays, the count is of the last look. */
static void depth_is_measured_without_margin(void)
{
  sb_contact *contact = contact_of("contact=penalty margin=2 collider=sphere:radius=0.5;plane:point=[0,0,-0.45] "
                                   "collider_path=linear:velocity=[0,0,1];still");
  double      x[15] = {0, 0, 0.2, 0, 0, 0.7, 0, 0, -0.48, 3, 3, -0.5, 0, 0, NAN};
  sb_contact_observe(contact, 0.0, 5, x);
  sb_contact_measures measures = sb_contact_measured(contact);
  assert_within(measures.penetration_max, 0.3, 1e-15);
  assert_int_equal(measures.vertices_inside, 3); /* the third is in both, and counts once */
  sb_contact_observe(contact, 0.5, 5, x);        /* the sphere is at z = 0.5 */
  measures = sb_contact_measured(contact);
  assert_within(measures.penetration_max, 0.3, 1e-15);
  assert_int_equal(measures.vertices_inside, 4);
  x[2] = -INFINITY;
  sb_contact_observe(contact, 10.0, 1, x);
  assert_within(sb_contact_measured(contact).penetration_max, 0.3, 1e-15);
  sb_contact_reset(contact);
  measures = sb_contact_measured(contact);
  assert_within(measures.penetration_max, 0.0, 0.0);
  assert_int_equal(measures.vertices_inside, 0);
  sb_contact_destroy(&contact);
}

/* A chord of a ball is deeper in its middle than at its ends; a plane is not. */
static void faces_are_deeper_than_corners(void)
{
  const int    triangle[] = {0, 1, 2, 2, 3, 4};
  const double x[15] = {-0.3, -0.2, 0.4, 0.3, -0.2, 0.4, 0, 0.4, 0.4, 3, 3, -0.5, 0, 0, NAN};
  sb_contact  *contact = contact_of("contact=penalty margin=2 collider=sphere:radius=0.5");
  assert_within(sb_contact_face_depth(contact, 0.0, 1, triangle, x), 0.1, 1e-15);
  assert_within(sb_contact_face_depth(contact, 0.0, 2, triangle, x), 0.1, 1e-15);
  assert_within(sb_contact_face_depth(contact, 0.0, 0, triangle, x), 0.0, 0.0);
  sb_contact_destroy(&contact);
  contact = contact_of("contact=penalty collider=capsule:start=[0,0,0],end=[0,0,1],radius=0.1");
  assert_within(sb_contact_face_depth(contact, 0.0, 1, triangle, x), 0.1, 1e-15); /* goes through the axis */
  sb_contact_destroy(&contact);
  contact = contact_of("contact=penalty collider=plane:point=[0,0,0.45] collider_path=linear:velocity=[0,0,1]");
  assert_within(sb_contact_face_depth(contact, 1.0, 1, triangle, x), 1.05, 1e-15);
  sb_contact_destroy(&contact);
}

TEST_MAIN(options_say_what_is_on, vertices_stop_or_bounce, others_are_left_alone, spheres_count_their_margin,
          friction_slows_by_mu_g, slopes_hold_by_friction, corners_hold, corners_rub, corners_that_move,
          friction_counts_the_bounce, moving_colliders_push, turning_colliders_drag, colliders_act_in_turn,
          resting_vertices_stay, accelerations_lose_their_inward_part, penalty_force_is_minus_the_gradient,
          exact_hessian_is_the_gradient_of_the_force, projected_hessian_has_rank_one, filters_have_no_energy,
          faces_are_deeper_than_corners, depth_is_measured_without_margin)
