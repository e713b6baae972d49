/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lock of a results directory; see lock.h. flock ends with the process, so a killed runner leaves no lock. The text
 * in the file only names the holder. */
#include "harness/results/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "cases/common/processes.h"

/* Describes who wrote the file: who had the lock for itself; a reader, who shares it, leaves it as it is. */
static void describe_holder(const char *path, char holder[160])
{
  char           here[64];
  SB_OWNED char *text = sb_read_file(path, NULL);
  json_auto_t   *who = text ? json_loads(text, 0, NULL) : NULL;
  const char    *host = "?", *at = "?";
  json_int_t     pid = 0;
  if (json_unpack(who, "{s:s, s:I, s:s}", "host", &host, "pid", &pid, "at", &at) == 0 &&
      (strcmp(host, sb_host_name(here)) != 0 || sb_process_runs((pid_t)pid)))
    snprintf(holder, 160, "process %ld on host %.64s since %.32s", (long)pid, host, at);
  else
    snprintf(holder, 160, "another process");
}

static bool write_holder(int file)
{
  char           host[64], at[32];
  SB_OWNED char *boot = sb_read_file("/proc/sys/kernel/random/boot_id", NULL);
  SB_OWNED char *line =
      sb_format("{\"host\": \"%s\", \"pid\": %ld, \"boot_id\": \"%.*s\", \"at\": \"%s\"}\n", sb_host_name(host),
                (long)getpid(), boot ? (int)strcspn(boot, "\n") : 0, boot ? boot : "", sb_now(at));
  return TEMP_FAILURE_RETRY(ftruncate(file, 0)) == 0 && sb_write_all(file, line, strlen(line));
}

/* `status` and other commands share a lock for a moment to test it, so wait before giving up. */
static bool lock(int file, int operation, int tries)
{
  static const struct timespec pause_between = {.tv_nsec = 10000000};
  while (TEMP_FAILURE_RETRY(flock(file, operation | LOCK_NB)) != 0) {
    if (errno != EWOULDBLOCK || --tries == 0) return false;
    nanosleep(&pause_between, NULL);
  }
  return true;
}

/* A lock that is a link, as in a copy made by cp -as, is another directory's, or no lock. The directory's own flock
 * keeps a second process from removing the lock that the first one has made meanwhile. */
static void remove_link(const char *directory, const char *path)
{
  struct stat about;
  const int   folder = sb_open(directory, O_RDONLY);
  if (folder >= 0 && TEMP_FAILURE_RETRY(flock(folder, LOCK_EX)) == 0 && lstat(path, &about) == 0 &&
      S_ISLNK(about.st_mode))
    unlink(path);
  if (folder >= 0) close(folder);
}

static sb_lock_outcome take(const char *directory, bool alone, int *descriptor)
{
  char           holder[160];
  const char    *failed = NULL;
  SB_OWNED char *path = sb_format("%s/lock", directory);
  *descriptor = sb_open(path, alone ? O_RDWR | O_CREAT | O_NOFOLLOW : O_RDONLY | O_NOFOLLOW);
  if (*descriptor < 0 && !alone && (errno == ENOENT || errno == ELOOP)) return SB_LOCK_HELD; /* none has run in it */
  if (*descriptor < 0 && errno == ELOOP) {
    remove_link(directory, path);
    *descriptor = sb_open(path, O_RDWR | O_CREAT | O_NOFOLLOW);
  }
  if (*descriptor < 0)
    failed = "open";
  else if (!lock(*descriptor, alone ? LOCK_EX : LOCK_SH, alone ? 20 : 1))
    failed = "lock";
  else if (alone && !write_holder(*descriptor))
    failed = "write";
  if (!failed) return SB_LOCK_HELD;
  const bool busy = strcmp(failed, "lock") == 0 && errno == EWOULDBLOCK;
  if (busy) {
    describe_holder(path, holder);
    fprintf(stderr, "springbench: error: %s is in use by %s; nothing was changed\n", directory, holder);
  } else {
    sb_storage_error(failed, path, errno, 0);
  }
  if (*descriptor >= 0) close(*descriptor);
  *descriptor = -1;
  return busy ? SB_LOCK_BUSY : SB_LOCK_FAILED;
}

sb_lock_outcome sb_lock_take(const char *directory, int *descriptor) { return take(directory, true, descriptor); }

sb_lock_outcome sb_lock_share(const char *directory, int *descriptor) { return take(directory, false, descriptor); }

void sb_lock_release(int *descriptor)
{
  if (*descriptor < 0) return;
  /* The file stays: to remove it would let two processes lock two files of the same name. */
  if (TEMP_FAILURE_RETRY(ftruncate(*descriptor, 0)) != 0) errno = 0;
  close(*descriptor);
  *descriptor = -1;
}

bool sb_lock_is_held(const char *directory, char holder[160])
{
  SB_OWNED char *path = sb_format("%s/lock", directory);
  const int      file = sb_open(path, O_RDONLY | O_NOFOLLOW);
  const bool     held = file >= 0 && !lock(file, LOCK_SH, 1) && errno == EWOULDBLOCK;
  if (held) describe_holder(path, holder);
  if (file >= 0) close(file);
  return held;
}
