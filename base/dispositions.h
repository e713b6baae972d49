/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The handlers of all signals of the process, kept while a library that replaces them starts. */
#pragma once

#include <signal.h>

typedef struct {
  struct sigaction of[NSIG];
} sb_dispositions;

void sb_dispositions_keep(sb_dispositions *kept);
void sb_dispositions_restore(const sb_dispositions *kept);
