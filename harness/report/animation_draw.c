/* What a frame of a film shows, in gnuplot's words: surfaces and colliders as pm3d quadrangles, which gnuplot sorts by
 * depth and lights; ropes as lines. A triangle is a quadrangle with its last corner twice. */
#include <math.h>
#include <string.h>

#include "harness/report/animation.h"
#include "model/contact.h"

enum { ROUND = 60, EDGES_SHOWN_MAX = 2000 };

static const double pi = 3.14159265358979323846;

/* Round colliders are drawn this much smaller: the flat triangles of a cloth that lies on them would sink in. */
#define SHRUNK 0.965

/* The spring's strain counts at a vertex where it is the largest in magnitude. */
static void find_strains(sb_film *film)
{
  const sb_motion *m = &film->motion;
  memset(film->strain, 0, m->vertices * sizeof *film->strain);
  for (size_t s = 0; s < m->springs; ++s) {
    const double *a = &film->position[3 * m->ends[2 * s]], *b = &film->position[3 * m->ends[2 * s + 1]];
    const double  length = sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
    const double  strain = m->rest_length[s] > 0 ? length / m->rest_length[s] - 1 : 0;
    for (int end = 0; end < 2; ++end) {
      double *most = &film->strain[m->ends[2 * s + (size_t)end]];
      if (fabs(strain) > fabs(*most)) *most = strain;
    }
  }
}

bool sb_film_read(sb_film *film, size_t frame, char error[256])
{
  if (!sb_motion_read(&film->motion, frame, film->position, error)) return false;
  for (size_t i = 0; i < film->motion.vertices; ++i)
    sb_film_to_picture(film, &film->position[3 * i], &film->place[3 * i]);
  find_strains(film);
  return true;
}

static double strain_scale(const sb_film *film) { return film->strain_scale > 0 ? film->strain_scale : 1; }

void sb_film_head(const sb_film *film, double share, FILE *commands)
{
  fputs("\nunset border\nunset tics\nunset key\nset view equal xyz\nset xyplane relative 0\nset pm3d depthorder\n"
        "set clip two\nset style line 1 pt 7 ps 0.55 lc rgb '#202020'\n",
        commands);
  /* Surfaces are shaded; thin lines that are unstrained would be lost on white. */
  fprintf(commands, "set palette defined (-1 '#2166ac', 0 '%s', 1 '#b2182b')\n",
          film->motion.triangles > 0 ? "#e4e4e4" : "#a8a8a8");
  sb_film_view(film, commands);
  if (!film->wanted->strain) {
    fputs("unset colorbox\n", commands);
    return;
  }
  const double scale = strain_scale(film);
  fprintf(commands,
          "set cbrange [%.6g:%.6g]\nset cblabel 'strain'\nset cbtics\n"
          "set colorbox user origin screen %g,0.25 size screen %g,0.5\n",
          -scale, scale, 1 - 0.2 * share, 0.03 * share);
}

typedef struct {
  double red, green, blue; /* 0 to 255 */
} colour;

/* Colours that mean something are shaded less. */
static const double shaded = 0.55, tinted = 0.3;

static const colour cloth = {79, 143, 192}, solid = {176, 176, 176};

/* The palette of strains: blue, white, red at -1, 0, 1. */
static colour strain_colour(double strain)
{
  static const colour none = {228, 228, 228}, pressed = {33, 102, 172}, pulled = {178, 24, 43};
  const double        part = fmin(1, fabs(strain));
  const colour        end = strain < 0 ? pressed : pulled;
  return (colour){none.red + part * (end.red - none.red), none.green + part * (end.green - none.green),
                  none.blue + part * (end.blue - none.blue)};
}

/* The unit normal of a triangle; zero where it has no area. */
static void normal_of(const double *a, const double *b, const double *d, double n[3])
{
  const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {d[0] - a[0], d[1] - a[1], d[2] - a[2]};
  for (int c = 0; c < 3; ++c) n[c] = u[(c + 1) % 3] * v[(c + 2) % 3] - u[(c + 2) % 3] * v[(c + 1) % 3];
  const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int c = 0; c < 3; ++c) n[c] /= length > 0 ? length : 1;
}

