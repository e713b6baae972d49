/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Composite values in sweeps: as axes and defaults, in lists, overridden, in commands and stored plans; and what is
 * refused, at its place in the file. */
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/plan.h"
#include "tests/harness/plan_of.h"
#include "tests/model_vocabulary.h"

#define CLOTH HEAD "defaults: {scene: cloth}\n"

static sb_plan *wind_plan_of(const char *text, const sb_selection *request)
{
  sb_diagnostics   *d = sb_diagnostics_create();
  const sb_session *session = session_with(model_vocabulary(), d);
  const sb_sweep   *s = sb_sweep_parse(text, strlen(text), "f", session);
  sb_plan          *p = s ? sb_plan_create(s, request, session) : NULL;
  if (!p) fail_msg("%s", sb_diagnostics_message(d, 0));
  sb_diagnostics_destroy(&d);
  return p;
}

static const char axes[] = CLOTH "sweep:\n"
                                 "  - grid:\n"
                                 "      wind:\n"
                                 "        - none\n"
                                 "        - centrifugal:rate=10\n"
                                 "        - attractor:strength=1,centre=[0,0,-2]\n"
                                 "        - 'expression:x=min(x,y), z=x>0 ? 1 : 2; uniform:acceleration=[0,0,1]'\n"
                                 "        - [ 'centrifugal:rate=1/4', 'uniform:acceleration=[0,0,1]' ]\n";

static const char *const winds[] = {
    "none",
    "centrifugal:rate=10,centre=[0,0,0]",
    "attractor:strength=1,centre=[0,0,-2],softening=0",
    "expression:x=min(x,y),y=0,z=x>0 ? 1 : 2;uniform:acceleration=[0,0,1]",
    "centrifugal:rate=0.25,centre=[0,0,0];uniform:acceleration=[0,0,1]",
};
enum { WINDS = sizeof winds / sizeof *winds };

static void values_stand_on_an_axis(void)
{
  sb_plan *p = wind_plan_of(axes, NULL);
  assert_int_equal(p->count, WINDS);
  for (size_t i = 0; i < WINDS; ++i) assert_string_equal(SB_TEXT(p->cases[i].options, wind), winds[i]);
  for (size_t i = 1; i < WINDS; ++i) assert_string_not_equal(p->cases[i].key, p->cases[i - 1].key);
}

/* A POSIX shell makes the same value of a command, for any characters in the formula. */
static void commands_survive_a_shell(void)
{
  sb_plan *p = wind_plan_of(axes, NULL);
  for (size_t i = 0; i < p->count; ++i) {
    char   script[1024], line[512];
    bool   found = false;
    size_t length = strlen("wind=");
    snprintf(script, sizeof script, "printf '%%s\\n' %s", p->cases[i].command);
    FILE *shell = popen(script, "r");
    while (fgets(line, sizeof line, shell)) {
      line[strcspn(line, "\n")] = '\0';
      found = found || (strncmp(line, "wind=", length) == 0 && strcmp(line + length, winds[i]) == 0);
    }
    assert_int_equal(pclose(shell), 0);
    assert_true(found);
  }
}

static void equal_values_have_equal_keys(void)
{
  sb_plan *one = wind_plan_of(CLOTH "sweep: [{grid: {wind: 'attractor:centre=[ 0, 0,-2.0 ],strength=1'}}]", NULL);
  sb_plan *other = wind_plan_of(axes, NULL);
  assert_string_equal(one->cases[0].key, other->cases[2].key);
}

static void an_override_is_one_value(void)
{
  static const char *const given[] = {"wind=attractor:strength=2,centre=[0,0,1]"};
  sb_plan                 *p = wind_plan_of(axes, &(sb_selection){.override_count = 1, .overrides = given});
  assert_int_equal(p->count, 1);
  assert_string_equal(SB_TEXT(p->cases[0].options, wind), "attractor:strength=2,centre=[0,0,1],softening=0");
}

static void refusals_name_the_place(void)
{
  static const char *const texts[][2] = {
      {CLOTH "sweep:\n  - grid:\n      wind: [none, atractor]\n",
       "f:7:20: error: unknown wind 'atractor'; did you mean 'attractor'?"},
      {CLOTH "sweep:\n  - grid: {wind: []}\n", "f:6:18: error: the axis 'wind' has no values"},
      {CLOTH "sweep:\n  - defaults: {wind: [none, 'centrifugal:rate=1']}\n",
       "f:6:22: error: option 'wind': none cannot be in a list"},
      {CLOTH "sweep:\n  - defaults:\n      pin_path: expression:x=t=1\n",
       "f:7:17: error: option 'pin_path': expression: x: '=' at character 2 of 't=1' is an assignment"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    sb_diagnostics *d = sb_diagnostics_create();
    assert_null(sb_sweep_parse(texts[i][0], strlen(texts[i][0]), "f", session_with(model_vocabulary(), d)));
    const char *message = sb_diagnostics_message(d, 0);
    if (strncmp(message, texts[i][1], strlen(texts[i][1])) != 0) fail_msg("%s", message);
    sb_diagnostics_destroy(&d);
  }
}

int main(void)
{
  return RUN_TESTS_WITHIN(NULL, end_sessions, values_stand_on_an_axis, commands_survive_a_shell,
                          equal_values_have_equal_keys, an_override_is_one_value, refusals_name_the_place);
}
