/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A results directory whose journal says anything: rows are what the plan has, and status, tables, claims and the index
 * are told of them without harm; the index is as wide as its header in every line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/describe/names.h"
#include "drivers/drivers.h"
#include "harness/report/report.h"
#include "tests/fuzz/fuzz.h"

static const char sweep_text[] =
    "springbench: 1\nname: fuzz\nquestion: which?\ndriver: trajectory\n"
    "defaults: {scene: rope, nodes: 3, frames: 2, substeps: 1, frame_seconds: 0.5}\n"
    "sweep: [{grid: {integrator: [rk4, midpoint], drag: [0, 1]}}]\n"
    "tables:\n- {id: a, title: t, rows: [integrator], columns: drag, cell: energy_drift}\n"
    "- {id: b, title: t, rows: [integrator, drag], columns: [{label: status, value: status},"
    " {label: time, value: wall_s * 2, format: \"%.3g\", best: smallest}]}\n"
    "expect:\n- {claim: c, test: max(wall_s) < 3, kind: time}\n- {claim: d, test: status == ok, kind: exact}\n";

static sb_session fuzz_session(void) { return sb_session_begin(sb_full_vocabulary()); }

static bool make_folder(void)
{
  sb_session session = fuzz_session();
  sb_sweep  *sweep = sb_sweep_parse(sweep_text, sizeof sweep_text - 1, "sweep.yaml", &session);
  sb_plan   *plan = sweep ? sb_plan_create(sweep, NULL, &session) : NULL;
  fuzz_require(plan != NULL, "the sweep is a sweep");
  char *json = sb_plan_json(sweep, plan, NULL);
  fuzz_write("sweep.yaml", sweep_text);
  fuzz_write("plan.json", json);
  free(json);
  sb_session_end(&session, stderr);
  return true;
}

/* Keys of the plan stand in for @0 to @3, so that inputs need not know them. */
static void write_journal(const sb_results *known, const uint8_t *data, size_t size)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = open_memstream(&text, &length);
  if (!stream) abort();
  for (size_t i = 0; i < size; ++i) {
    const bool key = data[i] == '@' && i + 1 < size && data[i + 1] >= '0' && data[i + 1] < '4';
    if (key)
      fputs(known->plan->cases[data[++i] - '0'].key, stream);
    else
      fputc(data[i] ? data[i] : ' ', stream);
  }
  fclose(stream);
  fuzz_write("journal.jsonl", text);
  free(text);
}

static void tell_table(const sb_results *results, size_t i, FILE *stream)
{
  sb_arena       *arena = sb_arena_create();
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  const sb_table *table = sb_sweep_table(results, &results->sweep->tables[i], arena, diagnostics);
  fuzz_require(table || sb_diagnostics_errors(diagnostics) > 0, "a table that cannot be had has a reason");
  for (sb_table_form form = SB_TABLE_TEXT; table && form <= SB_TABLE_LATEX; ++form) sb_table_print(table, form, stream);
  sb_diagnostics_destroy(&diagnostics);
  sb_arena_destroy(&arena);
}

static void tell(sb_results *results)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = open_memstream(&text, &length);
  if (!stream) abort();
  sb_status_print(results, stream);
  for (size_t i = 0; i < results->sweep->table_count; ++i) tell_table(results, i, stream);
  sb_claims_print(results, stream);
  fclose(stream);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static bool        made;
  static sb_session  kept;
  static sb_results *known;
  sb_session         session = fuzz_session();
  made = made || make_folder();
  if (!known) {
    kept = fuzz_session();
    known = sb_results_open(fuzz_folder(), &kept);
  }
  write_journal(known, data, size);
  sb_results *results = sb_results_open(fuzz_folder(), &session);
  fuzz_require(results != NULL, "a journal of any content is read");
  fuzz_require(sb_rows_count(results->rows) == results->plan->count, "a row a case");
  tell(results);
  sb_session_end(&session, NULL);
  return 0;
}