/* Lambert's law on both sides, from above the left shoulder of whoever looks; `depth`: of the shade. */
static long lit(colour c, double depth, const double *a, const double *b, const double *d)
{
  static const double light[3] = {-0.27, -0.45, 0.85};
  double              n[3];
  normal_of(a, b, d, n);
  const double cosine = fabs(n[0] * light[0] + n[1] * light[1] + n[2] * light[2]);
  const double bright = 1 - depth * (1 - fmin(1, cosine));
  return lround(bright * c.red) * 65536 + lround(bright * c.green) * 256 + lround(bright * c.blue);
}

static void put_corner(FILE *commands, const double p[3], long rgb)
{
  fprintf(commands, "%.5g %.5g %.5g %ld\n", p[0], p[1], p[2], rgb);
}

/* `corner`: around the face. */
static void put_quad(FILE *commands, const double *const corner[4], colour base, double shade)
{
  const long rgb = lit(base, shade, corner[0], corner[1], corner[2]);
  put_corner(commands, corner[0], rgb);
  put_corner(commands, corner[1], rgb);
  fputc('\n', commands);
  put_corner(commands, corner[3], rgb);
  put_corner(commands, corner[2], rgb);
  fputs("\n\n", commands);
}

/* The corner of triangle b that it does not share with triangle a, when they share the two others: *first is then the
 * number of the corner of a that b lacks. */
static bool share_an_edge(const int32_t a[3], const int32_t b[3], int *first, int32_t *fourth)
{
  int shared = 0, lacking = 0, new_corner = 0;
  for (int i = 0; i < 3; ++i) {
    const bool has = a[i] == b[0] || a[i] == b[1] || a[i] == b[2];
    shared += has;
    if (!has) lacking = i;
    if (b[i] != a[0] && b[i] != a[1] && b[i] != a[2]) new_corner = i;
  }
  if (shared != 2) return false;
  *first = lacking;
  *fourth = b[new_corner];
  return true;
}

/* Less than 60 degrees between them: one quadrangle bent more would not cover both. */
static bool lie_flat(const sb_film *film, const int32_t a[3], const int32_t b[3])
{
  const double *p = film->place;
  double        n[3], m[3];
  normal_of(&p[3 * a[0]], &p[3 * a[1]], &p[3 * a[2]], n);
  normal_of(&p[3 * b[0]], &p[3 * b[1]], &p[3 * b[2]], m);
  return fabs(n[0] * m[0] + n[1] * m[1] + n[2] * m[2]) > 0.5;
}

/* Two neighbours in one quadrangle halve what gnuplot has to read and sort. */
static void put_surface(const sb_film *film, FILE *commands)
{
  const sb_motion *m = &film->motion;
  const double     scale = strain_scale(film);
  for (size_t i = 0; i < m->triangles;) {
    const int32_t *t = &m->triangle[3 * i];
    int            k = 0;
    int32_t        fourth = t[2];
    const bool     pair = i + 1 < m->triangles && lie_flat(film, t, t + 3) && share_an_edge(t, t + 3, &k, &fourth);
    const int32_t  corner[4] = {t[k], t[(k + 1) % 3], pair ? fourth : t[2], t[(k + 2) % 3]};
    double         strain = 0;
    for (int c = 0; c < 4; ++c) strain += film->strain[corner[c]] / (4 * scale);
    const double *const place[4] = {&film->place[3 * corner[0]], &film->place[3 * corner[1]],
                                    &film->place[3 * corner[2]], &film->place[3 * corner[3]]};
    put_quad(commands, place, film->wanted->strain ? strain_colour(strain) : cloth,
             film->wanted->strain ? tinted : shaded);
    i += pair ? 2 : 1;
  }
}

static void put_lines(const sb_film *film, FILE *commands)
{
  const int32_t *end = film->motion.ends;
  for (size_t s = 0; s < film->motion.springs; ++s, end += 2) {
    for (int side = 0; side < 2; ++side) {
      const double *p = &film->place[3 * end[side]];
      fprintf(commands, "%.6g %.6g %.6g %.4g\n", p[0], p[1], p[2], film->strain[end[side]]);
    }
    fputs("\n\n", commands);
  }
  fputs("e\n", commands);
}

