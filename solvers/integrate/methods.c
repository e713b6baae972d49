/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of time integrators; see integrator_method.h. */
#include <math.h>

#include "base/springbench_plugin.h"
#include "solvers/integrate/integrator_method.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/linear/petsc_text.h"
#include "solvers/minimize/minimizer_method.h"

#define SB_ENTRY(name) extern const sb_integrator_method sb_integrator_##name;
#include "solvers/integrate/integrators.def"
#undef SB_ENTRY

static const sb_entry *const entries[] = {
#define SB_ENTRY(name) &sb_integrator_##name.entry,
#include "solvers/integrate/integrators.def"
#undef SB_ENTRY
};

static void describe(const sb_entry *entry, sb_description *d)
{
  const sb_integrator_method *m = (const void *)entry;
  const unsigned              t = m->traits;
  const bool                  converges = m->order_position != 0 || m->order_velocity != 0;
  const double                limit = m->stability_limit;
  sb_describe_claim(d, !converges, "no order of convergence is claimed");
  sb_describe_claim(d, converges && m->order_braked == 0, "converges with order %d in position, %d in velocity",
                    m->order_position, m->order_velocity);
  sb_describe_claim(d, converges && m->order_braked != 0,
                    "converges with order %d in position, %d in velocity; with order %d under drag, dampers or air",
                    m->order_position, m->order_velocity, m->order_braked);
  sb_describe_claim(d, isnan(limit), "no limit of stability is claimed");
  sb_describe_claim(d, isinf(limit), "stable at any step");
  sb_describe_claim(d, isfinite(limit) && limit > 0, "stable for h omega < %.10g", limit);
  sb_describe_claim(d, limit <= 0, "unstable at any step without damping");
  sb_describe_claim(d, t & SB_SYMPLECTIC, "symplectic: conserves a shadow energy of linear springs");
  sb_describe_claim(d, t & SB_TIME_SYMMETRIC, "time-symmetric: integrating back returns to the start");
  sb_describe_claim(d, t & SB_CONSERVES_ANGULAR_MOMENTUM, "conserves angular momentum");
  sb_describe_claim(d, t & SB_ENDS_AT_MINIMUM, "implicit: minimises a potential in every step");
  sb_describe_claim(d, (t & (SB_MINIMIZES | SB_ENDS_AT_MINIMUM)) == SB_MINIMIZES,
                    "implicit: minimises a potential in every stage of a step");
  sb_describe_claim(d, t & SB_DISSIPATES, "dissipates: a converged step never raises the energy if it is convex");
  sb_describe_claim(d, t & SB_PROJECTS_LENGTHS, "keeps springs at their lengths: stiffness has no effect");
  sb_describe_claim(d, t & SB_MOVES_PARTICLES, "moves particles of a fluid, not nets");
  sb_describe_claim(d, t & SB_SERIAL_ONLY_INTEGRATOR, "runs on one rank only");
  sb_describe_claim(d, m->claims & SB_PLUGIN_IN_PYTHON, "a class of Python: its times are not those of C");
  sb_describe_claim(d, !(t & SB_UNCOUNTED_STEPS), "its operations are counted%s",
                    t & SB_MINIMIZES ? ", if those of its minimiser are" : "");
  sb_describe_claim(d, t & SB_UNCOUNTED_STEPS, "its operations are not counted: work is unknown");
  sb_describe_claim(d, m->is_another != NULL,
                    "a case that is stopped on its way starts again if petsc_ts is given, else it continues");
}

const sb_list sb_integrators = {
    .family = "integrators",
    .title = "Time integrators",
    .about = "Named by option `integrator`. The conformance suite measures these claims. Limits are on h omega, the "
             "step times the largest natural frequency, without damping. With `damping_rate`, a factor on velocities "
             "per step, every method converges with order 1.",
    SB_LIST_ENTRIES(entries),
    .describe = describe,
};

static bool has_text(const sb_options *options, sb_option_id id)
{
  return sb_options_read(options, id) && *sb_options_text(options, id);
}

const char *sb_integrator_forgets(const sb_options *options)
{
  const unsigned           traits = sb_options_read(options, SB_ID(minimizer)) ? sb_minimizer_traits(options) : 0;
  const bool               one_matrix = traits & SB_CONSTANT_MATRIX;
  const sb_linear_backend *backend = sb_options_read(options, SB_ID(linear)) ? sb_linear_backend_of(options) : NULL;
  if (traits & SB_REMEMBERS) return "its minimizer uses data of earlier steps";
  if (backend && backend->digest) return "linear solvers of plug-ins may keep data of earlier steps";
  if (has_text(options, SB_ID(petsc_ts))) return "methods that option petsc_ts names may keep data of earlier steps";
  if (has_text(options, SB_ID(petsc_nonlinear)))
    return "methods that option petsc_nonlinear names may keep data of earlier steps";
  if (has_text(options, SB_ID(petsc)) && sb_petsc_text_remembers(SB_TEXT(options, petsc), one_matrix))
    return "solvers that option petsc names may keep data of earlier steps";
  return NULL;
}

const sb_integrator_method *sb_integrator_method_of(const sb_options *options)
{
  const sb_list *known = sb_option_list(SB_ID(integrator), sb_options_vocabulary(options));
  const bool     extended = known && known->describe == describe; /* a list of tests may stand in */
  return (const void *)sb_list_find(extended ? known : &sb_integrators, SB_TEXT(options, integrator));
}

const sb_integrator_method *sb_integrator_known(const sb_options *options)
{
  const sb_integrator_method *method = sb_integrator_method_of(options);
  const bool                  another = method && method->is_another && method->is_another(options);
  return method && (method->digest || another) ? NULL : method;
}
