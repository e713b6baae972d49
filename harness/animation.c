/* Films: which frames, how long, through which gnuplot terminal; see animation.h. */
#include "harness/animation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/allocate.h"
#include "harness/gnuplot.h"
#include "model/contact.h"

static double json_component(const json_t *vector, size_t c) { return json_number_value(json_array_get(vector, c)); }

/* Up is the axis that gravity follows; without gravity z, but y where the motion stays in a plane of constant z. */
static void orient(sb_film *film, bool planar)
{
  const json_t *gravity = json_object_get(film->motion.parameters, "gravity");
  int           up = planar ? 1 : 2;
  double        most = 0;
  for (int c = 0; c < 3; ++c)
    if (fabs(json_component(gravity, (size_t)c)) > most) {
      most = fabs(json_component(gravity, (size_t)c));
      up = c;
    }
  const int    axes[3][3] = {{1, 2, 0}, {0, 2, 1}, {0, 1, 2}};
  const double signs[3][3] = {{1, 1, 1}, {1, -1, 1}, {1, 1, 1}};
  memcpy(film->axis, axes[up], sizeof film->axis);
  memcpy(film->sign, signs[up], sizeof film->sign);
}

static bool is_planar(const sb_film *film)
{
  for (size_t i = 0; i < film->motion.vertices; ++i)
    if (film->position[3 * i + 2] != film->position[2]) return false;
  return true;
}

/* The case's options, from their stored texts; what this program does not know is left out. */
static void read_options(sb_film *film, const sb_vocabulary *vocabulary)
{
  sb_diagnostics *silent = sb_diagnostics_create();
  const char     *name;
  json_t         *value;
  film->options = sb_options_create(vocabulary);
  if (!silent || !film->options) return;
  json_object_foreach(film->motion.parameters, name, value)
  {
    const sb_option_id id = sb_option_find(name);
    if (id == SB_OPT_COUNT) continue;
    char *text = json_is_string(value) ? sb_copy_text(json_string_value(value)) : json_dumps(value, JSON_ENCODE_ANY);
    if (text) (void)sb_options_set(film->options, id, text, SB_FROM_USER, (sb_location){0}, silent);
    free(text);
  }
  sb_diagnostics_destroy(&silent);
  if (!sb_contact_create(film->options, &film->contact)) film->contact = NULL;
}

static bool open_film(sb_film *film, const char *path, const sb_vocabulary *vocabulary, char error[256])
{
  if (!sb_motion_open(path, &film->motion, error)) return false;
  const size_t n = film->motion.vertices;
  film->position = sb_allocate(3 * n, sizeof(double));
  film->place = sb_allocate(3 * n, sizeof(double));
  film->strain = sb_allocate(n, sizeof(double));
  read_options(film, vocabulary);
  if (!sb_motion_read(&film->motion, 0, film->position, error)) return false;
  orient(film, is_planar(film));
  for (int c = 0; c < 3; ++c) {
    film->low[c] = INFINITY;
    film->high[c] = -INFINITY;
  }
  return true;
}

static void close_film(sb_film *film)
{
  if (film->contact) sb_contact_destroy(&film->contact);
  sb_options_destroy(&film->options);
  sb_motion_close(&film->motion);
  free(film->position);
  free(film->place);
  free(film->strain);
}

