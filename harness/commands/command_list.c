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

static bool parse(int argc, char **argv, request *r)
{
  char  name[] = "springbench list";
  char *first = argv[0];
  argv[0] = name; /* in argp's messages */
  argp_err_exit_status = SB_EXIT_USAGE;
  const error_t failed = argp_parse(&parser, argc, argv, 0, NULL, r);
  argv[0] = first;
  return !failed;
}

/* "unknown … 'x'; did you mean 'y'? (a, b) [E106]" */
static int unknown(const char *what, const char *name, const char *const *names, size_t count)
{
  const char *near = sb_nearest_name(name, names, count);
  fprintf(stderr, "springbench: error: %s '%s'", what, name);
  if (near) fprintf(stderr, "; did you mean '%s'?", near);
  for (size_t i = 0; i < count; ++i) fprintf(stderr, "%s%s", i ? ", " : " (", names[i]);
  fputs(") [E106]\n", stderr);
  return SB_EXIT_USAGE;
}

static int unknown_topic(const char *topic)
{
  if (strcmp(topic, "solvers") == 0 || strcmp(topic, "solver") == 0) {
    fprintf(stderr, "springbench: error: solvers are three lists: integrators, minimizers, linear [E106]\n");
    return SB_EXIT_USAGE;
  }
  const char *names[32];
  size_t      count = 0;
  for (; count < sb_list_count() && count < 32; ++count) names[count] = sb_list_at(count)->topic;
  return unknown("nothing to list is called", topic, names, count);
}

/* Leaves only the entry called `name`. */
static int narrow(json_t *entries, const sb_list *list, const char *name)
{
  const char **names = calloc(json_array_size(entries) + 1, sizeof *names);
  size_t       count = 0, found = json_array_size(entries);
  int          exit_status = SB_EXIT_OK;
  if (!names) return SB_EXIT_CASES_FAILED;
  for (; count < json_array_size(entries); ++count) {
    names[count] = json_string_value(json_object_get(json_array_get(entries, count), "name"));
    if (strcmp(names[count], name) == 0) found = count;
  }
  if (found == count) {
    char what[64];
    snprintf(what, sizeof what, "none of the %s is called", list->topic);
    exit_status = unknown(what, name, names, count);
  }
  for (size_t i = count; i-- > 0;)
    if (i != found) json_array_remove(entries, i);
  free(names);
  return exit_status;
}

static void print_json(json_t *object)
{
  json_dumpf(object, stdout, JSON_INDENT(2));
  putchar('\n');
}

static int list_one(const sb_list *list, const request *r, const sb_session *session)
{
  json_t *entries = list->entries(session);
  int     exit_status = r->name ? narrow(entries, list, r->name) : SB_EXIT_OK;
  if (exit_status == SB_EXIT_OK) {
    json_t *object = json_pack("{s:O}", list->topic, entries);
    if (r->json)
      print_json(object);
    else if (r->markdown)
      sb_list_print_markdown(list, entries, stdout);
    else
      sb_list_print(list, entries, stdout);
    json_decref(object);
  }
  json_decref(entries);
  return exit_status;
}

static void list_all(const request *r, const sb_session *session)
{
  json_t *object = json_object();
  for (size_t i = 0; i < sb_list_count(); ++i) {
    const sb_list *list = sb_list_at(i);
    json_t        *entries = list->entries(session);
    if (!r->json && i > 0) putchar('\n');
    if (r->markdown)
      sb_list_print_markdown(list, entries, stdout);
    else if (!r->json)
      sb_list_print_short(list, entries, stdout);
    json_object_set_new(object, list->topic, entries);
  }
  if (r->json) print_json(object);
  json_decref(object);
}

static bool has_entry(const sb_list *list, const char *name, const sb_session *session)
{
  json_t *entries = list->entries(session);
  bool    found = false;
  for (size_t i = 0; i < json_array_size(entries) && !found; ++i)
    found = strcmp(json_string_value(json_object_get(json_array_get(entries, i), "name")), name) == 0;
  json_decref(entries);
  return found;
}

/* `list cloth`: all about what has that name, in whichever topic it is; false where nothing has. */
static bool list_by_name(const request *r, const sb_session *session)
{
  const request named = {.topic = r->topic, .name = r->topic, .json = r->json, .markdown = r->markdown};
  bool          found = false;
  for (size_t i = 0; i < sb_list_count(); ++i) {
    if (r->name || !has_entry(sb_list_at(i), r->topic, session)) continue;
    list_one(sb_list_at(i), &named, session);
    found = true;
    if (r->json) break; /* one document */
  }
  return found;
}

static int run_list(int argc, char **argv, const sb_session *session)
{
  request r = {0};
  if (!parse(argc, argv, &r)) return SB_EXIT_USAGE;
  if (!r.topic) {
    list_all(&r, session);
    return SB_EXIT_OK;
  }
  const sb_list *list = sb_list_find(r.topic);
  if (list) return list_one(list, &r, session);
  return list_by_name(&r, session) ? SB_EXIT_OK : unknown_topic(r.topic);
}

const sb_command sb_command_list = {
    "list",
    "[TOPIC [NAME]] [--json|--markdown]",
    "scenes, forces, solvers, session, options: what there is",
    run_list,
};
