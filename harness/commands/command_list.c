/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `springbench list`: everything that has a name, for a terminal, as JSON, and as pages of the manual,
 * docs/reference/<topic>.md. Text and pages are the same walk over entries, whose tables are grids (table.h).
 *
 * An entry is a JSON object: "name", "summary", "claims" [texts], and the further members of its family: texts, lists
 * of texts, and tables (lists of objects with the same members, of which "name" comes first and "sentence" last). The
 * printer does not depend on families, so that text, Markdown and JSON agree. */
#include <ctype.h>
#include <string.h>

#include "base/words.h"
#include "harness/commands/command.h"
#include "harness/report/table.h"
#include "harness/run/tour.h"
#include "harness/sweep/sweep.h"
#include "solvers/device/device.h"

/* The words of a text separated by blanks; an empty array for NULL. */
static json_t *words_of(const char *text)
{
  json_t *words = json_array();
  for (const char *c = text ? text : ""; *c; c += strcspn(c, " "), c += strspn(c, " "))
    if (*c != ' ') json_array_append_new(words, json_stringn(c, strcspn(c, " ")));
  return words;
}

/* Adds the table of the options named in `uses`, with the values that "key=value …" of `defaults` gives them in place
 * of the table's, and the pairs that set none of them. Both may be NULL. */
static void add_options(json_t *object, const char *uses, const char *defaults)
{
  json_auto_t *names = words_of(uses);
  json_t      *rows = json_array(), *further = words_of(defaults), *name, *pair;
  size_t       i, k;
  json_array_foreach(names, i, name)
  {
    const sb_option_id id = sb_option_find(json_string_value(name));
    if (id == sb_option_count) continue;
    const sb_option *option = sb_option_at(id);
    const size_t     length = strlen(option->name);
    json_t          *row = json_pack("{s:s, s:s, s:s, s:s}", "name", option->name, "unit", option->unit, "default",
                            option->preset ? option->preset : "", "sentence", option->summary);
    json_array_append_new(rows, row);
    json_array_foreach(further, k, pair)
    {
      const char *text = json_string_value(pair);
      if (strncmp(text, option->name, length) != 0 || text[length] != '=') continue;
      json_object_set_new(row, "default", json_string(text + length + 1));
      json_array_remove(further, k);
      break;
    }
  }
  json_object_set_new(object, "options", rows);
  json_object_set_new(object, "further defaults", further);
}

/* Adds the facts of an entry. */
static void add_fact(json_t *object, const sb_fact *fact)
{
  json_t *there = json_object_get(object, fact->key ? fact->key : "claims"), *row;
  switch (fact->kind) {
  case SB_FACT_CLAIM:
    json_array_append_new(there, json_string(fact->text));
    break;
  case SB_FACT_TEXT:
    json_object_set_new(object, fact->key, json_string(fact->text));
    break;
  case SB_FACT_WORDS:
    json_object_set_new(object, fact->key, words_of(fact->text));
    break;
  case SB_FACT_ROW:
    if (!there) json_object_set_new(object, fact->key, there = json_array());
    json_array_append_new(there, row = json_object());
    for (size_t i = 0; fact->row[i]; i += 2) json_object_set_new(row, fact->row[i], json_string(fact->row[i + 1]));
    break;
  }
}

/* Options of their own, and words for which a message suggests them, are shown of all entries if some have these. */
static json_t *entry_of(const sb_list *list, const sb_entry *e, sb_arena *arena)
{
  sb_description d = {.arena = arena};
  json_t        *object = json_pack("{s:s, s:s, s:[]}", "name", e->name, "summary", e->summary, "claims");
  json_auto_t   *aliases = json_array();
  bool           have_options = false, have_aliases = false;
  for (size_t i = 0; i < list->count; ++i) {
    const sb_alias *alias = list->entries[i]->aliases;
    have_options = have_options || list->entries[i]->uses;
    have_aliases = have_aliases || (alias && alias->name);
  }
  if (have_options)
    add_options(object, sb_arena_format(arena, "%s %s", e->uses ? e->uses : "", e->reads ? e->reads : ""), e->defaults);
  if (list->describe) list->describe(e, &d);
  sb_describe_claim(&d, e->unread, "does not read %s", e->unread);
  for (const sb_fact *fact = d.first; fact; fact = fact->next) add_fact(object, fact);
  for (const sb_alias *alias = e->aliases; alias && alias->name; ++alias)
    json_array_append_new(aliases, json_string(alias->name));
  if (have_aliases) json_object_set(object, "suggested for", aliases);
  return object;
}

/* A new array; of all entries, or those with a name. */
static json_t *entries_of(const sb_list *list, const char *name, sb_arena *arena)
{
  json_t *entries = json_array();
  for (size_t i = 0; i < list->count; ++i)
    if (!name || strcmp(list->entries[i]->name, name) == 0)
      json_array_append_new(entries, entry_of(list, list->entries[i], arena));
  return entries;
}

