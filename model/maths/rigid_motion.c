/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rigid motions of points; see rigid_motion.h. With r = x - centre, S = sum m r r^T and the inertia T = tr(S) - S:
 *
 *   T turn = sum m r x u                        the way of a body
 *   sum m r x (R r) = sum m r x (r + u)         its rotation R = exp(angle), angle += T^-1 (what is left of it) */
#include "model/maths/rigid_motion.h"

#include <math.h>
#include <string.h>

#include "model/maths/vector3.h"

enum { TURNS_MAX = 40 };
/* Fraction of the inertia that prevents random rotation of points on one line, or in one place. */
static const double least_inertia = 1e-12;

typedef struct {
  double centre[3], mean[3], second[3][3], moment[3]; /* S, and sum m r x u */
} sums;

static void add_point(sums *s, double mass, const double place[3], const double way[3])
{
  double r[3], u[3], across[3];
  sb_subtract(place, s->centre, r);
  sb_subtract(way, s->mean, u);
  sb_cross(r, u, across);
  for (int a = 0; a < 3; ++a) {
    s->moment[a] += mass * across[a];
    for (int b = 0; b < 3; ++b) s->second[a][b] += mass * r[a] * r[b];
  }
}

static sums sum_up(size_t count, const int *member, const double *mass, const double *place, const double *way)
{
  sums   s = {0};
  double all = 0;
  for (size_t k = 0; k < count; ++k) {
    const size_t i = (size_t)member[k];
    const double m = mass ? mass[i] : 1;
    all += m;
    sb_along(s.centre, m, place + 3 * i, s.centre);
    sb_along(s.mean, m, way + 3 * i, s.mean);
  }
  for (int c = 0; c < 3; ++c) {
    s.centre[c] /= all;
    s.mean[c] /= all;
  }
  for (size_t k = 0; k < count; ++k) {
    const size_t i = (size_t)member[k];
    add_point(&s, mass ? mass[i] : 1, place + 3 * i, way + 3 * i);
  }
  return s;
}

/* T^-1 b by cofactors. */
static void solve_inertia(const double second[3][3], const double b[3], double x[3])
{
  const double trace = second[0][0] + second[1][1] + second[2][2];
  double       t[3][3], cofactor[3][3];
  memset(x, 0, 3 * sizeof *x);
  if (!(trace > 0)) return;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) t[i][j] = (i == j ? 1 + least_inertia : 0) - second[i][j] / trace;
  for (int i = 0; i < 3; ++i) sb_cross(t[(i + 1) % 3], t[(i + 2) % 3], cofactor[i]);
  const double determinant = sb_dot(t[0], cofactor[0]);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) x[j] += cofactor[i][j] * b[i] / (determinant * trace);
}

sb_body_way sb_body_way_of(size_t count, const int *member, const double *mass, const double *place, const double *way)
{
  const sums  s = sum_up(count, member, mass, place, way);
  sb_body_way body;
  memcpy(body.centre, s.centre, sizeof body.centre);
  memcpy(body.mean, s.mean, sizeof body.mean);
  solve_inertia(s.second, s.moment, body.turn);
  return body;
}

void sb_body_way_at(const sb_body_way *body, const double place[3], double way[3])
{
  double r[3], across[3];
  sb_subtract(place, body->centre, r);
  sb_cross(body->turn, r, across);
  sb_along(body->mean, 1, across, way);
}

/* Rodrigues' formula. */
static void rotate(const double angle[3], double turn[3][3])
{
  const double square = sb_dot(angle, angle), size = sqrt(square);
  const double s = size > 0 ? sin(size) / size : 1, half = sin(size / 2), c = size > 0 ? 2 * half * half / square : 0.5;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) turn[a][b] = (a == b ? 1 - c * square : 0) + c * angle[a] * angle[b];
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, d = (a + 2) % 3;
    turn[b][a] += s * angle[d];
    turn[a][b] -= s * angle[d];
  }
}

/* The moment that the rotation leaves: moment - sum m r x (R r). */
static void moment_left(const sums *s, double turn[3][3], double left[3])
{
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    left[a] = s->moment[a];
    for (int k = 0; k < 3; ++k) left[a] -= turn[c][k] * s->second[k][b] - turn[b][k] * s->second[k][c];
  }
}

bool sb_body_turn_of(size_t count, const int *member, const double *place, const double *way, double tolerance,
                     sb_body_turn *body)
{
  const sums s = sum_up(count, member, NULL, place, way);
  double     angle[3] = {0}, worst = 0;
  memcpy(body->centre, s.centre, sizeof body->centre);
  memcpy(body->mean, s.mean, sizeof body->mean);
  rotate(angle, body->turn);
  for (int turn = 0; turn < TURNS_MAX; ++turn) {
    double left[3], more[3];
    moment_left(&s, body->turn, left);
    solve_inertia(s.second, left, more);
    sb_along(angle, 1, more, angle);
    rotate(angle, body->turn);
  }
  for (size_t k = 0; k < count; ++k) {
    const size_t i = (size_t)member[k];
    double       led[3], off[3];
    sb_body_turn_at(body, place + 3 * i, led);
    sb_subtract(led, way + 3 * i, off);
    worst = fmax(worst, sb_dot(off, off));
    if (isnan(sb_dot(off, off))) return false;
  }
  return worst <= tolerance * tolerance;
}

void sb_body_turn_at(const sb_body_turn *body, const double place[3], double way[3])
{
  double r[3];
  sb_subtract(place, body->centre, r);
  for (int c = 0; c < 3; ++c) way[c] = body->mean[c] + sb_dot(body->turn[c], r) - r[c];
}
