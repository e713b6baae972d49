/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See prediction.h. The work of a case is vertices × steps × iterations. Over 55 sweeps the times of single cases are
 * within a factor of 2.2 of the prediction (standard deviation of the logarithm 0.8). Cases differ less than the
 * numbers of their options do, since tolerances end iterations early: times grow as work^0.7. Shares of a typical time
 * grow as work^(3/4), as square roots have the same bits on every machine, and so shards the same cases. Four shards of
 * equal prediction then take 1.17 times as long as the best four; shards by index took 1.28 times. */
#include "harness/run/prediction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/repetitions.h"
#include "harness/run/tour.h"
#include "model/scene/scene.h"

double sb_case_predicted_vertices(const sb_options *options)
{
  const double planned = sb_scene_vertices(options);
  return planned > 0 ? planned : 100; /* a net from a file is taken for a small one */
}

double sb_case_predicted_bytes(const sb_planned_case *planned)
{
  /* Position and velocity are 48 bytes per vertex and frame, strains up to 24, the data of particles 16. The names of a
   * frame, in the file and in its side-car, are 4000. The net itself and its views are about 400 per vertex, the
   * library's part of a file about 64 kB, and energies and digests 200 bytes per frame. */
  const double vertices = sb_case_predicted_vertices(planned->options), all = (double)planned->time.frames + 1;
  const char  *save = SB_TEXT(planned->options, save);
  double       frames = 1;
  if (strncmp(save, "every:", 6) == 0) frames = (double)(planned->time.frames / atol(save + 6) + 1);
  if (strcmp(save, "none") == 0) frames = 0;
  return 65536 + vertices * (400 + 72 * frames) + 4000 * frames + 200 * all;
}

/* Seconds of one repetition on one quiet core, roughly. */
static double rough_seconds(const sb_planned_case *planned)
{
  static const double start_seconds = 2e-3, vertex_seconds = 3e-8; /* of an explicit step */
  const sb_options   *options = planned->options;
  const double        iterations_max = sb_case_iterations_max(options);
  /* An iteration takes as long as some ten explicit steps; most steps are done after ten of them. */
  const double iterations = iterations_max > 0 ? 10 * fmin(iterations_max, 10) : 1;
  return start_seconds +
         vertex_seconds * sb_case_predicted_vertices(options) * (double)planned->time.steps * iterations;
}

static double share(double seconds) { return sqrt(seconds) * sqrt(sqrt(seconds)); }

const double *sb_plan_predicted_seconds(const sb_sweep *sweep, const sb_plan *plan, bool quick, sb_arena *arena)
{
  const sb_typical typical = sb_typical_of(sweep->name, arena);
  const int        asked = !sweep->timed || quick ? 1 : sweep->repetitions;
  const int        repetitions = asked == SB_REPETITIONS_AUTO ? SB_AUTO_LEAST : asked > 0 ? asked : 1;
  double          *seconds = sb_arena_take(arena, plan->count, sizeof *seconds), shares = 0;
  size_t           count = 0;
  for (size_t i = 0; i < plan->count; ++i) {
    seconds[i] = plan->cases[i].skipped ? 0 : rough_seconds(&plan->cases[i]);
    shares += share(seconds[i]);
    count += !plan->cases[i].skipped;
  }
  const double all = sb_typical_seconds(&typical, quick, count);
  for (size_t i = 0; i < plan->count; ++i)
    seconds[i] = isnan(all) ? repetitions * seconds[i] : shares > 0 ? all * share(seconds[i]) / shares : 0;
  return seconds;
}

typedef struct {
  double share;
  size_t number;
} weighed_case;

static int compare_weights(const void *a, const void *b)
{
  const weighed_case *x = a, *y = b;
  if (x->share != y->share) return x->share > y->share ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

const int *sb_plan_shards(const sb_plan *plan, int shards, sb_arena *arena)
{
  weighed_case *cases = sb_arena_take(arena, plan->count, sizeof *cases);
  double       *load = sb_arena_take(arena, (size_t)shards, sizeof *load);
  int          *shard_of = sb_arena_take(arena, plan->count, sizeof *shard_of);
  for (size_t i = 0; i < plan->count; ++i)
    cases[i] = (weighed_case){plan->cases[i].skipped ? 0 : share(rough_seconds(&plan->cases[i])), i};
  qsort(cases, plan->count, sizeof *cases, compare_weights);
  for (size_t i = 0; i < plan->count; ++i) {
    int least = 0;
    for (int s = 1; s < shards; ++s)
      if (load[s] < load[least]) least = s;
    load[least] += cases[i].share;
    shard_of[cases[i].number] = least + 1;
  }
  return shard_of;
}
