/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sweep files: the bytes, and the sections that define the cases. See sweep.h and docs/sweep_file.md. */
#include "harness/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "cases/common/json_text.h"
#include "cases/common/text.h"
#include "cases/describe/names.h"
#include "cases/describe/plugin_methods.h"
#include "harness/sweep/sweep_reader.h"

enum { FORMAT_READ = 1, REPETITIONS_MAX = 1000 };

/* ---- methods by their names ---- */

static int compare_methods(const void *a, const void *b)
{
  return strcmp((*(const sb_settings *const *)a)->name, (*(const sb_settings *const *)b)->name);
}

static int compare_settings(const void *a, const void *b)
{
  return strcmp(((const sb_settings *)a)->name, ((const sb_settings *)b)->name);
}

const sb_animation_spec *sb_sweep_animation_beside(const sb_sweep *sweep, const sb_animation_spec *animation)
{
  for (size_t i = 0; animation->beside && i < sweep->animation_count; ++i)
    if (&sweep->animations[i] != animation && strcmp(sweep->animations[i].id, animation->beside) == 0)
      return &sweep->animations[i];
  return NULL;
}

const sb_settings *sb_sweep_method(const sb_sweep *sweep, const char *name)
{
  sb_settings         wanted = {.name = (char *)name}; /* only compared */
  const sb_settings  *key = &wanted;
  sb_settings *const *found = NULL;
  if (sweep->method_count > 0)
    found = bsearch(&key, sweep->methods_by_name, sweep->method_count, sizeof *found, compare_methods);
  for (size_t i = 0; !found && i < sweep->added_count; ++i)
    if (strcmp(sweep->added[i].name, name) == 0) return &sweep->added[i];
  return found ? *found : NULL;
}

bool sb_sweep_adds_method(const sb_sweep *sweep, const char *name)
{
  bool added = false;
  for (size_t i = 0; name && i < sweep->added_count && !added; ++i) added = strcmp(sweep->added[i].name, name) == 0;
  return added;
}

bool sb_sweep_has_method(const sb_sweep *sweep, const char *name, sb_location where, const char *hint,
                         sb_diagnostics *diagnostics)
{
  const char *near = NULL;
  if (sb_sweep_method(sweep, name)) return true;
  if (!sb_diagnostics_full(diagnostics)) { /* searching for the nearest among many is slow */
    SB_OWNED const char **names = sb_allocate(sweep->method_count, sizeof *names);
    for (size_t i = 0; i < sweep->method_count; ++i) names[i] = sweep->methods_by_name[i]->name;
    near = sb_nearest_name(name, names, sweep->method_count);
  }
  return sb_error_at(diagnostics, where, "E106",
                     near ? "unknown method '%s'; did you mean '%s'?" : "unknown method '%s'%s", name,
                     near ? near : hint);
}

const sb_axis *sb_find_axis(const sb_axis *axes, size_t count, const char *name)
{
  for (size_t i = 0; i < count; ++i)
    if (strcmp(axes[i].name, name) == 0) return &axes[i];
  return NULL;
}

bool sb_axis_same_value(const char *a, const char *b)
{
  double x = 0, y = 0;
  if (strcmp(a, b) == 0) return true;
  return sb_read_real(a, &x) == SB_NUMBER_READ && sb_read_real(b, &y) == SB_NUMBER_READ && !(x < y || x > y);
}

void sb_axis_add_value(sb_axis *axis, const char *value, sb_location where, sb_arena *arena)
{
  for (size_t i = 0; i < axis->count; ++i)
    if (sb_axis_same_value(axis->values[i], value)) return;
  axis->values = sb_arena_grow(arena, axis->values, axis->count, sizeof *axis->values);
  axis->where = sb_arena_grow(arena, axis->where, axis->count, sizeof *axis->where);
  axis->values[axis->count] = sb_arena_copy(arena, value);
  axis->where[axis->count++] = where;
}

