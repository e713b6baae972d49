/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys: what makes two cases the same. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cases/describe/names.h"
#include "tests/all_lists.h"
#include "tests/harness/plan_of.h"

/* Tells the author of a new option, or of another default, which one changed the key and what to do. */
static void tell_difference(const char *made, const char *expected)
{
  size_t same = 0;
  while (made[same] && made[same] == expected[same]) ++same;
  if (!made[same] && !expected[same]) return;
  while (same > 0 && made[same] != ',') --same;
  print_error(
      "The key of every case has changed, from this option on:\n  %.60s\nIt was:\n  %.60s\nResults of users and "
      "published ones would be run again. Give a new option no preset (NULL in base/options.def, as "
      "relative_perturbation has), and leave defaults as they are. If the key must change, `format` becomes 2, and "
      "the changelog says so.\n",
      made + same, expected + same);
}

/* Independently computed, by another program from base/options.def: every option that has a value, those that nobody
 * gave too, by its shortest text; sha256 of that. */
static void test_golden_key(void)
{
  static const char expected[] =
      "{\"format\":1,\"options\":{\"admm_weight\":\"0.25\",\"air_resistance\":\"0\","
      "\"air_velocity\":\"[0,0,0]\",\"allow_zero_length\":\"false\",\"allow_zero_rest\":\"false\","
      "\"blowup_ratio\":\"100\",\"budget\":\"0\",\"cg_hessian\":\"projected\","
      "\"cg_max_iterations\":\"500\",\"chebyshev_delay\":\"10\",\"chebyshev_high\":\"auto\","
      "\"chebyshev_interval\":\"symmetric\",\"chebyshev_low\":\"auto\",\"chebyshev_over\":\"jacobi\","
      "\"chebyshev_relaxation\":\"1\",\"chebyshev_rho\":\"auto\",\"collider\":\"none\","
      "\"collider_path\":\"none\",\"contact\":\"none\",\"contact_implicit\":\"false\","
      "\"contact_stiffness\":\"1000\",\"curvature\":\"hessian\",\"damping_rate\":\"0\","
      "\"density_tolerance\":\"0\",\"drag\":\"0.001\",\"driver\":\"blowup\",\"edge_load\":\"0\","
      "\"frame_seconds\":\"1\",\"frames\":\"400\",\"friction\":\"0\",\"gradient_tolerance\":\"auto\","
      "\"gravity\":\"[0,-1,0]\",\"hessian\":\"adaptive\",\"initial_velocity\":\"[0,0,0]\","
      "\"instruction_set\":\"best\",\"integrator\":\"symplectic_euler\",\"jacobi_block\":\"1\","
      "\"jacobi_omega\":\"auto\",\"kernel\":\"machine\",\"laplacian\":\"two_ring\","
      "\"linear\":\"cholesky\",\"linear_max_iterations\":\"10000\",\"linear_tolerance\":\"1e-10\","
      "\"load_direction\":\"[0,1,0]\",\"margin\":\"1\",\"max_iterations\":\"100\","
      "\"measure_frames\":\"last\",\"merge_duplicates\":\"false\",\"mesh_mass\":\"0\","
      "\"minimizer\":\"newton\",\"ncg_formula\":\"polak_ribiere\",\"nodes\":\"16\",\"passes\":\"1\",\"peer\":\"none\","
      "\"perturbation\":\"0\",\"petsc\":\"\",\"petsc_nonlinear\":\"\",\"petsc_ts\":\"\","
      "\"pin_method\":\"reduce\",\"pin_path\":\"none\",\"pin_weight\":\"100000000\",\"pins\":\"first\","
      "\"preconditioner\":\"block_jacobi\",\"pressure_matrix\":\"assembled\","
      "\"pressure_max_iterations\":\"10000\",\"pressure_omega\":\"auto\",\"pressure_shift\":\"0\","
      "\"pressure_solver\":\"projected_gauss_seidel\",\"pressure_start\":\"0.5\","
      "\"pressure_tao\":\"blmvm\",\"pressure_target\":\"constant_density\","
      "\"pressure_tolerance\":\"1e-06\",\"ranks\":\"1\",\"restitution\":\"0\",\"rope_from\":\"[0,200,"
      "0]\",\"rope_to\":\"[-400,200,0]\",\"scene\":\"rope\",\"seed\":\"1\",\"self_contact\":\"none\","
      "\"shifting\":\"0\",\"sor_omega\":\"auto\",\"sor_symmetric\":\"false\",\"spring_damping\":\"0\","
      "\"spring_data\":\"\",\"start\":\"inertial\",\"step\":\"unit\",\"step_length\":\"1\","
      "\"step_tolerance\":\"0\",\"stiffness\":\"100\",\"substeps\":\"9\","
      "\"thickness\":\"0.01\",\"threads\":\"1\",\"vbd_block\":\"projected\",\"vbd_rho\":\"0\","
      "\"velocity_factor\":\"1\",\"verlet_damping\":\"0\",\"vertex_data\":\"\",\"vertex_mass\":\"1\","
      "\"visits\":\"numbered\",\"wind\":\"none\",\"window\":\"5\",\"xpbd_compliance\":\"1\","
      "\"xpbd_momentum\":\"kept\"}}";
  sb_plan *p = plan_of(HEAD "defaults: {scene: rope, frames: 400, drag: 1e-3, substeps: 9}", NULL);
  char    *json = sb_case_json(p->cases[0].options, false, NULL);
  tell_difference(json, expected);
  assert_string_equal(json, expected);
  assert_string_equal(p->cases[0].key, "5e5abd61ff5abc08");
  free(json);
}

