/* Which cases are to be run, and whether there is room for them; see runner_state.h. A result counts for its key, build
 * and machine: one of another build is kept and reported, never repeated unasked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/common/durable.h"
#include "harness/run/runner_attempt.h"
#include "harness/run/runner_state.h"

bool sb_run_request_takes(const sb_run_request *request, size_t i)
{
  return request->shards <= 1 || i % (size_t)request->shards == (size_t)(request->shard - 1);
}

bool sb_run_is_mine(const sb_run_state *run, size_t i) { return sb_run_request_takes(run->request, i); }

static const char *event_text(const json_t *event, const char *name)
{
  const char *text = json_string_value(json_object_get(event, name));
  return text ? text : "";
}

/* Frames kept: none < final < every K; a multiple of the stored K is in what is stored. */
static bool saves_enough(const char *stored, const char *asked)
{
  if (strcmp(stored, asked) == 0 || strcmp(asked, "none") == 0) return true;
  const bool every = strncmp(stored, "every:", 6) == 0;
  if (strcmp(asked, "final") == 0) return every;
  if (!every || strncmp(asked, "every:", 6) != 0) return false;
  const long has = atol(stored + 6), wants = atol(asked + 6);
  return has > 0 && wants % has == 0;
}

/* The published file is whole as far as it was asked to look. */
static bool file_is_good(const sb_run_state *run, const sb_planned_case *planned, const json_t *event)
{
  if (!run->request->verify_hashes) return true;
  char      *path = sb_format("%s/cases/%s.h5", run->request->directory, planned->key);
  char       hex[SB_SHA256_HEX + 1] = "";
  const bool good = sb_sha256_file(path, hex) && strcmp(hex, event_text(event, "sha256")) == 0;
  if (!good) fprintf(stderr, "springbench: warning: %s does not match its checksum; it is run again\n", path);
  free(path);
  return good;
}

/* Skipped for want of memory under a limit that is lifted now, or higher. */
static bool is_allowed_more(const sb_run_state *run, const json_t *event)
{
  const char  *status = json_string_value(json_object_get(json_object_get(event, "row"), "status"));
  const double before = json_number_value(json_object_get(event, "memory_limit"));
  if (!status || strcmp(status, "skipped") != 0) return false;
  return run->memory_limit_bytes == 0 || run->memory_limit_bytes > before;
}

bool sb_rerun_takes(sb_rerun rerun, sb_case_state state, const json_t *event)
{
  if (rerun == SB_RERUN_ALL) return true;
  if (rerun == SB_RERUN_NOISY) return state != SB_STATE_FAILED && sb_row_is_noisy(json_object_get(event, "row"));
  return (rerun == SB_RERUN_FAILED && state == SB_STATE_FAILED) || (rerun == SB_RERUN_STALE && state == SB_STATE_STALE);
}

static bool must_run(sb_run_state *run, const sb_planned_case *planned)
{
  const json_t       *event = json_object_get(run->state.cases, planned->key);
  const sb_case_state state =
      sb_case_state_of(&run->state, run->request->directory, planned->key, run->build, run->machine);
  if (state == SB_STATE_PLANNED || state == SB_STATE_PENDING) return true;
  if (sb_rerun_takes(run->request->rerun, state, event)) return true;
  if (state == SB_STATE_FAILED) {
    run->kept_failures++;
    return false;
  }
  if (!file_is_good(run, planned, event) || is_allowed_more(run, event)) return true;
  if (!saves_enough(event_text(event, "save"), SB_TEXT(planned->options, save))) return true;
  run->stale += state == SB_STATE_STALE;
  return false;
}

bool sb_run_find_pending(sb_run_state *run)
{
  run->pending = sb_allocate(run->plan->count + 1, sizeof *run->pending);
  for (size_t i = 0; i < run->plan->count; ++i) {
    const sb_planned_case *planned = &run->plan->cases[i];
    if (!sb_run_is_mine(run, i)) continue;
    if (planned->skipped) {
      run->skipped++;
      continue;
    }
    run->asked++;
    if (must_run(run, planned)) run->pending[run->count++].planned = planned;
  }
  return run->pending != NULL;
}

double sb_planned_vertices(const sb_options *options)
{
  if (sb_options_has(options, SB_OPT_grid)) {
    const double edge = (double)SB_INTEGER(options, grid) + 1;
    return edge * edge;
  }
  return sb_options_has(options, SB_OPT_nodes) ? (double)SB_INTEGER(options, nodes) : 100;
}

double sb_case_predicted_bytes(const sb_planned_case *planned)
{
  /* Position and velocity are 48 bytes a vertex and frame; the net itself and its views some 400 a vertex; a file of
   * the library some 64 kB, and every frame 200 bytes of energies and digests. */
  const double vertices = sb_planned_vertices(planned->options), all = (double)planned->time.frames + 1;
  const char  *save = SB_TEXT(planned->options, save);
  double       frames = 1;
  if (strncmp(save, "every:", 6) == 0) frames = all / (double)atol(save + 6) + 2;
  if (strcmp(save, "none") == 0) frames = 0;
  return 65536 + vertices * (400 + 48 * frames) + 200 * all;
}

bool sb_run_has_room(const sb_run_state *run)
{
  double       needed = 0;
  char         need[32], have[32];
  const double available = sb_free_bytes(run->request->directory);
  for (size_t i = 0; i < run->count; ++i) needed += sb_case_predicted_bytes(run->pending[i].planned);
  if (available < 0 || needed <= available) return true;
  fprintf(stderr,
          "springbench: error: %s: not enough room for %zu cases; needed about %s, free %s; --save final or none needs "
          "less [E107]\n",
          run->request->directory, run->count, sb_format_bytes(needed, need), sb_format_bytes(available, have));
  return false;
}
