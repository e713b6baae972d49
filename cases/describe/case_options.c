/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One case by its options: resolved (the scene's defaults, the time, and combinations that cannot work), the meaning
 * that makes two cases the same, and the line that repeats one; see case_options.h. */
#include "cases/describe/case_options.h"

#include <sched.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/option_ids.h"
#include "cases/common/digest.h"
#include "cases/common/json_text.h"
#include "cases/common/text.h"
#include "cases/describe/plugin_methods.h"
#include "cases/describe/simulators.h"
#include "cases/store/driver.h"
#include "cases/store/input_files.h"
#include "cases/store/restart.h"
#include "model/scene/scene.h"
#include "model/system/check.h"
#include "solvers/bounded/bounded.h"
#include "solvers/integrate/integrator_method.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/linear/petsc_text.h"
#include "solvers/minimize/minimizer_method.h"

enum { THREADS_A_PROCESSOR = 4 };

const char *const sb_launchers[] = {"mpiexec", "srun", "none", NULL};

static bool from_user(const sb_options *options, sb_option_id id)
{
  return sb_options_origin(options, id) == SB_FROM_USER;
}

const sb_option_id sb_case_names[SB_CASE_NAMES] = {SB_OPT_problem, SB_OPT_minimizer};

bool sb_case_depends_on(const sb_options *options, sb_option_id id)
{
  const bool of_motion = sb_option_at(id)->traits & SB_OF_MOTION;
  const bool moves = sb_options_read(options, SB_OPT_integrator) || sb_options_read(options, SB_OPT_simulator);
  return sb_options_read(options, id) && (!of_motion || moves);
}

double sb_case_iterations_max(const sb_options *options)
{
  return sb_options_read(options, SB_OPT_max_iterations) ? (double)SB_INTEGER(options, max_iterations) : 0;
}

void sb_case_prefer_names(sb_options *options, const unsigned char *level)
{
  for (size_t s = 0; s < SB_CASE_NAMES; ++s) {
    const char  *list = sb_options_defaults(options, sb_case_names[s]);
    sb_option_id id;
    for (char *value; (value = sb_options_next_default(&list, &id)); free(value))
      if (from_user(options, id) && level[id] < level[sb_case_names[s]])
        sb_options_set(options, id, value, SB_FROM_SCENE, (sb_location){0}, NULL);
  }
}

/* "driver=pressure, driver=flow": those that measure particles. */
static void name_drivers(const sb_list *drivers, size_t size, char *names)
{
  size_t used = 0;
  for (size_t i = 0; i < drivers->count && used < size; ++i)
    if (((const sb_driver *)(const void *)drivers->entries[i])->particles)
      used +=
          (size_t)snprintf(names + used, size - used, "%sdriver=%s", used > 0 ? ", " : "", drivers->entries[i]->name);
}

/* The driver that an option set has; NULL if it is unknown. */
static const sb_driver *driver_of(const sb_options *options)
{
  return sb_driver_find(sb_options_vocabulary(options), SB_TEXT(options, driver));
}

bool sb_case_check_save(const sb_options *options, sb_diagnostics *diagnostics)
{
  const sb_driver *driver = driver_of(options);
  if (!driver || !driver->still || strncmp(SB_TEXT(options, save), "every:", 6) != 0) return true;
  return sb_error_at(diagnostics, sb_options_location(options, SB_OPT_save), "E106",
                     "driver '%s' computes one state and has no frames for save=%s; choices: none, final", driver->name,
                     SB_TEXT(options, save));
}

/* Nets and particles have drivers of their own. */
static bool check_driver(const sb_options *options, sb_diagnostics *diagnostics)
{
  const sb_scene *scene = sb_scene_find(SB_TEXT(options, scene));
  /* the driver of a sweep has no place in a file */
  const sb_option_id blamed = sb_options_location(options, SB_OPT_driver).line > 0 ? SB_OPT_driver : SB_OPT_scene;
  const sb_driver   *driver = driver_of(options);
  char               names[512];
  if (!driver || !scene || driver->particles == scene->particles) return true;
  if (scene->particles)
    name_drivers(sb_option_list(SB_OPT_driver, sb_options_vocabulary(options)), sizeof names, names);
  else
    sb_scene_names_of_particles(sizeof names, names);
  return sb_error_at(diagnostics, sb_options_location(options, blamed), "E106",
                     scene->particles
                         ? "driver '%s' measures nets, and scene '%s' has particles; use one of %s"
                         : "driver '%s' measures particles, and scene '%s' is a net; scenes of particles are %s",
                     driver->name, scene->name, names);
}

void sb_case_apply_problem(sb_options *options)
{
  if (SB_HAS(options, problem)) sb_options_apply_defaults(options, SB_OPT_problem, SB_FROM_USER);
}

bool sb_case_resolve_time(sb_options *options, sb_time_grid *time, sb_diagnostics *diagnostics)
{
  const sb_driver *driver = driver_of(options);
  return sb_resolve_time(options, driver && driver->answers_by_divergence, time, diagnostics);
}

bool sb_case_resolve(sb_options *options, sb_time_grid *time, sb_diagnostics *diagnostics)
{
  if (!sb_scene_apply_defaults(options, diagnostics) || !sb_case_resolve_time(options, time, diagnostics)) return false;
  sb_options_apply_defaults(options, SB_OPT_driver, SB_FROM_SCENE);
  sb_minimizer_resolve(options);
  bool good = sb_model_check(options, diagnostics);
  good = check_driver(options, diagnostics) && good;
  good = sb_case_check_save(options, diagnostics) && good;
  good = sb_integrator_check(options, diagnostics) && good;
  good = sb_minimizer_check(options, diagnostics) && good;
  good = sb_bounded_check(options, diagnostics) && good;
  good = sb_linear_check(options, diagnostics) && good;
  good = sb_input_files_check(options, diagnostics) && good;
  return good && sb_restart_check(options, time, diagnostics);
}

bool sb_case_check_start(const sb_options *options, sb_launcher launcher, sb_diagnostics *diagnostics)
{
  const int64_t      ranks = SB_INTEGER(options, ranks), threads = SB_INTEGER(options, threads);
  const sb_option_id blamed = ranks > 1 ? SB_OPT_ranks : SB_OPT_threads;
  const sb_location  where = sb_options_location(options, blamed);
  cpu_set_t          mine;
  if (ranks > 1 && launcher == SB_LAUNCH_NONE)
    return sb_error_at(diagnostics, where, "E104",
                       "ranks=%lld, but --launcher none starts no ranks; start springbench case by mpiexec or srun",
                       (long long)ranks);
  if (ranks * threads <= THREADS_A_PROCESSOR || (ranks > 1 && launcher == SB_LAUNCH_SRUN)) return true;
  const int processors = sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 0;
  if (processors < 1 || ranks * threads <= THREADS_A_PROCESSOR * processors) return true;
  return sb_error_at(diagnostics, where, "E104",
                     "ranks=%lld with threads=%lld on %d processors that this process may use (allowed: %d threads for "
                     "each)",
                     (long long)ranks, (long long)threads, processors, (int)THREADS_A_PROCESSOR);
}

/* ---- key and command: every value goes into the canonical JSON as the text of its option, so that no number is
 * rounded again ---- */

static int compare_names(const void *a, const void *b)
{
  return strcmp(sb_option_at(*(const sb_option_id *)a)->name, sb_option_at(*(const sb_option_id *)b)->name);
}

/* All options by name: a plan of 100 000 cases needs the names as often. */
static const sb_option_id *sorted_options(void)
{
  static sb_option_id ids[SB_OPT_COUNT];
  static bool         sorted = false;
  for (int i = 0; i < SB_OPT_COUNT && !sorted; ++i) ids[i] = (sb_option_id)i;
  if (!sorted) qsort(ids, SB_OPT_COUNT, sizeof *ids, compare_names);
  sorted = true;
  return ids;
}

/* A text of one thread: locks for each of its characters would be a third of the time of a large plan. */
static FILE *begin_text(char **text, size_t *length)
{
  FILE *stream = sb_text_stream(text, length);
  __fsetlocking(stream, FSETLOCKING_BYCALLER);
  return stream;
}

/* The digest of the plug-in that a method is from, or of a simulator; NULL: it is part of the program. */
static const char *plugin_of(const sb_options *options, sb_option_id id)
{
  const sb_linear_backend    *backend = id == SB_OPT_linear ? sb_linear_backend_of(options) : NULL;
  const sb_minimizer_method  *method = id == SB_OPT_minimizer ? sb_minimizer_method_of(options) : NULL;
  const sb_simulator         *simulator = id == SB_OPT_simulator ? sb_simulator_of(options) : NULL;
  const sb_integrator_method *steps = id == SB_OPT_integrator ? sb_integrator_method_of(options) : NULL;
  const sb_law_method        *law = id == SB_OPT_law ? sb_law_method_of(options) : NULL;
  return steps       ? steps->digest
         : law       ? law->digest
         : backend   ? backend->digest
         : method    ? method->digest
         : simulator ? simulator->digest
                     : NULL;
}

const char *sb_case_plugins(const sb_options *options, sb_arena *arena)
{
  const char *all = "";
  for (sb_option_id id = 0; id < sb_option_count; ++id)
    if (plugin_of(options, id) && sb_options_read(options, id))
      all = sb_arena_join(arena, all, ", ", "%s=%s %s", sb_option_at(id)->name, sb_options_text(options, id),
                          plugin_of(options, id));
  return all;
}

const char *sb_case_lacks(const sb_options *options, sb_arena *arena)
{
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
    const char *digest = plugin_of(options, id), *name = sb_options_text(options, id);
    if (!digest || strcmp(digest, SB_PLUGIN_ABSENT) != 0 || !sb_options_read(options, id)) continue;
    const char *file = sb_list_find(sb_option_list(id, sb_options_vocabulary(options)), name)->summary;
    const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file, *dot = strrchr(base, '.');
    const char *end = dot && strcmp(dot, ".c") == 0 ? dot : NULL;
    const char *object = end ? sb_arena_format(arena, "./%.*s.so", (int)(end - base), base) : file;
    const char *build =
        end ? sb_arena_format(arena, "cc -O3 -shared -fPIC %s $(pkg-config --cflags springbench) -lm -o %s; ", file,
                              object)
            : "";
    return sb_arena_format(arena, "%s '%s' is in a plug-in that is not loaded: %sspringbench --plugin %s run …",
                           sb_option_at(id)->name, name, build, object);
  }
  return NULL;
}

