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

static sb_plan *empty_plan(size_t room, sb_arena *arena)
{
  sb_plan *plan = sb_arena_take(arena, 1, sizeof *plan);
  plan->arena = arena;
  plan->cases = sb_arena_take(arena, room, sizeof *plan->cases);
  return plan;
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

/* The digests of the files that a case names. */
static void put_inputs(FILE *stream, const sb_planned_case *c)
{
  const char *before = ",\n   \"inputs\": {";
  bool        any = false;
  for (int i = 0; i < SB_INPUT_OPTIONS; ++i) {
    if (!c->inputs[i]) continue;
    put_member(stream, any ? ", " : before, input_name(i), c->inputs[i]);
    any = true;
  }
  if (any) fputc('}', stream);
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
  if (json_object_size(plugins) == 0) return;
  fputs(",\n \"plugins\": ", stream);
  (void)json_dumpf(plugins, stream, JSON_SORT_KEYS);
}

/* The format comes last, where it is found without reading the cases. */
char *sb_plan_json(const sb_sweep *sweep, const sb_plan *plan, const char *file)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  fputs("{\"axes\": [", stream);
  for (size_t i = 0; i < plan->axis_count; ++i) {
    if (i > 0) fputs(", ", stream);
    sb_json_put_text(stream, plan->axes[i]);
  }
  fputs("],\n \"cases\": [", stream);
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
    put_inputs(stream, c);
    fputc('}', stream);
  }
  put_member(stream, "],\n ", "driver", sweep->driver);
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
  json_array_foreach(axes, i, item) if (json_is_string(item)) sb_plan_add_column(r->plan, json_string_value(item));
  return true;
}

static bool read_case(const reader *r, json_t *item)
{
  sb_plan         *plan = r->plan;
  const char      *key = NULL, *method = NULL, *skipped = NULL, *command = NULL;
  json_t          *values = NULL, *inputs = NULL;
  sb_planned_case *c = SB_NEW_ITEM(plan->arena, plan->cases, plan->count);
  if (json_unpack(item, "{s:s, s?s, s?s, s:s, s:o, s?o}", "key", &key, "method", &method, "skipped", &skipped,
                  "command", &command, "options", &values, "inputs", &inputs) != 0 ||
      !json_is_object(values) || strlen(key) != SB_KEY_LENGTH || key[strspn(key, "0123456789abcdef")])
    return refuse(r, "a case without key, command or options"); /* a key is a file name */
  c->options = sb_options_keep(read_options(r, values, plan->count > 1 ? c[-1].options : NULL), plan->arena);
  if (!c->options) return false;
  memcpy(c->key, key, SB_KEY_LENGTH + 1);
  c->method = sb_arena_copy(plan->arena, method);
  c->skipped = sb_arena_copy(plan->arena, skipped);
  c->command = sb_arena_copy(plan->arena, command);
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
  json_auto_t         *plugins = take_member(text, "plugins");
  const sb_vocabulary *all = sb_plugin_methods_take_former(session->vocabulary, text, session->arena);
  return plugins ? sb_plugin_methods_take(all, plugins, session->arena) : all;
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

/* ---- put together ---- */

sb_plan *sb_plan_part(const sb_plan *plan, const bool *kept, sb_arena *arena)
{
  sb_plan *part = empty_plan(plan->count, arena);
  for (size_t i = 0; i < plan->axis_count; ++i) sb_plan_add_column(part, plan->axes[i]);
  for (size_t i = 0; i < plan->count; ++i)
    if (kept[i]) part->cases[part->count++] = plan->cases[i];
  return part;
}

static int compare_keys(const void *one, const void *other)
{
  return strcmp(((const sb_planned_case *)one)->key, ((const sb_planned_case *)other)->key);
}

/* The cases of both, in an order that does not depend on who came first. */
static sb_plan *join(const sb_plan *one, const sb_plan *other, sb_arena *arena)
{
  sb_plan      *joined = empty_plan(one->count + other->count, arena);
  const size_t *in_one = numbers_in(one, other, arena);
  for (size_t i = 0; i < one->axis_count; ++i) sb_plan_add_column(joined, one->axes[i]);
  for (size_t i = 0; i < other->axis_count; ++i) sb_plan_add_column(joined, other->axes[i]);
  for (size_t i = 0; i < one->count; ++i) joined->cases[joined->count++] = one->cases[i];
  for (size_t i = 0; i < other->count; ++i)
    if (in_one[i] >= one->count) joined->cases[joined->count++] = other->cases[i];
  qsort(joined->cases, joined->count, sizeof *joined->cases, compare_keys);
  return joined;
}

/* Options that no key has, such as `save`, stay as they were asked for. */
static void keep_manners(sb_planned_case *c, const sb_planned_case *stored, sb_arena *arena)
{
  sb_options *options = NULL;
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    const char *text = sb_options_text(stored->options, id);
    if (!(sb_option_at(id)->traits & SB_NOT_IN_KEY) || !sb_options_has(stored->options, id)) continue;
    if (sb_options_has(c->options, id) && strcmp(sb_options_text(c->options, id), text) == 0) continue;
    if (!options) options = sb_options_keep(sb_options_copy(c->options), arena);
    sb_options_set(options, id, text, SB_FROM_USER, (sb_location){0}, NULL);
  }
  if (!options) return;
  c->options = options;
  c->command = sb_arena_adopt(arena, sb_case_command(options));
}

