/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See stage.h. The server is the clock: it requests a picture of each side at a time, waits for all of them, shows
 * them, and requests the next no sooner than real time allows. Requests of pages go to the sides at once, and are
 * handled between two pictures. */
#include "live/stage.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/options.h"
#include "base/profile.h"
#include "cases/common/processes.h"
#include "live/request.h"
#include "live/side.h"

enum { WAITING_MAX = 1000 }; /* requests of pages for a simulation that is busy */
static const double PICTURES_A_SECOND = 60, SECONDS_OF_PICTURE = 0.025, SECONDS_STUCK = 2, SECONDS_TO_LOOK = 0.25;

static struct {
  sb_stage_setup      setup;
  struct lws_context *context;
  void (*ready)(const char *why); /* NULL: it was called */
  lws_sorted_usec_list_t timer, watch;
  sb_side                side[SB_SIDES];
  int                    sides;
  sb_visitor            *hand;
  bool                   running, once, changed; /* runs on; one step; a picture is due without steps */
  double                 factor, steps;          /* of real time; per picture, 0: as it fits */
  double                 next;                   /* s: when the next picture may start */
  uint32_t               frame;
  json_t                *drag; /* the latest, for the next picture */
} stage;

static void look(void);

/* ---- messages to pages ---- */

static void tell_all(json_t *message)
{
  sb_web_tell(message);
  json_decref(message);
}

static void tell_page(sb_visitor *page, json_t *message)
{
  sb_visitor_tell(page, message);
  json_decref(message);
}

static void tell_state(void)
{
  size_t pages = 0;
  while (sb_web_visitor(pages)) ++pages;
  for (size_t i = 0; i < pages; ++i) {
    sb_visitor *page = sb_web_visitor(i);
    tell_page(page, json_pack("{ss sb sf sf ss si si sb}", "type", "state", "running", (int)stage.running, "factor",
                              stage.factor, "steps", stage.steps, "hand",
                              page == stage.hand ? "yours"
                              : stage.hand       ? "another"
                                                 : "free",
                              "pages", (int)pages, "sides", stage.sides, "resting", (int)!sb_web_is_watched()));
  }
}

static void note(int side, const char *text)
{
  tell_all(json_pack("{ss si ss}", "type", "note", "side", side, "message", text));
}

static void opened(sb_visitor *page)
{
  if (!stage.hand) stage.hand = page;
  const char *scene = json_string_value(json_object_get(stage.side[0].options, "scene"));
  tell_page(page, json_pack("{ss ss ss ss}", "type", "hello", "version", SB_LIVE_VERSION, "folder", stage.setup.folder,
                            "title",
                            stage.setup.file ? stage.setup.file
                            : scene          ? scene
                                             : ""));
  for (sb_side *side = stage.side; side < stage.side + stage.sides; ++side) {
    json_t *const all[] = {side->knobs, side->values, side->net, side->pinned, side->trouble};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
      if (all[i] && (side->number == 0 || all[i] != side->knobs)) sb_visitor_tell(page, all[i]);
  }
  stage.changed = true;
  tell_state();
  look();
}

static void keep(json_t **place, json_t *message)
{
  json_decref(*place);
  *place = json_incref(message);
}

static void tell_one(sb_side *side, json_t *message)
{
  sb_side_tell(side, message);
  if (sb_side_send(side) && side->watched) lws_callback_on_writable(side->watched);
}

static void tell_side(int number, json_t *message)
{
  for (sb_side *side = stage.side; side < stage.side + stage.sides; ++side)
    if (number < 0 || number == side->number) tell_one(side, message);
}

/* Whoever had the hand before lets go. */
static void give_hand(sb_visitor *page)
{
  json_auto_t *message = json_pack("{ss}", "do", "drop");
  if (stage.hand && stage.hand != page) {
    keep(&stage.drag, NULL);
    tell_side(-1, message);
    stage.changed = true;
  }
  stage.hand = page;
  tell_state();
}

