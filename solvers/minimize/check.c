/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Combinations that a minimiser, or its linear backend, cannot work with; see minimizer.h. Each is refused with the
 * reason, at the option the user gave. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/allocate.h"
#include "base/option_ids.h"
#include "base/words.h"
#include "model/forces/law.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/linear/petsc_text.h"
#include "solvers/minimize/descent.h"
#include "solvers/minimize/on_device.h"

/* The location to name: the first of two options, unless the user gave only the second. */
static sb_location blame(const sb_options *options, sb_option_id first, sb_option_id second)
{
  const bool other =
      sb_options_origin(options, first) != SB_FROM_USER && sb_options_origin(options, second) == SB_FROM_USER;
  return sb_options_location(options, other ? second : first);
}

/* Lists the backends in this build that have a trait: "a, b". */
static void list_backends(unsigned trait, char *text, size_t size)
{
  size_t length = 0;
  for (size_t i = 0; i < sb_linear_backend_count() && length < size; ++i) {
    const sb_linear_backend *backend = sb_linear_backend_at(i);
    if (backend->missing || !(backend->traits & trait)) continue;
    length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "", backend->name);
  }
}

/* A value among PETSc's options, also those of a preset, that factors symmetric matrices; NULL if there is none. With
 * another matrix, PETSc 3.18's ICC raises its shift without end, so this must be refused. */
static const char *symmetric_factor(const char *petsc)
{
  static const char *const words[] = {"icc", "cholesky"};
  SB_OWNED char           *text = sb_petsc_text_expand(petsc);
  const char              *cursor = text;
  sb_petsc_entry           entry;
  while (sb_petsc_text_next(&cursor, &entry))
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
      if (entry.value_length == strlen(words[i]) && memcmp(entry.value, words[i], entry.value_length) == 0)
        return words[i];
  return NULL;
}

static bool check_factor(const sb_options *options, sb_diagnostics *diagnostics)
{
  const char *word = SB_IS(options, linear, "petsc") ? symmetric_factor(SB_TEXT(options, petsc)) : NULL;
  if (!word) return true;
  return sb_error_at(
      diagnostics, blame(options, SB_ID(petsc), SB_ID(pin_method)), "E106",
      "pin_method '%s' makes matrices that are not symmetric, and PETSc's '%s' factors symmetric ones only; choices: "
      "ilu (preset gmres_ilu), lu, jacobi, or pin_method=reduce or penalty",
      SB_TEXT(options, pin_method), word);
}

static bool is_symmetric(const sb_options *options)
{
  return SB_IS(options, pin_method, "reduce") || SB_IS(options, pin_method, "penalty");
}

/* Rows of the identity, or only of inertia, make a matrix that is not symmetric. */
static bool check_replaced_rows(const sb_options *options, sb_diagnostics *diagnostics)
{
  const sb_linear_backend *backend = sb_linear_backend_of(options);
  char                     choices[128] = "";
  bool                     good = true;
  if (is_symmetric(options)) return true;
  if (sb_minimizer_columns(options) == 0) return true;
  if (backend && !(backend->traits & SB_UNSYMMETRIC)) {
    list_backends(SB_UNSYMMETRIC, choices, sizeof choices);
    good = sb_error_at(diagnostics, blame(options, SB_ID(pin_method), SB_ID(linear)), "E106",
                       "pin_method '%s' makes matrices that are not symmetric, which linear '%s' does not support; "
                       "choices: %s",
                       SB_TEXT(options, pin_method), backend->name, choices);
  }
  if (!check_factor(options, diagnostics)) good = false;
  if (sb_minimizer_traits(options) & SB_ASKS_BACKEND)
    good = sb_error_at(
        diagnostics, blame(options, SB_ID(hessian), SB_ID(pin_method)), "E106",
        "hessian '%s' needs a backend that tests whether a matrix is positive definite; none does for the unsymmetric "
        "matrices of pin_method '%s'; choices: hessian=exact or projected, or pin_method=reduce or penalty",
        SB_TEXT(options, hessian), SB_TEXT(options, pin_method));
  return good;
}

static bool check_contact(const sb_options *options, sb_diagnostics *diagnostics)
{
  const bool pushes = SB_IS(options, contact, "penalty") || SB_IS(options, contact, "combined");
  if (!SB_FLAG(options, contact_implicit) || !pushes || sb_minimizer_traits(options) & SB_IMPLICIT_CONTACT) return true;
  return sb_error_at(diagnostics, blame(options, SB_ID(contact_implicit), SB_ID(minimizer)), "E106",
                     "contact_implicit=true with minimizer '%s': its matrix is constant or excludes contact, which "
                     "enters through y; use minimizer=newton or contact_implicit=false",
                     SB_TEXT(options, minimizer));
}

