/* The processes of a case: its process group and all descendants, in whatever group mpiexec put them. Local. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* True when there is such a process and it has not ended (one that only waits to be reaped has). */
bool sb_process_runs(pid_t pid);
/* True when a file's name with .<host>.<pid> in it is of a process of this host that is no more. */
bool sb_process_left(const char *name);
/* Resident memory of all of them together, bytes; 0 when they are gone. A process that was forked and has not executed
 * a program yet does not count: it shares the memory of its parent. */
double sb_processes_resident_bytes(pid_t leader);
/* Largest resident memory that a process has had since it executed its program, bytes; 0 when it is gone or has not
 * executed one. It is VmHWM of /proc. The ru_maxrss of getrusage and wait4 survives fork and exec: with it a small case
 * of a large runner has the runner's memory. */
double sb_process_peak_bytes(pid_t pid);
/* A signal to all of them. */
void sb_processes_signal(pid_t leader, int number);
