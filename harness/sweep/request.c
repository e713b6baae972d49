/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See request.h. Members of request.json: "set" and "more", {KEY: [value, …]}, and "methods", {NAME: {OPTION: value}};
 * sealed as plan.json is. */
#include "harness/sweep/request.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "cases/common/digest.h"
#include "cases/common/durable.h"
#include "cases/common/json_text.h"
#include "cases/common/text.h"
#include "cases/describe/case_options.h"
#include "cases/describe/names.h"
#include "harness/sweep/plan_expand.h"

enum { NAME_MAX_BYTES = 60, DIGEST_SHOWN = 16 };

#define COMMAND_LINE "command line"

/* ---- -p ---- */

bool sb_override_read(const char *pair, const sb_sweep *sweep, sb_location where, const sb_session *session,
                      sb_settings *settings)
{
  sb_diagnostics *d = session->diagnostics;
  const char     *equals = strchr(pair, '=');
  if (!equals || equals == pair)
    return sb_error_at(d, where, "E101", "expected KEY=VALUE[,VALUE…] or KEY+=VALUE[,VALUE…]; got '%s'", pair);
  char              *name = sb_arena_copy_span(session->arena, pair, (size_t)(equals - pair));
  const bool         method = strcmp(name, "method") == 0;
  const sb_option_id id = method ? sb_option_count : sb_option_named(name, where, d);
  if (id == SB_ID(driver)) return sb_error_at(d, where, "E101", "the driver of a sweep cannot be overridden");
  if (id == sb_option_count && !method) return false;
  if (sb_find_axis(settings->axes, settings->count, name))
    return sb_error_at(d, where, "E101", "'%s' is overridden twice", name);
  sb_axis *axis = SB_NEW_ITEM(session->arena, settings->axes, settings->count);
  *axis = (sb_axis){.name = name, .id = id};
  const sb_option_kind                        kind = method ? SB_KIND_NAME : sb_option_at(id)->kind;
  SB_ENDED_BY(sb_options_destroy) sb_options *scratch = sb_options_create(session->vocabulary);
  bool                                        good = true;
  for (const char *values = equals; values;) {
    size_t length = 0;
    ++values;
    /* Values end at a comma outside brackets. A text or a composite value has commas of its own and is one value. */
    for (int depth = 0; values[length]; ++length) {
      depth += (values[length] == '[') - (values[length] == ']');
      if (values[length] == ',' && depth <= 0 && kind != SB_KIND_TEXT && kind != SB_KIND_COMPOSITE) break;
    }
    char      *value = sb_arena_copy_span(session->arena, values, length);
    const bool read = method ? sb_sweep_has_method(sweep, value, where, "", d)
                             : sb_options_set(scratch, id, value, SB_FROM_USER, where, d);
    if (read && !method) value = sb_arena_copy(session->arena, sb_options_text(scratch, id));
    good = read && good;
    axis->values = sb_arena_grow(session->arena, axis->values, axis->count, sizeof *axis->values);
    axis->where = sb_arena_grow(session->arena, axis->where, axis->count, sizeof *axis->where);
    axis->where[axis->count] = where;
    axis->values[axis->count++] = value;
    values = values[length] ? values + length : NULL;
  }
  return good;
}

static int compare_axes(const void *a, const void *b)
{
  return strcmp(((const sb_axis *)a)->name, ((const sb_axis *)b)->name);
}

/* Numbers before words, each in its order. */
static int compare_values(const void *a, const void *b)
{
  const char *x = *(const char *const *)a, *y = *(const char *const *)b;
  double      p = 0, q = 0;
  const bool  first = sb_parse_real(x, &p), second = sb_parse_real(y, &q);
  if (first != second) return second - first;
  return first && (p < q || p > q) ? (p > q) - (p < q) : strcmp(x, y);
}

