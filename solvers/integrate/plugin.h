/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integrators of plug-ins (base/springbench_plugin.h) as methods. */
#pragma once

#include "base/springbench_plugin.h"
#include "solvers/integrate/integrator_method.h"

/* As sb_plugin_backend. */
const sb_entry *sb_plugin_integrator_method(const sb_plugin_integrator *method, const char *digest, sb_arena *arena);
