/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cursor over a mesh file in memory: lines and words of text, or binary numbers, with locations for messages.
 *
 * Numbers are decimal, always in the notation of the C locale. A function that can fail returns false after one error
 * at the last word, number or line. */
#pragma once

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diagnostics.h"

enum { SB_MESH_LINE_MAX = 65536 };

typedef struct {
  const char     *file;       /* for messages; borrowed */
  const char     *begin, *at; /* the file, and the next byte to read */
  const char     *end;        /* the position of the closing NUL */
  const char     *line_begin;
  const char     *word;            /* the last word or number, for messages */
  int             line;            /* of `line_begin`, from 1; 0 before the first */
  char            comment;         /* starts a comment if it starts a word; NUL: there are no comments */
  bool            continuation;    /* a backslash at the end of a line joins it with the next */
  bool            binary, swapped; /* numbers are binary; their byte order differs from this machine's */
  locale_t        c_locale;
  sb_diagnostics *diagnostics;
} sb_mesh_text;

typedef enum {
  SB_INT8,
  SB_UINT8,
  SB_INT16,
  SB_UINT16,
  SB_INT32,
  SB_UINT32,
  SB_INT64,
  SB_FLOAT32,
  SB_FLOAT64
} sb_binary_kind;

/* Opens bytes that end with a NUL; a byte order mark is skipped. Close it in any case. */
void sb_text_open(sb_mesh_text *text, const char *file, const char *bytes, size_t size, sb_diagnostics *diagnostics);
void sb_text_close(sb_mesh_text *text);
/* Tests that the rest is text: no NUL, no line over SB_MESH_LINE_MAX (E110). */
bool sb_text_check(sb_mesh_text *text);

/* Adds an error at the last word; always returns false. In binary files the message names the byte. Bytes that are not
 * printable ASCII are shown as '?'. */
bool sb_text_error(sb_mesh_text *text, const char *code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The number of characters of a word that a message shows: the precision of %.*s. */
int sb_text_shown(size_t length);

/* Moves to the next line with a word. False at the end of the file, without a message. */
bool sb_text_line(sb_mesh_text *text);
/* Returns the next word of this line in its length. False at the end of the line, without a message. */
bool sb_text_word(sb_mesh_text *text, size_t *length);
/* True if the last word is this one. */
bool sb_text_is(const sb_mesh_text *text, size_t length, const char *word);

/* Reads the next word as a number. E200 if the line ends, E102 if it is not a number (E202 for an integer), E203 if it
 * is not finite. `what` completes "the line ends before …". */
bool sb_text_real(sb_mesh_text *text, const char *what, double *value);
bool sb_text_integer(sb_mesh_text *text, const char *what, int64_t *value);
/* Reads digits with an optional sign as an integer; E202 if others follow. */
bool sb_text_digits(sb_mesh_text *text, const char *digits, size_t length, int64_t *value);
/* True if the line has no more words: E216 otherwise. */
bool sb_text_end_of_line(sb_mesh_text *text);

/* Records: a line each in a text, only numbers in a binary file. begin: E200 if the file ends. */
bool sb_record_begin(sb_mesh_text *text, const char *what);
bool sb_record_real(sb_mesh_text *text, sb_binary_kind kind, const char *what, double *value);
bool sb_record_integer(sb_mesh_text *text, sb_binary_kind kind, const char *what, int64_t *value);
/* Skips a number, which must be present. */
bool sb_record_skip(sb_mesh_text *text, sb_binary_kind kind, const char *what);
bool sb_record_end(sb_mesh_text *text);
/* Checks the end of binary data: only blanks, line ends and zero bytes may follow (W222). `last`: "all elements that
 * its header declares". */
bool   sb_record_last(sb_mesh_text *text, const char *last);
size_t sb_binary_size(sb_binary_kind kind);
