/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of plug-ins (base/springbench_plugin.h) as laws. Local. */
#pragma once

#include "base/arena.h"
#include "base/springbench_plugin.h"
#include "model/forces/law.h"

/* The entry of a plug-in's law, whose object has this digest. Both are borrowed. */
const sb_entry *sb_plugin_law_method(const sb_plugin_law *law, const char *digest, sb_arena *arena);
