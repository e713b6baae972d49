/* A figure's SVG in the page itself, so that a browser shows the values of its points and text can be searched.
 *
 * What gnuplot drew comes from a file, and a file may hold anything: it is read tag by tag, and only elements and
 * attributes that draw go into the page, nothing that runs, loads, leads elsewhere or closes what it did not open. At
 * the first thing else the figure is refused; as an <img> it still is shown. Ids get a prefix of the figure's own,
 * since gnuplot gives every figure the same. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/report/report_html_parts.h"

enum { DEPTH_MAX = 32 };

static const char *const elements[] = {"svg", "g",    "defs",    "path",     "circle", "rect",
                                       "use", "text", "polygon", "polyline", "tspan",  "title"};
/* Left out with all that is in them. */
static const char *const unneeded[] = {"desc", "filter", "feFlood", "feComposite"};
static const char *const attributes[] = {"viewBox",
                                         "class",
                                         "x",
                                         "y",
                                         "width",
                                         "height",
                                         "cx",
                                         "cy",
                                         "r",
                                         "d",
                                         "points",
                                         "transform",
                                         "fill",
                                         "stroke",
                                         "color",
                                         "opacity",
                                         "stroke-width",
                                         "stroke-linecap",
                                         "stroke-linejoin",
                                         "stroke-dasharray",
                                         "font-family",
                                         "font-size",
                                         "font-weight",
                                         "font-style",
                                         "text-anchor",
                                         "dx",
                                         "dy",
                                         "xml:space",
                                         "pointer-events",
                                         "fill-opacity",
                                         "stroke-opacity",
                                         "baseline-shift",
                                         "shape-rendering"};
static const char *const names[] = {"id"}, *const references[] = {"href", "xlink:href"};
static const char *const forgotten[] = {"xmlns", "xmlns:xlink", "standalone"};

typedef struct {
  const char *at, *prefix, *root;
  FILE       *to;
  const char *open[DEPTH_MAX];
  size_t      depth, muted; /* muted: what is open at this depth, and all in it, is left out; 0: nothing is */
  bool        ended;
} svg_reader;

typedef struct {
  const char *text;
  size_t      length;
} span;

static const char *one_of(const char *const *list, size_t count, span name)
{
  for (size_t i = 0; i < count; ++i)
    if (strlen(list[i]) == name.length && strncmp(list[i], name.text, name.length) == 0) return list[i];
  return NULL;
}
#define ONE_OF(list, name) one_of(list, sizeof(list) / sizeof *(list), name)

static void skip_blanks(svg_reader *r) { r->at += strspn(r->at, " \t\r\n"); }

static span take_name(svg_reader *r)
{
  const size_t length = strspn(r->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-");
  const span   name = {r->at, length};
  r->at += length;
  return name;
}

/* ="value" or ='value' */
static bool take_value(svg_reader *r, span *value)
{
  skip_blanks(r);
  if (*r->at++ != '=') return false;
  skip_blanks(r);
  const char quote = *r->at;
  if (quote != '"' && quote != '\'') return false;
  *value = (span){++r->at, strcspn(r->at, (char[]){quote, '<', '\0'})};
  r->at += value->length;
  return *r->at++ == quote && !memchr(value->text, '"', value->length);
}

static bool contains(span text, const char *part) { return memmem(text.text, text.length, part, strlen(part)) != NULL; }

static void put_id(svg_reader *r, const char *before, span id)
{
  char *text = sb_copy_span(id.text, id.length);
  if (!r->muted) {
    fprintf(r->to, " %s%s:", before, r->prefix);
    sb_html_put_id(r->to, text);
    fputc('"', r->to);
  }
  free(text);
}

static bool take_attribute(svg_reader *r)
{
  const span name = take_name(r);
  span       value = {0};
  if (name.length == 0 || !take_value(r, &value) || contains(value, "url(")) return false;
  if (r->muted || ONE_OF(forgotten, name)) return true;
  if (ONE_OF(names, name))
    put_id(r, "id=\"", value);
  else if (ONE_OF(references, name) && *value.text == '#')
    put_id(r, "href=\"#", (span){value.text + 1, value.length - 1});
  else if (ONE_OF(attributes, name))
    fprintf(r->to, " %.*s=\"%.*s\"", (int)name.length, name.text, (int)value.length, value.text);
  else
    return false;
  return true;
}

/* What follows <name: attributes, and the end of the tag. */
static bool take_rest_of_tag(svg_reader *r)
{
  for (skip_blanks(r); *r->at && *r->at != '>' && *r->at != '/'; skip_blanks(r))
    if (!take_attribute(r)) return false;
  const bool closed = *r->at == '/';
  if (closed) ++r->at;
  if (*r->at++ != '>') return false;
  if (!r->muted) fputs(closed ? "/>" : ">", r->to);
  if (closed && r->muted == r->depth) r->muted = 0;
  if (closed) --r->depth;
  return true;
}

static bool take_start(svg_reader *r)
{
  const span  name = take_name(r);
  const char *drawn = ONE_OF(elements, name), *left_out = ONE_OF(unneeded, name);
  if ((!drawn && !left_out) || r->depth == DEPTH_MAX || (strcmp(drawn ? drawn : "", "svg") == 0) != (r->depth == 0))
    return false;
  r->open[r->depth++] = drawn ? drawn : left_out;
  /* A title of the whole would be shown wherever the pointer is. */
  if (!r->muted && (left_out || (r->depth == 2 && strcmp(drawn, "title") == 0))) r->muted = r->depth;
  if (!r->muted) fprintf(r->to, "<%s%s", drawn, r->depth == 1 ? r->root : "");
  return take_rest_of_tag(r);
}

static bool take_end(svg_reader *r)
{
  const span name = take_name(r);
  skip_blanks(r);
  if (*r->at++ != '>' || r->depth == 0 || !one_of(&r->open[r->depth - 1], 1, name)) return false;
  if (!r->muted) fprintf(r->to, "</%s>", r->open[r->depth - 1]);
  if (r->muted == r->depth) r->muted = 0;
  r->ended = --r->depth == 0;
  return true;
}

static bool take_text(svg_reader *r)
{
  const size_t length = strcspn(r->at, "<");
  if ((r->depth == 0 || r->ended) && strspn(r->at, " \t\r\n") < length) return false;
  if (!r->muted && r->depth > 0) fwrite(r->at, 1, length, r->to);
  r->at += length;
  return true;
}

static bool take_all(svg_reader *r)
{
  const char *prolog = strncmp(r->at, "<?xml ", 6) == 0 ? strstr(r->at, "?>") : NULL;
  if (prolog) r->at = prolog + 2;
  while (*r->at) {
    if (!take_text(r)) return false;
    if (!*r->at) break;
    ++r->at;
    if (r->ended) return false;
    const bool end = *r->at == '/';
    r->at += end;
    if (!(end ? take_end(r) : take_start(r))) return false;
  }
  return r->ended;
}

char *sb_html_drawing(const char *svg, const char *prefix, const char *root)
{
  char      *text = NULL;
  size_t     length = 0;
  svg_reader r = {.at = svg, .prefix = prefix, .root = root, .to = sb_text_stream(&text, &length)};
  bool       done = take_all(&r);
  fclose(r.to);
  if (done) return text;
  free(text);
  return NULL;
}
