/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See merge.h. A case that comes in is published as a finished one is: checksum against the journal it comes from, file
 * aside, journal line, rename; so a kill loses nothing and the same command goes on from there. */
#include "harness/run/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "cases/common/exit_status.h"
#include "cases/common/text.h"
#include "harness/results/lock.h"
#include "harness/results/results.h"
#include "harness/run/run_state.h"
#include "harness/sweep/request.h"

enum { CONFLICTS_SHOWN = 5 };

/* A results directory that is read; nothing in it is changed. */
typedef struct {
  const char      *path;
  sb_sweep        *sweep;
  sb_plan         *plan;
  sb_journal_state journal;
  int              lock; /* descriptor, shared; -1: none */
} source;

typedef struct {
  const sb_merge_request *request;
  sb_run_state            run; /* of OUT, as a run of it has it */
  sb_run_request          run_request;
  source                 *sources; /* [count], OUT first: nothing but a name where it has no results */
  size_t                  count;
  size_t                 *chosen; /* [count] numbers of sources */
  size_t                  taken, linked, kept, duplicates, damaged;
  sb_batch                batch; /* files in OUT/tmp */
} merge;

/* ---- sources ---- */

/* `locked`: runners are kept out while it is read. An exit status. */
static int open_source(source *s, const char *path, bool locked, const sb_session *session)
{
  const sb_location at_plan = {sb_arena_format(session->arena, "%s/plan.json", path), 0, 0};
  const char       *journal = sb_arena_format(session->arena, "%s/journal.jsonl", path);
  *s = (source){.path = path, .lock = -1};
  /* The sweep comes first: without it this is not a results directory. */
  s->sweep = sb_results_read_sweep(path, session);
  if (!s->sweep) return SB_EXIT_USAGE;
  const sb_lock_outcome lock = locked ? sb_lock_share(path, &s->lock) : SB_LOCK_HELD;
  if (lock != SB_LOCK_HELD) return lock == SB_LOCK_BUSY ? SB_EXIT_BUSY : SB_EXIT_STORAGE;
  SB_OWNED char *text = sb_read_file(at_plan.file, NULL);
  const int      format = sb_run_plan_format(text);
  if (!text)
    sb_error_at(session->diagnostics, at_plan, "E100", "cannot read: %s", sb_cause(errno));
  else if (format != SB_FORMAT_VERSION) /* before it is read as if it were of ours */
    sb_error_at(session->diagnostics, at_plan, "E114",
                "the results are of format %d; this springbench merges format %d; run the sweep again", format,
                (int)SB_FORMAT_VERSION);
  else
    s->plan = sb_plan_from_json(text, at_plan.file, session);
  if (!s->plan) return SB_EXIT_USAGE;
  /* With one that cannot be read, or lost lines, results of this directory would look as if they had never been. */
  if (!sb_journal_read(journal, &s->journal)) {
    sb_storage_error("read", journal, errno, 0);
    return SB_EXIT_STORAGE;
  }
  sb_journal_name_damage(&s->journal, journal, "results that no other line lists are left out");
  return SB_EXIT_OK;
}

/* E114, naming both, unless the two are of one sweep and set the same values. `a` gets what `b` adds. */
static bool is_same_sweep(const source *a, const source *b, const sb_session *session)
{
  if (strcmp(a->sweep->name, b->sweep->name) != 0)
    return sb_error_at(session->diagnostics, (sb_location){0}, "E114",
                       "%s has the sweep '%s', %s the sweep '%s'; only results of one are joined", a->path,
                       a->sweep->name, b->path, b->sweep->name);
  if (strcmp(a->sweep->text, b->sweep->text) != 0)
    fprintf(stderr, "springbench: warning: the sweep files of %s and %s differ; the first is kept\n", a->path, b->path);
  return sb_request_join(a->sweep, b->path,
                         sb_arena_format(session->arena, "%s has the other; join each by itself", a->path), session);
}

