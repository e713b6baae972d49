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
  char        host[64], *mark = sb_format(".%s.", sb_host_name(host)), *end = NULL;
  const char *found = strstr(name, mark);
  const long  pid = found ? strtol(found + strlen(mark), &end, 10) : 0;
  free(mark);
  return pid > 0 && (*end == '\0' || *end == '.') && !sb_process_runs((pid_t)pid);
}

typedef struct {
  size_t   count;
  process *all;
} process_table;

/* "pid (name) state parent group …": the name may hold anything, so fields count from its last parenthesis. */
static bool read_process(const char *pid, process *p)
{
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  const size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  const char *after = strrchr(text, ')');
  int         parent, group;
  if (!after || sscanf(after + 1, " %*c %d %d", &parent, &group) != 2) return false;
  *p = (process){.pid = (pid_t)atoi(pid), .parent = parent, .group = group};
  return true;
}

static void read_table(process_table *table)
{
  *table = (process_table){0};
  DIR *entries = opendir("/proc");
  for (const struct dirent *entry; entries && (entry = readdir(entries));) {
    process p;
    if (!isdigit((unsigned char)entry->d_name[0]) || !read_process(entry->d_name, &p)) continue;
    table->all = sb_grow(table->all, table->count, sizeof *table->all);
    table->all[table->count++] = p;
  }
  if (entries) closedir(entries);
}

static bool is_child_of_ours(const process_table *table, const process *p)
{
  for (size_t i = 0; i < table->count; ++i)
    if (table->all[i].ours && table->all[i].pid == p->parent) return true;
  return false;
}

static void mark_ours(process_table *table, pid_t leader)
{
  for (size_t i = 0; i < table->count; ++i) {
    process *p = &table->all[i];
    p->ours = p->pid == leader || p->group == leader;
  }
  for (bool grew = true; grew;) {
    grew = false;
    for (size_t i = 0; i < table->count; ++i) {
      process *p = &table->all[i];
      if (p->ours || !is_child_of_ours(table, p)) continue;
      p->ours = grew = true;
    }
  }
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
  process_table table;
  double        bytes = 0;
  read_table(&table);
  mark_ours(&table, leader);
  for (size_t i = 0; i < table.count; ++i)
    if (table.all[i].ours) bytes += resident_bytes(table.all[i].pid);
  free(table.all);
  return bytes;
}

void sb_processes_signal(pid_t leader, int number)
{
  process_table table;
  read_table(&table);
  mark_ours(&table, leader);
  for (size_t i = 0; i < table.count; ++i)
    if (table.all[i].ours && table.all[i].group != leader) kill(table.all[i].pid, number);
  free(table.all);
  kill(-leader, number);
}