/* Puts further values among those of the axis, in an order that does not depend on who came first. */
static void add_values(sb_settings *more, const sb_axis *given, sb_arena *arena)
{
  sb_axis *axis = (sb_axis *)sb_find_axis(more->axes, more->count, given->name);
  if (!axis) {
    axis = SB_NEW_ITEM(arena, more->axes, more->count);
    *axis = (sb_axis){.name = given->name, .id = given->id};
  }
  for (size_t i = 0; i < given->count; ++i) sb_axis_add_value(axis, given->values[i], given->where[i], arena);
  qsort(axis->values, axis->count, sizeof *axis->values, compare_values);
  qsort(more->axes, more->count, sizeof *more->axes, compare_axes);
}

/* Takes the axis; one of request.json gives way. */
static bool set_axis(sb_sweep *sweep, const sb_axis *given, const sb_session *session)
{
  sb_settings *set = &sweep->set;
  sb_axis     *axis = (sb_axis *)sb_find_axis(set->axes, set->count, given->name);
  if (axis && strcmp(axis->where->file, COMMAND_LINE) == 0)
    return sb_error_at(session->diagnostics, *given->where, "E101", "'%s' is overridden twice", given->name);
  if (!axis) axis = SB_NEW_ITEM(session->arena, set->axes, set->count);
  *axis = *given;
  qsort(set->axes, set->count, sizeof *set->axes, compare_axes);
  return true;
}

static bool take(sb_sweep *sweep, const char *pair, sb_location where, const sb_session *session)
{
  const char *equals = strchr(pair, '=');
  const bool  adds = equals && equals > pair && equals[-1] == '+';
  sb_settings one = {0};
  if (adds) pair = sb_arena_format(session->arena, "%.*s%s", (int)(equals - 1 - pair), pair, equals);
  if (!sb_override_read(pair, sweep, where, session, &one)) return false;
  if (!adds) return set_axis(sweep, one.axes, session);
  add_values(&sweep->more, one.axes, session->arena);
  return true;
}

bool sb_request_take(sb_sweep *sweep, const char *pair, const sb_session *session)
{
  return take(sweep, pair, (sb_location){COMMAND_LINE, 0, 0}, session);
}

/* ---- its forms ---- */

static json_t *json_of_axes(const sb_settings *settings)
{
  json_t *all = json_object();
  for (size_t i = 0; i < settings->count; ++i) {
    json_t *values = json_array();
    for (size_t k = 0; k < settings->axes[i].count; ++k)
      json_array_append_new(values, json_string(settings->axes[i].values[k]));
    json_object_set_new(all, settings->axes[i].name, values);
  }
  return all;
}

/* {"methods", "more", "set"}, without the empty ones; a new object. */
static json_t *json_of(const sb_sweep *sweep)
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *scratch = sb_arena_create();
  json_t                                 *request = json_object();
  json_t                                 *set = json_of_axes(&sweep->set), *more = json_of_axes(&sweep->more);
  json_t *methods = json_incref(sb_sweep_methods_json(sweep->added, sweep->added_count, scratch));
  json_object_set_new(request, "methods", methods);
  json_object_set_new(request, "more", more);
  json_object_set_new(request, "set", set);
  if (json_object_size(methods) == 0) json_object_del(request, "methods");
  if (json_object_size(more) == 0) json_object_del(request, "more");
  if (json_object_size(set) == 0) json_object_del(request, "set");
  return request;
}

bool sb_request_replaces_nothing(const sb_sweep *sweep) { return sweep->set.count == 0; }

char *sb_request_text(const sb_sweep *sweep)
{
  json_auto_t *request = json_of(sweep);
  if (json_object_size(request) == 0) return NULL;
  json_object_set_new(request, "springbench", json_integer(SB_FORMAT_VERSION));
  return sb_json_seal(json_dumps(request, JSON_SORT_KEYS | JSON_INDENT(1)));
}

static void put_values(const sb_axis *axis, const char *separator, FILE *stream)
{
  for (size_t k = 0; k < axis->count; ++k) fprintf(stream, "%s%s", k > 0 ? separator : "", axis->values[k]);
}

