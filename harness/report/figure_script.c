/* Figures by a script of the user's own: what the script says it needs, held against what there is, and the tables that
 * it draws.
 *
 * A script states its needs in its comments, a full stop at the end of each; words in brackets are remarks:
 *   # Data: rows; columns method, grid, step_median_s (of a frame).
 * Tables are tab-separated, with one header line, and `?` where there is no value; tabs and double quotes, which
 * gnuplot would read as syntax, do not occur inside a cell. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/common/durable.h"
#include "harness/common/csv.h"
#include "harness/report/figure.h"
#include "harness/report/report_text.h"
#include "harness/sweep/sweep_files.h"

typedef struct {
  sb_arena    *arena;
  size_t       count;
  const char **names; /* each once */
} name_list;

static bool has_name(const name_list *list, const char *name)
{
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->names[i], name) == 0) return true;
  return false;
}

static void add_name(name_list *list, const char *name)
{
  if (has_name(list, name)) return;
  list->names = sb_arena_grow(list->arena, list->names, list->count, sizeof *list->names);
  list->names[list->count++] = name;
}

/* The names behind the statement `lead`, up to a full stop; "# " begins a further line of the comment. */
static name_list read_names(sb_arena *arena, const char *data, const char *lead)
{
  name_list   list = {.arena = arena};
  const char *at = data ? strstr(data, lead) : NULL;
  int         depth = 0;
  for (at = at ? at + strlen(lead) : ""; *at && (*at != '.' || depth > 0);) {
    const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
    depth += (*at == '(') - (*at == ')');
    if (length > 0 && depth == 0 && islower((unsigned char)*at)) add_name(&list, sb_arena_copy_span(arena, at, length));
    if (*at == '\n' && at[1] != '#') break;
    at += length > 0 ? length : 1;
  }
  return list;
}

typedef struct {
  char     *text; /* of the script; NULL: it cannot be read */
  name_list columns;
} script;

static script read_script(const sb_sweep *sweep, const sb_figure_spec *spec, sb_arena *arena)
{
  char       *path = sb_sweep_script(sweep, spec->script, arena);
  script      s = {.text = path ? sb_arena_adopt(arena, sb_read_file(path, NULL)) : NULL};
  const char *data = s.text ? strncmp(s.text, "# Data: ", 8) == 0 ? s.text : strstr(s.text, "\n# Data: ") : NULL;
  if (!data && s.text) data = strstr(s.text, " Data: ");
  s.columns = read_names(arena, data, "columns ");
  return s;
}

void sb_figure_put_word(FILE *stream, const char *word)
{
  if (!*word) fputc('?', stream);
  for (; *word; ++word) {
    const unsigned char c = (unsigned char)*word;
    fputc(c < 0x20 || c == 0x7f ? ' ' : c == '"' ? '\'' : c, stream);
  }
}

static void put_number(FILE *stream, double number)
{
  char buffer[32];
  fputs(isfinite(number) ? sb_format_real(number, buffer) : "?", stream);
}

static void put_value(FILE *stream, sb_value value)
{
  if (value.kind == SB_NUMBER)
    put_number(stream, value.number);
  else
    sb_figure_put_word(stream, value.kind == SB_WORD    ? value.word
                               : value.kind == SB_BLANK ? ""
                               : value.truth            ? "1"
                                                        : "0");
}

static double number_named(const sb_figure_case *c, const char *name, size_t point)
{
  for (size_t i = 0; i < c->columns; ++i)
    if (strcmp(c->names[i], name) == 0 && point < c->count) return c->values[i][point];
  return NAN;
}

/* A line a case, or a point of its curves or motion; then `last` is 1 in the last line of each, and two blank lines are
 * between them. A case without points has one line that says how it ended. */
static void put_cases(FILE *stream, const sb_results *results, const sb_figure_case *cases, size_t count,
                      const name_list *settings, const name_list *points)
{
  for (size_t i = 0; i < count; ++i) {
    const sb_figure_case *c = &cases[i];
    if (points && i > 0) fputs("\n\n", stream);
    for (size_t point = 0; point == 0 || point < c->count; ++point) {
      for (size_t k = 0; k < settings->count; ++k) {
        if (k > 0) fputc('\t', stream);
        put_value(stream, strcmp(settings->names[k], "run") == 0 && points
                              ? (sb_value){.kind = c->run ? SB_WORD : SB_BLANK, .word = c->run}
                              : sb_report_value(results, c->row, settings->names[k]));
      }
      for (size_t k = 0; points && k < points->count; ++k) {
        fputc('\t', stream);
        put_number(stream, number_named(c, points->names[k], point));
      }
      if (points) fputs(point + 1 >= c->count ? "\t1" : "\t0", stream);
      fputc('\n', stream);
    }
  }
}

