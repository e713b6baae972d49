/* A comparison as people read it (text, Markdown) and as programs do (CSV, JSON); see compare.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/common/json_text.h"
#include "harness/report/compare.h"
#include "harness/report/table.h"
#include "harness/results/tally.h"

enum { ONLY_SHOWN = 10 };

static const struct {
  unsigned    bit;
  const char *name;
} reasons[] = {
    {SB_WORSE_TIME, "time"}, {SB_WORSE_STATUS, "status"}, {SB_WORSE_ACCURACY, "accuracy"}, {SB_WORSE_BITS, "bits"}};
enum { REASONS = sizeof reasons / sizeof *reasons };

/* ---- words ---- */

static const char *change_text(const sb_case_pair *pair)
{
  static const char *const words[] = {
      [SB_TIME_SAME] = "same within noise", [SB_TIME_FASTER] = "faster", [SB_TIME_SLOWER] = "slower"};
  return pair->change != SB_TIME_UNKNOWN ? words[pair->change] : pair->time.known ? "too few samples to say" : "";
}

static const char *bits_text(const sb_comparison *c, const sb_case_pair *pair)
{
  sb_arena       *arena = c->session->arena;
  const long long until = (long long)pair->equal_until, at = (long long)pair->differs_at;
  if (pair->bits == SB_BITS_UNKNOWN) return "";
  if (pair->bits == SB_BITS_EQUAL) return "bitwise equal";
  if (!pair->has_frames) return "differs (no frames of the same steps)";
  if (until > 0 && at < 0)
    return sb_arena_format(arena, "states bitwise equal until step %lld, the last of both", until);
  if (until > 0) return sb_arena_format(arena, "bitwise equal until step %lld", until);
  if (until == 0 || at == 0) return "differs from the start";
  return sb_arena_format(arena, "differs at step %lld, the first recorded", at);
}

static const char *case_text(const sb_comparison *c, int side, size_t row)
{
  const char *options = sb_compared_options(c, side, row);
  return *options ? options : sb_compared_word(c, side, row, "key");
}

static const char *seconds_text(const sb_comparison *c, double seconds)
{
  static const struct {
    double      unit;
    const char *name;
  } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
  size_t u = 0;
  if (!(seconds > 0)) return "";
  while (u + 1 < sizeof units / sizeof *units && seconds < units[u].unit) ++u;
  char text[SB_NUMBER_TEXT];
  return sb_arena_format(c->session->arena, "%s %s", sb_text_rounded(seconds / units[u].unit, SB_DIGITS, text),
                         units[u].name);
}

/* "name: before → after (+3 %)". Values that differ in later digits only are shown by all of them. */
static const char *value_change(const sb_comparison *c, const sb_case_pair *pair, const char *name)
{
  sb_arena      *arena = c->session->arena;
  const sb_value value[2] = {sb_compared_value(c, 0, pair->row[0], name), sb_compared_value(c, 1, pair->row[1], name)};
  const double   a = value[0].number, b = value[1].number;
  const bool     numbers = value[0].kind == SB_NUMBER && value[1].kind == SB_NUMBER;
  const char    *text[2];
  for (int s = 0; s < 2; ++s) {
    text[s] = value[s].kind == SB_NUMBER ? sb_arena_format(arena, "%.6g", value[s].number)
                                         : sb_value_text(c->session->arena, value[s]);
    if (!*text[s]) text[s] = "-";
  }
  if (strcmp(text[0], text[1]) == 0 && !sb_value_same(value[0], value[1]))
    for (int s = 0; s < 2; ++s) text[s] = sb_value_text(c->session->arena, value[s]);
  const char *share = numbers && a != b && a != 0 ? sb_arena_format(arena, " (%+.3g %%)", 100 * (b / a - 1)) : "";
  if (strcmp(text[0], text[1]) == 0) return sb_arena_format(arena, "%s = %s%s", name, text[0], share);
  return sb_arena_format(arena, "%s: %s → %s%s", name, text[0], text[1], share);
}

static void add_note(const sb_comparison *c, const char **notes, const char *note)
{
  *notes = **notes ? sb_arena_format(c->session->arena, "%s; %s", *notes, note) : note;
}

