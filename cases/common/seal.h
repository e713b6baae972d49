/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The seal of a case file or of results.h5: its last line has the digest of all bytes before it. A file that is damaged
 * or cut off is detected by it before HDF5, which trusts its input, opens it. HDF5 ignores bytes after its own end.
 * Local. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum { SB_SEAL_FITS, SB_SEAL_BROKEN, SB_SEAL_ABSENT, SB_SEAL_UNREADABLE } sb_seal;

/* Appends the seal. False with errno set, no message. */
bool sb_seal_append(const char *path);
/* Appends it to the first `size` of size + SB_SEAL_ROOM bytes. Returns the new size. */
enum { SB_SEAL_ROOM = 64 };
size_t sb_seal_put(char *bytes, size_t size);
/* SB_SEAL_ABSENT also if the end was cut off; SB_SEAL_UNREADABLE with errno set. */
sb_seal sb_seal_check(const char *path);
