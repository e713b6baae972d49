/* Sweep files: the bytes, and the sections that say what is run. See sweep.h, and docs/results.md for the schema. */
#include "harness/sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"
#include "harness/common/durable.h"
#include "harness/common/text.h"
#include "harness/sweep/sweep_reader.h"

enum { FORMAT_READ = 1, REPETITIONS_MAX = 1000, SHOWN_MAX = 8 };

/* ---- options ---- */

/* The option of a key; SB_OPT_COUNT after a message. */
static sb_option_id read_option_name(sb_sweep_reader *r, const yaml_node_t *key)
{
  const char        *name = sb_yaml_scalar(key), *near = NULL;
  const sb_option_id id = sb_option_find(name);
  if (id == SB_OPT_driver) {
    SB_REFUSE(r, key, "E101", "'driver' is a key of the whole sweep, not of a case");
    return SB_OPT_COUNT;
  }
  if (id != SB_OPT_COUNT) return id;
  if (!sb_diagnostics_full(r->diagnostics)) near = sb_option_nearest(name);
  SB_REFUSE(r, key, "E101", near ? "unknown option '%s'; did you mean '%s'?" : "unknown option '%s'", name, near);
  return SB_OPT_COUNT;
}

/* [0, 0, -9.8] as "[0,0,-9.8]"; a list of composite values as the items of one, separated by ';'. */
static char *list_text(sb_sweep_reader *r, const yaml_node_t *node, const sb_option *option)
{
  const bool      composite = option->kind == SB_KIND_COMPOSITE;
  bool            good = true;
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, r->arena);
  if (!composite) fputc('[', stream);
  for (size_t i = 0; good && i < sb_yaml_count(node); ++i) {
    const yaml_node_t *place = sb_yaml_item(&r->yaml, node, i);
    const char        *item = sb_require_scalar(r, place, option->name);
    good = item != NULL;
    if (good && strchr(item, composite ? ';' : ',')) /* it would be two */
      good = SB_REFUSE(r, place, "E102", "an item of '%s' holds a separator; got '%s'", option->name, item);
    if (good) fprintf(stream, "%s%s", i == 0 ? "" : composite ? ";" : ",", item);
  }
  if (!composite) fputc(']', stream);
  char *text = sb_arena_text(&writer);
  return good ? text : NULL;
}

/* The text of a value, a list as "[a,b,c]", checked against the option; NULL after a message. A plain scalar without
 * text is what `key:` leaves. */
static char *read_option_value(sb_sweep_reader *r, const yaml_node_t *node, sb_option_id id)
{
  const bool scalar = node->type == YAML_SCALAR_NODE;
  char      *text = NULL;
  if (node->type == YAML_SEQUENCE_NODE)
    text = list_text(r, node, sb_option_at(id));
  else if (scalar && (*sb_yaml_scalar(node) || node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE))
    text = sb_arena_copy(r->arena, sb_yaml_scalar(node));
  else
    sb_require_scalar(r, node, sb_option_at(id)->name);
  const sb_location where = sb_yaml_location(&r->yaml, node);
  return text && sb_options_set(r->scratch, id, text, SB_FROM_USER, where, r->diagnostics) ? text : NULL;
}

static void read_settings(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_settings *settings = target;
  if (!sb_require_mapping(r, node, "a set of options")) return;
  const size_t count = sb_yaml_count(node);
  settings->ids = sb_arena_take(r->arena, count, sizeof *settings->ids);
  settings->values = sb_arena_take(r->arena, count, sizeof *settings->values);
  settings->where = sb_arena_take(r->arena, count, sizeof *settings->where);
  for (size_t i = 0; i < count; ++i) {
    const yaml_node_t *value = sb_yaml_value(&r->yaml, node, i);
    const sb_option_id id = read_option_name(r, sb_yaml_key(&r->yaml, node, i));
    char              *text = id == SB_OPT_COUNT ? NULL : read_option_value(r, value, id);
    if (!text) continue;
    settings->ids[settings->count] = id;
    settings->where[settings->count] = sb_yaml_location(&r->yaml, value);
    settings->values[settings->count++] = text;
  }
}

/* ---- methods: a file of the largest size has 30 000 of them, and as many values of axes that name one ---- */

static int compare_methods(const void *a, const void *b)
{
  return strcmp((*(const sb_settings *const *)a)->name, (*(const sb_settings *const *)b)->name);
}

