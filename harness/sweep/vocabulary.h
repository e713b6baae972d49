/* The names that options, sweep files and expressions may use. Local; no PETSc is called. */
#pragma once

#include "harness/store/driver.h"

/* The names of all lists, for option sets. Static; never freed. */
const sb_vocabulary *sb_vocabulary_of(const sb_driver_list *drivers);
