/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Markdown as one page of HTML that opens without network.
 *
 * libcmark-gfm reads each Markdown file into a tree of nodes. Before the tree becomes HTML it gets what Markdown cannot
 * express: ids, places within the page instead of other files, pictures as data: addresses, frames that scroll around
 * tables, and the colours of verdicts. All texts of users were escaped when the Markdown was written; active tags are
 * filtered nevertheless. A policy in the page's head forbids all loading, and every script but ours, which it names by
 * its hash.
 */
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm-extension_api.h>
#include <cmark-gfm.h>
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cases/common/digest.h"
#include "cases/common/durable.h"
#include "harness/report/page.h"
#include "harness/report/report_text.h"

enum { PAGE_BYTES_MAX = 32 << 20, PIECE_BYTES = 64 << 10 };
enum { WIDE = 700 /* pixels: too fine to be read in the width of a phone */ };

/* A page on its way to HTML. */
typedef struct {
  const sb_page      *page;
  const sb_page_part *part;      /* that is being written */
  const char         *directory; /* of the page */
  sb_arena           *arena;
  size_t              embedded; /* bytes of pictures in the page so far */
  FILE               *stream;
} converter;

/* <folder of the part>/<address>, its %XX read; "a/../" is left out. */
static char *path_of(const converter *c, const char *address)
{
  const char     *folder = c->part->address, *slash = strrchr(folder, '/');
  size_t          length = slash ? (size_t)(slash + 1 - folder) : 0;
  sb_arena_writer w;
  FILE           *path = sb_arena_write(&w, c->arena);
  for (; strncmp(address, "../", 3) == 0 && length > 0; address += 3) {
    if (length >= 3 && strncmp(folder + length - 3, "../", 3) == 0) break;
    do --length;
    while (length > 0 && folder[length - 1] != '/');
  }
  fwrite(folder, 1, length, path);
  for (; *address; ++address) {
    const char hex[3] = {address[1], address[1] ? address[2] : '\0', '\0'};
    const bool encoded = *address == '%' && isxdigit((unsigned char)hex[0]) && isxdigit((unsigned char)hex[1]);
    fputc(encoded ? (int)strtol(hex, NULL, 16) : *address, path);
    if (encoded) address += 2;
  }
  return sb_arena_text(&w);
}

/* The id of a place in a part; `place` NULL: of its beginning. */
static const char *id_of(const converter *c, const sb_page_part *part, const char *place)
{
  if (!place) return *part->id ? part->id : "content";
  return sb_arena_join(c->arena, part->id, ":", "%s", place);
}

/* Another part of the page is a place in it, any other file is relative to the page. Only our own pages have links to
 * other sites; texts of users have none. */
static void lead_on(const converter *c, cmark_node *link)
{
  const char *url = cmark_node_get_url(link), *mark = strchr(url, '#');
  const char *place = mark ? mark + 1 : NULL, *target = url == mark ? id_of(c, c->part, place) : NULL;
  if (strncmp(url, "https://", 8) == 0) return;
  const char *file = path_of(c, sb_arena_copy_span(c->arena, url, strcspn(url, "#")));
  for (size_t i = 0; i < c->page->count && !target; ++i)
    if (strcmp(c->page->parts[i].address, file) == 0) target = id_of(c, &c->page->parts[i], place);
  cmark_node_set_url(link, target ? sb_arena_format(c->arena, "#%s", target)
                                  : sb_markdown_format(c->arena, SB_AS_ADDRESS, file));
}

static char *plain_text(const converter *c, cmark_node *node)
{
  char *text = sb_arena_adopt(c->arena, cmark_render_plaintext(node, CMARK_OPT_DEFAULT, 0));
  text[strcspn(text, "\n")] = '\0';
  return text;
}

static cmark_node *html_node(cmark_node_type type, const char *html)
{
  cmark_node *node = cmark_node_new(type);
  cmark_node_set_literal(node, html);
  return node;
}

/* Headings of sections get the id that GitHub gives them if they have none: "How to read this page" becomes
 * how-to-read-this-page. Parts after the first are a level below it; the title of a closed one is in the line that
 * opens it. */
