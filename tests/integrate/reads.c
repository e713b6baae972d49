/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Methods read the options that they list, and no others. Each method is run with each option that some method owns, at
 * values other than its default. If the case does not read the option, the method does not ask for it, and positions
 * and velocities are the same to the last bit. If it reads it, the method asks for it or the state is another. */
#include "tests/integrate/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/option_ids.h"
#include "base/words.h"
#include "cases/describe/case_options.h"
#include "cases/store/driver.h"
#include "solvers/bounded/bounded_method.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/minimize/descent.h"
#include "tests/all_lists.h"
#include "tests/sample.h"

#define NET     "scene=cloth grid=3 stiffness=100 perturbation=0.05 h=0.01 duration=0.03 "
#define TOUCHES "contact=penalty contact_stiffness=300 collider=sphere:centre=[0.1,0,-0.3],radius=0.6 "
#define FLUID   "scene=taylor_green width=1 depth=1 spacing=0.125 h=0.001 duration=0.003 "

static const sb_vocabulary *lists(void)
{
  static const sb_driver       nets = {.name = "trajectory", .uses = "integrator"};
  static const sb_driver       fluids = {.name = "flow", .uses = "integrator", .particles = true};
  static const sb_entry *const drivers[] = {&nets.entry, &fluids.entry};
  static const sb_list         list = {.family = "drivers", SB_LIST_ENTRIES(drivers)};
  return vocabulary_with(&list);
}

typedef struct {
  bool   runs; /* false: the options are refused */
  bool   asked[SB_OPT_COUNT], read[SB_OPT_COUNT];
  size_t values;
  double state[2 * 3 * 512];
} outcome;

static void keep_state(Vec from, outcome *out)
{
  const double *array;
  PetscInt      count;
  sb_must(VecGetLocalSize(from, &count));
  assert_true(out->values + (size_t)count <= sizeof out->state / sizeof *out->state);
  sb_must(VecGetArrayRead(from, &array));
  memcpy(out->state + out->values, array, (size_t)count * sizeof *array);
  sb_must(VecRestoreArrayRead(from, &array));
  out->values += (size_t)count;
}

static void move(const sb_options *options, const sb_pose *pose, const sb_time_grid *time, outcome *out)
{
  sb_system        *system = NULL;
  sb_integrator    *integrator = NULL;
  sb_advance_report report;
  Vec               x = NULL, v = NULL;
  sb_must(PetscPushErrorHandler(PetscReturnErrorHandler, NULL)); /* of what only a method itself can refuse */
  if (sb_system_create(PETSC_COMM_SELF, pose, options, &system) == 0) {
    sb_must(sb_system_create_full(system, &x));
    sb_must(sb_system_create_full(system, &v));
    sb_must(sb_system_set_state(system, pose, x, v));
    sb_options_record(options, out->asked);
    out->runs = sb_integrator_create(system, options, time->h_seconds, &integrator) == 0 &&
                sb_integrator_advance(integrator, 0, time->steps, x, v, &report) == 0;
    sb_options_record(options, NULL);
    keep_state(x, out);
    keep_state(v, out);
  }
  sb_must(PetscPopErrorHandler());
  sb_must(sb_integrator_destroy(&integrator));
  sb_must(VecDestroy(&x));
  sb_must(VecDestroy(&v));
  sb_must(sb_system_destroy(&system));
}

static bool set_all(sb_options *options, const char *pairs, sb_diagnostics *diagnostics)
{
  SB_OWNED char *text = sb_copy_text(pairs);
  char          *rest = NULL;
  bool           good = true;
  for (char *pair = strtok_r(text, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest))
    good = sb_options_set_pair(options, pair, SB_FROM_USER, (sb_location){.file = "case"}, diagnostics) && good;
  return good;
}

/* value: of option `id`; NULL: its default. */
static void run_case(const char *pairs, sb_option_id id, const char *value, outcome *out)
{
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_options     *options = sb_options_create(lists());
  sb_time_grid    time;
  sb_pose         pose = {0};
  memset(out, 0, sizeof *out);
  assert_true(set_all(options, pairs, diagnostics));
  if ((!value || sb_options_set(options, id, value, SB_FROM_USER, (sb_location){.file = "case"}, diagnostics)) &&
      sb_case_resolve(options, &time, diagnostics) && sb_scene_build(options, &pose, diagnostics)) {
    for (sb_option_id i = 0; i < SB_OPT_COUNT; ++i) out->read[i] = sb_options_read(options, i);
    move(options, &pose, &time, out);
  }
  if (!out->runs && !value) fail_msg("%s: %s", pairs, sb_diagnostics_first_error(diagnostics));
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
  sb_diagnostics_destroy(&diagnostics);
}

