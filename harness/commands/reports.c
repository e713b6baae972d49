/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See reports.h. */
#include "harness/commands/reports.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "cases/common/exit_status.h"
#include "harness/report/report.h"
#include "harness/report/report_text.h"
#include "harness/results/claims.h"
#include "harness/results/lock.h"
#include "harness/results/conclusion.h"
#include "harness/results/output_cache.h"
#include "harness/results/results.h"
#include "harness/results/timing_notes.h"

/* The files that a results directory has once everything is made. */
static sb_output output_of(const sb_results *results)
{
  static const char *const table_forms[] = {"txt", "md", "csv", "tex"};
  const sb_sweep          *sweep = results->sweep;
  sb_arena                *arena = results->session.arena;
  sb_names                 files = {0};
  sb_names_add(arena, &files, "report.md");
  sb_names_add(arena, &files, "report.html");
  if (sweep->table_count > 0) sb_names_add(arena, &files, "tables.tex");
  for (size_t i = 0; i < sweep->table_count; ++i)
    for (size_t f = 0; f < 4; ++f)
      sb_names_add(arena, &files, sb_arena_format(arena, "tables/%s.%s", sweep->tables[i].id, table_forms[f]));
  for (size_t i = 0; i < sweep->figure_count; ++i)
    if (!sb_has_file(results->directory, sb_arena_format(arena, "figures/%s.why", sweep->figures[i].id)))
      sb_figure_add_files(results, &sweep->figures[i], &files);
  for (size_t i = 0; !results->quick && i < sweep->animation_count; ++i) {
    sb_names_add(arena, &files, sb_arena_format(arena, "animations/%s.gif", sweep->animations[i].id));
    sb_names_add(arena, &files, sb_arena_format(arena, "animations/%s.html", sweep->animations[i].id));
  }
  return (sb_output){.folder = results->directory, .thing = SB_OUTPUT_ALL, .files = files};
}

/* Why cases cannot run whose plug-in is not loaded; NULL: there are none. */
static const char *lack_of(const sb_results *results)
{
  const char *lack = NULL;
  for (size_t i = 0; i < results->plan->count && !lack; ++i)
    lack = sb_case_lacks(results->plan->cases[i].options, results->session.arena);
  return lack;
}

/* "rope_blowup: 126 cases: 120 ok, 6 diverged; 5 claims: 5 reproduced; results/rope_blowup" */
static void tell(sb_results *results, const sb_tour *tour)
{
  const sb_case_counts  tally = sb_case_counts_of(results->rows, NULL);
  const sb_timing_notes times = sb_timing_notes_of(results, NULL, false, results->session.arena);
  sb_arena_writer       writer;
  FILE                 *stream = sb_arena_write(&writer, results->session.arena);
  fprintf(stream, "%s: %s: ", results->sweep->name, sb_results_size(results));
  sb_case_counts_write(&tally, stream);
  if (results->sweep->claim_count > 0) {
    fputs("; ", stream);
    sb_claims_summarize(results, stream);
  }
  fprintf(stream, "; %s\n", results->directory);
  if (sb_results_conclusion(results)->kind == SB_CONCLUSION_NOT_RUN)
    fprintf(stream, "  not run: %s\n", sb_results_conclusion(results)->sentence);
  else if (lack_of(results))
    fprintf(stream, "  skipped: %s\n", lack_of(results));
  sb_markdown_print(stream, "{  %-s\n}{  %-s\n}{  %-s\n}", times.noise, times.origins, times.again);
  if (sb_results_set_aside(results))
    sb_markdown_print(stream, "  %-s; springbench forget " SB_AS_SHELL_WORD " lists them\n",
                      sb_results_set_aside(results), results->directory);
  sb_tour_say(tour, sb_arena_text(&writer));
}

int sb_reports_write(sb_results *results, bool tells, const sb_tour *tour)
{
  int                   lock = -1;
  const sb_lock_outcome outcome = sb_lock_take(results->directory, &lock); /* one at a time, as cases are run */
  if (outcome != SB_LOCK_HELD) return outcome == SB_LOCK_BUSY ? SB_EXIT_BUSY : SB_EXIT_STORAGE;
  const char *digest = sb_output_digest(results);
  sb_output   output = output_of(results);
  bool        good = sb_output_is_current(&output, digest);
  if (!good) {
    const bool tables = sb_sweep_tables_write(results, results->session.diagnostics),
               figures = sb_figures_write_all(results);
    const bool films = sb_animations_write(results, NULL, NULL);
    good = tables && figures && films && sb_page_write_sweep(results) != SB_PAGE_FAILED;
    output = output_of(results); /* another figure may be left out now */
    good = sb_output_note(&output, good ? digest : NULL) && good;
  }
  sb_lock_release(&lock);
  sb_diagnostics_flush(results->session.diagnostics, stderr);
  if (tells) tell(results, tour);
  if (!good)
    fprintf(stderr, "springbench: error: %s: some tables, figures or pages could not be made; the results are stored\n",
            results->directory);
  return good ? SB_EXIT_OK : SB_EXIT_STORAGE;
}

