/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drivers: one kind of experiment each. A driver is one file drivers/<name>.c with one const table `sb_driver_<name>`
 * and one line in drivers/drivers.def; the program hands the list to the harness at start-up, in its vocabulary. */
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
  bool           remark;     /* describes how to read other columns: not part of the digest */
  bool           operations; /* made of floating-point operations: unknown if column not_counted has a name */
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
  bool              untimed; /* its times are not used: a driver may leave out the parts that only measure them */
  const char       *shared;  /* folder for data that the cases of a run share (reference_motion.h); NULL: none */
} sb_case;

typedef struct {
  /* "integrator" in `uses`: one moves the scene; "minimizer": the driver minimises. `defaults` precede the scene's. */
  SB_ENTRY_HEAD;
  const sb_column *columns;
  size_t           column_count;
  bool             restarts;              /* can continue from the state of option restart */
  bool             particles;             /* measures particles of a fluid, otherwise nets */
  bool             answers_by_divergence; /* divergence is a result of this driver, not a failure; any h is allowed */
  bool             still;                 /* computes one state, so save=every:K is refused */
  /* Optional: tests whether the driver can run a case and its scene; false after E1xx or E2xx. Called for every case
   * before a sweep starts, and by the case itself. Local. */
  bool (*check)(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics);
  PetscErrorCode (*run)(const sb_case *c, sb_recorder *recorder); /* Collective */
} sb_driver;

/* The members of a driver that give its columns, an array. */
#define SB_COLUMNS(array) .columns = (array), .column_count = sizeof(array) / sizeof *(array)

/* The driver of this name; NULL if the vocabulary, which may be NULL, has none. */
static inline const sb_driver *sb_driver_find(const sb_vocabulary *vocabulary, const char *name)
{
  return (const void *)sb_list_find(sb_vocabulary_list(vocabulary, "drivers"), name);
}
