/* The processes of a case: its process group and all descendants, in whatever group mpiexec put them. Local. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* True when there is such a process and it has not ended (one that only waits to be reaped has). */
bool sb_process_runs(pid_t pid);
/* True when a file's name with .<host>.<pid> in it is of a process of this host that is no more. */
bool sb_process_left(const char *name);
/* Resident memory of all of them, bytes; 0 when they are gone. */
double sb_processes_resident_bytes(pid_t leader);
/* A signal to all of them. */
void sb_processes_signal(pid_t leader, int number);
