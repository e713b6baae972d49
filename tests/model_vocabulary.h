/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model's lists as a vocabulary, for tests that use no higher layer. */
#pragma once

#include "base/options.h"

#define SB_LIST(list) extern const sb_list list;
#include "model/system/lists.def"
#undef SB_LIST

static inline const sb_vocabulary *model_vocabulary(void)
{
  static const sb_list *const lists[] = {
#define SB_LIST(list) &list,
#include "model/system/lists.def"
#undef SB_LIST
  };
  static const sb_vocabulary vocabulary = {lists, sizeof lists / sizeof *lists, NULL};
  return &vocabulary;
}
