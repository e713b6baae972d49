/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See collect.h. Files are looked at twice: where they are, to find those of one case that contradict each other; then
 * the copy that is published, since a file may change meanwhile. */
#include "harness/run/collect.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "cases/common/exit_status.h"
#include "cases/common/seal.h"
#include "cases/store/case_file.h"
#include "harness/run/run_state.h"

/* A file that a case of the plan may have. */
typedef struct {
  const char *path, *digest, *status; /* in the arena */
  size_t      planned;                /* number of its case */
} candidate;

typedef struct {
  sb_run_state    run;
  sb_input_cache *known;   /* files that cases name */
  json_t         *numbers; /* key -> number of the case in the plan */
  size_t          count;
  candidate      *found; /* [count] */
  sb_batch        batch;
  size_t          taken, kept, twice, refused, damaged;
} collection;

/* Each message is printed at once: there may be thousands. */
__attribute__((format(printf, 3, 4))) static bool refuse(collection *c, const char *path, const char *format, ...)
{
  char    what[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  sb_error_at(c->run.session->diagnostics, (sb_location){path, 0, 0}, "E118", "%s; it is not taken", what);
  sb_diagnostics_flush(c->run.session->diagnostics, stderr);
  c->refused++;
  return false;
}

/* ---- a file ---- */

/* {"row", "parameters", "provenance"} of a file whose seal fits; NULL after a message, which calls it `name`. */
static json_t *read_head(collection *c, const char *path, const char *name)
{
  char          error[256] = "";
  const sb_seal seal = sb_seal_check(path);
  const int     cause = errno;
  c->damaged += seal == SB_SEAL_BROKEN;
  if (seal == SB_SEAL_UNREADABLE) refuse(c, name, "cannot read: %s", sb_cause(cause));
  if (seal == SB_SEAL_BROKEN) refuse(c, name, "damaged: its bytes do not match the digest at its end");
  if (seal == SB_SEAL_ABSENT)
    refuse(c, name, "not a complete case file: the digest at its end is missing; `springbench case -o` writes one");
  if (seal != SB_SEAL_FITS) return NULL;
  json_auto_t *head = json_object();
  const hid_t  file = sb_case_file_open(path, error);
  const bool   read = file >= 0 && json_object_set_new(head, "row", sb_case_file_row(file)) == 0 &&
                    json_object_set_new(head, "parameters", sb_h5_attributes(file, "parameters")) == 0 &&
                    json_object_set_new(head, "provenance", sb_h5_attributes(file, "provenance")) == 0;
  if (sb_case_file_close(file, read, error)) return json_incref(head);
  refuse(c, name, "not a case file: %s", error);
  return NULL;
}

static const char *text_in(const json_t *head, const char *group, const char *name)
{
  return sb_journal_text(json_object_get(head, group), name);
}

/* The key of the options that a file has. False if this program does not know one of them. */
static bool key_of_options(collection *c, const json_t *parameters, char key[SB_KEY_LENGTH + 1])
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *scratch = sb_arena_create();
  sb_options                             *options = sb_options_create(c->run.session->vocabulary);
  bool                                    good = options != NULL;
  const char                             *name = NULL;
  json_t                                 *value = NULL;
  json_object_foreach((json_t *)parameters, name, value)
  {
    const sb_option_id id = sb_option_find(name);
    if (strcmp(name, "command") == 0) continue;
    good = good && id != sb_option_count &&
           sb_options_set(options, id, sb_stored_option_text(scratch, value), sb_option_stored_origin(id),
                          (sb_location){0}, NULL);
  }
  if (good) sb_case_key(options, c->known, key);
  sb_options_destroy(&options);
  return good;
}

/* Checks whose result the file is. The number of its case in the plan; SIZE_MAX after a message. */
static size_t find_case(collection *c, const json_t *head, const char *name)
{
  char          key[SB_KEY_LENGTH + 1] = "";
  sb_status     status;
  const char   *driver = text_in(head, "parameters", "driver"), *said = text_in(head, "row", "key");
  const json_t *number = json_object_get(c->numbers, said);
  if (strcmp(driver, c->run.sweep->driver) != 0)
    refuse(c, name, "a case of driver '%s'; the sweep %s has driver '%s'", driver, c->run.sweep->name,
           c->run.sweep->driver);
  else if (!sb_status_from_name(text_in(head, "row", "status"), &status) || !sb_status_is_result(status))
    refuse(c, name, "its status '%s' is not a result", text_in(head, "row", "status"));
  else if (!number)
    refuse(c, name, "its case %.16s is not one of those that were asked for", said);
  else if (!key_of_options(c, json_object_get(head, "parameters"), key))
    refuse(c, name, "it has an option that this springbench does not know");
  else if (strcmp(key, said) != 0)
    refuse(c, name, "its options are those of case %s, not of case %s", key, said);
  else
    return (size_t)json_integer_value(number);
  return SIZE_MAX;
}

