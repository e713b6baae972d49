/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of a simulation: from options and arrays to a system and its integrator, and its steps. */
#include "library/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/input_file.h"
#include "cases/run/run_case.h"
#include "cases/store/restart.h"
#include "drivers/drivers.h"
#include "library/words.h"
#include "model/system/external.h"

enum { STEPS_MAX = 1000000000 }; /* of one call */

/* ---- making ---- */

bool sb_sim_lacks(sb_option_id id) { return sb_option_at(id)->traits & (SB_OF_RUN | SB_OF_COMMAND_LINE); }

/* The function that takes the place of an option of the command line; NULL: none does. */
static const char *function_for(sb_option_id id)
{
  if (sb_option_at(id)->traits & SB_STORED_ONLY) return "sb_sim_save";
  if (id == SB_ID(restart)) return "sb_sim_load";
  return sb_option_at(id)->traits & SB_STATES_TIME || id == SB_ID(steps) ? "sb_sim_advance" : NULL;
}

static void read_options(sb_sim *sim, const char *line)
{
  const char *const *words = sb_split_words(line, sim->arena);
  if (!words) sb_error_at(sim->diagnostics, (sb_location){"options", 0, 0}, "E110", "a quote is not closed: %s", line);
  for (int i = 0; words && words[i]; ++i) {
    const sb_location  where = {"options", i + 1, 0};
    const char        *name = sb_arena_copy_span(sim->arena, words[i], strcspn(words[i], "="));
    const sb_option_id id = sb_option_find(name);
    bool               allowed = true;
    if (id != sb_option_count && sb_sim_lacks(id))
      allowed = sb_error_at(sim->diagnostics, where, "E106", "'%s' belongs to the command line%s%s", name,
                            function_for(id) ? "; the library has " : "", function_for(id) ? function_for(id) : "");
    if (id != sb_option_count && sb_options_origin(sim->options, id) == SB_FROM_USER)
      allowed = sb_error_at(sim->diagnostics, where, "E101", "'%s' is given twice", name);
    if (allowed) sb_options_set_pair(sim->options, words[i], SB_FROM_USER, where, sim->diagnostics);
  }
}

