/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stored plans: plan.json written, read and made fit to run, and plans put together; see plan.h. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/option_ids.h"
#include "cases/common/json_text.h"
#include "cases/common/text.h"
#include "cases/describe/names.h"
#include "cases/describe/plugin_methods.h"
#include "harness/sweep/plan.h"
#include "harness/sweep/plan_expand.h"

enum { WORDS_BEFORE = 2 }; /* springbench case */

static sb_plan *empty_plan(size_t room, sb_arena *arena)
{
  sb_plan *plan = sb_arena_take(arena, 1, sizeof *plan);
  plan->arena = arena;
  plan->cases = sb_arena_take(arena, room, sizeof *plan->cases);
  return plan;
}

static void add_methods(sb_plan *plan, const json_t *added)
{
  if (json_object_size(added) == 0) return;
  if (!plan->added) sb_arena_defer(plan->arena, sb_json_end, plan->added = json_object());
  json_object_update_missing(plan->added, (json_t *)added);
}

/* ---- written ---- */

static void put_member(FILE *stream, const char *before, const char *name, const char *text)
{
  fputs(before, stream);
  sb_json_put_text(stream, name);
  fputs(": ", stream);
  sb_json_put_text(stream, text);
}

static const char *input_name(int i) { return sb_option_at(sb_input_options[i])->name; }

/* NAME: text of all texts that are there, behind `member` ("inputs": {), and "}"; nothing if there are none. */
static void put_texts(FILE *stream, const char *member, const char *const *texts, int count, const char *name(int))
{
  const char *before = member;
  for (int i = 0; i < count; ++i) {
    if (!texts[i]) continue;
    put_member(stream, before, name(i), texts[i]);
    before = ", ";
  }
  if (before != member) fputc('}', stream);
}

/* A member beside the cases, by the library; nothing if it is empty. */
static void put_object(FILE *stream, const char *name, const json_t *object, size_t flags)
{
  if (json_object_size(object) == 0) return;
  fprintf(stream, ",\n \"%s\": ", name);
  (void)json_dumpf(object, stream, flags);
}

/* For sb_plan_vocabulary. Cases of earlier runs may have another vocabulary than those of this one. */
static void put_plugins(FILE *stream, const sb_plan *plan)
{
  json_auto_t         *plugins = json_object();
  const sb_vocabulary *before = NULL;
  for (size_t i = 0; i < plan->count; ++i) {
    const sb_vocabulary *vocabulary = sb_options_vocabulary(plan->cases[i].options);
    if (vocabulary != before) sb_plugin_methods_put(vocabulary, plugins);
    before = vocabulary;
  }
  put_object(stream, "plugins", plugins, JSON_SORT_KEYS);
}

static void put_names(FILE *stream, const char *before, char *const *names, size_t count)
{
  fputs(before, stream);
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) fputs(", ", stream);
    sb_json_put_text(stream, names[i]);
  }
  fputc(']', stream);
}

/* The format comes last, where it is found without reading the cases. */
char *sb_plan_json(const sb_sweep *sweep, const sb_plan *plan, const char *file)
{
  json_t *methods = sb_sweep_methods_json(sweep->methods, sweep->method_count, plan->arena);
  char   *text = NULL;
  size_t  length = 0;
  FILE   *stream = sb_text_stream(&text, &length);
  put_names(stream, "{\"axes\": [", plan->axes, plan->axis_count);
  if (plan->varied_count > 0) put_names(stream, ",\n \"varied\": [", plan->varied, plan->varied_count);
  fputs(",\n \"cases\": [", stream);
  for (size_t i = 0; i < plan->count; ++i) {
    const sb_planned_case *c = &plan->cases[i];
    put_member(stream, i > 0 ? ",\n  {" : "\n  {", "key", c->key);
    if (c->method) put_member(stream, ", ", "method", c->method);
    if (c->skipped) put_member(stream, ", ", "skipped", c->skipped);
    put_member(stream, ",\n   ", "command", c->command);
    fputs(",\n   \"options\": {", stream);
    const char *before = "";
    for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
      if (!sb_options_has(c->options, id)) continue;
      put_member(stream, before, sb_option_at(id)->name, sb_options_text(c->options, id));
      before = ", ";
    }
    fputc('}', stream);
    put_texts(stream, ",\n   \"inputs\": {", c->inputs, SB_INPUT_OPTIONS, input_name);
    put_texts(stream, ",\n   \"changed\": {", c->changed, SB_NAMINGS, sb_naming_axis);
    fputc('}', stream);
  }
  put_member(stream, "],\n ", "driver", sweep->driver);
  put_object(stream, "added", plan->added, JSON_SORT_KEYS);
  put_object(stream, "methods", methods, 0);
  put_member(stream, ",\n ", "name", sweep->name);
  put_plugins(stream, plan);
  if (file) put_member(stream, ",\n ", "sweep_file", file);
  fprintf(stream, ",\n \"springbench\": %d}", (int)SB_FORMAT_VERSION);
  return fclose(stream) == 0 ? sb_json_seal(text) : (free(text), NULL);
}

