/* A page that plays motions; see report.h. It is plots/player.html, into which the motions are written as JSON: places
 * as 16-bit integers of a box of their own, values that colours stand for as 8-bit ones, both in base64. An axis along
 * which nothing moves is left out. What WebGL needs besides is computed by the page. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/order_statistics.h"
#include "cases/common/durable.h"
#include "harness/report/film.h"
#include "harness/report/report.h"
#include "harness/report/report_text.h"
#include "model/maths/vector3.h"

enum { LEVELS = UINT16_MAX, SHADES = 254 /* an even number: a strain of 0 is one of them */ };
/* Text of places and values of all frames of a motion; with more of it fewer frames are shown. */
enum { MOTION_BYTES_MAX = 8 << 20 };

/* What colours may stand for. A part of `beyond` of all values at either end, or in magnitude if the scale is about
 * zero, does not widen the scale. */
typedef struct {
  const char *name, *unit, *about;
  double      factor, beyond; /* factor: from SI to the unit */
  bool        diverging;
} quantity;

static json_t *base64(const void *bytes, size_t size)
{
  SB_OWNED char *text = NULL;
  size_t         length = 0;
  FILE          *stream = sb_text_stream(&text, &length);
  sb_text_put_base64(stream, bytes, size);
  return fclose(stream) == 0 ? json_stringn(text, length) : NULL;
}

/* A list of finite numbers. */
static json_t *numbers(size_t count, const double *values)
{
  json_t *list = json_array();
  for (size_t i = 0; i < count; ++i) json_array_append_new(list, json_real(isfinite(values[i]) ? values[i] : 0));
  return list;
}

/* The places in the scene's axes of the frame just read. */
static void to_scene(const sb_film *f, double *place)
{
  for (size_t i = 0; i < f->vertices; ++i)
    for (int c = 0; c < 3; ++c) {
      double *p = &place[3 * i + (size_t)c];
      *p = 0;
      for (int k = 0; k < 3; ++k) *p += f->axes[k][c] * f->place[3 * i + (size_t)k];
    }
}

/* Puts `low`, `step` and `position`: place = low + step * integer, along the axes whose step is not 0. */
static bool put_places(sb_film *f, size_t count, const size_t *frames, json_t *motion)
{
  double             low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, step[3];
  SB_OWNED double   *place = sb_allocate(3 * f->vertices, sizeof *place);
  SB_OWNED uint16_t *levels = sb_allocate(3 * f->vertices * count, sizeof *levels);
  size_t             used = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (size_t i = 0; i < count; ++i) {
      if (!sb_film_read(f, frames[i])) return false;
      to_scene(f, place);
      for (size_t k = 0; k < 3 * f->vertices; ++k) {
        const size_t c = k % 3;
        low[c] = fmin(low[c], place[k]);
        high[c] = fmax(high[c], place[k]);
        if (pass == 1 && step[c] > 0)
          levels[used++] = (uint16_t)fmin(LEVELS, fmax(0, round((place[k] - low[c]) / step[c])));
      }
    }
    for (int c = 0; c < 3; ++c) step[c] = high[c] > low[c] ? (high[c] - low[c]) / LEVELS : 0;
  }
  json_object_set_new(motion, "low", numbers(3, low));
  json_object_set_new(motion, "step", numbers(3, step));
  json_object_set_new(motion, "position", base64(levels, used * sizeof *levels));
  return true;
}

/* The ends of a scale: of all values of vertices that are not pinned, unless too few are beyond. */
static void find_scale(const quantity *q, size_t count, double *values, double scale[2])
{
  const size_t beyond = (size_t)(q->beyond * (double)count);
  scale[0] = scale[1] = 0;
  for (size_t i = 0; i < count && q->diverging; ++i) values[i] = fabs(values[i]);
  sb_sort(values, count);
  if (count > 0) scale[1] = fmax(0, values[count - 1 - beyond]);
  if (count > 0 && !q->diverging) scale[0] = fmin(0, values[beyond]);
  if (q->diverging) scale[0] = -scale[1];
  if (!(scale[1] > scale[0])) scale[1] = scale[0] + 1e-12;
}

