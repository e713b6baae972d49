/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of explicit integrators in one pass over the vertices, on plain arrays, compiled for several instruction sets.
 *
 * They are for nets with springs, gravity and drag only, whose springs have bands (model/forces/bands.h) on every rank.
 * Other nets use explicit.h, with the same bits: a pass sums springs in the same order and has the same operations on a
 * coordinate as the methods' own files.
 *
 * On several ranks a pass reads one array of positions and writes another. It begins with an exchange of the ghosts'
 * positions, during which the parts without a spring to a ghost move. */
#pragma once

#include <petscsf.h>
#include <stdint.h>

#include "model/forces/bands.h"
#include "solvers/integrate/integrator_method.h"

typedef enum {
  SB_FUSED_EXPLICIT_EULER,
  SB_FUSED_SYMPLECTIC_EULER,
  SB_FUSED_VELOCITY_VERLET, /* from half step to half step: the kick that ends a step, kick, drift */
  SB_FUSED_STOERMER_VERLET  /* the acceleration that ends a step, and the next position */
} sb_fused_method;

/* Arrays hold x of all vertices first, then y and z, at distances of bands->stride; positions are those of the bands.
 * Entries beyond the last vertex have inverse mass, gravity and velocity 0. */
typedef struct {
  sb_bands *bands; /* the system's */
  double   *inverse_mass;
  double   *gravity;
  double   *velocity; /* Stoermer-Verlet: acceleration */
  double   *previous; /* Stoermer-Verlet: the previous position, else NULL */
  double   *next;     /* if there are parts or ghosts: the other positions, else NULL */
  double   *link; /* for a chain, whose spring s joins vertices s and s + 1: stiffness, then rest length of the spring
                   * from each vertex, NaN if there is none; else NULL */
  double h_seconds, factor, drag;
  double center[3], limit; /* m: the positions are near the centre if every coordinate is within `limit` of center */
} sb_fused_net;

typedef struct {
  /* Makes up to `steps` passes and ends after the first whose positions are not near the centre. Returns their number.
   * Local. */
  int64_t (*advance)(const sb_fused_net *net, sb_fused_method method, int64_t steps, bool *near);
  /* One pass of the inner or of the other parts, from positions `x` to `next`. Returns whether their vertices are near
   * the centre. Local. */
  bool (*pass)(const sb_fused_net *net, sb_fused_method method, bool inner, double *x, double *next);
  /* Copy coordinates [vertices summed][3] into an array of the net, and back. */
  void (*take)(const sb_fused_net *net, const double *coordinates, double *apart);
  void (*give)(const sb_fused_net *net, const double *apart, double *coordinates);
} sb_fused_kernels;

SB_DECLARE_TABLES(sb_fused_kernels, sb_fused);

/* Fused steps on several ranks between two reductions of their tests of the bounds. */
enum { SB_UNCHECKED_MAX = 32 };

typedef struct {
  sb_fused_net            net;
  const sb_fused_kernels *kernels;
  PetscSF                 exchange;  /* of ghosts within an array of positions; NULL: one rank */
  int64_t                 unchecked; /* on several ranks: passes until they next compare their tests of the bounds */
} sb_fused;

/* On several ranks: makes `steps` passes, and sets *left to the number of the first after which this rank's positions
 * were not near the centre, counted from 0; `steps` if there was none. Collective. */
PetscErrorCode sb_fused_pass(const sb_fused *fused, sb_fused_method method, int64_t steps, int64_t *left);
/* For the steps of one method. *fused is NULL for a system without fused steps. Collective; allocates. */
PetscErrorCode sb_fused_create(const sb_integrator_setup *setup, sb_fused_method method, sb_fused **fused);
PetscErrorCode sb_fused_destroy(sb_fused **fused);
/* Chooses another instruction set than the best one, for tests that compare them. */
void sb_fused_choose(sb_fused *fused, sb_instruction_set set);
