/* Where the files that come with the program are: plots/ and results/published/. Local; no PETSc. */
#pragma once

/* <folder> of the environment variable SPRINGBENCH_DATA where it is set, else of the source tree the program was built
 * from where that still exists, else of the installed data ("plots", "results/published"). malloc'ed; never NULL. */
char *sb_data_directory(const char *folder);
