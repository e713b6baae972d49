/* The list of linear backends, from backends.def. */
#include <string.h>

#include "solvers/linear/linear_backend.h"

static const sb_linear_backend *const backends[] = {
#define SB_ENTRY(name) &sb_linear_##name,
#include "solvers/linear/backends.def"
#undef SB_ENTRY
};

size_t sb_linear_backend_count(void) { return sizeof backends / sizeof backends[0]; }

const sb_linear_backend *sb_linear_backend_at(size_t i) { return backends[i]; }

const sb_linear_backend *sb_linear_backend_find(const char *name)
{
  for (size_t i = 0; i < sb_linear_backend_count(); ++i) {
    if (strcmp(backends[i]->name, name) == 0) return backends[i];
  }
  return NULL;
}
