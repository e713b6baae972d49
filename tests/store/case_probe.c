/* `case` with the drivers of walk.h, for case_command.py and full_disk.py. */
#include "harness/run/case_command.h"
#include "walk.h"

int main(int argc, char **argv) { return argc < 2 ? 2 : sb_case_command_main(argc - 1, argv + 1, walk_drivers()); }
