/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A page that plays motions; see report.h. It is plots/player.html with plots/view.css and plots/view.js, which it
 * shares with plots/live.html, and the motions as JSON: positions as 16-bit integers in the box of the motion, values
 * for colours as 8-bit ones, both in base64. An axis along which nothing moves is omitted. The page computes everything
 * else that WebGL needs. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/allocate.h"
#include "base/order_statistics.h"
#include "cases/common/durable.h"
#include "cases/common/json_text.h"
#include "harness/report/film.h"
#include "harness/report/report.h"
#include "harness/report/report_text.h"

enum { LEVELS = UINT16_MAX, SHADES = 254 /* an even number: a strain of 0 is one of them */ };
/* Text of places and values of all frames of a motion; with more of it fewer frames are shown. */
enum { MOTION_BYTES_MAX = 8 << 20 };

/* Quantities that colours may show. */
enum { STRAIN, PRESSURE, DENSITY, QUANTITIES };
static const struct {
  const char *name, *unit[2], *about; /* unit: in space, in a plane */
  double      factor;                 /* from SI to the unit */
  double      beyond;                 /* part of all values at an end of the scale that does not widen it */
  bool        diverging, from_zero;   /* the scale is about zero, or begins at it */
} quantities[] = {
    [STRAIN] = {"strain", {"%", "%"}, "of the spring at a vertex that is strained most", 100, 0.02, .diverging = true},
    [PRESSURE] = {"pressure", {"Pa", "N/m"}, "of a particle", 1, 0.01, .from_zero = true},
    [DENSITY] = {"density", {"kg/m³", "kg/m²"}, "of a particle", 1, 0.01, .from_zero = false},
};

/* The scale of a quantity, and the extremes of its values, of all motions. */
typedef struct {
  double low, high, least, most;
} range;

/* A motion on its way into the page, and the frames that it shows. */
typedef struct {
  sb_film     film;
  const char *name, *about;
  size_t      count, *frames;
  double     *place;              /* [count][vertices][3], in the scene's axes */
  double     *values[QUANTITIES]; /* [count][vertices]; NULL: it has no such quantity */
} subject;

/* A list of finite numbers. */
static json_t *numbers(size_t count, const double *values)
{
  json_t *list = json_array();
  for (size_t i = 0; i < count; ++i) json_array_append_new(list, json_real(isfinite(values[i]) ? values[i] : 0));
  return list;
}

/* Reads the places and values of all frames that are shown. */
static bool read_frames(subject *s)
{
  sb_film      *f = &s->film;
  const hsize_t extents[3] = {f->frames, f->vertices, 1};
  const bool    has[QUANTITIES] = {[STRAIN] = !f->loose, [PRESSURE] = f->loose, [DENSITY] = f->densities >= 0};
  double       *place = s->place = sb_arena_take(f->arena, 3 * s->count * f->vertices, sizeof *place);
  for (int q = 0; q < QUANTITIES; ++q)
    if (has[q]) s->values[q] = sb_arena_take(f->arena, s->count * f->vertices, sizeof(double));
  for (size_t i = 0; i < s->count; ++i) {
    const size_t first = i * f->vertices;
    if (!sb_film_read(f, s->frames[i])) return false;
    memcpy(s->values[f->loose ? PRESSURE : STRAIN] + first, f->value, f->vertices * sizeof(double));
    for (size_t v = 0; v < f->vertices; ++v)
      for (int c = 0; c < 3; ++c, ++place)
        for (int k = 0; k < 3; ++k) *place += f->axes[k][c] * f->place[3 * v + (size_t)k];
    if (has[DENSITY] &&
        !sb_h5_read_row(f->densities, 2, extents, s->frames[i], H5T_NATIVE_DOUBLE, s->values[DENSITY] + first))
      return sb_film_fail(f, "E100", sb_arena_format(f->arena, "frame %zu cannot be read", s->frames[i]));
  }
  return true;
}

