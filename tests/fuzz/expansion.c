/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expansion of blocks of axes, built from bytes: as many cases as the axes' counts say, or a refusal where a zip is
 * uneven or there are none or too many; every case once. */
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/plan_expand.h"
#include "base/option_ids.h"
#include "tests/fuzz/fuzz.h"

enum { AXES_MAX = 8, VALUES_MAX = 300, CASES_MAX = 1000000, VISITED_MAX = 256 };

typedef struct {
  sb_axis     axes[AXES_MAX], overriding[AXES_MAX];
  sb_block    block;
  sb_settings overrides;
  bool        quick;
} request;

static const struct {
  sb_option_id id;
  bool         numeric;
} kinds[AXES_MAX] = {{SB_OPT_nodes, true}, {SB_OPT_linear, false},  {SB_OPT_stiffness, true}, {SB_OPT_COUNT, false},
                     {SB_OPT_drag, true},  {SB_OPT_springs, false}, {SB_OPT_grid, true},      {SB_OPT_gravity, false}};

static sb_axis make_axis(size_t kind, size_t count)
{
  static char        value[] = "1", *values[VALUES_MAX];
  static char        names[AXES_MAX][24];
  static sb_location where[VALUES_MAX];
  for (size_t i = 0; i < count; ++i) values[i] = value;
  const sb_option_id id = kinds[kind].id;
  snprintf(names[kind], sizeof names[kind], "%s", id == SB_OPT_COUNT ? "method" : sb_option_at(id)->name);
  return (sb_axis){.name = names[kind], .id = id, .count = count, .values = values, .where = where};
}

/* Small counts, and now and then large ones. */
static size_t take_count(fuzz_bytes *bytes)
{
  const unsigned byte = fuzz_byte(bytes);
  return byte < 240 ? byte % 7 : fuzz_pick(bytes, VALUES_MAX);
}

static void take_request(fuzz_bytes *bytes, request *r)
{
  const unsigned flags = fuzz_byte(bytes);
  *r =
      (request){.quick = flags & 1, .block = {.zip = flags & 2, .axes = r->axes}, .overrides = {.axes = r->overriding}};
  for (size_t kind = 0; kind < AXES_MAX; ++kind) {
    const unsigned use = fuzz_byte(bytes) % 4;
    if (use & 1) r->axes[r->block.count++] = make_axis(kind, take_count(bytes));
    /* An override has a value at least, by its syntax. */
    if (use & 2) r->overriding[r->overrides.count++] = make_axis(kind, take_count(bytes) + 1);
  }
}

static const sb_axis *find(const sb_axis *axes, size_t count, const sb_axis *wanted)
{
  for (size_t i = 0; i < count; ++i)
    if (axes[i].id == wanted->id) return &axes[i];
  return NULL;
}

static bool is_numeric(const sb_axis *axis)
{
  for (size_t kind = 0; kind < AXES_MAX; ++kind)
    if (kinds[kind].id == axis->id) return kinds[kind].numeric;
  return false;
}

static size_t shortened(size_t count, bool quick) { return quick && count > 2 ? 2 : count; }

/* The zip's length; 0 when its axes differ. */
static size_t zip_length(const request *r)
{
  size_t length = 1;
  bool   numeric = false, even = true;
  for (size_t i = 0; i < r->block.count; ++i) {
    const sb_axis *axis = &r->axes[i];
    if (find(r->overriding, r->overrides.count, axis)) continue;
    numeric = numeric || is_numeric(axis);
    even = even && (axis->count == 1 || length == 1 || axis->count == length);
    if (axis->count != 1) length = axis->count;
  }
  return even ? shortened(length, r->quick && numeric) : 0;
}

static double expected_count(const request *r)
{
  double total = r->block.zip ? (double)zip_length(r) : 1;
  for (size_t i = 0; !r->block.zip && i < r->block.count; ++i) {
    const sb_axis *axis = &r->axes[i], *override = find(r->overriding, r->overrides.count, axis);
    total *= (double)(override ? override->count : shortened(axis->count, r->quick && is_numeric(axis)));
  }
  for (size_t i = 0; i < r->overrides.count; ++i)
    if (r->block.zip || !find(r->axes, r->block.count, &r->overriding[i])) total *= (double)r->overriding[i].count;
  return total;
}

/* Which values a case has, as one number; equal numbers are equal cases. */
static uint64_t code_of(const sb_expansion *expansion, size_t number)
{
  uint64_t code = 0;
  for (size_t i = 0; i < expansion->axis_count; ++i) {
    const size_t value = sb_expansion_value(expansion, number, i);
    fuzz_require(value < expansion->axes[i].axis->count, "a case has values of its axes");
    code = code * 0x9e3779b97f4a7c15u + value + 1;
  }
  return code;
}

static int compare_codes(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void check_cases(const sb_expansion *expansion, sb_arena *arena)
{
  static uint64_t codes[VISITED_MAX];
  const size_t    count = expansion->count < VISITED_MAX ? expansion->count : VISITED_MAX;
  for (size_t n = 0; n < count; ++n) codes[n] = code_of(expansion, n);
  qsort(codes, count, sizeof *codes, compare_codes);
  for (size_t n = 1; n < count; ++n) fuzz_require(codes[n - 1] != codes[n], "every case is there once");
  fuzz_require(*sb_expansion_describe(expansion, expansion->count - 1, arena) || expansion->dimension_count == 0,
               "a case is described");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_bytes     bytes = {data, data + size};
  request        r;
  sb_expansion   expansion;
  sb_session     session = sb_session_begin(NULL);
  const sb_quick quick = {0};
  take_request(&bytes, &r);
  const double expected = expected_count(&r);
  const bool   good = sb_expansion_create(&r.block, &r.overrides, r.quick ? &quick : NULL, &session, &expansion);
  fuzz_require(good == (expected >= 1 && expected <= CASES_MAX), "refused are none, too many, and uneven zips");
  fuzz_require(good == (sb_diagnostics_errors(session.diagnostics) == 0), "a refusal has a message");
  if (good) {
    fuzz_require((double)expansion.count == expected, "the count is the product");
    check_cases(&expansion, session.arena);
  }
  sb_session_end(&session, NULL);
  return 0;
}
