/* SPDX-License-Identifier: GPL-3.0-or-later */
/* springbench-live-cases: one simulation of `springbench live`, in a separate process over the library, so that the
 * page survives its crash, an endless step or its end by a signal. It reads requests of the server from descriptor
 * SB_CHANNEL, one after the other, and answers there; it ends with the server. docs/live.md has the messages. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/profile.h"
#include "cases/common/exit_status.h"
#include "cases/run/plugins.h"
#include "drivers/drivers.h"
#include "live/player.h"

/* ---- making ---- */

/* NAME="VALUE" of all pairs, with one put in or replaced. The caller has refused values with '"'. */
static char *line_of(const json_t *pairs, const char *name, const char *value)
{
  char       *text = NULL;
  size_t      length = 0;
  FILE       *line = sb_text_stream(&text, &length);
  const char *key;
  json_t     *each;
  json_object_foreach((json_t *)pairs, key, each)
  {
    if (!name || strcmp(key, name) != 0) fprintf(line, "%s=\"%s\" ", key, json_string_value(each));
  }
  if (name) fprintf(line, "%s=\"%s\"", name, value);
  fclose(line);
  return text;
}

static void forget_steps(sb_stage_play *play)
{
  memset(play->per_step, 0, sizeof play->per_step);
  play->residual = 0;
  play->steps = 0;
}

/* Reports the new state: the same net with other numbers, another simulation in its state, or one at its start. */
typedef enum { SAME, KEPT, ANEW } novelty;
static void present(sb_stage_play *play, novelty what, bool new_limit)
{
  if (new_limit) sb_play_forget_limit(play);
  sb_play_tell_values(play);
  forget_steps(play);
  if (what == SAME) return;
  play->hand.active = false;
  if (what == ANEW) memset(play->gust, 0, sizeof play->gust);
  sb_play_tell_net(play, what == ANEW);
}

/* Replaces the simulation by a new one; false if the new one has only an error, which stays in `made`. */
static bool accept(sb_stage_play *play, sb_sim *made)
{
  if (!made || sb_sim_error(made)) return false;
  sb_sim_free(play->sim);
  play->sim = made;
  return true;
}

/* From the start, with the options of a line. */
static sb_sim *make(const sb_stage_play *play, const char *line)
{
  return sb_sim_make(
      &(sb_sim_source){.line = line, .file = *play->file ? play->file : NULL, .vocabulary = play->session->vocabulary});
}

static void begin_again(sb_stage_play *play)
{
  SB_OWNED char *line = line_of(play->pairs, NULL, NULL);
  sb_sim        *made = make(play, line);
  if (accept(play, made)) {
    play->touched = false;
    present(play, ANEW, true);
    return;
  }
  sb_play_refuse(play, NULL, made ? sb_sim_error(made) : NULL);
  sb_sim_free(made);
}

/* The option and the value of a request "set"; false after a refusal. */
static bool read_change(const sb_stage_play *play, const json_t *message, const char **name, const char **value)
{
  const char *why = NULL;
  *name = json_string_value(json_object_get(message, "option"));
  *value = json_string_value(json_object_get(message, "value"));
  const bool may = sb_play_may_set(*name, &why);
  if (may && !strchr(*value, '"') && !strchr(*value, '\\')) return true;
  sb_play_refuse(play, *name, may ? "a value has no quotes and no backslash" : why);
  return false;
}

static void open_one(sb_stage_play *play, const json_t *message)
{
  const char *file = json_string_value(json_object_get(message, "file"));
  play->side = (int)json_integer_value(json_object_get(message, "side"));
  play->file = file ? sb_arena_copy(play->session->arena, file) : "";
  play->folder = sb_arena_copy(play->session->arena, json_string_value(json_object_get(message, "folder")));
  play->pairs = json_copy(json_object_get(message, "options"));
  for (sb_option_id id = 0; id < sb_option_count; ++id) /* a run is as long as somebody looks */
    if (sb_option_at(id)->traits & SB_OF_RUN) json_object_del(play->pairs, sb_option_at(id)->name);
  sb_play_tell_knobs(play);
  const json_t *change = json_object_get(message, "set");
  const char   *name, *value;
  if (json_is_object(change) && read_change(play, change, &name, &value))
    json_object_set_new(play->pairs, name, json_string(value));
  begin_again(play);
}