/* Puts `low`, `step` and `position`: place = low + step * integer, along the axes whose step is not 0. */
static void put_places(const subject *s, json_t *motion)
{
  const size_t       all = 3 * s->count * s->film.vertices;
  double             low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, step[3];
  SB_OWNED uint16_t *levels = sb_allocate(all, sizeof *levels);
  size_t             used = 0;
  for (size_t k = 0; k < all; ++k) {
    low[k % 3] = fmin(low[k % 3], s->place[k]);
    high[k % 3] = fmax(high[k % 3], s->place[k]);
  }
  for (int c = 0; c < 3; ++c) step[c] = high[c] > low[c] ? (high[c] - low[c]) / LEVELS : 0;
  for (size_t k = 0; k < all; ++k)
    if (step[k % 3] > 0)
      levels[used++] = (uint16_t)fmin(LEVELS, fmax(0, round((s->place[k] - low[k % 3]) / step[k % 3])));
  json_object_set_new(motion, "low", numbers(3, low));
  json_object_set_new(motion, "step", numbers(3, step));
  json_object_set_new(motion, "position", sb_json_of_bytes(levels, used * sizeof *levels));
}

/* Widens a scale by the values of vertices, and of particles except walls. A few extreme values do not count: a cloth
 * has its largest strain at its pins, and a fluid its largest pressure at an impact. */
static void widen_range(const subject *s, int q, range *r)
{
  const size_t     all = s->count * s->film.vertices;
  SB_OWNED double *seen = sb_allocate(all, sizeof *seen);
  size_t           count = 0;
  for (size_t i = 0; i < all; ++i) {
    const double value = s->values[q][i];
    if (q != STRAIN && s->film.pinned[i % s->film.vertices]) continue;
    r->least = fmin(r->least, value);
    r->most = fmax(r->most, value);
    seen[count++] = quantities[q].diverging ? fabs(value) : value;
  }
  if (count == 0) return;
  const size_t beyond = (size_t)(quantities[q].beyond * (double)count);
  sb_sort(seen, count);
  const double high = seen[count - 1 - beyond], low = quantities[q].diverging ? -high : seen[beyond];
  r->high = fmax(r->high, quantities[q].from_zero ? fmax(0, high) : high);
  r->low = fmin(r->low, quantities[q].from_zero ? fmin(0, low) : low);
}

/* Appends a quantity in 8 bits of its scale. */
static void put_quantity(const subject *s, int q, const range *r, json_t *list)
{
  const size_t      all = s->count * s->film.vertices;
  const double      width = r->high > r->low ? r->high - r->low : 1e-12, low = r->high >= r->low ? r->low : 0;
  SB_OWNED uint8_t *shades = sb_allocate(all, 1);
  for (size_t i = 0; i < all; ++i)
    shades[i] = (uint8_t)fmin(SHADES, fmax(0, round(SHADES * (s->values[q][i] - low) / width)));
  json_array_append_new(list, json_pack("{ss ss ss sf sf sf sb s[bb] so}", "name", quantities[q].name, "unit",
                                        quantities[q].unit[s->film.fluid.dimensions == 2], "about", quantities[q].about,
                                        "factor", quantities[q].factor, "low", low, "high", low + width, "diverging",
                                        (int)quantities[q].diverging, "clipped", (int)(r->least < r->low),
                                        (int)(r->most > r->high), "value", sb_json_of_bytes(shades, all)));
}

/* One position of a collider at rest, else one per frame. */
static void put_colliders(const subject *s, json_t *motion)
{
  const sb_film *f = &s->film;
  json_t        *list = json_array();
  for (size_t c = 0; c < f->colliders; ++c) {
    json_t *places = json_array();
    double  before[2][3] = {{NAN}}, place[2][3];
    bool    moves = false;
    for (size_t i = 0; i < s->count; ++i) {
      sb_film_place_collider(f, c, f->seconds[s->frames[i]], place);
      moves = moves || (i > 0 && memcmp(before, place, sizeof place) != 0);
      memcpy(before, place, sizeof place);
      json_array_append_new(places, numbers(6, place[0]));
    }
    while (!moves && json_array_size(places) > 1) json_array_remove(places, json_array_size(places) - 1);
    json_array_append_new(list, json_pack("{sf so}", "radius", f->radius[c], "places", places));
  }
  json_object_set_new(motion, "colliders", list);
}

