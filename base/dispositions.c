/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See dispositions.h. */
#include "base/dispositions.h"

void sb_dispositions_keep(sb_dispositions *kept)
{
  *kept = (sb_dispositions){0};
  for (int i = 1; i < NSIG; ++i) sigaction(i, NULL, &kept->of[i]);
}

void sb_dispositions_restore(const sb_dispositions *kept)
{
  for (int i = 1; i < NSIG; ++i) sigaction(i, &kept->of[i], NULL);
}
