/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a stored motion; see film.h. */
#include "harness/report/film.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/order_statistics.h"
#include "model/maths/vector3.h"
#include "model/scene/scene.h"

/* Frames in which the net is more than this many times larger than at first do not widen the picture: a net that blows
 * up would shrink the rest to a dot. They leave the frame. */
#define BURST 4

bool sb_film_fail(const sb_film *f, const char *code, const char *message)
{
  return sb_error_at(f->session->diagnostics, (sb_location){f->path, 0, 0}, code, "%s", message);
}

/* The particles of walls are stored, not computed again: relaxing the places of a fluid takes a while. */
static bool read_fluid(sb_film *f)
{
  size_t         count = 0;
  const uint8_t *species = sb_h5_read_array(f->arena, f->file, "particles/all/species", H5T_NATIVE_UINT8, 0, &count);
  const bool     whole = species && count == f->vertices && sb_fluid_is_described(f->options);
  for (size_t i = 0; i < f->vertices && whole; ++i) f->pinned[i] = species[i] != 0;
  if (whole) sb_fluid_describe(f->options, sb_scene_periodic(f->options), &f->fluid);
  f->fluid.count = f->vertices;
  f->fluid.position = f->place;
  return whole;
}

/* The case's driver, command and options, from their stored texts, without those that this program does not have. */
static bool read_options(sb_film *f, json_t *parameters)
{
  const sb_composite                                 *colliders = NULL;
  SB_ENDED_BY(sb_diagnostics_destroy) sb_diagnostics *silent = sb_diagnostics_create();
  const char *name, *driver = json_string_value(json_object_get(parameters, "driver"));
  json_t     *value;
  sb_pose     pose = {0};
  f->command = sb_arena_copy(f->arena, json_string_value(json_object_get(parameters, "command")));
  f->driver = driver ? sb_driver_find(f->session->vocabulary, driver) : NULL;
  f->place = sb_arena_take(f->arena, 3 * f->vertices, sizeof(double));
  f->value = sb_arena_take(f->arena, f->vertices, sizeof(double));
  f->pinned = sb_arena_take(f->arena, f->vertices, sizeof(bool));
  f->options = sb_options_create(f->session->vocabulary);
  json_object_foreach(parameters, name, value)
  {
    const sb_option_id id = sb_option_find(name);
    if (id == sb_option_count) continue;
    char *text = json_is_string(value) ? sb_copy_text(json_string_value(value)) : json_dumps(value, JSON_ENCODE_ANY);
    if (text) (void)sb_options_set(f->options, id, text, SB_FROM_USER, (sb_location){0}, silent);
    free(text);
  }
  const bool whole = !f->loose || read_fluid(f);
  /* A scene that cannot be made again, its mesh file gone, has no pins to show. */
  if (!f->loose && sb_scene_build(f->options, &pose, silent) && pose.vertices == f->vertices)
    memcpy(f->pinned, pose.pinned, f->vertices * sizeof *f->pinned);
  sb_pose_clear(&pose);
  for (size_t i = 0; i < f->vertices; ++i) f->pins = f->pins || f->pinned[i];
  if (sb_contact_create(f->options, &f->contact) && f->contact)
    colliders = sb_contact_colliders(f->contact, &f->colliders);
  f->radius = sb_arena_take(f->arena, f->colliders, sizeof(double));
  for (size_t i = 0; i < f->colliders; ++i) {
    f->radius[i] = sb_collider_radius(&colliders[i]);
    f->planes += !(f->radius[i] > 0);
  }
  return whole;
}

static void to_picture(const sb_film *f, const double p[3], double q[3])
{
  for (int c = 0; c < 3; ++c) q[c] = sb_dot(f->axes[c], p);
}

/* Places of a stored frame, and its strains or pressures. Particles that have left a periodic box on one side, and are
 * stored at their unwrapped places, are shown at the places where they come in on the other. */
bool sb_film_read(sb_film *f, size_t frame)
{
  const hsize_t extents[3] = {f->frames, f->vertices, 3};
  if (!sb_h5_read_row(f->positions, 3, extents, frame, H5T_NATIVE_DOUBLE, f->place) ||
      (f->loose && !sb_h5_read_row(f->pressures, 2, extents, frame, H5T_NATIVE_DOUBLE, f->value)))
    return sb_film_fail(f, "E100", sb_arena_format(f->arena, "frame %zu cannot be read", frame));
  sb_particles_wrap(&f->fluid);
  for (double *p = f->place; p < f->place + 3 * f->vertices; p += 3) {
    const double at[3] = {p[0], p[1], p[2]};
    to_picture(f, at, p);
  }
  if (!f->loose)
    sb_pose_strains(
        &(sb_pose){.vertices = f->vertices, .springs = f->springs, .ends = f->ends, .rest_length = f->rest_length},
        f->place, f->value);
  return true;
}

