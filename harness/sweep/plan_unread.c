/* Options that no case reads; see plan_unread.h. */
#include "harness/sweep/plan_unread.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "solvers/minimize/minimizer.h"

typedef struct {
  sb_location where;
  bool        read;
  char       *value;
} given;

struct sb_unread {
  size_t count[SB_OPT_COUNT];
  given *values[SB_OPT_COUNT]; /* one a place that gives the option */
};

/* Who reads it is said beside, in reason(). */
static bool reads(const sb_options *options, sb_option_id id)
{
  switch (id) {
  case SB_OPT_edge_load:
  case SB_OPT_load_direction:
    return SB_IS(options, driver, "statics");
  case SB_OPT_measure_frames:
    return SB_IS(options, driver, "convergence");
  default:
    return sb_minimizer_reads(options);
  }
}

static const char *reason(sb_option_id id)
{
  switch (id) {
  case SB_OPT_edge_load:
  case SB_OPT_load_direction:
    return "driver statics alone does; leave it out";
  case SB_OPT_measure_frames:
    return "driver convergence alone does; leave it out";
  default:
    return "explicit integrators minimise nothing and solve no linear system; choose implicit_euler, or leave it out";
  }
}

static given *find_given(sb_unread *unread, sb_option_id id, const sb_options *options)
{
  const sb_location where = sb_options_location(options, id);
  const size_t      count = unread->count[id];
  for (size_t i = count; i-- > 0;) { /* neighbours in a plan are of the same place: from the end */
    given *g = &unread->values[id][i];
    if (g->where.line == where.line && g->where.column == where.column && g->where.file == where.file) return g;
  }
  unread->values[id] = sb_grow(unread->values[id], count, sizeof(given));
  unread->values[id][count] = (given){where, false, sb_copy_text(sb_options_text(options, id))};
  return &unread->values[id][unread->count[id]++];
}

sb_unread *sb_unread_create(void) { return sb_allocate(1, sizeof(sb_unread)); }

void sb_unread_destroy(sb_unread **unread)
{
  if (!*unread) return;
  for (int id = 0; id < SB_OPT_COUNT; ++id) {
    for (size_t i = 0; i < (*unread)->count[id]; ++i) free((*unread)->values[id][i].value);
    free((*unread)->values[id]);
  }
  free(*unread);
  *unread = NULL;
}

static const sb_option_id watched[] = {
    SB_OPT_minimizer,
    SB_OPT_linear,
    SB_OPT_max_iterations,
    SB_OPT_step_tolerance,
    SB_OPT_gradient_tolerance,
    SB_OPT_start,
    SB_OPT_hessian,
    SB_OPT_line_search,
    SB_OPT_linear_tolerance,
    SB_OPT_linear_max_iterations,
    SB_OPT_jacobi_omega,
    SB_OPT_jacobi_block,
    SB_OPT_pin_method,
    SB_OPT_pin_weight,
    SB_OPT_edge_load,
    SB_OPT_load_direction,
    SB_OPT_measure_frames,
};
enum { WATCHED = sizeof watched / sizeof *watched };

void sb_unread_note(sb_unread *unread, const sb_options *options)
{
  for (int i = 0; i < WATCHED; ++i) {
    if (sb_options_origin(options, watched[i]) != SB_FROM_USER) continue;
    given *g = find_given(unread, watched[i], options);
    g->read = g->read || reads(options, watched[i]);
  }
}

bool sb_unread_check(const sb_unread *unread, bool overridden, sb_diagnostics *diagnostics)
{
  bool good = true;
  for (int i = 0; i < WATCHED; ++i)
    for (size_t k = 0; k < unread->count[watched[i]]; ++k) {
      const given *g = &unread->values[watched[i]][k];
      if (g->read || (overridden && g->where.line > 0)) continue;
      good = sb_error_at(diagnostics, g->where, "E106", "%s=%s is read by no case that has it: %s",
                         sb_option_at(watched[i])->name, g->value, reason(watched[i]));
    }
  return good;
}