const sb_axis *sb_sweep_axis(const sb_sweep *sweep, const char *name)
{
  const sb_axis *found = NULL;
  for (size_t i = 0; i < sweep->block_count && !found; ++i)
    found = sb_find_axis(sweep->blocks[i].axes, sweep->blocks[i].count, name);
  return found;
}

/* ---- options ---- */

/* The text of a list: "[0,0,-9.8]", or the items of a composite value, separated by ';'; NULL after a message. */
static char *read_items(sb_sweep_reader *r, const sb_yaml_node *node, const sb_option *option)
{
  const bool  composite = option->kind == SB_KIND_COMPOSITE;
  const char *separator = composite ? ";" : ",";
  char       *text = "";
  for (size_t i = 0; i < node->count; ++i) {
    const char *item = sb_require_scalar(r, &node->items[i], option->name);
    if (!item) return NULL;
    if (strchr(item, *separator)) { /* it would be two */
      SB_REFUSE(r, &node->items[i], "E102", "an item of '%s' has a separator; got '%s'", option->name, item);
      return NULL;
    }
    text = sb_arena_join(r->arena, text, separator, "%s", item);
  }
  return composite ? text : sb_arena_format(r->arena, "[%s]", text);
}

/* The text of a value, checked against the option, or the methods if it is none; NULL after a message. `key:` gives a
 * plain scalar without text. */
static char *read_value(sb_sweep_reader *r, const sb_yaml_node *node, sb_option_id id)
{
  const sb_option *option = id == sb_option_count ? NULL : sb_option_at(id);
  const bool       bare = node->kind != SB_YAML_TEXT || node->plain;
  char            *text = node->text;
  if (!option || (node->kind != SB_YAML_LIST && bare))
    text = sb_require_scalar(r, node, option ? option->name : "method");
  if (!option) {
    const char *hint = "; see the section 'methods'";
    return text && sb_sweep_has_method(r->sweep, text, node->where, hint, r->diagnostics) ? text : NULL;
  }
  if (node->kind == SB_YAML_LIST) text = read_items(r, node, option);
  if (!text || !sb_options_set(r->scratch, id, text, SB_FROM_USER, node->where, r->diagnostics)) return NULL;
  /* Values of an axis are compared as numbers, which those with a unit are not. */
  const bool has_unit = option->kind == SB_KIND_REAL && !sb_parse_real(text, &(double){0});
  return has_unit ? sb_arena_copy(r->arena, sb_options_text(r->scratch, id)) : text;
}

/* The values of an axis whose only one is `every`: all names that the option chooses from. NULL: it is another. */
static const sb_yaml_node *every_name(const sb_sweep_reader *r, const sb_yaml_node *node, sb_option_id id,
                                      size_t *count)
{
  const bool     every = node->kind == SB_YAML_TEXT && strcmp(node->text, "every") == 0;
  const sb_list *list = every && id != sb_option_count ? sb_option_list(id, r->session->vocabulary) : NULL;
  sb_yaml_node  *names = list ? sb_arena_take(r->arena, *count = list->count, sizeof *names) : NULL;
  for (size_t i = 0; names && i < *count; ++i)
    names[i] = (sb_yaml_node){.where = node->where, .text = sb_arena_copy(r->arena, list->entries[i]->name)};
  return names;
}

/* An axis, or a setting: that has one value, which may be a list. False: the input is not an axis. */
static bool read_axis(sb_sweep_reader *r, const sb_yaml_node *node, bool setting, sb_axis *axis)
{
  const bool          method = !setting && strcmp(node->key, "method") == 0;
  size_t              count = 1;
  const sb_yaml_node *values = NULL;
  *axis = (sb_axis){.name = (char *)node->key, .id = sb_option_count};
  if (!method) axis->id = sb_option_named(node->key, node->key_where, r->diagnostics);
  if (axis->id == SB_ID(driver))
    return sb_error_at(r->diagnostics, node->key_where, "E101", "'driver' is a key of the whole sweep, not of a case");
  if (axis->id == sb_option_count && !method) return false;
  if (!setting) values = every_name(r, node, axis->id, &count);
  if (!values) values = setting ? node : sb_one_or_list(node, &count);
  axis->values = sb_arena_take(r->arena, count, sizeof *axis->values);
  axis->where = sb_arena_take(r->arena, count, sizeof *axis->where);
  if (count == 0) SB_REFUSE(r, node, "E107", "the axis '%s' has no values: there are 0 cases", axis->name);
  for (size_t i = 0; i < count; ++i) {
    axis->where[axis->count] = values[i].where;
    axis->values[axis->count] = read_value(r, &values[i], axis->id);
    axis->count += axis->values[axis->count] != NULL;
  }
  return !setting || axis->count > 0;
}

