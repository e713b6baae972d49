/* The processes of a case: its process group and all descendants, in whatever group mpiexec put them. Local. */
#pragma once

#include <sys/types.h>

/* Resident memory of all of them, bytes; 0 when they are gone. */
double sb_processes_resident_bytes(pid_t leader);
/* A signal to all of them. */
void sb_processes_signal(pid_t leader, int number);
