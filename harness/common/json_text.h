/* Pieces of JSON. Texts are written as they come: where ten thousand cases are written, objects of a library take
 * longer than all else. Local; no PETSc. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "harness/common/value.h"

/* "text", escaped as jansson does; null where it is not valid UTF-8. */
void sb_json_put_text(FILE *stream, const char *text);

/* New objects of the library, null for what is not finite or blank; whole numbers are integers. */
json_t *sb_json_of_number(double value);
json_t *sb_json_of_value(sb_value value);
