/* Pictures of a motion; see report.h. Surfaces and round colliders are gnuplot's pm3d quadrangles, which it sorts by
 * depth; a triangle is a quadrangle with its last corner twice. They are lit here: gnuplot's own light (`set pm3d
 * lighting`) tells front from back by the order of the corners, so that one flat face of a solid comes out in two
 * shades, and it darkens colours of strains until their scale does not hold. Ropes are lines.
 *
 * gnuplot's `set view` turns the scene about its upright axis, then tilts it; a point p is seen across·p to the right
 * and up·p above the middle. The motion of all frames fills the picture. Particles are discs, so large that neighbours
 * at their spacing touch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/order_statistics.h"
#include "cases/common/progress_line.h"
#include "cases/store/case_file.h"
#include "harness/report/gnuplot.h"
#include "harness/report/report.h"
#include "harness/report/report_text.h"
#include "harness/results/output_cache.h"
#include "model/contact/contact.h"
#include "model/maths/vector3.h"
#include "model/particles/fluid.h"
#include "model/scene/scene.h"

/* Frames in which the net is so many times larger than at first do not widen the picture: all else would be a dot when
 * it blows up. They leave the frame. */
#define BURST 4
/* Round colliders are drawn this much smaller: the flat triangles of a cloth that lies on them would sink in. */
#define SHRUNK 0.965

enum {
  SIDES = 5,
  ROUND = 48,             /* quadrangles around a round collider */
  TILES = 12,             /* of the net of lines that a plane is */
  EDGES_SHOWN_MAX = 2000, /* triangles; finer surfaces have no edges drawn */
  TITLES = 66,
  LINE = TITLES / 4, /* pixels that gnuplot leaves for titles, four lines: 2.5 below, 1.5 above the scene */
  TITLE_WIDTH = 120, /* pixels, that a time takes */
  WIDTH = 480,
  HEIGHT = 420 /* of a frame of a sweep's animation, pixels */
};

typedef struct {
  const sb_session   *session;
  const sb_animation *wanted;
  const char         *path;
  sb_arena           *arena;                      /* of what lives as long as the film */
  hid_t               file, positions, pressures; /* pressures: -1 of a net */
  const sb_driver    *driver;                     /* of the case; NULL: not known here */
  size_t              vertices, springs, triangles, frames;
  int32_t            *ends, *triangle;       /* [springs][2], [triangles][3] */
  double             *rest_length, *seconds; /* [springs], [frames] */
  sb_options         *options;               /* of the case, as far as this program knows them */
  bool               *pinned;                /* [vertices]: marked; as the case's option `pins` names them */
  sb_contact         *contact;               /* NULL: nothing to touch */
  size_t              colliders, planes;     /* of them; of these, planes */
  double             *radius;                /* [colliders] m; 0 of a plane */
  const double (*axes)[3];                   /* the scene's axes that are the picture's x, depth and up */
  bool         flat;                         /* no extent in depth: seen from the front */
  double       size;                         /* m: diagonal of the box of the first frame */
  double       along[SIDES][3];              /* unit vectors: the picture's axes; across and up as a motion is seen */
  double       low[SIDES], high[SIDES];      /* m: how far all frames drawn reach along them */
  int          frame[2], beside;             /* pixels: width and height of a frame, width of what is beside it */
  double       scale[2];                     /* least and largest value that colours stand for, in all frames drawn */
  double      *place;                        /* [vertices][3] of the frame just read, in the picture's axes */
  double      *value; /* [vertices]: strain of the spring at it that is strained most; pressure */
  sb_particles fluid; /* spacing, periods, dimensions and places of particles */
} film;

/* A picture on its way, and the stored frames that it shows. */
typedef struct {
  const char *path; /* NULL: it is not wanted */
  bool        moves;
  size_t      count, *frame; /* [count], ascending */
} picture;

static bool fail(const film *f, const char *code, const char *message)
{
  return sb_error_at(f->session->diagnostics, (sb_location){f->path, 0, 0}, code, "%s", message);
}

/* The unit normal of the plane through a, b and d: (b - a) × (d - a); zero where there is none. */
static void normal_of(const double *a, const double *b, const double *d, double n[3])
{
  double to_b[3], to_d[3];
  sb_subtract(b, a, to_b);
  sb_subtract(d, a, to_d);
  sb_cross(to_b, to_d, n);
  const double length = sqrt(sb_dot(n, n));
  for (int c = 0; c < 3; ++c) n[c] /= length > 0 ? length : 1;
}

/* ---- the motion as it is stored ---- */

/* A scene that cannot be made again, its mesh file gone, has no pins to show. */
static void read_pins(film *f, sb_diagnostics *silent)
{
  sb_pose pose = {0};
  if (sb_scene_build(f->options, &pose, silent) && (size_t)pose.vertices == f->vertices)
    memcpy(f->pinned, pose.pinned, f->vertices * sizeof *f->pinned);
  sb_pose_clear(&pose);
}