static void look_at(collection *c, const char *path)
{
  sb_arena    *arena = c->run.session->arena;
  json_auto_t *head = read_head(c, path, path);
  const size_t planned = head ? find_case(c, head, path) : SIZE_MAX;
  if (planned == SIZE_MAX) return;
  *SB_NEW_ITEM(arena, c->found, c->count) = (candidate){.path = sb_arena_copy(arena, path),
                                                        .digest = sb_arena_copy(arena, text_in(head, "row", "digest")),
                                                        .status = sb_arena_copy(arena, text_in(head, "row", "status")),
                                                        .planned = planned};
}

static int is_file(const struct dirent *entry)
{
  const char *suffix = strrchr(entry->d_name, '.');
  return entry->d_name[0] != '.' && suffix && strcmp(suffix, ".h5") == 0;
}

static void look_at_all(collection *c, const sb_collect_request *request)
{
  struct stat about;
  for (size_t i = 0; i < request->count; ++i) {
    const char     *path = request->files[i];
    struct dirent **entries = NULL;
    const bool      folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    const int       count = folder ? scandir(path, &entries, is_file, alphasort) : 0;
    if (!folder) look_at(c, path);
    if (count < 0) refuse(c, path, "cannot read: %s", strerror(errno));
    for (int e = 0; e < count; ++e) {
      SB_OWNED char *file = sb_format("%s/%s", path, entries[e]->d_name);
      look_at(c, file);
      free(entries[e]);
    }
    free(entries);
  }
}

/* ---- which files are taken ---- */

/* By case, in the order of the plan. */
static int by_case(const void *a, const void *b)
{
  const candidate *x = a, *y = b;
  return x->planned != y->planned ? (x->planned > y->planned) - (x->planned < y->planned) : strcmp(x->path, y->path);
}

static bool same(const candidate *a, const char *digest, const char *status)
{
  return strcmp(a->digest, digest) == 0 && strcmp(a->status, status) == 0;
}

/* Tells whether the directory wants this result; a message if it has another one. */
static bool is_wanted(collection *c, const candidate *one)
{
  const sb_run_state    *run = &c->run;
  const sb_planned_case *planned = &run->plan->cases[one->planned];
  const json_t          *event = json_object_get(run->state.cases, planned->key), *row = json_object_get(event, "row");
  const sb_case_state    state =
      sb_case_state_of(&run->state, run->request->directory, planned->key, run->build, run->machine);
  if (state == SB_STATE_FAILED) return true;
  if (sb_run_turn(run->request, planned, state, event, run->memory_limit_bytes) != SB_TURN_NONE) return true;
  const char *digest = json_string_value(json_object_get(row, "digest"));
  const char *status = json_string_value(json_object_get(row, "status"));
  const bool  has_it = !digest || !status || same(one, digest, status);
  c->kept += has_it;
  return !has_it &&
         refuse(c, one->path, "its result of case %s (%s, digest %.8s) contradicts the one in %s (%s, digest %.8s)",
                planned->key, one->status, one->digest, run->request->directory, status, digest);
}

/* The number of repetitions that a file has samples of; 1 if it has none. Its own count is not evidence. */
static int repetitions_of(const char *path, const char *key)
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *scratch = sb_arena_create();
  sb_case_times                           times = {0};
  char                                    error[SB_ERROR_SIZE] = "";
  json_auto_t                            *seen = json_object();
  if (!sb_case_file_times(scratch, path, key, &times, error) || times.sample_count == 0) return 1;
  for (size_t i = 0; i < times.sample_count; ++i)
    json_object_set_new(seen, sb_arena_format(scratch, "%d", (int)times.samples[i].repetition), json_true());
  return (int)json_object_size(seen);
}

/* The line of the journal for a file, of which `aside` is our copy. */
static json_t *new_event(const collection *c, const json_t *head, const char *path, const char *aside)
{
  static const char *const told[] = {"node", "job"};
  char                     at[32];
  const sb_run_state      *run = &c->run;
  SB_OWNED char           *from = realpath(path, NULL);
  const int                repetitions = repetitions_of(aside, text_in(head, "row", "key"));
  json_t                  *event =
      json_pack("{s:s, s:s, s:s, s:O, s:s, s:s, s:s, s:s, s:s, s:i, s:f, s:s}", "event", "publish", "at", sb_now(at),
                "key", text_in(head, "row", "key"), "row", json_object_get(head, "row"), "build",
                text_in(head, "provenance", "build"), "machine", text_in(head, "provenance", "machine"), "host",
                text_in(head, "provenance", "host"), "start", "engine", "save", text_in(head, "parameters", "save"),
                "repetitions", repetitions, "memory_limit", run->memory_limit_bytes, "from", from ? from : path);
  for (size_t i = 0; i < sizeof told / sizeof *told; ++i)
    if (*text_in(head, "provenance", told[i]))
      json_object_set_new(event, told[i], json_string(text_in(head, "provenance", told[i])));
  /* Nobody saw what ran beside it, and it ran once: a run takes such times anew, as those of --quick. */
  if (run->sweep->timed) json_object_set_new(event, "timed_once", json_true());
  return event;
}