static void key_of(const char *settings, char key[SB_KEY_LENGTH + 1])
{
  char text[512];
  snprintf(text, sizeof text, HEAD "defaults: {scene: rope, %s}", settings);
  sb_plan *p = plan_of(text, NULL);
  memcpy(key, p->cases[0].key, SB_KEY_LENGTH + 1);
}

static void test_equal_keys(void)
{
  static const struct {
    const char *one, *other;
    bool        equal;
  } pairs[] = {
      {"drag: 0.1", "drag: 1e-1", true},
      {"drag: 0.1", "drag: 1/10", true},
      {"drag: 0.1", "drag: 0.10000000000000002", false},
      {"drag: -0.0", "drag: 0", true},
      {"gravity: [0, -1, 0]", "gravity: [0.0,-1e0,0]", true},
      {"drag: 0", "drag: 0, save: none", true},
      {"drag: 0, save: 'every:2'", "drag: 0, save: final", true},
      {"drag: 0", "drag: 0, nodes: 16", true}, /* the scene's value, given or not */
      {"drag: 0", "drag: 0, nodes: 17", false},
      {"seed: 1", "seed: 2", false},
      {"ranks: 1", "ranks: 2", false},
      {"threads: 1", "threads: 2", false},
      {"integrator: implicit_euler, petsc: -pc_type jacobi -ksp_type cg",
       "integrator: implicit_euler, petsc: -ksp_type   cg -pc_type jacobi", true},
      {"integrator: implicit_euler, petsc: -pc_type jacobi", "integrator: implicit_euler, petsc: -pc_type sor", false},
      /* one method by two names, as what these stand for is resolved */
      {"minimizer: lbfgs, metric: laplacian, accelerator: none, step: unit",
       "minimizer: gradient_descent, metric: laplacian, accelerator: none, step: unit", true},
      {"minimizer: lbfgs, metric: laplacian, accelerator: lbfgs, step: unit",
       "minimizer: gradient_descent, metric: laplacian, accelerator: none, step: unit", false},
      {"minimizer: local_global, metric: laplacian, accelerator: none, step: unit",
       "minimizer: gradient_descent, metric: laplacian, accelerator: none, step: unit", false},
      {"h: 0.1, duration: 400", "substeps: 10, frames: 400",
       false}, /* frames differ, so what is stored means another */
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
    char one[SB_KEY_LENGTH + 1], other[SB_KEY_LENGTH + 1];
    key_of(pairs[i].one, one);
    key_of(pairs[i].other, other);
    if ((strcmp(one, other) == 0) != pairs[i].equal) fail_msg("%s | %s", pairs[i].one, pairs[i].other);
    assert_int_equal(strspn(one, "0123456789abcdef"), SB_KEY_LENGTH);
  }
}

/* An option that no chosen method `uses` is in the key of a case only if it is not the default. */
static void test_idle_options(void)
{
  const sb_vocabulary vocabulary = TEST_VOCABULARY(
      TEST_LIST("integrators", TEST_ENTRY("symplectic_euler", .uses = NULL), TEST_ENTRY("midpoint", .reads = "passes"),
                TEST_ENTRY("implicit_euler", .uses = "start passes")));
  static const struct {
    const char *given[2];
    bool        named; /* in the key */
  } rows[] = {
      {{"integrator=symplectic_euler", "passes=1"}, false}, /* the default */
      {{"integrator=symplectic_euler", "passes=2"}, true},  {{"integrator=implicit_euler", "passes=1"}, true},
      {{"integrator=midpoint", "passes=1"}, false},         {{"integrator=midpoint", "passes=2"}, true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    sb_options *options = sb_options_create(&vocabulary);
    for (int k = 0; k < 2; ++k)
      assert_true(sb_options_set_pair(options, rows[i].given[k], SB_FROM_USER, (sb_location){0}, NULL));
    char *json = sb_case_json(options, false, NULL);
    if ((strstr(json, "\"passes\":") != NULL) != rows[i].named) fail_msg("row %zu: %s", i, json);
    assert_int_equal(strstr(json, "\"start\":") != NULL, i == 2);
    assert_non_null(strstr(json, "\"seed\":"));
    free(json);
    sb_options_destroy(&options);
  }
}

/* Keys do not depend on the locale. */
static void test_locale(void)
{
  if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8")) skip();
  test_golden_key();
  setlocale(LC_ALL, "C");
}

int main(void)
{
  return RUN_TESTS_WITHIN(NULL, end_sessions, test_golden_key, test_equal_keys, test_idle_options, test_locale);
}
