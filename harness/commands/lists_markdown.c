/* Lists as pages of the manual, docs/reference/<topic>.md; see lists.h. */
#include <ctype.h>
#include <string.h>

#include "harness/commands/lists.h"

static bool is_head(const char *key)
{
  return strcmp(key, "name") == 0 || strcmp(key, "summary") == 0 || strcmp(key, "claims") == 0 ||
         strcmp(key, "section") == 0;
}

/* Prose: what is between backticks stays as it is, what else would be markup is escaped. */
static void put_prose(FILE *stream, const char *text)
{
  bool code = false;
  for (const char *c = text; *c; ++c) {
    const bool inside = c > text && isalnum((unsigned char)c[-1]) && isalnum((unsigned char)c[1]);
    if (*c == '`') code = !code;
    if (*c == '|' || (!code && (strchr("\\*<>", *c) || (*c == '_' && !inside)))) fputc('\\', stream);
    fputc(*c, stream);
  }
}

/* A summary or claim as a sentence. */
static void put_sentence(FILE *stream, const char *text)
{
  if (!*text) return;
  fputc(toupper((unsigned char)*text), stream);
  put_prose(stream, text + 1);
  fputc('.', stream);
}

/* As code, in a table. */
static void put_code(FILE *stream, const char *text)
{
  fputc('`', stream);
  for (const char *c = text; *c; ++c) {
    if (*c == '|') fputc('\\', stream);
    fputc(*c, stream);
  }
  fputc('`', stream);
}

/* Names, values and units are shown as code, another list as a link to its page; the rest is prose. */
static void put_cell(FILE *stream, const char *key, const char *text)
{
  static const char list[] = "springbench list ";
  const bool        words = strcmp(key, "sentence") == 0 || strcmp(key, "summary") == 0 || strcmp(key, "unit") == 0;
  fputs("| ", stream);
  if (!*text) return;
  if (words || strncmp(text, "must ", 5) == 0)
    put_prose(stream, text);
  else if (strncmp(text, list, sizeof list - 1) == 0)
    fprintf(stream, "[%s](%s.md)", text + sizeof list - 1, text + sizeof list - 1);
  else
    put_code(stream, text);
  fputc(' ', stream);
}

/* The heads of the columns are the members of the first row. */
static void put_table(FILE *stream, const json_t *rows)
{
  json_t     *row = NULL, *value = NULL;
  const char *key = NULL;
  size_t      i = 0;
  json_object_foreach(json_array_get(rows, 0), key, value) fprintf(stream, "| %s ", strcmp(key, "sentence") ? key : "");
  fputs("|\n", stream);
  json_object_foreach(json_array_get(rows, 0), key, value) fputs("|---", stream);
  fputs("|\n", stream);
  json_array_foreach(rows, i, row)
  {
    json_object_foreach(row, key, value) put_cell(stream, key, json_string_value(value));
    fputs("|\n", stream);
  }
  fputc('\n', stream);
}

static void put_member(FILE *stream, const char *key, const json_t *value)
{
  const json_t *item = NULL;
  size_t        i = 0;
  fprintf(stream, "- %s: ", key);
  if (json_is_string(value)) fprintf(stream, "`%s`", json_string_value(value));
  json_array_foreach(value, i, item) fprintf(stream, "%s`%s`", i ? ", " : "", json_string_value(item));
  fputc('\n', stream);
}

static bool is_table(const json_t *value) { return json_is_object(json_array_get(value, 0)); }

static bool is_empty(const json_t *value)
{
  return json_is_string(value) ? !*json_string_value(value) : json_array_size(value) == 0;
}