/* The n-th value to try for an option; NULL after the last. Values that an option does not take are refused. */
static const char *value_to_try(sb_option_id id, size_t n)
{
  static const char *const numbers[] = {"1", "2", "0", "0.5", "1e-3", "1e5"}, *const flags[] = {"true", "false"},
                           *const texts[] = {"-ksp_type cg -pc_type jacobi -ksp_max_it 1", "-snes_type ngmres",
                                             "-ts_type alpha2"};
  static char                     word[64];
  const sb_option                *option = sb_option_at(id);
  const sb_list                  *list = sb_option_list(id, lists());
  const char                     *range = option->range;
  switch (option->kind) {
  case SB_KIND_BOOL:
    return n < 2 ? flags[n] : NULL;
  case SB_KIND_INTEGER:
  case SB_KIND_REAL:
    return n < sizeof numbers / sizeof *numbers ? numbers[n] : NULL;
  case SB_KIND_TEXT:
    return n < sizeof texts / sizeof *texts ? texts[n] : NULL;
  case SB_KIND_VECTOR:
    return n < 1 ? "[1,2,3]" : NULL;
  case SB_KIND_SELECTION:
    return n < 1 ? "[1]" : NULL;
  default:
    if (list) return sb_list_at(list, n) ? sb_list_at(list, n)->name : NULL;
    if (*range == '@') return NULL;
    for (; n > 0 && *range; --n) range += strcspn(range, "|"), range += *range == '|';
    snprintf(word, sizeof word, "%.*s", (int)strcspn(range, "|"), range);
    return *word ? word : NULL;
  }
}

static bool is_same(const outcome *a, const outcome *b)
{
  return a->values == b->values && memcmp(a->state, b->state, a->values * sizeof *a->state) == 0;
}

/* Bits: the case reads the option; the method asks for it, or its results depend on it. */
enum { READ = 1, USED = 2 };

/* Options that the fronts of solvers ask for whatever the method: only whether they act tells. */
static bool tells(sb_option_id id, const char *set_by_method)
{
  const char *name = sb_option_at(id)->name;
  return !sb_has_word("start linear_tolerance linear_max_iterations pressure_omega", name) &&
         !sb_has_word(set_by_method, name);
}

/* Adds READ and USED to *found. Counts an option that is not read, but used, and names it; one value is enough. */
static size_t try_option(const char *pairs, sb_option_id id, const char *set_by_method, const outcome *usual,
                         unsigned *found)
{
  static outcome changed;
  const char    *name = sb_option_at(id)->name, *preset = sb_option_at(id)->preset;
  size_t         wrong = 0;
  bool           goes_on = true;
  for (size_t n = 0; goes_on && value_to_try(id, n); ++n) {
    SB_OWNED char *value = sb_copy_text(value_to_try(id, n));
    if (preset && strcmp(preset, value) == 0) continue;
    run_case(pairs, id, value, &changed);
    if (!changed.runs) continue;
    const bool asked = changed.asked[id] && tells(id, set_by_method), used = asked || !is_same(usual, &changed);
    *found |= (changed.read[id] ? READ : 0) | (used ? USED : 0);
    goes_on = changed.read[id] && !used;
    if (changed.read[id] || !used) continue;
    print_error("%s: %s=%s is not read, but %s\n", pairs, name, value, asked ? "asked for" : "acts");
    wrong++;
  }
  return wrong;
}

/* Cases of one method, NULL after the last: an option that is read must be used in one of them. */
static size_t check_cases(const char *base, const char *const *cases, const char *set_by_method)
{
  static outcome usual;
  unsigned       found[SB_OPT_COUNT] = {0};
  size_t         wrong = 0;
  for (size_t i = 0; cases[i]; ++i) {
    SB_OWNED char *pairs = sb_format(" %s%s", base, cases[i]);
    run_case(pairs, 0, NULL, &usual);
    for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
      SB_OWNED char *given = sb_format(" %s=", sb_option_at(id)->name);
      if (sb_option_is_owned(id, lists()) && !strstr(pairs, given))
        wrong += try_option(pairs, id, set_by_method, &usual, &found[id]);
    }
  }
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    if (found[id] != READ) continue;
    print_error("%s%s: %s is read, but is not asked for and does not act\n", base, *cases, sb_option_at(id)->name);
    wrong++;
  }
  return wrong;
}

