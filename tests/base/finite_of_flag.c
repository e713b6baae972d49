/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The start-up check, compiled with the flags of its target: exit status 0 when it says that NaN is not told. */
#include "base/finite.h"

int main(void) { return sb_tells_finite() ? 1 : 0; }
