/* One case by its options: resolved (the scene's defaults, the time, and combinations that cannot work), the meaning
 * that makes two cases the same, and the line that repeats one; see case_options.h. */
#include "cases/describe/case_options.h"

#include <gcrypt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "cases/common/json_text.h"
#include "cases/common/text.h"
#include "cases/store/input_files.h"
#include "cases/store/restart.h"
#include "model/scene/scene.h"
#include "model/system/check.h"
#include "solvers/bounded/bounded.h"
#include "solvers/integrate/integrator.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/linear/petsc_text.h"
#include "solvers/minimize/minimizer_method.h"

enum { RANKS_A_CORE = 4 };

static bool from_user(const sb_options *options, sb_option_id id)
{
  return sb_options_origin(options, id) == SB_FROM_USER;
}

static bool refuse(const sb_options *options, sb_option_id id, const char *why, sb_diagnostics *diagnostics)
{
  return sb_error_at(diagnostics, sb_options_location(options, id), "E106", "%s", why);
}

/* The options that are texts of PETSc's options, and whose. */
static const struct {
  sb_option_id  id;
  sb_petsc_kind kind;
} petsc_texts[] = {
    {SB_OPT_petsc, SB_PETSC_LINEAR}, {SB_OPT_petsc_nonlinear, SB_PETSC_NONLINEAR}, {SB_OPT_petsc_ts, SB_PETSC_TIME}};
enum { PETSC_TEXTS = sizeof petsc_texts / sizeof *petsc_texts };

static bool is_petsc_text(sb_option_id id)
{
  for (size_t i = 0; i < PETSC_TEXTS; ++i)
    if (petsc_texts[i].id == id) return true;
  return false;
}

/* Preconditioners of one rank are let pass where the backend is another's. */
static bool check_petsc_texts(const sb_options *options, sb_diagnostics *diagnostics)
{
  bool good = true;
  for (size_t i = 0; i < PETSC_TEXTS && good; ++i) {
    const sb_option_id id = petsc_texts[i].id;
    const bool         idle = id == SB_OPT_petsc && !SB_IS(options, linear, "petsc");
    good =
        sb_petsc_text_check(sb_options_text(options, id), petsc_texts[i].kind,
                            idle ? 1 : (int)SB_INTEGER(options, ranks), sb_options_location(options, id), diagnostics);
  }
  return good;
}

/* Refuses what is stated twice, and PETSc options that are wrong, where a backend reads them. */
static bool check_statements(const sb_options *options, sb_diagnostics *diagnostics)
{
  const char *text = SB_TEXT(options, petsc);
  const bool  used = SB_IS(options, linear, "petsc");
  bool        good = true;
  if (from_user(options, SB_OPT_velocity_factor) && from_user(options, SB_OPT_damping_rate))
    good = refuse(options, SB_OPT_damping_rate,
                  "velocity_factor and damping_rate state the same damping twice; give one of them", diagnostics);
  if (!check_petsc_texts(options, diagnostics)) return false;
  if (used && sb_petsc_text_find(text, "-ksp_rtol", NULL) && from_user(options, SB_OPT_linear_tolerance))
    return refuse(options, SB_OPT_petsc, "a tolerance is given twice: linear_tolerance and -ksp_rtol in petsc",
                  diagnostics);
  if (used && sb_petsc_text_find(text, "-ksp_max_it", NULL) && from_user(options, SB_OPT_linear_max_iterations))
    return refuse(options, SB_OPT_petsc, "a limit is given twice: linear_max_iterations and -ksp_max_it in petsc",
                  diagnostics);
  return good;
}

/* "; choices: a, b" for the backends that run on several ranks. */
static void list_parallel(char *text, size_t size)
{
  size_t length = 0, found = 0;
  for (size_t i = 0; i < sb_linear_backend_count() && length < size; ++i) {
    const sb_linear_backend *backend = sb_linear_backend_at(i);
    if (backend->traits & SB_SERIAL_ONLY) continue;
    length += (size_t)snprintf(text + length, size - length, "%s%s", found++ ? ", " : "; choices: ", backend->name);
  }
}

