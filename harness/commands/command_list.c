/* `springbench list`: what there is; see lists.h. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "harness/commands/command.h"
#include "harness/commands/lists.h"

enum { KEY_JSON = 256, KEY_MARKDOWN };

typedef struct {
  const char *topic, *name; /* NULL: all */
  bool        json, markdown;
} request;

static error_t read_argument(int key, char *text, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case KEY_JSON:
    r->json = true;
    return 0;
  case KEY_MARKDOWN:
    r->markdown = true;
    return 0;
  case ARGP_KEY_ARG:
    if (r->name) argp_usage(state);
    if (r->topic)
      r->name = text;
    else
      r->topic = text;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option flags[] = {
    {"json", KEY_JSON, NULL, 0, "an object with an array of entries for every topic", 0},
    {"markdown", KEY_MARKDOWN, NULL, 0, "a topic as a page of the manual", 0},
    {0},
};
static const struct argp parser = {
    .options = flags,
    .parser = read_argument,
    .args_doc = "[TOPIC [NAME]]",
    .doc = "Lists what there is: without a topic names and summaries of everything, of a topic all that is known "
           "about its entries.",
};

/* "nothing is called 'x'; did you mean 'y'? (a, b)" */
static int refuse(const sb_session *session, const char *what, const char *name, const char *const *names, size_t count)
{
  const char *near = sb_nearest_name(name, names, count), *all = "";
  for (size_t i = 0; i < count; ++i) all = sb_arena_format(session->arena, "%s%s%s", all, i ? ", " : "", names[i]);
  sb_error_at(session->diagnostics, (sb_location){0}, "E106", "%s '%s'%s%s%s (%s)", what, name,
              near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", all);
  return SB_EXIT_USAGE;
}

static int refuse_topic(const sb_session *session, const char *topic)
{
  const size_t count = sb_list_count();
  const char **names = sb_arena_take(session->arena, count, sizeof *names);
  for (size_t i = 0; i < count; ++i) names[i] = sb_list_at(i)->topic;
  if (strcmp(topic, "solvers") != 0 && strcmp(topic, "solver") != 0)
    return refuse(session, "nothing to list is called", topic, names, count);
  sb_error_at(session->diagnostics, (sb_location){0}, "E106",
              "solvers are three lists: integrators, minimizers, linear");
  return SB_EXIT_USAGE;
}

/* Only the entry called `name` of a list, which is given up. */
static json_t *narrowed(json_t *entries, const char *name)
{
  json_t *one = json_array(), *entry = NULL;
  size_t  i = 0;
  json_array_foreach(entries, i, entry)
  {
    if (strcmp(json_string_value(json_object_get(entry, "name")), name) == 0) json_array_append(one, entry);
  }
  json_decref(entries);
  return one;
}

static int refuse_name(const sb_session *session, const sb_list *list, const char *name)
{
  json_t      *entries = sb_list_entries(list, session), *entry = NULL;
  const char **names = sb_arena_take(session->arena, json_array_size(entries), sizeof *names);
  size_t       i = 0;
  json_array_foreach(entries, i, entry) names[i] = json_string_value(json_object_get(entry, "name"));
  const int status = refuse(session, sb_arena_format(session->arena, "none of the %s is called", list->topic), name,
                            names, json_array_size(entries));
  json_decref(entries);
  return status;
}

static int run_list(int argc, char **argv, const sb_session *session)
{
  char    program[] = "springbench list"; /* in argp's messages */
  char   *first = argv[0];
  request r = {0};
  argv[0] = program;
  argp_err_exit_status = SB_EXIT_USAGE;
  const error_t failed = argp_parse(&parser, argc, argv, 0, NULL, &r);
  argv[0] = first;
  if (failed) return SB_EXIT_USAGE;
  /* `list cloth`: all about what has that name, in whichever topics it is. */
  const sb_list *only = r.topic ? sb_list_find(r.topic) : NULL;
  const char    *name = only ? r.name : r.topic;
  if (r.name && !only) return refuse_topic(session, r.topic);
  json_t *object = json_object();
  for (size_t i = 0; i < sb_list_count(); ++i) {
    const sb_list *list = sb_list_at(i);
    if (only && list != only) continue;
    json_t *entries = sb_list_entries(list, session);
    if (name) entries = narrowed(entries, name);
    const bool shown = !name || json_array_size(entries) > 0;
    if (shown && !r.json && json_object_size(object) > 0) putchar('\n');
    if (shown && !r.json)
      sb_list_print(list, entries,
                    r.markdown ? SB_LIST_PAGE
                    : r.topic  ? SB_LIST_LONG
                               : SB_LIST_SHORT,
                    session->arena, stdout);
    if (shown) json_object_set(object, list->topic, entries);
    json_decref(entries);
  }
  const bool found = json_object_size(object) > 0;
  if (found && r.json) json_dumpf(object, stdout, JSON_INDENT(2));
  if (found && r.json) putchar('\n');
  json_decref(object);
  if (found) return SB_EXIT_OK;
  return only ? refuse_name(session, only, name) : refuse_topic(session, r.topic);
}

const sb_command sb_command_list = {
    "list",
    "[TOPIC [NAME]] [--json|--markdown]",
    "scenes, forces, solvers, session, options: what there is",
    run_list,
};
