/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Driver `limits`: how near does a kernel come to the limits of the processor?
 *
 * One kernel (option kernel), compiled for one instruction set, runs hot on the case's net. In turns with it the same
 * process measures its bounds: how fast an array as large as its data is read, how many products with a sum, and how
 * many quotients a second there are. No kernel can take less than
 *
 *     bound = max(bytes/bandwidth, operations/peak, quotients/their rate),
 *
 * with the least possible numbers, counted from its data. An array counts once for each time that the algorithm passes
 * over it, whether it is read, written or both. Operations are those of the formulas (a root and a quotient count as
 * one each). With m springs, n vertices, u unknown vertices, and L's entries l with the zeros that panels carry:
 *
 *                    operations          bytes                             quotients
 *     forces         20 m                16 m + 48 n                       m
 *     energy         13 m                16 m + 24 n                       -
 *     local_step     19 m + 6 u          8 m + 24 n + 48 u                 m
 *     step           20 m + 21 n         16 m + 80 n                       m    (symplectic Euler)
 *     hessian        41 m + 3 u          values + springs + plan + 32 n    m
 *     solve          4 l a column        16 l + 16 a row and column        -    (L is read down and up)
 *     factor         sum of squares      8 l + 16 an entry of A's half     -
 *
 * kernel=machine measures no kernel but the roofs themselves: bandwidths of arrays of half of L1, half of L2, eight
 * times L2 and 256 times L2. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/allocate.h"
#include "drivers/limits_kernels.h"
#include "drivers/setup.h"
#include "model/system/assembly.h"
#include "solvers/integrate/fused.h"
#include "solvers/linear/panel_kernels.h"

enum { SAMPLES = 11, LEVELS = 4 };
static const double SAMPLE_SECONDS = 1e-3; /* the shortest sample, reached by repeating */
static const long   READ_NUMBERS_MIN = 1024;

static const sb_limits_kernels *const limits_tables[] = SB_TABLES(sb_limits);
static const sb_band_kernels *const   band_tables[] = SB_TABLES(sb_band);
static const sb_assembly *const       assembly_tables[] = SB_TABLES(sb_assembly);
static const sb_panel_kernels *const  panel_tables[] = SB_TABLES(sb_panel);

static const sb_column columns[] = {
    {"kernel_s", "s", "shortest time of the kernel", .timing = true},
    {"bound_s", "s", "lower bound of the time by the roofline model", .timing = true},
    {"bound_by", "", "roof that gives this bound: bytes, operations or quotients", .timing = true,
     .kind = SB_COLUMN_WORD},
    {"bandwidth", "B/s", "rate of reading an array as large as the kernel's data", .timing = true},
    {"peak", "1/s", "rate of multiply-add operations", .timing = true},
    {"quotient_rate", "1/s", "quotients", .timing = true},
    {"bandwidth_l1", "B/s", "rate of reading an array of half of L1; kernel=machine", .timing = true},
    {"bandwidth_l2", "B/s", "of half of L2", .timing = true},
    {"bandwidth_l3", "B/s", "of eight times L2", .timing = true},
    {"bandwidth_memory", "B/s", "of 256 times L2", .timing = true},
    {"noisy", "", "why the machine was too noisy: rule and value; blank: it was quiet", .timing = true,
     .kind = SB_COLUMN_WORD},
    {"operations", "", "operations of the kernel, counted from its data", .timing = false},
    {"traffic", "B", "least bytes that it reads and writes", .timing = false},
    {"data_bytes", "B", "size of its arrays", .timing = false},
    {"quotients", "", "that it does", .timing = false},
};

typedef struct run run;

typedef struct {
  double operations, traffic, data, quotients;
} counts;

typedef struct {
  const char *name;
  /* Tests the conditions of the kernel and counts the work of kernels of matrices; sets *needs if it cannot run. */
  PetscErrorCode (*create)(run *r, const char **needs);
  void (*call)(run *r);
  bool   blocks;                  /* of its matrix */
  double operations[3], bytes[3]; /* of one of springs: per spring, vertex and unknown vertex */
  double quotients;               /* per spring */
} kernel;

