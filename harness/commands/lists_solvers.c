/* How it is simulated, as lists: time integrators, minimisers, linear backends, with their claims in words. */
#include <math.h>

#include "harness/commands/lists.h"
#include "solvers/integrate/integrator_method.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/minimize/minimizer_method.h"

typedef struct {
  unsigned    trait;
  const char *words;
} trait_words;

static void claim_traits(json_t *entry, unsigned traits, const trait_words *words, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    if (traits & words[i].trait) sb_list_claim(entry, "%s", words[i].words);
}

static void claim_order(json_t *entry, const sb_integrator_method *method)
{
  if (method->order_position == 0 && method->order_velocity == 0)
    sb_list_claim(entry, "no order of convergence is claimed");
  else
    sb_list_claim(entry, "converges with order %d in position, %d in velocity", method->order_position,
                  method->order_velocity);
  if (isnan(method->stability_limit))
    sb_list_claim(entry, "no limit of stability is claimed");
  else if (isinf(method->stability_limit))
    sb_list_claim(entry, "stable at any step");
  else if (method->stability_limit > 0)
    sb_list_claim(entry, "stable for h omega < %.10g", method->stability_limit);
  else
    sb_list_claim(entry, "unstable at any step without damping");
}

json_t *sb_list_integrators(const sb_session *session)
{
  static const trait_words words[] = {{SB_SYMPLECTIC, "symplectic: keeps a shadow of the energy of linear springs"},
                                      {SB_TIME_SYMMETRIC, "time-symmetric: run back, it returns to the start"},
                                      {SB_CONSERVES_ANGULAR_MOMENTUM, "conserves angular momentum"},
                                      {SB_IMPLICIT, "implicit: minimises a potential in every step"},
                                      {SB_PROJECTS_LENGTHS, "keeps springs at their lengths: stiffness plays no part"},
                                      {SB_SERIAL_ONLY_INTEGRATOR, "runs on one rank only"}};
  json_t                  *list = json_array();
  (void)session;
  for (size_t i = 0; i < sb_integrator_method_count(); ++i) {
    const sb_integrator_method *method = sb_integrator_method_at(i);
    json_t                     *entry = sb_list_entry(method->name, method->summary);
    claim_order(entry, method);
    claim_traits(entry, method->traits, words, sizeof words / sizeof *words);
    sb_list_add_options(entry, method->uses, NULL);
    json_array_append_new(list, entry);
  }
  return list;
}

json_t *sb_list_minimizers(const sb_session *session)
{
  static const trait_words words[] = {{SB_DESCENDS, "never raises the potential, with line_search where it has one"},
                                      {SB_QUADRATIC, "converges quadratically near a minimum, with exact solves"},
                                      {SB_CONSTANT_MATRIX, "one matrix, factored once"}};
  json_t                  *list = json_array();
  (void)session;
  for (size_t i = 0; i < sb_minimizer_method_count(); ++i) {
    const sb_minimizer_method *method = sb_minimizer_method_at(i);
    json_t                    *entry = sb_list_entry(method->name, method->summary);
    claim_traits(entry, method->traits, words, sizeof words / sizeof *words);
    sb_list_add_options(entry, method->uses, NULL);
    json_array_append_new(list, entry);
  }
  return list;
}

json_t *sb_list_linear(const sb_session *session)
{
  static const trait_words words[] = {{SB_DIRECT, "direct: no iterations"},
                                      {SB_SERIAL_ONLY, "one rank only"},
                                      {SB_NEEDS_SPD, "needs a symmetric positive definite matrix"},
                                      {SB_DETECTS_INDEFINITE, "detects a matrix that is not positive definite"}};
  json_t                  *list = json_array();
  (void)session;
  for (size_t i = 0; i < sb_linear_backend_count(); ++i) {
    const sb_linear_backend *backend = sb_linear_backend_at(i);
    json_t                  *entry = sb_list_entry(backend->name, backend->summary);
    claim_traits(entry, backend->traits, words, sizeof words / sizeof *words);
    if (backend->missing) sb_list_claim(entry, "not in this build: %s", backend->missing);
    sb_list_add_options(entry, backend->uses, NULL);
    json_array_append_new(list, entry);
  }
  return list;
}
