/* A comparison for programs: CSV, a line a case, and JSON with the summary; see compare.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/common/csv.h"
#include "harness/common/json_text.h"
#include "harness/report/compare.h"
#include "harness/report/report_text.h"

static const struct {
  unsigned    bit;
  const char *name;
} reasons[] = {
    {SB_WORSE_TIME, "time"}, {SB_WORSE_STATUS, "status"}, {SB_WORSE_ACCURACY, "accuracy"}, {SB_WORSE_BITS, "bits"}};
enum { REASONS = sizeof reasons / sizeof *reasons };

static json_t *step(int64_t value) { return value < 0 ? json_null() : json_integer(value); }

static json_t *both(const sb_comparison *c, const sb_case_pair *pair, const char *name)
{
  return json_pack("[o, o]", sb_json_of_value(sb_compare_value(&c->side[0], pair->row[0], name)),
                   sb_json_of_value(sb_compare_value(&c->side[1], pair->row[1], name)));
}

static json_t *json_of_names(const sb_comparison *c, const sb_case_pair *pair, const char *const *names, size_t count)
{
  json_t *object = json_object();
  for (size_t i = 0; i < count; ++i)
    json_object_set_new(object, names[i], pair ? both(c, pair, names[i]) : json_null());
  return object;
}

static json_t *options_of(const sb_comparison *c, int side, size_t row)
{
  json_t *object = json_object();
  for (size_t i = 0; i < c->identity_count; ++i)
    json_object_set_new(object, c->identities[i],
                        sb_json_of_value(sb_compare_value(&c->side[side], row, c->identities[i])));
  return object;
}

static json_t *json_of_ratio(const sb_ratio *ratio)
{
  return json_pack("{s:o, s:o, s:o}", "ratio", sb_json_of_number(ratio->ratio), "low", sb_json_of_number(ratio->low),
                   "high", sb_json_of_number(ratio->high));
}

static json_t *worse_of(const sb_case_pair *pair)
{
  json_t *list = json_array();
  for (int i = 0; i < REASONS; ++i)
    if (pair->worse & reasons[i].bit) json_array_append_new(list, json_string(reasons[i].name));
  return list;
}

static json_t *bits_of(const sb_case_pair *pair)
{
  static const char *const words[] = {
      [SB_BITS_UNKNOWN] = "unknown", [SB_BITS_EQUAL] = "equal", [SB_BITS_DIFFER] = "differ"};
  char   *text = sb_compare_bits_text(pair);
  json_t *object = json_pack("{s:s, s:s, s:o, s:o}", "digest", words[pair->bits], "text", text, "equal_until",
                             step(pair->equal_until), "differs_at", step(pair->differs_at));
  free(text);
  return object;
}

static json_t *json_of_pair(const sb_comparison *c, const sb_case_pair *pair)
{
  const sb_ratio *t = &pair->time;
  json_t         *time = json_of_ratio(t);
  json_object_set_new(time, "seconds",
                      json_pack("[o, o]", sb_json_of_number(t->median[0]), sb_json_of_number(t->median[1])));
  json_object_set_new(time, "samples", json_pack("[I, I]", (json_int_t)t->used[0], (json_int_t)t->used[1]));
  json_object_set_new(time, "runs", json_pack("[I, I]", (json_int_t)t->repetitions[0], (json_int_t)t->repetitions[1]));
  json_object_set_new(time, "change", json_string(sb_compare_change_text(pair)));
  json_t *object =
      json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "key", both(c, pair, "key"), "options",
                options_of(c, 0, pair->row[0]), "time", time, "bits", bits_of(pair), "status", both(c, pair, "status"),
                "accuracy_ok", both(c, pair, "accuracy_ok"), "worse", worse_of(pair));
  if (pair->column)
    json_object_set_new(object, "largest_difference",
                        json_pack("{s:s, s:o, s:o}", "column", pair->column, "relative",
                                  sb_json_of_number(pair->difference), "values", both(c, pair, pair->column)));
  if (c->request.column_count > 0)
    json_object_set_new(object, "columns", json_of_names(c, pair, c->request.columns, c->request.column_count));
  return object;
}

static json_t *json_of_side(const sb_comparison *c, int s)
{
  const sb_compare_side *side = &c->side[s];
  json_t                *only = json_array();
  for (size_t i = 0; i < c->only_count[s]; ++i) json_array_append_new(only, options_of(c, s, c->only[s][i]));
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:o}", "path", side->path, "sweep", side->name, "build",
                   side->builds, "machine", side->machines, "host", side->hosts, "damaged", (json_int_t)side->damaged,
                   "only_here", only);
}

static json_t *json_of_summary(const sb_comparison *c)
{
  json_t *summary =
      json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "compared", (json_int_t)c->count, "by_key",
                (json_int_t)c->by_key, "slower", (json_int_t)c->slower, "faster", (json_int_t)c->faster, "same",
                (json_int_t)c->same, "bits_equal", (json_int_t)c->bits_equal, "bits_differ", (json_int_t)c->bits_differ,
                "status_changed", (json_int_t)c->status_changed, "accuracy_changed", (json_int_t)c->accuracy_changed,
                "worse", (json_int_t)c->worse);
  json_object_set_new(summary, "geometric_mean", json_of_ratio(&c->mean));
  json_object_set_new(summary, "threshold", sb_json_of_number(c->request.threshold));
  json_object_set_new(summary, "noise_floor", sb_json_of_number(c->floor));
  json_object_set_new(summary, "noisy", json_integer((json_int_t)c->noisy));
  json_object_set_new(summary, "not_decided", json_integer((json_int_t)c->undecided));
  json_object_set_new(summary, "different_machines", json_boolean(c->other_machine));
  json_object_set_new(summary, "regression", json_boolean(c->worse > 0 || c->mean_is_worse));
  return summary;
}

void sb_comparison_print_json(const sb_comparison *c, FILE *stream)
{
  json_t *cases = json_array();
  for (size_t i = 0; i < c->count; ++i) json_array_append_new(cases, json_of_pair(c, &c->pairs[i]));
  json_t *all = json_pack("{s:o, s:o, s:O, s:o, s:o}", "A", json_of_side(c, 0), "B", json_of_side(c, 1), "settings",
                          c->settings, "summary", json_of_summary(c), "cases", cases);
  json_dumpf(all, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
  fputc('\n', stream);
  json_decref(all);
}

static void put_text(FILE *stream, char *text)
{
  fputc(',', stream);
  sb_csv_put(stream, text);
  free(text);
}

static void put_number(FILE *stream, double value)
{
  char text[32];
  fprintf(stream, ",%s", isfinite(value) ? sb_format_real(value, text) : "");
}

static void put_pair(const sb_comparison *c, const sb_case_pair *pair, const char *name, FILE *stream)
{
  for (int s = 0; s < 2; ++s) put_text(stream, sb_report_value_text(sb_compare_value(&c->side[s], pair->row[s], name)));
}

static void put_line(const sb_comparison *c, const sb_case_pair *pair, FILE *stream)
{
  const sb_ratio *t = &pair->time;
  const double    numbers[] = {t->ratio, t->low, t->high, t->median[0], t->median[1]};
  const char     *separator = "";
  for (int i = 0; i < REASONS; ++i) {
    if (!(pair->worse & reasons[i].bit)) continue;
    fprintf(stream, "%s%s", separator, reasons[i].name);
    separator = " ";
  }
  put_pair(c, pair, "key", stream);
  for (size_t i = 0; i < c->identity_count; ++i)
    put_text(stream, sb_report_value_text(sb_compare_value(&c->side[0], pair->row[0], c->identities[i])));
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) put_number(stream, numbers[i]);
  put_text(stream, sb_copy_text(sb_compare_change_text(pair)));
  put_text(stream, sb_compare_bits_text(pair));
  put_pair(c, pair, "status", stream);
  put_pair(c, pair, "accuracy_ok", stream);
  put_text(stream, sb_copy_text(pair->column ? pair->column : ""));
  put_number(stream, pair->column ? pair->difference : NAN);
  for (size_t i = 0; i < c->request.column_count; ++i) put_pair(c, pair, c->request.columns[i], stream);
  fputc('\n', stream);
}

void sb_comparison_print_csv(const sb_comparison *c, FILE *stream)
{
  fputs("worse,key_a,key_b", stream);
  for (size_t i = 0; i < c->identity_count; ++i) put_text(stream, sb_copy_text(c->identities[i]));
  fputs(",ratio,ratio_low,ratio_high,seconds_a,seconds_b,time,bits,status_a,status_b,accuracy_a,accuracy_b,column,"
        "difference",
        stream);
  for (size_t i = 0; i < c->request.column_count; ++i)
    for (int s = 0; s < 2; ++s) put_text(stream, sb_format("%s_%c", c->request.columns[i], "ab"[s]));
  fputc('\n', stream);
  for (size_t i = 0; i < c->count; ++i) put_line(c, &c->pairs[i], stream);
}
