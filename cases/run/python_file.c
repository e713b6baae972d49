/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads plug-ins in Python; see python_file.h. Their methods start Python when a case creates them. */
#include "cases/run/python_file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/allocate.h"
#include "base/input_file.h"
#include "base/number.h"
#include "base/words.h"
#include "cases/describe/names.h"
#include "cases/run/python.h"

enum { FILE_BYTES_MAX = 1 << 20 };
static const char suffix[] = ".py", mark[] = "# springbench:";

typedef struct {
  sb_session  *session;
  const char  *file, *folder;
  size_t       count;          /* of files in the folder, the plug-in's own first */
  const char **files, **texts; /* texts of those that were read */
} reader;

/* ---- methods ---- */

/* Claims that have a value: of integrators, and of laws. */
enum { ORDER, ORDER_BRAKED, STABILITY_LIMIT, STAGE_PART, MOST, VALUES, ORDER_MAX = 9 };
static const char *const values[VALUES] = {"order", "order_braked", "stability_limit", "stage_part", "most"};

/* Arguments of other families are 0. */
static void *create(const sb_python_class *class, const char *options, int32_t unknowns,
                    const sb_plugin_stepper *stepper, char *error, size_t error_size)
{
  const sb_python *python = sb_python_start(error, error_size);
  return python ? python->create(class, options, unknowns, stepper, error, error_size) : NULL;
}

static void *create_minimizer(const void *data, const char *options, int32_t unknowns, char *error, size_t error_size)
{
  return create(data, options, unknowns, NULL, error, error_size);
}

/* Makes a linear solver or a law. */
static void *create_plain(const void *data, const char *options, char *error, size_t error_size)
{
  return create(data, options, 0, NULL, error, error_size);
}

static void *create_integrator(const void *data, const char *options, const sb_plugin_stepper *stepper, char *error,
                               size_t error_size)
{
  return create(data, options, 0, stepper, error, error_size);
}

static void destroy(void *object) { sb_python_functions()->destroy(object); }

static const char *failure(const void *object) { return sb_python_functions()->failure(object); }

static double flops(const void *object) { return sb_python_functions()->flops(object); }

static sb_plugin_outcome set_matrix(void *solver, const sb_plugin_matrix *A, int new_pattern)
{
  return sb_python_functions()->set_matrix(solver, A, new_pattern);
}

static sb_plugin_outcome solve(void *solver, const double *b, double *x, sb_plugin_solve *goal)
{
  return sb_python_functions()->solve(solver, b, x, goal);
}

static sb_plugin_outcome begin(void *minimizer, const sb_plugin_problem *problem, const double *z)
{
  return sb_python_functions()->begin(minimizer, problem, z);
}

static sb_plugin_outcome iterate(void *minimizer, const sb_plugin_problem *problem, double *z)
{
  return sb_python_functions()->iterate(minimizer, problem, z);
}

static sb_plugin_outcome step(void *integrator, const sb_plugin_stepper *stepper, int64_t number, int fresh, double *x,
                              double *v)
{
  return sb_python_functions()->step(integrator, stepper, number, fresh, x, v);
}

static sb_plugin_outcome evaluate(void *law, const sb_plugin_springs *springs)
{
  return sb_python_functions()->evaluate(law, springs);
}

/* A method as a line of the file names it. */
typedef struct {
  const char *name, *summary;
  unsigned    traits;
  double      value[VALUES]; /* NAN: not claimed */
  const char *memory[2];
  const sb_python_class *class;
} named_method;

static int register_minimizer(const named_method *m, const sb_plugin_registry *registry)
{
  const sb_plugin_minimizer own = {.size = sizeof own,
                                   .name = m->name,
                                   .summary = m->summary,
                                   .traits = m->traits,
                                   .destroy = destroy,
                                   .begin = begin,
                                   .iterate = iterate,
                                   .flops = m->traits & SB_PLUGIN_COUNTED ? flops : NULL,
                                   .failure = failure,
                                   .data = m->class,
                                   .create_of = create_minimizer};
  return registry->add_minimizer(registry->context, &own);
}