/* Appends a quantity; the film's values, or those of `data` if that is not negative. */
static bool put_quantity(sb_film *f, size_t count, const size_t *frames, const quantity *q, hid_t data, json_t *list)
{
  const hsize_t     extents[3] = {f->frames, f->vertices, 1};
  const size_t      all = count * f->vertices;
  SB_OWNED double  *values = sb_allocate(all, sizeof *values), *counted = sb_allocate(all, sizeof *counted);
  SB_OWNED uint8_t *shades = sb_allocate(all, 1);
  double            scale[2], least = INFINITY, most = -INFINITY;
  size_t            seen = 0;
  for (size_t i = 0; i < count; ++i) {
    double    *row = values + i * f->vertices;
    const bool read =
        data < 0 ? sb_film_read(f, frames[i]) : sb_h5_read_row(data, 2, extents, frames[i], H5T_NATIVE_DOUBLE, row);
    if (!read) return sb_film_fail(f, "E100", sb_arena_format(f->arena, "frame %zu cannot be read", frames[i]));
    if (data < 0) memcpy(row, f->value, f->vertices * sizeof *row);
    for (size_t v = 0; v < f->vertices; ++v)
      if (f->pressures < 0 || !f->pinned[v]) {
        counted[seen++] = row[v];
        least = fmin(least, row[v]);
        most = fmax(most, row[v]);
      }
  }
  find_scale(q, seen, counted, scale);
  for (size_t i = 0; i < all; ++i)
    shades[i] = (uint8_t)fmin(SHADES, fmax(0, round(SHADES * (values[i] - scale[0]) / (scale[1] - scale[0]))));
  json_array_append_new(list, json_pack("{ss ss ss sf sf sf sb s[bb] so}", "name", q->name, "unit", q->unit, "about",
                                        q->about, "factor", q->factor, "low", scale[0], "high", scale[1], "diverging",
                                        q->diverging, "clipped", least<scale[0], most> scale[1], "value",
                                        base64(shades, all)));
  return true;
}

static bool put_quantities(sb_film *f, size_t count, const size_t *frames, json_t *motion)
{
  const bool     flat = f->fluid.dimensions == 2;
  const quantity strain = {"strain", "%", "of the spring at a vertex that is strained most", 100, 0.02, true},
                 pressure = {"pressure", flat ? "N/m" : "Pa", "of a particle", 1, 0.01, false},
                 density = {"density", flat ? "kg/m²" : "kg/m³", "of a particle", 1, 0.01, false};
  json_t *list = json_array();
  json_object_set_new(motion, "quantities", list);
  if (f->pressures < 0) return put_quantity(f, count, frames, &strain, -1, list);
  return put_quantity(f, count, frames, &pressure, -1, list) &&
         (f->densities < 0 || put_quantity(f, count, frames, &density, f->densities, list));
}

/* One place of a collider that stands still, else one a frame. */
static void put_colliders(const sb_film *f, size_t count, const size_t *frames, json_t *motion)
{
  json_t *list = json_array();
  for (size_t c = 0; c < f->colliders; ++c) {
    json_t *places = json_array();
    double  before[2][3] = {{NAN}}, place[2][3];
    bool    moves = false;
    for (size_t i = 0; i < count; ++i) {
      sb_film_place_collider(f, c, f->seconds[frames[i]], place);
      moves = moves || (i > 0 && memcmp(before, place, sizeof place) != 0);
      memcpy(before, place, sizeof place);
      json_array_append_new(places, numbers(6, place[0]));
    }
    while (!moves && json_array_size(places) > 1) json_array_remove(places, json_array_size(places) - 1);
    json_array_append_new(list, json_pack("{sf so}", "radius", f->radius[c], "places", places));
  }
  json_object_set_new(motion, "colliders", list);
}

/* Frames, at most as many as asked for and as fit, up to the first in which the net has burst. */
static size_t *choose(sb_film *f, size_t most, size_t *count, bool *burst)
{
  const size_t fit = MOTION_BYTES_MAX / (f->vertices * (6 + 2) * 4 / 3);
  size_t      *frames = sb_film_frames(f, most < fit ? most : fit < 2 ? 2 : fit, count);
  if (!sb_film_measure(f, *count, frames)) return NULL;
  *burst = f->calm < *count;
  if (*burst) *count = f->calm > 0 ? f->calm : 1;
  return frames;
}

/* One motion as a JSON object; NULL after an error. *about: "101 frames from 0 to 1 s of 441 vertices". */
static json_t *motion_of(sb_film *f, const char *name, size_t most, const char **about)
{
  size_t       count = 0;
  bool         burst = false;
  const size_t springs = f->triangles > 0 || f->pressures >= 0 ? 0 : f->springs; /* that are drawn */
  size_t      *frames = choose(f, most, &count, &burst);
  if (!frames) return NULL;
  const char *file = strrchr(f->path, '/'), *things = f->pressures < 0 ? "vertices" : "particles";
  json_t     *times = json_array(), *stored = json_array(), *axes = json_array();
  for (size_t i = 0; i < count; ++i) {
    json_array_append_new(times, json_real(f->seconds[frames[i]]));
    json_array_append_new(stored, json_integer((json_int_t)frames[i]));
  }
  for (int c = 0; c < 3; ++c) json_array_append_new(axes, numbers(3, f->axes[c]));
  *about = sb_arena_format(f->session->arena, "%s from %.4g to %.4g s, %zu %s%s", sb_counted(f->arena, count, "frame"),
                           f->seconds[frames[0]], f->seconds[frames[count - 1]], f->vertices, things,
                           burst ? "; it blows up, and later frames are left out" : "");
  json_t *motion = json_pack("{ss ss ss ss ss sb si so so so s[oo] sf so so so}", "name", name, "file",
                             file ? file + 1 : f->path, "command", f->command, "note", *about, "kind",
                             f->pressures >= 0 ? "particles"
                             : springs > 0     ? "rope"
                                               : "surface",
                             "flat", (int)f->flat, "vertices", (int)f->vertices, "times", times, "stored", stored,
                             "axes", axes, "box", numbers(3, f->low), numbers(3, f->high), "diameter", f->fluid.spacing,
                             "triangles", base64(f->triangle, 3 * f->triangles * sizeof *f->triangle), "springs",
                             base64(f->ends, 2 * springs * sizeof *f->ends), "pinned", base64(f->pinned, f->vertices));
  put_colliders(f, count, frames, motion);
  if (put_places(f, count, frames, motion) && put_quantities(f, count, frames, motion)) return motion;
  json_decref(motion);
  return NULL;
}

