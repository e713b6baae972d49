/* `springbench list`: what there is, for a terminal, as JSON, and as pages of the manual, docs/reference/<topic>.md.
 * Text and pages are the same walk over entries (lists.h), whose tables are grids (table.h). */
#include <ctype.h>
#include <string.h>

#include "harness/commands/command.h"
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

/* Tells whether a member has a place of its own. */
static bool is_head(const char *key)
{
  static const char *const heads[] = {"name", "summary", "claims", "section", "sentence"};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; ++i)
    if (strcmp(key, heads[i]) == 0) return true;
  return false;
}

static bool is_table(const json_t *value) { return json_is_object(json_array_get(value, 0)); }

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

/* A text, names, or rows of a table by their names and defaults, with `mark` on either side of each: "rope, cloth",
 * "`drag=0`". */
static const char *joined(sb_arena *arena, const json_t *value, const char *mark)
{
  const char   *text = "";
  const json_t *item;
  size_t        i;
  if (json_is_string(value)) return sb_arena_format(arena, "%s%s%s", mark, json_string_value(value), mark);
  json_array_foreach(value, i, item)
  {
    const char *name = json_is_object(item) ? text_of(item, "name") : json_string_value(item);
    const char *preset = json_is_object(item) ? text_of(item, "default") : NULL;
    text = sb_arena_format(arena, "%s%s%s%s%s%s%s", text, i ? ", " : "", mark, name, preset && *preset ? "=" : "",
                           preset ? preset : "", mark);
  }
  return text;
}

/* Adds a cell. In Markdown names and values are code, and another list is a link to its page; the rest is prose. */
static sb_cell *put_cell(sb_table *table, const char *key, const json_t *value)
{
  static const char list[] = "springbench list ";
  const bool        words = strcmp(key, "sentence") == 0 || strcmp(key, "summary") == 0 || strcmp(key, "unit") == 0;
  sb_cell          *cell = sb_table_put(table, joined(table->arena, value, ""));
  const char       *topic = cell->text + sizeof list - 1;
  if (json_is_array(value))
    cell->markdown = joined(table->arena, value, "`");
  else if (strncmp(cell->text, list, sizeof list - 1) == 0)
    cell->markdown = sb_arena_format(table->arena, "[%s](%s.md)", topic, topic);
  else if (*cell->text)
    cell->markdown = escaped(table->arena, cell->text, !words && strncmp(cell->text, "must ", 5) != 0);
  return cell;
}

/* Rows [from, to) with the same members: names and what `sentence` has. `all`: also what stands between them, on a
 * terminal behind the sentence in brackets: "[m, default 1]". */