/* ---- read ---- */

typedef struct {
  sb_location       where; /* the file */
  const sb_session *session;
  sb_plan          *plan;
} reader;

static bool refuse(const reader *r, const char *what)
{
  return sb_error_at(r->session->diagnostics, r->where, "E110", "not a stored plan: %s", what);
}

/* Cases of a plan are much alike: `like`, the options of the one before (NULL: none), saves most of the reading. */
static sb_options *read_options(const reader *r, const json_t *values, const sb_options *like)
{
  sb_options *options = like ? sb_options_copy(like) : sb_options_create(r->session->vocabulary);
  bool        good = options != NULL;
  size_t      read = 0;
  for (sb_option_id id = 0; good && id < SB_OPT_COUNT; ++id) {
    const json_t   *value = json_object_get(values, sb_option_at(id)->name);
    const sb_origin origin = sb_option_stored_origin(id);
    const bool      set = sb_options_origin(options, id) == origin;
    const char     *text = json_string_value(value);
    if (!value && set) {
      sb_options_destroy(&options);
      return read_options(r, values, NULL);
    }
    read += value != NULL;
    if (value && !text)
      good = refuse(r, "an unknown option");
    else if (value && (!set || strcmp(sb_options_text(options, id), text) != 0))
      good = sb_options_set(options, id, text, origin, r->where, r->session->diagnostics);
  }
  if (good && read != json_object_size(values)) good = refuse(r, "an unknown option");
  if (!good) sb_options_destroy(&options);
  return options;
}

static const char *past_blanks(const char *at) { return at + strspn(at, " \t\r\n"); }

/* Parses the JSON value at *at, and moves *at behind it. NULL with *error: there is none. */
static json_t *take_value(const char **at, json_error_t *error)
{
  json_t *value = json_loads(*at, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, error);
  if (value) *at = past_blanks(*at + error->position);
  return value;
}

/* The first element of the array `cases` in the text of a plan; NULL: it has no such array. */
static const char *find_cases(const char *text)
{
  json_error_t error;
  bool         more = true;
  for (const char *at = past_blanks(text); more && (*at == '{' || *at == ',');) {
    at = past_blanks(at + 1);
    json_auto_t *name = take_value(&at, &error);
    if (!json_is_string(name) || *at != ':') return NULL;
    at = past_blanks(at + 1);
    if (*at == '[' && strcmp(json_string_value(name), "cases") == 0) return past_blanks(at + 1);
    json_auto_t *value = take_value(&at, &error);
    more = value != NULL;
  }
  return NULL;
}

static bool read_head(const reader *r, json_t *root)
{
  int     format = 0;
  json_t *axes = NULL, *cases = NULL, *item = NULL;
  size_t  i = 0;
  if (json_unpack(root, "{s:i, s:o, s:o}", "springbench", &format, "axes", &axes, "cases", &cases) != 0 ||
      !json_is_array(axes) || !json_is_array(cases))
    return refuse(r, "without format, axes or cases");
  if (format != SB_FORMAT_VERSION)
    return sb_error_at(r->session->diagnostics, r->where, "E113",
                       "a plan of format %d; this springbench reads format %d", format, (int)SB_FORMAT_VERSION);
  r->plan->methods = json_incref(json_object_get(root, "methods"));
  if (r->plan->methods) sb_arena_defer(r->plan->arena, sb_json_end, r->plan->methods);
  add_methods(r->plan, json_object_get(root, "added"));
  json_array_foreach(axes, i, item) if (json_is_string(item)) sb_plan_add_column(r->plan, json_string_value(item));
  json_array_foreach(json_object_get(root, "varied"), i, item) if (json_is_string(item))
      sb_plan_add_varied(r->plan, json_string_value(item));
  return true;
}