/* Opens a motion, chooses its frames and widens the scales. The frames are at most as many as requested and as fit, and
 * end where the net has burst. */
static bool open_subject(subject *s, const sb_session *session, const sb_player *player, size_t i,
                         range ranges[QUANTITIES])
{
  sb_film *f = &s->film;
  s->name = player->motions[i].name;
  if (!sb_film_open(f, session, player->motions[i].file, player->look)) return false;
  const size_t fit = MOTION_BYTES_MAX / (f->vertices * (6 + 2) * 4 / 3), most = (size_t)player->look->frames;
  s->frames = sb_film_frames(f, most < fit ? most : fit < 2 ? 2 : fit, &s->count);
  if (!sb_film_measure(f, s->count, s->frames)) return false;
  const bool bursts = f->calm < s->count;
  if (bursts) s->count = f->calm > 0 ? f->calm : 1;
  s->about = sb_arena_format(f->arena, "%s from %.4g to %.4g s, %zu %s%s", sb_counted(f->arena, s->count, "frame"),
                             f->seconds[s->frames[0]], f->seconds[s->frames[s->count - 1]], f->vertices,
                             f->loose ? "particles" : "vertices",
                             bursts ? "; it blows up, and later frames are left out" : "");
  const bool read = read_frames(s);
  for (int q = 0; read && q < QUANTITIES; ++q)
    if (s->values[q]) widen_range(s, q, &ranges[q]);
  return read;
}

