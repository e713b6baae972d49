/* Scenes: what is simulated, before it is distributed over ranks.
 *
 * A scene is one file model/scene/scenes/<name>.c with one const table `sb_scene_<name>`, and one line in scenes.def.
 * It fills a pose: the whole net, the same on every rank. Orders of vertices and springs are those of docs/model.md;
 * Gauss-Seidel sweeps and digests depend on them. All Local; nothing here needs PETSc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"
#include "model/mesh/edges.h"

typedef enum { SB_STRUCTURAL, SB_SHEAR, SB_BENDING } sb_spring_kind;

/* The undistributed net. Arrays are owned by the pose. SI units. */
typedef struct {
  size_t   vertices, springs, triangles;
  double  *position;    /* [vertices][3] m */
  double  *velocity;    /* [vertices][3] m/s */
  double  *mass;        /* [vertices] kg, > 0 */
  bool    *pinned;      /* [vertices] */
  int32_t *ends;        /* [springs][2] vertex numbers */
  double  *stiffness;   /* [springs] N/m, >= 0 */
  double  *rest_length; /* [springs] m, > 0 */
  uint8_t *kind;        /* [springs] sb_spring_kind */
  int32_t *triangle;    /* [triangles][3] vertex numbers, for pictures; none for ropes and chains */
  bool     planar;      /* the motion stays in a plane z = const, and so does noise */
  size_t   springs_capacity;
} sb_pose;

typedef struct {
  SB_ENTRY_HEAD;
  const char *origin;
  const char *pin_sets;  /* "none first …": the named pin sets it has */
  bool        particles; /* its vertices are particles of a fluid, free ones first, then those of walls, pinned */
  unsigned    periodic;  /* of particles: bits 1, 2, 4 for the axes along which the fluid fills a periodic box */
  /* Fills an empty pose from a resolved set. False and a diagnostic when the options do not make a scene. */
  bool (*build)(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics);
  /* Pins a named set other than none, first and min_x; NULL where the scene has no others. */
  void (*pin_set)(const sb_options *options, const char *name, sb_pose *pose);
  /* Optional: adds the scene's own to the velocities of free vertices, which have initial_velocity already. */
  void (*start)(const sb_options *options, sb_pose *pose);
  /* Optional: sets, with origin SB_FROM_SCENE, defaults that follow from other options. */
  bool (*derive)(sb_options *options, sb_diagnostics *diagnostics);
} sb_scene;

/* "column, dam_break, ...": the scenes of particles, for messages. */
void sb_scene_names_of_particles(size_t size, char *names);
/* Returns the axes along which the scene of these options is periodic, as bits 1, 2, 4; 0 for nets. */
unsigned sb_scene_periodic(const sb_options *options);
/* Tells whether it is a scene of particles in a box that is periodic along all of its axes. */
bool sb_scene_is_closed(const sb_options *options);

SB_DECLARE_LIST(sb_scene, sb_scenes)
/* What options `springs` and `pins` name: springs.def and pins.def. */
extern const sb_list sb_spring_patterns, sb_pin_sets;

/* Gives every option that the user left alone the scene's value. An option the user gave takes the place of those it
 * excludes (total_mass and vertex_mass; young and the stiffnesses). Applying again after a change is allowed. False,
 * with E106, when the scene is unknown or unset, or the user gave an option or a pin set that it has not, or two
 * options that exclude each other. */
bool sb_scene_apply_defaults(sb_options *options, sb_diagnostics *diagnostics);

/* Builds the scene of a resolved set: pose, pins, initial velocity, perturbation. Errors (E2xx) go to diagnostics at
 * the location of the option that caused them. Free the pose with sb_pose_clear in either case. */
bool sb_scene_build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics);
void sb_pose_clear(sb_pose *pose);

/* Checks a finished pose: E202 springs from a vertex to itself, E203 places, E204 springs without length, E205 rest
 * lengths and stiffnesses, E206 springs between the same vertices, E209 nothing free, E211 masses, E218 surfaces that
 * contact cannot keep apart. Warns of springs that an option allows (W204, W205), vertices without springs (W207),
 * springs that do nothing (W217), and of what leaves linear systems few digits (W211, W212); all with their numbers. */
bool sb_pose_check(const sb_pose *pose, const sb_options *options, sb_diagnostics *diagnostics);

/* For scene files: arrays for so many vertices (masses 1, at rest, nothing pinned), springs appended one at a time with
 * the rest length of the pose. False when memory is out or the count is beyond 2^31. */
bool sb_pose_allocate(sb_pose *pose, size_t vertices);
bool sb_pose_add_spring(sb_pose *pose, int32_t first, int32_t second, double stiffness, sb_spring_kind kind);

/* For scene files: appends the distinct edges of these cells (model/mesh/edges.h) as structural springs with the rest
 * length of the pose, which has its vertices. False if memory is out or there are too many. */
bool sb_pose_add_edges(sb_pose *pose, size_t blocks, const sb_cells *block, double stiffness);

/* For scene files: the stiffness of a family of springs; 0 when `young` is given, which sb_scene_build turns into
 * k = young/rest_length. */
double sb_scene_stiffness(const sb_options *options, sb_spring_kind kind);
/* E215: the scene is too large for this machine. Returns false. */
bool sb_scene_too_large(const sb_options *options, sb_diagnostics *diagnostics);

/* For scene files: places of a grid, vertex (i, j) at (origin + i u + j v)/divisor: rounded once where the parts are
 * whole numbers, so that mirrored points are mirrored bits. */
typedef struct {
  double origin[3], u[3], v[3], divisor;
} sb_lattice;
/* A (cells+1)^2 grid, i fastest, with the springs named by option `springs` and the stiffness options, and 2 cells^2
 * triangles. */
bool sb_pose_grid(sb_pose *pose, const sb_options *options, const sb_lattice *lattice);
/* The same on a square in the plane z = 0 along x and y: edge option `extent`, lowest corner at `corner` edges on both
 * axes (-0.5: centred at the origin). */
bool sb_pose_sheet(sb_pose *pose, const sb_options *options, double corner);
/* What every grid has: for `uses`, `pin_sets` and `pin_set` of its table; sheets have `extent` too. */
#define SB_GRID_USES     "grid springs stiffness stiffness_shear stiffness_bending young total_mass vertex_mass"
#define SB_SHEET_USES    "extent " SB_GRID_USES
#define SB_GRID_PIN_SETS "none first corner1 corners2 diagonal2 corners4 edge_midpoint first_edge min_x"
void sb_pose_grid_pins(const sb_options *options, const char *name, sb_pose *pose);