/* An option without a reader is refused: its user believes that it acts. */
static bool check_read(const sb_options *options, sb_diagnostics *diagnostics)
{
  bool good = true;
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
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

static bool is_replaced(const sb_options *options, sb_option_id id)
{
  bool found = sb_options_origin(options, id) == SB_FROM_USER;
  for (sb_option_id other = 0; other < sb_option_count && !found; ++other)
    found = sb_option_excludes(id, other) && sb_options_location(options, other).line > 0;
  return found;
}

/* Sets the options of another run that the line has not replaced. */
static void inherit(const sb_options *from, sb_options *options)
{
  for (sb_option_id id = 0; id < sb_option_count; ++id)
    if (sb_options_origin(from, id) == SB_FROM_USER && !is_replaced(options, id) && !sb_sim_lacks(id))
      sb_options_set(options, id, sb_options_text(from, id), SB_FROM_USER, (sb_location){"options", 0, 0}, NULL);
}

static void take_earlier(sb_sim *sim, const char *line)
{
  const char *const *words = sb_split_words(line, sim->arena);
  for (int i = 0; words && words[i]; ++i) {
    const sb_option_id id = sb_option_find(sb_arena_copy_span(sim->arena, words[i], strcspn(words[i], "=")));
    if (id != sb_option_count && !is_replaced(sim->options, id))
      sb_options_set_pair(sim->options, words[i], SB_FROM_USER, (sb_location){"options", 0, 0}, NULL);
  }
}

static bool inherit_from_file(sb_sim *sim, const char *file)
{
  const sb_location where = {"sb_sim_load", 0, 0};
  sb_options       *theirs = sb_options_create(sb_options_vocabulary(sim->options));
  const bool        good = sb_restart_take_options(file, theirs, where, sim->diagnostics);
  if (good) inherit(theirs, sim->options);
  sb_options_destroy(&theirs);
  return good && sb_options_set(sim->options, SB_ID(restart), file, SB_FROM_USER, where, sim->diagnostics);
}

/* A run of one step or frame, or of one more than the file at `path` has; nothing reads its length. */
static bool resolve(sb_sim *sim, const char *path)
{
  char            text[32] = "1", error[256];
  int64_t         step = 0;
  sb_options     *o = sim->options;
  const bool      framed = sb_options_has(o, SB_ID(substeps)) || sb_options_has(o, SB_ID(frame_seconds));
  const sb_scene *scene = sb_scene_find(SB_TEXT(o, scene));
  if (path && sb_saved_step(path, &step, error)) snprintf(text, sizeof text, "%lld", (long long)step + 1);
  set_quietly(o, framed ? SB_ID(frames) : SB_ID(steps), text);
  if (scene && scene->particles) set_quietly(o, SB_ID(driver), "flow");
  set_quietly(o, SB_ID(save), "final");
  return sb_diagnostics_errors(sim->diagnostics) == 0 && sb_case_resolve(o, &sim->c.time, sim->diagnostics) &&
         check_read(o, sim->diagnostics);
}

static sb_sim *living; /* all simulations that have not been freed */

static void release(sb_sim *sim)
{
  (void)PetscPushErrorHandler(sb_complaint_take, &sim->complaint);
  (void)sb_integrator_destroy(&sim->integrator);
  if (sim->setup) (void)sb_setup_destroy(sim->setup);
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
  PetscCall(sb_setup_from_pose(&sim->c, &sim->pose, sim->setup));
  PetscCall(sb_integrator_create(sim->setup->system, sim->options, sim->c.time.h_seconds, &sim->integrator));
  PetscCall(sb_setup_restart(&sim->c, sim->setup, sim->integrator, &sim->step));
  if (sim->own_pins) PetscCall(sb_system_take_pin_places(sim->setup->system, sim->setup->x));
  PetscCall(sb_setup_observe_start(sim->setup, (double)sim->step * sim->c.time.h_seconds));
  PetscCall(sb_setup_open_balance(&sim->c, sim->setup, (double)sim->step * sim->c.time.h_seconds));
  PetscFunctionReturn(0);
}

static bool fill_net(sb_sim *sim, const sb_net *net);

/* The first option of a trait that has a value; sb_option_count: none. */
static sb_option_id stated(const sb_options *options, unsigned trait)
{
  sb_option_id id = 0;
  while (id < sb_option_count && !(sb_option_at(id)->traits & trait && sb_options_has(options, id))) ++id;
  return id;
}

/* True if the line has the option, which arrays of a net take the place of. */
static bool has_new(const sb_options *options, unsigned trait)
{
  const sb_option_id id = stated(options, trait);
  return id < sb_option_count && sb_options_location(options, id).line > 0;
}

/* From a scene, or from arrays. */
static bool fill(sb_sim *sim, const sb_net *net)
{
  return net && SB_IS(sim->options, scene, "net") ? fill_net(sim, net)
                                                  : sb_scene_build(sim->options, &sim->pose, sim->diagnostics);
}

static bool refuse_file(sb_sim *sim, const char *file, const char *error)
{
  return sb_error_at(sim->diagnostics, (sb_location){"sb_sim_load", 0, 0}, "E100", "cannot continue from '%s': %s",
                     file ? file : "NULL", error);
}

static bool fill_from_file(sb_sim *sim, const char *file)
{
  char         error[256] = "";
  sb_saved_net f;
  if (!sb_saved_net_read(sim->arena, file, &f, error)) return refuse_file(sim, file, error);
  const sb_net net = {f.vertices, f.springs,   f.triangles,   f.position, f.velocity, f.mass,
                      f.ends,     f.stiffness, f.rest_length, f.triangle, f.pinned};
  if (!fill(sim, &net)) return false;
  if (f.held && f.vertices != sim->pose.vertices) return refuse_file(sim, file, "its pins are those of another net");
  sim->own_pins = f.held != NULL;
  for (size_t i = 0; f.held && i < f.vertices; ++i) sim->pose.pinned[i] = f.held[i] != 0;
  return true;
}

/* Positions, velocities and pins of a run are no longer those of its options. */
static bool check_changes(sb_sim *sim)
{
  bool good = true;
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
    const sb_location where = sb_options_location(sim->options, id);
    if (where.line > 0 && sb_option_at(id)->traits & SB_OF_START)
      good = sb_error_at(sim->diagnostics, where, "E106",
                         "'%s' belongs to the start of a run; make another simulation, or set places and pins of "
                         "this one",
                         sb_option_at(id)->name);
  }
  return good;
}

