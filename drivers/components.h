/* The connected parts of a net. Local. */
#pragma once

#include "model/scene/scene.h"

/* E208, at option `pins`, when some part of the net has no pin: no static equilibrium holds it. The sizes of the parts
 * without one are listed. False then, or when memory is out. */
bool sb_components_check(const sb_options *options, const sb_pose *pose, sb_diagnostics *diagnostics);
