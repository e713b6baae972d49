/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of a motion; see report.h. Surfaces and round colliders are gnuplot's pm3d quadrangles, which it sorts by
 * depth; a triangle is a quadrangle with its last corner twice. They are lit here. gnuplot's own light (`set pm3d
 * lighting`) tells front from back by the order of the corners, so that one flat face of a solid comes out in two
 * shades. It also darkens colours of strains until their scale does not hold. Ropes are lines.
 *
 * gnuplot's `set view` turns the scene about its upright axis, then tilts it; a point p is seen across·p to the right
 * and up·p above the middle. The motion of all frames fills the picture. Particles are discs, so large that neighbours
 * at their spacing touch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "cases/common/durable.h"
#include "cases/common/progress_line.h"
#include "harness/report/film.h"
#include "harness/report/gnuplot.h"
#include "harness/report/report.h"
#include "harness/results/output_cache.h"
#include "model/maths/vector3.h"

/* Round colliders are drawn this much smaller: the flat triangles of a cloth that lies on them would sink in. */
#define SHRUNK 0.965

enum {
  ROUND = 48,             /* quadrangles around a round collider */
  TILES = 12,             /* of the net of lines that a plane is */
  EDGES_SHOWN_MAX = 2000, /* triangles; finer surfaces have no edges drawn */
  TITLES = 66,
  LINE = TITLES / 4, /* pixels that gnuplot leaves for titles, four lines: 2.5 below, 1.5 above the scene */
  TITLE_WIDTH = 120, /* pixels of the width of a time */
  WIDTH = 480,
  HEIGHT = 420 /* of a frame of a sweep's animation, pixels */
};

/* A picture on its way, and the stored frames that it shows. */
typedef struct {
  const char *path; /* NULL: it is not wanted */
  bool        moves;
  size_t      count, *frame; /* [count], ascending */
} picture;

/* The unit normal of the plane through a, b and d: (b - a) × (d - a); zero if there is none. */
static void normal_of(const double *a, const double *b, const double *d, double n[3])
{
  double to_b[3], to_d[3];
  sb_subtract(b, a, to_b);
  sb_subtract(d, a, to_d);
  sb_cross(to_b, to_d, n);
  const double length = sqrt(sb_dot(n, n));
  for (int c = 0; c < 3; ++c) n[c] /= length > 0 ? length : 1;
}

/* Half of the box of the motion along an axis of the picture, m, and a little more. */
static double half_range(const sb_film *f, int c)
{
  double most = 0;
  for (int k = 0; k < 3; ++k) most = fmax(most, f->high[k] - f->low[k]);
  return fmax(0.05 * (most > 0 ? most : 1), 0.52 * (f->high[c] - f->low[c]));
}

/* ---- the contents of a frame ---- */

static bool is_coloured(const sb_film *f) { return f->look->colour != SB_COLOUR_PLAIN; }

/* Red, green, blue. */
static const double cloth[3] = {79, 143, 192}, solid[3] = {176, 176, 176};

/* Depths of shades: colours that mean something are shaded less. */
static const double shaded = 0.55, tinted = 0.3;

/* A quadrangle by its corners in order around it, lit by Lambert's law on both sides, from above the left shoulder of
 * whoever looks; `depth`: of the shade. */
static void put_quad(FILE *commands, const double *const corner[4], const double base[3], double depth)
{
  static const double light[3] = {-0.27, -0.45, 0.85};
  static const int    order[4] = {0, 1, 3, 2};
  double              n[3];
  normal_of(corner[0], corner[1], corner[2], n);
  const double bright = 1 - depth * (1 - fmin(1, fabs(sb_dot(n, light))));
  const long   rgb = lround(bright * base[0]) * 65536 + lround(bright * base[1]) * 256 + lround(bright * base[2]);
  for (int i = 0; i < 4; ++i) {
    const double *p = corner[order[i]];
    fprintf(commands, "%.5g %.5g %.5g %ld\n%s", p[0], p[1], p[2], rgb, i == 1 ? "\n" : i == 3 ? "\n\n" : "");
  }
}

static bool has(const int32_t triangle[3], int32_t vertex)
{
  return triangle[0] == vertex || triangle[1] == vertex || triangle[2] == vertex;
}

/* Two neighbours in one quadrangle halve gnuplot's work. They share two corners, k is the one of the
 * first that the other lacks, l the other's; and there are less than 60 degrees between them: one quadrangle bent more
 * would not cover both. The palette of strains is blue, white, red at -1, 0, 1. */
static void put_surface(const sb_film *f, FILE *commands)
{
  static const double none[3] = {228, 228, 228}, pressed[3] = {33, 102, 172}, pulled[3] = {178, 24, 43};
  const double       *p = f->place;
  for (size_t i = 0; i < f->triangles;) {
    const int32_t *a = &f->triangle[3 * i], *b = i + 1 < f->triangles ? a + 3 : a;
    int            k = 0, l = 0;
    double         n[3], m[3], tint[3], strain = 0;
    while (k < 3 && has(b, a[k])) ++k;
    while (l < 3 && has(a, b[l])) ++l;
    normal_of(&p[3 * a[0]], &p[3 * a[1]], &p[3 * a[2]], n);
    normal_of(&p[3 * b[0]], &p[3 * b[1]], &p[3 * b[2]], m);
    const bool pair = has(b, a[0]) + has(b, a[1]) + has(b, a[2]) == 2 && l < 3 && fabs(sb_dot(n, m)) > 0.5;
    if (!pair) k = 0;
    const int32_t corner[4] = {a[k], a[(k + 1) % 3], pair ? b[l] : a[2], a[(k + 2) % 3]};
    const double *place[4];
    for (int c = 0; c < 4; ++c) {
      place[c] = &p[3 * corner[c]];
      strain += f->value[corner[c]] / (4 * f->scale[1]);
    }
    for (int c = 0; c < 3; ++c)
      tint[c] = none[c] + fmin(1, fabs(strain)) * ((strain < 0 ? pressed : pulled)[c] - none[c]);
    put_quad(commands, place, is_coloured(f) ? tint : cloth, is_coloured(f) ? tinted : shaded);
    i += pair ? 2 : 1;
  }
}

/* The unit vector of the direction of view. */
static void away_of(const sb_film *f, double away[3])
{
  double angle[2], axis[2][3];
  sb_film_view(f, angle, axis);
  sb_cross(axis[1], axis[0], away);
}

/* A particle and its distance from the viewer. */
typedef struct {
  double away;
  size_t number;
} seen_particle;

static int compare_away(const void *a, const void *b)
{
  const seen_particle *x = a, *y = b;
  return (x->away < y->away) - (x->away > y->away);
}

/* The fluid, farthest first: gnuplot draws points in the order in which it gets them. */
static void put_fluid(const sb_film *f, FILE *commands)
{
  double                  away[3];
  SB_OWNED seen_particle *order = sb_allocate(f->vertices, sizeof *order);
  size_t                  count = 0;
  away_of(f, away);
  for (size_t i = 0; i < f->vertices; ++i)
    if (!f->pinned[i]) order[count++] = (seen_particle){sb_dot(away, &f->place[3 * i]), i};
  qsort(order, count, sizeof *order, compare_away);
  for (size_t i = 0; i < count; ++i) {
    const double *p = &f->place[3 * order[i].number];
    fprintf(commands, "%.5g %.5g %.5g %.5g\n", p[0], p[1], p[2], f->value[order[i].number]);
  }
  fputs("e\n", commands);
}

/* Three perpendicular unit vectors, the last along `axis`, or upright when that is zero. */
static void frame_of(const double tip[3], const double foot[3], double frame[3][3])
{
  const double axis[3] = {tip[0] - foot[0], tip[1] - foot[1], tip[2] - foot[2]}, length = sqrt(sb_dot(axis, axis));
  for (int c = 0; c < 3; ++c) frame[2][c] = length > 0 ? axis[c] / length : c == 2;
  const bool across = fabs(frame[2][0]) >= 0.6;
  normal_of((double[3]){0}, (double[3]){!across, across, 0}, frame[2], frame[0]);
  normal_of((double[3]){0}, frame[2], frame[0], frame[1]);
}

/* A sphere that is pulled apart along its axis (a capsule; of length 0 for a sphere): its lower half about the first
 * centre, its upper half about the second. Faces that look away are hidden by those that do not, and are left out. */
static void put_round(const sb_film *f, size_t collider, double seconds, FILE *commands)
{
  double       frame[3][3], p[4][3], centre[2][3], away[3];
  const double radius = SHRUNK * f->radius[collider];
  away_of(f, away);
  sb_film_place_collider(f, collider, seconds, centre);
  frame_of(centre[1], centre[0], frame);
  for (int i = 0; i < ROUND; ++i)
    for (int j = 0; j < ROUND / 2; ++j) {
      bool seen = false;
      for (int k = 0; k < 4; ++k) {
        const int    row = j + (k == 1 || k == 2);
        const double around = 2 * M_PI * (i + k / 2) / ROUND, up = 2 * M_PI * row / ROUND - M_PI / 2;
        const double r[3] = {radius * cos(up) * cos(around), radius * cos(up) * sin(around), radius * sin(up)};
        for (int c = 0; c < 3; ++c) p[k][c] = r[0] * frame[0][c] + r[1] * frame[1][c] + r[2] * frame[2][c];
        seen = seen || sb_dot(p[k], away) < 0;
        for (int c = 0; c < 3; ++c) p[k][c] += centre[row > ROUND / 4][c];
      }
      if (seen) put_quad(commands, (const double *const[]){p[0], p[1], p[2], p[3]}, solid, shaded);
    }
}

/* The part of a plane below or next to the motion, as a net of lines behind everything else. As a surface it would hide
 * parts of what lies on it, since gnuplot sorts by the middles of quadrangles. */
static void put_plane(const sb_film *f, size_t collider, double seconds, FILE *commands)
{
  double frame[3][3], point[2][3], centre[3], offset = 0, half[2] = {0, 0};
  sb_film_place_collider(f, collider, seconds, point);
  frame_of(point[1], point[0], frame);
  for (int c = 0; c < 3; ++c) {
    centre[c] = 0.5 * (f->low[c] + f->high[c]);
    offset += frame[2][c] * (centre[c] - point[0][c]);
    for (int k = 0; k < 2; ++k) half[k] += fabs(frame[k][c]) * half_range(f, c);
  }
  for (int line = 0; line < 2 * (TILES + 1); ++line)
    for (int end = -1; end <= 1; end += 2) {
      const int    across = line % 2;
      const double at = half[across] * (2.0 * (line / 2) / TILES - 1), to = end * half[!across];
      double       p[3];
      for (int c = 0; c < 3; ++c)
        p[c] = centre[c] - offset * frame[2][c] + at * frame[across][c] + to * frame[!across][c];
      fprintf(commands, "%.5g %.5g %.5g\n%s", p[0], p[1], p[2], end > 0 ? "\n\n" : "");
    }
}

/* Springs as lines, then vertices as points. */
static void put_net(const sb_film *f, FILE *commands)
{
  for (size_t s = 0; s < 2 * f->springs; ++s) {
    const double *p = &f->place[3 * f->ends[s]];
    fprintf(commands, "%.6g %.6g %.6g %.4g\n%s", p[0], p[1], p[2], f->value[f->ends[s]], s % 2 ? "\n\n" : "");
  }
  fputs("e\n", commands);
  for (size_t i = 0; i < f->vertices; ++i)
    fprintf(commands, "%.6g %.6g %.6g %.4g\n", f->place[3 * i], f->place[3 * i + 1], f->place[3 * i + 2], f->value[i]);
  fputs("e\n", commands);
}

/* The fourth column is the value that colours show. gnuplot 6.0 colours points of `lc palette` by z instead. */
static void put_points(const sb_film *f, const char *style, FILE *commands)
{
  const char *column = is_coloured(f) ? ":(palette($4))" : "", *colour = is_coloured(f) ? "variable" : "'#0072b2'";
  fprintf(commands, ", '-' using 1:2:3%s with points %s lc rgb %s", column, style, colour);
}

static bool has_solids(const sb_film *f) { return f->triangles > 0 || f->colliders > f->planes; }

static bool is_net(const sb_film *f) { return f->triangles == 0 && !f->loose; }

/* The plot command of a frame; `last`: of those in the picture. */
static void put_plot(const sb_film *f, bool last, FILE *commands)
{
  fputs(f->triangles <= EDGES_SHOWN_MAX ? "set pm3d border lc rgb '#405a70' lw 0.3\n" : "set pm3d noborder\n",
        commands);
  fputs("splot NaN notitle", commands);
  if (f->planes > 0) fputs(", '-' using 1:2:3 with lines lw 0.8 lc rgb '#b8b8b8'", commands);
  if (has_solids(f)) fputs(", '-' using 1:2:3:4 with pm3d fc rgb variable", commands);
  if (is_net(f)) {
    fprintf(commands, ", '-' using 1:2:3:4 with lines lw 1.5 lc %s", is_coloured(f) ? "palette" : "rgb '#0072b2'");
    put_points(f, "pt 7 ps 0.5", commands);
  }
  if (f->pins) fprintf(commands, ", '-' using 1:2:3 with points ls %d", f->loose ? 2 : 1);
  if (f->loose) put_points(f, "ls 3", commands);
  if (is_coloured(f) && last) fputs(", NaN with points palette", commands); /* for its colour box */
  fputc('\n', commands);
}

/* The data of the frame just read, in the order of the plot command. Walls come before the fluid, since the view is not
 * through them. */
static void put_data(const sb_film *f, double seconds, FILE *commands)
{
  for (size_t i = 0; i < f->colliders; ++i)
    if (!(f->radius[i] > 0)) put_plane(f, i, seconds, commands);
  if (f->planes > 0) fputs("e\n", commands);
  put_surface(f, commands);
  for (size_t i = 0; i < f->colliders; ++i)
    if (f->radius[i] > 0) put_round(f, i, seconds, commands);
  if (has_solids(f)) fputs("e\n", commands);
  if (is_net(f)) put_net(f, commands);
  for (size_t i = 0; i < f->vertices; ++i)
    if (f->pinned[i]) fprintf(commands, "%.5g %.5g %.5g\n", f->place[3 * i], f->place[3 * i + 1], f->place[3 * i + 2]);
  if (f->pins) fputs("e\n", commands);
  if (f->loose) put_fluid(f, commands);
}

/* The meaning of colours, and the scale next to the picture; `share`: the part of the picture's width that a frame has.
 * Surfaces are shaded; thin unstrained lines would be invisible on white. Pressures have viridis (van der Walt, Smith
 * 2015): perceptually uniform, also in grey, and for the colour-blind. */
static void put_colours(const sb_film *f, double share, FILE *commands)
{
  if (f->loose)
    fputs("set palette defined (0 '#440154', 1 '#472d7b', 2 '#3b528b', 3 '#2c728e', 4 '#21918c', 5 '#28ae80', "
          "6 '#5ec962', 7 '#addc30', 8 '#fde725')\n",
          commands);
  else
    fprintf(commands, "set palette defined (-1 '#2166ac', 0 '%s', 1 '#b2182b')\n",
            f->triangles > 0 ? "#e4e4e4" : "#a8a8a8");
  if (is_coloured(f))
    fprintf(commands, "set cbrange [%.6g:%.6g]\nset cblabel '%s'\nset cbtics\n", f->scale[0], f->scale[1],
            !f->loose                  ? "strain"
            : f->fluid.dimensions == 2 ? "pressure (N/m)"
                                       : "pressure (Pa)");
  if (is_coloured(f) && !f->loose)
    fprintf(commands, "set colorbox user origin screen %g,0.25 size screen %g,0.5\n", 1 - 0.2 * share, 0.03 * share);
  else
    fputs("unset colorbox\n", commands);
}

/* The part of the width and the height of a frame that the motion may fill; the rest of the width is margin, or that of
 * the colour box. */
static const double across_all = 0.92, across_beside = 0.72, upright = 0.88;

static bool has_box_inside(const sb_film *f) { return is_coloured(f) && f->beside == 0; }

/* The view: middle and half the extents, m, across and up the picture, the distance of the middle of the scene from
 * that of its box, and pixels a metre with which it fills the frame. */
typedef struct {
  double angle[2], axis[2][3], middle[3], seen[2], off[2], pixels;
} view;

/* A plane is seen wherever the box has a part of it, so that the whole box counts. */
static view look(const sb_film *f)
{
  const double least = 1e-9 * f->size;
  const bool   whole = f->flat || f->planes > 0;
  view         v = {.off = {0, 0}};
  sb_film_view(f, v.angle, v.axis);
  for (int c = 0; c < 3; ++c) v.middle[c] = 0.5 * (f->low[c] + f->high[c]);
  for (int k = 0; k < 2; ++k) {
    for (int c = 0; c < 3 && whole; ++c) v.seen[k] += fabs(v.axis[k][c]) * half_range(f, c);
    if (!whole) {
      v.seen[k] = 0.52 * (f->high[3 + k] - f->low[3 + k]);
      v.off[k] = 0.5 * (f->low[3 + k] + f->high[3 + k]) - sb_dot(v.axis[k], v.middle);
    }
    v.seen[k] = fmax(v.seen[k], least);
  }
  v.pixels = 0.5 * fmin((has_box_inside(f) ? across_beside : across_all) * f->frame[0] / v.seen[0],
                        (upright * f->frame[1] - (f->loose ? LINE : 0)) / v.seen[1]);
  return v;
}

/* Frames of particles have the colour box next to them, not inside. If no size is requested, they are cut to the
 * visible part and the title: a tank is long and low. */
static void fit_frames(sb_film *f, const sb_animation *wanted)
{
  f->frame[0] = wanted->width;
  f->frame[1] = wanted->height;
  if (!f->loose) return;
  f->beside = is_coloured(f) ? (int)(0.2 * wanted->width) : 0;
  f->frame[0] -= f->beside;
  if (!wanted->cut) return;
  const view v = look(f);
  f->frame[0] = (int)fmin(f->frame[0], fmax(TITLE_WIDTH, 2 * v.pixels * v.seen[0] / across_all));
  f->frame[1] = (int)fmin(f->frame[1], (2 * v.pixels * v.seen[1] + LINE) / upright);
}

/* Commands for the whole film; `share`: of the picture's width that a frame has. The view fills the frame, or its part
 * left of the colour box, and its middle is that of this part. At scale 1 of `set view`, with equal axes, gnuplot
 * gives the longer of x and y 4/7 of the frame's shorter side, less the room it leaves for titles. */
static void put_head(const sb_film *f, double share, FILE *commands)
{
  const double width = f->frame[0], height = f->frame[1];
  double       half[3];
  view         v = look(f);
  fputs("\nunset border\nunset tics\nunset key\nset view equal xyz\nset xyplane relative 0\nset pm3d depthorder\n"
        "set clip two\nset style line 1 pt 7 ps 0.55 lc rgb '#202020'\n",
        commands);
  put_colours(f, share, commands);
  v.off[1] += (f->loose ? LINE : 0.5 * LINE) / v.pixels;
  if (has_box_inside(f)) v.off[0] += 0.1 * width / v.pixels;
  for (int c = 0; c < 3; ++c) {
    const double shift = v.off[0] * v.axis[0][c] + v.off[1] * v.axis[1][c];
    v.middle[c] += shift;
    half[c] = half_range(f, c) + fabs(shift);
  }
  const double inner = fmax(0.2 * height, height - TITLES),
               side = 4.0 / 7 * fmin(fmax(0.2 * height, width - 24), inner);
  fprintf(commands, "set view %g,%g,%g\n", v.angle[0], v.angle[1], v.pixels * 2 * fmax(half[0], half[1]) / side);
  for (int c = 0; c < 3; ++c)
    fprintf(commands, "set %crange [%.9g:%.9g]\n", "xyz"[c], v.middle[c] - half[c], v.middle[c] + half[c]);
  /* gnuplot's discs are six pixels wide at size 1, and their centres are whole pixels: one more pixel leaves no seams.
   * Walls are grey, like everything at rest, and smaller, because they may be behind the fluid. */
  const double disc = (f->fluid.spacing * v.pixels + 1) / 6, wall = f->fluid.dimensions == 2 ? 0.5 : 0.2;
  if (f->loose)
    fprintf(commands, "set style line 2 pt 7 ps %.3g lc rgb '#b0b0b0'\nset style line 3 pt 7 ps %.3g\n", wall * disc,
            disc);
}

/* ---- pictures ---- */

/* Frames of particles compute their own places, since multiplot's layout leaves no room beside them; the last one draws
 * the colour box, which would be bold if drawn twice. */
static void put_place(const sb_film *f, const size_t grid[2], size_t i, bool last, FILE *commands)
{
  const double total = (double)grid[0] * f->frame[0] + f->beside, share = f->frame[0] / total;
  const double high = 1 / (double)grid[1], row = (double)(i / grid[0] % grid[1]);
  fprintf(commands, "set origin %.6g,%.6g\nset size %.6g,%.6g\n", share * (double)(i % grid[0]), 1 - high * (row + 1),
          share, high);
  if (f->beside > 0 && last)
    fprintf(commands, "set colorbox user origin screen %.6g,0.2 size screen %.6g,0.6\n", 1 - 0.95 * f->beside / total,
            0.15 * f->beside / total);
}

/* A film is a frame after the other, stills share the picture in rows; a terminal shows their count. */
static bool draw(sb_film *f, const picture *shown)
{
  const size_t rows = !shown->moves && shown->count > 3 ? 2 : 1;
  const size_t columns = shown->moves ? 1 : (shown->count + rows - 1) / rows;
  const size_t width = columns * (size_t)f->frame[0] + (size_t)f->beside;
  const bool   counted = isatty(STDERR_FILENO);
  const double took = f->seconds[f->frames - 1] - f->seconds[0];
  const double length = f->look->seconds > 0 ? f->look->seconds : fmin(20, fmax(2, took));
  char         error[256] = "";
  bool         read = true;
  sb_gnuplot   gnuplot;
  if (!shown->path) return true;
  if (!sb_gnuplot_open(&gnuplot, error)) return sb_film_fail(f, "E116", error);
  FILE *commands = gnuplot.commands;
  if (shown->moves)
    fprintf(commands, "set terminal gif animate delay %d loop 0",
            (int)fmax(2, round(100 * length / (double)shown->count)));
  else
    fputs("set terminal pngcairo", commands);
  fprintf(commands, " size %zu,%zu enhanced font 'sans,11'\nset output ", width, rows * (size_t)f->frame[1]);
  sb_gnuplot_put_text(commands, shown->path);
  put_head(f, 1.0 / (double)columns, commands);
  if (!shown->moves && f->loose) fputs("set multiplot\n", commands);
  if (!shown->moves && !f->loose) fprintf(commands, "set multiplot layout %zu,%zu\n", rows, columns);
  for (size_t i = 0; i < shown->count && !ferror(commands); ++i) {
    const double across = (double)(i % columns) + 0.04, down = (double)(i / columns % rows) + 0.06;
    const double seconds = f->seconds[shown->frame[i]];
    const bool   is_last = columns * rows == 1 || i + 1 == shown->count; /* of those in the picture */
    read = sb_film_read(f, shown->frame[i]);
    if (f->loose) put_place(f, (size_t[2]){columns, rows}, i, is_last, commands);
    if (!read) break;
    fprintf(commands, seconds < 1000 ? "set label 1 't = %.3g s'" : "set label 1 't = %.0f s'", seconds);
    fprintf(commands, " at screen %.6g,%.6g left front\n", across * f->frame[0] / (double)width,
            1 - down / (double)rows);
    put_plot(f, is_last, commands);
    put_data(f, seconds, commands);
    if (counted) sb_progress_show(sb_arena_format(f->arena, "%s: frame %zu of %zu", shown->path, i + 1, shown->count));
  }
  if (!shown->moves) fputs("unset multiplot\n", commands);
  const bool drawn = sb_gnuplot_close(&gnuplot, error);
  if (counted) sb_progress_clear();
  return (drawn || sb_film_fail(f, "E116", error)) && read;
}

bool sb_animate(const sb_session *session, const char *path, const sb_animation *wanted)
{
  const char *const names[] = {wanted->gif, wanted->strip};
  const size_t      most = (size_t)wanted->look.stills;
  sb_film           f;
  bool              drawn = sb_film_open(&f, session, path, &wanted->look);
  /* gnuplot reads names within a line; a line's end would be the end of its command. */
  for (int i = 0; i < 2; ++i)
    for (const char *c = names[i] ? names[i] : ""; *c && drawn; ++c)
      if ((unsigned char)*c < 0x20 || *c == 0x7f)
        drawn = sb_film_fail(&f, "E109", "the picture's name has a control character; give another by -o");
  if (drawn && wanted->gif && f.frames < 2)
    drawn = sb_film_fail(
        &f, "E200",
        f.driver && f.driver->still
            ? sb_arena_format(
                  f.arena,
                  "only one state is stored, as driver '%s' computes one, and a film needs two; --strip draws it",
                  f.driver->name)
            : "only one state is stored, and a film needs two; run the case with save=every:1 (a state per frame), or "
              "let the program call sb_sim_record; --strip draws one state");
  if (drawn) {
    picture moving = {.path = names[0], .moves = true}, stills = {names[1], .count = most < f.frames ? most : f.frames};
    moving.frame = sb_film_frames(&f, (size_t)wanted->look.frames, &moving.count);
    stills.frame = sb_arena_take(f.arena, stills.count, sizeof *stills.frame);
    for (size_t i = 0, last = f.frames - 1; i < stills.count; ++i)
      stills.frame[i] = stills.count < 2 ? last : (2 * i * last / (stills.count - 1) + 1) / 2; /* spread evenly */
    drawn = sb_film_measure(&f, moving.count, moving.frame) && sb_film_measure(&f, stills.count, stills.frame);
    if (!(f.scale[1] > f.scale[0])) memcpy(f.scale, (double[2]){f.loose ? 0 : -1, 1}, sizeof f.scale);
    fit_frames(&f, wanted);
    drawn = drawn && draw(&f, &moving) && draw(&f, &stills);
  }
  sb_film_close(&f);
  return drawn;
}

/* ---- those of a sweep ---- */

/* The row of the first case that an animation shows and that ran; the number of rows if there is none. False after an
 * error. */
static bool row_of(const sb_results *results, const sb_animation_spec *animation, size_t *row)
{
  const sb_scope scope = sb_results_scope(results, results->session.arena);
  const bool    *selected = sb_expression_select(animation->where, &scope, results->session.diagnostics);
  for (*row = 0; selected && *row < sb_rows_count(results->rows) && !(selected[*row] && results->checksums[*row]);)
    ++*row;
  return selected != NULL;
}

/* An animation of a sweep, with its case, and the case of the one beside it on its page. */
typedef struct {
  const sb_results        *results;
  const sb_animation_spec *animation, *other; /* other: NULL: there is no other */
  size_t                   row[2];            /* the number of rows: there is no such case */
  FILE                    *drawn;             /* NULL, or lists the files */
} showing;

/* Makes animations/<id>.<form> by `make` if they are not current, or if the drawn ones are listed. `forms` is
 * NULL-ended; `sources`: the files that they are made from. */
static bool renew(const showing *s, const char *kind, const char *const *forms, const char *sources,
                  bool (*make)(const showing *s, const char *const *path))
{
  sb_arena   *arena = s->results->session.arena;
  const char *folder = s->results->directory, *thing = sb_arena_format(arena, "%s %s", kind, s->animation->id);
  const char *path[2] = {NULL};
  sb_names    files = {0};
  char        digest[SB_DIGEST_LENGTH + 1];
  for (size_t i = 0; forms[i]; ++i) {
    sb_names_add(arena, &files, sb_arena_format(arena, "animations/%s.%s", s->animation->id, forms[i]));
    path[i] = sb_arena_format(arena, "%s/%s", folder, files.names[i]);
  }
  const sb_output output = {.folder = folder, .thing = thing, .files = files};
  sb_output_digest_text(sources, digest);
  if (!s->drawn && sb_output_is_current(&output, digest)) return true;
  if (!sb_make_folder(folder, "animations")) return false;
  for (size_t i = 0; forms[i]; ++i) unlink(path[i]);
  const bool good = make(s, path);
  for (size_t i = 0; forms[i] && good && s->drawn; ++i) fprintf(s->drawn, "%s\n", path[i]);
  if (!s->drawn) return sb_output_note(&output, good ? digest : NULL) && good;
  const sb_output all = {.folder = folder, .thing = SB_OUTPUT_ALL, .files = files};
  return sb_output_note_again(&output) && sb_output_note_again(&all) && good;
}

static bool file_of(const showing *s, int which, const char **path)
{
  char error[256] = "";
  return sb_results_case_file(s->results, s->row[which], s->results->session.arena, path, error) ||
         sb_error_at(s->results->session.diagnostics, (sb_location){0}, "E100", "%s", error);
}

static bool draw_pictures(const showing *s, const char *const *path)
{
  const char        *file = NULL;
  const sb_animation wanted = {path[0], path[1], WIDTH, HEIGHT, .cut = true, .look = *s->animation};
  return file_of(s, 0, &file) && sb_animate(&s->results->session, file, &wanted);
}

/* The title of a page of one motion is the film's; that of two is the question of the sweep. */
static bool write_page(const showing *s, const char *const *path)
{
  const sb_sweep  *sweep = s->results->sweep;
  const bool       two = s->other && s->row[1] < sb_rows_count(s->results->rows);
  const char      *title = s->animation->title ? s->animation->title : s->animation->id;
  sb_player_motion motions[2] = {{NULL, two ? title : sweep->name}};
  if (!file_of(s, 0, &motions[0].file)) return false;
  if (two) motions[1].name = s->other->title ? s->other->title : s->other->id;
  if (two && !file_of(s, 1, &motions[1].file)) return false;
  return sb_player_write(&s->results->session, path[0],
                         &(sb_player){two ? sweep->question : title, two ? 2 : 1, motions, s->animation});
}

/* The pictures of an animation, and its page. */
static bool write_one(const sb_results *results, const sb_animation_spec *animation, bool must, FILE *drawn)
{
  static const char *const pictures[] = {"gif", "png", NULL}, *const page[] = {"html", NULL};
  sb_arena                *arena = results->session.arena;
  const sb_animation_spec *other = sb_sweep_animation_beside(results->sweep, animation);
  const size_t             none = sb_rows_count(results->rows);
  const bool               brief = results->quick && !drawn; /* a quick run */
  showing                  s = {results, animation, other, {none, none}, drawn};
  if (!row_of(results, animation, &s.row[0]) || (other && !row_of(results, other, &s.row[1]))) return !must;
  if (s.row[0] == none && brief) return true; /* of the part that --quick leaves out */
  if (s.row[0] == none) {
    sb_warning_at(results->session.diagnostics, animation->location, "W117",
                  "animation '%s': its case has not been run, or failed", animation->id);
    return !must;
  }
  const char *look = sb_arena_format(arena, "%s %d %zu %zu %g %g %g", results->checksums[s.row[0]],
                                     (int)animation->colour, (size_t)animation->frames, (size_t)animation->stills,
                                     animation->seconds, animation->tilt, animation->turn);
  /* Films take longer than a quick run; `animate` makes them of it too. */
  const bool drew = brief || renew(&s, "animation", pictures, look, draw_pictures);
  look = sb_arena_format(arena, "%s %s %s %s %s", look, animation->title ? animation->title : "",
                         s.row[1] < none ? results->checksums[s.row[1]] : "", other && other->title ? other->title : "",
                         sb_player_version(arena));
  return renew(&s, "player", page, look, write_page) && drew;
}

bool sb_animations_write(const sb_results *results, const char *id, FILE *drawn)
{
  bool        good = true, found = false;
  const char *there = "";
  for (size_t i = 0; i < results->sweep->animation_count; ++i) {
    const sb_animation_spec *animation = &results->sweep->animations[i];
    there = sb_arena_format(results->session.arena, "%s %s", there, animation->id);
    if (id && strcmp(id, animation->id) != 0) continue;
    found = true;
    good = write_one(results, animation, id != NULL, drawn) && good;
  }
  if (found || !id) return good;
  return sb_error_at(results->session.diagnostics, (sb_location){results->directory, 0, 0}, "E106",
                     "no animation '%s'; there are:%s", id, there);
}
