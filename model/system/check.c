/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Combinations of options of the model that cannot work; see check.h.
 *
 * Values from the scene are never errors. A user who gives contact=none switches the scene's contact off, with all
 * options that belong to it, their own included, so that one sweep may compare with and without. */
#include "model/system/check.h"

#include <stdio.h>
#include <string.h>

#include "model/scene/scene.h"

static bool from_user(const sb_options *options, sb_option_id id)
{
  return sb_options_origin(options, id) == SB_FROM_USER;
}

/* A choice or a composite value that is not none. */
static bool is_some(const sb_options *options, sb_option_id id)
{
  const char *text = sb_options_text(options, id);
  return sb_options_has(options, id) && *text && strcmp(text, "none") != 0;
}

static bool pushes(const sb_options *options)
{
  return SB_IS(options, contact, "penalty") || SB_IS(options, contact, "combined");
}

#define REFUSE(id, ...) sb_error_at(diagnostics, sb_options_location(options, SB_ID(id)), "E106", __VA_ARGS__)

static bool check_collider(const sb_options *options, sb_diagnostics *diagnostics)
{
  if (!is_some(options, SB_ID(contact)) || is_some(options, SB_ID(collider))) return true;
  if (from_user(options, SB_ID(contact)))
    return REFUSE(contact, "contact '%s' has nothing to touch; add a collider, such as %s", SB_TEXT(options, contact),
                  "collider=sphere:centre=[0,0,0],radius=0.3");
  if (from_user(options, SB_ID(collider)))
    return REFUSE(collider, "the scene's contact '%s' has nothing to touch without a collider; add contact=none",
                  SB_TEXT(options, contact));
  return true;
}

/* Options that only contact reads, if there is no contact and the user did not choose that. */
static bool check_unused(const sb_options *options, sb_diagnostics *diagnostics)
{
  bool good = true;
  if (is_some(options, SB_ID(contact)) || from_user(options, SB_ID(contact))) return true;
  const bool surfaces = SB_IS(options, self_contact, "surfaces"), barrier = SB_IS(options, self_contact, "barrier");
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
    if (!(sb_option_at(id)->traits & SB_OF_CONTACT) || !from_user(options, id)) continue;
    if (strcmp(sb_options_text(options, id), "none") == 0) continue;
    if ((surfaces && id == SB_ID(friction)) || ((surfaces || barrier) && id == SB_ID(contact_stiffness))) continue;
    good = sb_error_at(diagnostics, sb_options_location(options, id), "E106",
                       "%s has an effect only with contact; add contact=cancel_velocity, penalty or combined, or "
                       "contact=none to ignore it",
                       sb_option_at(id)->name);
  }
  return good;
}

static bool check_collider_paths(const sb_options *options, sb_diagnostics *diagnostics)
{
  size_t colliders, paths;
  sb_options_composites(options, SB_ID(collider), &colliders);
  sb_options_composites(options, SB_ID(collider_path), &paths);
  if (!is_some(options, SB_ID(contact)) || colliders == 0 || paths <= 1 || paths == colliders) return true;
  if (from_user(options, SB_ID(collider_path)))
    return REFUSE(collider_path, "collider_path has %zu items for %zu collider%s; give one for all, or one each", paths,
                  colliders, colliders == 1 ? "" : "s");
  if (from_user(options, SB_ID(collider)))
    return REFUSE(collider, "collider has %zu items, the scene's collider_path %zu; give collider_path too", colliders,
                  paths);
  return true;
}

/* Restitution changes velocities; a penalty force does not. */
static bool check_restitution(const sb_options *options, sb_diagnostics *diagnostics)
{
  if (!SB_IS(options, contact, "penalty") || !from_user(options, SB_ID(restitution)) ||
      !(SB_REAL(options, restitution) > 0.0))
    return true;
  return REFUSE(restitution, "restitution belongs to the filter on velocities, which contact 'penalty' does not have; "
                             "choose contact=cancel_velocity or combined");
}

static bool check_implicit(const sb_options *options, sb_diagnostics *diagnostics)
{
  const bool said_none = from_user(options, SB_ID(contact)) && !is_some(options, SB_ID(contact));
  if (!SB_FLAG(options, contact_implicit) || pushes(options) || said_none) return true;
  if (from_user(options, SB_ID(contact_implicit)))
    return REFUSE(contact_implicit,
                  "contact_implicit puts the penalty into the potential of newton, but contact '%s' has no penalty; "
                  "choose contact=penalty or combined",
                  SB_TEXT(options, contact));
  if (from_user(options, SB_ID(contact)))
    return REFUSE(contact,
                  "the scene makes the penalty implicit, but contact '%s' has none; add contact_implicit=false",
                  SB_TEXT(options, contact));
  return true;
}