/* Appends one motion as a JSON object. */
static void put_motion(const subject *s, const range ranges[QUANTITIES], json_t *motions)
{
  const sb_film *f = &s->film;
  const size_t   springs = f->triangles > 0 || f->loose ? 0 : f->springs; /* that are drawn */
  const char    *folder = strrchr(f->path, '/');
  json_t        *file = json_string(folder ? folder + 1 : f->path); /* NULL: it is not UTF-8 */
  json_t        *times = json_array(), *stored = json_array(), *axes = json_array(), *list = json_array();
  for (size_t i = 0; i < s->count; ++i) {
    json_array_append_new(times, json_real(f->seconds[s->frames[i]]));
    json_array_append_new(stored, json_integer((json_int_t)s->frames[i]));
  }
  for (int c = 0; c < 3; ++c) json_array_append_new(axes, numbers(3, f->axes[c]));
  json_t *motion =
      json_pack("{ss so ss ss ss sb si so so so s[oo] sf so so so so}", "name", s->name, "file",
                file ? file : json_string(""), "command", f->command ? f->command : "", "note", s->about, "kind",
                f->loose      ? "particles"
                : springs > 0 ? "rope"
                              : "surface",
                "flat", (int)f->flat, "vertices", (int)f->vertices, "times", times, "stored", stored, "axes", axes,
                "box", numbers(3, f->low), numbers(3, f->high), "diameter", f->fluid.spacing, "triangles",
                sb_json_of_bytes(f->triangle, 3 * f->triangles * sizeof *f->triangle), "springs",
                sb_json_of_bytes(f->ends, 2 * springs * sizeof *f->ends), "pinned",
                sb_json_of_bytes(f->pinned, f->vertices), "quantities", list);
  json_array_append_new(motions, motion);
  put_colliders(s, motion);
  put_places(s, motion);
  for (int q = 0; q < QUANTITIES; ++q)
    if (s->values[q]) put_quantity(s, q, &ranges[q], list);
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

/* The files of plots/ that make up the page. The first has marks: STYLE and SCRIPT are files and their marks. */
enum { TEMPLATE, STYLE, SCRIPT, FILES, TITLE = 0, MOTIONS = FILES, SUMMARY, MARKS };
static const char *const files[FILES] = {"player.html", "view.css", "view.js"};
static const char *const marks[MARKS] = {"<!--title-->", "<!--style-->", "<!--view-->", "<!--motions-->",
                                         "<!--summary-->"};

static const char *path_of(sb_arena *arena, int file)
{
  return sb_arena_format(arena, "%s/%s", sb_arena_adopt(arena, sb_data_directory("plots")), files[file]);
}

const char *sb_player_version(sb_arena *arena)
{
  const char *version = "";
  for (int i = 0; i < FILES; ++i) {
    struct stat about = {0};
    (void)stat(path_of(arena, i), &about);
    version = sb_arena_format(arena, "%s %lld %lld", version, (long long)about.st_size, (long long)about.st_mtime);
  }
  return version;
}

/* The page, in the arena, with style, script, title, a sentence about its motions and their data at its marks. NULL
 * after an error. */
static const char *page_of(const sb_session *session, sb_arena *arena, const json_t *root, const char *title,
                           const char *summary)
{
  const char *part[FILES], *page;
  for (int i = 0; i < FILES; ++i) {
    const char *path = path_of(arena, i);
    part[i] = sb_arena_adopt(arena, sb_read_file(path, NULL));
    if (part[i]) continue;
    (void)sb_error_at(session->diagnostics, (sb_location){path, 0, 0}, "E100", "cannot be read: %s", sb_cause(errno));
    return NULL;
  }
  page = part[TEMPLATE];
  sb_arena_writer text;
  FILE           *out = sb_arena_write(&text, arena);
  for (const char *next; (next = strstr(page, "<!--")); page = next) {
    size_t k = 0;
    while (k < MARKS && strncmp(next, marks[k], strlen(marks[k])) != 0) ++k;
    fwrite(page, 1, (size_t)(next - page), out);
    if (k == MOTIONS)
      put_json(out, root);
    else if (k == STYLE || k == SCRIPT)
      fputs(part[k], out);
    else if (k < MARKS)
      sb_markdown_print(out, SB_AS_HTML, k == TITLE ? title : summary);
    next += k < MARKS ? strlen(marks[k]) : 0;
    if (k == MARKS) fputs("<!--", out), next += 4;
  }
  fputs(page, out);
  return sb_arena_text(&text);
}

/* "Cloth on sphere" */
static const char *title_of(const sb_film *f)
{
  char *title =
      sb_arena_copy(f->session->arena, sb_options_has(f->options, SB_ID(scene)) ? SB_TEXT(f->options, scene) : "");
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
  subject                 *subjects = sb_arena_take(session->arena, player->count, sizeof *subjects);
  range                    ranges[QUANTITIES];
  size_t                   opened = 0;
  bool                     good = true;
  for (int q = 0; q < QUANTITIES; ++q) ranges[q] = (range){INFINITY, -INFINITY, INFINITY, -INFINITY};
  if (isfinite(look->tilt)) json_object_set_new(root, "tilt", json_real(look->tilt));
  if (isfinite(look->turn)) json_object_set_new(root, "turn", json_real(look->turn));
  while (good && opened < player->count) {
    good = open_subject(&subjects[opened], session, player, opened, ranges);
    ++opened;
  }
  for (size_t i = 0; good && i < player->count; ++i) {
    put_motion(&subjects[i], ranges, list);
    summary = sb_arena_join(session->arena, summary, "; ", "%s", subjects[i].about);
  }
  if (good && !title) title = title_of(&subjects[0].film);
  if (good) json_object_set_new(root, "title", json_string(title));
  const char *page = good ? page_of(session, subjects[0].film.arena, root, title, summary) : NULL;
  good = page && sb_report_write(strchr(path, '/') ? path : sb_arena_format(session->arena, "./%s", path), page);
  while (opened > 0) sb_film_close(&subjects[--opened].film);
  return good;
}
