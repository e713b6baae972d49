/* SPDX-License-Identifier: GPL-3.0-or-later */
/* springbench.h: mass-spring systems and fluids of particles, simulated by any integrator, minimiser and linear solver
 * of springbench. C and C++.
 *
 *     sb_sim *sim = sb_sim_from_scene("scene=cloth grid=40 integrator=implicit_euler minimizer=newton h=0.01");
 *     if (sb_sim_advance(sim, 100, NULL) != SB_SIM_OK) puts(sb_sim_error(sim));
 *     sb_sim_free(sim);
 *
 * Units are SI. Arrays of vectors are [vertices][3], arrays of ends [springs][2], of triangles [triangles][3]; vertices
 * count from 0. Numbers are IEEE doubles. No function prints or ends the process.
 *
 * Options are the pairs NAME=VALUE of `springbench case`, separated by blanks; `springbench list options` describes
 * them. Single or double quotes keep blanks together: petsc='-ksp_type cg -pc_type icc'. An option that the simulation
 * does not read is an error. So are duration, steps, frames, driver, problem, ranks, save and restart, which belong to
 * the command line: sb_sim_advance, sb_sim_save and sb_sim_load replace them. `substeps` and `frame_seconds` may state
 * h.
 *
 * Processes and threads. A simulation belongs to one process, and to one thread at a time. Several threads may call
 * functions of this header at once: they wait for each other, in the order in which they came. A process that forks
 * after the first simulation must execute another program before it uses MPI again (Python's multiprocessing: "spawn").
 * Option `threads` sets the threads of the kernels here; those of OpenBLAS and CHOLMOD come from OPENBLAS_NUM_THREADS,
 * OMP_NUM_THREADS and OMP_THREAD_LIMIT, which must be in the environment before the process starts. With all of them 1
 * the steps have the bits of `springbench case`.
 *
 * MPI. The first simulation starts MPI (as one process) and PETSc, unless the program has started them. A program with
 * MPI calls MPI_Init before the first simulation, or only if MPI_Initialized is false; if several of its threads make
 * simulations, MPI_Init_thread with MPI_THREAD_SERIALIZED. PETSc ends with MPI: in MPI_Finalize, or with the process if
 * the library started MPI. Simulations may be open then; calls on them are refused from there on, except sb_sim_free,
 * and new simulations have only an error.
 *
 * The program's own. Each function computes in the locale "C", without floating-point traps, rounding to nearest. When
 * it returns, its thread has locale, traps, rounding and flags as before. Handlers of signals and environment variables
 * are those from before the first simulation. Threads of the program's OpenMP pool keep its traps in `threads` > 1.
 *
 * The library is under the GNU General Public License, version 3 or later: a program that links it and is given to
 * others must be given under that licence too. */
#ifndef SPRINGBENCH_H
#define SPRINGBENCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef struct sb_sim sb_sim;

typedef enum {
  SB_SIM_OK,
  /* The steps ended early. The state is the one that the last step left; call sb_sim_set before the next step. */
  SB_SIM_DIVERGED,           /* a coordinate is not finite, or a vertex is out of bounds (option blowup_ratio) */
  SB_SIM_NOT_CONVERGED,      /* a linear solve was not accepted */
  SB_SIM_NOT_SPD,            /* a matrix was not positive definite, and the solver needs it to be */
  SB_SIM_CONTACT_UNRESOLVED, /* layers would have met, and self_contact could not prevent it */
  SB_SIM_REFUSED,            /* an argument is wrong; nothing has changed */
  SB_SIM_FAILED              /* memory, storage or a library failed; only sb_sim_error and sb_sim_free may follow */
} sb_sim_status;

/* A net of vertices and springs. Members are read when a simulation is made, and may be freed then. */
typedef struct {
  size_t         vertices, springs, triangles;
  const double  *position;    /* [vertices][3] m */
  const double  *velocity;    /* [vertices][3] m/s; NULL: zero. Option initial_velocity is added. */
  const double  *mass;        /* [vertices] kg, > 0; NULL: option vertex_mass or total_mass */
  const int32_t *ends;        /* [springs][2] numbers of vertices */
  const double  *stiffness;   /* [springs] N/m, >= 0; NULL: option stiffness or young */
  const double  *rest_length; /* [springs] m, > 0; NULL: the length in `position` */
  const int32_t *triangle; /* [triangles][3], for contact, air resistance and pictures; may be NULL if there are none */
  const uint8_t *pinned;   /* [vertices], not 0: pinned; NULL: none. Option pins adds others. */
} sb_net;

/* Counts of one sb_sim_advance. */
typedef struct {
  int64_t steps_done;  /* including the step that ended the call early */
  int64_t unconverged; /* steps in which a solve missed its tolerance; they do not end a call */
  int64_t minimizer_iterations, linear_iterations;
  double  residual; /* largest relative residual of the linear solves, 0 if there were none */
} sb_sim_report;

/* Makes a simulation of a net or of a scene (option `scene`; `springbench list scenes`). Runs every check of
 * the command line. If one fails, the simulation has only an error: sb_sim_error returns it, and sb_sim_free frees the
 * simulation. NULL only if memory is out. */
