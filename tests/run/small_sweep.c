/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep of fake cases as a program, to be killed and refused things from outside: small_sweep DIRECTORY.
 * Exits as the run does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/run/world.h"

int main(int argc, char **argv)
{
  world w = {.directory = argv[1], .driver = "fake", .session = fake_session()};
  if (argc < 2) return SB_EXIT_USAGE;
  w.request = (sb_run_request){.directory = w.directory,
                               .program = getenv("SB_FAKE_CASE"),
                               .warm_up = -1,
                               .jobs = 1,
                               .order_seed = 1,
                               .progress = "none"};
  world_plan(&w, "small", "1, 2, 100, 3", "");
  const int status = world_run(&w);
  sb_session_end(&w.session, stderr);
  return status;
}