/* ---- the sweeps that come with springbench ---- */

typedef struct {
  SB_ENTRY_HEAD;
  const sb_sweep *sweep;
  const char     *topic, *file, *takes, *quick; /* topic: "" without one; typical times: "" if not known */
  bool            is_row;                       /* it is shown as a line below its topic */
} shipped_sweep;

static void describe_sweep(const sb_entry *entry, sb_description *d)
{
  const shipped_sweep *s = (const void *)entry;
  const sb_sweep      *sweep = s->sweep;
  if (s->is_row) sb_describe_text(d, "section", s->topic);
  if (s->is_row || *s->takes) sb_describe_text(d, "takes", s->takes); /* rows of a table have the same members */
  if (s->is_row || *s->quick) sb_describe_text(d, "quick", s->quick);
  if (s->is_row) return;
  if (sweep->source) sb_describe_claim(d, true, "origin: %s", sweep->source);
  sb_describe_claim(d, true, "%s, %s, %s", sb_counted(d->arena, sweep->claim_count, "claim"),
                    sb_counted(d->arena, sweep->table_count, "table"),
                    sb_counted(d->arena, sweep->figure_count, "figure"));
  sb_describe_text(d, "topic", s->topic);
  sb_describe_text(d, "driver", sweep->driver);
  sb_describe_text(d, "file", s->file);
}

/* By topic, those without one last; in a topic by name, as the files are. */
static bool comes_before(const sb_entry *one, const sb_entry *other)
{
  const char *a = ((const shipped_sweep *)(const void *)one)->topic;
  const char *b = ((const shipped_sweep *)(const void *)other)->topic;
  return *a && (!*b || strverscmp(a, b) < 0);
}

/* `rows`: a line for each. */
static const sb_list *list_sweeps(const sb_session *session, bool rows)
{
  sb_arena        *arena = session->arena;
  size_t           count = 0, read = 0;
  const char     **paths = sb_sweeps_shipped(arena, &count);
  const sb_entry **entries = sb_arena_take(arena, count, sizeof *entries);
  for (size_t i = 0; i < count; ++i) {
    const sb_sweep *s = sb_sweep_read(paths[i], session);
    if (!s) continue;
    const sb_typical typical = sb_typical_of(s->name, arena);
    shipped_sweep   *added = sb_arena_take(arena, 1, sizeof *added);
    *added = (shipped_sweep){.name = s->name,
                             .summary = s->question ? s->question : "",
                             .sweep = s,
                             .topic = s->topic ? s->topic : "",
                             .file = strrchr(paths[i], '/') + 1,
                             .takes = sb_duration_words(typical.whole_seconds, arena),
                             .quick = sb_duration_words(typical.quick_seconds, arena),
                             .is_row = rows};
    size_t at = read++;
    for (; at > 0 && comes_before(&added->entry, entries[at - 1]); --at) entries[at] = entries[at - 1];
    entries[at] = &added->entry;
  }
  sb_list *list = sb_arena_take(arena, 1, sizeof *list);
  *list = (sb_list){
      .family = "sweeps",
      .title = "Sweeps that come with springbench",
      .about = "Run by `springbench run NAME` in any folder; the results go to the folder `results` there. Times: "
               "typical, on two quiet cores. `springbench list sweeps NAME` shows more.",
      .brief = rows,
      .entries = entries,
      .count = read,
      .describe = describe_sweep,
  };
  return list;
}

/* ---- the devices of this machine ---- */

typedef struct {
  SB_ENTRY_HEAD;
  sb_device_facts facts;
} found_device;

static void describe_device(const sb_entry *entry, sb_description *d)
{
  const sb_device_facts *f = &((const found_device *)(const void *)entry)->facts;
  sb_describe_claim(d, true, "%s of platform '%s'", f->gpu ? "GPU" : "processor", f->platform);
  sb_describe_claim(d, true, "driver %s, %s", f->driver, f->version);
  sb_describe_claim(d, true, "%u units, %.3g GB", f->units, 1e-9 * (double)f->bytes);
  sb_describe_claim(d, f->doubles, "double precision");
  sb_describe_claim(d, !f->doubles, "no double precision: precision=single only");
  sb_describe_claim(d, f->rounds, "rounds divisions and roots of single precision correctly");
}

