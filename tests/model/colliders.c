/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes that can be touched: distances, normals and curvatures against independent values; places on paths. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "model/contact/contact.h"
#include "tests/model/support.h"

enum { POINTS = 64 };
static const char *const examples[] = {
    "collider=sphere:centre=[0.1,-0.2,0.3],radius=0.4",
    "collider=capsule:start=[-0.4,0.1,0.2],end=[0.5,-0.3,0.1],radius=0.25",
    "collider=plane:point=[0.1,0.2,-0.1],normal=[1,-2,3]",
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

typedef struct {
  sb_options              *options;
  const sb_collider_shape *shape;
  const sb_composite      *value;
  double                   point[SB_COLLIDER_POINTS_MAX][3];
} subject;

static subject subject_of(const char *pairs)
{
  subject s = {.options = sb_test_options(pairs)};
  size_t  count;
  s.value = SB_COMPOSITES(s.options, collider, &count);
  assert_int_equal(count, 1);
  for (size_t i = 0; i < sb_collider_shape_count(); ++i)
    if (&sb_collider_shape_at(i)->form == s.value->form) s.shape = sb_collider_shape_at(i);
  assert_non_null(s.shape);
  s.shape->points_of(s.value, s.point);
  return s;
}

static double distance_at(const subject *s, double margin, const double p[3], double n[3])
{
  return s->shape->distance(s->value, margin, s->point, p, n);
}

static void curvature_at(const subject *s, const double p[3], double bend[6])
{
  if (s->shape->curvature) s->shape->curvature(s->value, s->point, p, bend);
}

static void random_point(uint64_t seed, size_t i, double p[3])
{
  for (size_t c = 0; c < 3; ++c) p[c] = 2.0 * sb_random_unit(seed, 3 * i + c) - 1.0;
}

/* The least distance to a segment cut into so many parts that the error is below 1e-7, minus the radius. */
static double sampled_capsule(const double a[3], const double b[3], double radius, const double p[3])
{
  enum { PARTS = 4000 };
  double least = INFINITY;
  for (int k = 0; k <= PARTS; ++k) {
    const double s = (double)k / PARTS;
    double       square = 0.0;
    for (int c = 0; c < 3; ++c) square += pow(p[c] - (1.0 - s) * a[c] - s * b[c], 2);
    least = fmin(least, sqrt(square));
  }
  return least - radius;
}

/* The distance from a shape by a formula of the test's own. */
static double known_distance(const subject *s, const double p[3])
{
  const sb_composite *v = s->value;
  if (strcmp(v->form->name, "sphere") == 0)
    return hypot(hypot(p[0] - v->number[0][0], p[1] - v->number[0][1]), p[2] - v->number[0][2]) - v->number[1][0];
  if (strcmp(v->form->name, "capsule") == 0) return sampled_capsule(v->number[0], v->number[1], v->number[2][0], p);
  assert_string_equal(v->form->name, "plane");
  return ((p[0] - 0.1) - 2.0 * (p[1] - 0.2) + 3.0 * (p[2] + 0.1)) / sqrt(14.0);
}

static void every_shape_has_an_example(void) { assert_int_equal(sb_collider_shape_count(), EXAMPLES); }

static void distances_are_known(void)
{
  for (size_t e = 0; e < EXAMPLES; ++e) {
    subject s = subject_of(examples[e]);
    for (size_t i = 0; i < POINTS; ++i) {
      double p[3], n[3];
      random_point(e, i, p);
      assert_within(distance_at(&s, 1.0, p, n), known_distance(&s, p), 2e-7);
    }
    sb_options_destroy(&s.options);
  }
}

static void normals_are_unit_gradients(void)
{
  const double h = 1e-6;
  for (size_t e = 0; e < EXAMPLES; ++e) {
    subject s = subject_of(examples[e]);
    for (size_t i = 0; i < POINTS; ++i) {
      double p[3], n[3], other[3];
      random_point(e + 10, i, p);
      distance_at(&s, 1.3, p, n);
      assert_within(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-14);
      for (int c = 0; c < 3; ++c) {
        double ahead[3] = {p[0], p[1], p[2]}, behind[3] = {p[0], p[1], p[2]};
        ahead[c] += h;
        behind[c] -= h;
        const double slope = distance_at(&s, 1.3, ahead, other) - distance_at(&s, 1.3, behind, other);
        assert_within(slope / (2.0 * h), n[c], 1e-8);
      }
    }
    sb_options_destroy(&s.options);
  }
}

static void curvature_is_the_gradient_of_the_normal(void)
{
  const double h = 1e-6;
  for (size_t e = 0; e < EXAMPLES; ++e) {
    subject s = subject_of(examples[e]);
    for (size_t i = 0; i < POINTS; ++i) {
      double p[3], bend[6] = {0}, n_ahead[3], n_behind[3];
      random_point(e + 20, i, p);
      curvature_at(&s, p, bend);
      for (int a = 0, k = 0; a < 3; ++a) {
        double ahead[3] = {p[0], p[1], p[2]}, behind[3] = {p[0], p[1], p[2]};
        ahead[a] += h;
        behind[a] -= h;
        distance_at(&s, 1.0, ahead, n_ahead);
        distance_at(&s, 1.0, behind, n_behind);
        for (int b = a; b < 3; ++b, ++k) assert_within((n_ahead[b] - n_behind[b]) / (2.0 * h), bend[k], 1e-7);
      }
    }
    sb_options_destroy(&s.options);
  }
}

static void margin_widens_what_has_a_radius(void)
{
  static const double radii[EXAMPLES] = {0.4, 0.25, 0.0};
  for (size_t e = 0; e < EXAMPLES; ++e) {
    subject s = subject_of(examples[e]);
    double  p[3] = {0.7, -0.6, 0.5}, n[3];
    assert_within(distance_at(&s, 1.0, p, n) - distance_at(&s, 1.1, p, n), 0.1 * radii[e], 1e-15);
    sb_options_destroy(&s.options);
  }
}

/* On a centre or an axis any direction will do, but it is a direction; places without a number are not inside. */
static void odd_places_have_answers(void)
{
  static const double odd[] = {NAN, INFINITY, 1e300};
  double              n[3], centre[3] = {0.1, -0.2, 0.3}, middle[3], end[3] = {-0.4, 0.1, 0.2};
  subject             sphere = subject_of(examples[0]), capsule = subject_of(examples[1]);
  assert_within(distance_at(&sphere, 1.0, centre, n), -0.4, 1e-15);
  assert_within(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-14);
  for (int c = 0; c < 3; ++c) middle[c] = 0.5 * (capsule.point[0][c] + capsule.point[1][c]);
  assert_within(distance_at(&capsule, 1.0, middle, n), -0.25, 1e-15);
  assert_within(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-14);
  assert_within(distance_at(&capsule, 1.0, end, n), -0.25, 1e-15);
  assert_within(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-14);
  for (size_t i = 0; i < sizeof odd / sizeof *odd; ++i) {
    const double p[3] = {odd[i], 0.1, 0.2};
    assert_false(distance_at(&sphere, 1.0, p, n) < 0.0);
    assert_false(distance_at(&capsule, 1.0, p, n) < 0.0);
  }
  sb_options_destroy(&sphere.options);
  sb_options_destroy(&capsule.options);
}

/* Energy at points of a collider on a path equals that of a collider that was given there. */
static void moved_shapes_are_shapes_elsewhere(void)
{
  static const char *const pairs[][2] = {
      {"contact=penalty collider=sphere:centre=[0.1,0,0],radius=0.4 collider_path=linear:velocity=[1,2,-1]",
       "contact=penalty collider=sphere:centre=[0.35,0.5,-0.25],radius=0.4"},
      {"contact=penalty collider=capsule:start=[0.3,0,0],end=[0,0.5,0],radius=0.3 "
       "collider_path=rotation:axis=[0,0,1],rate=6.283185307179586",
       "contact=penalty collider=capsule:start=[0,0.3,0],end=[-0.5,0,0],radius=0.3"},
      {"contact=penalty collider=plane:point=[0.2,0,0],normal=[1,0,0] "
       "collider_path=rotation:axis=[0,0,1],rate=6.283185307179586",
       "contact=penalty collider=plane:point=[0,0.2,0],normal=[0,1,0]"},
      {"contact=penalty "
       "collider=sphere:centre=[0.1,0,0],radius=0.4;plane:point=[0,0,-0.5] "
       "collider_path=still;linear:velocity=[0,0,1]",
       "contact=penalty collider=sphere:centre=[0.1,0,0],radius=0.4;plane:point=[0,0,-0.25]"},
  };
  bool   pinned[POINTS] = {false};
  double position[3 * POINTS];
  for (size_t i = 0; i < POINTS; ++i) random_point(77, i, position + 3 * i);
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; ++k) {
    sb_options *a = sb_test_options(pairs[k][0]), *b = sb_test_options(pairs[k][1]);
    sb_contact *moving, *standing;
    assert_true(sb_contact_create(a, &moving));
    assert_true(sb_contact_create(b, &standing));
    sb_options_destroy(&a);
    sb_options_destroy(&b);
    const double there = sb_contact_energy(standing, 0.0, &(sb_contact_points){POINTS, pinned, NULL, position});
    assert_true(there > 1.0);
    assert_within(sb_contact_energy(moving, 0.25, &(sb_contact_points){POINTS, pinned, NULL, position}), there,
                  1e-11 * there);
    assert_false(fabs(sb_contact_energy(moving, 0.0, &(sb_contact_points){POINTS, pinned, NULL, position}) - there) <
                 1e-3 * there);
    sb_contact_destroy(&moving);
    sb_contact_destroy(&standing);
  }
}

