/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that runs out on demand in an unchanged program (LD_PRELOAD): the calls by which the program's own code, and
 * not a library, asks for memory are counted, and the one with a given number gets none. Own code is what lies in the
 * main program, into which all of it is linked; who asks is read off the return address.
 *
 *   SB_MEMORY_FAULT   "KIND CALL": KIND runner, case, or launch (what the runner forked, until it is a case); CALL from
 *                     1
 *   SB_FAULT_INJECTED a file that gets a byte when that call got none
 *   SB_MEMORY_CALLS   a file to which every call adds longs: 0 (runner), 1 (case) or 2 (launch), and FRAMES addresses
 *                     in the program's file from which it comes, innermost first; 0: none, or in a library */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int (*select_entry)(const struct dirent *);
typedef int (*order_entries)(const struct dirent **, const struct dirent **);

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

enum { RUNNER, CASE, LAUNCH, KINDS, FRAMES = 10 };
static const char *const kinds[KINDS] = {"runner", "case", "launch"};

static struct {
  uintptr_t base, first, last; /* of the main program's code */
  bool      active;
  int       log;
  long      pid, kind, fault_kind, at;
  long      calls[KINDS]; /* a fork goes on with a copy, in which LAUNCH is 0 */
} self;

/* The first object is the main program. */
static int take_program(struct dl_phdr_info *object, size_t size, void *unused)
{
  (void)size;
  (void)unused;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    self.base = object->dlpi_addr;
    self.first = object->dlpi_addr + part->p_vaddr;
    self.last = self.first + part->p_memsz;
  }
  return 1;
}

__attribute__((constructor)) static void begin(int argc, char **argv)
{
  char        kind[16] = "";
  long        at = 0;
  const char *fault = getenv("SB_MEMORY_FAULT"), *log = getenv("SB_MEMORY_CALLS");
  const char *command = argc > 1 ? argv[1] : "";
  self.kind = strcmp(command, "case") == 0 ? CASE : RUNNER;
  self.pid = syscall(SYS_getpid);
  if (self.kind == RUNNER && strcmp(command, "run") != 0) return;
  self.log = log ? open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
  if (fault && sscanf(fault, "%15s %ld", kind, &at) == 2) self.at = at;
  while (self.fault_kind < KINDS && strcmp(kind, kinds[self.fault_kind]) != 0) ++self.fault_kind;
  dl_iterate_phdr(take_program, NULL);
  self.active = true;
}

static bool is_own(const void *address) { return (uintptr_t)address >= self.first && (uintptr_t)address < self.last; }

static void log_call(long kind)
{
  void     *frames[FRAMES] = {NULL};
  long      line[1 + FRAMES] = {kind};
  const int before = errno, count = backtrace(frames, FRAMES);
  for (int i = 0, k = 1; i < count; ++i)
    if (is_own(frames[i])) line[k++] = (long)((uintptr_t)frames[i] - self.base);
  syscall(SYS_write, self.log, line, sizeof line);
  errno = before;
}

static void count_fault(const char *path)
{
  const int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
  if (file < 0) return;
  (void)!write(file, "+", 1);
  close(file);
}

static bool fails(const void *caller)
{
  if (!self.active || !is_own(caller)) return false;
  const long kind = syscall(SYS_getpid) == self.pid ? self.kind : LAUNCH;
  if (self.log >= 0) log_call(kind);
  const long call = __atomic_add_fetch(&self.calls[kind], 1, __ATOMIC_RELAXED);
  if (kind != self.fault_kind || call != self.at) return false;
  count_fault(getenv("SB_FAULT_INJECTED"));
  errno = ENOMEM;
  return true;
}
#define FAILS fails(__builtin_return_address(0))

void *malloc(size_t size) { return FAILS ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return FAILS ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return FAILS ? NULL : __libc_realloc(old, size); }
void *reallocarray(void *old, size_t count, size_t size)
{
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return errno = ENOMEM, NULL;
  return FAILS ? NULL : __libc_realloc(old, bytes);
}

