/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Driver `peer`: what does a step of ours cost compared with one of a published program?
 *
 * With peer=none it is driver `timing`. Else a stand-in (drivers/peers.h) takes the steps, and is timed in the same
 * way: warm-up steps that are undone, a clock that is read before and after a sample, the same batches, the same
 * columns; it has no phases. A stand-in is only valid if it computes the same. Over the first steps its positions are
 * compared with those of our own integrator, and a case whose stand-in differs is an error. */
#include "drivers/peers.h"

#include <math.h>
#include <string.h>

#include "drivers/timing.h"
#include "solvers/integrate/integrator.h"

enum { COMPARED_STEPS = 3 };

static const sb_column columns[] = {
    SB_TIMING_COLUMNS,
    {"peer_difference", "",
     "largest difference of a coordinate from our own integrator after three steps, over the diagonal; blank: "
     "peer=none",
     .timing = false},
};

static bool is_given(const sb_case *c) { return !SB_IS(c->options, peer, "none"); }
static bool is_explicit(const sb_case *c) { return SB_IS(c->options, peer, "textbook_explicit"); }
/* The minimiser that a stand-in for implicit methods implements. */
static const char *minimizer_of(const sb_case *c)
{
  const char *peer = SB_TEXT(c->options, peer);
  return strstr(peer, "newton_cg") ? "newton_cg" : strstr(peer, "newton") ? "newton" : "local_global";
}
static bool is_float(const sb_case *c) { return strstr(SB_TEXT(c->options, peer), "float") != NULL; }

static bool need(const sb_case *c, sb_option_id id, const char *value, const char *because, sb_diagnostics *diagnostics)
{
  const sb_options *o = c->options;
  if (strcmp(sb_options_text(o, id), value) == 0) return true;
  return sb_error_at(diagnostics, sb_options_blame(o, id), "E106", "stand-in '%s' %s; set %s=%s", SB_TEXT(o, peer),
                     because, sb_option_at(id)->name, value);
}

/* The integrator must be one that the stand-in implements. Other effects (drag, wind, contact …) show in the difference
 * of the states. */
static bool check_peer(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics)
{
  (void)pose;
  if (!is_given(c)) return true;
  if (!need(c, SB_ID(ranks), "1", "is one process", diagnostics)) return false;
  if (strncmp(SB_TEXT(c->options, save), "every:", 6) == 0)
    return sb_error_at(diagnostics, sb_options_blame(c->options, SB_ID(save)), "E106",
                       "stand-in '%s' returns only its last state and has no frames for save=%s; choices: none, final",
                       SB_TEXT(c->options, peer), SB_TEXT(c->options, save));
  if (is_explicit(c)) return need(c, SB_ID(integrator), "symplectic_euler", "is symplectic Euler", diagnostics);
  if (!need(c, SB_ID(integrator), "implicit_euler", "is implicit Euler", diagnostics)) return false;
  const char *minimizer = minimizer_of(c);
  bool        good = need(c, SB_ID(minimizer), minimizer,
                   strcmp(minimizer, "newton_cg") == 0 ? "is truncated Newton"
                          : strcmp(minimizer, "newton") == 0  ? "is Newton's method"
                                                              : "is projective dynamics",
                          diagnostics);
  good = need(c, SB_ID(pin_method), "penalty", "holds pinned vertices by springs", diagnostics) && good;
  if (SB_IS(c->options, start, "coast"))
    good = need(c, SB_ID(start), "inertial", "begins a step at its inertial position, or at x", diagnostics) && good;
  return good;
}

typedef struct {
  const sb_case *c;
  sb_recorder   *recorder;
  sb_setup       setup;
  sb_peer       *peer;
  const char    *why; /* there is no stand-in */
  int            iterations;
  double         setup_seconds;
  int64_t        steps_done;
} run;

static PetscErrorCode create(run *r)
{
  const sb_system *s = r->setup.system;
  const double    *x, *v;
  sb_peer_net      net = {.vertices = (size_t)s->vertices,
                          .springs = (size_t)s->springs.count,
                          .mass = s->mass,
                          .pinned = s->pinned,
                          .first = s->springs.first,
                          .second = s->springs.second,
                          .stiffness = s->springs.stiffness,
                          .rest_length = s->springs.rest_length,
                          .h_seconds = r->c->time.h_seconds,
                          .pin_weight = s->pin_weight,
                          .inertial = SB_IS(r->c->options, start, "inertial")};

  PetscFunctionBeginUser;
  memcpy(net.gravity, s->gravity, sizeof net.gravity);
  PetscCall(VecGetArrayRead(r->setup.x, &x));
  PetscCall(VecGetArrayRead(r->setup.v, &v));
  net.position = x;
  net.velocity = v;
  const double started = sb_clock_seconds();
  r->peer = sb_peer_create(SB_TEXT(r->c->options, peer), &net, &r->why);
  r->setup_seconds = sb_clock_seconds() - started;
  PetscCall(VecRestoreArrayRead(r->setup.x, &x));
  PetscCall(VecRestoreArrayRead(r->setup.v, &v));
  PetscFunctionReturn(0);
}

static PetscErrorCode advance(run *r, int64_t steps)
{
  PetscFunctionBeginUser;
  for (int64_t i = 0; i < steps; ++i)
    PetscCheck(sb_peer_step(r->peer, r->iterations), PETSC_COMM_SELF, PETSC_ERR_LIB,
               "a matrix of stand-in '%s' has no Cholesky factor", SB_TEXT(r->c->options, peer));
  PetscFunctionReturn(0);
}

