/* What a figure calls the methods and other named values of its sweep: the words that its tables use (spelling.h), as a
 * function of gnuplot, spelled('explicit_euler') = 'explicit Euler'; '' for names that it does not know. */
#include <stdlib.h>
#include <string.h>

#include "harness/common/gnuplot.h"
#include "harness/report/figure_data.h"
#include "harness/report/spelling.h"

/* Whether value `at` of axis `of` in block `in` stood in an axis or a value before. */
static bool stood_before(const sb_sweep *sweep, size_t in, size_t of, size_t at)
{
  const char *value = sweep->blocks[in].axes[of].values[at];
  for (size_t b = 0; b <= in; ++b)
    for (size_t a = 0; a < (b < in ? sweep->blocks[b].count : of + 1); ++a) {
      const sb_axis *axis = &sweep->blocks[b].axes[a];
      for (size_t v = 0; v < (b < in || a < of ? axis->count : at); ++v)
        if (strcmp(axis->values[v], value) == 0) return true;
    }
  return false;
}

static void put_words(FILE *stream, const sb_sweep *sweep, const char *axis, const char *value)
{
  sb_arena   *arena = sb_arena_create();
  const char *words = sb_spelled_value(arena, sweep, axis, value);
  const bool  is_name = (*value >= 'a' && *value <= 'z') || (*value >= 'A' && *value <= 'Z');
  if (is_name && strcmp(words, value) != 0) {
    fputs("name eq ", stream);
    sb_gnuplot_put_text(stream, value);
    fputs(" ? ", stream);
    sb_gnuplot_put_text(stream, words);
    fputs(" : \\\n  ", stream);
  }
  sb_arena_destroy(&arena);
}

void sb_figure_put_words(const sb_sweep *sweep, FILE *stream)
{
  fputs("spelled(name) = ", stream);
  for (size_t b = 0; b < sweep->block_count; ++b)
    for (size_t a = 0; a < sweep->blocks[b].count; ++a) {
      const sb_axis *axis = &sweep->blocks[b].axes[a];
      for (size_t v = 0; v < axis->count; ++v)
        if (!stood_before(sweep, b, a, v)) put_words(stream, sweep, axis->name, axis->values[v]);
    }
  fputs("''\n", stream);
}