void sb_film_view(const sb_film *f, double angle[2], double (*axis)[3])
{
  angle[0] = isfinite(f->look->tilt) ? f->look->tilt : f->flat ? 90 : 72;
  angle[1] = isfinite(f->look->turn) ? f->look->turn : f->flat ? 0 : 32;
  const double tilt = angle[0] * M_PI / 180, turn = angle[1] * M_PI / 180;
  memcpy(axis[0], (double[3]){cos(turn), sin(turn), 0}, sizeof axis[0]);
  memcpy(axis[1], (double[3]){-sin(turn) * cos(tilt), cos(turn) * cos(tilt), sin(tilt)}, sizeof axis[1]);
}

static bool turn_upright(sb_film *f, json_t *parameters)
{
  double gravity[3], angle[2];
  bool   in_plane = true;
  for (int k = 0; k < SB_FILM_SIDES; ++k) f->low[k] = INFINITY, f->high[k] = -INFINITY;
  f->axes = sb_scene_axes((double[3]){0}, false);
  memcpy(f->along, f->axes, sizeof f->axes[0] * 3);
  const bool read = sb_film_read(f, 0);
  for (size_t i = 0; i < f->vertices; ++i) in_plane = in_plane && f->place[3 * i + 2] == f->place[2];
  for (size_t c = 0; c < 3; ++c)
    gravity[c] = json_number_value(json_array_get(json_object_get(parameters, "gravity"), c));
  f->axes = sb_scene_axes(gravity, in_plane);
  sb_film_view(f, angle, f->along + 3);
  return read;
}

/* Opens a number that particles have in each frame; false if it has another shape. */
static bool open_values(const sb_film *f, const char *name, hid_t *dataset)
{
  hsize_t     extents[SB_H5_RANK_MAX] = {0};
  const char *group = sb_arena_format(f->arena, "particles/all/%s", name);
  if (!sb_h5_exists(f->file, group)) return true;
  *dataset = sb_h5_open_dataset(f->file, sb_arena_format(f->arena, "%s/value", group), 2, extents);
  return *dataset >= 0 && extents[0] == f->frames && extents[1] == f->vertices;
}

/* Indices are checked, since a file may come from anywhere. */
static bool has_indices(const sb_film *f)
{
  bool good = true;
  for (size_t i = 0; i < 2 * f->springs; ++i) good = good && f->ends[i] >= 0 && (size_t)f->ends[i] < f->vertices;
  for (size_t i = 0; i < 3 * f->triangles; ++i)
    good = good && f->triangle[i] >= 0 && (size_t)f->triangle[i] < f->vertices;
  return good;
}

/* Reads the arrays of the net, and opens the datasets of places, pressures and densities. */
static bool read_arrays(sb_film *f)
{
  hsize_t extents[SB_H5_RANK_MAX] = {0};
  size_t  lengths = 0;
  f->seconds = sb_h5_read_array(f->arena, f->file, "particles/all/position/time", H5T_NATIVE_DOUBLE, 0, &f->frames);
  f->ends = sb_h5_read_array(f->arena, f->file, "connectivity/springs", H5T_NATIVE_INT32, 2, &f->springs);
  f->triangle = sb_h5_read_array(f->arena, f->file, "connectivity/triangles", H5T_NATIVE_INT32, 3, &f->triangles);
  f->rest_length = sb_h5_read_array(f->arena, f->file, "springs/rest_length", H5T_NATIVE_DOUBLE, 0, &lengths);
  f->positions = sb_h5_open_dataset(f->file, "particles/all/position/value", 3, extents);
  f->vertices = (size_t)extents[1];
  f->loose = sb_h5_exists(f->file, "particles/all/pressure");
  const bool pressed = open_values(f, "pressure", &f->pressures);
  const bool dense = !f->loose || open_values(f, "density", &f->densities) || f->densities < 0;
  return pressed && dense && f->seconds && f->ends && f->triangle && f->rest_length && f->positions >= 0 &&
         extents[0] == f->frames && extents[2] == 3 && f->frames > 0 && f->vertices > 0 && lengths == f->springs &&
         has_indices(f);
}

bool sb_film_open(sb_film *f, const sb_session *session, const char *path, const sb_animation_spec *look)
{
  char error[256] = "";
  *f = (sb_film){.session = session,
                 .path = path,
                 .look = look,
                 .arena = sb_arena_create(),
                 .file = -1,
                 .positions = -1,
                 .pressures = -1,
                 .densities = -1};
  f->file = sb_case_file_open(f->path, error);
  if (f->file < 0) return sb_film_fail(f, "E100", error);
  if (!sb_h5_exists(f->file, "parameters") && sb_h5_exists(f->file, "particles") && sb_h5_good())
    return sb_film_fail(f, "E200", "another program has written it; `springbench measure -o` makes a case file of it");
  if (!sb_h5_exists(f->file, "particles/all/position") && sb_h5_good())
    return sb_film_fail(f, "E200", "no states are stored in it; run the case with save=every:1 (a state per frame)");
  const bool   whole = read_arrays(f);
  json_auto_t *parameters = sb_h5_attributes(f->file, "parameters");
  if (!whole || !parameters || !read_options(f, parameters)) /* HDF5 may have given the reason */
    return sb_film_fail(f, "E200", sb_h5_good() ? SB_H5_INCOMPLETE : sb_h5_cause());
  if (f->loose && f->look->colour == SB_COLOUR_STRAIN)
    return sb_film_fail(f, "E106", "particles have no strains; colour: plain, pressure");
  if (!f->loose && f->look->colour == SB_COLOUR_PRESSURE)
    return sb_film_fail(f, "E106", "springs have no pressures; colour: plain, strain");
  return turn_upright(f, parameters);
}

