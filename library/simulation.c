/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of a simulation: from options and arrays to a system and its integrator, and its steps. */
#include "library/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "cases/run/run_case.h"
#include "drivers/drivers.h"
#include "library/words.h"

enum { STEPS_MAX = 1000000000 }; /* of one call */

/* ---- making ---- */

/* Options of the command line that functions of the library take the place of. */
static const struct {
  sb_option_id id;
  const char  *instead;
} replaced[] = {{SB_OPT_duration, "sb_sim_advance"},
                {SB_OPT_steps, "sb_sim_advance"},
                {SB_OPT_frames, "sb_sim_advance"},
                {SB_OPT_save, "sb_sim_save"},
                {SB_OPT_restart, "sb_sim_set"}};
static const sb_option_id absent[] = {SB_OPT_driver, SB_OPT_problem, SB_OPT_ranks};

static void read_options(sb_sim *sim, const char *line)
{
  const char *const *words = sb_split_words(line, sim->arena);
  if (!words) sb_error_at(sim->diagnostics, (sb_location){"options", 0, 0}, "E110", "a quote is not closed: %s", line);
  for (int i = 0; words && words[i]; ++i) {
    const sb_location  where = {"options", i + 1, 0};
    const char        *name = sb_arena_copy_span(sim->arena, words[i], strcspn(words[i], "="));
    const sb_option_id id = sb_option_find(name);
    bool               allowed = true;
    for (size_t k = 0; k < sizeof replaced / sizeof *replaced; ++k)
      if (id == replaced[k].id)
        allowed = sb_error_at(sim->diagnostics, where, "E106", "'%s' belongs to the command line; the library has %s",
                              name, replaced[k].instead);
    for (size_t k = 0; k < sizeof absent / sizeof *absent; ++k)
      if (id == absent[k])
        allowed = sb_error_at(sim->diagnostics, where, "E106", "'%s' belongs to the command line", name);
    if (id != SB_OPT_COUNT && sb_options_origin(sim->options, id) == SB_FROM_USER)
      allowed = sb_error_at(sim->diagnostics, where, "E101", "'%s' is given twice", name);
    if (allowed) sb_options_set_pair(sim->options, words[i], SB_FROM_USER, where, sim->diagnostics);
  }
}

/* An option without a reader is refused: its user believes that it acts. */
static bool check_read(const sb_options *options, sb_diagnostics *diagnostics)
{
  bool good = true;
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option_id id = (sb_option_id)i;
    if (sb_options_location(options, id).line == 0 || sb_options_read(options, id)) continue;
    SB_OWNED char *readers = sb_options_readers(options, id);
    good = sb_error_at(diagnostics, sb_options_location(options, id), "E106", "%s=%s is not read: it needs %s",
                       sb_option_at(id)->name, sb_options_text(options, id), readers);
  }
  return good;
}

/* Not a pair of the caller's. */
static void set_quietly(sb_options *options, sb_option_id id, const char *text)
{
  sb_options_set(options, id, text, SB_FROM_USER, (sb_location){"net", 0, 0}, NULL);
}

/* A run of one step or frame, whose length nothing reads. */
static bool resolve(sb_sim *sim)
{
  sb_options     *o = sim->options;
  const bool      framed = sb_options_has(o, SB_OPT_substeps) || sb_options_has(o, SB_OPT_frame_seconds);
  const sb_scene *scene = sb_scene_find(SB_TEXT(o, scene));
  set_quietly(o, framed ? SB_OPT_frames : SB_OPT_steps, "1");
  if (scene && scene->particles) set_quietly(o, SB_OPT_driver, "flow");
  set_quietly(o, SB_OPT_save, "final");
  return sb_diagnostics_errors(sim->diagnostics) == 0 && sb_case_resolve(o, &sim->c.time, sim->diagnostics) &&
         check_read(o, sim->diagnostics);
}

static sb_sim *living; /* all simulations that have not been freed */

static void release(sb_sim *sim)
{
  (void)PetscPushErrorHandler(sb_complaint_take, &sim->complaint);
  (void)sb_integrator_destroy(&sim->integrator);
  (void)sb_setup_destroy(&sim->setup);
  (void)PetscPopErrorHandler();
}

static void release_all(void)
{
  for (sb_sim *sim = living; sim; sim = sim->next) release(sim);
}

static bool start(sb_sim *sim)
{
  const char *why = sb_host_start(release_all);
  if (why) sb_sim_refuse(sim, "springbench: error: %s", why);
  return !why;
}

static void show_net(sb_sim *sim)
{
  const sb_pose *p = &sim->pose;
  sim->net = (sb_net){.vertices = p->vertices,
                      .springs = p->springs,
                      .triangles = p->triangles,
                      .position = p->position,
                      .velocity = p->velocity,
                      .mass = p->mass,
                      .ends = p->ends,
                      .stiffness = p->stiffness,
                      .rest_length = p->rest_length,
                      .triangle = p->triangle,
                      .pinned = (const uint8_t *)p->pinned};
}

