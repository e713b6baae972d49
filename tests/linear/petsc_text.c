/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of option `petsc`: what is read, refused and held equal. Without PETSc. */
#include "solvers/linear/petsc_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cmocka_all.h"

static const sb_location place = {"sweep.yaml", 7, 12};

/* The first message of checking `text` on `ranks` ranks, copied; "" when it passes. */
static const char *complaint(const char *text, int ranks, char buffer[512])
{
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  const bool      good = sb_petsc_text_check(text, SB_PETSC_LINEAR, ranks, place, diagnostics);
  const char     *message = sb_diagnostics_message(diagnostics, 0);
  assert_int_equal(good, sb_diagnostics_errors(diagnostics) == 0);
  snprintf(buffer, 512, "%s", message ? message : "");
  sb_diagnostics_destroy(&diagnostics);
  return buffer;
}

static void assert_passes(const char *text, int ranks)
{
  char buffer[512];
  assert_string_equal(complaint(text, ranks, buffer), "");
}

/* Refused, with the location, the code and a word. */
static void assert_refused(const char *text, int ranks, const char *code, const char *word)
{
  char        buffer[512];
  const char *message = complaint(text, ranks, buffer);
  if (!strstr(message, code) || !strstr(message, word) || strncmp(message, "sweep.yaml:7:12: error: ", 24) != 0) {
    fail_msg("'%s' gives '%s', without %s or '%s'", text, message, code, word);
  }
}

static void test_good_texts(void)
{
  assert_passes("", 1);
  assert_passes("-ksp_type cg -pc_type icc -ksp_rtol 1e-13", 1);
  assert_passes("  -ksp_type  cg\t-pc_type jacobi ", 4);
  assert_passes("-pc_type bjacobi -sub_pc_type icc -sub_pc_factor_levels 2", 2);
  assert_passes("-ksp_type gmres -ksp_gmres_restart 50 -ksp_gmres_modifiedgramschmidt", 2);
  assert_passes("-pc_type gamg -mg_levels_ksp_type chebyshev -pc_gamg_threshold -0.01", 2);
  assert_passes("-pc_type lu -pc_factor_mat_solver_type mumps -mat_mumps_icntl_7 5", 2);
  assert_passes("-pc_type hypre -pc_hypre_type boomeramg -pc_hypre_boomeramg_strong_threshold 0.25", 2);
  assert_passes("-ksp_max_it 500", 1);
  assert_passes("-ksp_view -ksp_monitor -mg_levels_ksp_monitor_true_residual -ksp_converged_reason -log_view", 2);
  assert_passes("-mat_type sbaij", 1);
  assert_passes("-pc_type gamg -mg_coarse_ksp_convergence_test skip", 1);
  assert_passes("-pc_type gamg -mg_levels_1_esteig_ksp_type gmres -MG_coarse_sub_PC_type lu", 1);
  assert_passes("-pc_type ksp -ksp_ksp_type minres -pc_hypre_boomeramg_P_max 4 -pc_gamg_threshold 0.01,0.02", 1);
  assert_passes("-KSP_VIEW -log_VIEW -Mg_Levels_Ksp_Monitor", 1);
}