static size_t read_axes(sb_sweep_reader *r, const sb_yaml_node *node, bool settings, sb_axis **axes)
{
  size_t count = 0;
  *axes = sb_arena_take(r->arena, node->count, sizeof **axes);
  for (size_t i = 0; i < node->count; ++i) count += read_axis(r, &node->items[i], settings, &(*axes)[count]);
  return count;
}

static void read_settings(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  sb_settings *settings = target;
  if (sb_require_mapping(r, node, "a set of options")) settings->count = read_axes(r, node, true, &settings->axes);
}

static void read_grid_or_zip(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  sb_block *block = target;
  if (!sb_require_mapping(r, node, strcmp(node->key, "zip") == 0 ? "'zip'" : "'grid'")) return;
  if (block->axes && !SB_REFUSE(r, node, "E101", "a block has 'grid' or 'zip', not both")) return;
  block->zip = strcmp(node->key, "zip") == 0;
  block->count = read_axes(r, node, false, &block->axes);
}

static void read_blocks(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {.name = "grid", .read = read_grid_or_zip},
      {.name = "zip", .read = read_grid_or_zip},
      {SB_KEY("defaults", read_settings, sb_block, defaults)},
  };
  static const sb_sweep_section block = {SB_SECTION("a block of 'sweep'", fields, sb_block),
                                         .place = offsetof(sb_block, location)};
  sb_sweep                     *sweep = target;
  if (node->kind == SB_YAML_LIST && node->count == 0)
    SB_REFUSE(r, node, "E107", "'sweep' has no blocks: there are 0 cases");
  sweep->blocks = sb_read_list(r, node, &block, sweep, &sweep->block_count);
}

/* A value that no block has would cut nothing, or everything, unseen. */
static void check_cut(sb_sweep_reader *r, const sb_yaml_node *node, const sb_axis *cut)
{
  bool  known = false;
  bool *found = sb_arena_take(r->arena, cut->count, sizeof *found);
  for (size_t b = 0; b < r->sweep->block_count; ++b) {
    const sb_axis *axis = sb_find_axis(r->sweep->blocks[b].axes, r->sweep->blocks[b].count, cut->name);
    known = known || axis;
    for (size_t k = 0; axis && k < cut->count; ++k)
      for (size_t v = 0; v < axis->count && !found[k]; ++v)
        found[k] = sb_axis_same_value(cut->values[k], axis->values[v]);
  }
  if (!known)
    sb_error_at(r->diagnostics, node->key_where, "E101", "'quick' takes axes of 'sweep'; '%s' is not one", cut->name);
  for (size_t k = 0; known && k < cut->count; ++k)
    if (!found[k])
      sb_error_at(r->diagnostics, cut->where[k], "E106", "no axis '%s' of 'sweep' has the value '%s'", cut->name,
                  cut->values[k]);
}

/* `all`, `none`, or the values that a quick run keeps of some axes. */
static void read_quick(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  sb_quick *quick = target;
  quick->given = true;

  quick->all = node->kind == SB_YAML_TEXT && strcmp(node->text, "all") == 0;
  quick->none = node->kind == SB_YAML_TEXT && strcmp(node->text, "none") == 0;
  if (quick->all || quick->none) return;
  if (node->kind != SB_YAML_MAPPING) {
    SB_REFUSE(r, node, "E102", "'quick' is all, none, or a mapping of axes to their values in a quick run");
    return;
  }
  quick->axes = sb_arena_take(r->arena, node->count, sizeof *quick->axes);
  for (size_t i = 0; i < node->count; ++i) {
    sb_axis *cut = &quick->axes[quick->count];
    if (!read_axis(r, &node->items[i], false, cut)) continue;
    check_cut(r, &node->items[i], cut);
    quick->count++;
  }
}

