/* Lists for a terminal, and as pages of the manual, docs/reference/<topic>.md: the same walk over their entries, whose
 * tables are grids (table.h); see lists.h. */
#include <ctype.h>
#include <string.h>

#include "harness/commands/lists.h"
#include "harness/report/table.h"

typedef struct {
  FILE     *stream;
  sb_arena *arena;
  bool      markdown;
} page;

static const char *text_of(const json_t *entry, const char *key)
{
  return json_string_value(json_object_get(entry, key));
}

/* Tells whether a member of an entry has a place of its own. */
static bool is_head(const char *key)
{
  return strcmp(key, "name") == 0 || strcmp(key, "summary") == 0 || strcmp(key, "claims") == 0 ||
         strcmp(key, "section") == 0;
}

static bool is_table(const json_t *value) { return json_is_object(json_array_get(value, 0)); }

static bool is_empty(const json_t *value)
{
  return json_is_string(value) ? !*json_string_value(value) : json_array_size(value) == 0;
}

/* Text in Markdown: what is between backticks stays as it is, what else would be markup is escaped. As code all of it
 * stays, but for what would end a table's cell. */
static const char *escaped(sb_arena *arena, const char *text, bool all_code)
{
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, arena);
  bool            code = all_code;
  if (all_code) fputc('`', stream);
  for (const char *c = text; *c; ++c) {
    const bool inside = c > text && isalnum((unsigned char)c[-1]) && isalnum((unsigned char)c[1]);
    if (*c == '`') code = !code;
    if (*c == '|' || (!code && (strchr("\\*<>", *c) || (*c == '_' && !inside)))) fputc('\\', stream);
    fputc(*c, stream);
  }
  if (all_code) fputc('`', stream);
  return sb_arena_text(&writer);
}

/* A text as it is, or names with `mark` on either side of each: "rope, cloth". */
static const char *joined(sb_arena *arena, const json_t *value, const char *mark)
{
  const char   *text = json_is_string(value) ? json_string_value(value) : "";
  const json_t *item = NULL;
  size_t        i = 0;
  json_array_foreach(value, i, item) text =
      sb_arena_format(arena, "%s%s%s%s%s", text, i ? ", " : "", mark, json_string_value(item), mark);
  return text;
}

/* Adds a cell. In Markdown names and values are code, and another list is a link to its page; the rest is prose. */
static sb_cell *put_cell(sb_table *table, const char *key, const json_t *value)
{
  static const char list[] = "springbench list ";
  const bool        words = strcmp(key, "sentence") == 0 || strcmp(key, "summary") == 0 || strcmp(key, "unit") == 0;
  sb_cell          *cell = sb_table_put(table, joined(table->arena, value, ""));
  if (json_is_array(value))
    cell->markdown = joined(table->arena, value, "`");
  else if (strncmp(cell->text, list, sizeof list - 1) == 0)
    cell->markdown =
        sb_arena_format(table->arena, "[%s](%s.md)", cell->text + sizeof list - 1, cell->text + sizeof list - 1);
  else if (*cell->text)
    cell->markdown = escaped(table->arena, cell->text, !words && strncmp(cell->text, "must ", 5) != 0);
  return cell;
}

/* All but the name and the sentence of a row, in brackets: "[m, default 1]"; "" where there is nothing. */
static const char *remarks(const page *p, json_t *row)
{
  const char *key = NULL, *text = "";
  json_t     *value = NULL;
  json_object_foreach(row, key, value)
  {
    const char *said = joined(p->arena, value, "");
    const bool  bare = strcmp(key, "unit") == 0 || strcmp(key, "type") == 0 || strncmp(said, "must", 4) == 0 ||
                      strncmp(said, "springbench", 11) == 0;
    if (!*said || is_head(key) || strcmp(key, "sentence") == 0) continue;
    text = sb_arena_format(p->arena, "%s%s%s%s%s", text, *text ? ", " : "[", bare ? "" : key,
                           bare                   ? ""
                           : json_is_array(value) ? ": "
                                                  : " ",
                           said);
  }
  return *text ? sb_arena_format(p->arena, " %s]", text) : "";
}

/* Rows [from, to) with the same members: names and what `sentence` has. `all`: also what stands between them, on a
 * terminal behind the sentence in brackets. */
static void put_rows(const page *p, const json_t *rows, size_t from, size_t to, const char *sentence, bool all)
{
  sb_table   *table = sb_table_create(p->arena);
  const bool  wide = all && p->markdown;
  const char *key = NULL;
  json_t     *value = NULL;
  table->indent = strcmp(sentence, "summary") == 0 ? 2 : 4; /* below an entry */
  table->wrap = true;
  sb_table_add_column(table, p->markdown ? "name" : "", "", false);
  json_object_foreach(json_array_get(rows, from), key, value)
  {
    if (wide && !is_head(key) && strcmp(key, sentence) != 0) sb_table_add_column(table, key, "", false);
  }
  sb_table_add_column(table, "", "", false);
  for (size_t i = from; i < to; ++i) {
    json_t *row = json_array_get(rows, i);
    sb_table_add_row(table);
    put_cell(table, "name", json_object_get(row, "name"));
    json_object_foreach(row, key, value)
    {
      if (wide && !is_head(key) && strcmp(key, sentence) != 0) put_cell(table, key, value);
    }
    sb_cell *last = put_cell(table, sentence, json_object_get(row, sentence));
    if (all && !p->markdown) last->text = sb_arena_format(p->arena, "%s%s", last->text, remarks(p, row));
  }
  sb_table_print(table, p->markdown ? SB_TABLE_MARKDOWN : SB_TABLE_TEXT, p->stream);
}