static void place_heading(const converter *c, cmark_node *heading)
{
  const int level = cmark_node_get_heading_level(heading);
  if (level >= 2 && cmark_node_get_type(cmark_node_first_child(heading)) != CMARK_NODE_HTML_INLINE) {
    char *name = plain_text(c, heading), *end = name;
    for (const char *at = name; *at; ++at)
      if (isalnum((unsigned char)*at) || strchr("_- ", *at)) *end++ = *at == ' ' ? '-' : (char)tolower(*at);
    *end = '\0';
    char *anchor = sb_arena_format(c->arena, "<a id=\"%s\"></a>", id_of(c, c->part, name));
    cmark_node_prepend_child(heading, html_node(CMARK_NODE_HTML_INLINE, anchor));
  }
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
  const char       *literal = cmark_node_get_literal(html), *place = literal + strlen(begin);
  if (strncmp(literal, begin, strlen(begin)) != 0) return;
  place = sb_arena_copy_span(c->arena, place, strcspn(place, "\""));
  cmark_node_set_literal(html, sb_arena_format(c->arena, "%s%s\">", begin, id_of(c, c->part, place)));
}

/* Verdicts begin with their sign: strong text that begins with one gets its colour. Texts of users begin with none. */
static void colour(const converter *c, cmark_node *strong)
{
  static const char *const classes[] = {"", "good", "good", "other", "bad", "none"}; /* of the signs */
  const char              *text = cmark_node_get_literal(cmark_node_first_child(strong));
  const size_t             sign = text ? sb_text_sign(text) : 0;
  if (sign == 0) return;
  const char *tag = sb_arena_format(c->arena, "<strong class=\"%s\">", classes[sign]);
  cmark_node_insert_before(strong, html_node(CMARK_NODE_HTML_INLINE, tag));
  for (cmark_node *child; (child = cmark_node_first_child(strong));) cmark_node_insert_before(strong, child);
  cmark_node_set_type(strong, CMARK_NODE_HTML_INLINE);
  cmark_node_set_literal(strong, "</strong>");
}

/* The size of a picture on the page: in pixels, of gnuplot's SVG twice its size in print. 0: it is not known. */
static void measure(const char *type, const char *bytes, size_t size, double *width, double *height)
{
  const unsigned char *b = (const unsigned char *)bytes;
  *width = *height = 0;
  if (strcmp(type, "svg+xml") == 0) {
    const char *box = strstr(bytes, "viewBox=\"0 0 ");
    if (!box || sscanf(box, "viewBox=\"0 0 %lf %lf", width, height) != 2) return;
    *width *= 2.1;
    *height *= 2.1;
  } else if (size >= 24) {
    const bool gif = strcmp(type, "gif") == 0;
    *width = gif ? b[6] + 256 * b[7] : 256 * b[18] + b[19];
    *height = gif ? b[8] + 256 * b[9] : 256 * b[22] + b[23];
  }
}

/* The description of a picture in its place, with a reason, and with a link to the file if there is one. */
static void describe(const converter *c, cmark_node *image, const char *file, const char *why)
{
  cmark_node *beside = cmark_node_new(CMARK_NODE_TEXT);
  cmark_node_set_literal(beside, why);
  cmark_node_append_child(image, beside);
  cmark_node_set_type(image, file ? CMARK_NODE_LINK : CMARK_NODE_EMPH);
  if (file) cmark_node_set_url(image, sb_markdown_format(c->arena, SB_AS_ADDRESS, file));
}

