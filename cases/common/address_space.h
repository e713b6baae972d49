/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OpenBLAS under a limit of address space (`ulimit -v`, `ulimit -d`, as batch systems set them). OpenBLAS allocates 128
 * MiB per thread: its own threads when they start, which is before main; the calling thread at its first call. If it
 * gets none it retries for ever. Local; no PETSc. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

bool sb_address_space_is_limited(void);
/* To be called first in main. Under a limit, if OpenBLAS was loaded to start threads, it executes the program again
 * without them and does not return. */
void sb_blas_begin_alone(char **argv);
/* Under a limit: starts the BLAS's threads and allocates all their buffers while it is known that they fit. False after
 * a message if there is not enough room for them, or for MPI as well. */
bool sb_blas_take_room(int64_t threads);