/* False after a message, when something cannot be stored. */
static bool take(collection *c, const candidate *one)
{
  char        host[64];
  const char *directory = c->run.request->directory, *key = c->run.plan->cases[one->planned].key;
  char       *aside = sb_format("%s/tmp/%s.%s.%ld.collect", directory, key, sb_host_name(host), (long)getpid());
  if (!sb_copy_file(one->path, aside)) {
    sb_storage_error("copy", one->path, errno, 0);
    unlink(aside);
    free(aside);
    return false;
  }
  json_auto_t *head = read_head(c, aside, one->path);
  if (head && find_case(c, head, one->path) == one->planned) {
    c->taken++;
    return sb_batch_add(&c->batch, key, aside, new_event(c, head, one->path, aside));
  }
  unlink(aside);
  free(aside);
  return true;
}

/* Takes one file of each case. Files of one case that contradict each other are refused, all of them. */
static bool take_all(collection *c)
{
  bool good = true;
  if (c->count > 0) qsort(c->found, c->count, sizeof *c->found, by_case);
  for (size_t i = 0, end = 0; good && i < c->count; i = end) {
    const candidate *first = &c->found[i], *other = NULL;
    for (end = i + 1; end < c->count && c->found[end].planned == first->planned; ++end)
      if (!other && !same(first, c->found[end].digest, c->found[end].status)) other = &c->found[end];
    c->twice += end - i - 1;
    if (other)
      refuse(c, first->path, "its result of case %s (%s, digest %.8s) contradicts the one in %s (%s, digest %.8s)",
             c->run.plan->cases[first->planned].key, first->status, first->digest, other->path, other->status,
             other->digest);
    else if (is_wanted(c, first))
      good = take(c, first);
  }
  return sb_batch_publish(&c->batch) && good;
}

/* ---- all of it ---- */

static int report(const collection *c, const sb_results *results)
{
  const sb_case_counts tally = sb_case_counts_of(results->rows, NULL);
  const char          *directory = c->run.request->directory;
  fprintf(stderr, "springbench: %s: %zu cases in %s: %zu taken, %zu there already", c->run.sweep->name, tally.cases,
          directory, c->taken, c->kept);
  if (c->twice > 0) fprintf(stderr, "; %zu further files of the same cases", c->twice);
  if (c->refused > 0) fprintf(stderr, "; %zu files not taken", c->refused);
  if (tally.failed > 0) fprintf(stderr, "; %zu failed", tally.failed);
  if (tally.pending > 0) fprintf(stderr, "; %zu missing", tally.pending);
  fputc('\n', stderr);
  if (c->taken > 0 && c->run.sweep->timed)
    fputs("springbench: warning: times of another engine were taken once, with unknown other load; `run` takes them "
          "anew\n",
          stderr);
  if (c->damaged > 0) return SB_EXIT_STORAGE;
  if (c->refused > 0) return SB_EXIT_USAGE;
  return tally.failed + tally.pending > 0 ? SB_EXIT_CASES_FAILED : SB_EXIT_OK;
}

static int collect(collection *c, const sb_collect_request *request, sb_results **results)
{
  sb_run_state *run = &c->run;
  c->numbers = json_object();
  c->known = sb_input_cache_create(run->session->arena);
  c->batch.publisher = &run->publisher;
  for (size_t i = 0; i < run->plan->count; ++i)
    if (!run->plan->cases[i].skipped)
      json_object_set_new(c->numbers, run->plan->cases[i].key, json_integer((json_int_t)i));
  look_at_all(c, request);
  run->asked = json_object_size(c->numbers);
  run->count = c->count;
  bool good = sb_run_store_plan(run) && (c->count == 0 || sb_run_note(run));
  good = good && take_all(c);
  json_decref(c->numbers);
  if (good) *results = sb_run_results(run);
  return *results ? report(c, *results) : SB_EXIT_STORAGE;
}

int sb_collect(const sb_collect_request *request, const sb_sweep *sweep, const sb_plan *plan, const sb_run_request *run,
               const sb_session *session, sb_results **results)
{
  collection c = {.run = sb_run_begin(sweep, plan, run, session)};
  *results = NULL;
  int status = sb_run_take(&c.run);
  if (status == SB_EXIT_OK && !sb_run_is_of_file(&c.run)) status = SB_EXIT_USAGE;
  if (status == SB_EXIT_OK) status = collect(&c, request, results);
  sb_run_leave(&c.run);
  return status;
}