static void embed(converter *c, cmark_node *image)
{
  static const char *const types[][2] = {{".svg", "svg+xml"}, {".png", "png"}, {".gif", "gif"}};
  const char              *type = NULL, *file = path_of(c, cmark_node_get_url(image)), *suffix = strrchr(file, '.');
  const char              *path = sb_arena_format(c->arena, "%s/%s", c->directory, file);
  struct stat              about;
  size_t                   size = 0;
  double                   width, height;
  for (size_t i = 0; suffix && i < sizeof types / sizeof *types; ++i)
    if (strcmp(suffix, types[i][0]) == 0) type = types[i][1];
  const bool there = stat(path, &about) == 0;
  const bool fits = there && (size_t)about.st_size <= SB_PAGE_PICTURE_BYTES_MAX &&
                    c->embedded + (size_t)about.st_size <= PAGE_BYTES_MAX;
  SB_OWNED char *bytes = type && fits ? sb_read_file(path, &size) : NULL;
  if (bytes) {
    sb_arena_writer w;
    FILE           *html = sb_arena_write(&w, c->arena);
    c->embedded += size;
    measure(type, bytes, size, &width, &height);
    sb_markdown_print(html, "<img class=\"%-s%-s\" alt=\"" SB_AS_HTML "\"", type, width > WIDE ? " wide" : "",
                      plain_text(c, image));
    if (width > 0) fprintf(html, " width=\"%.0f\" height=\"%.0f\"", width, height);
    fprintf(html, " src=\"data:image/%s;base64,", type);
    sb_text_put_base64(html, bytes, size);
    fputs("\">", html);
    cmark_node_set_type(image, CMARK_NODE_HTML_INLINE);
    cmark_node_set_literal(image, sb_arena_text(&w));
  } else if (there)
    describe(c, image, file, fits ? " (it is beside this page)" : " (too large for this page; it is beside it)");
  else
    describe(c, image, NULL, " (this picture is missing)");
}

/* The value of an attribute of the first tag of HTML that has it; NULL: none has. */
static const char *attribute_of(const converter *c, const char *html, const char *name)
{
  const char *at = strstr(html, sb_arena_format(c->arena, " %s=\"", name)), *value = at ? strchr(at, '"') + 1 : NULL;
  return value ? sb_arena_copy_span(c->arena, value, strcspn(value, "\"")) : NULL;
}

/* Pages of the documentation have pictures as blocks <p align="center"><img src="…" alt="…"></p>. */
static void embed_block(converter *c, cmark_node *html)
{
  const char *text = cmark_node_get_literal(html), *source = attribute_of(c, text, "src");
  const char *alt = attribute_of(c, text, "alt");
  if (!source || !alt) return;
  cmark_node *paragraph = cmark_node_new(CMARK_NODE_PARAGRAPH), *image = cmark_node_new(CMARK_NODE_IMAGE);
  cmark_node *words = cmark_node_new(CMARK_NODE_TEXT);
  cmark_node_set_literal(words, alt);
  cmark_node_set_url(image, source);
  cmark_node_append_child(image, words);
  cmark_node_append_child(paragraph, image);
  cmark_node_insert_before(html, paragraph);
  cmark_node_free(html);
  embed(c, image);
}

static void convert_piece(converter *c, const char *markdown, size_t length)
{
  static const char frame[] = "<div class=\"scroll\" role=\"region\" aria-label=\"table\" tabindex=\"0\">\n";
  cmark_parser     *parser = cmark_parser_new(CMARK_OPT_UNSAFE | CMARK_OPT_VALIDATE_UTF8);
  cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension("table"));
  cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension("tagfilter"));
  cmark_parser_feed(parser, markdown, length);
  cmark_node *root = cmark_parser_finish(parser);
  cmark_iter *walk = cmark_iter_new(root);
  for (cmark_event_type event; (event = cmark_iter_next(walk)) != CMARK_EVENT_DONE;) {
    cmark_node           *node = cmark_iter_get_node(walk);
    const cmark_node_type type = cmark_node_get_type(node);
    /* cmark lets nodes be changed, and even freed, once they have been left; a leaf is entered only. */
    if (event != CMARK_EVENT_EXIT && type != CMARK_NODE_HTML_INLINE && type != CMARK_NODE_HTML_BLOCK) continue;
    const bool is_table = strcmp(cmark_node_get_type_string(node), "table") == 0;
    if (is_table) cmark_node_insert_before(node, html_node(CMARK_NODE_HTML_BLOCK, frame));
    if (is_table) cmark_node_insert_after(node, html_node(CMARK_NODE_HTML_BLOCK, "</div>\n"));
    if (type == CMARK_NODE_HEADING) place_heading(c, node);
    if (type == CMARK_NODE_LINK) lead_on(c, node);
    if (type == CMARK_NODE_HTML_INLINE) name_anchor(c, node);
    if (type == CMARK_NODE_STRONG) colour(c, node);
    if (type == CMARK_NODE_IMAGE) embed(c, node);
    if (type == CMARK_NODE_HTML_BLOCK) embed_block(c, node);
  }
  cmark_iter_free(walk);
  SB_OWNED char *html = cmark_render_html(root, CMARK_OPT_UNSAFE, cmark_parser_get_syntax_extensions(parser));
  fputs(html, c->stream);
  cmark_node_free(root);
  cmark_parser_free(parser);
}

