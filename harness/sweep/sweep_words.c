/* The section `words:` of a sweep file: what tables write for an axis, a method, or AXIS=VALUE; see words.h. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/sweep/sweep_reader.h"

static bool is_worded(const sb_sweep *sweep, const char *name)
{
  char      *axis = sb_copy_span(name, strcspn(name, "="));
  const bool known = strcmp(axis, "method") == 0 || sb_option_find(axis) != SB_OPT_COUNT;
  free(axis);
  return known || sb_sweep_method(sweep, name);
}

void sb_read_words(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_sweep *sweep = target;
  if (!sb_require_mapping(r, node, "'words'")) return;
  sweep->wordings = sb_allocate(sb_yaml_count(node), sizeof *sweep->wordings);
  for (size_t i = 0; i < sb_yaml_count(node); ++i) {
    const yaml_node_t *key = sb_yaml_key(&r->yaml, node, i);
    sb_wording        *wording = &sweep->wordings[sweep->wording_count];
    wording->name = sb_copy_text(sb_yaml_scalar(key));
    wording->where = sb_yaml_location(&r->yaml, key);
    sb_read_text(r, sb_yaml_value(&r->yaml, node, i), &wording->words);
    sweep->wording_count++;
    if (!is_worded(sweep, wording->name))
      sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, key), "E101",
                  "'%s' under 'words' is no axis, no method and no AXIS=VALUE", wording->name);
  }
}

void sb_check_words(sb_sweep_reader *r)
{
  for (size_t i = 0; i < r->sweep->wording_count; ++i) {
    const sb_wording *wording = &r->sweep->wordings[i];
    const char       *equals = strchr(wording->name, '=');
    if (!equals) continue;
    char    *axis = sb_copy_span(wording->name, (size_t)(equals - wording->name));
    sb_value value = {.kind = SB_WORD, .word = equals + 1};
    double   number = 0;
    if (sb_read_real(value.word, &number) == SB_NUMBER_READ) value = (sb_value){.kind = SB_NUMBER, .number = number};
    char *values = sb_sweep_lacks(r->sweep, axis, value);
    if (values)
      sb_error_at(r->diagnostics, wording->where, "E106", "%s has no value '%s' in this sweep (it has %s)", axis,
                  equals + 1, values);
    free(values);
    free(axis);
  }
}
