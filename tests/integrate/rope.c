/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rope's published thresholds and survival times. */
#include "tests/integrate/trial.h"

#include <stdio.h>

/* Advances the rope and gives the time at which it blew up, or -1. */
static double rope_blowup(const char *integrator, const char *drag, int substeps, int frames)
{
  char     pairs[128];
  sb_trial trial;
  snprintf(pairs, sizeof pairs, "scene=rope integrator=%s drag=%s", integrator, drag);
  sb_trial_open(&trial, PETSC_COMM_WORLD, 1.0 / substeps, pairs, NULL, NULL);
  sb_trial_advance(&trial, (int64_t)substeps * frames);
  const double seconds = trial.report.status == SB_CASE_DIVERGED ? (double)trial.step / substeps : -1;
  sb_trial_close(&trial);
  return seconds;
}

/* Symplectic Euler with drag 0.001: 9 substeps blow up, 10 do not within 400 s (2/w_max = 0.1005). */
static void rope_threshold(void)
{
  assert_true(rope_blowup("symplectic_euler", "0.001", 9, 400) > 0);
  assert_true(rope_blowup("symplectic_euler", "0.001", 10, 400) < 0);
}

/* Explicit Euler with drag 0.001 blows up after 4.0, 10.6 and 42.3 s with 16, 64 and 256 substeps. */
static void rope_survival(void)
{
  sb_near("explicit_euler", "blow-up time, 16 substeps", rope_blowup("explicit_euler", "0.001", 16, 400), 4.0, 0.08);
  sb_near("explicit_euler", "blow-up time, 64 substeps", rope_blowup("explicit_euler", "0.001", 64, 400), 10.6, 0.212);
  sb_near("explicit_euler", "blow-up time, 256 substeps", rope_blowup("explicit_euler", "0.001", 256, 400), 42.3,
          0.846);
}

PETSC_TEST_MAIN(rope_threshold, rope_survival)
