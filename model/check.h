/* Combinations of options of the model that cannot work, refused before anything is built. Local. */
#pragma once

#include "base/options.h"

/* E106 at the option to blame: contact without a collider or a collider without contact, as many paths as colliders,
 * pin paths without pins, several ranks with self-contact, and the like. */
bool sb_model_check(const sb_options *options, sb_diagnostics *diagnostics);
