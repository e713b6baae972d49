/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a simulation of the library, for the sources of this folder. */
#pragma once

#include "cases/run/complaint.h"
#include "cases/store/case_file.h"
#include "drivers/setup.h"
#include "library/host.h"
#include "library/springbench.h"

/* A state that sb_sim_record noted. */
typedef struct sb_sim_frame {
  struct sb_sim_frame *next;
  int64_t              step;
  double              *position, *velocity; /* [vertices][3], after the frame */
} sb_sim_frame;

struct sb_sim {
  sb_arena       *arena;       /* memory that lives as long as the simulation */
  sb_options     *options;     /* resolved */
  sb_diagnostics *diagnostics; /* of its making */
  sb_case         c;
  sb_net          given; /* the caller's arrays, in the arena; all NULL for a scene */
  sb_pose         pose;  /* at the start; sb_sim_net shows it */
  sb_net          net;
  sb_setup       *setup; /* in the arena */
  sb_integrator  *integrator;
  int64_t         step;
  bool            own_pins; /* pins were set, freed or moved: they are no longer those of the options */
  bool            stopped;  /* the last steps ended early: the integrator must start again */
  bool            failed;   /* nothing but its error may be used */
  double         *pushed;   /* [vertices][3] m/s^2 from sb_sim_set_forces, malloc'ed; NULL: none */
  sb_sim_frame   *frames, *last_frame;
  sb_complaint    complaint;
  char           *error; /* malloc'ed; NULL: none */
  char           *warnings;
  sb_sim         *next, **before; /* in the list of all */
};

/* The parts that make a simulation. */
typedef struct {
  const char          *line;       /* its options */
  const sb_net        *net;        /* NULL: a scene */
  const sb_sim        *like;       /* has the options that the line lacks; NULL: none */
  const char          *earlier;    /* options that the line lacks, and that nothing has to read; NULL: none */
  const char          *file;       /* whose options it has, and whose last state; NULL: none */
  const uint8_t       *pinned;     /* [vertices], in place of those of net or scene; NULL: theirs */
  const sb_vocabulary *vocabulary; /* with the methods of plug-ins; NULL: without */
} sb_sim_source;

/* The names, with the methods of plug-ins that SPRINGBENCH_PLUGINS names. They are loaded once, as long as the variable
 * stays; without them, after messages, if they cannot be. */
const sb_vocabulary *sb_sim_vocabulary(sb_diagnostics *diagnostics);
/* True if an option belongs to the command line: a simulation of the library is as long as its caller advances it. */
bool sb_sim_lacks(sb_option_id id);

/* NULL if memory is out; with an error if it cannot be. */
sb_sim *sb_sim_make(const sb_sim_source *source);
void    sb_sim_forget_frames(sb_sim *sim);
/* The options of a run of h and of the steps that were made, to be destroyed; NULL if memory is out. */
sb_options *sb_sim_options_of_run(const sb_sim *sim);
/* Begins the integrator again at the present state, which may have been changed. For sb_sim_perform. */
PetscErrorCode sb_sim_begin_again(sb_sim *sim, void *context);
/* Begins a call: forgets the last error, and refuses if the simulation has failed. `work` may raise errors of PETSc's,
 * which become the simulation's error. */
sb_sim_status sb_sim_perform(sb_sim *sim, PetscErrorCode (*work)(sb_sim *sim, void *context), void *context);
/* Sets the error of the call that is made, and returns SB_SIM_REFUSED. */
sb_sim_status sb_sim_refuse(sb_sim *sim, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* True, with a refusal, if the last steps ended early: their state may not allow further steps. */
bool sb_sim_is_stopped(sb_sim *sim);
/* The same with the messages of diagnostics. */
sb_sim_status sb_sim_refuse_all(sb_sim *sim, const sb_diagnostics *diagnostics);
/* These messages, a line each (malloc'ed). */
char *sb_sim_print(const sb_diagnostics *diagnostics);
