/* Figures and animations as images in the page.
 *
 * Figures are vectors where gnuplot made one, drawn at twice the size of print, and part of the page, so that their
 * points show their values (report_html_svg.c). Every other picture, and a figure that holds what is no drawing, is an
 * <img> with a data: address: what is in it cannot run; an animation stands above its stills,
 * which are all that a printed page, or a reader who asked for less motion, is shown. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/durable.h"
#include "harness/report/report_html_parts.h"
#include "harness/report/report_text.h"

enum { MIB = 1 << 20, FIGURE_BYTES_MAX = 4 * MIB, ANIMATION_BYTES_MAX = 4 * MIB, PAGE_BYTES_MAX = 32 * MIB };
enum { WIDE = 700 /* pixels: too fine to be read in the width of a phone */ };

typedef struct {
  char  *bytes; /* NULL: there is none */
  size_t size;
  double width, height; /* pixels on the page, 0: not known */
} picture;

static picture read_picture(const sb_html_sweep *s, const char *name)
{
  picture p = {0};
  char   *path = sb_format("%s/%s", s->results->directory, name);
  p.bytes = sb_read_file(path, &p.size);
  free(path);
  return p;
}

/* gnuplot's SVG says its size in printer's points as a viewBox. */
static void measure_svg(picture *p)
{
  const char *box = p->bytes ? strstr(p->bytes, "viewBox=\"0 0 ") : NULL;
  double      width = 0, height = 0;
  if (!box || sscanf(box, "viewBox=\"0 0 %lf %lf", &width, &height) != 2) return;
  p->width = 2.1 * width;
  p->height = 2.1 * height;
}

static unsigned byte_at(const picture *p, size_t i) { return (unsigned char)p->bytes[i]; }

static void measure_gif(picture *p)
{
  if (!p->bytes || p->size < 10) return;
  p->width = byte_at(p, 6) + 256 * byte_at(p, 7);
  p->height = byte_at(p, 8) + 256 * byte_at(p, 9);
}

static void measure_png(picture *p)
{
  if (!p->bytes || p->size < 24) return;
  p->width = 256 * byte_at(p, 18) + byte_at(p, 19);
  p->height = 256 * byte_at(p, 22) + byte_at(p, 23);
}

static void put_image(FILE *stream, const picture *p, const char *class, const char *type, const char *alt)
{
  fprintf(stream, "<img class=\"%s\" alt=\"", class);
  sb_html_put(stream, alt);
  fputc('"', stream);
  if (p->width > 0) fprintf(stream, " width=\"%.0f\" height=\"%.0f\"", p->width, p->height);
  fputs(" src=\"", stream);
  sb_html_put_data(stream, type, p->bytes, p->size);
  fputs("\">\n", stream);
}

/* The drawing as a part of the page; false where it cannot be one. */
static bool put_drawing(const sb_html_sweep *s, const picture *p, const char *id, const char *title)
{
  char         *prefix = NULL, *root = NULL;
  size_t        length = 0;
  sb_html_sweep aside = *s;
  aside.stream = sb_text_stream(&prefix, &length);
  sb_html_sweep_id(&aside, "drawing", id);
  fclose(aside.stream);
  FILE *head = sb_text_stream(&root, &length);
  fprintf(head, " class=\"figure%s\" role=\"img\" aria-label=\"", p->width > WIDE ? " wide" : "");
  sb_html_put(head, title);
  fprintf(head, "\" width=\"%.0f\" height=\"%.0f\"", p->width, p->height);
  fclose(head);
  char      *drawing = p->width > 0 ? sb_html_drawing(p->bytes, prefix, root) : NULL;
  const bool drawn = drawing != NULL;
  if (drawn) fprintf(s->stream, "<div class=\"drawing\">%s</div>\n", drawing);
  free(drawing);
  free(prefix);
  free(root);
  return drawn;
}

static bool put_form(const sb_html_sweep *s, const char *stem, const char *suffix, const char *alt)
{
  const bool vector = strcmp(suffix, "svg") == 0;
  char      *name = sb_format("figures/%s.%s", stem, suffix);
  picture    p = read_picture(s, name);
  const bool shown = p.bytes && p.size > 0 && p.size <= FIGURE_BYTES_MAX;
  if (vector)
    measure_svg(&p);
  else
    measure_png(&p);
  if (shown && !(vector && put_drawing(s, &p, stem, alt)))
    put_image(s->stream, &p, "figure", vector ? "image/svg+xml" : "image/png", alt);
  free(p.bytes);
  free(name);
  return shown;
}

static void put_figure_files(const sb_html_sweep *s, const char *id)
{
  static const char *const forms[] = {"svg", "pdf", "png", "gp", "dat"};
  fputs("<span class=\"files\">", s->stream);
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    char *name = sb_format("figures/%s.%s", id, forms[i]);
    sb_html_file_link(s, name, forms[i]);
    free(name);
  }
  fputs("</span>\n", s->stream);
}

/* Why it was left out, as figure.c stored it. */
static void put_reason(const sb_html_sweep *s, const char *id)
{
  char *path = sb_format("%s/figures/%s.why", s->results->directory, id);
  char *why = sb_text_is_safe_name(id) ? sb_read_file(path, NULL) : NULL;
  fputs("<p class=\"missing\">This figure has not been drawn", s->stream);
  if (why) fputs(": ", s->stream);
  sb_html_put(s->stream, why ? why : "; springbench plot draws it");
  fputs(".</p>\n", s->stream);
  free(path);
  free(why);
}

