/* Statements of figures' scripts, held against the data; see figure_needs.h. */
#include "harness/report/figure_needs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/durable.h"
#include "harness/report/report_text.h"
#include "harness/sweep/sweep_files.h"

/* The names behind `at`, up to a full stop; "# " begins a further line of the comment. */
static void read_names(const char *at, sb_name_list *names)
{
  int depth = 0;
  while (*at && (*at != '.' || depth > 0)) {
    const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
    depth += (*at == '(') - (*at == ')');
    if (length > 0 && depth == 0 && islower((unsigned char)*at)) {
      char *name = sb_copy_span(at, length);
      sb_names_add(names, name);
      free(name);
    }
    if (*at == '\n' && at[1] != '#') return;
    at += length > 0 ? length : 1;
  }
}

void sb_figure_needs_read(const char *path, sb_figure_needs *needs)
{
  char       *text = sb_read_file(path, NULL);
  const char *data = text ? strstr(text, "\n# Data: ") : NULL;
  const char *columns = data ? strstr(data, "columns ") : NULL, *published = data ? strstr(data, "Published: ") : NULL;
  *needs = (sb_figure_needs){.shows_values = data && strstr(data, "@told")};
  if (columns) read_names(columns + strlen("columns "), &needs->columns);
  if (published) read_names(published + strlen("Published: "), &needs->published);
  free(text);
}

void sb_figure_needs_clear(sb_figure_needs *needs)
{
  sb_names_clear(&needs->columns);
  sb_names_clear(&needs->published);
}

static bool has_name(const sb_name_list *list, const char *name)
{
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->names[i], name) == 0) return true;
  return false;
}

static bool is_given(const sb_figure_spec *spec, const char *published)
{
  const size_t length = strlen(published);
  for (size_t i = 0; i < spec->published_count; ++i) {
    const char *name = spec->published[i];
    if (strncmp(name, published, length) == 0 && (!name[length] || strcmp(name + length, ".csv") == 0)) return true;
  }
  return false;
}

/* "the script needs published: [a.csv, b.csv]" */
static char *lacks_published(const sb_figure_spec *spec, const sb_figure_needs *needs)
{
  bool all = true;
  for (size_t i = 0; i < needs->published.count; ++i) all = all && is_given(spec, needs->published.names[i]);
  if (all) return NULL;
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  fprintf(stream, "the script %s needs published: [", spec->script);
  for (size_t i = 0; i < needs->published.count; ++i)
    fprintf(stream, "%s%s.csv", i > 0 ? ", " : "", needs->published.names[i]);
  fputs("] in the figure's entry", stream);
  fclose(stream);
  return text;
}

/* Whether `name` is one of the cells of a data file's first line. */
static bool heads_a_column(const char *header, const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = header; at; at = strchr(at, '\t')) {
    at += *at == '\t';
    if (strncmp(at, name, length) == 0 && strchr("\t\n", at[length])) return true;
  }
  return false;
}

static char *lacks_columns(const sb_figure_spec *spec, const sb_figure_needs *needs, const char *data)
{
  char *text = sb_read_file(data, NULL), *why = NULL;
  if (text) text[strcspn(text, "\n")] = '\0';
  for (size_t i = 0; text && !why && i < needs->columns.count; ++i)
    if (!heads_a_column(text, needs->columns.names[i]))
      why = sb_format("the script %s needs the column '%s', of which these results have none", spec->script,
                      needs->columns.names[i]);
  free(text);
  return why;
}

typedef struct {
  size_t row;
  char  *told; /* the method and the options of which the script has the columns: what it tells cases apart by */
} told_row;

static char *told_of(const sb_results *results, const sb_figure_needs *needs, size_t row)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  for (size_t i = 0; i < needs->columns.count; ++i) {
    const char *name = needs->columns.names[i];
    if (strcmp(name, "method") != 0 && sb_option_find(name) == SB_OPT_COUNT) continue;
    char *value = sb_report_value_text(sb_report_value(results, row, name));
    fprintf(stream, "%s\n", value);
    free(value);
  }
  fclose(stream);
  return text;
}

static int compare_told(const void *a, const void *b)
{
  const told_row *x = a, *y = b;
  const int       order = strcmp(x->told, y->told);
  return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* The first axis that the script does not name by which two rows differ; NULL: there is none. */
static const char *untold_difference(const sb_results *results, const sb_figure_needs *needs, size_t a, size_t b)
{
  const sb_plan *plan = results->plan;
  for (size_t i = 0; i < plan->axis_count; ++i)
    if (!has_name(&needs->columns, plan->axes[i]) &&
        !sb_report_same(sb_report_value(results, a, plan->axes[i]), sb_report_value(results, b, plan->axes[i])))
      return plan->axes[i];
  return NULL;
}

/* The first axis by which two rows differ that the script would draw as one; NULL: there is none. Rows that are told
 * alike are neighbours once sorted, and where any of them differ, two neighbours do. */
static const char *confuses(const sb_results *results, const sb_figure_needs *needs, const bool *selected)
{
  const size_t rows = results->plan ? sb_rows_count(results->rows) : 0;
  told_row    *sorted = sb_allocate(rows, sizeof *sorted);
  const char  *axis = NULL;
  size_t       count = 0;
  for (size_t i = 0; i < rows; ++i)
    if (selected[i]) sorted[count++] = (told_row){i, told_of(results, needs, i)};
  qsort(sorted, count, sizeof *sorted, compare_told);
  for (size_t i = 1; i < count && !axis; ++i)
    if (strcmp(sorted[i - 1].told, sorted[i].told) == 0)
      axis = untold_difference(results, needs, sorted[i - 1].row, sorted[i].row);
  for (size_t i = 0; i < count; ++i) free(sorted[i].told);
  free(sorted);
  return axis;
}

static char *draws_as_one(const sb_results *results, const sb_figure_spec *spec, const sb_figure_needs *needs)
{
  char        error[SB_ERROR_SIZE] = "";
  bool       *selected = needs->columns.count > 0 ? sb_report_select(results, spec->where, error) : NULL;
  const char *name = selected ? confuses(results, needs, selected) : NULL;
  return name ? sb_format("the cases differ by %s too, which the script %s does not tell apart", name, spec->script)
              : NULL;
}

char *sb_figure_lacks(const sb_results *results, const sb_figure_spec *spec, const sb_figure_needs *needs,
                      const char *data, bool *fault)
{
  char *why = lacks_published(spec, needs);
  *fault = why != NULL;
  if (!why) why = lacks_columns(spec, needs, data);
  return why ? why : draws_as_one(results, spec, needs);
}

bool sb_figure_needs_check(const sb_sweep *sweep, sb_diagnostics *diagnostics)
{
  bool good = true;
  for (size_t i = 0; i < sweep->figure_count; ++i) {
    const sb_figure_spec *spec = &sweep->figures[i];
    sb_figure_needs       needs = {0};
    char                 *script = sb_sweep_script(sweep, spec->script);
    if (script) sb_figure_needs_read(script, &needs);
    char *lacks = script ? lacks_published(spec, &needs) : NULL;
    if (lacks) good = sb_error_at(diagnostics, spec->script_where, "E106", "figure '%s': %s", spec->id, lacks);
    sb_figure_needs_clear(&needs);
    free(lacks);
    free(script);
  }
  return good;
}
