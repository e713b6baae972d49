/* `springbench list`: what there is; see lists.h. */
#include <string.h>

#include "harness/commands/command.h"
#include "harness/commands/lists.h"

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

static int run_list(const sb_arguments *given, const sb_session *session)
{
  const bool  json = given->flags[0], markdown = given->flags[1];
  const char *topic = given->count > 0 ? given->names[0] : NULL;
  /* `list cloth`: all about what has that name, in whichever topics it is. */
  const sb_list *only = topic ? sb_list_find(topic) : NULL;
  const char    *name = !only ? topic : given->count > 1 ? given->names[1] : NULL;
  if (given->count > 1 && !only) return refuse_topic(session, topic);
  json_t *object = json_object();
  for (size_t i = 0; i < sb_list_count(); ++i) {
    const sb_list *list = sb_list_at(i);
    if (only && list != only) continue;
    json_t *entries = sb_list_entries(list, session);
    if (name) entries = narrowed(entries, name);
    const bool shown = !name || json_array_size(entries) > 0;
    if (shown && !json && json_object_size(object) > 0) putchar('\n');
    if (shown && !json)
      sb_list_print(list, entries,
                    markdown ? SB_LIST_PAGE
                    : topic  ? SB_LIST_LONG
                             : SB_LIST_SHORT,
                    session->arena, stdout);
    if (shown) json_object_set(object, list->topic, entries);
    json_decref(entries);
  }
  const bool found = json_object_size(object) > 0;
  if (found && json) json_dumpf(object, stdout, JSON_INDENT(2));
  if (found && json) putchar('\n');
  json_decref(object);
  if (found) return SB_EXIT_OK;
  return only ? refuse_name(session, only, name) : refuse_topic(session, topic);
}

const sb_command sb_command_list = {
    .name = "list",
    .arguments = "[TOPIC [NAME]]",
    .options = "[--json|--markdown]",
    .summary = "scenes, forces, solvers, drivers, options: what there is",
    .more =
        "Without a TOPIC names and summaries of everything; of a topic, or of a NAME, all that is known. --json: an\n"
        "object with an array of entries for every topic. --markdown: a topic as a page of the manual.",
    .most = 2,
    .flags = {"--json", "--markdown"},
    .run_plain = run_list};