static int open_sources(merge *m)
{
  const sb_session *session = m->run.session;
  int               status = SB_EXIT_OK;
  for (size_t i = 0; status == SB_EXIT_OK && i < m->request->count; ++i) {
    const char    *path = m->request->sources[i];
    SB_OWNED char *out = realpath(m->request->directory, NULL), *in = realpath(path, NULL);
    const bool     is_target = out && in && strcmp(out, in) == 0;
    if (is_target)
      sb_error_at(session->diagnostics, (sb_location){0}, "E106",
                  "%s is the directory OUT; it cannot be one of the others", path);
    status = is_target ? SB_EXIT_USAGE : open_source(&m->sources[i + 1], path, true, session);
    if (status == SB_EXIT_OK && !is_same_sweep(&m->sources[1], &m->sources[i + 1], session)) status = SB_EXIT_USAGE;
  }
  return status;
}

/* Takes the lock of OUT and reads what is there. */
static int open_target(merge *m)
{
  const sb_session *session = m->run.session;
  m->run_request = (sb_run_request){.directory = m->request->directory, .shard = 1, .shards = 1};
  m->run.sweep = m->sources[1].sweep;
  m->run.request = &m->run_request;
  int status = sb_run_take(&m->run);
  if (status != SB_EXIT_OK || !sb_is_results_folder(m->request->directory)) return status;
  status = open_source(&m->sources[0], m->request->directory, false, session);
  for (size_t s = 1; status == SB_EXIT_OK && s < m->count; ++s)
    if (!is_same_sweep(&m->sources[0], &m->sources[s], session)) status = SB_EXIT_USAGE;
  if (status == SB_EXIT_OK) m->run.sweep = m->sources[0].sweep;
  return status;
}

/* ---- which result is taken ---- */

static const char *row_text(const json_t *event, const char *name)
{
  return sb_journal_text(json_object_get(event, "row"), name);
}

static bool same_result(const json_t *a, const json_t *b)
{
  return strcmp(row_text(a, "digest"), row_text(b, "digest")) == 0 &&
         strcmp(row_text(a, "status"), row_text(b, "status")) == 0;
}

/* Results of a key that are as good as each other: numbers of sources in m->chosen, in the order in which they are to
 * be tried. Gives how many. *rival: where nothing is preferred, the first source that contradicts them; 0: none. */
static size_t choose(const merge *m, const char *key, size_t *rival)
{
  const json_t *wanted = NULL;
  size_t        count = 0;
  *rival = 0;
  for (size_t s = 0; s < m->count; ++s) {
    const json_t *event = sb_journal_published(&m->sources[s].journal, key);
    if (event && (!wanted || m->request->prefer == SB_PREFER_LAST)) wanted = event;
    if (event && *rival == 0 && m->request->prefer == SB_PREFER_NONE && !same_result(wanted, event)) *rival = s;
  }
  for (size_t s = 0; s < m->count; ++s) {
    const json_t *event = sb_journal_published(&m->sources[s].journal, key);
    if (event && same_result(wanted, event)) m->chosen[count++] = s;
  }
  return count;
}

/* Before anything is joined: true where no sources contradict each other. */
static bool agree(const merge *m)
{
  sb_diagnostics *diagnostics = m->run.session->diagnostics;
  size_t          rival = 0, conflicts = 0;
  json_t         *seen = json_object();
  for (size_t s = 0; s < m->count; ++s) {
    const char *key = NULL;
    json_t     *event = NULL;
    json_object_foreach(m->sources[s].journal.cases, key, event)
    {
      if (json_object_get(seen, key)) continue;
      json_object_set_new(seen, key, json_true());
      choose(m, key, &rival);
      if (rival == 0 || conflicts++ >= CONFLICTS_SHOWN) continue;
      const source *a = &m->sources[m->chosen[0]], *b = &m->sources[rival];
      const json_t *of_a = sb_journal_published(&a->journal, key), *of_b = sb_journal_published(&b->journal, key);
      sb_error_at(diagnostics, (sb_location){0}, "E115", "case %s is %s (digest %.8s) in %s and %s (digest %.8s) in %s",
                  key, row_text(of_a, "status"), row_text(of_a, "digest"), a->path, row_text(of_b, "status"),
                  row_text(of_b, "digest"), b->path);
    }
  }
  if (conflicts > 0)
    sb_error_at(diagnostics, (sb_location){0}, "E115",
                "results of %zu cases contradict each other: nothing was joined; --prefer first (or last) takes the "
                "result of the directory named first (last)",
                conflicts);
  json_decref(seen);
  return conflicts == 0;
}

