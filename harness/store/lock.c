/* The lock of a results directory; see lock.h. flock goes with the process, so that a killed runner leaves none; what
 * stands in the file only says who it is. */
#include "harness/store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "harness/common/durable.h"
#include "harness/common/processes.h"

enum { TRIES = 20 };
static const struct timespec pause_between = {.tv_nsec = 10000000};

/* The file was written by who had the lock for itself; a reader, who shares it, leaves it as it is. */
static bool may_hold(const char *host, json_int_t pid)
{
  char here[64];
  return strcmp(host, sb_host_name(here)) != 0 || sb_process_runs((pid_t)pid);
}

static void describe_holder(const char *path, char holder[160])
{
  char       *text = sb_read_file(path, NULL);
  json_t     *who = text ? json_loads(text, 0, NULL) : NULL;
  const char *host = "?", *at = "?";
  json_int_t  pid = 0;
  if (json_unpack(who, "{s:s, s:I, s:s}", "host", &host, "pid", &pid, "at", &at) == 0 && may_hold(host, pid))
    snprintf(holder, 160, "process %ld on host %.64s since %.32s", (long)pid, host, at);
  else
    snprintf(holder, 160, "another process");
  json_decref(who);
  free(text);
}

static bool write_holder(int file)
{
  char  host[64], at[32];
  char *boot = sb_read_file("/proc/sys/kernel/random/boot_id", NULL);
  if (boot) boot[strcspn(boot, "\n")] = '\0';
  char *line = sb_format("{\"host\": \"%s\", \"pid\": %ld, \"boot_id\": \"%s\", \"at\": \"%s\"}\n", sb_host_name(host),
                         (long)getpid(), boot ? boot : "", sb_now(at));
  const bool written = TEMP_FAILURE_RETRY(ftruncate(file, 0)) == 0 && sb_write_all(file, line, strlen(line));
  free(line);
  free(boot);
  return written;
}

/* Says who is in the way, and closes what is not held. */
static sb_lock_outcome conclude(sb_lock_outcome outcome, const char *directory, const char *path, int *descriptor)
{
  char holder[160];
  if (outcome == SB_LOCK_BUSY) {
    describe_holder(path, holder);
    fprintf(stderr, "springbench: error: %s is in use by %s; nothing was changed\n", directory, holder);
  }
  if (outcome != SB_LOCK_HELD && *descriptor >= 0) {
    close(*descriptor);
    *descriptor = -1;
  }
  return outcome;
}

/* `status` and others look at a lock by sharing it for a moment: that is no reason to give up. */
static bool lock_alone(int file)
{
  for (int tries = 1; TEMP_FAILURE_RETRY(flock(file, LOCK_EX | LOCK_NB)) != 0; ++tries) {
    if (errno != EWOULDBLOCK || tries == TRIES) return false;
    nanosleep(&pause_between, NULL);
    errno = EWOULDBLOCK;
  }
  return true;
}

sb_lock_outcome sb_lock_take(const char *directory, int *descriptor)
{
  char           *path = sb_format("%s/lock", directory);
  sb_lock_outcome outcome = SB_LOCK_HELD;
  *descriptor = sb_open(path, O_RDWR | O_CREAT);
  if (*descriptor < 0) {
    sb_storage_error("open", path, errno, 0);
    outcome = SB_LOCK_FAILED;
  } else if (!lock_alone(*descriptor)) {
    outcome = errno == EWOULDBLOCK ? SB_LOCK_BUSY : SB_LOCK_FAILED;
    if (outcome == SB_LOCK_FAILED) sb_storage_error("lock", path, errno, 0);
  } else if (!write_holder(*descriptor)) {
    sb_storage_error("write", path, errno, 0);
    outcome = SB_LOCK_FAILED;
  }
  outcome = conclude(outcome, directory, path, descriptor);
  free(path);
  return outcome;
}

sb_lock_outcome sb_lock_share(const char *directory, int *descriptor)
{
  char           *path = sb_format("%s/lock", directory);
  sb_lock_outcome outcome = SB_LOCK_HELD;
  *descriptor = sb_open(path, O_RDONLY);
  if (*descriptor < 0 && errno != ENOENT) {
    sb_storage_error("open", path, errno, 0);
    outcome = SB_LOCK_FAILED;
  } else if (*descriptor >= 0 && TEMP_FAILURE_RETRY(flock(*descriptor, LOCK_SH | LOCK_NB)) != 0) {
    outcome = errno == EWOULDBLOCK ? SB_LOCK_BUSY : SB_LOCK_FAILED;
    if (outcome == SB_LOCK_FAILED) sb_storage_error("lock", path, errno, 0);
  }
  outcome = conclude(outcome, directory, path, descriptor);
  free(path);
  return outcome;
}

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
  char     *path = sb_format("%s/lock", directory);
  const int file = sb_open(path, O_RDONLY);
  bool      held = false;
  if (file >= 0) {
    held = TEMP_FAILURE_RETRY(flock(file, LOCK_SH | LOCK_NB)) != 0 && errno == EWOULDBLOCK;
    if (held) describe_holder(path, holder);
    close(file);
  }
  free(path);
  return held;
}
