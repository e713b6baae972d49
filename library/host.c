/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See host.h. */
#include "library/host.h"

#include <petscsys.h>
#include <stdlib.h>
#include <unistd.h>

#include "cases/run/run_case.h"

sb_guest sb_guest_begin(void)
{
  sb_guest guest = {.locale = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0))}; /* static: never freed */
  fegetenv(&guest.arithmetic);
  fesetenv(FE_DFL_ENV);
  return guest;
}

void sb_guest_end(sb_guest *guest)
{
  fesetenv(&guest->arithmetic);
  uselocale(guest->locale);
}

static void (*release_all)(void);

static bool petsc_runs(void)
{
  PetscBool begun = PETSC_FALSE, ended = PETSC_FALSE;
  return PetscInitialized(&begun) == 0 && PetscFinalized(&ended) == 0 && begun && !ended;
}

static bool mpi_has_ended(void)
{
  int ended = 0;
  return MPI_Finalized(&ended) != MPI_SUCCESS || ended;
}

/* MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF, the last one first, while MPI still works. */
static int end_petsc(MPI_Comm comm, int key, void *value, void *state)
{
  SB_AS_GUEST;
  (void)comm, (void)key, (void)value, (void)state;
  if (!petsc_runs()) return MPI_SUCCESS;
  release_all();
  return PetscFinalize() == 0 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static void end_mpi(void)
{
  if (!mpi_has_ended()) (void)MPI_Finalize();
}

/* The attribute is set before those of PETSc, so that none of PETSc's remains to be deleted when PETSc ends. */
static bool end_with_mpi(void)
{
  int key = MPI_KEYVAL_INVALID;
  return MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_petsc, &key, NULL) == MPI_SUCCESS &&
         MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL) == MPI_SUCCESS && MPI_Comm_free_keyval(&key) == MPI_SUCCESS;
}

const char *sb_host_ended(void)
{
  if (mpi_has_ended()) return "MPI has ended in this process, and cannot start again";
  return petsc_runs() ? NULL : "PETSc has ended in this process, and cannot start again";
}

static char **copy_environment(void)
{
  size_t count = 0;
  while (environ[count]) ++count;
  char **copy = sb_allocate(count + 1, sizeof *copy);
  for (size_t i = 0; i < count; ++i) copy[i] = sb_copy_text(environ[i]);
  return copy;
}

/* Settings of MPI for one process would end an mpiexec that the host starts. The texts are the environment's now. */
static void put_back_environment(char **copy)
{
  clearenv();
  for (size_t i = 0; copy[i]; ++i) putenv(copy[i]);
  free(copy);
}

const char *sb_host_start(void (*release)(void))
{
  int       begun = 0;
  PetscBool ended = PETSC_FALSE;
  if (petsc_runs()) return sb_host_ended();
  if (mpi_has_ended() || PetscFinalized(&ended) != 0 || ended) return sb_host_ended();
  release_all = release;
  char     **environment = copy_environment();
  const bool started = MPI_Initialized(&begun) == MPI_SUCCESS &&
                       (begun || (sb_case_start_mpi() && atexit(end_mpi) == 0)) && end_with_mpi() &&
                       sb_case_start_libraries();
  put_back_environment(environment);
  return started ? NULL : "MPI or PETSc cannot be started in this process";
}