/* All that changed beside time. */
static const char *notes_text(const sb_comparison *c, const sb_case_pair *pair)
{
  const char *a = sb_compared_word(c, 0, pair->row[0], "status"), *b = sb_compared_word(c, 1, pair->row[1], "status");
  const char *reason = sb_compared_word(c, 1, pair->row[1], "reason"), *notes = "";
  if (pair->status_changed)
    add_note(c, &notes,
             sb_arena_format(c->session->arena, "status: %s → %s%s%s%s", *a ? a : "not run", *b ? b : "not run",
                             *reason ? " (" : "", reason, *reason ? ")" : ""));
  if (pair->accuracy_changed)
    add_note(c, &notes,
             pair->worse & SB_WORSE_ACCURACY ? "tolerances met before, not now" : "tolerances not met before, met now");
  if (pair->worse & SB_WORSE_BITS)
    add_note(c, &notes, c->request.bitwise ? "bits differ" : "same build and machine, other bits: not reproducible");
  for (size_t i = 0; i < c->request.column_count; ++i)
    add_note(c, &notes, value_change(c, pair, c->request.columns[i]));
  if (pair->column && c->request.column_count == 0) add_note(c, &notes, value_change(c, pair, pair->column));
  return notes;
}

/* ---- for people ---- */

static bool anything_changed(const sb_case_pair *pair)
{
  return pair->worse || pair->change == SB_TIME_FASTER || pair->change == SB_TIME_SLOWER || pair->status_changed ||
         pair->accuracy_changed || pair->bits == SB_BITS_DIFFER || pair->column;
}

/* A line a case; the columns of time only where something was timed. */
static sb_table *table_of_cases(const sb_comparison *c, bool changed)
{
  sb_table *t = sb_table_create(c->session->arena);
  if (c->mean.known) {
    static const char *const heads[] = {"B/A", "95 % interval", "A", "B"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; ++i) sb_table_add_column(t, heads[i], "", true);
    sb_table_add_column(t, "time", "", false);
  }
  sb_table_add_column(t, "bits", "", false);
  sb_table_add_column(t, "case", "", false);
  sb_table_add_column(t, "what else", "", false);
  for (size_t i = 0; i < c->count; ++i) {
    const sb_case_pair *pair = &c->pairs[i];
    const sb_ratio     *time = &pair->time;
    if (changed && !anything_changed(pair)) continue;
    sb_table_add_row(t);
    if (c->mean.known) {
      sb_table_put(t, time->known ? sb_arena_format(t->arena, "%.3f", time->ratio) : "");
      sb_table_put(t, time->bounded ? sb_arena_format(t->arena, "%.3f … %.3f", time->low, time->high) : "");
      sb_table_put(t, seconds_text(c, time->median[0]));
      sb_table_put(t, seconds_text(c, time->median[1]));
      if (pair->undecided)
        sb_table_put(t, "slower, not decided: noisy");
      else if (pair->worse & SB_WORSE_TIME)
        sb_table_put_format(t, "SLOWER by over %.3g %%", 100 * c->request.threshold);
      else
        sb_table_put(t, change_text(pair));
    }
    sb_table_put(t, bits_text(c, pair));
    sb_table_put(t, case_text(c, 0, pair->row[0]));
    sb_table_put(t, notes_text(c, pair));
  }
  return t;
}

static void print_side(const sb_comparison *c, int s, bool markdown, FILE *stream)
{
  const sb_compare_side *side = &c->side[s];
  fprintf(stream, "%s%c  ", markdown ? "- " : "", 'A' + s);
  if (markdown)
    sb_text_put_markdown(stream, side->path);
  else
    fputs(side->path, stream);
  fprintf(stream, " (%s%s)", side->results->sweep->name, side->results->quick ? ", quick" : "");
  if (*side->builds) fprintf(stream, "; build %s", side->builds);
  if (*side->machines) fprintf(stream, "; %s", side->machines);
  if (*side->hosts) fprintf(stream, "; host %s", side->hosts);
  fputc('\n', stream);
}

