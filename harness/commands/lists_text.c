/* Lists for a terminal: names and summaries, or everything about every entry; see lists.h. */
#include <string.h>

#include "harness/commands/lists.h"

enum { NAME_WIDTH = 20, INDENT = 2 + NAME_WIDTH + 1, LINE_WIDTH = 110 };

/* Breaks a text at blanks, continued under column `indent`; `column` is where it starts. */
static int put_wrapped(FILE *stream, const char *text, int indent, int column)
{
  while (*text) {
    const int word = (int)strcspn(text, " ");
    if (column > indent && column + 1 + word > LINE_WIDTH) {
      fprintf(stream, "\n%*s", indent, "");
      column = indent;
    } else if (column > indent) {
      fputc(' ', stream);
      column++;
    }
    fprintf(stream, "%.*s", word, text);
    column += word;
    text += word;
    text += strspn(text, " ");
  }
  return column;
}

static void put_head(FILE *stream, const json_t *entry)
{
  const char *name = json_string_value(json_object_get(entry, "name"));
  const int   width = (int)strlen(name) > NAME_WIDTH ? (int)strlen(name) : NAME_WIDTH;
  fprintf(stream, "  %-*s ", width, name);
  put_wrapped(stream, json_string_value(json_object_get(entry, "summary")), INDENT, INDENT);
  fputc('\n', stream);
}

/* "key: words, words", where there is anything to say. */
static void put_member(FILE *stream, const char *key, const json_t *value)
{
  const json_t *item = NULL;
  size_t        i = 0;
  const bool    text = json_is_string(value) && *json_string_value(value);
  if (!text && json_array_size(value) == 0) return;
  int column = INDENT + 2 + fprintf(stream, "%*s%s:", INDENT, "", key) - INDENT;
  if (text) put_wrapped(stream, json_string_value(value), INDENT + 2, column);
  json_array_foreach(value, i, item)
  {
    char piece[512];
    snprintf(piece, sizeof piece, "%s%s", json_string_value(item), i + 1 < json_array_size(value) ? "," : "");
    column = put_wrapped(stream, piece, INDENT + 2, column);
  }
  fputc('\n', stream);
}

/* Options are told elsewhere: "stiffness=1000, young". */
static void put_options(FILE *stream, const json_t *rows)
{
  json_t       *pairs = json_array();
  const json_t *row = NULL;
  size_t        i = 0;
  json_array_foreach(rows, i, row)
  {
    const char *preset = json_string_value(json_object_get(row, "default"));
    json_array_append_new(
        pairs, json_sprintf("%s%s%s", json_string_value(json_object_get(row, "name")), *preset ? "=" : "", preset));
  }
  put_member(stream, "options", pairs);
  json_decref(pairs);
}

/* A row of a table: name, then the sentence, then what else there is in brackets. */
static void put_row(FILE *stream, json_t *row)
{
  const char *key = NULL;
  json_t     *value = NULL;
  int         said = 0, column = INDENT + 2;
  char        piece[512];
  column += fprintf(stream, "%*s%-20s ", INDENT + 2, "", json_string_value(json_object_get(row, "name"))) - INDENT - 2;
  column = put_wrapped(stream, json_string_value(json_object_get(row, "sentence")), INDENT + 23, column);
  json_object_foreach(row, key, value)
  {
    const char *text = json_string_value(value);
    if (!*text || strcmp(key, "name") == 0 || strcmp(key, "sentence") == 0) continue;
    const bool bare = strcmp(key, "unit") == 0 || strcmp(key, "type") == 0 || strncmp(text, "must", 4) == 0;
    snprintf(piece, sizeof piece, "%s%s%s%s", said ? "" : "[", bare ? "" : key, bare ? "" : " ", text);
    if (said++) fputc(',', stream), column++;
    column = put_wrapped(stream, piece, INDENT + 23, column);
  }
  fputs(said ? "]\n" : "\n", stream);
}

static void put_table(FILE *stream, const char *key, const json_t *rows)
{
  json_t *row = NULL;
  size_t  i = 0;
  if (strcmp(key, "options") == 0) {
    put_options(stream, rows);
    return;
  }
  fprintf(stream, "%*s%s:\n", INDENT, "", key);
  json_array_foreach(rows, i, row) put_row(stream, row);
}

static void put_entry(FILE *stream, json_t *entry)
{
  const char *key = NULL;
  json_t     *value = NULL, *claim = NULL;
  size_t      i = 0;
  put_head(stream, entry);
  json_array_foreach(json_object_get(entry, "claims"), i, claim)
  {
    fprintf(stream, "%*s- ", INDENT, "");
    put_wrapped(stream, json_string_value(claim), INDENT + 2, INDENT + 2);
    fputc('\n', stream);
  }
  json_object_foreach(entry, key, value)
  {
    if (strcmp(key, "name") == 0 || strcmp(key, "summary") == 0 || strcmp(key, "claims") == 0) continue;
    if (strcmp(key, "section") == 0) continue;
    if (json_is_object(json_array_get(value, 0)))
      put_table(stream, key, value);
    else
      put_member(stream, key, value);
  }
}

/* An option is a row under its topic: a list of its members would be long. */
static void put_option(FILE *stream, const json_t *entry, const char **section)
{
  static const char *const keys[] = {"type", "unit", "default", "allowed"};
  const char              *topic = json_string_value(json_object_get(entry, "section"));
  char                     text[512] = "[";
  if (!*section || strcmp(*section, topic) != 0) fprintf(stream, "\n%s\n", topic);
  *section = topic;
  put_head(stream, entry);
  for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k) {
    const char  *value = json_string_value(json_object_get(entry, keys[k]));
    const size_t used = strlen(text);
    if (!*value) continue;
    snprintf(text + used, sizeof text - used, "%s%s%s", used > 1 ? "; " : "", k == 2 ? "default " : "", value);
  }
  fprintf(stream, "%*s", INDENT + 2, "");
  put_wrapped(stream, text, INDENT + 2, INDENT + 2);
  fputs("]\n", stream);
}

void sb_list_print_short(const sb_list *list, const json_t *entries, FILE *stream)
{
  const json_t *entry = NULL;
  size_t        i = 0;
  fprintf(stream, "%s (springbench list %s)\n", list->title, list->topic);
  json_array_foreach(entries, i, entry) put_head(stream, entry);
}

void sb_list_print(const sb_list *list, const json_t *entries, FILE *stream)
{
  const char *section = NULL;
  json_t     *entry = NULL;
  size_t      i = 0;
  fprintf(stream, "%s\n", list->title);
  put_wrapped(stream, list->about, 0, 0);
  fputc('\n', stream);
  json_array_foreach(entries, i, entry)
  {
    if (json_object_get(entry, "section")) {
      put_option(stream, entry, &section);
      continue;
    }
    fputc('\n', stream);
    put_entry(stream, entry);
  }
}
