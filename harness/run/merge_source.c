/* A directory whose results are joined with others; see merge.h. Its files are read and nothing in it is changed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/durable.h"
#include "harness/common/exit_status.h"
#include "harness/run/merge.h"
#include "harness/store/lock.h"

/* E114 for a plan of another format, before it is read as if it were of ours. */
static bool format_is_ours(const char *path, const char *text, sb_diagnostics *diagnostics)
{
  json_t *plan = json_loads(text, 0, NULL);
  int     format = SB_FORMAT_VERSION;
  json_unpack(plan, "{s:i}", "springbench", &format);
  json_decref(plan);
  if (format == SB_FORMAT_VERSION) return true;
  return sb_error_at(diagnostics, (sb_location){path, 0, 0}, "E114",
                     "results of format %d cannot be joined with those of format %d, which this springbench writes",
                     format, (int)SB_FORMAT_VERSION);
}

static bool read_plan(sb_merge_source *source, const sb_session *session)
{
  sb_diagnostics *diagnostics = session->diagnostics;
  char           *path = sb_format("%s/plan.json", source->path), *text = sb_read_file(path, NULL);
  if (!text)
    sb_error_at(diagnostics, (sb_location){path, 0, 0}, "E100", "cannot read: %s", strerror(errno));
  else if (format_is_ours(path, text, diagnostics))
    source->plan = sb_plan_from_json(text, path, session);
  free(text);
  free(path);
  return source->plan != NULL;
}

/* A journal that cannot be read, or that lost lines, would make results of this directory look as if they had never
 * been. */
static int read_journal(sb_merge_source *source)
{
  char *path = sb_format("%s/journal.jsonl", source->path);
  bool  good = sb_journal_read(path, &source->journal);
  if (!good) sb_storage_error("read", path, errno, 0);
  if (good && source->journal.bad_lines > 0)
    fprintf(stderr, "springbench: warning: %s: %zu damaged lines ignored; results that only they knew are left out\n",
            path, source->journal.bad_lines);
  free(path);
  return good ? SB_EXIT_OK : SB_EXIT_STORAGE;
}

int sb_merge_source_open(const char *path, bool locked, const sb_session *session, sb_merge_source *source)
{
  *source = (sb_merge_source){.path = sb_copy_text(path), .lock = -1};
  /* The sweep comes first: it says whether this is a results directory at all. */
  source->sweep = sb_results_read_sweep(source->path, session);
  const bool is_one = source->sweep != NULL;
  int        status = is_one ? SB_EXIT_OK : SB_EXIT_USAGE;
  if (is_one && locked) {
    const sb_lock_outcome lock = sb_lock_share(path, &source->lock);
    status = lock == SB_LOCK_HELD ? SB_EXIT_OK : lock == SB_LOCK_BUSY ? SB_EXIT_BUSY : SB_EXIT_STORAGE;
  }
  if (status == SB_EXIT_OK && !read_plan(source, session)) status = SB_EXIT_USAGE;
  if (status == SB_EXIT_OK) status = read_journal(source);
  return status;
}

void sb_merge_source_clear(sb_merge_source *source)
{
  sb_lock_release(&source->lock);
  sb_journal_clear(&source->journal);
  free(source->path);
  *source = (sb_merge_source){.lock = -1};
}

bool sb_merge_same_sweep(const sb_merge_source *a, const sb_merge_source *b)
{
  if (strcmp(a->sweep->name, b->sweep->name) != 0) {
    fprintf(stderr,
            "springbench: error: %s has the sweep '%s', %s the sweep '%s'; only results of one are joined [E114]\n",
            a->path, a->sweep->name, b->path, b->sweep->name);
    return false;
  }
  if (strcmp(a->sweep->text, b->sweep->text) != 0)
    fprintf(stderr, "springbench: warning: the sweep files of %s and %s differ; the first is kept\n", a->path, b->path);
  return true;
}

/* ---- the union of plans ---- */

sb_plan *sb_merge_plans(const sb_merge_source *sources, size_t count, const sb_session *session)
{
  sb_session silent = *session;
  silent.diagnostics = NULL;
  const sb_plan *full = sb_plan_create(sources[0].sweep, NULL, &silent);
  sb_plan       *joined = sources[0].plan;
  for (size_t s = 1; s < count; ++s) joined = sb_plan_join(sources[s].plan, joined, session->arena);
  if (full) sb_plan_follow(joined, full);
  return joined;
}

/* ---- which result is taken ---- */

static const char *row_text(const json_t *event, const char *name)
{
  const char *text = json_string_value(json_object_get(json_object_get(event, "row"), name));
  return text ? text : "";
}

static bool same_result(const json_t *a, const json_t *b)
{
  return strcmp(row_text(a, "digest"), row_text(b, "digest")) == 0 &&
         strcmp(row_text(a, "status"), row_text(b, "status")) == 0;
}

bool sb_merge_choose(const sb_merge_source *sources, size_t count, const char *key, sb_prefer prefer, size_t *chosen,
                     size_t *chosen_count)
{
  const json_t *wanted = NULL, *first = NULL;
  bool          agree = true;
  *chosen_count = 0;
  for (size_t s = 0; s < count; ++s) {
    const json_t *event = sb_journal_published(&sources[s].journal, key);
    if (!event) continue;
    if (!first) first = event;
    if (!wanted || prefer == SB_PREFER_LAST) wanted = event;
    if (!same_result(first, event) && prefer == SB_PREFER_NONE) agree = false;
  }
  for (size_t s = 0; s < count; ++s) {
    const json_t *event = sb_journal_published(&sources[s].journal, key);
    if (!event) continue;
    const bool tell = !agree && (*chosen_count == 0 || (*chosen_count == 1 && !same_result(first, event)));
    if (agree ? same_result(wanted, event) : tell) chosen[(*chosen_count)++] = s;
  }
  return agree;
}

size_t sb_merge_failure(const sb_merge_source *sources, size_t count, const char *key)
{
  size_t found = count;
  bool   failed = false;
  for (size_t s = 0; s < count; ++s) {
    const json_t *event = json_object_get(sources[s].journal.cases, key);
    const char   *what = json_string_value(json_object_get(event, "event"));
    if (!what || strcmp(what, "publish") == 0) continue;
    const bool fails = strcmp(what, "fail") == 0;
    if (found == count || (fails && !failed)) found = s;
    failed = failed || fails;
  }
  return found;
}