/* A point of the surface of a sphere that is pulled apart along `axis` (a capsule's, of length 0 for a sphere): its
 * lower half about the first centre, its upper half about the second. */
static void round_point(double centre[2][3], double frame[3][3], double radius, int i, int j, double p[3])
{
  const double  around = 2 * pi * i / ROUND, up = 2 * pi * j / ROUND - pi / 2;
  const double  r[3] = {radius * cos(up) * cos(around), radius * cos(up) * sin(around), radius * sin(up)};
  const double *middle = centre[j > ROUND / 4];
  for (int c = 0; c < 3; ++c) p[c] = middle[c] + r[0] * frame[0][c] + r[1] * frame[1][c] + r[2] * frame[2][c];
}

/* Three perpendicular unit vectors, the last along `axis`, or upright when that is zero. */
static void frame_of(const double axis[3], double frame[3][3])
{
  const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  double       a[3] = {0, 0, 1};
  for (int c = 0; c < 3 && length > 0; ++c) a[c] = axis[c] / length;
  const int    flat = fabs(a[0]) < 0.6 ? 0 : 1;
  const double e[3] = {flat == 0, flat == 1, 0};
  const double u[3] = {e[1] * a[2] - e[2] * a[1], e[2] * a[0] - e[0] * a[2], e[0] * a[1] - e[1] * a[0]};
  const double n = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  for (int c = 0; c < 3; ++c) {
    frame[0][c] = u[c] / n;
    frame[2][c] = a[c];
  }
  for (int c = 0; c < 3; ++c)
    frame[1][c] = a[(c + 1) % 3] * frame[0][(c + 2) % 3] - a[(c + 2) % 3] * frame[0][(c + 1) % 3];
}

static void put_round(double centre[2][3], double radius, FILE *commands)
{
  const double axis[3] = {centre[1][0] - centre[0][0], centre[1][1] - centre[0][1], centre[1][2] - centre[0][2]};
  double       frame[3][3];
  frame_of(axis, frame);
  for (int i = 0; i < ROUND; ++i)
    for (int j = 0; j < ROUND / 2; ++j) {
      double p[4][3];
      for (int k = 0; k < 4; ++k) round_point(centre, frame, radius, i + k / 2, j + (k == 1 || k == 2), p[k]);
      put_quad(commands, (const double *const[]){p[0], p[1], p[2], p[3]}, solid, shaded);
    }
}

/* Two points of a plane, at a and b along its axes, and the end of their block. */
static void put_line(FILE *commands, const double centre[3], double frame[3][3], const double end[2][2])
{
  for (int k = 0; k < 2; ++k) {
    double p[3];
    for (int c = 0; c < 3; ++c) p[c] = centre[c] + end[k][0] * frame[0][c] + end[k][1] * frame[1][c];
    fprintf(commands, "%.5g %.5g %.5g\n", p[0], p[1], p[2]);
  }
  fputs("\n\n", commands);
}

/* The part of a plane below or beside the motion, as a net of lines behind all else: what lies on it would sink into it
 * in places, were it a surface, since gnuplot sorts by the middles of quadrangles. */
static void put_plane(const sb_film *film, const double point[3], const double tip[3], FILE *commands)
{
  enum { TILES = 12 };
  const double normal[3] = {tip[0] - point[0], tip[1] - point[1], tip[2] - point[2]};
  double       frame[3][3], centre[3], offset = 0, half[2] = {0, 0};
  frame_of(normal, frame);
  for (int c = 0; c < 3; ++c) {
    centre[c] = 0.5 * (film->low[c] + film->high[c]);
    offset += frame[2][c] * (centre[c] - point[c]);
    for (int k = 0; k < 2; ++k) half[k] += fabs(frame[k][c]) * sb_film_half_range(film, c);
  }
  for (int c = 0; c < 3; ++c) centre[c] -= offset * frame[2][c];
  for (int i = 0; i <= TILES; ++i) {
    const double a = half[0] * (2.0 * i / TILES - 1), b = half[1] * (2.0 * i / TILES - 1);
    put_line(commands, centre, frame, (const double[2][2]){{a, -half[1]}, {a, half[1]}});
    put_line(commands, centre, frame, (const double[2][2]){{-half[0], b}, {half[0], b}});
  }
}

