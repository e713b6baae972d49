/* Texts as JSON strings, written as they come: where ten thousand cases are written, objects of a library take longer
 * than all else. Local; no PETSc. */
#pragma once

#include <stdio.h>

/* "text", escaped as jansson does; null where it is not valid UTF-8. */
void sb_json_put_text(FILE *stream, const char *text);
