/* Where a film is looked at from, and how near: the motion of all frames fills the picture. gnuplot's `set view` turns
 * the scene about its upright axis, then tilts it; a point p is seen across·p to the right and up·p above the middle.
 */
#include <math.h>
#include <string.h>

#include "harness/report/animation.h"
#include "model/contact.h"

static const double pi = 3.14159265358979323846;

/* Frames in which the net is so many times larger than at first do not widen the picture: all else would be a dot when
 * it blows up. They leave the frame. */
#define BURST 4

/* The room that gnuplot leaves for titles, four lines of type: two and a half below the scene, one and a half above. */
enum { TITLES = 66, LINE = TITLES / 4 };

void sb_film_to_picture(const sb_film *film, const double p[3], double q[3])
{
  for (int c = 0; c < 3; ++c) q[c] = film->sign[c] * p[film->axis[c]];
}

/* Unit vectors across and up the picture, in its axes, where gnuplot looks from `tilt` and `turn`. */
static void screen(const double angle[2], double across[3], double up[3])
{
  const double tilt = angle[0] * pi / 180, turn = angle[1] * pi / 180;
  across[0] = cos(turn);
  across[1] = sin(turn);
  across[2] = 0;
  up[0] = -sin(turn) * cos(tilt);
  up[1] = cos(turn) * cos(tilt);
  up[2] = sin(tilt);
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Degrees of tilt and turn. */
static void view_of(const sb_film *film, bool flat, double angle[2])
{
  angle[0] = isfinite(film->wanted->tilt) ? film->wanted->tilt : flat ? 90 : 72;
  angle[1] = isfinite(film->wanted->turn) ? film->wanted->turn : flat ? 0 : 32;
}

/* What is seen of it, from where a motion that is not flat is seen; a flat one is seen as its box is. */
static void widen_seen(sb_film *film, const double place[3], double radius)
{
  double angle[2], axis[2][3];
  view_of(film, false, angle);
  screen(angle, axis[0], axis[1]);
  for (int k = 0; k < 2; ++k) {
    film->seen_low[k] = fmin(film->seen_low[k], dot(axis[k], place) - radius);
    film->seen_high[k] = fmax(film->seen_high[k], dot(axis[k], place) + radius);
  }
}

static void widen(sb_film *film, const double place[3], double radius)
{
  widen_seen(film, place, radius);
  for (int c = 0; c < 3; ++c) {
    film->low[c] = fmin(film->low[c], place[c] - radius);
    film->high[c] = fmax(film->high[c], place[c] + radius);
  }
}

/* A part's value by its name; `otherwise` when the shape has none. */
double sb_collider_part(const sb_composite *value, const char *name, double otherwise)
{
  for (size_t i = 0; i < value->form->parts; ++i)
    if (strcmp(value->form->part[i].name, name) == 0) return value->number[i][0];
  return otherwise;
}

bool sb_collider_is_plane(const sb_composite *collider) { return strcmp(collider->form->name, "plane") == 0; }

size_t sb_collider_points(const sb_composite *collider) { return strcmp(collider->form->name, "capsule") == 0 ? 2 : 1; }

static void widen_by_colliders(sb_film *film, double seconds)
{
  size_t              count = 0;
  const sb_composite *collider = film->contact ? sb_contact_colliders(film->contact, &count) : NULL;
  for (size_t i = 0; i < count; ++i) {
    double point[SB_COLLIDER_POINTS_MAX][3], place[3];
    if (sb_collider_is_plane(&collider[i])) continue;
    sb_contact_places(film->contact, seconds, i, point);
    for (size_t p = 0; p < sb_collider_points(&collider[i]); ++p) {
      sb_film_to_picture(film, point[p], place);
      widen(film, place, sb_collider_part(&collider[i], "radius", 0));
    }
  }
}

/* Diagonal of the box of the frame just read. */
static double diagonal(const sb_film *film)
{
  double square = 0;
  for (int c = 0; c < 3; ++c) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < film->motion.vertices; ++i) {
      low = fmin(low, film->place[3 * i + (size_t)c]);
      high = fmax(high, film->place[3 * i + (size_t)c]);
    }
    square += (high - low) * (high - low);
  }
  return sqrt(square);
}