/* Whole steps by a matrix that does not bound the Hessians of the case's law. */
static const char *refuses_unbounded(const sb_options *options)
{
  sb_triple triple;
  if (isfinite(sb_law_bounds_of(options).most) || !sb_triple_of(options, &triple)) return NULL;
  if (!(triple.metric->traits & SB_MAJORISES) || triple.step->descends || triple.step->compares) return NULL;
  return triple.accelerator->steps && sb_has_word(triple.accelerator->steps, "guard")
             ? "its whole steps need an upper bound of E'', which the law does not have; give step=guard"
             : "its whole steps need an upper bound of E'', which the law does not have; give step=armijo";
}

static bool check_law(const sb_options *options, sb_diagnostics *diagnostics)
{
  const sb_minimizer_method *method = sb_minimizer_method_of(options);
  const bool                 hooke = SB_IS(options, law, "hooke");
  if (!method || (hooke && SB_REAL(options, damping_in_step) == 0)) return true;
  const char *why = method->refuses_law ? method->refuses_law(options) : refuses_unbounded(options);
  if (!why) return true;
  const sb_option_id id = hooke ? SB_ID(damping_in_step) : SB_ID(law);
  return sb_error_at(diagnostics, blame(options, id, SB_ID(minimizer)), "E106", "%s=%s with minimizer '%s': %s",
                     sb_option_at(id)->name, sb_options_text(options, id), SB_TEXT(options, minimizer), why);
}

/* A barrier's Hessian changes with every iteration, and whole steps may lead through other layers. */
static bool check_barrier(const sb_options *options, sb_diagnostics *diagnostics)
{
  if (!SB_IS(options, self_contact, "barrier")) return true;
  if (!(sb_minimizer_traits(options) & SB_BARRIER))
    return sb_error_at(diagnostics, blame(options, SB_ID(self_contact), SB_ID(minimizer)), "E106",
                       "self_contact=barrier with minimizer '%s': its matrix is constant or excludes the barrier's, "
                       "which changes with the near pairs; use minimizer=newton",
                       SB_TEXT(options, minimizer));
  if (SB_IS(options, step, "armijo") || sb_options_origin(options, SB_ID(step)) != SB_FROM_USER) return true;
  return sb_error_at(
      diagnostics, sb_options_location(options, SB_ID(step)), "E106",
      "step=%s with self_contact=barrier, which limits steps itself so that no parts meet and g falls; leave it out",
      SB_TEXT(options, step));
}

/* Methods that visit vertices or springs one after the other. */
static bool check_visits(const sb_options *options, sb_diagnostics *diagnostics)
{
  const unsigned traits = sb_minimizer_traits(options);
  const char    *name = SB_TEXT(options, minimizer);
  bool           good = true;
  if (traits & SB_ONE_RANK && SB_INTEGER(options, ranks) > 1)
    good = sb_error_at(diagnostics, blame(options, SB_ID(ranks), SB_ID(minimizer)), "E106",
                       "minimizer '%s' visits vertices or springs one after the other, on one rank only; use ranks=1, "
                       "or another minimizer",
                       name);
  if (traits & SB_REDUCED_PINS && !SB_IS(options, pin_method, "reduce"))
    good = sb_error_at(
        diagnostics, blame(options, SB_ID(pin_method), SB_ID(minimizer)), "E106",
        "pin_method '%s' with minimizer '%s', for which pinned vertices cannot be unknowns; use pin_method=reduce",
        SB_TEXT(options, pin_method), name);
  return good;
}

typedef struct {
  sb_option_id id;
  const char  *needed;
} need;

static bool check_needs(const sb_options *options, size_t count, const need *needs, sb_diagnostics *diagnostics)
{
  const char *device = SB_TEXT(options, device);
  bool        good = true;
  for (const need *n = needs; n < needs + count; ++n) {
    if (!sb_options_read(options, n->id) || strcmp(sb_options_text(options, n->id), n->needed) == 0) continue;
    good = sb_error_at(diagnostics, blame(options, SB_ID(device), n->id), "E106",
                       "device=%s with %s=%s: devices do not support it; give %s=%s", device, sb_option_at(n->id)->name,
                       sb_options_text(options, n->id), sb_option_at(n->id)->name, n->needed);
  }
  return good;
}

/* On a device, vertices of one colour are visited at once, pinned vertices have no rows, and the number of iterations
 * is fixed. */