static bool read_source(sb_sim *sim, const sb_sim_source *source)
{
  if (source->net) set_quietly(sim->options, SB_ID(scene), "net");
  read_options(sim, source->line ? source->line : "");
  if (source->earlier) take_earlier(sim, source->earlier);
  if (source->like && !check_changes(sim)) return false;
  if (source->like) inherit(source->like->options, sim->options);
  if (source->file) {
    const char *path = sb_arena_adopt(sim->arena, sb_input_path(source->file)); /* as option restart reads it */
    return inherit_from_file(sim, source->file) && resolve(sim, path) && fill_from_file(sim, path);
  }
  sb_net net = source->net ? *source->net : (sb_net){0};
  if (source->like && has_new(sim->options, SB_STATES_MASSES)) net.mass = NULL;
  if (source->like && has_new(sim->options, SB_STATES_STIFFNESSES)) net.stiffness = NULL;
  if (!resolve(sim, NULL) || !fill(sim, source->net ? &net : NULL)) return false;
  /* A net of another size cannot take over, and the caller refuses it. */
  sim->own_pins = source->pinned && source->like->pose.vertices == sim->pose.vertices;
  if (sim->own_pins) memcpy(sim->pose.pinned, source->pinned, sim->pose.vertices);
  return true;
}

/* False after errors, all of which are reported. */
static bool build(sb_sim *sim, const sb_sim_source *source)
{
  if (!read_source(sim, source)) return false;
  sim->warnings = sb_sim_print(sim->diagnostics);
  show_net(sim);
  return start(sim) && sb_sim_perform(sim, set_up, NULL) == SB_SIM_OK;
}

sb_sim *sb_sim_make(const sb_sim_source *source)
{
  sb_sim *sim = calloc(1, sizeof *sim);
  if (!sim) return NULL;
  sim->next = living;
  sim->before = &living;
  if (living) living->before = &sim->next;
  living = sim;
  sim->arena = sb_arena_create();
  sim->diagnostics = sb_diagnostics_create();
  sim->options = sb_options_create(source->vocabulary ? source->vocabulary : sb_sim_vocabulary(sim->diagnostics));
  sim->setup = sb_arena_take(sim->arena, 1, sizeof *sim->setup);
  *sim->setup = (sb_setup){0};
  sim->c = (sb_case){.comm = PETSC_COMM_SELF, .options = sim->options};
  if (build(sim, source)) return sim;
  if (!sim->error) sb_sim_refuse_all(sim, sim->diagnostics);
  sim->failed = true;
  return sim;
}

sb_sim *sb_sim_from_scene(const char *options)
{
  SB_AS_GUEST;
  return sb_sim_make(&(sb_sim_source){.line = options});
}

/* ---- a net from arrays ---- */

#define REFUSE_NET(code, ...) sb_error_at(sim->diagnostics, (sb_location){"net", 0, 0}, (code), __VA_ARGS__)

/* Counts, pointers and vertex numbers; pose_check.c checks values. */
static bool check_net(sb_sim *sim, const sb_net *net)
{
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
  for (const int32_t *t = net->triangle; t && t < net->triangle + 3 * net->triangles; t += 3)
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0])
      return REFUSE_NET("E202", "triangle %zu has vertex %d twice", (size_t)(t - net->triangle) / 3,
                        (int)(t[0] == t[1] ? t[0] : t[2]));
  for (size_t i = 0; net->velocity && i < 3 * net->vertices; ++i)
    if (!isfinite(net->velocity[i]))
      return REFUSE_NET("E203", "%c of the velocity of vertex %zu is not finite", "xyz"[i % 3], i / 3);
  if (!net->mass && stated(sim->options, SB_STATES_MASSES) == sb_option_count)
    return REFUSE_NET("E211", "mass is NULL: give option vertex_mass or total_mass");
  if (!net->stiffness && net->springs > 0 && stated(sim->options, SB_STATES_STIFFNESSES) == sb_option_count)
    return REFUSE_NET("E205", "stiffness is NULL: give option stiffness or young");
  return true;
}