/* Checks one of the files that a case of source `s` names: E114 if another source used other contents of it. `seen`:
 * "mesh=sheet.obj" -> [digest, the first source that has it]. */
static bool is_same_input(const merge *m, json_t *seen, size_t s, const sb_planned_case *c, size_t k)
{
  const sb_session *session = m->run.session;
  const char       *path = sb_options_text(c->options, sb_input_options[k]);
  const char       *name = sb_arena_format(session->arena, "%s=%s", sb_option_at(sb_input_options[k])->name, path);
  json_t           *first = json_object_get(seen, name);
  const char       *digest = json_string_value(json_array_get(first, 0));
  const size_t      other = first ? (size_t)json_integer_value(json_array_get(first, 1)) : s;
  if (!first) json_object_set_new(seen, name, json_pack("[s, I]", c->inputs[k], (json_int_t)s));
  if (!digest || strcmp(digest, c->inputs[k]) == 0) return true;
  json_array_set_new(first, 0, json_null()); /* reported once */
  return sb_error_at(session->diagnostics, (sb_location){0}, "E114",
                     "the cases of %s and of %s were computed with different contents of %s: nothing was joined; run "
                     "the cases of one of them again with the file of the other",
                     m->sources[other].path, m->sources[s].path, name);
}

/* Runs before anything is joined: cases belong to one sweep only if the files that they name had the same contents. */
static bool have_same_inputs(const merge *m)
{
  json_auto_t *seen = json_object();
  bool         same = true;
  for (size_t s = 0; s < m->count; ++s)
    for (size_t i = 0; m->sources[s].plan && i < m->sources[s].plan->count; ++i)
      for (size_t k = 0; k < SB_INPUT_OPTIONS; ++k) {
        const sb_planned_case *c = &m->sources[s].plan->cases[i];
        same = (!c->inputs[k] || is_same_input(m, seen, s, c, k)) && same;
      }
  return same;
}

/* ---- one case ---- */

static bool copy_log(merge *m, const source *origin, const char *key)
{
  SB_OWNED char *from = sb_format("%s/logs/%s.txt", origin->path, key);
  SB_OWNED char *to = sb_format("%s/logs/%s.txt", m->request->directory, key);
  return access(from, F_OK) != 0 || sb_copy_file(from, to) || sb_storage_error("copy", from, errno, 0);
}

static json_t *event_from(const source *origin, const json_t *event)
{
  json_t *copy = json_deep_copy(event), *row = json_object_get(copy, "row"), *columns = sb_journal_columns(row);
  if (columns) json_object_set_new(row, "columns", columns);
  json_object_set_new(copy, "from", json_string(origin->path));
  return copy;
}

/* True if the file has the checksum of its journal; else a line on stderr. */
static bool is_whole(merge *m, const char *path, const char *promised)
{
  char hex[SB_SHA256_HEX + 1] = "";
  if (access(path, F_OK) != 0) {
    fprintf(stderr, "springbench: warning: %s is in the journal but missing; it is left out\n", path);
    return false;
  }
  if (sb_sha256_file(path, hex) && promised && strcmp(hex, promised) == 0) return true;
  fprintf(stderr, "springbench: error: %s is damaged: its checksum disagrees; it is left out\n", path);
  m->damaged++;
  return false;
}