static bool check_backend(const sb_options *options, sb_diagnostics *diagnostics)
{
  const sb_linear_backend *backend = sb_linear_backend_find(SB_TEXT(options, linear));
  const sb_location        where = sb_options_location(options, SB_OPT_linear);
  char                     choices[256] = "";
  if (!sb_options_read(options, SB_OPT_linear)) return true; /* explicit: nothing is solved */
  if (!backend) return sb_error_at(diagnostics, where, "E106", "unknown linear '%s'", SB_TEXT(options, linear));
  if (backend->missing)
    return sb_error_at(diagnostics, where, "E106", "linear '%s' is not in this build: %s", backend->name,
                       backend->missing);
  if (!(backend->traits & SB_SERIAL_ONLY) || SB_INTEGER(options, ranks) <= 1) return true;
  list_parallel(choices, sizeof choices);
  return sb_error_at(diagnostics, where, "E106", "linear '%s' runs on one rank only%s", backend->name, choices);
}

/* The next "option=value" of a list of defaults: its option, and its value malloc'ed; NULL after the last. */
static char *next_default(const char **list, sb_option_id *id)
{
  const char  *pair = *list + strspn(*list, " ");
  const size_t length = strcspn(pair, " "), name = strcspn(pair, "=");
  if (length == 0) return NULL;
  char *option = sb_copy_span(pair, name);
  *id = sb_option_find(option);
  free(option);
  *list = pair + length;
  return sb_copy_span(pair + name + 1, length - name - 1);
}

bool sb_case_stands_for(const sb_options *options, sb_option_id selector, sb_option_id id)
{
  const char  *list = sb_options_defaults(options, selector);
  sb_option_id one;
  bool         found = false;
  for (char *value; !found && (value = next_default(&list, &one)); free(value)) found = one == id;
  return found;
}

/* The settings that the name chosen by `selector` stands for, unless the user gave others. */
static void apply_defaults(sb_options *options, sb_option_id selector, sb_origin origin)
{
  const sb_location where = sb_options_location(options, selector);
  const char       *list = sb_options_defaults(options, selector);
  sb_option_id      id;
  for (char *value; (value = next_default(&list, &id)); free(value))
    if (!from_user(options, id))
      sb_options_set(options, id, value, origin, origin == SB_FROM_USER ? where : (sb_location){0}, NULL);
}

void sb_case_prefer_names(sb_options *options, const unsigned char *level)
{
  static const sb_option_id selectors[] = {SB_OPT_problem, SB_OPT_minimizer};
  for (size_t s = 0; s < sizeof selectors / sizeof *selectors; ++s) {
    const char  *list = sb_options_defaults(options, selectors[s]);
    sb_option_id id;
    for (char *value; (value = next_default(&list, &id)); free(value))
      if (from_user(options, id) && level[id] < level[selectors[s]])
        sb_options_set(options, id, value, SB_FROM_SCENE, (sb_location){0}, NULL);
  }
}

/* "driver=pressure, driver=flow": those that measure particles. */
static void name_drivers(const sb_family *family, size_t size, char *names)
{
  size_t used = 0;
  for (size_t i = 0; i < family->count && used < size; ++i)
    if (family->of_particles[i])
      used += (size_t)snprintf(names + used, size - used, "%sdriver=%s", used > 0 ? ", " : "", family->names[i]);
}

/* The drivers of the vocabulary, and the one that an option set has; NULL if it is unknown. */
static const sb_family *find_driver(const sb_options *options, size_t *i)
{
  const sb_vocabulary *vocabulary = sb_options_vocabulary(options);
  const sb_family     *family = NULL;
  for (size_t f = 0; vocabulary && f < vocabulary->count; ++f)
    if (vocabulary->families[f].of_particles) family = &vocabulary->families[f];
  *i = 0;
  while (family && *i < family->count && strcmp(family->names[*i], SB_TEXT(options, driver)) != 0) ++*i;
  return family && *i < family->count ? family : NULL;
}

bool sb_case_check_save(const sb_options *options, sb_diagnostics *diagnostics)
{
  size_t           i;
  const sb_family *family = find_driver(options, &i);
  if (!family || !family->still[i] || strncmp(SB_TEXT(options, save), "every:", 6) != 0) return true;
  return sb_error_at(diagnostics, sb_options_location(options, SB_OPT_save), "E106",
                     "driver '%s' computes one state and has no frames for save=%s; choices: none, final",
                     family->names[i], SB_TEXT(options, save));
}

