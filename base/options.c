/* The option table and sets of values; see options.h. */
#include "base/options.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/options_parse.h"

static const sb_option table[SB_OPT_COUNT] = {
#define SB_OPTION(name, kind, unit, preset, range, traits, sentence)                                                   \
  {#name, SB_KIND_##kind, unit, preset, range, traits, sentence},
#include "base/options.def"
#undef SB_OPTION
};

typedef struct {
  sb_option_value value;
  sb_origin       origin;
  sb_location     where;
} slot;

struct sb_options {
  const sb_vocabulary *vocabulary;
  slot                 slots[SB_OPT_COUNT];
};

const sb_option *sb_option_at(sb_option_id id)
{
  assert((unsigned)id < SB_OPT_COUNT);
  return &table[id];
}

sb_option_id sb_option_find(const char *name)
{
  for (int i = 0; i < SB_OPT_COUNT; ++i)
    if (strcmp(table[i].name, name) == 0) return (sb_option_id)i;
  return SB_OPT_COUNT;
}

const char *sb_option_kind_name(sb_option_kind kind)
{
  static const char *const names[] = {
      [SB_KIND_BOOL] = "true or false",
      [SB_KIND_INTEGER] = "integer",
      [SB_KIND_REAL] = "real",
      [SB_KIND_NAME] = "name",
      [SB_KIND_TEXT] = "text",
      [SB_KIND_VECTOR] = "vector",
      [SB_KIND_SELECTION] = "name or list",
      [SB_KIND_COMPOSITE] = "kind:part=value,…",
  };
  return names[kind];
}

const char *sb_option_nearest(const char *name)
{
  const char *names[SB_OPT_COUNT];
  for (int i = 0; i < SB_OPT_COUNT; ++i) names[i] = table[i].name;
  return sb_nearest_name(name, names, SB_OPT_COUNT);
}

sb_options *sb_options_create(const sb_vocabulary *vocabulary)
{
  sb_options *options = sb_allocate(1, sizeof *options);
  options->vocabulary = vocabulary;
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    if (!table[i].preset) continue;
    if (!sb_options_set(options, (sb_option_id)i, table[i].preset, SB_FROM_TABLE, (sb_location){0}, NULL)) {
      sb_options_destroy(&options);
      return NULL;
    }
  }
  return options;
}

static void copy_value(const sb_option_value *from, sb_option_value *to)
{
  *to = *from;
  to->text = from->text ? sb_copy_text(from->text) : NULL;
  to->numbers = NULL;
  if (from->count) {
    to->numbers = sb_allocate(from->count, sizeof *to->numbers);
    memcpy(to->numbers, from->numbers, from->count * sizeof *to->numbers);
  }
  to->composites = sb_composites_copy(from->composites, from->composite_count);
}

sb_options *sb_options_copy(const sb_options *options)
{
  sb_options *copy = sb_allocate(1, sizeof *copy);
  copy->vocabulary = options->vocabulary;
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    copy->slots[i] = (slot){.origin = options->slots[i].origin, .where = options->slots[i].where};
    copy_value(&options->slots[i].value, &copy->slots[i].value);
  }
  return copy;
}

void sb_options_destroy(sb_options **options)
{
  if (!*options) return;
  for (int i = 0; i < SB_OPT_COUNT; ++i) sb_option_value_clear(&(*options)->slots[i].value);
  free(*options);
  *options = NULL;
}

static void end_options(void *object)
{
  sb_options *options = object;
  sb_options_destroy(&options);
}

sb_options *sb_options_keep(sb_options *options, sb_arena *arena)
{
  if (options) sb_arena_defer(arena, end_options, options);
  return options;
}

const sb_vocabulary *sb_options_vocabulary(const sb_options *options) { return options->vocabulary; }

bool sb_options_set(sb_options *options, sb_option_id id, const char *text, sb_origin origin, sb_location where,
                    sb_diagnostics *diagnostics)
{
  sb_option_value value;
  if (!sb_option_parse(&table[id], options->vocabulary, text, where, diagnostics, &value)) return false;
  sb_option_value_clear(&options->slots[id].value);
  options->slots[id] = (slot){value, origin, where};
  return true;
}

bool sb_options_set_pair(sb_options *options, const char *pair, sb_origin origin, sb_location where,
                         sb_diagnostics *diagnostics)
{
  const char *equals = strchr(pair, '=');
  if (!equals || equals == pair)
    return sb_error_at(diagnostics, where, "E101", "expected OPTION=VALUE; got '%s'", pair);
  char              *name = sb_copy_span(pair, (size_t)(equals - pair));
  const sb_option_id id = sb_option_find(name);
  bool               good = id != SB_OPT_COUNT;
  if (!good) {
    const char *near = sb_option_nearest(name);
    sb_error_at(diagnostics, where, "E101", near ? "unknown option '%s'; did you mean '%s'?" : "unknown option '%s'",
                name, near);
  }
  free(name);
  return good && sb_options_set(options, id, equals + 1, origin, where, diagnostics);
}

void sb_options_unset(sb_options *options, sb_option_id id)
{
  sb_option_value_clear(&options->slots[id].value);
  options->slots[id] = (slot){0};
}

bool sb_options_has(const sb_options *options, sb_option_id id) { return options->slots[id].origin != SB_FROM_NOBODY; }

sb_origin sb_options_origin(const sb_options *options, sb_option_id id) { return options->slots[id].origin; }

sb_location sb_options_location(const sb_options *options, sb_option_id id) { return options->slots[id].where; }

static const sb_option_value *read_value(const sb_options *options, sb_option_id id, sb_option_kind kind)
{
  assert(sb_options_has(options, id) && table[id].kind == kind);
  (void)kind;
  return &options->slots[id].value;
}

bool sb_options_flag(const sb_options *options, sb_option_id id) { return read_value(options, id, SB_KIND_BOOL)->flag; }

int64_t sb_options_integer(const sb_options *options, sb_option_id id)
{
  return read_value(options, id, SB_KIND_INTEGER)->integer;
}

double sb_options_real(const sb_options *options, sb_option_id id)
{
  return read_value(options, id, SB_KIND_REAL)->real;
}

const double *sb_options_vector(const sb_options *options, sb_option_id id)
{
  return read_value(options, id, SB_KIND_VECTOR)->vector;
}

const char *sb_options_text(const sb_options *options, sb_option_id id)
{
  return options->slots[id].value.text ? options->slots[id].value.text : "";
}

bool sb_options_numbers(const sb_options *options, sb_option_id id, size_t *count, int64_t **numbers)
{
  const sb_option_value *value = &options->slots[id].value;
  *count = 0;
  *numbers = NULL;
  if (table[id].kind != SB_KIND_SELECTION || value->count == 0) return false;
  *numbers = sb_allocate(value->count, sizeof **numbers);
  memcpy(*numbers, value->numbers, value->count * sizeof **numbers);
  *count = value->count;
  return true;
}

const sb_composite *sb_options_composites(const sb_options *options, sb_option_id id, size_t *count)
{
  const sb_option_value *value = &options->slots[id].value;
  assert(table[id].kind == SB_KIND_COMPOSITE);
  *count = value->composite_count;
  return value->composites;
}
