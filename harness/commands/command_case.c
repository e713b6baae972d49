/* `springbench case`: one case, in this process; see case.h. */
#include "harness/commands/command.h"
#include "harness/run/case.h"

const sb_command sb_command_case = {
    "case",
    "KEY=VALUE ... [-o FILE] [--json]",
    "run one case: the line every result carries",
    sb_case_main,
};
