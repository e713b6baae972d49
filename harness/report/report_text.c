/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Access to a results directory for reports, the writing of their files, and their Markdown; see report_text.h. */
#include "harness/report/report_text.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "cases/common/processes.h"

const char *sb_status_short(sb_value status)
{
  sb_status number = SB_OK;
  if (status.kind != SB_WORD || !sb_status_from_name(status.word, &number)) return "not run";
  return number == SB_CASE_NOT_CONVERGED        ? "not conv."
         : number == SB_CASE_NOT_SPD            ? "not SPD"
         : number == SB_CASE_CONTACT_UNRESOLVED ? "unresolved"
         : number == SB_CASE_OOM                ? "memory"
                                                : sb_status_name(number);
}

/* The planned case behind a row, which are in the same order; NULL where there is no plan. */
static const sb_planned_case *case_of_row(const sb_results *results, size_t row)
{
  return results->plan && row < results->plan->count ? &results->plan->cases[row] : NULL;
}

bool sb_report_depends_on(const sb_results *results, size_t row, sb_option_id id)
{
  const sb_planned_case *c = case_of_row(results, row);
  return !c || sb_case_depends_on(c->options, id);
}

sb_value sb_report_value(const sb_results *results, size_t row, const char *name)
{
  const size_t           column = sb_rows_column_find(results->rows, name);
  const sb_planned_case *c = case_of_row(results, row);
  const sb_settings     *defaults = &results->sweep->defaults;
  double                 number = 0;
  if (column != (size_t)-1) return sb_rows_get(results->rows, row, column);
  if (c) return sb_case_value(c, name);
  for (size_t i = 0; i < defaults->count; ++i)
    if (strcmp(defaults->axes[i].name, name) == 0)
      return sb_parse_real(*defaults->axes[i].values, &number)
                 ? (sb_value){.kind = SB_NUMBER, .number = number}
                 : (sb_value){.kind = SB_WORD, .word = *defaults->axes[i].values};
  return (sb_value){.kind = SB_BLANK};
}

bool sb_report_varies(const sb_results *results, const char *name)
{
  bool varies = false;
  for (size_t row = 1; row < sb_rows_count(results->rows) && !varies; ++row)
    varies = !sb_value_same(sb_report_value(results, 0, name), sb_report_value(results, row, name));
  return varies;
}

const char *sb_report_word(const sb_results *results, size_t row, const char *column)
{
  const sb_value value = sb_rows_get_named(results->rows, row, column);
  return value.kind == SB_WORD ? value.word : "";
}

const char *sb_report_unit(const sb_results *results, const char *name)
{
  const size_t column = sb_rows_column_find(results->rows, name);
  if (column != (size_t)-1) return sb_rows_column_at(results->rows, column)->unit;
  const sb_option_id id = sb_option_find(name);
  return id == sb_option_count ? "" : sb_option_at(id)->unit;
}

static void add_names(const sb_sweep *sweep, sb_names *names, size_t count, const sb_axis *axes)
{
  for (size_t i = 0; i < count; ++i) sb_names_add(sweep->arena, names, axes[i].name);
}

sb_names sb_report_settings(const sb_sweep *sweep, unsigned by)
{
  sb_names names = {0};
  if (by & SB_SET_BY_SWEEP) {
    sb_names_add(sweep->arena, &names, "scene");
    add_names(sweep, &names, sweep->defaults.count, sweep->defaults.axes);
  }
  for (const sb_block *block = sweep->blocks; block < sweep->blocks + sweep->block_count; ++block) {
    if (by & SB_SET_BY_BLOCK) add_names(sweep, &names, block->defaults.count, block->defaults.axes);
    if (by & SB_SET_BY_AXIS) add_names(sweep, &names, block->count, block->axes);
  }
  for (size_t i = 0; i < sweep->method_count && by & SB_SET_BY_METHOD; ++i)
    add_names(sweep, &names, sweep->methods[i].count, sweep->methods[i].axes);
  return names;
}

bool sb_report_is_set(const sb_sweep *sweep, unsigned by, const char *name)
{
  const sb_names names = sb_report_settings(sweep, by);
  return sb_names_find(&names, name) != (size_t)-1;
}

/* Words of columns, statuses and methods of sweeps that no entry has; entries have their own (`spelled`). */
static const struct {
  const char *name, *words;
} spelled[] = {{"euler", "Euler"}, {"verlet", "Verlet"},     {"cg", "CG"},         {"pcg", "PCG"}, {"icc", "ICC"},
               {"spd", "SPD"},     {"oom", "out of memory"}, {"blowup", "blow-up"}};

