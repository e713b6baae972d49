/* Markdown as one page of HTML that opens without network.
 *
 * libcmark-gfm reads each Markdown file into a tree of nodes, and what Markdown cannot say is put into that tree before
 * it becomes HTML: ids, places within the page instead of other files, pictures as data: addresses, frames that scroll
 * around tables, and the colours of verdicts. All texts of users were escaped when the Markdown was written; tags that
 * could do something are filtered all the same, and a policy in the page's head forbids every script and all loading.
 */
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/common/data_directory.h"
#include "harness/common/durable.h"
#include "harness/common/html.h"
#include "harness/report/page.h"

enum { PAGE_BYTES_MAX = 32 << 20 };
enum { WIDE = 700 /* pixels: too fine to be read in the width of a phone */ };

typedef struct {
  sb_arena           *arena;
  const char         *directory;
  const sb_page_part *parts, *part;    /* [count]; the one that is being written */
  size_t              count, embedded; /* embedded: bytes of pictures in the page so far */
  FILE               *stream;
} page;

/* <folder of the part>/<address>, its %XX read. */
static char *path_of(const page *p, const char *address)
{
  const char     *slash = strrchr(p->part->address, '/');
  sb_arena_writer w;
  FILE           *path = sb_arena_write(&w, p->arena);
  if (slash) fwrite(p->part->address, 1, (size_t)(slash + 1 - p->part->address), path);
  for (; *address; ++address) {
    const char hex[3] = {address[1], address[1] ? address[2] : '\0', '\0'};
    if (*address == '%' && isxdigit((unsigned char)hex[0]) && isxdigit((unsigned char)hex[1])) {
      fputc((int)strtol(hex, NULL, 16), path);
      address += 2;
    } else {
      fputc(*address, path);
    }
  }
  return sb_arena_text(&w);
}

static char *address_of(const page *p, const char *path)
{
  sb_arena_writer w;
  sb_html_put_address(sb_arena_write(&w, p->arena), path);
  return sb_arena_text(&w);
}

/* The id of a place in a part; `place` NULL: of its beginning. */
static char *id_of(const page *p, const sb_page_part *part, const char *place)
{
  if (!place) return sb_arena_copy(p->arena, *part->id ? part->id : "content");
  return sb_arena_format(p->arena, "%s%s%s", part->id, *part->id ? ":" : "", place);
}

/* Another part of the page is a place in it, any other file is relative to the page. */
static void lead_on(const page *p, cmark_node *link)
{
  const char *url = cmark_node_get_url(link), *mark = strchr(url, '#');
  const char *place = mark ? mark + 1 : NULL, *target = NULL;
  char       *file = path_of(p, sb_arena_copy_span(p->arena, url, strcspn(url, "#")));
  if (url == mark) target = id_of(p, p->part, place);
  for (size_t i = 0; i < p->count && !target; ++i)
    if (strcmp(p->parts[i].address, file) == 0) target = id_of(p, &p->parts[i], place);
  cmark_node_set_url(link, target ? sb_arena_format(p->arena, "#%s", target) : address_of(p, file));
}

static void put_plain(FILE *stream, cmark_node *node)
{
  const cmark_node_type type = cmark_node_get_type(node);
  if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE) fputs(cmark_node_get_literal(node), stream);
  for (cmark_node *child = cmark_node_first_child(node); child; child = cmark_node_next(child))
    put_plain(stream, child);
}

static cmark_node *html_node(cmark_node_type type, const char *html)
{
  cmark_node *node = cmark_node_new(type);
  cmark_node_set_literal(node, html);
  return node;
}

/* Headings of sections get the id that GitHub gives them: "How to read this" becomes how-to-read-this. */
static void name_heading(const page *p, cmark_node *heading)
{
  sb_arena_writer w;
  put_plain(sb_arena_write(&w, p->arena), heading);
  char *name = sb_arena_text(&w), *end = name;
  for (const char *c = name; *c; ++c)
    if (isalnum((unsigned char)*c) || strchr("_-", *c))
      *end++ = (char)tolower((unsigned char)*c);
    else if (*c == ' ')
      *end++ = '-';
  *end = '\0';
  char *anchor = sb_arena_format(p->arena, "<a id=\"%s\"></a>", id_of(p, p->part, name));
  cmark_node_prepend_child(heading, html_node(CMARK_NODE_HTML_INLINE, anchor));
}

/* Parts behind the first stand a level below it; the title of a closed one is in the line that opens it. */
static void place_heading(const page *p, cmark_node *heading)
{
  const int level = cmark_node_get_heading_level(heading);
  if (level == 2) name_heading(p, heading);
  if (p->part == p->parts) return;
  if (level == 1 && p->part->summary)
    cmark_node_free(heading);
  else
    cmark_node_set_heading_level(heading, level + 1);
}