static void read_methods(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_sweep *sweep = target;
  if (!sb_require_mapping(r, node, "'methods'")) return;
  sweep->methods_where = sb_yaml_location(&r->yaml, node);
  sweep->methods = sb_arena_take(r->arena, sb_yaml_count(node), sizeof *sweep->methods);
  sweep->methods_by_name = sb_arena_take(r->arena, sb_yaml_count(node), sizeof *sweep->methods_by_name);
  for (size_t i = 0; i < sb_yaml_count(node); ++i) {
    sb_settings *method = &sweep->methods[sweep->method_count++];
    sb_read_name(r, sb_yaml_key(&r->yaml, node, i), &method->name);
    read_settings(r, sb_yaml_value(&r->yaml, node, i), method);
    if (method->name) sweep->methods_by_name[sweep->named_methods++] = method;
  }
  qsort(sweep->methods_by_name, sweep->named_methods, sizeof *sweep->methods_by_name, compare_methods);
}

const sb_settings *sb_sweep_method(const sb_sweep *sweep, const char *name)
{
  sb_settings         wanted = {.name = (char *)name}; /* only compared */
  const sb_settings  *key = &wanted;
  sb_settings *const *found = NULL;
  if (sweep->named_methods > 0)
    found = bsearch(&key, sweep->methods_by_name, sweep->named_methods, sizeof *found, compare_methods);
  return found ? *found : NULL;
}

const char *sb_sweep_method_nearest(const sb_sweep *sweep, const char *name)
{
  const char **names = sb_allocate(sweep->named_methods, sizeof *names);
  for (size_t i = 0; i < sweep->named_methods; ++i) names[i] = sweep->methods_by_name[i]->name;
  const char *near = sb_nearest_name(name, names, sweep->named_methods);
  free(names);
  return near;
}

/* ---- axes and blocks ---- */

static char *method_value(sb_sweep_reader *r, const yaml_node_t *node)
{
  const char *name = sb_require_scalar(r, node, "method"), *near = NULL;
  if (!name || sb_sweep_method(r->sweep, name)) return sb_arena_copy(r->arena, name);
  if (!sb_diagnostics_full(r->diagnostics)) near = sb_sweep_method_nearest(r->sweep, name);
  SB_REFUSE(r, node, "E106",
            near ? "unknown method '%s'; did you mean '%s'?" : "unknown method '%s'; see the section 'methods'", name,
            near);
  return NULL;
}

/* An axis behind the `count` that are there. False: its name is none. */
static bool read_axis(sb_sweep_reader *r, const yaml_node_t *key, const yaml_node_t *values, sb_axis *axis)
{
  const bool         method = strcmp(sb_yaml_scalar(key), "method") == 0;
  const sb_option_id id = method ? SB_OPT_COUNT : read_option_name(r, key);
  if (id == SB_OPT_COUNT && !method) return false;
  const bool   list = values->type == YAML_SEQUENCE_NODE;
  const size_t count = list ? sb_yaml_count(values) : 1;
  *axis = (sb_axis){.name = sb_arena_copy(r->arena, sb_yaml_scalar(key)), .id = id};
  axis->values = sb_arena_take(r->arena, count, sizeof *axis->values);
  axis->where = sb_arena_take(r->arena, count, sizeof *axis->where);
  if (count == 0) SB_REFUSE(r, values, "E107", "the axis '%s' has no values: there are 0 cases", axis->name);
  for (size_t i = 0; i < count; ++i) {
    const yaml_node_t *node = list ? sb_yaml_item(&r->yaml, values, i) : values;
    char              *text = method ? method_value(r, node) : read_option_value(r, node, id);
    if (!text) continue;
    axis->where[axis->count] = sb_yaml_location(&r->yaml, node);
    axis->values[axis->count++] = text;
  }
  return true;
}

static void read_axes(sb_sweep_reader *r, const yaml_node_t *node, sb_block *block, bool zip)
{
  if (!sb_require_mapping(r, node, zip ? "'zip'" : "'grid'")) return;
  if (block->axes) {
    SB_REFUSE(r, node, "E101", "a block has 'grid' or 'zip', not both");
    return;
  }
  block->zip = zip;
  block->axes = sb_arena_take(r->arena, sb_yaml_count(node), sizeof *block->axes);
  for (size_t i = 0; i < sb_yaml_count(node); ++i)
    block->count +=
        read_axis(r, sb_yaml_key(&r->yaml, node, i), sb_yaml_value(&r->yaml, node, i), &block->axes[block->count]);
}