/* Takes `words` if `name` is the beginning of a name, in whole parts, and longer than the one taken before. */
static void match(const char *at, const char *name, const char *words, const char **taken, size_t *length)
{
  const size_t whole = strlen(name);
  if (!words || (*taken && whole <= *length) || strncmp(at, name, whole) != 0) return;
  if (at[whole] != '_' && at[whole] != '\0') return;
  *taken = words;
  *length = whole;
}

static const char *spell(sb_arena *arena, const sb_vocabulary *vocabulary, const char *name)
{
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, arena);
  for (const char *at = name; *at; at += *at == '_') {
    const char *words = NULL;
    size_t      length = strcspn(at, "_");
    for (size_t i = 0; i < sizeof spelled / sizeof *spelled; ++i)
      match(at, spelled[i].name, spelled[i].words, &words, &length);
    for (size_t i = 0; vocabulary && i < vocabulary->count; ++i)
      for (size_t k = 0; k < vocabulary->lists[i]->count; ++k)
        match(at, vocabulary->lists[i]->entries[k]->name, vocabulary->lists[i]->entries[k]->spelled, &words, &length);
    if (length == 3 && at > name + 2 && strncmp(at - 3, "to_1e", 5) == 0) /* names of columns have no minus sign */
      words = sb_arena_format(arena, "1e-%c", at[2]);
    fprintf(stream, "%s%.*s", at > name ? " " : "", words ? (int)strlen(words) : (int)length, words ? words : at);
    at += length;
  }
  return sb_arena_text(&writer);
}

static const char *given(const sb_sweep *sweep, const char *name)
{
  for (size_t i = 0; i < sweep->wording_count; ++i)
    if (strcmp(sweep->wordings[i].name, name) == 0) return sweep->wordings[i].words;
  return NULL;
}

const char *sb_spelled_axis(sb_arena *arena, const sb_sweep *sweep, const char *axis)
{
  const char *words = given(sweep, axis);
  return words ? words : spell(arena, sweep->vocabulary, axis);
}