static void put_figure(const sb_html_sweep *s, const sb_figure_spec *spec)
{
  const char *title = spec->title ? spec->title : spec->id;
  const bool  named = sb_text_is_safe_name(spec->id);
  fputs("<figure id=\"", s->stream);
  sb_html_sweep_id(s, "figure", spec->id);
  fputs("\">\n", s->stream);
  if (!named || (!put_form(s, spec->id, "svg", title) && !put_form(s, spec->id, "png", title))) put_reason(s, spec->id);
  fputs("<figcaption>", s->stream);
  sb_html_put(s->stream, title);
  if (spec->note) fputs("<br><span class=\"remark\">", s->stream);
  if (spec->note) sb_html_put(s->stream, spec->note);
  fputs(spec->note ? "</span>\n" : "\n", s->stream);
  if (named) put_figure_files(s, spec->id);
  fputs("</figcaption>\n</figure>\n", s->stream);
}

void sb_html_figures(const sb_html_sweep *s)
{
  if (s->results->sweep->figure_count == 0) return;
  sb_html_heading(s, "figures", "Figures");
  fputs("<div class=\"figures\">\n", s->stream);
  for (size_t i = 0; i < s->results->sweep->figure_count; ++i) put_figure(s, &s->results->sweep->figures[i]);
  fputs("</div>\n", s->stream);
}

/* What the sweep calls it, else the case it shows, else the file's name. */
static void put_animation_title(const sb_html_sweep *s, const char *stem)
{
  const sb_sweep *sweep = s->results->sweep;
  for (size_t i = 0; i < sweep->animation_count; ++i)
    if (strcmp(sweep->animations[i].id, stem) == 0 && sweep->animations[i].title) {
      sb_html_put(s->stream, sweep->animations[i].title);
      return;
    }
  for (size_t row = 0; row < sb_rows_count(s->results->rows); ++row) {
    const sb_value key = sb_rows_get_named(s->results->rows, row, "key");
    if (key.kind != SB_WORD || strcmp(key.word, stem) != 0) continue;
    sb_html_case_words(s, row);
    return;
  }
  sb_html_put(s->stream, stem);
}

/* True when it went into the page. */
static bool put_within_limits(const sb_html_sweep *s, picture *p, const char *class, const char *type)
{
  if (!p->bytes || p->size > ANIMATION_BYTES_MAX || *s->embedded + p->size > PAGE_BYTES_MAX) return false;
  *s->embedded += p->size;
  put_image(s->stream, p, class, type, strcmp(class, "motion") == 0 ? "the motion, animated" : "stills of the motion");
  return true;
}

static void put_animation(const sb_html_sweep *s, const char *stem)
{
  char   *film = sb_format("animations/%s.gif", stem), *strip = sb_format("animations/%s.png", stem);
  picture moving = read_picture(s, film), stills = read_picture(s, strip);
  measure_gif(&moving);
  measure_png(&stills);
  fputs("<figure class=\"animation\">\n", s->stream);
  const bool shown = put_within_limits(s, &moving, "motion", "image/gif");
  put_within_limits(s, &stills, "stills", "image/png");
  fputs("<figcaption>", s->stream);
  put_animation_title(s, stem);
  if (!shown)
    fputs(" <span class=\"remark\">The film is too large for this page and lies beside it.</span>", s->stream);
  fputs("\n<span class=\"files\">", s->stream);
  sb_html_file_link(s, film, "gif");
  sb_html_file_link(s, strip, "png");
  fputs("</span></figcaption>\n</figure>\n", s->stream);
  free(moving.bytes);
  free(stills.bytes);
  free(film);
  free(strip);
}

static int is_film(const struct dirent *entry)
{
  const size_t length = strlen(entry->d_name);
  return length > 4 && entry->d_name[0] != '.' && strcmp(entry->d_name + length - 4, ".gif") == 0;
}

static int find_films(const sb_html_sweep *s, struct dirent ***entries)
{
  char     *folder = sb_format("%s/animations", s->results->directory);
  const int count = scandir(folder, entries, is_film, alphasort);
  free(folder);
  return count;
}

bool sb_html_has_animations(const sb_html_sweep *s)
{
  struct dirent **entries = NULL;
  const int       count = find_films(s, &entries);
  for (int i = 0; i < count; ++i) free(entries[i]);
  free(entries);
  return count > 0;
}

void sb_html_animations(const sb_html_sweep *s)
{
  struct dirent **entries = NULL;
  const int       count = find_films(s, &entries);
  if (count > 0) {
    sb_html_heading(s, "animations", "Animations");
    fputs("<div class=\"figures\">\n", s->stream);
  }
  for (int i = 0; i < count; ++i) {
    char *stem = sb_copy_span(entries[i]->d_name, strlen(entries[i]->d_name) - 4);
    put_animation(s, stem);
    free(stem);
    free(entries[i]);
  }
  if (count > 0) fputs("</div>\n", s->stream);
  free(entries);
}