/* Which particles are walls is stored, and not made again: relaxing the places of a fluid takes a while. */
static bool read_fluid(film *f)
{
  static const sb_option_id needed[] = {SB_OPT_scene, SB_OPT_dimensions, SB_OPT_smoothing, SB_OPT_spacing,
                                        SB_OPT_width, SB_OPT_depth,      SB_OPT_support,   SB_OPT_density};
  size_t                    count = 0;
  const uint8_t *species = sb_h5_read_array(f->arena, f->file, "particles/all/species", H5T_NATIVE_UINT8, 0, &count);
  bool           whole = species && count == f->vertices;
  for (size_t i = 0; i < sizeof needed / sizeof *needed; ++i) whole = whole && sb_options_has(f->options, needed[i]);
  for (size_t i = 0; i < f->vertices && whole; ++i) f->pinned[i] = species[i] != 0;
  if (whole) sb_fluid_describe(f->options, sb_scene_periodic(f->options), &f->fluid);
  f->fluid.count = f->vertices;
  f->fluid.position = f->place;
  return whole;
}

/* The case's options, from their stored texts; what this program does not know is left out. */
static bool read_options(film *f, json_t *parameters)
{
  const sb_composite *colliders = NULL;
  sb_diagnostics     *silent = sb_diagnostics_create();
  const char         *name;
  json_t             *value;
  f->options = sb_options_create(f->session->vocabulary);
  json_object_foreach(parameters, name, value)
  {
    const sb_option_id id = sb_option_find(name);
    if (id == SB_OPT_COUNT) continue;
    char *text = json_is_string(value) ? sb_copy_text(json_string_value(value)) : json_dumps(value, JSON_ENCODE_ANY);
    if (text) (void)sb_options_set(f->options, id, text, SB_FROM_USER, (sb_location){0}, silent);
    free(text);
  }
  const bool loose = f->pressures >= 0, whole = !loose || read_fluid(f);
  if (!loose) read_pins(f, silent);
  sb_diagnostics_destroy(&silent);
  if (sb_contact_create(f->options, &f->contact) && f->contact)
    colliders = sb_contact_colliders(f->contact, &f->colliders);
  f->radius = sb_arena_take(f->arena, f->colliders, sizeof(double));
  for (size_t i = 0; i < f->colliders; ++i) {
    for (size_t k = 0; k < colliders[i].form->parts; ++k)
      if (strcmp(colliders[i].form->part[k].name, "radius") == 0) f->radius[i] = colliders[i].number[k][0];
    f->planes += !(f->radius[i] > 0);
  }
  return whole;
}

static void to_picture(const film *f, const double p[3], double q[3])
{
  for (int c = 0; c < 3; ++c) q[c] = sb_dot(f->axes[c], p);
}

/* A spring's strain counts at a vertex where it is the largest in magnitude. */
static void find_strains(film *f)
{
  memset(f->value, 0, f->vertices * sizeof *f->value);
  for (size_t s = 0; s < f->springs; ++s) {
    const double *a = &f->place[3 * f->ends[2 * s]], *b = &f->place[3 * f->ends[2 * s + 1]];
    const double  d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const double  strain = f->rest_length[s] > 0 ? sqrt(sb_dot(d, d)) / f->rest_length[s] - 1 : 0;
    for (size_t end = 0; end < 2; ++end) {
      double *most = &f->value[f->ends[2 * s + end]];
      if (fabs(strain) > fabs(*most)) *most = strain;
    }
  }
}

/* Places of a stored frame, and its strains or pressures. Particles that have left a periodic box on one side, and are
 * stored where their way has led them, are shown where they have come in on the other. */
static bool read_frame(film *f, size_t frame)
{
  const hsize_t extents[3] = {f->frames, f->vertices, 3};
  if (!sb_h5_read_row(f->positions, 3, extents, frame, H5T_NATIVE_DOUBLE, f->place) ||
      (f->pressures >= 0 && !sb_h5_read_row(f->pressures, 2, extents, frame, H5T_NATIVE_DOUBLE, f->value)))
    return fail(f, "E100", sb_arena_format(f->arena, "frame %zu cannot be read", frame));
  sb_particles_wrap(&f->fluid);
  for (double *p = f->place; p < f->place + 3 * f->vertices; p += 3) {
    const double at[3] = {p[0], p[1], p[2]};
    to_picture(f, at, p);
  }
  if (f->pressures < 0) find_strains(f);
  return true;
}