static bool read_case(const reader *r, json_t *item)
{
  sb_plan         *plan = r->plan;
  const char      *key = NULL, *method = NULL, *skipped = NULL, *command = NULL;
  json_t          *values = NULL, *inputs = NULL, *changed = NULL;
  sb_planned_case *c = SB_NEW_ITEM(plan->arena, plan->cases, plan->count);
  if (json_unpack(item, "{s:s, s?s, s?s, s:s, s:o, s?o, s?o}", "key", &key, "method", &method, "skipped", &skipped,
                  "command", &command, "options", &values, "inputs", &inputs, "changed", &changed) != 0 ||
      !json_is_object(values) || strlen(key) != SB_KEY_LENGTH || key[strspn(key, "0123456789abcdef")])
    return refuse(r, "a case without key, command or options"); /* a key is a file name */
  c->options = sb_options_keep(read_options(r, values, plan->count > 1 ? c[-1].options : NULL), plan->arena);
  if (!c->options) return false;
  memcpy(c->key, key, SB_KEY_LENGTH + 1);
  c->method = sb_arena_copy(plan->arena, method);
  c->skipped = sb_arena_copy(plan->arena, skipped);
  c->command = sb_arena_copy(plan->arena, command);
  for (int n = 0; n < SB_NAMINGS; ++n)
    c->changed[n] = sb_arena_copy(plan->arena, json_string_value(json_object_get(changed, sb_naming_axis(n))));
  for (int k = 0; k < SB_INPUT_OPTIONS; ++k)
    c->inputs[k] = sb_arena_copy(plan->arena, json_string_value(json_object_get(inputs, input_name(k))));
  return sb_case_resolve_time(c->options, &c->time, skipped ? NULL : r->session->diagnostics) || skipped;
}

static bool refuse_json(const reader *r, const json_error_t *error, int lines_before)
{
  return sb_error_at(r->session->diagnostics, (sb_location){r->where.file, lines_before + error->line, error->column},
                     "E110", "not JSON: %s", error->text);
}

/* Goes through the elements of the array that begins at *at, and moves *at to its bracket. Each is parsed by itself:
 * all of them as JSON take six times the room of their text. `read` false: they are passed over. */
static bool go_through_cases(const reader *r, const char *text, const char **at, bool read)
{
  int         line = 0;
  const char *counted = text;
  bool        good = true;
  for (bool more = **at != ']'; good && more;) {
    json_error_t error;
    for (; counted < *at; ++counted) line += *counted == '\n';
    json_auto_t *item = take_value(at, &error);
    good = item ? !read || read_case(r, item) : refuse_json(r, &error, line);
    more = **at == ',';
    if (more) *at = past_blanks(*at + 1);
  }
  return good;
}

/* The value of a member in the text of a plan, found without reading the cases: a text within JSON has no line break. A
 * new object; NULL if there is none. */
static json_t *take_member(const char *text, const char *name)
{
  SB_OWNED char *member = sb_format(",\n \"%s\": ", name);
  const char    *at = text ? strstr(text, member) : NULL;
  json_error_t   error;
  if (at) at += strlen(member);
  return at ? take_value(&at, &error) : NULL;
}

/* A sweep needs it before the plan is read. */
const sb_vocabulary *sb_plan_vocabulary(const char *text, const sb_session *session)
{
  json_auto_t *plugins = take_member(text, "plugins");
  return plugins ? sb_plugin_methods_take(session->vocabulary, plugins, session->arena) : session->vocabulary;
}

json_t *sb_plan_added(const char *text) { return take_member(text, "added"); }

bool sb_plan_check_added(const sb_plan *plan, const json_t *others, sb_location where, sb_diagnostics *diagnostics)
{
  bool        good = true;
  const char *name = NULL;
  json_t     *set = NULL;
  json_object_foreach(plan->added, name, set)
  {
    const json_t *other = json_object_get(others, name);
    if (other && !json_equal(set, (json_t *)other))
      good = sb_error_at(
          diagnostics, where, "E106",
          "it has results of a method '%s' with other options; choose another name, or another directory", name);
  }
  return good;
}

