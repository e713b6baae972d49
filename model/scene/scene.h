/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes: the nets and fluids that are simulated, before they are distributed over ranks.
 *
 * A scene is one file model/scene/scenes/<name>.c with one const table `sb_scene_<name>`, and one line in scenes.def.
 * It fills a pose: the whole net, the same on every rank. docs/model.md defines the orders of vertices and springs;
 * Gauss-Seidel passes and digests depend on them. All Local; nothing here needs PETSc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"
#include "model/forces/kernels.h"
#include "model/mesh/edges.h"

typedef enum { SB_STRUCTURAL, SB_SHEAR, SB_BENDING } sb_spring_kind;
typedef enum { SB_WARP, SB_WEFT, SB_BIAS, SB_DIRECTIONS } sb_direction; /* of a cloth's springs */

/* Reductions over the ranks that build a pose together, in place; every rank calls them in the same order. */
typedef struct {
  size_t rank, ranks;
  void  *context;
  void (*sum)(void *context, int count, double *values);
  void (*largest)(void *context, int count, double *values);
} sb_team;

typedef struct {
  size_t first, count;
} sb_range;

/* The place of a slab in the net. The owned ones are a range of the slab's own numbers; the ranges of all ranks follow
 * each other. Springs and triangles belong to the vertex at which grid.c makes them. */
typedef struct {
  const sb_team *team; /* NULL: the pose is the whole net, and the rest is unused */
  size_t         first_vertex, first_spring, first_triangle; /* numbers in the net of the slab's first ones */
  size_t         vertices, springs, triangles;               /* of the net */
  sb_range       own_vertices, own_springs, own_triangles;
} sb_slab;

/* The undistributed net, or a rank's slab of it: its vertices, every spring that touches them, and the vertices that
 * these reach, numbered from 0 here. Arrays are owned by the pose. SI units. */
typedef struct {
  size_t   vertices, springs, triangles;
  double  *position;                     /* [vertices][3] m */
  double  *velocity;                     /* [vertices][3] m/s */
  double  *mass;                         /* [vertices] kg, > 0 */
  bool    *pinned;                       /* [vertices] */
  int32_t *ends;                         /* [springs][2] vertex numbers */
  double  *stiffness;                    /* [springs] N/m, >= 0 */
  double  *rest_length;                  /* [springs] m, > 0 */
  double  *parameter[SB_LAW_PARAMETERS]; /* [springs] of its law; NULL: that of the option */
  uint8_t *kind;                         /* [springs] sb_spring_kind */
  int32_t *triangle; /* [triangles][3] vertex numbers, for pictures and contact; none for ropes and chains */
  bool     planar;   /* the motion stays in a plane z = const, and so does noise */
  size_t   springs_capacity;
  sb_slab  slab;
} sb_pose;

/* For pictures: the axes that are the picture's x, its depth and up, as rows. Up is the axis that gravity follows;
 * without gravity z, but y where the motion stays in a plane of constant z. Static. */
const double (*sb_scene_axes(const double gravity[3], bool in_plane))[3];

/* For pictures: at each vertex the strain, length over rest length less 1, of the spring at it that is strained most in
 * magnitude; 0 without springs. It reads counts, ends and rest lengths of `pose`. position [vertices][3] m, strain
 * [vertices]. */
void sb_pose_strains(const sb_pose *pose, const double *position, double *strain);

typedef struct {
  SB_ENTRY_HEAD;
  const char *origin;
  const char *pin_sets;  /* "corner1 …": named pin sets that not every net has; NULL: none */
  bool        particles; /* its vertices are particles of a fluid: free ones first, then those of walls, which are
                          * pinned */
  bool     from_arrays;  /* made by the caller of the library; `build` refuses */
  bool     slabs;        /* `build` makes a slab if the pose has a team: nets of sb_pose_grid */
  unsigned periodic;     /* particles: bits 1, 2, 4 for the axes along which the fluid fills a periodic box */
  /* Fills an empty pose from a resolved set. False and a diagnostic if the options do not define a scene. */
  bool (*build)(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics);
  /* Pins a named set other than none, first and min_x; NULL if the scene has no others. */
  void (*pin_set)(const sb_options *options, const char *name, sb_pose *pose);
  /* The number of its vertices without building it, for fluids that of the free particles; it may be called before the
   * scene's defaults are applied. NULL: only a file or an array has it. */
  double (*vertices)(const sb_options *options);
  /* Optional: adds the scene's velocities to those of free vertices, which already have initial_velocity. */
  void (*start)(const sb_options *options, sb_pose *pose);
  /* Optional: sets, with origin SB_FROM_SCENE, defaults that follow from other options. */
  bool (*derive)(sb_options *options, sb_diagnostics *diagnostics);
} sb_scene;

