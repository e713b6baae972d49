/* The section `methods`, and finding a method by its name: a file of the largest size has 30 000 of them, and as many
 * values of axes that name one. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/sweep/sweep_reader.h"

static int compare_methods(const void *a, const void *b)
{
  return strcmp((*(const sb_settings *const *)a)->name, (*(const sb_settings *const *)b)->name);
}

static void sort_methods(sb_sweep *sweep)
{
  sweep->methods_by_name = sb_allocate(sweep->method_count, sizeof(sb_settings *));
  for (size_t i = 0; i < sweep->method_count; ++i)
    if (sweep->methods[i].name) sweep->methods_by_name[sweep->named_methods++] = &sweep->methods[i];
  qsort(sweep->methods_by_name, sweep->named_methods, sizeof(sb_settings *), compare_methods);
}

void sb_read_methods(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_sweep *sweep = target;
  if (!sb_require_mapping(r, node, "'methods'")) return;
  sweep->methods_where = sb_yaml_location(&r->yaml, node);
  sweep->methods = sb_allocate(sb_yaml_count(node), sizeof *sweep->methods);
  for (size_t i = 0; i < sb_yaml_count(node); ++i) {
    sb_settings *method = &sweep->methods[sweep->method_count++];
    sb_read_name(r, sb_yaml_key(&r->yaml, node, i), &method->name);
    sb_read_settings(r, sb_yaml_value(&r->yaml, node, i), method);
  }
  sort_methods(sweep);
}

const sb_settings *sb_sweep_method(const sb_sweep *sweep, const char *name)
{
  sb_settings         wanted = {.name = (char *)name}; /* only compared */
  const sb_settings  *key = &wanted;
  sb_settings *const *found = sweep->named_methods == 0 ? NULL
                                                        : bsearch(&key, sweep->methods_by_name, sweep->named_methods,
                                                                  sizeof(sb_settings *), compare_methods);
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