/* A reader must know these things before believing a number. */
static void print_cautions(const sb_comparison *c, const char *mark, FILE *stream)
{
  const size_t damaged = c->side[0].damaged + c->side[1].damaged, others = c->count - c->by_key;
  const char  *name = NULL, *before = "not the same setting: ";
  json_t      *values = NULL;
  if (json_object_size(c->settings) > 0) fputs(mark, stream);
  json_object_foreach(c->settings, name, values)
  {
    const char *a = json_string_value(json_array_get(values, 0)), *b = json_string_value(json_array_get(values, 1));
    fprintf(stream, "%s%s: %s → %s", before, name, *a ? a : "unset", *b ? b : "unset");
    before = "; ";
  }
  if (json_object_size(c->settings) > 0) fputc('\n', stream);
  if (others > 0)
    fprintf(stream, "%s%zu of %zu cases have other keys in A and B and are paired by the options that vary\n", mark,
            others, c->count);
  if (c->other_machine)
    fprintf(stream, "%swarning: the times are of different machines: their ratio is not that of the code\n", mark);
  if (c->one_repetition)
    fprintf(stream,
            "%snote: of some case one repetition alone counts (it was run once, or quiet once): its interval does not "
            "know how far runs differ (run -r 5, or more)\n",
            mark);
  if (c->noisy > 0)
    fprintf(stream, "%swarning: %s; slower times of such cases decide nothing\n", mark,
            sb_noise_note(c->session->arena, c->noisy, c->count));
  if (damaged > 0)
    fprintf(stream, "%swarning: %zu case files do not match their checksums and were not read\n", mark, damaged);
}

static void print_only(const sb_comparison *c, int s, FILE *stream)
{
  if (c->only_count[s] == 0) return;
  fprintf(stream, "only in %c (%zu):", 'A' + s, c->only_count[s]);
  for (size_t i = 0; i < c->only_count[s] && i < ONLY_SHOWN; ++i)
    fprintf(stream, "%s %s", i ? ";" : "", case_text(c, s, c->only[s][i]));
  if (c->only_count[s] > ONLY_SHOWN) fprintf(stream, "; and %zu more", c->only_count[s] - ONLY_SHOWN);
  fputc('\n', stream);
}

static void print_summary(const sb_comparison *c, FILE *stream)
{
  const double percent = 100 * c->request.threshold;
  fprintf(stream, "%zu case%s compared", c->count, c->count == 1 ? "" : "s");
  if (c->mean.known) fprintf(stream, ": %zu slower, %zu faster, %zu same within noise", c->slower, c->faster, c->same);
  if (c->mean.known && c->floor > 0)
    fprintf(stream, c->floor < 1 ? " (noise floor up to %.2g %%)" : " (noise floor up to %.0f %%)", 100 * c->floor);
  fprintf(stream, "; bitwise equal %zu, different %zu; status changed in %zu, accuracy in %zu\n", c->bits_equal,
          c->bits_differ, c->status_changed, c->accuracy_changed);
  if (c->mean.known) fprintf(stream, "time B/A, geometric mean of %zu: %.3f", c->mean.used[0], c->mean.ratio);
  if (c->mean.bounded) fprintf(stream, " (95 %% interval %.3f … %.3f)", c->mean.low, c->mean.high);
  if (c->mean.known) fputc('\n', stream);
  if (c->worse > 0) fprintf(stream, "worse: %zu case%s, first in the list\n", c->worse, c->worse == 1 ? "" : "s");
  if (c->mean_is_worse) fprintf(stream, "worse: all together slower by more than %.3g %%\n", percent);
  if (c->undecided > 0)
    fprintf(stream, "not decided: noisy: %zu case%s slower by over %.3g %%\n", c->undecided,
            c->undecided == 1 ? "" : "s", percent);
  if (c->mean_is_undecided) fprintf(stream, "not decided: noisy: all together slower by more than %.3g %%\n", percent);
  if (c->worse == 0 && !c->mean_is_worse && c->undecided == 0 && !c->mean_is_undecided)
    fprintf(stream, "no regression (threshold %.3g %%)\n", percent);
}

static void print_text(const sb_comparison *c, bool markdown, bool changed, FILE *stream)
{
  const sb_table *t = table_of_cases(c, changed);
  for (int s = 0; s < 2; ++s) print_side(c, s, markdown, stream);
  print_cautions(c, markdown ? "- " : "", stream);
  fputc('\n', stream);
  if (t->row_count > 0) sb_table_print(t, markdown ? SB_TABLE_MARKDOWN : SB_TABLE_TEXT, stream);
  if (t->row_count > 0 && !markdown) fputc('\n', stream);
  if (t->row_count < c->count) fprintf(stream, "nothing changed in %zu cases\n", c->count - t->row_count);
  for (int s = 0; s < 2; ++s) print_only(c, s, stream);
  print_summary(c, stream);
}

/* ---- CSV: a line a case ---- */

