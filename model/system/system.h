/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mass-spring system distributed over the ranks of a communicator.
 *
 * Vertices are split into contiguous blocks. A rank has its own (owned) vertices, the ghosts that its springs reach,
 * and every spring that touches an owned vertex. Positions and velocities are ghosted PETSc Vecs of block size 3 over
 * all vertices ("full"). Gradients, steps and linear systems are over the unknown vertices ("unknowns"), numbered in
 * the same order: those that are not pinned with pin_method reduce, else all. On one rank all of this only costs a
 * copy.
 *
 * Collective on the system's communicator unless stated otherwise. Units SI. */
#pragma once

#include <petscmat.h>

#include "base/profile.h"
#include "model/contact/barrier.h"
#include "model/contact/contact.h"
#include "model/forces/air.h"
#include "model/forces/bands.h"
#include "model/forces/field.h"
#include "model/forces/kernels.h"
#include "model/forces/law.h"
#include "model/forces/path.h"
#include "model/particles/fluid.h"
#include "model/scene/scene.h"

typedef struct {
  /* J; gravity is -sum m g.x; elastic is the energy of springs, or of the state equation of a weakly compressible
   * fluid. Sums do not include particles of walls. */
  double kinetic, elastic, gravity, total;
  double momentum[3];         /* kg m/s */
  double angular_momentum[3]; /* kg m^2/s, about the origin */
  double strain_max;          /* largest |length/rest length - 1| */
} sb_energies;

/* How linear systems treat pinned vertices (docs/model.md section 5); pins.c. Explicit integrators do not use it. */
typedef enum {
  SB_PINS_REDUCE,           /* not unknowns: their pull is on the right-hand side */
  SB_PINS_ROW_REPLACE,      /* unknowns with rows of the identity: matrices are not symmetric */
  SB_PINS_CONSTRAINT_FORCE, /* unknowns with a force -f besides f: rows with inertia only, not symmetric either */
  SB_PINS_PENALTY           /* unknowns held at their place by springs of stiffness pin_weight and rest length 0 */
} sb_pin_method;

/* Unknown vertices that are consecutive among all owned vertices: copied as one block. */
typedef struct {
  PetscInt vertex, unknown, count; /* local numbers of the first */
} sb_unknown_run;

typedef enum { SB_MOVE_TAKE, SB_MOVE_ADD, SB_MOVE_SET } sb_move;
struct sb_system;
/* sb_system_restrict, add_unknowns, set_unknowns of Vecs that are not on the host; *moved: they were such. */
typedef PetscErrorCode sb_move_unknowns(const struct sb_system *system, sb_move move, double alpha, Vec from, Vec to,
                                        bool *moved);

/* Read-only for everyone but system.c. */
typedef struct sb_system {
  MPI_Comm    comm;
  PetscMPIInt rank, ranks;
  PetscInt    vertices, first_vertex, owned, ghosts; /* global count; this rank's first, its owned, its ghosts */
  PetscInt   *ghost_ids;                             /* [ghosts] global numbers, ascending */
  PetscInt    springs_global;
  sb_springs  springs; /* as given: those of Hooke's law */
  sb_law     *law;     /* NULL: Hooke's, without damping inside steps */
  sb_bands   *bands;   /* the same springs for vector instructions, NULL if they have no bands */
  double     *sum;     /* [3 (owned + ghosts)] of energy.c if there are bands, else NULL */
  int         threads; /* that share a pass over this rank's springs or vertices */
  const sb_band_kernels *band_kernels;
  PetscInt              *spring_ids; /* [springs.count] global numbers; NULL on one rank: each its own */
  double                *mass;       /* [owned + ghosts] kg */
  bool                  *pinned;     /* [owned + ghosts] */
  PetscInt               unknown_vertices, first_unknown, owned_unknown; /* the same three over unknown vertices */
  PetscInt              *unknown_id;     /* [owned + ghosts] global number among unknowns, -1: not an unknown */
  PetscInt              *unknown_vertex; /* [owned_unknown] local number of each */
  PetscInt               runs;
  sb_unknown_run        *run;     /* [runs] */
  PetscInt               coupled; /* with pins reduced: number of springs from a free owned vertex to a pinned one */
  PetscInt              *coupled_spring; /* [coupled] their local numbers */
  sb_pin_method          pin_method;
  double                 pin_weight; /* N/m */
  double                 gravity[3], drag;
  double                 spring_damping;  /* N s/m */
  double                 damping_in_step; /* s; as the option */
  sb_air                *air;             /* NULL: none */
  sb_fluid              *fluid;           /* its particles are the vertices; NULL: none */
  sb_field              *field;           /* NULL: none */
  sb_contact            *contact;         /* NULL: none */
  sb_surface            *surface;         /* of a net with surface self-contact, else NULL */
  sb_barrier            *barrier;         /* NULL: none */
  sb_path               *pin_path;        /* NULL: pinned vertices do not move */
  PetscInt               pinned_owned;    /* on this rank */
  PetscInt              *pin_vertex;      /* [pinned_owned] local numbers */
  double                *pin_rest;        /* [pinned_owned][3] m, at t = 0 */
  double                *scratch;         /* [3 owned] for external.c */
  double                 mass_total;
  double                 diagonal;  /* m, of the initial bounding box */
  PetscInt               triangles; /* 0, and the next two NULL, unless a plug-in's method is used */
  double                *rest;      /* [vertices][3] m, places at the start */
  int32_t               *triangle;  /* [triangles][3] */
  sb_profile            *profile;   /* borrowed, may be NULL; receives the times of phases */
  Vec                    full_template, unknown_template;
  sb_move_unknowns      *move_unknowns; /* NULL: all Vecs are on the host */
  struct sb_pattern     *pattern;       /* matrix.c: positions of springs' values; NULL until a matrix is made */
} sb_system;

