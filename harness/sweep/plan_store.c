/* Stored plans: plan.json written, read and made fit to run, and plans put together; see plan.h. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/json_text.h"
#include "harness/common/text.h"
#include "harness/sweep/plan.h"

enum { WORDS_BEFORE = 2 }; /* springbench case */

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

/* ---- read ---- */

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
  r.plan = empty_plan(0, session->arena);
  const bool intact = sb_json_is_intact(text, strlen(text)) || refuse(&r, "damaged: it does not fit its own checksum");
  const bool good = intact && read_plan(&r, root);
  json_decref(root);
  return good ? r.plan : NULL;
}

/* ---- made fit to run ----
 *
 * plan.json has every value and not who gave it, and an option that was given excludes others that were not: the
 * command line of a case says which were. */

/* The options that a command line gives; NULL and a diagnostic when it is none that a plan would have. */
static sb_options *options_of(const char *command, const sb_vocabulary *vocabulary, sb_location where,
                              sb_diagnostics *diagnostics)
{
  sb_options *options = sb_options_create(vocabulary);
  bool        good = options != NULL;
  size_t      number = 0;
  for (char *word; good && (word = sb_text_next_word(&command)); ++number) {
    if (number >= WORDS_BEFORE) good = sb_options_set_pair(options, word, SB_FROM_USER, where, diagnostics);
    free(word);
  }
  if (!good) sb_options_destroy(&options);
  return options;
}

/* "springbench run DIR/sweep.yaml -o DIR" of the plan DIR/plan.json. */
static void put_command(FILE *stream, const char *name)
{
  const char *slash = strrchr(name, '/');
  char       *folder = slash ? sb_copy_span(name, (size_t)(slash - name)) : sb_copy_text(".");
  char       *sweep = sb_format("%s/sweep.yaml", folder);
  fputs("springbench run ", stream);
  sb_text_put_word(stream, sweep);
  fputs(" -o ", stream);
  sb_text_put_word(stream, folder);
  free(sweep);
  free(folder);
}

static bool refuse_changed(const sb_options *options, const char *key, const char *name, sb_diagnostics *diagnostics)
{
  static const sb_option_id files[] = {SB_OPT_mesh, SB_OPT_vertex_data, SB_OPT_spring_data, SB_OPT_restart};
  char                     *text = NULL;
  size_t                    length = 0;
  FILE                     *stream = sb_text_stream(&text, &length);
  for (size_t i = 0, n = 0; i < sizeof files / sizeof *files; ++i)
    if (*sb_options_text(options, files[i]))
      fprintf(stream, "%s%s", n++ > 0 ? ", " : "", sb_options_text(options, files[i]));
  fputs("); ", stream);
  put_command(stream, name);
  fclose(stream);
  sb_error_at(diagnostics, (sb_location){name, 0, 0}, "E114",
              "case %s is another one now: a file that it names has changed (%s leaves the earlier cases out", key,
              text);
  free(text);
  return false;
}

static bool restore(sb_planned_case *c, sb_input_cache *known, const char *name, const sb_session *session)
{
  sb_diagnostics   *diagnostics = session->diagnostics;
  const sb_location where = {name, 0, 0};
  char              key[SB_KEY_LENGTH + 1] = "";
  sb_time_grid      time;
  sb_options       *given = options_of(c->command, sb_options_vocabulary(c->options), where, diagnostics);
  const bool        limited = given && sb_options_has(c->options, SB_OPT_memory_limit); /* in no command line */
  const char       *limit = limited ? sb_options_text(c->options, SB_OPT_memory_limit) : NULL;
  bool              good = given &&
              (!limit || sb_options_set(given, SB_OPT_memory_limit, limit, SB_FROM_USER, where, diagnostics)) &&
              sb_case_resolve(given, &time, diagnostics);
  if (good) sb_case_key_known(given, known, key);
  if (good && strcmp(key, c->key) != 0) good = refuse_changed(given, c->key, name, diagnostics);
  sb_options_keep(given, session->arena);
  if (good) c->options = given;
  if (good) c->time = time;
  return good;
}