bool sb_case_is_here(const sb_options *options, const sb_vocabulary *vocabulary)
{
  bool here = true;
  for (sb_option_id id = 0; id < sb_option_count && here; ++id) {
    const sb_list *list = sb_option_list(id, vocabulary);
    const bool     may_lack = list && (list->open || plugin_of(options, id) || id == SB_OPT_minimizer);
    const bool     is_read = sb_options_has(options, id) && sb_options_read(options, id);
    here = !may_lack || !is_read || !*sb_options_text(options, id) || sb_list_find(list, sb_options_text(options, id));
  }
  return here;
}

char *sb_case_option_meaning(const sb_options *options, sb_option_id id)
{
  const char *digest = plugin_of(options, id);
  if (digest) return sb_format("%s@%s", sb_options_text(options, id), digest);
  if (id == SB_OPT_minimizer) return sb_minimizer_meaning(options);
  return sb_option_is_petsc_text(id) ? sb_petsc_text_normalize(sb_options_text(options, id)) : NULL;
}

/* An option that has its default and that no chosen method `uses` stays out of the case's key: one that a method gets
 * later leaves the keys of other methods' cases as they were. With another value, it stays in: then it need not be
 * certain that it is not read. */
static bool is_idle(const sb_options *options, sb_option_id id)
{
  const char *preset = sb_option_at(id)->preset;
  const bool  usual =
      sb_options_origin(options, id) == SB_FROM_TABLE || (preset && strcmp(sb_options_text(options, id), preset) == 0);
  /* A loaded plug-in has a method that reads its options. That must not change the keys of other cases. */
  return usual && (!sb_options_keyed(options, id) || sb_option_at(id)->traits & SB_KEYED_IF_CHOSEN);
}

