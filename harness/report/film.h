/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stored motion as pictures and pages show it: its frames, colliders, colours and extent. Inside harness/report only.
 * Local; no PETSc. */
#pragma once

#include "cases/store/case_file.h"
#include "harness/results/results.h"
#include "model/contact/contact.h"
#include "model/particles/fluid.h"

enum { SB_FILM_SIDES = 5 };
typedef struct {
  const sb_session        *session;
  const sb_animation_spec *look; /* colour and view */
  const char              *path;
  sb_arena                *arena;                                 /* of data that live as long as the film */
  bool                     loose;                                 /* of particles, not of a net */
  hid_t                    file, positions, pressures, densities; /* the last two: -1 of a net */
  const char              *command;                               /* that repeats the case; NULL: unknown */
  const sb_driver         *driver;                                /* of the case; NULL: not known here */
  size_t                   vertices, springs, triangles, frames;
  int32_t                 *ends, *triangle;       /* [springs][2], [triangles][3] */
  double                  *rest_length, *seconds; /* [springs], [frames] */
  sb_options              *options;               /* of the case, those that this program knows */
  bool                     pins, *pinned;         /* some are marked; [vertices], by the case's option `pins` */
  sb_contact              *contact;               /* NULL: nothing to touch */
  size_t                   colliders, planes;     /* of them; of these, planes */
  double                  *radius;                /* [colliders] m; 0 of a plane */
  const double (*axes)[3];                        /* the scene's axes that are the picture's x, depth and up */
  bool         flat;                              /* no extent in depth: seen from the front */
  double       size;                              /* m: diagonal of the box of the first frame */
  double       along[SB_FILM_SIDES][3]; /* unit vectors: the picture's axes; across and up as a motion is seen */
  double       low[SB_FILM_SIDES], high[SB_FILM_SIDES]; /* m: extents along them of all measured frames */
  size_t       calm;                                    /* of the frames measured, those before the net bursts */
  double       scale[2];         /* least and largest value of the colours, in all measured frames */
  int          frame[2], beside; /* pixels of a drawing: width and height of a frame, width of the rest */
  double      *place;            /* [vertices][3] of the frame just read, in the picture's axes */
  double      *value;            /* [vertices]: strain of the spring at it that is strained most; pressure */
  sb_particles fluid;            /* spacing, periods, dimensions and places of particles */
} sb_film;

/* Adds an error at the film's file; returns false. */
bool sb_film_fail(const sb_film *f, const char *code, const char *message);
/* Opens the motion of a case file, also where that fails: close it in any case. False after an error. */
bool sb_film_open(sb_film *f, const sb_session *session, const char *path, const sb_animation_spec *look);
void sb_film_close(sb_film *f);
/* Frames of a film, at most `most` of them: stored frames at equal distances, so that the motion is smooth, and the
 * last. In the film's arena. */
size_t *sb_film_frames(const sb_film *f, size_t most, size_t *count);
/* Reads a stored frame to `place` and `value`. */
bool sb_film_read(sb_film *f, size_t frame);
/* Widens the room of the motion, and the scale of colours, by these frames. */
bool sb_film_measure(sb_film *f, size_t count, const size_t *frames);
/* The view, degrees, and unit vectors across and up the picture, in its axes. */
void sb_film_view(const sb_film *f, double angle[2], double (*axis)[3]);
/* The two points that a collider is given by, in the picture's axes: ends of a capsule, a plane's point and the tip of
 * its normal, the centre of a sphere twice. */
void sb_film_place_collider(const sb_film *f, size_t i, double seconds, double place[2][3]);
