/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads H5MD files of others; see motion_file.h. An attribute or dataset that cannot be read is a fault. */
#include "cases/store/motion_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/number.h"
#include "cases/store/case_file.h"
#include "cases/store/si_unit.h"

#define TIMES_DIFFER  1e-6 /* of a frame */
#define TIMES_USELESS 0.25 /* of a frame: a missing frame would not show */
enum { FRAMES_MAX = 1 << 27 /* a dataset may declare any size, and store nothing */, DIGITS_MAX = 17 };

static const struct {
  const char *name, *shape, *quantity;
  int         length, time; /* powers of its unit */
} kinds[] = {[SB_MOTION_POSITION] = {"position", "[frames][vertices][3] of at least two frames", "length", 1, 0},
             [SB_MOTION_VELOCITY] = {"velocity", "[frames][vertices][3] of the positions' vertices", "velocity", 1, -1},
             [SB_MOTION_IMAGE] = {"image", "[frames][vertices][3] or [vertices][3]", NULL, 0, 0},
             [SB_MOTION_EDGES] = {"box/edges", "[3] or [3][3], by frame or once", "length", 1, 0},
             [SB_MOTION_ID] = {"id", "[frames][vertices] or [vertices] of whole numbers", NULL, 0, 0},
             [SB_MOTION_KINDS] = {"time", "", "time", 0, 1}};

/* The factor to SI of a dataset of such a kind; *why if its unit cannot be used. */
static double read_unit(sb_motion_file *m, hid_t dataset, const char *path, int kind, const char **why)
{
  const char *text = sb_h5_unit(m->arena, dataset);
  sb_si_unit  unit = {.factor = 1};
  if (!text)
    *why = sb_arena_format(m->arena, "'%s' has a unit that is not one text in UTF-8", path);
  else if (!sb_si_unit_read(text, &unit))
    *why = sb_arena_format(m->arena, "'%s' is in %s, which is unknown; write it in SI", path, text);
  else if (*text && (unit.length != kinds[kind].length || unit.time != kinds[kind].time))
    *why = sb_arena_format(m->arena, "'%s' is in %s; expected a unit of %s", path, text, kinds[kind].quantity);
  else if (unit.factor != 1)
    m->other = path;
  else if (!*text)
    m->unstated = path;
  return unit.factor;
}

/* ---- steps and times ---- */

typedef struct {
  double *steps, *times; /* [count], times in s; NULL: it has none */
  double  exact;         /* s, of its times */
} readings;

/* A list, or the distance of two with an attribute `offset`. NULL if there is none, or with *why. */
static double *read_series(const sb_motion_file *m, const char *path, size_t count, const char **why)
{
  double       distance = NAN, offset = 0;
  size_t       found = 0;
  json_auto_t *stated = NULL;
  if (*why || !sb_h5_exists(m->file, path)) return NULL;
  if (!sb_h5_read_number(m->file, path, &distance)) {
    double *list = sb_h5_read_array(m->arena, m->file, path, H5T_NATIVE_DOUBLE, 0, &found);
    if (list && found == count) return list;
    *why = sb_arena_format(m->arena, "'%s' is not an array of %zu numbers, one per frame", path, count);
    return NULL;
  }
  if (!sb_h5_attribute(m->file, path, "offset", &stated) || (stated && !json_is_number(stated)))
    *why = sb_arena_format(m->arena, "'%s' has an offset that is not a number", path);
  else if (!(distance > 0))
    *why = sb_arena_format(m->arena, "'%s' is %g; the length of a frame must be above 0", path, distance);
  if (*why) return NULL;
  if (stated) offset = json_number_value(stated);
  double *list = sb_arena_take(m->arena, count, sizeof *list);
  for (size_t k = 0; k < count; ++k) list[k] = offset + distance * (double)k;
  return list;
}