/* ---- methods, and words: what tables write for an axis, a method, or AXIS=VALUE ---- */

/* False if it has no name to be found by. */
static bool read_method(sb_sweep_reader *r, const sb_yaml_node *node, sb_settings *method)
{
  const sb_yaml_node name = {.where = node->key_where, .text = (char *)node->key};
  sb_read_name(r, &name, "name", &method->name);
  read_settings(r, node, method);
  return method->name;
}

/* A file of the largest size has 30 000 methods, and as many values of axes that name one: they are found by halves. */
static void read_methods(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  sb_sweep *sweep = target;
  if (!sb_require_mapping(r, node, "'methods'")) return;

  sweep->methods = sb_arena_take(r->arena, node->count, sizeof *sweep->methods);
  sweep->methods_by_name = sb_arena_take(r->arena, node->count, sizeof *sweep->methods_by_name);
  for (size_t i = 0; i < node->count; ++i) {
    sb_settings *method = &sweep->methods[sweep->method_count];
    if (read_method(r, &node->items[i], method)) sweep->methods_by_name[sweep->method_count++] = method;
  }
  qsort(sweep->methods_by_name, sweep->method_count, sizeof *sweep->methods_by_name, compare_methods);
}

static bool add_method(sb_sweep_reader *r, const sb_yaml_node *node)
{
  sb_sweep *sweep = r->sweep;
  if (node->kind != SB_YAML_MAPPING)
    return SB_REFUSE(r, node, "E102", "'%s' is a mapping of options, as in --method 'mine: {linear: jacobi}'",
                     node->key);
  if (sb_sweep_method(sweep, node->key))
    return sb_error_at(r->diagnostics, node->key_where, "E106",
                       "there is a method '%s' already; choose another name, or -p method=%s for that one", node->key,
                       node->key);
  sweep->added = sb_arena_grow(r->arena, sweep->added, sweep->added_count, sizeof *sweep->added);
  sb_settings *method = &sweep->added[sweep->added_count];
  *method = (sb_settings){0};
  sweep->added_count += read_method(r, node, method);
  return method->name;
}

bool sb_sweep_add_methods(sb_sweep *sweep, const char *text, const char *file, const sb_session *session)
{
  const size_t    before = sb_diagnostics_errors(session->diagnostics);
  sb_sweep_reader r = {.sweep = sweep,
                       .session = session,
                       .arena = session->arena,
                       .diagnostics = session->diagnostics,
                       .scratch = sb_options_keep(sb_options_create(session->vocabulary), session->arena)};
  sb_yaml_node    root = {0};
  const bool      read = sb_yaml_read(sb_arena_copy(r.arena, text), strlen(text), file, r.arena, r.diagnostics, &root);
  if (read && (root.kind != SB_YAML_MAPPING || root.count == 0))
    SB_REFUSE(&r, &root, "E102", "--method takes 'NAME: {OPTION: VALUE, …}'; got '%s'", text);
  for (size_t i = 0; read && root.kind == SB_YAML_MAPPING && i < root.count; ++i) add_method(&r, &root.items[i]);
  if (sweep->added_count > 0) /* the order of request.json, so that a plan does not depend on the line that was last */
    qsort(sweep->added, sweep->added_count, sizeof *sweep->added, compare_settings);
  return sb_diagnostics_errors(session->diagnostics) == before;
}