sb_output sb_reports_of_folder(const sb_results_folders *folders, sb_arena *arena)
{
  const char *first = sb_arena_format(arena, "%s/%s", folders->parent, folders->each[0].name);
  sb_names    files = {0};
  sb_names_add(arena, &files, "index.md");
  sb_names_add(arena, &files, "report.html");
  if (sb_has_file(folders->parent, "REPRODUCED.md")) sb_names_add(arena, &files, "REPRODUCED.md");
  return (sb_output){.folder = first, .thing = SB_OUTPUT_PAGES, .place = folders->parent, .files = files};
}

/* The directory that comes first remembers the digest of all that the pages of the folder were made from. */
static bool write_parent(const sb_session *session, const char *parent, size_t count, sb_results *const *results)
{
  char                      hex[SB_DIGEST_LENGTH + 1];
  sb_arena                 *arena = session->arena;
  const sb_results_folders *folders = sb_results_folders_open(session, parent, results, count);
  if (folders->count == 0) return true; /* a hidden directory has no place on the pages */
  sb_results_folders_tell(folders, "springbench: warning: ", stderr);
  SB_ENDED_BY(sb_digest_destroy) sb_digest *digest = sb_digest_create();
  for (size_t i = 0; i < folders->count; ++i) {
    sb_digest_text(digest, folders->each[i].name);
    sb_digest_text(digest, folders->each[i].problem);
    if (folders->each[i].results) sb_digest_text(digest, sb_output_digest(folders->each[i].results));
  }
  size_t       shipped = 0;
  const char **sweeps = sb_sweeps_shipped(arena, &shipped); /* whose claims count for the findings */
  for (size_t i = 0; i < shipped; ++i) sb_output_digest_file(digest, sweeps[i], sweeps[i]);
  sb_digest_hex(digest, hex);
  sb_output output = sb_reports_of_folder(folders, arena);
  if (sb_output_is_current(&output, hex)) return true;
  const sb_findings *findings = sb_findings_judge(session, folders, NULL);
  const bool         good = sb_pages_write(folders, findings) != SB_PAGE_FAILED && findings;
  output = sb_reports_of_folder(folders, arena);
  return sb_output_note(&output, good ? hex : NULL) && good;
}

int sb_report_pages_write(const sb_session *session, const char *home, size_t count, sb_results *const *results,
                          bool tells)
{
  bool        good = true, first_wanted = false;
  const char *named = home ? sb_arena_adopt(session->arena, realpath(home, NULL)) : NULL;
  sb_names    parents = {0};
  for (size_t i = 0; i < count; ++i) {
    char        *path = sb_arena_adopt(session->arena, realpath(results[i]->directory, NULL));
    const char  *parent = path ? dirname(path) : "";
    const size_t known = parents.count;
    const bool   is_new = sb_names_add(session->arena, &parents, parent) == known;
    const bool   wanted = *parent && ((named && strcmp(parent, named) == 0) || sb_pages_are_wanted(parent));
    if (wanted && is_new) good = write_parent(session, parent, count, results) && good;
    if (i == 0) first_wanted = wanted;
  }
  sb_diagnostics_flush(session->diagnostics, stderr);
  if (tells && good && count > 1 && first_wanted) {
    const char *folder = dirname(sb_arena_copy(session->arena, results[0]->directory)); /* as it was named */
    sb_markdown_print(stderr, "All of it on one page: file://" SB_AS_ADDRESS "/report.html\n", parents.names[0]);
    fprintf(stderr, "As Markdown: %s/index.md; the findings: %s/REPRODUCED.md\n", folder, folder);
  }
  return good ? SB_EXIT_OK : SB_EXIT_STORAGE;
}

int sb_reports_end(const sb_session *session, int status, sb_results *results)
{
  sb_diagnostics_flush(session->diagnostics, stderr);
  if (!results) return status;
  const int reports = sb_reports_write(results, false, NULL);
  const int pages = sb_report_pages_write(session, NULL, 1, &results, true);
  return status != SB_EXIT_OK ? status : reports != SB_EXIT_OK ? reports : pages;
}
