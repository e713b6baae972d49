/* Drivers: one kind of experiment each. A driver is one file drivers/<name>.c with one const table `sb_driver_<name>`
 * and one line in drivers/drivers.def; drivers/ hands the list to the harness at start-up. */
#pragma once

#include <petscsys.h>
#include <string.h>

#include "base/time_grid.h"
#include "cases/store/recorder.h"
#include "model/scene/scene.h"

typedef enum { SB_COLUMN_NUMBER, SB_COLUMN_WORD, SB_COLUMN_TRUTH } sb_column_kind;

/* A column that a driver adds to the index. If a run broke off, the value covers only the part before, and claims treat
 * it as unknown. A column that dates the divergence, or is known before the first step, is valid_if_diverged. */
typedef struct {
  const char    *name, *unit, *sentence;
  bool           timing; /* differs between equal runs: not part of the digest */
  sb_column_kind kind;   /* of its values */
  bool           valid_if_diverged;
} sb_column;

/* The form of progress messages. */
typedef enum { SB_TELL_NOTHING, SB_TELL_BAR, SB_TELL_LINES } sb_tell;

/* The input of a driver. */
typedef struct {
  MPI_Comm          comm;
  const sb_options *options; /* resolved */
  sb_time_grid      time;
  int               warm_up;             /* steps not counted by timing drivers */
  int               repetition;          /* number of this repetition, from 0 */
  double            calibration_seconds; /* time of the calibration loop on this machine when quiet; 0: unknown */
  sb_tell           tell;
} sb_case;

typedef struct {
  const char *name, *summary;
  /* Those of its options that not every driver has: "edge_load …". With "integrator" among them an integrator moves the
   * scene, with "minimizer" the driver itself minimises. NULL: none */
  const char      *uses;
  const char      *defaults; /* "option=value …" instead of the table's and the scene's; NULL: none */
  const sb_column *columns;
  size_t           column_count;
  bool             restarts;              /* can continue from the state of option restart */
  bool             particles;             /* measures particles of a fluid, otherwise nets */
  bool             answers_by_divergence; /* divergence is a result of this driver, not a failure */
  bool             still;                 /* computes one state, so save=every:K is refused */
  /* Optional: tests whether the driver can run a case and its scene; false after E1xx or E2xx. Called for every case
   * before a sweep starts, and by the case itself. Local. */
  bool (*check)(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics);
  PetscErrorCode (*run)(const sb_case *c, sb_recorder *recorder); /* Collective */
} sb_driver;

/* A problem on which minimisers are compared: options by one name, "option=value …". */
typedef struct {
  const char *name, *options;
} sb_problem;

typedef struct {
  const sb_driver *const *drivers;
  size_t                  count;
  const sb_problem       *problems;
  size_t                  problem_count;
} sb_driver_list;

/* The driver of this name, NULL if there is none. */
static inline const sb_driver *sb_driver_find(const sb_driver_list *list, const char *name)
{
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->drivers[i]->name, name) == 0) return list->drivers[i];
  return NULL;
}