static void read_words(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  sb_sweep *sweep = target;
  if (!sb_require_mapping(r, node, "'words'")) return;
  sweep->wordings = sb_arena_take(r->arena, node->count, sizeof *sweep->wordings);
  for (size_t i = 0; i < node->count; ++i) {
    const sb_yaml_node *item = &node->items[i];
    sb_wording         *wording = &sweep->wordings[sweep->wording_count++];
    *wording = (sb_wording){.name = (char *)item->key, .where = item->key_where};
    sb_read_text(r, item, "text", &wording->words);
    const char *axis = sb_arena_copy_span(r->arena, wording->name, strcspn(wording->name, "="));
    if (strcmp(axis, "method") != 0 && sb_option_find(axis) == sb_option_count &&
        !sb_sweep_method(sweep, wording->name))
      sb_error_at(r->diagnostics, wording->where, "E101", "'%s' under 'words' is not an axis, a method or AXIS=VALUE",
                  wording->name);
  }
}

/* ---- methods of plug-ins: {minimizer: {NAME: FILE}}. FILE is for a message and is not opened ---- */

static void read_family(sb_sweep_reader *r, const sb_yaml_node *node)
{
  const sb_option_id id = sb_option_named(node->key, node->key_where, r->diagnostics);
  if (id == sb_option_count || !sb_require_mapping(r, node, "the plug-ins of an option")) return;
  const sb_list *list = sb_option_list(id, r->session->vocabulary);
  for (size_t i = 0; i < node->count; ++i) {
    const sb_yaml_node *item = &node->items[i];
    char               *file = NULL;
    if (!sb_read_text(r, item, "file", &file)) continue;
    if (!list || !sb_plugin_methods_need(r->sweep->needs, list->family, item->key, file))
      SB_REFUSE(r, item, "E102", "'needs' takes {minimizer: {NAME: FILE}}, or linear, or integrator; got %s: {%s: %s}",
                node->key, item->key, file);
  }
}

/* Before all other sections, which name these methods. Returns the session's vocabulary with those that it lacks. */
static const sb_vocabulary *read_needs(sb_sweep_reader *r, const sb_yaml_node *root)
{
  const sb_yaml_node *node = sb_yaml_find(root, "needs");
  if (!node || !sb_require_mapping(r, node, "'needs'")) return r->session->vocabulary;
  r->sweep->needs = json_object();
  sb_arena_defer(r->arena, sb_json_end, r->sweep->needs);
  for (size_t i = 0; i < node->count; ++i) read_family(r, &node->items[i]);
  return sb_plugin_methods_take(r->session->vocabulary, r->sweep->needs, r->arena);
}

/* ---- the sections at the top ---- */

static void read_driver(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  char *driver = read_value(r, node, SB_ID(driver));
  if (driver) *(char **)target = driver;
}

/* Earlier versions joined two files. */
static void refuse_extends(sb_sweep_reader *r, const sb_yaml_node *node, void *target)
{
  (void)target;
  SB_REFUSE(r, node, "E101",
            "'extends' is no key any more: `springbench new NAME --from SWEEP` copies a sweep, to be edited");
}

static const sb_sweep_field limits[] = {
    {SB_KEY("time", sb_member_quantity, sb_sweep, time_limit_seconds), .parse = sb_parse_duration,
     .wanted = "a duration such as 90s, 1m30s, 1h"},
    {SB_KEY("memory", sb_member_quantity, sb_sweep, memory_limit_bytes), .parse = sb_parse_bytes,
     .wanted = "a size such as 512M, 4G, 4GiB, from 1 to 1e18 bytes"},
};
static const sb_sweep_section limits_section = {SB_SECTION("'limits'", limits, sb_sweep)};

static const sb_sweep_field exclusion[] = {
    {SB_FIELD(expression, sb_exclusion, when), .clause = true, .planned = true, .required = true},
    {SB_FIELD(text, sb_exclusion, because), .required = true},
};
static const sb_sweep_section exclusion_section = {SB_SECTION("an exclusion", exclusion, sb_exclusion)};

