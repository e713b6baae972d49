/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options as constants, SB_OPT_h, for tables and switches. Elsewhere SB_ID(h) does: it compiles nothing again when
 * an option is added. Local. */
#pragma once

#include "base/options.h"

enum {
#define SB_OPTION(name, kind, unit, preset, range, traits, sentence) SB_OPT_##name,
#include "base/options.def"
#undef SB_OPTION
  SB_OPT_COUNT
};
