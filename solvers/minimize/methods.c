/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists of minimisers and of the parts of descent methods, and the properties of a triple; see minimizer_method.h
 * and descent.h. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/springbench_plugin.h"
#include "base/words.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/minimize/descent.h"

#define SB_ENTRY(name) extern const sb_minimizer_method sb_minimizer_##name;
#include "solvers/minimize/minimizers.def"
#undef SB_ENTRY

char *sb_minimizer_meaning(const sb_options *options)
{
  const sb_minimizer_method *method = sb_minimizer_method_of(options);
  return method && method->metric && SB_HAS(options, metric) ? sb_copy_text("descent") : NULL;
}

#define SB_ENTRY(name) extern const sb_metric sb_metric_##name;
#include "solvers/minimize/metrics/metrics.def"
#undef SB_ENTRY
#define SB_ENTRY(name) extern const sb_accelerator sb_accelerator_##name;
#include "solvers/minimize/accelerators/accelerators.def"
#undef SB_ENTRY
#define SB_ENTRY(name) extern const sb_step_rule sb_step_rule_##name;
#include "solvers/minimize/steps/steps.def"
#undef SB_ENTRY

static const sb_entry *const minimizers[] = {
#define SB_ENTRY(name) &sb_minimizer_##name.entry,
#include "solvers/minimize/minimizers.def"
#undef SB_ENTRY
};
static const sb_entry *const metrics[] = {
#define SB_ENTRY(name) &sb_metric_##name.entry,
#include "solvers/minimize/metrics/metrics.def"
#undef SB_ENTRY
};
static const sb_entry *const preconditioners[] = {
#define SB_ENTRY(name) &sb_metric_##name.entry,
#include "solvers/minimize/metrics/preconditioners.def"
#undef SB_ENTRY
};
static const sb_entry *const accelerators[] = {
#define SB_ENTRY(name) &sb_accelerator_##name.entry,
#include "solvers/minimize/accelerators/accelerators.def"
#undef SB_ENTRY
};
static const sb_entry *const steps[] = {
#define SB_ENTRY(name) &sb_step_rule_##name.entry,
#include "solvers/minimize/steps/steps.def"
#undef SB_ENTRY
};

static void describe_minimizer(const sb_entry *entry, sb_description *d)
{
  const sb_minimizer_method *method = (const void *)entry;
  const unsigned             traits = sb_minimizer_method_traits(method);
  sb_describe_claim(d, traits & SB_DESCENDS, "never raises the potential");
  sb_describe_claim(d, traits & SB_QUADRATIC, "converges quadratically near a minimum, with exact solves");
  sb_describe_claim(d, traits & SB_CONSTANT_MATRIX, "one matrix, factored once");
  sb_describe_claim(d, traits & SB_STEP_MATRIX, "one matrix per step, factored once");
  sb_describe_claim(d, traits & SB_OTHER_LIMIT, "does not converge to the minimum");
  sb_describe_claim(d, traits & SB_ONE_RANK, "one rank only");
  sb_describe_claim(d, traits & SB_REDUCED_PINS, "pin_method reduce only");
  sb_describe_claim(d, traits & SB_ON_DEVICE, "a device has its steps");
  sb_describe_claim(d, method->claims & SB_PLUGIN_IN_PYTHON, "a class of Python: its times are not those of C");
  sb_describe_claim(d, !(traits & SB_UNCOUNTED), "its operations are counted, if those of its linear solver are");
  sb_describe_claim(d, traits & SB_UNCOUNTED, "its operations are not counted: work is unknown");
  sb_describe_claim(d, traits & SB_REMEMBERS, "a case that is stopped on its way starts again");
  sb_describe_claim(d, entry->uses && sb_has_word(entry->uses, "petsc_nonlinear"),
                    "a case that is stopped on its way starts again if petsc_nonlinear is given, else it continues");
}

const sb_list sb_minimizers = {
    .family = "minimizers",
    .title = "Minimisers of the incremental potential",
    .about = "Named by option `minimizer`, for implicit_euler and for methods made of its stages (bdf2, sdirk2, "
             "implicit_midpoint). All minimise the same potential.",
    SB_LIST_ENTRIES(minimizers),
    .describe = describe_minimizer,
};