/* The i-th of `count` frames taken evenly from those stored, the first and the last among them. */
static size_t frame_at(const sb_film *film, size_t count, size_t i)
{
  return count < 2 ? film->motion.frames - 1 : i * (film->motion.frames - 1) / (count - 1);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static bool measure(sb_film *film, size_t count, char error[256])
{
  for (size_t i = 0; i < count; ++i) {
    const size_t frame = frame_at(film, count, i);
    if (!sb_film_read(film, frame, error)) return false;
    sb_film_measure(film, frame);
  }
  const double width = film->high[0] - film->low[0], height = film->high[2] - film->low[2];
  film->flat = film->high[1] - film->low[1] <= 1e-9 * (width + height);
  return true;
}

/* Hundredths of a second a frame is shown. */
static int delay_of(const sb_film *film, size_t count)
{
  const double took = film->motion.seconds[film->motion.frames - 1] - film->motion.seconds[0];
  const double length = film->wanted->seconds > 0 ? film->wanted->seconds : fmin(20, fmax(2, took));
  return (int)fmax(2, round(100 * length / (double)count));
}

static void count_on(bool progress, size_t done, size_t count)
{
  if (!progress) return;
  fprintf(stderr, "\rframe %zu of %zu%s", done, count, done == count ? "\n" : "");
  fflush(stderr);
}

/* `columns` by `rows` frames share the picture, 1 by 1 in a film. */
static bool draw_frames(sb_film *film, size_t count, const int layout[2], bool progress, FILE *commands,
                        char error[256])
{
  for (size_t i = 0; i < count && !ferror(commands); ++i) {
    const size_t frame = frame_at(film, count, i), columns = (size_t)layout[0], rows = (size_t)layout[1];
    const double across = (double)(i % columns) + 0.04, down = (double)(i / columns % rows) + 0.06;
    const double corner[2] = {across / (double)columns, 1 - down / (double)rows};
    if (!sb_film_read(film, frame, error)) return false;
    sb_film_draw(film, frame, corner, columns * rows == 1 || i + 1 == count, commands);
    count_on(progress, i + 1, count);
  }
  return true;
}

/* As a string of gnuplot's, in which nothing is expanded. */
static void put_quoted(FILE *commands, const char *text)
{
  fputc('\'', commands);
  for (; *text; ++text) {
    if (*text == '\'') fputc('\'', commands);
    fputc(*text, commands);
  }
  fputc('\'', commands);
}

static bool draw_gif(sb_film *film, bool progress, char error[256])
{
  const size_t count = least(film->motion.frames, film->wanted->frames_max);
  sb_gnuplot   gnuplot;
  if (!sb_gnuplot_open(&gnuplot, error)) return false;
  fprintf(gnuplot.commands, "set terminal gif animate delay %d loop 0 size %d,%d enhanced font 'sans,11'\nset output ",
          delay_of(film, count), film->wanted->width, film->wanted->height);
  put_quoted(gnuplot.commands, film->wanted->gif);
  sb_film_head(film, 1, gnuplot.commands);
  const bool drawn = draw_frames(film, count, (int[2]){1, 1}, progress, gnuplot.commands, error);
  return sb_gnuplot_close(&gnuplot, error) && drawn;
}

static bool draw_strip(sb_film *film, char error[256])
{
  const size_t count = least(film->motion.frames, film->wanted->stills);
  const int    rows = count > 3 ? 2 : 1, columns = ((int)count + rows - 1) / rows;
  sb_gnuplot   gnuplot;
  if (!sb_gnuplot_open(&gnuplot, error)) return false;
  fprintf(gnuplot.commands, "set terminal pngcairo size %d,%d enhanced font 'sans,11'\nset output ",
          columns * film->wanted->width, rows * film->wanted->height);
  put_quoted(gnuplot.commands, film->wanted->strip);
  sb_film_head(film, 1.0 / columns, gnuplot.commands);
  fprintf(gnuplot.commands, "set multiplot layout %d,%d\n", rows, columns);
  const bool drawn = draw_frames(film, count, (int[2]){columns, rows}, false, gnuplot.commands, error);
  fputs("unset multiplot\n", gnuplot.commands);
  return sb_gnuplot_close(&gnuplot, error) && drawn;
}

bool sb_animate(const char *path, const sb_vocabulary *vocabulary, const sb_animation *wanted, bool progress,
                char error[256])
{
  sb_film film = {.wanted = wanted, .motion = {.file = -1, .positions = -1}};
  error[0] = '\0';
  bool good =
      open_film(&film, path, vocabulary, error) && measure(&film, least(film.motion.frames, wanted->frames_max), error);
  if (good && wanted->gif) good = draw_gif(&film, progress, error);
  if (good && wanted->strip) good = draw_strip(&film, error);
  close_film(&film);
  return good;
}
