/* A comparison on the screen and in Markdown; see compare.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/compare.h"
#include "harness/report/report_text.h"

enum { COLUMNS = 8, ONLY_SHOWN = 10 };

/* Cells as they are shown; row 0 has the heads. */
typedef struct {
  size_t rows;
  char *(*cells)[COLUMNS];
  bool timed; /* whether the columns of time say anything */
} grid;

static bool is_time_column(int column) { return column < 5; }

static bool anything_changed(const sb_case_pair *pair)
{
  return pair->worse || pair->change == SB_TIME_FASTER || pair->change == SB_TIME_SLOWER || pair->status_changed ||
         pair->accuracy_changed || pair->bits == SB_BITS_DIFFER || pair->column;
}

static char *seconds_text(double seconds)
{
  static const struct {
    double      unit;
    const char *name;
  } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
  size_t u = 0;
  if (!(seconds > 0)) return sb_copy_text("");
  while (u + 1 < sizeof units / sizeof *units && seconds < units[u].unit) ++u;
  char number[SB_NUMBER_TEXT];
  return sb_format("%s %s", sb_text_rounded(seconds / units[u].unit, SB_DIGITS, number), units[u].name);
}

static char *interval_text(const sb_ratio *ratio)
{
  return ratio->bounded ? sb_format("%.3f … %.3f", ratio->low, ratio->high) : sb_copy_text("");
}

static char *change_text(const sb_comparison *c, const sb_case_pair *pair)
{
  if (pair->undecided) return sb_copy_text("slower, not decided: noisy");
  if (pair->worse & SB_WORSE_TIME) return sb_format("SLOWER by over %.3g %%", 100 * c->request.threshold);
  return sb_copy_text(sb_compare_change_text(pair));
}

static grid make_grid(const sb_comparison *c, bool changed)
{
  static const char *const heads[COLUMNS] = {"B/A", "95 % interval", "A", "B", "time", "bits", "case", "what else"};
  grid                     g = {0};
  g.cells = sb_allocate(c->count + 1, sizeof *g.cells);
  for (int j = 0; j < COLUMNS; ++j) g.cells[0][j] = sb_copy_text(heads[j]);
  g.rows = 1;
  for (size_t i = 0; i < c->count; ++i) {
    const sb_case_pair *pair = &c->pairs[i];
    if (changed && !anything_changed(pair)) continue;
    char **cells = g.cells[g.rows++];
    g.timed = g.timed || pair->time.known;
    cells[0] = pair->time.known ? sb_format("%.3f", pair->time.ratio) : sb_copy_text("");
    cells[1] = interval_text(&pair->time);
    cells[2] = seconds_text(pair->time.median[0]);
    cells[3] = seconds_text(pair->time.median[1]);
    cells[4] = change_text(c, pair);
    cells[5] = sb_compare_bits_text(pair);
    cells[6] = sb_compare_case_text(c, 0, pair->row[0]);
    cells[7] = sb_compare_notes_text(c, pair);
  }
  return g;
}

static void clear_grid(grid *g)
{
  for (size_t i = 0; i < g->rows; ++i)
    for (int j = 0; j < COLUMNS; ++j) free(g->cells[i][j]);
  free(g->cells);
}

/* Characters of UTF-8, all of them one column wide here. */
static int width_of(const char *text)
{
  int width = 0;
  for (; text && *text; ++text) width += ((unsigned char)*text & 0xc0) != 0x80;
  return width;
}

static void print_grid_text(const grid *g, FILE *stream)
{
  int widths[COLUMNS] = {0};
  for (size_t i = 0; i < g->rows; ++i)
    for (int j = 0; j < COLUMNS; ++j)
      if (width_of(g->cells[i][j]) > widths[j]) widths[j] = width_of(g->cells[i][j]);
  for (size_t i = 0; i < g->rows; ++i) {
    int owed = 0; /* blanks that only a later cell needs */
    for (int j = g->timed ? 0 : 5; j < COLUMNS; ++j) {
      const char *cell = g->cells[i][j];
      if (*cell) fprintf(stream, "%*s%s", owed, "", cell);
      owed = (*cell ? 0 : owed) + widths[j] - width_of(cell) + 2;
    }
    fputc('\n', stream);
  }
}

static void print_grid_markdown(const grid *g, FILE *stream)
{
  for (size_t i = 0; i < g->rows; ++i) {
    for (int j = g->timed ? 0 : 5; j < COLUMNS; ++j) {
      fputs("| ", stream);
      sb_text_put_markdown(stream, g->cells[i][j]);
      fputc(' ', stream);
    }
    fputs("|\n", stream);
    for (int j = g->timed ? 0 : 5; i == 0 && j < COLUMNS; ++j) fputs(is_time_column(j) ? "|---:" : "|---", stream);
    if (i == 0) fputs("|\n", stream);
  }
}

static void print_side(const sb_comparison *c, int s, sb_compare_form form, FILE *stream)
{
  const sb_compare_side *side = &c->side[s];
  const bool             markdown = form == SB_COMPARE_MARKDOWN;
  fputs(markdown ? "- " : "", stream);
  fprintf(stream, "%c  ", 'A' + s);
  if (markdown)
    sb_text_put_markdown(stream, side->path);
  else
    fputs(side->path, stream);
  if (*side->name) fprintf(stream, " (%s%s)", side->name, side->results && side->results->quick ? ", quick" : "");
  if (*side->builds) fprintf(stream, "; build %s", side->builds);
  if (*side->machines) fprintf(stream, "; %s", side->machines);
  if (*side->hosts) fprintf(stream, "; host %s", side->hosts);
  fputc('\n', stream);
}