bool sb_plan_restore(sb_plan *plan, const char *name, const sb_session *session)
{
  bool            good = true;
  sb_input_cache *known = sb_input_cache_create(session->arena);
  for (size_t i = 0; good && i < plan->count; ++i)
    if (!plan->cases[i].skipped) good = restore(&plan->cases[i], known, name, session);
  return good;
}

/* ---- put together ---- */

/* A case and its place in a plan, for looking it up by its key. */
typedef struct {
  const sb_planned_case *planned;
  size_t                 place;
} entry;

typedef struct {
  size_t count;
  entry *sorted; /* malloc'ed */
} lookup;

static int compare_entries(const void *a, const void *b)
{
  return strcmp(((const entry *)a)->planned->key, ((const entry *)b)->planned->key);
}

static lookup look_up(const sb_plan *plan)
{
  lookup l = {plan->count, sb_allocate(plan->count, sizeof *l.sorted)};
  for (size_t i = 0; i < plan->count; ++i) l.sorted[i] = (entry){&plan->cases[i], i};
  qsort(l.sorted, l.count, sizeof *l.sorted, compare_entries);
  return l;
}

static const entry *find(const lookup *l, const sb_planned_case *planned)
{
  const entry wanted = {planned, 0};
  return bsearch(&wanted, l->sorted, l->count, sizeof *l->sorted, compare_entries);
}

static void add_columns(sb_plan *plan, const sb_plan *from)
{
  for (size_t i = 0; i < from->axis_count; ++i) sb_plan_add_column(plan, from->axes[i]);
}

sb_plan *sb_plan_part(const sb_plan *plan, const bool *kept, sb_arena *arena)
{
  sb_plan *part = empty_plan(plan->count, arena);
  add_columns(part, plan);
  for (size_t i = 0; i < plan->count; ++i)
    if (kept[i]) part->cases[part->count++] = plan->cases[i];
  return part;
}

static size_t count_missing(const sb_plan *in, const sb_plan *of)
{
  lookup l = look_up(in);
  size_t missing = 0;
  for (size_t i = 0; i < of->count; ++i) missing += !find(&l, &of->cases[i]);
  free(l.sorted);
  return missing;
}

sb_plan *sb_plan_join(const sb_plan *stored, const sb_plan *asked, sb_arena *arena)
{
  const bool     all_there = stored && count_missing(stored, asked) == 0 && count_missing(asked, stored) > 0;
  const sb_plan *first = all_there ? stored : asked, *second = all_there ? asked : stored;
  sb_plan       *joined = empty_plan(asked->count + (stored ? stored->count : 0), arena);
  lookup         l = look_up(first);
  for (size_t i = 0; i < first->count; ++i) joined->cases[joined->count++] = first->cases[i];
  for (size_t i = 0; second && i < second->count; ++i)
    if (!find(&l, &second->cases[i])) joined->cases[joined->count++] = second->cases[i];
  add_columns(joined, first);
  if (second) add_columns(joined, second);
  free(l.sorted);
  return joined;
}

typedef struct {
  sb_planned_case planned;
  size_t          made, listed; /* places: in what the sweep makes, and as it came */
} placed_case;

static int compare_places(const void *a, const void *b)
{
  const placed_case *x = a, *y = b;
  if (x->made != y->made) return x->made < y->made ? -1 : 1;
  return (x->listed > y->listed) - (x->listed < y->listed);
}

void sb_plan_follow(sb_plan *plan, const sb_plan *full)
{
  lookup       l = look_up(full);
  placed_case *cases = sb_allocate(plan->count + 1, sizeof *cases);
  for (size_t i = 0; i < plan->count; ++i) {
    const entry *made = find(&l, &plan->cases[i]);
    cases[i] = (placed_case){made ? *made->planned : plan->cases[i], made ? made->place : (size_t)-1, i};
  }
  qsort(cases, plan->count, sizeof *cases, compare_places);
  for (size_t i = 0; i < plan->count; ++i) plan->cases[i] = cases[i].planned;
  free(cases);
  free(l.sorted);
}
