/* The scenes of a plan, before anything runs. Local; no PETSc is called. */
#pragma once

#include "harness/store/driver.h"
#include "harness/sweep/plan.h"

/* Builds the scenes of the cases that are to run, each once, and asks their drivers: what a case would be refused for
 * is told here (E1xx, E2xx, in the file that is wrong), and nothing starts; and what it will be warned of. Every mesh
 * and data file is read at least once; beyond some millions of vertices scenes are left to their cases, so that the
 * answer comes soon. */
bool sb_plan_check_scenes(const sb_plan *plan, const sb_session *session);