/* `head` gets the names of the columns. */
static bool put_table(const sb_results *results, const sb_figure_spec *spec, const name_list *wanted, name_list *head,
                      FILE *stream)
{
  sb_arena             *arena = head->arena;
  const bool            rows = strcmp(spec->data, "rows") == 0;
  size_t                count = 0, settings = 0;
  name_list             points = {.arena = arena};
  const sb_figure_case *cases = sb_figure_cases(results, spec, arena, &count);
  const char          **set = sb_report_settings(results->sweep, &settings);
  for (size_t i = 0; rows && i < sb_rows_column_count(results->rows); ++i)
    add_name(head, sb_rows_column_at(results->rows, i)->name);
  add_name(head, "key");
  add_name(head, "status");
  for (size_t i = 0; i < settings; ++i) add_name(head, set[i]);
  for (size_t i = 0; i < wanted->count; ++i)
    if (sb_option_find(wanted->names[i]) != SB_OPT_COUNT) add_name(head, wanted->names[i]);
  if (strcmp(spec->data, "curves") == 0) add_name(head, "run");
  name_list first = *head;
  for (size_t i = 0; cases && i < count; ++i)
    for (size_t k = 0; k < cases[i].columns; ++k) add_name(&points, cases[i].names[k]);
  for (size_t i = 0; i < points.count; ++i) add_name(head, points.names[i]);
  if (!rows) add_name(head, "last");
  for (size_t i = 0; i < first.count; ++i) fprintf(stream, "%s%s", i > 0 ? "\t" : "", first.names[i]);
  for (size_t i = 0; i < points.count; ++i) fprintf(stream, "\t%s", points.names[i]);
  fputs(rows ? "\n" : "\tlast\n", stream);
  if (cases) put_cases(stream, results, cases, count, &first, rows ? NULL : &points);
  return cases != NULL;
}

/* "liu2013_curves.csv" -> "liu2013_curves" */
static const char *stem_of(sb_arena *arena, const char *name)
{
  const size_t length = strlen(name), cut = length > 4 && strcmp(name + length - 4, ".csv") == 0 ? 4 : 0;
  return sb_arena_copy_span(arena, name, length - cut);
}

void sb_figure_put_published(FILE *stream, const sb_published_table *table)
{
  for (size_t i = 0; i < table->rows * table->columns; ++i) {
    sb_figure_put_word(stream, table->cells[i]);
    fputc((i + 1) % table->columns == 0 ? '\n' : '\t', stream);
  }
}

static bool add_published(const sb_results *results, const char *name, sb_arena *arena, sb_figure_texts *texts)
{
  char                error[SB_ERROR_SIZE] = "";
  sb_published_table *table = sb_published_read(arena, results->published_dir, name, error);
  sb_arena_writer     writer;
  if (!table) return sb_error_at(results->session.diagnostics, (sb_location){0}, "E100", "%s", error);
  sb_figure_put_published(sb_arena_write(&writer, arena), table);
  sb_figure_add_text(texts, arena, sb_arena_format(arena, "published_%s.dat", name), sb_arena_text(&writer));
  return true;
}

bool sb_figure_put_script(const sb_results *results, const sb_figure_spec *spec, sb_arena *arena,
                          sb_figure_texts *texts, FILE *stream)
{
  const script s = read_script(results->sweep, spec, arena);
  name_list    head = {.arena = arena};
  if (!s.text)
    return sb_error_at(results->session.diagnostics, spec->script_where, "E100",
                       "there is no script '%s', neither beside the sweep file nor in plots/", spec->script);
  for (size_t i = 0; i < spec->published_count; ++i) {
    const char *stem = stem_of(arena, spec->published[i]);
    char       *variable = sb_arena_format(arena, "published_%s", stem);
    for (char *c = variable; *c; ++c)
      if (strchr(".+-", *c)) *c = '_';
    fprintf(stream, "%s = 'published_%s.dat'\n", variable, stem); /* safe names have no quotes */
    if (!add_published(results, stem, arena, texts)) return false;
  }
  sb_figure_put_style(stream);
  fprintf(stream, "\n# %s\n%s", spec->script, s.text);
  sb_arena_writer writer;
  const bool      good = put_table(results, spec, &s.columns, &head, sb_arena_write(&writer, arena));
  sb_figure_add_text(texts, arena, sb_arena_format(arena, "%s.dat", spec->id), sb_arena_text(&writer));
  for (size_t i = 0; i < s.columns.count && !texts->why; ++i)
    if (!has_name(&head, s.columns.names[i]))
      texts->why = sb_arena_format(arena, "the script %s needs the column '%s', of which these results have none",
                                   spec->script, s.columns.names[i]);
  return good;
}
