/* Composite values; see composite.h. */
#include "base/composite.h"

#include <stdlib.h>

void sb_composites_free(sb_composite **items, size_t *count)
{
  for (size_t i = 0; i < *count; ++i)
    for (size_t p = 0; p < SB_PARTS_MAX; ++p) free((*items)[i].formula[p]);
  free(*items);
  *items = NULL;
  *count = 0;
}

bool sb_composites_read(const char *option, const char *text, const sb_form *const *forms, size_t form_count,
                        sb_location where, sb_diagnostics *diagnostics, sb_composite **items, size_t *count)
{
  (void)forms;
  (void)form_count;
  *items = NULL;
  *count = 0;
  return sb_error_at(diagnostics, where, "E106", "option '%s' cannot yet be '%s'", option, text);
}

char *sb_composites_text(const sb_composite *items, size_t count)
{
  (void)items;
  (void)count;
  return NULL;
}
