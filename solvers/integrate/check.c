/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Combinations that an integrator cannot work with; see integrator.h.
 *
 * An option that the user gives for another integrator is a mistake for any value. An option of the scene or the user
 * that the integrator cannot apply would be ignored in silence, so it is refused, too: at the integrator if the scene
 * set it. */
#include "solvers/integrate/integrator_method.h"

#include <string.h>

#include "base/allocate.h"
#include "base/option_ids.h"
#include "solvers/linear/petsc_text.h"

static bool is_given(const sb_options *options, sb_option_id id)
{
  return sb_options_origin(options, id) == SB_FROM_USER;
}

static bool refuse(const sb_options *options, sb_option_id id, const char *why, sb_diagnostics *diagnostics)
{
  const bool        given = is_given(options, id);
  const sb_location where = sb_options_location(options, given ? id : SB_OPT_integrator);
  const char       *name = sb_option_at(id)->name, *value = sb_options_text(options, id);
  return sb_error_at(diagnostics, where, "E106", "%s=%s%s with integrator '%s': %s", name, value,
                     given ? "" : " of the scene", SB_TEXT(options, integrator), why);
}

/* Options of position_verlet, given for another. */
static bool check_owned_options(const sb_options *options, const sb_integrator_method *method,
                                sb_diagnostics *diagnostics)
{
  static const sb_option_id owned[] = {SB_OPT_passes, SB_OPT_verlet_damping};
  bool                      good = true;
  if (method->traits & SB_PROJECTS_LENGTHS) return true;
  for (size_t i = 0; i < sizeof owned / sizeof *owned; ++i) {
    if (!is_given(options, owned[i])) continue;
    good = refuse(options, owned[i], "only position_verlet reads it; leave it out", diagnostics);
  }
  return good;
}

/* Options without effect in a method without spring forces and without a velocity update. */
static bool check_projection(const sb_options *options, const sb_integrator_method *method, sb_diagnostics *diagnostics)
{
  static const struct {
    sb_option_id id;
    double       off;
    const char  *why;
  } table[] = {
      {SB_OPT_drag, 0, "its recurrence has no drag force; damp by verlet_damping, and give drag=0"},
      {SB_OPT_spring_damping, 0,
       "springs are projected to their lengths and have no forces, nor dampers; give spring_damping=0"},
      {SB_OPT_air_resistance, 0,
       "its recurrence has no forces that depend on velocity; damp by verlet_damping, and give air_resistance=0"},
      {SB_OPT_velocity_factor, 1, "it has its own damping, verlet_damping; give velocity_factor=1"},
      {SB_OPT_damping_in_step, 0,
       "springs are projected to their lengths and have no forces, nor dampers; give damping_in_step=0"},
      {SB_OPT_damping_rate, 0, "it has its own damping, verlet_damping; give damping_rate=0"},
  };
  bool good = true;
  if (!(method->traits & SB_PROJECTS_LENGTHS)) return true;
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    if (sb_options_has(options, table[i].id) && sb_options_real(options, table[i].id) != table[i].off)
      good = refuse(options, table[i].id, table[i].why, diagnostics);
  }
  if (!SB_IS(options, law, "hooke"))
    good = refuse(options, SB_OPT_law, "springs are projected to their lengths and have no forces; leave it out",
                  diagnostics);
  if (SB_IS(options, contact, "penalty") || SB_IS(options, contact, "combined"))
    good = refuse(options, SB_OPT_contact, "its recurrence has no forces, so no penalty; use contact=cancel_velocity",
                  diagnostics);
  return good;
}

/* Explicit methods have friction in the filter on velocities, also of the penalty force; implicit_euler has it in y. */
static bool check_friction(const sb_options *options, const sb_integrator_method *method, sb_diagnostics *diagnostics)
{
  const bool  rubs = SB_REAL(options, friction) > 0, combined = SB_IS(options, contact, "combined");
  const char *reason = rubs && combined && method->refuses_friction ? method->refuses_friction(options) : NULL;
  if (reason) return refuse(options, SB_OPT_friction, reason, diagnostics);
  const bool read = method->traits & SB_ENDS_AT_MINIMUM || SB_IS(options, self_contact, "surfaces");
  if (!rubs || !is_given(options, SB_OPT_friction) || read || !SB_IS(options, contact, "penalty")) return true;
  return refuse(options, SB_OPT_friction,
                "it belongs to the filter on velocities, which contact 'penalty' does not have; choose "
                "contact=cancel_velocity or combined, or integrator=implicit_euler",
                diagnostics);
}

