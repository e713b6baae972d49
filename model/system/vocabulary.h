/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model's lists (lists.def), for programs that use no higher layer. */
#pragma once

#include "base/options.h"

const sb_vocabulary *sb_model_vocabulary(void);
