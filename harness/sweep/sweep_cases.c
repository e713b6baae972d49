/* The sections that say what is run: sweep (blocks of axes), exclude. */
#include <stddef.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/sweep/sweep_reader.h"

static char *method_value(sb_sweep_reader *r, const yaml_node_t *node)
{
  const char *name = sb_require_scalar(r, node, "method");
  if (!name) return NULL;
  if (sb_sweep_method(r->sweep, name)) return sb_copy_text(name);
  const char *near = sb_diagnostics_full(r->diagnostics) ? NULL : sb_sweep_method_nearest(r->sweep, name);
  sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E106",
              near ? "unknown method '%s'; did you mean '%s'?" : "unknown method '%s'; see the section 'methods'", name,
              near);
  return NULL;
}

static void add_value(sb_sweep_reader *r, const yaml_node_t *node, sb_axis *axis)
{
  char *text = axis->id == SB_OPT_COUNT ? method_value(r, node) : sb_read_option_value(r, node, axis->id);
  if (!text) return;
  axis->where[axis->count] = sb_yaml_location(&r->yaml, node);
  axis->values[axis->count++] = text;
}

static void read_axis(sb_sweep_reader *r, const yaml_node_t *key, const yaml_node_t *values, sb_block *block)
{
  const bool         method = strcmp(sb_yaml_scalar(key), "method") == 0;
  const sb_option_id id = method ? SB_OPT_COUNT : sb_read_option_name(r, key);
  if (id == SB_OPT_COUNT && !method) return;
  const bool   list = values->type == YAML_SEQUENCE_NODE;
  const size_t count = list ? sb_yaml_count(values) : 1;
  sb_axis     *axis = &block->axes[block->count++];
  *axis = (sb_axis){.name = sb_copy_text(sb_yaml_scalar(key)), .id = id};
  axis->values = sb_allocate(count, sizeof *axis->values);
  axis->where = sb_allocate(count, sizeof *axis->where);
  if (count == 0)
    sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, values), "E107",
                "the axis '%s' has no values: there are 0 cases", axis->name);
  for (size_t i = 0; i < count; ++i) add_value(r, list ? sb_yaml_item(&r->yaml, values, i) : values, axis);
}

static void read_axes(sb_sweep_reader *r, const yaml_node_t *node, sb_block *block, bool zip)
{
  if (!sb_require_mapping(r, node, zip ? "'zip'" : "'grid'")) return;
  if (block->axes) {
    sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E101", "a block has 'grid' or 'zip', not both");
    return;
  }
  block->zip = zip;
  block->axes = sb_allocate(sb_yaml_count(node), sizeof *block->axes);
  for (size_t i = 0; i < sb_yaml_count(node); ++i)
    read_axis(r, sb_yaml_key(&r->yaml, node, i), sb_yaml_value(&r->yaml, node, i), block);
}

static void read_grid(sb_sweep_reader *r, const yaml_node_t *node, void *target) { read_axes(r, node, target, false); }

static void read_zip(sb_sweep_reader *r, const yaml_node_t *node, void *target) { read_axes(r, node, target, true); }

static void read_block_defaults(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_read_settings(r, node, &((sb_block *)target)->defaults);
}

void sb_read_blocks(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {"grid", SB_FIELD_OTHER, false, 0, read_grid},
      {"zip", SB_FIELD_OTHER, false, 0, read_zip},
      {"defaults", SB_FIELD_OTHER, false, 0, read_block_defaults},
  };
  sb_sweep *sweep = target;
  if (!sb_require_list(r, node, "'sweep'")) return;
  const size_t count = sb_yaml_count(node);
  if (count == 0)
    sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E107", "'sweep' has no blocks: there are 0 cases");
  sweep->blocks = sb_allocate(count, sizeof *sweep->blocks);
  for (size_t i = 0; i < count; ++i) {
    const yaml_node_t *item = sb_yaml_item(&r->yaml, node, i);
    sb_block          *block = &sweep->blocks[sweep->block_count++];
    block->location = sb_yaml_location(&r->yaml, item);
    sb_read_fields(r, item, "a block of 'sweep'", fields, sizeof fields / sizeof *fields, block);
  }
}

void sb_read_exclusions(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {"when", SB_FIELD_CONDITION, true, offsetof(sb_exclusion, when), NULL},
      {"because", SB_FIELD_TEXT, true, offsetof(sb_exclusion, because), NULL},
  };
  sb_sweep *sweep = target;
  if (!sb_require_list(r, node, "'exclude'")) return;
  sweep->exclusions = sb_allocate(sb_yaml_count(node), sizeof *sweep->exclusions);
  for (size_t i = 0; i < sb_yaml_count(node); ++i)
    sb_read_fields(r, sb_yaml_item(&r->yaml, node, i), "an exclusion", fields, sizeof fields / sizeof *fields,
                   &sweep->exclusions[sweep->exclusion_count++]);
}
