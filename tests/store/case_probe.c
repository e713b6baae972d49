/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `case` with the drivers of fixture.c, for the Python tests. */
#include "cases/run/run_case.h"
#include "fixture.h"

int main(int argc, char **argv)
{
  if (argc < 2) return 2;
  sb_session session = sb_session_begin(walk_vocabulary());
  const int  status = sb_case_main(argc - 1, argv + 1, &session);
  sb_session_end(&session, stderr);
  return status;
}