static int register_linear(const named_method *m, const sb_plugin_registry *registry)
{
  const sb_plugin_linear own = {.size = sizeof own,
                                .name = m->name,
                                .summary = m->summary,
                                .traits = m->traits,
                                .destroy = destroy,
                                .set_matrix = set_matrix,
                                .solve = solve,
                                .flops = m->traits & SB_PLUGIN_COUNTED ? flops : NULL,
                                .failure = failure,
                                .data = m->class,
                                .create_of = create_plain};
  return registry->add_linear(registry->context, &own);
}

static int register_integrator(const named_method *m, const sb_plugin_registry *registry)
{
  const sb_plugin_integrator own = {.size = sizeof own,
                                    .name = m->name,
                                    .summary = m->summary,
                                    .traits = m->traits,
                                    .order = (int)fmin(fmax(m->value[ORDER], 0), ORDER_MAX),
                                    .order_braked = (int)fmin(fmax(m->value[ORDER_BRAKED], 0), ORDER_MAX),
                                    .stability_limit = m->value[STABILITY_LIMIT],
                                    .stage_part = fmax(m->value[STAGE_PART], 0),
                                    .memory = {m->memory[0], m->memory[1]},
                                    .destroy = destroy,
                                    .step = step,
                                    .failure = failure,
                                    .data = m->class,
                                    .create_of = create_integrator};
  return registry->add_integrator(registry->context, &own);
}

static int register_law(const named_method *m, const sb_plugin_registry *registry)
{
  const sb_plugin_law own = {.size = sizeof own,
                             .name = m->name,
                             .summary = m->summary,
                             .traits = m->traits,
                             .most = fmax(m->value[MOST], 0),
                             .destroy = destroy,
                             .evaluate = evaluate,
                             .failure = failure,
                             .data = m->class,
                             .create_of = create_plain};
  return registry->add_law(registry->context, &own);
}

/* ---- lines that name methods ---- */

/* The families, and the classes of their methods. */
static const struct {
  const char *name, *class_name;
  int (*add)(const named_method *method, const sb_plugin_registry *registry);
} families[] = {{"minimizer", "Minimizer", register_minimizer},
                {"linear", "Linear", register_linear},
                {"integrator", "Integrator", register_integrator},
                {"law", "Law", register_law}};
enum { FAMILIES = sizeof families / sizeof *families };

enum { MINIMIZER = 1 << 0, LINEAR = 1 << 1, INTEGRATOR = 1 << 2, LAW = 1 << 3 }; /* in the order of `families` */

static const struct {
  const char *word;
  unsigned    trait, families;
} claims[] = {{"direct", SB_PLUGIN_DIRECT, LINEAR},
              {"needs_spd", SB_PLUGIN_NEEDS_SPD, LINEAR},
              {"detects_indefinite", SB_PLUGIN_DETECTS_INDEFINITE, LINEAR},
              {"unsymmetric", SB_PLUGIN_UNSYMMETRIC, LINEAR},
              {"descends", SB_PLUGIN_DESCENDS, MINIMIZER},
              {"quadratic", SB_PLUGIN_QUADRATIC, MINIMIZER},
              {"counted", SB_PLUGIN_COUNTED, MINIMIZER | LINEAR},
              {"sees_net", SB_PLUGIN_SEES_NET, MINIMIZER},
              {"other_limit", SB_PLUGIN_OTHER_LIMIT, MINIMIZER},
              {"remembers", SB_PLUGIN_REMEMBERS, MINIMIZER},
              {"contact_in_g", SB_PLUGIN_CONTACT_IN_G, MINIMIZER},
              {"solves", SB_PLUGIN_SOLVES, MINIMIZER},
              {"solves_columns", SB_PLUGIN_SOLVES_COLUMNS, MINIMIZER},
              {"symplectic", SB_PLUGIN_SYMPLECTIC, INTEGRATOR},
              {"convex", SB_PLUGIN_CONVEX, LAW},
              {"hardens", SB_PLUGIN_HARDENS, LAW}};
enum { CLAIMS = sizeof claims / sizeof *claims };