static void add_columns(sb_table *t, const char *name)
{
  sb_table_add_column(t, sb_arena_format(t->arena, "%s_a", name), "", false);
  sb_table_add_column(t, sb_arena_format(t->arena, "%s_b", name), "", false);
}

static void put_both(sb_table *t, const sb_comparison *c, const sb_case_pair *pair, const char *name)
{
  for (int s = 0; s < 2; ++s)
    sb_table_put(t, sb_value_text(c->session->arena, sb_compared_value(c, s, pair->row[s], name)));
}

static void put_number(sb_table *t, double number)
{
  char text[SB_NUMBER_TEXT];
  sb_table_put(t, isfinite(number) ? sb_text_exact(number, text) : "");
}

static void put_pair(sb_table *t, const sb_comparison *c, const sb_case_pair *pair)
{
  const sb_ratio *time = &pair->time;
  const char     *worse = "";
  for (int i = 0; i < REASONS; ++i)
    if (pair->worse & reasons[i].bit)
      worse = sb_arena_format(t->arena, "%s%s%s", worse, *worse ? " " : "", reasons[i].name);
  sb_table_add_row(t);
  sb_table_put(t, worse);
  put_both(t, c, pair, "key");
  for (size_t i = 0; i < c->identity_count; ++i)
    sb_table_put(t, sb_value_text(c->session->arena, sb_compared_value(c, 0, pair->row[0], c->identities[i])));
  put_number(t, time->ratio);
  put_number(t, time->low);
  put_number(t, time->high);
  put_number(t, time->median[0]);
  put_number(t, time->median[1]);
  sb_table_put(t, change_text(pair));
  sb_table_put(t, bits_text(c, pair));
  put_both(t, c, pair, "status");
  put_both(t, c, pair, "accuracy_ok");
  sb_table_put(t, pair->column ? pair->column : "");
  put_number(t, pair->column ? pair->difference : NAN);
  for (size_t i = 0; i < c->request.column_count; ++i) put_both(t, c, pair, c->request.columns[i]);
}

static void print_csv(const sb_comparison *c, FILE *stream)
{
  static const char *const heads[] = {"ratio", "ratio_low", "ratio_high", "seconds_a", "seconds_b", "time", "bits"};
  sb_table                *t = sb_table_create(c->session->arena);
  sb_table_add_column(t, "worse", "", false);
  add_columns(t, "key");
  for (size_t i = 0; i < c->identity_count; ++i) sb_table_add_column(t, c->identities[i], "", false);
  for (size_t i = 0; i < sizeof heads / sizeof *heads; ++i) sb_table_add_column(t, heads[i], "", false);
  add_columns(t, "status");
  add_columns(t, "accuracy");
  sb_table_add_column(t, "column", "", false);
  sb_table_add_column(t, "difference", "", false);
  for (size_t i = 0; i < c->request.column_count; ++i) add_columns(t, c->request.columns[i]);
  for (size_t i = 0; i < c->count; ++i) put_pair(t, c, &c->pairs[i]);
  sb_table_print(t, SB_TABLE_CSV, stream);
}

/* ---- JSON: all of it ---- */

static json_t *json_of_step(int64_t step) { return step < 0 ? json_null() : json_integer(step); }

static json_t *json_of_both(const sb_comparison *c, const sb_case_pair *pair, const char *name)
{
  return json_pack("[o, o]", sb_json_of_value(sb_compared_value(c, 0, pair->row[0], name)),
                   sb_json_of_value(sb_compared_value(c, 1, pair->row[1], name)));
}

static json_t *json_of_options(const sb_comparison *c, int side, size_t row)
{
  json_t *object = json_object();
  for (size_t i = 0; i < c->identity_count; ++i)
    json_object_set_new(object, c->identities[i], sb_json_of_value(sb_compared_value(c, side, row, c->identities[i])));
  return object;
}

static json_t *json_of_ratio(const sb_ratio *ratio)
{
  return json_pack("{s:o, s:o, s:o}", "ratio", sb_json_of_number(ratio->ratio), "low", sb_json_of_number(ratio->low),
                   "high", sb_json_of_number(ratio->high));
}