/* Options that only apply to systems of equations. */
static bool check_implicit_options(const sb_options *options, const sb_integrator_method *method,
                                   sb_diagnostics *diagnostics)
{
  bool good = true;
  if (method->traits & SB_MINIMIZES) return true;
  if (is_given(options, SB_OPT_pin_method) && !SB_IS(options, pin_method, "reduce"))
    good =
        refuse(options, SB_OPT_pin_method,
               "it applies to linear systems, which an explicit integrator does not have; leave it out", diagnostics);
  if (SB_FLAG(options, contact_implicit))
    good = refuse(options, SB_OPT_contact_implicit,
                  "an explicit integrator applies penalty contact as a force at known positions; implicit_euler with "
                  "minimizer newton can treat it implicitly",
                  diagnostics);
  return good;
}

/* In y of implicit_euler the penalty is lagged; stages know it only as part of their potential. */
static bool check_penalty(const sb_options *options, const sb_integrator_method *method, sb_diagnostics *diagnostics)
{
  const bool pushes = SB_IS(options, contact, "penalty") || SB_IS(options, contact, "combined");
  const bool stages = (method->traits & (SB_MINIMIZES | SB_ENDS_AT_MINIMUM)) == SB_MINIMIZES;
  return !stages || !pushes || SB_FLAG(options, contact_implicit) ||
         refuse(options, SB_OPT_contact,
                "its stages have penalty contact only in their potential; give contact_implicit=true, or choose "
                "contact=cancel_velocity",
                diagnostics);
}

/* The filter on a step is for methods that make the step at once, the barrier for methods with one potential. */
static bool check_self_contact(const sb_options *options, const sb_integrator_method *method,
                               sb_diagnostics *diagnostics)
{
  const bool implicit = method->traits & SB_MINIMIZES;
  if (SB_IS(options, self_contact, "surfaces") && implicit)
    return refuse(options, SB_OPT_self_contact,
                  "a filter on its step would move it away from the minimum of its potential; choose "
                  "self_contact=barrier with integrator=implicit_euler and minimizer=newton",
                  diagnostics);
  if (!SB_IS(options, self_contact, "barrier") || method->traits & SB_ENDS_AT_MINIMUM) return true;
  if (implicit)
    return refuse(options, SB_OPT_self_contact,
                  "the end of a step is not that of a stage, and may be behind the barrier; choose "
                  "integrator=implicit_euler",
                  diagnostics);
  return refuse(options, SB_OPT_self_contact,
                "a barrier is part of a potential, and an explicit integrator has none; choose self_contact=surfaces",
                diagnostics);
}

/* Only where the gradient vanishes does a factorisation of the Hessian show a saddle. */
static bool check_leaving(const sb_options *options, sb_diagnostics *diagnostics)
{
  if (!SB_FLAG(options, leave_saddles)) return true;
  if (SB_IS(options, self_contact, "barrier"))
    return refuse(options, SB_OPT_leave_saddles, "the Hessian of a barrier is only known with positive curvatures",
                  diagnostics);
  if (!SB_IS(options, pin_method, "reduce") && !SB_IS(options, pin_method, "penalty"))
    return refuse(options, SB_OPT_leave_saddles,
                  "saddles are found by factorisations of symmetric matrices; choose pin_method=reduce or penalty",
                  diagnostics);
  return sb_minimizer_tests_gradient(options) ||
         refuse(options, SB_OPT_leave_saddles,
                "only a step that met a gradient_tolerance is near a minimum or a saddle; set one", diagnostics);
}

static bool check_ranks(const sb_options *options, const sb_integrator_method *method, sb_diagnostics *diagnostics)
{
  /* sb_model_check refuses several ranks for particles, for any integrator */
  const bool serial = (method->traits & (SB_SERIAL_ONLY_INTEGRATOR | SB_MOVES_PARTICLES)) == SB_SERIAL_ONLY_INTEGRATOR;
  if (!serial || SB_INTEGER(options, ranks) <= 1) return true;
  return refuse(options, SB_OPT_ranks, "it runs on one rank only; give ranks=1", diagnostics);
}

/* Options that isph does not support in a scene of particles. */
static bool check_fluid(const sb_options *options, sb_diagnostics *diagnostics)
{
  const bool closed = sb_scene_is_closed(options);
  if (SB_HAS(options, sound_speed))
    return refuse(options, SB_OPT_sound_speed,
                  "the fluid is incompressible; with a sound_speed use an explicit integrator", diagnostics);
  if (SB_REAL(options, shifting) > 0 && !closed)
    return refuse(options, SB_OPT_shifting,
                  "it would spread a free surface; use it only in boxes that are periodic along all axes", diagnostics);
  if (!SB_IS(options, laplacian, "two_ring") && !closed)
    return refuse(options, SB_OPT_laplacian,
                  "the matrix of one ring has no walls; use it only in boxes that are periodic along all axes",
                  diagnostics);
  return true;
}

