/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See faults.h. */
#include "tests/store/faults.h"

#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <gcrypt.h>
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "tests/cmocka_all.h"

enum { DEPTH = 3, SKIPPED = 2 /* frames of our own */ };

typedef struct {
  fault_trial trial;
  void       *callers[DEPTH];
} way;

static struct {
  bool        watching, armed;
  long        number, calls;
  int         error, always_error, heard, standard_error;
  const char *always, *failed;
  way        *ways;
  size_t      count;
} fault;

static void note(const char *name)
{
  void *frames[SKIPPED + DEPTH] = {NULL};
  way   seen = {.trial.name = name};
  fault.watching = false; /* calls of backtrace are not calls of our own code */
  const int found = backtrace(frames, SKIPPED + DEPTH);
  fault.watching = true;
  for (int i = SKIPPED; i < found; ++i) seen.callers[i - SKIPPED] = frames[i];
  fault.calls++;
  for (size_t i = 0; i < fault.count; ++i)
    if (fault.ways[i].trial.name == name && memcmp(fault.ways[i].callers, seen.callers, sizeof seen.callers) == 0)
      return;
  seen.trial.number = fault.calls;
  fault.ways = realloc(fault.ways, (fault.count + 1) * sizeof *fault.ways);
  fault.ways[fault.count++] = seen;
}

static bool fails(const char *name)
{
  if (fault.watching) note(name);
  if (!fault.armed) return false;
  const bool now = ++fault.calls == fault.number, always = fault.always && strcmp(fault.always, name) == 0;
  if (now) fault.failed = name;
  if (now || always) errno = now ? fault.error : fault.always_error;
  return now || always;
}

void fault_watch(void)
{
  fault.calls = 0;
  fault.count = 0;
  fault.watching = true;
}

size_t fault_trials(fault_trial **trials)
{
  const size_t count = fault.count;
  fault.watching = false;
  *trials = calloc(count + 1, sizeof **trials);
  for (size_t i = 0; i < count; ++i) (*trials)[i] = fault.ways[i].trial;
  free(fault.ways);
  fault.ways = NULL;
  fault.count = 0;
  return count;
}

void fault_arm(long number, int error)
{
  fault.number = number;
  fault.error = error;
  fault.calls = 0;
  fault.failed = NULL;
  fault.armed = true;
}

void fault_always(const char *name, int error)
{
  fault.always = name;
  fault.always_error = error;
}

const char *fault_disarm(void)
{
  fault.armed = fault.watching = false;
  return fault.failed;
}

#define FAILS(name, type, parameters, call, failure)                                                                   \
  type __real_##name parameters;                                                                                       \
  type __wrap_##name parameters;                                                                                       \
  type __wrap_##name parameters { return fails(#name) ? failure : __real_##name call; }