const char *sb_request_directory(const sb_sweep *sweep, sb_arena *arena)
{
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
  char              hex[SB_DIGEST_LENGTH + 1];
  sb_arena_writer   writer;
  FILE             *stream = sb_arena_write(&writer, arena);
  for (size_t i = 0; i < sweep->set.count; ++i) {
    fprintf(stream, ".%s-", sweep->set.axes[i].name);
    put_values(&sweep->set.axes[i], "+", stream);
  }
  const char *name = sb_arena_text(&writer);
  if (strspn(name, plain) == strlen(name) && strlen(sweep->name) + strlen(name) < NAME_MAX_BYTES)
    return sb_arena_format(arena, "%s%s", sweep->name, name);
  sb_digest_of_text(name, hex);
  return sb_arena_format(arena, "%s.%.*s", sweep->name, (int)DIGEST_SHOWN, hex);
}

static void put_axes(const sb_settings *settings, const char *sign, FILE *stream, sb_arena *arena)
{
  for (size_t i = 0; i < settings->count; ++i) {
    sb_arena_writer writer;
    FILE           *word = sb_arena_write(&writer, arena);
    fprintf(word, "%s%s", settings->axes[i].name, sign);
    put_values(&settings->axes[i], ",", word);
    fputs(" -p ", stream);
    sb_text_put_word(stream, sb_arena_text(&writer));
  }
}

const char *sb_request_options(const sb_sweep *sweep, sb_arena *arena)
{
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, arena);
  json_t         *methods = sb_sweep_methods_json(sweep->added, sweep->added_count, arena), *set;
  const char     *name;
  put_axes(&sweep->set, "=", stream, arena);
  put_axes(&sweep->more, "+=", stream, arena);
  json_object_foreach(methods, name, set)
  {
    SB_OWNED char *options = json_dumps(set, JSON_SORT_KEYS);
    fputs(" --method ", stream);
    sb_text_put_word(stream, sb_arena_format(arena, "%s: %s", name, options));
  }
  return sb_arena_text(&writer);
}

/* ---- that of a directory ---- */

/* The object of request.json, in the arena; an empty one where there is none. NULL after E110, or E100. */
static json_t *load(const char *directory, sb_location *where, const sb_session *session)
{
  size_t         length = 0;
  json_error_t   error;
  const char    *path = sb_arena_format(session->arena, "%s/request.json", directory);
  SB_OWNED char *text = sb_read_file(path, &length);
  *where = (sb_location){path, 0, 0};
  if (!text && errno != ENOENT && errno != ENOTDIR)
    return sb_error_at(session->diagnostics, *where, "E100", "cannot read: %s", sb_cause(errno)), NULL;
  json_t *request = text ? json_loadb(text, length, JSON_REJECT_DUPLICATES, &error) : json_object();
  if (json_is_object(request) && (!text || (json_object_get(request, "check") && sb_json_is_intact(text, length)))) {
    sb_arena_defer(session->arena, sb_json_end, request);
    return request;
  }
  json_decref(request);
  sb_error_at(session->diagnostics, *where, "E110",
              "damaged: what the results were asked for is unknown; restore it from a copy, or take the results over "
              "with `springbench collect SWEEP -p … -o NEW %s/cases`",
              directory);
  return NULL;
}

/* True if the axis that a directory adds to is still there; else a line says so. */
static bool has_axis(const sb_sweep *sweep, const char *name, const char *directory)
{
  const bool found = sb_find_axis(sweep->set.axes, sweep->set.count, name) || sb_sweep_axis(sweep, name);
  if (!found)
    fprintf(stderr,
            "springbench: %s: the sweep file has no axis '%s' any more: what was added to it is left out (its files "
            "stay)\n",
            directory, name);
  return found;
}

/* `directory` NULL: the axes need not be in the file. */
static bool take_axes(sb_sweep *sweep, const json_t *axes, const char *sign, sb_location where, const char *directory,
                      const sb_session *session)
{
  const char *key;
  json_t     *values;
  bool        good = true;
  json_object_foreach((json_t *)axes, key, values)
  {
    const char *all = "";
    size_t      i;
    json_t     *value;
    if (directory && !has_axis(sweep, key, directory)) continue;
    json_array_foreach(values, i, value) all =
        sb_arena_join(session->arena, all, ",", "%s", json_is_string(value) ? json_string_value(value) : "");
    good = take(sweep, sb_arena_format(session->arena, "%s%s%s", key, sign, all), where, session) && good;
  }
  return good;
}