static void put_entry(FILE *stream, json_t *entry)
{
  const char *key = NULL;
  json_t     *value = NULL, *claim = NULL;
  size_t      i = 0, lines = 0;
  fprintf(stream, "## %s\n\n", json_string_value(json_object_get(entry, "name")));
  put_sentence(stream, json_string_value(json_object_get(entry, "summary")));
  fputs("\n\n", stream);
  json_array_foreach(json_object_get(entry, "claims"), i, claim)
  {
    fputs("- ", stream);
    put_prose(stream, json_string_value(claim));
    fputc('\n', stream);
    lines++;
  }
  json_object_foreach(entry, key, value)
  {
    if (is_head(key) || is_empty(value) || is_table(value)) continue;
    put_member(stream, key, value);
    lines++;
  }
  if (lines) fputc('\n', stream);
  json_object_foreach(entry, key, value) if (!is_head(key) && is_table(value)) put_table(stream, value);
}

/* Options: a table under every topic. */
static void put_sections(FILE *stream, const json_t *entries)
{
  static const char *const keys[] = {"name", "type", "unit", "default", "allowed", "summary"};
  const char              *section = "";
  json_t                  *entry = NULL;
  size_t                   i = 0;
  json_array_foreach(entries, i, entry)
  {
    const char *topic = json_string_value(json_object_get(entry, "section"));
    if (strcmp(topic, section) != 0)
      fprintf(stream, "%s## %s\n\n| name | type | unit | default | allowed | |\n|---|---|---|---|---|---|\n",
              *section ? "\n" : "", topic);
    section = topic;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k)
      put_cell(stream, keys[k], json_string_value(json_object_get(entry, keys[k])));
    fputs("|\n", stream);
  }
}

static void put_index(FILE *stream, const json_t *entries)
{
  json_t *entry = NULL;
  size_t  i = 0;
  fputs("| name | |\n|---|---|\n", stream);
  json_array_foreach(entries, i, entry)
  {
    put_cell(stream, "name", json_string_value(json_object_get(entry, "name")));
    put_cell(stream, "summary", json_string_value(json_object_get(entry, "summary")));
    fputs("|\n", stream);
  }
  fputc('\n', stream);
}

/* Entries with nothing but names besides their sentence. */
static bool are_simple(const json_t *entries)
{
  json_t     *entry = NULL, *value = NULL;
  const char *key = NULL;
  size_t      i = 0;
  json_array_foreach(entries, i, entry)
  {
    if (json_array_size(json_object_get(entry, "claims")) > 0) return false;
    json_object_foreach(entry, key,
                        value) if (!is_head(key) && (!json_is_array(value) || is_table(value))) return false;
  }
  return true;
}

/* One table for all, a column for each member. */
static void put_simple(FILE *stream, const json_t *entries)
{
  json_t     *entry = NULL, *value = NULL, *name = NULL;
  const char *key = NULL;
  size_t      i = 0, k = 0;
  fputs("| name | ", stream);
  json_object_foreach(json_array_get(entries, 0), key, value) if (!is_head(key)) fprintf(stream, "| %s ", key);
  fputs("|\n|---|---", stream);
  json_object_foreach(json_array_get(entries, 0), key, value) if (!is_head(key)) fputs("|---", stream);
  fputs("|\n", stream);
  json_array_foreach(entries, i, entry)
  {
    put_cell(stream, "name", json_string_value(json_object_get(entry, "name")));
    put_cell(stream, "summary", json_string_value(json_object_get(entry, "summary")));
    json_object_foreach(entry, key, value)
    {
      if (is_head(key)) continue;
      fputs("| ", stream);
      json_array_foreach(value, k, name) fprintf(stream, "%s`%s`", k ? ", " : "", json_string_value(name));
      fputc(' ', stream);
    }
    fputs("|\n", stream);
  }
}

void sb_list_print_markdown(const sb_list *list, const json_t *entries, FILE *stream)
{
  json_t *entry = NULL;
  size_t  i = 0;
  fprintf(stream,
          "# %s\n\n<!-- Written by `springbench list %s --markdown`; renew with the build target `reference`. -->\n\n",
          list->title, list->topic);
  fprintf(stream, "%s\n\n", list->about);
  if (json_object_get(json_array_get(entries, 0), "section")) {
    put_sections(stream, entries);
    return;
  }
  if (are_simple(entries)) {
    put_simple(stream, entries);
    return;
  }
  put_index(stream, entries);
  json_array_foreach(entries, i, entry) put_entry(stream, entry);
}