static void closed(sb_visitor *page)
{
  if (stage.hand == page)
    give_hand(sb_web_visitor(0));
  else
    tell_state();
  look();
}

/* ---- sides ---- */

static void begin_side(sb_side *side, const json_t *options, const json_t *change)
{
  json_t *kept = json_copy((json_t *)options);
  json_decref(side->options);
  side->options = kept;
  json_auto_t *open = json_pack("{ss si ss? ss sO sO?}", "do", "open", "side", side->number, "file", stage.setup.file,
                                "folder", stage.setup.folder, "options", kept, "set", (json_t *)change);
  if (sb_side_start(side, stage.setup.program, open)) side->watched = sb_web_watch(side->channel);
  if (side->watched) {
    lws_callback_on_writable(side->watched);
    return;
  }
  sb_side_end(side, NULL);
  note(side->number, "a process for the simulation could not be started");
}

static void begin_again(int number)
{
  json_auto_t *message = json_pack("{ss}", "do", "again");
  for (sb_side *side = stage.side; side < stage.side + stage.sides; ++side)
    if (number < 0 || number == side->number) {
      side->resets = true;
      side->head.time = 0;
    }
  tell_side(number, message);
  stage.changed = true;
}

/* All steps have ended early, or there is no process. */
static bool is_over(void)
{
  bool over = true;
  for (const sb_side *side = stage.side; side < stage.side + stage.sides; ++side)
    over = over && (side->stopped || side->pid == 0 || !side->net);
  return over;
}

static void take_net(sb_side *side, json_t *message)
{
  const bool anew = json_is_true(json_object_get(message, "anew")), expected = side->resets;
  keep(&side->net, message);
  keep(&side->trouble, NULL);
  json_decref(side->pinned);
  side->pinned = NULL;
  side->stopped = side->resets = false;
  if (!anew) return;
  side->head.time = side->head.step = 0;
  for (sb_side *other = stage.side; other < stage.side + stage.sides; ++other)
    if (other != side && !expected && other->pid > 0) begin_again(other->number); /* they are in step */
}

static void heard_side(sb_side *side, json_t *message)
{
  const char *type = json_string_value(json_object_get(message, "type"));
  if (!type) return;
  if (stage.ready && (strcmp(type, "refused") == 0 || strcmp(type, "net") == 0)) {
    void (*ready)(const char *why) = stage.ready;
    stage.ready = NULL;
    ready(*type == 'n' ? NULL : json_string_value(json_object_get(message, "message")));
  }
  if (strcmp(type, "knobs") == 0) keep(&side->knobs, message);
  if (strcmp(type, "pinned") == 0) keep(&side->pinned, message);
  if (strcmp(type, "net") == 0) take_net(side, message);
  if (strcmp(type, "values") == 0) {
    keep(&side->values, message);
    keep(&side->options, json_object_get(message, "pairs"));
    side->head.h = side->head.step_seconds = 0; /* given with the next picture */
  }
  if (strcmp(type, "stopped") == 0) {
    side->stopped = true;
    keep(&side->trouble, message);
  }
  side->barren = side->barren || (!side->net && strcmp(type, "refused") == 0);
  stage.changed = true;
  sb_web_tell(message);
  if (strcmp(type, "stopped") == 0) tell_state();
}

static void lose(sb_side *side)
{
  char how[128];
  sb_side_end(side, how);
  json_auto_t *message = json_pack("{ss si ss}", "type", "ended", "side", side->number, "message", how);
  keep(&side->trouble, message);
  if (stage.ready) stage.ready(how), stage.ready = NULL;
  sb_web_tell(message);
  tell_state();
}

/* ---- pictures ---- */

