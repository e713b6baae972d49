/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The net as a page draws it, sent once, and pictures of its state. */
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/profile.h"
#include "cases/common/json_text.h"
#include "drivers/frequency.h"
#include "live/player.h"
#include "solvers/integrate/integrator_method.h"

static json_t *numbers(const double list[3]) { return json_pack("[fff]", list[0], list[1], list[2]); }

void sb_play_tell_pins(const sb_stage_play *play)
{
  const sb_pose *p = &play->sim->pose;
  sb_play_tell(play, json_pack("{ss so}", "type", "pinned", "pinned", sb_json_of_bytes(p->pinned, p->vertices)));
}

/* The box of the net and of colliders with a radius, in the picture's axes. */
static void find_box(const sb_sim *sim, const double (*axes)[3], double box[2][3])
{
  const sb_pose   *p = &sim->pose;
  SB_OWNED double *x = sb_allocate(3 * p->vertices, sizeof *x);
  if (sb_sim_get((sb_sim *)sim, x, NULL) != SB_SIM_OK) memcpy(x, p->position, 3 * p->vertices * sizeof *x);
  for (size_t i = 0; i < p->vertices; ++i)
    for (int c = 0; c < 3; ++c) {
      double along = 0;
      for (size_t k = 0; k < 3; ++k) along += axes[c][k] * x[3 * i + k];
      box[0][c] = fmin(i == 0 ? along : box[0][c], along);
      box[1][c] = fmax(i == 0 ? along : box[1][c], along);
    }
}

/* Radii, 0 of a plane; and two points of each. */
static size_t colliders_of(const sb_sim *sim, float *points, json_t *radii)
{
  size_t              count = 0;
  sb_contact         *contact = sim->setup->system->contact;
  const double        t = (double)sim->step * sim->c.time.h_seconds;
  const sb_composite *each = contact ? sb_contact_colliders(contact, &count) : NULL;
  for (size_t i = 0; i < count; ++i) {
    double                   point[SB_COLLIDER_POINTS_MAX][3] = {{0}};
    const sb_collider_shape *shape = (const void *)each[i].form;
    sb_contact_places(contact, t, i, point);
    for (size_t c = 0; c < 3 && points; ++c) {
      points[6 * i + c] = (float)point[0][c];
      points[6 * i + 3 + c] = (float)point[shape->points - 1][c];
    }
    if (radii) json_array_append_new(radii, json_real(sb_collider_radius(&each[i])));
  }
  return count;
}

double sb_play_net_bytes(const sb_sim *sim)
{
  const sb_pose *p = &sim->pose; /* base64 has 4 characters for 3 bytes */
  return 4.0 / 3 * (double)(3 * p->triangles * sizeof *p->triangle + 2 * p->springs * sizeof *p->ends + p->vertices);
}

void sb_play_tell_net(const sb_stage_play *play, bool anew)
{
  const sb_sim   *sim = play->sim;
  const sb_pose  *p = &sim->pose;
  const sb_fluid *fluid = sim->setup->system->fluid;
  const bool      strands = p->triangles == 0 && !fluid;
  const double    diameter = fluid ? fluid->particles.spacing : 0;
  double          box[2][3] = {{0}};
  bool            in_plane = true;
  json_t         *radii = json_array();
  for (size_t i = 0; i < p->vertices; ++i) in_plane = in_plane && p->position[3 * i + 2] == p->position[2];
  const double(*axes)[3] = sb_scene_axes(sim->setup->system->gravity, in_plane);
  find_box(sim, axes, box);
  const bool flat = box[1][1] - box[0][1] <= 1e-9 * (box[1][0] - box[0][0] + box[1][2] - box[0][2]);
  colliders_of(sim, NULL, radii);
  sb_play_tell(play, json_pack("{ss sb ss si ss sb s[ooo] s[oo] so so so sf so}", "type", "net", "anew", (int)anew,
                               "title", SB_TEXT(sim->options, scene), "vertices", (int)p->vertices, "kind",
                               fluid     ? "particles"
                               : strands ? "rope"
                                         : "surface",
                               "flat", (int)flat, "axes", numbers(axes[0]), numbers(axes[1]), numbers(axes[2]), "box",
                               numbers(box[0]), numbers(box[1]), "triangles",
                               sb_json_of_bytes(p->triangle, 3 * p->triangles * sizeof *p->triangle), "springs",
                               sb_json_of_bytes(p->ends, 2 * p->springs * sizeof *p->ends), "pinned",
                               sb_json_of_bytes(p->pinned, p->vertices), "diameter", diameter, "colliders", radii));
}