static PetscErrorCode read_state(const run *r, Vec x, Vec v)
{
  double *position, *velocity;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayWrite(x, &position));
  PetscCall(VecGetArrayWrite(v, &velocity));
  sb_peer_state(r->peer, position, velocity);
  PetscCall(VecRestoreArrayWrite(x, &position));
  PetscCall(VecRestoreArrayWrite(v, &velocity));
  PetscFunctionReturn(0);
}

/* These steps are the warm-up too: the stand-in is set up again before it is timed. */
static PetscErrorCode compare(run *r)
{
  /* Over the diagonal: rounding. Masses of a large net are small compared with the pull of springs, so that a
   * right-hand side in single precision moves FastMassSpring's 321 x 321 by 0.1. */
  const double      bound = is_float(r->c) ? 0.2 : 1e-9;
  sb_integrator    *ours;
  sb_advance_report report;
  sb_start_state    own = {0}, theirs = {0};
  double            difference;

  PetscFunctionBeginUser;
  PetscCall(sb_setup_keep_state(&r->setup, &own));
  PetscCall(sb_setup_keep_state(&r->setup, &theirs));
  PetscCall(sb_integrator_create(r->setup.system, r->c->options, r->c->time.h_seconds, &ours));
  PetscCall(sb_integrator_advance(ours, 0, COMPARED_STEPS, own.x, own.v, &report));
  PetscCall(sb_integrator_destroy(&ours));
  PetscCall(advance(r, COMPARED_STEPS));
  PetscCall(read_state(r, theirs.x, theirs.v));
  PetscCall(VecAXPY(theirs.x, -1, own.x));
  PetscCall(VecNorm(theirs.x, NORM_INFINITY, &difference));
  difference /= r->setup.system->diagonal;
  PetscCall(sb_start_state_destroy(&own));
  PetscCall(sb_start_state_destroy(&theirs));
  PetscCheck(difference <= bound, PETSC_COMM_SELF, PETSC_ERR_USER,
             "after %d steps stand-in '%s' differs by %.1e diagonals from our own integrator: it has only springs, "
             "gravity and pins, and makes max_iterations=%d iterations for any tolerance",
             COMPARED_STEPS, SB_TEXT(r->c->options, peer), difference, r->iterations);
  PetscCall(sb_recorder_real(r->recorder, "peer_difference", difference));
  PetscFunctionReturn(0);
}

static PetscErrorCode time_steps(run *r)
{
  const int64_t steps = r->c->time.steps;
  const int64_t batch = is_explicit(r->c) ? sb_timing_batch(r->setup.system) : 1;

  PetscFunctionBeginUser;
  PetscCall(sb_recorder_sample(r->recorder, "setup", 0, r->setup_seconds));
  PetscCall(sb_recorder_watch_begin(r->recorder));
  sb_recorder_progress_begin(r->recorder, "step", 0, steps);
  for (int64_t step = 0; step < steps; step += batch) {
    const int64_t count = PetscMin(batch, steps - step);
    const double  started = sb_clock_seconds();
    PetscCall(advance(r, count));
    PetscCall(sb_recorder_sample(r->recorder, "step", step, (sb_clock_seconds() - started) / (double)count));
    PetscCall(sb_recorder_watch(r->recorder, step));
    sb_recorder_progress(r->recorder, step + count);
  }
  PetscCall(sb_recorder_watch_end(r->recorder, "step"));
  PetscFunctionReturn(0);
}

static PetscErrorCode record(run *r)
{
  const int64_t steps = r->c->time.steps;

  PetscFunctionBeginUser;
  PetscCall(sb_timing_record_times(r->recorder, r->c->time.h_seconds));
  PetscCall(SB_RECORD(r->recorder, {"vertices", (double)r->setup.system->vertices},
                      {"spring_count", (double)r->setup.system->springs_global}, {"steps_done", (double)steps}));
  if (!is_explicit(r->c)) PetscCall(sb_recorder_real(r->recorder, "minimizer_iterations_mean", r->iterations));
  PetscCall(read_state(r, r->setup.x, r->setup.v));
  PetscCall(sb_setup_record_frame(&r->setup, r->recorder,
                                  (sb_frame_stamp){1, steps, (double)steps * r->c->time.h_seconds, true}));
  PetscFunctionReturn(0);
}

static PetscErrorCode run_peer(const sb_case *c, sb_recorder *recorder)
{
  run r = {.c = c, .recorder = recorder, .iterations = (int)SB_INTEGER(c->options, max_iterations)};

  PetscFunctionBeginUser;
  if (!is_given(c)) {
    PetscCall(sb_timing_run(c, recorder));
    PetscFunctionReturn(0);
  }
  PetscCall(sb_setup_create(c, check_peer, 0, recorder, &r.setup));
  PetscCall(create(&r));
  if (r.peer) {
    PetscCall(compare(&r));
    sb_peer_destroy(r.peer);
    PetscCall(create(&r));
    PetscCall(time_steps(&r));
    PetscCall(record(&r));
    sb_peer_destroy(r.peer);
  } else {
    PetscCall(sb_recorder_status(recorder, SB_CASE_SKIPPED, "%s", r.why));
  }
  PetscCall(sb_setup_destroy(&r.setup));
  PetscFunctionReturn(0);
}

const sb_driver sb_driver_peer = {
    .name = "peer",
    .summary = "seconds per step of our own solvers, or of a stand-in for a published program",
    .uses = "integrator peer",
    .defaults = "hessian=projected", /* as theirs are */
    SB_COLUMNS(columns),
    .check = check_peer,
    .run = run_peer,
};