/* Distance of 1 from the next number of its type; 0 for whole numbers. */
static double resolution_of(hid_t dataset)
{
  size_t   sign, exponent, exponent_bits, mantissa, mantissa_bits;
  SB_H5_ID type = H5Dget_type(dataset);
  if (H5Tget_class(type) != H5T_FLOAT) return 0;
  if (H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) < 0) return 0;
  return ldexp(1, -(int)mantissa_bits);
}

/* Differences of times are off by at most two roundings each, as programs convert units in the same type. */
static readings read_clock(sb_motion_file *m, const char *element, size_t count, const char **why)
{
  const char *path = sb_arena_format(m->arena, "%s/time", element);
  readings    r = {.steps = read_series(m, sb_arena_format(m->arena, "%s/step", element), count, why)};
  double      most = 0;
  if (!(r.times = read_series(m, path, count, why))) return r;
  SB_H5_ID     dataset = sb_h5_open(m->file, path);
  const double factor = read_unit(m, dataset, path, SB_MOTION_KINDS, why), resolution = resolution_of(dataset);
  for (size_t k = 0; k < count; ++k) most = fmax(most, fabs(r.times[k] *= factor));
  if (factor != 1 || resolution > ldexp(1, -52)) r.exact = 2 * resolution * most;
  return r;
}

/* The rows of an element that has `count` of them, for each frame of the positions. */
static size_t *match(sb_motion_file *m, const char *element, size_t count, const char **why)
{
  size_t        *rows = sb_arena_take(m->arena, m->frames, sizeof *rows), j = 0;
  const readings r = read_clock(m, element, count, why);
  const bool     steps = r.steps && m->steps;
  const double   frame = fabs(m->seconds[m->frames - 1]) / (double)(m->frames - 1);
  const double   near = fmax(TIMES_DIFFER * frame, m->exact_seconds + r.exact);
  for (size_t k = 0; k < m->frames && !*why; rows[k++] = j) {
    while (j < count && (steps ? r.steps[j] < m->steps[k] : r.times ? r.times[j] < m->times[k] - near : j < k)) ++j;
    if (j == count || (steps && r.steps[j] != m->steps[k]) || (r.times && !(fabs(r.times[j] - m->times[k]) <= near)))
      *why = sb_arena_format(m->arena, "'%s' has no values for the step and time of frame %zu of the positions",
                             element, k);
  }
  return rows;
}

/* ---- elements ---- */

/* True if the dataset has the shape of its kind; `timed`: after an extent for frames. */
static bool open_shape(sb_motion_file *m, sb_motion_kind kind, const char *path, bool timed)
{
  sb_motion_element *e = &m->elements[kind];
  const int least = kind == SB_MOTION_EDGES || kind == SB_MOTION_ID ? 1 : 2, most = kind == SB_MOTION_ID ? 1 : 2;
  for (int rank = least; rank <= most && e->dataset < 0; ++rank) {
    e->rank = rank + timed;
    e->dataset = sb_h5_open_dataset(m->file, path, e->rank, e->extents);
  }
  SB_H5_ID       type = H5Dget_type(e->dataset);
  const hsize_t *extents = e->extents + timed;
  return e->dataset >= 0 && e->extents[0] <= FRAMES_MAX && (e->rank == 1 + timed || extents[1] == 3) &&
         extents[0] == (kind == SB_MOTION_EDGES      ? 3
                        : kind == SB_MOTION_POSITION ? extents[0]
                                                     : m->vertices) &&
         (kind != SB_MOTION_ID || H5Tget_class(type) == H5T_INTEGER);
}