void sb_film_measure(sb_film *film, size_t frame)
{
  const double size = diagonal(film);
  if (!(film->size > 0)) film->size = size;
  if (!(size <= BURST * film->size)) return;
  for (size_t i = 0; i < film->motion.vertices; ++i) {
    widen(film, &film->place[3 * i], 0);
    film->strain_scale = fmax(film->strain_scale, fabs(film->strain[i]));
  }
  widen_by_colliders(film, film->motion.seconds[frame]);
}

/* Half of the box of the motion along an axis of the picture, m, and a little more. */
double sb_film_half_range(const sb_film *film, int c)
{
  double most = 0;
  for (int k = 0; k < 3; ++k) most = fmax(most, film->high[k] - film->low[k]);
  return fmax(0.05 * (most > 0 ? most : 1), 0.52 * (film->high[c] - film->low[c]));
}

/* Of the planes or of the others. */
size_t sb_film_colliders(const sb_film *film, bool planes)
{
  size_t              count = 0, found = 0;
  const sb_composite *collider = film->contact ? sb_contact_colliders(film->contact, &count) : NULL;
  for (size_t i = 0; i < count; ++i) found += sb_collider_is_plane(&collider[i]) == planes;
  return found;
}

typedef struct {
  double angle[2], middle[3], half[3]; /* degrees; m: what is shown */
  double pixels;                       /* of the picture, per m */
} sight;

/* What is seen fills the frame, or its part left of the colour box. */
static double pixels_of(const sb_film *film, const double seen[2])
{
  const double width = (film->wanted->strain ? 0.72 : 0.92) * film->wanted->width, height = 0.88 * film->wanted->height;
  const double least = 1e-9 * film->size;
  return fmin(0.5 * width / fmax(seen[0], least), 0.5 * height / fmax(seen[1], least));
}

/* The middle of what is seen goes to the middle of the picture, a tenth to the left where a colour box stands. A plane
 * is seen wherever the box has a part of it, so that the whole box counts. */
static sight sight_of(const sb_film *film)
{
  sight  s;
  double axis[2][3], seen[2] = {0, 0}, off[2] = {0, 0};
  view_of(film, film->flat, s.angle);
  screen(s.angle, axis[0], axis[1]);
  const bool whole = film->flat || sb_film_colliders(film, true) > 0;
  for (int c = 0; c < 3; ++c) s.middle[c] = 0.5 * (film->low[c] + film->high[c]);
  for (int k = 0; k < 2; ++k) {
    for (int c = 0; c < 3 && whole; ++c) seen[k] += fabs(axis[k][c]) * sb_film_half_range(film, c);
    if (whole) continue;
    seen[k] = 0.52 * (film->seen_high[k] - film->seen_low[k]);
    off[k] = 0.5 * (film->seen_low[k] + film->seen_high[k]) - dot(axis[k], s.middle);
  }
  s.pixels = pixels_of(film, seen);
  off[1] += 0.5 * LINE / s.pixels;
  if (film->wanted->strain) off[0] += 0.1 * film->wanted->width / s.pixels;
  for (int c = 0; c < 3; ++c) {
    const double shift = off[0] * axis[0][c] + off[1] * axis[1][c];
    s.middle[c] += shift;
    s.half[c] = sb_film_half_range(film, c) + fabs(shift);
  }
  return s;
}

static void put_ranges(const sight *s, FILE *commands)
{
  static const char axes[] = "xyz";
  for (int c = 0; c < 3; ++c)
    fprintf(commands, "set %crange [%.9g:%.9g]\n", axes[c], s->middle[c] - s->half[c], s->middle[c] + s->half[c]);
}

/* The scale of `set view` that gives so many pixels a metre: at scale 1, with equal axes, gnuplot gives the longer of x
 * and y 4/7 of the frame's shorter side, less the room it leaves for titles. */
static double zoom(const sb_film *film, const sight *s)
{
  const double least = 0.2 * film->wanted->height, height = fmax(least, film->wanted->height - TITLES);
  const double side = 4.0 / 7 * fmin(fmax(least, film->wanted->width - 24), height);
  return s->pixels * 2 * fmax(s->half[0], s->half[1]) / side;
}

void sb_film_view(const sb_film *film, FILE *commands)
{
  const sight s = sight_of(film);
  fprintf(commands, "set view %g,%g,%g\n", s.angle[0], s.angle[1], zoom(film, &s));
  put_ranges(&s, commands);
}
