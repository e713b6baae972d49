/* The ratio of two medians and its interval; see compare_statistics.h.
 *
 * A case's samples come from several runs of it (repetitions), and runs differ more than the steps of one run do: what
 * lies where in memory, and what else the machine did, stay as they are within a run. Resampling steps alone takes that
 * for a difference between A and B. So the bootstrap has two levels: runs are drawn with replacement, then steps within
 * each (Kalibera and Jones, "Rigorous benchmarking in reasonable time", 2013). With few runs R such resamples scatter
 * too little; their deviations are widened by sqrt(R/(R − 1)) t(R_A + R_B − 2)/t(∞), the expanded percentile interval
 * of Hesterberg, "What teachers should know about the bootstrap", 2015. With a single run the steps are all there is.
 */
#include "harness/report/compare_statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/random.h"

static const double TAIL = 0.025, NORMAL_QUANTILE = 1.959963984540054;

/* One side, ready to be drawn from. */
typedef struct {
  size_t  count, runs;
  double *sorted; /* [count] seconds */
  size_t *ranks;  /* [count] places in `sorted`, the members of a run together */
  size_t *start;  /* [runs + 1] where a run's members begin in `ranks` */
  size_t *tally;  /* [count] scratch */
} sample;

typedef struct {
  double  seconds;
  int32_t repetition;
  size_t  rank;
} member;

static int compare_seconds(const void *a, const void *b)
{
  const double x = ((const member *)a)->seconds, y = ((const member *)b)->seconds;
  return (x > y) - (x < y);
}