sb_plan *sb_plan_known(const sb_plan *made, const sb_plan *stored, const sb_plan *asked, sb_arena *arena)
{
  static const sb_plan nothing = {0};
  if (!stored) stored = &nothing;
  if (!asked) asked = &nothing;
  if (!made) return join(asked, stored, arena);
  bool         *kept = sb_arena_take(arena, made->count, sizeof *kept);
  const size_t *in_stored = numbers_in(stored, made, arena), *in_asked = numbers_in(asked, made, arena);
  size_t        number = 0;
  for (size_t i = 0; i < made->count; ++i) kept[i] = in_stored[i] < stored->count || in_asked[i] < asked->count;
  sb_plan *known = sb_plan_part(made, kept, arena);
  for (size_t i = 0; i < made->count; ++i) {
    if (!kept[i]) continue;
    sb_planned_case *c = &known->cases[number++];
    if (in_asked[i] < asked->count)
      *c = asked->cases[in_asked[i]];
    else if (!c->stands)
      keep_manners(c, &stored->cases[in_stored[i]], arena);
  }
  return known;
}

/* ---- what is not here, or has changed ---- */

/* For each case of `plan` the number of the first of `known` with the same command, known->count if there is none. */
static const size_t *commands_in(const sb_plan *known, const sb_plan *plan, sb_arena *arena)
{
  const char **commands = sb_arena_take(arena, known->count + plan->count, sizeof *commands);
  for (size_t i = 0; i < known->count; ++i) commands[i] = known->cases[i].command;
  for (size_t i = 0; i < plan->count; ++i) commands[known->count + i] = plan->cases[i].command;
  const size_t *first = sb_find_repeated(commands, known->count + plan->count, arena) + known->count;
  return first;
}

bool sb_plan_is_here(const sb_plan *plan, const sb_vocabulary *vocabulary)
{
  size_t i = 0;
  while (i < plan->count && sb_case_is_here(plan->cases[i].options, vocabulary)) ++i;
  return i == plan->count;
}

void sb_plan_stand_in(sb_plan *made, const sb_plan *stored, const sb_vocabulary *vocabulary)
{
  const size_t *by_key = numbers_in(stored, made, made->arena), *by_command = commands_in(stored, made, made->arena);
  for (size_t i = 0; i < made->count; ++i) {
    sb_planned_case *c = &made->cases[i];
    const size_t     number = by_key[i] < stored->count ? by_key[i] : by_command[i];
    if (number >= stored->count || sb_case_is_here(c->options, vocabulary)) continue;
    const char *method = c->method;
    *c = stored->cases[number];
    c->method = method;
    c->stands = true;
  }
}

const sb_planned_case *sb_plan_changed(const sb_plan *made, const sb_plan *stored)
{
  const size_t *by_key = numbers_in(made, stored, made->arena), *by_command = commands_in(made, stored, made->arena);
  for (size_t i = 0; i < stored->count; ++i)
    if (by_key[i] >= made->count && by_command[i] < made->count) return &stored->cases[i];
  return NULL;
}
