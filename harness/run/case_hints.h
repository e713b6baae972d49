/* What may be meant where a case ends otherwise than one would think; for a reader of `springbench case`, no part of a
 * result. Local; no PETSc. */
#pragma once

#include <stdio.h>

#include "base/options.h"
#include "base/outcome.h"

/* Lines "hint …" on `stream`, none where there is nothing to say. */
void sb_case_hints(const sb_options *options, sb_status status, FILE *stream);
