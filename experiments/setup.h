/* What every driver starts from: the scene of a case, distributed, with its state and a profile. Collective. */
#pragma once

#include "harness/driver.h"
#include "model/system.h"

typedef struct {
  sb_system *system;
  Vec        x, v; /* full: the state at time 0 */
  sb_profile profile;
} sb_setup;

/* Builds the scene, hands its static part to the recorder (NULL: to nobody), and sets the state. A scene that cannot be
 * built is PETSC_ERR_USER with its message. `setup` stays where it is: the system borrows its profile. */
PetscErrorCode sb_setup_create(const sb_case *c, sb_recorder *recorder, sb_setup *setup);
PetscErrorCode sb_setup_destroy(sb_setup *setup);
