/* What a recorder makes of the machine's noise: calibrations as samples of phase "calibration", a verdict a repetition,
 * and statistics over the repetitions that count: the quiet ones where there are any, else all. */
#include "harness/store/recorder_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"

static const char calibration[] = "calibration";
/* What clocks change from case to case. A neighbour that stays throughout a case makes the loop 1.3 to 1.6 times as
 * long. */
static const double clock_between_cases = 1.05;

static bool is_quiet(const sb_recorder *r, int32_t repetition)
{
  for (size_t i = 0; i < r->attempt_count; ++i)
    if (r->attempts[i].repetition == repetition) return r->attempts[i].broken == 0;
  return true; /* nothing is known against it */
}

static size_t quiet_attempts(const sb_recorder *r)
{
  size_t quiet = 0;
  for (size_t i = 0; i < r->attempt_count; ++i) quiet += r->attempts[i].broken == 0;
  return quiet;
}

bool sb_recorder_counts(const sb_recorder *r, int32_t repetition)
{
  return quiet_attempts(r) == 0 || is_quiet(r, repetition);
}

/* The calibrations from number `from` on become samples. */
static PetscErrorCode store_calibrations(sb_recorder *r, size_t from, int64_t step)
{
  PetscFunctionBeginUser;
  for (size_t i = from; i < r->watch.count; ++i)
    PetscCall(sb_recorder_sample(r, calibration, step, r->watch.seconds[i]));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_watch_begin(sb_recorder *recorder)
{
  PetscFunctionBeginUser;
  sb_noise_watch_begin(&recorder->watch);
  PetscCall(store_calibrations(recorder, 0, 0));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_watch(sb_recorder *recorder, int64_t step)
{
  const size_t before = recorder->watch.count;
  PetscFunctionBeginUser;
  if (sb_noise_watch_between(&recorder->watch)) PetscCall(store_calibrations(recorder, before, step));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_watch_step(sb_recorder *recorder, int64_t step, double seconds, uint64_t work)
{
  PetscFunctionBeginUser;
  recorder->timed = sb_grow(recorder->timed, recorder->timed_count, sizeof *recorder->timed);
  recorder->timed[recorder->timed_count++] = (sb_timed_step){step, seconds, work};
  PetscCall(sb_recorder_watch(recorder, step));
  PetscFunctionReturn(0);
}

static int compare_steps(const void *a, const void *b)
{
  const sb_sample_record *x = a, *y = b;
  if (x->step != y->step) return x->step < y->step ? -1 : 1;
  return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

/* Samples of a phase in repetitions that pass, in the order of steps and seconds (malloc'ed). */
static sb_sample_record *by_step(const sb_recorder *r, const char *phase, bool (*passes)(const sb_recorder *, int32_t),
                                 size_t *count)
{
  sb_sample_record *found = sb_allocate(r->sample_count, sizeof *found);
  *count = 0;
  for (size_t i = 0; i < r->sample_count; ++i)
    if (strcmp(r->samples[i].phase, phase) == 0 && passes(r, r->samples[i].repetition))
      found[(*count)++] = r->samples[i];
  if (*count > 0) qsort(found, *count, sizeof *found, compare_steps);
  return found;
}

static bool is_earlier_and_quiet(const sb_recorder *r, int32_t repetition)
{
  return repetition < r->provenance.repetition && is_quiet(r, repetition);
}

/* The least time of each timed step in earlier quiet repetitions (malloc'ed), NULL where there were none. */
static double *quiet_seconds(const sb_recorder *r, const char *phase)
{
  size_t            count = 0, at = 0;
  sb_sample_record *earlier = by_step(r, phase, is_earlier_and_quiet, &count);
  double           *quiet = count > 0 ? sb_allocate(r->timed_count, sizeof *quiet) : NULL;
  for (size_t i = 0; quiet && i < r->timed_count; ++i) {
    while (at < count && earlier[at].step < r->timed[i].step) ++at;
    quiet[i] = at < count && earlier[at].step == r->timed[i].step ? earlier[at].seconds : NAN;
  }
  free(earlier);
  return quiet;
}

/* Of the repetitions before: their number, and their seconds in *seconds to free. */
static size_t earlier_calibrations(const sb_recorder *r, double **seconds)
{
  size_t count = 0;
  *seconds = sb_allocate(r->sample_count + 1, sizeof **seconds);
  for (size_t i = 0; i < r->sample_count; ++i) {
    const sb_sample_record *s = &r->samples[i];
    if (strcmp(s->phase, calibration) != 0 || s->repetition == r->provenance.repetition) continue;
    (*seconds)[count++] = s->seconds;
  }
  return count;
}

/* The worst of all ranks: one that waits holds up the others. */
static PetscErrorCode join_ranks(const sb_recorder *r, sb_noise_figures *f)
{
  double worst[4] = {f->calibration_median_s / f->calibration_fast_s, (double)f->switches, (double)f->steal_ticks,
                     f->waited_seconds};
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, worst, 4, MPI_DOUBLE, MPI_MAX, r->comm));
  f->calibration_median_s = worst[0] * f->calibration_fast_s;
  f->switches = (int64_t)worst[1];
  f->steal_ticks = (int64_t)worst[2];
  f->waited_seconds = worst[3];
  PetscFunctionReturn(0);
}

void sb_recorder_add_verdict(sb_recorder *r, const sb_noise_record *record)
{
  r->attempts = sb_grow(r->attempts, r->attempt_count, sizeof *r->attempts);
  r->attempts[r->attempt_count++] = *record;
}

static void keep_verdict(sb_recorder *r, const sb_noise_figures *f)
{
  sb_noise_record record = {.repetition = (int32_t)r->provenance.repetition,
                            .broken = (int32_t)sb_noise_judge(f),
                            .calibrations = f->calibrations,
                            .switches = f->switches,
                            .window_s = f->window_seconds,
                            .calibration_median_s = f->calibration_median_s,
                            .calibration_fast_s = f->calibration_fast_s,
                            .steal = sb_noise_steal(f),
                            .waited = isfinite(f->waited_seconds) ? f->waited_seconds / f->window_seconds : -1,
                            .halves = isfinite(f->halves_ratio) ? f->halves_ratio : 0};
  sb_noise_words(f, record.noisy);
  sb_recorder_add_verdict(r, &record);
}

/* In the column: why the last repetition was noisy, where none was quiet. */
static PetscErrorCode fill_column(sb_recorder *r)
{
  char words[SB_NOISE_WORDS + 32] = "";
  PetscFunctionBeginUser;
  if (quiet_attempts(r) > 0) PetscFunctionReturn(0);
  if (r->attempt_count > 1) snprintf(words, sizeof words, "all of %zu times: ", r->attempt_count);
  strcat(words, r->attempts[r->attempt_count - 1].noisy);
  PetscCall(sb_recorder_word(r, "noisy", words));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_judge(sb_recorder *r, const char *phase, const sb_noise_figures *seen)
{
  sb_noise_figures figures = *seen;
  double          *quiet = r->rank == 0 ? quiet_seconds(r, phase) : NULL;
  PetscFunctionBeginUser;
  snprintf(r->headline, sizeof r->headline, "%s", phase);
  sb_noise_halves(r->timed_count, r->timed, quiet, &figures);
  free(quiet);
  PetscCall(join_ranks(r, &figures));
  if (r->rank != 0) PetscFunctionReturn(0);
  keep_verdict(r, &figures);
  PetscCall(fill_column(r));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_watch_end(sb_recorder *recorder, const char *phase)
{
  sb_noise_figures figures;
  const size_t     before = recorder->watch.count;
  double          *earlier = NULL;
  PetscFunctionBeginUser;
  const size_t count = earlier_calibrations(recorder, &earlier);
  sb_noise_watch_end(&recorder->watch, count, earlier, &figures);
  free(earlier);
  recorder->calibration_own_s = figures.calibration_fast_s;
  if (recorder->calibration_given_s > 0)
    figures.calibration_fast_s = fmin(figures.calibration_fast_s, recorder->calibration_given_s * clock_between_cases);
  PetscCall(store_calibrations(recorder, before, -1));
  PetscCall(sb_recorder_judge(recorder, phase, &figures));
  PetscFunctionReturn(0);
}

static void medians_of_steps(const sb_recorder *r, const char *phase, size_t count, double *medians)
{
  size_t            found = 0, first = 0;
  sb_sample_record *samples = by_step(r, phase, sb_recorder_counts, &found);
  double           *seconds = sb_allocate(found, sizeof *seconds);
  for (size_t i = 0; i < found; ++i) seconds[i] = samples[i].seconds;
  for (size_t k = 0; k < count; ++k) {
    while (first < found && samples[first].step < (int64_t)k) ++first;
    size_t end = first;
    while (end < found && samples[end].step == (int64_t)k) ++end;
    medians[k] = sb_quantile(seconds + first, end - first, 0.5);
    first = end;
  }
  free(seconds);
  free(samples);
}

PetscErrorCode sb_recorder_medians(sb_recorder *recorder, const char *phase, size_t count, double *medians)
{
  PetscMPIInt message;
  PetscFunctionBeginUser;
  if (recorder->rank == 0) medians_of_steps(recorder, phase, count, medians);
  PetscCall(PetscMPIIntCast((PetscInt)count, &message));
  PetscCallMPI(MPI_Bcast(medians, message, MPI_DOUBLE, 0, recorder->comm));
  PetscFunctionReturn(0);
}

static double median_of_repetition(const sb_recorder *r, const char *phase, int32_t repetition)
{
  size_t  count = 0;
  double *seconds = sb_allocate(r->sample_count, sizeof *seconds);
  for (size_t i = 0; i < r->sample_count; ++i)
    if (r->samples[i].repetition == repetition && strcmp(r->samples[i].phase, phase) == 0)
      seconds[count++] = r->samples[i].seconds;
  sb_sort(seconds, count);
  const double median = sb_quantile(seconds, count, 0.5);
  free(seconds);
  return median;
}

/* The medians of the repetitions that count, ascending (malloc'ed). */
static double *medians_of_repetitions(const sb_recorder *r, const char *phase, size_t *count)
{
  double *medians = sb_allocate(r->attempt_count, sizeof *medians);
  *count = 0;
  for (size_t i = 0; i < r->attempt_count; ++i) {
    const int32_t repetition = r->attempts[i].repetition;
    const double  median = sb_recorder_counts(r, repetition) ? median_of_repetition(r, phase, repetition) : NAN;
    if (median > 0) medians[(*count)++] = median;
  }
  sb_sort(medians, *count);
  return medians;
}

PetscErrorCode sb_recorder_interval(sb_recorder *recorder, const char *phase, sb_median *median)
{
  const double *samples = NULL;
  size_t        count = 0, runs = 0;
  PetscFunctionBeginUser;
  PetscCall(sb_recorder_samples(recorder, phase, &count, &samples));
  double *sorted = sb_allocate(count, sizeof *sorted);
  if (count > 0) memcpy(sorted, samples, count * sizeof *sorted);
  sb_sort(sorted, count);
  *median = sb_median_interval(sorted, count);
  free(sorted);
  double *medians = recorder->rank == 0 ? medians_of_repetitions(recorder, phase, &runs) : NULL;
  if (runs >= SB_INTERVAL_VALUES) {
    const sb_median over_runs = sb_median_interval(medians, runs);
    median->low = over_runs.low;
    median->high = over_runs.high;
  }
  free(medians);
  PetscCallMPI(MPI_Bcast(median, 3, MPI_DOUBLE, 0, recorder->comm));
  PetscFunctionReturn(0);
}

sb_case_timing sb_recorder_timing(const sb_recorder *r)
{
  sb_case_timing timing = {.known = r->headline[0] != '\0' && r->attempt_count > 0,
                           .half_width = NAN,
                           .calibration_seconds = NAN,
                           .noisy = ""};
  if (!timing.known) return timing;
  size_t          runs = 0;
  double         *medians = medians_of_repetitions(r, r->headline, &runs);
  const sb_median over_runs = sb_median_interval(medians, runs);
  free(medians);
  timing.attempts = (int64_t)r->attempt_count;
  timing.quiet = (int64_t)quiet_attempts(r);
  timing.seconds = median_of_repetition(r, r->headline, (int32_t)r->provenance.repetition);
  timing.half_width = sb_median_half_width(&over_runs);
  timing.calibration_seconds = r->calibration_own_s > 0 ? r->calibration_own_s : NAN;
  timing.noisy = r->attempts[r->attempt_count - 1].noisy;
  return timing;
}

void sb_recorder_destroy_noise(sb_recorder *r)
{
  sb_noise_watch_clear(&r->watch);
  free(r->attempts);
  free(r->timed);
}
