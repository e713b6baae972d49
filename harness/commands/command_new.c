/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command new: writes a sweep file that runs unchanged, for a user to edit: a commented one, or a copy of another; or a
 * plug-in that passes `conform`. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/option_ids.h"
#include "cases/common/durable.h"
#include "cases/common/text.h"
#include "harness/commands/command.h"
#include "harness/report/report_text.h"
#include "cases/store/input_files.h"
#include "harness/sweep/sweep_reader.h"

/* NAME is replaced by the sweep's name. Each section has a table of its keys in docs/sweep_file.md. */
static const char template[] =
    "# A sweep for springbench. It runs unchanged; edit it for a question of your own.\n"
    "#   springbench check NAME.yaml   finds mistakes and names their lines\n"
    "#   springbench run NAME.yaml     runs what is missing, then writes results/NAME/report.html\n"
    "springbench: 1                # version of this format\n"
    "name: NAME                    # results are written to results/NAME\n"
    "question: How does the error of the energy grow with the time step, by integrator?\n"
    "driver: trajectory            # what is measured in each case: springbench list drivers\n"
    "timed: false                  # true: times are results, so cases run one after another\n"
    "\n"
    "# Options of every case: springbench list scenes oscillator, springbench list options\n"
    "defaults: {scene: oscillator, vertex_mass: 1, stiffness: 4, amplitude: 0.1, duration: 10}\n"
    "\n"
    "# Axes. A grid has a case for each combination of values, here 3 times 4; further blocks (- grid: …) add cases.\n"
    "sweep:\n"
    "  - grid:\n"
    "      integrator: [explicit_euler, symplectic_euler, velocity_verlet]\n"
    "      h: [0.1, 0.05, 0.025, 0.0125]\n"
    "quick: all                    # cases of `run --quick`; {h: [0.1, 0.05]} keeps these two steps alone\n"
    "\n"
    "# A table of one column per integrator. Cells are expressions of options and results (springbench list drivers).\n"
    "tables:\n"
    "  - id: energy\n"
    "    title: Largest error of the energy over that at the start\n"
    "    rows: h\n"
    "    columns: integrator\n"
    "    cell: energy_error_max / energy_start\n"
    "    label: relative error\n"
    "\n"
    "# A curve per integrator. Other kinds: scatter, bars, map, tiles, profile.\n"
    "figures:\n"
    "  - id: energy\n"
    "    title: Error of the energy of an oscillator\n"
    "    kind: curves\n"
    "    x: h\n"
    "    y: energy_error_max / energy_start\n"
    "    y_label: largest error of the energy over that at the start\n"
    "    logarithmic: xy\n"
    "    series: integrator\n"
    "\n"
    "# Claims are tested after each run: springbench verify results/NAME\n"
    "expect:\n"
    "  - claim: the error grows in proportion to the step under symplectic Euler\n"
    "    test: 0.9 < slope(log(energy_error_max), log(h)) < 1.1\n"
    "    where: integrator == symplectic_euler\n"
    "  - claim: the error grows with the square of the step under velocity Verlet\n"
    "    test: 1.9 < slope(log(energy_error_max), log(h)) < 2.1\n"
    "    where: integrator == velocity_verlet\n";

static const char *filled_in(const char *rest, const char *word, const char *name, sb_arena *arena)
{
  const char *text = "";
  for (const char *place;; rest = place + strlen(word)) {
    place = strstr(rest, word);
    if (!place) return sb_arena_format(arena, "%s%s", text, rest);
    text = sb_arena_format(arena, "%s%.*s%s", text, (int)(place - rest), rest, name);
  }
}

/* ---- a copy of another sweep ---- */

/* A part of a text that is left out; other text may take its place. */
typedef struct {
  size_t      begin, end;
  const char *instead;
} cut;

/* The place of a character, whose column counts characters. */
static size_t offset_of(const char *text, sb_location where)
{
  const char *at = text;
  for (int line = 1; line < where.line && *at; ++at) line += *at == '\n';
  for (int column = 1; *at; ++at) {
    if (((unsigned char)*at & 0xC0) == 0x80) continue;
    if (column++ == where.column) break;
  }
  return (size_t)(at - text);
}

