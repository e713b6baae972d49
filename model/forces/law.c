/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangents of laws; see law.h. */
#include "model/forces/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/option_ids.h"

#define SB_ENTRY(name) extern const sb_law_method sb_law_##name;
#include "model/forces/laws.def"
#undef SB_ENTRY

static const sb_entry *const laws[] = {
#define SB_ENTRY(name) &sb_law_##name.entry,
#include "model/forces/laws.def"
#undef SB_ENTRY
};

const sb_list sb_laws = {.family = "laws",
                         .title = "Laws of springs",
                         .about = "Named by option `law`: the energy E of a spring of length r with stiffness k and "
                                  "rest length l.",
                         SB_LIST_ENTRIES(laws)};

static double *reals(size_t count) { return calloc(count + SB_BAND_BLOCK, sizeof(double)); }

/* Borrows the ends of the given springs. */
static bool allocate(sb_law *law)
{
  const size_t n = (size_t)law->given->count;
  law->tangent = *law->given;
  law->tangent.stiffness = reals(n);
  law->tangent.rest_length = reals(n);
  law->start = reals(n);
  law->length = reals(n);
  law->energy = reals(n);
  law->first = reals(n);
  law->second = reals(n);
  law->bound = reals(n);
  return law->tangent.stiffness && law->tangent.rest_length && law->start && law->length && law->energy && law->first &&
         law->second && law->bound;
}

static const double *at(const double *array, int spring) { return array ? array + spring : NULL; }

static void evaluate(sb_law *law, int count, int spring, const double *length)
{
  if (count == 0) return;
  const sb_law_points points = {.count = count,
                                .length = length,
                                .stiffness = law->given->stiffness + spring,
                                .rest_length = law->given->rest_length + spring,
                                .parameter = {at(law->parameter[0], spring), at(law->parameter[1], spring)},
                                .energy = law->energy + spring,
                                .first = law->first + spring,
                                .second = law->second + spring};
  law->method->evaluate(law->state, &points);
}

static sb_law_bounds bounds_at(const sb_law_method *method, const double parameter[SB_LAW_PARAMETERS])
{
  return method->bounds_by ? method->bounds_by(parameter) : method->bounds;
}

/* k times the bound of E''/k, or E'' at rest where there is none, and k of damping. */
static void take_bounds(sb_law *law)
{
  evaluate(law, law->given->count, 0, law->given->rest_length);
  for (int s = 0; s < law->given->count; ++s) {
    const double k = law->given->stiffness[s], rest = law->second[s] > 0 ? law->second[s] : k;
    double       parameter[SB_LAW_PARAMETERS];
    for (int i = 0; i < SB_LAW_PARAMETERS; ++i) parameter[i] = law->parameter[i] ? law->parameter[i][s] : 0;
    const double most = bounds_at(law->method, parameter).most;
    law->bound[s] = (isfinite(most) ? k * most : rest) + law->damping * k;
  }
}

static double parameter_of(const sb_options *options, const sb_law_method *method, int i)
{
  return method->parameter[i] ? sb_options_real(options, method->parameter[i]) : 0;
}

/* Those of a parameter's column, else of its option. */
static bool take_parameters(sb_law *law, const sb_options *options)
{
  const size_t n = (size_t)law->given->count;
  for (int i = 0; i < SB_LAW_PARAMETERS && law->method->parameter[i]; ++i) {
    if (!(law->parameter[i] = reals(n))) return false;
    for (size_t s = 0; s < n; ++s)
      law->parameter[i][s] =
          law->given->parameter[i] ? law->given->parameter[i][s] : parameter_of(options, law->method, i);
  }
  return true;
}

const sb_law_method *sb_law_method_of(const sb_options *options)
{
  const sb_list *known = sb_option_list(SB_ID(law), sb_options_vocabulary(options));
  const bool     extended = known && known->title == sb_laws.title; /* a list of tests may stand in */
  const void    *method = sb_list_find(extended ? known : &sb_laws, SB_TEXT(options, law));
  return method ? method : &sb_law_hooke;
}

