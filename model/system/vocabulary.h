/* The names and forms of the model's lists, for programs that use no higher layer. */
#pragma once

#include "base/options.h"

/* Families scenes, fields, paths, colliders. */
const sb_vocabulary *sb_model_vocabulary(void);
