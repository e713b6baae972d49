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

/* NAME="VALUE" of all pairs, without a step that was chosen here, unless `whole`. */
static char *line_of(const sb_stage_play *play, bool whole)
{
  char       *text = NULL;
  size_t      length = 0;
  FILE       *line = sb_text_stream(&text, &length);
  const char *key;
  json_t     *each;
  json_object_foreach(play->pairs, key, each)
  {
    const bool is_h = sb_option_find(key) == SB_ID(h);
    const bool chosen = is_h && *play->chosen_h && strcmp(json_string_value(each), play->chosen_h) == 0;
    if (whole || !chosen) fprintf(line, "%s=\"%s\" ", key, json_string_value(each));
  }
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
  if (what == ANEW) {
    memset(play->gust, 0, sizeof play->gust);
    sb_burst_forget(play);
  }
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

static sb_sim *make_by(const sb_stage_play *play, const char *line, const char *earlier)
{
  return sb_sim_make(&(sb_sim_source){.line = line,
                                      .earlier = earlier,
                                      .file = *play->file ? play->file : NULL,
                                      .vocabulary = play->session->vocabulary});
}

/* Half the limit of h to two digits, as text, if the simulation has a longer step that nobody gave; else "". A net that
 * is pulled has to survive: at 0.99 of its limit it bursts in the hand. */
static void choose_h(const sb_sim *sim, char text[32])
{
  bool given = sim->step > 0;
  *text = '\0';
  for (sb_option_id id = 0; id < sb_option_count && !given; ++id)
    given = sb_option_at(id)->traits & SB_STATES_TIME && !(sb_option_at(id)->traits & SB_OF_RUN) &&
            sb_options_origin(sim->options, id) == SB_FROM_USER;
  const double half = given ? NAN : sb_play_limit_of((sb_sim *)sim) / 2;
  if (!(sim->c.time.h_seconds > half)) return;
  const double unit = pow(10, floor(log10(half)) - 1);
  snprintf(text, 32, "%.2g", floor(half / unit) * unit);
}

/* A browser's texts end at 512 MiB. */
enum { NET_BYTES_MAX = 500000000 };

/* From the start, with the options of a line and those before it. *chosen: the step that was chosen, or "". */
static sb_sim *make(const sb_stage_play *play, const char *line, const char *earlier, char chosen[32])
{
  sb_sim *made = make_by(play, line, earlier);
  *chosen = '\0';
  if (!made || sb_sim_error(made)) return made;
  if (sb_play_net_bytes(made) > NET_BYTES_MAX) {
    sb_sim_refuse(made, "springbench: error: a net of %zu vertices is too large for a page", made->pose.vertices);
    return made;
  }
  choose_h(made, chosen);
  if (!*chosen) return made;
  sb_sim_free(made);
  SB_OWNED char *more = sb_format("%s h=%s", line, chosen);
  return make_by(play, more, earlier);
}

static void begin_again(sb_stage_play *play)
{
  SB_OWNED char *line = line_of(play, true);
  char           chosen[32];
  sb_sim        *made = make(play, line, NULL, chosen);
  if (accept(play, made)) {
    if (*chosen) memcpy(play->chosen_h, chosen, sizeof chosen);
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

/* In the run if that is possible. False: it is not. */
static bool change_now(sb_stage_play *play, const char *name, const char *value)
{
  SB_OWNED char *pair = sb_format("%s=\"%s\"", name, value), *note = NULL;
  sb_sim        *sim = play->sim;
  if (!sim || sim->stopped || sim->failed) return false;
  const double before = (double)sim->step * sim->c.time.h_seconds;
  if (sb_sim_configure(sim, pair) != SB_SIM_OK) return false;
  const double after = (double)sim->step * sim->c.time.h_seconds;
  if (fabs(after - before) > 1e-9 * sim->c.time.h_seconds)
    note = sb_format("The clock goes from %.6g s to %.6g s, a whole number of the new steps; what follows a path jumps "
                     "with it.",
                     before, after);
  play->touched = play->touched || sim->step > 0;
  present(play, SAME, !(sb_option_at(sb_option_find(name))->traits & SB_STATES_TIME));
  tell_change(play, name, value, false, note ? note : "");
  return true;
}

/* Else from the start, else not at all. */
static void change(sb_stage_play *play, const char *name, const char *value)
{
  char       chosen[32];
  const bool stopped = !play->sim || play->sim->stopped || play->sim->failed;
  const bool of_pins = sb_option_at(sb_option_find(name))->traits & SB_OF_PINS; /* positions stay */
  if (change_now(play, name, value)) return;
  SB_OWNED char *line = sb_format("%s=\"%s\"", name, value), *earlier = line_of(play, of_pins && !stopped);
  sb_sim        *made = make(play, line, earlier, chosen);
  const bool     keeps = made && !stopped && !sb_sim_error(made) && of_pins && keep_state(play->sim, made);
  SB_OWNED char *note = keeps ? sb_copy_text("")
                              : sb_format("%s, so the simulation starts from its beginning.%s%s%s",
                                          stopped ? "The steps had ended" : "This is part of the start",
                                          *chosen ? " h is " : "", chosen, *chosen ? " s, half its limit." : "");
  if (keeps) made->step = play->sim->step;
  if (accept(play, made)) {
    if (*chosen) memcpy(play->chosen_h, chosen, sizeof chosen);
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

static void stop(const sb_stage_play *play, const char *status, const char *reason)
{
  sb_play_tell(play, json_pack("{ss ss ss}", "type", "stopped", "status", status, "reason", reason ? reason : ""));
}

/* The steps to a time, in parts: forces of a hand are set, and the energy is looked at, in each. */
enum { PARTS = 4, PARTS_PULLED = 32 };
static void make_steps(sb_stage_play *play, int64_t steps)
{
  static const char *const words[] = {
      [SB_SIM_DIVERGED] = "diverged", [SB_SIM_NOT_CONVERGED] = "not converged",
      [SB_SIM_NOT_SPD] = "not SPD",   [SB_SIM_CONTACT_UNRESOLVED] = "contact unresolved",
      [SB_SIM_REFUSED] = "stopped",   [SB_SIM_FAILED] = "failed"};
  const int64_t most = sb_hold_pulls(play) ? PARTS_PULLED : PARTS, parts = steps < most ? steps : most;
  sb_sim_report sum = {0}, report;
  sb_sim_status status = SB_SIM_OK;
  double        seconds = 0;
  for (int64_t i = 0; i < parts && status == SB_SIM_OK && !play->sim->stopped; ++i) {
    if (sb_hold_pulls(play)) sb_hold_apply(play);
    sb_burst_before(play);
    const double start = sb_clock_seconds();
    status = sb_sim_advance(play->sim, steps * (i + 1) / parts - steps * i / parts, &report);
    seconds += sb_clock_seconds() - start;
    sum.steps_done += report.steps_done;
    sum.minimizer_iterations += report.minimizer_iterations;
    sum.linear_iterations += report.linear_iterations;
    sum.residual = fmax(sum.residual, report.residual);
    SB_OWNED char *burst = status == SB_SIM_OK ? sb_burst_after(play) : NULL;
    if (burst) stop(play, "burst", burst);
  }
  const bool balanced = status != SB_SIM_DIVERGED || !(play->sim->setup->balance.so_far.burst_energy > 0);
  if (status != SB_SIM_OK) stop(play, balanced ? words[status] : "burst", sb_sim_error(play->sim));
  if (sum.steps_done == 0) return;
  play->per_step[0] = (double)sum.minimizer_iterations / (double)sum.steps_done;
  play->per_step[1] = (double)sum.linear_iterations / (double)sum.steps_done;
  play->per_step[2] = seconds / (double)sum.steps_done;
  play->residual = sum.residual;
  play->steps = sum.steps_done;
}

static void advance(sb_stage_play *play, const json_t *message)
{
  const double   until = json_number_value(json_object_get(message, "until"));
  const double   from = json_number_value(json_object_get(message, "from"));
  const json_t  *drag = json_object_get(message, "drag");
  const uint32_t frame = (uint32_t)json_integer_value(json_object_get(message, "frame"));
  play->steps = 0;
  if (!play->sim) return;
  if (drag) sb_hold_drag(play, drag);
  const double h = play->sim->c.time.h_seconds, time = (double)play->sim->step * h;
  /* It may have begun again since the server chose the time. */
  const double steps = fabs(time - from) < 1e-6 * h ? round(until / h) - (double)play->sim->step : 0;
  if (steps >= 1 && !play->sim->failed && !play->sim->stopped) make_steps(play, (int64_t)fmin(steps, 1e6));
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
