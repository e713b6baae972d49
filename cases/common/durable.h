/* Files that are whole or not there: writing aside, syncing, renaming; saying why it failed; and where the files are
 * that come with the program. Local; no PETSc.
 *
 * Every function that can fail for want of room prints one line on stderr naming path, cause, what was needed and what
 * is free, and returns false. Interrupted calls are repeated, short writes continued. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/allocate.h"

/* The line on stderr: "springbench: error: cannot <what> <path>: <cause>", and for want of room "; needed …, free
 * …". needed_bytes 0: not known. Always returns false. */
bool sb_storage_error(const char *what, const char *path, int error, double needed_bytes);
/* True when the text names a full disk or quota: then how much is free says something. */
bool sb_tells_of_room(const char *cause);
/* Free bytes for this user where `path` (or its nearest existing parent) stands; -1 when unknown. */
double sb_free_bytes(const char *path);
/* "1.5 GiB" and the like, into buffer[32]. */
const char *sb_format_bytes(double bytes, char buffer[32]);

/* Makes the directory and its parents; true when it is there already. */
bool sb_make_directory(const char *path);
/* Makes sure that a file, or a directory, is on the disk. Of a file false with errno set, no message; of a directory,
 * after a message. */
bool sb_sync_file(const char *path);
/* Syncs the content of a file to the disk. If the file only got another name, this costs nothing. False with errno set,
 * no message. */
bool sb_sync_data(const char *path);
bool sb_sync_directory(const char *path);
/* Writes all of it at the descriptor's place; false with errno set, no message. */
bool sb_write_all(int descriptor, const void *bytes, size_t size);
/* <directory>/<name> gets these bytes: written to <directory>/tmp/, synced, renamed over what was there. */
bool sb_replace_file(const char *directory, const char *name, const void *bytes, size_t size);
/* open(2) that an interruption does not fail, for this process alone (O_CLOEXEC); what it makes is 0666 less the umask.
 * It never blocks: a pipe, a socket or a device is refused, with errno SB_NOT_A_FILE. */
enum { SB_NOT_A_FILE = EMEDIUMTYPE };
int sb_open(const char *path, int flags);
/* strerror, also for SB_NOT_A_FILE. */
const char *sb_cause(int error);
/* The whole file and a closing NUL (malloc'ed), its size in *size (may be NULL). NULL with errno set, no message. */
char *sb_read_file(const char *path, size_t *size);

/* This machine's name, such as stands in names of files in tmp/; into buffer[64]. */
const char *sb_host_name(char buffer[64]);
/* Now, as 2024-05-06T07:08:09Z, into buffer[32]. */
const char *sb_now(char buffer[32]);

/* Where the files are that come with the program: <folder> ("experiments", "plots", "results/published") of the
 * environment variable SPRINGBENCH_DATA where it is set, else of share/springbench as it was installed beside the
 * program, wherever that stands now, else of the source tree that the program was built from. malloc'ed; never NULL. */
char *sb_data_directory(const char *folder);
