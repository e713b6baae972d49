/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See judged.h. */
#include "harness/results/judged.h"

#include <string.h>

sb_judged sb_judged_begin(const sb_results *results, sb_full_rows_request request, const sb_expression *where,
                          sb_diagnostics *diagnostics)
{
  sb_judged judged = {.results = results, .arena = results->session.arena, .whole = sb_full_rows_of(results, request)};
  if (!judged.whole) return judged;
  judged.evidence = sb_evidence_begin(sb_rows_count(judged.whole->rows), judged.arena);
  const sb_scope scope = sb_judged_scope(&judged);
  judged.taken = sb_expression_taken(where, &scope, &judged.open, diagnostics);
  return judged;
}

/* Reads the curve of a case from the results. The curve is unknown if the results of the case are, or, for a curve over
 * time, if its times are. */
static bool read_curve(const void *of, size_t row, const char *x, const char *y, sb_curve_columns *curve,
                       sb_arena *arena, sb_diagnostics *diagnostics)
{
  const sb_judged   *judged = of;
  const sb_full_row *c = &judged->whole->cases[row];
  const sb_scope     scope = sb_results_scope(judged->results, arena);
  const bool         read = scope.curve(scope.of, c->row, x, y, curve, arena, diagnostics);
  const bool         timely = c->timely && !(judged->noisy && judged->noisy[row]);
  curve->unknown = !c->complete || (curve->timed && !timely);
  return read;
}

sb_scope sb_judged_scope(sb_judged *judged)
{
  sb_scope scope = {.rows = judged->whole->rows,
                    .taken = judged->taken,
                    .open = judged->open,
                    .times_unknown = judged->noisy,
                    .published_dir = judged->results->published_dir,
                    .arena = judged->arena,
                    .of = judged,
                    .curve = read_curve};
  sb_evidence_follow(&judged->evidence, &scope);
  return scope;
}

bool *sb_judged_timed(const sb_judged *judged)
{
  const sb_evidence *e = &judged->evidence;
  bool              *timed = sb_arena_take(judged->arena, sb_rows_count(judged->results->rows), sizeof *timed);
  for (size_t i = 0; i < e->count; ++i)
    if (e->what[e->rows[i]] & SB_READ_KNOWN_TIME) timed[judged->whole->cases[e->rows[i]].row] = true;
  return timed;
}

static void look_for_status(void *context, const char *name)
{
  bool *found = context;
  *found = *found || strcmp(name, "status") == 0;
}

bool sb_asks_for_status(const sb_expression *one, const sb_expression *other)
{
  bool found = false;
  if (one) sb_expression_names(one, look_for_status, &found);
  if (other) sb_expression_names(other, look_for_status, &found);
  return found;
}