/* The view, degrees, and unit vectors across and up the picture, in its axes. */
static void view_of(const film *f, bool flat, double angle[2], double (*axis)[3])
{
  angle[0] = isfinite(f->wanted->look.tilt) ? f->wanted->look.tilt : flat ? 90 : 72;
  angle[1] = isfinite(f->wanted->look.turn) ? f->wanted->look.turn : flat ? 0 : 32;
  const double tilt = angle[0] * M_PI / 180, turn = angle[1] * M_PI / 180;
  memcpy(axis[0], (double[3]){cos(turn), sin(turn), 0}, sizeof axis[0]);
  memcpy(axis[1], (double[3]){-sin(turn) * cos(tilt), cos(turn) * cos(tilt), sin(tilt)}, sizeof axis[1]);
}

/* Up is the axis that gravity follows; without gravity z, but y where the motion stays in a plane of constant z. */
static bool turn_upright(film *f, json_t *parameters)
{
  static const double axes[3][3][3] = {
      {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  int    up = 1;
  double most = 0, angle[2];
  f->axes = axes[2];
  const bool read = read_frame(f, 0);
  for (size_t i = 0; i < f->vertices; ++i)
    if (f->place[3 * i + 2] != f->place[2]) up = 2;
  for (int c = 0; c < 3; ++c) {
    const double pull = fabs(json_number_value(json_array_get(json_object_get(parameters, "gravity"), (size_t)c)));
    if (!(pull > most)) continue;
    most = pull;
    up = c;
  }
  f->axes = axes[up];
  memcpy(f->along, axes[2], sizeof axes[2]);
  view_of(f, false, angle, f->along + 3);
  return read;
}

/* Reports a file that lacks something; HDF5 may have given the reason. */
static bool fail_incomplete(const film *f) { return fail(f, "E200", sb_h5_good() ? SB_H5_INCOMPLETE : sb_h5_cause()); }

/* Indices are checked, since a file may come from anywhere. */
static bool open_film(film *f)
{
  char    error[256] = "";
  hsize_t extents[SB_H5_RANK_MAX] = {0}, pressed[SB_H5_RANK_MAX] = {0};
  size_t  lengths = 0;
  f->file = sb_case_file_open(f->path, error);
  if (f->file < 0) return fail(f, "E100", error);
  if (!sb_h5_exists(f->file, "particles/all/position") && sb_h5_good())
    return fail(f, "E200", "no states are stored in it; run the case with save=every:1 (a state per frame)");
  f->seconds = sb_h5_read_array(f->arena, f->file, "particles/all/position/time", H5T_NATIVE_DOUBLE, 0, &f->frames);
  f->ends = sb_h5_read_array(f->arena, f->file, "connectivity/springs", H5T_NATIVE_INT32, 2, &f->springs);
  f->triangle = sb_h5_read_array(f->arena, f->file, "connectivity/triangles", H5T_NATIVE_INT32, 3, &f->triangles);
  f->rest_length = sb_h5_read_array(f->arena, f->file, "springs/rest_length", H5T_NATIVE_DOUBLE, 0, &lengths);
  f->positions = sb_h5_open_dataset(f->file, "particles/all/position/value", 3, extents);
  f->vertices = (size_t)extents[1];
  const bool loose = sb_h5_exists(f->file, "particles/all/pressure");
  if (loose) f->pressures = sb_h5_open_dataset(f->file, "particles/all/pressure/value", 2, pressed);
  json_auto_t *parameters = sb_h5_attributes(f->file, "parameters");
  bool         whole = parameters && (!loose || (pressed[0] == f->frames && pressed[1] == f->vertices)) && f->seconds &&
               f->ends && f->triangle && f->rest_length && f->positions >= 0 && extents[0] == f->frames &&
               extents[2] == 3 && f->frames > 0 && f->vertices > 0 && lengths == f->springs;
  for (size_t i = 0; whole && i < 2 * f->springs; ++i) whole = f->ends[i] >= 0 && (size_t)f->ends[i] < f->vertices;
  for (size_t i = 0; whole && i < 3 * f->triangles; ++i)
    whole = f->triangle[i] >= 0 && (size_t)f->triangle[i] < f->vertices;
  if (!whole) return fail_incomplete(f);
  f->place = sb_arena_take(f->arena, 3 * f->vertices, sizeof(double));
  f->value = sb_arena_take(f->arena, f->vertices, sizeof(double));
  f->pinned = sb_arena_take(f->arena, f->vertices, sizeof(bool));
  for (int k = 0; k < SIDES; ++k) f->low[k] = INFINITY, f->high[k] = -INFINITY;
  if (!read_options(f, parameters)) return fail_incomplete(f);
  const char *driver = json_string_value(json_object_get(parameters, "driver"));
  f->driver = driver ? sb_driver_find(f->session->vocabulary, driver) : NULL;
  if (loose && f->wanted->look.colour == SB_COLOUR_STRAIN)
    return fail(f, "E106", "particles have no strains; colour: plain, pressure");
  if (!loose && f->wanted->look.colour == SB_COLOUR_PRESSURE)
    return fail(f, "E106", "springs have no pressures; colour: plain, strain");
  return turn_upright(f, parameters);
}

/* ---- how much room the motion takes, and the view ---- */

/* The two points that a collider is given by: ends of a capsule, a plane's point and the tip of its normal, the centre
 * of a sphere twice. */
static void place_collider(const film *f, size_t i, double seconds, double place[2][3])
{
  double     point[SB_COLLIDER_POINTS_MAX][3] = {{0}};
  size_t     count = 0;
  const bool two = strcmp(sb_contact_colliders(f->contact, &count)[i].form->name, "sphere") != 0;
  sb_contact_places(f->contact, seconds, i, point);
  to_picture(f, point[0], place[0]);
  to_picture(f, point[two], place[1]);
}

/* Widens what the motion takes by a ball. */
static void widen(film *f, const double place[3], double radius)
{
  for (int k = 0; k < SIDES; ++k) {
    f->low[k] = fmin(f->low[k], sb_dot(f->along[k], place) - radius);
    f->high[k] = fmax(f->high[k], sb_dot(f->along[k], place) + radius);
  }
}

/* Widens the scale by the pressures of a picture. It begins at 0, unless fluid is pulled, and excludes a hundredth at
 * either end. If fluid hits a wall, or itself, some particles have, for a step, many times the pressure of all others,
 * which would then have one colour. */
static void widen_scale(film *f, size_t count, double *pressures)
{
  if (count == 0) return;
  sb_sort(pressures, count);
  f->scale[0] = fmin(f->scale[0], pressures[count / 100]);
  f->scale[1] = fmax(f->scale[1], pressures[count - 1 - count / 100]);
}

/* Widens what the motion takes, and the scale of colours, by the frames of a picture, but not by those in which the net
 * has burst. A periodic box is shown whole. */
static bool measure(film *f, const picture *shown)
{
  const double     radius = 0.5 * f->fluid.spacing, *period = f->fluid.period;
  const bool       loose = f->pressures >= 0;
  SB_OWNED double *pressures = sb_allocate(loose ? shown->count * f->vertices : 0, sizeof *pressures);
  size_t           seen = 0;
  for (size_t i = 0; i < shown->count; ++i) {
    double extent[3], place[2][3];
    if (!read_frame(f, shown->frame[i])) return false;
    for (size_t c = 0; c < 3; ++c) {
      double low = INFINITY, high = -INFINITY;
      for (size_t v = 0; v < f->vertices; ++v) {
        low = fmin(low, f->place[3 * v + c]);
        high = fmax(high, f->place[3 * v + c]);
      }
      extent[c] = high - low;
    }
    const double size = sqrt(sb_dot(extent, extent));
    if (!(f->size > 0)) f->size = size;
    if (!(size <= BURST * f->size)) continue;
    for (size_t v = 0; v < f->vertices; ++v) {
      widen(f, &f->place[3 * v], radius);
      if (!loose) f->scale[1] = fmax(f->scale[1], fabs(f->value[v]));
      if (loose && !f->pinned[v]) pressures[seen++] = f->value[v];
    }
    for (size_t c = 0; c < f->colliders; ++c) {
      place_collider(f, c, f->seconds[shown->frame[i]], place);
      for (int p = 0; p < 2 && f->radius[c] > 0; ++p) widen(f, place[p], f->radius[c]);
    }
  }
  for (int corner = 0; corner < 2 && period[0] + period[1] + period[2] > 0; ++corner) {
    double place[3];
    to_picture(f, (double[3]){corner * period[0], corner * period[1], corner * period[2]}, place);
    widen(f, place, 0);
  }
  if (loose)
    widen_scale(f, seen, pressures);
  else
    f->scale[0] = -f->scale[1];
  f->flat =
      f->fluid.dimensions == 2 || f->high[1] - f->low[1] <= 1e-9 * (f->high[0] - f->low[0] + f->high[2] - f->low[2]);
  return true;
}

/* Half of the box of the motion along an axis of the picture, m, and a little more. */
static double half_range(const film *f, int c)
{
  double most = 0;
  for (int k = 0; k < 3; ++k) most = fmax(most, f->high[k] - f->low[k]);
  return fmax(0.05 * (most > 0 ? most : 1), 0.52 * (f->high[c] - f->low[c]));
}

/* ---- what a frame shows ---- */

static bool is_coloured(const film *f) { return f->wanted->look.colour != SB_COLOUR_PLAIN; }

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

/* Two neighbours in one quadrangle halve what gnuplot has to read and sort. They share two corners, k is the one of the
 * first that the other lacks, l the other's; and there are less than 60 degrees between them: one quadrangle bent more
 * would not cover both. The palette of strains is blue, white, red at -1, 0, 1. */
static void put_surface(const film *f, FILE *commands)
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

/* The unit vector from who looks into the picture. */
static void away_of(const film *f, double away[3])
{
  double angle[2], axis[2][3];
  view_of(f, f->flat, angle, axis);
  sb_cross(axis[1], axis[0], away);
}

/* A particle and how far it is from who looks. */
typedef struct {
  double away;
  size_t number;
} seen_particle;

static int compare_away(const void *a, const void *b)
{
  const seen_particle *x = a, *y = b;
  return (x->away < y->away) - (x->away > y->away);
}

/* Walls, behind which nothing is looked for, then the fluid, what is farther away first: gnuplot draws points in the
 * order in which it gets them. */
static void put_particles(const film *f, FILE *commands)
{
  const double           *p = f->place;
  double                  away[3];
  SB_OWNED seen_particle *order = sb_allocate(f->vertices, sizeof *order);
  size_t                  count = 0;
  away_of(f, away);
  for (size_t i = 0; i < f->vertices; ++i, p += 3)
    if (f->pinned[i])
      fprintf(commands, "%.5g %.5g %.5g\n", p[0], p[1], p[2]);
    else
      order[count++] = (seen_particle){sb_dot(away, p), i};
  if (count < f->vertices) fputs("e\n", commands);
  qsort(order, count, sizeof *order, compare_away);
  for (size_t i = 0; i < count; ++i) {
    p = &f->place[3 * order[i].number];
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
 * centre, its upper half about the second. Faces that look away are behind those that do not, and are left out. */
static void put_round(const film *f, size_t collider, double seconds, FILE *commands)
{
  double       frame[3][3], p[4][3], centre[2][3], away[3];
  const double radius = SHRUNK * f->radius[collider];
  away_of(f, away);
  place_collider(f, collider, seconds, centre);
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

/* The part of a plane below or beside the motion, as a net of lines behind all else: what lies on it would sink into it
 * in places, were it a surface, since gnuplot sorts by the middles of quadrangles. */
static void put_plane(const film *f, size_t collider, double seconds, FILE *commands)
{
  double frame[3][3], point[2][3], centre[3], offset = 0, half[2] = {0, 0};
  place_collider(f, collider, seconds, point);
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

/* The frame just read; `corner`: the place of its time, in parts of the picture; `last`: of those in it. The plot
 * command comes first, and the data follow in the same order. */
static void put_frame(const film *f, size_t frame, const double corner[2], bool last, FILE *commands)
{
  const double seconds = f->seconds[frame];
  const bool   surface = f->triangles > 0, planes = f->planes > 0, loose = f->pressures >= 0;
  const char  *colour = is_coloured(f) ? "palette" : "rgb '#0072b2'";
  const bool   solids = surface || f->colliders > f->planes;
  bool         pins = false;
  for (size_t i = 0; i < f->vertices; ++i) pins = pins || f->pinned[i];
  fprintf(commands, seconds < 1000 ? "set label 1 't = %.3g s'" : "set label 1 't = %.0f s'", seconds);
  fprintf(commands, " at screen %.6g,%.6g left front\n", corner[0], corner[1]);
  fputs(f->triangles <= EDGES_SHOWN_MAX ? "set pm3d border lc rgb '#405a70' lw 0.3\n" : "set pm3d noborder\n",
        commands);
  fputs("splot NaN notitle", commands);
  if (planes) fputs(", '-' using 1:2:3 with lines lw 0.8 lc rgb '#b8b8b8'", commands);
  if (solids) fputs(", '-' using 1:2:3:4 with pm3d fc rgb variable", commands);
  if (!surface && !loose) fprintf(commands, ", '-' using 1:2:3:4 with linespoints lw 1.5 pt 7 ps 0.5 lc %s", colour);
  if (pins) fprintf(commands, ", '-' using 1:2:3 with points ls %d", loose ? 2 : 1);
  if (loose) fprintf(commands, ", '-' using 1:2:3:4 with points ls 3 lc %s", colour);
  if (is_coloured(f) && surface && last) fputs(", NaN with points palette", commands); /* for its colour box */
  fputc('\n', commands);
  for (size_t i = 0; i < f->colliders; ++i)
    if (!(f->radius[i] > 0)) put_plane(f, i, seconds, commands);
  if (planes) fputs("e\n", commands);
  if (surface) put_surface(f, commands);
  for (size_t i = 0; i < f->colliders; ++i)
    if (f->radius[i] > 0) put_round(f, i, seconds, commands);
  if (solids) fputs("e\n", commands);
  if (loose) {
    put_particles(f, commands);
    return;
  }
  for (size_t s = 0; s < 2 * f->springs && !surface; ++s) {
    const double *p = &f->place[3 * f->ends[s]];
    fprintf(commands, "%.6g %.6g %.6g %.4g\n%s", p[0], p[1], p[2], f->value[f->ends[s]], s % 2 ? "\n\n" : "");
  }
  if (!surface) fputs("e\n", commands);
  for (size_t i = 0; i < f->vertices; ++i)
    if (f->pinned[i]) fprintf(commands, "%.5g %.5g %.5g\n", f->place[3 * i], f->place[3 * i + 1], f->place[3 * i + 2]);
  if (pins) fputs("e\n", commands);
}

/* The meaning of colours, and the scale beside the picture; `share`: the part of the picture's width that a frame has.
 * Surfaces are shaded; thin unstrained lines would be invisible on white. Pressures have viridis (van der Walt, Smith
 * 2015): perceptually uniform, also in grey, and for the colour-blind. */
static void put_colours(const film *f, double share, FILE *commands)
{
  const bool loose = f->pressures >= 0;
  if (loose)
    fputs("set palette defined (0 '#440154', 1 '#472d7b', 2 '#3b528b', 3 '#2c728e', 4 '#21918c', 5 '#28ae80', "
          "6 '#5ec962', 7 '#addc30', 8 '#fde725')\n",
          commands);
  else
    fprintf(commands, "set palette defined (-1 '#2166ac', 0 '%s', 1 '#b2182b')\n",
            f->triangles > 0 ? "#e4e4e4" : "#a8a8a8");
  if (is_coloured(f))
    fprintf(commands, "set cbrange [%.6g:%.6g]\nset cblabel '%s'\nset cbtics\n", f->scale[0], f->scale[1],
            !loose                     ? "strain"
            : f->fluid.dimensions == 2 ? "pressure (N/m)"
                                       : "pressure (Pa)");
  if (is_coloured(f) && !loose)
    fprintf(commands, "set colorbox user origin screen %g,0.25 size screen %g,0.5\n", 1 - 0.2 * share, 0.03 * share);
  else
    fputs("unset colorbox\n", commands);
}

/* The view: middle and half the extents, m, across and up the picture, and the distance of the middle of the scene from
 * that of its box. */
typedef struct {
  double angle[2], axis[2][3], middle[3], seen[2], off[2];
} view;

/* A plane is seen wherever the box has a part of it, so that the whole box counts. */
static view look(const film *f)
{
  const double least = 1e-9 * f->size;
  const bool   whole = f->flat || f->planes > 0;
  view         v = {.off = {0, 0}};
  view_of(f, f->flat, v.angle, v.axis);
  for (int c = 0; c < 3; ++c) v.middle[c] = 0.5 * (f->low[c] + f->high[c]);
  for (int k = 0; k < 2; ++k) {
    for (int c = 0; c < 3 && whole; ++c) v.seen[k] += fabs(v.axis[k][c]) * half_range(f, c);
    if (!whole) {
      v.seen[k] = 0.52 * (f->high[3 + k] - f->low[3 + k]);
      v.off[k] = 0.5 * (f->low[3 + k] + f->high[3 + k]) - sb_dot(v.axis[k], v.middle);
    }
    v.seen[k] = fmax(v.seen[k], least);
  }
  return v;
}

/* The part of the width and the height of a frame that the motion may fill; the rest of the width is margin, or that of
 * the colour box. */
static const double across_all = 0.92, across_beside = 0.72, upright = 0.88;

/* Frames of particles have the colour box beside them, not in them, and are cut to what is seen and its title where no
 * size is asked for: a tank is long and low. */
static void fit_frames(film *f)
{
  const sb_animation *wanted = f->wanted;
  f->frame[0] = wanted->width;
  f->frame[1] = wanted->height;
  if (f->pressures < 0) return;
  f->beside = is_coloured(f) ? (int)(0.2 * wanted->width) : 0;
  f->frame[0] -= f->beside;
  if (!wanted->cut) return;
  const view   v = look(f);
  const double pixels = 0.5 * fmin(across_all * f->frame[0] / v.seen[0], (upright * f->frame[1] - LINE) / v.seen[1]);
  f->frame[0] = (int)fmin(f->frame[0], fmax(TITLE_WIDTH, 2 * pixels * v.seen[0] / across_all));
  f->frame[1] = (int)fmin(f->frame[1], (2 * pixels * v.seen[1] + LINE) / upright);
}

/* Commands for the whole film; `share`: of the picture's width that a frame has.
 *
 * The view: what is seen fills the frame, or its part left of the colour box, and its middle goes to the
 * middle of that part.
 *
 * The scale of `set view` gives so many pixels a metre: at scale 1, with equal axes, gnuplot gives the longer of x and
 * y 4/7 of the frame's shorter side, less the room it leaves for titles. */
static void put_head(const film *f, double share, FILE *commands)
{
  const double width = f->frame[0], height = f->frame[1];
  const bool   inside = is_coloured(f) && f->beside == 0;
  double       half[3];
  view         v = look(f);
  fputs("\nunset border\nunset tics\nunset key\nset view equal xyz\nset xyplane relative 0\nset pm3d depthorder\n"
        "set clip two\nset style line 1 pt 7 ps 0.55 lc rgb '#202020'\n",
        commands);
  put_colours(f, share, commands);
  const double title = f->pressures >= 0 ? LINE : 0, room = (inside ? across_beside : across_all) * width;
  const double pixels = fmin(0.5 * room / v.seen[0], 0.5 * (upright * height - title) / v.seen[1]);
  v.off[1] += 0.5 * (LINE + title) / pixels;
  if (inside) v.off[0] += 0.1 * width / pixels;
  for (int c = 0; c < 3; ++c) {
    const double shift = v.off[0] * v.axis[0][c] + v.off[1] * v.axis[1][c];
    v.middle[c] += shift;
    half[c] = half_range(f, c) + fabs(shift);
  }
  const double inner = fmax(0.2 * height, height - TITLES),
               side = 4.0 / 7 * fmin(fmax(0.2 * height, width - 24), inner);
  fprintf(commands, "set view %g,%g,%g\n", v.angle[0], v.angle[1], pixels * 2 * fmax(half[0], half[1]) / side);
  for (int c = 0; c < 3; ++c)
    fprintf(commands, "set %crange [%.9g:%.9g]\n", "xyz"[c], v.middle[c] - half[c], v.middle[c] + half[c]);
  /* gnuplot's discs are six pixels wide at size 1, and their middles whole pixels: one more leaves no seams. Those of
   * walls are grey, as is all that stands still, and smaller, above all where walls stand behind the fluid. */
  const double disc = (f->fluid.spacing * pixels + 1) / 6, wall = f->fluid.dimensions == 2 ? 0.5 : 0.2;
  if (f->pressures >= 0)
    fprintf(commands, "set style line 2 pt 7 ps %.3g lc rgb '#b0b0b0'\nset style line 3 pt 7 ps %.3g\n", wall * disc,
            disc);
}

/* ---- pictures ---- */

/* A film has every so many of the stored frames, so that the motion is smooth, and the last; stills are spread evenly.
 */
static picture choose(const film *f, const char *path, bool moves)
{
  const size_t stored = f->frames, most = (size_t)(moves ? f->wanted->look.frames : f->wanted->look.stills);
  const size_t step = most < 2 || stored < 2 ? stored : (stored - 2) / (most - 1) + 1;
  picture      p = {.path = path, .moves = moves, .count = most < stored ? most : stored};
  if (moves) p.count = stored < 2 ? stored : (stored - 2) / step + 2;
  p.frame = sb_arena_take(f->arena, p.count, sizeof *p.frame);
  for (size_t i = 0; i < p.count; ++i)
    p.frame[i] = moves         ? (i * step < stored ? i * step : stored - 1)
                 : p.count < 2 ? stored - 1
                               : (2 * i * (stored - 1) / (p.count - 1) + 1) / 2;
  return p;
}

/* Frames of particles find their place by themselves, since multiplot's layout leaves no room beside them; the last one
 * brings the colour box, which drawn twice would be bold. */
static void put_place(const film *f, const size_t grid[2], size_t i, bool last, FILE *commands)
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
static bool draw(film *f, const picture *shown)
{
  const size_t rows = !shown->moves && shown->count > 3 ? 2 : 1;
  const size_t columns = shown->moves ? 1 : (shown->count + rows - 1) / rows;
  const size_t width = columns * (size_t)f->frame[0] + (size_t)f->beside;
  const bool   loose = f->pressures >= 0;
  const bool   counted = isatty(STDERR_FILENO);
  const double took = f->seconds[f->frames - 1] - f->seconds[0];
  const double length = f->wanted->look.seconds > 0 ? f->wanted->look.seconds : fmin(20, fmax(2, took));
  char         error[256] = "";
  bool         read = true;
  sb_gnuplot   gnuplot;
  if (!shown->path) return true;
  if (!sb_gnuplot_open(&gnuplot, error)) return fail(f, "E116", error);
  FILE *commands = gnuplot.commands;
  if (shown->moves)
    fprintf(commands, "set terminal gif animate delay %d loop 0",
            (int)fmax(2, round(100 * length / (double)shown->count)));
  else
    fputs("set terminal pngcairo", commands);
  fprintf(commands, " size %zu,%zu enhanced font 'sans,11'\nset output ", width, rows * (size_t)f->frame[1]);
  sb_gnuplot_put_text(commands, shown->path);
  put_head(f, 1.0 / (double)columns, commands);
  if (!shown->moves && loose) fputs("set multiplot\n", commands);
  if (!shown->moves && !loose) fprintf(commands, "set multiplot layout %zu,%zu\n", rows, columns);
  for (size_t i = 0; read && i < shown->count && !ferror(commands); ++i) {
    const double across = (double)(i % columns) + 0.04, down = (double)(i / columns % rows) + 0.06;
    const double corner[2] = {across * f->frame[0] / (double)width, 1 - down / (double)rows};
    const bool   is_last = i + 1 == shown->count;
    read = read_frame(f, shown->frame[i]);
    if (loose) put_place(f, (size_t[2]){columns, rows}, i, columns * rows == 1 || is_last, commands);
    if (read) put_frame(f, shown->frame[i], corner, columns * rows == 1 || is_last, commands);
    if (counted) sb_progress_show(sb_arena_format(f->arena, "%s: frame %zu of %zu", shown->path, i + 1, shown->count));
  }
  if (!shown->moves) fputs("unset multiplot\n", commands);
  const bool drawn = sb_gnuplot_close(&gnuplot, error);
  if (counted) sb_progress_clear();
  return (drawn || fail(f, "E116", error)) && read;
}

bool sb_animate(const sb_session *session, const char *path, const sb_animation *wanted)
{
  const char *const names[] = {wanted->gif, wanted->strip};
  char              ignored[256] = "";
  film f = {.session = session, .wanted = wanted, .path = path, .file = -1, .positions = -1, .pressures = -1};
  bool drawn = true;
  f.arena = sb_arena_create();
  /* gnuplot reads names within a line; a line's end would be the end of its command. */
  for (int i = 0; i < 2; ++i)
    for (const char *c = names[i] ? names[i] : ""; *c && drawn; ++c)
      if ((unsigned char)*c < 0x20 || *c == 0x7f)
        drawn = fail(&f, "E109", "the picture's name has a control character; give another by -o");
  drawn = drawn && open_film(&f);
  if (drawn && wanted->gif && f.frames < 2)
    drawn = fail(
        &f, "E200",
        f.driver && f.driver->still
            ? sb_arena_format(
                  f.arena,
                  "only one state is stored, as driver '%s' computes one, and a film needs two; --strip draws it",
                  f.driver->name)
            : "only one state is stored, and a film needs two; run the case with save=every:1 (a state per frame)");
  if (drawn) {
    const picture moving = choose(&f, names[0], true), stills = choose(&f, names[1], false);
    drawn = measure(&f, &moving) && measure(&f, &stills);
    if (!(f.scale[1] > f.scale[0])) memcpy(f.scale, (double[2]){f.pressures < 0 ? -1 : 0, 1}, sizeof f.scale);
    fit_frames(&f);
    drawn = drawn && draw(&f, &moving) && draw(&f, &stills);
  }
  if (f.contact) sb_contact_destroy(&f.contact);
  sb_options_destroy(&f.options);
  (void)sb_h5_close(f.positions);
  (void)sb_h5_close(f.pressures);
  if (f.file >= 0) (void)sb_case_file_close(f.file, true, ignored);
  sb_arena_destroy(&f.arena);
  return drawn;
}

/* ---- those of a sweep ---- */

/* The first case that it shows and that ran. */
static bool write_one(const sb_results *results, const sb_animation_spec *animation, bool must, FILE *drawn)
{
  sb_arena       *arena = results->session.arena;
  sb_diagnostics *diagnostics = results->session.diagnostics;
  const sb_scope  scope = sb_results_scope(results, arena);
  const bool     *selected = sb_expression_select(animation->where, &scope, diagnostics);
  size_t          row = 0;
  if (!selected) return !must;
  while (row < sb_rows_count(results->rows) && !(selected[row] && results->checksums[row])) ++row;
  if (row == sb_rows_count(results->rows)) {
    sb_warning_at(diagnostics, animation->location, "W117", "animation '%s': its case has not been run, or failed",
                  animation->id);
    return !must;
  }
  const char *id = animation->id;
  const char *gif = sb_arena_adopt(arena, sb_report_path(results->directory, "animations", id, ".gif"));
  const char *strip = sb_arena_adopt(arena, sb_report_path(results->directory, "animations", id, ".png"));
  const char *path = NULL, *thing = sb_arena_format(arena, "animation %s", id);
  const char *files[] = {sb_arena_format(arena, "animations/%s.gif", id),
                         sb_arena_format(arena, "animations/%s.png", id), NULL};
  char        error[256] = "", digest[SB_DIGEST_LENGTH + 1];
  sb_output_digest_text(sb_arena_format(arena, "%s %d %zu %zu %g %g %g", results->checksums[row],
                                        (int)animation->colour, (size_t)animation->frames, (size_t)animation->stills,
                                        animation->seconds, animation->tilt, animation->turn),
                        digest);
  if (!gif || !strip) return false;
  if (!drawn && sb_output_is_current(results->directory, thing, digest, files)) return true;
  if (!sb_results_case_file(results, row, arena, &path, error))
    return sb_error_at(diagnostics, (sb_location){0}, "E100", "%s", error);
  unlink(gif);
  unlink(strip);
  const bool good =
      sb_animate(&results->session, path, &(sb_animation){gif, strip, WIDTH, HEIGHT, .cut = true, .look = *animation});
  if (good && drawn) fprintf(drawn, "%s\n%s\n", gif, strip);
  if (drawn) return good; /* without the lock of a run, under which things are noted */
  return sb_output_note(results->directory, thing, good ? digest : NULL) && good;
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
