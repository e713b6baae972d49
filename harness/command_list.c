/* `springbench list`: what there is, each entry with its sentence; options with type, unit, default and range. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command.h"
#include "model/scene.h"
#include "solvers/integrate/integrator_method.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/minimize/minimizer_method.h"

/* One line of a list. */
typedef struct {
  const char *name, *summary;
  char        claims[160];
} entry;

typedef struct {
  const char *topic, *title;
  size_t (*count)(const sb_driver_list *drivers);
  entry (*at)(const sb_driver_list *drivers, size_t i);
} list;

/* Joins the names of the traits that are set. */
typedef struct {
  unsigned    trait;
  const char *word;
} claim;

static void join_claims(unsigned traits, const claim *claims, size_t count, char text[160])
{
  text[0] = '\0';
  for (size_t i = 0; i < count; ++i) {
    if (!(traits & claims[i].trait)) continue;
    const size_t used = strlen(text);
    snprintf(text + used, 160 - used, "%s%s", used ? ", " : "", claims[i].word);
  }
}

static size_t count_scenes(const sb_driver_list *drivers)
{
  (void)drivers;
  return sb_scene_count();
}

static entry scene_at(const sb_driver_list *drivers, size_t i)
{
  (void)drivers;
  const sb_scene *scene = sb_scene_at(i);
  entry           e = {scene->name, scene->summary, ""};
  snprintf(e.claims, sizeof e.claims, "%s", scene->origin);
  return e;
}

static size_t count_integrators(const sb_driver_list *drivers)
{
  (void)drivers;
  return sb_integrator_method_count();
}

static entry integrator_at(const sb_driver_list *drivers, size_t i)
{
  static const claim claims[] = {{SB_SYMPLECTIC, "symplectic"},
                                 {SB_TIME_SYMMETRIC, "time-symmetric"},
                                 {SB_IMPLICIT, "implicit"},
                                 {SB_CONSERVES_ANGULAR_MOMENTUM, "conserves angular momentum"}};
  (void)drivers;
  const sb_integrator_method *method = sb_integrator_method_at(i);
  entry                       e = {method->name, method->summary, ""};
  char                        words[160], limit[32];
  join_claims(method->traits, claims, sizeof claims / sizeof *claims, words);
  snprintf(limit, sizeof limit, method->stability_limit > 0 ? "h omega <= %g" : "never stable undamped",
           method->stability_limit);
  snprintf(e.claims, sizeof e.claims, "order %d in x, %d in v; %.32s%s%.80s", method->order_position,
           method->order_velocity, method->stability_limit > 1e300 ? "always stable" : limit, *words ? "; " : "",
           words);
  return e;
}

static size_t count_minimizers(const sb_driver_list *drivers)
{
  (void)drivers;
  return sb_minimizer_method_count();
}

static entry minimizer_at(const sb_driver_list *drivers, size_t i)
{
  static const claim claims[] = {{SB_DESCENDS, "never raises the potential"},
                                 {SB_QUADRATIC, "quadratic near a minimum"},
                                 {SB_CONSTANT_MATRIX, "one matrix, factored once"}};
  (void)drivers;
  const sb_minimizer_method *method = sb_minimizer_method_at(i);
  entry                      e = {method->name, method->summary, ""};
  join_claims(method->traits, claims, sizeof claims / sizeof *claims, e.claims);
  return e;
}

static size_t count_linear(const sb_driver_list *drivers)
{
  (void)drivers;
  return sb_linear_backend_count();
}

static entry linear_at(const sb_driver_list *drivers, size_t i)
{
  static const claim claims[] = {{SB_DIRECT, "direct"},
                                 {SB_SERIAL_ONLY, "one rank only"},
                                 {SB_NEEDS_SPD, "needs a positive definite matrix"},
                                 {SB_DETECTS_INDEFINITE, "detects an indefinite one"}};
  (void)drivers;
  const sb_linear_backend *backend = sb_linear_backend_at(i);
  entry                    e = {backend->name, backend->summary, ""};
  join_claims(backend->traits, claims, sizeof claims / sizeof *claims, e.claims);
  return e;
}

