/* What is measured and how it is asked for, as lists: drivers, options, sweeps. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/commands/lists.h"
#include "harness/common/data_directory.h"
#include "harness/sweep/sweep.h"

json_t *sb_list_drivers(const sb_session *session)
{
  json_t *list = json_array();
  for (size_t i = 0; i < session->drivers->count; ++i) {
    const sb_driver *driver = session->drivers->drivers[i];
    json_t          *entry = sb_list_entry(driver->name, driver->summary), *columns = json_array();
    if (driver->restarts) sb_list_claim(entry, "goes on from a case file (option restart)");
    for (size_t k = 0; k < driver->column_count; ++k) {
      const sb_column *c = &driver->columns[k];
      json_array_append_new(columns, json_pack("{s:s, s:s, s:s, s:s}", "name", c->name, "unit", c->unit, "timing",
                                               c->timing ? "yes" : "", "sentence", c->sentence));
    }
    sb_list_add_options(entry, driver->uses, driver->defaults);
    sb_list_add_defaults(entry, driver->uses, driver->defaults);
    json_object_set_new(entry, "columns", columns);
    json_array_append_new(list, entry);
  }
  return list;
}

/* The topics of options.def before the options they head. */
typedef struct {
  const char  *title; /* NULL: an option */
  sb_option_id id;
} heading;

static const char *section_of(sb_option_id id)
{
#define SB_SECTION(title)                                            {title, SB_OPT_COUNT},
#define SB_OPTION(name, kind, unit, preset, range, traits, sentence) {NULL, SB_OPT_##name},
  static const heading headings[] = {
#include "base/options.def"
  };
#undef SB_OPTION
  const char *title = "";
  for (size_t i = 0; i < sizeof headings / sizeof *headings; ++i) {
    if (headings[i].title)
      title = headings[i].title;
    else if (headings[i].id == id)
      break;
  }
  return title;
}

/* What an option takes: "[0,1]", "a, b or a number every:N", "see `springbench list scenes`". Malloc'ed. */
static char *allowed(const sb_option *option)
{
  const char *range = option->range;
  if (*range == '@') return sb_format("springbench list %s", range + 1);
  if (!strchr(range, '|')) return sb_copy_text(range);
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  for (const char *c = range; *c; ++c)
    if (*c == '|')
      fputs(", ", stream);
    else
      fputc(*c == '#' ? 'N' : *c, stream);
  fclose(stream);
  return text;
}

json_t *sb_list_options(const sb_session *session)
{
  json_t *list = json_array();
  (void)session;
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option *option = sb_option_at((sb_option_id)i);
    json_t          *entry = sb_list_entry(option->name, option->sentence);
    char            *range = allowed(option);
    if (option->traits & SB_STORED_ONLY) sb_list_claim(entry, "says what is stored: not part of a case's key");
    if (option->traits & SB_LIMIT_ONLY) sb_list_claim(entry, "says how far a case may go: not part of its key");
    json_object_set_new(entry, "section", json_string(section_of((sb_option_id)i)));
    json_object_set_new(entry, "type", json_string(sb_option_kind_name(option->kind)));
    json_object_set_new(entry, "unit", json_string(option->unit));
    json_object_set_new(entry, "default", json_string(option->preset ? option->preset : ""));
    json_object_set_new(entry, "allowed", json_string(range));
    json_array_append_new(list, entry);
    free(range);
  }
  return list;
}

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

static json_t *sweep_entry(const char *path, const sb_session *session)
{
  sb_session own = sb_session_begin(session->vocabulary, session->drivers);
  sb_sweep  *sweep = sb_sweep_read(path, &own);
  json_t    *entry = NULL;
  if (sweep) {
    entry = sb_list_entry(sweep->name, sweep->question ? sweep->question : "");
    if (sweep->source) sb_list_claim(entry, "origin: %s", sweep->source);
    sb_list_claim(entry, "%zu claim%s, %zu table%s, %zu figure%s", sweep->claim_count, plural(sweep->claim_count),
                  sweep->table_count, plural(sweep->table_count), sweep->figure_count, plural(sweep->figure_count));
    json_object_set_new(entry, "topic", json_string(sweep->topic ? sweep->topic : ""));
    json_object_set_new(entry, "driver", json_string(sweep->driver));
    json_object_set_new(entry, "file", json_string(strrchr(path, '/') + 1));
  }
  sb_session_end(&own, stderr);
  return entry;
}

static const char *text_of(const json_t *entry, const char *key)
{
  return json_string_value(json_object_get(entry, key));
}

/* By topic, those without one last; then by name. */
static int compare_sweeps(const void *left, const void *right)
{
  const json_t *a = *(json_t *const *)left, *b = *(json_t *const *)right;
  const char   *x = text_of(a, "topic"), *y = text_of(b, "topic");
  const int     order = !*x || !*y ? !*x - !*y : strcmp(x, y);
  return order != 0 ? order : strcmp(text_of(a, "name"), text_of(b, "name"));
}

static json_t *sorted(json_t *list)
{
  const size_t count = json_array_size(list);
  json_t     **entries = sb_allocate(count, sizeof *entries), *result = json_array();
  for (size_t i = 0; i < count; ++i) entries[i] = json_array_get(list, i);
  qsort(entries, count, sizeof *entries, compare_sweeps);
  for (size_t i = 0; i < count; ++i) json_array_append(result, entries[i]);
  free(entries);
  json_decref(list);
  return result;
}

json_t *sb_list_sweeps(const sb_session *session)
{
  char   *folder = sb_data_directory("experiments"), *pattern = sb_format("%s/*.yaml", folder);
  json_t *list = json_array();
  glob_t  found = {0};
  if (glob(pattern, 0, NULL, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; ++i) {
      json_t *entry = sweep_entry(found.gl_pathv[i], session);
      if (entry) json_array_append_new(list, entry);
    }
  globfree(&found);
  free(pattern);
  free(folder);
  return sorted(list);
}
