/* springbench: the harness with the drivers of experiments/. */
#include "experiments/drivers.h"
#include "harness/commands/harness.h"

int main(int argc, char **argv) { return sb_harness_main(argc, argv, sb_experiment_drivers()); }