/* Opens the drivers of OpenCL. */
static const sb_list *list_devices(sb_arena *arena)
{
  static const char values[] = "Values of option `device`. `opencl` is the first GPU, or the first device without one.";
  sb_device_listing *all = sb_arena_take(arena, 1, sizeof *all);
  sb_device_list(all);
  const size_t     count = all->count;
  const sb_entry **entries = sb_arena_take(arena, count + 1, sizeof *entries);
  found_device    *devices = sb_arena_take(arena, count + 1, sizeof *devices);
  sb_list         *list = sb_arena_take(arena, 1, sizeof *list);
  for (size_t i = 0; i < count; ++i) {
    devices[i] = (found_device){
        .name = sb_arena_format(arena, "opencl:%zu", i + 1), .summary = all->facts[i].name, .facts = all->facts[i]};
    entries[i] = &devices[i].entry;
  }
  *list = (sb_list){
      .family = "devices",
      .title = "Devices of OpenCL on this machine",
      .about = count == 0 ? all->why : sb_arena_format(arena, "%s%s%s", values, *all->why ? " " : "", all->why),
      .entries = entries,
      .count = count,
      .describe = describe_device,
  };
  return list;
}

/* ---- what is printed of them ---- */

typedef struct {
  sb_arena *arena;
  bool      markdown;
} page;

static const char *text_of(const json_t *entry, const char *key)
{
  return json_string_value(json_object_get(entry, key));
}

/* Tells whether a member has a place of its own. */
static bool is_head(const char *key) { return sb_has_word("name summary claims section sentence", key); }

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
  const bool        words = sb_has_word("sentence summary unit", key);
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

/* Rows [from, to) with the same members: names and the text of `sentence`. `all`: also the members between them, on a
 * terminal after the sentence in brackets: "[m, default 1]". */
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
      const bool  bare =
          sb_has_word("unit type", key) || strncmp(said, "must", 4) == 0 || strncmp(said, "springbench", 11) == 0;
      if (all && p->markdown && !is_head(key)) put_cell(table, key, value);
      const char *lead = bare ? "" : sb_arena_format(p->arena, json_is_array(value) ? "%s: " : "%s ", key);
      if (*said) remarks = sb_arena_join(p->arena, remarks, ", ", "%s%s", lead, said);
    }
    sb_cell *last = put_cell(table, sentence, json_object_get(row, sentence));
    if (*remarks && !p->markdown) last->text = sb_arena_format(p->arena, "%s [%s]", last->text, remarks);
  }
  sb_table_print(table, p->markdown ? SB_TABLE_MARKDOWN : SB_TABLE_TEXT, stdout);
}

static void put_item(const page *p, const char *text)
{
  fputs(p->markdown ? "- " : "  - ", stdout);
  if (p->markdown) fputs(text, stdout);
  if (!p->markdown) sb_text_put_wrapped(stdout, text, 4, 4);
  putchar('\n');
}

