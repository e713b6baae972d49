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

static void add_keys(json_t *keys, const sb_plan *plan)
{
  for (size_t i = 0; plan && i < plan->count; ++i) json_object_set_new(keys, plan->cases[i].key, json_true());
}

/* The sweep file was edited: stored cases that it does not make any more would stand in its tables as strangers, and
 * those that it still makes may have other names and another order. */
static sb_plan *drop_strangers(const sb_run_state *run, const sb_plan *stored, const sb_session *own)
{
  sb_session silent = *own;
  silent.diagnostics = NULL;
  const sb_plan *full = sb_plan_create(run->sweep, NULL, &silent);
  json_t        *keys = json_object();
  bool          *known = sb_arena_take(own->arena, stored->count, sizeof *known);
  add_keys(keys, full);
  add_keys(keys, run->plan);
  for (size_t i = 0; i < stored->count; ++i) known[i] = json_object_get(keys, stored->cases[i].key) != NULL;
  json_decref(keys);
  sb_plan *kept = sb_plan_part(stored, known, own->arena);
  if (kept->count < stored->count)
    fprintf(stderr, "springbench: the sweep file was changed: %zu earlier cases are left out (their files stay)\n",
            stored->count - kept->count);
  if (full) sb_plan_follow(kept, full);
  return kept;
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

/* A file that cases name was edited: those of its earlier content would stand beside the new ones, by equal names. */
static sb_plan *drop_changed(sb_plan *stored, const sb_session *own)
{
  bool     all = true, *kept = find_unchanged(stored, &all);
  sb_plan *rest = all ? stored : sb_plan_part(stored, kept, own->arena);
  free(kept);
  if (!all)
    fprintf(stderr,
            "springbench: a file that they name was changed: %zu earlier cases are left out (their files stay)\n",
            stored->count - rest->count);
  return rest;
}

static sb_plan *read_stored_plan(const sb_run_state *run, const sb_session *own)
{
  char    *path = sb_arena_format(own->arena, "%s/plan.json", run->request->directory);
  char    *yaml_path = sb_arena_format(own->arena, "%s/sweep.yaml", run->request->directory);
  char    *text = sb_read_file(path, NULL), *yaml = sb_read_file(yaml_path, NULL);
  sb_plan *stored = text ? sb_plan_from_json(text, path, own) : NULL;
  if (text && !stored) fprintf(stderr, "springbench: warning: %s cannot be read and is made anew\n", path);
  if (stored && yaml && strcmp(yaml, run->sweep->text) != 0)
    stored = drop_strangers(run, stored, own);
  else if (stored)
    stored = drop_changed(stored, own);
  free(yaml);
  free(text);
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
  sb_session     own = sb_session_begin(run->session->vocabulary, run->session->drivers);
  const sb_plan *stored = read_stored_plan(run, &own);
  bool          *mine = sb_arena_take(own.arena, run->plan->count, sizeof *mine);
  for (size_t i = 0; i < run->plan->count; ++i) mine[i] = sb_run_is_mine(run, i);
  const sb_plan *asked = sb_plan_part(run->plan, mine, own.arena);
  char          *text = sb_plan_json(run->sweep, sb_plan_join(stored, asked, own.arena));
  const bool     good = text && store_text(run->request->directory, "plan.json", text) &&
                    store_text(run->request->directory, "sweep.yaml", run->sweep->text);
  free(text);
  sb_session_end(&own, NULL);
  return good;
}

bool sb_run_store_plan(const sb_run_state *run)
{
  return store_plan(run) && sb_sweep_keep_scripts(run->sweep, run->request->directory);
}
