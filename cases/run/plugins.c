/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads plug-ins and simulators and adds them to the lists; see plugins.h. */
#include "cases/run/plugins.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/guard.h"
#include "base/words.h"
#include "cases/common/digest.h"
#include "cases/describe/names.h"
#include "cases/run/python_file.h"
#include "cases/run/simulator_file.h"
#include "model/forces/plugin_law.h"
#include "solvers/integrate/plugin.h"
#include "solvers/linear/plugin.h"
#include "solvers/minimize/plugin.h"

/* The methods that one plug-in registers. */
typedef struct {
  sb_session *session; /* whose vocabulary gets them */
  const char *file;
  const char *digest;
  unsigned    kind; /* SB_PLUGIN_IN_PYTHON, or 0 */
  size_t      methods;
  bool        good;
} registration;

static sb_location place_of(const char *file) { return (sb_location){file, 0, 0}; }

static int refuse(registration *r, const char *name, const char *why)
{
  r->good = sb_error_at(r->session->diagnostics, place_of(r->file), "E106", "the plug-in's method '%s' %s", name, why);
  return 1;
}

/* Checks the members that all methods have; 0 if they are right. */
static int check(registration *r, const char *family, const char *name, const char *summary, bool complete)
{
  if (!name || !sb_is_method_name(name))
    return refuse(r, name ? name : "", "has no name of at most 31 lower-case letters, digits and '_'");
  if (!summary || !*summary) return refuse(r, name, "has no summary");
  if (!complete) return refuse(r, name, "lacks a function, or was built with another springbench_plugin.h");
  if (sb_list_find(sb_vocabulary_list(r->session->vocabulary, family), name))
    return refuse(r, name, "has a name that is already used");
  return 0;
}

static int add(registration *r, const char *family, const sb_entry *entry)
{
  sb_session *session = r->session;
  session->vocabulary = sb_vocabulary_with(session->vocabulary, family, entry, session->arena);
  r->methods++;
  return 0;
}

/* Copies a method of a plug-in into the arena, as long as this program's: members that are newer than the plug-in are
 * 0. NULL, after a message, if it lacks older ones, those before `newer`. */
static void *taken(registration *r, const void *method, size_t newer, size_t size)
{
  const size_t given = method ? *(const size_t *)method : 0; /* structs begin with their size */
  if (given < newer) return refuse(r, "", "was built with another springbench_plugin.h"), NULL;
  void *own = sb_arena_take(r->session->arena, 1, size);
  return memcpy(own, method, given < size ? given : size);
}

/* Its claims, of which some are facts. */
static unsigned claims_of(const registration *r, unsigned traits, bool counts)
{
  const unsigned facts = SB_PLUGIN_COUNTED | SB_PLUGIN_IN_PYTHON;
  return (traits & ~facts) | r->kind | (counts ? SB_PLUGIN_COUNTED : 0);
}

static int add_linear(void *context, const sb_plugin_linear *method)
{
  registration           *r = context;
  sb_plugin_linear *const m = taken(r, method, offsetof(sb_plugin_linear, flops), sizeof *m);
  if (!m ||
      check(r, "linear", m->name, m->summary, (m->create || m->create_of) && m->destroy && m->set_matrix && m->solve))
    return 1;
  m->traits = claims_of(r, m->traits, m->flops != NULL);
  return add(r, "linear", sb_plugin_backend(m, r->digest, r->session->arena));
}

static int add_minimizer(void *context, const sb_plugin_minimizer *method)
{
  registration              *r = context;
  sb_plugin_minimizer *const m = taken(r, method, offsetof(sb_plugin_minimizer, flops), sizeof *m);
  if (!m || check(r, "minimizers", m->name, m->summary, (m->create || m->create_of) && m->destroy && m->iterate))
    return 1;
  m->traits = claims_of(r, m->traits, m->flops != NULL);
  return add(r, "minimizers", sb_plugin_minimizer_method(m, r->digest, r->session->arena));
}