static void show(void)
{
  const void *picture[SB_SIDES] = {NULL};
  size_t      length[SB_SIDES] = {0};
  int         count = 0;
  for (sb_side *side = stage.side; side < stage.side + stage.sides; ++side) {
    if (side->asked && side->pid > 0) return; /* not all have answered */
    if (side->pid == 0 || !side->shown) continue;
    picture[count] = side->picture;
    length[count++] = side->length;
  }
  for (sb_side *side = stage.side; side < stage.side + stage.sides; ++side) side->shown = false;
  if (count > 0) sb_web_show(stage.frame, count, picture, length);
}

static void take_picture(sb_side *side, const char *bytes, size_t length)
{
  if (length < sizeof side->head) return;
  memcpy(&side->head, bytes, sizeof side->head);
  if (side->head.frame != stage.frame) return;
  side->picture = sb_insist(realloc(side->picture, length));
  memcpy(side->picture, bytes, length);
  side->length = length;
  side->asked = false;
  side->shown = true;
  if (side->stuck > 0) tell_all(json_pack("{ss si sf}", "type", "stuck", "side", side->number, "seconds", 0.0));
  side->stuck = 0;
}

static bool readable(int descriptor)
{
  sb_side *side = stage.side;
  while (side < stage.side + SB_SIDES && (side->pid == 0 || side->channel != descriptor)) ++side;
  if (side == stage.side + SB_SIDES) return false; /* of a process that was ended */
  const bool      good = sb_side_read(side);
  sb_message_head head;
  for (const char *bytes; (bytes = sb_side_next(side, &head));) {
    json_auto_t *message = head.kind == SB_SAYS_JSON ? json_loadb(bytes, head.length, 0, NULL) : NULL;
    if (message) heard_side(side, message);
    if (head.kind == SB_SAYS_PICTURE) take_picture(side, bytes, head.length);
  }
  if (!good) lose(side);
  show();
  look();
  return good;
}

static void writable(int descriptor)
{
  for (sb_side *side = stage.side; side < stage.side + SB_SIDES; ++side)
    if (side->pid > 0 && side->channel == descriptor && sb_side_send(side)) lws_callback_on_writable(side->watched);
}

/* Steps for a picture: as many as fit into real time, and fewer if they take long. */
static double steps_of(const sb_side *side)
{
  const double h = side->head.h, each = side->head.step_seconds;
  if (stage.once) return 1;
  if (stage.steps > 0) return stage.steps;
  const double wanted = floor(stage.factor / PICTURES_A_SECOND / h),
               fit = each > 0 ? floor(SECONDS_OF_PICTURE / each) : 1;
  return fmax(1, fmin(wanted, fit));
}

static bool is_waiting(void)
{
  bool waits = false;
  for (const sb_side *side = stage.side; side < stage.side + stage.sides; ++side)
    waits = waits || (side->pid > 0 && (side->asked || (!side->net && !side->barren)));
  return waits;
}

static void ask(bool steps)
{
  const sb_side *first = stage.side;
  double         time = sb_clock_seconds(), count = 0;
  for (const sb_side *side = stage.side; side < stage.side + stage.sides; ++side)
    if (first->stopped || first->pid == 0) first = side;
  if (steps && first->head.h > 0) count = steps_of(first);
  const double until = first->head.time + count * first->head.h; /* a side that is ahead makes no steps */
  json_auto_t *common = json_pack("{ss sI sf}", "do", "advance", "frame", (json_int_t)++stage.frame, "until", until);
  if (stage.drag) json_object_set_new(common, "drag", stage.drag);
  stage.drag = NULL;
  /* Behind by more than a moment it does not catch up. */
  stage.next = fmax(stage.next, time - 0.1) + (count > 0 ? count * first->head.h / fmax(stage.factor, 1e-9) : 0);
  stage.once = stage.once && count == 0;
  stage.changed = stage.once; /* a step is due when its length is known */
  for (sb_side *side = stage.side; side < stage.side + stage.sides; ++side) {
    json_auto_t *message = json_copy(common);
    json_object_set_new(message, "from", json_real(side->head.time));
    side->asked = side->pid > 0 && side->net;
    side->asked_at = time;
    if (side->asked) tell_one(side, message);
  }
}