char *sb_plan_sweep_file(const char *text, sb_arena *arena)
{
  json_auto_t *file = take_member(text, "sweep_file");
  return file ? sb_arena_copy(arena, json_string_value(file)) : NULL;
}

/* For each case of `plan` its number in `known`, which is no number of a case where it is not there. */
static const size_t *numbers_in(const sb_plan *known, const sb_plan *plan, sb_arena *arena)
{
  const char **keys = sb_arena_take(arena, known->count + plan->count, sizeof *keys);
  for (size_t i = 0; i < known->count; ++i) keys[i] = known->cases[i].key;
  for (size_t i = 0; i < plan->count; ++i) keys[known->count + i] = plan->cases[i].key;
  return sb_find_repeated(keys, known->count + plan->count, arena) + known->count;
}

static bool has_each_once(const reader *r)
{
  const size_t *number = numbers_in(r->plan, r->plan, r->plan->arena);
  for (size_t i = 0; i < r->plan->count; ++i)
    if (number[i] != i) return refuse(r, "damaged: it has a case twice");
  return true;
}

/* Everything but the cases is parsed first: the format tells whether they can be read. */
sb_plan *sb_plan_from_json(const char *text, const char *name, const sb_session *session)
{
  sb_session     own = *session;
  const reader   r = {{name, 0, 0}, &own, empty_plan(0, session->arena)};
  const char    *begin = find_cases(text), *end = begin;
  json_error_t   error;
  const bool     passed = !begin || go_through_cases(&r, text, &end, false);
  SB_OWNED char *head = begin ? sb_format("%.*s%s", (int)(begin - text), text, end) : sb_copy_text(text);
  json_auto_t   *root = passed ? json_loads(head, JSON_REJECT_DUPLICATES, &error) : NULL;
  if (!root && passed) refuse_json(&r, &error, 0);
  if (!root) return NULL;
  const bool intact = sb_json_is_intact(text, strlen(text)) || refuse(&r, "damaged: it does not fit its own checksum");
  own.vocabulary = sb_plan_vocabulary(text, session);
  const bool good = intact && read_head(&r, root) && (begin || refuse(&r, "without cases"));
  return good && go_through_cases(&r, text, &begin, true) && has_each_once(&r) ? r.plan : NULL;
}

void sb_plan_rename_methods(sb_plan *plan, const sb_sweep *sweep)
{
  json_t      *now = sb_sweep_methods_json(sweep->methods, sweep->method_count, plan->arena);
  json_auto_t *names = json_object(); /* stored name -> present name, null: none */
  const char  *stored = NULL, *name = NULL;
  json_t      *set = NULL, *sets = NULL;
  json_object_foreach(plan->methods, stored, set)
  {
    const bool kept = json_equal(set, json_object_get(now, stored));
    json_object_set_new(names, stored, kept ? json_string(stored) : json_null());
    if (kept) continue;
    json_object_foreach(now, name, sets) if (json_equal(set, sets))
        json_object_set_new(names, stored, json_string(name));
  }
  json_object_foreach(plan->added, stored, set) /* the sweep may have a method of that name now */
  {
    sets = json_object_get(now, stored);
    if (sets && !json_equal(set, sets)) json_object_set_new(names, stored, json_null());
  }
  for (size_t i = 0; i < plan->count; ++i) {
    sb_planned_case *c = &plan->cases[i];
    const char     **changed = &c->changed[SB_NAMED_METHOD], *with = *changed ? strchr(*changed, ' ') : NULL;
    const char      *before = with ? sb_arena_copy_span(plan->arena, *changed, (size_t)(with - *changed)) : c->method;
    const json_t    *found = before ? json_object_get(names, before) : NULL;
    if (!found) continue;
    name = json_string_value(found);
    if (with)
      *changed = name ? sb_arena_format(plan->arena, "%s%s", name, with) : NULL;
    else
      c->method = sb_arena_copy(plan->arena, name);
  }
}

/* ---- made fit to run ----
 *
 * plan.json has every value and not who gave it, and an option that was given excludes others that were not: the
 * command line of a case says which were. */