/* Either isph moves the particles of a fluid, or, if it is weakly compressible, explicit methods move them by forces.
 */
static bool check_particles(const sb_options *options, const sb_integrator_method *method, sb_diagnostics *diagnostics)
{
  const sb_scene   *scene = sb_scene_find(SB_TEXT(options, scene));
  const sb_location where = sb_options_blame(options, SB_OPT_integrator);
  const bool        particles = scene && scene->particles, moves = method->traits & SB_MOVES_PARTICLES;
  if (!scene || particles == moves) return !particles || check_fluid(options, diagnostics);
  char names[256];
  sb_scene_names_of_particles(sizeof names, names);
  if (!particles)
    return sb_error_at(
        diagnostics, where, "E106",
        "integrator '%s' moves particles of a fluid, and scene '%s' is a net; scenes of particles are %s", method->name,
        scene->name, names);
  if (method->traits & (SB_MINIMIZES | SB_PROJECTS_LENGTHS | SB_SOLVES))
    return sb_error_at(diagnostics, where, "E106",
                       "integrator '%s' moves nets of springs, and scene '%s' has particles; use integrator=isph, or "
                       "an explicit one and a sound_speed",
                       method->name, scene->name);
  if (!SB_HAS(options, sound_speed))
    return sb_error_at(diagnostics, where, "E106",
                       "integrator '%s' treats particles as weakly compressible and needs a sound_speed of at least "
                       "ten times the largest speed; integrator=isph does not need it",
                       method->name);
  return true;
}

/* A device has fewer forces and methods than the processor. */
static bool check_device(const sb_options *options, const sb_integrator_method *method, sb_diagnostics *diagnostics)
{
  const bool        single = SB_IS(options, precision, "single");
  const sb_location where = sb_options_location(options, SB_OPT_device);
  const char       *device = SB_TEXT(options, device);
  bool              good = true;
  if (SB_IS(options, device, "none"))
    return !single ||
           sb_error_at(diagnostics, sb_options_location(options, SB_OPT_precision), "E106",
                       "precision=single needs a device; give device=host or device=opencl, or leave it out");
  if (method->device == SB_DEVICE_NOTHING || !sb_options_read(options, SB_OPT_device)) {
    SB_OWNED char *readers = sb_options_readers(options, SB_OPT_device);
    return sb_error_at(diagnostics, where, "E106", "device=%s: no device has the steps of this case; it needs %s",
                       device, readers);
  }
  for (sb_option_id id = 0; id < sb_option_count; ++id)
    if (sb_option_at(id)->traits & SB_NOT_ON_DEVICE && sb_options_differ(options, id))
      good = sb_error_at(diagnostics, where, "E106", "device=%s with %s=%s: devices do not support it; use device=none",
                         device, sb_option_at(id)->name, sb_options_text(options, id));
  if (SB_HAS(options, sound_speed))
    good = sb_error_at(diagnostics, where, "E106",
                       "device=%s with particles: devices support only nets; use device=none", device);
  return good;
}

bool sb_integrator_check(const sb_options *options, sb_diagnostics *diagnostics)
{
  if (sb_options_read(options, SB_OPT_integrator)) return sb_integrator_check_chosen(options, diagnostics);
  const sb_integrator_method *method = sb_integrator_method_of(options);
  const bool                  good = sb_petsc_option_check(options, SB_OPT_petsc_ts, diagnostics);
  return (!method || check_device(options, method, diagnostics)) && good;
}

bool sb_integrator_check_chosen(const sb_options *options, sb_diagnostics *diagnostics)
{
  const sb_integrator_method *method = sb_integrator_method_of(options);
  if (!method) return true; /* unknown names were refused when set */
  bool good = sb_petsc_option_check(options, SB_OPT_petsc_ts, diagnostics);
  good = check_owned_options(options, method, diagnostics) && good;
  good = check_projection(options, method, diagnostics) && good;
  good = check_implicit_options(options, method, diagnostics) && good;
  good = check_penalty(options, method, diagnostics) && good;
  good = check_friction(options, method, diagnostics) && good;
  good = check_self_contact(options, method, diagnostics) && good;
  good = check_particles(options, method, diagnostics) && good;
  good = check_device(options, method, diagnostics) && good;
  good = check_leaving(options, diagnostics) && good;
  return check_ranks(options, method, diagnostics) && good;
}