/* {"format":…,"options":{…}}, members in the order of their names, without a blank. */
char *sb_case_json(const sb_options *options, bool only_read, sb_input_cache *known)
{
  const sb_option_id *ids = sorted_options();
  size_t              count = 0, length = 0;
  char               *text = NULL;
  FILE               *json = begin_text(&text, &length);
  fprintf(json, "{\"format\":%d,\"options\":{", (int)SB_FORMAT_VERSION);
  for (int i = 0; i < SB_OPT_COUNT; ++i) { /* the meaning of an option whose text has several notations */
    const unsigned left_out = SB_NOT_IN_KEY | SB_STANDS_FOR_OTHERS;
    if (!sb_options_has(options, ids[i]) || sb_option_at(ids[i])->traits & left_out || is_idle(options, ids[i]))
      continue;
    if (only_read && !sb_options_read(options, ids[i])) continue;
    SB_OWNED char *meant = sb_case_option_meaning(options, ids[i]);
    if (!meant) meant = sb_input_digest(options, ids[i], known);
    if (count++ > 0) fputc(',', json);
    sb_json_put_text(json, sb_option_at(ids[i])->name);
    fputc(':', json);
    sb_json_put_text(json, meant ? meant : sb_options_text(options, ids[i]));
  }
  fputs("}}", json);
  sb_insist(fclose(json) == 0 ? text : NULL);
  return text;
}

void sb_case_key(const sb_options *options, sb_input_cache *known, char key[SB_KEY_LENGTH + 1])
{
  char           hex[SB_SHA256_HEX + 1];
  SB_OWNED char *text = sb_case_json(options, false, known);
  sb_sha256(text, strlen(text), hex);
  memcpy(key, hex, SB_KEY_LENGTH);
  key[SB_KEY_LENGTH] = '\0';
}

char *sb_case_command(const sb_options *options)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *command = begin_text(&text, &length);
  fputs("springbench case", command);
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    const bool always = id == SB_OPT_driver || id == SB_OPT_scene;
    if (sb_option_at(id)->traits & (SB_LIMIT_ONLY | SB_STANDS_FOR_OTHERS)) continue;
    if (!sb_options_has(options, id) || (!always && sb_options_origin(options, id) != SB_FROM_USER)) continue;
    fprintf(command, " %s=", sb_option_at(id)->name);
    sb_text_put_word(command, sb_options_text(options, id));
  }
  sb_insist(fclose(command) == 0 ? text : NULL);
  return text;
}
