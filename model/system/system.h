/* A mass-spring system distributed over the ranks of a communicator.
 *
 * Vertices are split into contiguous blocks; a rank knows its own (owned) vertices, the ghosts its springs reach, and
 * every spring that touches an owned vertex. Positions and velocities are ghosted PETSc Vecs of block size 3 over all
 * vertices ("full"). Gradients, steps and linear systems are over the unknown vertices ("unknowns"), numbered in the
 * same order: with pin_method reduce those that are not pinned, else all. On one rank all of this costs nothing but a
 * copy.
 *
 * Collective on the system's communicator unless said. Units SI. */
#pragma once

#include <petscmat.h>

#include "base/profile.h"
#include "model/contact/barrier.h"
#include "model/contact/contact.h"
#include "model/forces/air.h"
#include "model/forces/bands.h"
#include "model/forces/field.h"
#include "model/forces/kernels.h"
#include "model/forces/path.h"
#include "model/particles/fluid.h"
#include "model/scene/scene.h"

typedef struct {
  /* J; gravity is -sum m g.x; elastic is that of springs, or of the state equation of a weakly compressible fluid. Sums
   * do not include particles of walls. */
  double kinetic, elastic, gravity, total;
  double momentum[3];         /* kg m/s */
  double angular_momentum[3]; /* kg m^2/s, about the origin */
  double strain_max;          /* largest |length/rest length - 1| */
} sb_energies;

/* How linear systems treat pinned vertices (docs/model.md section 5); pins.c. Explicit integrators need not know. */
typedef enum {
  SB_PINS_REDUCE,           /* no unknowns: what they pull goes to the right-hand side */
  SB_PINS_ROW_REPLACE,      /* unknowns with rows of the identity: matrices are not symmetric */
  SB_PINS_CONSTRAINT_FORCE, /* unknowns on which a force -f acts besides f: rows of inertia alone, not symmetric either
                             */
  SB_PINS_PENALTY           /* unknowns held at their place by springs of stiffness pin_weight and rest length 0 */
} sb_pin_method;

/* Unknown vertices that follow each other among all owned ones too: copied as one. */
typedef struct {
  PetscInt vertex, unknown, count; /* local numbers of the first */
} sb_unknown_run;

/* Read-only for everyone but system.c. */
typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank, ranks;
  PetscInt    vertices, first_vertex, owned, ghosts; /* global count; this rank's first, how many, how many ghosts */
  PetscInt   *ghost_ids;                             /* [ghosts] global numbers, ascending */
  PetscInt    springs_global;
  sb_springs  springs;
  sb_bands   *bands;   /* the same springs for vectors, NULL where they have no bands: then */
  double     *sum;     /* [3 (owned + ghosts)] of energy.c, else NULL */
  int         threads; /* that share a pass over this rank's springs or vertices */
  const sb_band_kernels *band_kernels;
  PetscInt              *spring_ids;                                     /* [springs.count] global numbers */
  double                *mass;                                           /* [owned + ghosts] kg */
  bool                  *pinned;                                         /* [owned + ghosts] */
  PetscInt               unknown_vertices, first_unknown, owned_unknown; /* the same three over unknown vertices */
  PetscInt              *unknown_id;     /* [owned + ghosts] global number among unknowns, -1: no unknown */
  PetscInt              *unknown_vertex; /* [owned_unknown] local number of each */
  PetscInt               runs;
  sb_unknown_run        *run;            /* [runs] */
  PetscInt               coupled;        /* with pins reduced: springs from a free owned vertex to a pinned one: */
  PetscInt              *coupled_spring; /* [coupled] their local numbers */
  sb_pin_method          pin_method;
  double                 pin_weight; /* N/m */
  double                 gravity[3], drag;
  double                 spring_damping; /* N s/m */
  sb_air                *air;            /* NULL: none */
  sb_fluid              *fluid;          /* whose particles the vertices are; NULL: none */
  sb_field              *field;          /* NULL: none */
  sb_contact            *contact;        /* NULL: none */
  sb_surface            *surface;        /* of a net that touches itself by its surface, else NULL */
  sb_barrier            *barrier;        /* NULL: none */
  sb_path               *pin_path;       /* NULL: pinned vertices stand */
  PetscInt               pinned_owned;   /* of this rank: */
  PetscInt              *pin_vertex;     /* [pinned_owned] local numbers */
  double                *pin_rest;       /* [pinned_owned][3] m, at t = 0 */
  double                *scratch;        /* [3 owned] of external.c */
  double                 mass_total;
  double                 diagonal; /* m, of the initial bounding box */
  sb_profile            *profile;  /* borrowed, may be NULL; fronts time their phases into it */
  Vec                    full_template, unknown_template;
  struct sb_pattern     *pattern; /* matrix.c: where each spring's values go; NULL until a matrix is made */
} sb_system;

