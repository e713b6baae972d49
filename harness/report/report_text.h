/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Access to a results directory for tables, figures and pages, and the files that they write. Inside the harness only.
 * Local; no PETSc. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/allocate.h"
#include "base/words.h"
#include "cases/common/text.h"
#include "harness/results/results.h"

/* The short name of a status in tables: "diverged", "not conv.", …; "not run" for a blank status. */
const char *sb_status_short(sb_value status);
/* How cases ended, as a set: a bit for every sb_status, and the next for a case that has not run. sb_report_ending is
 * that of one row; sb_spelled_endings is the text of a set, "diverged, not converged". */
enum { SB_ENDED_OK = 1 << SB_OK };
unsigned sb_report_ending(const sb_results *results, size_t row);
/* The failure of the case in a row, as such a set; 0 if it ended ok, or diverged under a driver that measures
 * divergence. */
unsigned    sb_report_failure(const sb_results *results, size_t row);
const char *sb_spelled_endings(sb_arena *arena, unsigned endings);

/* The value of an option or column in a row; also of an option that does not vary (from the plan, or without a plan
 * from the sweep's defaults). */
sb_value sb_report_value(const sb_results *results, size_t row, const char *name);
/* True if two rows differ in it. */
bool sb_report_varies(const sb_results *results, const char *name);
/* True if the case of a row depends on an option (sb_case_depends_on), or is unknown. */
bool sb_report_depends_on(const sb_results *results, size_t row, sb_option_id id);
/* The word in a column, "" if there is none. */
const char *sb_report_word(const sb_results *results, size_t row, const char *column);
/* The unit of a column or option, "" if it has none or is unknown. */
const char *sb_report_unit(const sb_results *results, const char *name);
/* The names that the sections `by` of a sweep set: scene and defaults, defaults of blocks, axes (including `method`),
 * options of methods. In the sweep's arena. */
enum { SB_SET_BY_SWEEP = 1, SB_SET_BY_BLOCK = 2, SB_SET_BY_AXIS = 4, SB_SET_BY_METHOD = 8, SB_SET_BY_ANY = 15 };
sb_names sb_report_settings(const sb_sweep *sweep, unsigned by);
bool     sb_report_is_set(const sb_sweep *sweep, unsigned by, const char *name);

/* The spelling, for users, of names that a sweep gives its axes and their values. CSV, sweep files and claims have the
 * names themselves. */
/* The words that the sweep gives (`words:`), else the name with blanks for underscores and personal names in capitals:
 * "initial_mode" -> "initial mode". Borrowed from the sweep or in the arena. */
const char *sb_spelled_axis(sb_arena *arena, const sb_sweep *sweep, const char *axis);
/* For a value: the words given for "AXIS=VALUE" or for a method's name; else "explicit_euler" -> "explicit Euler";
 * numbers and other texts are unchanged. */
const char *sb_spelled_value(sb_arena *arena, const sb_sweep *sweep, const char *axis, const char *value);

/* The same, but a number without words as sb_text_short writes it. */
const char *sb_spelled_short(sb_arena *arena, const sb_sweep *sweep, const char *axis, sb_value value, int digits);

/* The names in an expression, for sb_expression_names with sb_report_note_name and one of these. */
typedef struct {
  const char *only;   /* the only name; NULL for none, "" for several */
  const char *median; /* a time with its interval in other columns, "…_median_s"; NULL for none */
} sb_report_names;
void sb_report_note_name(void *context, const char *name);

/* <directory>/<folder>/<stem><suffix>, malloc'ed; makes the folder. NULL after a message on stderr. */
char *sb_report_path(const char *directory, const char *folder, const char *stem, const char *suffix);
/* Replace the file at `path`, whose folder exists, by `text`, completely or not at all. The first returns false after a
 * message on stderr with path and cause; the second prints nothing and returns the error, 0 for none. */
bool sb_report_write(const char *path, const char *text);
int  sb_report_replace(const char *path, const char *text);

/* Writes Markdown by a printf format, which compilers check; all arguments are texts. %s escapes the text, so that none
 * of it is taken for markup. %-s writes it unchanged. The conversions below write it in the form of their names; their
 * numbers are codes, not lengths. Braces enclose one conversion and are omitted if its text is empty. NULL is an empty
 * text. */
#define SB_AS_CODE       "%.1s"
#define SB_AS_ADDRESS    "%.2s" /* of a link */
#define SB_AS_ID         "%.3s" /* a part of one */
#define SB_AS_HTML       "%.4s"
#define SB_AS_SHELL_WORD "%.5s"
void  sb_markdown_print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *sb_markdown_format(sb_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes a paragraph of Markdown that names the unreadable directories of a folder, if there are any. */
void sb_report_put_unreadable(const sb_results_folders *folders, FILE *stream);