/* The end of a text of one line that begins there. */
static size_t end_of_value(const char *text, size_t begin)
{
  const char *at = text + begin;
  const char  quote = *at == '"' || *at == '\'' ? *at : '\0';
  if (!quote) return begin + strcspn(at, ",}\n");
  for (++at; *at && *at != quote; ++at) at += quote == '"' && *at == '\\' && at[1];
  return (size_t)(at - text) + (*at != '\0');
}

/* A key with its value, and what parts it from its neighbours: its line, or a comma. */
static cut cut_of(const char *text, const sb_yaml_node *node)
{
  cut c = {.begin = offset_of(text, node->key_where), .end = end_of_value(text, offset_of(text, node->where))};
  if (text[c.end] == ',') {
    c.end += 1 + strspn(text + c.end + 1, " ");
  } else if (text[c.end] == '}') {
    while (c.begin > 0 && (text[c.begin - 1] == ' ' || text[c.begin - 1] == '\n')) --c.begin;
    if (c.begin > 0 && text[c.begin - 1] == ',') --c.begin;
  } else {
    while (c.begin > 0 && text[c.begin - 1] == ' ') --c.begin;
    c.end += text[c.end] == '\n' && (c.begin == 0 || text[c.begin - 1] == '\n');
  }
  return c;
}

static int compare_cuts(const void *a, const void *b)
{
  const cut *x = a, *y = b;
  return (x->begin > y->begin) - (x->begin < y->begin);
}

/* A sweep as one of the user's own: its name, and no topic or findings. NULL after diagnostics. */
static const char *adapted(const char *path, const char *name, const sb_session *session)
{
  static const char *const dropped[] = {"topic", "core", "tour"};
  const sb_sweep          *sweep = sb_sweep_read(path, session);
  sb_yaml_node             root = {0};
  sb_arena                *arena = session->arena;
  size_t                   count = 0, done = 0;
  cut                     *cuts = NULL;
  if (!sweep || !sb_yaml_read(sweep->text, strlen(sweep->text), path, arena, session->diagnostics, &root)) return NULL;
  const char         *text = sweep->text;
  const sb_yaml_node *named = sb_yaml_find(&root, "name"), *claims = sb_yaml_find(&root, "expect"), *node;
  const size_t        begin = offset_of(text, named->where);
  *SB_NEW_ITEM(arena, cuts, count) = (cut){begin, end_of_value(text, begin), name};
  for (size_t i = 0; i < sizeof dropped / sizeof *dropped; ++i)
    if ((node = sb_yaml_find(&root, dropped[i]))) *SB_NEW_ITEM(arena, cuts, count) = cut_of(text, node);
  for (size_t i = 0; claims && i < claims->count; ++i)
    if ((node = sb_yaml_find(&claims->items[i], "finding"))) *SB_NEW_ITEM(arena, cuts, count) = cut_of(text, node);
  qsort(cuts, count, sizeof *cuts, compare_cuts);
  sb_arena_writer writer;
  FILE           *out = sb_arena_write(&writer, arena);
  fprintf(out, "# A copy of the sweep %s; edit it for a question of your own.\n", sweep->name);
  for (size_t i = 0; i < count; ++i) {
    fprintf(out, "%.*s%s", (int)(cuts[i].begin - done), text + done, cuts[i].instead ? cuts[i].instead : "");
    done = cuts[i].end;
  }
  fputs(text + done, out);
  const char *copy = sb_arena_text(&writer);
  return sb_sweep_parse(copy, strlen(copy), path, session) ? copy : NULL;
}

/* Copies a file that the sweep names from its folder, or one below, to that of the copy; one that is there stays. */
static bool copy_named(const char *name, const char *from, const char *to, sb_arena *arena)
{
  const char *source = sb_arena_format(arena, "%s/%s", from, name), *copy = sb_arena_format(arena, "%s/%s", to, name);
  if (*name == '/' || access(source, F_OK) != 0 || access(copy, F_OK) == 0) return true;
  return sb_make_directory(dirname(sb_arena_copy(arena, copy))) &&
         (sb_copy_file(source, copy) || sb_storage_error("copy", source, errno, 0));
}

typedef struct {
  const char *from, *to;
  sb_arena   *arena;
  bool        good;
} copying;

static char *copy_word(void *context, const char *path)
{
  copying *c = context;
  c->good = copy_named(path, c->from, c->to, c->arena) && c->good;
  return NULL;
}