size_t sb_law_columns(const sb_options *options, sb_number_column column[SB_COLUMNS_MAX])
{
  static const sb_number_column first[SB_SPRING_LAW] = {
      {"first", true, true}, {"second", true, true}, {"stiffness", false, false}, {"rest_length", false, false}};
  const sb_law_method *own = sb_law_method_of(options);
  size_t               count = SB_SPRING_LAW;
  memcpy(column, first, sizeof first);
  for (int others = 0; others < 2; ++others)
    for (size_t n = 0; n < sb_law_method_count(); ++n) {
      const sb_law_method *law = sb_law_method_at(n);
      for (int i = 0; i < SB_LAW_PARAMETERS && law->parameter[i] && (law != own) == others; ++i)
        column[count++] = (sb_number_column){sb_option_at(law->parameter[i])->name, false, false};
    }
  return count;
}

static void widen(sb_law_bounds *bounds, sb_law_bounds by)
{
  bounds->least = fmin(bounds->least, by.least);
  bounds->most = fmax(bounds->most, by.most);
  bounds->softens = bounds->softens || by.softens;
}

sb_law_bounds sb_law_bounds_of(const sb_options *options)
{
  const sb_law_method *method = sb_law_method_of(options);
  sb_number_column     column[SB_COLUMNS_MAX];
  sb_number_table      table = {0};
  double               parameter[SB_LAW_PARAMETERS];
  for (int i = 0; i < SB_LAW_PARAMETERS; ++i) parameter[i] = parameter_of(options, method, i);
  sb_law_bounds bounds = bounds_at(method, parameter);
  if (!method->parameter[0] || *SB_TEXT(options, spring_data) == '\0') return bounds;
  const size_t columns = sb_law_columns(options, column);
  if (sb_number_table_read(SB_TEXT(options, spring_data), column, columns, (sb_location){0}, NULL, &table))
    for (size_t row = 0; row < table.rows; ++row) {
      for (int i = 0; i < SB_LAW_PARAMETERS; ++i)
        if (table.has[SB_SPRING_LAW + i] && method->parameter[i])
          parameter[i] = table.value[columns * row + SB_SPRING_LAW + (size_t)i];
      widen(&bounds, bounds_at(method, parameter));
    }
  sb_number_table_clear(&table);
  return bounds;
}

bool sb_law_create(const sb_options *options, const sb_springs *springs, sb_diagnostics *diagnostics, sb_law **law)
{
  const sb_law_method *method = sb_law_method_of(options);
  *law = NULL;
  if (method == &sb_law_hooke && SB_REAL(options, damping_in_step) == 0) return true;
  sb_law *made = calloc(1, sizeof *made);
  if (!made) return false;
  *law = made;
  made->method = method;
  made->given = springs;
  made->bounds = sb_law_bounds_of(options);
  if (method->state_bytes > 0 && !(made->state = calloc(1, method->state_bytes))) return false;
  if (method->prepare && !method->prepare(made->state, options, diagnostics)) return false;
  if (!allocate(made) || !take_parameters(made, options)) return false;
  take_bounds(made);
  return true;
}

void sb_law_destroy(sb_law **law)
{
  sb_law *old = *law;
  if (!old) return;
  if (old->method->destroy && old->state) old->method->destroy(old->state);
  free(old->state);
  for (int i = 0; i < SB_LAW_PARAMETERS; ++i) free(old->parameter[i]);
  free(old->tangent.stiffness);
  free(old->tangent.rest_length);
  free(old->start);
  free(old->length);
  free(old->energy);
  free(old->first);
  free(old->second);
  free(old->bound);
  free(old->lane);
  sb_bands_destroy(&old->bands);
  free(old);
  *law = NULL;
}

/* The plan is made of the springs' numbers in place of their stiffness, and thus has them by lanes. */
bool sb_law_plan(sb_law *law, int vertices, int summed, const int *row, int threads)
{
  sb_springs numbers = law->tangent;
  sb_bands_destroy(&law->bands);
  free(law->lane);
  law->lane = NULL;
  if (law->bounds.softens) return true;
  for (int s = 0; s < numbers.count; ++s) numbers.stiffness[s] = s;
  if (!sb_bands_create(&numbers, vertices, summed, row, threads, &law->bands)) return false;
  if (!law->bands) return true;
  const size_t lanes = SB_BAND_BLOCK * (size_t)law->bands->tile_start[law->bands->tiles];
  law->lane = malloc((lanes + 1) * sizeof *law->lane);
  if (!law->lane || !sb_bands_take_pulls(law->bands)) return false;
  for (size_t n = 0; n < lanes; ++n) law->lane[n] = isnan(law->bands->pull[n]) ? -1 : (int)law->bands->stiffness[n];
  return true;
}

