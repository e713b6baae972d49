/* `springbench list`: what there is; see lists.h. */
#include <string.h>

#include "harness/commands/command.h"
#include "harness/commands/lists.h"

typedef struct {
  const char *topic, *name; /* NULL: all */
  bool        json, markdown;
} request;

static bool read_arguments(int argc, char **argv, request *r)
{
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--json") == 0)
      r->json = true;
    else if (strcmp(argv[i], "--markdown") == 0)
      r->markdown = true;
    else if (argv[i][0] == '-' || r->name)
      return false;
    else
      *(r->topic ? &r->name : &r->topic) = argv[i];
  }
  return true;
}

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
  request r = {0};
  if (!read_arguments(argc, argv, &r)) return sb_command_usage(&sb_command_list);
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
    "scenes, forces, solvers, drivers, options: what there is",
    run_list,
};
