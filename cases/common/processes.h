/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes of a case: its process group and all descendants, even if mpiexec gave them other groups. Local. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* True if there is such a process and it has not ended (a zombie has ended). */
bool sb_process_runs(pid_t pid);
/* True if a file name with .<host>.<pid> in it belongs to a process of this host that no longer exists. */
bool sb_process_left(const char *name);
/* Resident memory of all of them together, bytes; 0 if there are none. A process that was forked and has not executed a
 * program counts with the part that it does not share. */
double sb_processes_resident_bytes(pid_t leader);
/* Largest resident memory of a process since it executed its program, bytes; 0 if it is gone or has not executed one. A
 * process that was forked has its own since then, without the pages of libraries that it has not touched. It is VmHWM
 * of /proc. The ru_maxrss of getrusage and wait4 survives fork and exec: it would give a small case of a large runner
 * the runner's memory. */
double sb_process_peak_bytes(pid_t pid);
/* Bytes on the disk of files of a folder that descendants of `leader` have open, but that no longer have a name. */
double sb_processes_unlinked_bytes(pid_t leader, const char *folder);
/* Sends a signal to all of them. */
void sb_processes_signal(pid_t leader, int number);
/* Kills all descendants of this process and waits for their end. If this process is a subreaper, these include daemons.
 */
void sb_processes_end_below(void);
