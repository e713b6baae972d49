/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The row of a case: what all cases have in common, and the columns of its driver. The list in case_row.c is all that
 * files, journals, tables and claims know of the common columns. Local. */
#pragma once

#include "base/outcome.h"
#include "cases/common/digest.h"
#include "cases/common/value.h"
#include "cases/store/driver.h"

typedef struct {
  const char *name, *unit;
  unsigned    may_be;            /* kinds as in value.h */
  bool        last;              /* after the options and the driver's columns, else before them */
  bool        timing;            /* differs between equal runs */
  bool        valid_if_diverged; /* also for a case that broke off (driver.h) */
  bool        planned;           /* known from the plan, and not stored with the case */
  bool        optional;          /* rows and files of earlier versions do not have it */
} sb_common_column;
enum { SB_COMMON_COUNT = 9 };
extern const sb_common_column sb_common_columns[SB_COMMON_COUNT];
/* The column of this name; NULL: there is none. */
const sb_common_column *sb_common_column_find(const char *name);

typedef struct {
  const char      *key; /* borrowed, like the following pointers */
  sb_status        status;
  const char      *reason;   /* "" if there is none */
  sb_value         accuracy; /* SB_TRUTH or SB_BLANK */
  bool             broke_off;
  char             digest[SB_DIGEST_LENGTH + 1];
  double           wall_seconds;  /* NaN: unknown */
  double           max_rss_bytes; /* sum over ranks of each one's maximum */
  const sb_driver *driver;
  sb_value        *values; /* [driver->column_count] */
} sb_case_row;

/* The value of a common column; blank if it is planned. */
sb_value sb_case_row_common(const sb_case_row *row, const sb_common_column *column);
