/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See host.h. */
#include "library/host.h"

#include <petscsys.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "cases/run/run_case.h"

/* ---- one thread at a time ---- */

/* PETSc is made for one thread. A mutex would let a thread of many calls pass those that wait. */
static struct {
  pthread_mutex_t mutex;
  pthread_cond_t  turn;
  unsigned long   given, served; /* numbers: the next one, and that of the thread inside, or of the next one */
  pthread_t       inside;
  int             depth; /* 0: no thread is inside */
  bool            ready;
} queue = {.mutex = PTHREAD_MUTEX_INITIALIZER, .turn = PTHREAD_COND_INITIALIZER};

static bool is_inside(void) { return queue.depth > 0 && pthread_equal(queue.inside, pthread_self()); }

/* A forked process has only the thread that forked. */
static void forget_others(void)
{
  const int depth = is_inside() ? queue.depth : 0;
  queue.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  queue.turn = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  queue.depth = depth;
  queue.served = 0;
  queue.given = depth > 0;
}

static void enter(void)
{
  pthread_mutex_lock(&queue.mutex);
  if (!queue.ready) queue.ready = pthread_atfork(NULL, NULL, forget_others) == 0;
  if (!is_inside()) {
    const unsigned long own = queue.given++;
    while (queue.served != own) pthread_cond_wait(&queue.turn, &queue.mutex);
    queue.inside = pthread_self();
  }
  queue.depth++;
  pthread_mutex_unlock(&queue.mutex);
}

static void leave(void)
{
  pthread_mutex_lock(&queue.mutex);
  if (--queue.depth == 0) {
    queue.served++;
    pthread_cond_broadcast(&queue.turn);
  }
  pthread_mutex_unlock(&queue.mutex);
}

sb_guest sb_guest_begin(void)
{
  int cancelled;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
  enter();
  sb_guest guest = {.cancelled = cancelled,
                    .locale = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0))}; /* static: never freed */
  fegetenv(&guest.arithmetic);
  fesetenv(FE_DFL_ENV);
  return guest;
}

void sb_guest_end(sb_guest *guest)
{
  fesetenv(&guest->arithmetic);
  uselocale(guest->locale);
  leave();
  pthread_setcancelstate(guest->cancelled, NULL);
}

/* ---- MPI and PETSc ---- */

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
  SB_AS_GUEST; /* waits for the call of another thread */
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