/* Bytes. The options are the words of the command line until the simulation has read them. */
static double memory_limit(const json_t *options)
{
  const char                                 *given = json_string_value(json_object_get(options, "memory_limit"));
  SB_ENDED_BY(sb_options_destroy) sb_options *o = sb_options_create(NULL);
  if (given && sb_options_set(o, SB_ID(memory_limit), given, SB_FROM_USER, (sb_location){0}, NULL))
    return SB_REAL(o, memory_limit);
  return 0.8 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* Memory and steps without end. */
static void watch(lws_sorted_usec_list_t *timer)
{
  const double time = sb_clock_seconds();
  bool         waits = false;
  for (sb_side *side = stage.side; side < stage.side + stage.sides; ++side) {
    if (side->pid == 0) continue;
    if (sb_processes_resident_bytes(side->pid) > memory_limit(side->options)) {
      note(side->number, "the simulation needs more memory than its limit (memory_limit, or 4/5 of the machine's)");
      sb_processes_signal(side->pid, SIGKILL);
    }
    const double seconds = side->asked ? time - side->asked_at : 0;
    waits = waits || side->asked || (!side->net && !side->barren);
    if (seconds < SECONDS_STUCK || seconds < side->stuck + 1) continue;
    side->stuck = seconds;
    tell_all(json_pack("{ss si sf}", "type", "stuck", "side", side->number, "seconds", seconds));
  }
  if (waits) lws_sul_schedule(stage.context, 0, timer, watch, (lws_usec_t)(1e6 * SECONDS_TO_LOOK));
}

static void on_time(lws_sorted_usec_list_t *timer)
{
  (void)timer;
  look();
}

/* Asks for the next picture if one is due. Nobody looks: nothing is done. */
static void look(void)
{
  const bool goes_on = (stage.running || stage.once) && !is_over();
  if (is_waiting()) {
    if (lws_dll2_is_detached(&stage.watch.list)) watch(&stage.watch);
    return;
  }
  if (!sb_web_is_watched() || !(goes_on || stage.changed || stage.drag)) return;
  const double wait = stage.next - sb_clock_seconds();
  if (goes_on && !stage.once && !stage.changed && wait > 0) {
    lws_sul_schedule(stage.context, 0, &stage.timer, on_time, (lws_usec_t)(1e6 * fmin(wait, 1)) + 1);
    return;
  }
  ask(goes_on && (stage.once || wait <= 0));
  if (lws_dll2_is_detached(&stage.watch.list))
    lws_sul_schedule(stage.context, 0, &stage.watch, watch, (lws_usec_t)(1e6 * SECONDS_TO_LOOK));
}

/* ---- requests of pages ---- */

static void set_beside(bool on)
{
  if (on == (stage.sides == SB_SIDES)) return;
  sb_side *second = &stage.side[1];
  second->number = 1;
  stage.sides = on ? SB_SIDES : 1;
  if (on)
    begin_side(second, stage.side[0].options, NULL);
  else
    sb_side_end(second, NULL);
  keep(&second->trouble, NULL);
  begin_again(0);
  tell_state();
}

/* Starts a side again with a change of its options, even if these had ended it. */
static void restart(int number, const json_t *change)
{
  sb_side *side = &stage.side[number == 1 && stage.sides > 1];
  sb_side_end(side, NULL);
  keep(&side->trouble, NULL);
  begin_side(side, side->options, change);
  for (sb_side *other = stage.side; other < stage.side + stage.sides; ++other)
    if (other != side) begin_again(other->number);
}

static void pace(const json_t *message)
{
  const double factor = json_number_value(json_object_get(message, "factor"));
  const double steps = json_number_value(json_object_get(message, "steps"));
  if (factor > 0) stage.factor = factor;
  if (json_object_get(message, "steps")) stage.steps = floor(steps);
  stage.next = sb_clock_seconds();
}

static void refuse(sb_visitor *page, const json_t *message, const char *why)
{
  tell_page(page, json_pack("{ss si ss? ss}", "type", "refused", "side", -1, "option",
                            json_string_value(json_object_get(message, "option")), "message", why));
}

/* For the simulations: those of the side that it names, or all. */
static void pass_on(sb_visitor *page, const char *what, json_t *message)
{
  const bool all = strcmp(what, "pin") == 0 || strcmp(what, "gust") == 0 || strcmp(what, "drop") == 0;
  const int  number = all ? -1 : (int)json_integer_value(json_object_get(message, "side"));
  if (strcmp(what, "drop") == 0) keep(&stage.drag, NULL);
  for (sb_side *side = stage.side; side < stage.side + stage.sides; ++side) {
    if (number >= 0 && number != side->number) continue;
    if (side->pid == 0 && strcmp(what, "set") == 0)
      restart(side->number, message);
    else if (json_array_size(side->waiting) >= WAITING_MAX)
      refuse(page, message, "the simulation is busy, and 1000 requests wait for it");
    else
      tell_one(side, message);
  }
  stage.changed = true;
}

/* Requests that only the page with the hand may make. */
static void act(sb_visitor *page, const char *what, json_t *message)
{
  const int side = (int)json_integer_value(json_object_get(message, "side"));
  if (side >= stage.sides)
    refuse(page, message, "there is one simulation, side 0");
  else if (strcmp(what, "run") == 0) {
    stage.running = json_is_true(json_object_get(message, "value"));
    stage.next = sb_clock_seconds();
  } else if (strcmp(what, "step") == 0)
    stage.once = !stage.running;
  else if (strcmp(what, "pace") == 0)
    pace(message);
  else if (strcmp(what, "again") == 0)
    begin_again(-1);
  else if (strcmp(what, "beside") == 0)
    set_beside(json_is_true(json_object_get(message, "value")));
  else if (strcmp(what, "restart") == 0)
    restart(side, NULL);
  else if (strcmp(what, "drag") == 0)
    keep(&stage.drag, message);
  else
    pass_on(page, what, message);
  if (strcmp(what, "run") == 0 || strcmp(what, "pace") == 0) tell_state();
}

static void heard(sb_visitor *page, const json_t *given)
{
  SB_OWNED char *why = NULL;
  json_auto_t   *message = sb_request_read(given, &why);
  const char    *what = json_string_value(json_object_get(message, "do"));
  if (!message)
    refuse(page, given, why);
  else if (strcmp(what, "ack") == 0)
    sb_visitor_acknowledge(page, (uint32_t)json_integer_value(json_object_get(message, "frame")));
  else if (strcmp(what, "visible") == 0) {
    sb_visitor_set_visible(page, json_is_true(json_object_get(message, "value")));
    stage.next = sb_clock_seconds();
    tell_state();
  } else if (strcmp(what, "take") == 0)
    give_hand(page);
  else if (page == stage.hand)
    act(page, what, message);
  else
    refuse(page, message, "another page has the hand; take it first");
  look();
}

const sb_web_user sb_stage_user = {opened, closed, heard, readable, writable};

/* ---- life ---- */

bool sb_stage_begin(const sb_stage_setup *setup, struct lws_context *context, void (*ready)(const char *why))
{
  stage.setup = *setup;
  stage.context = context;
  stage.ready = ready;
  stage.factor = 1;
  stage.running = true;
  stage.sides = 1;
  begin_side(&stage.side[0], setup->options, NULL);
  return stage.side[0].pid > 0;
}

void sb_stage_end(void)
{
  for (sb_side *side = stage.side; side < stage.side + SB_SIDES; ++side) {
    sb_side_end(side, NULL);
    json_t *const all[] = {side->options, side->knobs, side->values, side->trouble};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) json_decref(all[i]);
    free(side->bytes);
    free(side->picture);
  }
  json_decref(stage.drag);
}
