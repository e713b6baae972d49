/* Drivers of the store's own tests: nothing is solved, every number is prescribed, so that what is read back is known.
 */
#pragma once

#include "harness/store/driver.h"

/* Position and velocity of vertex i, axis a, in frame k: the same on any number of ranks. `start` is the pose's. */
double walk_position(double start, int64_t frame, int64_t vertex, int axis);
double walk_velocity(int64_t frame, int64_t vertex, int axis);

/* The drivers "trajectory" (a walk of time.frames frames with curves, samples and all columns), "diverging",
 * "nameless" (raises PETSC_ERR_USER), "failing" (status error), "broken" (a PETSc error), "aborting" (a signal),
 * "not_finite" (a frame of NaN), "forwards" and "backwards" (frames only, velocities of opposite sign),
 * "everything" (a little of whatever a recorder can store). */
const sb_driver_list *walk_drivers(void);