/* <a id="place"> */
static void name_anchor(const page *p, cmark_node *html)
{
  static const char begin[] = "<a id=\"";
  const char       *literal = cmark_node_get_literal(html);
  if (strncmp(literal, begin, sizeof begin - 1) != 0) return;
  const char *place = literal + sizeof begin - 1;
  char       *id = id_of(p, p->part, sb_arena_copy_span(p->arena, place, strcspn(place, "\"")));
  cmark_node_set_literal(html, sb_arena_format(p->arena, "%s%s\">", begin, id));
}

/* Verdicts begin with their mark: strong text that begins with one gets its colour. */
static void colour(cmark_node *strong)
{
  static const char *const marks[][2] = {{"✓", "good"}, {"◐", "good"}, {"≠", "other"}, {"✗", "bad"}, {"–", "none"}};
  const char              *text = cmark_node_get_literal(cmark_node_first_child(strong)), *class = NULL;
  for (size_t i = 0; text && i < sizeof marks / sizeof *marks; ++i)
    if (strncmp(text, marks[i][0], strlen(marks[i][0])) == 0) class = marks[i][1];
  if (!class) return;
  char tag[32];
  snprintf(tag, sizeof tag, "<strong class=\"%s\">", class);
  cmark_node_insert_before(strong, html_node(CMARK_NODE_HTML_INLINE, tag));
  for (cmark_node *child; (child = cmark_node_first_child(strong));) cmark_node_insert_before(strong, child);
  cmark_node_replace(strong, html_node(CMARK_NODE_HTML_INLINE, "</strong>"));
  cmark_node_free(strong);
}

static void frame(cmark_node *table)
{
  cmark_node_insert_before(
      table,
      html_node(CMARK_NODE_HTML_BLOCK, "<div class=\"scroll\" role=\"region\" aria-label=\"table\" tabindex=\"0\">\n"));
  cmark_node_insert_after(table, html_node(CMARK_NODE_HTML_BLOCK, "</div>\n"));
}

/* The size of a picture on the page: in pixels, of gnuplot's SVG twice its size in print. False: it is not known. */
static bool measure(const char *type, const char *bytes, size_t size, double *width, double *height)
{
  const unsigned char *b = (const unsigned char *)bytes;
  if (strcmp(type, "svg+xml") == 0) {
    const char *box = strstr(bytes, "viewBox=\"0 0 ");
    if (!box || sscanf(box, "viewBox=\"0 0 %lf %lf", width, height) != 2) return false;
    *width *= 2.1;
    *height *= 2.1;
    return true;
  }
  if (size < 24) return false;
  const bool gif = strcmp(type, "gif") == 0;
  *width = gif ? b[6] + 256 * b[7] : 256 * b[18] + b[19];
  *height = gif ? b[8] + 256 * b[9] : 256 * b[22] + b[23];
  return true;
}

static char *picture_html(const page *p, const char *type, const char *bytes, size_t size, const char *shows)
{
  double          width = 0, height = 0;
  const bool      known = measure(type, bytes, size, &width, &height);
  sb_arena_writer w;
  FILE           *html = sb_arena_write(&w, p->arena);
  fprintf(html, "<img class=\"%s%s\" alt=\"", type, width > WIDE ? " wide" : "");
  sb_html_put(html, shows);
  fputc('"', html);
  if (known) fprintf(html, " width=\"%.0f\" height=\"%.0f\"", width, height);
  fprintf(html, " src=\"data:image/%s;base64,", type);
  sb_html_put_base64(html, bytes, size);
  fputs("\">", html);
  return sb_arena_text(&w);
}

static void embed(page *p, cmark_node *image)
{
  static const char *const types[][2] = {{".svg", "svg+xml"}, {".png", "png"}, {".gif", "gif"}};
  const char              *type = NULL, *file = path_of(p, cmark_node_get_url(image));
  size_t                   size = 0;
  sb_arena_writer          w;
  put_plain(sb_arena_write(&w, p->arena), image);
  const char *shows = sb_arena_text(&w), *suffix = strrchr(file, '.');
  for (size_t i = 0; suffix && i < sizeof types / sizeof *types; ++i)
    if (strcmp(suffix, types[i][0]) == 0) type = types[i][1];
  char       *bytes = sb_read_file(sb_arena_format(p->arena, "%s/%s", p->directory, file), &size);
  cmark_node *instead = NULL;
  if (type && bytes && size <= SB_PAGE_PICTURE_BYTES_MAX && p->embedded + size <= PAGE_BYTES_MAX) {
    p->embedded += size;
    instead = html_node(CMARK_NODE_HTML_INLINE, picture_html(p, type, bytes, size, shows));
  } else {
    instead = cmark_node_new(CMARK_NODE_LINK);
    cmark_node_set_url(instead, address_of(p, file));
    cmark_node_append_child(instead, cmark_node_new(CMARK_NODE_TEXT));
    cmark_node_set_literal(cmark_node_first_child(instead),
                           sb_arena_format(p->arena, "%s (too large for this page: it lies beside it)", shows));
  }
  free(bytes);
  cmark_node_replace(image, instead);
  cmark_node_free(image);
}

