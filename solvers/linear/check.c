/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Combinations that a linear backend cannot work with; see linear_solver.h. */
#include <stdio.h>

#include "solvers/linear/linear_backend.h"
#include "base/option_ids.h"
#include "solvers/linear/linear_solver.h"
#include "solvers/linear/petsc_text.h"

/* "; choices: a, b" for the backends that run on several ranks. */
static void list_parallel(char *text, size_t size)
{
  size_t length = 0, found = 0;
  for (size_t i = 0; i < sb_linear_backend_count() && length < size; ++i) {
    const sb_linear_backend *backend = sb_linear_backend_at(i);
    if (backend->traits & SB_SERIAL_ONLY) continue;
    length += (size_t)snprintf(text + length, size - length, "%s%s", found++ ? ", " : "; choices: ", backend->name);
  }
}

static bool check_backend(const sb_options *options, sb_diagnostics *diagnostics)
{
  const sb_linear_backend *backend = sb_linear_backend_of(options);
  const sb_location        where = sb_options_location(options, SB_OPT_linear);
  char                     choices[256] = "";
  if (!sb_options_read(options, SB_OPT_linear)) return true; /* explicit: nothing is solved */
  if (!backend) return sb_error_at(diagnostics, where, "E106", "unknown linear '%s'", SB_TEXT(options, linear));
  if (backend->missing)
    return sb_error_at(diagnostics, where, "E106", "linear '%s' is not in this build: %s", backend->name,
                       backend->missing);
  if (!(backend->traits & SB_SERIAL_ONLY) || SB_INTEGER(options, ranks) <= 1) return true;
  list_parallel(choices, sizeof choices);
  return sb_error_at(diagnostics, where, "E106", "linear '%s' runs on one rank only%s", backend->name, choices);
}

/* Limits of a solve may be given as options or as PETSc's, but not as both. */
static bool check_limits(const sb_options *options, sb_diagnostics *diagnostics)
{
  static const struct {
    const char  *petsc;
    sb_option_id id;
    const char  *what;
  } limits[] = {{"-ksp_rtol", SB_OPT_linear_tolerance, "tolerance"},
                {"-ksp_max_it", SB_OPT_linear_max_iterations, "limit"}};
  for (size_t i = 0; i < sizeof limits / sizeof *limits && SB_IS(options, linear, "petsc"); ++i)
    if (sb_options_origin(options, limits[i].id) == SB_FROM_USER &&
        sb_petsc_text_find(SB_TEXT(options, petsc), limits[i].petsc, NULL))
      return sb_error_at(diagnostics, sb_options_location(options, SB_OPT_petsc), "E106",
                         "a %s is given twice: %s and %s in petsc", limits[i].what, sb_option_at(limits[i].id)->name,
                         limits[i].petsc);
  return true;
}

bool sb_linear_check(const sb_options *options, sb_diagnostics *diagnostics)
{
  const bool good = sb_petsc_option_check(options, SB_OPT_petsc, diagnostics) && check_limits(options, diagnostics);
  return check_backend(options, diagnostics) && good;
}
