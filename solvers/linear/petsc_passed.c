/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of PETSc's options that are passed on, from petsc_passed.def; see petsc_passed.h. */
#include "solvers/linear/petsc_passed.h"

#include <string.h>

#include "base/nearest_name.h"

enum { SNES = 1 << SB_PETSC_NONLINEAR | 1 << SB_PETSC_TIME, ANY = SNES | 1 << SB_PETSC_LINEAR };
enum { TAO = 1 << SB_PETSC_NONLINEAR, TS = 1 << SB_PETSC_TIME };

static const sb_entry *const entries[] = {
#define SB_PASSED(title, kinds_, names_, inside_, about)                                                               \
  &(const sb_petsc_options){                                                                                           \
      .name = #title, .summary = (about), .names = (names_), .inside = (inside_), .kinds = (kinds_)}                   \
       .entry,
#include "solvers/linear/petsc_passed.def"
#undef SB_PASSED
};

static void describe(const sb_entry *entry, sb_description *d)
{
  const sb_petsc_options *options = (const void *)entry;
  sb_describe_words(d, "options", options->names);
  sb_describe_words(d, "solvers inside", options->inside);
}

const sb_list sb_petsc_passed = {
    .family = "petsc_options",
    .title = "Options of PETSc",
    .about = "The options that texts of `petsc`, `petsc_nonlinear` and `petsc_ts` may have, without their `-`; a name "
             "that ends in `*` is a beginning. Before a name there may be those of solvers inside others, each with a "
             "number or without: `-mg_levels_1_pc_type sor`. The case of letters does not matter. Every other option "
             "of PETSc is refused (E111): it may open files, viewers or connections, run code, or change the process. "
             "So are names with `view`, `monitor`, `print`, `log`, `file` and the like behind a beginning.",
    SB_LIST_ENTRIES(entries),
    .describe = describe,
};

/* Names to suggest; PETSc has some thousand. */
static const char *const common[] = {
    "-ksp_type",
    "-ksp_rtol",
    "-ksp_atol",
    "-ksp_max_it",
    "-ksp_norm_type",
    "-ksp_pc_side",
    "-ksp_gmres_restart",
    "-ksp_monitor",
    "-ksp_view",
    "-pc_type",
    "-pc_factor_levels",
    "-pc_factor_fill",
    "-pc_factor_shift_type",
    "-pc_factor_mat_solver_type",
    "-pc_factor_mat_ordering_type",
    "-pc_sor_omega",
    "-pc_sor_its",
    "-pc_sor_symmetric",
    "-pc_hypre_type",
    "-pc_gamg_type",
    "-pc_gamg_threshold",
    "-pc_gamg_agg_nsmooths",
    "-pc_mg_levels",
    "-pc_mg_cycle_type",
    "-pc_jacobi_type",
    "-mg_levels_ksp_type",
    "-mg_levels_pc_type",
    "-sub_pc_type",
    "-sub_ksp_type",
    "-mat_type",
    "-snes_type",
    "-snes_linesearch_type",
    "-snes_max_it",
    "-snes_rtol",
    "-snes_ngmres_m",
    "-npc_snes_type",
    "-tao_type",
    "-tao_ls_type",
    "-ts_type",
    "-ts_adapt_type",
    "-ts_rk_type",
    "-ts_rosw_type",
    "-ts_bdf_order",
    "-ts_theta_theta",
    "-ts_alpha_radius",
    "-ts_rtol",
    "-ts_atol",
};

const char *sb_petsc_nearest(const char *name)
{
  const char *near = sb_nearest_name(name, common, sizeof common / sizeof *common);
  return near && strcmp(near, name) != 0 ? near : NULL;
}

/* The words of a list that begins at *at: the next one, 0 at the end. */
static size_t next_word(const char **at)
{
  *at += strspn(*at, " ");
  return strcspn(*at, " ");
}

static bool has_name(const char *names, const char *name)
{
  const size_t given = strlen(name);
  for (size_t length; (length = next_word(&names)) > 0; names += length) {
    const bool   begins = names[length - 1] == '*';
    const size_t most = begins ? length - 1 : length;
    if ((begins ? given >= most : given == most) && strncmp(name, names, most) == 0) return true;
  }
  return false;
}

/* Length of "mg_levels_" or "mg_levels_1_" at the beginning of a name; 0: none. */
static size_t inside_at(const char *names, const char *name)
{
  for (size_t length; (length = next_word(&names)) > 0; names += length) {
    if (strncmp(name, names, length) != 0) continue;
    const size_t digits = strspn(name + length, "0123456789");
    return length + (digits > 0 && name[length + digits] == '_' ? digits + 1 : 0);
  }
  return 0;
}

static bool is_plain(const char *name) { return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0'; }

static bool is_passed(const char *name, unsigned kind)
{
  size_t inside;
  do {
    inside = 0;
    for (size_t i = 0; i < sb_petsc_options_count(); ++i) {
      const sb_petsc_options *options = sb_petsc_options_at(i);
      if (!(options->kinds & kind)) continue;
      if (has_name(options->names, name)) return true;
      if (inside == 0 && options->inside) inside = inside_at(options->inside, name);
    }
    name += inside;
  } while (inside > 0);
  return false;
}

bool sb_petsc_is_passed(const sb_petsc_entry *entry, sb_petsc_kind kind)
{
  enum { LONGEST = 128 }; /* more than PETSc's names have */
  char name[LONGEST] = "";
  if (entry->name_length < 2 || entry->name_length > LONGEST) return false;
  memcpy(name, entry->name + 1, entry->name_length - 1);
  return is_plain(name) && is_passed(name, 1u << kind);
}