#define CLOSES(name)                                                                                                   \
  herr_t __real_##name(hid_t id);                                                                                      \
  herr_t __wrap_##name(hid_t id);                                                                                      \
  herr_t __wrap_##name(hid_t id)                                                                                       \
  {                                                                                                                    \
    if (!fails(#name)) return __real_##name(id);                                                                       \
    __real_##name(id);                                                                                                 \
    return __real_##name(-1);                                                                                          \
  }
/* Functions of one identifier, and of one among others, which is invalid when they are to fail. */
#define FAILS_OF(name, type) FAILS(name, type, (hid_t id), (id), __real_##name(-1))
#define FAILS_BY(name, type, parameters, ...)                                                                          \
  FAILS(name, type, parameters, (id, __VA_ARGS__), __real_##name(-1, __VA_ARGS__))

/* clang-format off */
CLOSES(H5Idec_ref)
FAILS_OF(H5Dget_space, hid_t)
FAILS_OF(H5Aget_type, hid_t)
FAILS_OF(H5Aget_space, hid_t)
FAILS_OF(H5Sselect_all, herr_t)
FAILS_OF(H5Sget_simple_extent_ndims, int)
FAILS_OF(H5Sget_simple_extent_npoints, hssize_t)
FAILS_OF(H5Sget_simple_extent_type, H5S_class_t)
FAILS_OF(H5Pcreate, hid_t)
FAILS_OF(H5Tget_class, H5T_class_t)
FAILS_OF(H5Tget_size, size_t)
FAILS_OF(H5Tcopy, hid_t)
FAILS_OF(H5Tenum_create, hid_t)
FAILS_OF(H5Tis_variable_str, htri_t)
FAILS_BY(H5Fflush, herr_t, (hid_t id, H5F_scope_t scope), scope)
FAILS_BY(H5Gcreate2, hid_t, (hid_t id, const char *a, hid_t b, hid_t c, hid_t d), a, b, c, d)
FAILS_BY(H5Gopen2, hid_t, (hid_t id, const char *a, hid_t b), a, b)
FAILS_BY(H5Dcreate2, hid_t, (hid_t id, const char *a, hid_t b, hid_t c, hid_t d, hid_t e, hid_t f), a, b, c, d, e, f)
FAILS_BY(H5Dopen2, hid_t, (hid_t id, const char *a, hid_t b), a, b)
FAILS_BY(H5Dread, herr_t, (hid_t id, hid_t a, hid_t b, hid_t c, hid_t d, void *e), a, b, c, d, e)
FAILS_BY(H5Dwrite, herr_t, (hid_t id, hid_t a, hid_t b, hid_t c, hid_t d, const void *e), a, b, c, d, e)
FAILS_BY(H5Dwrite_chunk, herr_t, (hid_t id, hid_t a, uint32_t b, const hsize_t *c, size_t d, const void *e), a, b, c, d, e)
FAILS_BY(H5Dset_extent, herr_t, (hid_t id, const hsize_t *a), a)
FAILS_BY(H5Sselect_hyperslab, herr_t, (hid_t id, H5S_seloper_t a, const hsize_t *b, const hsize_t *c, const hsize_t *d,
                                       const hsize_t *e), a, b, c, d, e)
FAILS_BY(H5Sget_simple_extent_dims, int, (hid_t id, hsize_t *a, hsize_t *b), a, b)
FAILS_BY(H5Pset_obj_track_times, herr_t, (hid_t id, hbool_t a), a)
FAILS_BY(H5Pset_chunk, herr_t, (hid_t id, int a, const hsize_t *b), a, b)
FAILS_BY(H5Pset_attr_creation_order, herr_t, (hid_t id, unsigned a), a)
FAILS_BY(H5Pset_link_creation_order, herr_t, (hid_t id, unsigned a), a)
FAILS_BY(H5Pset_virtual, herr_t, (hid_t id, hid_t a, const char *b, const char *c, hid_t d), a, b, c, d)
FAILS_BY(H5Pset_libver_bounds, herr_t, (hid_t id, H5F_libver_t a, H5F_libver_t b), a, b)
FAILS_BY(H5Pset_fill_time, herr_t, (hid_t id, H5D_fill_time_t a), a)
FAILS_BY(H5Pset_fclose_degree, herr_t, (hid_t id, H5F_close_degree_t a), a)
FAILS_BY(H5Tinsert, herr_t, (hid_t id, const char *a, size_t b, hid_t c), a, b, c)
FAILS_BY(H5Tenum_insert, herr_t, (hid_t id, const char *a, const void *b), a, b)
FAILS_BY(H5Tset_strpad, herr_t, (hid_t id, H5T_str_t a), a)
FAILS_BY(H5Tset_size, herr_t, (hid_t id, size_t a), a)
FAILS_BY(H5Tset_cset, herr_t, (hid_t id, H5T_cset_t a), a)
FAILS_BY(H5Acreate2, hid_t, (hid_t id, const char *a, hid_t b, hid_t c, hid_t d, hid_t e), a, b, c, d, e)
FAILS_BY(H5Aopen, hid_t, (hid_t id, const char *a, hid_t b), a, b)
FAILS_BY(H5Aread, herr_t, (hid_t id, hid_t a, void *b), a, b)
FAILS_BY(H5Awrite, herr_t, (hid_t id, hid_t a, const void *b), a, b)
FAILS_BY(H5Aiterate2, herr_t, (hid_t id, H5_index_t a, H5_iter_order_t b, hsize_t *c, H5A_operator2_t d, void *e), a, b, c, d, e)
FAILS_BY(H5Aexists, htri_t, (hid_t id, const char *a), a)
#if H5_VERSION_GE(1, 12, 0) /* of which H5Literate is a macro */
FAILS_BY(H5Literate2, herr_t, (hid_t id, H5_index_t a, H5_iter_order_t b, hsize_t *c, H5L_iterate2_t d, void *e), a, b, c, d, e)
#else
FAILS_BY(H5Literate, herr_t, (hid_t id, H5_index_t a, H5_iter_order_t b, hsize_t *c, H5L_iterate_t d, void *e), a, b, c, d, e)
#endif
FAILS_BY(H5Lexists, htri_t, (hid_t id, const char *a, hid_t b), a, b)
FAILS_BY(H5Lcreate_hard, herr_t, (hid_t id, const char *a, hid_t b, const char *c, hid_t d, hid_t e), a, b, c, d, e)
FAILS(H5Fcreate, hid_t, (const char *a, unsigned b, hid_t c, hid_t d), (a, b, c, d), __real_H5Fcreate("", b, c, d))
FAILS(H5Fopen, hid_t, (const char *a, unsigned b, hid_t c), (a, b, c), __real_H5Fopen("", b, c))
FAILS(H5Screate, hid_t, (H5S_class_t a), (a), __real_H5Screate(H5S_NO_CLASS))
FAILS(H5Screate_simple, hid_t, (int a, const hsize_t *b, const hsize_t *c), (a, b, c), __real_H5Screate_simple(-1, b, c))
FAILS(H5Tcreate, hid_t, (H5T_class_t a, size_t b), (a, b), __real_H5Tcreate(a, 0))
FAILS(H5Rcreate, herr_t, (void *a, hid_t b, const char *c, H5R_type_t d, hid_t e), (a, b, c, d, e),
      __real_H5Rcreate(a, -1, c, d, e))

/* On this machine's calls, what is variadic takes its arguments as what is not. */
FAILS(open, int, (const char *path, int flags, mode_t mode), (path, flags, mode), -1)
FAILS(fcntl, int, (int file, int command, long argument), (file, command, argument), -1)
FAILS(read, ssize_t, (int file, void *bytes, size_t size), (file, bytes, size), -1)
FAILS(pread, ssize_t, (int file, void *bytes, size_t size, off_t from), (file, bytes, size, from), -1)
FAILS(write, ssize_t, (int file, const void *bytes, size_t size), (file, bytes, size), errno == 0 ? 0 : -1)
FAILS(ferror, int, (FILE *stream), (stream), 1)
FAILS(fsync, int, (int file), (file), -1)
FAILS(fdatasync, int, (int file), (file), -1)
FAILS(ftruncate, int, (int file, off_t length), (file, length), -1)
FAILS(flock, int, (int file, int operation), (file, operation), -1)
FAILS(fstat, int, (int file, struct stat *information), (file, information), -1)
FAILS(stat, int, (const char *path, struct stat *information), (path, information), -1)
FAILS(mkdir, int, (const char *path, mode_t mode), (path, mode), -1)
FAILS(rename, int, (const char *from, const char *to), (from, to), -1)
FAILS(renameat2, int, (int a, const char *from, int b, const char *to, unsigned c), (a, from, b, to, c), -1)
FAILS(link, int, (const char *from, const char *to), (from, to), -1)
FAILS(unlink, int, (const char *path), (path), -1)
FAILS(access, int, (const char *path, int mode), (path, mode), -1)
FAILS(opendir, DIR *, (const char *path), (path), NULL)
FAILS(realpath, char *, (const char *path, char *resolved), (path, resolved), NULL)
FAILS(gethostname, int, (char *name, size_t size), (name, size), -1)
FAILS(pipe2, int, (int ends[2], int flags), (ends, flags), -1)
FAILS(signalfd, int, (int file, const sigset_t *set, int flags), (file, set, flags), -1)
FAILS(sigprocmask, int, (int how, const sigset_t *set, sigset_t *before), (how, set, before), -1)
FAILS(gcry_md_open, gcry_error_t, (gcry_md_hd_t *digest, int algorithm, unsigned flags), (digest, algorithm, flags),
      gcry_error(GPG_ERR_ENOMEM))
/* clang-format on */

int   __real_close(int file);
int   __wrap_close(int file);
pid_t __real_fork(void);
pid_t __wrap_fork(void);

int __wrap_close(int file)
{
  if (!fails("close")) return __real_close(file);
  const int error = errno;
  __real_close(file);
  errno = error;
  return -1;
}

pid_t __wrap_fork(void)
{
  if (fails("fork")) return -1;
  const pid_t pid = __real_fork();
  if (pid == 0) fault_disarm();
  return pid;
}

void fault_listen(void)
{
  fflush(stderr);
  fault.heard = memfd_create("said", 0);
  fault.standard_error = dup(STDERR_FILENO);
  assert_true(fault.heard >= 0 && fault.standard_error >= 0 && dup2(fault.heard, STDERR_FILENO) >= 0);
}

char *fault_heard(void)
{
  fflush(stderr);
  dup2(fault.standard_error, STDERR_FILENO);
  const off_t size = lseek(fault.heard, 0, SEEK_END);
  char       *said = calloc((size_t)size + 1, 1);
  assert_true(__real_pread(fault.heard, said, (size_t)size, 0) == size);
  __real_close(fault.heard);
  __real_close(fault.standard_error);
  return said;
}

long fault_open_identifiers(void) { return (long)H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL); }