static bool check_device(const sb_options *options, sb_diagnostics *diagnostics)
{
  static const need all[] = {{SB_OPT_visits, "colours"}, {SB_OPT_xpbd_momentum, "kept"}, {SB_OPT_pin_method, "reduce"}};
  static const need solving[] = {
      {SB_OPT_chebyshev_over, "jacobi"}, {SB_OPT_chebyshev_high, "auto"}, {SB_OPT_linear_tolerance, "0"}};
  const sb_linear_backend *backend = sb_linear_backend_of(options);
  const char              *device = SB_TEXT(options, device);
  const bool               solves = sb_minimizer_columns(options) > 0;
  char                     choices[128] = "";
  if (!sb_minimizer_has_device(options)) return true;
  if (!(sb_minimizer_traits(options) & SB_ON_DEVICE))
    return sb_error_at(
        diagnostics, blame(options, SB_ID(device), SB_ID(minimizer)), "E106",
        "device=%s with minimizer '%s': devices do not support its matrices; choose newton_cg, a descent with "
        "metric=identity, block_jacobi or laplacian, all with such a preconditioner, or "
        "vertex_block_descent or xpbd with visits=colours",
        device, SB_TEXT(options, minimizer));
  list_backends(SB_RELAXES, choices, sizeof choices);
  if (solves && backend && !(backend->traits & SB_RELAXES))
    return sb_error_at(diagnostics, blame(options, SB_ID(device), SB_ID(linear)), "E106",
                       "device=%s with linear '%s', which devices do not support; choices: %s", device, backend->name,
                       choices);
  const bool good = check_needs(options, sizeof all / sizeof *all, all, diagnostics);
  return (!solves || check_needs(options, sizeof solving / sizeof *solving, solving, diagnostics)) && good;
}

static bool check_triple(const sb_options *options, sb_diagnostics *diagnostics)
{
  sb_triple    triple;
  sb_option_id part = SB_ID(step);
  if (!sb_triple_of(options, &triple)) return true;
  SB_OWNED char *refusal = sb_triple_refusal(&triple, &part);
  if (!refusal) return true;
  return sb_error_at(diagnostics, blame(options, part, SB_ID(accelerator)), "E106", "%s", refusal);
}

/* An explicit step solves no system: options of a solver would be ignored without a message. */
static bool check_unread(const sb_options *options, sb_diagnostics *diagnostics)
{
  if (*SB_TEXT(options, petsc) == '\0' || sb_options_read(options, SB_ID(linear))) return true;
  return sb_error_at(diagnostics, sb_options_location(options, SB_ID(petsc)), "E106",
                     "petsc='%s' with integrator '%s', which does not solve linear systems; leave it out, or choose "
                     "integrator=implicit_euler",
                     SB_TEXT(options, petsc), SB_TEXT(options, integrator));
}

/* Some kinds of Hessian are factored unmodified first, and modified if the factorisation finds them indefinite. */
static bool check_detection(const sb_options *options, sb_diagnostics *diagnostics)
{
  const sb_linear_backend *backend = sb_linear_backend_of(options);
  const bool               by_hessian = sb_options_read(options, SB_ID(hessian));
  char                     choices[256] = "";
  if (!backend || !is_symmetric(options)) return true; /* no backend detects this for matrices that are not symmetric */
  if (backend->traits & SB_DETECTS_INDEFINITE || !(sb_minimizer_traits(options) & SB_ASKS_BACKEND)) return true;
  list_backends(SB_DETECTS_INDEFINITE, choices, sizeof choices);
  return sb_error_at(
      diagnostics, sb_options_location(options, by_hessian ? SB_ID(hessian) : SB_ID(minimizer)), "E106",
      "%s '%s' needs a backend that detects matrices that are not positive definite; linear '%s' does not; choices: %s",
      by_hessian ? "hessian" : "minimizer", by_hessian ? SB_TEXT(options, hessian) : SB_TEXT(options, minimizer),
      backend->name, choices);
}

bool sb_minimizer_check_chosen(const sb_options *options, sb_diagnostics *diagnostics)
{
  bool good = sb_petsc_option_check(options, SB_ID(petsc_nonlinear), diagnostics);
  good = (sb_minimizer_traits(options) & SB_REDUCED_PINS || check_replaced_rows(options, diagnostics)) && good;
  good = check_triple(options, diagnostics) && good;
  good = check_visits(options, diagnostics) && good;
  good = check_law(options, diagnostics) && good;
  good = check_device(options, diagnostics) && good;
  good = check_barrier(options, diagnostics) && good;
  good = check_detection(options, diagnostics) && good;
  return check_contact(options, diagnostics) && good;
}

bool sb_minimizer_check(const sb_options *options, sb_diagnostics *diagnostics)
{
  if (sb_options_read(options, SB_ID(minimizer))) return sb_minimizer_check_chosen(options, diagnostics);
  const bool good = sb_petsc_option_check(options, SB_ID(petsc_nonlinear), diagnostics);
  return check_unread(options, diagnostics) && good;
}

static void derive(sb_options *options, sb_option_id id, const char *value)
{
  if (sb_options_origin(options, id) != SB_FROM_USER)
    sb_options_set(options, id, value, SB_FROM_SCENE, (sb_location){0}, NULL);
}

void sb_minimizer_resolve(sb_options *options)
{
  if (SB_REAL(options, budget) > 0) derive(options, SB_ID(max_iterations), "1000000000"); /* the budget ends it */
  sb_options_apply_defaults(options, SB_ID(minimizer), SB_FROM_SCENE);
  if (SB_IS(options, self_contact, "barrier")) derive(options, SB_ID(step), "armijo");
  derive(options, SB_ID(hessian), sb_hessian_of(options));
}