char *strndup(const char *text, size_t most)
{
  const size_t length = strnlen(text, most);
  char        *copy = FAILS ? NULL : __libc_malloc(length + 1);
  if (copy) memcpy(copy, text, length);
  if (copy) copy[length] = '\0';
  return copy;
}
char *strdup(const char *text)
{
  const size_t size = strlen(text) + 1;
  char        *copy = FAILS ? NULL : __libc_malloc(size);
  return copy ? memcpy(copy, text, size) : NULL;
}

int vasprintf(char **text, const char *format, va_list arguments)
{
  va_list again;
  va_copy(again, arguments);
  const int length = FAILS ? -1 : vsnprintf(NULL, 0, format, again);
  va_end(again);
  *text = length < 0 ? NULL : __libc_malloc((size_t)length + 1);
  return *text ? vsnprintf(*text, (size_t)length + 1, format, arguments) : -1;
}
int asprintf(char **text, const char *format, ...)
{
  va_list arguments;
  if (FAILS) return -1; /* *text is undefined then */
  va_start(arguments, format);
  const int length = vasprintf(text, format, arguments);
  va_end(arguments);
  return length;
}

/* The functions below allocate inside of libc, on behalf of our code. */
#define NEXT(type, name, parameters)                                                                                   \
  type(*next) parameters = NULL;                                                                                       \
  const bool failing = FAILS;                                                                                          \
  *(void **)&next = dlsym(RTLD_NEXT, #name);                                                                           \
  if (failing) errno = ENOMEM;                                                                                         \
  if (failing || !next)

FILE *open_memstream(char **text, size_t *length)
{
  NEXT(FILE *, open_memstream, (char **, size_t *)) return NULL;
  return next(text, length);
}
FILE *fdopen(int file, const char *mode)
{
  NEXT(FILE *, fdopen, (int, const char *)) return NULL;
  return next(file, mode);
}
FILE *fopen(const char *path, const char *mode)
{
  NEXT(FILE *, fopen, (const char *, const char *)) return NULL;
  return next(path, mode);
}
DIR *opendir(const char *path)
{
  NEXT(DIR *, opendir, (const char *)) return NULL;
  return next(path);
}
int scandir(const char *path, struct dirent ***entries, select_entry chosen, order_entries order)
{
  NEXT(int, scandir, (const char *, struct dirent ***, select_entry, order_entries)) return -1;
  return next(path, entries, chosen, order);
}
char *realpath(const char *path, char *resolved)
{
  NEXT(char *, realpath, (const char *, char *)) return NULL;
  return next(path, resolved);
}
ssize_t getdelim(char **line, size_t *room, int end, FILE *stream)
{
  NEXT(ssize_t, getdelim, (char **, size_t *, int, FILE *)) return -1;
  return next(line, room, end, stream);
}
ssize_t getline(char **line, size_t *room, FILE *stream)
{
  NEXT(ssize_t, getdelim, (char **, size_t *, int, FILE *)) return -1;
  return next(line, room, '\n', stream);
}

/* The environment of cases is made anew: what they need to be reached here is added. */
int execve(const char *path, char *const arguments[], char *const environment[])
{
  static const char *const ours[] = {"LD_PRELOAD", "SB_MEMORY_FAULT", "SB_MEMORY_CALLS", "SB_FAULT_INJECTED"};
  enum { MOST = 200, OURS = sizeof ours / sizeof *ours };
  static char extra[OURS][4200];
  char       *all[MOST + OURS + 1];
  size_t      n = 0;
  for (; environment && environment[n] && n < MOST; ++n) all[n] = environment[n];
  for (int i = 0; i < OURS && self.active; ++i) {
    const char *value = getenv(ours[i]);
    if (!value) continue;
    snprintf(extra[i], sizeof extra[i], "%s=%s", ours[i], value);
    all[n++] = extra[i];
  }
  all[n] = NULL;
  return (int)syscall(SYS_execve, path, arguments, all);
}
