/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Minimisers of plug-ins (base/springbench_plugin.h) as methods. */
#pragma once

#include "base/springbench_plugin.h"
#include "solvers/minimize/minimizer_method.h"

/* As sb_plugin_backend. */
const sb_entry *sb_plugin_minimizer_method(const sb_plugin_minimizer *method, const char *digest, sb_arena *arena);
