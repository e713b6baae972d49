/* Joining results; see merge.h. What comes in is published as a finished case is: checksum against the journal it comes
 * from, file aside, journal line, rename; so that a kill loses nothing and the same command goes on from there. */
#include "harness/run/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/common/durable.h"
#include "harness/common/exit_status.h"
#include "harness/common/text.h"
#include "harness/results/results_folders.h"
#include "harness/store/lock.h"

enum { CONFLICTS_SHOWN = 5 };

typedef struct {
  const sb_merge_request *request;
  sb_run_state            run; /* of OUT, as a run of it has it */
  sb_run_request          run_request;
  sb_merge_source        *sources;      /* [count] OUT first, where it has results */
  size_t                  count, first; /* first: number of the first of DIR… */
  sb_plan                *plan;
  size_t                  taken, linked, kept, duplicates, failures, missing, damaged;
  bool                    current; /* OUT's index and report were, before it was touched */
  bool                    joined;
} merge;

/* ---- sources ---- */

static bool is_same_directory(const char *a, const char *b)
{
  char      *x = realpath(a, NULL), *y = realpath(b, NULL);
  const bool same = x && y && strcmp(x, y) == 0;
  free(x);
  free(y);
  return same;
}

/* Place 0 stays free for OUT. */
static int open_sources(merge *m)
{
  int status = SB_EXIT_OK;
  m->sources = sb_allocate(m->request->count + 1, sizeof *m->sources);
  m->sources[0] = (sb_merge_source){.lock = -1};
  m->first = m->count = 1;
  for (size_t i = 0; status == SB_EXIT_OK && i < m->request->count; ++i) {
    if (is_same_directory(m->request->directory, m->request->sources[i])) {
      fprintf(stderr, "springbench: error: %s is where the others are to be joined; it cannot be one of them [E106]\n",
              m->request->sources[i]);
      return SB_EXIT_USAGE;
    }
    status = sb_merge_source_open(m->request->sources[i], true, m->run.session, &m->sources[m->count++]);
    if (status == SB_EXIT_OK && !sb_merge_same_sweep(&m->sources[1], &m->sources[m->count - 1])) status = SB_EXIT_USAGE;
  }
  return status;
}

/* Whether index and report are younger than all they are made from: a merge that was killed leaves them older. */
static bool is_current(const char *directory)
{
  static const char *const made[] = {"results.csv", "results.h5", "report.html"};
  static const char *const from[] = {"journal.jsonl", "plan.json", "sweep.yaml"};
  bool                     current = true;
  for (size_t i = 0; i < 3 && current; ++i)
    for (size_t j = 0; j < 3 && current; ++j) {
      struct stat a, b;
      char       *young = sb_format("%s/%s", directory, made[i]), *old = sb_format("%s/%s", directory, from[j]);
      current = stat(young, &a) == 0 && stat(old, &b) == 0 &&
                (a.st_mtim.tv_sec != b.st_mtim.tv_sec ? a.st_mtim.tv_sec > b.st_mtim.tv_sec
                                                      : a.st_mtim.tv_nsec >= b.st_mtim.tv_nsec);
      free(old);
      free(young);
    }
  return current;
}

/* Takes the lock of OUT and reads what is there. */
static int open_target(merge *m)
{
  m->run_request = (sb_run_request){.directory = m->request->directory, .shard = 1, .shards = 1};
  m->run.sweep = m->sources[1].sweep;
  m->run.request = &m->run_request;
  m->current = is_current(m->request->directory);
  int status = sb_run_take(&m->run);
  if (status == SB_EXIT_OK && sb_is_results_folder(m->request->directory)) {
    status = sb_merge_source_open(m->request->directory, false, m->run.session, &m->sources[0]);
    m->first = 0;
    if (status == SB_EXIT_OK && !sb_merge_same_sweep(&m->sources[0], &m->sources[1])) status = SB_EXIT_USAGE;
    if (status == SB_EXIT_OK) m->run.sweep = m->sources[0].sweep;
  }
  return status;
}

/* ---- contradictions ---- */