void sb_law_set_damping(sb_law *law, double damping)
{
  if (damping == law->damping) return;
  law->damping = damping;
  take_bounds(law);
}

static void measure(const sb_law *law, const double *restrict position, double *restrict length)
{
  const sb_springs *springs = law->given;
  for (int s = 0; s < springs->count; ++s) {
    const double *a = position + 3 * (long)springs->first[s], *b = position + 3 * (long)springs->second[s];
    const double  x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    length[s] = sqrt(x * x + y * y + z * z);
  }
}

void sb_law_begin_step(sb_law *law, const double *position)
{
  if (law->damping > 0) measure(law, position, law->start);
}

/* E' and E'' += those of damping. */
static inline void add_damping(const sb_law *law, int s, double length, double *first, double *second)
{
  const double k = law->damping * law->given->stiffness[s];
  *first += k * (length - law->start[s]);
  *second += k;
}

const char *sb_law_failure(const sb_law *law)
{
  return law->method->failure ? law->method->failure(law->state) : NULL;
}

void sb_law_slopes(sb_law *law, int spring, double length, double *first, double *second)
{
  evaluate(law, 1, spring, &length);
  *first = law->first[spring];
  *second = law->second[spring];
  add_damping(law, spring, length, first, second);
}

static void evaluate_at(sb_law *law, const double *position)
{
  measure(law, position, law->length);
  evaluate(law, law->given->count, 0, law->length);
  for (int s = 0; s < law->given->count; ++s) add_damping(law, s, law->length[s], law->first + s, law->second + s);
}

static void spread(const sb_law *law)
{
  sb_bands *bands = law->bands;
  if (!bands) return;
  const size_t lanes = SB_BAND_BLOCK * (size_t)bands->tile_start[bands->tiles];
  for (size_t n = 0; n < lanes; ++n) {
    const int s = law->lane[n];
    if (s < 0) continue;
    bands->stiffness[n] = law->tangent.stiffness[s];
    bands->rest_length[n] = law->tangent.rest_length[s];
    bands->pull[n] = bands->stiffness[n] * bands->rest_length[n];
    if (bands->counted != bands->stiffness) bands->counted[n] = law->given->counted[s] ? bands->stiffness[n] : 0;
  }
}

/* l* = r - E'/k*, k* being p. A spring of length 0 has no direction: the kernels need any k and l of it. */
static inline void put(const sb_law *law, int s, double p)
{
  const double r = law->length[s];
  law->tangent.stiffness[s] = r == 0 ? law->bound[s] : p;
  law->tangent.rest_length[s] = r == 0 ? law->given->rest_length[s] : p == 0 ? r : r - law->first[s] / p;
}

void sb_law_take_tangents(sb_law *law, double negative, const double *position)
{
  static const double least = 0x1p-26;
  evaluate_at(law, position);
  for (int s = 0; s < law->given->count; ++s) {
    const double p = law->second[s] < 0 ? negative * law->second[s] : law->second[s];
    put(law, s, p == 0 && law->first[s] != 0 ? least * fabs(law->first[s]) / law->length[s] : p);
  }
  spread(law);
}

void sb_law_take_pulls(sb_law *law, const double *position)
{
  evaluate_at(law, position);
  for (int s = 0; s < law->given->count; ++s) put(law, s, law->bound[s]);
  spread(law);
}

double sb_law_energy(sb_law *law, bool damped, const double *position)
{
  double sum = 0;
  measure(law, position, law->length);
  evaluate(law, law->given->count, 0, law->length);
  for (int s = 0; s < law->given->count; ++s) {
    const double way = law->length[s] - law->start[s], k = damped ? law->damping * law->given->stiffness[s] : 0;
    sum += law->given->counted[s] * (law->energy[s] + 0.5 * k * way * way);
  }
  return sum;
}

