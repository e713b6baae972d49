/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sweeps of fake cases in a directory of their own, for the tests of the runner. */
#pragma once

#include "cases/common/exit_status.h"
#include "harness/run/runner.h"
#include "tests/cmocka_all.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)
/* Text by a printf format. This and all other texts live as long as the world. */
#define TEXT(w, ...) sb_arena_format((w)->session.arena, __VA_ARGS__)

typedef struct {
  sb_session     session;
  char          *root;      /* a new directory below /tmp, removed at the end */
  char          *directory; /* <root>/out: where results go */
  sb_sweep      *sweep;
  sb_plan       *plan;
  const char    *driver;  /* "fake", which takes no times, or "watched" */
  sb_run_request request; /* of the fake case; tests change what they need */
} world;

/* A session that knows the fake drivers. */
sb_session fake_session(void);

/* cmocka setup and teardown: *state is an empty world. */
int world_open(void **state);
int world_close(void **state);

/* The sweep `name` over these values of seed; extra: more lines of YAML at top level. It is untimed unless these lines
 * say otherwise: then cases run in plan order. Replaces what was planned. */
void world_plan(world *w, const char *name, const char *seeds, const char *extra);
int  world_run(const world *w);
/* The same with progress in lines: what it wrote to stderr. */
char *world_run_said(world *w, int *status);
/* The same in a process of its own, which ends with this one; a pid. */
pid_t world_start(const world *w);
/* Its exit status; -signal when it was killed. */
int world_wait(pid_t pid);

sb_results *world_results(const world *w);
/* The row of the case whose seed is this; fails the test when there is none. */
size_t      row_of_seed(const sb_results *results, long seed);
const char *word_at(const sb_results *results, size_t row, const char *column);
/* Status of that case, "" when it has not run; and whether its reason holds this text. */
void assert_status(const world *w, long seed, const char *status, const char *reason);

/* Calls of the fake case so far: all, or those of the case with this seed. */
size_t calls(const world *w);
size_t calls_of_seed(const world *w, long seed);
char  *calls_text(const world *w);
/* Waits (10 s at most) until there have been as many. */
void wait_for_calls(const world *w, size_t count);
/* Makes <directory>.<suffix>. */
void touch(const world *w, const char *suffix);
/* Files in a subdirectory. */
size_t files_in(const world *w, const char *part);
/* Path of something in the results directory, text of it. */
char *path_of(const world *w, const char *name);
char *text_of(const world *w, const char *name);
/* Names, sizes, times and content of all files in the results directory. */
char *snapshot(const world *w);
