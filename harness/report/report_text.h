/* The view on a results directory that tables, figures and pages take, and the files that they write.
 * Inside the harness only. Local; no PETSc. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/allocate.h"
#include "cases/common/text.h"
#include "harness/results/results.h"

/* How a case that is not ok is called in a table: "diverged", "not conv.", …; "not run" for a blank status. */
const char *sb_status_short(sb_value status);
/* How cases ended, as a set: a bit for every sb_status, and the next for a case that has not run. That of the case in a
 * row; and what people read of a set, "diverged, not converged". */
enum { SB_ENDED_OK = 1 << SB_OK };
unsigned sb_report_ending(const sb_results *results, size_t row);
/* How the case in a row failed, as such a set; 0 if it ended ok, or diverged under a driver that measures when it does.
 */
unsigned    sb_report_failure(const sb_results *results, size_t row);
const char *sb_spelled_endings(sb_arena *arena, unsigned endings);

/* The value of an option or column in a row, also of an option that does not vary (from the plan, or from the sweep's
 * defaults where there is no plan). */
sb_value sb_report_value(const sb_results *results, size_t row, const char *name);
/* Tells whether the case of a row reads an option; true where the case is not known. */
bool sb_report_reads(const sb_results *results, size_t row, sb_option_id id);
/* The word in a column, "" where there is none. */
const char *sb_report_word(const sb_results *results, size_t row, const char *column);
/* The unit of a column or option, "" where it has none or is not known. */
const char *sb_report_unit(const sb_results *results, const char *name);
/* Everything that sets the cases of a sweep: scene, defaults, axes (`method` included), options of methods; and who
 * does so beside the defaults, as bits. *count of them, in the sweep's arena. */
enum { SB_SET_BY_BLOCK = 1, SB_SET_BY_AXIS = 2, SB_SET_BY_METHOD = 4 };
typedef struct {
  const char *name;
  unsigned    by;
} sb_report_setting;
const sb_report_setting *sb_report_settings(const sb_sweep *sweep, size_t *count);
/* Of one of them; 0 where nobody sets it. */
unsigned sb_report_set_by(const sb_sweep *sweep, const char *name);

/* How what people read writes the names that a sweep gives its axes and their values; the names themselves stay in CSV,
 * in sweep files and in claims. */
/* The words that the sweep gives (`words:`), else the name with blanks for underscores and people's names in capitals:
 * "initial_mode" -> "initial mode". Borrowed from the sweep or in the arena. */
const char *sb_spelled_axis(sb_arena *arena, const sb_sweep *sweep, const char *axis);
/* Of a value as text: the words given for "AXIS=VALUE" or for a method's name, else of a name such as "explicit_euler"
 * -> "explicit Euler"; numbers and other texts stay as they are. */
const char *sb_spelled_value(sb_arena *arena, const sb_sweep *sweep, const char *axis, const char *value);

/* The names in an expression, for sb_expression_names with sb_report_note_name and one of these. */
typedef struct {
  const char *only;   /* the only name; NULL for none, "" for several */
  const char *median; /* a time that has its interval in columns beside it, "…_median_s"; NULL for none */
} sb_report_names;
void sb_report_note_name(void *context, const char *name);

/* <directory>/<folder>/<stem><suffix>, malloc'ed; makes the folder. NULL after a message on stderr. */
char *sb_report_path(const char *directory, const char *folder, const char *stem, const char *suffix);
/* Makes `text` the file at `path`, which has a folder: whole, or as it was. False after a message on stderr naming path
 * and cause; the other says nothing and gives the error, 0 for none. */
bool sb_report_write(const char *path, const char *text);
int  sb_report_replace(const char *path, const char *text);

/* Markdown by a format of printf whose arguments are texts, so that compilers check them. %s escapes the text, so that
 * nothing of it is taken for markup, %-s writes it unchanged, and the conversions below write it as their names say:
 * their numbers are codes, not lengths. Braces hold one conversion, and are left out if its text is empty. NULL counts
 * as empty. */
#define SB_AS_CODE       "%.1s"
#define SB_AS_ADDRESS    "%.2s" /* of a link */
#define SB_AS_ID         "%.3s" /* a part of one */
#define SB_AS_HTML       "%.4s"
#define SB_AS_SHELL_WORD "%.5s"
void  sb_markdown_print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *sb_markdown_format(sb_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "1 case", "3 cases". */
char *sb_counted(sb_arena *arena, size_t count, const char *noun);

/* Writes a paragraph of Markdown that names the unreadable directories of a folder, if there are any. */
void sb_report_put_unreadable(const sb_results_folders *folders, FILE *stream);