/* In this order, whatever order the file has: axes name methods, and expressions the columns of the driver. */
static const sb_sweep_field fields[] = {
    {.name = "springbench", .required = true}, /* by check_format, before all others */
    {SB_FIELD(name, sb_sweep, name), .required = true},
    {.name = "extends", .read = refuse_extends},
    {SB_FIELD(text, sb_sweep, topic)},
    {SB_FIELD(flag, sb_sweep, core)},
    {SB_FIELD(flag, sb_sweep, tour)},
    {SB_FIELD(flag, sb_sweep, lead)},
    {SB_FIELD(text, sb_sweep, question)},
    {SB_FIELD(text, sb_sweep, source)},
    {SB_KEY("driver", read_driver, sb_sweep, driver)},
    {SB_FIELD(flag, sb_sweep, timed)},
    {SB_FIELD(count, sb_sweep, repetitions), .most = REPETITIONS_MAX},
    {.name = "limits", .read = sb_member_section, .section = &limits_section},
    {SB_KEY("defaults", read_settings, sb_sweep, defaults)},
    {.name = "methods", .read = read_methods, .place = offsetof(sb_sweep, methods_where)},
    {.name = "words", .read = read_words},
    {.name = "sweep", .read = read_blocks},
    {SB_KEY("quick", read_quick, sb_sweep, quick), .place = offsetof(sb_sweep, quick.where)},
    {SB_LIST("exclude", sb_sweep, exclusions, exclusion_count, exclusion_section)},
    {SB_FIELD(flag, sb_sweep, skip_refused)},
    {.name = "needs"}, /* by read_needs, before all others */
    {SB_LIST("tables", sb_sweep, tables, table_count, sb_section_table)},
    {SB_LIST("figures", sb_sweep, figures, figure_count, sb_section_figure)},
    {SB_LIST("animations", sb_sweep, animations, animation_count, sb_section_animation)},
    {SB_LIST("expect", sb_sweep, claims, claim_count, sb_section_claim)},
    {.name = "answer", .read = sb_read_answer}, /* after the claims, on which it rests */
};
static const sb_sweep_section whole_section = {SB_SECTION("a sweep file", fields, sb_sweep)};

/* A file of another format is not read further. A missing format is reported with all other mistakes. */
static bool check_format(sb_sweep_reader *r, const sb_yaml_node *root)
{
  const sb_yaml_node *node = sb_yaml_find(root, "springbench");
  const char         *scalar = node ? sb_require_scalar(r, node, "springbench") : NULL;
  int64_t             format = 0;
  if (!scalar) return !node;
  return (sb_parse_integer(scalar, &format) && format == FORMAT_READ) ||
         SB_REFUSE(r, node, "E113", "a sweep file of format '%s'; this springbench reads format %d", scalar,
                   (int)FORMAT_READ);
}

sb_sweep *sb_sweep_parse(const char *text, size_t length, const char *name, const sb_session *session)
{
  sb_diagnostics *d = session->diagnostics;
  const size_t    before = sb_diagnostics_errors(d);
  sb_sweep       *sweep = sb_arena_take(session->arena, 1, sizeof *sweep);
  sb_yaml_node    root = {0};
  sb_session      own = *session;
  *sweep = (sb_sweep){.arena = session->arena, .vocabulary = session->vocabulary, .timed = true, .repetitions = 1};
  sweep->path = sb_arena_copy(session->arena, name);
  sweep->driver = sb_arena_copy(session->arena, sb_option_at(SB_ID(driver))->preset);
  sweep->text = sb_arena_copy_span(session->arena, text, length);
  sb_sweep_reader r = {.sweep = sweep,
                       .session = &own,
                       .arena = session->arena,
                       .diagnostics = session->diagnostics};
  if (sb_yaml_read(sweep->text, length, sweep->path, session->arena, d, &root) &&
      sb_require_mapping(&r, &root, whole_section.name) && check_format(&r, &root)) {
    sweep->vocabulary = own.vocabulary = read_needs(&r, &root);
    r.scratch = sb_options_keep(sb_options_create(own.vocabulary), session->arena);
    sb_read_fields(&r, &root, &whole_section, sweep);
  }
  return sb_diagnostics_errors(d) == before ? sweep : NULL;
}