/* Says what to type to have it anew: "springbench run DIR/sweep.yaml -o DIR" of the plan DIR/plan.json. */
static bool refuse_changed(const sb_options *options, const char *key, sb_location where, const sb_session *session)
{
  const char     *slash = strrchr(where.file, '/'), *files = "";
  const char     *folder = slash ? sb_arena_copy_span(session->arena, where.file, (size_t)(slash - where.file)) : ".";
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, session->arena);
  for (size_t i = 0; i < SB_INPUT_OPTIONS; ++i)
    if (*sb_options_text(options, sb_input_options[i]))
      files = sb_arena_join(session->arena, files, ", ", "%s", sb_options_text(options, sb_input_options[i]));
  sb_text_put_word(stream, sb_arena_format(session->arena, "%s/sweep.yaml", folder));
  fputs(" -o ", stream);
  sb_text_put_word(stream, folder);
  return sb_error_at(
      session->diagnostics, where, "E114",
      "case %s has changed, as a file that it names has (%s); springbench run %s leaves the earlier cases "
      "out",
      key, files, sb_arena_text(&writer));
}

static bool restore(sb_planned_case *c, sb_input_cache *known, sb_location where, const sb_session *session)
{
  sb_diagnostics *d = session->diagnostics;
  char            key[SB_KEY_LENGTH + 1] = "";
  const char     *command = c->command;
  sb_time_grid    time;
  sb_options     *given = sb_options_keep(sb_options_create(session->vocabulary), session->arena);
  bool            good = given != NULL;
  size_t          number = 0;
  for (char *word; good && (word = sb_text_next_word(&command)); ++number) {
    if (number >= WORDS_BEFORE) good = sb_options_set_pair(given, word, SB_FROM_USER, where, d);
    free(word);
  }
  if (good && sb_options_has(c->options, SB_OPT_memory_limit)) /* in no command line */
    good = sb_options_set(given, SB_OPT_memory_limit, SB_TEXT(c->options, memory_limit), SB_FROM_USER, where, d);
  if (!good || !sb_case_resolve(given, &time, d)) return false;
  sb_case_key(given, known, key);
  if (strcmp(key, c->key) != 0) return refuse_changed(given, c->key, where, session);
  for (sb_option_id id = 0; good && id < SB_OPT_COUNT; ++id) /* in no command line, but may be an axis */
    if (sb_option_at(id)->traits & SB_STANDS_FOR_OTHERS && sb_options_has(c->options, id))
      good = sb_options_set(given, id, sb_options_text(c->options, id), SB_FROM_SCENE, where, d);
  c->options = given;
  c->time = time;
  return good;
}

bool sb_plan_restore(sb_plan *plan, const char *name, const sb_session *session)
{
  bool            good = true;
  sb_input_cache *known = sb_input_cache_create(session->arena);
  for (size_t i = 0; good && i < plan->count; ++i)
    if (!plan->cases[i].skipped) good = restore(&plan->cases[i], known, (sb_location){name, 0, 0}, session);
  return good;
}

/* ---- put together ---- */

static void add_columns(sb_plan *plan, const sb_plan *from)
{
  for (size_t i = 0; i < from->axis_count; ++i) sb_plan_add_column(plan, from->axes[i]);
  for (size_t i = 0; i < from->varied_count; ++i) sb_plan_add_varied(plan, from->varied[i]);
  add_methods(plan, from->added);
}

/* A case that both plans have gets the name that no command line changed, if there is one. Plans of earlier versions
 * have the name of a method also for cases in which -p changed it. */
static sb_planned_case better_named(const sb_planned_case *c, const sb_planned_case *other)
{
  sb_planned_case named = *c;
  for (int n = 0; n < SB_NAMINGS; ++n) {
    const sb_planned_case *changed = c->changed[n] ? c : other, *kept = c->changed[n] ? other : c;
    if (!changed->changed[n] || kept->changed[n]) continue;
    const size_t length = strcspn(changed->changed[n], " ");
    const bool   is_old = n == SB_NAMED_METHOD && kept->method && strlen(kept->method) == length &&
                        strncmp(kept->method, changed->changed[n], length) == 0;
    named.changed[n] = is_old ? changed->changed[n] : NULL;
    if (n == SB_NAMED_METHOD) named.method = is_old ? NULL : kept->method;
  }
  return named;
}

sb_plan *sb_plan_part(const sb_plan *plan, const bool *kept, sb_arena *arena)
{
  sb_plan *part = empty_plan(plan->count, arena);
  add_columns(part, plan);
  for (size_t i = 0; i < plan->count; ++i)
    if (kept[i]) part->cases[part->count++] = plan->cases[i];
  return part;
}

