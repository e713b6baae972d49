/* Contact; see contact.h. */
#include "model/contact.h"

#include <stdlib.h>

#define SB_ENTRY(name) extern const sb_collider_shape sb_collider_##name;
#include "model/colliders.def"
#undef SB_ENTRY

static const sb_collider_shape *const shapes[] = {
#define SB_ENTRY(name) &sb_collider_##name,
#include "model/colliders.def"
#undef SB_ENTRY
};
static const sb_form *const forms[] = {
#define SB_ENTRY(name) &sb_collider_##name.form,
#include "model/colliders.def"
#undef SB_ENTRY
};

size_t sb_collider_shape_count(void) { return sizeof shapes / sizeof shapes[0]; }

const sb_collider_shape *sb_collider_shape_at(size_t i) { return shapes[i]; }

const sb_form *const *sb_collider_forms(size_t *count)
{
  *count = sb_collider_shape_count();
  return forms;
}

bool sb_contact_create(const sb_options *options, sb_contact **contact)
{
  (void)options;
  *contact = NULL;
  return true;
}

void sb_contact_destroy(sb_contact **contact) { *contact = NULL; }

bool sb_contact_filters(const sb_contact *contact) { return contact != NULL; }

bool sb_contact_pushes(const sb_contact *contact) { return contact != NULL; }

bool sb_contact_is_implicit(const sb_contact *contact) { return contact != NULL; }

void sb_contact_filter(sb_contact *contact, double t_seconds, double h_seconds, size_t count, const bool *pinned,
                       const double *mass, const double *position, double *velocity)
{
  (void)contact, (void)t_seconds, (void)h_seconds, (void)count, (void)pinned, (void)mass, (void)position,
      (void)velocity;
}

void sb_contact_filter_accelerations(sb_contact *contact, double t_seconds, double h_seconds, size_t count,
                                     const bool *pinned, const double *position, const double *velocity,
                                     double *acceleration)
{
  (void)contact, (void)t_seconds, (void)h_seconds, (void)count, (void)pinned, (void)position, (void)velocity,
      (void)acceleration;
}

void sb_contact_add_forces(sb_contact *contact, double t_seconds, size_t count, const bool *pinned,
                           const double *position, double *force)
{
  (void)contact, (void)t_seconds, (void)count, (void)pinned, (void)position, (void)force;
}

double sb_contact_energy(sb_contact *contact, double t_seconds, size_t count, const bool *pinned,
                         const double *position)
{
  (void)contact, (void)t_seconds, (void)count, (void)pinned, (void)position;
  return 0.0;
}

void sb_contact_add_hessian(sb_contact *contact, double t_seconds, bool exact, size_t count, const bool *pinned,
                            const double *position, double *block)
{
  (void)contact, (void)t_seconds, (void)exact, (void)count, (void)pinned, (void)position, (void)block;
}

void sb_contact_observe(sb_contact *contact, double t_seconds, size_t count, const double *position)
{
  (void)contact, (void)t_seconds, (void)count, (void)position;
}

sb_contact_measures sb_contact_measured(const sb_contact *contact)
{
  (void)contact;
  return (sb_contact_measures){0};
}

void sb_contact_reset(sb_contact *contact) { (void)contact; }

const sb_composite *sb_contact_colliders(const sb_contact *contact, size_t *count)
{
  (void)contact;
  *count = 0;
  return NULL;
}

void sb_contact_places(sb_contact *contact, double t_seconds, size_t collider, double point[SB_COLLIDER_POINTS_MAX][3])
{
  (void)contact, (void)t_seconds, (void)collider, (void)point;
}

bool sb_contact_set_springs(sb_contact *contact, size_t vertices, size_t springs, const int *first, const int *second)
{
  (void)contact, (void)vertices, (void)springs, (void)first, (void)second;
  return true;
}
