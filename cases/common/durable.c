/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are either complete or absent; see durable.h. The order is that of docs/robustness.md: write aside, fsync
 * the file, rename, fsync the directory. */
#include "cases/common/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/allocate.h"

enum { PROC_BYTES = 4096 }; /* reads a file in /proc, whose size is given as 0, up to one read */

int sb_open(const char *path, int flags)
{
  struct stat about;
  const int   file = (int)TEMP_FAILURE_RETRY(open(path, flags | O_CLOEXEC | O_NONBLOCK, 0666));
  if (file < 0 && errno == ENXIO) errno = SB_NOT_A_FILE; /* a pipe without a reader, a socket */
  if (file < 0) return file;
  const bool known = fstat(file, &about) == 0;
  if (known && (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))) return file;
  if (known) errno = SB_NOT_A_FILE;
  sb_close(&file);
  return -1;
}

void sb_close(const int *descriptor)
{
  const int error = errno;
  if (*descriptor >= 0) close(*descriptor);
  errno = error;
}

bool sb_close_written(int file, bool good)
{
  if (good) return close(file) == 0 || errno == EINTR;
  sb_close(&file);
  return false;
}

int sb_create(const char *path, int flags)
{
  const int file = sb_open(path, O_WRONLY | O_CREAT | O_EXCL | flags);
  return file < 0 && errno == EEXIST && unlink(path) == 0 ? sb_open(path, O_WRONLY | O_CREAT | O_EXCL | flags) : file;
}

const char *sb_cause(int error) { return error == SB_NOT_A_FILE ? "not a regular file" : strerror(error); }

const char *sb_host_name(char buffer[64])
{
  if (gethostname(buffer, 64) != 0) snprintf(buffer, 64, "unknown");
  buffer[63] = '\0';
  return buffer;
}

