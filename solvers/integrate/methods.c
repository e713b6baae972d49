/* The list of time integrators; see integrator_method.h. */
#include "solvers/integrate/integrator_method.h"

#include <string.h>

#define SB_ENTRY(name) extern const sb_integrator_method sb_integrator_##name;
#include "solvers/integrate/integrators.def"
#undef SB_ENTRY

static const sb_integrator_method *const methods[] = {
#define SB_ENTRY(name) &sb_integrator_##name,
#include "solvers/integrate/integrators.def"
#undef SB_ENTRY
};

size_t sb_integrator_method_count(void) { return sizeof methods / sizeof methods[0]; }

const sb_integrator_method *sb_integrator_method_at(size_t i)
{
  return i < sb_integrator_method_count() ? methods[i] : NULL;
}

const sb_integrator_method *sb_integrator_method_find(const char *name)
{
  for (size_t i = 0; i < sb_integrator_method_count(); ++i) {
    if (strcmp(methods[i]->name, name) == 0) return methods[i];
  }
  return NULL;
}

const sb_integrator_method *sb_integrator_known(const sb_options *options)
{
  const sb_integrator_method *method = sb_integrator_method_find(SB_TEXT(options, integrator));
  return method && method->is_another && method->is_another(options) ? NULL : method;
}