#define REFUSE(r, line, ...)                                                                                           \
  sb_error_at((r)->session->diagnostics, (sb_location){(r)->file, line, 0}, "E106", __VA_ARGS__)

static char *trimmed(char *text)
{
  while (isspace((unsigned char)*text)) ++text;
  size_t length = strlen(text);
  while (length > 0 && isspace((unsigned char)text[length - 1])) text[--length] = '\0';
  return text;
}

static bool has_value(size_t family, size_t k)
{
  return 1U << family == LAW ? k == MOST : 1U << family == INTEGRATOR && k < MOST;
}

/* Reads a claim "order=2" or "memory=NAME"; false if it is another one. */
static bool read_value(char *word, size_t family, named_method *m)
{
  char *value = word + strcspn(word, "=");
  if (!*value) return false;
  *value++ = '\0';
  if (1U << family == INTEGRATOR && strcmp(word, "memory") == 0)
    return !m->memory[1] && sb_is_method_name(m->memory[m->memory[0] != NULL] = value);
  for (size_t k = 0; k < VALUES; ++k) {
    if (!has_value(family, k) || strcmp(values[k], word) != 0) continue;
    if (k != STABILITY_LIMIT || strcmp(value, "inf") != 0) return sb_parse_real(value, &m->value[k]);
    m->value[k] = INFINITY;
    return true;
  }
  return false;
}

static const char *claims_of(size_t family, sb_arena *arena)
{
  const char *known = "";
  for (size_t k = 0; k < CLAIMS; ++k)
    if (claims[k].families & 1U << family) known = sb_arena_join(arena, known, ", ", "%s", claims[k].word);
  for (size_t k = 0; k < VALUES; ++k)
    if (has_value(family, k)) known = sb_arena_join(arena, known, ", ", "%s=NUMBER", values[k]);
  return 1U << family != INTEGRATOR ? known : sb_arena_join(arena, known, ", ", "memory=NAME (at most two)");
}

/* Adds claims with commas between; false after E106. */
static bool read_claims(const reader *r, char *list, int line, size_t family, named_method *m)
{
  for (char *item; (item = strsep(&list, ","));) {
    const char *word = sb_arena_copy(r->session->arena, trimmed(item));
    size_t      k = 0;
    if (read_value(trimmed(item), family, m)) continue;
    while (k < CLAIMS && (strcmp(claims[k].word, word) != 0 || !(claims[k].families & 1U << family))) ++k;
    if (k == CLAIMS)
      return REFUSE(r, line, "'%s' is not a claim of family '%s'; these are: %s", word, families[family].name,
                    claims_of(family, r->session->arena));
    m->traits |= claims[k].trait;
  }
  return true;
}

/* Adds the method of a line "FAMILY NAME: SUMMARY [CLAIMS]"; *done has the families that were added. */
static bool add_method(const reader *r, char *text, int line, unsigned *done, const sb_plugin_registry *registry)
{
  char        *summary = text, *head = trimmed(strsep(&summary, ":")), *name = head;
  const char  *family = strsep(&name, " \t");
  named_method m = {.value = {NAN, NAN, NAN, NAN, NAN}};
  size_t       k = 0;
  while (k < FAMILIES && strcmp(families[k].name, family) != 0) ++k;
  if (k == FAMILIES || !name || !summary)
    return REFUSE(r, line,
                  "a method is named as '%s FAMILY NAME: SUMMARY'; families are minimizer, linear, integrator, law",
                  mark);
  if (*done & 1U << k)
    return REFUSE(r, line, "a file has one class %s; this one is named twice", families[k].class_name);
  *done |= 1U << k;
  summary = trimmed(summary);
  char *const bracket = summary[strlen(summary) - (*summary != '\0')] == ']' ? strrchr(summary, '[') : NULL;
  if (bracket) {
    *bracket = bracket[1 + strcspn(bracket + 1, "]")] = '\0';
    if (*trimmed(bracket + 1) && !read_claims(r, bracket + 1, line, k, &m)) return false;
  }
  sb_python_class *class = sb_arena_take(r->session->arena, 1, sizeof *class);
  *class = (sb_python_class){families[k].class_name, r->file, r->count, r->files, r->texts};
  m.name = trimmed(name), m.summary = trimmed(summary), m.class = class;
  return families[k].add(&m, registry) == 0;
}