static void print_settings(const sb_comparison *c, const char *mark, FILE *stream)
{
  const char *name = NULL;
  json_t     *values = NULL;
  bool        any = false;
  json_object_foreach(c->settings, name, values)
  {
    const char *a = json_string_value(json_array_get(values, 0)), *b = json_string_value(json_array_get(values, 1));
    if (!any) fprintf(stream, "%snot the same setting: ", mark);
    fprintf(stream, "%s%s: %s → %s", any ? "; " : "", name, *a ? a : "unset", *b ? b : "unset");
    any = true;
  }
  if (any) fputc('\n', stream);
}

/* What a reader must know before believing a number. */
static void print_cautions(const sb_comparison *c, sb_compare_form form, FILE *stream)
{
  const char  *mark = form == SB_COMPARE_MARKDOWN ? "- " : "";
  const size_t damaged = c->side[0].damaged + c->side[1].damaged, others = c->count - c->by_key;
  print_settings(c, mark, stream);
  if (others > 0)
    fprintf(stream, "%s%zu of %zu cases have other keys in A and B and are paired by the options that vary\n", mark,
            others, c->count);
  if (c->other_machine)
    fprintf(stream, "%swarning: the times are of different machines: their ratio is not that of the code\n", mark);
  if (c->one_repetition)
    fprintf(stream,
            "%snote: of some case one repetition alone counts (it was run once, or quiet once): its interval does not "
            "know how "
            "far runs differ (run -r 5, or more)\n",
            mark);
  if (c->noisy > 0)
    fprintf(stream,
            "%swarning: %zu case%s timed on a machine that was not quiet (column noisy): slower times decide nothing "
            "there\n",
            mark, c->noisy, c->noisy == 1 ? " was" : "s were");
  if (damaged > 0)
    fprintf(stream, "%swarning: %zu case files do not match their checksums and were not read\n", mark, damaged);
}

static void print_only(const sb_comparison *c, int s, FILE *stream)
{
  if (c->only_count[s] == 0) return;
  fprintf(stream, "only in %c (%zu):", 'A' + s, c->only_count[s]);
  for (size_t i = 0; i < c->only_count[s] && i < ONLY_SHOWN; ++i) {
    char *text = sb_compare_case_text(c, s, c->only[s][i]);
    fprintf(stream, "%s %s", i ? ";" : "", text);
    free(text);
  }
  if (c->only_count[s] > ONLY_SHOWN) fprintf(stream, "; and %zu more", c->only_count[s] - ONLY_SHOWN);
  fputc('\n', stream);
}

static void print_summary(const sb_comparison *c, FILE *stream)
{
  fprintf(stream, "%zu case%s compared", c->count, c->count == 1 ? "" : "s");
  if (c->mean.known) fprintf(stream, ": %zu slower, %zu faster, %zu same within noise", c->slower, c->faster, c->same);
  if (c->mean.known && c->floor > 0)
    fprintf(stream, c->floor < 1 ? " (noise floor up to %.2g %%)" : " (noise floor up to %.0f %%)", 100 * c->floor);
  fprintf(stream, "; bitwise equal %zu, different %zu; status changed in %zu, accuracy in %zu\n", c->bits_equal,
          c->bits_differ, c->status_changed, c->accuracy_changed);
  if (c->mean.known) fprintf(stream, "time B/A, geometric mean of %zu: %.3f", c->mean.used[0], c->mean.ratio);
  if (c->mean.bounded) fprintf(stream, " (95 %% interval %.3f … %.3f)", c->mean.low, c->mean.high);
  if (c->mean.known) fputc('\n', stream);
}

static void print_verdict(const sb_comparison *c, FILE *stream)
{
  if (c->worse > 0) fprintf(stream, "worse: %zu case%s, first in the list\n", c->worse, c->worse == 1 ? "" : "s");
  if (c->mean_is_worse)
    fprintf(stream, "worse: all together slower by more than %.3g %%\n", 100 * c->request.threshold);
  if (c->undecided > 0)
    fprintf(stream, "not decided: noisy: %zu case%s slower by over %.3g %%\n", c->undecided,
            c->undecided == 1 ? "" : "s", 100 * c->request.threshold);
  if (c->mean_is_undecided)
    fprintf(stream, "not decided: noisy: all together slower by more than %.3g %%\n", 100 * c->request.threshold);
  if (c->worse == 0 && !c->mean_is_worse && c->undecided == 0 && !c->mean_is_undecided)
    fprintf(stream, "no regression (threshold %.3g %%)\n", 100 * c->request.threshold);
}

void sb_comparison_print(const sb_comparison *c, sb_compare_form form, bool changed, FILE *stream)
{
  if (form == SB_COMPARE_CSV) {
    sb_comparison_print_csv(c, stream);
    return;
  }
  if (form == SB_COMPARE_JSON) {
    sb_comparison_print_json(c, stream);
    return;
  }
  for (int s = 0; s < 2; ++s) print_side(c, s, form, stream);
  print_cautions(c, form, stream);
  grid g = make_grid(c, changed);
  fputc('\n', stream);
  if (g.rows > 1 && form == SB_COMPARE_MARKDOWN) print_grid_markdown(&g, stream);
  if (g.rows > 1 && form == SB_COMPARE_TEXT) print_grid_text(&g, stream);
  if (g.rows > 1) fputc('\n', stream);
  if (changed && g.rows - 1 < c->count) fprintf(stream, "nothing changed in %zu cases\n", c->count - (g.rows - 1));
  clear_grid(&g);
  for (int s = 0; s < 2; ++s) print_only(c, s, stream);
  print_summary(c, stream);
  print_verdict(c, stream);
}
