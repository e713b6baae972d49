/* Steps of explicit integrators in one pass over the vertices, on plain arrays, compiled for several instruction sets.
 *
 * They are for nets on one rank on which springs, gravity and drag act, and nothing else, and whose springs have bands
 * (model/forces/bands.h). Anything else goes the way of explicit.h, to the same bits: a pass sums springs in the same
 * order, and has the same operations on a coordinate as the methods' own files. */
#pragma once

#include <stdint.h>

#include "model/forces/bands.h"
#include "solvers/integrate/integrator_method.h"

typedef enum {
  SB_FUSED_EXPLICIT_EULER,
  SB_FUSED_SYMPLECTIC_EULER,
  SB_FUSED_VELOCITY_VERLET, /* from half a step to half a step: kick, which ends a step, kick, drift */
  SB_FUSED_STOERMER_VERLET  /* acceleration, which ends a step, and the next position */
} sb_fused_method;

/* Coordinates stand apart, x of all vertices first, each at a distance of bands->stride; positions are those of the
 * bands. Behind the last vertex nothing has a mass, falls or moves. */
typedef struct {
  sb_bands *bands; /* the system's */
  double   *inverse_mass;
  double   *gravity;
  double   *velocity; /* Stoermer-Verlet: acceleration */
  double   *previous; /* Stoermer-Verlet: the position before */
  double   *next;     /* where threads share the bands: the other positions, else NULL */
  double   *link; /* of a chain, whose spring s joins vertices s and s + 1: stiffness, then rest length of the spring
                     from each vertex, NaN where there is none; else NULL */
  double h_seconds, factor, drag;
  double center[3], limit; /* m: does every coordinate differ from the centre's by no more than that? */
} sb_fused_net;

typedef struct {
  /* Up to `steps` passes; ends behind the first whose positions are not near the centre. Returns how many. Local. */
  int64_t (*advance)(const sb_fused_net *net, sb_fused_method method, int64_t steps, bool *near);
  /* [vertices][3] coordinates into an array of the net's, and back. */
  void (*take)(const sb_fused_net *net, const double *coordinates, double *apart);
  void (*give)(const sb_fused_net *net, const double *apart, double *coordinates);
} sb_fused_kernels;

SB_DECLARE_TABLES(sb_fused_kernels, sb_fused);

typedef struct {
  sb_fused_net            net;
  const sb_fused_kernels *kernels;
} sb_fused;

/* *fused is NULL for a system that cannot be had so. Local; allocates. */
PetscErrorCode sb_fused_create(const sb_integrator_setup *setup, sb_fused **fused);
PetscErrorCode sb_fused_destroy(sb_fused **fused);
/* Another instruction set than the best one: for tests, which compare them. */
void sb_fused_choose(sb_fused *fused, sb_instruction_set set);