/* The positions, by which all others go. */
static void take_frames(sb_motion_file *m, const char *path, const char **why)
{
  sb_motion_element *e = &m->elements[SB_MOTION_POSITION];
  m->frames = (size_t)e->extents[0];
  m->vertices = (size_t)e->extents[1];
  const readings r = read_clock(m, path, m->frames, why);
  if (!*why && !r.times) *why = sb_arena_format(m->arena, "it has no '%s/time'", path);
  if (*why) return;
  m->steps = r.steps;
  m->times = r.times;
  m->exact_seconds = r.exact;
  m->seconds = sb_arena_take(m->arena, m->frames, sizeof *m->seconds);
  e->rows = sb_arena_take(m->arena, m->frames, sizeof *e->rows);
  for (size_t k = 0; k < m->frames; ++k) {
    m->seconds[k] = m->times[k] - m->times[0];
    e->rows[k] = k;
  }
  const double frame = fabs(m->seconds[m->frames - 1]) / (double)(m->frames - 1);
  if (m->exact_seconds > TIMES_USELESS * frame)
    *why = sb_arena_format(m->arena,
                           "'%s/time' is exact to %.1g s, and frames are %.3g s apart; write it with more digits", path,
                           m->exact_seconds, frame);
}

static void open_element(sb_motion_file *m, sb_motion_kind kind, const char *group, const char **why)
{
  sb_motion_element *e = &m->elements[kind];
  const char        *path = sb_arena_format(m->arena, "%s/%s", group, kinds[kind].name), *values = path;
  const bool         first = kind == SB_MOTION_POSITION;
  if (*why || (!first && !sb_h5_exists(m->file, path))) return;
  const bool timed = kind <= SB_MOTION_VELOCITY || !sb_h5_is_dataset(m->file, path);
  if (timed) values = sb_arena_format(m->arena, "%s/value", path);
  if (!open_shape(m, kind, values, timed) || (first && (e->extents[0] < 2 || e->extents[1] < 1)))
    *why = sb_arena_format(m->arena, "'%s' is not an array %s", values, kinds[kind].shape);
  else if (kinds[kind].quantity)
    e->factor = read_unit(m, e->dataset, values, (int)kind, why);
  if (!*why && first) take_frames(m, path, why);
  if (!*why && timed && !first) e->rows = match(m, path, (size_t)e->extents[0], why);
}

/* The group of particles; NULL with *why. */
static const char *find_group(hid_t file, sb_arena *arena, const char **why)
{
  json_auto_t *groups = sb_h5_exists(file, "particles") ? sb_h5_members(file, "particles") : NULL;
  if (json_array_size(groups) == 1)
    return sb_arena_format(arena, "particles/%s", json_string_value(json_array_get(groups, 0)));
  *why = json_array_size(groups) > 1 ? "it has several groups of particles; keep one" : "it has no group of particles";
  return NULL;
}

/* One text for all directions, or one for each. */
static void read_boundary(sb_motion_file *m, const char *group, const char **why)
{
  const char  *box = sb_arena_format(m->arena, "%s/box", group);
  json_auto_t *boundary = NULL;
  if (*why || !sb_h5_exists(m->file, box)) return;
  if (!sb_h5_attribute(m->file, box, "boundary", &boundary))
    *why = sb_arena_format(m->arena, "'%s' has a boundary that is not text", box);
  for (size_t d = 0; d < 3; ++d) {
    const json_t *one = json_is_array(boundary) ? json_array_get(boundary, d) : boundary;
    m->periodic[d] = json_is_string(one) && strcmp(json_string_value(one), "periodic") == 0;
  }
}

/* SI is the only system of H5MD's module. Numbers without unit may be in another one, if there is another one. */
static const char *judge_units(const sb_motion_file *m)
{
  static const char module[] = "h5md/modules/units";
  json_auto_t      *system = NULL;
  if (sb_h5_exists(m->file, module) && !sb_h5_attribute(m->file, module, "system", &system))
    return "its system of units cannot be read";
  if (system && (!json_is_string(system) || strcmp(json_string_value(system), "SI") != 0))
    return "its units are of another system than SI";
  if (!m->other || !m->unstated) return NULL;
  return sb_arena_format(m->arena, "'%s' has no unit, and that of '%s' is not SI's; write the units of both",
                         m->unstated, m->other);
}