/* An option that would replace an array of the caller's leaves one of the two without effect. */
static bool check_rivals(sb_sim *sim, const sb_net *net)
{
  const sb_option_id mass = stated(sim->options, SB_STATES_MASSES);
  const sb_option_id stiffness = stated(sim->options, SB_STATES_STIFFNESSES);
  bool               good = true;
  if (net->mass && mass < sb_option_count)
    good = sb_error_at(sim->diagnostics, sb_options_location(sim->options, mass), "E106",
                       "the net has masses; leave out the option '%s'", sb_option_at(mass)->name);
  if (net->stiffness && stiffness < sb_option_count)
    good = sb_error_at(sim->diagnostics, sb_options_location(sim->options, stiffness), "E106",
                       "the net has stiffnesses; leave out the option '%s'", sb_option_at(stiffness)->name);
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

static const void *keep(sb_sim *sim, const void *array, size_t count, size_t size)
{
  return array && count > 0 ? memcpy(sb_arena_take(sim->arena, count, size), array, count * size) : NULL;
}

/* The caller's arrays are needed again for other options, and for a file. */
static sb_net keep_net(sb_sim *sim, const sb_net *net)
{
  const size_t n = net->vertices, m = net->springs;
  return (sb_net){n,
                  m,
                  net->triangles,
                  keep(sim, net->position, 3 * n, sizeof(double)),
                  keep(sim, net->velocity, 3 * n, sizeof(double)),
                  keep(sim, net->mass, n, sizeof(double)),
                  keep(sim, net->ends, 2 * m, sizeof(int32_t)),
                  keep(sim, net->stiffness, m, sizeof(double)),
                  keep(sim, net->rest_length, m, sizeof(double)),
                  keep(sim, net->triangle, 3 * net->triangles, sizeof(int32_t)),
                  keep(sim, net->pinned, n, 1)};
}

static bool fill_net(sb_sim *sim, const sb_net *net)
{
  if (!check_net(sim, net) || !check_rivals(sim, net)) return false;
  sim->given = keep_net(sim, net);
  if (!copy_net(sim->options, net, &sim->pose)) return sb_scene_too_large(sim->options, sim->diagnostics);
  return sb_scene_complete(sim->options, &sim->pose, sim->diagnostics);
}

sb_sim *sb_sim_from_net(const sb_net *net, const char *options)
{
  static const sb_net none;
  SB_AS_GUEST;
  return sb_sim_make(&(sb_sim_source){.line = options, .net = net ? net : &none});
}

sb_sim *sb_sim_load(const char *file)
{
  SB_AS_GUEST;
  return sb_sim_make(&(sb_sim_source){.file = file ? file : ""});
}

void sb_sim_forget_frames(sb_sim *sim)
{
  for (sb_sim_frame *f = sim->frames, *next; f; f = next) {
    next = f->next;
    free(f);
  }
  sim->frames = sim->last_frame = NULL;
}

void sb_sim_free(sb_sim *sim)
{
  SB_AS_GUEST;
  if (!sim) return;
  if (!sb_host_ended()) release(sim);
  if (sim->next) sim->next->before = sim->before;
  *sim->before = sim->next;
  sb_sim_forget_frames(sim);
  sb_pose_clear(&sim->pose);
  sb_options_destroy(&sim->options);
  sb_diagnostics_destroy(&sim->diagnostics);
  sb_arena_destroy(&sim->arena);
  free(sim->pushed);
  free(sim->warnings);
  free(sim->error);
  free(sim);
}

/* ---- steps ---- */

typedef struct {
  int64_t           steps;
  sb_advance_report report;
} advance;

/* A look costs as much as two explicit steps. It is made after a call that passes a multiple of these steps. */
#define STEPS_PER_LOOK 16

static PetscErrorCode look_for_burst(sb_sim *sim, sb_advance_report *report)
{
  const int64_t looks = sim->step / STEPS_PER_LOOK - (sim->step - report->steps_done) / STEPS_PER_LOOK;

  PetscFunctionBeginUser;
  if (report->status != SB_OK || looks == 0) PetscFunctionReturn(0);
  PetscCall(sb_setup_look(sim->setup, (double)sim->step * sim->c.time.h_seconds, NULL));
  if (sb_balance_burst(&sim->setup->balance, sizeof report->reason, report->reason)) report->status = SB_CASE_DIVERGED;
  PetscFunctionReturn(0);
}

static PetscErrorCode advance_by(sb_sim *sim, void *context)
{
  advance *a = context;

  PetscFunctionBeginUser;
  PetscCall(sb_integrator_advance(sim->integrator, sim->step, a->steps, sim->setup->x, sim->setup->v, &a->report));
  sim->step += a->report.steps_done;
  PetscCall(look_for_burst(sim, &a->report));
  PetscFunctionReturn(0);
}

sb_sim_status sb_sim_advance(sb_sim *sim, int64_t steps, sb_sim_report *report)
{
  SB_AS_GUEST;
  advance a = {.steps = steps};
  if (report) *report = (sb_sim_report){0};
  if (!sim || sim->failed) return SB_SIM_FAILED;
  if (steps < 0 || steps > STEPS_MAX)
    return sb_sim_refuse(sim, "springbench: error: sb_sim_advance makes 0 to 1e9 steps; got %lld", (long long)steps);
  if (sb_sim_is_stopped(sim)) return SB_SIM_REFUSED;
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