/* Distributes a pose and takes over its arrays of springs, which are NULL afterwards: at no time are there two copies
 * of them. The rest is copied; the pose may be cleared. `options` has gravity and drag. */
PetscErrorCode sb_system_take(MPI_Comm comm, sb_pose *pose, const sb_options *options, sb_system **system);
/* The same from a copy of the springs. */
PetscErrorCode sb_system_create(MPI_Comm comm, const sb_pose *pose, const sb_options *options, sb_system **system);
PetscErrorCode sb_system_destroy(sb_system **system);

/* The global number of a spring. Local. */
static inline PetscInt sb_system_spring_id(const sb_system *system, PetscInt spring)
{
  return system->spring_ids ? system->spring_ids[spring] : spring;
}

/* Sets the number of threads that share passes over vertices, even if there are few vertices (sb_system_create sets
 * option `threads` only if there are enough). Not collective; to be called before anything borrows the bands. */
PetscErrorCode sb_system_set_threads(sb_system *system, int threads);

/* A ghosted Vec over all vertices (3 per vertex), or a Vec over unknown vertices. Zeroed. The caller destroys it. */
PetscErrorCode sb_system_create_full(const sb_system *system, Vec *full);
PetscErrorCode sb_system_create_unknowns(const sb_system *system, Vec *unknowns);
/* Copies the pose's positions and velocities of owned and ghost vertices. */
PetscErrorCode sb_system_set_state(const sb_system *system, const sb_pose *pose, Vec x, Vec v);

/* Updates ghosts (if there are several ranks) and returns the local array [owned + ghosts][3]. Every begin needs its
 * end. */
PetscErrorCode sb_system_begin_read(const sb_system *system, Vec full, const double **array);
PetscErrorCode sb_system_end_read(const sb_system *system, Vec full, const double **array);

/* The same for a pass over the bands, in which the exchange of ghosts overlaps with the parts that need none. */
typedef struct {
  Vec            full; /* NULL: nothing is under way */
  PetscErrorCode failure;
} sb_arrival;
PetscErrorCode sb_system_begin_exchange(const sb_system *system, Vec full, sb_arrival *ghosts, const double **array);
PetscErrorCode sb_system_end_exchange(const sb_system *system, Vec full, sb_arrival *ghosts, const double **array);

/* unknowns = full on unknown vertices; full += alpha unknowns; full = unknowns. Other vertices are unchanged. Not
 * collective. */
PetscErrorCode sb_system_restrict(const sb_system *system, Vec full, Vec unknowns);
PetscErrorCode sb_system_add_unknowns(const sb_system *system, double alpha, Vec unknowns, Vec full);
PetscErrorCode sb_system_set_unknowns(const sb_system *system, Vec unknowns, Vec full);

/* Matrices over unknown vertices. The pattern is made once; values are set many times without a search. Two springs
 * between the same vertices are an error (E206 excludes them from scenes). Symmetric matrices are marked symmetric.
 * Scalar: M + h^2 L, owned_unknown rows. Block: three rows per vertex, block size 3, AIJ; the caller marks it SPD if it
 * is.
 * Rows of pinned vertices: with row_replace those of the identity, columns unchanged; with constraint_force m, or
 * mass_scale m; with penalty + h^2 pin_weight, or + pin_weight, on the diagonal. */
