/* The lists of drivers and of problems, expanded from drivers.def and problems.def. */
#include "drivers/drivers.h"

#define SB_ENTRY(name) extern const sb_driver sb_driver_##name;
#include "drivers/drivers.def"
#undef SB_ENTRY

static const sb_driver *const entries[] = {
#define SB_ENTRY(name) &sb_driver_##name,
#include "drivers/drivers.def"
#undef SB_ENTRY
};

static const sb_problem problems[] = {
#define SB_PROBLEM(name, options, seconds, frame)                                                                      \
  {#name "_" #frame, options " frame_seconds=" seconds " substeps=1 frames=" #frame},
#define SB_PROBLEMS(name, options, seconds, first, second, third)                                                      \
  SB_PROBLEM(name, options, seconds, first)                                                                            \
  SB_PROBLEM(name, options, seconds, second)                                                                           \
  SB_PROBLEM(name, options, seconds, third)
#include "drivers/problems.def"
#undef SB_PROBLEMS
#undef SB_PROBLEM
};

const sb_driver_list *sb_experiment_drivers(void)
{
  static const sb_driver_list list = {entries, sizeof entries / sizeof *entries, problems,
                                      sizeof problems / sizeof *problems};
  return &list;
}