/* The files that a value of an option names. */
static bool copy_value(sb_option_id id, const char *value, const char *from, const char *to, sb_arena *arena)
{
  copying words = {from, to, arena, true};
  sb_input_each(id, value, copy_word, &words);
  return words.good;
}

/* The files beside the sweep that it names: meshes, data, scripts. */
static bool copy_files(const sb_sweep *sweep, const char *to, sb_arena *arena)
{
  const char  *from = dirname(sb_arena_copy(arena, sweep->path));
  bool         good = true;
  const size_t lists = 1 + sweep->method_count + 2 * sweep->block_count;
  for (size_t i = 0; i < lists; ++i) {
    const size_t      b = i > sweep->method_count ? (i - sweep->method_count - 1) / 2 : 0;
    const bool        own = i > sweep->method_count && (i - sweep->method_count) % 2 == 0;
    const sb_settings axes = own      ? (sb_settings){.count = sweep->blocks[b].count, .axes = sweep->blocks[b].axes}
                             : i == 0 ? sweep->defaults
                             : i <= sweep->method_count ? sweep->methods[i - 1]
                                                        : sweep->blocks[b].defaults;
    for (size_t a = 0; a < axes.count; ++a)
      for (size_t k = 0; k < SB_INPUT_OPTIONS; ++k)
        for (size_t v = 0; axes.axes[a].id == sb_input_options[k] && v < axes.axes[a].count; ++v)
          good = copy_value(axes.axes[a].id, axes.axes[a].values[v], from, to, arena) && good;
  }
  for (size_t i = 0; i < sweep->figure_count; ++i)
    if (sweep->figures[i].script) good = copy_named(sweep->figures[i].script, from, to, arena) && good;
  return good;
}

/* Creates the file; one that exists is left alone. */
static bool create_file(const char *path, const char *text, const sb_session *session)
{
  const int descriptor = sb_open(path, O_WRONLY | O_CREAT | O_EXCL);
  if (descriptor < 0 && errno == EEXIST)
    return sb_error_at(session->diagnostics, (sb_location){path, 0, 0}, "E109",
                       "the file exists and is left unchanged; choose another name");
  const bool good = descriptor >= 0 && sb_write_all(descriptor, text, strlen(text));
  const int  error = errno;
  if (descriptor >= 0) close(descriptor);
  return good || sb_storage_error("write", path, error, (double)strlen(text));
}

typedef struct {
  const char *driver, *from, *plugin;
} new_request;

/* A plug-in to start from: an example, in which the method's name replaces its own. */
extern const char sb_new_plugin_text[], sb_new_python_plugin_text[];
static const struct {
  const char *suffix, *text, *method, *file;
  const char *build, *built; /* the command, and the suffix of what it makes */
} plugins[] = {{".c", sb_new_plugin_text, "my_xpbd", "own_xpbd",
                "cc -O3 -shared -fPIC %s $(pkg-config --cflags springbench) -lm -o %s.so\n", ".so"},
               {".py", sb_new_python_plugin_text, "numpy_bb", "own_bb", "", ".py"}};

static const sb_command_option option_table[] = {
    {"from", 0, "SWEEP", "copy this sweep, a file or one that comes with springbench, without its findings",
     sb_take_text, .place = offsetof(new_request, from)},
    {"driver", 0, "DRIVER", "copy the shortest sweep of this driver that comes with springbench", sb_take_text,
     .place = offsetof(new_request, driver)},
    {"plugin", 0, "NAME.c|NAME.py", "write a plug-in with a minimizer NAME", sb_take_text,
     .place = offsetof(new_request, plugin)},
    {0},
};

static void take_names(const sb_command_words *words, void *input, struct argp_state *state)
{
  const new_request *r = input;
  if (words->count == 0 && !r->plugin) argp_error(state, "a NAME is missing");
  if (r->plugin && (words->count > 0 || r->from || r->driver)) argp_error(state, "--plugin takes nothing beside it");
}

