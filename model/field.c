/* Acceleration fields; see field.h. */
#include "model/field.h"

#include <stdlib.h>

#define SB_ENTRY(name) extern const sb_field_kind sb_field_##name;
#include "model/fields.def"
#undef SB_ENTRY

static const sb_field_kind *const kinds[] = {
#define SB_ENTRY(name) &sb_field_##name,
#include "model/fields.def"
#undef SB_ENTRY
};
static const sb_form *const forms[] = {
#define SB_ENTRY(name) &sb_field_##name.form,
#include "model/fields.def"
#undef SB_ENTRY
};

struct sb_field {
  const sb_field_kind *kind;
  const sb_composite  *value; /* of the option, borrowed */
  void                *state;
};

size_t sb_field_kind_count(void) { return sizeof kinds / sizeof kinds[0]; }

const sb_field_kind *sb_field_kind_at(size_t i) { return kinds[i]; }

const sb_form *const *sb_field_forms(size_t *count)
{
  *count = sb_field_kind_count();
  return forms;
}

bool sb_field_create(const sb_options *options, sb_field **field)
{
  (void)options;
  *field = NULL;
  return true;
}

void sb_field_destroy(sb_field **field)
{
  free(*field);
  *field = NULL;
}

void sb_field_evaluate(sb_field *field, double t_seconds, size_t count, const double *position, double *acceleration)
{
  field->kind->evaluate(field->state, field->value, t_seconds, count, position, acceleration);
}
