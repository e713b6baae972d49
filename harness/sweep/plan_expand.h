/* Blocks of axes as numbered cases, inside the harness: plan.c asks for the settings of case n of a block. Local. */
#pragma once

#include "harness/sweep/plan.h"

/* Axes that advance together: one for a grid's axis, several for a zip. */
typedef struct {
  size_t          count, axis_count;
  const sb_axis **axes; /* an axis with one value stands still */
} sb_dimension;

typedef struct {
  const sb_block *block;
  size_t          count; /* cases */
  size_t          dimension_count;
  sb_dimension   *dimensions; /* the last one fastest */
} sb_expansion;

/* Axes of -p, --ranks and --save, which replace those of every block or are added to them. */
typedef struct {
  size_t   count;
  sb_axis *axes;
} sb_overrides;

/* False after a message (E101 … E107). Clear in either case. */
bool sb_overrides_read(const sb_sweep *sweep, const sb_plan_request *request, const sb_vocabulary *vocabulary,
                       sb_overrides *overrides, sb_diagnostics *diagnostics);
void sb_overrides_clear(sb_overrides *overrides);

/* `quick`: the first two values of numeric axes of the file. False after E107: a zip of unequal axes, no cases, or more
 * than a million. Clear in either case. */
bool sb_expansion_create(const sb_block *block, const sb_overrides *overrides, bool quick, sb_expansion *expansion,
                         sb_diagnostics *diagnostics);
void sb_expansion_clear(sb_expansion *expansion);

/* The axes of case `number` and which of their values it has: calls visit for each. */
typedef bool sb_visit_value(void *context, const sb_axis *axis, size_t value);
bool sb_expansion_visit(const sb_expansion *expansion, size_t number, sb_visit_value *visit, void *context);
/* "substeps=16 drag=0", as typed (malloc'ed). */
char *sb_expansion_describe(const sb_expansion *expansion, size_t number);