/* Writes "column, dam_break, ...": the scenes of particles, for messages. */
void sb_scene_names_of_particles(size_t size, char *names);
/* Returns the axes along which the scene of these options is periodic, as bits 1, 2, 4; 0 for nets. */
unsigned sb_scene_periodic(const sb_options *options);
/* True for a scene of particles in a box that is periodic along all of its axes. */
bool sb_scene_is_closed(const sb_options *options);

SB_DECLARE_LIST(sb_scene, sb_scenes)
/* The `vertices` of the scene of these options; 0 if only building it gives that. */
double sb_scene_vertices(const sb_options *options);
/* The choices of options `springs` and `pins`: springs.def and pins.def. */
extern const sb_list sb_spring_patterns, sb_pin_sets;
/* The names of a scene's pin sets, separated by blanks: those of every net and its own; "none" for particles. */
const char *sb_scene_pin_sets(const sb_scene *scene, sb_arena *arena);

/* Gives every option that the user left unset the scene's value. An option from the user replaces those that it
 * excludes (total_mass and vertex_mass; young and the stiffnesses). It may be applied again after a change. False, with
 * E106, if the scene is unknown or unset, or the user gave an option or pin set that the scene does not have, or two
 * options that exclude each other. */
bool sb_scene_apply_defaults(sb_options *options, sb_diagnostics *diagnostics);

/* Builds the scene of a resolved set: pose, pins, initial velocity, perturbation. Errors (E2xx) go to diagnostics at
 * the location of the option that caused them. Free the pose with sb_pose_clear in either case. */
bool sb_scene_build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics);
/* The same on the ranks of a team. Each gets its slab, if the scene can be built in slabs with these options, else the
 * whole net (pose->slab.team is NULL then). Errors are reported on the ranks that find them; the result is that of all.
 */
bool sb_scene_build_slab(const sb_options *options, const sb_team *team, sb_pose *pose, sb_diagnostics *diagnostics);
/* The same for a pose that has its vertices, springs, velocities and pins already: values by options, more pins, the
 * perturbation, all checks. For scenes that are `from_arrays`. */
bool sb_scene_complete(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics);
void sb_pose_clear(sb_pose *pose);

/* The two parts of sb_scene_build, for cases that share a net. The first builds it and checks the net itself; its
 * positions, springs and pins follow from the options of the trait SB_OF_NET. The second checks what a case needs of
 * it: contact, air, the step. Its `facts` about the pose are {0} in the first call; later calls find them there and
 * take a time that does not grow with the net. */
typedef struct {
  unsigned known;
  double   shortest, cover;                 /* m: the shortest edge; that of sb_triangles_cover */
  int64_t  cuts;                            /* pairs of triangles that cut each other */
  double   nearest;                         /* m: least distance of parts without a common vertex, up to shortest/2 */
  int      nearest_kind, nearest_vertex[4]; /* of that pair, as in sb_pair */
  double   rate;                            /* 1/s^2: the largest k/m */
  size_t   parts, loose, first_loose;       /* parts that springs join, those without pins, a vertex of the first */
} sb_pose_facts;
bool sb_scene_build_net(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics);
bool sb_scene_check(const sb_options *options, const sb_pose *pose, sb_pose_facts *facts, sb_diagnostics *diagnostics);