/* JSON within HTML: no "</script>" and no "<!--". */
static void put_json(FILE *page, const json_t *root)
{
  SB_OWNED char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(12));
  fputs("<script type=\"application/json\" id=\"motions\">", page);
  for (const char *at = text ? text : "{}", *next; *at; at = next) {
    const size_t length = strcspn(at, "<");
    fwrite(at, 1, length, page);
    next = at + length;
    if (*next == '<') fputs("\\u003c", page), ++next;
  }
  fputs("</script>\n", page);
}

const char *sb_player_template(sb_arena *arena)
{
  return sb_arena_format(arena, "%s/player.html", sb_arena_adopt(arena, sb_data_directory("plots")));
}

/* The page, with its title, a sentence about its motions and their data at its marks. */
static char *page_of(const sb_session *session, const json_t *root, const char *title, const char *summary)
{
  const char *path = sb_player_template(session->arena);
  const char *page = sb_arena_adopt(session->arena, sb_read_file(path, NULL));
  if (!page) {
    (void)sb_error_at(session->diagnostics, (sb_location){path, 0, 0}, "E100", "cannot be read: %s", sb_cause(errno));
    return NULL;
  }
  static const char *const marks[] = {"<!--title-->", "<!--summary-->", "<!--motions-->"};
  char                    *text = NULL;
  size_t                   length = 0;
  FILE                    *out = sb_text_stream(&text, &length);
  for (const char *next; (next = strstr(page, "<!--")); page = next) {
    size_t k = 0;
    while (k < 3 && strncmp(next, marks[k], strlen(marks[k])) != 0) ++k;
    fwrite(page, 1, (size_t)(next - page), out);
    if (k == 2)
      put_json(out, root);
    else if (k < 2)
      sb_markdown_print(out, SB_AS_HTML, k == 0 ? title : summary);
    next += k < 3 ? strlen(marks[k]) : 0;
    if (k == 3) fputs("<!--", out), next += 4;
  }
  fputs(page, out);
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}

/* "Cloth on sphere" */
static const char *title_of(const sb_film *f)
{
  char *title =
      sb_arena_copy(f->session->arena, sb_options_has(f->options, SB_OPT_scene) ? SB_TEXT(f->options, scene) : "");
  for (char *c = title; *c; ++c)
    if (*c == '_') *c = ' ';
  *title = (char)toupper((unsigned char)*title);
  return title;
}

bool sb_player_write(const sb_session *session, const char *path, const sb_player *player)
{
  const sb_animation_spec *look = player->look;
  const char              *title = player->title, *summary = "";
  json_t                  *list = json_array();
  json_auto_t             *root = json_pack("{sf so}", "seconds", look->seconds, "motions", list);
  bool                     good = true;
  if (isfinite(look->tilt)) json_object_set_new(root, "tilt", json_real(look->tilt));
  if (isfinite(look->turn)) json_object_set_new(root, "turn", json_real(look->turn));
  for (size_t i = 0; good && i < player->count; ++i) {
    sb_film     f;
    const char *about = "", *name = player->motions[i].name;
    good = sb_film_open(&f, session, player->motions[i].file, look);
    json_t *motion = good ? motion_of(&f, name, (size_t)look->frames, &about) : NULL;
    good = motion && json_array_append_new(list, motion) == 0;
    if (motion && !title) title = title_of(&f);
    sb_film_close(&f);
    summary = sb_arena_format(session->arena, "%s%s%s", summary, *summary ? "; " : "", about);
  }
  if (good) json_object_set_new(root, "title", json_string(title));
  SB_OWNED char *page = good ? page_of(session, root, title, summary) : NULL;
  return page && sb_report_write(strchr(path, '/') ? path : sb_arena_format(session->arena, "./%s", path), page);
}
