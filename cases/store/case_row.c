/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns that all cases have; see case_row.h. */
#include "cases/store/case_row.h"

#include <math.h>

enum { KEY, STATUS, REASON, ACCURACY, BROKE_OFF, WALL, MAX_RSS, DIGEST, COMMAND };

const sb_common_column sb_common_columns[SB_COMMON_COUNT] = {
    [KEY] = {"key", "", SB_MAY_BE_WORD, .valid_if_diverged = true},
    [STATUS] = {"status", "", SB_MAY_BE_WORD, .valid_if_diverged = true},
    [REASON] = {"reason", "", SB_MAY_BE_WORD, .valid_if_diverged = true},
    [ACCURACY] = {"accuracy_ok", "", SB_MAY_BE_TRUTH, .valid_if_diverged = true},
    [BROKE_OFF] = {"broke_off", "", SB_MAY_BE_TRUTH, .valid_if_diverged = true, .optional = true},
    [WALL] = {"wall_s", "s", SB_MAY_BE_NUMBER, .last = true, .timing = true},
    [MAX_RSS] = {"max_rss_bytes", "B", SB_MAY_BE_NUMBER, .last = true, .timing = true},
    [DIGEST] = {"digest", "", SB_MAY_BE_WORD, .last = true},
    [COMMAND] = {"command", "", SB_MAY_BE_WORD, .last = true, .valid_if_diverged = true, .planned = true},
};

const sb_common_column *sb_common_column_find(const char *name)
{
  for (size_t i = 0; i < SB_COMMON_COUNT; ++i)
    if (strcmp(name, sb_common_columns[i].name) == 0) return &sb_common_columns[i];
  return NULL;
}

static sb_value of_word(const char *word) { return (sb_value){.kind = SB_WORD, .word = word}; }

static sb_value of_number(double number)
{
  return (sb_value){.kind = isfinite(number) ? SB_NUMBER : SB_BLANK, .number = number};
}

sb_value sb_case_row_common(const sb_case_row *row, const sb_common_column *column)
{
  const sb_value values[SB_COMMON_COUNT] = {[KEY] = of_word(row->key),
                                            [STATUS] = of_word(sb_status_name(row->status)),
                                            [REASON] = of_word(row->reason),
                                            [ACCURACY] = row->accuracy,
                                            [BROKE_OFF] = {.kind = SB_TRUTH, .truth = row->broke_off},
                                            [WALL] = of_number(row->wall_seconds),
                                            [MAX_RSS] = of_number(row->max_rss_bytes),
                                            [DIGEST] = of_word(row->digest)};
  return values[column - sb_common_columns];
}
