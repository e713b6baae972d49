/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaks of a sanitized program are its own. MPI keeps memory until the process ends, some of it by threads of its own
 * and by libraries that are unloaded then: to tell such leaks apart by name, every process would unwind every
 * allocation by tables and read the symbols of a hundred libraries, which takes four times what a small case takes. So
 * what MPI allocates while it starts and ends, and in the threads that it starts, is not looked at. Linked into every
 * program of a build with sanitizers (cmake/conventions.cmake). */
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <sanitizer/lsan_interface.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct {
  void *(*function)(void *);
  void *argument;
} thread_start;

extern const int sb_sanitized; /* named to the linker, which would not take this file otherwise */
const int        sb_sanitized = 1;
int              __interceptor_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* Leaks of others: of glibc's setlocale, of PETSc when an error unwinds it, of its multigrid of Trilinos, of PoCL
 * with its compiler, and of Python, which stays until the process ends, with NumPy and OpenSSL. A caller of PETSc's
 * allocation is only found with ASAN_OPTIONS=fast_unwind_on_malloc=0, the library having no frame pointers. */
const char *__lsan_default_suppressions(void)
{
  return "leak:__argz_add_sep\nleak:PetscOptionsBegin_Private\nleak:MatCholeskyFactorNumeric\nleak:PCSetUp\n"
         "leak:PetscCommDuplicate\nleak:libtrilinos_ml\nleak:libpocl\nleak:libLLVM\n"
         "leak:libpython\nleak:numpy\nleak:libcrypto\n";
}

const char *__lsan_default_options(void) { return "print_suppressions=0"; }

static bool mpi_starts;

static void *run_unwatched(void *data)
{
  const thread_start start = *(thread_start *)data;

  free(data);
  __lsan_disable();
  return start.function(start.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
  if (!mpi_starts) return __interceptor_pthread_create(thread, attributes, function, argument);
  thread_start *start = malloc(sizeof *start);
  if (!start) return EAGAIN;
  *start = (thread_start){function, argument};
  return __interceptor_pthread_create(thread, attributes, run_unwatched, start);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
  __lsan_disable();
  mpi_starts = true;
  const int error = PMPI_Init_thread(argc, argv, required, provided);
  mpi_starts = false;
  __lsan_enable();
  return error;
}

int MPI_Finalize(void)
{
  __lsan_disable();
  const int error = PMPI_Finalize();
  __lsan_enable();
  return error;
}