/* A preset is its options; those that follow it stand in the place of its own. */
static void test_presets(void)
{
  for (size_t i = 0; i < sb_petsc_preset_count(); ++i) {
    assert_passes(sb_petsc_preset_at(i)->name, 1);
    assert_passes(sb_petsc_preset_at(i)->name, 4);
  }
  static const char *const rows[][2] = {
      {"cg_icc", "-ksp_type cg -pc_type bjacobi -sub_pc_type icc"},
      {"  cg_icc -ksp_rtol 1e-3", "-ksp_rtol 1e-3 -ksp_type cg -pc_type bjacobi -sub_pc_type icc"},
      {"cg_icc -ksp_type minres", "-ksp_type minres -pc_type bjacobi -sub_pc_type icc"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    char *normal = sb_petsc_text_normalize(rows[i][0]);
    assert_string_equal(normal, rows[i][1]);
    free(normal);
  }
  assert_refused("cg_icc -ksp_type cg -ksp_type cr", 1, "E111", "given twice");
}

static void test_dangerous_texts(void)
{
  static const char *const texts[] = {
      "-options_file /tmp/x",
      "-log_view ascii",
      "-log_view :out.txt",
      "-start_in_debugger",
      "-on_error_attach_debugger",
      "-dll_append x.so",
      "-malloc_dump",
      "-help",
      "-options_left",
      "-prefix_push a_",
      "-ksp_view binary",
      "-ksp_view_mat",
      "-ksp_monitor draw",
      "-ksp_monitor_solution",
      "-pc_view",
      "-mat_view",
      "-sub_ksp_monitor :file",
      "-ksp_converged_reason :file",
      "-kspx_view",
      "-log",
      "-pc_mg_dump_matlab",
      "-ksp_plot_eigenvalues",
      "-ksp_python_type a.b",
      "-pc_type python",
      "-ksp_type python",
      "-pc_type shell",
      "-mat_mumps_icntl_22 1",
      "-mat_mumps_ooc_tmpdir d",
      "-ksp_error_if_not_converged",
      "-pc_hypre_boomeramg_print_statistics 1",
      "-ksp_saws_block",
      "-ksp_convergence_test skip",
      "-ksp_converged_use_initial_residual_norm",
      "-ksp_converged_maxits",
      "-mat_mumps_icntl_1 91",
      "-mat_mumps_icntl_2 91",
      "-mat_mumps_icntl_3 91",
      "-mat_mumps_icntl_4 4",
      "-pc_composite_pcs jacobi,shell",
      "-pc_composite_pcs jacobi,Python,sor",
      "-pc_composite_pcs eisenstat,jacobi",
      "-snes_test_jacobian",
      "-npc_snes_fd",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    assert_refused(texts[i], 1, "E111", "is refused: ");
    char longer[256];
    snprintf(longer, sizeof longer, "-ksp_type cg %s", texts[i]);
    assert_refused(longer, 2, "E111", "petsc: ");
    char *other = longer + strlen("-ksp_type cg ");
    for (char *letter = other; *letter && *letter != ' '; letter += 1 + (letter[1] == '_'))
      *letter = (char)toupper((unsigned char)*letter);
    assert_refused(other, 2, "E111", "is refused: ");
  }
}

/* Options that no list has, whatever stands before them; a message names them as they were given. */
static void test_unlisted_texts(void)
{
  static const char *const texts[] = {"-vec_type cuda",
                                      "-sub_log",
                                      "-ksp_compute_eigenvalues",
                                      "-mat_umfpack_prl 6",
                                      "-mat_mumps_icntl_01 9",
                                      "-mat_mumps_icntl_100 9",
                                      "-sub_sub_vec_type mpi",
                                      "-mg_levels_1x_ksp_type cg",
                                      "-ksp_typ cg",
                                      "-no_ksp_type",
                                      "--KSP_type cg",
                                      "-snes_type newtonls",
                                      "-ts_type rk",
                                      "-npc_ksp_type cg",
                                      "-ksp_"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    const bool log = strcmp(texts[i], "-sub_log") == 0;
    assert_refused(texts[i], 1, "E111", log ? "is refused: " : "is not on the list of options that springbench passes");
  }
  assert_refused("--KSP_type cg", 1, "E111", "petsc: --KSP_type is not");
  assert_refused("-KSP_tpye cg", 1, "E111", "; did you mean '-ksp_type'?");
  assert_refused("-ksp_VIEW binary", 1, "E111", "petsc: -ksp_VIEW is refused: it opens a viewer");
  assert_refused("-ksp_type cg --ksp_view_mat", 1, "E111", "--ksp_view_mat is refused");
  assert_refused("-ksp_type cg -Ksp_Type gmres", 1, "E111", "petsc: -ksp_type is given twice");
  assert_refused("cg_icc -Ksp_Rtol 2", 1, "E104", "(0,1)");
  assert_refused("-PC_type icc", 2, "E106", "cannot run on 2 ranks");
  assert_refused("-Ksp_Type CG", 1, "E106", "-Ksp_Type has no value 'CG'");
  char longest[300] = "-";
  while (strlen(longest) < 200) strcat(longest, "sub_");
  assert_refused(strcat(longest, "ksp_type cg"), 1, "E111", "is not on the list");
}

static void test_malformed_texts(void)
{
  assert_refused("cg", 1, "E106", "there is no preset 'cg' (a text begins with an option, or with one of cg_jacobi, ");
  assert_refused("cg_gang -ksp_rtol 1e-3", 1, "E106", "did you mean 'cg_gamg'?");
  assert_refused("-ksp_type cg cg_gamg", 1, "E111", "'cg_gamg' follows no option");
  assert_refused("-ksp_type cg gmres", 1, "E111", "'gmres'");
  assert_refused("--ksp_type cg", 1, "E111", "--ksp_type");
  assert_refused("-kps_type cg", 1, "E111", "-kps_type is not on the list of options");
  assert_refused("-ksp_type cg;ls", 1, "E111", "'cg;ls'");
  assert_refused("-pc_type `ls`", 1, "E111", "letters");
  assert_refused("-pc_type ../x", 1, "E111", "'../x'");
  assert_refused("-ksp_type\xc3\xa9 cg", 1, "E111", "is not on the list");
  assert_refused("-ksp_type cg\ncg", 1, "E111", "letters");
  assert_refused("-ksp_type cg -ksp_type gmres", 1, "E111", "twice");
  assert_refused("-ksp_type cg -pc_type eisenstat", 1, "E111", "sor does the same");
  assert_refused("-ksp_rtol small", 1, "E104", "(0,1)");
  assert_refused("-ksp_rtol 1e-400", 1, "E104", "(0,1)");
  assert_refused("-ksp_rtol nan", 1, "E104", "(0,1)");
  assert_refused("-ksp_rtol 0", 1, "E104", "(0,1)");
  assert_refused("-ksp_rtol", 1, "E104", "(0,1)");
  assert_refused("-ksp_max_it 2.5", 1, "E104", "whole");
  assert_refused("-ksp_max_it 0", 1, "E104", "whole");
}

static void test_all_errors_are_collected(void)
{
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  assert_false(sb_petsc_text_check("-pc_type icc -log_view x -kps_type cg", SB_PETSC_LINEAR, 2, place, diagnostics));
  assert_int_equal(sb_diagnostics_errors(diagnostics), 3);
  sb_diagnostics_destroy(&diagnostics);
  assert_false(sb_petsc_text_check("-log_view x", SB_PETSC_LINEAR, 1, place, NULL));
}

static void test_serial_preconditioners(void)
{
  assert_refused("-ksp_type cg -pc_type icc", 2, "E106", "-pc_type bjacobi -sub_pc_type icc");
  assert_refused("-pc_type ilu", 3, "E106", "cannot run on 3 ranks");
  assert_refused("-pc_type lu", 2, "E106", "mumps");
  assert_refused("-pc_type cholesky -pc_factor_mat_solver_type cholmod", 2, "E106", "mumps");
  assert_passes("-pc_type cholesky -pc_factor_mat_solver_type mumps", 2);
  assert_passes("-pc_type icc", 1);
}

static void test_reading(void)
{
  sb_petsc_entry entry;
  double         value = 0.0;
  assert_true(sb_petsc_text_real("-ksp_type cg -ksp_rtol 1e-13", "-ksp_rtol", &value));
  assert_true(value == 1e-13);
  assert_false(sb_petsc_text_real("-ksp_rtol_x 1e-13", "-ksp_rtol", &value));
  assert_false(sb_petsc_text_find("-sub_ksp_rtol 1e-3", "-ksp_rtol", NULL));
  assert_false(sb_petsc_text_real("-ksp_rtol -pc_type icc", "-ksp_rtol", &value));
  assert_true(sb_petsc_text_real("-KSP_Rtol 1e-3", "-ksp_rtol", &value) && value == 1e-3);
  assert_true(sb_petsc_text_find("-ksp_atol -3", "-ksp_atol", &entry));
  assert_int_equal(entry.value_length, 2);
  assert_memory_equal(entry.value, "-3", 2);
}

static void assert_normal(const char *text, const char *expected)
{
  char *normal = sb_petsc_text_normalize(text);
  assert_non_null(normal);
  assert_string_equal(normal, expected);
  char *again = sb_petsc_text_normalize(normal);
  assert_string_equal(again, expected);
  free(normal);
  free(again);
}

static void test_normal_form(void)
{
  assert_normal("", "");
  assert_normal("   ", "");
  assert_normal("-pc_type icc  -ksp_type\tcg ", "-ksp_type cg -pc_type icc");
  assert_normal("-ksp_type cg -pc_type icc", "-ksp_type cg -pc_type icc");
  assert_normal("-pc_x -pc 1 -a -b 2", "-a -b 2 -pc 1 -pc_x");
  assert_normal("a b", "a b");
  assert_normal("-PC_Type Icc -Ksp_type cg -pc_hypre_boomeramg_P_max 4",
                "-ksp_type cg -pc_hypre_boomeramg_p_max 4 -pc_type Icc");
  assert_normal("cg_icc -KSP_TYPE minres", "-ksp_type minres -pc_type bjacobi -sub_pc_type icc");
}

TEST_MAIN(test_good_texts, test_presets, test_dangerous_texts, test_unlisted_texts, test_malformed_texts,
          test_all_errors_are_collected, test_serial_preconditioners, test_reading, test_normal_form)
