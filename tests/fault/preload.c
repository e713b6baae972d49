/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults on demand in an unchanged program (LD_PRELOAD): its calls that open, write, cut, sync, rename, link, unlink,
 * make or close something below one folder are counted, and the one with a given number fails, is cut short, or is
 * where the process is killed. Streams opened for writing are counted call by call too.
 *
 *   SB_FAULT_ROOT    the folder
 *   SB_FAULT         "KIND PROCESS CALL FAULT;…": KIND runner or case; PROCESS the how-many-th of its kind, 0 for all;
 *                    CALL from 1; FAULT ENOSPC, EIO, EINTR (ENOSPC+: from that call on), SHORT, KILL_BEFORE,
 *                    KILL_INSIDE (half of the bytes have been written), KILL_AFTER
 *   SB_FAULT_LOG     a file that gets a line for every counted call
 *   SB_FAULT_STARTS  a file that gets a byte for every case process, which numbers them
 *   SB_FAULT_INJECTED  a file that gets a byte for every process in which the fault happened
 *   SB_FAULT_STAND_IN  a program to be executed in the place of cases (replay.c) */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

typedef int64_t hid_t; /* as HDF5 1.10 has it */
hid_t           H5Fopen(const char *path, unsigned flags, hid_t access);

typedef enum { NOTHING, FAIL, FAIL_ON, SHORTEN, KILL_BEFORE, KILL_INSIDE, KILL_AFTER } fault;

static struct {
  char  kind[16], root[4096];
  bool  active;
  fault fault;
  int   error, log;
  long  at, calls;
} self;

static long raw(long number, const long a[5]) { return syscall(number, a[0], a[1], a[2], a[3], a[4]); }

static bool read_fault(const char *name)
{
  static const struct {
    const char *name;
    fault       fault;
    int         error;
  } known[] = {{"ENOSPC", FAIL, ENOSPC},        {"EIO", FAIL, EIO},
               {"EINTR", FAIL, EINTR},          {"ENOSPC+", FAIL_ON, ENOSPC},
               {"EIO+", FAIL_ON, EIO},          {"SHORT", SHORTEN, 0},
               {"KILL_BEFORE", KILL_BEFORE, 0}, {"KILL_INSIDE", KILL_INSIDE, 0},
               {"KILL_AFTER", KILL_AFTER, 0}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (strcmp(known[i].name, name) == 0) {
      self.fault = known[i].fault;
      self.error = known[i].error;
      return true;
    }
  return false;
}

/* Takes the entry of this process, if there is one. */
static void read_faults(const char *text, long number)
{
  char kind[16], name[16];
  long process, call;
  for (int length = 0; sscanf(text, " %15s %ld %ld %15[A-Z_+]%n", kind, &process, &call, name, &length) == 4;) {
    if (strcmp(kind, self.kind) == 0 && (process == 0 || process == number) && read_fault(name)) self.at = call;
    text += length + (text[length] == ';');
  }
}

/* Appends a byte to a file and returns how many it has. */
static long count_in(const char *path)
{
  struct stat about = {0};
  const int   file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
  if (file < 0) return 1;
  if (syscall(SYS_write, file, "+", 1) == 1) (void)fstat(file, &about);
  syscall(SYS_close, file);
  return (long)about.st_size;
}

static void read_kind(void)
{
  char       text[512] = "";
  const int  file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY, 0);
  const long length = file < 0 ? 0 : syscall(SYS_read, file, text, sizeof text - 1);
  if (file >= 0) syscall(SYS_close, file);
  const char *command = text + strlen(text) + 1;
  snprintf(self.kind, sizeof self.kind, "other");
  if (length <= 0 || command >= text + length) return;
  if (strcmp(command, "run") == 0) snprintf(self.kind, sizeof self.kind, "runner");
  if (strcmp(command, "case") == 0) snprintf(self.kind, sizeof self.kind, "case");
}

__attribute__((constructor)) static void begin(void)
{
  const char *root = getenv("SB_FAULT_ROOT"), *faults = getenv("SB_FAULT"), *log = getenv("SB_FAULT_LOG");
  self.log = -1;
  read_kind();
  if (!root) return;
  snprintf(self.root, sizeof self.root, "%s/", root);
  const long number = strcmp(self.kind, "case") == 0 ? count_in(getenv("SB_FAULT_STARTS")) : 1;
  if (faults) read_faults(faults, number);
  if (log) self.log = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  self.active = true;
}

static bool is_below_root(const char *path) { return strncmp(path, self.root, strlen(self.root)) == 0; }

/* Finds the place of a path relative to a descriptor, or of the descriptor itself if path is NULL. True if it is below
 * the root. */
