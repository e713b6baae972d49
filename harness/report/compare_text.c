/* A comparison in words; see compare.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/report/compare.h"
#include "harness/report/report_text.h"

const char *sb_compare_change_text(const sb_case_pair *pair)
{
  switch (pair->change) {
  case SB_TIME_SAME:
    return "same within noise";
  case SB_TIME_FASTER:
    return "faster";
  case SB_TIME_SLOWER:
    return "slower";
  case SB_TIME_UNKNOWN:
    break;
  }
  return pair->time.known ? "too few samples to say" : "";
}

char *sb_compare_bits_text(const sb_case_pair *pair)
{
  const long long until = (long long)pair->equal_until, at = (long long)pair->differs_at;
  if (pair->bits == SB_BITS_UNKNOWN) return sb_copy_text("");
  if (pair->bits == SB_BITS_EQUAL) return sb_copy_text("bitwise equal");
  if (!pair->has_frames) return sb_copy_text("differs (no frames of the same steps)");
  if (until > 0 && at < 0) return sb_format("states bitwise equal until step %lld, the last of both", until);
  if (until > 0) return sb_format("bitwise equal until step %lld", until);
  if (until == 0 || at == 0) return sb_copy_text("differs from the start");
  return sb_format("differs at step %lld, the first recorded", at);
}

static char *value_text(sb_value value)
{
  if (value.kind == SB_NUMBER) return sb_format("%.6g", value.number);
  char *text = sb_report_value_text(value);
  if (*text) return text;
  free(text);
  return sb_copy_text("-");
}

static void put_change(FILE *stream, const char *name, sb_value a, sb_value b)
{
  char *before = value_text(a), *after = value_text(b);
  /* Values that differ in later digits only are shown by all of them. */
  if (strcmp(before, after) == 0 && !sb_report_same(a, b)) {
    free(before);
    free(after);
    before = sb_report_value_text(a);
    after = sb_report_value_text(b);
  }
  if (strcmp(before, after) == 0)
    fprintf(stream, "%s = %s", name, before);
  else
    fprintf(stream, "%s: %s → %s", name, before, after);
  if (a.kind == SB_NUMBER && b.kind == SB_NUMBER && a.number != b.number && a.number != 0)
    fprintf(stream, " (%+.3g %%)", 100 * (b.number / a.number - 1));
  free(before);
  free(after);
}

static void separate(FILE *stream, bool *any)
{
  if (*any) fputs("; ", stream);
  *any = true;
}

static void put_end(const sb_comparison *c, const sb_case_pair *pair, FILE *stream, bool *any)
{
  const char *a = sb_compare_word(&c->side[0], pair->row[0], "status");
  const char *b = sb_compare_word(&c->side[1], pair->row[1], "status");
  const char *reason = sb_compare_word(&c->side[1], pair->row[1], "reason");
  if (pair->status_changed) {
    separate(stream, any);
    fprintf(stream, "status: %s → %s", *a ? a : "not run", *b ? b : "not run");
    if (*reason) fprintf(stream, " (%s)", reason);
  }
  if (pair->accuracy_changed) {
    separate(stream, any);
    fputs(pair->worse & SB_WORSE_ACCURACY ? "tolerances met before, not now" : "tolerances not met before, met now",
          stream);
  }
}

char *sb_compare_notes_text(const sb_comparison *c, const sb_case_pair *pair)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  bool   any = false;
  put_end(c, pair, stream, &any);
  if (pair->worse & SB_WORSE_BITS) {
    separate(stream, &any);
    fputs(c->request.bitwise ? "bits differ" : "same build and machine, other bits: not reproducible", stream);
  }
  for (size_t i = 0; i < c->request.column_count; ++i) {
    const char *name = c->request.columns[i];
    separate(stream, &any);
    put_change(stream, name, sb_compare_value(&c->side[0], pair->row[0], name),
               sb_compare_value(&c->side[1], pair->row[1], name));
  }
  if (pair->column && c->request.column_count == 0) {
    separate(stream, &any);
    put_change(stream, pair->column, sb_rows_get_named(c->side[0].rows, pair->row[0], pair->column),
               sb_rows_get_named(c->side[1].rows, pair->row[1], pair->column));
  }
  fclose(stream);
  return text;
}