const char *sb_spelled_value(sb_arena *arena, const sb_sweep *sweep, const char *axis, const char *value)
{
  const char *words = given(sweep, sb_arena_format(arena, "%s=%s", axis, value));
  if (!words && strcmp(axis, "method") == 0) words = given(sweep, value);
  if (words) return words;
  const bool is_name = *value >= 'a' && *value <= 'z' && !value[strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789_")];
  return is_name ? spell(arena, sweep->vocabulary, value) : value;
}

const char *sb_spelled_short(sb_arena *arena, const sb_sweep *sweep, const char *axis, sb_value value, int digits)
{
  char        number[SB_NUMBER_TEXT];
  const char *text = sb_value_text(arena, value), *words = sb_spelled_value(arena, sweep, axis, text);
  const bool  plain = value.kind == SB_NUMBER && strcmp(words, text) == 0;
  return plain ? sb_arena_copy(arena, sb_text_short(value.number, digits, number)) : words;
}

unsigned sb_report_ending(const sb_results *results, size_t row)
{
  sb_status      ending = SB_STATUS_COUNT;
  const sb_value status = sb_rows_get_named(results->rows, row, "status");
  if (status.kind == SB_WORD) (void)sb_status_from_name(status.word, &ending);
  return 1U << ending;
}

unsigned sb_report_failure(const sb_results *results, size_t row)
{
  const sb_driver *driver = sb_driver_find(results->session.vocabulary, results->sweep->driver);
  const unsigned   diverged = driver && driver->answers_by_divergence ? 1U << SB_CASE_DIVERGED : 0;
  return sb_report_ending(results, row) & ~(SB_ENDED_OK | diverged);
}

const char *sb_spelled_endings(sb_arena *arena, unsigned endings)
{
  const char *words = "";
  for (int i = 0; i <= SB_STATUS_COUNT; ++i)
    if (endings & 1U << i)
      words = sb_arena_join(arena, words, ", ", "%s",
                            i < SB_STATUS_COUNT ? spell(arena, NULL, sb_status_name((sb_status)i)) : "not run");
  return words;
}

void sb_report_note_name(void *context, const char *name)
{
  sb_report_names *n = context;
  const size_t     length = strlen(name);
  n->only = n->only && strcmp(n->only, name) != 0 ? "" : name;
  if (length > 9 && strcmp(name + length - 9, "_median_s") == 0) n->median = name;
}

char *sb_report_path(const char *directory, const char *folder, const char *stem, const char *suffix)
{
  return sb_make_folder(directory, folder) ? sb_format("%s/%s/%s%s", directory, folder, stem, suffix) : NULL;
}

/* Removes what others left that were killed while they wrote this file. */
static void remove_leftovers(const char *path)
{
  const char    *name = strrchr(path, '/') + 1;
  SB_OWNED char *folder = sb_copy_span(path, (size_t)(name - path));
  DIR           *entries = opendir(folder);
  for (const struct dirent *entry; entries && (entry = readdir(entries));) {
    const char *after = entry->d_name[0] == '.' ? entry->d_name + 1 : "";
    if (strncmp(after, name, strlen(name)) == 0 && sb_process_left(after + strlen(name)))
      (void)unlinkat(dirfd(entries), entry->d_name, 0);
  }
  if (entries) closedir(entries);
}

/* It is written to <folder>/.<name>.<host>.<pid>.part: a reader, and who looks at the folder, sees whole files only;
 * and runs beside each other, which end together, have each their own of a page that they share. */
int sb_report_replace(const char *path, const char *text)
{
  char      host[64];
  const int folder = (int)(strrchr(path, '/') - path) + 1;
  char     *aside = sb_format("%.*s.%s.%s.%ld.part", folder, path, path + folder, sb_host_name(host), (long)getpid());
  remove_leftovers(path);
  const int file = sb_create(aside, 0);
  int       error = file < 0 || !sb_write_all(file, text, strlen(text)) ? errno : 0;
  if (file >= 0 && close(file) != 0 && error == 0 && errno != EINTR) error = errno;
  if (error == 0 && rename(aside, path) != 0) error = errno;
  if (file >= 0 && error != 0) (void)unlink(aside);
  free(aside);
  return error;
}

bool sb_report_write(const char *path, const char *text)
{
  const int error = sb_report_replace(path, text);
  return error == 0 || sb_storage_error("write", path, error, 0);
}

static void put_code(FILE *stream, const char *text)
{
  const bool plain = !strpbrk(text, "`|\\\r\n"); /* these would end the code */
  fputs(plain ? "`" : "<code>", stream);
  (plain ? sb_text_put_plain : sb_text_put_markdown)(stream, text);
  fputs(plain ? "`" : "</code>", stream);
}

static void put_unchanged(FILE *stream, const char *text) { fputs(text, stream); }

/* Writes a text by the conversion %s, %-s or one with a code. */
static void put_argument(FILE *stream, const char *conversion, const char *text)
{
  static void (*const by_code[])(FILE * stream, const char *text) = {put_code, sb_text_put_address, sb_text_put_id,
                                                                     sb_text_put_html, sb_text_put_word};
  if (conversion[1] == '.')
    by_code[conversion[2] - '1'](stream, text);
  else
    (conversion[1] == '-' ? put_unchanged : sb_text_put_markdown)(stream, text);
}

static void print_list(FILE *stream, const char *format, va_list arguments)
{
  for (const char *c = format; *c; ++c) {
    const char *percent = *c == '{' ? strchr(c, '%') : c;
    if (*percent != '%') {
      fputc(*c, stream);
      continue;
    }
    const char *s = strchr(percent, 's'), *end = *c == '{' ? strchr(s, '}') : s;
    const char *text = va_arg(arguments, const char *);
    if (text && *text) {
      if (*c == '{') fwrite(c + 1, 1, (size_t)(percent - c) - 1, stream);
      put_argument(stream, percent, text);
      if (*c == '{') fwrite(s + 1, 1, (size_t)(end - s) - 1, stream);
    }
    c = end;
  }
}

void sb_markdown_print(FILE *stream, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print_list(stream, format, arguments);
  va_end(arguments);
}

char *sb_markdown_format(sb_arena *arena, const char *format, ...)
{
  sb_arena_writer writer;
  va_list         arguments;
  va_start(arguments, format);
  print_list(sb_arena_write(&writer, arena), format, arguments);
  va_end(arguments);
  return sb_arena_text(&writer);
}

void sb_report_put_unreadable(const sb_results_folders *folders, FILE *stream)
{
  for (size_t i = 0; i < folders->count; ++i)
    if (folders->each[i].problem)
      sb_markdown_print(stream, "**✗ " SB_AS_CODE " cannot be read, so its answers are unknown:** %s\n\n",
                        folders->each[i].name, folders->each[i].problem);
}
