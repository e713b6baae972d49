/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The connected parts of a net. Local. */
#pragma once

#include "model/scene/scene.h"

/* E208 at option `pins`, with the sizes of the parts, if some part of the net has no pin, since no static equilibrium
 * holds it. False then, or if memory is out. */
bool sb_components_check(const sb_options *options, const sb_pose *pose, sb_diagnostics *diagnostics);