static void complete(page *p, cmark_node *node)
{
  switch (cmark_node_get_type(node)) {
  case CMARK_NODE_HEADING:
    place_heading(p, node);
    break;
  case CMARK_NODE_LINK:
    lead_on(p, node);
    break;
  case CMARK_NODE_HTML_INLINE:
    name_anchor(p, node);
    break;
  case CMARK_NODE_STRONG:
    colour(node);
    break;
  case CMARK_NODE_IMAGE:
    embed(p, node);
    break;
  case CMARK_NODE_HTML_BLOCK:
    if (strncmp(cmark_node_get_literal(node), "<!--", 4) == 0) cmark_node_free(node);
    break;
  default:
    if (strcmp(cmark_node_get_type_string(node), "table") == 0) frame(node);
    break;
  }
}

/* cmark lets nodes be changed, and even freed, once they have been left. */
static void complete_all(page *p, cmark_node *root)
{
  cmark_iter *walk = cmark_iter_new(root);
  for (cmark_event_type event; (event = cmark_iter_next(walk)) != CMARK_EVENT_DONE;) {
    cmark_node           *node = cmark_iter_get_node(walk);
    const cmark_node_type type = cmark_node_get_type(node);
    const bool            leaf = type == CMARK_NODE_HTML_INLINE || type == CMARK_NODE_HTML_BLOCK;
    if (event == CMARK_EVENT_EXIT || leaf) complete(p, node);
  }
  cmark_iter_free(walk);
}

static void convert(page *p, const char *markdown)
{
  cmark_parser *parser = cmark_parser_new(CMARK_OPT_UNSAFE | CMARK_OPT_VALIDATE_UTF8);
  cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension("table"));
  cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension("tagfilter"));
  cmark_parser_feed(parser, markdown, strlen(markdown));
  cmark_node *root = cmark_parser_finish(parser);
  complete_all(p, root);
  char *html = cmark_render_html(root, CMARK_OPT_UNSAFE, cmark_parser_get_syntax_extensions(parser));
  fputs(html, p->stream);
  free(html);
  cmark_node_free(root);
  cmark_parser_free(parser);
}

static void put_part(page *p, const sb_page_part *part)
{
  const char *tag = part->summary ? "details" : "section";
  p->part = part;
  p->arena = sb_arena_create();
  fprintf(p->stream, "<%s id=\"%s\">\n", tag, id_of(p, part, NULL));
  if (part->summary) {
    fputs("<summary><h2>", p->stream);
    sb_html_put(p->stream, part->title);
    fputs("</h2>\n", p->stream);
    convert(p, part->summary);
    fputs("</summary>\n", p->stream);
  }
  convert(p, part->text);
  fprintf(p->stream, "</%s>\n", tag);
  sb_arena_destroy(&p->arena);
}

static void put_head(FILE *stream, const char *title, const char *style)
{
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" SB_PAGE_HTML_MARK "\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
        "style-src 'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
        stream);
  sb_html_put(stream, title);
  fprintf(stream, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
}

bool sb_page_html_put(FILE *stream, const char *directory, const char *title, const char *navigation,
                      const sb_page_part *parts, size_t count)
{
  sb_arena *arena = sb_arena_create();
  char     *folder = sb_data_directory("plots"), *path = sb_arena_format(arena, "%s/report.css", folder);
  char     *style = sb_read_file(path, NULL);
  page      p = {.arena = arena, .directory = directory, .parts = parts, .count = count, .stream = stream};
  if (style) {
    cmark_gfm_core_extensions_ensure_registered();
    put_head(stream, title, style);
    p.part = parts;
    fprintf(stream, "<a class=\"skip\" href=\"#%s\">Skip to the content</a>\n<nav>\n", id_of(&p, parts, NULL));
    convert(&p, navigation);
    fputs("</nav>\n<main>\n", stream);
    for (size_t i = 0; i < count; ++i) put_part(&p, &parts[i]);
    fputs("</main>\n</body>\n</html>\n", stream);
  } else {
    fprintf(stderr, "springbench: %s: cannot read: %s\n", path, strerror(errno));
  }
  const bool done = style != NULL;
  free(style);
  free(folder);
  sb_arena_destroy(&arena);
  return done;
}