static const char *row_text(const sb_merge_source *source, const char *key, const char *name)
{
  const json_t *event = sb_journal_published(&source->journal, key);
  const char   *text = json_string_value(json_object_get(json_object_get(event, "row"), name));
  return text ? text : "";
}

static void tell_conflict(const merge *m, const char *key, const size_t *chosen)
{
  const sb_merge_source *a = &m->sources[m->first + chosen[0]], *b = &m->sources[m->first + chosen[1]];
  fprintf(stderr, "springbench: error: case %s is %s (digest %.8s) in %s and %s (digest %.8s) in %s [E115]\n", key,
          row_text(a, key, "status"), row_text(a, key, "digest"), a->path, row_text(b, key, "status"),
          row_text(b, key, "digest"), b->path);
}

/* Before anything is joined: whether sources contradict each other, all cases of `plans`. */
static bool agree(const merge *m)
{
  size_t *chosen = sb_allocate(m->count, sizeof *chosen), count = 0, conflicts = 0;
  json_t *seen = json_object();
  for (size_t s = m->first; s < m->count; ++s) {
    const char *key = NULL;
    json_t     *event = NULL;
    json_object_foreach(m->sources[s].journal.cases, key, event)
    {
      if (json_object_get(seen, key)) continue;
      json_object_set_new(seen, key, json_true());
      if (sb_merge_choose(m->sources + m->first, m->count - m->first, key, m->request->prefer, chosen, &count))
        continue;
      if (conflicts++ < CONFLICTS_SHOWN) tell_conflict(m, key, chosen);
    }
  }
  if (conflicts > CONFLICTS_SHOWN)
    fprintf(stderr, "springbench: error: and %zu cases more [E115]\n", conflicts - CONFLICTS_SHOWN);
  if (conflicts > 0)
    fputs("springbench: nothing was joined; --prefer first (or last) takes the result of the directory named first "
          "(last)\n",
          stderr);
  json_decref(seen);
  free(chosen);
  return conflicts == 0;
}

/* ---- one case ---- */

static bool copy_bytes(int from, int to)
{
  enum { CHUNK = 1 << 16 };
  char   *chunk = sb_allocate(CHUNK, 1);
  ssize_t got = 0;
  bool    good = true;
  while (good && (got = TEMP_FAILURE_RETRY(read(from, chunk, CHUNK))) > 0) good = sb_write_all(to, chunk, (size_t)got);
  free(chunk);
  return good && got == 0;
}

static bool copy_file(const char *from, const char *to)
{
  const int in = sb_open(from, O_RDONLY), out = in < 0 ? -1 : sb_open(to, O_WRONLY | O_CREAT | O_TRUNC);
  bool      good = out >= 0 && copy_bytes(in, out);
  const int error = errno;
  if (in >= 0) close(in);
  if (out >= 0 && close(out) != 0) good = false;
  if (!good) errno = error;
  return good;
}

/* A published file is never changed in place, so that both directories may have it. A log is: it is always copied. */
static bool link_or_copy(merge *m, const char *from, const char *to)
{
  unlink(to);
  if (link(from, to) == 0) {
    m->linked++;
    return true;
  }
  return copy_file(from, to);
}

static bool copy_log(merge *m, const sb_merge_source *source, const char *key)
{
  char      *from = sb_format("%s/logs/%s.txt", source->path, key);
  char      *to = sb_format("%s/logs/%s.txt", m->request->directory, key);
  const bool good = access(from, F_OK) != 0 || copy_file(from, to) || sb_storage_error("copy", from, errno, 0);
  free(to);
  free(from);
  return good;
}

static json_t *event_from(const sb_merge_source *source, const json_t *event)
{
  json_t *copy = json_deep_copy(event);
  json_object_set_new(copy, "from", json_string(source->path));
  return copy;
}

/* Whether the file is what its journal says; a line on stderr when not. */
static bool is_whole(merge *m, const char *path, const char *promised)
{
  char hex[SB_SHA256_HEX + 1] = "";
  if (access(path, F_OK) != 0) {
    fprintf(stderr, "springbench: warning: %s is in the journal but not there; it is left out\n", path);
    return false;
  }
  if (sb_sha256_file(path, hex) && promised && strcmp(hex, promised) == 0) return true;
  fprintf(stderr, "springbench: error: %s is damaged: its checksum disagrees; it is left out\n", path);
  m->damaged++;
  return false;
}

