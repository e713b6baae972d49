/* What all the cases of a table share, so that its caption can say it once: "scene = rope, nodes = 16". What the sweep
 * sets comes first, then what decides the numbers though nobody gave it: a default. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/report/report_text.h"
#include "harness/report/table_layout.h"
#include "harness/report/words.h"

typedef struct {
  const sb_results    *results;
  const sb_table_spec *spec;
  const size_t        *rows; /* [count] of the results, that the table shows */
  size_t               count;
} view;

static bool is_axis(const view *v, const char *name)
{
  for (size_t i = 0; i < v->spec->row_axes; ++i)
    if (strcmp(v->spec->rows[i], name) == 0) return true;
  if (v->spec->column_axis && strcmp(v->spec->column_axis, name) == 0) return true;
  return strcmp(name, "driver") == 0;
}

static bool is_constant(const view *v, const char *name, sb_value *value)
{
  if (v->count == 0 || is_axis(v, name)) return false;
  *value = sb_report_value(v->results, v->rows[0], name);
  for (size_t i = 1; i < v->count; ++i)
    if (!sb_report_same(*value, sb_report_value(v->results, v->rows[i], name))) return false;
  return value->kind != SB_BLANK && !(value->kind == SB_WORD && value->word[0] == '\0');
}

static bool is_span(const char *text, size_t length, const char *word)
{
  return strncmp(text, word, length) == 0 && word[length] == '\0';
}

/* Whether a text chooses other cases by `name`, as step_median_s[method=newton] does where the rows' method is another.
 * method=method chooses none. */
static bool chooses_others(const char *text, const char *name, const char *shared)
{
  const size_t length = strlen(name);
  for (const char *at = strstr(text, name); at; at = strstr(at + length, name)) {
    const char *value = at + length + 1;
    if (at == text || !strchr("[, ", at[-1]) || at[length] != '=' || *value == '=') continue;
    const size_t end = strcspn(value, ",])");
    if (!is_span(value, end, shared) && !is_span(value, end, name)) return true;
  }
  return false;
}

/* Six digits are enough to read: 1/30 is 0.0333333. */
static char *shown_constant(sb_value value)
{
  const bool fraction = value.kind == SB_NUMBER && value.number != floor(value.number);
  return fraction ? sb_format("%.6g", value.number) : sb_report_value_text(value);
}

/* A column may show cases beside those that make the rows. */
static bool holds_in_columns(const view *v, const char *name, sb_value value)
{
  char *shared = sb_report_value_text(value);
  bool  holds = true;
  for (size_t i = 0; holds && i < v->spec->column_count; ++i)
    holds = !chooses_others(sb_expression_text(v->spec->columns[i].value), name, shared);
  free(shared);
  return holds;
}

/* "explicit Euler", as in the rows. */
static void put_constant(const view *v, FILE *stream, const char *name, sb_value value)
{
  char       *shown = shown_constant(value), *words = sb_words_of_value(v->results->sweep, name, shown);
  char       *axis = sb_words_of_axis(v->results->sweep, name);
  const char *unit = sb_report_unit(v->results, name);
  fprintf(stream, "%s%s = %s%s%s", ftell(stream) > 0 ? ", " : "", axis, words, *unit ? " " : "", unit);
  free(axis);
  free(words);
  free(shown);
}

/* Whether the cases read it. Of steps and forces a driver that moves nothing would say nothing. */
static bool is_read(const view *v, sb_option_id id)
{
  static const sb_option_id of_motion[] = {SB_OPT_h, SB_OPT_drag};
  for (size_t i = 0; i < sizeof of_motion / sizeof *of_motion; ++i)
    if (of_motion[i] == id && !sb_report_reads(v->results, v->rows[0], SB_OPT_integrator)) return false;
  return sb_report_reads(v->results, v->rows[0], id);
}

/* Methods and physics that were not given: those of the motion last. */
static void put_defaults(const view *v, FILE *stream, const char **names, size_t count)
{
  static const sb_option_id physics[] = {SB_OPT_stiffness, SB_OPT_young, SB_OPT_total_mass, SB_OPT_vertex_mass,
                                         SB_OPT_gravity,   SB_OPT_h,     SB_OPT_drag,       SB_OPT_integrator,
                                         SB_OPT_minimizer, SB_OPT_linear};
  for (size_t i = 0; v->count > 0 && i < sizeof physics / sizeof *physics; ++i) {
    const char *name = sb_option_at(physics[i])->name;
    sb_value    value = {.kind = SB_BLANK};
    bool        told = !is_read(v, physics[i]);
    for (size_t j = 0; j < count && !told; ++j) told = strcmp(names[j], name) == 0;
    if (!told && is_constant(v, name, &value) && holds_in_columns(v, name, value)) put_constant(v, stream, name, value);
  }
}

char *sb_table_constants(const sb_results *results, const sb_table_spec *spec, const size_t *rows, size_t row_count)
{
  const view   v = {results, spec, rows, row_count};
  size_t       count = 0, length = 0;
  char        *text = NULL;
  const char **names = sb_report_settings(v.results->sweep, &count);
  FILE        *stream = sb_text_stream(&text, &length);
  for (size_t i = 0; i < count; ++i) {
    sb_value value = {.kind = SB_BLANK};
    if (!is_constant(&v, names[i], &value) || !holds_in_columns(&v, names[i], value)) continue;
    put_constant(&v, stream, names[i], value);
  }
  put_defaults(&v, stream, names, count);
  free(names);
  fclose(stream);
  return text;
}
