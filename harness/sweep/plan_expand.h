/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expands blocks of axes to numbered cases, inside the harness: plan.c reads the values of case n of a block. Local. */
#pragma once

#include <jansson.h>

#include "harness/sweep/sweep.h"

enum { SB_CASES_MAX = 1000000 };

/* Axes that advance together: one for a grid's axis, several for a zip. */
typedef struct {
  size_t  count, below; /* below: its value changes after that many cases */
  size_t *kept;         /* [count] indices of the values of a quick run; NULL: all */
} sb_dimension;

typedef struct {
  const sb_axis *axis; /* one with one value does not advance */
  size_t         dimension;
} sb_expanded_axis;

typedef struct {
  const sb_block   *block;
  size_t            count; /* cases */
  size_t            dimension_count, axis_count;
  sb_dimension     *dimensions; /* the last one fastest */
  sb_expanded_axis *axes;
} sb_expansion;

/* {name: {option: value, …}, …} of methods, values in canonical form, in the arena. */
json_t *sb_sweep_methods_json(const sb_settings *list, size_t count, sb_arena *arena);
/* `quick`: the part of the file's axes that a quick run has, which may be empty; NULL: not a quick run. False after
 * E107: a zip of unequal axes, no cases, or more than a million. */
bool sb_expansion_create(const sb_block *block, const sb_settings *overrides, const sb_quick *quick,
                         const sb_session *session, sb_expansion *expansion);
/* The index of the value of axis i in a case. */
size_t sb_expansion_value(const sb_expansion *expansion, size_t number, size_t i);
/* "substeps=16 drag=0", as typed by the user. */
char *sb_expansion_describe(const sb_expansion *expansion, size_t number, sb_arena *arena);
