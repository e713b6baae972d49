/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results made by hand: a sweep parsed from text, rows filled in, a directory of their own. */
#pragma once

#include "harness/report/report.h"

typedef struct {
  sb_results results;
  char       directory[64];
} world;

/* The sweep must parse; what a test leaves out of `yaml` (version, name, driver, one axis) is put before it. */
world *world_create(const char *yaml);
void   world_destroy(world **w);

/* A row whose cells follow as "column", value, …, NULL: world_row(w, "status", word("ok"), "h", number(0.1), NULL). */
sb_value number(double value);
sb_value word(const char *value);
sb_value blank(void);
void     world_row(world *w, ...);
/* Declares a column before its first value: options and timing columns differ from the driver's others. */
void world_column(world *w, const char *name, const char *unit, bool is_option, bool is_timing);

/* <directory>/<name>, in the session's arena as the next ones; the file as text, NULL when there is none. */
char *world_path(const world *w, const char *name);
char *world_read(const world *w, const char *name);
/* Size of that file, 0 when there is none. */
size_t world_size(const world *w, const char *name);
/* Returns the text as `put` writes it (malloc'ed). */
char *written(void (*put)(FILE *stream, const char *text), const char *text);
/* The first table of the world's sweep in one form; it must be there. */
char *world_table(const world *w, sb_table_form form);

/* The text has all of these. */
#define ASSERT_HAS(text, ...) assert_has_all(text, (const char *const[]){__VA_ARGS__, NULL})
void assert_has_all(const char *text, const char *const *wanted);
