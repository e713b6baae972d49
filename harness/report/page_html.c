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

#include "harness/common/durable.h"
#include "harness/common/html.h"
#include "harness/report/page.h"

enum { PAGE_BYTES_MAX = 32 << 20 };
enum { WIDE = 700 /* pixels: too fine to be read in the width of a phone */ };

/* A page on its way to HTML. */
typedef struct {
  const sb_page      *page;
  const sb_page_part *part;      /* that is being written */
  const char         *directory; /* of the page */
  sb_arena           *arena;     /* for this part */
  size_t              embedded;  /* bytes of pictures in the page so far */
  FILE               *stream;
} converter;

/* <folder of the part>/<address>, its %XX read. */
static char *path_of(const converter *c, const char *address)
{
  const char     *slash = strrchr(c->part->address, '/');
  sb_arena_writer w;
  FILE           *path = sb_arena_write(&w, c->arena);
  if (slash) fwrite(c->part->address, 1, (size_t)(slash + 1 - c->part->address), path);
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

static char *address_of(const converter *c, const char *path)
{
  sb_arena_writer w;
  sb_html_put_address(sb_arena_write(&w, c->arena), path);
  return sb_arena_text(&w);
}

/* The id of a place in a part; `place` NULL: of its beginning. */
static char *id_of(const converter *c, const sb_page_part *part, const char *place)
{
  if (!place) return sb_arena_copy(c->arena, *part->id ? part->id : "content");
  return sb_arena_format(c->arena, "%s%s%s", part->id, *part->id ? ":" : "", place);
}

/* Another part of the page is a place in it, any other file is relative to the page. */
static void lead_on(const converter *c, cmark_node *link)
{
  const char *url = cmark_node_get_url(link), *mark = strchr(url, '#');
  const char *place = mark ? mark + 1 : NULL, *target = NULL;
  char       *file = path_of(c, sb_arena_copy_span(c->arena, url, strcspn(url, "#")));
  if (url == mark) target = id_of(c, c->part, place);
  for (size_t i = 0; i < c->page->count && !target; ++i)
    if (strcmp(c->page->parts[i].address, file) == 0) target = id_of(c, &c->page->parts[i], place);
  cmark_node_set_url(link, target ? sb_arena_format(c->arena, "#%s", target) : address_of(c, file));
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
static void name_heading(const converter *c, cmark_node *heading)
{
  sb_arena_writer w;
  put_plain(sb_arena_write(&w, c->arena), heading);
  char *name = sb_arena_text(&w), *end = name;
  for (const char *at = name; *at; ++at)
    if (isalnum((unsigned char)*at) || strchr("_-", *at))
      *end++ = (char)tolower((unsigned char)*at);
    else if (*at == ' ')
      *end++ = '-';
  *end = '\0';
  char *anchor = sb_arena_format(c->arena, "<a id=\"%s\"></a>", id_of(c, c->part, name));
  cmark_node_prepend_child(heading, html_node(CMARK_NODE_HTML_INLINE, anchor));
}

/* Parts behind the first stand a level below it; the title of a closed one is in the line that opens it. */
static void place_heading(const converter *c, cmark_node *heading)
{
  const int level = cmark_node_get_heading_level(heading);
  if (level == 2) name_heading(c, heading);
  if (c->part == c->page->parts) return;
  if (level == 1 && c->part->summary)
    cmark_node_free(heading);
  else
    cmark_node_set_heading_level(heading, level + 1);
}

/* <a id="place"> */
static void name_anchor(const converter *c, cmark_node *html)
{
  static const char begin[] = "<a id=\"";
  const char       *literal = cmark_node_get_literal(html);
  if (strncmp(literal, begin, sizeof begin - 1) != 0) return;
  const char *place = literal + sizeof begin - 1;
  char       *id = id_of(c, c->part, sb_arena_copy_span(c->arena, place, strcspn(place, "\"")));
  cmark_node_set_literal(html, sb_arena_format(c->arena, "%s%s\">", begin, id));
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

static char *picture_html(const converter *c, const char *type, const char *bytes, size_t size, const char *shows)
{
  double          width = 0, height = 0;
  const bool      known = measure(type, bytes, size, &width, &height);
  sb_arena_writer w;
  FILE           *html = sb_arena_write(&w, c->arena);
  fprintf(html, "<img class=\"%s%s\" alt=\"", type, width > WIDE ? " wide" : "");
  sb_html_put(html, shows);
  fputc('"', html);
  if (known) fprintf(html, " width=\"%.0f\" height=\"%.0f\"", width, height);
  fprintf(html, " src=\"data:image/%s;base64,", type);
  sb_html_put_base64(html, bytes, size);
  fputs("\">", html);
  return sb_arena_text(&w);
}

static void embed(converter *c, cmark_node *image)
{
  static const char *const types[][2] = {{".svg", "svg+xml"}, {".png", "png"}, {".gif", "gif"}};
  const char              *type = NULL, *file = path_of(c, cmark_node_get_url(image));
  size_t                   size = 0;
  sb_arena_writer          w;
  put_plain(sb_arena_write(&w, c->arena), image);
  const char *shows = sb_arena_text(&w), *suffix = strrchr(file, '.');
  for (size_t i = 0; suffix && i < sizeof types / sizeof *types; ++i)
    if (strcmp(suffix, types[i][0]) == 0) type = types[i][1];
  char       *bytes = sb_read_file(sb_arena_format(c->arena, "%s/%s", c->directory, file), &size);
  cmark_node *instead = NULL;
  if (type && bytes && size <= SB_PAGE_PICTURE_BYTES_MAX && c->embedded + size <= PAGE_BYTES_MAX) {
    c->embedded += size;
    instead = html_node(CMARK_NODE_HTML_INLINE, picture_html(c, type, bytes, size, shows));
  } else {
    instead = cmark_node_new(CMARK_NODE_LINK);
    cmark_node_set_url(instead, address_of(c, file));
    cmark_node_append_child(instead, cmark_node_new(CMARK_NODE_TEXT));
    cmark_node_set_literal(cmark_node_first_child(instead),
                           sb_arena_format(c->arena, "%s (too large for this page: it lies beside it)", shows));
  }
  free(bytes);
  cmark_node_replace(image, instead);
  cmark_node_free(image);
}

static void complete(converter *c, cmark_node *node)
{
  switch (cmark_node_get_type(node)) {
  case CMARK_NODE_HEADING:
    place_heading(c, node);
    break;
  case CMARK_NODE_LINK:
    lead_on(c, node);
    break;
  case CMARK_NODE_HTML_INLINE:
    name_anchor(c, node);
    break;
  case CMARK_NODE_STRONG:
    colour(node);
    break;
  case CMARK_NODE_IMAGE:
    embed(c, node);
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
static void complete_all(converter *c, cmark_node *root)
{
  cmark_iter *walk = cmark_iter_new(root);
  for (cmark_event_type event; (event = cmark_iter_next(walk)) != CMARK_EVENT_DONE;) {
    cmark_node           *node = cmark_iter_get_node(walk);
    const cmark_node_type type = cmark_node_get_type(node);
    const bool            leaf = type == CMARK_NODE_HTML_INLINE || type == CMARK_NODE_HTML_BLOCK;
    if (event == CMARK_EVENT_EXIT || leaf) complete(c, node);
  }
  cmark_iter_free(walk);
}

static void convert(converter *c, const char *markdown)
{
  cmark_parser *parser = cmark_parser_new(CMARK_OPT_UNSAFE | CMARK_OPT_VALIDATE_UTF8);
  cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension("table"));
  cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension("tagfilter"));
  cmark_parser_feed(parser, markdown, strlen(markdown));
  cmark_node *root = cmark_parser_finish(parser);
  complete_all(c, root);
  char *html = cmark_render_html(root, CMARK_OPT_UNSAFE, cmark_parser_get_syntax_extensions(parser));
  fputs(html, c->stream);
  free(html);
  cmark_node_free(root);
  cmark_parser_free(parser);
}

static void put_part(converter *c, const sb_page_part *part)
{
  const char *tag = part->summary ? "details" : "section";
  c->part = part;
  c->arena = sb_arena_create();
  fprintf(c->stream, "<%s id=\"%s\">\n", tag, id_of(c, part, NULL));
  if (part->summary) {
    fputs("<summary><h2>", c->stream);
    sb_html_put(c->stream, part->title);
    fputs("</h2>\n", c->stream);
    convert(c, part->summary);
    fputs("</summary>\n", c->stream);
  }
  convert(c, part->text);
  fprintf(c->stream, "</%s>\n", tag);
  sb_arena_destroy(&c->arena);
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

bool sb_page_put_html(const sb_page *page, const char *directory, FILE *stream)
{
  char     *folder = sb_data_directory("plots"), *path = sb_format("%s/report.css", folder);
  char     *style = sb_read_file(path, NULL);
  converter c = {.page = page, .part = page->parts, .directory = directory, .stream = stream};
  if (style) {
    cmark_gfm_core_extensions_ensure_registered();
    c.arena = sb_arena_create();
    put_head(stream, page->title, style);
    fprintf(stream, "<a class=\"skip\" href=\"#%s\">Skip to the content</a>\n<nav>\n", id_of(&c, page->parts, NULL));
    convert(&c, page->navigation);
    fputs("</nav>\n<main>\n", stream);
    sb_arena_destroy(&c.arena);
    for (size_t i = 0; i < page->count; ++i) put_part(&c, &page->parts[i]);
    fputs("</main>\n</body>\n</html>\n", stream);
  } else {
    fprintf(stderr, "springbench: %s: cannot read: %s\n", path, strerror(errno));
  }
  const bool done = style != NULL;
  free(style);
  free(path);
  free(folder);
  return done;
}
