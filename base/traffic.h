/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages between ranks as PETSc counts them. PETSc wraps the MPI calls of its own code, and of any code that includes
 * its headers, by counters that are always on, so that the only cost is reading them. Libraries behind PETSc (MUMPS,
 * hypre) call MPI unseen. */
#pragma once

#include <petsclog.h>

#include "base/profile.h"

/* Traffic of this rank so far. */
static inline sb_traffic sb_traffic_so_far(void)
{
  return (sb_traffic){petsc_isend_ct + petsc_send_ct, petsc_isend_len + petsc_send_len,
                      petsc_allreduce_ct + petsc_gather_ct + petsc_scatter_ct};
}

/* The same without that of checks; `profile` may be NULL. */
static inline sb_traffic sb_traffic_without_checks(const sb_profile *profile)
{
  const sb_traffic all = sb_traffic_so_far();
  return profile ? sb_traffic_plus(all, -1, profile->check_traffic) : all;
}
