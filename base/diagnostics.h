/* Located messages about input: collected, limited in number, printed together before anything runs.
 *
 * A message reads `<file>:<line>:<column>: error: <what>; <help> [E101]`, the form editors and CI logs jump to.
 * Nothing here needs PETSc or MPI: parsers run in the runner, which never initialises either. Everything is Local. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Where a piece of input stands. `file` is borrowed and may be NULL (then the message starts with the program's name);
 * line and column count from 1, 0 meaning unknown. For a command line, file is "command line" and column the
 * argument's number. */
typedef struct {
  const char *file;
  int         line, column;
} sb_location;

typedef struct sb_diagnostics sb_diagnostics;

enum { SB_DIAGNOSTICS_MAX = 20 }; /* messages kept, errors before warnings; the rest are only counted */

/* Returns NULL only when memory is out. */
sb_diagnostics *sb_diagnostics_create(void);
/* Takes a pointer to the pointer, accepts NULL inside. */
void sb_diagnostics_destroy(sb_diagnostics **diagnostics);

/* Adds an error (`code` like "E101", from docs/messages.md) or a warning ("W112"). Always returns false, so that a
 * parser can `return sb_error_at(…)`. `diagnostics` NULL: nothing is kept, the return value still says it failed. */
bool sb_error_at(sb_diagnostics *diagnostics, sb_location where, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void sb_warning_at(sb_diagnostics *diagnostics, sb_location where, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds the messages of `from` that `to` does not hold yet: many cases of a sweep may have the same fault. */
void sb_diagnostics_join(sb_diagnostics *to, const sb_diagnostics *from);

/* Whether a further error would only be counted: what it would suggest need not be looked for. */
bool   sb_diagnostics_full(const sb_diagnostics *diagnostics);
size_t sb_diagnostics_errors(const sb_diagnostics *diagnostics); /* all of them, also those not kept */
size_t sb_diagnostics_warnings(const sb_diagnostics *diagnostics);
/* Text of input from who knows where, for a terminal: control characters, marks that turn the direction of writing, and
 * bytes that are not UTF-8 are written as \xNN. */
void sb_write_printable(FILE *stream, const char *text);
/* Bytes of the character at the beginning of a text; 0 if its first byte would be written as \xNN, or at the end. */
size_t sb_printable_character(const char *text);
/* Whether nothing in it would be written so. */
bool sb_is_printable(const char *text);

/* The i-th kept message without its newline, NULL past the end. */
const char *sb_diagnostics_message(const sb_diagnostics *diagnostics, size_t i);
/* The first kept message that is an error, NULL when there is none. */
const char *sb_diagnostics_first_error(const sb_diagnostics *diagnostics);
/* What it says, copied into text[size] without its place and its code: for tables and verdicts, where a fault of the
 * expression is told beside it. "" when there is no error. */
void sb_diagnostics_reason(const sb_diagnostics *diagnostics, char *text, size_t size);
/* Prints every kept message on a line of its own, and how many more there were. */
void sb_diagnostics_print(const sb_diagnostics *diagnostics, FILE *stream);
/* The same, and what was printed is kept no longer; errors stay counted. For commands that go on after a message.
 * `stream` NULL: nothing is printed, as on all ranks but one. */
void sb_diagnostics_flush(sb_diagnostics *diagnostics, FILE *stream);
