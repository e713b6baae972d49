/* sweep.yaml and plan.json of a results directory; see runner_state.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/common/durable.h"
#include "harness/run/runner_state.h"
#include "harness/sweep/sweep_files.h"

/* Replaces <name> unless it holds this text already: a run with nothing to do changes nothing. */
static bool store_text(const char *directory, const char *name, const char *text)
{
  char      *path = sb_format("%s/%s", directory, name);
  char      *stored = sb_read_file(path, NULL);
  const bool same = stored && strcmp(stored, text) == 0;
  free(stored);
  free(path);
  return same || sb_replace_file(directory, name, text, strlen(text));
}

/* A plan of some of the cases, through its text, so that it owns what it has. */
static sb_plan *copy_cases(const sb_run_state *run, const sb_plan *plan, bool (*keep)(const void *, size_t),
                           const void *context)
{
  sb_plan part = *plan;
  part.count = 0;
  part.cases = sb_allocate(plan->count + 1, sizeof *part.cases);
  for (size_t i = 0; i < plan->count; ++i)
    if (keep(context, i)) part.cases[part.count++] = plan->cases[i];
  char           *text = sb_plan_json(run->sweep, &part);
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_plan        *copy = text ? sb_plan_from_json(text, "plan.json", run->vocabulary, diagnostics) : NULL;
  sb_diagnostics_print(diagnostics, stderr);
  sb_diagnostics_destroy(&diagnostics);
  free(text);
  free(part.cases);
  return copy;
}

static bool is_of_shard(const void *run, size_t i) { return sb_run_is_mine(run, i); }

/* Whether the sweep as it is now can ask for a stored case. */
typedef struct {
  json_t        *keys;
  const sb_plan *stored;
} key_filter;

static bool has_key(const void *context, size_t i)
{
  const key_filter *filter = context;
  return json_object_get(filter->keys, filter->stored->cases[i].key) != NULL;
}

static void add_keys(json_t *keys, const sb_plan *plan)
{
  for (size_t i = 0; plan && i < plan->count; ++i) json_object_set_new(keys, plan->cases[i].key, json_true());
}

/* The sweep file was edited: stored cases that it does not make any more would stand in its tables as strangers, and
 * those that it still makes may have other names and another order. */
static void drop_strangers(const sb_run_state *run, sb_plan **stored)
{
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_plan        *full = sb_plan_create(run->sweep, NULL, run->vocabulary, diagnostics);
  key_filter      filter = {json_object(), *stored};
  add_keys(filter.keys, full);
  add_keys(filter.keys, run->plan);
  sb_plan *kept = copy_cases(run, *stored, has_key, &filter);
  if (kept && kept->count < (*stored)->count)
    fprintf(stderr, "springbench: the sweep file was changed: %zu earlier cases are left out (their files stay)\n",
            (*stored)->count - kept->count);
  if (kept && full) sb_plan_follow(kept, full);
  if (kept) {
    sb_plan_destroy(stored);
    *stored = kept;
  }
  json_decref(filter.keys);
  sb_plan_destroy(&full);
  sb_diagnostics_destroy(&diagnostics);
}

/* Which stored cases have the key that they had; *all when every one has. */
static bool *find_unchanged(const sb_plan *stored, bool *all)
{
  bool           *kept = sb_allocate(stored->count, sizeof *kept);
  sb_input_cache *known = sb_input_cache_create();
  *all = true;
  for (size_t i = 0; i < stored->count; ++i) {
    const sb_options *options = stored->cases[i].options;
    char              key[SB_KEY_LENGTH + 1];
    kept[i] = true; /* a file that is not here may be as it was */
    if (!sb_input_is_known(options, known)) continue;
    sb_case_key_known(options, known, key);
    kept[i] = strcmp(key, stored->cases[i].key) == 0;
    *all = *all && kept[i];
  }
  sb_input_cache_destroy(&known);
  return kept;
}

static bool is_kept(const void *kept, size_t i) { return ((const bool *)kept)[i]; }

/* A file that cases name was edited: those of its earlier content would stand beside the new ones, by equal names. */
static void drop_changed(const sb_run_state *run, sb_plan **stored)
{
  bool     all = true, *kept = find_unchanged(*stored, &all);
  sb_plan *rest = all ? NULL : copy_cases(run, *stored, is_kept, kept);
  if (rest) {
    fprintf(stderr,
            "springbench: a file that they name was changed: %zu earlier cases are left out (their files stay)\n",
            (*stored)->count - rest->count);
    sb_plan_destroy(stored);
    *stored = rest;
  }
  free(kept);
}

static sb_plan *read_stored_plan(const sb_run_state *run)
{
  char           *path = sb_format("%s/plan.json", run->request->directory);
  char           *yaml_path = sb_format("%s/sweep.yaml", run->request->directory);
  char           *text = sb_read_file(path, NULL), *yaml = sb_read_file(yaml_path, NULL);
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_plan        *stored = text ? sb_plan_from_json(text, path, run->vocabulary, diagnostics) : NULL;
  if (text && !stored) fprintf(stderr, "springbench: warning: %s cannot be read and is made anew\n", path);
  if (stored && yaml && strcmp(yaml, run->sweep->text) != 0)
    drop_strangers(run, &stored);
  else if (stored)
    drop_changed(run, &stored);
  sb_diagnostics_destroy(&diagnostics);
  free(yaml);
  free(text);
  free(yaml_path);
  free(path);
  return stored;
}

/* Nothing is to be joined where all was asked for and that is what is stored, or nothing is: reading ten thousand cases
 * back takes longer than finding out that they are done. */
static bool store_as_asked(const sb_run_state *run, bool *stored)
{
  char      *path = sb_format("%s/plan.json", run->request->directory), *before = sb_read_file(path, NULL);
  const bool whole = run->request->shards <= 1;
  char      *text = whole ? sb_plan_json(run->sweep, run->plan) : NULL;
  const bool simple = text && (!before || strcmp(before, text) == 0);
  *stored = simple && (before || sb_replace_file(run->request->directory, "plan.json", text, strlen(text))) &&
            store_text(run->request->directory, "sweep.yaml", run->sweep->text);
  free(text);
  free(before);
  free(path);
  return simple;
}

static bool store_plan(const sb_run_state *run)
{
  bool done = false;
  if (store_as_asked(run, &done)) return done;
  sb_plan   *stored = read_stored_plan(run);
  sb_plan   *asked = copy_cases(run, run->plan, is_of_shard, run);
  sb_plan   *joined = asked ? sb_plan_join(&stored, &asked) : NULL;
  char      *text = joined ? sb_plan_json(run->sweep, joined) : NULL;
  const bool good = text && store_text(run->request->directory, "plan.json", text) &&
                    store_text(run->request->directory, "sweep.yaml", run->sweep->text);
  free(text);
  sb_plan_destroy(&joined);
  sb_plan_destroy(&asked);
  sb_plan_destroy(&stored);
  return good;
}

bool sb_run_store_plan(const sb_run_state *run)
{
  return store_plan(run) && sb_sweep_keep_scripts(run->sweep, run->request->directory);
}
