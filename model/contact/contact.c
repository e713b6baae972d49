/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact: the list of shapes, creation from a case's options, and its measures; see contact.h. */
#include "model/contact/contact_state.h"

#include <stdlib.h>
#include <string.h>

#define SB_ENTRY(name) extern const sb_collider_shape sb_collider_##name;
#include "model/contact/colliders.def"
#undef SB_ENTRY

static const sb_entry *const entries[] = {
#define SB_ENTRY(name) &sb_collider_##name.form.entry,
#include "model/contact/colliders.def"
#undef SB_ENTRY
};

const sb_list sb_colliders = {
    .family = "colliders",
    .title = "Colliders",
    .about =
        "Named by option `collider` with their parts, as in `collider=KIND:part=value,part=value`; several are "
        "separated by `;`. Option `contact` chooses how they act; `self_contact` is contact of the net with itself.",
    SB_LIST_ENTRIES(entries),
    .describe = sb_form_facts,
};

/* The points and the frame at rest. */
static void mark(sb_collider *collider)
{
  collider->shape->points_of(collider->value, collider->rest);
  for (int k = 0; k < SB_COLLIDER_FRAME; ++k) {
    double *tip = collider->rest[SB_COLLIDER_POINTS_MAX + k];
    memcpy(tip, collider->rest[0], sizeof collider->rest[0]);
    tip[k] += 1.0;
  }
}

static bool prepare_collider(sb_collider *collider, const sb_composite *value, const sb_composite *path)
{
  collider->shape = (const void *)value->form;
  collider->value = value;
  mark(collider);
  if (!path) return true;
  collider->path = sb_path_create(path);
  if (!collider->path) return false;
  if (sb_path_is_still(collider->path)) sb_path_destroy(&collider->path);
  return true;
}

static bool prepare_colliders(sb_contact *contact, const sb_options *options)
{
  size_t              count, paths;
  const sb_composite *value = SB_COMPOSITES(options, collider, &count);
  const sb_composite *path = SB_COMPOSITES(options, collider_path, &paths);
  if (count == 0) return true;
  contact->collider = calloc(count, sizeof *contact->collider);
  contact->pushing = calloc(count, sizeof *contact->pushing);
  contact->motion = calloc(count, sizeof *contact->motion);
  if (!contact->collider || !contact->pushing || !contact->motion) return false;
  contact->values = sb_composites_copy(value, count);
  contact->colliders = count;
  bool good = true;
  for (size_t k = 0; good && k < count; ++k)
    good = prepare_collider(&contact->collider[k], &contact->values[k], paths == 0 ? NULL : &path[paths == 1 ? 0 : k]);
  return good;
}

bool sb_contact_create(const sb_options *options, sb_contact **contact)
{
  const bool none = SB_IS(options, contact, "none"), combined = SB_IS(options, contact, "combined");
  *contact = NULL;
  if (none && SB_IS(options, self_contact, "none")) return true;
  sb_contact *made = calloc(1, sizeof *made);
  if (!made) return false;
  made->filters = combined || SB_IS(options, contact, "cancel_velocity");
  made->pushes = combined || SB_IS(options, contact, "penalty");
  made->implicit = made->pushes && SB_FLAG(options, contact_implicit);
  made->margin = SB_REAL(options, margin);
  made->stiffness = SB_REAL(options, contact_stiffness);
  made->restitution = SB_REAL(options, restitution);
  made->friction = SB_REAL(options, friction);
  made->touches_itself = SB_IS(options, self_contact, "vertices");
  made->resolves = SB_IS(options, self_contact, "surfaces");
  made->thickness = SB_REAL(options, thickness);
  if (none || prepare_colliders(made, options))
    *contact = made;
  else
    sb_contact_destroy(&made);
  return *contact != NULL;
}

void sb_contact_destroy(sb_contact **contact)
{
  sb_contact *old = *contact;
  if (!old) return;
  for (size_t k = 0; k < old->colliders; ++k)
    if (old->collider[k].path) sb_path_destroy(&old->collider[k].path);
  sb_self_contact_destroy(&old->self);
  sb_surface_contact_destroy(&old->surface);
  free(old->motion);
  free(old->pushing);
  sb_composites_free(&old->values, &old->colliders);
  free(old->collider);
  free(old);
  *contact = NULL;
}

bool sb_contact_filters(const sb_contact *contact) { return contact->filters || contact->touches_itself; }

bool sb_contact_resolves(const sb_contact *contact) { return contact->resolves; }

bool sb_contact_pushes(const sb_contact *contact) { return contact->pushes; }

bool sb_contact_is_implicit(const sb_contact *contact) { return contact->implicit; }

bool sb_contact_rubs(const sb_contact *contact) { return contact->colliders > 0 && contact->friction > 0.0; }

sb_contact_measures sb_contact_measured(const sb_contact *contact) { return contact->measures; }

void sb_contact_restore(sb_contact *contact, const sb_contact_measures *measures) { contact->measures = *measures; }

void sb_contact_reset(sb_contact *contact) { contact->measures = (sb_contact_measures){0}; }

const sb_composite *sb_contact_colliders(const sb_contact *contact, size_t *count)
{
  *count = contact->colliders;
  return contact->values;
}

double sb_collider_radius(const sb_composite *collider)
{
  double radius = 0;
  for (size_t k = 0; k < collider->form->parts; ++k)
    if (strcmp(collider->form->part[k].name, "radius") == 0) radius = collider->number[k][0];
  return radius;
}

void sb_contact_places(sb_contact *contact, double t_seconds, size_t collider, double point[SB_COLLIDER_POINTS_MAX][3])
{
  sb_collider_move(&contact->collider[collider], t_seconds);
  memcpy(point, contact->collider[collider].point, sizeof contact->collider[collider].point);
}

bool sb_contact_set_springs(sb_contact *contact, size_t vertices, size_t springs, const int *first, const int *second)
{
  if (!contact->touches_itself) return true;
  sb_self_contact_destroy(&contact->self);
  contact->self = sb_self_contact_create(contact->thickness, vertices);
  return contact->self && sb_self_contact_set_springs(contact->self, springs, first, second);
}

bool sb_contact_set_surface(sb_contact *contact, size_t vertices, size_t triangles, const int32_t *triangle,
                            const double *initial)
{
  const sb_surface_law law = {contact->thickness, contact->stiffness, contact->friction};
  if (!contact->resolves) return true;
  sb_surface_contact_destroy(&contact->surface);
  contact->surface = sb_surface_contact_create(law, vertices, triangles, triangle, initial);
  return contact->surface != NULL;
}
