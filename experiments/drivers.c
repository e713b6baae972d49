/* The list of drivers, expanded from drivers.def. */
#include "experiments/drivers.h"

#define SB_ENTRY(name) extern const sb_driver sb_driver_##name;
#include "experiments/drivers.def"
#undef SB_ENTRY

static const sb_driver *const entries[] = {
#define SB_ENTRY(name) &sb_driver_##name,
#include "experiments/drivers.def"
#undef SB_ENTRY
};

const sb_driver_list *sb_experiment_drivers(void)
{
  static const sb_driver_list list = {entries, sizeof entries / sizeof entries[0]};
  return &list;
}