static void describe_metric(const sb_entry *entry, sb_description *d)
{
  const sb_metric *m = (const void *)entry;
  sb_describe_claim(d, m->traits & SB_MAJORISES,
                    "an upper bound of every Hessian: whole steps never raise the potential");
  sb_describe_claim(d, m->traits & SB_CONSTANT_MATRIX, "one matrix, factored once");
  sb_describe_claim(d, m->traits & SB_STEP_MATRIX, "one matrix per step, factored once");
  sb_describe_claim(d, m->traits & SB_ON_DEVICE, "a device has it");
  if (m->steps) sb_describe_claim(d, true, "works with step %s", m->steps);
}

const sb_list sb_metrics = {
    .family = "metrics",
    .title = "Metrics of descent methods",
    .about = "Named by option `metric`: P of a descent z - a A(P^-1 grad g).",
    SB_LIST_ENTRIES(metrics),
    .describe = describe_metric,
};

const sb_list sb_preconditioners = {
    .family = "preconditioners",
    .title = "Preconditioners of metric truncated_cg",
    .about = "Named by option `preconditioner`: metrics that are one matrix at a given place.",
    SB_LIST_ENTRIES(preconditioners),
    .describe = describe_metric,
};

static void describe_accelerator(const sb_entry *entry, sb_description *d)
{
  const sb_accelerator *a = (const void *)entry;
  if (a->steps) sb_describe_claim(d, true, "works with step %s", a->steps);
  if (a->metrics) sb_describe_claim(d, true, "works with metric %s", a->metrics);
}

const sb_list sb_accelerators = {
    .family = "accelerators",
    .title = "Accelerators of descent methods",
    .about = "Named by option `accelerator`: the rule for a direction from the metric's and earlier ones.",
    SB_LIST_ENTRIES(accelerators),
    .describe = describe_accelerator,
};

static void describe_step(const sb_entry *entry, sb_description *d)
{
  sb_describe_claim(d, ((const sb_step_rule *)(const void *)entry)->descends, "never raises the potential");
}

const sb_list sb_step_rules = {
    .family = "steps",
    .title = "Step rules of descent methods",
    .about = "Named by option `step`: the length of a step.",
    SB_LIST_ENTRIES(steps),
    .describe = describe_step,
};

bool sb_metric_reads(const sb_metric *metric, sb_option_id id)
{
  return sb_has_word(metric->uses, sb_option_at(id)->name);
}

bool sb_method_triple(const sb_minimizer_method *method, sb_triple *triple)
{
  if (!method->metric) return false;
  *triple = (sb_triple){sb_metric_find(method->metric), sb_accelerator_find(method->accelerator),
                        sb_step_rule_find(method->step)};
  return triple->metric && triple->accelerator && triple->step;
}

bool sb_triple_of(const sb_options *options, sb_triple *triple)
{
  const sb_minimizer_method *method = sb_minimizer_method_of(options);
  if (!method || !sb_method_triple(method, triple)) return false;
  if (SB_HAS(options, metric)) triple->metric = sb_metric_find(SB_TEXT(options, metric));
  if (SB_HAS(options, accelerator)) triple->accelerator = sb_accelerator_find(SB_TEXT(options, accelerator));
  if (sb_options_origin(options, SB_ID(step)) != SB_FROM_TABLE)
    triple->step = sb_step_rule_find(SB_TEXT(options, step));
  /* A barrier's steps end before any parts meet: check.c refuses other rules that a user chooses. */
  if (SB_IS(options, self_contact, "barrier") && triple->metric && triple->metric->traits & SB_BARRIER)
    triple->step = sb_step_rule_find("armijo");
  return triple->metric && triple->accelerator && triple->step;
}

unsigned sb_triple_traits(const sb_triple *triple)
{
  const unsigned of_metric = triple->metric->traits;
  const bool     plain = !triple->accelerator->direct;
  unsigned       traits = of_metric & (SB_CONSTANT_MATRIX | SB_STEP_MATRIX | SB_IMPLICIT_CONTACT | SB_ON_DEVICE);
  if (plain) traits |= of_metric & (SB_QUADRATIC | SB_BARRIER);
  if (triple->step->descends || (plain && of_metric & SB_MAJORISES)) traits |= SB_DESCENDS;
  if (triple->step->compares) traits |= of_metric & SB_MAJORISES ? SB_DESCENDS : 0;
  return traits;
}

