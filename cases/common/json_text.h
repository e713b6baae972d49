/* Pieces of JSON. Texts are written as they come: where ten thousand cases are written, objects of a library take
 * longer than all else. Local; no PETSc. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cases/common/value.h"

/* "text", escaped as jansson does; null where it is not valid UTF-8. */
void sb_json_put_text(FILE *stream, const char *text);

/* Whether a text stands in JSON as it is, between quotes. */
bool sb_json_is_plain(const char *text);

/* New objects of the library, null for what is not finite or blank; whole numbers are integers. */
json_t *sb_json_of_number(double value);
json_t *sb_json_of_value(sb_value value);

/* A seal tells when a bit of JSON has changed: the last member of the object, "check", is the digest of the text before
 * it. The text of a JSON object that has members, sealed (malloc'ed); NULL for NULL. Frees `json`. */
char *sb_json_seal(char *json);
/* False when the text has a seal that does not fit. A text without one passes: it is of an earlier version, or the
 * change is in the seal's own name and nowhere else. */
bool sb_json_is_intact(const char *text, size_t length);