/* Distributes a pose. Copies what it needs; the pose may be freed. `options` gives gravity and drag. */
PetscErrorCode sb_system_create(MPI_Comm comm, const sb_pose *pose, const sb_options *options, sb_system **system);
PetscErrorCode sb_system_destroy(sb_system **system);

/* Lets so many threads share passes over vertices, whatever the number of these (sb_system_create does where there are
 * enough for option `threads`). Not collective; before anything borrows the bands. */
PetscErrorCode sb_system_set_threads(sb_system *system, int threads);

/* A ghosted Vec over all vertices (3 per vertex), or a Vec over unknown vertices. Zeroed. The caller destroys it. */
PetscErrorCode sb_system_create_full(const sb_system *system, Vec *full);
PetscErrorCode sb_system_create_unknowns(const sb_system *system, Vec *unknowns);
/* Copies the pose's positions and velocities of owned and ghost vertices. */
PetscErrorCode sb_system_set_state(const sb_system *system, const sb_pose *pose, Vec x, Vec v);

/* Updates ghosts (when there are several ranks) and gives the local array [owned + ghosts][3]. Every begin has its end.
 */
PetscErrorCode sb_system_begin_read(const sb_system *system, Vec full, const double **array);
PetscErrorCode sb_system_end_read(const sb_system *system, Vec full, const double **array);

/* unknowns = full on unknown vertices; full += alpha unknowns; full = unknowns. The others are left alone. Not
 * collective. */
PetscErrorCode sb_system_restrict(const sb_system *system, Vec full, Vec unknowns);
PetscErrorCode sb_system_add_unknowns(const sb_system *system, double alpha, Vec unknowns, Vec full);
PetscErrorCode sb_system_set_unknowns(const sb_system *system, Vec unknowns, Vec full);

/* Matrices over unknown vertices, pattern made once, values set often without a search. Two springs between the same
 * vertices are an error (E206 keeps them out of scenes). Both are marked symmetric where they are.
 * Scalar: M + h^2 L, owned_unknown rows. Block: three rows a vertex, block size 3, AIJ, marked SPD by the caller if it
 * is. Pinned vertices under row_replace: rows of the identity, columns as they are; under constraint_force rows of m,
 * or mass_scale m; under penalty: + h^2 pin_weight, + pin_weight on the diagonal. */
bool           sb_system_is_symmetric(const sb_system *system); /* are its matrices? */
PetscErrorCode sb_system_create_scalar_matrix(sb_system *system, double h_seconds, Mat *matrix);
PetscErrorCode sb_system_create_block_matrix(sb_system *system, Mat *matrix);
/* A = mass_scale M + sum of H_s at x, their negative eigenvalues times `negative` (assembly.h; mass_scale 1/h^2 for
 * Newton, 0 for the stiffness matrix alone). */
PetscErrorCode sb_system_assemble_hessian(sb_system *system, double negative, double mass_scale, Vec x, Mat matrix);
/* The same + the Hessian of penalty contact at time t; `negative` counts the curvature of surfaces. */
PetscErrorCode sb_system_assemble_contact_hessian(sb_system *system, double negative, double mass_scale,
                                                  double t_seconds, Vec x, Mat matrix);

/* matrix += what makes the exact Hessians of some springs positive semi-definite at x, those of projected[spring] of
 * this rank: -k (1 - l/r) (I - u u^T) where a spring is shorter than at rest. Two ranks that share a spring must agree
 * about it. The matrix is of sb_system_create_block_matrix, or has its pattern in it. */
PetscErrorCode sb_system_project_springs(const sb_system *system, const bool *projected, Vec x, Mat matrix);

/* What pin methods ask of a minimisation besides its matrix; `place` (full) has the prescribed places of pinned
 * vertices. All return at once under reduce. Not collective. */