static json_t *json_of_pair(const sb_comparison *c, const sb_case_pair *pair)
{
  static const char *const words[] = {
      [SB_BITS_UNKNOWN] = "unknown", [SB_BITS_EQUAL] = "equal", [SB_BITS_DIFFER] = "differ"};
  const sb_ratio *t = &pair->time;
  json_t         *time = json_of_ratio(t), *worse = json_array(), *columns = json_object();
  json_object_update_new(time,
                         json_pack("{s:[o, o], s:[I, I], s:[I, I], s:s}", "seconds", sb_json_of_number(t->median[0]),
                                   sb_json_of_number(t->median[1]), "samples", (json_int_t)t->used[0],
                                   (json_int_t)t->used[1], "runs", (json_int_t)t->repetitions[0],
                                   (json_int_t)t->repetitions[1], "change", change_text(pair)));
  json_t *bits =
      json_pack("{s:s, s:s, s:o, s:o}", "digest", words[pair->bits], "text", bits_text(c, pair), "equal_until",
                json_of_step(pair->equal_until), "differs_at", json_of_step(pair->differs_at));
  for (int i = 0; i < REASONS; ++i)
    if (pair->worse & reasons[i].bit) json_array_append_new(worse, json_string(reasons[i].name));
  json_t *object =
      json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "key", json_of_both(c, pair, "key"), "options",
                json_of_options(c, 0, pair->row[0]), "time", time, "bits", bits, "status",
                json_of_both(c, pair, "status"), "accuracy_ok", json_of_both(c, pair, "accuracy_ok"), "worse", worse);
  if (pair->column)
    json_object_set_new(object, "largest_difference",
                        json_pack("{s:s, s:o, s:o}", "column", pair->column, "relative",
                                  sb_json_of_number(pair->difference), "values", json_of_both(c, pair, pair->column)));
  for (size_t i = 0; i < c->request.column_count; ++i)
    json_object_set_new(columns, c->request.columns[i], json_of_both(c, pair, c->request.columns[i]));
  if (c->request.column_count > 0) json_object_set(object, "columns", columns);
  json_decref(columns);
  return object;
}

static json_t *json_of_side(const sb_comparison *c, int s)
{
  const sb_compare_side *side = &c->side[s];
  json_t                *only = json_array();
  for (size_t i = 0; i < c->only_count[s]; ++i) json_array_append_new(only, json_of_options(c, s, c->only[s][i]));
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:o}", "path", side->path, "sweep", side->results->sweep->name,
                   "build", side->builds, "machine", side->machines, "host", side->hosts, "damaged",
                   (json_int_t)side->damaged, "only_here", only);
}

static json_t *json_of_summary(const sb_comparison *c)
{
  const struct {
    const char *name;
    size_t      count;
  } counts[] = {{"compared", c->count},
                {"by_key", c->by_key},
                {"slower", c->slower},
                {"faster", c->faster},
                {"same", c->same},
                {"bits_equal", c->bits_equal},
                {"bits_differ", c->bits_differ},
                {"status_changed", c->status_changed},
                {"accuracy_changed", c->accuracy_changed},
                {"worse", c->worse}};
  json_t *summary = json_object();
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
    json_object_set_new(summary, counts[i].name, json_integer((json_int_t)counts[i].count));
  json_object_update_new(
      summary, json_pack("{s:o, s:o, s:o, s:I, s:I, s:b, s:b}", "geometric_mean", json_of_ratio(&c->mean), "threshold",
                         sb_json_of_number(c->request.threshold), "noise_floor", sb_json_of_number(c->floor), "noisy",
                         (json_int_t)c->noisy, "not_decided", (json_int_t)c->undecided, "different_machines",
                         (int)c->other_machine, "regression", (int)(c->worse > 0 || c->mean_is_worse)));
  return summary;
}

static void print_json(const sb_comparison *c, FILE *stream)
{
  json_t *cases = json_array();
  for (size_t i = 0; i < c->count; ++i) json_array_append_new(cases, json_of_pair(c, &c->pairs[i]));
  json_t *all = json_pack("{s:o, s:o, s:O, s:o, s:o}", "A", json_of_side(c, 0), "B", json_of_side(c, 1), "settings",
                          c->settings, "summary", json_of_summary(c), "cases", cases);
  json_dumpf(all, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
  fputc('\n', stream);
  json_decref(all);
}

void sb_comparison_print(const sb_comparison *c, sb_compare_form form, bool changed, FILE *stream)
{
  switch (form) {
  case SB_COMPARE_JSON:
    print_json(c, stream);
    break;
  case SB_COMPARE_CSV:
    print_csv(c, stream);
    break;
  default:
    print_text(c, form == SB_COMPARE_MARKDOWN, changed, stream);
  }
}