/* The methods that a request adds; NULL where the sweep no longer has an axis that could take them. */
static json_t *methods_of(const json_t *request, const sb_sweep *sweep, const char *directory)
{
  json_t    *methods = json_object_get(request, "methods");
  const bool set = json_object_get(json_object_get(request, "set"), "method");
  return !methods || set || has_axis(sweep, "method", directory) ? methods : NULL;
}

/* Adds the methods of a stored request that the sweep does not have. One that the file has by now is the file's. E106
 * if the line adds another one of that name. */
static bool add_methods(sb_sweep *sweep, const json_t *request, const char *directory, sb_location where,
                        const sb_session *session)
{
  bool        good = true;
  const char *name;
  json_t     *options;
  json_t     *methods = methods_of(request, sweep, directory);
  json_object_foreach(methods, name, options)
  {
    const sb_settings *known = sb_sweep_method(sweep, name);
    SB_OWNED char     *text = json_dumps(options, JSON_SORT_KEYS);
    if (!known)
      good = sb_sweep_add_methods(sweep, sb_arena_format(session->arena, "%s: %s", name, text), where.file, session) &&
             good;
    else if (json_equal(json_object_get(sb_sweep_methods_json(known, 1, session->arena), name), options))
      continue;
    else if (sb_sweep_adds_method(sweep, name))
      good = sb_error_at(
          session->diagnostics, (sb_location){directory, 0, 0}, "E106",
          "it has results of a method '%s' with other options; choose another name, or another directory", name);
    else
      fprintf(stderr,
              "springbench: %s: the sweep file has a method '%s' of its own now: the one that --method added is left "
              "out (its files stay)\n",
              directory, name);
  }
  return good;
}

bool sb_request_read(sb_sweep *sweep, const char *directory, const sb_session *session)
{
  sb_location where;
  json_t     *request = load(directory, &where, session);
  return request && add_methods(sweep, request, directory, where, session) &&
         take_axes(sweep, json_object_get(request, "set"), "=", where, NULL, session) &&
         take_axes(sweep, json_object_get(request, "more"), "+=", where, directory, session);
}

/* "stiffness=8 there, stiffness=50 here; h=0.1 there, as in the file here". */
static const char *difference(const json_t *theirs, const json_t *ours, sb_arena *arena)
{
  const char         *told = "";
  const json_t *const all[] = {theirs, ours};
  for (int side = 0; side < 2; ++side) {
    const char *key;
    json_t     *values;
    json_object_foreach((json_t *)all[side], key, values)
    {
      const char   *said[2];
      const json_t *its[] = {json_object_get(theirs, key), json_object_get(ours, key)};
      if (json_equal(its[0], its[1]) || (side == 1 && its[0])) continue;
      for (int i = 0; i < 2; ++i) {
        const char *list = "";
        for (size_t k = 0; k < json_array_size(its[i]); ++k)
          list = sb_arena_join(arena, list, ",", "%s", json_string_value(json_array_get(its[i], k)));
        said[i] = its[i] ? sb_arena_format(arena, "%s=%s", key, list) : sb_arena_format(arena, "%s of the file", key);
      }
      told = sb_arena_join(arena, told, "; ", "%s there, %s here", said[0], said[1]);
    }
  }
  return told;
}

bool sb_request_join(sb_sweep *sweep, const char *directory, const char *advice, const sb_session *session)
{
  sb_location   where;
  json_auto_t  *ours = json_of(sweep);
  const json_t *theirs = load(directory, &where, session);
  const char   *plan = sb_arena_format(session->arena, "%s/plan.json", directory);
  if (!theirs || (json_object_size(theirs) == 0 && access(plan, F_OK) != 0)) return theirs;
  const json_t *there = json_object_get(theirs, "set"), *here = json_object_get(ours, "set");
  if ((there || here) && !json_equal(there, here))
    return sb_error_at(session->diagnostics, (sb_location){directory, 0, 0}, "E114",
                       "its results are of another request (%s); %s", difference(there, here, session->arena), advice);
  return add_methods(sweep, theirs, directory, where, session) &&
         take_axes(sweep, json_object_get(theirs, "more"), "+=", where, directory, session);
}