/* position of owned pinned vertices = their place at time t. */
PetscErrorCode sb_system_place_held(const sb_system *system, double t_seconds, double *position);
/* Under penalty *energy += 1/2 pin_weight |x - place|^2 over this rank's pinned vertices. */
PetscErrorCode sb_system_add_hold_energy(const sb_system *system, Vec place, Vec x, double *energy);
/* gradient (unknowns) of a step of h: += pin_weight (x - place); 0 on replaced rows; m/h^2 (x - place), what is left of
 * it where a constraint force acts. */
PetscErrorCode sb_system_hold_gradient(const sb_system *system, double h_seconds, Vec place, Vec x, Vec gradient);
/* rhs (unknowns) of the scalar matrix: += h^2 pin_weight place; = place on replaced rows, m place with a constraint
 * force. */
PetscErrorCode sb_system_hold_right_hand_side(const sb_system *system, double h_seconds, Vec place, Vec rhs);

/* Elastic energy at x (a sum over all ranks). */
PetscErrorCode sb_system_elastic_energy(const sb_system *system, Vec x, double *energy);
/* force = -grad E on owned vertices (full Vec; pinned vertices too: their reaction). */
PetscErrorCode sb_system_elastic_forces(const sb_system *system, Vec x, Vec force);
/* The same on local arrays: position [owned + ghosts][3], force [owned][3]. Not collective. */
void sb_system_array_forces(const sb_system *system, const double *position, double *force);
/* What descent methods ask of the Hessian of E at x without a matrix, negative eigenvalues of springs times `negative`;
 * direction: full. curvature.c.
 * *curvature = p^T H p, a sum over all ranks, or p^T L p >= that, L = sum k A A^T. */
PetscErrorCode sb_system_curvature(const sb_system *system, double negative, Vec x, Vec direction, double *curvature);
PetscErrorCode sb_system_laplacian_curvature(const sb_system *system, Vec direction, double *curvature);
/* product (full) = H p on owned vertices. */
PetscErrorCode sb_system_hessian_product(const sb_system *system, double negative, Vec x, Vec direction, Vec product);
/* block [owned + ghosts][6] = upper triangles (xx xy xz yy yz zz) of the blocks on the diagonal of mass_scale M + H, of
 * owned vertices; + pin_weight I where penalties hold. Not collective but for ghosts of x. */
PetscErrorCode sb_system_hessian_blocks(const sb_system *system, double negative, double mass_scale, Vec x,
                                        double *block);
/* *most >= every eigenvalue of mass_scale M + H at any x, by Gershgorin's rows of mass_scale M + L. */
PetscErrorCode sb_system_bound_hessian(const sb_system *system, double mass_scale, double *most);
/* rhs (unknowns) = constant (unknowns) + scale J d(x): the local step of projective dynamics. */
PetscErrorCode sb_system_local_step(const sb_system *system, double scale, Vec x, Vec constant, Vec rhs);
/* rhs (unknowns) += h^2 sum over springs to pinned neighbours of k x_pinned: -(M + h^2 L) b of pin_method reduce,
 * nothing with the others. */
PetscErrorCode sb_system_add_pinned_coupling(const sb_system *system, double h_seconds, Vec x, Vec rhs);
/* The spring whose length is the largest, or smallest, multiple of its rest length, which springs of rest length 0
 * count as 1; a length that is not finite is INFINITY times it. On ties the one with the least number. */
typedef struct {
  double   ratio;
  PetscInt spring, ends[2]; /* global numbers; -1: there is none */
} sb_extreme;
PetscErrorCode sb_system_longest_spring(const sb_system *system, Vec x, sb_extreme *extreme);
PetscErrorCode sb_system_shortest_spring(const sb_system *system, Vec x, sb_extreme *extreme);
/* Mass-weighted centre of all vertices; largest distance from it; energies and momenta of a frame. */
PetscErrorCode sb_system_center(const sb_system *system, Vec x, double center[3]);
PetscErrorCode sb_system_energies(const sb_system *system, Vec x, Vec v, sb_energies *energies);
/* *bounded = every coordinate is finite and no vertex is farther from the centre of mass than `radius` metres. */
PetscErrorCode sb_system_is_within_bounds(const sb_system *system, Vec x, double radius, bool *bounded);

/* The same test on a local array, with a cheap sufficient check first, whether every coordinate is within SB_NEAR
 * radius of the centre's; `center` remembers the last exact centre and is updated. Collective, but on one rank no
 * message is sent. For the inner loop of explicit integrators. */
#define SB_NEAR 0.25
PetscErrorCode sb_system_array_is_bounded(const sb_system *system, const double *position, double radius,
                                          double center[3], bool *bounded);
