/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Long tests of many like trials: a build with sanitizers, which takes several times as long, makes a sample of them;
 * other builds (tests/long.sh) make all. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __SANITIZE_ADDRESS__
enum { SB_SAMPLES = 1 };
#else
enum { SB_SAMPLES = 0 };
#endif

/* True if trial number i is to be made, of which a sample has one in `of`. */
static inline bool sb_makes_trial(size_t i, size_t of) { return !SB_SAMPLES || i % of == 0; }