static int add_integrator(void *context, const sb_plugin_integrator *method)
{
  registration               *r = context;
  sb_plugin_integrator *const m = taken(r, method, sizeof *m, sizeof *m);
  if (!m || check(r, "integrators", m->name, m->summary, (m->create || m->create_of) && m->destroy && m->step))
    return 1;
  if (!(m->stage_part >= 0 && m->stage_part <= 2)) return refuse(r, m->name, "has a stage_part outside 0 to 2");
  if (m->memory[0] && m->memory[1] && strcmp(m->memory[0], m->memory[1]) == 0)
    return refuse(r, m->name, "has two memories of one name");
  m->traits = claims_of(r, m->traits & ~(unsigned)SB_PLUGIN_STAGES, false);
  if (m->stage_part > 0) m->traits |= SB_PLUGIN_STAGES;
  return add(r, "integrators", sb_plugin_integrator_method(m, r->digest, r->session->arena));
}

static int add_law(void *context, const sb_plugin_law *law)
{
  registration        *r = context;
  sb_plugin_law *const m = taken(r, law, sizeof *m, sizeof *m);
  if (!m || check(r, "laws", m->name, m->summary, (m->create || m->create_of) && m->destroy && m->evaluate)) return 1;
  if (!(m->most >= 0)) return refuse(r, m->name, "has a bound of E''/k below 0");
  m->traits = claims_of(r, m->traits & ~(unsigned)SB_PLUGIN_BOUNDED, false);
  if (m->most > 0) m->traits |= SB_PLUGIN_BOUNDED;
  return add(r, "laws", sb_plugin_law_method(m, r->digest, r->session->arena));
}

static sb_plugin_registry registry_of(registration *r)
{
  return (sb_plugin_registry){
      SPRINGBENCH_PLUGIN_ABI, sizeof(sb_plugin_registry), r, add_linear, add_minimizer, add_integrator, add_law};
}

static bool register_methods(sb_session *session, const char *file)
{
  char        *digest = sb_arena_take(session->arena, SB_SHA256_HEX + 1, 1);
  registration r = {session, file, digest, 0, 0, true};
  void *const  object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!object)
    return sb_error_at(session->diagnostics, place_of(file), "E100", "cannot load the plug-in: %s", dlerror());
  if (!sb_sha256_file(file, digest))
    return sb_error_at(session->diagnostics, place_of(file), "E100", "cannot read the plug-in");
  int (*start)(const sb_plugin_registry *) = NULL;
  *(void **)&start = dlsym(object, "springbench_plugin");
  if (!start)
    return sb_error_at(session->diagnostics, place_of(file), "E106",
                       "no plug-in of springbench: it does not define springbench_plugin (docs/library.md)");
  const sb_plugin_registry registry = registry_of(&r);
  if (start(&registry) != 0 && r.good)
    r.good = sb_error_at(session->diagnostics, place_of(file), "E106",
                         "the plug-in does not support version %d of the interface, which this springbench has",
                         SPRINGBENCH_PLUGIN_ABI);
  if (r.methods == 0 && r.good)
    r.good = sb_error_at(session->diagnostics, place_of(file), "E106", "the plug-in adds no method");
  return r.good;
}

typedef struct {
  sb_session *session;
  const char *file;
} loading;

static void try_loading(void *subject)
{
  const loading *l = subject;
  (void)register_methods(l->session, l->file);
}

static bool load_python(sb_session *session, const char *file)
{
  char                    *digest = sb_arena_take(session->arena, SB_SHA256_HEX + 1, 1);
  registration             r = {session, file, digest, SB_PLUGIN_IN_PYTHON, 0, true};
  const sb_plugin_registry registry = registry_of(&r);
  return sb_python_file_register(file, session, digest, &registry);
}

static bool is_source(const char *file)
{
  const char *suffix = strrchr(file, '.');
  return suffix && strncmp(suffix, ".c", 2) == 0; /* and .cc, .cpp, .cxx */
}

/* Objects are loaded first in a separate process: their constructors may end that, crash or hang. */
static bool load(sb_session *session, const char *file)
{
  char    why[SB_GUARD_WHY];
  loading l = {session, file};
  if (sb_python_file_is(file)) return load_python(session, file);
  if (is_source(file))
    return sb_error_at(session->diagnostics, place_of(file), "E100",
                       "this is source, and a plug-in is an object (.so) or a file of Python (.py): cc -shared -fPIC "
                       "%s $(pkg-config --cflags springbench) -o %.*sso",
                       file, (int)(strrchr(file, '.') + 1 - file), file);
  if (sb_guard_try(try_loading, &l, sizeof l, why)) return register_methods(session, file);
  return sb_error_at(session->diagnostics, place_of(file), "E100", "cannot load the plug-in: it %s", why);
}