static void read_grid(sb_sweep_reader *r, const yaml_node_t *node, void *target) { read_axes(r, node, target, false); }

static void read_zip(sb_sweep_reader *r, const yaml_node_t *node, void *target) { read_axes(r, node, target, true); }

static void read_blocks(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {"grid", SB_FIELD_OTHER, false, 0, read_grid},
      {"zip", SB_FIELD_OTHER, false, 0, read_zip},
      {"defaults", SB_FIELD_OTHER, false, offsetof(sb_block, defaults), read_settings},
  };
  sb_sweep *sweep = target;
  if (!sb_require_list(r, node, "'sweep'")) return;
  const size_t count = sb_yaml_count(node);
  if (count == 0) SB_REFUSE(r, node, "E107", "'sweep' has no blocks: there are 0 cases");
  sweep->blocks = sb_arena_take(r->arena, count, sizeof *sweep->blocks);
  for (size_t i = 0; i < count; ++i) {
    const yaml_node_t *item = sb_yaml_item(&r->yaml, node, i);
    sb_block          *block = &sweep->blocks[sweep->block_count++];
    block->location = sb_yaml_location(&r->yaml, item);
    sb_read_fields(r, item, "a block of 'sweep'", fields, sizeof fields / sizeof *fields, block);
  }
}

bool sb_axis_same_value(const char *a, const char *b)
{
  double x = 0, y = 0;
  if (strcmp(a, b) == 0) return true;
  return sb_read_real(a, &x) == SB_NUMBER_READ && sb_read_real(b, &y) == SB_NUMBER_READ && !(x < y || x > y);
}

/* A value that no block has would cut nothing, or everything, unseen. */
static void check_cut(sb_sweep_reader *r, const yaml_node_t *key, const sb_axis *cut)
{
  bool axis = false;
  for (size_t k = 0; k < cut->count || k == 0; ++k) {
    bool found = false;
    for (size_t b = 0; b < r->sweep->block_count; ++b)
      for (size_t i = 0; i < r->sweep->blocks[b].count; ++i) {
        const sb_axis *other = &r->sweep->blocks[b].axes[i];
        if (strcmp(other->name, cut->name) != 0) continue;
        axis = true;
        for (size_t v = 0; v < other->count && k < cut->count && !found; ++v)
          found = sb_axis_same_value(cut->values[k], other->values[v]);
      }
    if (axis && !found && k < cut->count)
      sb_error_at(r->diagnostics, cut->where[k], "E106", "no axis '%s' of 'sweep' has the value '%s'", cut->name,
                  cut->values[k]);
  }
  if (!axis) SB_REFUSE(r, key, "E101", "'quick' names an axis of 'sweep'; '%s' is none", cut->name);
}

/* `all`, or the values that a quick run keeps of some axes. */
static void read_quick(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_quick *quick = target;
  quick->given = true;
  quick->where = sb_yaml_location(&r->yaml, node);
  if (node->type == YAML_SCALAR_NODE && strcmp(sb_yaml_scalar(node), "all") == 0) {
    quick->all = true;
    return;
  }
  if (node->type != YAML_MAPPING_NODE) {
    SB_REFUSE(r, node, "E102", "'quick' is all, or a mapping of axes to the values that a quick run keeps of them");
    return;
  }
  quick->axes = sb_arena_take(r->arena, sb_yaml_count(node), sizeof *quick->axes);
  for (size_t i = 0; i < sb_yaml_count(node); ++i) {
    const yaml_node_t *key = sb_yaml_key(&r->yaml, node, i);
    sb_axis           *cut = &quick->axes[quick->count];
    if (!read_axis(r, key, sb_yaml_value(&r->yaml, node, i), cut)) continue;
    check_cut(r, key, cut);
    quick->count++;
  }
}

static void read_exclusions(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {"when", SB_FIELD_CONDITION, true, offsetof(sb_exclusion, when), NULL},
      {"because", SB_FIELD_TEXT, true, offsetof(sb_exclusion, because), NULL},
  };
  sb_sweep *sweep = target;
  if (!sb_require_list(r, node, "'exclude'")) return;
  sweep->exclusions = sb_arena_take(r->arena, sb_yaml_count(node), sizeof *sweep->exclusions);
  for (size_t i = 0; i < sb_yaml_count(node); ++i)
    sb_read_fields(r, sb_yaml_item(&r->yaml, node, i), "an exclusion", fields, sizeof fields / sizeof *fields,
                   &sweep->exclusions[sweep->exclusion_count++]);
}

