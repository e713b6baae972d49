/* JSON that tells when a bit of it has changed: the last member of the object, "check", is the digest of the text
 * before it. Local; no PETSc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The text of a JSON object that has members, sealed (malloc'ed); NULL for NULL. Frees `json`. */
char *sb_json_seal(char *json);
/* False when the text has a seal that does not fit. A text without one passes: it is of an earlier version, or the
 * change is in the seal's own name and nowhere else. */
bool sb_json_is_intact(const char *text, size_t length);