sb_sim *sb_sim_from_net(const sb_net *net, const char *options);
sb_sim *sb_sim_from_scene(const char *options);
/* Continues from the last state of a case file: of sb_sim_save, or of `springbench case` or `run` with a driver that
 * can be continued. Options, step, time and memories of the integrator are those of the file, so that the steps have
 * the bits of an uninterrupted run. Errors as above. Option `restart` of the command line does the same with files of
 * sb_sim_save, except those of nets or of pins that were changed. */
sb_sim *sb_sim_load(const char *file);
/* Accepts NULL. */
void sb_sim_free(sb_sim *sim);

/* Why the last call on this simulation did not return SB_SIM_OK: lines such as "options:3: error: 'stifness' is not an
 * option; did you mean 'stiffness'? [E101]", where 3 is the third pair. NULL after SB_SIM_OK. Valid until the next
 * call. */
const char *sb_sim_error(const sb_sim *sim);
/* Warnings about the net, a line each; "" if there are none. */
const char *sb_sim_warnings(const sb_sim *sim);

/* The net at the start, with the masses, stiffnesses and rest lengths in use; all members are set. It belongs to the
 * simulation. NULL after an error. */
const sb_net *sb_sim_net(const sb_sim *sim);

/* Makes `steps` steps of length h, or fewer if one fails; `report` may be NULL. steps = 0 does nothing. */
sb_sim_status sb_sim_advance(sb_sim *sim, int64_t steps, sb_sim_report *report);

/* Copies positions and velocities, [vertices][3]; either may be NULL. */
sb_sim_status sb_sim_get(sb_sim *sim, double *position, double *velocity);
/* Replaces positions and velocities; NULL keeps them. Values must be finite; positions and velocities of pinned
 * vertices are not changed. The integrator starts again: it forgets earlier steps, and the time continues. */
sb_sim_status sb_sim_set(sb_sim *sim, const double *position, const double *velocity);

/* A measure of the present state by name. sb_sim_measure_name gives the names and their units, NULL past the end.
 * SB_SIM_REFUSED: there is no such measure, or the simulation does not have it (contact without colliders). */
sb_sim_status sb_sim_measure(sb_sim *sim, const char *name, double *value);
const char   *sb_sim_measure_name(size_t i);
const char   *sb_sim_measure_unit(size_t i);

/* Changes numbers of a run: stiffness, masses, h, gravity, … Pairs replace those of before, and a pair that excludes
 * another (total_mass, vertex_mass), or an array of the net (mass, stiffness), is replaced. State and pins stay, and
 * the integrator starts again. After another h the time is the nearest multiple of it. States of sb_sim_record are
 * forgotten, as a file has one set of options. SB_SIM_REFUSED, with lines such as "options:1: error: …": the simulation
 * is as before. Options of the start (scene, pins, perturbation, …) are refused, and so is a change of vertices,
 * springs or triangles. */
sb_sim_status sb_sim_configure(sb_sim *sim, const char *options);

/* Pins vertices where they are, at rest, or frees them, at rest; `vertex` is [count]. Refused: all vertices, fluids,
 * and option pin_path or pin_method=penalty. The integrator starts again. */
sb_sim_status sb_sim_pin(sb_sim *sim, size_t count, const int32_t *vertex);
sb_sim_status sb_sim_unpin(sb_sim *sim, size_t count, const int32_t *vertex);
/* Moves pinned vertices at once to `position` [count][3] m. Refused: a vertex that is not pinned, and as above. */
sb_sim_status sb_sim_move(sb_sim *sim, size_t count, const int32_t *vertex, const double *position);
/* Forces [vertices][3] N on free vertices in all steps from here on, besides the others; NULL: none again. Explicit
 * methods take them in each evaluation, implicit ones in the prediction of the step, as a field (option wind). A saved
 * file does not have them. Refused: fluids and devices. The integrator starts again with the first forces and with
 * NULL. */
sb_sim_status sb_sim_set_forces(sb_sim *sim, const double *force);

/* Notes the present state as a frame of the files that sb_sim_save writes, for `springbench animate`: 48 bytes a vertex
 * in memory. A second frame of the same step replaces the first. */
sb_sim_status sb_sim_record(sb_sim *sim);
/* Stores net, state, options, measures and recorded frames in an HDF5 file, the case file of springbench: `springbench
 * show FILE`, `springbench animate FILE`, results/README.md. A file of that kind is replaced, others are refused; the
 * name appears when the file is complete. Its key is zeros: it is not a case of any sweep. */
sb_sim_status sb_sim_save(sb_sim *sim, const char *file);

/* The i-th name of a list ("scenes", "integrators", "minimizers", "linear", "options", … as in `springbench list`) and
 * what it is; NULL past the end and for other lists. Static text. */
const char *sb_sim_list_name(const char *list, size_t i);
const char *sb_sim_list_summary(const char *list, size_t i);
/* The version of the project: "1.2.3". */
const char *sb_sim_version(void);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
