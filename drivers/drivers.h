/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All lists that the program has, for the harness. */
#pragma once

#include "cases/store/driver.h"

const sb_vocabulary *sb_full_vocabulary(void);
