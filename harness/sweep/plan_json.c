/* plan.json, written and read, and the union of two plans. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/json_text.h"
#include "harness/common/sealed_json.h"
#include "harness/sweep/plan.h"
#include "harness/sweep/plan_columns.h"

static void put_member(FILE *stream, const char *before, const char *name, const char *text)
{
  fputs(before, stream);
  sb_json_put_text(stream, name);
  fputs(": ", stream);
  sb_json_put_text(stream, text);
}

static void put_case(FILE *stream, const sb_planned_case *c)
{
  const char *before = "";
  put_member(stream, "\n  {", "key", c->key);
  if (c->method) put_member(stream, ", ", "method", c->method);
  if (c->skipped) put_member(stream, ", ", "skipped", c->skipped);
  put_member(stream, ",\n   ", "command", c->command);
  fputs(",\n   \"options\": {", stream);
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option_id id = (sb_option_id)i;
    if (!sb_options_has(c->options, id)) continue;
    put_member(stream, before, sb_option_at(id)->name, sb_options_text(c->options, id));
    before = ", ";
  }
  fputs("}}", stream);
}

/* The format comes last, where it is found without reading the cases. */
char *sb_plan_json(const sb_sweep *sweep, const sb_plan *plan)
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
    if (i > 0) fputc(',', stream);
    put_case(stream, &plan->cases[i]);
  }
  put_member(stream, "],\n ", "driver", sweep->driver);
  put_member(stream, ",\n ", "name", sweep->name);
  fprintf(stream, ",\n \"springbench\": %d}", (int)SB_FORMAT_VERSION);
  return fclose(stream) == 0 ? sb_json_seal(text) : (free(text), NULL);
}

typedef struct {
  const char       *name;
  const sb_session *session;
  sb_plan          *plan;
} reader;

static bool refuse(const reader *r, const char *what)
{
  return sb_error_at(r->session->diagnostics, (sb_location){r->name, 0, 0}, "E110", "not a stored plan: %s", what);
}

/* The key reaches file names. */
static bool is_key(const char *key)
{
  return strlen(key) == SB_KEY_LENGTH && strspn(key, "0123456789abcdef") == SB_KEY_LENGTH;
}

/* Cases of a plan are much alike: `like`, the options of the one before (NULL: none), saves most of the reading. */
static sb_options *read_options(const reader *r, json_t *values, const sb_options *like)
{
  const sb_location where = {r->name, 0, 0};
  sb_options       *options = like ? sb_options_copy(like) : sb_options_create(r->session->vocabulary);
  bool              good = options != NULL;
  size_t            read = 0;
  for (int i = 0; good && i < SB_OPT_COUNT; ++i) {
    const sb_option_id id = (sb_option_id)i;
    const json_t      *value = json_object_get(values, sb_option_at(id)->name);
    const bool         set = sb_options_origin(options, id) == SB_FROM_USER;
    const char        *text = json_string_value(value);
    if (!value && set) {
      sb_options_destroy(&options);
      return read_options(r, values, NULL);
    }
    if (!value) continue;
    ++read;
    if (!text)
      good = refuse(r, "an option that is none");
    else if (!set || strcmp(sb_options_text(options, id), text) != 0)
      good = sb_options_set(options, id, text, SB_FROM_USER, where, r->session->diagnostics);
  }
  if (good && read != json_object_size(values)) good = refuse(r, "an option that is none");
  if (!good && options) sb_options_destroy(&options);
  return options;
}

static bool read_case(const reader *r, json_t *stored, const sb_options *like, sb_planned_case *c)
{
  const char *key = NULL, *method = NULL, *skipped = NULL, *command = NULL;
  json_t     *values = NULL;
  if (json_unpack(stored, "{s:s, s?s, s?s, s:s, s:o}", "key", &key, "method", &method, "skipped", &skipped, "command",
                  &command, "options", &values) != 0 ||
      !json_is_object(values) || !is_key(key))
    return refuse(r, "a case without key, command or options");
  c->options = sb_options_keep(read_options(r, values, like), r->plan->arena);
  if (!c->options) return false;
  memcpy(c->key, key, SB_KEY_LENGTH + 1);
  c->method = sb_arena_copy(r->plan->arena, method);
  c->skipped = sb_arena_copy(r->plan->arena, skipped);
  c->command = sb_arena_copy(r->plan->arena, command);
  return sb_resolve_time(c->options, &c->time, skipped ? NULL : r->session->diagnostics) || skipped;
}

static bool read_plan(const reader *r, json_t *root)
{
  sb_plan *plan = r->plan;
  int      format = 0;
  json_t  *axes = NULL, *cases = NULL, *item = NULL;
  size_t   i = 0;
  if (json_unpack(root, "{s:i, s:o, s:o}", "springbench", &format, "axes", &axes, "cases", &cases) != 0 ||
      !json_is_array(axes) || !json_is_array(cases))
    return refuse(r, "without format, axes or cases");
  if (format != SB_FORMAT_VERSION)
    return sb_error_at(r->session->diagnostics, (sb_location){r->name, 0, 0}, "E113",
                       "a plan of format %d; this springbench reads format %d", format, (int)SB_FORMAT_VERSION);
  json_array_foreach(axes, i, item) if (json_is_string(item)) sb_plan_add_column(plan, json_string_value(item));
  plan->cases = sb_arena_take(plan->arena, json_array_size(cases), sizeof *plan->cases);
  json_array_foreach(cases, i, item)
  {
    plan->count = i + 1;
    if (!read_case(r, item, i ? plan->cases[i - 1].options : NULL, &plan->cases[i])) return false;
  }
  return true;
}

sb_plan *sb_plan_from_json(const char *text, const char *name, const sb_session *session)
{
  reader       r = {name, session, NULL};
  json_error_t error;
  json_t      *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  if (!root) {
    sb_error_at(session->diagnostics, (sb_location){name, error.line, error.column}, "E110", "not JSON: %s",
                error.text);
    return NULL;
  }
  r.plan = sb_arena_take(session->arena, 1, sizeof *r.plan);
  r.plan->arena = session->arena;
  const bool intact = sb_json_is_intact(text, strlen(text)) || refuse(&r, "damaged: it does not fit its own checksum");
  const bool good = intact && read_plan(&r, root);
  json_decref(root);
  return good ? r.plan : NULL;
}