/* ---- words: what tables write for an axis, a method, or AXIS=VALUE ---- */

static void read_words(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_sweep *sweep = target;
  if (!sb_require_mapping(r, node, "'words'")) return;
  sweep->wordings = sb_arena_take(r->arena, sb_yaml_count(node), sizeof *sweep->wordings);
  for (size_t i = 0; i < sb_yaml_count(node); ++i) {
    const yaml_node_t *key = sb_yaml_key(&r->yaml, node, i);
    sb_wording        *wording = &sweep->wordings[sweep->wording_count++];
    wording->name = sb_arena_copy(r->arena, sb_yaml_scalar(key));
    wording->where = sb_yaml_location(&r->yaml, key);
    sb_read_text(r, sb_yaml_value(&r->yaml, node, i), &wording->words);
    const char *axis = sb_arena_copy_span(r->arena, wording->name, strcspn(wording->name, "="));
    if (strcmp(axis, "method") != 0 && sb_option_find(axis) == SB_OPT_COUNT && !sb_sweep_method(sweep, wording->name))
      SB_REFUSE(r, key, "E101", "'%s' under 'words' is no axis, no method and no AXIS=VALUE", wording->name);
  }
}

/* ---- the sections at the top ---- */

static void read_driver(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  *(char **)target = read_option_value(r, node, SB_OPT_driver);
}

static void read_repetitions(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  int64_t count = 0;
  if (sb_read_count(r, node, "repetitions", REPETITIONS_MAX, &count)) *(int *)target = (int)count;
}

static void read_time_limit(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  const char *scalar = sb_require_scalar(r, node, "time");
  if (scalar && !sb_parse_duration(scalar, target))
    SB_REFUSE(r, node, "E102", "'time' is a duration such as 90s, 2m, 1h; got '%s'", scalar);
}

static void read_memory_limit(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  const char *scalar = sb_require_scalar(r, node, "memory");
  if (scalar && !sb_parse_bytes(scalar, target))
    SB_REFUSE(r, node, "E102", "'memory' is a size such as 512M, 4G; got '%s'", scalar);
}

static void read_limits(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {"time", SB_FIELD_OTHER, false, offsetof(sb_sweep, time_limit_seconds), read_time_limit},
      {"memory", SB_FIELD_OTHER, false, offsetof(sb_sweep, memory_limit_bytes), read_memory_limit},
  };
  sb_read_fields(r, node, "'limits'", fields, sizeof fields / sizeof *fields, target);
}

/* A file of another format is not looked at further. */
static void read_format(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  (void)r, (void)node, (void)target; /* by check_format, before all others */
}

static bool check_format(sb_sweep_reader *r, const yaml_node_t *root)
{
  const yaml_node_t *node = sb_yaml_find(&r->yaml, root, "springbench");
  if (!node) return true; /* reported as missing with all the rest */
  const char *scalar = sb_require_scalar(r, node, "springbench");
  int64_t     format = 0;
  if (!scalar) return false;
  return (sb_parse_integer(scalar, &format) && format == FORMAT_READ) ||
         SB_REFUSE(r, node, "E113", "a sweep file of format '%s'; this springbench reads format %d", scalar,
                   (int)FORMAT_READ);
}