static const char *open_motion(sb_motion_file *m)
{
  const char *why = NULL, *group = find_group(m->file, m->arena, &why);
  if (!group) return why;
  open_element(m, SB_MOTION_POSITION, group, &why);
  open_element(m, SB_MOTION_VELOCITY, group, &why);
  open_element(m, SB_MOTION_ID, group, &why);
  open_element(m, SB_MOTION_IMAGE, group, &why);
  read_boundary(m, group, &why);
  const bool images = m->elements[SB_MOTION_IMAGE].dataset >= 0;
  if (images || m->periodic[0] || m->periodic[1] || m->periodic[2]) open_element(m, SB_MOTION_EDGES, group, &why);
  if (!why && images && m->elements[SB_MOTION_EDGES].dataset < 0)
    why = sb_arena_format(m->arena, "'%s/image' needs '%s/box/edges', which is not there", group, group);
  if (!why) why = judge_units(m);
  if (why) return why;
  m->stored = sb_arena_take(m->arena, 3 * m->vertices, sizeof *m->stored);
  m->images = sb_arena_take(m->arena, 3 * m->vertices, sizeof *m->images);
  m->last = sb_arena_take(m->arena, 3 * m->vertices, sizeof *m->last);
  return NULL;
}

const char *sb_motion_file_open(const char *path, sb_arena *arena, sb_motion_file *m)
{
  char error[256] = "";
  *m = (sb_motion_file){.arena = arena, .file = sb_case_file_open(path, error)};
  for (int kind = 0; kind < SB_MOTION_KINDS; ++kind)
    m->elements[kind] = (sb_motion_element){.dataset = -1, .factor = 1};
  if (m->file < 0) return sb_arena_copy(arena, error);
  const char *why = open_motion(m);
  if (why || sb_h5_good()) return why;
  return sb_arena_copy(arena, sb_h5_cause());
}

double sb_motion_file_frame_seconds(const sb_motion_file *m)
{
  const double count = (double)(m->frames - 1), exact = m->seconds[m->frames - 1] / count;
  const double off = m->exact_seconds / count;
  double       shown = off > 0 ? INFINITY : exact;
  for (int digits = 1; digits <= DIGITS_MAX && !(fabs(shown - exact) <= off); ++digits) {
    char text[32];
    snprintf(text, sizeof text, "%.*g", digits, exact);
    if (!sb_parse_real(text, &shown)) return exact;
  }
  return shown;
}

/* ---- frames ---- */