static void places_are_for_pictures(void)
{
  sb_options *options = sb_test_options("contact=penalty collider=capsule:start=[0,0,0],end=[1,0,0],radius=0.1 "
                                        "collider_path=linear:velocity=[0,1,0]");
  sb_contact *contact;
  size_t      count;
  double      point[SB_COLLIDER_POINTS_MAX][3];
  assert_true(sb_contact_create(options, &contact));
  sb_options_destroy(&options);
  const sb_composite *value = sb_contact_colliders(contact, &count);
  assert_int_equal(count, 1);
  assert_string_equal(value->form->name, "capsule");
  assert_within(value->number[2][0], 0.1, 0.0);
  sb_contact_places(contact, 0.5, 0, point);
  assert_within(point[1][0], 1.0, 0.0);
  assert_within(point[1][1], 0.5, 1e-15);
  sb_contact_destroy(&contact);
}

static void nonsense_is_refused(void)
{
  static const char *const bad[] = {"collider=capsule:start=[1,2,3],end=[1,2,3],radius=1",
                                    "collider=plane:normal=[0,0,0]", "collider=sphere:radius=0",
                                    "collider=sphere:centre=[0,0,0]"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    sb_options *options = sb_test_options("");
    assert_false(sb_options_set_pair(options, bad[i], SB_FROM_USER, (sb_location){0}, NULL));
    sb_options_destroy(&options);
  }
}