typedef enum { TAKE_DONE, TAKE_NOT_WHOLE, TAKE_FAILED } take_outcome;

static take_outcome take(merge *m, const sb_merge_source *source, const char *key)
{
  char        host[64];
  json_t     *event = event_from(source, sb_journal_published(&source->journal, key));
  const char *promised = json_string_value(json_object_get(event, "sha256"));
  char       *from = sb_format("%s/cases/%s.h5", source->path, key);
  char *aside = sb_format("%s/tmp/%s.%s.%ld.merge", m->request->directory, key, sb_host_name(host), (long)getpid());
  take_outcome outcome = is_whole(m, from, promised) ? TAKE_FAILED : TAKE_NOT_WHOLE;
  if (outcome == TAKE_FAILED) {
    const sb_publisher publisher = sb_run_publisher(&m->run);
    const bool         there = link_or_copy(m, from, aside) || sb_storage_error("copy", from, errno, 0);
    if (there && is_whole(m, aside, promised) && copy_log(m, source, key) &&
        sb_publish(&publisher, key, aside, json_incref(event)))
      outcome = TAKE_DONE;
    unlink(aside);
  }
  free(aside);
  free(from);
  json_decref(event);
  return outcome;
}

static bool is_in_place(const merge *m, const char *key)
{
  return sb_case_state_of(&m->run.state, m->request->directory, key, NULL, NULL) == SB_STATE_DONE;
}

/* A failure is a case's end as long as no directory has a result of it. */
static bool take_failure(merge *m, const char *key)
{
  const size_t s = m->first + sb_merge_failure(m->sources + m->first, m->count - m->first, key);
  if (s >= m->count) return true;
  json_t    *event = json_object_get(m->sources[s].journal.cases, key);
  const bool there = s == 0 && json_object_get(m->run.state.cases, key);
  if (there) return true;
  return copy_log(m, &m->sources[s], key) &&
         sb_journal_append(&m->run.journal, &m->run.state, event_from(&m->sources[s], event));
}

/* False after a message, when something cannot be written. */
static bool join_case(merge *m, const char *key, size_t *chosen)
{
  size_t       count = 0;
  take_outcome outcome = TAKE_NOT_WHOLE;
  sb_merge_choose(m->sources + m->first, m->count - m->first, key, m->request->prefer, chosen, &count);
  m->duplicates += count - (count > 0 && m->first + chosen[0] == 0) > 1;
  if (count > 0 && m->first + chosen[0] == 0 && is_in_place(m, key)) {
    m->kept++;
    return true;
  }
  for (size_t i = 0; i < count && outcome == TAKE_NOT_WHOLE; ++i)
    if (m->first + chosen[i] != 0) outcome = take(m, &m->sources[m->first + chosen[i]], key);
  m->taken += outcome == TAKE_DONE;
  return outcome == TAKE_DONE || (outcome == TAKE_NOT_WHOLE && take_failure(m, key));
}

/* ---- all of it ---- */

/* Of runs and of timings of the noise floor. */
static bool same_event(const json_t *a, const json_t *b)
{
  static const char *const names[] = {"at", "host", "pid", "case", "seconds"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const json_t *x = json_object_get(a, names[i]), *y = json_object_get(b, names[i]);
    if ((x || y) && !json_equal(x, y)) return false;
  }
  return true;
}

static bool is_known(const json_t *events, const json_t *event)
{
  for (size_t i = 0; i < json_array_size(events); ++i)
    if (same_event(json_array_get(events, i), event)) return true;
  return false;
}

static bool join_events(merge *m, const sb_merge_source *source, const json_t *events, const json_t *there)
{
  for (size_t i = 0; i < json_array_size(events); ++i) {
    const json_t *event = json_array_get(events, i);
    if (is_known(there, event)) continue;
    if (!sb_journal_append(&m->run.journal, &m->run.state, event_from(source, event))) return false;
  }
  return true;
}

