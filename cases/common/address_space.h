/* A limit of address space (`ulimit -v`, `ulimit -d`, as batch systems set them) and OpenBLAS, which takes a buffer of
 * 128 MiB for each of its threads: a thread of its own when it is started, which is before main; who calls it, at the
 * first call. Where it gets none it asks again, for ever. Local; no PETSc. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

bool sb_address_space_is_limited(void);
/* Of main, before all: under a limit, where OpenBLAS was loaded to start threads, executes the program again so that it
 * starts none, and does not return. */
void sb_blas_begin_alone(char **argv);
/* Under a limit: starts the BLAS's threads, and takes all the buffers that it will ever need as long as it is known
 * that it gets them. False after a message where there is no room for them, or for MPI beside them. */
bool sb_blas_take_room(int64_t threads);