/* In this order, whatever the file's: axes name methods, and expressions the columns of the driver. */
static const sb_sweep_field sections[] = {
    {"springbench", SB_FIELD_OTHER, true, 0, read_format},
    {"name", SB_FIELD_NAME, true, offsetof(sb_sweep, name), NULL},
    {"topic", SB_FIELD_TEXT, false, offsetof(sb_sweep, topic), NULL},
    {"question", SB_FIELD_TEXT, false, offsetof(sb_sweep, question), NULL},
    {"source", SB_FIELD_TEXT, false, offsetof(sb_sweep, source), NULL},
    {"driver", SB_FIELD_OTHER, false, offsetof(sb_sweep, driver), read_driver},
    {"timed", SB_FIELD_FLAG, false, offsetof(sb_sweep, timed), NULL},
    {"repetitions", SB_FIELD_OTHER, false, offsetof(sb_sweep, repetitions), read_repetitions},
    {"limits", SB_FIELD_OTHER, false, 0, read_limits},
    {"defaults", SB_FIELD_OTHER, false, offsetof(sb_sweep, defaults), read_settings},
    {"methods", SB_FIELD_OTHER, false, 0, read_methods},
    {"words", SB_FIELD_OTHER, false, 0, read_words},
    {"sweep", SB_FIELD_OTHER, false, 0, read_blocks},
    {"quick", SB_FIELD_OTHER, false, offsetof(sb_sweep, quick), read_quick},
    {"exclude", SB_FIELD_OTHER, false, 0, read_exclusions},
    {"tables", SB_FIELD_OTHER, false, 0, sb_read_tables},
    {"figures", SB_FIELD_OTHER, false, 0, sb_read_figures},
    {"animations", SB_FIELD_OTHER, false, 0, sb_read_animations},
    {"expect", SB_FIELD_OTHER, false, 0, sb_read_claims},
};

static void read_document(sb_sweep_reader *r)
{
  const yaml_node_t *root = sb_yaml_root(&r->yaml);
  if (!sb_require_mapping(r, root, "a sweep file") || !check_format(r, root)) return;
  sb_read_fields(r, root, "a sweep file", sections, sizeof sections / sizeof *sections, r->sweep);
  if (!r->sweep->driver) r->sweep->driver = sb_arena_copy(r->arena, sb_option_at(SB_OPT_driver)->preset);
}

sb_sweep *sb_sweep_parse(const char *text, size_t length, const char *name, const sb_session *session)
{
  sb_diagnostics *own = session->diagnostics ? NULL : sb_diagnostics_create();
  sb_diagnostics *d = own ? own : session->diagnostics;
  sb_sweep       *sweep = sb_arena_take(session->arena, 1, sizeof *sweep);
  *sweep = (sb_sweep){.arena = session->arena, .timed = true, .repetitions = 1};
  sweep->path = sb_arena_copy(session->arena, name);
  sweep->text = sb_arena_copy_span(session->arena, text, length);
  sb_sweep_reader r = {.yaml = {.file = sweep->path, .diagnostics = d}, .sweep = sweep, .session = session};
  const size_t    before = sb_diagnostics_errors(d);
  r.arena = session->arena;
  r.diagnostics = d;
  r.scratch = sb_options_create(session->vocabulary);
  if (sb_yaml_load(&r.yaml, text, length)) read_document(&r);
  sb_yaml_clear(&r.yaml);
  sb_options_destroy(&r.scratch);
  const bool good = sb_diagnostics_errors(d) == before;
  sb_diagnostics_destroy(&own);
  return good ? sweep : NULL;
}

/* What keeps a file that is open from being a sweep file: it has 1 byte to 1 MiB, and it is not waited for. */
static const char *unfit(int descriptor, size_t *size)
{
  struct stat status;
  if (fstat(descriptor, &status) != 0) return strerror(errno);
  *size = (size_t)status.st_size;
  if (S_ISDIR(status.st_mode)) return strerror(EISDIR);
  if (!S_ISREG(status.st_mode)) return "not a regular file";
  if (status.st_size == 0) return "the file is empty";
  return status.st_size > SB_YAML_BYTES_MAX ? "larger than a sweep file may be (1 MiB)" : NULL;
}

sb_sweep *sb_sweep_read(const char *path, const sb_session *session)
{
  const int   descriptor = sb_open(path, O_RDONLY | O_NONBLOCK);
  size_t      size = 0, length = 0;
  const char *why = descriptor < 0 ? strerror(errno) : unfit(descriptor, &size);
  char       *text = why ? NULL : sb_allocate(size + 1, 1);
  while (!why && length < size) {
    const ssize_t part = read(descriptor, text + length, size - length);
    if (part < 0 && errno != EINTR) why = strerror(errno);
    if (part == 0) break;
    length += part > 0 ? (size_t)part : 0;
  }
  if (descriptor >= 0) close(descriptor);
  if (why) sb_error_at(session->diagnostics, (sb_location){path, 0, 0}, "E100", "cannot read: %s", why);
  sb_sweep *sweep = why ? NULL : sb_sweep_parse(text, length, path, session);
  free(text);
  return sweep;
}