/* ---- changing ---- */

/* Gives a new simulation the state of the one there is; pins hold where their vertices are. */
static bool keep_state(const sb_sim *from, sb_sim *to)
{
  const size_t     n = to->pose.vertices;
  SB_OWNED double *x = sb_allocate(3 * n, sizeof *x), *v = sb_allocate(3 * n, sizeof *v);
  if (n != from->pose.vertices || sb_sim_get((sb_sim *)from, x, v) != SB_SIM_OK) return false;
  if (sb_sim_set(to, x, v) != SB_SIM_OK) return false;
  SB_OWNED int32_t *pin = sb_allocate(n, sizeof *pin);
  size_t            pins = 0;
  for (int32_t i = 0; (size_t)i < n; ++i) {
    if (!to->pose.pinned[i]) continue;
    memmove(x + 3 * pins, x + 3 * i, 3 * sizeof *x);
    pin[pins++] = i;
  }
  return pins == 0 || sb_sim_move(to, pins, pin, x) == SB_SIM_OK;
}

static void tell_change(const sb_stage_play *play, const char *name, const char *value, bool anew, const char *note)
{
  sb_play_tell(play, json_pack("{ss ss ss sb ss}", "type", "changed", "option", name, "value", value, "anew", (int)anew,
                               "note", note));
}

/* In the run if that is possible, else from the start, else not at all. */
static void change(sb_stage_play *play, const char *name, const char *value)
{
  SB_OWNED char *pair = sb_format("%s=\"%s\"", name, value), *line = line_of(play->pairs, name, value);
  const bool     stopped = !play->sim || play->sim->stopped || play->sim->failed;
  if (!stopped && sb_sim_configure(play->sim, pair) == SB_SIM_OK) {
    play->touched = play->touched || play->sim->step > 0;
    present(play, SAME, !(sb_option_at(sb_option_find(name))->traits & SB_STATES_TIME));
    tell_change(play, name, value, false, "");
    return;
  }
  sb_sim     *made = play->sim ? sb_sim_make(&(sb_sim_source){.line = pair,
                                                              .like = play->sim,
                                                              .anew = true,
                                                              .file = *play->file ? play->file : NULL,
                                                              .vocabulary = play->session->vocabulary})
                               : make(play, line);
  const bool  of_pins = sb_option_at(sb_option_find(name))->traits & SB_OF_PINS; /* positions stay */
  const bool  keeps = made && !stopped && !sb_sim_error(made) && of_pins && keep_state(play->sim, made);
  const char *note = keeps     ? ""
                     : stopped ? "The steps had ended, so the simulation starts from its beginning."
                               : "This is part of the start, so the simulation starts from its beginning.";
  if (keeps) made->step = play->sim->step;
  if (accept(play, made)) {
    play->touched = keeps;
    present(play, keeps ? KEPT : ANEW, true);
    tell_change(play, name, value, !keeps, note);
    return;
  }
  sb_play_refuse(play, name, made ? sb_sim_error(made) : NULL);
  sb_sim_free(made);
}

static void set(sb_stage_play *play, const json_t *message)
{
  const char *name, *value;
  if (read_change(play, message, &name, &value)) change(play, name, value);
}

/* ---- steps ---- */

/* The steps to a time. Forces of a hand are set in up to this many parts of them. */
enum { PARTS = 32 };
static sb_sim_status make_steps(sb_stage_play *play, int64_t steps)
{
  const int64_t parts = !sb_hold_pulls(play) ? 1 : steps < PARTS ? steps : PARTS;
  sb_sim_report sum = {0}, report;
  sb_sim_status status = SB_SIM_OK;
  const double  start = sb_clock_seconds();
  for (int64_t i = 0; i < parts && status == SB_SIM_OK; ++i) {
    if (sb_hold_pulls(play)) sb_hold_apply(play);
    status = sb_sim_advance(play->sim, steps * (i + 1) / parts - steps * i / parts, &report);
    sum.steps_done += report.steps_done;
    sum.minimizer_iterations += report.minimizer_iterations;
    sum.linear_iterations += report.linear_iterations;
    sum.residual = fmax(sum.residual, report.residual);
  }
  if (sum.steps_done == 0) return status;
  play->per_step[0] = (double)sum.minimizer_iterations / (double)sum.steps_done;
  play->per_step[1] = (double)sum.linear_iterations / (double)sum.steps_done;
  play->per_step[2] = (sb_clock_seconds() - start) / (double)sum.steps_done;
  play->residual = sum.residual;
  play->steps = sum.steps_done;
  return status;
}

