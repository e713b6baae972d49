/* `springbench doctor`: is this machine, and this build, fit to measure? `--aa`: by what do two equal runs differ? */
#include <argp.h>
#include <stdio.h>

#include "harness/commands/command.h"
#include "harness/commands/doctor.h"
#include "harness/common/quantity.h"

typedef struct {
  bool   aa, strict;
  long   rounds;
  double seconds;
} request;

enum { KEY_AA = 256, KEY_STRICT, KEY_ROUNDS, KEY_SECONDS };

static const struct argp_option option_table[] = {
    {"aa", KEY_AA, NULL, 0, "time one case as two methods in turn: what difference can be told from chance?", 0},
    {"strict", KEY_STRICT, NULL, 0, "status 4 also where times are not to be trusted", 0},
    {"rounds", KEY_ROUNDS, "N", 0, "how often --aa times each (10)", 0},
    {"seconds", KEY_SECONDS, "TIME", 0, "how long each core is watched (2s)", 0},
    {0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
  request *r = state->input;
  int64_t  number = 0;
  switch (key) {
  case KEY_AA:
    r->aa = true;
    return 0;
  case KEY_STRICT:
    r->strict = true;
    return 0;
  case KEY_ROUNDS:
    if (!sb_parse_integer(text, &number) || number < 5 || number > 1000)
      argp_error(state, "--rounds takes a whole number from 5 to 1000; got '%s'", text);
    r->rounds = (long)number;
    return 0;
  case KEY_SECONDS:
    if (!sb_parse_duration(text, &r->seconds)) argp_error(state, "--seconds takes a time such as 2s; got '%s'", text);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static int check_up(const request *r)
{
  sb_checkup checkup = {0};
  puts("Is this machine fit to measure?");
  sb_checkup_machine(&checkup);
  if (checkup.worst == SB_UNFIT) {
    puts("No: this build gives wrong results.");
    return SB_EXIT_UNFIT;
  }
  sb_checkup_cores(&checkup, r->seconds);
  if (checkup.worst == SB_FINE) {
    puts("Yes.");
    return SB_EXIT_OK;
  }
  if (checkup.advices > 0) puts("What to do:");
  for (int i = 0; i < checkup.advices; ++i) printf("  - %s\n", checkup.advice[i]);
  puts("No, not for times: what is computed is sound, but times taken now deserve a second look.");
  return r->strict ? SB_EXIT_UNFIT : SB_EXIT_OK;
}

static int run_doctor(int argc, char **argv, const sb_session *session)
{
  request           r = {.rounds = 10, .seconds = 2};
  const struct argp parser = {option_table, parse_option, "", sb_command_doctor.summary, NULL, NULL, NULL};
  char              name[] = "springbench doctor";
  argv[0] = name;
  argp_err_exit_status = SB_EXIT_USAGE;
  const error_t failure = argp_parse(&parser, argc, argv, 0, NULL, &r);
  argv[0] = NULL;
  if (failure) return SB_EXIT_USAGE;
  return r.aa ? sb_doctor_aa((int)r.rounds, r.strict, session) : check_up(&r);
}

const sb_command sb_command_doctor = {"doctor", "[--aa] [--strict]", "is this machine fit to measure?", run_doctor};
