/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of JSON, written directly as text: for ten thousand cases, a library's objects would take most of the time.
 * Local; no PETSc. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cases/common/value.h"

/* Writes "text", escaped as by jansson; null if it is not valid UTF-8. */
void sb_json_put_text(FILE *stream, const char *text);

/* New objects of the library; null for values that are blank or not finite. Whole numbers are integers. */
json_t *sb_json_of_number(double value);
json_t *sb_json_of_value(sb_value value);
json_t *sb_json_of_real(double value); /* also of a whole number */
/* A text in base64. */
json_t *sb_json_of_bytes(const void *bytes, size_t size);
/* json_decref, for sb_arena_defer. */
void sb_json_end(void *json);

/* Seals a JSON object, so that changed bits are detected: its last member, "check", is the digest of the text before
 * it. Takes the text of an object with members, frees it and returns the sealed text (malloc'ed); NULL for NULL. */
char *sb_json_seal(char *json);
/* False if the text has a seal that does not fit. A text without a seal passes: it is from an earlier version, or only
 * the name of the seal was changed. */
bool sb_json_is_intact(const char *text, size_t length);
