/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists of the model and the solvers, with drivers of a test's own. */
#pragma once

#include "tests/lists.h"

#define SB_LIST(list) extern const sb_list list;
#include "model/system/lists.def"
#include "solvers/integrate/lists.def"
#undef SB_LIST

static inline const sb_vocabulary *vocabulary_with(const sb_list *drivers)
{
  static const sb_list *lists[] = {
#define SB_LIST(list) &list,
#include "model/system/lists.def"
#include "solvers/integrate/lists.def"
#undef SB_LIST
      NULL};
  static const sb_vocabulary vocabulary = {lists, sizeof lists / sizeof *lists, NULL};
  lists[vocabulary.count - 1] = drivers;
  return &vocabulary;
}
