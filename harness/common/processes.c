/* The processes of a case, from /proc; see processes.h. */
#include "harness/common/processes.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/common/durable.h"

typedef struct {
  pid_t pid, parent, group;
  bool  ours;
} process;

typedef struct {
  size_t   count;
  process *all;
} process_table;

bool sb_process_runs(pid_t pid)
{
  char path[64], state = '?';
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
  FILE *file = fopen(path, "re");
  if (!file) return kill(pid, 0) == 0 || errno != ESRCH;
  if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = '?';
  fclose(file);
  return state != 'Z' && state != 'X';
}

bool sb_process_left(const char *name)
{
  char           host[64], *end = NULL;
  SB_OWNED char *mark = sb_format(".%s.", sb_host_name(host));
  const char    *found = strstr(name, mark);
  const long     pid = found ? strtol(found + strlen(mark), &end, 10) : 0;
  return pid > 0 && (*end == '\0' || *end == '.') && !sb_process_runs((pid_t)pid);
}

/* "pid (name) state parent group …": the name may hold anything, so fields count from its last parenthesis. */
static bool read_process(const char *pid, process *p)
{
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  const char *after = strrchr(text, ')');
  *p = (process){.pid = (pid_t)atoi(pid)};
  return after && sscanf(after + 1, " %*c %d %d", &p->parent, &p->group) == 2;
}

/* All processes there are, and which of them are of the case that `leader` leads. */
static process_table read_table(pid_t leader)
{
  process_table table = {0};
  process       p;
  DIR          *entries = opendir("/proc");
  for (const struct dirent *entry; entries && (entry = readdir(entries));) {
    if (!isdigit((unsigned char)entry->d_name[0]) || !read_process(entry->d_name, &p)) continue;
    p.ours = p.pid == leader || p.group == leader;
    table.all = sb_grow(table.all, table.count, sizeof *table.all);
    table.all[table.count++] = p;
  }
  if (entries) closedir(entries);
  for (bool grew = true; grew;) { /* children of ours are ours */
    grew = false;
    for (process *child = table.all; child < table.all + table.count; ++child)
      for (const process *one = table.all; !child->ours && one < table.all + table.count; ++one)
        if (one->ours && one->pid == child->parent) child->ours = grew = true;
  }
  return table;
}

static double resident_bytes(pid_t pid)
{
  char path[64];
  long total, resident = 0;
  snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  if (fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
  fclose(file);
  return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

double sb_processes_resident_bytes(pid_t leader)
{
  const process_table table = read_table(leader);
  double              bytes = 0;
  for (size_t i = 0; i < table.count; ++i)
    if (table.all[i].ours) bytes += resident_bytes(table.all[i].pid);
  free(table.all);
  return bytes;
}

void sb_processes_signal(pid_t leader, int number)
{
  const process_table table = read_table(leader);
  for (size_t i = 0; i < table.count; ++i)
    if (table.all[i].ours && table.all[i].group != leader) kill(table.all[i].pid, number);
  free(table.all);
  kill(-leader, number);
}