/* ---- the extent of the motion ---- */

void sb_film_place_collider(const sb_film *f, size_t i, double seconds, double place[2][3])
{
  double                   point[SB_COLLIDER_POINTS_MAX][3] = {{0}};
  size_t                   count = 0;
  const sb_collider_shape *shape = (const void *)sb_contact_colliders(f->contact, &count)[i].form;
  sb_contact_places(f->contact, seconds, i, point);
  to_picture(f, point[0], place[0]);
  to_picture(f, point[shape->points - 1], place[1]);
}

/* Widens the room of the motion by a ball. */
static void widen(sb_film *f, const double place[3], double radius)
{
  for (int k = 0; k < SB_FILM_SIDES; ++k) {
    f->low[k] = fmin(f->low[k], sb_dot(f->along[k], place) - radius);
    f->high[k] = fmax(f->high[k], sb_dot(f->along[k], place) + radius);
  }
}

/* The diagonal of the box of the frame just read. */
static double diagonal(const sb_film *f)
{
  double extent[3];
  for (size_t c = 0; c < 3; ++c) {
    double low = INFINITY, high = -INFINITY;
    for (size_t v = 0; v < f->vertices; ++v) {
      low = fmin(low, f->place[3 * v + c]);
      high = fmax(high, f->place[3 * v + c]);
    }
    extent[c] = high - low;
  }
  return sqrt(sb_dot(extent, extent));
}

/* Frames in which the net has burst count for nothing. A periodic box is shown whole. The scale of pressures begins at
 * 0, unless fluid is pulled, and excludes a hundredth at either end. If fluid hits a wall, or itself, some particles
 * have, for a step, many times the pressure of all others, which would then have one colour. */
bool sb_film_measure(sb_film *f, size_t count, const size_t *frames)
{
  const double     radius = 0.5 * f->fluid.spacing, *period = f->fluid.period;
  SB_OWNED double *pressures = sb_allocate(f->loose ? count * f->vertices : 0, sizeof *pressures);
  size_t           seen = 0;
  f->calm = 0;
  for (size_t i = 0; i < count; ++i) {
    double place[2][3];
    if (!sb_film_read(f, frames[i])) return false;
    const double size = diagonal(f);
    if (!(f->size > 0)) f->size = size;
    if (!(size <= BURST * f->size)) continue;
    if (f->calm == i) ++f->calm;
    for (size_t v = 0; v < f->vertices; ++v) {
      widen(f, &f->place[3 * v], radius);
      if (!f->loose) f->scale[1] = fmax(f->scale[1], fabs(f->value[v]));
      if (f->loose && !f->pinned[v]) pressures[seen++] = f->value[v];
    }
    for (size_t c = 0; c < f->colliders; ++c) {
      sb_film_place_collider(f, c, f->seconds[frames[i]], place);
      for (int p = 0; p < 2 && f->radius[c] > 0; ++p) widen(f, place[p], f->radius[c]);
    }
  }
  for (int corner = 0; corner < 2 && period[0] + period[1] + period[2] > 0; ++corner) {
    double place[3];
    to_picture(f, (double[3]){corner * period[0], corner * period[1], corner * period[2]}, place);
    widen(f, place, 0);
  }
  if (seen > 0) {
    sb_sort(pressures, seen);
    f->scale[0] = fmin(f->scale[0], pressures[seen / 100]);
    f->scale[1] = fmax(f->scale[1], pressures[seen - 1 - seen / 100]);
  }
  if (!f->loose) f->scale[0] = -f->scale[1];
  f->flat =
      f->fluid.dimensions == 2 || f->high[1] - f->low[1] <= 1e-9 * (f->high[0] - f->low[0] + f->high[2] - f->low[2]);
  return true;
}

size_t *sb_film_frames(const sb_film *f, size_t most, size_t *count)
{
  const size_t stored = f->frames, step = most < 2 || stored < 2 ? stored : (stored - 2) / (most - 1) + 1;
  *count = stored < 2 ? stored : (stored - 2) / step + 2;
  size_t *frame = sb_arena_take(f->arena, *count, sizeof *frame);
  for (size_t i = 0; i < *count; ++i) frame[i] = i * step < stored ? i * step : stored - 1;
  return frame;
}

void sb_film_close(sb_film *f)
{
  char ignored[256] = "";
  if (f->contact) sb_contact_destroy(&f->contact);
  sb_options_destroy(&f->options);
  (void)sb_h5_close(f->positions);
  (void)sb_h5_close(f->pressures);
  (void)sb_h5_close(f->densities);
  if (f->file >= 0) (void)sb_case_file_close(f->file, true, ignored);
  sb_arena_destroy(&f->arena);
}