char *sb_triple_refusal(const sb_triple *triple, sb_option_id *part)
{
  const sb_accelerator *a = triple->accelerator;
  const sb_metric      *m = triple->metric;
  if (a->steps && !sb_has_word(a->steps, triple->step->name)) {
    *part = SB_ID(step);
    return sb_format("accelerator '%s' with step '%s': %s; choices: %s", a->name, triple->step->name, a->reason,
                     a->steps);
  }
  if (m->steps && !sb_has_word(m->steps, triple->step->name)) {
    *part = SB_ID(step);
    return sb_format("metric '%s' with step '%s': %s; choices: %s", m->name, triple->step->name, m->reason, m->steps);
  }
  if (a->metrics && !sb_has_word(a->metrics, triple->metric->name)) {
    *part = SB_ID(metric);
    return sb_format("accelerator '%s' with metric '%s': %s; choices: %s", a->name, triple->metric->name, a->reason,
                     a->metrics);
  }
  if (triple->step->compares && !a->direct) {
    *part = SB_ID(step);
    return sb_format("step '%s' falls back on the step without an accelerator, which accelerator 'none' already makes; "
                     "choose another step",
                     triple->step->name);
  }
  return NULL;
}

unsigned sb_minimizer_method_traits(const sb_minimizer_method *method)
{
  sb_triple triple;
  return sb_method_triple(method, &triple) ? sb_triple_traits(&triple) : method->traits;
}

int sb_minimizer_method_columns(const sb_minimizer_method *method)
{
  sb_triple triple;
  return sb_method_triple(method, &triple) ? triple.metric->columns : method->columns;
}

/* Kinds of Hessian that are modified if a factorisation finds them indefinite. */
static bool asks_backend(const char *hessian) { return sb_has_word("adaptive blended progressive", hessian); }

const char *sb_hessian_of(const sb_options *options)
{
  const sb_linear_backend *backend = sb_linear_backend_of(options);
  const bool               detects =
      backend && backend->traits & SB_DETECTS_INDEFINITE && sb_has_word("reduce penalty", SB_TEXT(options, pin_method));
  const bool  chosen = sb_options_origin(options, SB_ID(hessian)) == SB_FROM_USER;
  const char *kind = SB_TEXT(options, hessian);
  return detects || chosen || !asks_backend(kind) ? kind : "projected";
}

unsigned sb_minimizer_traits(const sb_options *options)
{
  const sb_minimizer_method *method = sb_minimizer_method_of(options);
  sb_triple                  triple;
  if (!sb_triple_of(options, &triple)) return method && !method->metric ? method->traits : 0;
  unsigned         traits = sb_triple_traits(&triple);
  const bool       wraps = sb_metric_reads(triple.metric, SB_ID(preconditioner));
  const sb_metric *inner = wraps ? sb_metric_find(SB_TEXT(options, preconditioner)) : NULL;
  if (inner && !(inner->traits & SB_ON_DEVICE)) traits &= ~(unsigned)SB_ON_DEVICE;
  if (traits & SB_CONSTANT_MATRIX && SB_FLAG(options, contact_implicit) && !SB_IS(options, contact, "none"))
    traits &= ~(unsigned)SB_CONSTANT_MATRIX; /* contact moves the matrix */
  if (sb_metric_reads(triple.metric, SB_ID(hessian)) && asks_backend(sb_hessian_of(options))) traits |= SB_ASKS_BACKEND;
  return traits;
}

int sb_minimizer_columns(const sb_options *options)
{
  const sb_minimizer_method *method = sb_minimizer_method_of(options);
  sb_triple                  triple;
  if (!sb_triple_of(options, &triple)) return method && !method->metric ? method->columns : 0;
  const bool       wraps = sb_metric_reads(triple.metric, SB_ID(preconditioner));
  const sb_metric *solved = wraps ? sb_metric_find(SB_TEXT(options, preconditioner)) : triple.metric;
  return solved ? solved->columns : 0;
}
