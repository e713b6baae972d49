/* Standard input, output and error of the program: what it is started with, and what has become of its output.
 * Local; no PETSc. */
#pragma once

/* Descriptors 0, 1 and 2 are taken from here on, also in children: a file opened where one of them was closed would get
 * what is meant for people. What was closed stays of no use: reading it ends, writing it fails. */
void sb_streams_reserve(void);
/* To be called last: `status`, or SB_EXIT_STORAGE in place of SB_EXIT_OK after a message on stderr when a byte of
 * standard output was lost. */
int sb_streams_end(int status);