/* The counts of the whole net, and the part of the pose's arrays that no other rank owns. */
sb_slab sb_pose_slab(const sb_pose *pose);
/* The block of `count` vertices that a rank owns, as PETSc splits them. */
sb_range sb_owned_vertices(size_t count, size_t rank, size_t ranks);
/* Reductions over a slab's team; nothing on a whole net. True if it is true on all ranks. */
void sb_pose_sum(const sb_pose *pose, int count, double *values);
void sb_pose_largest(const sb_pose *pose, int count, double *values);
bool sb_pose_everywhere(const sb_pose *pose, bool good);
/* Pins a vertex by its number in the net, if it is in the slab. */
void sb_pose_pin_vertex(sb_pose *pose, size_t vertex);

/* Checks a finished net. E202: springs from a vertex to itself. E203: places. E204: springs without length. E205: rest
 * lengths and stiffnesses. E206: springs between the same vertices. E209: no free vertex. E211: masses. Warns of
 * springs that an option allows (W204, W205), vertices without springs (W207), springs without effect (W217), and
 * values that cost digits in linear systems (W211, W212). All give numbers. */
bool sb_pose_check(const sb_pose *pose, const sb_options *options, sb_diagnostics *diagnostics);

/* For scene files: allocates `vertices` vertices (mass 1, at rest, not pinned); appends a spring with the rest length
 * of the pose. False if memory is out or the count is beyond 2^31. */
bool sb_pose_allocate(sb_pose *pose, size_t vertices);
/* Makes room for so many more springs, so that their arrays do not grow bit by bit. False as above. */
bool sb_pose_reserve(sb_pose *pose, size_t more);
bool sb_pose_add_spring(sb_pose *pose, int32_t first, int32_t second, double stiffness, sb_spring_kind kind);

/* For scene files: appends the distinct edges of these cells (model/mesh/edges.h) as structural springs with the rest
 * length of the pose, which has its vertices. False if memory is out or there are too many. */
bool sb_pose_add_edges(sb_pose *pose, size_t blocks, const sb_cells *block, double stiffness);

/* For scene files: option `nodes`, and (grid + 1)^2, as `vertices`; 0 if the option is unset. */
double sb_scene_nodes(const sb_options *options);
double sb_scene_grid_vertices(const sb_options *options);
/* For scene files: the stiffness of a family of springs; 0 if `young` is given, from which sb_scene_build computes k =
 * young/rest_length. */
double sb_scene_stiffness(const sb_options *options, sb_spring_kind kind);
/* The same for springs of a direction: that of their kind if the option of the kind is set, else of the direction. */
double sb_scene_stiffness_along(const sb_options *options, sb_spring_kind kind, sb_direction direction);
/* E215: the scene is too large for this machine. Returns false. */
bool sb_scene_too_large(const sb_options *options, sb_diagnostics *diagnostics);

/* For scene files: places of a grid, vertex (i, j) at (origin + i u + j v)/divisor. If the parts are whole numbers it
 * is rounded once, so that mirrored points have mirrored bits. */
typedef struct {
  double origin[3], u[3], v[3], divisor;
} sb_lattice;
/* A (cells+1)^2 grid, i fastest, with the springs named by option `springs` and the stiffness options, and 2 cells^2
 * triangles. */
bool sb_pose_grid(sb_pose *pose, const sb_options *options, const sb_lattice *lattice);
/* The same on a square in the plane z = 0 along x and y. Option `extent` is its edge; its lowest corner is at `corner`
 * edges on both axes (-0.5: centred at the origin). */
bool sb_pose_sheet(sb_pose *pose, const sb_options *options, double corner);
/* Common to all grids, for `uses`, `pin_sets` and `pin_set` of the table; sheets have `extent` too. */
#define SB_CLOTH_USES    "stiffness stiffness_warp stiffness_weft stiffness_bias "
#define SB_GRID_USES     "grid springs " SB_CLOTH_USES "stiffness_shear stiffness_bending young total_mass vertex_mass"
#define SB_SHEET_USES    "extent " SB_GRID_USES
#define SB_GRID_PIN_SETS "corner1 corners2 diagonal2 corners4 edge_midpoint first_edge"
void sb_pose_grid_pins(const sb_options *options, const char *name, sb_pose *pose);
