/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hand on a vertex, and wind. A hand is a pin that moves, or a spring between the vertex and the place that it points
 * to, half as stiff as the springs at the vertex together, but at most m/h^2: its force is that of the place before the
 * step, which no method bears if it is stiffer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "live/player.h"

/* The server has checked the kinds of members. */
static bool is_vertex(const sb_stage_play *play, const json_t *message, int32_t *vertex)
{
  *vertex = (int32_t)json_integer_value(json_object_get(message, "vertex"));
  if ((size_t)*vertex < play->sim->pose.vertices) return true;
  sb_play_refuse(play, NULL, "there is no such vertex");
  return false;
}

static void read_place(const json_t *list, double place[3])
{
  for (size_t c = 0; c < 3; ++c) place[c] = json_number_value(json_array_get(list, c));
}

static bool refuse_status(const sb_stage_play *play, sb_sim_status status)
{
  if (status != SB_SIM_OK) sb_play_refuse(play, NULL, sb_sim_error(play->sim));
  return status != SB_SIM_OK;
}

static double stiffness_at(const sb_pose *pose, int32_t vertex)
{
  double sum = 0;
  for (size_t s = 0; s < pose->springs; ++s)
    if (pose->ends[2 * s] == vertex || pose->ends[2 * s + 1] == vertex) sum += pose->stiffness[s];
  return sum / 2;
}

bool sb_hold_pulls(const sb_stage_play *play)
{
  return (play->hand.active && !play->hand.by_pin) || play->gust[0] != 0 || play->gust[1] != 0 || play->gust[2] != 0;
}

static sb_sim_status apply(sb_stage_play *play)
{
  sb_sim *sim = play->sim;
  if (!sb_hold_pulls(play)) return sim->pushed ? sb_sim_set_forces(sim, NULL) : SB_SIM_OK;
  const size_t     n = sim->pose.vertices;
  const sb_hand   *hand = &play->hand;
  const double     h = sim->c.time.h_seconds;
  SB_OWNED double *force = sb_allocate(3 * n, sizeof *force), *x = sb_allocate(3 * n, sizeof *x);
  sb_sim_status    status = sb_sim_get(sim, x, NULL);
  if (status != SB_SIM_OK) return status;
  for (size_t i = 0; i < 3 * n; ++i) force[i] = sim->pose.pinned[i / 3] ? 0 : sim->pose.mass[i / 3] * play->gust[i % 3];
  for (int c = 0; c < 3 && hand->active && !hand->by_pin; ++c) {
    const double stiffness = fmin(hand->stiffness, sim->pose.mass[hand->vertex] / (h * h));
    force[3 * hand->vertex + c] += stiffness * (hand->to[c] - x[3 * hand->vertex + c]);
  }
  play->touched = true;
  return sb_sim_set_forces(sim, force);
}

/* A refused hand or wind is released. */
void sb_hold_apply(sb_stage_play *play)
{
  if (!refuse_status(play, apply(play))) return;
  play->hand.active = false;
  memset(play->gust, 0, sizeof play->gust);
}

/* The places of the net as they are now, pinned or not. */
static void set_pinned(sb_stage_play *play, int32_t vertex, bool pinned)
{
  if ((play->sim->pose.pinned[vertex] != 0) == pinned) return;
  if (refuse_status(play, pinned ? sb_sim_pin(play->sim, 1, &vertex) : sb_sim_unpin(play->sim, 1, &vertex))) return;
  play->touched = true;
  sb_play_forget_limit(play);
  sb_play_tell_pins(play);
}

void sb_hold_drop(sb_stage_play *play)
{
  const sb_hand before = play->hand;
  play->hand.active = false;
  if (!before.active || play->sim->stopped || play->sim->failed) return;
  if (before.by_pin && !before.was_pinned) set_pinned(play, before.vertex, false);
  if (!before.by_pin) sb_hold_apply(play);
}

void sb_hold_drag(sb_stage_play *play, const json_t *message)
{
  sb_sim     *sim = play->sim;
  sb_hand     next = {.active = true};
  const char *by = json_string_value(json_object_get(message, "by"));
  if (sim->stopped || sim->failed || !is_vertex(play, message, &next.vertex)) return;
  read_place(json_object_get(message, "to"), next.to);
  next.by_pin = !by || strcmp(by, "pin") == 0;
  if (play->hand.active && (play->hand.vertex != next.vertex || play->hand.by_pin != next.by_pin)) sb_hold_drop(play);
  const bool begins = !play->hand.active;
  next.was_pinned = begins ? sim->pose.pinned[next.vertex] : play->hand.was_pinned;
  next.by_pin = next.by_pin || next.was_pinned; /* a spring cannot pull a pinned vertex */
  next.stiffness = begins ? stiffness_at(&sim->pose, next.vertex) : play->hand.stiffness;
  if (begins && next.by_pin) set_pinned(play, next.vertex, true);
  if (next.by_pin && !sim->pose.pinned[next.vertex]) return; /* it was refused */
  play->hand = next;
  if (next.by_pin && refuse_status(play, sb_sim_move(sim, 1, &next.vertex, next.to))) play->hand.active = false;
  play->touched = true;
}

void sb_hold_pin(sb_stage_play *play, const json_t *message)
{
  int32_t vertex;
  if (is_vertex(play, message, &vertex) && !play->sim->stopped)
    set_pinned(play, vertex, json_is_true(json_object_get(message, "value")));
}

void sb_hold_gust(sb_stage_play *play, const json_t *message)
{
  if (play->sim->stopped) return;
  read_place(json_object_get(message, "acceleration"), play->gust);
  sb_hold_apply(play);
}
