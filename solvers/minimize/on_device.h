/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors of a system on a device (options `device` and `precision`), and the incremental potential and passes by
 * colours on them. Methods do not change: their Vecs are of another type, whose operations are launches, and the
 * functions of potential.h test where z is. An array of such a Vec is a copy on the host, transferred on request, so
 * that operations without a kernel work, too. Sums are fixed trees: equal bits on all devices. On one rank, with
 * pin_method reduce and only springs, gravity, drag and dampers. */
#pragma once

#include "solvers/device/net.h"
#include "solvers/linear/linear_solver.h"
#include "solvers/minimize/potential.h"

typedef struct sb_on_device sb_on_device;

/* True if a case's minimiser runs on a device. */
bool sb_minimizer_has_device(const sb_options *options);
/* Opens the device of the options with the net of the system, for steps of h. Vecs keep it open: destroy gives back the
 * caller's part. */
PetscErrorCode sb_on_device_open(sb_system *system, const sb_options *options, double h_seconds, sb_on_device **device);
PetscErrorCode sb_on_device_close(sb_on_device **device);
sb_device     *sb_on_device_opened(const sb_on_device *device);
/* Between the two, Vecs of the system are made on the device. Nothing is done with NULL. */
PetscErrorCode sb_on_device_enter(sb_on_device *device, sb_system *system);
PetscErrorCode sb_on_device_leave(sb_on_device *device, sb_system *system);

/* The device that a Vec is on; NULL: none. */
sb_on_device *sb_vec_device(Vec vec);
/* A number that no other Vec has, nor this one after a change. */
int64_t sb_vec_state(Vec vec);
/* to (on a device) = from, transferred at once, not at the first use in a kernel */
PetscErrorCode sb_vec_send(Vec from, Vec to);

/* potential.h with z, or x and v, on a device; without a load. */
PetscErrorCode sb_on_device_set_state(sb_potential *potential, Vec x, Vec v);
PetscErrorCode sb_on_device_gradient(const sb_potential *potential, Vec z, Vec gradient);
PetscErrorCode sb_on_device_value(const sb_potential *potential, Vec z, double *value);
PetscErrorCode sb_on_device_curvature(const sb_potential *potential, sb_curvature kind, Vec z, Vec direction,
                                      double *curvature);
/* out = B^-1 in over unknowns, B the diagonal blocks of H at z without negative parts */
PetscErrorCode sb_on_device_solve_blocks(Vec z, Vec in, Vec out);
/* sb_potential_advance with the Hessian at z, whose negative parts count `negative` times */
PetscErrorCode sb_on_device_advance(const sb_potential *potential, double negative, Vec z, sb_cg_turn turn,
                                    const sb_cg_vectors *cg, double *curvature);
/* x = an approximation of W^-1 b over unknowns by iterations from 0, W = M/h^2 + sum k A A^T of local-global. work: two
 * Vecs of unknowns; full: one that is 0 where pinned. */
typedef struct {
  Vec step, change, full;
} sb_relaxation_work;
PetscErrorCode sb_on_device_relax(const sb_system *system, const sb_relaxation *relaxation,
                                  const sb_relaxation_work *work, Vec b, Vec x);
/* The end of a step: v = (z - x)/h, times `factor` where free, x = z. *near: z is within `limit` of the centre in every
 * coordinate. */
PetscErrorCode sb_on_device_move(Vec z, double factor, const double center[3], double limit, Vec x, Vec v, bool *near);

/* An order of visits by colours, and its data. */
typedef struct {
  PetscInt          colours;
  const PetscInt   *start; /* [colours + 1] borrowed */
  sb_device_buffer *index, *number, *memory;
} sb_device_pass;
/* index: `count` numbers of vertices; number: 4 of each visit, NULL: none; memory: one number of each visit, in which
 * the pass keeps numbers for the next one; only with `number`. */
PetscErrorCode sb_device_pass_create(sb_on_device *device, PetscInt count, const PetscInt *index, PetscInt visits,
                                     const double *number, sb_device_pass *pass);
PetscErrorCode sb_device_pass_destroy(sb_on_device *device, sb_device_pass *pass);
PetscErrorCode sb_device_pass_forget(sb_on_device *device, PetscInt visits, sb_device_pass *pass);
/* A pass of vertex block descent (kind BLOCKS_...), or of springs as constraints, in place. */
PetscErrorCode sb_on_device_visit_vertices(const sb_device_pass *pass, int kind, double part, Vec place, Vec z);
PetscErrorCode sb_on_device_visit_springs(const sb_device_pass *pass, Vec z);
