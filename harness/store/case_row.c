/* A row as JSON; see case_row.h. Numbers have 17 digits, which read back to the same bits. */
#include "harness/store/case_row.h"

#include <jansson.h>
#include <math.h>

static json_t *real_or_null(double number) { return isfinite(number) ? json_real(number) : json_null(); }

static json_t *json_of(const sb_value *value)
{
  switch (value->kind) {
  case SB_NUMBER:
    return real_or_null(value->number);
  case SB_WORD:
    return json_string(value->word);
  case SB_TRUTH:
    return json_boolean(value->truth);
  case SB_BLANK:
    break;
  }
  return json_null();
}

static json_t *json_of_timing(const sb_case_timing *t)
{
  return json_pack("{s:I, s:I, s:o, s:o, s:o, s:s}", "attempts", (json_int_t)t->attempts, "quiet", (json_int_t)t->quiet,
                   "seconds", real_or_null(t->seconds), "half_width", real_or_null(t->half_width), "calibration_s",
                   real_or_null(t->calibration_seconds), "noisy", t->noisy);
}

char *sb_case_row_json(const sb_case_row *row)
{
  json_t *columns = json_object();
  for (size_t i = 0; i < row->column_count; ++i)
    json_object_set_new(columns, row->columns[i].name, json_of(&row->values[i]));
  json_t *object =
      json_pack("{s:s, s:s, s:s, s:o, s:s, s:f, s:f, s:o}", "key", row->key, "status", sb_status_name(row->status),
                "reason", row->reason, "accuracy_ok", json_of(&row->accuracy), "digest", row->digest, "wall_s",
                row->wall_seconds, "max_rss_bytes", row->max_rss_bytes, "columns", columns);
  if (object && row->timing.known) json_object_set_new(object, "timing", json_of_timing(&row->timing));
  char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(object);
  return text;
}