/* Nets and particles have drivers of their own. */
static bool check_driver(const sb_options *options, sb_diagnostics *diagnostics)
{
  const sb_scene *scene = sb_scene_find(SB_TEXT(options, scene));
  /* the driver of a sweep has no place in a file */
  const sb_option_id blamed = sb_options_location(options, SB_OPT_driver).line > 0 ? SB_OPT_driver : SB_OPT_scene;
  const char        *driver = SB_TEXT(options, driver);
  char               names[512];
  size_t             i = 0;
  const sb_family   *family = find_driver(options, &i);
  if (!family || !scene || family->of_particles[i] == scene->particles) return true;
  if (scene->particles) {
    name_drivers(family, sizeof names, names);
    return sb_error_at(diagnostics, sb_options_location(options, blamed), "E106",
                       "driver '%s' measures nets, and scene '%s' has particles; use one of %s", driver, scene->name,
                       names);
  }
  sb_scene_names_of_particles(sizeof names, names);
  return sb_error_at(diagnostics, sb_options_location(options, blamed), "E106",
                     "driver '%s' measures particles, and scene '%s' is a net; scenes of particles are %s", driver,
                     scene->name, names);
}

void sb_case_apply_problem(sb_options *options)
{
  if (SB_HAS(options, problem)) apply_defaults(options, SB_OPT_problem, SB_FROM_USER);
}

bool sb_case_resolve(sb_options *options, sb_time_grid *time, sb_diagnostics *diagnostics)
{
  if (!sb_scene_apply_defaults(options, diagnostics) || !sb_resolve_time(options, time, diagnostics)) return false;
  apply_defaults(options, SB_OPT_driver, SB_FROM_SCENE);
  if (SB_REAL(options, budget) > 0 && !from_user(options, SB_OPT_max_iterations)) /* it says when to end */
    sb_options_set(options, SB_OPT_max_iterations, "1000000000", SB_FROM_SCENE, (sb_location){0}, NULL);
  apply_defaults(options, SB_OPT_minimizer, SB_FROM_SCENE);
  if (SB_IS(options, self_contact, "barrier") && !from_user(options, SB_OPT_step)) /* its steps are searched for */
    sb_options_set(options, SB_OPT_step, "armijo", SB_FROM_SCENE, (sb_location){0}, NULL);
  if (!from_user(options, SB_OPT_hessian))
    sb_options_set(options, SB_OPT_hessian, sb_hessian_of(options), SB_FROM_SCENE, (sb_location){0}, NULL);
  bool good = sb_model_check(options, diagnostics);
  good = check_driver(options, diagnostics) && good;
  good = sb_case_check_save(options, diagnostics) && good;
  good = sb_integrator_check(options, diagnostics) && good;
  good = sb_minimizer_check(options, diagnostics) && good;
  good = sb_bounded_check(options, diagnostics) && good;
  good = check_statements(options, diagnostics) && good;
  good = check_backend(options, diagnostics) && good;
  good = sb_input_files_check(options, diagnostics) && good;
  return good && sb_restart_check(options, time, diagnostics);
}

bool sb_case_check_ranks(const sb_options *options, sb_diagnostics *diagnostics)
{
  if (SB_INTEGER(options, ranks) <= RANKS_A_CORE) return true; /* without the question, which reads a file */
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (cores < 1 || SB_INTEGER(options, ranks) <= RANKS_A_CORE * cores) return true;
  return sb_error_at(diagnostics, sb_options_location(options, SB_OPT_ranks), "E104",
                     "ranks=%lld on a machine with %ld cores (allowed: %d per core)",
                     (long long)SB_INTEGER(options, ranks), cores, (int)RANKS_A_CORE);
}

/* ---- key and command: every value goes into the canonical JSON as the text of its option, so that no number is
 * rounded again ---- */

static int compare_names(const void *a, const void *b)
{
  return strcmp(sb_option_at(*(const sb_option_id *)a)->name, sb_option_at(*(const sb_option_id *)b)->name);
}

/* All options by name: a plan of 100 000 cases asks as often. */
static const sb_option_id *sorted_options(void)
{
  static sb_option_id ids[SB_OPT_COUNT];
  static bool         sorted = false;
  for (int i = 0; i < SB_OPT_COUNT && !sorted; ++i) ids[i] = (sb_option_id)i;
  if (!sorted) qsort(ids, SB_OPT_COUNT, sizeof *ids, compare_names);
  sorted = true;
  return ids;
}

/* A text that grows: a stream in memory clears 8 KiB for each text, and locks itself for each of its characters, which
 * was a third of the time of a large plan. */
typedef struct {
  char  *text;
  size_t length, room;
} growing;

static void append(growing *g, const char *text)
{
  const size_t more = strlen(text);
  if (g->length + more >= g->room) {
    g->room = 2 * (g->length + more) + 2048;
    g->text = sb_insist(realloc(g->text, g->room));
  }
  memcpy(g->text + g->length, text, more + 1);
  g->length += more;
}

