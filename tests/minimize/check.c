/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refusals of minimisers before anything is built, with their reasons; and combinations that are not refused. */
#include "tests/minimize/world.h"

#include <stdio.h>
#include <string.h>

#include "tests/lists.h"

typedef struct {
  const char *pairs;
  const char *message[3]; /* parts of it; NULL: nothing is refused */
} expectation;

static const expectation expectations[] = {
    {"integrator=implicit_euler;pin_method=row_replace", {"row_replace", "linear 'cholesky'", "lu"}},
    {"integrator=implicit_euler;pin_method=row_replace;linear=lu", {NULL}},
    {"integrator=implicit_euler;pin_method=row_replace;linear=petsc", {NULL}},
    {"integrator=implicit_euler;pin_method=penalty;hessian=adaptive", {NULL}},
    {"integrator=implicit_euler;pin_method=row_replace;linear=petsc;petsc=-ksp_type gmres -pc_type ilu", {NULL}},
    {"integrator=implicit_euler;pin_method=row_replace;linear=petsc;petsc=-ksp_type cg -pc_type icc",
     {"not symmetric", "'icc'", "reduce"}},
    {"integrator=implicit_euler;pin_method=row_replace;linear=petsc;petsc=-pc_type bjacobi -sub_pc_type cholesky",
     {"not symmetric", "'cholesky'", "ilu"}},
    {"integrator=implicit_euler;pin_method=row_replace;linear=petsc;petsc=cg_icc -ksp_rtol 1e-6",
     {"not symmetric", "'icc'", "gmres_ilu"}},
    {"integrator=implicit_euler;pin_method=row_replace;linear=petsc;petsc=cg_icc -sub_pc_type ilu", {NULL}},
    {"integrator=implicit_euler;pin_method=row_replace;linear=petsc;petsc=gmres_ilu", {NULL}},
    {"integrator=implicit_euler;linear=petsc;petsc=-ksp_type cg -pc_type icc", {NULL}},
    {"driver=statics;pin_method=row_replace", {"row_replace", "cholesky", "lu"}},
    {"integrator=symplectic_euler;pin_method=row_replace", {NULL}},
    {"integrator=implicit_euler;pin_method=row_replace;linear=lu;hessian=adaptive",
     {"hessian 'adaptive'", "row_replace", "projected"}},
    {"integrator=implicit_euler;pin_method=row_replace;linear=lu;hessian=blended", {"blended", "exact", "reduce"}},
    {"integrator=implicit_euler;pin_method=row_replace;linear=lu;hessian=blended;minimizer=local_global", {NULL}},
    {"integrator=implicit_euler;pin_method=constraint_force", {"constraint_force", "linear 'cholesky'", "lu"}},
    {"integrator=implicit_euler;pin_method=constraint_force;linear=lu", {NULL}},
    {"integrator=implicit_euler;pin_method=constraint_force;linear=petsc;petsc=cg_icc",
     {"constraint_force", "'icc'", "gmres_ilu"}},
    {"integrator=implicit_euler;pin_method=constraint_force;linear=lu;hessian=blended",
     {"constraint_force", "exact", "reduce"}},
    {"integrator=implicit_euler;contact=penalty;contact_implicit=true", {NULL}},
    {"integrator=implicit_euler;contact=penalty;contact_implicit=true;minimizer=local_global",
     {"its matrix is constant", "through y", "newton"}},
    {"integrator=implicit_euler;contact=combined;contact_implicit=true;minimizer=local_global",
     {"local_global", "contact_implicit", "false"}},
    {"integrator=implicit_euler;contact=combined;contact_implicit=false;minimizer=local_global", {NULL}},
    {"integrator=implicit_euler;self_contact=barrier;minimizer=local_global",
     {"local_global", "self_contact", "newton"}},
    {"integrator=implicit_euler;self_contact=barrier", {NULL}},
    {"integrator=implicit_euler;self_contact=barrier;step=armijo", {NULL}},
    {"integrator=implicit_euler;self_contact=barrier;step=unit", {"step=unit", "barrier", "leave it out"}},
    {"integrator=implicit_euler;contact=cancel_velocity;contact_implicit=true;minimizer=local_global", {NULL}},
    {"integrator=implicit_euler;minimizer=frozen_newton", {NULL}},
    {"integrator=implicit_euler;minimizer=frozen_newton;step=unit",
     {"metric 'frozen' with step 'unit'", "whole steps may rise", "choices: armijo along"}},
    {"integrator=implicit_euler;minimizer=anderson;metric=frozen", {"metric 'frozen' with step 'guard'"}},
};

/* Drivers and integrators with a minimiser, and without one. */
static const sb_vocabulary methods = TEST_VOCABULARY(
    TEST_LIST("drivers", TEST_ENTRY("trajectory", .uses = "integrator"), TEST_ENTRY("statics", .uses = "minimizer")),
    TEST_LIST("integrators", TEST_ENTRY("symplectic_euler"),
              TEST_ENTRY("implicit_euler", .uses = "minimizer pin_method")));

static void check(const expectation *expected)
{
  const sb_location where = {.file = "test"};
  sb_options       *options = sb_options_create(&methods);
  sb_diagnostics   *diagnostics = sb_diagnostics_create();
  char              pairs[300], *rest = NULL;
  snprintf(pairs, sizeof pairs, "%s", expected->pairs);
  for (char *pair = strtok_r(pairs, ";", &rest); pair; pair = strtok_r(NULL, ";", &rest))
    assert_true(sb_options_set_pair(options, pair, SB_FROM_USER, where, diagnostics));
  const bool good = sb_minimizer_check(options, diagnostics);
  if (good != !expected->message[0]) fail_msg("%s: %s", expected->pairs, good ? "accepted" : "refused");
  assert_int_equal(sb_diagnostics_errors(diagnostics), good ? 0 : 1);
  for (int p = 0; p < 3 && expected->message[p]; ++p) {
    const char *message = sb_diagnostics_message(diagnostics, 0);
    if (!strstr(message, "E106") || !strstr(message, expected->message[p]))
      fail_msg("%s: '%s' has no '%s'", expected->pairs, message, expected->message[p]);
  }
  sb_diagnostics_destroy(&diagnostics);
  sb_options_destroy(&options);
}

static void test_combinations(void)
{
  for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; ++i) check(&expectations[i]);
}

/* Those who skip the check are stopped when the minimiser is made. */
static void test_minimizer_is_not_made(void)
{
  world w;
  world_open_bare(&w, PETSC_COMM_SELF, "scene=cloth;grid=2;h=0.01;pin_method=row_replace;linear=cholesky");
  OK(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  assert_int_equal(sb_minimizer_create(w.system, w.options, w.h, "", &w.minimizer), PETSC_ERR_USER);
  OK(PetscPopErrorHandler());
  assert_null(w.minimizer);
  world_close(&w);
}

PETSC_TEST_MAIN(test_combinations, test_minimizer_is_not_made)