static PetscErrorCode set_up(sb_sim *sim, void *context)
{
  PetscFunctionBeginUser;
  (void)context;
  PetscCall(sb_setup_from_pose(&sim->c, &sim->pose, &sim->setup));
  PetscCall(sb_integrator_create(sim->setup.system, sim->options, sim->c.time.h_seconds, &sim->integrator));
  PetscCall(sb_setup_observe_start(&sim->setup, 0));
  PetscFunctionReturn(0);
}

/* The options are read; false after errors, all of which are told. */
static bool build(sb_sim *sim, bool (*fill)(sb_sim *sim, const sb_net *net), const sb_net *net)
{
  if (!resolve(sim) || !fill(sim, net)) return false;
  sim->warnings = sb_sim_print(sim->diagnostics);
  show_net(sim);
  return start(sim) && sb_sim_perform(sim, set_up, NULL) == SB_SIM_OK;
}

static sb_sim *create(const char *options, const char *scene, bool (*fill)(sb_sim *sim, const sb_net *net),
                      const sb_net *net)
{
  sb_sim *sim = calloc(1, sizeof *sim);
  if (!sim) return NULL;
  sim->next = living;
  sim->before = &living;
  if (living) living->before = &sim->next;
  living = sim;
  sim->arena = sb_arena_create();
  sim->diagnostics = sb_diagnostics_create();
  sim->options = sb_options_create(sb_full_vocabulary());
  sim->c = (sb_case){.comm = PETSC_COMM_SELF, .options = sim->options};
  if (scene) set_quietly(sim->options, SB_OPT_scene, scene);
  read_options(sim, options ? options : "");
  if (build(sim, fill, net)) return sim;
  if (!sim->error) sb_sim_refuse_all(sim, sim->diagnostics);
  sim->failed = true;
  return sim;
}

static bool fill_scene(sb_sim *sim, const sb_net *net)
{
  (void)net;
  return sb_scene_build(sim->options, &sim->pose, sim->diagnostics);
}

sb_sim *sb_sim_from_scene(const char *options)
{
  SB_AS_GUEST;
  return create(options, NULL, fill_scene, NULL);
}

/* ---- a net from arrays ---- */

#define REFUSE_NET(code, ...) sb_error_at(sim->diagnostics, (sb_location){"net", 0, 0}, (code), __VA_ARGS__)

/* Counts, pointers and vertex numbers; pose_check.c checks values. */
static bool check_net(sb_sim *sim, const sb_net *net)
{
  if (!net) return REFUSE_NET("E203", "there is no net: the pointer is NULL");
  if (net->vertices == 0 || net->vertices > INT32_MAX || net->springs > INT32_MAX || net->triangles > INT32_MAX)
    return REFUSE_NET("E215",
                      "%zu vertices, %zu springs, %zu triangles: counts go from 1 (springs and triangles 0) to "
                      "2^31 - 1",
                      net->vertices, net->springs, net->triangles);
  if (!net->position) return REFUSE_NET("E203", "position is NULL");
  if (net->springs > 0 && !net->ends)
    return REFUSE_NET("E202", "ends is NULL, and there are %zu springs", net->springs);
  if (net->triangles > 0 && !net->triangle)
    return REFUSE_NET("E202", "triangle is NULL, and there are %zu triangles", net->triangles);
  for (size_t i = 0; i < 2 * net->springs; ++i)
    if (net->ends[i] < 0 || (size_t)net->ends[i] >= net->vertices)
      return REFUSE_NET("E202", "spring %zu joins vertex %d; vertices go from 0 to %zu", i / 2, (int)net->ends[i],
                        net->vertices - 1);
  for (size_t i = 0; i < 3 * net->triangles; ++i)
    if (net->triangle[i] < 0 || (size_t)net->triangle[i] >= net->vertices)
      return REFUSE_NET("E202", "triangle %zu has vertex %d; vertices go from 0 to %zu", i / 3, (int)net->triangle[i],
                        net->vertices - 1);
  for (size_t i = 0; net->velocity && i < 3 * net->vertices; ++i)
    if (!isfinite(net->velocity[i]))
      return REFUSE_NET("E203", "%c of the velocity of vertex %zu is not finite", "xyz"[i % 3], i / 3);
  const bool mass = sb_options_has(sim->options, SB_OPT_vertex_mass) || sb_options_has(sim->options, SB_OPT_total_mass);
  if (!net->mass && !mass) return REFUSE_NET("E211", "mass is NULL: give option vertex_mass or total_mass");
  const bool stiff = sb_options_has(sim->options, SB_OPT_stiffness) || sb_options_has(sim->options, SB_OPT_young);
  if (!net->stiffness && !stiff && net->springs > 0)
    return REFUSE_NET("E205", "stiffness is NULL: give option stiffness or young");
  return true;
}