/* The file that a sweep is copied from; NULL: the template. *good: false after a diagnostic. */
static const char *find_source(const new_request *r, const sb_session *session, bool *good)
{
  size_t       count = 0;
  const char **named = r->from ? sb_sweeps_named(r->from, session->arena, &count) : NULL;
  const char  *source = named ? named[0] : r->driver ? sb_sweeps_example(r->driver, session->arena) : NULL;
  *good = !(r->from && r->driver) && count <= 1 && (source || !r->driver);
  if (r->from && r->driver)
    sb_error_at(session->diagnostics, (sb_location){0}, "E106", "--from and --driver exclude each other");
  else if (count > 1)
    sb_error_at(session->diagnostics, (sb_location){0}, "E106", "--from takes one sweep; %s is a topic of %zu", r->from,
                count);
  else if (!*good)
    sb_error_at(session->diagnostics, (sb_location){0}, "E106",
                "no sweep that comes with springbench has driver '%s'; `springbench list drivers` shows the drivers",
                r->driver);
  return source;
}

static int write_plugin(const char *path, const sb_session *session)
{
  const char *suffix = strrchr(path, '.'), *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
  const char *name = suffix && suffix > from ? sb_arena_copy_span(session->arena, from, (size_t)(suffix - from)) : "";
  const char *base = sb_arena_copy_span(session->arena, path, suffix ? (size_t)(suffix - path) : 0);
  size_t      kind = 0;
  while (kind < sizeof plugins / sizeof *plugins && (!suffix || strcmp(suffix, plugins[kind].suffix) != 0)) ++kind;
  if (kind == sizeof plugins / sizeof *plugins || !sb_is_method_name(name)) {
    sb_error_at(
        session->diagnostics, (sb_location){0}, "E109",
        "a plug-in is NAME.c or NAME.py, with a name of at most 31 lower-case letters, digits and '_'; got '%s'", path);
    return SB_EXIT_USAGE;
  }
  const size_t before = sb_diagnostics_errors(session->diagnostics);
  const char  *text = filled_in(plugins[kind].text, plugins[kind].method, name, session->arena);
  if (!create_file(path, filled_in(text, plugins[kind].file, name, session->arena), session))
    return sb_diagnostics_errors(session->diagnostics) > before ? SB_EXIT_USAGE : SB_EXIT_STORAGE;
  printf("%s\n", path);
  fprintf(stderr, plugins[kind].build, path, base);
  fprintf(stderr, "springbench --plugin %s%s%s conform minimizer=%s\n", slash ? "" : "./", base, plugins[kind].built,
          name);
  return SB_EXIT_OK;
}

static int run_new(int argc, char **argv, const sb_session *session)
{
  new_request            request = {0};
  bool                   good;
  const sb_command_words words = sb_command_read(argc, argv, session, &request);
  if (request.plugin) return write_plugin(request.plugin, session);
  const char  *path = *words.names, *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const size_t length = strlen(name), suffix = length > 5 && strcmp(name + length - 5, ".yaml") == 0 ? 5 : 0;
  size_t       count;
  name = sb_arena_copy_span(session->arena, name, length - suffix);
  path = sb_arena_format(session->arena, "%s%s", path, suffix > 0 ? "" : ".yaml");
  if (!sb_text_is_safe_name(name)) {
    sb_error_at(session->diagnostics, (sb_location){0}, "E109",
                "a sweep's name has letters, digits, '.', '_', '+', '-', at most 64; got '%s'", name);
    return SB_EXIT_USAGE;
  }
  if (strcmp(sb_sweeps_named(name, session->arena, &count)[0], name) != 0) {
    sb_error_at(session->diagnostics, (sb_location){0}, "E109",
                "'%s' is a sweep or a topic that comes with springbench; choose another name", name);
    return SB_EXIT_USAGE;
  }
  const char *source = find_source(&request, session, &good);
  if (!good) return SB_EXIT_USAGE;
  const size_t before = sb_diagnostics_errors(session->diagnostics);
  const char  *text = source ? adapted(source, name, session) : filled_in(template, "NAME", name, session->arena);
  if (!text) return SB_EXIT_USAGE;
  if (!create_file(path, text, session))
    return sb_diagnostics_errors(session->diagnostics) > before ? SB_EXIT_USAGE : SB_EXIT_STORAGE;
  const char *folder = dirname(sb_arena_copy(session->arena, path));
  if (source && !copy_files(sb_sweep_read(source, session), folder, session->arena)) return SB_EXIT_STORAGE;
  printf("%s\n", path);
  sb_markdown_print(stderr, "springbench run " SB_AS_SHELL_WORD " runs its cases\n", path);
  return SB_EXIT_OK;
}

const sb_command sb_command_new = {
    .run = run_new, .options = option_table, .most = 1, .surplus = "one NAME is enough", .take_names = take_names};
