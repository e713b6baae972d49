/* Pictures of a stored motion: an animated GIF, and a strip of stills as PNG, drawn by gnuplot. Local; no PETSc calls.
 *
 * Surfaces are shaded, ropes are lines, colliders stand where they were; up is against gravity. */
#pragma once

#include "base/options.h"
#include "harness/report/motion.h"

typedef struct {
  const char *gif, *strip;   /* paths to write, without control characters; NULL: not wanted */
  bool        strain;        /* colour by strain */
  size_t      frames_max;    /* of the GIF; every so many, when more are stored */
  size_t      stills;        /* of the strip */
  double      seconds;       /* length of the film; 0: that of the motion, within [2, 20] */
  double      tilt, turn;    /* view, degrees: 0 from above, 90 level; about the vertical; NAN: as suits the scene */
  int         width, height; /* of a frame, pixels */
} sb_animation;

/* Draws the case file at `path`. `progress`: a line on stderr counts the frames. False and a message in error[256]. */
bool sb_animate(const char *path, const sb_vocabulary *vocabulary, const sb_animation *wanted, bool progress,
                char error[256]);

/* For animation.c and animation_draw.c: stored frames that a picture shows, and the state of a film in the making. */
typedef struct {
  size_t count, *frame; /* [count], ascending */
} sb_choice;
typedef struct {
  const sb_animation *wanted;
  sb_motion           motion;
  sb_options         *options;         /* of the case, NULL when they cannot be read: no colliders then */
  struct sb_contact  *contact;         /* NULL: nothing to touch */
  int                 axis[3];         /* picture's x, depth and up are these axes of the scene, */
  double              sign[3];         /* times these signs */
  bool                flat;            /* no extent in depth: seen from the front */
  double              size;            /* m: diagonal of the box of the first frame */
  double              low[3], high[3]; /* m: box of all frames drawn, in the picture's axes; not of a net that bursts */
  double              seen_low[2], seen_high[2]; /* m: of the same, across and up as it is seen */
  double              strain_scale;              /* largest |strain| of a vertex in all frames drawn */
  double             *position, *place;          /* [vertices][3] as stored, and in the picture's axes */
  double             *strain;                    /* [vertices]: that of the spring at it that is strained most */
  bool               *pinned;                    /* [vertices]: marked; as the case's option `pins` names them */
} sb_film;

/* Places and strains of a stored frame, into film->place and film->strain. */
bool sb_film_read(sb_film *film, size_t frame, char error[256]);
/* Widens the box and the strain scale by the frame just read, unless the net is many times larger than at first. */
void sb_film_measure(sb_film *film, size_t frame);
/* gnuplot's commands for the whole film; `share`: of the picture's width that a frame has. */
void sb_film_head(const sb_film *film, double share, FILE *commands);
/* For the frame just read; `corner`: where its time is written, in parts of the picture; `last` of those in it. */
void sb_film_draw(sb_film *film, size_t frame, const double corner[2], bool last, FILE *commands);

/* For animation_view.c and animation_draw.c: a place of the scene in the picture's axes; half of the box of the motion
 * along one of them, m, and a little more; the view and the ranges in gnuplot's words. */
void   sb_film_to_picture(const sb_film *film, const double p[3], double q[3]);
double sb_film_half_range(const sb_film *film, int c);
void   sb_film_view(const sb_film *film, FILE *commands);
/* How many colliders are planes, or are not; a collider's shape: points it is given by, and a part by its name. */
size_t sb_film_colliders(const sb_film *film, bool planes);
bool   sb_collider_is_plane(const sb_composite *collider);
size_t sb_collider_points(const sb_composite *collider);
double sb_collider_part(const sb_composite *collider, const char *name, double otherwise);