/* An option that would replace an array of the caller's leaves one of the two without effect. */
static bool check_rivals(sb_sim *sim, const sb_net *net)
{
  static const sb_option_id masses[] = {SB_OPT_vertex_mass, SB_OPT_total_mass};
  static const sb_option_id stiffnesses[] = {SB_OPT_stiffness, SB_OPT_young};
  bool                      good = true;
  for (int k = 0; k < 2; ++k) {
    if (net->mass && sb_options_has(sim->options, masses[k]))
      good = sb_error_at(sim->diagnostics, sb_options_location(sim->options, masses[k]), "E106",
                         "the net has masses; leave out the option '%s'", sb_option_at(masses[k])->name);
    if (net->stiffness && sb_options_has(sim->options, stiffnesses[k]))
      good = sb_error_at(sim->diagnostics, sb_options_location(sim->options, stiffnesses[k]), "E106",
                         "the net has stiffnesses; leave out the option '%s'", sb_option_at(stiffnesses[k])->name);
  }
  return good;
}

/* False if memory is out. */
static bool copy_net(const sb_options *options, const sb_net *net, sb_pose *pose)
{
  const size_t n = net->vertices;
  if (!sb_pose_allocate(pose, n)) return false;
  memcpy(pose->position, net->position, 3 * n * sizeof *pose->position);
  if (net->velocity) memcpy(pose->velocity, net->velocity, 3 * n * sizeof *pose->velocity);
  if (net->mass) memcpy(pose->mass, net->mass, n * sizeof *pose->mass);
  for (size_t i = 0; net->pinned && i < n; ++i) pose->pinned[i] = net->pinned[i] != 0;
  for (size_t s = 0; s < net->springs; ++s) {
    const double stiffness = net->stiffness ? net->stiffness[s] : sb_scene_stiffness(options, SB_STRUCTURAL);
    if (!sb_pose_add_spring(pose, net->ends[2 * s], net->ends[2 * s + 1], stiffness, SB_STRUCTURAL)) return false;
    if (net->rest_length) pose->rest_length[s] = net->rest_length[s];
  }
  if (net->triangles == 0) return true;
  pose->triangle = malloc(3 * net->triangles * sizeof *pose->triangle);
  if (!pose->triangle) return false;
  memcpy(pose->triangle, net->triangle, 3 * net->triangles * sizeof *pose->triangle);
  pose->triangles = net->triangles;
  return true;
}

static bool fill_net(sb_sim *sim, const sb_net *net)
{
  if (!check_net(sim, net) || !check_rivals(sim, net)) return false;
  if (!copy_net(sim->options, net, &sim->pose)) return sb_scene_too_large(sim->options, sim->diagnostics);
  return sb_scene_complete(sim->options, &sim->pose, sim->diagnostics);
}

sb_sim *sb_sim_from_net(const sb_net *net, const char *options)
{
  SB_AS_GUEST;
  return create(options, "net", fill_net, net);
}

void sb_sim_free(sb_sim *sim)
{
  SB_AS_GUEST;
  if (!sim) return;
  if (!sb_host_ended()) release(sim);
  if (sim->next) sim->next->before = sim->before;
  *sim->before = sim->next;
  sb_pose_clear(&sim->pose);
  sb_options_destroy(&sim->options);
  sb_diagnostics_destroy(&sim->diagnostics);
  sb_arena_destroy(&sim->arena);
  free(sim->warnings);
  free(sim->error);
  free(sim);
}

/* ---- steps ---- */

typedef struct {
  int64_t           steps;
  sb_advance_report report;
} advance;

static PetscErrorCode advance_by(sb_sim *sim, void *context)
{
  advance *a = context;

  PetscFunctionBeginUser;
  PetscCall(sb_integrator_advance(sim->integrator, sim->step, a->steps, sim->setup.x, sim->setup.v, &a->report));
  sim->step += a->report.steps_done;
  PetscFunctionReturn(0);
}

sb_sim_status sb_sim_advance(sb_sim *sim, int64_t steps, sb_sim_report *report)
{
  SB_AS_GUEST;
  advance a = {.steps = steps};
  if (report) *report = (sb_sim_report){0};
  if (!sim || sim->failed) return SB_SIM_FAILED;
  if (steps < 0 || steps > STEPS_MAX)
    return sb_sim_refuse(sim, "springbench: error: sb_sim_advance takes 0 to 1e9 steps; got %lld", (long long)steps);
  if (sim->stopped)
    return sb_sim_refuse(sim, "springbench: error: the last steps ended early; call sb_sim_set before the next");
  const sb_sim_status status = sb_sim_perform(sim, advance_by, &a);
  if (status != SB_SIM_OK) return status;
  if (report)
    *report = (sb_sim_report){a.report.steps_done, a.report.unconverged, a.report.minimizer_iterations,
                              a.report.linear_iterations, a.report.residual};
  if (a.report.status == SB_OK) return SB_SIM_OK;
  sim->stopped = true;
  sb_sim_refuse(sim, "springbench: %s", a.report.reason);
  switch (a.report.status) {
  case SB_CASE_DIVERGED:
    return SB_SIM_DIVERGED;
  case SB_CASE_NOT_SPD:
    return SB_SIM_NOT_SPD;
  case SB_CASE_CONTACT_UNRESOLVED:
    return SB_SIM_CONTACT_UNRESOLVED;
  default:
    return SB_SIM_NOT_CONVERGED;
  }
}
