/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading input files; see input_file.h. A path is opened without waiting and tested afterwards. So nothing can replace
 * the file in between, and a pipe without a writer does not block. */
#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"

char *sb_input_path(const char *name)
{
  const char *folder = getenv(SB_INPUTS_VARIABLE);
  if (!folder || !*folder || *name == '/') return sb_copy_text(name);
  char *path = sb_format("%s/%s", folder, name);
  if (access(path, F_OK) == 0) return path;
  free(path);
  return sb_copy_text(name);
}

char *sb_input_replace(const char *text, char *(*with)(void *context, const char *path), void *context)
{
  char       *made = sb_copy_text("");
  const char *start = text;
  while (*start) {
    const char    *at = strchr(start, '@');
    const bool     begins = at && (at == text || strchr(" ,;=", at[-1]));
    const size_t   before = at ? (size_t)(at + 1 - start) : strlen(start), length = begins ? strcspn(at + 1, " ,;") : 0;
    SB_OWNED char *path = length > 0 ? sb_format("%.*s", (int)length, at + 1) : NULL;
    SB_OWNED char *other = path ? with(context, path) : NULL, *last = made;
    made = sb_format("%s%.*s%s", last, (int)before, start, other ? other : "");
    start += before + length;
  }
  return made;
}

static char *found_path(void *context, const char *path)
{
  (void)context;
  return sb_input_path(path);
}

char *sb_input_resolve(const char *text) { return sb_input_replace(text, found_path, NULL); }

static const char not_regular[] = "not a regular file";

/* Why an open file cannot be read; NULL: it can. */
static const char *obstacle(int descriptor, size_t limit, struct stat *status)
{
  if (fstat(descriptor, status) != 0) return strerror(errno);
  if (S_ISDIR(status->st_mode)) return strerror(EISDIR);
  if (S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode)) return "it is a device";
  if (!S_ISREG(status->st_mode)) return not_regular;
  return (size_t)status->st_size > limit ? "it is larger than allowed" : NULL;
}

/* Reads at most `size` bytes; false with errno set. */
static bool read_all(int descriptor, char *bytes, size_t *size)
{
  size_t done = 0;
  while (done < *size) {
    const ssize_t more = read(descriptor, bytes + done, *size - done);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return false;
    if (more == 0) break;
    done += (size_t)more;
  }
  bytes[done] = '\0';
  *size = done;
  return true;
}

/* The descriptor, at least 0, of a file that can be read; else *why is the reason. */
static int open_input(const char *name, size_t limit, struct stat *status, const char **why)
{
  char     *path = sb_input_path(name);
  const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor >= 0)
    *why = obstacle(descriptor, limit, status);
  else /* a socket cannot be opened */
    *why = errno == ENXIO ? not_regular : strerror(errno);
  free(path);
  return descriptor;
}

static bool refuse(const char *path, const struct stat *status, const char *why, sb_location where,
                   sb_diagnostics *diagnostics)
{
  const bool device = S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode);
  return sb_error_at(diagnostics, where, device ? "E109" : "E100", "cannot read '%s': %s", path, why);
}

bool sb_check_input(const char *path, size_t limit, sb_location where, sb_diagnostics *diagnostics)
{
  struct stat status = {0};
  const char *why = NULL;
  const int   descriptor = open_input(path, limit, &status, &why);
  if (descriptor >= 0) close(descriptor);
  return !why || refuse(path, &status, why, where, diagnostics);
}

char *sb_read_input(const char *path, size_t limit, sb_location where, size_t *size, sb_diagnostics *diagnostics)
{
  struct stat status = {0};
  char       *bytes = NULL;
  const char *why = NULL;
  const int   descriptor = open_input(path, limit, &status, &why);
  *size = why ? 0 : (size_t)status.st_size;
  if (!why && !(bytes = malloc(*size + 1))) why = strerror(ENOMEM);
  if (!why && !read_all(descriptor, bytes, size)) why = strerror(errno);
  if (descriptor >= 0) close(descriptor);
  if (!why) return bytes;
  refuse(path, &status, why, where, diagnostics);
  free(bytes);
  return NULL;
}