static size_t check_method(const char *base, const char *method)
{
  return check_cases(base, (const char *const[]){method, NULL}, "");
}

static void integrators(void)
{
  size_t wrong = 0;
  for (size_t i = 0; i < sb_integrator_method_count(); ++i) {
    const sb_integrator_method *method = sb_integrator_method_at(i);
    SB_OWNED char              *pairs = sb_format("integrator=%s", method->name);
    if (!(method->traits & (SB_MINIMIZES | SB_MOVES_PARTICLES))) wrong += check_method(NET, pairs);
  }
  wrong += check_method(NET, "integrator=symplectic_euler device=host");
  wrong += check_method(NET, "integrator=position_verlet device=host");
  assert_int_equal(wrong, 0);
}

#define IMPLICIT "integrator=implicit_euler gradient_tolerance=0 "

static void minimizers(void)
{
  static const char *const more[] = {"minimizer=newton max_iterations=4 pin_method=penalty",
                                     "minimizer=newton_cg max_iterations=4 preconditioner=laplacian",
                                     "minimizer=newton_cg max_iterations=4 preconditioner=aggregates"};
  size_t                   wrong = 0;
  for (size_t i = 0; i < sb_minimizer_method_count(); ++i) {
    SB_OWNED char *pairs = sb_format("minimizer=%s max_iterations=12", sb_minimizer_method_at(i)->name);
    if (strcmp(sb_minimizer_method_at(i)->name, "auto") != 0) wrong += check_method(NET TOUCHES IMPLICIT, pairs);
  }
  for (size_t i = 0; i < sizeof more / sizeof *more; ++i) wrong += check_method(NET TOUCHES IMPLICIT, more[i]);
  wrong += check_method(NET IMPLICIT, "minimizer=newton_cg max_iterations=4 device=host");
  assert_int_equal(wrong, 0);
}

/* It has other methods inside, on small nets one, on larger nets three, and sets their options. */
static void automatic(void)
{
  static const char *const cases[] = {"grid=3 stiffness=100", "grid=12 stiffness=100", "grid=12 stiffness=1e7", NULL};
  assert_int_equal(check_cases("scene=cloth perturbation=0.02 h=0.01 duration=0.01 " TOUCHES IMPLICIT
                               "minimizer=auto max_iterations=12 ",
                               cases,
                               "metric accelerator step hessian cg_hessian preconditioner cg_max_iterations window"),
                   0);
}

static void linear_backends(void)
{
  size_t wrong = 0;
  for (size_t i = 0; i < sb_linear_backend_count(); ++i) {
    if (sb_linear_backend_at(i)->missing) continue;
    SB_OWNED char *pairs =
        sb_format("minimizer=newton hessian=projected max_iterations=2 linear=%s", sb_linear_backend_at(i)->name);
    wrong += check_method(NET TOUCHES IMPLICIT, pairs);
  }
  assert_int_equal(wrong, 0);
}

static void pressure_solvers(void)
{
  size_t wrong = 0;
  for (size_t i = 0; i < sb_bounded_method_count(); ++i) {
    SB_OWNED char *pairs = sb_format("pressure_solver=%s", sb_bounded_method_at(i)->name);
    wrong += check_method("driver=flow integrator=isph " FLUID, pairs);
  }
  assert_int_equal(wrong, 0);
}

static void descents(void)
{
  size_t wrong = 0, i = 0;
  for (size_t m = 0; m < sb_metric_count(); ++m)
    for (size_t a = 0; a < sb_accelerator_count(); ++a)
      for (size_t s = 0; s < sb_step_rule_count(); ++s) {
        const sb_triple triple = {sb_metric_at(m), sb_accelerator_at(a), sb_step_rule_at(s)};
        sb_option_id    part;
        SB_OWNED char  *refusal = sb_triple_refusal(&triple, &part);
        SB_OWNED char  *pairs = sb_format("minimizer=newton max_iterations=12 metric=%s accelerator=%s step=%s",
                                          triple.metric->name, triple.accelerator->name, triple.step->name);
        if (!refusal && sb_makes_trial(i++, 16)) wrong += check_method(NET TOUCHES IMPLICIT, pairs);
      }
  assert_int_equal(wrong, 0);
}

PETSC_TEST_MAIN(integrators, minimizers, automatic, linear_backends, pressure_solvers, descents)
