/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a simulation of the library, for the sources of this folder. */
#pragma once

#include "cases/run/complaint.h"
#include "drivers/setup.h"
#include "library/host.h"
#include "library/springbench.h"

struct sb_sim {
  sb_arena       *arena;       /* texts that live as long as the simulation */
  sb_options     *options;     /* resolved */
  sb_diagnostics *diagnostics; /* of its making */
  sb_case         c;
  sb_pose         pose; /* at the start; sb_sim_net shows it */
  sb_net          net;
  sb_setup        setup;
  sb_integrator  *integrator;
  int64_t         step;
  bool            stopped; /* the last steps ended early: the integrator must start again */
  bool            failed;  /* nothing but its error may be used */
  sb_complaint    complaint;
  char           *error; /* malloc'ed; NULL: none */
  char           *warnings;
  sb_sim         *next, **before; /* in the list of all */
};

/* Begins a call: forgets the last error, and refuses if the simulation has failed. `work` may raise errors of PETSc's,
 * which become the simulation's error. */
sb_sim_status sb_sim_perform(sb_sim *sim, PetscErrorCode (*work)(sb_sim *sim, void *context), void *context);
/* Sets the error of the call that is made, and returns SB_SIM_REFUSED. */
sb_sim_status sb_sim_refuse(sb_sim *sim, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with the messages of diagnostics. */
sb_sim_status sb_sim_refuse_all(sb_sim *sim, const sb_diagnostics *diagnostics);
/* These messages, a line each (malloc'ed). */
char *sb_sim_print(const sb_diagnostics *diagnostics);