struct run {
  const sb_case           *c;
  sb_recorder             *recorder;
  sb_setup                 setup;
  sb_instruction_set       set;
  const sb_limits_kernels *limits;
  const kernel            *kernel;
  counts                   counts;
  const double            *x;        /* of the net */
  double                  *in, *out; /* [3 vertices] */
  double                   energy;   /* so that it is not left out */
  double                  *array;    /* to read */
  long                     numbers;  /* of it */
  Mat                      matrix;
  sb_csr                   csr;
  sb_assembly_input        assembly;
  double                  *value[2]; /* of the matrix */
  sb_panel_plan            plan;
  sb_panel_factor_arrays   factor;
  sb_fused                *fused;
};

static double springs_of(const run *r) { return r->setup.system->springs.count; }
static double vertices_of(const run *r) { return r->setup.system->owned; }
static double unknowns_of(const run *r) { return r->setup.system->owned_unknown; }

/* Springs. */

static PetscErrorCode create_vectors(run *r, const char **needs)
{
  const size_t numbers = 3 * (size_t)r->setup.system->owned + 1;

  PetscFunctionBeginUser;
  if (!r->setup.system->bands) *needs = "its springs have no bands";
  PetscCall(VecGetArrayRead(r->setup.x, &r->x));
  PetscCall(PetscCalloc2(numbers, &r->in, numbers, &r->out));
  const kernel *k = r->kernel;
  const double  m = springs_of(r), n = vertices_of(r), u = unknowns_of(r);
  const double  bytes = k->bytes[0] * m + k->bytes[1] * n + k->bytes[2] * u;
  r->counts =
      (counts){k->operations[0] * m + k->operations[1] * n + k->operations[2] * u, bytes, bytes, k->quotients * m};
  PetscFunctionReturn(0);
}