static bool is_watched(int descriptor, const char *path, char place[4096])
{
  char link[64];
  if (!self.active) return false;
  place[0] = '\0';
  if (path && (*path == '/' || descriptor == AT_FDCWD)) {
    snprintf(place, 4096, "%s", path);
    return is_below_root(place);
  }
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, place, 2048);
  if (length <= 0) return false;
  place[length] = '\0';
  if (path) snprintf(place + length, 4096 - (size_t)length, "/%s", path);
  return is_below_root(place);
}

_Noreturn static void die(void)
{
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) syscall(SYS_pause);
}

/* Returns the fault that this call is to have. */
static fault next_call(const char *name, const char *place)
{
  char       line[4200];
  const long number = ++self.calls;
  if (self.log >= 0) {
    const int length =
        snprintf(line, sizeof line, "%s %ld %s %s\n", self.kind, number, name, place + strlen(self.root));
    syscall(SYS_write, self.log, line, (size_t)length);
  }
  if (number == self.at) (void)count_in(getenv("SB_FAULT_INJECTED"));
  if (self.at > 0 && self.fault == FAIL_ON && number >= self.at) return FAIL;
  return number == self.at ? self.fault : NOTHING;
}

/* The call, or what happens in its place. `sized`: its third argument is a number of bytes, of which some may be done;
 * `frees`: it does its work although it fails, as close does. */
static long call(const char *name, const char *place, int kind, long number, const long a[5])
{
  enum { SIZED = 1, FREES };
  const fault what = next_call(name, place);
  const long  half[5] = {a[0], a[1], a[2] / 2, a[3], a[4]};
  const bool  divides = kind == SIZED && a[2] > 1;
  if (what == KILL_BEFORE) die();
  if (what == FAIL) {
    if (kind == FREES) (void)raw(number, a);
    errno = self.error;
    return -1;
  }
  const long done = (what == SHORTEN || what == KILL_INSIDE) && divides ? raw(number, half)
                    : what == KILL_INSIDE                               ? 0
                                                                        : raw(number, a);
  if (what == KILL_INSIDE || what == KILL_AFTER) die();
  return done;
}
enum { WHOLE, SIZED, FREES };

#define WATCHED(descriptor, path, name, kind, number, ...)                                                             \
  do {                                                                                                                 \
    char       place[4096];                                                                                            \
    const long all[5] = {__VA_ARGS__};                                                                                 \
    return is_watched(descriptor, path, place) ? call(name, place, kind, number, all) : raw(number, all);              \
  } while (0)

static long open_at(int folder, const char *path, int flags, mode_t mode)
{
  WATCHED(folder, path, flags & (O_WRONLY | O_RDWR) ? "open" : "open_to_read", WHOLE, SYS_openat, folder, (long)path,
          flags, mode);
}
#define TAKE_MODE(mode, flags)                                                                                         \
  mode_t mode = 0;                                                                                                     \
  if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                               \
    va_list rest;                                                                                                      \
    va_start(rest, flags);                                                                                             \
    mode = va_arg(rest, mode_t);                                                                                       \
    va_end(rest);                                                                                                      \
  }

int open(const char *path, int flags, ...)
{
  TAKE_MODE(mode, flags)
  return (int)open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...)
{
  TAKE_MODE(mode, flags)
  return (int)open_at(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...)
{
  TAKE_MODE(mode, flags)
  return (int)open_at(folder, path, flags, mode);
}

static long write_some(int file, const void *bytes, size_t size)
{
  WATCHED(file, NULL, "write", SIZED, SYS_write, file, (long)bytes, (long)size);
}
static long write_there(int file, const void *bytes, size_t size, off_t offset)
{
  WATCHED(file, NULL, "pwrite", SIZED, SYS_pwrite64, file, (long)bytes, (long)size, offset);
}
static long write_parts(int file, const struct iovec *parts, int count)
{
  WATCHED(file, NULL, "writev", SIZED, SYS_writev, file, (long)parts, count);
}
static long sync_all(int file) { WATCHED(file, NULL, "fsync", WHOLE, SYS_fsync, file); }
static long sync_data(int file) { WATCHED(file, NULL, "fdatasync", WHOLE, SYS_fdatasync, file); }
static long cut(int file, off_t length) { WATCHED(file, NULL, "ftruncate", WHOLE, SYS_ftruncate, file, length); }
static long close_it(int file) { WATCHED(file, NULL, "close", FREES, SYS_close, file); }
static long unlink_at(int folder, const char *path, int flags)
{
  WATCHED(folder, path, "unlink", WHOLE, SYS_unlinkat, folder, (long)path, flags);
}
static long rename_at(int from, const char *path, int to, const char *target, unsigned flags)
{
  WATCHED(to, target, "rename", WHOLE, SYS_renameat2, from, (long)path, to, (long)target, flags);
}
static long link_at(const char *path, const char *target)
{
  WATCHED(AT_FDCWD, target, "link", WHOLE, SYS_linkat, AT_FDCWD, (long)path, AT_FDCWD, (long)target, 0);
}
static long make_at(const char *path, mode_t mode)
{
  WATCHED(AT_FDCWD, path, "mkdir", WHOLE, SYS_mkdirat, AT_FDCWD, (long)path, mode);
}

ssize_t write(int file, const void *bytes, size_t size) { return write_some(file, bytes, size); }
ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset)
{
  return write_there(file, bytes, size, offset);
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off_t at) { return write_there(file, bytes, size, at); }
ssize_t writev(int file, const struct iovec *parts, int count) { return write_parts(file, parts, count); }
int     fsync(int file) { return (int)sync_all(file); }
int     fdatasync(int file) { return (int)sync_data(file); }
int     ftruncate(int file, off_t length) { return (int)cut(file, length); }
int     ftruncate64(int file, off_t length) { return (int)cut(file, length); }
int     close(int file) { return (int)close_it(file); }
int     unlink(const char *path) { return (int)unlink_at(AT_FDCWD, path, 0); }
int     unlinkat(int folder, const char *path, int flags) { return (int)unlink_at(folder, path, flags); }
int     rename(const char *path, const char *to) { return (int)rename_at(AT_FDCWD, path, AT_FDCWD, to, 0); }
int     renameat2(int from, const char *path, int to, const char *target, unsigned flags)
{
  return (int)rename_at(from, path, to, target, flags);
}
int link(const char *path, const char *target) { return (int)link_at(path, target); }
int mkdir(const char *path, mode_t mode) { return (int)make_at(path, mode); }