/* Takes the result of a source: false after a message, when something cannot be written. *whole: its file is. */
static bool take(merge *m, const source *origin, const char *key, bool *whole)
{
  char           host[64];
  const json_t  *event = sb_journal_published(&origin->journal, key);
  const char    *promised = json_string_value(json_object_get(event, "sha256"));
  SB_OWNED char *from = sb_published_path(origin->path, key);
  *whole = is_whole(m, from, promised);
  if (!*whole) return true;
  m->taken++;
  char *aside = sb_format("%s/tmp/%s.%s.%ld.merge", m->request->directory, key, sb_host_name(host), (long)getpid());
  unlink(aside);
  /* A published file is never changed in place, so that both directories may have it. A log is: it is always copied. */
  const bool linked = linkat(AT_FDCWD, from, AT_FDCWD, aside, AT_SYMLINK_FOLLOW) == 0;
  m->linked += linked;
  const bool done = (linked || sb_copy_file(from, aside) || sb_storage_error("copy", from, errno, 0)) &&
                    (linked || is_whole(m, aside, promised)) && copy_log(m, origin, key);
  if (done) return sb_batch_add(&m->batch, key, aside, event_from(origin, event));
  unlink(aside);
  free(aside);
  return false;
}

/* A failure is a case's end as long as no directory has a result of it: the first, or the first interruption. */
static bool take_failure(merge *m, const char *key)
{
  size_t found = m->count;
  bool   failed = false;
  for (size_t s = 0; s < m->count; ++s) {
    const json_t *event = json_object_get(m->sources[s].journal.cases, key);
    const char   *what = json_string_value(json_object_get(event, "event"));
    if (!what || strcmp(what, "publish") == 0) continue;
    const bool fails = strcmp(what, "fail") == 0;
    if (found == m->count || (fails && !failed)) found = s;
    failed = failed || fails;
  }
  if (found == m->count || (found == 0 && json_object_get(m->run.state.cases, key))) return true;
  const json_t *event = json_object_get(m->sources[found].journal.cases, key);
  return copy_log(m, &m->sources[found], key) &&
         sb_batch_add(&m->batch, key, NULL, event_from(&m->sources[found], event));
}

/* False after a message, when something cannot be written. */
static bool join_case(merge *m, const char *key)
{
  size_t       rival;
  bool         good = true, whole = false;
  const size_t count = choose(m, key, &rival);
  const bool   ours = count > 0 && m->chosen[0] == 0;
  m->duplicates += count - ours > 1;
  if (ours && sb_case_state_of(&m->run.state, m->request->directory, key, NULL, NULL) == SB_STATE_DONE) {
    m->kept++;
    return true;
  }
  for (size_t i = 0; i < count && !whole; ++i)
    if (m->chosen[i] != 0) good = take(m, &m->sources[m->chosen[i]], key, &whole);
  return good && (whole || take_failure(m, key));
}

/* ---- all of it ---- */

/* Adds to `fresh` those of a source's runs, or of its timings of the noise floor, that are not there yet. */
static void join_events(const source *origin, const json_t *events, const json_t *there, json_t *fresh)
{
  static const char *const names[] = {"at", "host", "pid", "case", "seconds"};
  for (size_t i = 0; i < json_array_size(events); ++i) {
    const json_t *event = json_array_get(events, i);
    bool          known = false;
    for (size_t j = 0; !known && j < json_array_size(there); ++j) {
      known = true;
      for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        const json_t *x = json_object_get(event, names[k]), *y = json_object_get(json_array_get(there, j), names[k]);
        known = known && ((!x && !y) || json_equal(x, y));
      }
    }
    if (!known) json_array_append_new(fresh, event_from(origin, event));
  }
}