static void deepest_at(const subject *s, double corner[3][3], double p[3]) { s->shape->deepest(s->point, corner, p); }

/* No point of many in a triangle is deeper than the deepest one that the shape gives, which is approximately one of
 * them. */
static void deepest_points_of_triangles(void)
{
  enum { TRIALS = 300, PARTS = 40 };
  for (int e = 0; e < EXAMPLES; ++e) {
    subject s = subject_of(examples[e]);
    for (int trial = 0; s.shape->deepest && trial < TRIALS; ++trial) {
      double corner[3][3], p[3], n[3], least = INFINITY;
      for (size_t i = 0; i < 3; ++i) random_point(91, 3 * (size_t)trial + i, corner[i]);
      if (trial % 10 == 0) memcpy(corner[2], corner[trial % 20 / 10], sizeof corner[2]); /* without area */
      deepest_at(&s, corner, p);
      const double named = distance_at(&s, 1.0, p, n);
      for (int a = 0; a <= PARTS; ++a)
        for (int b = 0; a + b <= PARTS; ++b) {
          double q[3];
          for (int c = 0; c < 3; ++c)
            q[c] = (a * corner[0][c] + b * corner[1][c] + (PARTS - a - b) * corner[2][c]) / PARTS;
          least = fmin(least, distance_at(&s, 1.0, q, n));
        }
      assert_true(named <= least + 1e-14);
      assert_true(named > least - 0.08);
    }
    sb_options_destroy(&s.options);
  }
}

TEST_MAIN(every_shape_has_an_example, deepest_points_of_triangles, distances_are_known, normals_are_unit_gradients,
          curvature_is_the_gradient_of_the_normal, margin_widens_what_has_a_radius, odd_places_have_answers,
          moved_shapes_are_shapes_elsewhere, places_are_for_pictures, nonsense_is_refused)