static bool check_self_contact(const sb_options *options, sb_diagnostics *diagnostics)
{
  if (SB_IS(options, self_contact, "none")) {
    if (!from_user(options, SB_ID(thickness)) || from_user(options, SB_ID(self_contact))) return true;
    return REFUSE(thickness,
                  "thickness has an effect only with self-contact; add self_contact=vertices, surfaces or barrier");
  }
  if (SB_INTEGER(options, ranks) == 1) return true;
  if (from_user(options, SB_ID(self_contact)))
    return REFUSE(self_contact, "self_contact runs on one rank only; got ranks %lld",
                  (long long)SB_INTEGER(options, ranks));
  if (from_user(options, SB_ID(ranks)))
    return REFUSE(ranks, "the scene's self_contact runs on one rank only; got ranks %lld; add self_contact=none",
                  (long long)SB_INTEGER(options, ranks));
  return true;
}

static bool check_pin_path(const sb_options *options, sb_diagnostics *diagnostics)
{
  size_t paths;
  sb_options_composites(options, SB_ID(pin_path), &paths);
  if (!from_user(options, SB_ID(pin_path)) || paths == 0) return true;
  if (paths > 1) return REFUSE(pin_path, "pin_path must be one item, for all pinned vertices; got %zu", paths);
  if (!is_some(options, SB_ID(pins))) return REFUSE(pin_path, "pin_path moves pinned vertices, but pins is none");
  return true;
}

/* Faces are not distributed: a rank does not know their corners. */
static bool check_air(const sb_options *options, sb_diagnostics *diagnostics)
{
  const bool resists = SB_REAL(options, air_resistance) > 0.0;
  if (!resists && from_user(options, SB_ID(air_velocity)) && !from_user(options, SB_ID(air_resistance)))
    return REFUSE(air_velocity,
                  "air_velocity has no effect without air_resistance, which is 0; add air_resistance=1.2");
  if (resists && SB_INTEGER(options, ranks) > 1)
    return REFUSE(air_resistance, "air_resistance runs on one rank only; got ranks %lld",
                  (long long)SB_INTEGER(options, ranks));
  return true;
}

/* Particles find their neighbours among those of one rank. */
static bool check_particles(const sb_options *options, sb_diagnostics *diagnostics)
{
  const sb_scene *scene = sb_scene_find(SB_TEXT(options, scene));
  if (!scene || !scene->particles || SB_INTEGER(options, ranks) <= 1) return true;
  return REFUSE(ranks, "scenes of particles run on one rank only; got ranks %lld",
                (long long)SB_INTEGER(options, ranks));
}

static bool check_damping(const sb_options *options, sb_diagnostics *diagnostics)
{
  if (!from_user(options, SB_ID(velocity_factor)) || !from_user(options, SB_ID(damping_rate))) return true;
  return REFUSE(damping_rate, "velocity_factor and damping_rate state the same damping twice; give one of them");
}

bool sb_model_check(const sb_options *options, sb_diagnostics *diagnostics)
{
  static bool (*const checks[])(const sb_options *, sb_diagnostics *) = {
      check_collider, check_unused, check_collider_paths, check_restitution, check_implicit, check_self_contact,
      check_pin_path, check_air,    check_particles,      check_damping};
  bool good = true;
  for (size_t i = 0; i < sizeof checks / sizeof *checks; ++i) good = checks[i](options, diagnostics) && good;
  return good;
}

PetscErrorCode sb_check_creation(MPI_Comm comm, const sb_options *options, sb_options_check check)
{
  bool           *asked = sb_options_record(options, NULL); /* a check reads for all methods */
  sb_options     *actual = sb_options_copy(options);
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  char            text[512] = "out of memory";
  bool            good = actual && diagnostics;
  PetscMPIInt     ranks;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  if (good && SB_INTEGER(actual, ranks) != ranks) {
    snprintf(text, sizeof text, "%d", ranks);
    sb_options_set(actual, SB_ID(ranks), text, SB_FROM_USER, (sb_location){0}, NULL);
  }
  good = good && check(actual, diagnostics);
  if (!good && diagnostics && sb_diagnostics_errors(diagnostics) > 0)
    snprintf(text, sizeof text, "%s", sb_diagnostics_first_error(diagnostics));
  sb_options_destroy(&actual);
  sb_options_record(options, asked);
  sb_diagnostics_destroy(&diagnostics);
  PetscCheck(good, comm, PETSC_ERR_USER, "%s", text);
  PetscFunctionReturn(0);
}