/* Appends a text that needs another form. */
static void append_as(growing *g, void (*put)(FILE *stream, const char *text), const char *text)
{
  char  *formed = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&formed, &length);
  put(stream, text);
  fclose(stream);
  append(g, formed);
  free(formed);
}

static void append_quoted(growing *g, const char *text)
{
  if (!sb_json_is_plain(text)) {
    append_as(g, sb_json_put_text, text);
    return;
  }
  append(g, "\"");
  append(g, text);
  append(g, "\"");
}

/* Descents are what their metric, accelerator and step are, by whatever name these came. */
static char *minimizer_meant(const sb_options *options)
{
  const sb_minimizer_method *method = sb_minimizer_method_find(SB_TEXT(options, minimizer));
  return method && method->metric && SB_HAS(options, metric) ? sb_copy_text("descent") : NULL;
}

char *sb_case_option_meaning(const sb_options *options, sb_option_id id)
{
  if (is_petsc_text(id)) return sb_petsc_text_normalize(sb_options_text(options, id));
  return id == SB_OPT_minimizer ? minimizer_meant(options) : NULL;
}

/* An option that has its default and that the case does not read stays out of its key: one that a method gets later
 * leaves the keys of other methods' cases as they were. Given another value, it stays in: nobody has to be sure that it
 * is not read. */
static bool is_idle(const sb_options *options, sb_option_id id)
{
  const char *preset = sb_option_at(id)->preset;
  const bool  usual =
      sb_options_origin(options, id) == SB_FROM_TABLE || (preset && strcmp(sb_options_text(options, id), preset) == 0);
  return usual && !sb_options_read(options, id);
}

/* {"format":…,"options":{…}}, members in the order of their names, without a blank. */
char *sb_case_canonical_json(const sb_options *options, sb_input_cache *known)
{
  const sb_option_id *ids = sorted_options();
  size_t              count = 0;
  growing             json = {0};
  char                format[64];
  snprintf(format, sizeof format, "{\"format\":%d,\"options\":{", (int)SB_FORMAT_VERSION);
  append(&json, format);
  for (int i = 0; i < SB_OPT_COUNT; ++i) { /* the meaning of an option whose text has several notations */
    const unsigned left_out = SB_NOT_IN_KEY | SB_STANDS_FOR_OTHERS;
    if (!sb_options_has(options, ids[i]) || sb_option_at(ids[i])->traits & left_out || is_idle(options, ids[i]))
      continue;
    char *meant = sb_case_option_meaning(options, ids[i]);
    if (!meant) meant = sb_input_digest(options, ids[i], known);
    if (count++ > 0) append(&json, ",");
    append_quoted(&json, sb_option_at(ids[i])->name);
    append(&json, ":");
    append_quoted(&json, meant ? meant : sb_options_text(options, ids[i]));
    free(meant);
  }
  append(&json, "}}");
  return json.text;
}

void sb_case_key(const sb_options *options, sb_input_cache *known, char key[SB_KEY_LENGTH + 1])
{
  unsigned char digest[32];
  char         *text = sb_case_canonical_json(options, known);
  if (!gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) {
    gcry_check_version(NULL);
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  }
  gcry_md_hash_buffer(GCRY_MD_SHA256, digest, text, strlen(text));
  for (size_t i = 0; i < SB_KEY_LENGTH; ++i)
    key[i] = "0123456789abcdef"[i % 2 == 0 ? digest[i / 2] >> 4 : digest[i / 2] & 15];
  key[SB_KEY_LENGTH] = '\0';
  free(text);
}

char *sb_case_command(const sb_options *options)
{
  growing command = {0};
  append(&command, "springbench case");
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option_id id = (sb_option_id)i;
    const bool         always = id == SB_OPT_driver || id == SB_OPT_scene;
    if (sb_option_at(id)->traits & (SB_LIMIT_ONLY | SB_STANDS_FOR_OTHERS)) continue;
    if (!sb_options_has(options, id) || (!always && sb_options_origin(options, id) != SB_FROM_USER)) continue;
    const char *text = sb_options_text(options, id);
    append(&command, " ");
    append(&command, sb_option_at(id)->name);
    append(&command, "=");
    if (sb_text_is_word(text))
      append(&command, text);
    else
      append_as(&command, sb_text_put_word, text);
  }
  return command.text;
}
