/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process of a simulation: declarations that its files share. See simulation.c. */
#pragma once

#include "cases/store/session.h"
#include "library/simulation.h"
#include "live/channel.h"

typedef struct {
  bool    active, by_pin, was_pinned;
  int32_t vertex;
  double  to[3];     /* m */
  double  stiffness; /* N/m, of the spring that pulls */
} sb_hand;

/* J: the energy at the start and after the last steps, and what was given since the start. */
typedef struct {
  bool    open;
  double  start, last, given;
  double *place; /* [vertices][3] m before the steps, if a hand or wind pulls, malloc'ed */
} sb_energy_book;

typedef struct {
  const sb_session *session;
  int               side;
  const char       *file;        /* the file that it continues; "": none */
  const char       *folder;      /* for the files that it makes */
  int               files;       /* the number of the last one */
  json_t           *pairs;       /* {option: text} as the user gave them, of the simulation there is */
  sb_sim           *sim;         /* NULL: none could be made yet */
  bool              touched;     /* the state does not follow from options: files have it */
  double            limit_h;     /* s; NAN: none, or not known yet */
  double            limit_due;   /* s of the clock: when to find it; 0: it is found */
  double            per_step[3]; /* of the last steps: iterations of the minimiser, of the linear solver, seconds */
  double            residual;
  int64_t           steps;        /* made for this picture */
  char              chosen_h[32]; /* the step that was chosen here, as text; "": none */
  sb_energy_book    energy;
  sb_hand           hand;
  double            gust[3]; /* m/s^2 */
} sb_stage_play;

/* tell.c: sends an object to the server, with the side; steals the reference. */
void sb_play_tell(const sb_stage_play *play, json_t *message);
void sb_play_refuse(const sb_stage_play *play, const char *option, const char *why);

/* knobs.c: the options as knobs, and their values in this simulation; pairs are read from its options. */
void sb_play_tell_knobs(const sb_stage_play *play);
void sb_play_tell_values(sb_stage_play *play);
/* True if a page may set the option; else false, with the reason. */
bool sb_play_may_set(const char *name, const char **why);

/* picture.c */
double         sb_play_net_bytes(const sb_sim *sim);                   /* of its message, nearly */
void           sb_play_tell_net(const sb_stage_play *play, bool anew); /* anew: the simulation is at its start */
void           sb_play_tell_pins(const sb_stage_play *play);
bool           sb_play_show(sb_stage_play *play, uint32_t frame);
PetscErrorCode sb_play_measure(sb_sim *sim, void *energies); /* for sb_sim_perform; an sb_energies */
/* The longest stable h, if the method has one. No picture after a change waits for it: it is found when no change came
 * for a quarter of a second, and the server notified, which requests a picture even when paused. */
void   sb_play_forget_limit(sb_stage_play *play);
double sb_play_limit_of(sb_sim *sim);           /* s; NAN: there is none, or it is not known */
void   sb_play_find_limit(sb_stage_play *play); /* when it is time; waits for that as long as there is no request */

/* burst.c: steps between "before" and "after" may not gain energy that nothing gave. After them, the reason (malloc'ed)
 * why the simulation is stopped, or NULL. "forget": it begins at another state. */
void  sb_burst_forget(sb_stage_play *play);
void  sb_burst_before(sb_stage_play *play);
char *sb_burst_after(sb_stage_play *play);

/* hold.c: a hand on a vertex, and wind. Each refuses by itself. */
void sb_hold_drag(sb_stage_play *play, const json_t *message);
void sb_hold_drop(sb_stage_play *play);
void sb_hold_pin(sb_stage_play *play, const json_t *message);
void sb_hold_gust(sb_stage_play *play, const json_t *message);
/* True if forces change from step to step. */
bool sb_hold_pulls(const sb_stage_play *play);
/* Sets the forces of now. */
void sb_hold_apply(sb_stage_play *play);

/* record.c: files and lines for the command line. */
void sb_record_save(sb_stage_play *play, const json_t *message);
void sb_record_command(sb_stage_play *play, const json_t *message);
void sb_record_sweep(sb_stage_play *play, const json_t *message);