static void put_item(const page *p, const char *text)
{
  fputs(p->markdown ? "- " : "  - ", p->stream);
  if (p->markdown)
    fputs(text, p->stream);
  else
    sb_text_put_wrapped(p->stream, text, 4, 4);
  fputc('\n', p->stream);
}

/* "key: words, words". Options are told elsewhere: on a terminal their names and defaults are enough. */
static void put_member(const page *p, const char *key, const json_t *value)
{
  const char   *mark = p->markdown ? "`" : "", *text = key;
  const json_t *item = NULL;
  size_t        i = 0;
  if (json_is_string(value)) text = sb_arena_format(p->arena, "%s: %s%s%s", key, mark, json_string_value(value), mark);
  json_array_foreach(value, i, item)
  {
    const char *preset = json_is_object(item) ? text_of(item, "default") : "";
    text = sb_arena_format(p->arena, "%s%s%s%s%s%s%s", text, i ? ", " : ": ", mark,
                           json_is_object(item) ? text_of(item, "name") : json_string_value(item), *preset ? "=" : "",
                           preset, mark);
  }
  put_item(p, text);
}

static void put_entry(const page *p, json_t *entry)
{
  const char *key = NULL, *summary = text_of(entry, "summary");
  json_t     *value = NULL, *claim = NULL;
  size_t      i = 0;
  if (p->markdown) {
    const char *sentence = sb_arena_format(p->arena, "%c%s.", toupper((unsigned char)*summary), summary + 1);
    fprintf(p->stream, "## %s\n\n%s\n\n", text_of(entry, "name"), *summary ? escaped(p->arena, sentence, false) : "");
  } else {
    fprintf(p->stream, "%s\n  ", text_of(entry, "name"));
    sb_text_put_wrapped(p->stream, summary, 2, 2);
    fputc('\n', p->stream);
  }
  json_array_foreach(json_object_get(entry, "claims"), i, claim)
      put_item(p, p->markdown ? escaped(p->arena, json_string_value(claim), false) : json_string_value(claim));
  bool items = i > 0;
  json_object_foreach(entry, key, value)
  {
    const bool told = is_table(value) && (p->markdown || strcmp(key, "options") != 0);
    if (is_head(key) || is_empty(value) || told) continue;
    put_member(p, key, value);
    items = true;
  }
  if (p->markdown && items) fputc('\n', p->stream);
  json_object_foreach(entry, key, value)
  {
    if (is_head(key) || !is_table(value) || (!p->markdown && strcmp(key, "options") == 0)) continue;
    if (!p->markdown) fprintf(p->stream, "  %s:\n", key);
    put_rows(p, value, 0, json_array_size(value), "sentence", true);
  }
  if (!p->markdown) fputc('\n', p->stream);
}

/* All entries as rows, those of each section below its heading. */
static void put_sections(const page *p, const json_t *entries)
{
  const size_t count = json_array_size(entries);
  for (size_t from = 0, to = 0; from < count; from = to) {
    const json_t *section = json_object_get(json_array_get(entries, from), "section");
    do to++;
    while (to < count && (!section || json_equal(json_object_get(json_array_get(entries, to), "section"), section)));
    if (section) fprintf(p->stream, p->markdown ? "## %s\n\n" : "%s\n", json_string_value(section));
    put_rows(p, entries, from, to, "summary", true);
    if (!p->markdown && to < count) fputc('\n', p->stream);
  }
}

void sb_list_print(const sb_list *list, const json_t *entries, sb_list_form form, sb_arena *arena, FILE *stream)
{
  const page p = {stream, arena, form == SB_LIST_PAGE};
  json_t    *entry = NULL;
  size_t     i = 0;
  if (form == SB_LIST_PAGE)
    fprintf(stream,
            "# %s\n\n<!-- Written by `springbench list %s --markdown`; renew with the build target `reference`. "
            "-->\n\n%s\n\n",
            list->title, list->topic, list->about);
  else if (form == SB_LIST_SHORT)
    fprintf(stream, "%s (springbench list %s)\n", list->title, list->topic);
  else {
    fprintf(stream, "%s\n", list->title);
    sb_text_put_wrapped(stream, list->about, 0, 0);
    fputs("\n\n", stream);
  }
  if (list->brief && form != SB_LIST_SHORT) {
    put_sections(&p, entries);
    return;
  }
  if (form != SB_LIST_LONG) put_rows(&p, entries, 0, json_array_size(entries), "summary", false);
  if (form != SB_LIST_SHORT) json_array_foreach(entries, i, entry) put_entry(&p, entry);
}
