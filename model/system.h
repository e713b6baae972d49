/* A mass-spring system distributed over the ranks of a communicator.
 *
 * Vertices are split into contiguous blocks; a rank knows its own (owned) vertices, the ghosts its springs reach, and
 * every spring that touches an owned vertex. Positions and velocities are ghosted PETSc Vecs of block size 3 over all
 * vertices ("full"); unknowns of linear systems are over free vertices only ("free"; pin_method reduce), numbered in
 * the same order. On one rank all of this costs nothing but a copy.
 *
 * Collective on the system's communicator unless said. Units SI. */
#pragma once

#include <petscmat.h>

#include "base/profile.h"
#include "model/contact.h"
#include "model/field.h"
#include "model/kernels.h"
#include "model/path.h"
#include "model/scene.h"

typedef struct {
  double kinetic, elastic, gravity, total; /* J; gravity is -sum m g.x */
  double momentum[3];                      /* kg m/s */
  double angular_momentum[3];              /* kg m^2/s, about the origin */
  double strain_max;                       /* largest |length/rest length - 1| */
} sb_energies;

/* Read-only for everyone but system.c. */
typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank, ranks;
  PetscInt    vertices, first_vertex, owned, ghosts; /* global count; this rank's first, how many, how many ghosts */
  PetscInt   *ghost_ids;                             /* [ghosts] global numbers, ascending */
  PetscInt    springs_global;
  sb_springs  springs;
  PetscInt   *spring_ids;                                     /* [springs.count] global numbers */
  double     *mass;                                           /* [owned + ghosts] kg */
  bool       *pinned;                                         /* [owned + ghosts] */
  PetscInt    unknown_vertices, first_unknown, owned_unknown; /* the same three over unknown vertices */
  PetscInt   *unknown_id;     /* [owned + ghosts] global number among unknowns, -1: no unknown */
  PetscInt   *unknown_vertex; /* [owned_unknown] local number of each */
  PetscInt    coupled;        /* springs from a free owned vertex to a pinned one: */
  PetscInt   *coupled_spring; /* [coupled] their local numbers */
  double      gravity[3], drag;
  double      spring_damping; /* N s/m */
  sb_field   *field;          /* NULL: none */
  sb_contact *contact;        /* NULL: none */
  sb_path    *pin_path;       /* NULL: pinned vertices stand */
  PetscInt    pinned_owned;   /* of this rank; with a path only: */
  PetscInt   *pin_vertex;     /* [pinned_owned] local numbers */
  double     *pin_rest;       /* [pinned_owned][3] m, at t = 0 */
  double     *scratch;        /* [3 owned] of external.c */
  double      mass_total;
  double      diagonal; /* m, of the initial bounding box */
  sb_profile *profile;  /* borrowed, may be NULL; fronts time their phases into it */
  Vec         full_template, unknown_template;
  struct sb_pattern *pattern; /* matrix.c: where each spring's values go; NULL until a matrix is made */
} sb_system;

/* Distributes a pose. Copies what it needs; the pose may be freed. `options` gives gravity and drag. */
PetscErrorCode sb_system_create(MPI_Comm comm, const sb_pose *pose, const sb_options *options, sb_system **system);
PetscErrorCode sb_system_destroy(sb_system **system);

/* A ghosted Vec over all vertices (3 per vertex), or a Vec over free vertices. Zeroed. The caller destroys it. */
PetscErrorCode sb_system_create_full(const sb_system *system, Vec *full);
PetscErrorCode sb_system_create_unknowns(const sb_system *system, Vec *unknowns);
/* Copies the pose's positions and velocities of owned and ghost vertices. */
PetscErrorCode sb_system_set_state(const sb_system *system, const sb_pose *pose, Vec x, Vec v);

/* Updates ghosts (when there are several ranks) and gives the local array [owned + ghosts][3]. Every begin has its end.
 */
PetscErrorCode sb_system_begin_read(const sb_system *system, Vec full, const double **array);
PetscErrorCode sb_system_end_read(const sb_system *system, Vec full, const double **array);

/* free = full on free vertices; full on free vertices += alpha free. Pinned vertices are left alone. Not collective. */
PetscErrorCode sb_system_restrict(const sb_system *system, Vec full, Vec unknowns);
PetscErrorCode sb_system_add_unknowns(const sb_system *system, double alpha, Vec unknowns, Vec full);
PetscErrorCode sb_system_set_unknowns(const sb_system *system, Vec unknowns, Vec full);

/* Matrices over free vertices, pattern made once, values set often without a search. Two springs between the same
 * vertices are an error (E206 keeps them out of scenes). Both are marked symmetric.
 * Scalar: M + h^2 L, owned_free rows. Block: three rows a vertex, block size 3, AIJ, marked SPD by the caller if it is.
 */
PetscErrorCode sb_system_create_scalar_matrix(sb_system *system, double h_seconds, Mat *matrix);
PetscErrorCode sb_system_create_block_matrix(sb_system *system, Mat *matrix);
/* A = mass_scale M + sum of H_s at x (mass_scale 1/h^2 for Newton, 0 for the stiffness matrix alone). */
PetscErrorCode sb_system_assemble_hessian(sb_system *system, sb_hessian_kind kind, double mass_scale, Vec x,
                                          Mat matrix);

/* Elastic energy at x (a sum over all ranks). */
PetscErrorCode sb_system_elastic_energy(const sb_system *system, Vec x, double *energy);
/* force = -grad E on owned vertices (full Vec; pinned vertices too: their reaction). */
PetscErrorCode sb_system_elastic_forces(const sb_system *system, Vec x, Vec force);
/* rhs (full) = J d(x): the local step of projective dynamics. */
PetscErrorCode sb_system_local_step(const sb_system *system, Vec x, Vec rhs);
/* rhs (free) += h^2 sum over springs to pinned neighbours of k x_pinned: -(M + h^2 L) b of pin_method reduce. */
PetscErrorCode sb_system_add_pinned_coupling(const sb_system *system, double h_seconds, Vec x, Vec rhs_free);
/* Mass-weighted centre of all vertices; largest distance from it; energies and momenta of a frame. */
PetscErrorCode sb_system_center(const sb_system *system, Vec x, double center[3]);
PetscErrorCode sb_system_energies(const sb_system *system, Vec x, Vec v, sb_energies *energies);
/* *bounded = every coordinate is finite and no vertex is farther from the centre of mass than `radius` metres. */
PetscErrorCode sb_system_is_bounded(const sb_system *system, Vec x, double radius, bool *bounded);

/* The same test on a local array, with a cheap sufficient check first; `center` remembers the last exact centre and is
 * updated. Collective, but on one rank no message is sent. For the inner loop of explicit integrators. */
PetscErrorCode sb_system_array_is_bounded(const sb_system *system, const double *position, double radius,
                                          double center[3], bool *bounded);