bool           sb_system_is_symmetric(const sb_system *system); /* true if its matrices are */
PetscErrorCode sb_system_create_scalar_matrix(sb_system *system, double h_seconds, Mat *matrix);
PetscErrorCode sb_system_create_block_matrix(sb_system *system, Mat *matrix);
/* A = mass_scale M + sum of H_s at x with their negative eigenvalues times `negative` (assembly.h); mass_scale is 1/h^2
 * for Newton, 0 for the stiffness matrix. */
PetscErrorCode sb_system_assemble_hessian(sb_system *system, double negative, double mass_scale, Vec x, Mat matrix);
/* The same plus the Hessian of penalty contact at time t; `negative` multiplies the curvature of surfaces. */
PetscErrorCode sb_system_assemble_contact_hessian(sb_system *system, double negative, double mass_scale,
                                                  double t_seconds, Vec x, Mat matrix);

/* Makes the exact Hessians of the springs in projected[spring] of this rank positive semi-definite at x: matrix += -k
 * (1 - l/r) (I - u u^T) for a spring shorter than at rest. Two ranks that share a spring must agree about it. The
 * matrix is from sb_system_create_block_matrix, or contains its pattern. */
PetscErrorCode sb_system_project_springs(const sb_system *system, const bool *projected, Vec x, Mat matrix);

/* Contributions of pin methods to a minimisation besides its matrix; `place` (full) has the prescribed places of pinned
 * vertices. All return at once with reduce. Not collective. */
/* position of owned pinned vertices = their place at time t. */
PetscErrorCode sb_system_place_held(const sb_system *system, double t_seconds, double *position);
/* With penalty: *energy += 1/2 pin_weight |x - place|^2 over this rank's pinned vertices. */
PetscErrorCode sb_system_add_hold_energy(const sb_system *system, Vec place, Vec x, double *energy);
/* gradient (unknowns) of a step of h. penalty: += pin_weight (x - place); replaced rows: 0; constraint force, which
 * leaves only inertia: m/h^2 (x - place). */
PetscErrorCode sb_system_hold_gradient(const sb_system *system, double h_seconds, Vec place, Vec x, Vec gradient);
/* rhs (unknowns) of the scalar matrix: += h^2 pin_weight place; = place on replaced rows, m place with a constraint
 * force. */
PetscErrorCode sb_system_hold_right_hand_side(const sb_system *system, double h_seconds, Vec place, Vec rhs);

/* The springs at a place of local vertices: the given ones, or the tangents of their law (model/forces/law.h) with
 * negative E'' times `negative`. *bands NULL: there are none. Local; hold until the next call. */
typedef struct {
  const sb_springs *list;
  sb_bands         *bands;
} sb_tangents;
sb_tangents sb_system_tangents(const sb_system *system, double negative, const double *position);
/* The bands of the tangents, or of the given springs. Local. */
static inline sb_bands *sb_system_bands(const sb_system *system)
{
  return system->law ? system->law->bands : system->bands;
}
/* [springs] N/m: an upper bound of E'' and E'/r of each, or k at rest if the law has none. Local. */
static inline const double *sb_system_bounds_of_springs(const sb_system *system)
{
  return system->law ? system->law->bound : system->springs.stiffness;
}
/* The springs of local steps at a place: k* = the bound, and k* l* u is the pull. Local. */
sb_tangents sb_system_pulls(const sb_system *system, const double *position);
/* A step of an implicit method begins at x, with `damping` = beta/h; it lasts until sb_system_end_step, after which
 * springs have no damping. Matrices and bounds have that of the step. */
PetscErrorCode     sb_system_begin_step(const sb_system *system, double damping, Vec x);
static inline void sb_system_end_step(const sb_system *system)
{
  if (system->law) sb_law_set_damping(system->law, 0);
}

/* Elastic energy at x (a sum over all ranks), with that of damping inside the step. */
PetscErrorCode sb_system_elastic_energy(const sb_system *system, Vec x, double *energy);
/* force = -grad E on owned vertices (full Vec; on pinned vertices it is their reaction). */
PetscErrorCode sb_system_elastic_forces(const sb_system *system, Vec x, Vec force);
/* The same into an array [owned][3]. */
PetscErrorCode sb_system_forces_at(const sb_system *system, Vec x, double *force);
/* The same on local arrays: position [owned + ghosts][3], force [owned][3]. Not collective. */
void sb_system_array_forces(const sb_system *system, const double *position, double *force);
/* Curvature for descent methods, without a matrix; negative eigenvalues of springs are multiplied by `negative`.
 * direction: full. curvature.c. *curvature = p^T H p, summed over all ranks, or its upper bound p^T L p, L = sum k A
 * A^T. */