/* The runs of all directories: who ran, where, and whether quickly; and what their noise floors are from. */
static bool join_runs(merge *m)
{
  for (size_t s = 1; s < m->count; ++s) {
    const sb_journal_state *from = &m->sources[s].journal;
    if (!join_events(m, &m->sources[s], from->runs, m->run.state.runs) ||
        !join_events(m, &m->sources[s], from->floors, m->run.state.floors))
      return false;
  }
  return true;
}

static void count_ends(merge *m)
{
  for (size_t i = 0; i < m->plan->count; ++i) {
    if (m->plan->cases[i].skipped) continue;
    const sb_case_state state =
        sb_case_state_of(&m->run.state, m->request->directory, m->plan->cases[i].key, NULL, NULL);
    m->missing += state == SB_STATE_PLANNED || state == SB_STATE_PENDING;
    m->failures += state == SB_STATE_FAILED;
  }
}

static bool write_index(const merge *m)
{
  sb_session  own = sb_session_begin(m->run.session->vocabulary, m->run.session->drivers);
  sb_results *results = sb_results_open(m->request->directory, &own);
  const bool  written = results && sb_results_write_index(results);
  sb_session_end(&own, stderr);
  return written;
}

static void say(const merge *m)
{
  fprintf(stderr, "springbench: %s: %zu cases in %s: %zu taken", m->run.sweep->name, m->plan->count,
          m->request->directory, m->taken);
  if (m->linked > 0) fprintf(stderr, " (%zu as links, no copy)", m->linked);
  fprintf(stderr, ", %zu there already", m->kept);
  if (m->duplicates > 0) fprintf(stderr, "; %zu in several directories, taken once", m->duplicates);
  if (m->failures > 0) fprintf(stderr, "; %zu failed", m->failures);
  if (m->missing > 0) fprintf(stderr, "; %zu missing", m->missing);
  fputc('\n', stderr);
  if (m->missing == 0) return;
  fputs("springbench: springbench run ", stderr);
  sb_text_put_word(stderr, m->request->directory);
  fputs(" runs what is missing\n", stderr);
}

static int join(merge *m)
{
  m->plan = sb_merge_plans(m->sources + m->first, m->count - m->first, m->run.session);
  m->run.plan = m->plan;
  const off_t length = m->run.journal.length;
  size_t     *chosen = sb_allocate(m->count, sizeof *chosen);
  bool        good = sb_run_store_plan(&m->run) && join_runs(m);
  for (size_t i = 0; good && i < m->plan->count; ++i)
    if (!m->plan->cases[i].skipped) good = join_case(m, m->plan->cases[i].key, chosen);
  free(chosen);
  if (!good) return SB_EXIT_STORAGE;
  const bool nothing_new = m->run.journal.length == length && m->current;
  if (!nothing_new && !write_index(m)) return SB_EXIT_STORAGE;
  m->joined = !nothing_new;
  count_ends(m);
  say(m);
  if (m->damaged > 0) return SB_EXIT_STORAGE;
  return m->failures + m->missing > 0 ? SB_EXIT_CASES_FAILED : SB_EXIT_OK;
}

static void close_all(merge *m)
{
  for (size_t s = 0; s < m->count; ++s) sb_merge_source_clear(&m->sources[s]);
  free(m->sources);
  sb_journal_close(&m->run.journal);
  sb_journal_clear(&m->run.state);
  sb_lock_release(&m->run.lock);
}

int sb_merge(const sb_merge_request *request, const sb_session *session, bool *joined)
{
  merge m = {.request = request, .run = {.session = session, .lock = -1, .journal = {.descriptor = -1}}};
  int   status = open_sources(&m);
  if (status == SB_EXIT_OK && !agree(&m)) status = SB_EXIT_USAGE;
  if (status == SB_EXIT_OK) status = open_target(&m);
  if (status == SB_EXIT_OK && m.first == 0 && !agree(&m)) status = SB_EXIT_USAGE;
  if (status == SB_EXIT_OK) status = join(&m);
  *joined = m.joined;
  close_all(&m);
  return status;
}
