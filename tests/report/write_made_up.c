/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that a reader gets of made-up results, as files; frozen.py and the judge of tests/judge read them.
 *
 *     write_made_up FOLDER [WORD [SERIES]]
 *
 * writes, for every shipped sweep (with WORD in its name, or the sweep file /WORD; a SERIES of seeds other than 0 gives
 * other results), FOLDER/SWEEP/whole/ and part/: plan.json, results.csv, evidence.csv (what is known of each case
 * beside its row), verdicts.txt, conclusion.txt, tables and figures without pictures. FOLDER is made anew. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "harness/report/report.h"
#include "harness/results/conclusion.h"
#include "harness/results/claims.h"
#include "tests/cmocka_all.h"
#include "tests/report/made_up.h"

enum { TRIES = 12, ROWS_FULL = 30, ROWS_MAX = 400, SERIES = 1000 };

static FILE *create(const sb_results *results, const char *name)
{
  FILE *stream = fopen(sb_arena_format(results->session.arena, "%s/%s", results->directory, name), "w");
  if (!stream) fail_msg("%s/%s cannot be written", results->directory, name);
  return stream;
}

static void write_evidence(const sb_results *results)
{
  FILE *stream = create(results, "evidence.csv");
  fputs("key,repetitions,build,machine,host\n", stream);
  for (size_t row = 0; row < sb_rows_count(results->rows); ++row) {
    const sb_case_origin none = {"", "", ""}, *origin = results->origins ? &results->origins[row] : &none;
    fprintf(stream, "%s,%d,%s,%s,%s\n", results->plan->cases[row].key, results->repetitions[row], origin->build,
            origin->machine, origin->host);
  }
  fclose(stream);
}

static void write_verdicts(const sb_results *results)
{
  const sb_verdict *verdicts = sb_results_verdicts(results);
  FILE             *stream = create(results, "verdicts.txt");
  for (size_t i = 0; i < results->sweep->claim_count; ++i)
    fprintf(stream, "%s%s\t%s\t%s\t%s\n", sb_verdict_word(verdicts[i].kind), verdicts[i].so_far ? " (so far)" : "",
            results->sweep->claims[i].claim, verdicts[i].told, verdicts[i].basis);
  sb_claims_print(results, stream);
  fclose(stream);
}

static void write_all(const made_up *s, sb_results *results)
{
  static const char *const none[] = {NULL};
  FILE                    *stream = create(results, "plan.json");
  SB_OWNED char           *plan = sb_plan_json(s->sweep, results->plan, NULL);
  fputs(plan, stream);
  fclose(stream);
  stream = create(results, "results.csv");
  sb_index_print_csv(results->rows, stream);
  fclose(stream);
  write_evidence(results);
  write_verdicts(results);
  stream = create(results, "conclusion.txt");
  const sb_conclusion *answer = sb_results_conclusion(results);
  fprintf(stream, "%s\n%s\n%s\n%s\n", answer->lead, answer->sentence, answer->blanks, answer->times);
  fclose(stream);
  if (!sb_sweep_tables_write(results, s->session.diagnostics)) fail_msg("%s: tables", results->directory);
  for (size_t i = 0; i < s->sweep->figure_count; ++i) sb_figure_write(results, &s->sweep->figures[i], none);
}

/* The seed of a few from `first` on whose results make most claims true: at random, nearly none are. */
static uint64_t best_seed(const made_up *s, uint64_t first)
{
  const size_t tries = 1 + TRIES * ROWS_FULL / (ROWS_FULL + s->plan->count);
  size_t       counts[SB_VERDICT_KINDS], most = 0;
  uint64_t     best = first;
  for (uint64_t seed = first; seed < first + tries; ++seed) {
    sb_arena *arena = sb_arena_create();
    made_up_seed(seed);
    (void)sb_verdicts_count(made_up_whole(s, arena), counts);
    if (counts[SB_REPRODUCED] > most) best = seed;
    if (counts[SB_REPRODUCED] > most) most = counts[SB_REPRODUCED];
    sb_arena_destroy(&arena);
  }
  return best;
}

static void write_sweep(const char *folder, const char *path, uint64_t first)
{
  made_up s;
  made_up_begin(&s, path, ROWS_MAX);
  sb_arena   *arena = sb_arena_create();
  const char *home = sb_arena_format(arena, "%s/%s", folder, s.sweep->name);
  const char *names[] = {"whole", "part"};
  if (mkdir(home, 0777)) fail_msg("%s cannot be made", home);
  made_up_seed(best_seed(&s, first));
  sb_results *whole = made_up_whole(&s, arena);
  made_up_origins(&s, whole, arena);
  sb_results *both[] = {whole, made_up_part(&s, whole, arena)};
  for (int i = 0; i < 2; ++i) {
    both[i]->directory = sb_arena_format(arena, "%s/%s", home, names[i]);
    mkdir(both[i]->directory, 0777);
    write_all(&s, both[i]);
  }
  sb_arena_destroy(&arena);
  sb_session_end(&s.session, stderr);
}

static bool make_anew(const char *folder)
{
  SB_OWNED char *command = sb_format("rm -rf '%s' && mkdir '%s'", folder, folder);
  return system(command) == 0;
}

int main(int argc, char **argv)
{
  char       *experiments = sb_data_directory("experiments");
  glob_t      found;
  const char *paths = argc > 2 && argv[2][0] == '/' ? argv[2] : "*/*.yaml";
  if (argc < 2 || !make_anew(argv[1]) || chdir(experiments) || glob(paths, 0, NULL, &found)) return 2;
  for (size_t i = 0; i < found.gl_pathc; ++i)
    if (argc < 3 || strstr(found.gl_pathv[i], argv[2]))
      write_sweep(argv[1], found.gl_pathv[i], 1 + SERIES * (argc > 3 ? (uint64_t)atoi(argv[3]) : 0));
  globfree(&found);
  free(experiments);
  return 0;
}
