/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are either complete or absent: they are written aside, synced and renamed. Also messages for failures, and
 * the folders of files that come with the program. Local; no PETSc.
 *
 * Every function that can run out of space prints one line on stderr with path, cause, bytes needed and bytes free, and
 * returns false. Interrupted calls are repeated, short writes continued. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/allocate.h"

/* Prints "springbench: error: cannot <what> <path>: <cause>" on stderr, and if the space is used up "; needed …, free
 * …". needed_bytes 0: unknown. Always returns false. */
bool sb_storage_error(const char *what, const char *path, int error, double needed_bytes);
/* True if the text names a full disk or quota, so that the free space explains it. */
bool sb_tells_of_room(const char *cause);
/* Free bytes for this user on the file system of `path` (or of its nearest existing parent); -1 if unknown. */
double sb_free_bytes(const char *path);
/* Writes "1.5 GiB" and the like into buffer[32]. */
const char *sb_format_bytes(double bytes, char buffer[32]);

/* Makes the directory and its parents; true if it already exists. */
bool sb_make_directory(const char *path);
/* As sb_make_directory for <directory>/<name>, a folder whose files a command writes. A symbolic link is refused: it
 * may lead out of the directory. */
bool sb_make_folder(const char *directory, const char *name);
/* Syncs a file, or a directory, to the disk. For a file false with errno set, no message; for a directory, after a
 * message. */
bool sb_sync_file(const char *path);
/* Syncs the content of a file to the disk. If only the file's name changed, this costs nothing. False with errno set,
 * no message. */
bool sb_sync_data(const char *path);
bool sb_sync_directory(const char *path);
/* Writes all bytes at the descriptor's position; false with errno set, no message. */
bool sb_write_all(int descriptor, const void *bytes, size_t size);
/* Writes a new file, as sb_create makes it, and syncs it. False with errno set, no message; no file remains. */
bool sb_write_file(const char *path, const void *bytes, size_t size);
/* Replaces <directory>/<name> by these bytes: written to <directory>/tmp/, synced, renamed. */
bool sb_replace_file(const char *directory, const char *name, const void *bytes, size_t size);
/* open(2) with O_CLOEXEC, repeated after interruptions; new files have mode 0666 less the umask. It never blocks: a
 * pipe, a socket or a device is refused with errno SB_NOT_A_FILE. */
enum { SB_NOT_A_FILE = EMEDIUMTYPE };
int sb_open(const char *path, int flags);
/* Closes a descriptor, unless it is -1, and keeps errno; for SB_ENDED_BY. */
void sb_close(const int *descriptor);
/* Closes a file that was written. False, with errno of the first failure, if that fails or writing was not good. */
bool sb_close_written(int file, bool good);
/* Opens a new file for writing. A file or link that has the name is removed first, so that no file elsewhere is written
 * through a link or another name. `flags`: O_APPEND or 0. */
int sb_create(const char *path, int flags);
/* Makes <directory>/<name>, which is written in place, a file of its own: in a copy of a directory that was made of
 * links (cp -as, cp -al) it is also the original's. A link to nothing is removed. */
bool sb_own_file(const char *directory, const char *name);
/* strerror, also for SB_NOT_A_FILE. */
const char *sb_cause(int error);
/* Copies a file to a new one, as sb_create makes it. False with errno set, no message. */
bool sb_copy_file(const char *from, const char *to);
/* The whole file and a closing NUL (malloc'ed), its size in *size (may be NULL). NULL with errno set, no message. */
char *sb_read_file(const char *path, size_t *size);

/* This machine's name, as used in names of files in tmp/; into buffer[64]. */
const char *sb_host_name(char buffer[64]);
/* Now, as 2024-05-06T07:08:09Z, into buffer[32]. */
const char *sb_now(char buffer[32]);

/* The path of this program, or of the file `name` relative to its folder (NULL: of the program); malloc'ed. */
char *sb_program_file(const char *name);
/* The folder <folder> ("experiments", "plots", "results/published") that comes with the program. It is in the directory
 * of the environment variable SPRINGBENCH_DATA if set; else in share/springbench, relative to the installed program;
 * else in the source tree that the program was built from. malloc'ed; never NULL. */
char *sb_data_directory(const char *folder);