/* libc's streams reach the kernel past these functions, so streams for writing are made of them. */
static ssize_t put(void *cookie, const char *bytes, size_t size)
{
  size_t done = 0;
  while (done < size) {
    const long wrote = write_some((int)(long)cookie, bytes + done, size - done);
    if (wrote < 0) return done > 0 ? (ssize_t)done : 0; /* 0 is a cookie's failure */
    done += (size_t)wrote;
  }
  return (ssize_t)done;
}
static int put_end(void *cookie) { return (int)close_it((int)(long)cookie); }

FILE *fopen(const char *path, const char *mode)
{
  const cookie_io_functions_t functions = {.write = put, .close = put_end};
  char                        place[4096];
  if (mode[0] == 'r' || !is_watched(AT_FDCWD, path, place)) {
    const int  flags = mode[0] == 'r'   ? (strchr(mode, '+') ? O_RDWR : O_RDONLY)
                       : mode[0] == 'a' ? O_WRONLY | O_CREAT | O_APPEND
                                        : O_WRONLY | O_CREAT | O_TRUNC;
    const long file = open_at(AT_FDCWD, path, flags | (strchr(mode, 'e') ? O_CLOEXEC : 0), 0666);
    return file < 0 ? NULL : fdopen((int)file, mode);
  }
  const long file =
      open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | (mode[0] == 'a' ? O_APPEND : O_TRUNC) | O_CLOEXEC, 0666);
  return file < 0 ? NULL : fopencookie((void *)file, "w", functions);
}
FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

/* HDF5's own, so that a test can see which files reach the library. */
hid_t H5Fopen(const char *path, unsigned flags, hid_t access)
{
  hid_t (*next)(const char *, unsigned, hid_t) = NULL;
  char place[4096];
  *(void **)&next = dlsym(RTLD_NEXT, "H5Fopen");
  if (is_watched(AT_FDCWD, path, place) && self.log >= 0) {
    char      line[4200];
    const int length = snprintf(line, sizeof line, "%s 0 H5Fopen %s\n", self.kind, place + strlen(self.root));
    syscall(SYS_write, self.log, line, (size_t)length);
  }
  return next ? next(path, flags, access) : -1;
}

/* The environment of cases is made anew: what they need to be reached here is added. */
int execve(const char *path, char *const arguments[], char *const environment[])
{
  static const char *const ours[] = {"LD_PRELOAD",      "SB_FAULT_ROOT",     "SB_FAULT",          "SB_FAULT_LOG",
                                     "SB_FAULT_STARTS", "SB_FAULT_STAND_IN", "SB_FAULT_RECORDED", "SB_FAULT_INJECTED"};
  enum { MOST = 200, OURS = sizeof ours / sizeof *ours };
  static char extra[OURS][4200];
  char       *all[MOST + OURS + 1];
  size_t      n = 0;
  const char *stand_in = getenv("SB_FAULT_STAND_IN");
  for (; environment && environment[n] && n < MOST; ++n) all[n] = environment[n];
  for (int i = 0; i < OURS && strcmp(self.kind, "runner") == 0; ++i) {
    const char *value = getenv(ours[i]);
    if (!value) continue;
    snprintf(extra[i], sizeof extra[i], "%s=%s", ours[i], value);
    all[n++] = extra[i];
  }
  all[n] = NULL;
  const bool is_case = arguments[0] && arguments[1] && strcmp(arguments[1], "case") == 0;
  return (int)syscall(SYS_execve, stand_in && is_case ? stand_in : path, arguments, all);
}