static bool is_among(char *const *names, size_t count, const char *name)
{
  size_t i = 0;
  while (i < count && strcmp(names[i], name) != 0) ++i;
  return i < count;
}

sb_plan *sb_plan_narrow(const sb_plan *plan, const bool *kept, const sb_plan *made, sb_arena *arena)
{
  sb_plan      *part = sb_plan_part(plan, kept, arena);
  const sb_plan all = *part;
  const bool   *varying = sb_plan_varying(&all, arena);
  if (!made) return part;
  part->axes = part->varied = NULL;
  part->axis_count = part->varied_count = 0;
  part->added = NULL; /* of methods that a case still has */
  for (size_t i = 0; i < part->count; ++i) {
    const char  *method = part->cases[i].method;
    json_auto_t *one = method ? json_pack("{s:O*}", method, json_object_get(all.added, method)) : NULL;
    add_methods(part, one);
  }
  for (size_t a = 0; a < all.axis_count; ++a)
    if (varying[a] && is_among(all.varied, all.varied_count, all.axes[a]))
      sb_plan_add_varied(part, all.axes[a]);
    else if (varying[a] || is_among(made->axes, made->axis_count, all.axes[a]))
      sb_plan_add_column(part, all.axes[a]);
  return part;
}

sb_plan *sb_plan_join(const sb_plan *stored, const sb_plan *asked, sb_arena *arena)
{
  const sb_plan nothing = {0}, *first = asked, *second = stored ? stored : &nothing;
  sb_plan      *joined = empty_plan(first->count + second->count, arena);
  const size_t *numbers = numbers_in(second, first, arena);
  size_t        known = 0;
  for (size_t i = 0; i < first->count; ++i) known += numbers[i] < second->count;
  if (known == first->count && second->count > known) { /* stored are all, and more */
    first = second;
    second = asked;
  }
  numbers = numbers_in(first, second, arena);
  for (size_t i = 0; i < first->count; ++i) joined->cases[joined->count++] = first->cases[i];
  for (size_t i = 0; i < second->count; ++i)
    if (numbers[i] >= first->count)
      joined->cases[joined->count++] = second->cases[i];
    else
      joined->cases[numbers[i]] = better_named(&joined->cases[numbers[i]], &second->cases[i]);
  add_columns(joined, first);
  add_columns(joined, second);
  return joined;
}

void sb_plan_follow(sb_plan *plan, const sb_plan *full)
{
  sb_plan      *ordered = empty_plan(plan->count, plan->arena);
  const size_t *in_plan = numbers_in(plan, full, plan->arena), *in_full = numbers_in(full, plan, plan->arena);
  for (size_t i = 0; i < full->count; ++i)
    if (in_plan[i] < plan->count) ordered->cases[ordered->count++] = full->cases[i];
  for (size_t i = 0; i < plan->count; ++i)
    if (in_full[i] >= full->count) ordered->cases[ordered->count++] = plan->cases[i];
  plan->cases = ordered->cases;
}

static int compare_cases(const void *one, const void *other, void *plan)
{
  const sb_planned_case *a = one, *b = other;
  const sb_plan         *columns = plan;
  int                    order = 0;
  for (size_t i = 0; order == 0 && i < columns->axis_count; ++i)
    order = sb_value_order(sb_case_value(a, columns->axes[i]), sb_case_value(b, columns->axes[i]));
  return order != 0 ? order : strcmp(a->key, b->key);
}

sb_plan *sb_plan_arrange(const sb_plan *plan, const sb_plan *full)
{
  sb_plan *arranged = empty_plan(plan->count, plan->arena);
  if (full) add_columns(arranged, full);
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    const char *name = sb_option_at(id)->name;
    if (is_among(plan->varied, plan->varied_count, name))
      sb_plan_add_varied(arranged, name);
    else if (is_among(plan->axes, plan->axis_count, name))
      sb_plan_add_column(arranged, name);
  }
  add_columns(arranged, plan); /* `method`, which is not an option */
  arranged->count = plan->count;
  memcpy(arranged->cases, plan->cases, plan->count * sizeof *plan->cases);
  qsort_r(arranged->cases, arranged->count, sizeof *arranged->cases, compare_cases, arranged);
  if (full) sb_plan_follow(arranged, full);
  return arranged;
}