PetscErrorCode sb_system_curvature(const sb_system *system, double negative, Vec x, Vec direction, double *curvature);
PetscErrorCode sb_system_laplacian_curvature(const sb_system *system, Vec direction, double *curvature);
/* mass_scale M + H at one x, + pin_weight I with pin penalties, kept for many products. */
typedef struct {
  double *spring;   /* the springs' numbers, as kernels.h has them or the bands */
  double *diagonal; /* [owned] N/m */
  bool   *minus;    /* [springs] those with -w w^T; NULL: none */
} sb_kept_hessian;
PetscErrorCode sb_kept_hessian_create(const sb_system *system, sb_kept_hessian **kept);
PetscErrorCode sb_kept_hessian_destroy(sb_kept_hessian **kept);
PetscErrorCode sb_system_keep_hessian(const sb_system *system, double negative, double mass_scale, Vec x,
                                      sb_kept_hessian *kept);
/* Vectors of conjugate gradients; full, scaled and direction are 0 on vertices that are not unknowns. */
typedef struct {
  Vec out, residual, scaled, direction, product;
} sb_cg_vectors;
/* An iteration up to its curvature: out += alpha p, p = scaled + beta p, product = A p with the kept matrix A, and this
 * rank's share of p.product. The product is 0 on pinned vertices that are not part of g. */
PetscErrorCode sb_kept_hessian_advance(const sb_system *system, const sb_kept_hessian *kept, sb_cg_turn turn,
                                       const sb_cg_vectors *cg, double *curvature);
/* block [6][stride] = upper triangles (xx xy xz yy yz zz) of the diagonal blocks of mass_scale M + H; + pin_weight I
 * with pin penalties. Entry e of owned vertex i is block[e * stride + i]; stride >= `owned` rounded up to eight.
 * Collective only in updating ghosts of x. */
PetscErrorCode sb_system_hessian_blocks(const sb_system *system, double negative, double mass_scale, Vec x,
                                        PetscInt stride, double *block);
/* *most is an upper bound of the eigenvalues of mass_scale M + H at any x, by Gershgorin's rows of mass_scale M + L. */
PetscErrorCode sb_system_bound_hessian(const sb_system *system, double mass_scale, double *most);
/* rhs (unknowns) = constant (unknowns) + scale J d(x): the local step of projective dynamics. */
PetscErrorCode sb_system_local_step(const sb_system *system, double scale, Vec x, Vec constant, Vec rhs);
/* rhs (unknowns) += h^2 sum over springs to pinned neighbours of k x_pinned: -(M + h^2 L) b with pin_method reduce,
 * nothing with the others. */
PetscErrorCode sb_system_add_pinned_coupling(const sb_system *system, double h_seconds, Vec x, Vec rhs);
/* The spring with the largest, or smallest, ratio of length to rest length. A spring of rest length 0 has the ratio 1;
 * a length that is not finite has the ratio INFINITY. If several are equal, the one with the smallest number. */
typedef struct {
  double   ratio;
  PetscInt spring, ends[2]; /* global numbers; -1: there is no spring */
} sb_extreme;
PetscErrorCode sb_system_longest_spring(const sb_system *system, Vec x, sb_extreme *extreme);
PetscErrorCode sb_system_shortest_spring(const sb_system *system, Vec x, sb_extreme *extreme);
/* Mass-weighted centre of all vertices; largest distance from it; energies and momenta of a frame. */
PetscErrorCode sb_system_center(const sb_system *system, Vec x, double center[3]);
PetscErrorCode sb_system_energies(const sb_system *system, Vec x, Vec v, sb_energies *energies);
/* *bounded = every coordinate is finite and no vertex is farther from the centre of mass than `radius` metres. This is
 * a test of a local array, for the inner loop of explicit integrators. A cheap sufficient check comes first: every
 * coordinate is within SB_NEAR radius of the centre's. `center` has the last exact centre and is updated. Collective,
 * but on one rank no message is sent. */
#define SB_NEAR 0.25
PetscErrorCode sb_system_array_is_bounded(const sb_system *system, const double *position, double radius,
                                          double center[3], bool *bounded);