const char *sb_now(char buffer[32])
{
  const time_t now = time(NULL);
  struct tm    parts;
  strftime(buffer, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
  return buffer;
}

const char *sb_format_bytes(double bytes, char buffer[32])
{
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  size_t                   unit = 0;
  for (; bytes >= 1024 && unit + 1 < sizeof units / sizeof *units; ++unit) bytes /= 1024;
  snprintf(buffer, 32, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return buffer;
}

double sb_free_bytes(const char *path)
{
  struct statvfs space;
  SB_OWNED char *own = sb_copy_text(path);
  const char    *place = *path ? path : ".";
  while (statvfs(place, &space) != 0) {
    if (errno != ENOENT || strcmp(place, ".") == 0 || strcmp(place, "/") == 0) return -1;
    place = dirname(own);
  }
  return (double)space.f_bavail * (double)space.f_frsize;
}

bool sb_tells_of_room(const char *cause) { return strstr(cause, strerror(ENOSPC)) || strstr(cause, strerror(EDQUOT)); }

bool sb_storage_error(const char *what, const char *path, int error, double needed_bytes)
{
  char         needed[32], available[32];
  const bool   full = sb_tells_of_room(strerror(error));
  const double room = full ? sb_free_bytes(path) : -1;
  fprintf(stderr, "springbench: error: cannot %s %s: %s", what, path, sb_cause(error));
  if (full && needed_bytes > 0) fprintf(stderr, "; needed %s", sb_format_bytes(needed_bytes, needed));
  if (full && room >= 0) fprintf(stderr, "%s free %s", needed_bytes > 0 ? "," : ";", sb_format_bytes(room, available));
  fputc('\n', stderr);
  return false;
}

bool sb_make_directory(const char *path)
{
  SB_OWNED char *place = sb_copy_text(path);
  struct stat    information;
  int            error = *path ? 0 : ENOENT;
  for (char *end = place; *path && *end && error == 0;) { /* every parent, and then all of it */
    end += strspn(end, "/");
    end += strcspn(end, "/");
    const char after = *end;
    *end = '\0';
    if (mkdir(place, 0777) != 0 && errno != EEXIST) error = errno;
    *end = after;
  }
  if (error == 0 && stat(place, &information) == 0 && !S_ISDIR(information.st_mode)) error = ENOTDIR;
  errno = error;
  return error == 0 || sb_storage_error("make the directory", path, error, 0);
}

bool sb_make_folder(const char *directory, const char *name)
{
  struct stat    about;
  SB_OWNED char *path = sb_format("%s/%s", directory, name);
  if (lstat(path, &about) != 0 || !S_ISLNK(about.st_mode)) return sb_make_directory(path);
  fprintf(stderr, "springbench: error: %s is a symbolic link; replace it by the folder that it leads to\n", path);
  errno = ELOOP;
  return false;
}

/* Ends with a file: all that was done with it is on the disk, and it is closed; errno is of the first failure. */
static bool end_file(int file, bool good)
{
  return sb_close_written(file, good && TEMP_FAILURE_RETRY(fsync(file)) == 0);
}

bool sb_sync_file(const char *path)
{
  const int file = sb_open(path, O_RDONLY);
  return file >= 0 && end_file(file, true);
}

bool sb_sync_data(const char *path)
{
  SB_ENDED_BY(sb_close) const int file = sb_open(path, O_RDONLY);
  return file >= 0 && TEMP_FAILURE_RETRY(fdatasync(file)) == 0;
}

bool sb_sync_directory(const char *path)
{
  /* Some file systems cannot sync a directory and report that; their renames are as durable as they get. */
  return sb_sync_file(path) || errno == EINVAL || sb_storage_error("sync", path, errno, 0);
}

bool sb_write_all(int descriptor, const void *bytes, size_t size)
{
  for (const char *next = bytes; size > 0;) {
    const ssize_t written = TEMP_FAILURE_RETRY(write(descriptor, next, size));
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    next += written;
    size -= (size_t)written;
  }
  return true;
}

bool sb_write_file(const char *path, const void *bytes, size_t size)
{
  const int file = sb_create(path, 0);
  if (file >= 0 && end_file(file, sb_write_all(file, bytes, size))) return true;
  const int error = errno;
  unlink(path);
  errno = error;
  return false;
}

bool sb_replace_file(const char *directory, const char *name, const void *bytes, size_t size)
{
  char           host[64];
  SB_OWNED char *path = sb_format("%s/%s", directory, name);
  SB_OWNED char *aside = sb_format("%s/tmp/%s.%s.%ld", directory, name, sb_host_name(host), (long)getpid());
  if (!sb_make_folder(directory, "tmp")) return false;
  if (sb_write_file(aside, bytes, size) && rename(aside, path) == 0) return sb_sync_directory(directory);
  const int error = errno;
  unlink(aside);
  return sb_storage_error("write", path, error, (double)size);
}

bool sb_own_file(const char *directory, const char *name)
{
  struct stat    about;
  size_t         size = 0;
  SB_OWNED char *path = sb_format("%s/%s", directory, name);
  const bool     there = lstat(path, &about) == 0;
  if (there ? !S_ISLNK(about.st_mode) && about.st_nlink <= 1 : errno == ENOENT) return true;
  SB_OWNED char *text = there ? sb_read_file(path, &size) : NULL;
  if (text) return sb_replace_file(directory, name, text, size);
  return (there && errno == ENOENT && unlink(path) == 0) || sb_storage_error("read", path, errno, 0);
}

char *sb_read_file(const char *path, size_t *size)
{
  struct stat                     information;
  SB_ENDED_BY(sb_close) const int file = sb_open(path, O_RDONLY);
  size_t                          length = 0;
  ssize_t                         got = 1;
  if (file < 0 || fstat(file, &information) != 0) return NULL;
  const bool   unknown = information.st_size == 0 && S_ISREG(information.st_mode);
  const size_t size_max = unknown ? PROC_BYTES : (size_t)information.st_size;
  char *const  text = sb_allocate(size_max + 1, 1);
  while (length < size_max && (got = TEMP_FAILURE_RETRY(read(file, text + length, size_max - length))) > 0)
    length += (size_t)got;
  if (size) *size = length;
  if (got < 0) free(text);
  return got < 0 ? NULL : text;
}

bool sb_copy_file(const char *from, const char *to)
{
  enum { CHUNK = 1 << 30 };
  SB_ENDED_BY(sb_close) const int in = sb_open(from, O_RDONLY);
  const int                       out = in < 0 ? -1 : sb_create(to, 0);
  ssize_t                         sent = 1;
  while (out >= 0 && sent > 0) sent = TEMP_FAILURE_RETRY(sendfile(out, in, NULL, CHUNK));
  return out >= 0 && sb_close_written(out, sent == 0);
}

char *sb_program_file(const char *name)
{
  char          path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  const char *slash = strrchr(path, '/');
  if (!slash) return sb_copy_text(name ? name : "unknown");
  return name ? sb_format("%.*s/%s", (int)(slash - path), path, name) : sb_copy_text(path);
}

char *sb_data_directory(const char *folder)
{
  const char *chosen = getenv("SPRINGBENCH_DATA");
  if (chosen && *chosen) return sb_format("%s/%s", chosen, folder);
  SB_OWNED char *source = sb_format("%s/%s", SB_SOURCE_DIR, folder);
  SB_OWNED char *relative = sb_format("%s/%s", SB_DATA_FROM_PROGRAM, folder);
  char          *installed = sb_program_file(relative);
  if (access(installed, R_OK | X_OK) == 0 || access(source, R_OK | X_OK) != 0) return installed;
  free(installed);
  return sb_copy_text(source);
}