/* True if slope[3 i + 1] is that of three values at distances d, to 1e-5 of it and of the scale. */
static bool are_slopes(int count, const double *of, const double *slope, double d, double scale)
{
  for (int i = 0; i < count; ++i) {
    const double quotient = (of[3 * i + 2] - of[3 * i]) / (2 * d);
    if (!(fabs(quotient - slope[3 * i + 1]) <= 1e-5 * (fabs(slope[3 * i + 1]) + scale))) return false;
  }
  return true;
}

enum { PLACES = 7, SAMPLES = 16 };

/* Says what is wrong with the numbers at length i; NULL if nothing is. */
static const char *wrong_number(const sb_law_bounds *bounds, const sb_law_points *p, int i)
{
  const double k = p->stiffness[i], first = p->first[i], second = p->second[i], slack = 1e-9 * k;
  if (!isfinite(p->energy[i]) || !isfinite(first) || !isfinite(second)) return "no finite E, E' and E''";
  if (second < bounds->least * k - slack) return "E'' is negative";
  if (second > bounds->most * k + slack) return "E'' is above its claimed bound";
  return !bounds->softens && first / p->length[i] > second + slack ? "E'' is less than E'/r" : NULL;
}

/* At lengths around the rest length of one spring. */
static bool check_spring(const sb_options *options, const sb_law *law, double k, double l, sb_diagnostics *diagnostics)
{
  static const double part[PLACES] = {0.317, 0.713, 0.9371, 1.00173, 1.0391, 1.271, 1.913};
  double              r[3 * PLACES], rest[3 * PLACES], stiffness[3 * PLACES], result[3][3 * PLACES];
  const double        d = 1e-5 * l;
  const char         *name = law->method->name;
  for (int i = 0; i < 3 * PLACES; ++i) {
    r[i] = part[i / 3] * l + (i % 3 - 1) * d;
    rest[i] = l;
    stiffness[i] = k;
  }
  const sb_law_points points = {3 * PLACES, r, stiffness, rest, {NULL}, result[0], result[1], result[2]};
  law->method->evaluate(law->state, &points);
  const bool  force = are_slopes(PLACES, result[0], result[1], d, 1e-3 * k * l), own = law->method->digest;
  const bool  good = force && are_slopes(PLACES, result[1], result[2], d, 1e-3 * k);
  sb_location where = sb_options_location(options, SB_OPT_law);
  if (sb_law_failure(law)) return sb_error_at(diagnostics, where, "E106", "law '%s': %s", name, sb_law_failure(law));
  for (int i = 0; i < 3 * PLACES; ++i) {
    const char *wrong = wrong_number(&law->bounds, &points, i);
    if (wrong)
      return sb_error_at(diagnostics, where, "E106", "law '%s': %s at a length of %g m, for k = %g N/m and l = %g m",
                         name, wrong, r[i], k, l);
  }
  if (!good && !own) where = sb_options_location(options, force ? SB_OPT_law_stiffness : SB_OPT_law_force);
  return good || sb_error_at(diagnostics, where, "E106",
                             "law '%s': %s is not the slope of %s at lengths around %g m, the rest length of a spring "
                             "with k = %g N/m",
                             name, force ? (own ? "E''" : "law_stiffness") : (own ? "E'" : "law_force"),
                             force ? (own ? "E'" : "law_force") : (own ? "E" : "law_energy"), l, k);
}

bool sb_law_check_start(const sb_options *options, const sb_springs *springs, sb_diagnostics *diagnostics)
{
  const int        count = springs->count;
  const sb_springs none = {0};
  sb_law          *law = NULL;
  bool             good = sb_law_create(options, &none, diagnostics, &law);
  const bool       other = law && law->method != &sb_law_hooke;
  for (int s = 0; good && other && s < count; ++s)
    if (springs->rest_length[s] == 0)
      good = sb_error_at(diagnostics, sb_options_location(options, SB_OPT_law), "E205",
                         "law '%s' needs rest lengths of more than 0 m; spring %d has none", law->method->name, s);
  for (int n = 0; good && other && law->method->prepare && n < SAMPLES && n < count; ++n) {
    const int s = count < SAMPLES ? n : (int)((int64_t)n * count / SAMPLES);
    if (springs->stiffness[s] > 0)
      good = check_spring(options, law, springs->stiffness[s], springs->rest_length[s], diagnostics);
  }
  sb_law_destroy(&law);
  return good;
}