/* ---- files ---- */

/* Adds the file of a module, if it is in the folder. */
static void add_module(reader *r, const char *name, size_t length)
{
  struct stat about;
  const char *file = sb_arena_format(r->session->arena, "%.*s%s", (int)length, name, suffix);
  const char *path = sb_arena_format(r->session->arena, "%s/%s", r->folder, file);
  bool        known = false;
  for (size_t i = 0; i < r->count; ++i) known = known || strcmp(r->files[i], file) == 0;
  if (!known && stat(path, &about) == 0 && S_ISREG(about.st_mode))
    *SB_NEW_ITEM(r->session->arena, r->files, r->count) = file;
}

static size_t length_of_name(const char *text)
{
  size_t length = 0;
  while (isalnum((unsigned char)text[length]) || text[length] == '_' || (unsigned char)text[length] > 127) ++length;
  return length;
}

/* Adds the modules of a line "import a, b.c as d" or "from a import b". */
static void add_imports(reader *r, const char *line)
{
  line += strspn(line, " \t");
  const bool  all = strncmp(line, "import", 6) == 0, from = strncmp(line, "from", 4) == 0;
  const char *at = line + (all ? 6 : 4);
  if ((!all && !from) || !isblank((unsigned char)*at)) return;
  for (const char *end = at + strcspn(at, "\n"); at < end; at += strcspn(at, ",\n") + 1) {
    at += strspn(at, " \t");
    add_module(r, at, length_of_name(at));
    if (from) return;
  }
}

static int compare_lines(const void *a, const void *b) /* "DIGEST  NAME" */
{
  return strcmp(*(const char *const *)a + SB_SHA256_HEX, *(const char *const *)b + SB_SHA256_HEX);
}

/* Reads all files, and computes their digest. False after E100. */
static bool read_files(reader *r, char digest[SB_SHA256_HEX + 1])
{
  sb_arena *arena = r->session->arena;
  sb_names  lines = {0};
  size_t    size, done = 0;
  for (size_t i = 0; i < r->count; ++i) { /* their number grows */
    const char *path = sb_arena_format(arena, "%s/%s", r->folder, r->files[i]);
    char *text = sb_read_input(path, FILE_BYTES_MAX, (sb_location){r->file, 0, 0}, &size, r->session->diagnostics);
    if (!text) return false;
    *SB_NEW_ITEM(arena, r->texts, done) = sb_arena_adopt(arena, text);
    sb_sha256(text, size, digest);
    sb_names_add(arena, &lines, sb_arena_format(arena, "%s  %s\n", digest, r->files[i]));
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) add_imports(r, line);
  }
  qsort(lines.names, lines.count, sizeof *lines.names, compare_lines);
  const char *listing = sb_names_join(arena, &lines, "", lines.count);
  sb_sha256(listing, strlen(listing), digest);
  return true;
}

bool sb_python_file_is(const char *file)
{
  const char *dot = strrchr(file, '.');
  return dot && strcmp(dot, suffix) == 0;
}

bool sb_python_file_register(const char *file, sb_session *session, char digest[SB_SHA256_HEX + 1],
                             const sb_plugin_registry *registry)
{
  const char *slash = strrchr(file, '/');
  reader      r = {session, file, sb_arena_copy_span(session->arena, file, (size_t)(slash - file)), .count = 0};
  unsigned    done = 0;
  int         number = 0;
  *SB_NEW_ITEM(session->arena, r.files, r.count) = slash + 1;
  if (!read_files(&r, digest)) return false;
  char *rest = sb_arena_copy(session->arena, r.texts[0]);
  for (char *line; (line = strsep(&rest, "\n"));) {
    ++number;
    if (strncmp(line, mark, sizeof mark - 1) == 0 && !add_method(&r, line + sizeof mark - 1, number, &done, registry))
      return false;
  }
  return done || REFUSE(&r, 0, "no line '%s minimizer NAME: SUMMARY' names a class of it (docs/plugins.md)", mark);
}
