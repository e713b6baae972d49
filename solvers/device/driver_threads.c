/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See driver_threads.h. */
#include "solvers/device/driver_threads.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/* PoCL reads the first; from version 5 on also the second. */
static const char *const numbers[] = {"POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT"};

static size_t list_threads(pid_t thread[SB_THREADS_SEEN])
{
  DIR   *folder = opendir("/proc/self/task");
  size_t count = 0;
  for (const struct dirent *entry; folder && count < SB_THREADS_SEEN && (entry = readdir(folder));)
    if (atoi(entry->d_name) > 0) thread[count++] = (pid_t)atoi(entry->d_name);
  if (folder) closedir(folder);
  return count;
}

void sb_driver_threads_limit(sb_driver_threads *before)
{
  char number[16];
  before->known = sched_getaffinity(0, sizeof before->processors, &before->processors) == 0;
  before->count = list_threads(before->thread);
  before->limited = before->known && !getenv(numbers[0]) && !getenv(numbers[1]);
  snprintf(number, sizeof number, "%d", before->known ? CPU_COUNT(&before->processors) : 0);
  for (size_t i = 0; before->limited && i < sizeof numbers / sizeof *numbers; ++i) setenv(numbers[i], number, 1);
}

/* POCL_AFFINITY has threads bind themselves to processors from the first of the machine on. */
static void bind_thread(pid_t thread, const cpu_set_t *processors)
{
  cpu_set_t its, both;
  if (sched_getaffinity(thread, sizeof its, &its) != 0) return;
  CPU_AND(&both, &its, processors);
  if (!CPU_EQUAL(&both, &its)) sched_setaffinity(thread, sizeof *processors, processors);
}

unsigned sb_driver_threads_bind(const sb_driver_threads *before)
{
  pid_t        now[SB_THREADS_SEEN];
  const size_t count = list_threads(now);
  unsigned     started = 0;
  for (size_t i = 0; before->limited && i < sizeof numbers / sizeof *numbers; ++i) unsetenv(numbers[i]);
  for (size_t i = 0; i < count; ++i) {
    size_t k = 0;
    while (k < before->count && before->thread[k] != now[i]) ++k;
    if (k < before->count) continue;
    started++;
    if (before->known) bind_thread(now[i], &before->processors);
  }
  return started;
}