/* The length of the next piece that can be converted by itself: up to a table or a section that a blank line precedes,
 * outside of code, or to the end of the text. */
static size_t piece_of(const char *text)
{
  size_t fence = 0; /* its backticks, in code */
  bool   blank = false;
  for (const char *line = text, *next; *line; line = next) {
    const size_t length = strcspn(line, "\n"), ticks = strspn(line, "`");
    next = line + length + (line[length] == '\n');
    if (fence == 0 && blank && (size_t)(line - text) >= PIECE_BYTES && (*line == '|' || strncmp(line, "## ", 3) == 0))
      return (size_t)(line - text);
    if (fence == 0 && ticks >= 3)
      fence = ticks;
    else if (fence > 0 && ticks >= fence && ticks == length)
      fence = 0;
    blank = length == 0;
  }
  return strlen(text);
}

/* Converts piece by piece, as the tree of a page of 20 000 cases would take hundreds of megabytes. */
static void convert(converter *c, const char *markdown)
{
  for (size_t length; *markdown; markdown += length) {
    length = piece_of(markdown);
    convert_piece(c, markdown, length);
  }
}

/* A file of plots/ that becomes a part of the page, and its SHA-256. NULL after a message on stderr. */
static const char *read_part(sb_arena *arena, const char *name, char hex[SB_SHA256_HEX + 1])
{
  const char *path = sb_arena_format(arena, "%s/%s", sb_arena_adopt(arena, sb_data_directory("plots")), name);
  const char *text = sb_arena_adopt(arena, sb_read_file(path, NULL));
  if (text && sb_sha256_file(path, hex)) return text;
  fprintf(stderr, "springbench: %s: cannot read: %s\n", path, sb_cause(errno));
  return NULL;
}

char *sb_page_html(const sb_page *page, const char *directory, sb_arena *arena)
{
  char        hex[SB_SHA256_HEX + 1];
  uint8_t     bytes[SB_SHA256_HEX / 2];
  const char *style = read_part(arena, "report.css", hex), *script = style ? read_part(arena, "report.js", hex) : NULL;
  sb_arena_writer text, hash;
  if (!script) return NULL;
  for (size_t i = 0; i < sizeof bytes; ++i)
    bytes[i] = (uint8_t)strtoul((const char[]){hex[2 * i], hex[2 * i + 1], '\0'}, NULL, 16);
  sb_text_put_base64(sb_arena_write(&hash, arena), bytes, sizeof bytes);
  converter c = {page, page->parts, directory, arena, 0, sb_arena_write(&text, arena)};
  cmark_gfm_core_extensions_ensure_registered();
  sb_markdown_print(c.stream,
                    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" SB_PAGE_HTML_MARK "\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
                    "style-src 'unsafe-inline'; script-src 'sha256-%-s'\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" SB_AS_HTML
                    "</title>\n<style>\n%-s</style>\n</head>\n"
                    "<body>\n<a class=\"skip\" href=\"#%-s\">Skip to the content</a>\n<nav>\n",
                    sb_arena_text(&hash), page->title, style, id_of(&c, page->parts, NULL));
  convert(&c, page->navigation);
  fputs("</nav>\n<main>\n", c.stream);
  for (; c.part < page->parts + page->count; ++c.part) {
    const char *tag = c.part->summary ? "details" : "section";
    fprintf(c.stream, "<%s id=\"%s\">\n", tag, id_of(&c, c.part, NULL));
    if (c.part->summary) {
      sb_markdown_print(c.stream, "<summary><h2>" SB_AS_HTML "</h2>\n", c.part->title);
      convert(&c, c.part->summary);
      fputs("</summary>\n", c.stream);
    }
    convert(&c, c.part->text);
    fprintf(c.stream, "</%s>\n", tag);
  }
  sb_markdown_print(c.stream, "</main>\n<script>%-s</script>\n</body>\n</html>\n", script);
  return sb_arena_text(&text);
}