/* Options have their own list: on a terminal their names and defaults are enough. */
static void put_entry(const page *p, json_t *entry)
{
  const char *key, *name = text_of(entry, "name"), *summary = text_of(entry, "summary");
  json_t     *value, *claim;
  size_t      i;
  bool        items = false;
  if (p->markdown) {
    const char *sentence = sb_arena_format(p->arena, "%c%s.", toupper((unsigned char)*summary), summary + 1);
    printf("## %s\n\n%s\n\n", name, *summary ? escaped(p->arena, sentence, false) : "");
  } else {
    printf("%s\n  ", name);
    sb_text_put_wrapped(stdout, summary, 2, 2);
    putchar('\n');
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
  if (p->markdown && items) putchar('\n');
  json_object_foreach(entry, key, value)
  {
    if (is_head(key) || !is_table(value) || (!p->markdown && strcmp(key, "options") == 0)) continue;
    if (strcmp(key, "options") != 0) printf(p->markdown ? "The %s:\n\n" : "  %s:\n", key);
    put_rows(p, value, 0, json_array_size(value), "sentence", true);
  }
  if (!p->markdown) putchar('\n');
}

/* Names and summaries where `all` is false; else all there is about every entry. */
static void put_list(const page *p, const sb_list *list, const json_t *entries, bool all)
{
  const size_t count = json_array_size(entries);
  json_t      *entry;
  size_t       i;
  if (p->markdown)
    printf("# %s\n\n<!-- Written by `springbench list %s --markdown`; renew with the build target `reference`. "
           "-->\n\n%s\n\n",
           list->title, list->family, list->about);
  else if (!all)
    printf("%s (springbench list %s)\n", list->title, list->family);
  else {
    printf("%s\n", list->title);
    sb_text_put_wrapped(stdout, list->about, 0, 0);
    fputs("\n\n", stdout);
  }
  if (!all || (p->markdown && !list->brief)) put_rows(p, entries, 0, count, "summary", false);
  if (all && !list->brief) json_array_foreach(entries, i, entry) put_entry(p, entry);
  /* Entries that are rows: those of each section below its heading. */
  for (size_t from = 0, to = 0; all && list->brief && from < count; from = to) {
    const json_t *section = json_object_get(json_array_get(entries, from), "section");
    do to++;
    while (to < count && (!section || json_equal(json_object_get(json_array_get(entries, to), "section"), section)));
    if (section) printf(p->markdown ? "## %s\n\n" : "%s\n", json_string_value(section));
    put_rows(p, entries, from, to, "summary", true);
    if (!p->markdown && to < count) putchar('\n');
  }
}

/* "there is no topic or name 'scene'; did you mean 'scenes'? (scenes, …)" */
static int refuse_topic(const sb_session *session, const sb_vocabulary *all, const char *topic)
{
  if (strcmp(topic, "solvers") == 0 || strcmp(topic, "solver") == 0) {
    sb_error_at(session->diagnostics, (sb_location){0}, "E106",
                "solvers are three lists: integrators, minimizers, linear");
    return SB_EXIT_USAGE;
  }
  sb_entry        *topics = sb_arena_take(session->arena, all->count, sizeof *topics);
  const sb_entry **entries = sb_arena_take(session->arena, all->count, sizeof *entries);
  for (size_t i = 0; i < all->count; ++i) {
    topics[i].name = all->lists[i]->family;
    entries[i] = &topics[i];
  }
  const sb_list list = {.entries = entries, .count = all->count};
  const char   *near = sb_list_suggestion(&list, topic, session->arena);
  for (size_t i = 0; !*near && i < all->count; ++i) near = sb_list_suggestion(all->lists[i], topic, session->arena);
  sb_error_at(session->diagnostics, (sb_location){0}, "E106", "there is no topic or name '%s'%s (%s)", topic, near,
              sb_list_names(&list, ", ", session->arena));
  return SB_EXIT_USAGE;
}

/* The lists that are known, and that of sweeps or devices, which are looked for only where they may be asked for. */
static sb_vocabulary lists_of(const sb_session *session, const char *topic, bool rows)
{
  const sb_vocabulary *known = session->vocabulary;
  const sb_list      **lists = sb_arena_take(session->arena, known->count + 1, sizeof *lists);
  size_t               count = known->count;
  memcpy(lists, known->lists, count * sizeof *lists);
  if (topic && strcmp(topic, "devices") == 0)
    lists[count++] = list_devices(session->arena);
  else if (!topic || !sb_vocabulary_list(known, topic))
    lists[count++] = list_sweeps(session, rows);
  return (sb_vocabulary){.lists = lists, .count = count};
}

typedef struct {
  bool json, markdown;
} wanted;

static int run_list(int argc, char **argv, const sb_session *session)
{
  wanted                 w = {0};
  const sb_command_words given = sb_command_read(argc, argv, session, &w);
  const page             p = {session->arena, w.markdown};
  const char            *topic = given.count > 0 ? given.names[0] : NULL;
  const sb_vocabulary    all =
      lists_of(session, topic, topic && given.count == 1 && strcmp(topic, "sweeps") == 0 && !w.json);
  const sb_list *only = topic ? sb_vocabulary_list(&all, topic) : NULL;
  /* `list cloth`: all about what has that name, in whichever topics it is. */
  const char *name = !only ? topic : given.count > 1 ? given.names[1] : NULL;
  if (given.count > 1 && !only) return refuse_topic(session, &all, topic);
  json_auto_t *object = json_object();
  for (size_t i = 0; i < all.count; ++i) {
    const sb_list *list = all.lists[i];
    if (only && list != only) continue;
    json_auto_t *entries = entries_of(list, name, session->arena);
    if (!name || json_array_size(entries) > 0) {
      if (!w.json && json_object_size(object) > 0) putchar('\n');
      if (!w.json) put_list(&p, list, entries, topic || p.markdown);
      json_object_set(object, list->family, entries);
    }
  }
  const bool found = json_object_size(object) > 0;
  if (found && w.json) json_dumpf(object, stdout, JSON_INDENT(2));
  if (found && w.json) putchar('\n');
  if (found) return SB_EXIT_OK;
  if (!only) return refuse_topic(session, &all, name);
  /* "none of the scenes is named 'clth'; did you mean 'cloth'? (bar, cloth, …)" */
  sb_error_at(session->diagnostics, (sb_location){0}, "E106", "none of the %s is named '%s'%s (%s)", only->family, name,
              sb_list_suggestion(only, name, session->arena), sb_list_names(only, ", ", session->arena));
  return SB_EXIT_USAGE;
}

static const sb_command_option list_options[] = {
    {"json", 0, NULL, "an object with an array of entries for every topic", sb_take_flag,
     .place = offsetof(wanted, json)},
    {"markdown", 0, NULL, "a topic as a page of the manual", sb_take_flag, .place = offsetof(wanted, markdown)},
    {0},
};

const sb_command sb_command_list = {.run = run_list, .most = 2, .options = list_options};
