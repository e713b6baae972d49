/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A march of an integrator through the steps of a case that may be stopped on its way and continued to the bit
 * (cases/store/checkpoint.h). For drivers that move a scene through time; on one rank. */
#pragma once

#include "cases/store/checkpoint.h"
#include "drivers/setup.h"

typedef struct {
  /* Passes the driver's data of the steps so far through the checkpoint, in both directions. */
  PetscErrorCode (*keep)(void *driver, sb_checkpoint *checkpoint);
  void             *driver;
  int64_t           step;    /* the last that is finished */
  bool              moved;   /* by this process */
  sb_advance_report partial; /* of the steps of an advance that was stopped */
  sb_setup         *setup;   /* given to begin, like integrator and recorder; borrowed */
  sb_integrator    *integrator;
  sb_recorder      *recorder;
} sb_march;

/* Begins at march->step, or, if the case was stopped, at the step where it was stopped; *continued: it was stopped. The
 * setup's state is then that after march->step, and `keep` has been called. */
PetscErrorCode sb_march_begin(sb_march *march, sb_setup *setup, sb_integrator *integrator, sb_recorder *recorder,
                              bool *continued);
/* From here on the integrator shows its progress to `total`, and may be stopped within an advance; else only between
 * two. For drivers that measure no times. */
void sb_march_watch(sb_march *march, int64_t total);
/* As sb_integrator_advance on the setup's state. The call that was under way when the case was stopped must be the
 * first one after begin, with the same arguments. If the case is to be stopped, this stores its state and ends the
 * process. */
PetscErrorCode sb_march_advance(sb_march *march, int64_t first_step, int64_t steps, sb_advance_report *report);
/* True if the next advance continues one that was stopped. */
bool sb_march_is_within(const sb_march *march);

/* A vector, for `keep`. */
PetscErrorCode sb_march_keep_vector(sb_checkpoint *checkpoint, const char *name, Vec vector);
