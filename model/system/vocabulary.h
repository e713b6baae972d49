/* The model's lists (lists.def), for option sets of programs that know no other layer. */
#pragma once

#include "base/options.h"

const sb_vocabulary *sb_model_vocabulary(void);