static int compare_runs(const void *a, const void *b)
{
  const member *x = a, *y = b;
  if (x->repetition != y->repetition) return x->repetition < y->repetition ? -1 : 1;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

static sample read_sample(const sb_timings *timings)
{
  sample  s = {0};
  member *members = sb_allocate(timings->count + 1, sizeof *members);
  for (size_t i = 0; i < timings->count; ++i)
    if (isfinite(timings->seconds[i]) && timings->seconds[i] > 0)
      members[s.count++] = (member){timings->seconds[i], timings->repetition[i], 0};
  s.sorted = sb_allocate(s.count + 1, sizeof *s.sorted);
  s.ranks = sb_allocate(s.count + 1, sizeof *s.ranks);
  s.start = sb_allocate(s.count + 1, sizeof *s.start);
  s.tally = sb_allocate(s.count + 1, sizeof *s.tally);
  qsort(members, s.count, sizeof *members, compare_seconds);
  for (size_t i = 0; i < s.count; ++i) {
    s.sorted[i] = members[i].seconds;
    members[i].rank = i;
  }
  qsort(members, s.count, sizeof *members, compare_runs);
  for (size_t i = 0; i < s.count; ++i) {
    s.ranks[i] = members[i].rank;
    if (i == 0 || members[i].repetition != members[i - 1].repetition) s.start[s.runs++] = i;
  }
  s.start[s.runs] = s.count;
  free(members);
  return s;
}

static void clear_sample(sample *s)
{
  free(s->sorted);
  free(s->ranks);
  free(s->start);
  free(s->tally);
}

/* The mean of elements number `low` and `high` (from 0) of a sorted sample in which sorted[i] stands tally[i] times. */
static double middle(const sample *s, size_t low, size_t high)
{
  double sum = 0;
  size_t passed = 0;
  for (size_t i = 0; i < s->count && passed <= high; ++i) {
    const size_t next = passed + s->tally[i];
    if (low >= passed && low < next) sum += s->sorted[i];
    if (high >= passed && high < next) sum += s->sorted[i];
    passed = next;
  }
  return sum / 2;
}

static double median_of(sample *s)
{
  if (s->count == 0) return NAN;
  for (size_t i = 0; i < s->count; ++i) s->tally[i] = 1;
  return middle(s, (s->count - 1) / 2, s->count / 2);
}

typedef struct {
  uint64_t seed, counter;
} stream;

static size_t draw(stream *random, size_t count)
{
  return (size_t)(sb_random_unit(random->seed, random->counter++) * (double)count);
}

static double median_of_resample(sample *s, stream *random)
{
  size_t total = 0;
  memset(s->tally, 0, s->count * sizeof *s->tally);
  for (size_t r = 0; r < s->runs; ++r) {
    const size_t run = s->runs > 1 ? draw(random, s->runs) : 0;
    const size_t first = s->start[run], members = s->start[run + 1] - first;
    for (size_t i = 0; i < members; ++i) s->tally[s->ranks[first + draw(random, members)]]++;
    total += members;
  }
  return middle(s, (total - 1) / 2, total / 2);
}

/* Exact for one and two degrees of freedom, where the expansion of Cornish and Fisher is 24 and
 * 3 % low, and by it above, where it is 0.8 % low at three and better from there on. */
double sb_student_quantile(double freedom)
{
  const double p = 0.975, two = 2 * p - 1;
  if (freedom == 1) return tan(3.14159265358979323846 * (p - 0.5));
  if (freedom == 2) return two * sqrt(2 / (1 - two * two));
  const double z = NORMAL_QUANTILE, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

static double expansion(size_t runs, size_t other_runs)
{
  if (runs < 2) return 1;
  const double freedom = (double)(runs + other_runs - 2);
  return sqrt((double)runs / (double)(runs - 1)) * sb_student_quantile(freedom) / NORMAL_QUANTILE;
}

static int compare_reals(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The interval by the percentiles of the deviations, which it sorts. */
static void bound(sb_ratio *ratio, double *deviations)
{
  const double last = SB_RESAMPLES - 1;
  qsort(deviations, SB_RESAMPLES, sizeof *deviations, compare_reals);
  ratio->low = ratio->ratio * exp(deviations[(size_t)floor(TAIL * last)]);
  ratio->high = ratio->ratio * exp(deviations[(size_t)ceil((1 - TAIL) * last)]);
  ratio->bounded = true;
}

static void resample(sample sides[2], const sb_ratio *ratio, uint64_t seed, double *deviations)
{
  stream       random = {seed, 0};
  const double widen[2] = {expansion(sides[0].runs, sides[1].runs), expansion(sides[1].runs, sides[0].runs)};
  for (size_t i = 0; i < SB_RESAMPLES; ++i) {
    const double a = log(median_of_resample(&sides[0], &random) / ratio->median[0]);
    const double b = log(median_of_resample(&sides[1], &random) / ratio->median[1]);
    deviations[i] = widen[1] * b - widen[0] * a;
  }
}

sb_ratio sb_ratio_of_medians(const sb_timings *a, const sb_timings *b, uint64_t seed, double *deviations)
{
  sample   sides[2] = {read_sample(a), read_sample(b)};
  sb_ratio ratio = {.ratio = NAN, .low = NAN, .high = NAN};
  if (deviations) memset(deviations, 0, SB_RESAMPLES * sizeof *deviations);
  for (int i = 0; i < 2; ++i) {
    ratio.median[i] = median_of(&sides[i]);
    ratio.used[i] = sides[i].count;
    ratio.repetitions[i] = sides[i].runs;
  }
  ratio.known = sides[0].count > 0 && sides[1].count > 0;
  if (ratio.known) ratio.ratio = ratio.median[1] / ratio.median[0];
  if (sides[0].count >= SB_SAMPLES_NEEDED && sides[1].count >= SB_SAMPLES_NEEDED) {
    double *sorted = sb_allocate(SB_RESAMPLES, sizeof *sorted);
    resample(sides, &ratio, seed, sorted);
    if (deviations) memcpy(deviations, sorted, SB_RESAMPLES * sizeof *sorted);
    bound(&ratio, sorted);
    free(sorted);
  }
  clear_sample(&sides[0]);
  clear_sample(&sides[1]);
  return ratio;
}

/* Half the width of the 95 % interval of a median's logarithm: 1.96 times 1.25 IQR/(1.35 √n), the asymptotic standard
 * error for a sample near the normal law (McGill, Tukey and Larsen 1978), over the median; NAN where it is not known.
 */
static double notch(double median, double low_quartile, double high_quartile, double count)
{
  if (!(count >= SB_SAMPLES_NEEDED) || !(median > 0) || !(high_quartile >= low_quartile)) return NAN;
  return NORMAL_QUANTILE * 1.25 * (high_quartile - low_quartile) / (1.35 * sqrt(count)) / median;
}

sb_ratio sb_ratio_from_quartiles(const double median[2], const double low_quartile[2], const double high_quartile[2],
                                 const double count[2])
{
  sb_ratio ratio = {.ratio = NAN, .low = NAN, .high = NAN, .median = {median[0], median[1]}};
  ratio.known = median[0] > 0 && median[1] > 0 && isfinite(median[0]) && isfinite(median[1]);
  if (!ratio.known) return ratio;
  ratio.ratio = median[1] / median[0];
  double squares = 0;
  for (int i = 0; i < 2; ++i) squares += pow(notch(median[i], low_quartile[i], high_quartile[i], count[i]), 2);
  ratio.bounded = isfinite(squares);
  if (!ratio.bounded) return ratio;
  ratio.low = ratio.ratio * exp(-sqrt(squares));
  ratio.high = ratio.ratio * exp(sqrt(squares));
  return ratio;
}

void sb_ratio_add(sb_ratio_sum *sum, const sb_ratio *ratio, const double *deviations)
{
  if (!ratio->known) return;
  if (!sum->deviations) sum->deviations = sb_allocate(SB_RESAMPLES, sizeof *sum->deviations);
  sum->known++;
  sum->sampled += ratio->bounded && ratio->used[0] > 0;
  sum->logarithms += log(ratio->ratio);
  for (size_t r = 0; r < SB_RESAMPLES; ++r) sum->deviations[r] += deviations[r];
}

sb_ratio sb_ratio_mean(sb_ratio_sum *sum)
{
  sb_ratio mean = {.ratio = NAN, .low = NAN, .high = NAN, .median = {NAN, NAN}, .used = {sum->known, sum->known}};
  mean.known = sum->known > 0;
  if (mean.known) {
    mean.ratio = exp(sum->logarithms / (double)sum->known);
    for (size_t r = 0; r < SB_RESAMPLES; ++r) sum->deviations[r] /= (double)sum->known;
    if (sum->sampled == sum->known) bound(&mean, sum->deviations);
  }
  free(sum->deviations);
  *sum = (sb_ratio_sum){0};
  return mean;
}
