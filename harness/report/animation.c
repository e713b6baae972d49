/* Films: which frames, how long, through which gnuplot terminal; see animation.h. */
#include "harness/report/animation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/gnuplot.h"
#include "model/contact.h"
#include "model/scene.h"

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

/* A scene that cannot be made again, its mesh file gone, has no pins to show. */
static void find_pins(sb_film *film, sb_diagnostics *silent)
{
  sb_pose pose = {0};
  if (sb_scene_build(film->options, &pose, silent) && (size_t)pose.vertices == film->motion.vertices)
    memcpy(film->pinned, pose.pinned, film->motion.vertices * sizeof *film->pinned);
  sb_pose_clear(&pose);
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
  find_pins(film, silent);
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
  film->pinned = sb_allocate(n, sizeof(bool));
  read_options(film, vocabulary);
  if (!sb_motion_read(&film->motion, 0, film->position, error)) return false;
  orient(film, is_planar(film));
  for (int c = 0; c < 3; ++c) {
    film->low[c] = INFINITY;
    film->high[c] = -INFINITY;
  }
  for (int k = 0; k < 2; ++k) {
    film->seen_low[k] = INFINITY;
    film->seen_high[k] = -INFINITY;
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
  free(film->pinned);
}

/* Every how many stored frames one is shown, so that at most `most` are: evenly, for a smooth motion. */
static size_t stride(size_t stored, size_t most)
{
  return most < 2 || stored < 2 ? stored : (stored - 2) / (most - 1) + 1;
}

/* What a picture shows: `count` stored frames, from the first to the last. */
static sb_choice choose_film(const sb_film *film)
{
  const size_t stored = film->motion.frames, step = stride(stored, film->wanted->frames_max);
  sb_choice    choice = {.count = stored < 2 ? stored : (stored - 2) / step + 2};
  choice.frame = sb_allocate(choice.count, sizeof *choice.frame);
  for (size_t i = 0; i < choice.count; ++i) choice.frame[i] = i * step < stored ? i * step : stored - 1;
  return choice;
}

static sb_choice choose_stills(const sb_film *film)
{
  const size_t stored = film->motion.frames, most = film->wanted->stills;
  sb_choice    choice = {.count = most < stored ? most : stored};
  choice.frame = sb_allocate(choice.count, sizeof *choice.frame);
  for (size_t i = 0; i < choice.count; ++i)
    choice.frame[i] = choice.count < 2 ? stored - 1 : (2 * i * (stored - 1) / (choice.count - 1) + 1) / 2;
  return choice;
}

static bool measure(sb_film *film, const sb_choice *choice, char error[256])
{
  for (size_t i = 0; i < choice->count; ++i) {
    if (!sb_film_read(film, choice->frame[i], error)) return false;
    sb_film_measure(film, choice->frame[i]);
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
static bool draw_frames(sb_film *film, const sb_choice *choice, const int layout[2], bool progress, FILE *commands,
                        char error[256])
{
  const size_t columns = (size_t)layout[0], rows = (size_t)layout[1];
  for (size_t i = 0; i < choice->count && !ferror(commands); ++i) {
    const double across = (double)(i % columns) + 0.04, down = (double)(i / columns % rows) + 0.06;
    const double corner[2] = {across / (double)columns, 1 - down / (double)rows};
    if (!sb_film_read(film, choice->frame[i], error)) return false;
    sb_film_draw(film, choice->frame[i], corner, columns * rows == 1 || i + 1 == choice->count, commands);
    count_on(progress, i + 1, choice->count);
  }
  return true;
}

static bool draw_gif(sb_film *film, const sb_choice *choice, bool progress, char error[256])
{
  sb_gnuplot gnuplot;
  if (!sb_gnuplot_open(&gnuplot, error)) return false;
  fprintf(gnuplot.commands, "set terminal gif animate delay %d loop 0 size %d,%d enhanced font 'sans,11'\nset output ",
          delay_of(film, choice->count), film->wanted->width, film->wanted->height);
  sb_gnuplot_put_text(gnuplot.commands, film->wanted->gif);
  sb_film_head(film, 1, gnuplot.commands);
  const bool drawn = draw_frames(film, choice, (int[2]){1, 1}, progress, gnuplot.commands, error);
  return sb_gnuplot_close(&gnuplot, error) && drawn;
}

static bool draw_strip(sb_film *film, const sb_choice *choice, char error[256])
{
  const int  rows = choice->count > 3 ? 2 : 1, columns = ((int)choice->count + rows - 1) / rows;
  sb_gnuplot gnuplot;
  if (!sb_gnuplot_open(&gnuplot, error)) return false;
  fprintf(gnuplot.commands, "set terminal pngcairo size %d,%d enhanced font 'sans,11'\nset output ",
          columns * film->wanted->width, rows * film->wanted->height);
  sb_gnuplot_put_text(gnuplot.commands, film->wanted->strip);
  sb_film_head(film, 1.0 / columns, gnuplot.commands);
  fprintf(gnuplot.commands, "set multiplot layout %d,%d\n", rows, columns);
  const bool drawn = draw_frames(film, choice, (int[2]){columns, rows}, false, gnuplot.commands, error);
  fputs("unset multiplot\n", gnuplot.commands);
  return sb_gnuplot_close(&gnuplot, error) && drawn;
}

/* gnuplot reads names within a line; a line's end would be the end of its command. */
static bool can_be_named(const char *path, char error[256])
{
  for (const char *c = path ? path : ""; *c; ++c)
    if ((unsigned char)*c < 0x20 || *c == 0x7f) {
      snprintf(error, 256, "the picture's name holds a control character; give another by -o");
      return false;
    }
  return true;
}

static bool draw_pictures(sb_film *film, const sb_choice *stills, bool progress, char error[256])
{
  sb_choice frames = choose_film(film);
  bool      good = measure(film, &frames, error) && measure(film, stills, error);
  if (good && film->wanted->gif) good = draw_gif(film, &frames, progress, error);
  if (good && film->wanted->strip) good = draw_strip(film, stills, error);
  free(frames.frame);
  return good;
}

bool sb_animate(const char *path, const sb_vocabulary *vocabulary, const sb_animation *wanted, bool progress,
                char error[256])
{
  sb_film film = {.wanted = wanted, .motion = {.file = -1, .positions = -1}};
  error[0] = '\0';
  bool good = can_be_named(wanted->gif, error) && can_be_named(wanted->strip, error) &&
              open_film(&film, path, vocabulary, error);
  if (good && wanted->gif && film.motion.frames < 2) {
    snprintf(error, 256, "one state is stored, and a film takes two: run the case with save=every:1 (a state a frame)");
    good = false;
  }
  if (good) {
    sb_choice stills = choose_stills(&film);
    good = draw_pictures(&film, &stills, progress, error);
    free(stills.frame);
  }
  close_film(&film);
  return good;
}