static size_t count_drivers(const sb_driver_list *drivers) { return drivers->count; }

static entry driver_at(const sb_driver_list *drivers, size_t i)
{
  return (entry){drivers->drivers[i]->name, drivers->drivers[i]->summary, ""};
}

static size_t count_options(const sb_driver_list *drivers)
{
  (void)drivers;
  return SB_OPT_COUNT;
}

static entry option_at(const sb_driver_list *drivers, size_t i)
{
  (void)drivers;
  const sb_option *option = sb_option_at((sb_option_id)i);
  entry            e = {option->name, option->sentence, ""};
  snprintf(e.claims, sizeof e.claims, "%s%s%s%s%s%s%.80s", sb_option_kind_name(option->kind), *option->unit ? ", " : "",
           option->unit, option->preset && *option->preset ? "; default " : "", option->preset ? option->preset : "",
           *option->range && option->range[0] != '@' ? "; " : "", option->range[0] == '@' ? "" : option->range);
  return e;
}

static const list lists[] = {
    {"scenes", "Scenes: what is simulated", count_scenes, scene_at},
    {"integrators", "Time integrators", count_integrators, integrator_at},
    {"minimizers", "Minimisers of the incremental potential (integrator=implicit_euler)", count_minimizers,
     minimizer_at},
    {"linear", "Linear solver backends", count_linear, linear_at},
    {"drivers", "Drivers: what is measured", count_drivers, driver_at},
    {"options", "Options of a case", count_options, option_at},
};
enum { LISTS = sizeof lists / sizeof *lists };

static void print_list(const list *l, const sb_driver_list *drivers)
{
  printf("%s\n", l->title);
  for (size_t i = 0; i < l->count(drivers); ++i) {
    const entry e = l->at(drivers, i);
    printf("  %-22s %s\n", e.name, e.summary);
    if (*e.claims) printf("  %-22s   [%s]\n", "", e.claims);
  }
}

static json_t *list_json(const list *l, const sb_driver_list *drivers)
{
  json_t *array = json_array();
  for (size_t i = 0; i < l->count(drivers); ++i) {
    const entry e = l->at(drivers, i);
    json_array_append_new(array, json_pack("{s:s,s:s,s:s}", "name", e.name, "summary", e.summary, "claims", e.claims));
  }
  return array;
}

static int unknown_topic(const char *topic)
{
  const char *names[LISTS];
  for (int i = 0; i < LISTS; ++i) names[i] = lists[i].topic;
  const char *near = sb_nearest_name(topic, names, LISTS);
  fprintf(stderr, "springbench: error: nothing called '%s' to list", topic);
  if (near) fprintf(stderr, "; did you mean '%s'?", near);
  fputs(" (scenes, integrators, minimizers, linear, drivers, options) [E106]\n", stderr);
  return SB_EXIT_USAGE;
}

static int run_list(int argc, char **argv, const sb_driver_list *drivers)
{
  const char *topic = NULL;
  bool        as_json = false;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--json") == 0)
      as_json = true;
    else
      topic = argv[i];
  }
  json_t *object = json_object();
  int     printed = 0;
  for (int i = 0; i < LISTS; ++i) {
    if (topic && strcmp(topic, lists[i].topic) != 0) continue;
    if (as_json)
      json_object_set_new(object, lists[i].topic, list_json(&lists[i], drivers));
    else if (printed)
      putchar('\n');
    if (!as_json) print_list(&lists[i], drivers);
    printed++;
  }
  if (as_json && printed) {
    json_dumpf(object, stdout, JSON_INDENT(2));
    putchar('\n');
  }
  json_decref(object);
  return printed ? SB_EXIT_OK : unknown_topic(topic);
}

const sb_command sb_command_list = {
    "list",
    "[TOPIC] [--json]",
    "scenes, integrators, minimizers, linear, drivers, options",
    run_list,
};
