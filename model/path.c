/* Prescribed motions; see path.h. */
#include "model/path.h"

#include <stdlib.h>

#define SB_ENTRY(name) extern const sb_path_kind sb_path_##name;
#include "model/paths.def"
#undef SB_ENTRY

static const sb_path_kind *const kinds[] = {
#define SB_ENTRY(name) &sb_path_##name,
#include "model/paths.def"
#undef SB_ENTRY
};
static const sb_form *const forms[] = {
#define SB_ENTRY(name) &sb_path_##name.form,
#include "model/paths.def"
#undef SB_ENTRY
};

struct sb_path {
  const sb_path_kind *kind;
  void               *state;
};

size_t sb_path_kind_count(void) { return sizeof kinds / sizeof kinds[0]; }

const sb_path_kind *sb_path_kind_at(size_t i) { return kinds[i]; }

const sb_form *const *sb_path_forms(size_t *count)
{
  *count = sb_path_kind_count();
  return forms;
}

sb_path *sb_path_create(const sb_composite *value)
{
  (void)value;
  return NULL;
}

void sb_path_destroy(sb_path **path)
{
  free(*path);
  *path = NULL;
}

void sb_path_place(sb_path *path, double t_seconds, size_t count, const double *rest, double *place)
{
  path->kind->place(path->state, NULL, t_seconds, count, rest, place);
}

bool sb_path_is_still(const sb_path *path) { return path->kind == &sb_path_still; }