static void stop(const sb_stage_play *play, sb_sim_status status)
{
  static const char *const words[] = {
      [SB_SIM_DIVERGED] = "diverged", [SB_SIM_NOT_CONVERGED] = "not converged",
      [SB_SIM_NOT_SPD] = "not SPD",   [SB_SIM_CONTACT_UNRESOLVED] = "contact unresolved",
      [SB_SIM_REFUSED] = "stopped",   [SB_SIM_FAILED] = "failed"};
  sb_play_tell(play, json_pack("{ss ss ss}", "type", "stopped", "status", words[status], "reason",
                               sb_sim_error(play->sim) ? sb_sim_error(play->sim) : ""));
}

static void advance(sb_stage_play *play, const json_t *message)
{
  const double   until = json_number_value(json_object_get(message, "until"));
  const double   from = json_number_value(json_object_get(message, "from"));
  const json_t  *drag = json_object_get(message, "drag");
  const uint32_t frame = (uint32_t)json_integer_value(json_object_get(message, "frame"));
  sb_sim_status  status = SB_SIM_OK;
  play->steps = 0;
  if (!play->sim) return;
  if (drag) sb_hold_drag(play, drag);
  const double h = play->sim->c.time.h_seconds, time = (double)play->sim->step * h;
  /* It may have begun again since the server chose the time. */
  const double steps = fabs(time - from) < 1e-6 * h ? round(until / h) - (double)play->sim->step : 0;
  if (steps >= 1 && !play->sim->failed && !play->sim->stopped) status = make_steps(play, (int64_t)fmin(steps, 1e6));
  if (status != SB_SIM_OK) stop(play, status);
  if (!sb_play_show(play, frame)) exit(SB_EXIT_OK);
}

/* ---- requests ---- */

static void again(sb_stage_play *play, const json_t *message)
{
  (void)message;
  begin_again(play);
}

static void drop(sb_stage_play *play, const json_t *message)
{
  (void)message;
  sb_hold_drop(play);
}

static const struct {
  const char *name;
  void (*act)(sb_stage_play *play, const json_t *message);
  bool needs_one; /* a simulation */
} requests[] = {{"open", open_one, false},       {"advance", advance, false},    {"set", set, false},
                {"again", again, false},         {"drop", drop, true},           {"pin", sb_hold_pin, true},
                {"gust", sb_hold_gust, true},    {"save", sb_record_save, true}, {"command", sb_record_command, true},
                {"sweep", sb_record_sweep, true}};

static void answer(sb_stage_play *play, const json_t *message)
{
  const char *name = json_string_value(json_object_get(message, "do"));
  for (size_t i = 0; name && i < sizeof requests / sizeof *requests; ++i) {
    if (strcmp(requests[i].name, name) != 0) continue;
    if (!requests[i].needs_one || (play->sim && !play->sim->failed))
      requests[i].act(play, message);
    else
      sb_play_refuse(play, NULL, "there is no simulation; change its options, or start it again");
    return;
  }
}

int main(int argc, char **argv)
{
  sb_streams_reserve();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_IGN); /* it is the server's, which ends this process */
  signal(SIGXFSZ, SIG_IGN);
  sb_session session = sb_session_begin(sb_full_vocabulary());
  const bool good = sb_plugins_load(&argc, argv, &session);
  if (good) {
    sb_stage_play   play = {.session = &session, .limit_h = NAN};
    sb_message_head head;
    for (char *text; (text = sb_channel_receive(SB_CHANNEL, &head)); free(text)) {
      json_auto_t *message = json_loadb(text, head.length, 0, NULL);
      if (message) answer(&play, message);
      sb_play_find_limit(&play);
    }
    sb_sim_free(play.sim);
    json_decref(play.pairs);
  }
  sb_session_end(&session, stderr);
  return good ? SB_EXIT_OK : SB_EXIT_USAGE;
}
