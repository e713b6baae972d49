/* Overrides of a sweep's axes on the command line: -p KEY=V[,V…], --ranks, --save. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/sweep/plan_expand.h"

static const sb_location command_line = {"command line", 0, 0};

static bool check_method(const sb_sweep *sweep, const char *name, sb_diagnostics *diagnostics)
{
  if (sb_sweep_method(sweep, name)) return true;
  const char *near = sb_diagnostics_full(diagnostics) ? NULL : sb_sweep_method_nearest(sweep, name);
  return sb_error_at(diagnostics, command_line, "E106",
                     near ? "unknown method '%s'; did you mean '%s'?" : "unknown method '%s'", name, near);
}

/* The end of the first value: a comma outside brackets. A text or a composite value has commas of its own and is one
 * value. */
static size_t value_length(const char *values, bool text)
{
  int    depth = 0;
  size_t n = 0;
  for (; values[n] != '\0' && (text || depth > 0 || values[n] != ','); ++n)
    depth += (values[n] == '[') - (values[n] == ']');
  return n;
}

static bool read_values(const sb_sweep *sweep, const char *values, sb_axis *axis, sb_options *scratch,
                        sb_diagnostics *diagnostics)
{
  const sb_option_kind kind = axis->id == SB_OPT_COUNT ? SB_KIND_NAME : sb_option_at(axis->id)->kind;
  const bool           text = kind == SB_KIND_TEXT || kind == SB_KIND_COMPOSITE;
  bool                 good = true;
  for (bool more = true; more;) {
    const size_t length = value_length(values, text);
    char        *value = sb_copy_span(values, length);
    axis->values = sb_grow(axis->values, axis->count, sizeof *axis->values);
    axis->where = sb_grow(axis->where, axis->count, sizeof *axis->where);
    axis->where[axis->count] = command_line;
    axis->values[axis->count++] = value;
    const bool valid = axis->id == SB_OPT_COUNT
                           ? check_method(sweep, value, diagnostics)
                           : sb_options_set(scratch, axis->id, value, SB_FROM_USER, command_line, diagnostics);
    good = valid && good;
    more = values[length] == ',';
    values += length + more;
  }
  return good;
}

/* `pair` is KEY=V[,V…]. */
static bool read_override(const sb_sweep *sweep, const char *pair, sb_options *scratch, sb_overrides *overrides,
                          sb_diagnostics *diagnostics)
{
  const char *equals = strchr(pair, '=');
  if (!equals || equals == pair)
    return sb_error_at(diagnostics, command_line, "E101", "expected KEY=VALUE[,VALUE…]; got '%s'", pair);
  char              *name = sb_copy_span(pair, (size_t)(equals - pair));
  const bool         method = strcmp(name, "method") == 0;
  const sb_option_id id = sb_option_find(name);
  const char        *near = sb_option_nearest(name);
  bool               good = method || (id != SB_OPT_COUNT && id != SB_OPT_driver);
  if (id == SB_OPT_driver)
    sb_error_at(diagnostics, command_line, "E101", "the driver of a sweep cannot be overridden");
  else if (!good)
    sb_error_at(diagnostics, command_line, "E101",
                near ? "unknown option '%s'; did you mean '%s'?" : "unknown option '%s'", name, near);
  for (size_t i = 0; good && i < overrides->count; ++i)
    if (strcmp(overrides->axes[i].name, name) == 0)
      good = sb_error_at(diagnostics, command_line, "E101", "'%s' is overridden twice", name);
  if (!good) {
    free(name);
    return false;
  }
  overrides->axes = sb_grow(overrides->axes, overrides->count, sizeof *overrides->axes);
  sb_axis *axis = &overrides->axes[overrides->count++];
  *axis = (sb_axis){.name = name, .id = id};
  return read_values(sweep, equals + 1, axis, scratch, diagnostics);
}

bool sb_overrides_read(const sb_sweep *sweep, const sb_plan_request *request, const sb_vocabulary *vocabulary,
                       sb_overrides *overrides, sb_diagnostics *diagnostics)
{
  *overrides = (sb_overrides){0};
  sb_options *scratch = sb_options_create(vocabulary);
  bool        good = scratch != NULL;
  for (size_t i = 0; good && i < request->override_count; ++i)
    good = read_override(sweep, request->overrides[i], scratch, overrides, diagnostics);
  char pair[64];
  snprintf(pair, sizeof pair, "ranks=%d", request->ranks);
  if (good && request->ranks > 0) good = read_override(sweep, pair, scratch, overrides, diagnostics);
  char *save = NULL;
  if (good && request->save) {
    save = sb_format("save=%s", request->save);
    good = read_override(sweep, save, scratch, overrides, diagnostics);
  }
  free(save);
  if (scratch) sb_options_destroy(&scratch);
  return good;
}
