/* From the options of a case to a system and its state; see setup.h. */
#include "experiments/setup.h"

static PetscErrorCode distribute(const sb_case *c, const sb_pose *pose, sb_setup *setup)
{
  PetscFunctionBeginUser;
  PetscCall(sb_system_create(c->comm, pose, c->options, &setup->system));
  setup->system->profile = &setup->profile;
  PetscCall(sb_system_create_full(setup->system, &setup->x));
  PetscCall(sb_system_create_full(setup->system, &setup->v));
  PetscCall(sb_system_set_state(setup->system, pose, setup->x, setup->v));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_create(const sb_case *c, sb_recorder *recorder, sb_setup *setup)
{
  sb_pose         pose = {0};
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  PetscErrorCode  failure = 0;

  PetscFunctionBeginUser;
  *setup = (sb_setup){0};
  PetscCheck(diagnostics, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  const bool built = sb_scene_build(c->options, &pose, diagnostics);
  if (built) {
    if (recorder) failure = sb_recorder_scene(recorder, &pose);
    if (!failure) failure = distribute(c, &pose, setup);
  } else {
    const char *message = sb_diagnostics_message(diagnostics, 0);
    failure = PetscError(PETSC_COMM_SELF, __LINE__, PETSC_FUNCTION_NAME, __FILE__, PETSC_ERR_USER, PETSC_ERROR_INITIAL,
                         "%s", message ? message : "the scene cannot be built");
  }
  sb_pose_clear(&pose);
  sb_diagnostics_destroy(&diagnostics);
  PetscFunctionReturn(failure);
}

PetscErrorCode sb_setup_destroy(sb_setup *setup)
{
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&setup->x));
  PetscCall(VecDestroy(&setup->v));
  PetscCall(sb_system_destroy(&setup->system));
  PetscFunctionReturn(0);
}