static void put_rows(const page *p, const json_t *rows, size_t from, size_t to, const char *sentence, bool all)
{
  sb_table   *table = sb_table_create(p->arena);
  const char *key;
  json_t     *value;
  table->indent = strcmp(sentence, "summary") == 0 ? 2 : 4; /* below an entry */
  table->wrap = true;
  sb_table_add_column(table, p->markdown ? "name" : "", "", false);
  json_object_foreach(json_array_get(rows, from), key, value)
  {
    if (all && p->markdown && !is_head(key)) sb_table_add_column(table, key, "", false);
  }
  sb_table_add_column(table, "", "", false);
  for (; from < to; ++from) {
    json_t     *row = json_array_get(rows, from);
    const char *remarks = "";
    sb_table_add_row(table);
    put_cell(table, "name", json_object_get(row, "name"));
    json_object_foreach(row, key, value)
    {
      const char *said = all && !is_head(key) ? joined(p->arena, value, "") : "";
      const bool  bare = strcmp(key, "unit") == 0 || strcmp(key, "type") == 0 || strncmp(said, "must", 4) == 0 ||
                        strncmp(said, "springbench", 11) == 0;
      if (all && p->markdown && !is_head(key)) put_cell(table, key, value);
      if (*said)
        remarks = sb_arena_format(p->arena, "%s%s%s%s%s", remarks, *remarks ? ", " : "", bare ? "" : key,
                                  bare                   ? ""
                                  : json_is_array(value) ? ": "
                                                         : " ",
                                  said);
    }
    sb_cell *last = put_cell(table, sentence, json_object_get(row, sentence));
    if (*remarks && !p->markdown) last->text = sb_arena_format(p->arena, "%s [%s]", last->text, remarks);
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

/* Options are told elsewhere: on a terminal their names and defaults are enough. */
static void put_entry(const page *p, json_t *entry)
{
  const char *key, *name = text_of(entry, "name"), *summary = text_of(entry, "summary");
  json_t     *value, *claim;
  size_t      i;
  bool        items = false;
  if (p->markdown) {
    const char *sentence = sb_arena_format(p->arena, "%c%s.", toupper((unsigned char)*summary), summary + 1);
    fprintf(p->stream, "## %s\n\n%s\n\n", name, *summary ? escaped(p->arena, sentence, false) : "");
  } else {
    fprintf(p->stream, "%s\n  ", name);
    sb_text_put_wrapped(p->stream, summary, 2, 2);
    fputc('\n', p->stream);
  }
  json_array_foreach(json_object_get(entry, "claims"), i, claim)
  {
    put_item(p, p->markdown ? escaped(p->arena, json_string_value(claim), false) : json_string_value(claim));
    items = true;
  }
  json_object_foreach(entry, key, value)
  {
    const bool is_empty = json_is_string(value) ? !*json_string_value(value) : json_array_size(value) == 0;
    if (is_head(key) || is_empty || (is_table(value) && (p->markdown || strcmp(key, "options") != 0))) continue;
    put_item(p, sb_arena_format(p->arena, "%s: %s", key, joined(p->arena, value, p->markdown ? "`" : "")));
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

/* Names and summaries where `all` is false; else all there is about every entry. */
static void put_list(const page *p, const sb_list *list, const json_t *entries, bool all)
{
  const size_t count = json_array_size(entries);
  json_t      *entry;
  size_t       i;
  if (p->markdown)
    fprintf(p->stream,
            "# %s\n\n<!-- Written by `springbench list %s --markdown`; renew with the build target `reference`. "
            "-->\n\n%s\n\n",
            list->title, list->topic, list->about);
  else if (!all)
    fprintf(p->stream, "%s (springbench list %s)\n", list->title, list->topic);
  else {
    fprintf(p->stream, "%s\n", list->title);
    sb_text_put_wrapped(p->stream, list->about, 0, 0);
    fputs("\n\n", p->stream);
  }
  if (!all || (p->markdown && !list->brief)) put_rows(p, entries, 0, count, "summary", false);
  if (all && !list->brief) json_array_foreach(entries, i, entry) put_entry(p, entry);
  /* Entries that are rows: those of each section below its heading. */
  for (size_t from = 0, to = 0; all && list->brief && from < count; from = to) {
    const json_t *section = json_object_get(json_array_get(entries, from), "section");
    do to++;
    while (to < count && (!section || json_equal(json_object_get(json_array_get(entries, to), "section"), section)));
    if (section) fprintf(p->stream, p->markdown ? "## %s\n\n" : "%s\n", json_string_value(section));
    put_rows(p, entries, from, to, "summary", true);
    if (!p->markdown && to < count) fputc('\n', p->stream);
  }
}

/* "none of the scenes is called 'clth'; did you mean 'cloth'? (bar, cloth, …)"; `only` NULL: it is no topic. */
static int refuse(const sb_session *session, const sb_list *only, const char *name)
{
  json_t     *entries = only ? sb_list_entries(only, session) : json_array();
  size_t      count = json_array_size(entries);
  const char *all = "", *what = "nothing to list is called";
  while (!only && sb_lists[count].topic) ++count;
  const char **names = sb_arena_take(session->arena, count, sizeof *names);
  for (size_t i = 0; i < count; ++i) {
    names[i] = only ? text_of(json_array_get(entries, i), "name") : sb_lists[i].topic;
    all = sb_arena_format(session->arena, "%s%s%s", all, i ? ", " : "", names[i]);
  }
  const char *near = sb_nearest_name(name, names, count);
  if (only) what = sb_arena_format(session->arena, "none of the %s is called", only->topic);
  if (!only && (strcmp(name, "solvers") == 0 || strcmp(name, "solver") == 0))
    sb_error_at(session->diagnostics, (sb_location){0}, "E106",
                "solvers are three lists: integrators, minimizers, linear");
  else
    sb_error_at(session->diagnostics, (sb_location){0}, "E106", "%s '%s'%s%s%s (%s)", what, name,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", all);
  json_decref(entries);
  return SB_EXIT_USAGE;
}

static int run_list(const sb_arguments *given, const sb_session *session)
{
  const page     p = {stdout, session->arena, given->flags[1]};
  const bool     json = given->flags[0];
  const char    *topic = given->count > 0 ? given->names[0] : NULL;
  const sb_list *only = topic ? sb_lists : NULL;
  while (only && only->topic && strcmp(only->topic, topic) != 0) ++only;
  if (only && !only->topic) only = NULL;
  /* `list cloth`: all about what has that name, in whichever topics it is. */
  const char *name = !only ? topic : given->count > 1 ? given->names[1] : NULL;
  if (given->count > 1 && !only) return refuse(session, NULL, topic);
  json_t *object = json_object();
  for (const sb_list *list = only ? only : sb_lists; list->topic && (!only || list == only); ++list) {
    json_t *entries = sb_list_entries(list, session);
    for (size_t i = json_array_size(entries); name && i-- > 0;)
      if (strcmp(text_of(json_array_get(entries, i), "name"), name) != 0) json_array_remove(entries, i);
    if (!name || json_array_size(entries) > 0) {
      if (!json && json_object_size(object) > 0) putchar('\n');
      if (!json) put_list(&p, list, entries, topic || p.markdown);
      json_object_set(object, list->topic, entries);
    }
    json_decref(entries);
  }
  const bool found = json_object_size(object) > 0;
  if (found && json) json_dumpf(object, stdout, JSON_INDENT(2));
  if (found && json) putchar('\n');
  json_decref(object);
  return found ? SB_EXIT_OK : refuse(session, only, name);
}

const sb_command sb_command_list = {.most = 2, .flags = {"--json", "--markdown"}, .run_plain = run_list};
