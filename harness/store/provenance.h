/* Where a result comes from: build, libraries, machine, and when. Local.
 *
 * Everything here may differ between equal runs; it is stored under /provenance, apart from the results. */
#pragma once

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  int64_t     ranks, threads, warm_up, repetition;
  const char *petsc_options; /* of the option `petsc`; borrowed */
  char        start_utc[32]; /* as sb_now writes it */
  const char *warnings;      /* of the scene, a line each; borrowed, NULL: none */
} sb_provenance;

/* Attributes of a new group /provenance; the end is now. PETSc must be initialised. */
bool sb_provenance_write(hid_t file, const sb_provenance *provenance);
