/* The two ways to state time, which of them wins, and what is refused. */
#include <string.h>

#include "base/time_grid.h"
#include "tests/cmocka_all.h"

/* Scene's and user's options, and what they come to; steps 0: an error with this part of a message. */
typedef struct {
  const char *scene[4], *user[4];
  double      h;
  int64_t     steps, steps_per_frame;
  const char *message;
} row;

#define ROPE                                                                                                           \
  {                                                                                                                    \
    "substeps=64", "frames=100", "frame_seconds=1", NULL                                                               \
  }
#define CLOTH                                                                                                          \
  {                                                                                                                    \
    "h=0.01", "duration=1", NULL, NULL                                                                                 \
  }

static const row rows[] = {
    {ROPE, {NULL}, 1.0 / 64, 6400, 64, NULL},
    {ROPE, {"substeps=10", "frames=400", NULL}, 0.1, 4000, 10, NULL},
    {CLOTH, {NULL}, 0.01, 100, 1, NULL},
    {CLOTH, {"h=0.1", NULL}, 0.1, 10, 1, NULL},
    {CLOTH, {"duration=20", NULL}, 0.01, 2000, 1, NULL},
    {CLOTH, {"frames=50", NULL}, 0.01, 50, 1, NULL},
    {CLOTH, {"substeps=4", NULL}, 0.0025, 400, 4, NULL},
    {ROPE, {"h=0.5", NULL}, 0.5, 200, 1, NULL},
    {ROPE, {"duration=2", NULL}, 1.0 / 64, 128, 1, NULL},
    {ROPE, {"h=0.1", "frames=3", NULL}, 0, 0, 0, "state the time step twice"},
    {CLOTH, {"h=0.3", NULL}, 0, 0, 0, "not a whole number of steps"},
    {CLOTH, {"h=1e-9", "duration=10", NULL}, 0, 0, 0, "steps (at most"},
    {{NULL}, {NULL}, 1, 1, 1, NULL},
    {{NULL}, {"h=0.1", NULL}, 0, 0, 0, "has no length"},
};

static void resolves(void)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    sb_options     *options = sb_options_create(NULL);
    sb_diagnostics *diagnostics = sb_diagnostics_create();
    sb_time_grid    grid = {0};
    for (int k = 0; k < 4 && rows[i].scene[k]; ++k)
      assert_true(sb_options_set_pair(options, rows[i].scene[k], SB_FROM_SCENE, (sb_location){0}, NULL));
    for (int k = 0; k < 4 && rows[i].user[k]; ++k)
      assert_true(sb_options_set_pair(options, rows[i].user[k], SB_FROM_USER, (sb_location){0}, NULL));
    const bool good = sb_resolve_time(options, &grid, diagnostics);
    if (good == (rows[i].steps == 0)) print_error("row %zu: %s\n", i, sb_diagnostics_message(diagnostics, 0));
    assert_int_equal(good, rows[i].steps != 0);
    if (good) {
      assert_true(grid.h_seconds == rows[i].h);
      assert_int_equal(grid.steps, rows[i].steps);
      assert_int_equal(grid.steps_per_frame, rows[i].steps_per_frame);
      assert_int_equal(grid.frames * grid.steps_per_frame, grid.steps);
      assert_false(SB_HAS(options, h) && SB_HAS(options, substeps));
    } else {
      assert_non_null(strstr(sb_diagnostics_message(diagnostics, 0), rows[i].message));
    }
    sb_diagnostics_destroy(&diagnostics);
    sb_options_destroy(&options);
  }
}

TEST_MAIN(resolves)
