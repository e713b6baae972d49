/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangents of laws; see law.h. */
#include "model/forces/law.h"

#include <math.h>
#include <stdlib.h>

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

static void evaluate(sb_law *law, int count, int spring, const double *length)
{
  const sb_law_points points = {.count = count,
                                .length = length,
                                .stiffness = law->given->stiffness + spring,
                                .rest_length = law->given->rest_length + spring,
                                .parameter = law->parameter,
                                .energy = law->energy + spring,
                                .first = law->first + spring,
                                .second = law->second + spring};
  law->method->evaluate(law->state, &points);
}

/* k times the bound of E''/k, or E'' at rest where there is none, and k of damping. */
static void take_bounds(sb_law *law)
{
  evaluate(law, law->given->count, 0, law->given->rest_length);
  for (int s = 0; s < law->given->count; ++s) {
    const double k = law->given->stiffness[s], rest = law->second[s] > 0 ? law->second[s] : k;
    law->bound[s] = (isfinite(law->bounds.most) ? k * law->bounds.most : rest) + law->damping * k;
  }
}

static void read_parameters(const sb_options *options, const sb_law_method *method, double *parameter)
{
  for (int i = 0; i < SB_LAW_PARAMETERS; ++i)
    parameter[i] = method->parameter[i] ? sb_options_real(options, method->parameter[i]) : 0;
}

sb_law_bounds sb_law_bounds_of(const sb_options *options)
{
  const sb_law_method *method = sb_law_method_find(SB_TEXT(options, law));
  double               parameter[SB_LAW_PARAMETERS];
  if (!method) method = &sb_law_hooke;
  read_parameters(options, method, parameter);
  return method->bounds(parameter);
}

bool sb_law_create(const sb_options *options, const sb_springs *springs, sb_diagnostics *diagnostics, sb_law **law)
{
  const sb_law_method *method = sb_law_method_find(SB_TEXT(options, law));
  *law = NULL;
  if (!method || (method == &sb_law_hooke && SB_REAL(options, damping_in_step) == 0)) return true;
  sb_law *made = calloc(1, sizeof *made);
  if (!made) return false;
  *law = made;
  made->method = method;
  made->given = springs;
  read_parameters(options, method, made->parameter);
  made->bounds = method->bounds(made->parameter);
  if (method->state_bytes > 0 && !(made->state = calloc(1, method->state_bytes))) return false;
  if (method->prepare && !method->prepare(made->state, options, diagnostics)) return false;
  if (!allocate(made)) return false;
  take_bounds(made);
  return true;
}

void sb_law_destroy(sb_law **law)
{
  sb_law *old = *law;
  if (!old) return;
  if (old->method->destroy && old->state) old->method->destroy(old->state);
  free(old->state);
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

/* At lengths around the rest length of one spring. */
static bool check_spring(const sb_options *options, const sb_law *law, double k, double l, sb_diagnostics *diagnostics)
{
  static const double part[PLACES] = {0.317, 0.713, 0.9371, 1.00173, 1.0391, 1.271, 1.913};
  double              r[3 * PLACES], rest[3 * PLACES], stiffness[3 * PLACES], result[3][3 * PLACES];
  const double        d = 1e-5 * l;
  for (int i = 0; i < 3 * PLACES; ++i) {
    r[i] = part[i / 3] * l + (i % 3 - 1) * d;
    rest[i] = l;
    stiffness[i] = k;
  }
  const sb_law_points points = {3 * PLACES, r, stiffness, rest, law->parameter, result[0], result[1], result[2]};
  law->method->evaluate(law->state, &points);
  const bool force = are_slopes(PLACES, result[0], result[1], d, 1e-3 * k * l);
  if (force && are_slopes(PLACES, result[1], result[2], d, 1e-3 * k)) return true;
  return sb_error_at(diagnostics, sb_options_location(options, force ? SB_OPT_law_stiffness : SB_OPT_law_force), "E106",
                     "%s is not the slope of %s at lengths around %g m, the rest length of a spring with k = %g N/m",
                     force ? "law_stiffness" : "law_force", force ? "law_force" : "law_energy", l, k);
}

bool sb_law_check_start(const sb_options *options, size_t count, const double *stiffness, const double *rest_length,
                        sb_diagnostics *diagnostics)
{
  const sb_springs none = {0};
  sb_law          *law = NULL;
  bool             good = sb_law_create(options, &none, diagnostics, &law);
  const bool       other = law && law->method != &sb_law_hooke;
  for (size_t s = 0; good && other && s < count; ++s)
    if (rest_length[s] == 0)
      good = sb_error_at(diagnostics, sb_options_location(options, SB_OPT_law), "E205",
                         "law '%s' needs rest lengths of more than 0 m; spring %zu has none", law->method->name, s);
  for (size_t n = 0; good && other && law->method->prepare && n < SAMPLES && n < count; ++n) {
    const size_t s = n * count / SAMPLES < count ? n * count / SAMPLES : n;
    if (stiffness[s] > 0) good = check_spring(options, law, stiffness[s], rest_length[s], diagnostics);
  }
  sb_law_destroy(&law);
  return good;
}
