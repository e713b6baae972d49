/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes of vertex block descent by colours on a card. */
#pragma once

/* Sheets of up to `largest`^2 vertices on device `name` and as C, in both precisions: the bits after some passes, and
 * the time of a pass, to passes.csv in `folder`. Returns the number of sheets with other bits than as C. */
int card_passes(const char *folder, const char *name, int largest, double seconds);
