/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes of a case, from /proc; see processes.h. */
#include "cases/common/processes.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases/common/durable.h"

#define FORKED_ONLY 0x40 /* the kernel's flag PF_FORKNOEXEC of a process: it has not executed a program yet */

typedef struct {
  pid_t    pid, parent, group;
  unsigned flags;
  char     state;
  bool     ours;
} process;

/* "pid (name) state parent group session terminal terminal's-group flags …": the name may hold anything, so fields
 * count from its last parenthesis. */
static bool read_process(pid_t pid, process *p)
{
  char path[64];
  *p = (process){.pid = pid, .state = '?'};
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
  SB_OWNED char *text = sb_read_file(path, NULL);
  const char    *after = text ? strrchr(text, ')') : NULL;
  return after && sscanf(after + 1, " %c %d %d %*d %*d %*d %u", &p->state, &p->parent, &p->group, &p->flags) == 4;
}

bool sb_process_runs(pid_t pid)
{
  process p;
  return read_process(pid, &p) ? p.state != 'Z' && p.state != 'X' : kill(pid, 0) == 0 || errno != ESRCH;
}

bool sb_process_left(const char *name)
{
  char           host[64], *end = NULL;
  SB_OWNED char *mark = sb_format(".%s.", sb_host_name(host));
  const char    *found = strstr(name, mark);
  const long     pid = found ? strtol(found + strlen(mark), &end, 10) : 0;
  return pid > 0 && (*end == '\0' || *end == '.') && !sb_process_runs((pid_t)pid);
}

/* All processes there are (malloc'ed), and which of them are descendants of `leader` or, with `group`, of its group. */
static process *read_table(pid_t leader, bool group, size_t *count)
{
  process *all = NULL, p;
  DIR     *entries = opendir("/proc");
  *count = 0;
  for (const struct dirent *entry; entries && (entry = readdir(entries));) {
    if (!isdigit((unsigned char)entry->d_name[0]) || !read_process((pid_t)atoi(entry->d_name), &p)) continue;
    p.ours = p.pid == leader || (group && p.group == leader);
    all = sb_grow(all, *count, sizeof *all);
    all[(*count)++] = p;
  }
  if (entries) closedir(entries);
  for (bool grew = true; grew;) { /* children of our processes are ours */
    grew = false;
    for (process *child = all; child < all + *count; ++child)
      for (const process *one = all; !child->ours && one < all + *count; ++one)
        if (one->ours && one->pid == child->parent) child->ours = grew = true;
  }
  return all;
}

/* The sum of the lines of a process's file that begin so, such as "VmHWM: 12 kB", bytes; 0 if the process is gone. */
static double bytes_of(pid_t pid, const char *name, const char *beginning)
{
  char   path[64], line[256];
  double kilobytes = 0;
  snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
  FILE *file = fopen(path, "re");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, beginning, strlen(beginning)) == 0) kilobytes += strtod(line + strcspn(line, ":") + 1, NULL);
  if (file) fclose(file);
  return 1024 * kilobytes;
}

double sb_processes_resident_bytes(pid_t leader)
{
  size_t            count;
  SB_OWNED process *all = read_table(leader, true, &count);
  double            bytes = 0;
  for (const process *p = all; p < all + count; ++p) {
    if (!p->ours) continue;
    bytes +=
        p->flags & FORKED_ONLY ? bytes_of(p->pid, "smaps_rollup", "Private_") : bytes_of(p->pid, "status", "VmRSS:");
  }
  return bytes;
}

double sb_process_peak_bytes(pid_t pid)
{
  process    p;
  const bool counts = pid == getpid() || (read_process(pid, &p) && !(p.flags & FORKED_ONLY));
  return counts ? bytes_of(pid, "status", "VmHWM:") : 0;
}

typedef struct {
  dev_t device;
  ino_t number;
} file_number;

/* Adds the open files of a process that once were in this folder and have no name; each file once. */
static double add_unlinked(pid_t pid, const char *folder, file_number **seen, size_t *count)
{
  char         path[64], name[4096];
  const size_t length = strlen(folder);
  double       bytes = 0;
  struct stat  s;
  snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
  DIR *entries = opendir(path);
  for (const struct dirent *entry; entries && (entry = readdir(entries));) {
    const ssize_t got = readlinkat(dirfd(entries), entry->d_name, name, sizeof name);
    if (got <= (ssize_t)length || memcmp(name, folder, length) != 0 || name[length] != '/') continue;
    if (fstatat(dirfd(entries), entry->d_name, &s, 0) != 0 || !S_ISREG(s.st_mode) || s.st_nlink > 0) continue;
    size_t i = 0;
    while (i < *count && ((*seen)[i].number != s.st_ino || (*seen)[i].device != s.st_dev)) ++i;
    if (i < *count) continue;
    *seen = sb_grow(*seen, *count, sizeof **seen);
    (*seen)[(*count)++] = (file_number){s.st_dev, s.st_ino};
    bytes += 512 * (double)s.st_blocks;
  }
  if (entries) closedir(entries);
  return bytes;
}

double sb_processes_unlinked_bytes(pid_t leader, const char *folder)
{
  size_t                count, files = 0;
  SB_OWNED process     *all = read_table(leader, false, &count);
  SB_OWNED char        *there = realpath(folder, NULL);
  SB_OWNED file_number *seen = NULL;
  double                bytes = 0;
  for (const process *p = all; there && p < all + count; ++p)
    if (p->ours && p->pid != leader) bytes += add_unlinked(p->pid, there, &seen, &files);
  return bytes;
}

void sb_processes_signal(pid_t leader, int number)
{
  size_t            count;
  SB_OWNED process *all = read_table(leader, true, &count);
  for (const process *p = all; p < all + count; ++p)
    if (p->ours && p->group != leader) kill(p->pid, number);
  kill(-leader, number);
}

void sb_processes_end_below(void)
{
  enum { ROUNDS_MAX = 5000 }; /* of 1 ms: a process in the kernel's hands may not end */
  const struct timespec pause = {.tv_nsec = 1000000};
  for (int round = 0; round < ROUNDS_MAX; ++round) {
    pid_t ended;
    while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) continue;
    if (ended < 0) return;
    size_t            count;
    SB_OWNED process *all = read_table(getpid(), false, &count);
    for (const process *p = all; p < all + count; ++p)
      if (p->ours && p->pid != getpid()) kill(p->pid, SIGKILL);
    nanosleep(&pause, NULL);
  }
}
