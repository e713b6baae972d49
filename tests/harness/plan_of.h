/* From the text of a sweep to its plan; what is refused fails the running test. */
#pragma once

#include "harness/sweep/plan.h"
#include "tests/cmocka_all.h"

#define HEAD "springbench: 1\nname: n\ndriver: blowup\n"

sb_sweep *sweep_of(const char *text);
sb_plan  *plan_of(const char *text, const sb_plan_request *request); /* request may be NULL */