static bool has_pins(const sb_film *film)
{
  for (size_t i = 0; i < film->motion.vertices; ++i)
    if (film->pinned[i]) return true;
  return false;
}

static void put_pins(const sb_film *film, FILE *commands)
{
  for (size_t i = 0; i < film->motion.vertices; ++i) {
    const double *p = &film->place[3 * i];
    if (film->pinned[i]) fprintf(commands, "%.5g %.5g %.5g\n", p[0], p[1], p[2]);
  }
  fputs("e\n", commands);
}

static void put_collider(sb_film *film, const sb_composite *collider, size_t i, double seconds, FILE *commands)
{
  double point[SB_COLLIDER_POINTS_MAX][3], place[2][3];
  sb_contact_places(film->contact, seconds, i, point);
  sb_film_to_picture(film, point[0], place[0]);
  sb_film_to_picture(film, point[sb_collider_is_plane(collider) || sb_collider_points(collider) == 2], place[1]);
  if (sb_collider_is_plane(collider))
    put_plane(film, place[0], place[1], commands);
  else
    put_round(place, SHRUNK * sb_collider_part(collider, "radius", 0), commands);
}

static void put_colliders(sb_film *film, bool planes, double seconds, FILE *commands)
{
  size_t              count = 0;
  const sb_composite *collider = film->contact ? sb_contact_colliders(film->contact, &count) : NULL;
  for (size_t i = 0; i < count; ++i)
    if (sb_collider_is_plane(&collider[i]) == planes) put_collider(film, &collider[i], i, seconds, commands);
}

/* What is drawn, in the order in which its data follow. */
static void put_elements(const sb_film *film, bool planes, bool solids, bool last, FILE *commands)
{
  const bool surface = film->motion.triangles > 0;
  fputs("splot NaN notitle", commands);
  if (planes) fputs(", '-' using 1:2:3 with lines lw 0.8 lc rgb '#b8b8b8'", commands);
  if (solids) fputs(", '-' using 1:2:3:4 with pm3d fc rgb variable", commands);
  if (!surface)
    fprintf(commands, ", '-' using 1:2:3:4 with linespoints lw 1.5 pt 7 ps 0.5 lc %s",
            film->wanted->strain ? "palette" : "rgb '#0072b2'");
  if (has_pins(film)) fputs(", '-' using 1:2:3 with points ls 1", commands);
  if (film->wanted->strain && surface && last) fputs(", NaN with points palette", commands); /* for its colour box */
  fputc('\n', commands);
}

void sb_film_draw(sb_film *film, size_t frame, const double corner[2], bool last, FILE *commands)
{
  const double seconds = film->motion.seconds[frame];
  const bool   surface = film->motion.triangles > 0, planes = sb_film_colliders(film, true) > 0;
  const bool   solids = surface || sb_film_colliders(film, false) > 0;
  fprintf(commands, seconds < 1000 ? "set label 1 't = %.3g s'" : "set label 1 't = %.0f s'", seconds);
  fprintf(commands, " at screen %.6g,%.6g left front\n", corner[0], corner[1]);
  fputs(film->motion.triangles <= EDGES_SHOWN_MAX ? "set pm3d border lc rgb '#405a70' lw 0.3\n" : "set pm3d noborder\n",
        commands);
  put_elements(film, planes, solids, last, commands);
  if (planes) put_colliders(film, true, seconds, commands);
  if (planes) fputs("e\n", commands);
  if (surface) put_surface(film, commands);
  if (solids) put_colliders(film, false, seconds, commands);
  if (solids) fputs("e\n", commands);
  if (!surface) put_lines(film, commands);
  if (has_pins(film)) put_pins(film, commands);
}