static bool read_values(const sb_motion_file *m, sb_motion_kind kind, size_t frame, hid_t type, void *values)
{
  const sb_motion_element *e = &m->elements[kind];
  return e->rows ? sb_h5_read_row(e->dataset, e->rank, e->extents, e->rows[frame], type, values)
                 : H5Dread(e->dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
}

typedef struct {
  int64_t id;
  size_t  row;
} numbered;

static int by_id(const void *a, const void *b)
{
  const numbered *x = a, *y = b;
  return (x->id > y->id) - (x->id < y->id);
}

/* Puts the rows of a frame in the order of their id; why this cannot be done, or NULL. */
static const char *order_rows(sb_motion_file *m, size_t frame)
{
  const size_t       n = m->vertices;
  SB_OWNED int64_t  *ids = sb_allocate(n, sizeof *ids);
  SB_OWNED numbered *all = sb_allocate(n, sizeof *all);
  if (!read_values(m, SB_MOTION_ID, frame, H5T_NATIVE_INT64, ids)) return "its 'id' cannot be read";
  const bool first = !m->ids;
  if (!first && memcmp(ids, m->ids, n * sizeof *ids) == 0) return NULL;
  if (first) {
    m->ids = sb_arena_take(m->arena, n, sizeof *m->ids);
    m->first_ids = sb_arena_take(m->arena, n, sizeof *m->first_ids);
    m->order = sb_arena_take(m->arena, n, sizeof *m->order);
  }
  memcpy(m->ids, ids, n * sizeof *ids);
  for (size_t i = 0; i < n; ++i) all[i] = (numbered){ids[i], i};
  qsort(all, n, sizeof *all, by_id);
  for (size_t i = 1; i < n; ++i)
    if (all[i].id == all[i - 1].id)
      return sb_arena_format(m->arena, "frame %zu has the id %lld twice", frame, (long long)all[i].id);
  for (size_t i = 0; i < n; ++i) {
    if (first) m->first_ids[i] = all[i].id;
    if (all[i].id != m->first_ids[i])
      return sb_arena_format(m->arena, "frame %zu has other ids than frame 0, such as %lld", frame,
                             (long long)all[i].id);
    m->order[i] = all[i].row;
  }
  return NULL;
}

/* A box in m, its edges as rows. */
static bool read_box(const sb_motion_file *m, size_t frame, double box[3][3])
{
  const sb_motion_element *e = &m->elements[SB_MOTION_EDGES];
  double                   stored[9] = {0};
  const bool               oblique = e->rank == (e->rows ? 3 : 2);
  if (!read_values(m, SB_MOTION_EDGES, frame, H5T_NATIVE_DOUBLE, stored)) return false;
  for (int a = 0; a < 3; ++a)
    for (int d = 0; d < 3; ++d) box[a][d] = e->factor * (oblique ? stored[3 * a + d] : a == d ? stored[a] : 0);
  return true;
}

/* Nothing says how often a vertex without images has left the box, except that it seems to jump. */
static const char *find_jump(const sb_motion_file *m, size_t frame, double box[3][3], const double *values)
{
  for (size_t i = 0; i < 3 * m->vertices; ++i) {
    const double edge = fabs(box[i % 3][i % 3]);
    if (m->periodic[i % 3] && edge > 0 && fabs(values[i] - m->last[i]) > edge / 2)
      return sb_arena_format(m->arena,
                             "vertex %zu jumps by more than half an edge of its periodic box at frame %zu, and there "
                             "is no 'image'; write the positions unwrapped",
                             i / 3, frame);
  }
  return NULL;
}

const char *sb_motion_file_read(sb_motion_file *m, sb_motion_kind kind, size_t frame, double *values)
{
  const bool  moves = kind == SB_MOTION_POSITION, boxed = moves && m->elements[SB_MOTION_EDGES].dataset >= 0;
  const bool  images = boxed && m->elements[SB_MOTION_IMAGE].dataset >= 0;
  double      box[3][3];
  const char *why = m->elements[SB_MOTION_ID].dataset >= 0 ? order_rows(m, frame) : NULL;
  if (why) return why;
  if (!read_values(m, kind, frame, H5T_NATIVE_DOUBLE, m->stored) || (boxed && !read_box(m, frame, box)) ||
      (images && !read_values(m, SB_MOTION_IMAGE, frame, H5T_NATIVE_DOUBLE, m->images)))
    return sb_h5_good() ? "its values cannot be read" : sb_arena_copy(m->arena, sb_h5_cause());
  for (size_t i = 0; i < m->vertices; ++i) {
    const size_t row = m->order ? m->order[i] : i;
    for (size_t d = 0; d < 3; ++d) {
      values[3 * i + d] = m->elements[kind].factor * m->stored[3 * row + d];
      for (size_t a = 0; a < 3 && images; ++a) values[3 * i + d] += m->images[3 * row + a] * box[a][d];
    }
  }
  if (boxed && !images && frame > 0) why = find_jump(m, frame, box, values);
  if (moves) memcpy(m->last, values, 3 * m->vertices * sizeof *values);
  return why;
}

void sb_motion_file_close(sb_motion_file *m)
{
  for (int kind = 0; kind < SB_MOTION_KINDS; ++kind) {
    sb_h5_close(m->elements[kind].dataset);
    m->elements[kind].dataset = -1;
  }
  sb_h5_close(m->file);
  m->file = -1;
}