/* Says what was joined. An exit status. */
static int report(const merge *m, const sb_results *results)
{
  const sb_case_counts tally = sb_case_counts_of(results->rows, NULL);
  fprintf(stderr, "springbench: %s: %zu cases in %s: %zu taken", m->run.sweep->name, tally.cases, m->request->directory,
          m->taken);
  if (m->linked > 0) fprintf(stderr, " (%zu as links, no copy)", m->linked);
  fprintf(stderr, ", %zu there already", m->kept);
  if (m->duplicates > 0) fprintf(stderr, "; %zu in several directories, taken once", m->duplicates);
  if (tally.failed > 0) fprintf(stderr, "; %zu failed", tally.failed);
  if (tally.pending > 0) fprintf(stderr, "; %zu missing\nspringbench: springbench run ", tally.pending);
  if (tally.pending > 0) sb_text_put_word(stderr, m->request->directory);
  fputs(tally.pending > 0 ? " runs the missing cases\n" : "\n", stderr);
  if (m->damaged > 0) return SB_EXIT_STORAGE;
  return tally.failed + tally.pending > 0 ? SB_EXIT_CASES_FAILED : SB_EXIT_OK;
}

static int join(merge *m, sb_results **results)
{
  sb_run_state  *run = &m->run;
  sb_session     quiet = *run->session;
  const sb_plan *joined = NULL;
  quiet.diagnostics = NULL;
  quiet.vocabulary = run->sweep->vocabulary;
  sb_plan *made = sb_plan_create(run->sweep, NULL, &quiet);
  for (size_t s = 0; s < m->count; ++s) {
    const sb_plan *plan = m->sources[s].plan;
    if (plan && made) sb_plan_stand_in(made, plan, run->session->vocabulary);
    if (plan) joined = sb_plan_known(NULL, plan, joined, quiet.arena);
  }
  m->run_request.made = made;
  run->plan = joined = sb_plan_known(made, joined, NULL, quiet.arena);
  bool good = sb_run_store_plan(run);
  for (size_t s = 1; good && s < m->count; ++s) { /* runs: who, where, and whether quick; and noise floors */
    const sb_journal_state *from = &m->sources[s].journal;
    json_t                 *fresh = json_array();
    join_events(&m->sources[s], from->runs, run->state.runs, fresh);
    join_events(&m->sources[s], from->floors, run->state.floors, fresh);
    good = sb_journal_append_all(&run->journal, &run->state, fresh);
  }
  for (size_t i = 0; good && i < joined->count; ++i)
    if (!joined->cases[i].skipped) good = join_case(m, joined->cases[i].key);
  good = sb_batch_publish(&m->batch) && good;
  if (good) *results = sb_run_results(run);
  return *results ? report(m, *results) : SB_EXIT_STORAGE;
}

int sb_merge(const sb_merge_request *request, const sb_session *session, sb_results **results)
{
  merge m = {.request = request, .count = request->count + 1};
  m.run = (sb_run_state){.session = session, .lock = -1, .journal.descriptor = -1};
  m.sources = sb_arena_take(session->arena, m.count, sizeof *m.sources);
  m.chosen = sb_arena_take(session->arena, m.count, sizeof *m.chosen);
  for (size_t s = 0; s < m.count; ++s) m.sources[s].lock = -1;
  *results = NULL;
  int status = open_sources(&m);
  if (status == SB_EXIT_OK && !(have_same_inputs(&m) && agree(&m))) status = SB_EXIT_USAGE;
  if (status == SB_EXIT_OK) status = open_target(&m);
  if (status == SB_EXIT_OK && m.sources[0].plan && !(have_same_inputs(&m) && agree(&m))) status = SB_EXIT_USAGE;
  m.batch.publisher = &m.run.publisher;
  if (status == SB_EXIT_OK) status = join(&m, results);
  for (size_t s = 0; s < m.count; ++s) {
    sb_lock_release(&m.sources[s].lock);
    sb_journal_clear(&m.sources[s].journal);
  }
  sb_run_leave(&m.run);
  return status;
}