/* A kind of file that the command line and a variable name. */
typedef struct {
  const char *flag, *variable, *noun;
  bool (*load)(sb_session *session, const char *file);
} addition;
static const addition additions[] = {{"--plugin", SB_PLUGINS_VARIABLE, "plug-in", load},
                                     {"--simulator", SB_SIMULATORS_VARIABLE, "simulator", sb_simulator_file_load}};

/* Adds a file by its absolute path, as cases may run in other folders, unless it is there. */
static bool take_file(const addition *a, const char *given, sb_names *files, sb_session *session)
{
  char *file = realpath(given, NULL);
  if (!file)
    return sb_error_at(session->diagnostics, place_of(given), "E100", "cannot load the %s: %s", a->noun,
                       strerror(errno));
  sb_arena_adopt(session->arena, file);
  if (strchr(file, ':'))
    return sb_error_at(session->diagnostics, place_of(given), "E100", "the path of a %s cannot have a ':': %s", a->noun,
                       file);
  sb_names_add(session->arena, files, file);
  return true;
}

static bool take_variable(const addition *a, sb_names *files, sb_session *session)
{
  const char *variable = getenv(a->variable);
  char       *rest = variable ? sb_arena_copy(session->arena, variable) : NULL;
  bool        good = true;
  for (char *file; (file = strsep(&rest, ":"));)
    if (*file) good = take_file(a, file, files, session) && good;
  return good;
}

/* `new --plugin NAME.c` and `new --plugin NAME.py` write a plug-in; `new` refuses others that are no objects. */
static bool is_to_be_written(const addition *a, char **argv, const char *file)
{
  return a->load == load && strcmp(argv[1], "new") == 0 && !strstr(file, ".so");
}

static bool take_flags(const addition *a, int *argc, char **argv, sb_names *files, sb_session *session)
{
  const size_t length = strlen(a->flag);
  int          kept = 1, i = 1;
  bool         good = true;
  for (; i < *argc && strcmp(argv[i], "--") != 0; ++i) {
    const bool  here = strncmp(argv[i], a->flag, length) == 0, apart = here && argv[i][length] == '\0';
    const char *file = here && argv[i][length] == '=' ? argv[i] + length + 1
                       : apart && i + 1 < *argc       ? argv[i + 1]
                                                      : "";
    if (is_to_be_written(a, argv, file))
      argv[kept++] = argv[i];
    else if (here && argv[i][length] == '=')
      good = take_file(a, file, files, session) && good;
    else if (apart && i + 1 < *argc)
      good = take_file(a, argv[++i], files, session) && good;
    else if (apart)
      good = sb_error_at(session->diagnostics, (sb_location){0}, "E102", "%s takes a file", a->flag);
    else
      argv[kept++] = argv[i];
  }
  while (i < *argc) argv[kept++] = argv[i++];
  argv[kept] = NULL;
  *argc = kept;
  return good;
}

bool sb_plugins_load(int *argc, char **argv, sb_session *session)
{
  bool all_good = true;
  for (const addition *a = additions; a < additions + sizeof additions / sizeof *additions; ++a) {
    sb_names files = {0};
    bool     good = take_variable(a, &files, session);
    good = take_flags(a, argc, argv, &files, session) && good;
    if (good && files.count > 0) setenv(a->variable, sb_names_join(session->arena, &files, ":", files.count), 1);
    for (size_t i = 0; good && i < files.count; ++i) good = a->load(session, files.names[i]);
    all_good = all_good && good;
  }
  return all_good;
}

bool sb_plugins_load_named(sb_session *session)
{
  sb_names files = {0};
  bool     good = take_variable(&additions[0], &files, session);
  for (size_t i = 0; good && i < files.count; ++i) good = load(session, files.names[i]);
  return good;
}
