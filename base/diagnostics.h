/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Located messages about input. They are collected, limited in number and printed together before anything runs.
 *
 * A message has the form `<file>:<line>:<column>: error: <what>; <help> [E101]`, which editors and CI logs can jump to.
 * Nothing here needs PETSc or MPI: parsers run in the runner, which initialises neither. Everything is Local. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The place of a piece of input. `file` is borrowed; if it is NULL, the message starts with the program's name. Line
 * and column count from 1; 0 means unknown. For a command line, file is "command line" and column is the argument's
 * number. */
typedef struct {
  const char *file;
  int         line, column;
} sb_location;

typedef struct sb_diagnostics sb_diagnostics;

enum { SB_DIAGNOSTICS_MAX = 20 }; /* messages kept, errors before warnings; the rest are only counted */

/* Returns NULL only if memory is out. */
sb_diagnostics *sb_diagnostics_create(void);
/* Takes a pointer to the pointer and accepts NULL inside. */
void sb_diagnostics_destroy(sb_diagnostics **diagnostics);

/* Adds an error (`code` like "E101", from docs/messages.md) or a warning ("W112"). sb_error_at always returns false, so
 * that a parser can `return sb_error_at(…)`. If `diagnostics` is NULL, no message is kept. */
bool sb_error_at(sb_diagnostics *diagnostics, sb_location where, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void sb_warning_at(sb_diagnostics *diagnostics, sb_location where, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds the messages of `from` that `to` does not have yet: many cases of a sweep may have the same fault. */
void sb_diagnostics_join(sb_diagnostics *to, const sb_diagnostics *from);

/* True if a further error would only be counted, so that its suggestion need not be computed. */
bool   sb_diagnostics_full(const sb_diagnostics *diagnostics);
size_t sb_diagnostics_errors(const sb_diagnostics *diagnostics); /* all of them, including those not kept */
size_t sb_diagnostics_warnings(const sb_diagnostics *diagnostics);
/* Writes untrusted input to a terminal: control characters, bidirectional marks and bytes that are not UTF-8 are
 * written as \xNN. */
void sb_write_printable(FILE *stream, const char *text);
/* Returns the number of bytes of the first character; 0 at the end, or if its first byte would be written as \xNN. */
size_t sb_printable_character(const char *text);
/* True if sb_write_printable would write no \xNN. */
bool sb_is_printable(const char *text);

/* Returns the i-th kept message without its newline, NULL past the end. */
const char *sb_diagnostics_message(const sb_diagnostics *diagnostics, size_t i);
/* Returns the first kept error, NULL if there is none. */
const char *sb_diagnostics_first_error(const sb_diagnostics *diagnostics);
/* Copies the first kept error into text[size], without its place and code; "" if there is none. For tables and
 * verdicts, which show the faulty expression too. */
void sb_diagnostics_reason(const sb_diagnostics *diagnostics, char *text, size_t size);
/* Prints every kept message on its own line, and how many more there were. */
void sb_diagnostics_print(const sb_diagnostics *diagnostics, FILE *stream);
/* As sb_diagnostics_print, and removes the printed messages; errors stay counted. For commands that continue after a
 * message. If `stream` is NULL (all ranks but one), nothing is printed. */
void sb_diagnostics_flush(sb_diagnostics *diagnostics, FILE *stream);
