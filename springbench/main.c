/* SPDX-License-Identifier: GPL-3.0-or-later */
/* springbench: the harness with all drivers. */
#include "drivers/drivers.h"
#include "harness/commands/harness.h"

int main(int argc, char **argv) { return sb_harness_main(argc, argv, sb_full_vocabulary()); }