PetscErrorCode sb_play_measure(sb_sim *sim, void *energies)
{
  PetscFunctionBeginUser;
  PetscCall(sb_system_energies(sim->setup->system, sim->setup->x, sim->setup->v, energies));
  PetscFunctionReturn(0);
}

bool sb_play_show(sb_stage_play *play, uint32_t frame)
{
  sb_sim           *sim = play->sim;
  const size_t      n = sim->pose.vertices, colliders = colliders_of(sim, NULL, NULL);
  const size_t      bytes = sizeof(sb_picture) + (4 * n + 6 * colliders) * sizeof(float);
  SB_OWNED double  *x = sb_allocate(7 * n, sizeof *x);
  double           *strain = x + 6 * n;
  SB_OWNED uint8_t *picture = sb_allocate(bytes, 1);
  sb_picture        head = {.magic = SB_PICTURE_MAGIC,
                            .side = (uint32_t)play->side,
                            .frame = frame,
                            .vertices = (uint32_t)n,
                            .time = (double)sim->step * sim->c.time.h_seconds,
                            .step = (double)sim->step,
                            .h = sim->c.time.h_seconds,
                            .minimizer_iterations = play->per_step[0],
                            .linear_iterations = play->per_step[1],
                            .step_seconds = play->per_step[2],
                            .residual = play->residual,
                            .steps = (double)play->steps,
                            .limit_h = play->limit_h,
                            .colliders = (uint32_t)colliders};
  float            *place = (void *)(picture + sizeof head), *value = place + 3 * n;
  sb_energies       e = {0};
  const bool good = sb_sim_get(sim, x, x + 3 * n) == SB_SIM_OK && sb_sim_perform(sim, sb_play_measure, &e) == SB_SIM_OK;
  head.kinetic = e.kinetic;
  head.elastic = e.elastic;
  head.gravity = e.gravity;
  head.total = e.total;
  head.strain_max = sim->setup->system->fluid ? NAN : e.strain_max;
  for (size_t i = 0; good && i < 3 * n; ++i) place[i] = (float)x[i];
  if (good && sim->pose.springs > 0) {
    sb_pose_strains(&sim->pose, x, strain);
    for (size_t i = 0; i < n; ++i) value[i] = (float)strain[i];
  }
  for (size_t i = 0; good && sim->setup->system->fluid && i < n; ++i) {
    const double *v = x + 3 * n + 3 * i;
    value[i] = (float)sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }
  colliders_of(sim, value + n, NULL);
  memcpy(picture, &head, sizeof head);
  return sb_channel_send(SB_CHANNEL, SB_SAYS_PICTURE, picture, bytes);
}

/* To the width of a line in a strip. */
static const double LIMIT_TOLERANCE = 1e-3;
#define QUIET_SECONDS 0.25

/* The limit of small vibrations about any stretched state. Dampers and penalties have limits of their own. */
static PetscErrorCode find_limit(sb_sim *sim, void *context)
{
  double                     *limit = context, omega = 0;
  const sb_system            *system = sim->setup->system;
  const sb_integrator_method *method = sb_integrator_known(sim->options);

  PetscFunctionBeginUser;
  if (!method || !(method->stability_limit > 0) || !isfinite(method->stability_limit)) PetscFunctionReturn(0);
  if (system->fluid || system->contact || system->spring_damping > 0 || system->pin_method == SB_PINS_PENALTY)
    PetscFunctionReturn(0);
  PetscCall(sb_frequency_any_stretch(sim->setup->system, LIMIT_TOLERANCE, &omega));
  if (omega > 0) *limit = method->stability_limit / omega;
  PetscFunctionReturn(0);
}

double sb_play_limit_of(sb_sim *sim)
{
  double limit = NAN;
  (void)sb_sim_perform(sim, find_limit, &limit);
  return limit;
}

void sb_play_forget_limit(sb_stage_play *play)
{
  play->limit_h = NAN;
  play->limit_due = sb_clock_seconds() + QUIET_SECONDS;
}

void sb_play_find_limit(sb_stage_play *play)
{
  const double left = fmax(0, play->limit_due - sb_clock_seconds());
  if (play->limit_due == 0) return;
  if (poll(&(struct pollfd){.fd = SB_CHANNEL, .events = POLLIN}, 1, (int)ceil(1000 * left)) > 0 && left > 0) return;
  play->limit_due = 0;
  play->limit_h = sb_play_limit_of(play->sim);
  sb_play_tell(play, json_pack("{ss}", "type", "limit"));
}