static PetscErrorCode create_local_step(run *r, const char **needs)
{
  PetscFunctionBeginUser;
  PetscCall(create_vectors(r, needs));
  PetscCheck(*needs || sb_bands_take_pulls(r->setup.system->bands), PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  PetscFunctionReturn(0);
}

static PetscErrorCode create_step(run *r, const char **needs)
{
  const sb_integrator_setup setup = {
      .system = r->setup.system, .options = r->c->options, .h_seconds = r->c->time.h_seconds, .velocity_factor = 1};

  PetscFunctionBeginUser;
  PetscCall(create_vectors(r, needs));
  PetscCall(sb_fused_create(&setup, SB_FUSED_SYMPLECTIC_EULER, &r->fused));
  if (!r->fused) *needs = "it has other forces than springs, gravity and drag";
  if (!r->fused || *needs) PetscFunctionReturn(0);
  sb_fused_choose(r->fused, r->set);
  r->fused->net.limit = INFINITY;
  r->fused->kernels->take(&r->fused->net, r->x, r->fused->net.bands->position);
  PetscFunctionReturn(0);
}

static void call_forces(run *r) { band_tables[r->set]->forces(r->setup.system->bands, r->x, r->out); }
static void call_energy(run *r) { r->energy += band_tables[r->set]->energy(r->setup.system->bands, r->x); }
static void call_local_step(run *r)
{
  band_tables[r->set]->local_step(r->setup.system->bands, r->x, 1e-4, r->in, r->out);
}
static void call_step(run *r)
{
  bool near;
  r->fused->kernels->advance(&r->fused->net, SB_FUSED_SYMPLECTIC_EULER, 1, &near);
}

/* Matrices. */

static PetscErrorCode create_matrix(run *r)
{
  PetscFunctionBeginUser;
  PetscCall(sb_setup_minimizer_matrix(&r->setup, r->c->time.h_seconds, r->kernel->blocks, &r->matrix));
  PetscCall(sb_csr_open(r->matrix, &r->csr));
  PetscFunctionReturn(0);
}

static PetscErrorCode create_hessian(run *r, const char **needs)
{
  const sb_pattern *pattern;
  const sb_system  *s = r->setup.system;
  const double      m = springs_of(r), n = vertices_of(r), u = unknowns_of(r), h = r->c->time.h_seconds;

  PetscFunctionBeginUser;
  (void)needs; /* any net will do */
  PetscCall(create_matrix(r));
  PetscCall(VecGetArrayRead(r->setup.x, &r->x));
  PetscCall(sb_pattern_place(r->setup.system, &pattern));
  PetscCall(PetscMalloc1(r->csr.start[r->csr.rows] + 1, &r->value[0]));
  r->assembly = (sb_assembly_input){.springs = &s->springs,
                                    .pattern = pattern,
                                    .vertex = s->unknown_vertex,
                                    .position = r->x,
                                    .mass = s->mass,
                                    .negative = SB_HESSIAN_PROJECTED,
                                    .mass_scale = 1 / (h * h)};
  const double plan = sizeof *pattern->addend * (double)pattern->row[pattern->rows].first + sizeof *pattern->row * u;
  const double bytes = 8 * (double)r->csr.start[r->csr.rows] + 24 * m + plan + 32 * n;
  r->counts = (counts){41 * m + 3 * u, bytes, bytes, m};
  PetscFunctionReturn(0);
}

static PetscErrorCode create_factor(run *r, const char **needs)
{
  PetscFunctionBeginUser;
  (void)needs; /* any net will do */
  PetscCall(create_matrix(r));
  PetscCall(sb_panel_plan_create(&r->csr, r->kernel->blocks ? 1 : 3, 1, 0, &r->plan));
  PetscCall(sb_panel_numbers_create(&r->plan, &r->factor));
  const size_t room = 3 * (size_t)r->csr.rows + 1;
  PetscCall(PetscCalloc2(room, &r->in, room, &r->out));
  for (int i = 0; i < 3 * r->csr.rows; ++i) r->in[i] = 1 + i % 7;
  const bool good = sb_panel_factorize(panel_tables[r->set], &r->plan, r->csr.value, &r->factor);
  PetscCheck(good, PETSC_COMM_SELF, PETSC_ERR_USER, "its matrix is not positive definite");
  const double half = (double)r->plan.entry_start[r->plan.panels];
  r->counts = (counts){.operations = r->plan.flops,
                       .traffic = 8 * r->plan.nonzeros + 16 * half,
                       .data = 8 * r->plan.nonzeros + 16 * half};
  PetscFunctionReturn(0);
}

static PetscErrorCode create_solve(run *r, const char **needs)
{
  const double numbers = r->kernel->blocks ? 1 : 3;

  PetscFunctionBeginUser;
  PetscCall(create_factor(r, needs));
  const double l = r->plan.nonzeros, vectors = 16 * numbers * r->plan.rows;
  r->counts = (counts){.operations = 4 * numbers * l, .traffic = 16 * l + vectors, .data = 8 * l + vectors};
  PetscFunctionReturn(0);
}

static void call_hessian(run *r) { assembly_tables[r->set]->assemble(&r->assembly, r->value); }
static void call_factor(run *r) { sb_panel_factorize(panel_tables[r->set], &r->plan, r->csr.value, &r->factor); }
static void call_columns(run *r)
{
  sb_panel_solve_by(panel_tables[r->set]->three, &r->plan, &r->factor, r->in, r->out);
}
static void call_solve(run *r) { sb_panel_solve_by(panel_tables[r->set]->one, &r->plan, &r->factor, r->in, r->out); }

static const kernel kernels[] = {
    {"forces", create_vectors, call_forces, false, {20}, {16, 48}, 1},
    {"energy", create_vectors, call_energy, false, {13}, {16, 24}, 0},
    {"local_step", create_local_step, call_local_step, false, {19, 0, 6}, {8, 24, 48}, 1},
    {"step", create_step, call_step, false, {20, 21}, {16, 80}, 1},
    {"hessian", create_hessian, call_hessian, .blocks = true},
    {"scalar_factor", create_factor, call_factor, .blocks = false},
    {"scalar_solve", create_solve, call_columns, .blocks = false},
    {"block_factor", create_factor, call_factor, .blocks = true},
    {"block_solve", create_solve, call_solve, .blocks = true},
};

/* The timed call, repeated until a sample takes long enough. */

static void call_kernel(run *r, long times)
{
  for (long i = 0; i < times; ++i) r->kernel->call(r);
}
static void call_read(run *r, long times) { r->limits->read(r->array, r->numbers, times); }
static void call_products(run *r, long times) { r->energy += r->limits->products(1000 * times); }
static void call_quotients(run *r, long times) { r->energy += r->limits->quotients(1000 * times); }

typedef struct {
  const char *sample;
  void (*call)(run *r, long times);
  long times;
} timed;

static double seconds_of(run *r, const timed *what)
{
  const double started = sb_clock_seconds();
  what->call(r, what->times);
  return sb_clock_seconds() - started;
}

/* The first call reads memory that has not been touched. */
static void find_times(run *r, timed *what)
{
  seconds_of(r, what);
  while (seconds_of(r, what) < SAMPLE_SECONDS && what->times < 1L << 40) what->times *= 2;
}

static PetscErrorCode take_samples(run *r, timed *what, int count)
{
  PetscFunctionBeginUser;
  for (int i = 0; i < count; ++i) find_times(r, what + i);
  PetscCall(sb_recorder_watch_begin(r->recorder));
  for (int64_t sample = 0; sample < SAMPLES; ++sample) {
    for (int i = 0; i < count; ++i)
      PetscCall(
          sb_recorder_sample(r->recorder, what[i].sample, sample, seconds_of(r, what + i) / (double)what[i].times));
    PetscCall(sb_recorder_watch(r->recorder, sample));
  }
  PetscCall(sb_recorder_watch_end(r->recorder, what->sample));
  PetscFunctionReturn(0);
}

/* A roof is the fastest measurement, as disturbances can only lower it; the same holds for the kernel's time. */
static PetscErrorCode shortest(const run *r, const char *sample, double *seconds)
{
  size_t        count;
  const double *samples;

  PetscFunctionBeginUser;
  *seconds = INFINITY;
  PetscCall(sb_recorder_samples(r->recorder, sample, &count, &samples));
  for (size_t i = 0; i < count; ++i) *seconds = fmin(*seconds, samples[i]);
  PetscFunctionReturn(0);
}

static PetscErrorCode create_array(run *r, double bytes)
{
  const long line = 64;

  PetscFunctionBeginUser;
  free(r->array);
  r->numbers = PetscMax(READ_NUMBERS_MIN, (long)(bytes / sizeof *r->array) / line * line);
  r->array = sb_allocate_lines((size_t)r->numbers * sizeof *r->array);
  PetscCheck(r->array, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  for (long i = 0; i < r->numbers; ++i) r->array[i] = 1;
  PetscFunctionReturn(0);
}

/* Bytes and the operations that bound the time are columns of every case. */
static PetscErrorCode record_rates(const run *r, double *peak, double *quotient_rate)
{
  double seconds;

  PetscFunctionBeginUser;
  PetscCall(shortest(r, "products", &seconds));
  *peak = 2000.0 * r->limits->products_of_round / seconds;
  PetscCall(shortest(r, "quotients", &seconds));
  *quotient_rate = 1000.0 * r->limits->quotients_of_round / seconds;
  PetscCall(SB_RECORD(r->recorder, {"peak", *peak}, {"quotient_rate", *quotient_rate}));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_bound(const run *r)
{
  static const char *const names[] = {"bytes", "operations", "quotients"};
  double                   kernel_seconds, read, peak, quotient_rate;

  PetscFunctionBeginUser;
  PetscCall(shortest(r, "kernel", &kernel_seconds));
  PetscCall(shortest(r, "read", &read));
  PetscCall(record_rates(r, &peak, &quotient_rate));
  const double bandwidth = 8.0 * (double)r->numbers / read;
  const double bound[] = {r->counts.traffic / bandwidth, r->counts.operations / peak,
                          r->counts.quotients / quotient_rate};
  int          highest = 0;
  for (int i = 1; i < 3; ++i)
    if (bound[i] > bound[highest]) highest = i;
  PetscCall(
      SB_RECORD(r->recorder, {"kernel_s", kernel_seconds}, {"bandwidth", bandwidth}, {"bound_s", bound[highest]}));
  PetscCall(sb_recorder_word(r->recorder, "bound_by", names[highest]));
  PetscCall(SB_RECORD(r->recorder, {"operations", r->counts.operations}, {"traffic", r->counts.traffic},
                      {"data_bytes", r->counts.data}, {"quotients", r->counts.quotients}));
  PetscFunctionReturn(0);
}

static PetscErrorCode measure_kernel(run *r)
{
  timed       what[] = {{"kernel", call_kernel, 1},
                        {"read", call_read, 1},
                        {"products", call_products, 1},
                        {"quotients", call_quotients, 1}};
  const char *needs = NULL;

  PetscFunctionBeginUser;
  PetscCall(r->kernel->create(r, &needs));
  if (needs) {
    PetscCall(sb_recorder_status(r->recorder, SB_CASE_SKIPPED, "the kernel does not support this net: %s", needs));
    PetscFunctionReturn(0);
  }
  PetscCall(create_array(r, r->counts.data));
  PetscCall(take_samples(r, what, 4));
  PetscCall(record_bound(r));
  PetscFunctionReturn(0);
}

/* Levels are run one at a time, so that they do not disturb each other. */
static PetscErrorCode measure_machine(run *r)
{
  static const char *const samples[LEVELS] = {"read_l1", "read_l2", "read_l3", "read_memory"};
  static const char *const names[LEVELS] = {"bandwidth_l1", "bandwidth_l2", "bandwidth_l3", "bandwidth_memory"};
  const long               first = sysconf(_SC_LEVEL1_DCACHE_SIZE), second = sysconf(_SC_LEVEL2_CACHE_SIZE);
  const double             l1 = first > 0 ? (double)first : 32768, l2 = second > 0 ? (double)second : 524288;
  const double             sizes[LEVELS] = {0.5 * l1, 0.5 * l2, 8 * l2, 256 * l2};
  timed                    rates[] = {{"products", call_products, 1}, {"quotients", call_quotients, 1}};
  double                   seconds, peak, quotient_rate;

  PetscFunctionBeginUser;
  for (int level = 0; level < LEVELS; ++level) {
    timed what = {samples[level], call_read, 1};
    PetscCall(create_array(r, sizes[level]));
    find_times(r, &what);
    for (int64_t i = 0; i < SAMPLES; ++i)
      PetscCall(sb_recorder_sample(r->recorder, what.sample, i, seconds_of(r, &what) / (double)what.times));
    PetscCall(shortest(r, what.sample, &seconds));
    PetscCall(sb_recorder_real(r->recorder, names[level], 8.0 * (double)r->numbers / seconds));
  }
  PetscCall(take_samples(r, rates, 2));
  PetscCall(record_rates(r, &peak, &quotient_rate));
  PetscFunctionReturn(0);
}

static PetscErrorCode choose(run *r)
{
  const char *name = SB_TEXT(r->c->options, kernel), *set = SB_TEXT(r->c->options, instruction_set);

  PetscFunctionBeginUser;
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i)
    if (strcmp(kernels[i].name, name) == 0) r->kernel = &kernels[i];
  r->set = sb_instruction_set_best();
  for (int i = SB_PORTABLE; i <= (int)SB_AVX512; ++i)
    if (strcmp(sb_instruction_set_name((sb_instruction_set)i), set) == 0) r->set = (sb_instruction_set)i;
  if (r->set > sb_instruction_set_best()) {
    PetscCall(sb_recorder_status(r->recorder, SB_CASE_SKIPPED, "this processor has no %s", set));
    PetscFunctionReturn(0);
  }
  r->limits = limits_tables[r->set];
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(run *r)
{
  PetscFunctionBeginUser;
  if (r->x) PetscCall(VecRestoreArrayRead(r->setup.x, &r->x));
  if (r->matrix) PetscCall(sb_csr_close(r->matrix, &r->csr));
  PetscCall(MatDestroy(&r->matrix));
  PetscCall(PetscFree2(r->in, r->out));
  PetscCall(PetscFree(r->value[0]));
  PetscCall(sb_fused_destroy(&r->fused));
  PetscCall(sb_panel_numbers_destroy(&r->factor));
  PetscCall(sb_panel_plan_destroy(&r->plan));
  PetscCall(sb_setup_destroy(&r->setup));
  free(r->array);
  PetscFunctionReturn(0);
}

static bool check_limits(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics)
{
  (void)pose;
  if (SB_INTEGER(c->options, ranks) == 1) return true;
  return sb_error_at(diagnostics, sb_options_blame(c->options, SB_ID(ranks)), "E106",
                     "driver 'limits' measures one core; set ranks=1");
}

static PetscErrorCode run_limits(const sb_case *c, sb_recorder *recorder)
{
  run r = {.c = c, .recorder = recorder};

  PetscFunctionBeginUser;
  PetscCall(sb_setup_create(c, check_limits, 0, recorder, &r.setup));
  PetscCall(sb_setup_record_frame(&r.setup, recorder, (sb_frame_stamp){0, 0, 0, true}));
  PetscCall(choose(&r));
  if (r.limits && r.kernel) PetscCall(measure_kernel(&r));
  if (r.limits && !r.kernel) PetscCall(measure_machine(&r));
  PetscCall(destroy(&r));
  PetscFunctionReturn(0);
}

const sb_driver sb_driver_limits = {
    .name = "limits",
    .summary = "time of one kernel, and its bound on this machine",
    .uses = "kernel instruction_set",
    SB_COLUMNS(columns),
    .still = true,
    .check = check_limits,
    .run = run_limits,
};
